"""What stands in front of the players, as far as what was taken from a wall shows there."""

from __future__ import annotations

from typing import Protocol

from table_controller.domain.happenings import Seat


class Rows(Protocol):
    """The counts of the rows of standing tiles, while they are at rest."""

    def growth(self, seat: Seat, before: float, after: float) -> int | None:
        """By how many standing tiles a hand grew, where it was at rest before and after."""

    def rests(
        self, seat: Seat, before: float, after: float
    ) -> tuple[tuple[float, int], tuple[float, int]] | None:
        """When a hand was last at rest before and first after, and how many tiles stood then."""

    def counted(self, seat: Seat, after: float) -> int | None:
        """How many tiles stood in a hand when it was first at rest after a time."""

    def joined(self, seat: Seat, before: float, after: float, count: int) -> float | None:
        """When at least so many tiles more stood in a hand than at rest before a time."""
