"""Hands in short notation for the tables of cases."""

from __future__ import annotations

import re
from typing import Any

from table_controller.domain.tiles import Tile
from table_controller.scoring.hand import Meld, ScoringHand, check

_GROUP = re.compile(r"(\d+)([mpszf])")


def tiles(text: str) -> tuple[Tile, ...]:
    """``123m5z`` as tiles."""
    return tuple(Tile(digit + suit) for digits, suit in _GROUP.findall(text) for digit in digits)


def meld(text: str) -> Meld:
    """``[123m]`` exposed, ``(1111z)`` concealed, ``[1111z+]`` added kong."""
    inside = tiles(text)
    alike = inside[0].plain is inside[1].plain
    return Meld(
        kind="kong" if len(inside) == 4 else "pung" if alike else "chow",
        tiles=inside,
        concealed=text.startswith("("),
        added="+" in text,
        from_=None if text.startswith("(") else "left",
    )


def hand(text: str, **facts: Any) -> ScoringHand:
    """``12345m [123p] (1111z) +6m``: standing tiles, melds, and the winning tile.

    ``+6m`` was discarded by the left neighbour, ``*6m`` self-drawn.
    """
    standing: list[Tile] = []
    melds: list[Meld] = []
    for word in text.split():
        if word[0] in "[(":
            melds.append(meld(word))
        elif word[0] in "+*":
            facts["win_tile"] = tiles(word)[0]
            facts.setdefault("self_drawn", word[0] == "*")
        else:
            standing += tiles(word)
    if not facts.get("self_drawn"):
        facts.setdefault("from_", "left")
    made = ScoringHand(hand=tuple(standing), melds=tuple(melds), **facts)
    check(made)
    return made
