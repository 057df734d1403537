"""Which wall tile fingertips are on, and where what they do there is no touch of one."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.staying import TOUCH_MM, falls_short
from table_controller.happenings.taking.turns import replaces
from table_controller.happenings.wall.dead_wall import Region
from table_controller.happenings.wall.disturbances import Disturbances
from table_controller.happenings.wall.stacks import LAYERS
from vision.sightings import Point

_OPEN_S = 2.0
"""A hand that comes to a tile that lay open so lately comes to turn it down."""
_OPENED_MM = 3 * TOUCH_MM
"""So near a hand seems to be to a stack that turns over the tile of another one."""
_NEXT, _ONE_BETWEEN = 1, 2
"""Stacks from one to the next, and to the one after that."""
_BEYOND_MM = 48.0
"""Fingertips are seen up to 30 mm beside where they are, and a tile is held at its edge."""
_HIGHER_LOOKS = 2
"""One look under a hand may show what it holds."""
_BETWEEN_MM = 4.0
"""On average of some looks fingertips are seen so near to where they are."""


class Fingers:
    """Says which wall tile fingertips are on.

    Args:
        table: the shared state.
        region: what a slot of the dead wall is for: hands come there for other reasons, too.
        disturbances: of the walls: what is pushed, or put right, is not touched to be drawn.
    """

    def __init__(
        self,
        table: Table,
        region: Callable[[Slot], Region | None],
        disturbances: Disturbances,
    ) -> None:
        self._table = table
        self._region = region
        self._disturbances = disturbances

    def slot(self, seat: Seat, tip: Point | None, t: float) -> Slot | None:
        """The tile that a hand of this seat is on at a time, if it may be there to touch it."""
        slot = None if tip is None else self._table.walls.under(tip, TOUCH_MM)
        if tip is None or slot is None or self.opened(tip, t - _OPEN_S):
            return None
        if self._disturbances.straightening(slot.side, t) or self._reserved(seat, slot, t):
            return None
        short = falls_short(seat, slot.side, self.behind(tip))
        return None if short or self._holds_beside(seat, slot, tip) else self._as_it_was(slot, t)

    def _as_it_was(self, slot: Slot, t: float) -> Slot:
        """The uppermost tile of a stack at a time, though that has been lifted since."""
        if slot.layer == "top" or t >= self._table.now:
            return slot
        glances = self._table.walls.stacks[slot[:2]].glances
        seen = [each.height for each in glances if each.t <= t and not each.hidden]
        return slot._replace(layer="top") if seen and seen[-1] == len(LAYERS) else slot

    def inner(self, slot: Slot) -> bool:
        """Whether a tile stands within a wall, or who lifts it is known as late as there."""
        return not self._table.walls.at_end(slot) or self._region(slot) is not None

    def beside(self, tip: Point, slot: Slot) -> bool:
        """Whether a hand is nearer to another stack than to the one whose tile is counted."""
        spot = self._table.places.spot(*tip)
        number = self._table.places.stack_of(spot)[0]
        other = self._table.walls.stacks.get((spot.seat, number))
        # Beyond the end of a wall there is nothing else to touch.
        return spot.seat == slot.side and number != slot.stack and bool(other and other.height)

    def between(self, tip: Point, slot: Slot) -> bool:
        """Whether a hand is about as near to the stack beside it as to this one."""
        places = self._table.places
        spot = places.spot(*tip)
        number, along, _ = places.stack_of(spot)
        near = places.geometry.wall.pitch / 2 - abs(along) <= _BETWEEN_MM
        step = 1 if along > 0 else -1
        pair = {number, number + step}
        stacks = (self._table.walls.stacks.get((slot.side, n)) for n in pair - {slot.stack})
        standing = any(stack is not None and stack.height for stack in stacks)
        return near and spot.seat == slot.side and slot.stack in pair and standing

    def beyond(self, tip: Point, slot: Slot) -> bool:
        """Whether a hand is seen beyond the open end of a wall, as near as it may be on its tile.

        No stack stands there: what fingers touch that rest there is the last one.
        """
        places, stacks = self._table.places, self._table.walls.stacks
        spot = places.spot(*tip)
        number, _, across = places.stack_of(spot)
        if spot.seat != slot.side or number == slot.stack or abs(across) > TOUCH_MM:
            return False
        step = 1 if number > slot.stack else -1
        there = (stacks.get((slot.side, n)) for n in range(slot.stack + step, number + step, step))
        bare = not any(stack is not None and stack.height for stack in there)
        return bare and distance(tip, places.slot_point(slot)) <= _BEYOND_MM

    def behind(self, tip: Point) -> float:
        """How far fingertips are from the line of the wall, on its owner's side, mm."""
        places = self._table.places
        return places.stack_of(places.spot(*tip))[2]

    def opened(self, at: Point, since: float) -> bool:
        """Whether a hand came to turn a tile over, or back, close by: one that is no indicator."""
        lie = {slot[:2] for slot, t in self._table.turned_at.items() if t < since}
        return any(
            max(stack.face_up_seen, stack.turned_down) >= since
            and distance(stack.point, at) < _OPENED_MM
            and (stack.side, stack.number) not in lie
            for stack in self._table.walls.stacks.values()
        )

    def pushed(self, seat: Seat, slot: Slot, t: float) -> bool:
        """Whether this seat's hand pushed its stack, or one beside it, at a time."""
        return self._disturbances.beside(slot.side, slot.stack, t, by=seat)

    def higher(self, slot: Slot, since: float) -> bool:
        """Whether the stack of a tile looks higher now than with it on top, as it did not before.

        It must still: the tile itself is as high while a hand lifts it.
        """
        height = LAYERS.index(slot.layer) + 1
        looks = [one for one in self._table.walls.stacks[slot[:2]].glances if one.t > since]
        latest = looks[-_HIGHER_LOOKS:]
        return len(latest) == _HIGHER_LOOKS and all(one.height > height for one in latest)

    def _holds_beside(self, seat: Seat, slot: Slot, tip: Point) -> bool:
        """Whether a hand holds the tile of another stack, whose gap it hides.

        The sensor feels nothing there, and nobody else's hand is nearer.
        """
        tips = [self._table.arms.tip(other) for other in SEATS if other != seat]
        others = [other for other in tips if other is not None]
        return any(
            (gap.side, gap.number) != slot[:2]
            and all(distance(tip, gap.point) <= distance(other, gap.point) for other in others)
            for gap in self._table.walls.missed_near(tip)
        )

    def reserved_beside(self, slot: Slot) -> bool:
        """Whether hands come to the stack beside a replacement tile for what lies next to it."""
        return self._region(slot) == "replacement" and self._turned(slot, _ONE_BETWEEN)

    def nearer_reserved(self, slot: Slot, tip: Point) -> bool:
        """Whether fingertips are nearer to a tile that was turned up than to this one."""
        point = self._table.places.slot_point
        return any(
            distance(tip, point(other)) <= distance(tip, point(slot))
            for other in self._table.turned_at
        )

    def _reserved(self, seat: Seat, slot: Slot, t: float) -> bool:
        """Whether a hand comes to a slot of the dead wall to turn a tile up, or to replace one."""
        region = self._region(slot)
        if region is None:
            return False
        # Fingers that come for an indicator are seen over the stack beside it, too.
        turned = self._turned(slot, _NEXT)
        return region != "replacement" or turned or replaces(self._table, seat, t)

    def _turned(self, slot: Slot, stacks: int) -> bool:
        """Whether a tile was turned over so many stacks from another one along its wall."""
        return any(
            other.side == slot.side and abs(other.stack - slot.stack) == stacks
            for other in self._table.turned_at
        )
