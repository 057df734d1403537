"""Readings of one hand and the fans of each before exclusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from table_controller.domain.tiles import KIND_INDEX
from table_controller.scoring.hand import WINDS, ScoringHand
from table_controller.scoring.shapes import (
    CHOW,
    count_kinds,
    is_knitted_honours,
    is_orphans,
    is_seven_pairs,
    knitted_straights,
    splits,
    wait_kinds,
)

Fans = dict[str, int]
"""Fan ids with how often they occur."""


def _mask(kinds: Sequence[int]) -> int:
    return sum(1 << kind for kind in kinds)


def _ranks(low: int, high: int) -> int:
    return _mask([9 * suit + rank - 1 for suit in range(3) for rank in range(low, high + 1)])


_SUITS: Final = tuple(_mask(range(9 * suit, 9 * suit + 9)) for suit in range(3))
_WINDS: Final = _mask(range(27, 31))
_DRAGONS: Final = _mask(range(31, 34))
_HONOURS: Final = _WINDS | _DRAGONS
_TERMINALS: Final = _ranks(1, 1) | _ranks(9, 9)
_EVENS: Final = _ranks(2, 2) | _ranks(4, 4) | _ranks(6, 6) | _ranks(8, 8)
_GREEN: Final = _mask([18 + rank - 1 for rank in (2, 3, 4, 6, 8)] + [32])
# 40 推不倒: 1234589 dots, 245689 bamboo, white dragon.
_REVERSIBLE: Final = _mask(
    [9 + rank - 1 for rank in (1, 2, 3, 4, 5, 8, 9)]
    + [18 + rank - 1 for rank in (2, 4, 5, 6, 8, 9)]
    + [31]
)
_GATES: Final = (3, 1, 1, 1, 1, 1, 1, 1, 3)


@dataclass(slots=True)
class Reading:
    """One way to see the complete hand.

    Attributes:
        codes: the sets, laid out and standing, sorted; empty for shapes without sets.
        pair: kind of the pair, -1 without one.
        fans: what it counts before set combinations and exclusions.
        shape: for people.
    """

    codes: tuple[int, ...]
    pair: int
    fans: Fans
    shape: str


@dataclass(slots=True)
class _Laid:
    """The melds in numbers."""

    codes: tuple[int, ...]
    exposed_kongs: int
    concealed_kongs: int
    exposed: bool


class Reader:
    """Enumerates the readings of one hand.

    Args:
        hand: a checked hand without red fives.
        one_kind: whether wait fans ask for a wait on one kind of tile.
        merged: the winning tile was put among the standing tiles, so no wait can be shown.
    """

    def __init__(self, hand: ScoringHand, *, one_kind: bool, merged: bool = False) -> None:
        self._hand = hand
        self._one_kind = one_kind
        self._merged = merged
        self._waiting = count_kinds(hand.hand)
        self._win = KIND_INDEX[hand.win_tile]
        self._standing = list(self._waiting)
        self._standing[self._win] += 1
        self._all = list(self._standing)
        self._mask = 0
        self._laid = self._lay()
        for kind, count in enumerate(self._all):
            if count:
                self._mask |= 1 << kind
        self._single: bool | None = None
        self._seat = 27 + WINDS.index(hand.seat_wind) if hand.seat_wind else -1
        self._round = 27 + WINDS.index(hand.round_wind) if hand.round_wind else -1

    def _lay(self) -> _Laid:
        codes: list[int] = []
        exposed_kongs = concealed_kongs = 0
        exposed = False
        for meld in self._hand.melds:
            kinds = sorted(KIND_INDEX[tile] for tile in meld.tiles)
            if meld.kind == "chow":
                codes.append(CHOW + kinds[0])
                for kind in kinds:
                    self._all[kind] += 1
            else:
                codes.append(kinds[0])
                # A kong counts as three tiles here: its fourth makes no tile hog.
                self._all[kinds[0]] += 3
            exposed = exposed or not meld.concealed
            if meld.kind == "kong":
                concealed_kongs += meld.concealed
                exposed_kongs += not meld.concealed
        return _Laid(tuple(codes), exposed_kongs, concealed_kongs, exposed)

    def readings(self) -> Iterator[Reading]:
        """Every reading; none where the tiles complete no hand."""
        common = self._common()
        yield from self._regular(common)
        if self._laid.codes:
            if len(self._laid.codes) == 1:
                yield from self._knitted(common)
            return
        yield from self._knitted(common)
        if is_seven_pairs(self._standing):
            yield self._pairs(common)
        elif is_orphans(self._standing):
            yield Reading((), -1, common | {"thirteen_orphans": 1}, "thirteen orphans")
        elif is_knitted_honours(self._standing):
            greater = not _HONOURS & ~self._mask
            name = "greater" if greater else "lesser"
            fans = common | {f"{name}_honours_and_knitted_tiles": 1}
            if any(True for _ in knitted_straights(self._standing)):
                fans["knitted_straight"] = 1
            yield Reading((), -1, fans, "honours and knitted tiles")

    # What does not depend on the reading.

    def _common(self) -> Fans:
        hand, mask = self._hand, self._mask
        fans: Fans = {}
        if hand.self_drawn:
            fans["self_drawn"] = 1
            if not self._laid.exposed:
                fans["fully_concealed_hand"] = 1
            if hand.last_tile:
                fans["last_tile_draw"] = 1
            if hand.after_kong:
                fans["out_with_replacement_tile"] = 1
        else:
            if not self._laid.exposed:
                fans["concealed_hand"] = 1
            if hand.robbing_kong:
                fans["robbing_the_kong"] = 1
            # A robbed tile was never discarded, so it is no last discard.
            elif hand.last_tile:
                fans["last_tile_claim"] = 1
        if hand.last_of_kind:
            fans["last_tile"] = 1
        suits = sum(1 for suit in _SUITS if mask & suit)
        honours = mask & _HONOURS
        if suits == 0:
            fans["all_honours"] = 1
        elif suits == 1:
            fans["half_flush" if honours else "full_flush"] = 1
        elif suits == 2:
            fans["one_voided_suit"] = 1
        elif mask & _WINDS and mask & _DRAGONS:
            fans["all_types"] = 1
        if not honours:
            fans["no_honours"] = 1
            self._ranks_only(fans)
        if suits and not mask & ~(_TERMINALS | _HONOURS):
            fans["all_terminals_and_honours" if honours else "all_terminals"] = 1
        if not mask & ~_GREEN:
            fans["all_green"] = 1
        if not mask & ~_REVERSIBLE:
            fans["reversible_tiles"] = 1
        hogs = sum(1 for count in self._all if count == 4)
        if hogs:
            fans["tile_hog"] = hogs
        return fans

    def _ranks_only(self, fans: Fans) -> None:
        mask = self._mask
        if not mask & _TERMINALS:
            fans["all_simples"] = 1
        for name, low, high in (
            ("upper_tiles", 7, 9),
            ("middle_tiles", 4, 6),
            ("lower_tiles", 1, 3),
            ("upper_four", 6, 9),
            ("lower_four", 1, 4),
        ):
            if not mask & ~_BANDS[low, high]:
                fans[name] = 1

    def _has_single_wait(self) -> bool:
        """Whether the standing tiles waited for one kind only (computed when asked)."""
        if self._single is None:
            # By form alone: a fifth tile of a kind counts as a second wait, as in the
            # examples of source 000 (Q51 ex. 2: 1234 beside three chows 234).
            found = wait_kinds(self._waiting, at_most=2, fifth=True)
            self._single = len(found) == 1
        return self._single

    # Readings with sets.

    def _regular(self, common: Fans) -> Iterator[Reading]:
        gates = not self._laid.codes and any(
            tuple(self._waiting[start : start + 9]) == _GATES for start in (0, 9, 18)
        )
        for pair, standing in splits(self._standing):
            fans = dict(common)
            if gates:
                fans["nine_gates"] = 1
            self._set_fans(fans, standing, pair)
            yield from self._placements(fans, standing, pair)

    def _set_fans(self, fans: Fans, standing: Sequence[int], pair: int) -> None:
        """Fans of single sets, of the pair and of all sets that do not depend on the wait."""
        codes = (*self._laid.codes, *standing)
        chows = sum(code >= CHOW for code in codes)
        if chows == len(codes) and pair < 27:
            fans["all_chows"] = 1
        elif chows == 0 and len(codes) == 4:
            fans["all_pungs"] = 1
            if not self._mask & ~_EVENS:
                fans["all_even_pungs"] = 1
        winds = sum(1 for code in codes if 27 <= code < 31)
        dragons = sum(1 for code in codes if 31 <= code < 34)
        self._honour_fans(fans, codes, pair, winds, dragons)
        if len(codes) == 4:
            if all(_has_end(code) for code in codes) and _has_end(pair):
                fans["outside_hand"] = 1
            if pair < 27 and pair % 9 == 4 and all(_has_five(code) for code in codes):
                fans["all_fives"] = 1

    def _honour_fans(
        self, fans: Fans, codes: Sequence[int], pair: int, winds: int, dragons: int
    ) -> None:
        if winds == 4:
            fans["big_four_winds"] = 1
        elif winds == 3:
            if 27 <= pair < 31:
                fans["little_four_winds"] = 1
            fans["big_three_winds"] = 1
        if dragons == 3:
            fans["big_three_dragons"] = 1
        elif dragons == 2:
            if pair >= 31:
                fans["little_three_dragons"] = 1
            fans["two_dragon_pungs"] = 1
        if dragons:
            fans["dragon_pung"] = dragons
        ends = 0
        for code in codes:
            if code >= 31:
                continue
            if code == self._round:
                fans["prevalent_wind"] = 1
            if code == self._seat:
                fans["seat_wind"] = 1
            if code >= 27:
                # Wind pungs that make up a larger fan of winds or one of the own winds
                # are not counted again as pungs of honours.
                ends += winds < 3 and code not in (self._round, self._seat)
            else:
                ends += code % 9 in (0, 8)
        if ends:
            fans["pung_of_terminals_or_honours"] = ends

    def _placements(self, fans: Fans, standing: Sequence[int], pair: int) -> Iterator[Reading]:
        """The same sets with the winning tile in each place it may have completed."""
        codes = tuple(sorted((*self._laid.codes, *standing)))
        shape = _describe(codes, pair)
        pungs = sum(1 for code in standing if code < CHOW)
        seen: set[tuple[bool, str]] = set()
        places: list[tuple[bool, str]] = []
        if pair == self._win:
            places.append((False, "single_wait"))
        for code in dict.fromkeys(standing):
            if code == self._win:
                places.append((True, ""))
            elif code >= CHOW and 0 <= self._win - (code - CHOW) <= 2:
                places.append((False, _chow_wait(code - CHOW, self._win)))
        for into_pung, wait in places:
            if (into_pung, wait) in seen:
                continue
            seen.add((into_pung, wait))
            own = dict(fans)
            self._add_wait(own, wait)
            open_pung = into_pung and not self._hand.self_drawn
            self._add_concealed(own, pungs - open_pung + self._laid.concealed_kongs)
            yield Reading(codes, pair, own, shape)

    def _add_wait(self, fans: Fans, wait: str) -> None:
        if not wait or self._merged:
            return
        if self._one_kind and not self._has_single_wait():
            return
        fans[wait] = 1
        melds = self._hand.melds
        if (
            wait == "single_wait"
            and len(melds) == 4
            and not self._hand.self_drawn
            and not any(meld.concealed for meld in melds)
        ):
            fans["melded_hand"] = 1

    def _add_concealed(self, fans: Fans, concealed: int) -> None:
        if concealed >= 2:
            name = {2: "two_concealed_pungs", 3: "three_concealed_pungs"}
            fans[name.get(concealed, "four_concealed_pungs")] = 1
        shown, hidden = self._laid.exposed_kongs, self._laid.concealed_kongs
        kongs = shown + hidden
        if kongs >= 3:
            fans["four_kongs" if kongs == 4 else "three_kongs"] = 1
            # Beside three or four kongs the concealed ones among them are looked at alone
            # (000 Q57, Q69); rulesets that do not add them exclude these fans.
            if hidden == 2:
                fans["two_concealed_kongs"] = 1
            elif hidden == 1 and concealed == 1:
                fans["concealed_kong"] = 1
        elif kongs == 2:
            fans[_KONG_PAIRS[hidden]] = 1
        elif kongs == 1:
            fans["concealed_kong" if hidden else "melded_kong"] = 1

    # Readings without four sets.

    def _knitted(self, common: Fans) -> Iterator[Reading]:
        for kinds, left in knitted_straights(self._standing):
            for pair, standing in splits(left):
                fans = dict(common)
                fans["knitted_straight"] = 1
                self._set_fans(fans, standing, pair)
                # Where the winning tile completed the knitted part no wait fan exists; it may
                # as well have completed the rest when it occurs there too.
                choices = list(self._placements(fans, standing, pair))
                if self._win in kinds or not choices:
                    own = dict(fans)
                    pungs = sum(1 for code in standing if code < CHOW)
                    self._add_concealed(own, pungs + self._laid.concealed_kongs)
                    choices.append(Reading((), pair, own, ""))
                for choice in choices:
                    yield Reading((), pair, choice.fans, "knitted straight")

    def _pairs(self, common: Fans) -> Reading:
        kinds = [kind for kind in range(27) if self._standing[kind]]
        fans = dict(common)
        shifted = len(kinds) == 7 and kinds[6] - kinds[0] == 6 and kinds[0] // 9 == kinds[6] // 9
        fans["seven_shifted_pairs" if shifted else "seven_pairs"] = 1
        return Reading((), -1, fans, "seven pairs")


_BANDS: Final = {band: _ranks(*band) for band in ((7, 9), (4, 6), (1, 3), (6, 9), (1, 4))}
_KONG_PAIRS: Final = ("two_melded_kongs", "exposed_and_concealed_kong", "two_concealed_kongs")


def _has_end(code: int) -> bool:
    """Whether a set (or the pair, by its kind) holds a terminal or an honour."""
    if code < CHOW:
        return code >= 27 or code % 9 in (0, 8)
    return (code - CHOW) % 9 in (0, 6)


def _has_five(code: int) -> bool:
    if code < CHOW:
        return code < 27 and code % 9 == 4
    return 2 <= (code - CHOW) % 9 <= 4


def _chow_wait(low: int, win: int) -> str:
    """The wait that the winning tile filled in a chow, empty for a wait on both sides."""
    if win == low + 1:
        return "closed_wait"
    if (win == low + 2 and low % 9 == 0) or (win == low and low % 9 == 6):
        return "edge_wait"
    return ""


def _name(kind: int) -> str:
    return f"{kind % 9 + 1}{'mps'[kind // 9]}" if kind < 27 else f"{kind - 26}z"


def _describe(codes: Sequence[int], pair: int) -> str:
    words = []
    for code in codes:
        if code < CHOW:
            words.append(_name(code)[0] * 3 + _name(code)[1])
        else:
            low = (code - CHOW) % 9 + 1
            words.append(f"{low}{low + 1}{low + 2}{'mps'[(code - CHOW) // 9]}")
    return " ".join([*words, _name(pair)[0] * 2 + _name(pair)[1]])
