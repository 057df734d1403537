"""The last stack of a wall: which of its two tiles was drawn cannot be seen.

A replacement is the lower one (003 Q68), from below the upper one, which comes down in its place.
What the eye sees is a stack that is lower by one, as where the upper one is drawn.
"""

from __future__ import annotations

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.table import Table
from table_controller.happenings.taking.turns import replaces


class LastStack:
    """Names the tiles of the last stack by who draws them.

    Args:
        table: the shared state.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._down: set[tuple[int, int]] = set()

    def clear(self) -> None:
        """A new hand begins."""
        self._down.clear()

    def named(self, slot: Slot, seat: Seat | None, t: float, *, taken: bool) -> Slot:
        """The slot in which a tile stood that seems to leave another; ``taken`` for good.

        Args:
            slot: where it was, as seen.
            seat: who draws it.
            t: when it left.
            taken: it joins the hand.
        """
        if slot[:2] in self._down:
            return slot._replace(layer="top")
        if slot.layer == "bottom" or seat is None or not replaces(self._table, seat, t):
            return slot
        if self._table.setup.indicators or not self._alone(slot):
            return slot
        if taken:
            self._down.add(slot[:2])
        return slot._replace(layer="bottom")

    def _alone(self, slot: Slot) -> bool:
        stacks = self._table.walls.stacks.items()
        return all(not stack.height for key, stack in stacks if key != slot[:2])
