"""Walls that are pushed out of line, toppled or scattered."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.domain.happenings import Seat, WallDisturbed
from table_controller.happenings.looks.places import SEATS, Area, distance, turn_between
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table

_SETTLE_S = 0.2
_SETTLE_MOST_S = 2.0
"""While an arm still hides stacks beside those that were pushed, they may have been pushed too."""
_REBUILT_S = 8.0
"""While a pushed wall is put right, its other stacks get touched too."""
_STRAIGHT_S = 3.0
"""A wall in which no stack was seen askew for so long is straight again."""
_AT_ONCE_S = 1.0
_NEAR_MM = 115.0
_SCATTERED_DEG = 27.0
_SCATTERED_MM = 45.0


@dataclass(slots=True)
class _Push:
    stacks: set[int] = field(default_factory=set)
    t: float = 0.0
    noted: float = 0.0
    by: Seat | None = None


class Disturbances:
    """Gathers the stacks that one push moved, and tells them together."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._pushes: dict[Seat, _Push] = {}
        self._told: dict[Seat, float] = {}
        self._last: dict[Seat, _Push] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._pushes.clear()
        self._told.clear()
        self._last.clear()

    def note(self, side: Seat, stacks: tuple[int, ...], t: float, by: Seat | None) -> None:
        """Stacks of a side do not stand where they stood."""
        push = self._pushes.setdefault(side, _Push())
        push.stacks.update(stacks)
        push.t = max(push.t, t)
        push.noted = self._table.now
        push.by = by if push.by is None else push.by

    def near(self, rest: Rest) -> Seat | None:
        """The side whose pushed wall a tile on the felt has probably fallen from."""
        for side, push in self._pushes.items():
            if self._beside(rest, side, push.stacks):
                return side
        return None

    def lately(self, rest: Rest, t: float) -> bool:
        """Whether a tile on the felt lies beside a wall that is, or a moment ago was, pushed."""
        return any(
            self.rebuilding(side, t) and self._beside(rest, side, push.stacks)
            for side, push in (*self._last.items(), *self._pushes.items())
        )

    def beside(self, side: Seat, number: int, t: float, by: Seat | None = None) -> bool:
        """Whether a stack that left its place at a time stood next to stacks pushed just then.

        Where it matters whose hand it was, ``by``: none that another one is known to have pushed.
        """
        # While it is put right, its stacks are pushed once more.
        pushes = [each[side] for each in (self._pushes, self._last) if side in each]
        return any(
            abs(t - push.t) <= _AT_ONCE_S
            and (by is None or push.by in (None, by))
            and any(abs(number - one) <= 1 for one in push.stacks)
            for push in pushes
        )

    def rebuilding(self, side: Seat, t: float) -> bool:
        """Whether a pushed wall is probably being put right."""
        return side in self._pushes or t - self._told.get(side, -1e9) < _REBUILT_S

    def straightening(self, side: Seat, t: float) -> bool:
        """Whether a wall is being put right in which stacks stood askew a moment before."""
        return self.rebuilding(side, t) and any(
            stack.side == side and stack.askew >= t - _STRAIGHT_S
            for stack in self._table.walls.stacks.values()
        )

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for side, push in list(self._pushes.items()):
            waited = t - push.noted
            if waited < self._settle(push) or (
                waited < _SETTLE_MOST_S and self._hidden(side, push, t)
            ):
                continue
            del self._pushes[side]
            if push.t - self._told.get(side, -1e9) < _REBUILT_S:
                continue
            push.stacks = self._pushed_along(side, push)
            self._told[side], self._last[side] = t, push
            self._table.emit(
                WallDisturbed(
                    # What comes up crooked is out of line from when the walls stand.
                    t=max(push.t, self._table.raised_at),
                    side=side,
                    stacks=tuple(sorted(push.stacks)),
                    by=push.by,
                    recoverable=not self._scattered(side, push.stacks),
                    confidence=0.9,
                )
            )

    def _settle(self, push: _Push) -> float:
        """How long stacks beside the pushed ones may still follow them, s."""
        # What came up out of line was looked at until the walls stood.
        return 0.0 if push.t <= self._table.raised_at else _SETTLE_S

    def _pushed_along(self, side: Seat, push: _Push) -> set[int]:
        """Stacks in a row with the pushed ones that left their places in the same moment.

        What fell on a tile can hide it so far that it is not found beside its place.
        """
        stacks, found = self._table.walls.stacks, set(push.stacks)
        for step in (-1, 1):
            number = (min(push.stacks) if step < 0 else max(push.stacks)) + step
            while (stack := stacks.get((side, number))) is not None:
                away = stack.other == 0 if stack.height else stack.emptied >= push.t - _AT_ONCE_S
                if not away and self._table.now - stack.askew > _SETTLE_S:
                    break
                found.add(number)
                number += step
        return found

    def _hidden(self, side: Seat, push: _Push, t: float) -> bool:
        """Whether the pushed stacks, or others beside them, cannot be seen at the moment."""
        stacks = self._table.walls.stacks
        numbers = range(min(push.stacks) - 2, max(push.stacks) + 3)
        return any(
            (stack.height or number in push.stacks) and self._table.covered(*stack.point, t)
            for number in numbers
            if (stack := stacks.get((side, number))) is not None
        )

    def _beside(self, rest: Rest, side: Seat, stacks: set[int]) -> bool:
        places = self._table.places
        stack_points = [self._table.walls.stacks[(side, number)].point for number in stacks]
        return (
            rest.flat
            and rest.spot.area not in (Area.HAND, Area.MELD)
            and min(distance(rest.point, point) for point in stack_points) <= _NEAR_MM
            and places.spot(rest.x, rest.y).seat in SEATS
        )

    def _scattered(self, side: Seat, stacks: set[int]) -> bool:
        """Whether nobody can say any more which tile stood where."""
        wall = self._table.places.geometry.wall
        loose = [
            rest for rest in self._table.book.all() if self._beside(rest, side, stacks)
            and rest.since > self._table.now - 4.0
        ]  # fmt: skip
        if not loose:
            return False
        # What fell off a stack lies further off than the stack was pushed: the nearest counts. One
        # tile alone of two may be the one that fell.
        away: list[float] = []
        skews: list[float] = []
        for number in stacks:
            mine = [r for r in loose if self._table.places.stack_of(r.spot)[0] == number]
            if mine:
                stack = self._table.walls.stacks[side, number]
                alone = len(mine) < (stack.height or stack.lost)
                fallen = self._table.places.geometry.tile_height if alone else 0.0
                away.append(min(abs(r.spot.offset - wall.offset) for r in mine) - fallen)
                skews.append(min(turn_between(rest.angle, 90.0 * side, 180.0) for rest in mine))
        if not away:
            return False
        return sum(skews) / len(skews) > _SCATTERED_DEG or sum(away) / len(away) > _SCATTERED_MM
