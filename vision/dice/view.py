"""Where dice are in the picture of one camera: points, boxes and cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.changes.motion import CELL, Box, Mask
from vision.dice.die import DIE_MM, Die

_CUT = 0.7
"""A die whose middle lies nearer to the edge of a box is cut by it."""


class DiceView:
    """The picture of a camera, with the size of a die in it.

    Attributes:
        size: its width and height, pixels.
        die_px: the edge of a die in the middle of the table, pixels.
        rim: what lies nearer to the edge of a box is cut by it, pixels.
        cells: its height and width in cells.
    """

    def __init__(self, camera: CameraModel) -> None:
        self._camera = camera
        self.size = camera.size
        self.die_px = DIE_MM * camera.px_per_mm(0.0, 0.0, DIE_MM)
        self.rim = _CUT * self.die_px
        self.cells = -(-camera.size[1] // CELL), -(-camera.size[0] // CELL)

    def point(self, die: Die) -> NDArray[np.float64]:
        """The middle of a die (2,), pixels."""
        return np.asarray(self._camera.project([[die.x, die.y, DIE_MM / 2]])[0])

    def cut(self, die: Die, box: Box) -> bool:
        """Whether the edge of the box, not of the picture, may cut a die."""
        x, y = self.point(die)
        rim = self.rim
        width, height = self.size
        return bool(
            (box.x0 and x < box.x0 + rim)
            or (box.y0 and y < box.y0 + rim)
            or (box.x1 < width and x > box.x1 - rim)
            or (box.y1 < height and y > box.y1 - rim)
        )

    def around(self, die: Die, dice: float) -> Box:
        """A box that reaches so many dice to every side."""
        x, y = self._camera.project([[die.x, die.y, DIE_MM]])[0]
        reach = dice * self.die_px
        width, height = self.size
        return Box(
            min(max(int(x - reach), 0), width - CELL) // CELL * CELL,
            min(max(int(y - reach), 0), height - CELL) // CELL * CELL,
            min(max(int(x + reach), CELL), width),
            min(max(int(y + reach), CELL), height),
        )

    def box_of(self, corners: NDArray[np.float64]) -> Box:
        """The box around points (N, 2) of the table, mm."""
        px = self._camera.project(np.column_stack((corners, np.full(len(corners), DIE_MM))))
        low = np.floor(px.min(axis=0) / CELL).astype(int) * CELL
        high = np.ceil(px.max(axis=0) / CELL).astype(int) * CELL
        width, height = self.size
        return Box(
            max(int(low[0]), 0),
            max(int(low[1]), 0),
            min(int(high[0]), width),
            min(int(high[1]), height),
        )

    def mask_of(self, box: Box) -> Mask:
        """The cells of a box."""
        cells = np.zeros(self.cells, dtype=bool)
        cells[cells_of(box)] = True
        return cells

    def inside(self, die: Die, places: Sequence[Box]) -> bool:
        """Whether a die lies in one of these boxes."""
        x, y = self.point(die)
        return any(box.x0 <= x < box.x1 and box.y0 <= y < box.y1 for box in places)

    def under(self, die: Die, covered: Mask) -> bool:
        """Whether the middle of a die is covered."""
        x, y = self.point(die)
        row = min(max(int(y) // CELL, 0), covered.shape[0] - 1)
        return bool(covered[row, min(max(int(x) // CELL, 0), covered.shape[1] - 1)])


def cells_of(box: Box) -> tuple[slice, slice]:
    """Rows and columns of the cells of a box."""
    return (
        slice(max(box.y0, 0) // CELL, -(-box.y1 // CELL)),
        slice(max(box.x0, 0) // CELL, -(-box.x1 // CELL)),
    )
