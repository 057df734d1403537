"""The zones of a table: where walls, pools, melds, hands, dice and sticks belong.

A file (:mod:`vision.zones_file`) describes a table for side 0; side s is the same turned by 90°·s
counter-clockwise. A place is given either in the table frame (x right, y up, millimetres,
origin in the middle) or in a *player's frame*: ``right`` along the player's own edge, positive
to the player's right, and ``offset`` from the centre of the table towards that edge.

Pure: nothing here looks at pictures; the controller and vision share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal, NamedTuple, get_args

from vision.sightings import Point, Polygon
from vision.zones_file import ZonesFile

Side = Literal[0, 1, 2, 3]
Layer = Literal["top", "bottom"]
SIDES: tuple[Side, ...] = get_args(Side)


class Zone(StrEnum):
    """What a part of the table is for."""

    WALL = "wall"
    POOL = "pool"
    MELD = "meld"
    HAND = "hand"
    DICE = "dice"
    STICK = "stick"
    FELT = "felt"
    """On the surface, in none of the zones."""
    OFF = "off"
    """Outside the playing surface."""


class ZoneHit(NamedTuple):
    """A zone that a point lies in; ``side`` is None for the middle, bare felt and outside."""

    zone: Zone
    side: Side | None


class Pose2(NamedTuple):
    """A place with a direction: mm in the table frame, degrees counter-clockwise."""

    x: float
    y: float
    angle: float


class WallSlot(NamedTuple):
    """A place in a wall: ``stack`` counts 1.. from that player's right end to the left."""

    side: Side
    stack: int
    layer: Layer


class PoolCell(NamedTuple):
    """A place in a pool: row 0 nearest the centre, column 0 at the player's left."""

    side: Side
    row: int
    col: int


class StackHit(NamedTuple):
    """The stack of a wall nearest to a point and how far off it is.

    ``along`` is the distance from the middle of the stack towards the player's right,
    ``across`` towards that player, both in mm.
    """

    side: Side
    stack: int
    along: float
    across: float


class CellHit(NamedTuple):
    """The pool cell nearest to a point and how far off it is (as in :class:`StackHit`)."""

    cell: PoolCell
    along: float
    across: float


class TableGeometry(ZonesFile):
    """All zones of a table in millimetres, with the places in them."""

    # -- frames -------------------------------------------------------------------------

    @staticmethod
    def to_table(side: int, right: float, offset: float) -> Point:
        """From the frame of ``side``'s player to the table frame."""
        x, y = right, -offset
        for _ in range(side % 4):
            x, y = -y, x
        return x, y

    @staticmethod
    def to_player(side: int, x: float, y: float) -> Point:
        """From the table frame to (``right``, ``offset``) of ``side``'s player."""
        for _ in range(side % 4):
            x, y = y, -x
        return x, -y

    @staticmethod
    def facing_side(x: float, y: float) -> Side:
        """The side whose quarter of the table (cut along the diagonals) a point lies in."""
        if abs(y) >= abs(x):
            return 0 if y <= 0 else 2
        return 1 if x > 0 else 3

    # -- walls --------------------------------------------------------------------------

    def wall_pose(self, slot: WallSlot, stacks: int | None = None) -> Pose2:
        """Middle of a wall slot; ``stacks`` are those of this side's wall when not the usual."""
        right = self.stack_right(slot.stack, stacks)
        x, y = self.to_table(slot.side, right, self.wall.offset)
        return Pose2(x, y, 90.0 * slot.side)

    def wall_top_z(self, layer: Layer) -> float:
        """Height of the upper side of a tile in that layer, mm."""
        return self.stacked_z if layer == "top" else self.flat_z

    def wall_slots(self, stacks: tuple[int, int, int, int] | None = None) -> Iterator[WallSlot]:
        """All slots in counting order; ``stacks`` per side when not the usual number."""
        for side in SIDES:
            count = self.stacks_per_side if stacks is None else stacks[side]
            for stack in range(1, count + 1):
                yield WallSlot(side, stack, "top")
                yield WallSlot(side, stack, "bottom")

    @property
    def stack_phase(self) -> float:
        """How far from the middle of a wall the middle of a stack lies, less whole pitches, mm."""
        return (self.stacks_per_side + 1) % 2 * self.wall.pitch / 2

    def stack_right(self, stack: int, stacks: int | None = None) -> float:
        """How far to the right a stack lies, mm: the inverse of :meth:`stack_place`."""
        count = self.stacks_per_side if stacks is None else stacks
        return self.wall.centre + ((count + 1) / 2 - stack) * self.wall.pitch

    def stack_place(self, right: float, stacks: int | None = None) -> float:
        """Which stack of a wall lies so far to the right, mm; a whole number at its middle.

        ``stacks`` are those of this side's wall when not the usual.
        """
        count = self.stacks_per_side if stacks is None else stacks
        return (count + 1) / 2 - (right - self.wall.centre) / self.wall.pitch

    def nearest_stack(
        self, x: float, y: float, stacks: tuple[int, int, int, int] | None = None
    ) -> StackHit:
        """The stack whose middle is nearest; the caller judges how far off is too far."""
        hits = []
        for side in SIDES:
            count = self.stacks_per_side if stacks is None else stacks[side]
            if count == 0:
                continue
            right, offset = self.to_player(side, x, y)
            stack = min(max(round(self.stack_place(right, count)), 1), count)
            along = right - self.stack_right(stack, count)
            hits.append(StackHit(side, stack, along, offset - self.wall.offset))
        if not hits:
            raise ValueError("no side has a wall")
        return min(hits, key=lambda hit: hit.along**2 + hit.across**2)

    def stack_at(
        self,
        x: float,
        y: float,
        stacks: tuple[int, int, int, int] | None = None,
        tolerance: float | None = None,
    ) -> StackHit | None:
        """The stack that a tile at x, y stands in, or None when it is in no line.

        ``tolerance`` (mm) defaults to half the pitch along and half a tile across the wall.
        """
        hit = self.nearest_stack(x, y, stacks)
        along = self.wall.pitch / 2 if tolerance is None else tolerance
        across = self.tile_height / 2 if tolerance is None else tolerance
        inside = abs(hit.along) <= along + 1e-9 and abs(hit.across) <= across + 1e-9
        return hit if inside else None

    # -- pools --------------------------------------------------------------------------

    def pool_pose(self, cell: PoolCell) -> Pose2:
        """Middle of a pool cell."""
        right = (cell.col - (self.pool.columns - 1) / 2) * self.pool.column_pitch
        offset = self.pool.offset + cell.row * self.pool.row_pitch
        x, y = self.to_table(cell.side, right, offset)
        return Pose2(x, y, 90.0 * cell.side)

    def pool_cells(self, side: int) -> Iterator[PoolCell]:
        """That side's cells in the order they are filled."""
        owner = SIDES[side]
        for row in range(self.pool.rows):
            for col in range(self.pool.columns):
                yield PoolCell(owner, row, col)

    def nearest_cell(self, x: float, y: float, side: int) -> CellHit:
        """The cell of ``side``'s pool nearest to a point (a sideways tile shifts its row)."""
        right, offset = self.to_player(side, x, y)
        pool = self.pool
        column = right / pool.column_pitch + (pool.columns - 1) / 2
        col = min(max(round(column), 0), pool.columns - 1)
        row = min(max(round((offset - pool.offset) / pool.row_pitch), 0), pool.rows - 1)
        return CellHit(
            PoolCell(SIDES[side], row, col),
            right - (col - (pool.columns - 1) / 2) * pool.column_pitch,
            offset - (pool.offset + row * pool.row_pitch),
        )

    def pool_cell_at(self, x: float, y: float) -> CellHit | None:
        """The cell of any pool that a tile at x, y lies in, or None outside all rows."""
        for side in SIDES:
            hit = self.nearest_cell(x, y, side)
            if (
                abs(hit.along) <= self.pool.column_pitch / 2 + 1e-9
                and abs(hit.across) <= self.pool.row_pitch / 2 + 1e-9
            ):
                return hit
        return None

    # -- other places -------------------------------------------------------------------

    def stick_pose(self, side: int) -> Pose2:
        """Where a riichi stick lies: across the player's axis."""
        x, y = self.to_table(side, 0.0, self.stick.offset)
        return Pose2(x, y, 90.0 * side)

    # -- zones --------------------------------------------------------------------------

    def _bounds(self, zone: Zone) -> tuple[float, float, float, float]:
        """(right from, right to, offset from, offset to) of a side's zone, with its margin."""
        width, height, thickness = self.tile_mm
        slack = 0.25 * width
        match zone:
            case Zone.WALL:
                half = self.stacks_per_side * self.wall.pitch / 2
                middle = self.wall.centre
                depth = height / 2 + slack
                return (
                    middle - half - slack,
                    middle + half + slack,
                    self.wall.offset - depth,
                    self.wall.offset + depth,
                )
            case Zone.POOL:
                half = self.pool.columns * self.pool.column_pitch / 2
                first = self.pool.offset - self.pool.row_pitch / 2
                last = self.pool.offset + (self.pool.rows - 0.5) * self.pool.row_pitch
                # A row may grow by a sideways tile and by a seventh at its right end.
                return -half - slack, half + height + slack, first, last
            case Zone.MELD:
                depth = height / 2 + slack
                return (
                    min(self.meld.flowers_left, -self.meld.right) - slack,
                    max(self.meld.right, -self.meld.flowers_left) + slack,
                    self.meld.offset - depth,
                    self.meld.offset + depth,
                )
            case Zone.HAND:
                depth = thickness / 2 + 2 * slack
                return (
                    self.hand.start - slack,
                    self.hand.end + slack,
                    self.hand.offset - depth,
                    self.hand.offset + depth,
                )
            case Zone.STICK:
                # A stick is about 95 mm long and lies across the axis.
                return -50.0, 50.0, self.stick.offset - slack, self.stick.offset + slack
            case Zone.DICE:
                half = self.dice.half
                return -half, half, -half, half
            case Zone.FELT | Zone.OFF:
                half = self.surface_mm / 2
                return -half, half, -half, half

    def outline(self, zone: Zone, side: int = 0) -> Polygon:
        """Corners of a zone in the table frame, counter-clockwise; for drawing and masks."""
        left, right, near, far = self._bounds(zone)
        corners = ((left, far), (right, far), (right, near), (left, near))
        return tuple(self.to_table(side, u, offset) for u, offset in corners)

    def zones_at(self, x: float, y: float) -> tuple[ZoneHit, ...]:
        """Every zone a point lies in, the one it lies deepest in first; never empty.

        Zones may overlap (a long row of sets reaches into where the hand stood), hence more
        than one; how a tile lies then decides.
        """
        half = self.surface_mm / 2
        if abs(x) > half or abs(y) > half:
            return (ZoneHit(Zone.OFF, None),)
        found: list[tuple[float, int, ZoneHit]] = []
        for order, zone in enumerate((Zone.WALL, Zone.POOL, Zone.MELD, Zone.HAND, Zone.STICK)):
            left, right, near, far = self._bounds(zone)
            for side in SIDES:
                u, offset = self.to_player(side, x, y)
                if left <= u <= right and near <= offset <= far:
                    # How far from the middle line of the zone, as a share of its depth.
                    shallow = abs(offset - (near + far) / 2) / (far - near)
                    found.append((shallow, order, ZoneHit(zone, side)))
        if abs(x) <= self.dice.half and abs(y) <= self.dice.half:
            found.append((max(abs(x), abs(y)) / (2 * self.dice.half), 9, ZoneHit(Zone.DICE, None)))
        if not found:
            return (ZoneHit(Zone.FELT, None),)
        return tuple(hit for _, _, hit in sorted(found))

    def zone_at(self, x: float, y: float) -> ZoneHit:
        """The zone a point lies deepest in."""
        return self.zones_at(x, y)[0]
