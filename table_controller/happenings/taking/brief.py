"""Hands that were on a wall tile only for a moment and went without it.

Who takes a tile is on it as long, so that alone says nothing: what is left behind does.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from vision.sightings import Point

BRIEF_S = 0.28
"""Fingers that stop so long on a tile have touched it: three looks and more."""
_ON_IT_MM = 20.0
"""On average they are seen so near to it: single looks err by 6 mm, alike for some of them."""
_STANDS_LOOKS = 2
"""The tile is there after them in so many looks with no arm over it."""
_INNER_S = 0.65
"""Of a tile within a wall it is known so much later whether it was lifted there."""
_APART = 2
_WAIT_S = 1.2


@dataclass(frozen=True, slots=True)
class Left:
    """A stop on a tile that is over: whose, on which, where and when it began, when it ended."""

    seat: Seat
    slot: Slot
    at: Point
    since: float
    last: float
    inner: bool = False
    """It stands between others: a hand that lifts such a tile seems to leave it for some looks."""


class BriefTouches:
    """Keeps short stops at the wall until it is seen what became of the tile.

    Args:
        table: the shared state.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._left: dict[Seat, Left] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._left.clear()

    def leaves(self, left: Left) -> None:
        """A hand left a tile that it was on for too short a time to be told at once."""
        if self._on_it(left):
            self._left[left.seat] = left

    def took(self, seat: Seat | None, slots: Collection[Slot] = ()) -> None:
        """The hand had come to take something: it did not only touch.

        Unless what it took are ``slots`` that stand farther from that tile than fingers err.
        """
        left = None if seat is None else self._left.get(seat)
        if seat is None or left is None:
            return
        if not slots or any(
            slot.side == left.slot.side and abs(slot.stack - left.slot.stack) < _APART
            for slot in slots
        ):
            del self._left[seat]

    def tick(self, t: float) -> list[Left]:
        """Those that were over by ``t`` and whose tile is seen to stand there yet."""
        touched = [
            left
            for left in self._left.values()
            if left.last < t - _INNER_S * left.inner and self._stands(left)
        ]
        self._left = {
            seat: left
            for seat, left in self._left.items()
            if left not in touched and t - left.last <= _WAIT_S + _INNER_S * left.inner
        }
        return touched

    def _on_it(self, left: Left) -> bool:
        middle = self._table.arms.middle(left.seat, left.since, left.last)
        place = self._table.places.slot_point(left.slot)
        return middle is not None and distance(middle, place) <= _ON_IT_MM

    def _stands(self, left: Left) -> bool:
        stack = self._table.walls.stacks[left.slot[:2]]
        height = 2 if left.slot.layer == "top" else 1
        after = [g.height for g in stack.glances if g.t > left.last and not g.hidden]
        return (
            stack.present is not False
            and stack.height == height
            and len(after) >= _STANDS_LOOKS
            and all(seen == height for seen in after)
        )
