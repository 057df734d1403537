"""Shapes of complete hands: sets and pair, seven pairs, orphans, knitted tiles; and waits.

Tiles are kinds 0..33 in the order of :data:`table_controller.domain.tiles.KINDS`; a hand is
a list of 34 counts of the standing tiles. A set is an ``int``: the kind for a pung, the
lowest kind plus :data:`CHOW` for a chow. Nothing here knows fans.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from table_controller.domain.tiles import KIND_INDEX, Tile

CHOW: Final = 64
"""Added to the lowest kind of a chow to tell it from the pung of that kind."""

ORPHANS: Final[tuple[int, ...]] = (0, 8, 9, 17, 18, 26, *range(27, 34))
"""The kinds of the thirteen orphans: terminals and honours."""

_CHAINS: Final = ((0, 3, 6), (1, 4, 7), (2, 5, 8))
_ORDERS: Final = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))

KNITTED: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(9 * suit + rank for suit in range(3) for rank in _CHAINS[order[suit]])
    for order in _ORDERS
)
"""The six ways to give 147, 258 and 369 to the three suits: nine kinds each."""

_KNITTED_SETS: Final = tuple(frozenset(kinds) for kinds in KNITTED)

Parts = tuple[tuple[int, ...], ...]
Split = tuple[int, tuple[int, ...]]
"""A pair's kind and the sets beside it."""


def count_kinds(tiles: Iterable[Tile]) -> list[int]:
    """Counts of the 34 kinds; a red five counts as a five."""
    counts = [0] * 34
    for tile in tiles:
        counts[KIND_INDEX[tile.plain]] += 1
    return counts


@lru_cache(maxsize=1 << 17)
def _suit_sets(counts: tuple[int, ...]) -> Parts:
    """Every way to split one suit (9 counts) or the honours (7) into sets alone."""
    first = next((rank for rank, count in enumerate(counts) if count), -1)
    if first < 0:
        return ((),)
    if sum(counts) % 3:
        return ()
    found: list[tuple[int, ...]] = []
    if counts[first] >= 3:
        left = list(counts)
        left[first] -= 3
        found += [(first, *rest) for rest in _suit_sets(tuple(left))]
    if len(counts) == 9 and first <= 6 and counts[first + 1] and counts[first + 2]:
        left = list(counts)
        for rank in (first, first + 1, first + 2):
            left[rank] -= 1
        found += [(CHOW + first, *rest) for rest in _suit_sets(tuple(left))]
    return tuple(found)


@lru_cache(maxsize=1 << 17)
def _suit_pairs(counts: tuple[int, ...]) -> tuple[Split, ...]:
    """Every way to split one suit or the honours into one pair and sets."""
    if sum(counts) % 3 != 2:
        return ()
    found: list[Split] = []
    for rank, count in enumerate(counts):
        if count >= 2:
            left = list(counts)
            left[rank] -= 2
            found += [(rank, sets) for sets in _suit_sets(tuple(left))]
    return tuple(found)


def splits(counts: Sequence[int]) -> list[Split]:
    """Every reading of the standing tiles as sets and one pair.

    Args:
        counts: 34 counts of 2, 5, 8, 11 or 14 standing tiles, the winning one included.
    """
    suits = (
        tuple(counts[0:9]),
        tuple(counts[9:18]),
        tuple(counts[18:27]),
        tuple(counts[27:34]),
    )
    paired = -1
    for number, suit in enumerate(suits):
        rest = sum(suit) % 3
        if rest == 1:
            return []
        if rest == 2:
            if paired >= 0:
                return []
            paired = number
    if paired < 0:
        return []
    readings: list[Split] = [
        (9 * paired + pair, tuple(9 * paired + each for each in sets))
        for pair, sets in _suit_pairs(suits[paired])
    ]
    for number, suit in enumerate(suits):
        if number == paired or not any(suit):
            continue
        parts = _suit_sets(suit)
        if not parts:
            return []
        shift = 9 * number
        readings = [
            (pair, sets + tuple(shift + each for each in part))
            for pair, sets in readings
            for part in parts
        ]
    return readings


def _standard(counts: Sequence[int]) -> bool:
    """Whether the standing tiles split into sets and one pair."""
    paired = False
    for start, end in ((0, 9), (9, 18), (18, 27), (27, 34)):
        suit = tuple(counts[start:end])
        rest = sum(suit) % 3
        if rest == 1:
            return False
        if rest == 2:
            if paired or not _suit_pairs(suit):
                return False
            paired = True
        elif not _suit_sets(suit):
            return False
    return paired


def is_seven_pairs(counts: Sequence[int]) -> bool:
    """Fourteen standing tiles in pairs; four equal tiles are two pairs (Q71 of source 000)."""
    return sum(counts) == 14 and all(count in (0, 2, 4) for count in counts)


def is_orphans(counts: Sequence[int]) -> bool:
    """Each of the thirteen terminals and honours, one of them twice."""
    return (
        sum(counts) == 14
        and all(counts[kind] for kind in ORPHANS)
        and (sum(counts[kind] for kind in ORPHANS) == 14)
    )


def is_knitted_honours(counts: Sequence[int]) -> bool:
    """Fourteen single tiles: honours, and each suit of one chain, the chains different (全不靠)."""
    if sum(counts) != 14 or max(counts) > 1:
        return False
    suited = {kind for kind in range(27) if counts[kind]}
    return any(suited <= chains for chains in _KNITTED_SETS)


def knitted_straights(counts: Sequence[int]) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """The nine kinds of each knitted straight (组合龙) held, with the counts left over."""
    for kinds in KNITTED:
        if all(counts[kind] for kind in kinds):
            left = list(counts)
            for kind in kinds:
                left[kind] -= 1
            yield kinds, left


def is_complete(counts: Sequence[int], *, special: bool = True) -> bool:
    """Whether the standing tiles, the winning one included, complete a hand.

    Args:
        counts: 34 counts of 14 - 3m standing tiles with m melds laid out.
        special: whether the shapes without four sets and a pair count as well (MCR).
    """
    if _standard(counts):
        return True
    if not special:
        return False
    size = sum(counts)
    if size == 14 and (is_seven_pairs(counts) or is_orphans(counts) or is_knitted_honours(counts)):
        return True
    if size in (11, 14):
        return any(_standard(left) for _, left in knitted_straights(counts))
    return False


def wait_kinds(
    counts: Sequence[int], *, at_most: int = 34, special: bool = True, fifth: bool = False
) -> list[int]:
    """The kinds that complete 13 - 3m standing tiles, by their form alone.

    Whether copies lie elsewhere does not matter (003 Q76: judged objectively).

    Args:
        counts: 34 counts.
        at_most: stop once so many are found.
        special: see :func:`is_complete`.
        fifth: also name a kind of which four copies stand in the hand.
    """
    held = list(counts)
    found: list[int] = []
    for kind in range(34):
        if held[kind] >= 4 and not fifth:
            continue
        held[kind] += 1
        if is_complete(held, special=special):
            found.append(kind)
        held[kind] -= 1
        if len(found) >= at_most:
            break
    return found
