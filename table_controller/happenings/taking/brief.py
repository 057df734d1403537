"""Hands that were on a wall tile only for a moment and went without it.

Who takes a tile is on it as long, so that alone says nothing: what is left behind does.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from vision.sightings import Point

BRIEF_S, BRIEF_LOOKS = 0.28, 3
"""Fingers that stop so long on a tile, in so many looks, have touched it: in two that lost ones
part a hand that came by it and went back by it seems to stay."""
_ON_IT_MM = 20.0
"""On average they are seen so near to it: single looks err by 6 mm, alike for some of them."""
_STANDS_LOOKS = 2
"""The tile is there after them in so many looks with no arm over it."""
_INNER_S = 0.65
"""Of a tile within a wall it is known so much later whether it was lifted there."""
_APART_MM = 28.0
"""On average the fingers that take a tile are seen nearer to it."""
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
        self._left: list[Left] = []
        self._before: list[Left] = []
        """Those of them whose hand has taken another tile since."""

    def clear(self) -> None:
        """A new hand begins."""
        self._left.clear()
        self._before.clear()

    def pending(self) -> float | None:
        """When the earliest began that its hand's draw of another tile waits for."""
        return min((left.since for left in self._before), default=None)

    def leaves(self, left: Left) -> None:
        """A hand left a tile that it was on for too short a time to be told at once."""
        if self._on_it(left):
            self._left.append(left)

    def took(self, seat: Seat | None, slots: Collection[Slot], since: float = math.inf) -> None:
        """The hand had come to take something, and held it ``since``: it did not only touch.

        Unless what it took are ``slots`` that stand farther from where it was than fingers err,
        and it took them later.
        """
        mine = [left for left in self._left if left.seat == seat]
        before = [
            left
            for left in mine
            if slots and left.since < since and not any(self._meant(left, slot) for slot in slots)
        ]
        self._drop([left for left in mine if left not in before])
        self._before += [left for left in before if left not in self._before]

    def forget(self, seat: Seat, since: float = -math.inf) -> None:
        """What a hand was on since a time it did not touch, or that is told by others."""
        self._drop([left for left in self._left if left.seat == seat and left.since >= since])

    def tick(self, t: float, leaving: Collection[Slot] = ()) -> list[Left]:
        """Those that were over by ``t`` and whose tile is seen to stand there yet.

        While one beside it may be ``leaving`` the hand may have come for that one.
        """
        touched = [
            left
            for left in self._left
            if left.last < t - _INNER_S * left.inner
            and self._stands(left)
            and not self._leaves_beside(left, leaving)
        ]
        over = [left for left in self._left if t - left.last > _WAIT_S + _INNER_S * left.inner]
        self._drop([*touched, *over])
        return touched

    def _drop(self, some: Collection[Left]) -> None:
        self._left = [left for left in self._left if left not in some]
        self._before = [left for left in self._before if left not in some]

    def _on_it(self, left: Left) -> bool:
        return self._away(left, left.slot) <= _ON_IT_MM

    def _meant(self, left: Left, slot: Slot) -> bool:
        """Whether the hand may have been on this tile all the time."""
        return slot[:2] == left.slot[:2] or self._away(left, slot) <= _APART_MM

    def _away(self, left: Left, slot: Slot) -> float:
        """How far from a tile the fingers were on average, mm."""
        middle = self._table.arms.middle(left.seat, left.since, left.last)
        return math.inf if middle is None else distance(middle, self._table.places.slot_point(slot))

    def _leaves_beside(self, left: Left, leaving: Collection[Slot]) -> bool:
        """Whether a stack beside it has become lower, or seems to, and nobody has the tile yet."""
        side, number, _ = left.slot
        beside = {(side, number - 1), (side, number + 1)}
        stacks = [stack for key, stack in self._table.walls.stacks.items() if key in beside]
        return any(slot[:2] in beside for slot in leaving) or any(
            stack.other is not None and stack.other < stack.height for stack in stacks
        )

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
