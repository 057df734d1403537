"""Tiles over time: one identity per tile and place, evidence gathered, nothing lost by a glance.

A track is a tile lying somewhere. It goes on when the tile is found again in its place, or a
little further on while it is pushed; it waits while an arm covers it; it ends only when its
place was looked at, uncovered and changed, and the tile was not there twice in a row. Whether
the tile that lies somewhere else afterwards is the same one is for the follower of the game to
say, who knows what can happen on a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.evidence import FaceEvidence
from vision.heights import Before, Detection
from vision.motion import CELL, SHRINK, Mask
from vision.sightings import Posture, TileSighting
from vision.sources import Image

Array = NDArray[np.float64]

_GRID = np.array([(u, v) for v in (0.1, 0.3, 0.5, 0.7, 0.9) for u in (0.1, 0.3, 0.5, 0.7, 0.9)])
COVERED_SHARE = 0.35
"""A tile is covered when at least this share of it lies under an arm."""
_INSIDE = 0.9
"""From this share of it on a tile's place was looked at."""
_CHANGED_SHARE = 0.2
"""A place whose picture changed less than this still shows what it showed."""
_BIRTH, _LIKELY, _SURE = 0.3, 0.42, 0.6
"""Confidence to follow something silently, to report it after a second look, and at once."""
_REMEMBERED = 0.25
"""What was looked for and not found once is told below the confidence of anything found."""
_STILL_MM = 2.0
_CLEAR, _CERTAIN = 0.8, 0.68
"""From this share of a tile and this confidence on its picture says exactly where it lies."""
_VERY_CLEAR = 0.9
_SAME_PX, _SETTLED = 1.0, 2
"""A tile seen this near to its anchor has not moved; elsewhere it must lie still so often."""
_TURN_DEG = 12.0
"""Looks that differ by more are of two minds, as half under a hand: no mean of them is right."""
_ACROSS_DEG = 45.0
"""A tile that turned by more in its place would show another picture there."""
_SLID_MM = 14.0
"""A tile found so far from where its face was read is followed as the same, but read again: with
steps of less than this, a hand between them, a read tile went on to be its new neighbour."""
_KNOWN_LEVEL = 5.0
"""Log-odds of a height that such looks agreed on: seeing the same again says nothing new."""
_CHECKS = 2
"""A tile that is believed to be the one below, or one put on top, is looked at so often again: if
one look was wrong and nothing moves there, nobody would ask."""
_LOST_AFTER = 2
_ONE_PLACE = 0.75
"""Middles of two tiles are never nearer than this share of the gate (0.45 of a tile's width)."""
_RENEWED = 8
"""After so many looks at a still tile what it looks like is noted anew."""
_LIGHT, _ALIKE = 16.0, 7.0
"""Levels by which the light on a tile may change, and by which its pattern then differs: a felt
without it differs by 60 and more, another face by 20."""
_HIDDEN_LOOKS = 6
"""A covered place is looked at again after so many pictures, moving or not."""


def _spread(quad: Array) -> Array:
    """25 points (25, 2) spread over a quad (4, 2)."""
    u, v = _GRID[:, :1], _GRID[:, 1:]
    above, below = (1 - u) * quad[0] + u * quad[1], (1 - u) * quad[3] + u * quad[2]
    return np.asarray((1 - v) * above + v * below, dtype=np.float64)


def _places(quad: Array, level: Image) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of 25 points of a quad (4, 2) in a picture at a quarter of its size."""
    points = np.round(_spread(quad) / SHRINK).astype(np.intp)
    rows, columns = points[:, 1], points[:, 0]
    return rows.clip(0, level.shape[0] - 1), columns.clip(0, level.shape[1] - 1)


def sample_cells(quad: Array, shape: tuple[int, int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the cells under 25 points spread over a quad (4, 2), clipped."""
    points = _spread(quad)
    columns = np.clip(points[:, 0] // CELL, 0, shape[1] - 1).astype(np.intp)
    rows = np.clip(points[:, 1] // CELL, 0, shape[0] - 1).astype(np.intp)
    return rows, columns


def shares(mask: Mask, tracks: Sequence[Track]) -> NDArray[np.float64]:
    """How much of each track a mask covers, 0..1 (N,)."""
    if not tracks or not mask.any():
        return np.zeros(len(tracks))
    rows = np.array([track.cells[0] for track in tracks])
    columns = np.array([track.cells[1] for track in tracks])
    return np.asarray(mask[rows, columns].mean(axis=1), dtype=np.float64)


def share(mask: Mask, cells: tuple[NDArray[np.intp], NDArray[np.intp]]) -> float:
    """How much of a quad (by :func:`sample_cells`) a mask covers, 0..1."""
    return float(mask[cells].mean())


@dataclass(slots=True, eq=False)
class Track:
    """One tile followed; millimetres and pixels as in :class:`Detection`."""

    number: int
    seen: Detection
    cells: tuple[NDArray[np.intp], NDArray[np.intp]]
    evidence: FaceEvidence = field(default_factory=FaceEvidence)
    turned: float = 0.0
    """Votes that the face is upside down relative to the quad."""
    hits: int = 1
    missed: int = 0
    absent: int = 0
    """How often it was not found though nothing changed there (the finder may err)."""
    still: int = 0
    """How often in a row it was found where it had been."""
    fresh: int = 0
    """So many pictures more it is looked at in any case: it just became that above or below."""
    sure: bool = False
    """Seen often or clearly enough to be reported."""
    covered: bool = False
    waited: int = 0
    """Pictures since its covered place was looked at."""
    moving: bool = False
    visible: float = 1.0
    step: tuple[float, float] = (0.0, 0.0)
    """Last displacement, pixels."""
    read_at: tuple[float, float] | None = None
    """Where it lay when its face was first read, mm."""
    anchor: Before | None = None
    """How it was last seen clearly and at rest."""
    pattern: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], Array] | None = None
    """25 points of its face, rows and columns, and what they looked like then (25, 3)."""
    told: tuple[tuple[object, ...], TileSighting] | None = None
    """What was last reported and of which state, so that it is made only once."""

    @property
    def centre(self) -> Array:
        """Middle of the quad in picture pixels (2,)."""
        return np.asarray(self.seen.quad.mean(axis=0), dtype=np.float64)

    def take_in(self, faces: Sequence[tuple[str, float]], weight: float) -> None:
        """A reading of its face: labels with probabilities, best first."""
        self.evidence.add(faces, weight)
        if self.read_at is None:
            self.read_at = (self.seen.x, self.seen.y)

    def forget_face(self) -> None:
        """What was read says nothing of what lies there now."""
        self.evidence, self.turned, self.read_at = FaceEvidence(), 0.0, None

    def carry(self, old: CameraModel, new: CameraModel, cells: tuple[int, int]) -> None:
        """The camera hangs elsewhere now: where the tile is seen from there."""
        z = np.full(4, self.seen.z)

        def seen_now(px: Array) -> Array:
            height = z[: len(px)]
            return new.project(np.column_stack((old.to_table(px, height), height)))

        quad = seen_now(self.seen.quad)
        self.seen = replace(self.seen, quad=quad)
        self.cells = sample_cells(quad, cells)
        self.step, self.told = (0.0, 0.0), None
        if self.anchor is not None:
            x, y = (float(v) for v in seen_now(np.array([[self.anchor.x, self.anchor.y]]))[0])
            # Exact to a pixel or so: no step must be read from it.
            self.anchor = self.anchor._replace(x=x, y=y, hidden=True)

    def before(self) -> Before | None:
        """What the next look at its place is compared with, if it lay at rest."""
        if self.anchor is not None or self.moving:
            return self.anchor
        cx, cy = self.centre
        return Before(float(cx), float(cy), self.seen.level, shade=self._shade(other=False))

    def settle(self) -> None:
        """After a look at it: what was seen clearly and at rest is remembered.

        A half hidden tile is found off its place; if that counted, the step by which an upper
        tile that is taken and the one below it differ would be made in two that say nothing.
        """
        anchor = self.anchor
        if self.visible < _CLEAR or self.moving:
            if anchor is not None and self.visible < _CLEAR:
                self.anchor = anchor._replace(hidden=True)
            return
        cx, cy = (float(value) for value in self.centre)
        other = anchor is not None and anchor.level * self.seen.level < 0.0
        # What was on another layer does not lie where it was seen: that must be seen again.
        same = (
            anchor is not None and not other and math.hypot(cx - anchor.x, cy - anchor.y) < _SAME_PX
        )
        sure = self.visible >= _VERY_CLEAR and self.seen.confidence >= _CERTAIN
        if anchor is None or same or (sure and self.still >= _SETTLED):
            level = self.seen.level
            if self.still >= _SETTLED and level:
                level = math.copysign(max(abs(level), _KNOWN_LEVEL), level)
            self.anchor = Before(cx, cy, level, shade=self._shade(other=other))

    def remember(self, level: Image | None) -> None:
        """What its face looks like, while it lies still and clear."""
        if self.still == 0:
            self.pattern = None
        if (
            level is not None
            and self.seen.posture is Posture.FACE_UP
            and self.visible >= _VERY_CLEAR
            and self.still % _RENEWED == 1
        ):
            places = _places(self.seen.quad, level)
            self.pattern = places, level[places].astype(np.float64)

    def looks_as_before(self, level: Image) -> bool:
        """Whether its place looks just as it did when it lay there, whatever the finder says."""
        if self.pattern is None:
            return False
        places, pattern = self.pattern
        apart = level[places] - pattern
        light = np.median(apart, axis=0)
        return bool(np.abs(light).max() <= _LIGHT and np.abs(apart - light).mean() <= _ALIKE)

    def _shade(self, *, other: bool) -> float:
        """Its own shade, not that of a hand: 0 where that was never seen of this layer."""
        if not self.seen.shadowed:
            return self.seen.shade
        return 0.0 if self.anchor is None or other else self.anchor.shade

    def judge(self) -> None:
        """Believe in it, or no longer, after another look."""
        confidence = self.seen.confidence
        if self.sure:
            self.sure = confidence >= _BIRTH
        else:
            self.sure = confidence >= _SURE or (self.hits >= 2 and confidence >= _LIKELY)

    def sighting(self, zoom: float = 1.0) -> TileSighting:
        """What is reported of it; ``zoom`` is the picture's size over that of the quads."""
        state = (self.seen, self.evidence.count, self.turned > 0, self.missed, self.visible)
        if self.told is None or self.told[0] != state:
            self.told = (state, self._sighting(zoom))
        return self.told[1]

    def _sighting(self, zoom: float) -> TileSighting:
        seen = self.seen
        angle, quad = seen.angle, seen.quad
        shows = seen.posture in (Posture.FACE_UP, Posture.UNSURE)
        if shows and self.turned > 0:
            angle, quad = angle + 180.0, np.roll(quad, 2, axis=0)
        if seen.posture is Posture.FACE_UP:
            angle = (angle + 180.0) % 360.0 - 180.0
        else:
            angle %= 180.0
        corners = tuple((round(float(x), 2), round(float(y), 2)) for x, y in quad * zoom)
        doubt = _REMEMBERED if self.missed else 1.0
        return TileSighting(
            x=round(seen.x, 2),
            y=round(seen.y, 2),
            z=seen.z,
            angle=round(angle, 2),
            posture=seen.posture,
            faces=self.evidence.faces() if shows else (),
            confidence=round(seen.confidence * doubt, 4),
            visible=round(self.visible, 2),
            quad=(corners[0], corners[1], corners[2], corners[3]),
            track=self.number,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """Where a picture was looked at.

    Attributes:
        inner: (H/8, W/8) cells in which every tile must have been found.
        changed: cells that differed from the last look.
        covered: cells hidden by arms or in motion.
        level: (h, w, 3), the picture at a quarter of its size, light evened out, if it is kept.
    """

    inner: Mask
    changed: Mask
    covered: Mask
    level: Image | None = None


class Tracker:
    """Keeps the tracks of one camera.

    Args:
        gate_px: how far a tile may be from its last place and still be the same, pixels.
    """

    def __init__(self, gate_px: float) -> None:
        self.gate_px = gate_px
        self.tracks: list[Track] = []
        self._next = 0

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
        replaced: set[int] = set()
        born: list[Track] = []
        for detection, track in zip(detections, matches, strict=True):
            cells = sample_cells(detection.quad, (shape[0], shape[1]))
            hidden = share(looked.covered, cells)
            if track is None:
                if detection.confidence >= _BIRTH and hidden < COVERED_SHARE:
                    born.append(self._new(detection, cells, hidden, 1))
                continue
            if detection.z != track.seen.z and Posture.STANDING not in (
                detection.posture,
                track.seen.posture,
            ):
                # What lies here now is the tile that was under it, or one put on top.
                below = self._new(detection, cells, hidden, track.hits)
                below.anchor, below.fresh = track.anchor, _CHECKS
                born.append(below)
                replaced.add(track.number)
                continue
            continued.add(track.number)
            if (
                looked.level is not None
                and _lies_otherwise(detection, track.seen)
                and track.looks_as_before(looked.level)
            ):
                # It shows the face that it showed: the finder is wrong about how it lies.
                track.visible, track.covered = min(1.0 - hidden, detection.visible), False
                track.missed = track.absent = 0
                continue
            _go_on(track, detection, cells)
            track.judge()
            track.visible = min(1.0 - hidden, detection.visible)
            track.covered = False
            track.settle()
            track.remember(looked.level)
        taken = _places_taken([t for t in self.tracks if t.number in continued] + born)
        kept = []
        hiddens = shares(looked.covered, self.tracks)
        inner = shares(looked.inner, self.tracks)
        changed = shares(looked.changed, self.tracks)
        for k, track in enumerate(self.tracks):
            if track.number in continued:
                kept.append(track)
            elif track.number in replaced or (
                len(taken) and hiddens[k] < COVERED_SHARE and self._lies_another(track, taken)
            ):
                continue
            elif _stays(track, float(hiddens[k]), float(inner[k]), float(changed[k]), looked.level):
                kept.append(track)
        self.tracks = kept + born

    def _lies_another(self, track: Track, taken: Array) -> bool:
        """Whether what was found lies where this tile, which was not found, would have to lie."""
        apart = np.linalg.norm(taken - track.centre, axis=1)
        return bool((apart < _ONE_PLACE * self.gate_px).any())

    def _new(
        self,
        detection: Detection,
        cells: tuple[NDArray[np.intp], NDArray[np.intp]],
        hidden: float,
        hits: int,
    ) -> Track:
        visible = min(1.0 - hidden, detection.visible)
        self._next += 1
        track = Track(self._next - 1, detection, cells, hits=hits, visible=visible)
        track.judge()
        return track

    def doubtful(self) -> list[Track]:
        """Tracks that want another look at once.

        Those that were not found once, new unsure ones, those that came out from under an arm (the
        picture there may be as it was before the arm, so that nothing else asks for it), and those
        that stay covered where nobody looked for a while: the arm may be none.
        """
        return [track for track in self.tracks if _is_doubtful(track)]

    def sightings(self, zoom: float = 1.0) -> tuple[TileSighting, ...]:
        """The tiles seen now, in the order of their numbers; ``zoom`` as for each."""
        return tuple(
            track.sighting(zoom) for track in self.tracks if track.sure and not track.covered
        )


def _places_taken(found: Sequence[Track]) -> Array:
    """Middles (N, 2) of tiles seen just now, clearly and at rest; none that a hand carries."""
    clear = [
        track.centre
        for track in found
        if track.seen.confidence >= _SURE and track.visible >= _CLEAR and not track.moving
    ]
    return np.array(clear, dtype=np.float64).reshape(-1, 2)


def _is_doubtful(track: Track) -> bool:
    if track.covered:
        return track.visible > 1.0 - COVERED_SHARE or track.waited >= _HIDDEN_LOOKS
    return bool(track.missed or track.fresh) or (track.hits < 3 and not track.sure)


def _stays(track: Track, hidden: float, inner: float, changed: float, level: Image | None) -> bool:
    """A track that was not found in this picture: does it live on?

    ``hidden``, ``inner`` and ``changed`` are how much of it is covered, was looked at, and
    differs from the last look.
    """
    track.visible = 1.0 - hidden
    track.step = (0.0, 0.0)
    if track.visible < _CLEAR and track.anchor is not None:
        track.anchor = track.anchor._replace(hidden=True)
    if hidden >= COVERED_SHARE:
        track.covered = True
        track.waited = 0 if inner >= _INSIDE else track.waited + 1
        return track.sure
    if inner < _INSIDE:
        # Not looked at now: what was covered has not come out, the rest is as it was.
        return True
    if track.sure and level is not None and track.looks_as_before(level):
        # The finder misses it in this part of the picture; nobody took it for all that.
        track.covered, track.missed = False, 0
        return True
    if not track.covered and not track.missed and track.sure and changed < _CHANGED_SHARE:
        track.absent += 1
        return track.absent < 2 + min(track.hits, 8) // 2
    track.covered = False
    track.missed += 1
    return track.sure and track.missed < _LOST_AFTER


def _lies_otherwise(now: Detection, before: Detection) -> bool:
    """Whether a tile in the same place lies on another side, or across the way it lay."""
    return now.posture is not before.posture or _lies_across(now, before)


def _lies_across(now: Detection, before: Detection) -> bool:
    """Whether a tile lies across the way it lay."""
    return abs((now.angle - before.angle + 90.0) % 180.0 - 90.0) > _ACROSS_DEG


def _go_on(
    track: Track, detection: Detection, cells: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> None:
    """The tile was found again."""
    seen = track.seen
    shift = math.hypot(detection.x - seen.x, detection.y - seen.y)
    centre = detection.quad.mean(axis=0) - track.centre
    track.moving = shift > _STILL_MM and not track.covered and detection.z == seen.z
    track.step = (float(centre[0]), float(centre[1])) if track.moving else (0.0, 0.0)
    shown = (Posture.FACE_UP, Posture.UNSURE)
    if detection.posture is not seen.posture and (
        detection.posture not in shown or seen.posture not in shown
    ):
        # It was turned over or stood up: another side of it is up now.
        track.forget_face()
        track.hits = 1
    elif (
        track.read_at is not None
        and math.dist(track.read_at, (detection.x, detection.y)) > _SLID_MM
    ):
        # Behind a hand another tile may have come to lie beside it: look at the face anew.
        track.forget_face()
    elif _lies_across(detection, seen):
        # It was framed across the way it lies, half of it below fingers: what was read was not it.
        track.forget_face()
    elif abs((detection.angle - seen.angle + 180.0) % 360.0 - 180.0) > 90.0:
        # The finder does not know which end is up; keep counting votes for the same one.
        detection = _rolled(detection)
    track.still = track.still + 1 if shift < _STILL_MM and detection.z == seen.z else 0
    track.hits += 1
    track.fresh = max(track.fresh - 1, 0)
    track.missed = track.absent = 0
    track.cells = cells
    confidence = seen.confidence + 0.3 * (detection.confidence - seen.confidence)
    turn = (detection.angle - seen.angle + 180.0) % 360.0 - 180.0
    same = shift < _STILL_MM and detection.z == seen.z and abs(turn) < _TURN_DEG
    if same and detection.posture is seen.posture:
        part = 1.0 / min(track.hits, 5)
        track.seen = replace(
            detection,
            quad=seen.quad + part * (detection.quad - seen.quad),
            confidence=confidence,
            x=seen.x + part * (detection.x - seen.x),
            y=seen.y + part * (detection.y - seen.y),
            angle=(seen.angle + part * turn + 180.0) % 360.0 - 180.0,
        )
    else:
        track.seen = detection


def _rolled(detection: Detection) -> Detection:
    """The same tile with its corners counted from the other end."""
    return replace(
        detection,
        quad=np.roll(detection.quad, 2, axis=0),
        angle=(detection.angle + 360.0) % 360.0 - 180.0,
    )
