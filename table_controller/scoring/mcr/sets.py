"""Fans made of two, three or four sets, chosen under the five combination principles.

The principles (000 Q51, 001 3.3): nothing inevitable twice, no taking apart, no set in the same
fan with two others, the higher of two choices, and a set not yet combined may be combined
once with one already combined. So a reading of four sets carries either one fan of four sets;
or one of three sets and one of two that ties the fourth set to one of the three; or
fans of two sets that form no ring, where no set stands twice in the same fan.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final

from table_controller.scoring.shapes import CHOW

Choice = tuple[str, ...]
"""Fan ids counted together."""

_WEIGHT: Final = {"double_pung": 2}
_ORDER: Final = (
    "double_pung",
    "pure_double_chow",
    "short_straight",
    "two_terminal_chows",
    "mixed_double_chow",
)
"""Which fan of equal value is named: fans of one suit first, as the examples of source 000 do."""
_MIDDLES: Final = frozenset((4, 13, 22))


def _split(code: int) -> tuple[int, int]:
    """Suit (3 for honours) and rank from 0."""
    kind = code - CHOW if code >= CHOW else code
    return (kind // 9, kind % 9) if kind < 27 else (3, kind - 27)


def _two(first: int, second: int) -> str | None:
    (suit_a, rank_a), (suit_b, rank_b) = _split(first), _split(second)
    if first < CHOW:
        same_number = second < CHOW and suit_a != suit_b and 3 not in (suit_a, suit_b)
        return "double_pung" if same_number and rank_a == rank_b else None
    if second < CHOW:
        return None
    if suit_a == suit_b:
        step = abs(rank_a - rank_b)
        return {0: "pure_double_chow", 3: "short_straight", 6: "two_terminal_chows"}.get(step)
    return "mixed_double_chow" if rank_a == rank_b else None


def _three(codes: tuple[int, int, int]) -> str | None:
    chows = sum(code >= CHOW for code in codes)
    if chows not in (0, 3):
        return None
    parts = [_split(code) for code in codes]
    suits = {suit for suit, _ in parts}
    if 3 in suits or len(suits) == 2:
        return None
    low, middle, high = sorted(rank for _, rank in parts)
    step = middle - low if middle - low == high - middle else -1
    if chows == 3:
        names = (
            {0: "pure_triple_chow", 1: "pure_shifted_chows", 2: "pure_shifted_chows"}
            if len(suits) == 1
            else {0: "mixed_triple_chow", 1: "mixed_shifted_chows"}
        )
        if step == 3:
            return "pure_straight" if len(suits) == 1 else "mixed_straight"
        return names.get(step)
    if len(suits) == 1:
        return "pure_shifted_pungs" if step == 1 else None
    return {0: "triple_pung", 1: "mixed_shifted_pungs"}.get(step)


def _four(codes: tuple[int, ...], pair: int) -> str | None:
    chows = sum(code >= CHOW for code in codes)
    if chows not in (0, 4):
        return None
    parts = sorted(_split(code) for code in codes)
    suits = [suit for suit, _ in parts]
    ranks = [rank for _, rank in parts]
    if len(set(suits)) == 1 and suits[0] != 3:
        steps = {b - a for a, b in pairwise(ranks)}
        if chows == 0:
            return "four_pure_shifted_pungs" if steps == {1} else None
        if steps == {0}:
            return "quadruple_chow"
        if steps in ({1}, {2}):
            return "four_pure_shifted_chows"
        if ranks == [0, 0, 6, 6] and pair == 9 * suits[0] + 4:
            return "pure_terminal_chows"
    elif chows == 4 and ranks == [0, 6, 0, 6] and suits[0] == suits[1] and suits[2] == suits[3]:
        third = 3 - suits[0] - suits[2]
        if pair in _MIDDLES and pair // 9 == third:
            return "three_suited_terminal_chows"
    return None


def _forests(codes: tuple[int, ...]) -> list[Choice]:
    """The heaviest choices of fans of two sets, the first in the table's order."""
    edges = [
        (fan, a, b)
        for a, b in combinations(range(len(codes)), 2)
        if (fan := _two(codes[a], codes[b])) is not None
    ]
    best: dict[Choice, int] = {(): 0}
    top = 0
    for size in range(1, min(3, len(edges)) + 1):
        for chosen in combinations(edges, size):
            if not _is_forest(chosen, len(codes)):
                continue
            weight = sum(_WEIGHT.get(fan, 1) for fan, _, _ in chosen)
            if weight >= top:
                top = weight
                best[tuple(sorted(fan for fan, _, _ in chosen))] = weight
    return [choice for choice, weight in best.items() if weight == top]


def _is_forest(chosen: tuple[tuple[str, int, int], ...], size: int) -> bool:
    group = list(range(size))
    used: set[tuple[str, int]] = set()
    for fan, a, b in chosen:
        if group[a] == group[b] or (fan, a) in used or (fan, b) in used:
            return False
        used |= {(fan, a), (fan, b)}
        old, new = group[b], group[a]
        group = [new if each == old else each for each in group]
    return True


@lru_cache(maxsize=1 << 16)
def combinations_of(codes: tuple[int, ...], pair: int) -> tuple[Choice, ...]:
    """The choices of set fans worth weighing against each other.

    Args:
        codes: up to four sets, sorted.
        pair: kind of the pair.

    Returns:
        At least one choice; the caller counts each with everything else and keeps the best.
    """
    found: list[Choice] = []
    if len(codes) == 4:
        whole = _four(codes, pair)
        if whole is not None:
            found.append((whole,))
    for triple in combinations(range(len(codes)), 3):
        fan = _three((codes[triple[0]], codes[triple[1]], codes[triple[2]]))
        if fan is None:
            continue
        rest = [number for number in range(len(codes)) if number not in triple]
        extras = {
            extra
            for other in rest
            for each in triple
            if (extra := _two(codes[other], codes[each])) is not None
        }
        found += [(fan, extra) for extra in sorted(extras, key=_ORDER.index)] or [(fan,)]
    return tuple(dict.fromkeys(found)) or tuple(_forests(codes))
