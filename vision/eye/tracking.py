"""Tiles over time: one identity per tile and place, evidence gathered, nothing lost by a glance.

A track is a tile lying somewhere. It goes on when the tile is found again in its place, or a
little further on while it is pushed; it waits while an arm covers it; it ends only when its
place was looked at, uncovered and changed, and the tile was not there twice in a row. Whether
the tile that lies somewhere else afterwards is the same one is for the follower of the game to
say, who knows what can happen on a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.changes.motion import Mask
from vision.changes.sampling import Array, Cells, samples_cells, shares
from vision.eye.anchor import CLEAR
from vision.eye.comparing import is_turned_over
from vision.eye.track import BIRTH, COVERED_SHARE, INSIDE, SURE, Track
from vision.heights.placing import Detection
from vision.heights.touching import share_of_both
from vision.image import Image
from vision.sightings import Posture, TileSighting

_CHECKS = 2
"""A tile that is believed to be the one below, or one put on top, is looked at so often again: if
one look was wrong and nothing moves there, nobody would ask."""
_BESIDE, _COMMON = 2.5, 0.3
"""Tiles so near, of which so much would be in one place, cannot both lie there; in gates."""
_ONE_PLACE = 0.75
"""Middles of two tiles are never nearer than this share of the gate (0.45 of a tile's width)."""


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """Where a picture was looked at.

    Attributes:
        inner: (H/8, W/8) cells in which every tile must have been found.
        changed: cells that differed from the last look.
        covered: cells hidden by arms or in motion.
        level: (h, w, 3), the picture at a quarter of its size, light evened out, if it is kept.
        ground: the same of the empty table, as far as it was seen; 0 elsewhere.
    """

    inner: Mask
    changed: Mask
    covered: Mask
    level: Image | None = None
    ground: Image | None = None


class Tracker:
    """Keeps the tracks of one camera.

    Args:
        gate_px: how far a tile may be from its last place and still be the same, pixels.
    """

    def __init__(self, gate_px: float) -> None:
        self.gate_px = gate_px
        self.tracks: list[Track] = []
        self._next = 0
        self._below: list[Cells] = []
        """Where faces lie below something that was not made out, in the last look."""

    def take_over(self, tracks: Sequence[Track]) -> None:
        """Go on with these; what is new gets numbers that none of them has."""
        self.tracks = list(tracks)
        self._next = 1 + max((track.number for track in tracks), default=-1)

    def match(self, quads: Array) -> list[Track | None]:
        """For each quad (N, 4, 2) the track it continues: nearest first, each track once."""
        result: list[Track | None] = [None] * len(quads)
        if not len(quads) or not self.tracks:
            return result
        centres = np.asarray(quads, dtype=np.float64).mean(axis=1)
        places = np.array([track.centre for track in self.tracks])
        steps = np.array([track.step for track in self.tracks])
        gates = np.array([self.gate_px * (2.5 if track.moving else 1.0) for track in self.tracks])
        apart = np.linalg.norm(centres[:, None] - (places + steps)[None], axis=2)
        apart = np.minimum(apart, np.linalg.norm(centres[:, None] - places[None], axis=2))
        pairs = np.argwhere(apart <= gates[None])
        order = sorted((float(apart[i, j]), int(i), int(j)) for i, j in pairs)
        taken: set[int] = set()
        for _, i, j in order:
            if result[i] is None and j not in taken:
                result[i] = self.tracks[j]
                taken.add(j)
        return result

    def update(
        self,
        detections: Sequence[Detection],
        matches: Sequence[Track | None],
        looked: Looked,
    ) -> None:
        """Take in what was found where; call once a frame, also with nothing found."""
        shape = looked.inner.shape
        continued: set[int] = set()
        self._below = []
        replaced: set[int] = set()
        born: list[Track] = []
        unfound = self._unfound(matches) if detections and looked.level is not None else []
        unfound_at = np.array([each.centre for each in unfound]).reshape(-1, 2)
        quads = np.array([detection.quad for detection in detections]).reshape(-1, 4, 2)
        under = samples_cells(quads, (shape[0], shape[1]))
        hides = shares(looked.covered, under)
        for detection, track, cells, hidden in zip(
            detections, matches, under, hides.tolist(), strict=True
        ):
            if looked.level is not None and unfound:
                near = np.linalg.norm(unfound_at - detection.quad.mean(axis=0), axis=1)
                near_ones = [unfound[k] for k in np.flatnonzero(near <= _BESIDE * self.gate_px)]
                if near_ones and _lies_over(detection, near_ones, looked.level):
                    continue
            visible = min(1.0 - hidden, detection.visible)
            if track is None:
                if detection.confidence >= BIRTH and hidden < COVERED_SHARE:
                    born.append(self._new(detection, cells, visible, 1))
                    born[-1].remember(looked.level)
                continue
            if hidden >= COVERED_SHARE and is_turned_over(detection, track.seen):
                # What could not found a tile turns none over: it is the hand that lies on it.
                continue
            if detection.z != track.seen.z and Posture.STANDING not in (
                detection.posture,
                track.seen.posture,
            ):
                # What lies here now is the tile that was under it, or one put on top.
                below = self._new(detection, cells, visible, track.hits)
                below.anchor = None if detection.anew else track.anchor
                below.fresh = _CHECKS
                born.append(below)
                replaced.add(track.number)
                continue
            continued.add(track.number)
            track.found(detection, cells, visible, looked.level)
        taken = _places_taken([t for t in self.tracks if t.number in continued] + born)
        kept = []
        places = [track.cells for track in self.tracks]
        hiddens = shares(looked.covered, places)
        inner = shares(looked.inner, places)
        changed = shares(looked.changed, places)
        another = self._lies_another(taken)
        for k, track in enumerate(self.tracks):
            if track.number in continued:
                kept.append(track)
            elif track.number in replaced or (hiddens[k] < COVERED_SHARE and another[k]):
                continue
            else:
                hidden = float(hiddens[k])
                if hidden < COVERED_SHARE and inner[k] >= INSIDE and _lies_below(track, looked):
                    hidden = 1.0
                    self._below.append(track.cells)
                if track.stays(hidden, float(inner[k]), float(changed[k]), looked.level):
                    kept.append(track)
        self.tracks = kept + born

    def with_below(self, covered: Mask) -> Mask:
        """Covered cells, and those of faces that something covers which was not made out."""
        if self._below:
            covered = covered.copy()
        for cells in self._below:
            covered[cells] = True
        return covered

    def missing(self, middles: Array, looked: Looked) -> list[Track]:
        """Faces that lay in sight and are none of those found (N, 2) where a look was taken."""
        shown = [t for t in self.tracks if t.sure and t.seen.posture is Posture.FACE_UP]
        if not shown:
            return []
        places = [track.cells for track in shown]
        hidden, inner = shares(looked.covered, places), shares(looked.inner, places)
        return [
            track
            for track, covers, within in zip(shown, hidden, inner, strict=True)
            if covers < COVERED_SHARE
            and within >= INSIDE
            and not (np.linalg.norm(middles - track.centre, axis=1) < self.gate_px).any()
        ]

    def new_at(self, middles: Array) -> list[bool]:
        """Whether no tile was found often enough to be known at each of these places (N, 2)."""
        known = np.array([t.centre for t in self.tracks if not t.young]).reshape(-1, 2)
        apart = np.linalg.norm(middles[:, None] - known[None], axis=2)
        return [not near for near in (apart < self.gate_px).any(axis=1).tolist()]

    def _lies_another(self, taken: Array) -> NDArray[np.bool_]:
        """(T,) whether what was found lies where a tile, if not found, would have to lie."""
        if not len(taken) or not self.tracks:
            return np.zeros(len(self.tracks), dtype=np.bool_)
        centres = np.array([track.centre for track in self.tracks])
        apart = np.linalg.norm(taken[None] - centres[:, None], axis=2)
        return np.asarray((apart < _ONE_PLACE * self.gate_px).any(axis=1), dtype=np.bool_)

    def _unfound(self, matches: Sequence[Track | None]) -> list[Track]:
        """Tiles that were read without doubt and are none of those found now."""
        found = {track.number for track in matches if track is not None}
        return [each for each in self.tracks if each.number not in found and each.well_read]

    def _new(self, detection: Detection, cells: Cells, visible: float, hits: int) -> Track:
        self._next += 1
        track = Track(self._next - 1, detection, cells, hits=hits, visible=visible)
        track.judge()
        return track

    def doubtful(self) -> list[Track]:
        """Tracks that want another look at once.

        Those that were not found once, new ones, those that came out from under an arm (the
        picture there may be as it was before the arm, so that nothing else asks for it), and those
        that stay covered where nobody looked for a while: the arm may be none.
        """
        return [track for track in self.tracks if track.doubtful]

    def sightings(self, zoom: float = 1.0) -> tuple[TileSighting, ...]:
        """The tiles seen now, in the order of their numbers; ``zoom`` as for each."""
        return tuple(
            track.sighting(zoom) for track in self.tracks if track.sure and not track.covered
        )


def _lies_below(track: Track, looked: Looked) -> bool:
    """Whether something that was not made out covers a face that was not found."""
    if track.pattern is None or looked.level is None or looked.ground is None:
        return False
    return track.sure and track.pattern.lies_below(looked.level, looked.ground)


def _lies_over(found: Detection, near: Sequence[Track], level: Image) -> bool:
    """Whether a find would lie over another tile near it, which looks as before.

    Two tiles side by side were taken for one across them, for eight seconds.
    """
    if found.posture not in (Posture.FACE_UP, Posture.FACE_DOWN):
        return False
    quad = found.quad.astype(np.float32)
    for track in near:
        if track.seen.z != found.z:
            continue
        other = track.seen.quad.astype(np.float32)
        if share_of_both(quad, other) > _COMMON and track.looks_as_before(level):
            return True
    return False


def _places_taken(found: Sequence[Track]) -> Array:
    """Middles (N, 2) of tiles seen just now, clearly and at rest; none that a hand carries."""
    clear = [
        track.centre
        for track in found
        if track.seen.confidence >= SURE and track.visible >= CLEAR and not track.moving
    ]
    return np.array(clear, dtype=np.float64).reshape(-1, 2)
