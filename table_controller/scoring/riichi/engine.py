"""Scoring of a riichi hand (source 002, chapters 6 and 7).

Readings, yaku and fu come from the ``mahjong`` package. On top of it stand the ruleset's
multiples, names, liability, counters, sticks and three-player payments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from mahjong.hand_calculating.hand import HandCalculator
from mahjong.hand_calculating.hand_config import HandConfig, OptionalRules
from mahjong.hand_calculating.yaku_config import YakuConfig
from mahjong.meld import Meld as LibraryMeld

from table_controller.domain.tiles import KIND_INDEX, KINDS, Tile
from table_controller.scoring.answer import FanScore, ScoreAnswer
from table_controller.scoring.hand import WINDS, BadHandError, Meld, ScoringHand, check
from table_controller.scoring.riichi.options import RiichiOptions, yaku_table
from table_controller.scoring.riichi.payments import (
    YAKUMAN_POINTS,
    Claim,
    base_points,
    hand_points,
    settle,
)
from table_controller.scoring.shapes import count_kinds, is_complete, is_orphans

DEFAULT = RiichiOptions()

_RED_IDS: Final = {Tile.RED_M5: 16, Tile.RED_P5: 52, Tile.RED_S5: 88}
_DOUBLE: Final = frozenset(
    {"suuankou_tanki", "daburu_kokushi", "daisuushi", "daburu_chuuren_poutou"}
)
_KINDS: Final = {"chow": LibraryMeld.CHI, "pung": LibraryMeld.PON, "kong": LibraryMeld.KAN}
_NO_SIDE: Final = {3: ("left", "right"), 4: ("left", "across", "right")}


@lru_cache(maxsize=1)
def _keys() -> dict[int, str]:
    """The library's yaku numbers by our keys."""
    keys: dict[int, str] = {}
    for name, yaku in vars(YakuConfig()).items():
        keys[yaku.yaku_id] = name
    for number, name in keys.items():
        if name.startswith(("seat_wind", "round_wind")):
            keys[number] = name.rsplit("_", 1)[0]
    return keys


def waits(tiles: Iterable[Tile], melds: Sequence[Meld] = ()) -> tuple[Tile, ...]:
    """The kinds that complete the standing tiles (clause 6.2), in the usual order.

    A kind of which four copies stand in the hand itself is none, one whose copies lie in melds is.

    Args:
        tiles: 13 - 3m standing tiles; red fives are fives.
        melds: the m sets laid out.
    """
    counts = count_kinds(tiles)
    if sum(counts) != 13 - 3 * len(melds):
        return ()
    found = []
    for kind in range(34):
        if counts[kind] >= 4:
            continue
        counts[kind] += 1
        if is_shape(counts):
            found.append(KINDS[kind])
        counts[kind] -= 1
    return tuple(found)


def is_shape(counts: Sequence[int]) -> bool:
    """Whether standing tiles, the winning one included, are a winning shape (clause 6.1)."""
    if is_complete(counts, special=False):
        return True
    if sum(counts) != 14:
        return False
    return is_orphans(counts) or all(count in (0, 2) for count in counts)


class _Ids:
    """Hands out the library's tile numbers; plain fives before the number of the red one."""

    def __init__(self) -> None:
        self._used: set[int] = set()
        self.false_reds = 0

    def take(self, tile: Tile) -> int:
        if tile.is_red:
            number = _RED_IDS[tile]
        else:
            first = 4 * KIND_INDEX[tile]
            order = [first + 1, first + 2, first + 3, first]
            number = next(each for each in order if each not in self._used)
            self.false_reds += number in _RED_IDS.values()
        self._used.add(number)
        return number


def _check(hand: ScoringHand, options: RiichiOptions) -> None:
    check(hand)
    if hand.flowers:
        raise BadHandError("flowers: riichi has none")
    if options.players == 3:
        melds = [(f"melds.{number}.tiles", meld.tiles) for number, meld in enumerate(hand.melds)]
        for where, tiles in (("hand", hand.hand), ("win_tile", (hand.win_tile,)), *melds):
            for tile in tiles:
                if tile.value[1] == "m" and tile.value[0] in "02345678":
                    raise BadHandError(f"{where}: {tile.value} is not in a set for three players")
        if any(meld.kind == "chow" for meld in hand.melds):
            raise BadHandError("melds: no chow with three players")
        if "across" in (hand.from_, hand.liable):
            raise BadHandError("from: three players have none across")
        if hand.seat_wind == "N":
            raise BadHandError("seat_wind: three players have no North seat")
    elif hand.norths:
        raise BadHandError("norths: set aside with three players only")


def _config(hand: ScoringHand, options: RiichiOptions, *, reds: bool) -> HandConfig:
    dealer = _is_dealer(hand)
    first = hand.first_turn and not hand.melds
    rules = OptionalRules(
        has_open_tanyao=options.open_all_simples,
        has_aka_dora=reds,
        has_double_yakuman=options.double_yakuman and options.yakuman_add,
        kiriage=options.round_up_mangan,
        limit_to_sextuple_yakuman=False,
        renhou_as_yakuman=options.blessing_of_man == "yakuman",
        is_three_player=options.players == 3,
    )
    wind = None if hand.seat_wind is None else 27 + WINDS.index(hand.seat_wind)
    return HandConfig(
        is_tsumo=hand.self_drawn,
        is_riichi=hand.riichi > 0,
        is_daburu_riichi=hand.riichi == 2,
        is_ippatsu=hand.ippatsu,
        is_rinshan=hand.after_kong,
        is_chankan=hand.robbing_kong,
        # With a replacement tile 岭上开花 alone is counted (solution 6C of the second test).
        is_haitei=hand.last_tile and hand.self_drawn and not hand.after_kong,
        is_houtei=hand.last_tile and not hand.self_drawn and not hand.robbing_kong,
        is_tenhou=first and hand.self_drawn and dealer,
        is_chiihou=first and hand.self_drawn and not dealer,
        is_renhou=first
        and not hand.self_drawn
        and not dealer
        and options.blessing_of_man != "none",
        player_wind=wind,
        round_wind=None if hand.round_wind is None else 27 + WINDS.index(hand.round_wind),
        num_nuki_dora=hand.norths,
        options=rules,
    )


def _is_dealer(hand: ScoringHand) -> bool:
    return hand.dealer if hand.dealer is not None else hand.seat_wind == "E"


def _estimate(hand: ScoringHand, win: Tile, options: RiichiOptions) -> tuple[Any, int]:
    """The library's answer with the given tile as winning tile, and red fives it did not count."""
    ids = _Ids()
    standing = [*hand.hand, hand.win_tile]
    order = [tile for tile in standing if tile.is_red] + [
        tile for tile in standing if not tile.is_red
    ]
    laid = [tile for meld in hand.melds for tile in meld.tiles]
    given: dict[Tile, list[int]] = {}
    # Red fives first: their numbers are fixed, plain fives go round them.
    for tile in sorted([*order, *laid], key=lambda tile: not tile.is_red):
        given.setdefault(tile, []).append(ids.take(tile))
    tiles = [number for numbers in given.values() for number in numbers]
    melds = []
    for meld in hand.melds:
        numbers = sorted(given[tile].pop() for tile in meld.tiles)
        melds.append(LibraryMeld(_KINDS[meld.kind], tiles=numbers, opened=not meld.concealed))
    reds = sum(tile.is_red for tile in (*standing, *laid))
    count_reds = options.red_fives and reds > 0 and not ids.false_reds
    answer = HandCalculator.estimate_hand_value(
        tiles,
        given[win][0],
        melds=melds,
        dora_indicators=[4 * KIND_INDEX[tile.plain] for tile in hand.dora_indicators],
        ura_dora_indicators=[4 * KIND_INDEX[tile.plain] for tile in hand.ura_indicators],
        config=_config(hand, options, reds=count_reds),
    )
    return answer, reds if options.red_fives and not count_reds else 0


def score(hand: ScoringHand, options: RiichiOptions = DEFAULT) -> ScoreAnswer:
    """The hand's yaku, han, fu and payments: the reading worth most (高点法, 7.9).

    Args:
        hand: the hand.
        options: the ruleset's scoring.

    Raises:
        BadHandError: when the tiles cannot be a hand of this game.
    """
    _check(hand, options)
    nobody = (0,) * options.players
    wins = [hand.win_tile]
    heaven = hand.first_turn and hand.self_drawn and _is_dealer(hand) and not hand.melds
    if heaven and options.heaven_any_tile:
        # 6.3.2: after the jump draw any tile may be taken as the winning one.
        wins += [tile for tile in dict.fromkeys(hand.hand) if tile != hand.win_tile]
    best: ScoreAnswer | None = None
    for win in wins:
        estimate, reds = _estimate(hand, win, options)
        if estimate.error:
            reason = {
                HandCalculator.ERR_HAND_NOT_WINNING: "not a winning shape",
                HandCalculator.ERR_NO_YAKU: "no yaku",
            }.get(estimate.error)
            if reason is None:
                raise BadHandError(str(estimate.error).replace("_", " "))
            best = best or ScoreAnswer(legal=False, reason=reason, payments=nobody)
            continue
        answer = _answer(hand, options, estimate, reds)
        if best is None or not best.legal or answer.total > best.total:
            best = answer
    assert best is not None
    return best


def _answer(hand: ScoringHand, options: RiichiOptions, estimate: Any, reds: int) -> ScoreAnswer:
    keys = [(_keys()[yaku.yaku_id], yaku) for yaku in estimate.yaku]
    exposed = any(not meld.concealed for meld in hand.melds)
    yakuman = [key for key, yaku in keys if yaku.is_yakuman]
    if yakuman:
        return _yakuman_answer(hand, options, yakuman)
    fans: list[FanScore] = []
    for key, yaku in keys:
        han = yaku.han_open if exposed and yaku.han_open else yaku.han_closed
        if key == "dora":
            # The library counts norths set aside among the dora.
            if han > hand.norths:
                fans.append(_fan(options, "dora", 1, han - hand.norths))
            if hand.norths:
                fans.append(_fan(options, "norths", 1, hand.norths))
        elif key in ("aka_dora", "ura_dora"):
            fans.append(_fan(options, key, 1, han))
        else:
            fans.append(_fan(options, key, han))
    if reds:
        fans.append(_fan(options, "aka_dora", 1, reds))
    han = sum(fan.value * fan.count for fan in fans)
    fu = int(estimate.fu)
    base, limit = base_points(
        han,
        fu,
        counted_yakuman=options.counted_yakuman,
        round_up_mangan=options.round_up_mangan,
    )
    claim = _claim(hand, options, base)
    order = {key: number for number, key in enumerate(yaku_table())}
    by_id = {yaku.id: key for key, yaku in reversed(yaku_table().items())}
    return ScoreAnswer(
        legal=True,
        fans=tuple(sorted(fans, key=lambda fan: order[by_id[fan.id]])),
        total=_total(claim),
        payments=_settle(hand, claim),
        han=han,
        fu=fu,
        limit=limit,
    )


def _multiple(options: RiichiOptions, key: str) -> int:
    if not options.yakuman_add:
        return 1
    doubled = (key in _DOUBLE and options.double_yakuman) or key == "daichisei"
    return 2 if doubled else 1


def _yakuman_answer(hand: ScoringHand, options: RiichiOptions, yakuman: list[str]) -> ScoreAnswer:
    if options.big_seven_stars and "tsuisou" in yakuman and _is_pairs(hand):
        yakuman = ["daichisei" if key == "tsuisou" else key for key in yakuman]
    times = sum(_multiple(options, key) for key in yakuman) if options.yakuman_add else 1
    liable_key = next((key for key in yakuman if key in options.liable_for), None)
    claim = _claim(
        hand,
        options,
        YAKUMAN_POINTS * times,
        liable_base=YAKUMAN_POINTS * _multiple(options, liable_key) if liable_key else 0,
    )
    return ScoreAnswer(
        legal=True,
        fans=tuple(_fan(options, key, _multiple(options, key)) for key in yakuman),
        total=_total(claim),
        payments=_settle(hand, claim),
        yakuman=times,
        limit="yakuman",
    )


def _is_pairs(hand: ScoringHand) -> bool:
    counts = count_kinds((*hand.hand, hand.win_tile))
    return not hand.melds and all(count in (0, 2) for count in counts)


def _fan(options: RiichiOptions, key: str, value: int, count: int = 1) -> FanScore:
    yaku = yaku_table()[key]
    return FanScore(
        id=yaku.id,
        name_zh=yaku.zh,
        name_en=yaku.en,
        value=value,
        count=count,
        clause=options.clauses.get(key, yaku.clause),
    )


def _claim(hand: ScoringHand, options: RiichiOptions, base: int, *, liable_base: int = 0) -> Claim:
    sides = {side: 1 + n for n, side in enumerate(reversed(_NO_SIDE[options.players]))}
    dealer: int | None = None
    if _is_dealer(hand):
        dealer = 0
    elif hand.seat_wind is not None:
        dealer = (options.players - WINDS.index(hand.seat_wind)) % options.players
    payer = None if hand.self_drawn or hand.from_ is None else sides[hand.from_]
    liable = sides[hand.liable] if hand.liable is not None and liable_base else None
    if not hand.self_drawn and payer is None:
        # Unknown discarder: the value is the same whoever it was.
        payer = 1
    return Claim(
        base=base,
        players=options.players,
        dealer=dealer,
        payer=payer,
        liable=liable,
        liable_base=liable_base,
        honba=hand.honba,
        honba_self_draw=options.honba_self_draw,
        honba_discard=options.honba_discard,
        sticks=hand.sticks,
    )


def _total(claim: Claim) -> int:
    """Points of the hand itself, each share rounded up, without counters and sticks."""
    return sum(-int(-points // 100) * 100 for points in hand_points(claim))


def _settle(hand: ScoringHand, claim: Claim) -> tuple[int, ...]:
    """Payments; empty where the discarder, or on a self-draw the dealer, is not known."""
    if not hand.self_drawn and hand.from_ is None:
        return ()
    if hand.self_drawn and claim.dealer is None:
        return ()
    return settle(claim)
