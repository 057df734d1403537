"""One camera's eye: frames in, sightings in table millimetres out.

Only what changed is looked at: the finder runs on boxes around changed cells, the face reader
on tiles whose face is not settled, the dice reader where dice lie or something changed. What
did not change is reported as it was last seen. The same frames give the same sightings, bit
for bit: no clock, no random numbers, fixed numbers of threads.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.changes.bare import BareGround
from vision.changes.coverage import Coverage, without_specks
from vision.changes.motion import CELL, Box, Mask, MotionDetector, dilated
from vision.changes.resting import Rest
from vision.changes.sampling import samples_cells, shares
from vision.dice.watch import DiceFinder, DiceWatch
from vision.eye.faces import FaceWatch, TileReader
from vision.eye.gaps import gaps
from vision.eye.searching import Search, Tile, TileFinder
from vision.eye.sticks import StickWatch
from vision.eye.track import SURE, Track
from vision.eye.tracking import Looked, Tracker
from vision.geometry import TableGeometry
from vision.heights.placing import Detection, is_two_tiles, lift, shades
from vision.heights.touching import CLEARLY, cut_apart, found_across, lie_side_by_side
from vision.heights.walls import WallHeights
from vision.image import Image
from vision.nets.found import FoundTile, without_doubles
from vision.sightings import Outcome, Posture, Sighting

log = logging.getLogger(__name__)

_OVERLOOKED = 4
"""So many faces at most one look misses; more of them were taken away."""
_CERTAINLY = 0.75
"""From this confidence on a tile is believed whatever the place looked like before."""
_FACE = 0.6
"""Confidence from which a tile is no die and what looks like a die is its face."""
_SMALLEST = 0.75
"""Longest side of a find, as a share of a tile's width, below which it is no tile."""
_SHORTEST, _WHOLE = 0.75, 0.9
"""The same as a share of its length for what lies flat and shows so much of itself. Of 77,251 such
finds all tiles but four were longer than 0.88, all dice that passed for tiles shorter than 0.6."""
_SHADOW_MM = 50.0
"""So far from an arm its shadow may lie."""
LARGE = 44.0
"""From this short side of a tile (pixels) on half the picture's size shows where things lie."""


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
        # Decided once: what others remember of its pictures has this size.
        self._half = _is_large(camera, geometry)
        self._hang(camera)

    def aim(self, camera: CameraModel) -> None:
        """The camera hangs so now: look with this pose; the same tiles lie where they lay."""
        before, tracks = self._work, self._tracker.tracks
        known = self._heights.fits, self._dice.known
        self._hang(camera)
        for track in tracks:
            track.carry(before, self._work, self._coverage.cells)
        self._tracker.take_over(tracks)
        self._heights.fits = known[0]
        self._dice.known = known[1]

    def _hang(self, camera: CameraModel) -> None:
        geometry = self.geometry
        self.camera = camera
        scale = camera.px_per_mm(0.0, 0.0, geometry.flat_z)
        if self._half:
            # Nets and comparisons see nothing more in such a picture; faces are read in full.
            camera = camera.scaled((camera.size[0] // 2, camera.size[1] // 2))
            scale /= 2
        self._work = camera
        self._tile_px = scale * geometry.tile_width
        self._length_px = scale * geometry.tile_height
        self._coverage = Coverage(camera, geometry)
        self._search = Search(self._coverage, self._finder, self._tile_px, self._length_px)
        self._faces = FaceWatch(self._reader, 2.0 if self._half else 1.0)
        self._heights = WallHeights(camera, geometry)
        self._dice = DiceWatch(camera, geometry, self._dice_finder)
        self._sticks = StickWatch(camera, geometry)
        self.reset()

    def reset(self) -> None:
        """Forget everything seen: the next frame is looked at as a whole."""
        self._motion = MotionDetector(self._work.size, within=self._search.part)
        self._tracker = Tracker(0.6 * self._tile_px)
        self._bare = BareGround(self._coverage.cells)
        self._search.forget()
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
        boxes = self._search.boxes(cells, whole=motion.jumped)
        if not boxes:
            # Also while something moves beside the table, as hands do all the time.
            cells = cells | self._rest.sweep()
            boxes = self._search.boxes(cells, whole=False)
        moving = without_specks(motion.moving) if not motion.jumped else motion.moving
        found, inner = self._search.find(image, boxes, motion.changed | moving)
        arms = self._search.arms
        covered = dilated(arms, 1) | moving
        looked = Looked(
            inner,
            motion.changed | self._pending,
            covered,
            self._motion.level,
            self._bare.ground,
        )
        kept = [tile for tile in found if self._is_tile(tile)]
        if boxes:
            kept += self._overlooked(image, kept, looked)
        detections, matches = self._place(image, kept)
        self._tracker.update(detections, matches, looked)
        covered = self._tracker.with_below(covered)
        if boxes:
            self._learn_ground(inner & ~covered)
        due = self._faces.due(self._tracker.tracks, moving, full=motion.jumped)
        if due:
            self._faces.read(frame.image, due, self._tracker.tracks)
            self._faces.read_across(frame.image, due, self._tracker.tracks, looked)
        tiles = [t.seen.quad for t in self._tracker.tracks if _shows_certainly(t)]
        dice = self._dice.look(
            image,
            inner & cells,
            moving,
            arms,
            inner,
            level=self._motion.level,
            noise=self._motion.noise,
            tiles=tiles,
            whole=motion.jumped,
            resting=not motion.changed.any() or bool(rested.any()),
        )
        sticks = self._sticks.look(image, inner & cells, covered, tiles)
        # What moves is looked at again in the next picture, where it may lie still.
        self._motion.looked(cells & ~moving)
        self._pending = self._look_again()
        self._count(boxes, len(due))
        return Sighting(
            t=frame.t,
            camera=frame.camera,
            outcome=Outcome.LOOKED,
            tiles=self._tracker.sightings(2.0 if self._half else 1.0),
            dice=dice,
            sticks=sticks,
            covered=self._search.covered(covered),
            reach=self._search.reach(),
        )

    def _place(
        self, image: Image, found: Sequence[Tile]
    ) -> tuple[list[Detection], list[Track | None]]:
        kept = without_doubles(found, 0.45 * self._tile_px)
        quads, detections = self._lift(kept)
        parts = {
            id(tile): self._closer(image, tile, one)
            for tile, one in zip(kept, detections, strict=True)
            if is_two_tiles(one, self.geometry) and tile.visible >= CLEARLY
        }
        if any(parts.values()):
            kept = [part for tile in kept for part in parts.get(id(tile)) or [tile]]
            kept = without_doubles(kept, 0.45 * self._tile_px)
            quads, detections = self._lift(kept)
        apart = cut_apart(self._work, self.geometry, kept, detections)
        if apart:
            kept = _instead(kept, apart)
            quads, detections = self._lift(kept)
        across = found_across(self.geometry, kept, detections)
        if across:
            kept = _instead(kept, across)
            quads, detections = self._lift(kept)
        half = self.geometry.surface_mm / 2 + 10.0
        on_table = [k for k, one in enumerate(detections) if max(abs(one.x), abs(one.y)) < half]
        matches = self._tracker.match(quads[on_table])
        bright = shades(self._motion.level, quads[on_table])
        shadowed = self._shadowed(quads[on_table])
        placed = []
        for k, track, shade, dark in zip(on_table, matches, bright, shadowed, strict=True):
            before = None if track is None else track.before()
            visible = kept[k].visible
            placed.append(
                replace(detections[k], before=before, visible=visible, shade=shade, shadowed=dark)
            )
        others = [track for track in self._tracker.tracks if track not in matches]
        return self._heights.decide(placed, [track.seen for track in others], image), matches

    def _closer(self, image: Image, tile: Tile, placed: Detection) -> list[Tile]:
        """What a closer look finds in one that is too large, unless it is better cut apart."""
        parts = self._search.closer(image, tile)
        whole = lie_side_by_side(self._lift(parts)[1])
        return parts if whole or not cut_apart(self._work, self.geometry, [tile], [placed]) else []

    def _overlooked(self, image: Image, found: Sequence[Tile], looked: Looked) -> list[Tile]:
        """What a closer look finds where a face should be and the search found nothing.

        One lay there in sight, or there is room for one between two that have just come.
        """
        middles = np.array([tile.quad.mean(axis=0) for tile in found]).reshape(-1, 2)
        missing = self._tracker.missing(middles, looked)
        if len(missing) > _OVERLOOKED:
            return []
        again: list[Tile] = []
        for track in missing:
            again += [t for t in self._search.about(image, track.centre) if t.confidence >= SURE]
        for middle in gaps(found, self._tracker.new_at(middles), self._tile_px)[:_OVERLOOKED]:
            again += self._search.between(image, middle)
        # What was found beside them stays as it was found.
        gate = self._tracker.gate_px
        return [
            tile
            for tile in again
            if self._is_tile(tile)
            and not (np.linalg.norm(middles - tile.quad.mean(axis=0), axis=1) < gate).any()
        ]

    def _shadowed(self, quads: NDArray[np.float64]) -> list[bool]:
        """Whether the shadow of a hand may lie on tiles (N, 4, 2)."""
        arms = self._search.arms
        if not len(quads) or not arms.any():
            return [False] * len(quads)
        far = _SHADOW_MM * self._tile_px / self.geometry.tile_width
        near = dilated(arms, round(far / CELL))
        cells = (int(near.shape[0]), int(near.shape[1]))
        return [bool(dark) for dark in shares(near, samples_cells(quads, cells)) > 0.0]

    def _lift(self, found: Sequence[Tile]) -> tuple[NDArray[np.float64], list[Detection]]:
        quads = np.array([tile.quad for tile in found], dtype=np.float64).reshape(-1, 4, 2)
        return quads, lift(
            self._work,
            self.geometry,
            quads,
            [tile.posture for tile in found],
            [tile.confidence for tile in found],
        )

    def _is_tile(self, tile: FoundTile) -> bool:
        return not (self._is_small(tile) or self._is_bare(tile) or self._is_die(tile))

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
        (ax, ay), (bx, by), (cx, cy) = tile.quad[:3].tolist()
        longest = math.sqrt(max((bx - ax) ** 2 + (by - ay) ** 2, (cx - bx) ** 2 + (cy - by) ** 2))
        least = _SMALLEST * self._tile_px
        if tile.posture is not Posture.STANDING and tile.visible >= _WHOLE:
            least = _SHORTEST * self._length_px
        return longest < least

    def _is_die(self, tile: FoundTile) -> bool:
        if tile.confidence >= _FACE:
            return False
        return self._dice.lies_at(np.asarray(tile.quad, dtype=np.float64).mean(axis=0))

    def _learn_ground(self, free: Mask) -> None:
        taken = np.zeros(free.shape, dtype=bool)
        for track in self._tracker.tracks:
            taken[track.cells] = True
        self._bare.learn(self._motion.level, free & ~dilated(taken, 2), self._motion.noise)

    def _look_again(self) -> Mask:
        cells = self._search.forgotten()
        for track in self._tracker.doubtful():
            cells[track.cells] = True
        return cells

    def _count(self, boxes: Sequence[Box], read: int) -> None:
        stats = self.stats
        pixels = sum(box.area for box in boxes)
        whole = self._search.part.area
        self.stats = replace(
            stats,
            frames=stats.frames + 1,
            still=stats.still + (not boxes),
            full=stats.full + (pixels >= whole),
            pixels=stats.pixels + pixels,
            read=stats.read + read,
        )


def _is_large(camera: CameraModel, geometry: TableGeometry) -> bool:
    """Whether half the size of a camera's pictures shows where tiles lie."""
    tile_px = camera.px_per_mm(0.0, 0.0, geometry.flat_z) * geometry.tile_width
    return tile_px >= LARGE and not (camera.size[0] % 2 or camera.size[1] % 2)


def _instead(
    found: Sequence[Tile], apart: Sequence[tuple[Sequence[int], NDArray[np.float32]]]
) -> list[Tile]:
    """The finds, with the tiles that fill an outline in place of those that made it."""
    replaced = {index for indices, _ in apart for index in indices}
    kept = [tile for index, tile in enumerate(found) if index not in replaced]
    for indices, quads in apart:
        surest = max((found[index] for index in indices), key=lambda tile: tile.confidence)
        kept += [replace(surest, quad=quad) for quad in quads]
    return kept


def _shows_certainly(track: Track) -> bool:
    return track.seen.posture is Posture.FACE_UP and track.seen.confidence >= _FACE
