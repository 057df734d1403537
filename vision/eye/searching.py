"""Where in a picture tiles and arms are searched for, and what is found there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes.coverage import Coverage, without_specks
from vision.changes.fingertips import ARM, Reach
from vision.changes.motion import CELL, Box, Mask, boxes_around, dilated
from vision.image import Image
from vision.nets.found import FoundTile
from vision.sightings import Polygon, Posture

_WHOLE = 0.5
"""From this share of the table's part of the picture on that is looked at as a whole."""
_BESIDE = 4
"""So many cells beside the playing surface still matter."""
_RIM = 0.8
"""A box reaches so many lengths of a tile beyond what is looked at: no tile there is cut."""
_CUT = 0.6
"""A tile whose middle lies within so many lengths of a box's edge may be cut by it."""
_EDGE = 3.0
"""So many lengths from a box's edge an arm is believed only where the picture changed: of a still
hand whose surroundings a box cuts off the net takes the shadow for more of the arm."""
_NEAR_CHANGE = 1
"""Cells so near to one that changed count as changed."""
_AGAIN_LOOKS = 6
"""An arm that was not looked at in so many pictures is looked at again: it may have gone."""

_AROUND, _CLOSER = 3.0, 1.35
"""A closer look goes so many widths of a tile beyond its middle, and is so much larger."""
_FRAMINGS = ((4, 1.0), (0, 1.0), (4, 0.85), (0, 0.85))
"""Half a cell of the net farther; a little smaller: an enlarged nine of circles is two tiles."""
_RIGHT_THERE = 0.25
"""In tile widths."""
_UNCUT = 1.6
"""In so many widths of a tile about its middle it cuts none."""


class FoundAll(Protocol):
    """What a finder says of one picture (:class:`vision.nets.finder.Findings`)."""

    @property
    def tiles(self) -> Sequence[FoundTile]:
        """The tiles."""
        ...

    @property
    def arms(self) -> NDArray[np.float32] | None:
        """(H/8, W/8) probability that an arm covers a cell."""
        ...


class TileFinder(Protocol):
    """Finds tiles in a picture (:class:`vision.nets.finder.Finder`)."""

    def find(self, image: Image, tile_px: float | None = None) -> FoundAll:
        """Tiles and arms; ``tile_px`` is the short side of a tile."""
        ...


@dataclass(frozen=True, slots=True)
class Tile:
    """A found tile with its quad in pixels of the whole picture."""

    quad: NDArray[np.float32]
    posture: Posture
    confidence: float
    visible: float


class Search:
    """Searches pictures of one camera, box by box; keeps where arms were seen last.

    Args:
        coverage: the camera's view of the table.
        finder: the model.
        tile_px: short side of a tile, pixels.
        length_px: its long side.
    """

    def __init__(
        self, coverage: Coverage, finder: TileFinder, tile_px: float, length_px: float
    ) -> None:
        self._coverage = coverage
        self._size = coverage.camera.size
        self._finder = finder
        self._tile_px = tile_px
        self._length_px = length_px
        self._near_table = dilated(coverage.on_table, _BESIDE)
        self.part = self._around_table()
        """The part of the picture in which anything of the table can be seen."""
        self.forget()

    def forget(self) -> None:
        """No arm was seen yet."""
        self._arms: NDArray[np.float32] = np.zeros(self._coverage.cells, np.float32)
        self._unasked: NDArray[np.uint8] = np.zeros(self._coverage.cells, np.uint8)
        self._reach: Reach | None = None
        self._covered: tuple[Mask, tuple[Polygon, ...]] | None = None

    @property
    def arms(self) -> Mask:
        """(H/8, W/8) cells that an arm covers."""
        return np.asarray(self._arms >= ARM, dtype=bool)

    def forgotten(self) -> Mask:
        """(H/8, W/8) cells that an arm covered when they were last looked at, too long ago.

        An arm is seen a little wider than it is. When it goes nothing changes beside it, and what
        was taken for its edge would cover the table, and lengthen the arms of others, for good.
        """
        late = self._unasked >= _AGAIN_LOOKS
        return without_specks(late & self._near_table, 2) if late.any() else late

    def _around_table(self) -> Box:
        cells = self._near_table
        margin = round(_RIM * self._length_px)
        boxes = boxes_around(cells, self._size, margin=margin, step=4 * CELL)
        return boxes[0] if len(boxes) == 1 else Box(0, 0, *self._size)

    def boxes(self, cells: Mask, *, whole: bool) -> list[Box]:
        """Boxes around the cells that are to be looked at.

        Args:
            cells: wanted.
            whole: look at all of the table.
        """
        if whole:
            return [self.part]
        wanted = without_specks(cells & self._near_table, 2)
        margin = round(_RIM * self._length_px)
        boxes = boxes_around(wanted, self._size, margin=margin, step=4 * CELL)
        if sum(box.area for box in boxes) > _WHOLE * self.part.area:
            return [self.part]
        return boxes

    def find(self, image: Image, boxes: Sequence[Box], changed: Mask) -> tuple[list[Tile], Mask]:
        """Search boxes of a picture (H, W, 3); ``changed`` are cells in which it did, (H/8, W/8).

        Returns:
            The tiles that no edge of a box cuts, and the cells in which none can be missed.
        """
        inner = np.zeros(self._coverage.cells, dtype=bool)
        self._unasked = np.where(self._arms >= ARM, np.minimum(self._unasked, 254) + 1, 0)
        near = dilated(changed, _NEAR_CHANGE)
        found = [tile for box in boxes for tile in self._find(image, box, inner, near)]
        return found, inner

    def _find(self, image: Image, box: Box, inner: Mask, changed: Mask) -> list[Tile]:
        part = np.ascontiguousarray(image[box.y0 : box.y1, box.x0 : box.x1])
        findings = self._finder.find(part, self._tile_px)
        width, height = self._size
        rim = round(_CUT * self._length_px)
        x0, y0 = (box.x0 + rim if box.x0 else 0), (box.y0 + rim if box.y0 else 0)
        x1 = box.x1 - rim if box.x1 < width else width
        y1 = box.y1 - rim if box.y1 < height else height
        rows = slice(-(-y0 // CELL), y1 // CELL if y1 < height else None)
        columns = slice(-(-x0 // CELL), x1 // CELL if x1 < width else None)
        inner[rows, columns] = True
        if findings.arms is not None:
            self._take_arms(findings.arms, box, changed)
        tiles: list[Tile] = []
        for tile in findings.tiles:
            whole = _in_whole(tile, box.x0, box.y0)
            cx, cy = whole.quad.mean(axis=0)
            if x0 - 4 <= cx < x1 + 4 and y0 - 4 <= cy < y1 + 4:
                tiles.append(whole)
        return tiles

    def closer(self, image: Image, tile: Tile) -> list[Tile]:
        """What a closer look finds where two tiles side by side may have been taken for one.

        Both together have a tile's proportions, so only their size gives them away.

        Returns:
            The tiles whose middles lie within the one, if they are several.
        """
        outline = np.asarray(tile.quad, dtype=np.float32)
        inside = [
            one
            for one in self._closely(image, tile.quad.mean(axis=0))
            if cv2.pointPolygonTest(outline, one.quad.mean(axis=0).tolist(), measureDist=False) >= 0
        ]
        return inside if len(inside) > 1 else []

    def about(self, image: Image, centre: NDArray[np.floating[Any]]) -> list[Tile]:
        """The tiles that a closer look finds at a point (2,) of the picture and right beside it."""
        reach = _UNCUT * self._tile_px
        return [
            one
            for one in self._closely(image, centre)
            if float(np.abs(one.quad.mean(axis=0) - centre).max()) <= reach
        ]

    def between(self, image: Image, centre: NDArray[np.floating[Any]]) -> list[Tile]:
        """The tile right at a point (2,) of the picture, if a look framed otherwise finds one."""
        near = _RIGHT_THERE * self._tile_px
        for shift, closer in _FRAMINGS:
            for one in self._closely(image, centre + shift, closer):
                if float(np.hypot(*(one.quad.mean(axis=0) - centre))) <= near:
                    return [one]
        return []

    def _closely(
        self, image: Image, centre: NDArray[np.floating[Any]], closer: float = _CLOSER
    ) -> list[Tile]:
        """What is found about a point, enlarged."""
        width, height = self._size
        half = _AROUND * self._tile_px
        x0, y0 = (max(int(value - half), 0) for value in centre)
        x1, y1 = min(int(centre[0] + half), width), min(int(centre[1] + half), height)
        part = np.ascontiguousarray(image[y0:y1, x0:x1])
        return [
            _in_whole(one, x0, y0) for one in self._finder.find(part, self._tile_px / closer).tiles
        ]

    def _take_arms(self, arms: NDArray[np.float32], box: Box, changed: Mask) -> None:
        self._reach = None
        row, column = box.y0 // CELL, box.x0 // CELL
        part = np.s_[row : row + arms.shape[0], column : column + arms.shape[1]]
        before, asked = self._arms[part], self._unasked[part]
        arms = arms[: before.shape[0], : before.shape[1]]
        doubtful = ~(self._within(box, before.shape, _EDGE) | changed[part])
        arms = np.where(doubtful, np.minimum(arms, before), arms)
        # Near its edges the net knows only half of what is there, and takes it for a sleeve.
        inside = self._within(box, before.shape, _CUT)
        before[inside], asked[inside] = arms[inside], 0

    def _within(self, box: Box, shape: tuple[int, ...], lengths: float) -> Mask:
        """Cells of a box farther than so many lengths of a tile from where it cuts the picture."""
        width, height = self._size
        rim = max(round(lengths * self._length_px / CELL), 1)
        rows, columns = np.arange(shape[0]), np.arange(shape[1])
        down = (rows >= rim * (box.y0 > 0)) & (rows < shape[0] - rim * (box.y1 < height))
        across = (columns >= rim * (box.x0 > 0)) & (columns < shape[1] - rim * (box.x1 < width))
        return np.asarray(down[:, None] & across, dtype=bool)

    def covered(self, cells: Mask) -> tuple[Polygon, ...]:
        """What is covered, in mm; while that stays the same it is not worked out again."""
        if self._covered is None or not np.array_equal(self._covered[0], cells):
            self._covered = cells, self._coverage.polygons(cells)
        return self._covered[1]

    def reach(self) -> Reach:
        """How far arms reach (:meth:`vision.changes.coverage.Coverage.reach`)."""
        if self._reach is None:
            self._reach = self._coverage.reach(self._arms)
        return self._reach


def _in_whole(tile: FoundTile, x0: int, y0: int) -> Tile:
    """A find of a part of the picture whose corner lies there, in pixels of the whole."""
    quad = tile.quad + np.array((x0, y0), dtype=np.float32)
    return Tile(quad, tile.posture, tile.confidence, tile.visible)
