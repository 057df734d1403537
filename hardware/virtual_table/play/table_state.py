"""The table as the players know it: wall, hands, melds, pools - with no motion and no time."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from hardware.virtual_table.play.fate import Deck
from hardware.virtual_table.play.layout import SIDES
from hardware.virtual_table.play.steps import Step, Token
from table_controller.domain.happenings import Layer, Place, Seat, Slot
from table_controller.domain.tiles import Tile

WINDS: tuple[Literal["E", "S", "W", "N"], ...] = ("E", "S", "W", "N")


def seat_after(seat: int, steps: int = 1) -> Seat:
    """The seat so many places counter-clockwise."""
    return SIDES[(seat + steps) % 4]


def slot_of(token: Token, stacks: int) -> Slot:
    """The wall slot in which a tile stood at the start of the hand."""
    side, within = divmod(token, 2 * stacks)
    layer: Layer = "bottom" if within % 2 else "top"
    return Slot(SIDES[side], within // 2 + 1, layer)


@dataclass(slots=True)
class Meld:
    """A set on the table, tiles from left to right."""

    kind: Literal["chow", "pung", "kong"]
    tokens: list[Token]
    concealed: bool = False
    added: bool = False


@dataclass(slots=True)
class PoolTile:
    """A discard in its place; None where it lies outside the rows."""

    token: Token
    place: Place | None


@dataclass
class TableModel:
    """Everything on the table in one hand, and the script of what happens to it.

    ``wall`` is in the order in which tiles are drawn from the front.
    """

    stacks: int
    rng: random.Random
    deck: Deck
    dealer: Seat
    pool_columns: int = 6
    pool_rows: int = 4
    faces: dict[Token, Tile] = field(default_factory=dict)
    wall: list[Token] = field(default_factory=list)
    hands: dict[Seat, list[Token]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    melds: dict[Seat, list[Meld]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    flowers: dict[Seat, list[Token]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    pools: dict[Seat, list[PoolTile]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    steps: list[Step] = field(default_factory=list)
    discards: int = 0
    last_discard: Token | None = None

    def face(self, token: Token) -> Tile:
        """The face of a tile that has been decided."""
        return self.faces[token]

    def kind(self, token: Token) -> Tile:
        """The face of a tile, a red five as a five."""
        return self.faces[token].plain

    def held(self, seat: Seat) -> Counter[Tile]:
        """The kinds standing in a hand."""
        return Counter(self.kind(token) for token in self.hands[seat])

    def find(self, seat: Seat, face: Tile, *, but: tuple[Token, ...] = ()) -> Token | None:
        """A standing tile of this kind, the one drawn last if there are several."""
        for token in reversed(self.hands[seat]):
            if self.kind(token) is face.plain and token not in but:
                return token
        return None

    def open_wall(self, side: Seat, stack: int) -> None:
        """Order the wall from the stack after the ``stack``-th of ``side`` on, clockwise."""
        order = [
            token
            for turn in range(4)
            for token in range(
                ((side - turn) % 4) * 2 * self.stacks, ((side - turn) % 4 + 1) * 2 * self.stacks
            )
        ]
        self.wall = order[2 * stack :] + order[: 2 * stack]

    def front(self, index: int = 0) -> Token | None:
        """The ``index``-th tile to be drawn next."""
        return self.wall[index] if index < len(self.wall) else None

    def tail(self) -> Token | None:
        """The next replacement tile: other end, top before bottom, of a lone stack the bottom."""
        if not self.wall:
            return None
        if len(self.wall) > 2 and self.wall[-1] // 2 == self.wall[-2] // 2:
            return self.wall[-2]
        return self.wall[-1]

    def next_place(self, seat: Seat) -> Place:
        """The first free place of a seat's pool."""
        taken = {each.place for each in self.pools[seat]}
        row = col = 0
        while Place(row, col) in taken:
            col += 1
            if col >= self.pool_columns and row < self.pool_rows - 1:
                row, col = row + 1, 0
        return Place(row, col)

    def step(self, step: Step) -> None:
        """Add to the script."""
        self.steps.append(step)

    def slot(self, token: Token) -> Slot:
        """Where a tile stood at the start of the hand."""
        return slot_of(token, self.stacks)
