"""Random riichi wins against the packages ``mahjong`` (its payments) and ``riichienv``."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any, Literal

from table_controller.domain.tiles import KIND_INDEX, KINDS, Tile
from table_controller.scoring.hand import WINDS, ScoringHand, Side
from table_controller.scoring.riichi import RiichiOptions, score
from table_controller.scoring.shapes import count_kinds, is_orphans
from tests.table_controller.scoring.generate import winning_hand
from tests.table_controller.scoring.oracle import Report

# The other program knows neither a blessing of man nor big seven stars, and keeps to the given
# winning tile with the blessing of heaven.
OPTIONS = RiichiOptions(blessing_of_man="none", big_seven_stars=False, heaven_any_tile=False)
OPTIONS_THREE = replace(OPTIONS, players=3, honba_discard=200)
_RED = {Tile.RED_M5: 16, Tile.RED_P5: 52, Tile.RED_S5: 88}
_SIDES = {"right": 1, "across": 2, "left": 3}


def riichi_hand(rng: random.Random, *, three: bool = False) -> ScoringHand:
    """A winning hand with circumstances that can occur together in riichi."""
    while True:
        first = winning_hand(rng, knitted=False)
        tiles = [*first.hand, first.win_tile, *(t for m in first.melds for t in m.tiles)]
        pairs = len(first.hand) == 13 and sum(tiles.count(t) == 4 for t in set(tiles)) > 0
        if pairs and all(tiles.count(t) in (2, 4) for t in set(tiles)):
            continue
        if three and (
            any(t.value[1] == "m" and t.value[0] in "2345678" for t in tiles)
            or any(meld.kind == "chow" for meld in first.melds)
        ):
            continue
        return _dress(rng, first, three=three)


def _dress(rng: random.Random, first: ScoringHand, *, three: bool) -> ScoringHand:
    closed = all(meld.concealed for meld in first.melds)
    riichi: Literal[0, 1, 2] = rng.choice((0, 1, 1, 2)) if closed else 0
    seat = rng.choice(WINDS[:3] if three else WINDS)
    kong = any(meld.kind == "kong" for meld in first.melds)
    after_kong = first.self_drawn and kong and rng.random() < 0.3
    robbing = first.robbing_kong and not first.last_tile
    opened = not first.melds and not riichi and not after_kong and rng.random() < 0.08
    last = first.last_tile and not after_kong and not robbing and not opened
    sides: tuple[Side, ...] = ("left", "right") if three else ("left", "across", "right")
    norths = 0
    if three and not opened and Tile.NORTH not in (*first.hand, first.win_tile):
        laid = sum(t is Tile.NORTH for m in first.melds for t in m.tiles)
        norths = rng.choice((0, 0, 1, 2, 3, 4)) if not laid else 0
    hand = replace(
        first,
        flowers=0,
        last_of_kind=False,
        seat_wind=seat,
        round_wind=rng.choice(("E", "S", "W")),
        from_=None if first.self_drawn else rng.choice(sides),
        riichi=riichi,
        ippatsu=bool(riichi) and not after_kong and rng.random() < 0.3,
        first_turn=opened and first.self_drawn,
        last_tile=last,
        after_kong=after_kong,
        robbing_kong=robbing,
        norths=norths,
        honba=rng.choice((0, 0, 1, 5)),
        sticks=rng.choice((0, 0, 1, 4)),
    )
    return _indicators(rng, _reds(rng, hand, three=three), three=three)


def _reds(rng: random.Random, hand: ScoringHand, *, three: bool) -> ScoringHand:
    """One of the fives of each suit is red where four of them are there, else sometimes."""
    for suit in "ps" if three else "mps":
        plain = Tile("5" + suit)
        laid = [t for meld in hand.melds for t in meld.tiles]
        count = [*hand.hand, hand.win_tile, *laid].count(plain)
        if not count or (count < 4 and rng.random() < 0.4):
            continue
        red = Tile("0" + suit)
        if plain in hand.hand:
            at = hand.hand.index(plain)
            hand = replace(hand, hand=(*hand.hand[:at], red, *hand.hand[at + 1 :]))
        elif hand.win_tile is plain:
            hand = replace(hand, win_tile=red)
        else:
            number = next(n for n, meld in enumerate(hand.melds) if plain in meld.tiles)
            meld = hand.melds[number]
            at = meld.tiles.index(plain)
            changed = replace(meld, tiles=(*meld.tiles[:at], red, *meld.tiles[at + 1 :]))
            hand = replace(hand, melds=(*hand.melds[:number], changed, *hand.melds[number + 1 :]))
    return hand


def _indicators(rng: random.Random, hand: ScoringHand, *, three: bool) -> ScoringHand:
    left = [
        kind
        for kind in range(34)
        for _ in range(4)
        if not (three and 1 <= kind <= 7)
    ]  # fmt: skip
    for tile in (*hand.hand, hand.win_tile, *(t for m in hand.melds for t in m.tiles)):
        left.remove(KIND_INDEX[tile.plain])
    for _ in range(hand.norths):
        left.remove(KIND_INDEX[Tile.NORTH])
    # Indicators that point at tiles of the hand are wanted.
    number = rng.choice((1, 1, 2, 5))
    drawn = [KINDS[kind] for kind in rng.sample(left, 2 * number)]
    return replace(
        hand,
        dora_indicators=tuple(drawn[:number]),
        ura_indicators=tuple(drawn[number:]) if hand.riichi else (),
    )


def _numbers(hand: ScoringHand) -> tuple[list[int], int, list[list[int]]]:
    """Tile numbers 0..135: standing ones, the winning one, and those of the melds."""
    used: set[int] = set()

    def number(tile: Tile) -> int:
        if tile.is_red:
            found = _RED[tile]
        else:
            first = 4 * KIND_INDEX[tile]
            found = next(n for n in (first + 1, first + 2, first + 3, first) if n not in used)
        used.add(found)
        return found

    melds = [[number(tile) for tile in meld.tiles] for meld in hand.melds]
    return [number(tile) for tile in hand.hand], number(hand.win_tile), melds


def _wind(other: Any, wind: str | None) -> Any:
    names = {"E": "East", "S": "South", "W": "West", "N": "North"}
    return getattr(other.Wind, names[wind or "E"])


def riichienv_answer(hand: ScoringHand, *, three: bool) -> Any:
    """What ``riichienv`` makes of the hand."""
    # The compiled core itself: its Python front adds the winning tile by counting tiles modulo
    # three, which goes wrong with two kongs.
    from riichienv import _riichienv as other

    standing, win, laid = _numbers(hand)
    kinds = {
        ("chow", False): other.MeldType.Chi,
        ("pung", False): other.MeldType.Pon,
        ("kong", False): other.MeldType.Daiminkan,
        ("kong", True): other.MeldType.Ankan,
    }
    melds = [
        other.Meld(kinds[meld.kind, meld.concealed], sorted(numbers), not meld.concealed)
        for meld, numbers in zip(hand.melds, laid, strict=True)
    ]
    conditions = other.Conditions(
        tsumo=hand.self_drawn,
        riichi=hand.riichi > 0,
        double_riichi=hand.riichi == 2,
        ippatsu=hand.ippatsu,
        haitei=hand.last_tile and hand.self_drawn,
        houtei=hand.last_tile and not hand.self_drawn,
        rinshan=hand.after_kong,
        chankan=hand.robbing_kong,
        tsumo_first_turn=hand.first_turn,
        player_wind=_wind(other, hand.seat_wind),
        round_wind=_wind(other, hand.round_wind),
        riichi_sticks=hand.sticks,
        honba=hand.honba,
        kita_count=hand.norths,
        is_sanma=three,
        num_players=3 if three else 4,
    )
    evaluator = (other.HandEvaluator3P if three else other.HandEvaluator)(
        sorted([*standing, win]), melds
    )
    dora = [4 * KIND_INDEX[tile.plain] for tile in hand.dora_indicators]
    ura = [4 * KIND_INDEX[tile.plain] for tile in hand.ura_indicators]
    return evaluator.calc(win, dora, ura, conditions)


def _paid(result: Any, hand: ScoringHand, *, three: bool) -> tuple[int, ...]:
    """Its payments in the form of the contract."""
    players = 3 if three else 4
    paid = [0] * players
    winds = WINDS[:players]
    own = winds.index(hand.seat_wind or "E")
    if hand.self_drawn:
        for seat in range(1, players):
            dealer = winds[(own + seat) % players] == "E"
            paid[seat] = result.tsumo_agari_oya if dealer else result.tsumo_agari_ko
            if hand.seat_wind == "E":
                paid[seat] = result.tsumo_agari_ko or result.tsumo_agari_oya
    else:
        seat = {"right": 1, "across": 2, "left": players - 1}[hand.from_ or "right"]
        paid[seat] = result.ron_agari
    return (sum(paid) + 1000 * hand.sticks, *(-points for points in paid[1:]))


def compare_riichi(number: int, seed: int) -> Report:
    """Our scorer against ``riichienv`` on random wins of four and of three players."""
    rng = random.Random(seed)
    report = Report(hands=number)
    times: list[float] = []
    for _ in range(number):
        three = rng.random() < 0.25
        hand = riichi_hand(rng, three=three)
        start = time.perf_counter()
        options = OPTIONS_THREE if three else OPTIONS
        if hand.first_turn and is_orphans(count_kinds([*hand.hand, hand.win_tile])):
            # With the blessing of heaven the other program, too, lets the orphans wait on all
            # thirteen kinds (clause 6.3.2), though it does so for no other hand.
            options = replace(options, heaven_any_tile=True)
        answer = score(hand, options)
        times.append(time.perf_counter() - start)
        report.fans.update(fan.name_zh for fan in answer.fans)
        theirs = riichienv_answer(hand, three=three)
        if not answer.legal or not theirs.is_win:
            if answer.legal != theirs.is_win:
                report.unexplained.append((hand, answer.reason, theirs.yaku))
            continue
        paid = _paid(theirs, hand, three=three)
        if answer.payments != paid:
            report.unexplained.append((hand, answer, paid, theirs.han, theirs.fu, theirs.yaku))
        elif answer.han is not None and (answer.han, answer.fu) != (theirs.han, theirs.fu):
            report.readings += 1
    report.median_ms = sorted(times)[number // 2] * 1000 if number else 0.0
    return report
