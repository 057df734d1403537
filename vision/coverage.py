"""What an arm hides and how far it reaches.

The finder says for every cell of the picture how likely an arm, hand or sleeve covers it;
together with what moves this is the part of the table that was *not looked at*.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.geometry import SIDES, TableGeometry
from vision.motion import CELL, Mask, dilated
from vision.sightings import Point, Polygon

ARM = 0.5
"""Probability from which a cell counts as covered."""
_LEAST_CELLS = 3
Reach = tuple[Point | None, Point | None, Point | None, Point | None]


def without_specks(mask: Mask, least: int = _LEAST_CELLS) -> Mask:
    """The mask without connected parts of fewer cells."""
    if not mask.any():
        return mask
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    keep = stats[:, cv2.CC_STAT_AREA] >= least
    keep[0] = False
    return np.asarray(keep[labels], dtype=bool) if count > 1 else mask


class Coverage:
    """Turns masks of cells into regions of the table.

    Args:
        camera: lens and pose.
        geometry: how high tiles are and how large the surface is.
    """

    def __init__(self, camera: CameraModel, geometry: TableGeometry) -> None:
        self.camera = camera
        self.geometry = geometry
        self.cells = (-(-camera.size[1] // CELL), -(-camera.size[0] // CELL))
        rows, columns = np.mgrid[0 : self.cells[0], 0 : self.cells[1]]
        middles = np.column_stack((columns.ravel() + 0.5, rows.ravel() + 0.5)) * CELL
        places = camera.to_table(middles, geometry.flat_z)
        self._x = places[:, 0].reshape(self.cells)
        self._y = places[:, 1].reshape(self.cells)
        half = geometry.surface_mm / 2
        self.on_table: Mask = (np.abs(self._x) <= half) & (np.abs(self._y) <= half)
        """Cells that show the playing surface."""

    def polygons(self, mask: Mask) -> tuple[Polygon, ...]:
        """Outlines (mm, at the height of lying tiles) of the parts of a mask on the table."""
        part = without_specks(mask) & dilated(self.on_table, 2)
        if not part.any():
            return ()
        # Through the middles of the cells around: half a cell more than what is covered.
        padded = np.pad(dilated(part, 1).astype(np.uint8), 1)
        contours, _ = cv2.findContours(padded, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        found: list[Polygon] = []
        for contour in contours:
            outline = cv2.approxPolyDP(contour, 0.75, closed=True).reshape(-1, 2)
            if len(outline) < 3:
                continue
            points = self.camera.to_table(
                (outline.astype(np.float64) - 0.5) * CELL, self.geometry.flat_z
            )
            found.append(tuple((round(float(x), 1), round(float(y), 1)) for x, y in points))
        return tuple(sorted(found))

    def reach(self, arms: Mask) -> Reach:
        """For each side the point farthest in from its rail that an arm from there covers."""
        tips: list[Point | None] = [None, None, None, None]
        parts = without_specks(arms, 2 * _LEAST_CELLS)
        if not parts.any():
            return None, None, None, None
        count, labels = cv2.connectedComponents(parts.astype(np.uint8))
        half = self.geometry.surface_mm / 2
        for label in range(1, count):
            inside = labels == label
            x, y = self._x[inside], self._y[inside]
            for side in SIDES:
                right, offset = _player(side, x, y)
                # The rail is where an arm comes in; a few cells wide, or it is no arm.
                entry = (offset > half - 30.0) & (np.abs(right) < half)
                if int(entry.sum()) < _LEAST_CELLS:
                    continue
                start = np.array([right[entry].mean(), offset[entry].mean()])
                inwards = start[1] - offset
                sideways = np.abs(right - start[0])
                # An arm is longer than wide: what lies far to the side belongs to another.
                own = (inwards > -40.0) & (sideways < 80.0 + 1.2 * np.maximum(inwards, 0.0))
                if not own.any():
                    continue
                best = np.flatnonzero(own)[int(np.argmax(inwards[own]))]
                tip = (round(float(x[best]), 1), round(float(y[best]), 1))
                other = tips[side]
                if other is None or _depth(side, tip) < _depth(side, other):
                    tips[side] = tip
        return tips[0], tips[1], tips[2], tips[3]


def _player(
    side: int, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    for _ in range(side):
        x, y = y, -x
    return x, -y


def _depth(side: int, point: Point) -> float:
    return TableGeometry.to_player(side, *point)[1]
