"""Everything solid on the table as boxes: corners in the table frame and what covers what.

A box has a front (a tile's face), a back and four edges. Its corners are named as its owner
sees the front: top left, top right, bottom right, bottom left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.scene import DieBody, Pose, StickBody, TileBody

Floats = NDArray[np.float64]

RING = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]], np.float64)
"""Signs of the corners along width and height, clockwise from the top left."""

_POSES = {
    Pose.FACE_UP: np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1.0]]).T,
    Pose.FACE_DOWN: np.array([[-1, 0, 0], [0, 1, 0], [0, 0, -1.0]]).T,
    Pose.STANDING: np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0.0]]).T,
}


@dataclass(frozen=True, eq=False, slots=True)
class Box:
    """A box in the table frame.

    Attributes:
        centre: (3,) mm.
        axes: (3, 3); columns are the directions of width, height and the front's normal.
        half: half of width, height and depth, mm.
    """

    centre: Floats
    axes: Floats
    half: Floats

    def level(self, depth: float, inset: float = 0.0) -> Floats:
        """(4, 3) corners of the section at ``depth`` (1 front, -1 back), pulled in by ``inset``."""
        wide = (self.half[0] - inset) * RING[:, :1] * self.axes[:, 0]
        high = (self.half[1] - inset) * RING[:, 1:] * self.axes[:, 1]
        return np.asarray(
            self.centre + wide + high + depth * (self.half[2] - inset) * self.axes[:, 2]
        )

    def outline(self, rounding: float) -> Floats:
        """(16, 3) corners of front and back, each cut off at ``rounding`` mm along its edges."""
        points = []
        for depth in (1.0, -1.0):
            for cut_x, cut_y in ((rounding, rounding * 0.12), (rounding * 0.12, rounding)):
                wide = (self.half[0] - cut_x) * RING[:, :1] * self.axes[:, 0]
                high = (self.half[1] - cut_y) * RING[:, 1:] * self.axes[:, 1]
                points.append(self.centre + wide + high + depth * self.half[2] * self.axes[:, 2])
        return np.concatenate(points)

    @property
    def z_range(self) -> tuple[float, float]:
        """Lowest and highest point over the felt, mm."""
        reach = float(np.abs(self.axes[2]) @ self.half)
        return float(self.centre[2]) - reach, float(self.centre[2]) + reach


def turned(angle: float, tilt: float = 0.0) -> Floats:
    """Leaned by ``tilt`` over its own top, then turned by ``angle`` about the vertical, degrees."""
    a, b = math.radians(angle), math.radians(tilt)
    about_z = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, math.cos(b), math.sin(b)], [0, -math.sin(b), math.cos(b)]])
    return np.asarray(about_z @ about_x)


def _resting(x: float, y: float, z: float, axes: Floats, half: Floats) -> Box:
    lift = float(np.abs(axes[2]) @ half)
    return Box(np.array([x, y, z + lift]), axes, half)


def tile_box(tile: TileBody, tile_mm: Sequence[float]) -> Box:
    """The box of a tile of ``tile_mm`` (width, height, thickness)."""
    axes = turned(tile.angle, tile.tilt) @ _POSES[tile.pose]
    return _resting(tile.x, tile.y, tile.z, axes, np.array(tile_mm, np.float64) / 2)


def die_box(die: DieBody, edge: float) -> Box:
    """The box of a die; its front is the value that lies on top."""
    axes = turned(die.angle, 33.0 if die.cocked else 0.0)
    return _resting(die.x, die.y, 0.0, axes, np.full(3, edge / 2))


STICK_MM = (66.0, 7.0, 3.0)
"""Length, width and thickness of a scoring stick."""


def stick_box(stick: StickBody) -> Box:
    """The box of a scoring stick; ``angle`` 0 lies along x."""
    return _resting(stick.x, stick.y, 0.0, turned(stick.angle), np.array(STICK_MM) / 2)


def upper_side(box: Box) -> Floats:
    """(4, 3) corners of the side that looks up most, clockwise seen from above.

    They begin at the top left for the reader for whom the box is turned by 0: a lying tile
    begins at the top left of its face (of its back, read the same way up), a standing one at
    the corner that is behind and left of its owner's eye.
    """
    up = int(np.argmax(np.abs(box.axes[2])))
    sign = 1.0 if box.axes[2, up] > 0 else -1.0
    if up == 2:
        corners = box.level(sign)
        # the back seen from above runs the other way round: its owner's left is its right
        return corners if sign > 0 else corners[[1, 0, 3, 2]]
    if up == 1:
        # standing on its short edge: away from the reader is the back
        out = []
        for wide, deep in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            sides = np.array([wide * sign, sign, deep]) * box.half
            out.append(box.centre + box.axes @ sides)
        return np.array(out)
    out = []
    for high, deep in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        sides = np.array([sign, -high * sign, deep]) * box.half
        out.append(box.centre + box.axes @ sides)
    return np.array(out)


def painting_order(bounds: NDArray[np.int64], heights: Floats, distance: Floats) -> list[int]:
    """The order, back to front, in which boxes can be painted over each other.

    Seen from above, a box covers what it stands over, and among boxes at the same height the
    one nearer to the point below the camera covers the one behind it. Where boxes cover each
    other in a ring there is no right order: one of the ring is painted too early, and no other;
    none that stands over another one, if it can be helped.

    Args:
        bounds: (N, 4) x0, y0, x1, y1 of their pictures.
        heights: (N, 2) lowest and highest point, mm.
        distance: (N,) of their centres from the point below the camera, mm.
    """
    n = len(bounds)
    if n < 2:
        return list(range(n))
    near = overlapping(bounds)
    low, high = heights[:, 0], heights[:, 1]
    above = low[:, None] >= high[None, :] - 1.0
    level = ~above & ~above.T
    closer = distance[:, None] < distance[None, :]
    covers = near & (above & ~(above.T & ~closer) | level & closer)  # [i, j]: i covers j
    waiting = covers.sum(axis=1)
    rank = np.argsort(-distance, kind="stable")
    order: list[int] = []
    left = [int(i) for i in rank]
    while left:
        ready = next((i for i in left if waiting[i] == 0), None)
        if ready is None:
            ready = _of_a_ring(covers, above, left)
        left.remove(ready)
        order.append(ready)
        waiting -= covers[:, ready]
    return order


def overlapping(bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(N, N) whether the pictures of two boxes overlap; ``bounds`` (N, 4) x0, y0, x1, y1."""
    near = (
        (bounds[:, None, 0] < bounds[None, :, 2])
        & (bounds[None, :, 0] < bounds[:, None, 2])
        & (bounds[:, None, 1] < bounds[None, :, 3])
        & (bounds[None, :, 1] < bounds[:, None, 3])
    )
    np.fill_diagonal(near, val=False)
    return np.asarray(near)


def _of_a_ring(covers: NDArray[np.bool_], above: NDArray[np.bool_], left: Sequence[int]) -> int:
    """One of boxes that cover each other in a ring: the farthest that stands over none of them.

    Args:
        covers: (N, N) whether one covers the other.
        above: (N, N) whether one stands over the other.
        left: those not painted yet, the farthest first; each of them covers another of them.
    """
    way = [left[0]]
    while (here := next(i for i in left if covers[way[-1], i])) not in way:
        way.append(here)
    members = set(way[way.index(here) :])
    ring = [i for i in left if i in members]
    over = set(np.flatnonzero((covers & above)[:, left].any(axis=1)).tolist())
    return next((i for i in ring if i not in over), ring[0])
