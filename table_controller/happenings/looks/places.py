"""Which place of the table a point belongs to, as the follower needs it.

The zones come from :class:`vision.geometry.TableGeometry`. Here every point of the felt gets
exactly one place: the borders run half way between neighbouring zones, so that a tile that was
laid down carelessly still belongs somewhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from table_controller.domain.happenings import Layer, Place, Seat, Slot
from vision.geometry import TableGeometry
from vision.sightings import Point, Polygon

SEATS: Final[tuple[Seat, ...]] = (0, 1, 2, 3)
CLOCKWISE: Final[tuple[Seat, ...]] = (0, 3, 2, 1)
"""The order in which walls are counted and drawn from, seen from above."""


class Area(StrEnum):
    """What a part of the felt is for."""

    POOL = "pool"
    WALL = "wall"
    MELD = "meld"
    HAND = "hand"
    MIDDLE = "middle"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Spot:
    """A point in its player's frame: ``right`` along the edge, ``offset`` towards it, mm."""

    area: Area
    seat: Seat
    right: float
    offset: float


def inside(polygon: Polygon, x: float, y: float) -> bool:
    """Whether a point lies in a polygon (even-odd rule)."""
    within = False
    px, py = polygon[-1]
    for qx, qy in polygon:
        if (qy > y) != (py > y) and x < (px - qx) * (y - qy) / (py - qy) + qx:
            within = not within
        px, py = qx, qy
    return within


def edge_distance(polygon: Polygon, x: float, y: float) -> float:
    """Distance from a point to the outline of a polygon, mm."""
    best = float("inf")
    px, py = polygon[-1]
    for qx, qy in polygon:
        dx, dy = qx - px, qy - py
        length = dx * dx + dy * dy
        s = 0.0 if length == 0.0 else min(1.0, max(0.0, ((x - px) * dx + (y - py) * dy) / length))
        best = min(best, (x - px - s * dx) ** 2 + (y - py - s * dy) ** 2)
        px, py = qx, qy
    return float(best**0.5)


def distance(a: Point, b: Point) -> float:
    """Distance of two points, mm."""
    return math.dist(a, b)


def turn_between(a: float, b: float, modulo: float = 360.0) -> float:
    """The smallest turn from one angle to the other, degrees, never negative."""
    turn = (a - b) % modulo
    return min(turn, modulo - turn)


class Places:
    """The places of one table."""

    def __init__(self, geometry: TableGeometry) -> None:
        self.geometry = geometry
        g = geometry
        half_height = g.tile_height / 2
        last_row = g.pool.offset + (g.pool.rows - 1) * g.pool.row_pitch
        self._pool_near = g.pool.offset - g.pool.row_pitch / 2 - 6.0
        self._pool_half = g.pool.columns * g.pool.column_pitch / 2
        # The last row goes on to the right when the others are full.
        self._last_row = last_row - g.pool.row_pitch / 2
        self._goes_on = last_row - g.tile_width / 2
        self._wall_near = (last_row + g.wall.offset) / 2
        self._wall_far = (g.wall.offset + half_height + g.meld.offset - half_height) / 2
        self._wall_half = (g.stacks_per_side / 2 + 1) * g.wall.pitch
        self.one_row = g.meld.offset + half_height > g.hand.offset
        """Sets lie in one row with the standing tiles, from the player's right corner."""
        # A standing tile that falls towards the middle still lies nearer to the hand.
        self._hand_near = min(
            g.meld.offset + half_height, (2 * g.meld.offset + 3 * g.hand.offset) / 5
        )
        self.row_end = g.hand.end + 1.5 * g.tile_width
        """Where the hand ends and sets begin in such a row, while nothing lies there."""
        self.parked = g.hand.offset - 31.0
        """Dice this far out lie beside a hand, waiting for their next throw."""

    def spot(self, x: float, y: float) -> Spot:
        """The place of a point."""
        g = self.geometry
        seat: Seat = g.facing_side(x, y)
        right, offset = g.to_player(seat, x, y)
        if max(abs(x), abs(y)) <= g.dice.half:
            area = Area.MIDDLE
        elif self.one_row and offset >= self._wall_far:
            area = Area.HAND if right <= self.row_end else Area.MELD
        elif offset >= self._hand_near:
            area = Area.HAND
        elif offset >= self._wall_far:
            area = Area.MELD
        elif offset >= self._wall_near and abs(right - g.wall.centre) <= self._wall_half:
            area = Area.WALL
        elif self._pool_near <= offset < self._wall_near and (
            -self._pool_half - 6.0 <= right <= self._pool_half + g.tile_height
            or (offset >= self._last_row and 0.0 < right <= self._goes_on)
        ):
            area = Area.POOL
        else:
            area = Area.TABLE
        return Spot(area, seat, right, offset)

    def pool_row(self, spot: Spot) -> int:
        """The row of a pool that a point is nearest to."""
        return round((spot.offset - self.geometry.pool.offset) / self.geometry.pool.row_pitch)

    def pool_place(self, spot: Spot, sideways: float = 0.0) -> Place | None:
        """Row and column in the pool, or None outside the rows.

        ``sideways`` is how many tiles lie sideways before it in its row, a half for itself:
        each takes more room and moves the rest of the row to the right.
        """
        pool = self.geometry.pool
        row_at = (spot.offset - pool.offset) / pool.row_pitch
        row = round(row_at)
        right = spot.right - sideways * (self.geometry.tile_height - self.geometry.tile_width)
        col = round(right / pool.column_pitch + (pool.columns - 1) / 2)
        if spot.area is not Area.POOL or not 0 <= row < pool.rows:
            return None
        if abs(row_at - row) > 0.42 or col < 0:
            return None
        if row < pool.rows - 1:
            col = min(col, pool.columns - 1)
        return Place(row, col)

    def pool_spot(self, place: Place, seat: Seat, sideways: float = 0.0) -> Spot:
        """Middle of a place of a pool; ``sideways`` as in ``pool_place``."""
        pool = self.geometry.pool
        right = (place.col - (pool.columns - 1) / 2) * pool.column_pitch
        right += sideways * (self.geometry.tile_height - self.geometry.tile_width)
        return Spot(Area.POOL, seat, right, pool.offset + place.row * pool.row_pitch)

    def slot_point(self, slot: Slot) -> Point:
        """Middle of a wall slot on the felt."""
        g = self.geometry
        right = g.stack_right(slot.stack)
        return g.to_table(slot.side, right, g.wall.offset)

    def middle(self, slots: Sequence[Slot]) -> Point:
        """Middle of several wall slots on the felt."""
        points = [self.slot_point(slot) for slot in slots]
        return (
            sum(x for x, _ in points) / len(points),
            sum(y for _, y in points) / len(points),
        )

    def stack_of(self, spot: Spot) -> tuple[int, float, float]:
        """The nearest stack and how far off it a point lies (along, across), mm."""
        wall = self.geometry.wall
        position = self.geometry.stack_place(spot.right)
        stack = round(position)
        return stack, (stack - position) * -wall.pitch, spot.offset - wall.offset

    def near_wall(self, x: float, y: float) -> bool:
        """Whether a tile there lies in a wall line or has just fallen off it."""
        spot = self.spot(x, y)
        reach = 1.2 * self.geometry.tile_height
        return (
            abs(spot.offset - self.geometry.wall.offset) <= reach
            and abs(spot.right - self.geometry.wall.centre) <= self._wall_half
            and self.pool_place(spot) is None
        )

    def layer(self, z: float) -> Layer:
        """The layer of a wall whose upper side is at a height."""
        return "top" if z > 1.5 * self.geometry.tile_thickness else "bottom"
