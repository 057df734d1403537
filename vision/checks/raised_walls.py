"""Is the calibration right? The machine raises the walls where they belong: they say.

A picture of four freshly raised walls, every stack still two high, is looked through for tiles, and
the line of each wall is compared with its place in the table's geometry. That all are two high is
known here, so that no height needs to be guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.calibration.camera import CameraModel
from vision.checks.drift import offset_of_walls
from vision.geometry import SIDES, Side, TableGeometry
from vision.heights.placing import place, skew
from vision.heights.walls import LineFit

LARGEST_WALL_MM: Final = 3.0
"""A wall may be seen this far from where the machine raises it."""
LEAST_TILES: Final = 6
LEAST_WALLS: Final = 2


@dataclass(frozen=True, slots=True)
class WallCheck:
    """One wall compared with its place.

    Attributes:
        side: of the table.
        tiles: how many tiles it rests on.
        along: mm to the player's right.
        outward: mm away from the middle of the table.
        ends: mm by which its ends lie further outwards or inwards than its middle.
    """

    side: Side
    tiles: int
    along: float
    outward: float
    ends: float

    @property
    def off_mm(self) -> float:
        """The largest distance across the wall, at either end."""
        return abs(self.outward) + abs(self.ends)

    @property
    def seen(self) -> bool:
        """Enough tiles to judge by."""
        return self.tiles >= LEAST_TILES

    @property
    def good(self) -> bool:
        """Where it belongs; along itself a wall repeats with every stack, and is told only."""
        return self.seen and self.off_mm <= LARGEST_WALL_MM


@dataclass(frozen=True, slots=True)
class WallsCheck:
    """All walls; ``offset`` (x, y in mm, degrees) is what they have in common."""

    walls: Sequence[WallCheck]
    offset: tuple[float, float, float] | None

    @property
    def good(self) -> bool:
        """Two walls or more were seen, and every one that was seen is where it belongs."""
        seen = [wall for wall in self.walls if wall.seen]
        return len(seen) >= LEAST_WALLS and all(wall.good for wall in seen)


def check_walls(fits: Mapping[Side, LineFit], geometry: TableGeometry) -> WallsCheck:
    """Compare the walls as they were seen (:func:`lines_of_walls`) with the table's geometry."""
    half = geometry.stacks_per_side * geometry.wall.pitch / 2
    walls = [
        WallCheck(side, fit.tiles, fit.right, fit.outward, abs(fit.turn) * half)
        for side in SIDES
        for fit in (fits.get(side, LineFit()),)
    ]
    return WallsCheck(walls, offset_of_walls(fits))


def lines_of_walls(
    camera: CameraModel, geometry: TableGeometry, quads: ArrayLike
) -> dict[Side, LineFit]:
    """Where the four walls are seen to lie.

    Args:
        camera: the calibration.
        geometry: the walls' places.
        quads: (N, 4, 2) outlines of the upper faces of all tiles found, pixels.
    """
    outlines = np.asarray(quads, dtype=np.float64).reshape(-1, 4, 2)
    if not len(outlines):
        return {}
    places, angles = place(camera, outlines, geometry.stacked_z)[:2]
    fits: dict[Side, LineFit] = {}
    half = geometry.stacks_per_side * geometry.wall.pitch / 2 + geometry.wall.pitch / 2
    for side in SIDES:
        local = np.array([geometry.to_player(side, float(x), float(y)) for x, y in places])
        local -= (geometry.wall.centre, geometry.wall.offset)
        aslant = skew(angles, 90.0 * side)
        here = local[
            (np.abs(local[:, 0]) < half)
            & (np.abs(local[:, 1]) < geometry.tile_height / 2)
            & (aslant < 15.0)
        ]
        if len(here) >= 3:
            fits[side] = _line(here, geometry)
    return fits


def _line(here: NDArray[np.float64], geometry: TableGeometry) -> LineFit:
    """Robust line through tiles (N, 2) along and across; along, by the phase of the stacks."""
    rows = np.column_stack((np.ones(len(here)), here[:, 0]))
    fit = np.array([np.median(here[:, 1]), 0.0])
    for _ in range(10):
        off = here[:, 1] - rows @ fit
        weight = 1.0 / (1.0 + (off / 1.0) ** 2)
        # A short line says little of its turn.
        normal = rows.T @ (rows * weight[:, None]) + np.diag([0.0, 1e2])
        fit = np.linalg.solve(normal, rows.T @ (here[:, 1] * weight))
    pitch = geometry.wall.pitch
    phase = np.exp(2j * np.pi * (here[:, 0] - geometry.stack_phase) / pitch).mean()
    right = float(np.angle(phase)) / (2 * np.pi) * pitch
    return LineFit(right, float(fit[0]), float(fit[1]), len(here))
