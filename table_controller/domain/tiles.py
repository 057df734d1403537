"""Tiles and their notation (contract, section 1).

A tile is one of the 34 kinds, a red five, one of the eight flowers, or one of the two
values that stand for what is not known: ``back`` (a face-down tile) and ``?`` (a face that
could not be read). The value of each member is the notation itself, so a tile can be
written to JSON as it is and read back with ``Tile("5m")``. Its letters are asked of the
member, which is a string: ``value`` of an enum takes seven times as long, and tiles are asked
hundreds of thousands of times in a hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Suit(StrEnum):
    """What a tile belongs to; the letter is the one of the notation."""

    CHARACTERS = "m"
    DOTS = "p"
    BAMBOO = "s"
    HONOURS = "z"
    FLOWERS = "f"


class Tile(StrEnum):
    """One tile in the notation of the contract."""

    M1 = "1m"
    M2 = "2m"
    M3 = "3m"
    M4 = "4m"
    M5 = "5m"
    M6 = "6m"
    M7 = "7m"
    M8 = "8m"
    M9 = "9m"
    P1 = "1p"
    P2 = "2p"
    P3 = "3p"
    P4 = "4p"
    P5 = "5p"
    P6 = "6p"
    P7 = "7p"
    P8 = "8p"
    P9 = "9p"
    S1 = "1s"
    S2 = "2s"
    S3 = "3s"
    S4 = "4s"
    S5 = "5s"
    S6 = "6s"
    S7 = "7s"
    S8 = "8s"
    S9 = "9s"
    EAST = "1z"
    SOUTH = "2z"
    WEST = "3z"
    NORTH = "4z"
    WHITE = "5z"
    GREEN = "6z"
    RED = "7z"
    RED_M5 = "0m"
    RED_P5 = "0p"
    RED_S5 = "0s"
    SPRING = "1f"
    SUMMER = "2f"
    AUTUMN = "3f"
    WINTER = "4f"
    PLUM = "5f"
    ORCHID = "6f"
    BAMBOO_FLOWER = "7f"
    CHRYSANTHEMUM = "8f"
    BACK = "back"
    UNKNOWN = "?"

    @property
    def known(self) -> bool:
        """Whether the face is known (neither ``back`` nor ``?``)."""
        return self is not Tile.BACK and self is not Tile.UNKNOWN

    @property
    def suit(self) -> Suit:
        """The suit of a known tile.

        Raises:
            ValueError: for ``back`` and ``?``, which have none.
        """
        if not self.known:
            raise ValueError(f"{self.value!r} has no suit")
        return Suit(self[1])

    @property
    def rank(self) -> int:
        """1 to 9 (a red five is 5); winds 1-4, dragons 5-7 (white, green, red), flowers 1-8."""
        if not self.known:
            raise ValueError(f"{self.value!r} has no rank")
        number = int(self[0])
        return 5 if number == 0 else number

    @property
    def is_red(self) -> bool:
        """Whether this is a red five."""
        return self[0] == "0"

    @property
    def is_flower(self) -> bool:
        """Whether this is one of the eight flowers and seasons."""
        return self[-1] == "f"

    @property
    def is_honour(self) -> bool:
        """Whether this is a wind or a dragon."""
        return self[-1] == "z"

    @property
    def is_wind(self) -> bool:
        """Whether this is a wind."""
        return self.is_honour and self[0] in "1234"

    @property
    def is_dragon(self) -> bool:
        """Whether this is a dragon."""
        return self.is_honour and self[0] in "567"

    @property
    def is_suited(self) -> bool:
        """Whether this is a character, dot or bamboo tile."""
        return self[-1] in "mps"

    @property
    def is_terminal(self) -> bool:
        """Whether this is a one or nine of a suit."""
        return self.is_suited and self[0] in "19"

    @property
    def is_middle_character(self) -> bool:
        """Whether this is a character from two to eight: sets for three players have none."""
        return self[-1] == "m" and not self.is_terminal

    @property
    def plain(self) -> Tile:
        """The tile with a red five turned into the plain one."""
        return Tile("5" + self[1]) if self[0] == "0" else self

    def same_kind(self, other: Tile) -> bool:
        """Whether both are the same kind, red fives counted as fives."""
        return self.plain is other.plain


KINDS: Final[tuple[Tile, ...]] = tuple(
    Tile(f"{rank}{suit}") for suit in "mps" for rank in range(1, 10)
) + tuple(Tile(f"{rank}z") for rank in range(1, 8))
"""The 34 kinds in the order characters, dots, bamboo, winds, dragons (white, green, red)."""

FLOWERS: Final[tuple[Tile, ...]] = tuple(Tile(f"{rank}f") for rank in range(1, 9))
"""The four seasons and the four flowers."""

RED_FIVES: Final[tuple[Tile, ...]] = (Tile.RED_M5, Tile.RED_P5, Tile.RED_S5)

KIND_INDEX: Final[dict[Tile, int]] = {tile: index for index, tile in enumerate(KINDS)}
"""Position of each of the 34 kinds in :data:`KINDS`."""

_ORDER: Final[dict[Tile, int]] = {tile: index for index, tile in enumerate(Tile)}


def sort_tiles(tiles: Iterable[Tile]) -> list[Tile]:
    """Tiles in the usual order; a red five stands just before the plain five of its suit."""
    return sorted(tiles, key=lambda tile: (_ORDER[tile.plain], not tile.is_red))
