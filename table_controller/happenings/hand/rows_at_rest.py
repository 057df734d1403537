"""How many tiles stood in the hands when they were at rest."""

from __future__ import annotations

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.table import Table

_RECENT_S = 4.0
_KEPT = 60


class RowsAtRest:
    """The lengths of the rows at the looks that saw them at rest.

    Args:
        table: the shared state.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._looks: dict[Seat, list[tuple[float, int]]] = {seat: [] for seat in SEATS}
        """Times and how many tiles stood, the last one last."""

    def clear(self) -> None:
        """A new hand begins."""
        self._looks = {seat: [] for seat in SEATS}

    def add(self, seat: Seat, t: float, standing: int) -> None:
        """So many tiles stand in a hand at rest."""
        self._looks[seat].append((t, standing))
        del self._looks[seat][:-_KEPT]

    def growth(self, seat: Seat, before: float, after: float) -> int | None:
        """By how many standing tiles a hand grew, where it was at rest before and after."""
        rests = self.rests(seat, before, after)
        if rests is not None:
            return rests[1][1] - rests[0][1]
        new = self.counted(seat, after)
        return new if new is not None and self._looks[seat][0][0] >= after else None

    def rests(
        self, seat: Seat, before: float, after: float
    ) -> tuple[tuple[float, int], tuple[float, int]] | None:
        """When a hand was last at rest before and first after, and how many tiles stood then."""
        looks = self._looks[seat]
        old = [look for look in looks if before - _RECENT_S <= look[0] <= before + 0.1]
        new = self._next_rest(seat, after)
        return None if not old or new is None else (old[-1], new)

    def counted(self, seat: Seat, after: float) -> int | None:
        """How many tiles stood in a hand when it was first at rest after a time."""
        rest = self._next_rest(seat, after)
        return None if rest is None else rest[1]

    def joined(self, seat: Seat, before: float, after: float, count: int) -> float | None:
        """When at least so many tiles more stood in a hand than at rest before a time.

        What a hand in the way hides only makes the row look shorter.
        """
        old = [standing for t, standing in self._looks[seat] if t <= before + 0.1]
        row = self._table.book.standing(seat)
        if not old or len(row) < old[-1] + count:
            return None
        arrived = [rest.arrived for rest in row if rest.since > after]
        if len(arrived) < count:
            # The row grew by what was taken before.
            return None
        return max([after, *arrived])

    def _next_rest(self, seat: Seat, after: float) -> tuple[float, int] | None:
        looks = self._looks[seat]
        return next((look for look in looks if after <= look[0] <= after + _RECENT_S), None)
