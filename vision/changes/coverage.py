"""What an arm hides and how far it reaches.

The finder says for every cell of the picture how likely an arm, hand or sleeve covers it;
together with what moves this is the part of the table that was *not looked at*.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.changes.fingertips import Fingertips, Reach
from vision.changes.motion import CELL, Mask, dilated
from vision.geometry import TableGeometry
from vision.sightings import Point, Polygon

_LEAST_CELLS = 3
_HAND_MM = 35.0
"""What is seen of a hand on a wall is so far above the plane of lying tiles. Of 1,400 hands that
rest at walls, in eleven filmed games, fingertips are then 5.5 mm off (median; 7.3 without)."""


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
        self._fingertips = Fingertips(self._x, self._y, geometry)

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

    def reach(self, arms: NDArray[np.float32] | Mask) -> Reach:
        """For each side the fingertips of its arm, mm (:class:`.fingertips.Fingertips`).

        They are found in the plane of lying tiles, where a hand, which is above it, seems to be
        farther from the camera's foot than it is.
        """
        first, second, third, fourth = self._fingertips.reach(arms)
        return self._below(first), self._below(second), self._below(third), self._below(fourth)

    def _below(self, tip: Point | None) -> Point | None:
        """The point of the table that fingertips are over."""
        if tip is None:
            return None
        x, y, high = (float(each) for each in self.camera.position)
        share = _HAND_MM / (high - self.geometry.flat_z)
        return round(tip[0] - share * (tip[0] - x), 1), round(tip[1] - share * (tip[1] - y), 1)
