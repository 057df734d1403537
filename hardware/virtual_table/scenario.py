"""Scenarios: what is to happen at the virtual table."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hardware.virtual_table.players import HandWish, Hook
from table_controller.domain.happenings import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One session of the virtual table."""

    ruleset: str = "mcr-1998"
    seed: int = 1
    hands: int = 1
    east: Seat = 0
    pace: float = 1.0
    wishes: tuple[HandWish, ...] = field(default=(HandWish(),))

    def wish(self, number: int) -> HandWish:
        """What is wanted of the ``number``-th hand; the last wish goes on."""
        return self.wishes[min(number, len(self.wishes)) - 1]

    def hook(self, number: int, rng: random.Random) -> Hook:
        """The infractions of that hand."""
        return Hook()
