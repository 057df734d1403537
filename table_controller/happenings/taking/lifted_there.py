"""Which tile a hand lifted where it stands and put back, if it takes one beside it before it goes.

Fingertips are seen off, but by as much for as long as a hand is at the wall
(:mod:`~table_controller.happenings.taking.stepping`): a hand that seemed to lift the tile beside
the one that it takes then, and did not go on by a stack in between, had lifted that very tile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from table_controller.domain.happenings import Slot
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.in_place import Handled, InPlace
from table_controller.happenings.taking.stages import Gone
from table_controller.happenings.taking.staying import ABOUT_MM
from table_controller.happenings.taking.stepping import goes_on

_KNOWN_S = 0.35
"""So long after a hand has gone it is known that a stack is lower."""
_LONGEST_S = 2.5
"""Who stays at the wall for longer does something else."""
_LOOK_S = 0.15
"""What one look shows may have happened so long before it."""


class LiftedThere:
    """Keeps tiles that were lifted where they stand until the hand that did has gone.

    Args:
        table: the shared state.
        in_place: which tiles hands lifted and put back.
    """

    def __init__(self, table: Table, in_place: InPlace) -> None:
        self._table = table
        self._in_place = in_place
        self._kept: list[Handled] = []

    def clear(self) -> None:
        """A new hand begins."""
        self._kept.clear()

    def pending(self) -> float | None:
        """Since when something may be told that is not told yet."""
        return min((one.came for one in self._kept), default=None)

    def tick(
        self, t: float, busy: Callable[[Slot, Dwell], bool], known: Callable[[], Sequence[Gone]]
    ) -> list[Handled]:
        """What can be told by now; ``known``: the tiles that have left the wall lately.

        ``busy`` as for :meth:`InPlace.tick`.
        """
        kept = [*self._kept, *self._in_place.tick(t, busy)]
        left = {one: self._left(one) for one in kept}
        ready = [one for one in kept if t - left[one] >= _KNOWN_S or t - one.back >= _LONGEST_S]
        self._kept = [one for one in kept if one not in ready]
        return [self._rightly(one, left[one], known()) for one in ready]

    def _left(self, one: Handled) -> float:
        """When the hand was last about the tile that it lifted."""
        point, left = self._table.places.slot_point(one.slot), one.back
        for tip in self._table.arms.path(one.seat, one.back, self._table.now):
            if tip.point is not None and distance(tip.point, point) <= ABOUT_MM:
                left = tip.t
        return left

    def _rightly(self, one: Handled, left: float, known: Sequence[Gone]) -> Handled:
        """The same with the tile that the hand was on, if what it took then says so."""
        took = [
            each.slot
            for each in known
            if each.seat in (None, one.seat)
            and each.slot.side == one.slot.side
            and abs(each.slot.stack - one.slot.stack) == 1
            and one.back <= each.t + _LOOK_S
            and each.since - _LOOK_S <= left
        ]
        if len(took) != 1:
            return one
        on = goes_on(
            self._table, one.seat, one.slot, took[0], came=one.came, back=one.back, left=left
        )
        return one if on else replace(one, slot=took[0])
