"""Hands that rested on the tile beside the one that they took then.

Where fingertips are seen a hand is known within half a stack only, but it is seen as far off for as
long as it is at the wall: how far it went on before it took its tile says what it rested on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.table import Table
from table_controller.happenings.taking.brief import BRIEF_LOOKS, BRIEF_S
from table_controller.happenings.wall.stacks import LAYERS

_VISIT_S = 3.0
"""A hand that draws in turn is at the wall for no longer."""
_ON_WALL_MM, _ON_WALL = 22.0, 2.2
"""It is seen so near to the line of the wall, and so many stacks from its tile at most."""
_STILL = 0.5
"""While it rests it is seen within so many stacks of where it is seen mostly."""
_STEP, _FARTHEST = 0.75, 1.5
"""So many stacks a hand goes on from one tile to the next one, as it is seen."""
_TOOK = 0.6
"""It is seen so near to the tile that it takes, in stacks."""
_RESTED_S, _LIFTED_MM = 0.3, 30.0
"""So long a hand rests on a tile before it lifts it, and seems to be so far outside of the wall."""
_TAKING_LOOKS = 2
"""The first looks in which it is there: then it goes away with its tile."""


@dataclass(frozen=True, slots=True)
class _Look:
    """Where a hand was seen at the wall: how many stacks along it from the tile that it took."""

    t: float
    along: float


def rested_beside(table: Table, seat: Seat, slot: Slot, t: float) -> tuple[Slot, float] | None:
    """The tile of the stack beside on which a hand rested before it took one, and since when.

    Args:
        table: what is known of the table.
        seat: whose hand.
        slot: the tile that it took.
        t: when it took it.
    """
    looks = _at_wall(table, seat, slot, t)
    steps = (_step(looks[:at], looks[at:]) for at in range(BRIEF_LOOKS, len(looks)))
    found = max((step for step in steps if step is not None), default=None)
    if found is None:
        return None
    way, since = found[1:]
    stacks = table.walls.stacks
    to_player = table.places.geometry.to_player
    here = to_player(slot.side, *table.places.slot_point(slot))[0]
    for number in (slot.stack - 1, slot.stack + 1):
        stack = stacks.get((slot.side, number))
        beside = stack is not None and (to_player(slot.side, *stack.point)[0] - here) * way > 0
        if stack is not None and beside and stack.height:
            return Slot(slot.side, number, LAYERS[stack.height - 1]), since
    return None


def _at_wall(table: Table, seat: Seat, slot: Slot, t: float) -> list[_Look]:
    """The looks that showed the hand at the wall about a tile, until it took it."""
    geometry = table.places.geometry
    here, line = geometry.to_player(slot.side, *table.places.slot_point(slot))
    looks = []
    for tip in table.arms.path(seat, t - _VISIT_S, t):
        if tip.point is not None:
            along, across = geometry.to_player(slot.side, *tip.point)
            stacks = (along - here) / geometry.wall.pitch
            if abs(across - line) <= _ON_WALL_MM and abs(stacks) <= _ON_WALL:
                looks.append(_Look(tip.t, stacks))
    return looks


def _step(before: Sequence[_Look], after: Sequence[_Look]) -> tuple[float, float, float] | None:
    """How plainly a hand went on between these looks, which way it came, and since when it rested.

    None where it did not: it has to have rested as long as for a touch.
    """
    there = median(look.along for look in before)
    took = median(look.along for look in after[:_TAKING_LOOKS])
    rested = [look for look in before if abs(look.along - there) <= _STILL]
    step = there - took
    if (
        len(rested) < BRIEF_LOOKS
        or rested[-1].t - rested[0].t < BRIEF_S
        or not _STEP <= abs(step) <= _FARTHEST
        or abs(took) > _TOOK
        or step * there <= 0
    ):
        return None
    return abs(step), step, rested[0].t


def goes_on(
    table: Table, seat: Seat, was: Slot, took: Slot, *, came: float, back: float, left: float
) -> bool:
    """Whether a hand went on along a wall before it took a tile, by half a stack and more.

    One look errs: two on end have to show it.

    Args:
        table: what is known of the table.
        seat: whose hand.
        was: the tile that it seemed to rest on.
        took: the one beside it that it took then.
        came: when it came to rest.
        back: when it let go of the first tile.
        left: when it went away with the second one.
    """
    geometry = table.places.geometry
    line = geometry.wall.offset

    def along(since: float, until: float) -> list[float]:
        ways = (
            geometry.to_player(was.side, *tip.point)
            for tip in table.arms.path(seat, since, until)
            if tip.point is not None
        )
        return [way for way, out in ways if -_ON_WALL_MM <= out - line <= _LIFTED_MM]

    rested = along(came, came + _RESTED_S)
    if not rested:
        return True
    point = table.places.slot_point
    here, there = (geometry.to_player(was.side, *point(slot))[0] for slot in (was, took))
    step = math.copysign(_STILL * geometry.wall.pitch, there - here)
    on = [(way - median(rested)) / step >= 1.0 for way in along(back, left)]
    return any(one and other for one, other in pairwise(on))
