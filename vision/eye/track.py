"""One tile followed: how it was last seen, and whether it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vision.calibration.camera import CameraModel
from vision.changes.sampling import Array, Cells, sample_cells
from vision.eye.anchor import CLEAR, VERY_CLEAR, first_seen, settled
from vision.eye.comparing import (
    STILL_MM,
    agrees,
    averaged,
    has_slid,
    is_turned_over,
    seems_otherwise,
    seems_to_slide,
    turn_of,
    was_askew,
    was_pushed,
    way_of,
)
from vision.eye.known_face import KnownFace
from vision.eye.lying import lies_across, lies_otherwise, rolled
from vision.eye.pattern import Pattern, remembered
from vision.eye.telling import sighting_of
from vision.heights.placing import Before, Detection
from vision.image import Image
from vision.nets.evidence import UNKNOWN
from vision.sightings import TileSighting

COVERED_SHARE = 0.35
"""A tile is covered when at least this share of it lies under an arm."""
INSIDE = 0.9
"""From this share of it on a tile's place was looked at."""
_CHANGED_SHARE = 0.2
"""A place whose picture changed less than this still shows what it showed."""
BIRTH, _LIKELY, SURE = 0.3, 0.42, 0.6
"""Confidence to follow something silently, to report it after a second look, and at once."""
_TURNED_LEVEL = 0.5
"""Log-odds, at most, of the height of a tile that was just turned over: while it lay carelessly it
had seemed to be on the other layer, which its picture in its place again says better."""
_LOST_AFTER = 2
_YOUNG = 3
"""Found less often, it is looked for again though nothing moves there: a fold of a sleeve stayed a
tile for as long as no other arm came."""
_WELL_READ = 0.95
"""So sure a face is of which no other find may take a part."""
_HIDDEN_LOOKS = 6
"""A covered place is looked at again after so many pictures, moving or not."""


@dataclass(slots=True, eq=False)
class Track:
    """One tile followed; millimetres and pixels as in :class:`Detection`."""

    number: int
    seen: Detection
    cells: Cells
    face: KnownFace = field(default_factory=KnownFace)
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
    unwatched: bool = False
    """It was hidden or not found since it was last seen whole: another may have been put there."""
    anchor: Before | None = None
    """How it was last seen clearly and at rest."""
    pattern: Pattern | None = None
    """What its face looked like while it lay still and clear."""
    told: tuple[tuple[object, ...], TileSighting] | None = None
    """What was last reported and of which state, so that it is made only once."""
    middle: tuple[Detection, Array] | None = None
    """What was last seen and the middle of its quad: asked for ten times a picture."""

    @property
    def centre(self) -> Array:
        """Middle of the quad in picture pixels (2,)."""
        if self.middle is None or self.middle[0] is not self.seen:
            self.middle = self.seen, np.asarray(self.seen.quad.mean(axis=0), dtype=np.float64)
        return self.middle[1]

    @property
    def is_whole(self) -> bool:
        """Whether nothing covers it now."""
        return self.visible >= VERY_CLEAR

    def take_in(self, faces: Sequence[tuple[str, float]], weight: float) -> None:
        """A reading of its face: labels with probabilities, best first."""
        self.face.take_in(faces, weight, whole=self.is_whole, at=(self.seen.x, self.seen.y))

    # -- looks ------------------------------------------------------------------------------

    def found(
        self, detection: Detection, cells: Cells, visible: float, level: Image | None
    ) -> None:
        """It was found again.

        Args:
            detection: as what.
            cells: the points spread over it.
            visible: how much of it is seen.
            level: the picture at a quarter of its size, if it is kept.
        """
        as_before = (
            level is not None
            and self.pattern is not None
            and (
                seems_otherwise(detection, self.pattern.lay, self.still)
                or (visible >= CLEAR and seems_to_slide(detection, self.seen, self.still))
            )
            and self.looks_as_before(level)
        )
        if as_before and self.pattern is not None:
            # It shows the face that it showed: the finder is wrong about how it lies.
            self.missed = self.absent = 0
            if lies_otherwise(self.seen, self.pattern.lay):
                self.seen = self.pattern.lay
        else:
            hid = self.seen.shadowed or self.visible < CLEAR
            self._go_on(detection, cells, anew=hid and visible >= CLEAR and not detection.shadowed)
            if visible >= CLEAR > self.visible and was_pushed(self.seen, self.face.read_at):
                # A sleeve pushed it; or it is its neighbour that came to lie here.
                self.face.forget()
            self.judge()
        self.visible, self.covered = visible, False
        self._watch(level)
        if not as_before:
            self.anchor = settled(
                self.anchor,
                self.seen,
                self.centre,
                visible=visible,
                moving=self.moving,
                still=self.still,
            )
            self.remember(level)

    def _watch(self, level: Image | None) -> None:
        """Whether it may have been exchanged: its face is read again unless it looks as before."""
        if self.visible <= 1.0 - COVERED_SHARE:
            self.unwatched = True
        elif self.unwatched and self.is_whole:
            self.unwatched, face = False, self.face
            face.unclear = face.other_looks = 0
            face.read_whole = (
                face.read_whole
                and level is not None
                and self.pattern is not None
                and self.pattern.shows_the_same(level)
            )

    def _go_on(self, detection: Detection, cells: Cells, *, anew: bool) -> None:
        """Found again; ``anew``: seen clearly, after looks that a hand or its shadow put off.

        Their mean would carry what these were off into the place that it is remembered at: an
        upper tile of a wall seemed to be the lower one, for as long as nothing changed there.
        """
        seen = self.seen
        shift = way_of(detection, seen)
        centre = detection.quad.mean(axis=0) - self.centre
        self.moving = shift > STILL_MM and not self.covered and detection.z == seen.z
        self.step = (float(centre[0]), float(centre[1])) if self.moving else (0.0, 0.0)
        turned = is_turned_over(detection, seen)
        if turned:
            # It was turned over or stood up: another side of it is up now, and lies anew.
            self.face.forget()
            self.hits = 1
            self.anchor = None
            level = min(max(detection.level, -_TURNED_LEVEL), _TURNED_LEVEL)
            detection = replace(detection, level=level)
        elif has_slid(detection, self.face.read_at):
            # Behind a hand another tile may have come to lie beside it: look at the face anew.
            self.face.forget()
        elif lies_across(detection, seen) or was_askew(detection, seen):
            # It was framed across the way it lies, half below fingers, or askew between its
            # neighbours: what was read was not it.
            self.face.forget()
        elif abs(turn_of(detection, seen)) > 90.0:
            # The finder does not know which end is up; keep counting votes for the same one.
            detection = rolled(detection)
        still = shift < STILL_MM and detection.z == seen.z and not turned
        self.still = self.still + 1 if still else 0
        self.hits += 1
        self.fresh = max(self.fresh - 1, 0)
        self.missed = self.absent = 0
        self.cells = cells
        self.seen = detection
        if not anew and agrees(detection, seen):
            self.seen = averaged(detection, seen, self.hits)

    def turn_across(self, across: Detection, cells: Cells, level: Image | None) -> None:
        """It lies across the way it was found in every look, so its face was not made out.

        Args:
            across: how it lies.
            cells: the points spread over it.
            level: as for :meth:`found`.
        """
        self.seen, self.cells, self.anchor, self.pattern = across, cells, None, None
        self.face.forget()
        self.remember(level)

    def stays(self, hidden: float, inner: float, changed: float, level: Image | None) -> bool:
        """It was not found in this picture: does it live on?

        Args:
            hidden: how much of it is covered.
            inner: how much of its place was looked at.
            changed: how much of it differs from the last look.
            level: the picture at a quarter of its size, if it is kept.
        """
        self.visible = 1.0 - hidden
        self.step = (0.0, 0.0)
        if not changed:
            # Found a little off in the last look, which nothing called for a second one after.
            self.moving = False
        if self.visible < CLEAR and self.anchor is not None:
            self.anchor = self.anchor._replace(hidden=True)
        if hidden >= COVERED_SHARE:
            self.covered = self.unwatched = True
            self.waited = 0 if inner >= INSIDE else self.waited + 1
            return self.sure
        if inner < INSIDE:
            # Not looked at now: what was covered has not come out, the rest is as it was.
            return True
        if self.sure and level is not None and self.looks_as_before(level):
            # The finder misses it in this part of the picture; nobody took it for all that.
            self.covered, self.missed = False, 0
            return True
        if not self.covered and not self.missed and self.sure and changed < _CHANGED_SHARE:
            self.absent += 1
            return self.absent < 2 + min(self.hits, 8) // 2
        self.covered, self.unwatched = False, True
        self.missed += 1
        return self.sure and self.missed < _LOST_AFTER

    def judge(self) -> None:
        """Believe in it, or no longer, after another look."""
        confidence = self.seen.confidence
        if self.sure:
            self.sure = confidence >= BIRTH
        else:
            self.sure = confidence >= SURE or (self.hits >= 2 and confidence >= _LIKELY)

    @property
    def doubtful(self) -> bool:
        """Whether it wants another look at once (see :meth:`Tracker.doubtful`)."""
        if self.covered:
            return self.visible > 1.0 - COVERED_SHARE or self.waited >= _HIDDEN_LOOKS
        return bool(self.missed or self.fresh) or self.young

    @property
    def young(self) -> bool:
        """Whether it was not found often enough to be known."""
        return self.hits < _YOUNG

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

    # -- how it lay and looked --------------------------------------------------------------

    def before(self) -> Before | None:
        """What the next look at its place is compared with, if it lay at rest."""
        if self.anchor is not None or self.moving:
            return self.anchor
        return first_seen(self.seen, self.centre)

    def remember(self, level: Image | None) -> None:
        """What its face looks like, while it lies still and clear."""
        self.pattern = remembered(
            self.pattern,
            self.seen,
            level,
            visible=self.visible,
            still=self.still,
            moving=self.moving,
            sure=self.seen.confidence >= SURE,
        )

    @property
    def well_read(self) -> bool:
        """Whether it is known what its face looks like, and which one it is without doubt."""
        face, share = self.face.evidence.best()
        return self.pattern is not None and face != UNKNOWN and share >= _WELL_READ

    def looks_as_before(self, level: Image) -> bool:
        """Whether its place looks just as it did when it lay there, whatever the finder says."""
        return self.pattern is not None and self.pattern.is_unchanged(level)

    # -- what is told -----------------------------------------------------------------------

    def sighting(self, zoom: float = 1.0) -> TileSighting:
        """What is reported of it; ``zoom`` is the picture's size over that of the quads."""
        face = self.face
        state = (self.seen, face.evidence.count, face.turned > 0, self.missed, self.visible)
        if self.told is None or self.told[0] != state:
            sighting = sighting_of(
                self.seen,
                face,
                track=self.number,
                visible=self.visible,
                missed=self.missed > 0,
                zoom=zoom,
            )
            self.told = (state, sighting)
        return self.told[1]
