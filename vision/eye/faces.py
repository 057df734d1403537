"""Which tiles have their faces read in a picture, and what the readings say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.changes.motion import Mask
from vision.changes.sampling import sample_cells, share
from vision.eye.lying import lies_free, turned_across
from vision.eye.track import Track
from vision.eye.tracking import Looked
from vision.image import Image
from vision.nets import bodies
from vision.nets.evidence import BACK, FOREIGN, UNKNOWN
from vision.nets.reader import crops_of
from vision.sightings import Posture

_ENOUGH, _SETTLED, _MOST_READINGS, _MOST_REFUSED = 2, 0.97, 6, 30
_BATCH = 12
"""Faces read in one picture at most, beside those of a full look."""
_WITNESSES, _WHOLE = 24, 0.9
"""With so many faces and as many backs, of which so much is seen, blank tiles are compared."""
_STIRRED = 0.2
"""With more of it in motion a face is not read."""
_UNREAD = 4
"""Each time after so many looks in which no face was made out it is read across, too."""


class Reading(Protocol):
    """A face as read (:class:`vision.nets.reader.FaceReading`)."""

    @property
    def faces(self) -> Sequence[tuple[str, float]]:
        """Labels with probabilities, best first."""
        ...

    @property
    def turned(self) -> bool:
        """The face is upside down relative to the quad."""
        ...


class TileReader(Protocol):
    """Reads faces (:class:`vision.nets.reader.FaceReader`)."""

    def read(self, image: Image, quads: NDArray[np.float32]) -> Sequence[Reading]:
        """One reading per quad (N, 4, 2)."""
        ...


class FaceWatch:
    """Reads faces until they are settled.

    Args:
        reader: the model; None: faces stay unknown.
        zoom: size of the pictures that are read over that of the quads.
    """

    def __init__(self, reader: TileReader | None, zoom: float) -> None:
        self._reader = reader
        self._zoom = zoom

    def due(self, tracks: Sequence[Track], moving: Mask, *, full: bool) -> list[Track]:
        """Tracks to be read now: the least known first.

        Args:
            tracks: everything followed.
            moving: cells that differ from the picture before.
            full: all of them, not a batch.
        """
        if self._reader is None:
            return []
        wanted = [
            track
            for track in tracks
            if _wants_reading(track) and share(moving, track.cells) < _STIRRED
        ]
        wanted.sort(key=lambda track: (track.face.evidence.count, track.number))
        return wanted if full else wanted[:_BATCH]

    def read(self, image: Image, tracks: Sequence[Track], others: Sequence[Track] = ()) -> None:
        """Read the faces of tracks in a picture (H, W, 3) and take in what they say.

        Args:
            image: BGR.
            tracks: whose faces are read.
            others: everything followed: how the bodies of this set look in this light.
        """
        if self._reader is None or not tracks:
            return
        readings = self._reader.read(image, self._quads(tracks))
        told = [tuple(reading.faces) for reading in readings]
        if any(faces and bodies.doubtful(faces) for faces in told):
            told = self._by_body(image, tracks, told, others)
        for track, reading, faces in zip(tracks, readings, told, strict=True):
            _take_in(track, reading, faces, 0.3 + 0.7 * track.visible)
            _turned_over(track)

    def read_across(
        self, image: Image, tracks: Sequence[Track], others: Sequence[Track], looked: Looked
    ) -> None:
        """Read once more, turned by a quarter, what shows no face the way it was found.

        The fourth tile of an added kong, across beside the sideways one, was framed upright in
        every look: no face was made out for as long as it lay there. Of 187 tiles that were framed
        as they lie a quarter's turn made no other face.

        Args:
            image: as for :meth:`read`.
            tracks: what was read now.
            others: everything followed.
            looked: what was looked at.
        """
        if self._reader is None:
            return
        shown = [track for track in others if track.seen.posture is Posture.FACE_UP]
        due = {
            track: across
            for track in tracks
            if _stays_unread(track)
            and lies_free(
                across := turned_across(track.seen),
                [each.seen for each in shown if each is not track],
            )
        }
        if not due:
            return
        quads = np.array([across.quad for across in due.values()], np.float32)
        readings = self._reader.read(image, quads * np.float32(self._zoom))
        for (track, across), reading in zip(due.items(), readings, strict=True):
            faces = tuple(reading.faces)
            if faces and faces[0][0] not in (UNKNOWN, FOREIGN, BACK) and faces[0][1] >= _SETTLED:
                shape = looked.inner.shape
                cells = sample_cells(across.quad, (shape[0], shape[1]))
                track.turn_across(across, cells, looked.level)
                _take_in(track, reading, faces, 1.0)

    def _quads(self, tracks: Sequence[Track]) -> NDArray[np.float32]:
        quads = np.array([track.seen.quad for track in tracks], dtype=np.float32)
        return np.asarray(quads * np.float32(self._zoom), np.float32)

    def _by_body(
        self,
        image: Image,
        tracks: Sequence[Track],
        told: list[bodies.Faces],
        others: Sequence[Track],
    ) -> list[bodies.Faces]:
        """What was read, blank tiles compared with the faces and backs that are known."""
        witnesses = [track for track in others if track not in tracks and _is_witness(track)]
        backs = [track for track in witnesses if track.seen.posture is Posture.FACE_DOWN]
        near = [track for track in witnesses if track not in backs][:_WITNESSES]
        near += backs[:_WITNESSES]
        crops = crops_of(image, self._quads([*tracks, *near]))
        known = [_known(track) for track in near]
        return bodies.weighed([*told, *known], bodies.colours(crops))[: len(told)]


def _is_witness(track: Track) -> bool:
    """Whether it is surely known what it shows now, and all of it is seen."""
    seen = not (track.covered or track.missed or track.moving) and track.visible >= _WHOLE
    return seen and (track.seen.posture is Posture.FACE_DOWN or bool(track.face.evidence.count))


def _known(track: Track) -> bodies.Faces:
    """What is known of a track's face, as one that reads says it."""
    if track.seen.posture is Posture.FACE_DOWN:
        return ((BACK, 1.0),)
    return track.face.evidence.faces()


def _wants_reading(track: Track) -> bool:
    if track.seen.posture not in (Posture.FACE_UP, Posture.UNSURE):
        return False
    if track.covered or track.missed or track.moving or track.visible < 0.7:
        return False
    if track.is_whole and not track.face.read_whole:
        return True
    evidence = track.face.evidence
    label, probability = evidence.best()
    # What no face was made out in is a view, not a tile: a later look may be better.
    if evidence.count >= (_MOST_REFUSED if label == UNKNOWN else _MOST_READINGS):
        return False
    # nor is a face that the enrolled set has not taken for certain so soon
    known = probability >= _SETTLED and label not in (UNKNOWN, FOREIGN)
    return evidence.count < _ENOUGH or not known


def _take_in(track: Track, reading: Reading, faces: bodies.Faces, weight: float) -> None:
    """A reading of a tile: which face, and which end of it is up."""
    track.take_in(faces, weight)
    if faces and faces[0][0] != BACK:
        track.face.turned += weight if reading.turned else -weight


def _stays_unread(track: Track) -> bool:
    """Whether once more no face was made out of a tile of which all is seen, at rest."""
    evidence = track.face.evidence
    whole = track.is_whole and track.seen.posture is Posture.FACE_UP and track.still > 0
    return whole and evidence.best()[0] == UNKNOWN and evidence.count % _UNREAD == _UNREAD - 1


def _turned_over(track: Track) -> None:
    """What the reader knows of a tile's posture: a back is no face."""
    label, probability = track.face.evidence.best()
    if probability <= 0.9 or label == UNKNOWN:
        return
    if label == BACK:
        track.seen = replace(track.seen, posture=Posture.FACE_DOWN)
    elif track.seen.posture is Posture.UNSURE:
        track.seen = replace(track.seen, posture=Posture.FACE_UP)
