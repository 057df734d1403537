"""What an arm hides and how far it reaches.

The finder says for every cell of the picture how likely an arm, hand or sleeve covers it;
together with what moves this is the part of the table that was *not looked at*.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.changes.motion import CELL, Mask, dilated
from vision.geometry import SIDES, TableGeometry
from vision.sightings import Point, Polygon

ARM = 0.5
"""Probability from which a cell counts as covered."""
_LEAST_CELLS = 3
REACHED = 0.3
"""Probability from which a cell counts as part of an arm whose fingertips are looked for."""
_FADING_MM = 13.0
"""Fingertips lie so far beyond the last cell that shows them."""
_HAND_CELLS = 40
"""A part as large as this, away from all rails, may be a hand."""
_BESIDE_MM, _GAP_MM = 45.0, 420.0
"""How far off the line of an arm, and beyond where it was last seen, its hand may be found."""
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

    def reach(self, arms: NDArray[np.float32] | Mask) -> Reach:
        """For each side the fingertips of the arm that comes over its rail, mm.

        ``arms`` are probabilities by cell (a mask counts as certain). An arm runs from where it
        crosses the rail along its own direction, to wherever on the table. Fingers are narrower
        than a cell and fade out in the probabilities, hence the low bar and the extension.
        """
        sure = np.asarray(arms, dtype=np.float32)
        mask = cv2.morphologyEx(
            (sure >= REACHED).astype(np.uint8),
            cv2.MORPH_CLOSE,
            np.ones((3, 3), np.uint8),
        )
        tips: list[Point | None] = [None, None, None, None]
        if not mask.any():
            return None, None, None, None
        lengths = [0.0, 0.0, 0.0, 0.0]
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
        parts = [
            labels == label
            for label in range(1, count)
            if stats[label, cv2.CC_STAT_AREA] >= 2 * _LEAST_CELLS
        ]
        loose: list[Mask] = []
        arms_of: list[tuple[int, Mask]] = []
        for inside in parts:
            sides = [side for side in SIDES if self._over_rail(side, inside)]
            arms_of += [(side, inside) for side in sides]
            if not sides and int(inside.sum()) >= _HAND_CELLS:
                loose.append(inside)
        for side, inside in arms_of:
            found = self._fingertips(*self._of(side, inside), sure[inside])
            for hand in loose if found is not None else ():
                # A dark sleeve is not always seen in its whole length.
                both = inside | hand
                joined = self._fingertips(*self._of(side, both), sure[both])
                if joined is not None and self._beyond(side, inside, hand, joined):
                    found = joined
            if found is not None and found[2] > lengths[side]:
                right, offset, lengths[side] = found
                tx, ty = TableGeometry.to_table(side, right, offset)
                tips[side] = (round(tx, 1), round(ty, 1))
        return tips[0], tips[1], tips[2], tips[3]

    def _of(self, side: int, inside: Mask) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where cells are in a player's own frame, mm."""
        return _player(side, self._x[inside], self._y[inside])

    def _over_rail(self, side: int, inside: Mask) -> bool:
        """Whether a part comes over that side's rail."""
        half = self.geometry.surface_mm / 2
        right, offset = self._of(side, inside)
        return int(((offset > half - 35.0) & (np.abs(right) < half)).sum()) >= _LEAST_CELLS

    def _beyond(self, side: int, arm: Mask, hand: Mask, joined: tuple[float, float, float]) -> bool:
        """Whether a loose part lies where an arm would go on, not far beyond its end."""
        half = self.geometry.surface_mm / 2
        right, offset = self._of(side, arm)
        entry = offset > half - 35.0
        start = np.array([right[entry].mean(), offset[entry].mean()])
        along = np.array(joined[:2]) - start
        along = along / max(1.0, float(np.hypot(*along)))
        ways = np.column_stack(self._of(side, hand)) - start
        arms_ways = np.column_stack((right, offset)) - start
        beside = np.abs(ways @ np.array([-along[1], along[0]]))
        gap = float((ways @ along).min() - (arms_ways @ along).max())
        return float(np.median(beside)) <= _BESIDE_MM and -20.0 <= gap <= _GAP_MM

    def _fingertips(
        self,
        right: NDArray[np.float64],
        offset: NDArray[np.float64],
        sure: NDArray[np.float32],
    ) -> tuple[float, float, float] | None:
        """Tip (player's frame) and length of the arm in a part, if one comes over that rail."""
        half = self.geometry.surface_mm / 2
        entry = (offset > half - 35.0) & (np.abs(right) < half)
        on_table = offset < half + 5.0
        if int(entry.sum()) < _LEAST_CELLS or int(on_table.sum()) < 2 * _LEAST_CELLS:
            return None
        start = np.array([right[entry].mean(), offset[entry].mean()])
        ways = np.column_stack((right[on_table], offset[on_table])) - start
        distances = np.hypot(ways[:, 0], ways[:, 1])
        if distances.max() < 35.0:
            return None
        along = ways[distances >= np.percentile(distances, 85.0)].mean(axis=0)
        norm = float(np.hypot(*along))
        if norm < 1.0:
            return None
        along = along / norm
        # An arm is narrow: what lies to the side of its line belongs to another.
        beside = np.abs(ways[:, 0] * along[1] - ways[:, 1] * along[0]) < 70.0
        own = ways[beside]
        depths = own @ along
        length = float(depths.max())
        last = depths > length - 15.0
        end = own[last].mean(axis=0)
        fading = 1.0 - float(sure[on_table][beside][last].mean())
        beyond = length - float(end @ along) + 2.0 * fading * _FADING_MM
        tip = start + end + along * beyond
        return float(tip[0]), float(tip[1]), length


def _player(
    side: int, x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    for _ in range(side):
        x, y = y, -x
    return x, -y
