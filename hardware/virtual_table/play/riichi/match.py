"""From hand to hand: dealer, counters, sticks and points of a riichi match (6.6 to 6.9, 7.12)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from hardware.virtual_table.play.games import Game
from hardware.virtual_table.play.layout import SIDES
from hardware.virtual_table.play.table_state import WINDS
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

Result = Literal["win", "exhausted", "abort"]


@dataclass(frozen=True, slots=True)
class Won:
    """One win: who, on whose tile (None: drawn), which tile, what each seat 0..3 receives."""

    winner: Seat
    source: Seat | None
    tile: Tile
    payments: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a hand ended.

    Attributes:
        result: as in the contract; ``reason`` of an abort.
        wins: in the order in which they are settled.
        payments: what each seat 0..3 receives, riichi sticks of this hand not among it.
        riichi: who paid a stick in this hand.
        stays: whether the dealer stays.
    """

    result: Result
    reason: str | None = None
    wins: tuple[Won, ...] = ()
    payments: tuple[int, ...] = (0, 0, 0, 0)
    riichi: tuple[Seat, ...] = ()
    stays: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What is handed over before a hand.

    Attributes:
        order: the seats that play, counter-clockwise from the first dealer.
        hand: how often the deal has passed, from 1.
        scores: points by side 0..3 (0 where nobody sits).
    """

    game: Game
    order: tuple[Seat, ...]
    dealer: Seat
    hand: int = 1
    honba: int = 0
    sticks: int = 0
    scores: tuple[int, int, int, int] = field(default=(0, 0, 0, 0))

    @classmethod
    def first(cls, game: Game, east: Seat) -> Match:
        """The start of a match."""
        order = game.order(east)
        a, b, c, d = (game.start_points if side in order else 0 for side in SIDES)
        return cls(game=game, order=order, dealer=east, scores=(a, b, c, d))

    @property
    def round_wind(self) -> Literal["E", "S", "W", "N"]:
        """The prevalent wind."""
        return WINDS[(self.hand - 1) // self.game.players % 4]

    def after(self, seat: Seat, steps: int = 1) -> Seat:
        """The seat that plays so many turns later."""
        return self.order[(self.order.index(seat) + steps) % len(self.order)]

    def then(self, outcome: Outcome) -> Match:
        """The state before the next hand."""
        paid = [0, 0, 0, 0]
        for seat in outcome.riichi:
            paid[seat] -= 1000
        a, b, c, d = (self.scores[side] + outcome.payments[side] + paid[side] for side in SIDES)
        won = outcome.result == "win"
        more = outcome.stays if won else outcome.reason != "void"
        return replace(
            self,
            dealer=self.dealer if outcome.stays else self.after(self.dealer),
            hand=self.hand if outcome.stays else self.hand + 1,
            honba=self.honba + 1 if more else 0 if won else self.honba,
            sticks=0 if won else self.sticks + len(outcome.riichi),
            scores=(a, b, c, d),
        )
