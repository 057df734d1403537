"""One camera's eye: frames in, sightings in table millimetres out.

Only what changed is looked at: the finder runs on boxes around changed cells, the face reader
on tiles whose face is not settled, the dice reader where dice lie or something changed. What
did not change is reported as it was last seen. The same frames give the same sightings, bit
for bit: no clock, no random numbers, fixed numbers of threads.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.bare import BareGround
from vision.calibration import CameraModel
from vision.coverage import ARM, Coverage, Reach, without_specks
from vision.dice_watch import DiceFinder, DiceWatch
from vision.evidence import UNKNOWN
from vision.found import FoundTile, without_doubles
from vision.geometry import TableGeometry
from vision.heights import Detection, lift
from vision.motion import CELL, Box, Mask, Motion, MotionDetector, boxes_around, dilated
from vision.sightings import Outcome, Polygon, Posture, Sighting
from vision.sources import Frame, Image
from vision.sticks import StickWatch
from vision.tracking import Looked, Track, Tracker, share
from vision.walls import WallHeights

log = logging.getLogger(__name__)

Array = NDArray[np.float64]


class FoundAll(Protocol):
    """What a finder says of one picture (:class:`vision.finder.Findings`)."""

    @property
    def tiles(self) -> Sequence[FoundTile]:
        """The tiles."""
        ...

    @property
    def arms(self) -> NDArray[np.float32] | None:
        """(H/8, W/8) probability that an arm covers a cell."""
        ...


class TileFinder(Protocol):
    """Finds tiles in a picture (:class:`vision.finder.Finder`)."""

    def find(self, image: Image, tile_px: float | None = None) -> FoundAll:
        """Tiles and arms; ``tile_px`` is the short side of a tile."""
        ...


class Reading(Protocol):
    """A face as read (:class:`vision.reader.FaceReading`)."""

    @property
    def faces(self) -> Sequence[tuple[str, float]]:
        """Labels with probabilities, best first."""
        ...

    @property
    def turned(self) -> bool:
        """The face is upside down relative to the quad."""
        ...


class TileReader(Protocol):
    """Reads faces (:class:`vision.reader.FaceReader`)."""

    def read(self, image: Image, quads: NDArray[np.float32]) -> Sequence[Reading]:
        """One reading per quad (N, 4, 2)."""
        ...


BACK = "back"
_SETTLE = 2
"""Pictures without motion after which a place has come to rest."""
_PARTS, _EVERY = 4, 4
"""The table is gone over in 4×4 parts, one in every fourth still picture."""
_CERTAINLY = 0.75
"""From this confidence on a tile is believed whatever the place looked like before."""
_FACE = 0.6
"""Confidence from which a tile is no die and what looks like a die is its face."""
_WHOLE = 0.5
"""From this share of the table's part of the picture on that is looked at as a whole."""
_BESIDE = 4
"""So many cells beside the playing surface still matter."""
_RIM = 0.8
"""A box reaches so many lengths of a tile beyond what is looked at: no tile there is cut."""
_SMALLEST = 0.75
"""Longest side of a find, as a share of a tile's width, below which it is no tile."""
_ENOUGH, _SETTLED, _MOST_READINGS, _MOST_REFUSED = 2, 0.97, 6, 30
_LARGE = 44.0
"""From this short side of a tile (pixels) on half the picture's size shows where things lie."""
_BATCH = 12
"""Faces read in one frame at most, beside those of a full look."""


@dataclass(frozen=True, slots=True)
class EyeStats:
    """What looking has cost so far: counts of frames and pixels, tiles read."""

    frames: int = 0
    still: int = 0
    full: int = 0
    pixels: int = 0
    read: int = 0


class Eye:
    """Looks at the frames of one camera.

    Args:
        camera: lens and pose; frames must have its size.
        geometry: the table's zones and tile size.
        finder, reader, dice: the models; without a reader faces stay unknown, without a dice
            reader dice are not seen.
    """

    def __init__(
        self,
        camera: CameraModel,
        geometry: TableGeometry,
        finder: TileFinder,
        reader: TileReader | None = None,
        dice: DiceFinder | None = None,
    ) -> None:
        self.geometry = geometry
        self._finder = finder
        self._reader = reader
        self._dice_finder = dice
        self.stats = EyeStats()
        self._hang(camera)

    def aim(self, camera: CameraModel) -> None:
        """The camera hangs so now: look with this pose; the same tiles lie where they lay."""
        before, tracks = self._work, self._tracker.tracks
        known = self._heights.fits, self._dice.known
        self._hang(camera)
        for track in tracks:
            track.carry(before, self._work, self._coverage.cells)
        self._tracker.tracks = list(tracks)
        self._heights.fits = known[0]
        self._dice.known = known[1]

    def _hang(self, camera: CameraModel) -> None:
        geometry = self.geometry
        self.camera = camera
        scale = camera.px_per_mm(0.0, 0.0, geometry.flat_z)
        self._half = scale * geometry.tile_width >= _LARGE and not (
            camera.size[0] % 2 or camera.size[1] % 2
        )
        if self._half:
            # Nets and comparisons see nothing more in such a picture; faces are read in full.
            camera = camera.scaled((camera.size[0] // 2, camera.size[1] // 2))
            scale /= 2
        self._work = camera
        self._tile_px = scale * geometry.tile_width
        self._length_px = scale * geometry.tile_height
        self._coverage = Coverage(camera, geometry)
        self._part = self._around_table()
        self._heights = WallHeights(camera, geometry)
        self._dice = DiceWatch(camera, geometry, self._dice_finder)
        self._sticks = StickWatch(camera, geometry)
        self.reset()

    def reset(self) -> None:
        """Forget everything seen: the next frame is looked at as a whole."""
        self._motion = MotionDetector(self._work.size, within=self._part)
        self._tracker = Tracker(0.6 * self._tile_px)
        self._bare = BareGround(self._coverage.cells)
        self._arms: NDArray[np.float32] = np.zeros(self._coverage.cells, np.float32)
        self._reach: Reach | None = None
        self._covered: tuple[Mask, tuple[Polygon, ...]] | None = None
        self._rest = Rest(self._coverage.on_table)
        self._pending: Mask = np.zeros(self._coverage.cells, dtype=bool)
        self._heights.forget()
        self._dice.reset()
        self._sticks.reset()

    @property
    def halves(self) -> bool:
        """Whether half of the picture's size is looked at (and the whole only for faces)."""
        return self._half

    @property
    def tracks(self) -> Sequence[Track]:
        """Everything followed now, also what is covered."""
        return self._tracker.tracks

    def look(self, frame: Frame) -> Sighting:
        """What the camera sees in a frame; frames must come in the order of their times.

        A frame that cannot be looked at (wrong size, a model that fails) gives an outcome
        ``FAILED`` with its reason; the next frame then makes good for it.
        """
        try:
            return self._look(frame)
        except Exception as error:  # noqa: BLE001 - whatever fails, the game goes on and says so
            log.warning("camera %s at %.3f s: looking failed: %s", frame.camera, frame.t, error)
            self._pending[:] = True
            reason = f"{type(error).__name__}: {error}"
            return Sighting(frame.t, frame.camera, Outcome.FAILED, reason=reason)

    # -- one frame ----------------------------------------------------------------------

    def _look(self, frame: Frame) -> Sighting:
        if frame.size != self.camera.size:
            raise ValueError(f"picture of {frame.size[0]}x{frame.size[1]}, not {self.camera.size}")
        image = frame.half if self._half else frame.image
        motion = self._motion.step(image)
        rested = self._rest.step(motion)
        cells = motion.changed | self._pending | rested
        if not cells.any():
            cells = self._rest.sweep()
        boxes = self._boxes(cells, whole=motion.jumped)
        moving = without_specks(motion.moving) if not motion.jumped else motion.moving
        found: list[FoundTile] = []
        inner = np.zeros(self._coverage.cells, dtype=bool)
        for box in boxes:
            found += self._find(image, box, inner)
        arms = self._arms >= ARM
        covered = dilated(arms, 1) | moving
        looked = Looked(inner, motion.changed | self._pending, covered)
        tiles = [
            tile
            for tile in found
            if not (self._is_small(tile) or self._is_bare(tile) or self._is_die(tile))
        ]
        detections, matches = self._place(tiles)
        self._tracker.update(detections, matches, looked)
        if boxes:
            self._learn_ground(inner & ~covered)
        self._read(frame, moving, full=motion.jumped)
        dice = self._dice.look(
            image,
            inner & cells,
            moving,
            arms,
            inner,
            level=self._motion.level,
            noise=self._motion.noise,
            tiles=[t.seen.quad for t in self._tracker.tracks if _shows_certainly(t)],
            whole=motion.jumped,
            resting=not motion.changed.any() or bool(rested.any()),
        )
        sticks = self._sticks.look(image, inner & cells, covered)
        # What moves is looked at again in the next picture, where it may lie still.
        self._motion.looked(cells & ~moving)
        self._pending = self._look_again()
        self._count(boxes)
        return Sighting(
            t=frame.t,
            camera=frame.camera,
            outcome=Outcome.LOOKED,
            tiles=self._tracker.sightings(2.0 if self._half else 1.0),
            dice=dice,
            sticks=sticks,
            covered=self._polygons(covered),
            reach=self._reached(),
        )

    def _polygons(self, covered: Mask) -> tuple[Polygon, ...]:
        """What is covered, in mm; while that stays the same it is not worked out again."""
        if self._covered is None or not np.array_equal(self._covered[0], covered):
            self._covered = covered, self._coverage.polygons(covered)
        return self._covered[1]

    def _reached(self) -> Reach:
        if self._reach is None:
            self._reach = self._coverage.reach(self._arms)
        return self._reach

    def _around_table(self) -> Box:
        """The part of the picture in which anything of the table can be seen."""
        size = self._work.size
        cells = dilated(self._coverage.on_table, _BESIDE)
        boxes = boxes_around(cells, size, margin=round(_RIM * self._length_px), step=4 * CELL)
        return boxes[0] if len(boxes) == 1 else Box(0, 0, *size)

    def _boxes(self, cells: Mask, *, whole: bool) -> list[Box]:
        if whole:
            return [self._part]
        wanted = without_specks(cells & dilated(self._coverage.on_table, _BESIDE), 2)
        boxes = boxes_around(
            wanted, self._work.size, margin=round(_RIM * self._length_px), step=4 * CELL
        )
        if sum(box.area for box in boxes) > _WHOLE * self._part.area:
            return [self._part]
        return boxes

    def _find(self, image: Image, box: Box, inner: Mask) -> list[FoundTile]:
        """Tiles of a box that are not cut by its edges; marks where nothing can be missed."""
        part = np.ascontiguousarray(image[box.y0 : box.y1, box.x0 : box.x1])
        findings = self._finder.find(part, self._tile_px)
        width, height = self._work.size
        rim = round(0.6 * self._length_px)
        x0, y0 = (box.x0 + rim if box.x0 else 0), (box.y0 + rim if box.y0 else 0)
        x1 = box.x1 - rim if box.x1 < width else width
        y1 = box.y1 - rim if box.y1 < height else height
        rows = slice(-(-y0 // CELL), y1 // CELL if y1 < height else None)
        columns = slice(-(-x0 // CELL), x1 // CELL if x1 < width else None)
        inner[rows, columns] = True
        if findings.arms is not None:
            self._take_arms(findings.arms, box)
        tiles: list[FoundTile] = []
        for tile in findings.tiles:
            quad = tile.quad + np.array((box.x0, box.y0), dtype=np.float32)
            cx, cy = quad.mean(axis=0)
            if x0 - 4 <= cx < x1 + 4 and y0 - 4 <= cy < y1 + 4:
                tiles.append(_Tile(quad, tile.posture, tile.confidence, tile.visible))
        return tiles

    def _take_arms(self, arms: NDArray[np.float32], box: Box) -> None:
        self._reach = None
        row, column = box.y0 // CELL, box.x0 // CELL
        part = self._arms[row : row + arms.shape[0], column : column + arms.shape[1]]
        # Near its edges the net knows only half of what is there; keep one cell off them.
        height, width = self._work.size[1], self._work.size[0]
        top, left = int(box.y0 > 0), int(box.x0 > 0)
        bottom = part.shape[0] - int(box.y1 < height)
        right = part.shape[1] - int(box.x1 < width)
        part[top:bottom, left:right] = arms[top:bottom, left:right]

    def _place(self, found: list[FoundTile]) -> tuple[list[Detection], list[Track | None]]:
        kept = without_doubles(found, 0.45 * self._tile_px)
        quads = np.array([tile.quad for tile in kept], dtype=np.float64).reshape(-1, 4, 2)
        detections = lift(
            self._work,
            self.geometry,
            quads,
            [tile.posture for tile in kept],
            [tile.confidence for tile in kept],
        )
        half = self.geometry.surface_mm / 2 + 10.0
        on_table = [k for k, one in enumerate(detections) if max(abs(one.x), abs(one.y)) < half]
        matches = self._tracker.match(quads[on_table])
        placed = []
        for k, track in zip(on_table, matches, strict=True):
            before = None if track is None else track.before()
            placed.append(replace(detections[k], before=before, visible=kept[k].visible))
        others = [track for track in self._tracker.tracks if track not in matches]
        return self._heights.decide(placed, [track.seen for track in others]), matches

    def _is_bare(self, tile: FoundTile) -> bool:
        quad = np.asarray(tile.quad, dtype=np.float64)
        bare = self._bare.is_bare(self._motion.level, quad, self._motion.noise)
        if bare and tile.confidence >= _CERTAINLY:
            # It was there all the time: what was remembered is no bare ground.
            self._bare.occupied(quad)
            return False
        return bare

    def _is_small(self, tile: FoundTile) -> bool:
        """Too small for any side of a tile of this set: a die, a chip, a lamp."""
        sides = np.linalg.norm(np.diff(np.asarray(tile.quad, np.float64)[:3], axis=0), axis=1)
        return float(sides.max()) < _SMALLEST * self._tile_px

    def _is_die(self, tile: FoundTile) -> bool:
        if tile.confidence >= _FACE:
            return False
        return self._dice.lies_at(np.asarray(tile.quad, dtype=np.float64).mean(axis=0))

    def _learn_ground(self, free: Mask) -> None:
        taken = np.zeros(free.shape, dtype=bool)
        for track in self._tracker.tracks:
            taken[track.cells] = True
        self._bare.learn(self._motion.level, free & ~dilated(taken, 2))

    # -- faces --------------------------------------------------------------------------

    def _read(self, frame: Frame, moving: Mask, *, full: bool) -> None:
        if self._reader is None:
            return
        wanted = [
            track
            for track in self._tracker.tracks
            if _wants_reading(track) and share(moving, track.cells) < 0.2
        ]
        wanted.sort(key=lambda track: (track.evidence.count, track.number))
        if not full:
            wanted = wanted[:_BATCH]
        if not wanted:
            return
        quads = np.array([track.seen.quad for track in wanted], dtype=np.float32)
        if self._half:
            quads *= 2
        for track, reading in zip(wanted, self._reader.read(frame.image, quads), strict=True):
            weight = 0.3 + 0.7 * track.visible
            track.evidence.add(reading.faces, weight)
            if reading.faces and reading.faces[0][0] != BACK:
                track.turned += weight if reading.turned else -weight
            _turned_over(track)
        self.stats = replace(self.stats, read=self.stats.read + len(wanted))

    def _look_again(self) -> Mask:
        cells = np.zeros(self._coverage.cells, dtype=bool)
        for track in self._tracker.doubtful():
            cells[track.cells] = True
        return cells

    def _count(self, boxes: list[Box]) -> None:
        stats = self.stats
        pixels = sum(box.area for box in boxes)
        whole = self._part.area
        self.stats = replace(
            stats,
            frames=stats.frames + 1,
            still=stats.still + (not boxes),
            full=stats.full + (pixels >= whole),
            pixels=stats.pixels + pixels,
        )


class Rest:
    """Says where to look again although nothing changes.

    What was looked at while something moved there is looked at once more when it has come to
    rest; and while everything rests the table is gone over part by part, slowly, so that
    whatever the finder missed or imagined at one glance is mended by another.

    Args:
        on_table: cells that show the playing surface.
    """

    def __init__(self, on_table: Mask) -> None:
        self._stirred = np.zeros(on_table.shape, dtype=np.uint8)
        rows = np.flatnonzero(on_table.any(axis=1))
        columns = np.flatnonzero(on_table.any(axis=0))
        self._parts: list[tuple[slice, slice]] = []
        if len(rows) and len(columns):
            for down in np.array_split(rows, _PARTS):
                for across in np.array_split(columns, _PARTS):
                    if len(down) and len(across):
                        self._parts.append(
                            (
                                slice(int(down[0]), int(down[-1]) + 1),
                                slice(int(across[0]), int(across[-1]) + 1),
                            )
                        )
        self._quiet = 0
        self._next = 0

    def step(self, motion: Motion) -> Mask:
        """Cells that have just come to rest."""
        stirred = self._stirred
        rested = np.zeros(stirred.shape, dtype=bool)
        if stirred.any():
            np.subtract(stirred, 1, out=stirred, where=stirred > 0)
            rested = (stirred == 1) & ~motion.moving
        stirred[motion.moving | motion.changed] = _SETTLE + 1
        return rested

    def sweep(self) -> Mask:
        """The part whose turn it is in this still picture; mostly none."""
        cells = np.zeros(self._stirred.shape, dtype=bool)
        self._quiet += 1
        if self._quiet % _EVERY == 0 and self._parts:
            cells[self._parts[self._next % len(self._parts)]] = True
            self._next += 1
        return cells


@dataclass(frozen=True, slots=True)
class _Tile:
    """A found tile with its quad in pixels of the whole picture."""

    quad: NDArray[np.float32]
    posture: Posture
    confidence: float
    visible: float


def _shows_certainly(track: Track) -> bool:
    return track.seen.posture is Posture.FACE_UP and track.seen.confidence >= _FACE


def _wants_reading(track: Track) -> bool:
    if track.seen.posture not in (Posture.FACE_UP, Posture.UNSURE):
        return False
    evidence = track.evidence
    label, probability = evidence.best()
    # What no face was made out in is a view, not a tile: a later look may be better.
    if evidence.count >= (_MOST_REFUSED if label == UNKNOWN else _MOST_READINGS):
        return False
    if evidence.count >= _ENOUGH and probability >= _SETTLED and label != UNKNOWN:
        return False
    return not (track.covered or track.missed or track.moving or track.visible < 0.7)


def _turned_over(track: Track) -> None:
    """What the reader knows of a tile's posture: a back is no face."""
    label, probability = track.evidence.best()
    if label == BACK and probability > 0.9:
        track.seen = replace(track.seen, posture=Posture.FACE_DOWN)
    elif track.seen.posture is Posture.UNSURE and label not in (BACK, "?") and probability > 0.9:
        track.seen = replace(track.seen, posture=Posture.FACE_UP)
