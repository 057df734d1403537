"""Grabs of the deal that leave no doubt, told before those around them are sorted out.

The sensors missed two stacks beside each other at one moment, and one hand alone was there
and had stopped over them. What is wrong with a break or a deal is known by these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.assigning import HANDFUL
from table_controller.happenings.wall.removals import (
    FELT_S,
    Near,
    Removal,
    felt_together,
    half_felt,
)

NOTICED_S = 0.25
"""What left at the same moment is seen gone within this time."""
WITHIN_MM = 62.0
"""Two tiles that are taken together lie up to a stack's width off the fingertips, and there is
noise."""
_OVER_MM, _SENSED_S = 30.0, 0.25
"""A hand that stops so near to the middle of a grab, at the time the sensors say, took it."""


@dataclass(frozen=True, slots=True)
class PlainGrab:
    """Its tiles, the stop of the hand that took them, and when the sensors missed them."""

    removals: tuple[Removal, ...]
    stop: Dwell
    emptied: float


def plain_grabs(table: Table, near: Near, t: float) -> Iterator[PlainGrab]:
    """Find them.

    Args:
        table: the shared state.
        near: the tiles that are not given to a hand yet.
        t: now.
    """
    told: set[Removal] = set()
    stacks = table.walls.stacks.values()
    for first in [removal for removal in near if removal.emptied is not None]:
        grab = tuple(one for one in near if _of_grab(one, first))
        places = {one.slot[:2] for one in grab}
        if len(grab) != HANDFUL or len(places) != 2 or not told.isdisjoint(grab):
            continue
        if t - max(one.noticed for one in grab) < NOTICED_S or half_felt(grab, stacks):
            continue
        (side, low), (other, high) = sorted(places)
        stop = _alone(table, first, grab, near)
        if side != other or high - low != 1 or stop is None or first.emptied is None:
            continue
        told.update(grab)
        yield PlainGrab(grab, stop, first.emptied)


def _of_grab(one: Removal, first: Removal) -> bool:
    """Whether a tile left in the grab of another that the sensors felt."""
    if one.emptied is not None:
        return felt_together(one, first)
    return first.emptied is not None and abs(one.until - first.emptied) <= FELT_S


def _alone(table: Table, first: Removal, grab: Sequence[Removal], near: Near) -> Dwell | None:
    """The only stop over a grab at its moment, if no other hand was anywhere near."""
    at = first.emptied
    if at is None:
        return None
    stops = {stop for one in grab for stop in near[one]}
    there = [stop for stop in stops if stop.came - _SENSED_S <= at <= stop.left + _SENSED_S]
    if len(there) != 1:
        return None
    middle = table.places.middle([one.slot for one in grab])
    visits = table.arms.visits(middle, at, at, WITHIN_MM, slow=False)
    alone = {visit.seat for visit in visits} <= {there[0].seat}
    return there[0] if alone and distance(there[0].point, middle) <= _OVER_MM else None
