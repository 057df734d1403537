"""The riichi table as the players know it: dead wall, red fives, seats of three or four."""

from __future__ import annotations

from dataclasses import dataclass, field

from hardware.virtual_table.play.layout import SIDES
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import PoolTile, TableModel
from table_controller.domain.happenings import Seat


@dataclass(slots=True)
class Declared:
    """A seat's riichi: with which of its discards, whether before any call, still 一发."""

    token: Token
    double: bool
    ippatsu: bool = True


@dataclass
class RiichiModel(TableModel):
    """Everything on the table in one hand of riichi.

    ``wall`` is what can still be drawn, ``dead`` the dead wall in the same order: the indicator
    stacks, then the replacement tiles.

    Attributes:
        order: the seats that play, counter-clockwise from the first dealer of the match.
        indicators: upper tiles of the indicator stacks that lie open, first one first.
        due: kongs whose indicator is turned with the next discard.
        ends: the dead wall as it was at the break; ``taken`` replacements have left it.
        discarded: by seat, every tile discarded, also those that were claimed.
        claimed: which of them were.
    """

    order: tuple[Seat, ...] = SIDES
    dead_size: int = 14
    replacements: int = 4
    dead: list[Token] = field(default_factory=list)
    ends: list[Token] = field(default_factory=list)
    taken: int = 0
    indicators: list[Token] = field(default_factory=list)
    ura: list[Token] = field(default_factory=list)
    norths: dict[Seat, list[Token]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    riichi: dict[Seat, Declared] = field(default_factory=dict)
    discarded: dict[Seat, list[Token]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    claimed: set[Token] = field(default_factory=set)
    uninterrupted: bool = True
    """Nobody has called yet."""

    def after(self, seat: Seat, steps: int = 1) -> Seat:
        """The seat that plays so many turns later."""
        return self.order[(self.order.index(seat) + steps) % len(self.order)]

    def ring(self, side: Seat) -> list[Token]:
        """All tiles of the walls, clockwise from the first stack of a side."""
        sides = [turned for turn in range(4) if (turned := SIDES[(side - turn) % 4]) in self.order]
        return [
            token
            for each in sides
            for token in range(each * 2 * self.stacks, (each + 1) * 2 * self.stacks)
        ]

    def open_wall(self, side: Seat, stack: int) -> None:
        """Order the wall from the stack after the ``stack``-th of ``side`` on, clockwise."""
        ring = self.ring(side)
        whole = ring[2 * stack :] + ring[: 2 * stack]
        self.wall, self.dead = whole[: -self.dead_size], whole[-self.dead_size :]
        self.ends = list(self.dead)

    def tail(self) -> Token | None:
        """The next replacement tile: of the last stack the upper one first (4.7.2)."""
        if self.taken >= self.replacements:
            return None
        last = len(self.ends)
        stack, lower = divmod(self.taken, 2)
        return self.ends[last - 2 * (stack + 1) + lower]

    def take_replacement(self, token: Token) -> None:
        """A replacement leaves the dead wall, the last tile of the wall joins it (5.8.4)."""
        self.dead.remove(token)
        self.taken += 1
        if self.wall:
            self.dead.insert(0, self.wall.pop())

    def indicator(self, number: int) -> Token:
        """The upper tile of an indicator stack, 0 the first; the lower one is the next token."""
        return self.ends[len(self.ends) - self.replacements - 2 * (number + 1)]

    def standing(self) -> list[Token]:
        """Every tile that still stands in the walls."""
        return [*self.wall, *self.dead]

    def lying(self, token: Token) -> PoolTile | None:
        """A discard where it lies now."""
        for pool in self.pools.values():
            for each in pool:
                if each.token == token:
                    return each
        return None
