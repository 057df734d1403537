"""One tile followed: how it was last seen and looked, what it does next, and what is told of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from vision.calibration.camera import CameraModel
from vision.changes.sampling import Array, Cells, level_points, sample_cells
from vision.eye.lying import lies_across, lies_otherwise, rolled
from vision.heights.placing import Before, Detection
from vision.heights.touching import fits
from vision.image import Image
from vision.nets.evidence import UNKNOWN, FaceEvidence
from vision.sightings import Posture, TileSighting

COVERED_SHARE = 0.35
"""A tile is covered when at least this share of it lies under an arm."""
INSIDE = 0.9
"""From this share of it on a tile's place was looked at."""
_CHANGED_SHARE = 0.2
"""A place whose picture changed less than this still shows what it showed."""
BIRTH, _LIKELY, SURE = 0.3, 0.42, 0.6
"""Confidence to follow something silently, to report it after a second look, and at once."""
_REMEMBERED = 0.25
"""What was looked for and not found once is told below the confidence of anything found."""
_STILL_MM = 2.0
CLEAR, _CERTAIN = 0.8, 0.68
"""From this share of a tile and this confidence on its picture says exactly where it lies."""
_VERY_CLEAR = 0.9
_SAME_PX, _SETTLED = 1.0, 2
"""A tile seen this near to its anchor has not moved; elsewhere it must lie still so often."""
_TURN_DEG = 12.0
"""Looks that differ by more are of two minds, as half under a hand: no mean of them is right."""
_SLID_MM = 14.0
"""A tile found so far from where its face was read is followed as the same, but read again: with
steps of less than this, a hand between them, a read tile went on to be its new neighbour."""
_PUSHED_MM = 6.0
"""The same where it comes out from under a hand: a pushed 4p had become the 3z that followed it."""
_BETTER = 0.08
"""A find whose size is by so much nearer to a tile's, as a share, is no worse than the last."""
_KNOWN_LEVEL = 5.0
"""Log-odds of a height that such looks agreed on: seeing the same again says nothing new."""
_TURNED_LEVEL = 0.5
"""The same at most of a tile that was just turned over: while it lay carelessly it had seemed to be
on the other layer, which its picture in its place again says better."""
_LOST_AFTER = 2
_UNCLEAR_LOOKS = 8
"""So often no face is made out of all of a tile until what was read before it stands: the shadow of
the hand that put it there is gone sooner, a lamp's glare is not."""
_RENEWED = 8
"""After so many looks at a still tile what it looks like is noted anew."""
_LIGHT, _ALIKE = 16.0, 7.0
"""Levels by which the light on a tile may change, and by which its pattern then differs: a felt
without it differs by 60 and more, another face by 20."""
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
    read_whole: bool = False
    """Its face was read while nothing covered it, or was tried often enough."""
    unclear: int = 0
    """How often no face was made out though nothing covered it, until it was read whole."""
    unwatched: bool = False
    """It was hidden or not found since it was last seen whole: another may have been put there."""
    anchor: Before | None = None
    """How it was last seen clearly and at rest."""
    pattern: tuple[Detection, Cells, Array] | None = None
    """How it lay when it was clear, 25 points of its face then, rows and columns, and what they
    looked like (25, 3)."""
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
        return self.visible >= _VERY_CLEAR

    def take_in(self, faces: Sequence[tuple[str, float]], weight: float) -> None:
        """A reading of its face: labels with probabilities, best first."""
        if self.is_whole and not self.read_whole:
            face, known = faces[0][0] if faces else UNKNOWN, self.evidence.best()[0]
            self.unclear += face == UNKNOWN
            self.read_whole = face != UNKNOWN or self.unclear >= _UNCLEAR_LOOKS
            if face == UNKNOWN != known:
                # It speaks neither for nor against what was read before.
                return
            if face != known:
                # What was read of a part, or before a hand was there, counts until this.
                self.evidence, self.turned = FaceEvidence(), 0.0
        self.evidence.add(faces, weight)
        if self.read_at is None:
            self.read_at = (self.seen.x, self.seen.y)

    def forget_face(self) -> None:
        """What was read says nothing of what lies there now."""
        self.evidence, self.turned, self.read_at = FaceEvidence(), 0.0, None
        self.read_whole, self.unclear = False, 0

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
                self._seems_otherwise(detection, self.pattern[0])
                or (visible >= _VERY_CLEAR and self._seems_to_slide(detection))
            )
            and self.looks_as_before(level)
        )
        if as_before and self.pattern is not None:
            # It shows the face that it showed: the finder is wrong about how it lies.
            self.missed = self.absent = 0
            if lies_otherwise(self.seen, self.pattern[0]):
                self.seen = self.pattern[0]
        else:
            hid = self.seen.shadowed or self.visible < CLEAR
            self._go_on(detection, cells, anew=hid and visible >= CLEAR and not detection.shadowed)
            if visible >= CLEAR > self.visible and self._lies_elsewhere():
                # A sleeve pushed it; or it is its neighbour that came to lie here.
                self.forget_face()
            self.judge()
        self.visible, self.covered = visible, False
        self._watch(level)
        if not as_before:
            self._settle()
            self.remember(level)

    def _watch(self, level: Image | None) -> None:
        """Whether it may have been exchanged: its face is read again unless it looks as before."""
        if self.visible <= 1.0 - COVERED_SHARE:
            self.unwatched = True
        elif self.unwatched and self.is_whole:
            self.unwatched, self.unclear = False, 0
            self.read_whole = level is not None and self.read_whole and self._shows_as_before(level)

    def _go_on(self, detection: Detection, cells: Cells, *, anew: bool) -> None:
        """Found again; ``anew``: seen clearly, after looks that a hand or its shadow put off.

        Their mean would carry what these were off into the place that it is remembered at: an
        upper tile of a wall seemed to be the lower one, for as long as nothing changed there.
        """
        seen = self.seen
        shift = math.hypot(detection.x - seen.x, detection.y - seen.y)
        centre = detection.quad.mean(axis=0) - self.centre
        self.moving = shift > _STILL_MM and not self.covered and detection.z == seen.z
        self.step = (float(centre[0]), float(centre[1])) if self.moving else (0.0, 0.0)
        shown = (Posture.FACE_UP, Posture.UNSURE)
        turned = detection.posture is not seen.posture and (
            detection.posture not in shown or seen.posture not in shown
        )
        if turned:
            # It was turned over or stood up: another side of it is up now, and lies anew.
            self.forget_face()
            self.hits = 1
            self.anchor = None
            level = min(max(detection.level, -_TURNED_LEVEL), _TURNED_LEVEL)
            detection = replace(detection, level=level)
        elif (
            self.read_at is not None
            and math.dist(self.read_at, (detection.x, detection.y)) > _SLID_MM
        ):
            # Behind a hand another tile may have come to lie beside it: look at the face anew.
            self.forget_face()
        elif lies_across(detection, seen):
            # It was framed across the way it lies, half below fingers: what was read was not it.
            self.forget_face()
        elif abs((detection.angle - seen.angle + 180.0) % 360.0 - 180.0) > 90.0:
            # The finder does not know which end is up; keep counting votes for the same one.
            detection = rolled(detection)
        still = shift < _STILL_MM and detection.z == seen.z and not turned
        self.still = self.still + 1 if still else 0
        self.hits += 1
        self.fresh = max(self.fresh - 1, 0)
        self.missed = self.absent = 0
        self.cells = cells
        confidence = seen.confidence + 0.3 * (detection.confidence - seen.confidence)
        turn = (detection.angle - seen.angle + 180.0) % 360.0 - 180.0
        same = shift < _STILL_MM and detection.z == seen.z and abs(turn) < _TURN_DEG
        if same and not anew and detection.posture is seen.posture:
            part = 1.0 / min(self.hits, 5)
            self.seen = replace(
                detection,
                quad=seen.quad + part * (detection.quad - seen.quad),
                confidence=confidence,
                x=seen.x + part * (detection.x - seen.x),
                y=seen.y + part * (detection.y - seen.y),
                angle=(seen.angle + part * turn + 180.0) % 360.0 - 180.0,
            )
        else:
            self.seen = detection

    def _seems_otherwise(self, detection: Detection, before: Detection) -> bool:
        """Whether it was found to lie on another side or across, and that may be a mistake."""
        likely = self.still > 0 or detection.confidence < before.confidence
        if before.fit - detection.fit > _BETTER and detection.confidence >= before.confidence:
            # It was the first one: the lower half of a face with some of the tile beside it.
            likely = False
        return likely and lies_otherwise(detection, before)

    def _seems_to_slide(self, detection: Detection) -> bool:
        """Whether a tile at rest was found a little beside its place.

        Between two faces alike it is now found here and now there, depending on where the part of
        the picture that is searched ends.
        """
        shift = math.hypot(detection.x - self.seen.x, detection.y - self.seen.y)
        return self.still > 0 and detection.z == self.seen.z and _STILL_MM < shift <= _PUSHED_MM

    def _lies_elsewhere(self) -> bool:
        """Whether it lies a little off the place where its face was read."""
        return self.read_at is not None and (
            math.dist(self.read_at, (self.seen.x, self.seen.y)) > _PUSHED_MM
        )

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
        return bool(self.missed or self.fresh) or (self.hits < 3 and not self.sure)

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
        cx, cy = self.centre
        return Before(float(cx), float(cy), self.seen.level, shade=self._shade(other=False))

    def _settle(self) -> None:
        """After a look at it: what was seen clearly and at rest is remembered.

        A half hidden tile is found off its place; if that counted, the step by which an upper
        tile that is taken and the one below it differ would be made in two that say nothing. So
        is one in the shadow of a hand: three looks that took an upper tile for the one below it
        were believed more than how it lay, to a tenth of a millimetre, once the hand was gone.
        """
        anchor = self.anchor
        if anchor is not None and (self.visible < CLEAR or self.seen.shadowed):
            self.anchor = anchor._replace(hidden=True)
            return
        if self.visible < CLEAR or self.moving:
            return
        cx, cy = (float(value) for value in self.centre)
        other = anchor is not None and anchor.level * self.seen.level < 0.0
        # What was on another layer does not lie where it was seen: that must be seen again.
        same = (
            anchor is not None and not other and math.hypot(cx - anchor.x, cy - anchor.y) < _SAME_PX
        )
        sure = self.visible >= _VERY_CLEAR and self.seen.confidence >= _CERTAIN
        if anchor is None or same or self.seen.anew or (sure and self.still >= _SETTLED):
            level = self.seen.level
            if self.still >= _SETTLED and level:
                level = math.copysign(max(abs(level), _KNOWN_LEVEL), level)
            self.anchor = Before(cx, cy, level, shade=self._shade(other=other))

    def remember(self, level: Image | None) -> None:
        """What its face looks like, while it lies still and clear.

        What has not the size of a tile, as one half below a sleeve, is not kept. A sure first look
        counts too, until the finder is surer of another: a face laid down among others was framed
        across the way it lay in the second look and in all that followed.
        """
        if self.still == 0:
            self.pattern = None
        due = self.seen.confidence >= SURE
        if self.still > 0:
            due = self.pattern is None or self.still % _RENEWED == 1
            if level is not None and not due:
                # A hand's shadow lay on it, or still does: it has moved on since.
                due = not self.looks_as_before(level)
        if (
            level is not None
            and self.seen.posture is Posture.FACE_UP
            and self.visible >= _VERY_CLEAR
            and due
            and fits(self.seen)
            and not self.moving
        ):
            places = level_points(self.seen.quad, level)
            self.pattern = self.seen, places, level[places].astype(np.float64)

    @property
    def well_read(self) -> bool:
        """Whether it is known what its face looks like, and which one it is without doubt."""
        face, share = self.evidence.best()
        return self.pattern is not None and face != UNKNOWN and share >= _WELL_READ

    def looks_as_before(self, level: Image) -> bool:
        """Whether its place looks just as it did when it lay there, whatever the finder says."""
        light, pattern = self._apart(level)
        return light <= _LIGHT and pattern <= _ALIKE

    def _shows_as_before(self, level: Image) -> bool:
        """Whether its place shows the face that it showed, in whatever light."""
        return self._apart(level)[1] <= _ALIKE

    def _apart(self, level: Image) -> tuple[float, float]:
        """By how much the light on its place changed and its pattern differs; levels."""
        if self.pattern is None:
            return math.inf, math.inf
        _, places, pattern = self.pattern
        apart = level[places] - pattern
        light = np.median(apart, axis=0)
        return float(np.abs(light).max()), float(np.abs(apart - light).mean())

    def _shade(self, *, other: bool) -> float:
        """Its own shade, not that of a hand: 0 where that was never seen of this layer."""
        if not self.seen.shadowed:
            return self.seen.shade
        return 0.0 if self.anchor is None or other else self.anchor.shade

    # -- what is told -----------------------------------------------------------------------

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
