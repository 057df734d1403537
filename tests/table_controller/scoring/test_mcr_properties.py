"""What must not change a hand's score, and what the payments sum to."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table_controller.domain.tiles import Tile
from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import Meld, ScoringHand, Side
from table_controller.scoring.mcr import is_winning, load_options, score, waits
from tests.table_controller.scoring.generate import winning_hand
from tests.table_controller.scoring.notation import hand, tiles

SEEDS = st.integers(min_value=0, max_value=2**32)
OPTIONS = load_options("mcr-1998")


def _fans(answer: ScoreAnswer) -> Counter[tuple[str, int]]:
    return Counter({(fan.id, fan.value): fan.count for fan in answer.fans})


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_order_of_tiles_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    first = winning_hand(rng)
    shuffled = replace(
        first,
        hand=tuple(rng.sample(first.hand, len(first.hand))),
        melds=tuple(
            replace(meld, tiles=tuple(rng.sample(meld.tiles, len(meld.tiles))))
            for meld in rng.sample(first.melds, len(first.melds))
        ),
    )
    assert score(shuffled, OPTIONS) == score(first, OPTIONS)


def _turn(tile: Tile) -> Tile:
    order = {"m": "p", "p": "s", "s": "m"}
    return Tile(tile.value[0] + order[tile.value[1]]) if tile.is_suited else tile


def _turned(first: ScoringHand) -> ScoringHand:
    return replace(
        first,
        hand=tuple(map(_turn, first.hand)),
        win_tile=_turn(first.win_tile),
        melds=tuple(replace(meld, tiles=tuple(map(_turn, meld.tiles))) for meld in first.melds),
    )


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_rotating_the_suits_changes_nothing_but_the_pictures(seed: int) -> None:
    first = winning_hand(random.Random(seed))
    turned = _turned(first)
    # Green and reversible tiles are fans of certain pictures, not of numbers.
    pictures = {"all_green", "reversible_tiles"}
    before, after = score(first, OPTIONS), score(turned, OPTIONS)
    if not pictures & {fan.id for fan in (*before.fans, *after.fans)}:
        assert before.total == after.total
        assert _fans(before) == _fans(after) or before.shape != after.shape


@given(SEEDS, st.sampled_from(["left", "across", "right"]))
@settings(max_examples=100, deadline=None)
def test_who_discarded_moves_only_the_payment(seed: int, side: Side) -> None:
    first = replace(winning_hand(random.Random(seed)), self_drawn=False, after_kong=False)
    one = score(replace(first, from_="left"), OPTIONS)
    other = score(replace(first, from_=side), OPTIONS)
    assert _fans(one) == _fans(other)
    assert sorted(one.payments) == sorted(other.payments)
    assert sum(other.payments) == 0


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_every_generated_hand_is_a_win_and_in_its_waits(seed: int) -> None:
    first = winning_hand(random.Random(seed))
    assert is_winning([*first.hand, first.win_tile], first.melds)
    assert first.win_tile in waits(first.hand, first.melds)


# Waits worked out in source 003 (Q48, Q69, Q76, J71).
WAITS = [
    ("1112678999m", "[345m]", "2m 3m"),
    ("2345678999m", "[111m]", "1m 2m 4m 5m 7m 8m"),
    ("1112p", "[345m] [789s] [111z]", "2p 3p"),
    ("1113m", "[345p] [789s] [111z]", "2m 3m"),
    ("8888922m", "[345p] [789s]", "7m"),
    ("7777922p", "[345m] [789s]", "8p"),
    ("1178889m", "[345p] [789s]", "1m 8m"),
    ("33m77789s", "[345p] [789m]", "3m 7s"),
    ("3334p", "[345m] [789s] [111z]", "2p 4p 5p"),
    ("4p", "[345m] [789s] [111z] (3333p)", "4p"),
    ("19m19p19s1234567z", "", "1m 9m 1p 9p 1s 9s 1z 2z 3z 4z 5z 6z 7z"),
    ("147m258p36s12345z", "", "9s 6z 7z"),
    ("1112345678999m", "", "1m 2m 3m 4m 5m 6m 7m 8m 9m"),
]


@pytest.mark.parametrize(("standing", "laid", "expected"), WAITS)
def test_waits(standing: str, laid: str, expected: str) -> None:
    from tests.table_controller.scoring.notation import meld

    melds: list[Meld] = [meld(word) for word in laid.split()]
    assert " ".join(waits(tiles(standing), melds)) == expected


def test_a_merged_winning_tile_loses_its_wait() -> None:
    # 003 Q25, 004 no. 15: the win stands, edge, closed and single wait do not.
    won = hand("[222m] [777p] 345s1z567m *1z")
    apart = {fan.id for fan in score(won, OPTIONS).fans}
    merged = {fan.id for fan in score(won, OPTIONS, merged=True).fans}
    assert apart - merged == {"single_wait"}


def test_flowers_do_not_help_to_the_minimum() -> None:
    seven = score(hand("[222m] [777p] 34s11z567m *5s", flowers=8), OPTIONS)
    assert not seven.legal
    assert seven.total == 8 + seven.qualifying
    assert seven.payments == (0, 0, 0, 0)


def test_self_draw_of_sixteen_pays_seventy_two() -> None:
    # 000 Q44: self-drawn 16 points: (8 + 16) x 3 = 72.
    answer = score(hand("[234m] [345p] 45s11z777m *6s", last_tile=True, flowers=2), OPTIONS)
    assert answer.total == 16
    assert answer.payments == (72, -24, -24, -24)


# Where the rulesets part: hand, facts, fan, value x count in 1998, Du, Tianjin (0: not counted).
DISAGREEMENTS = [
    ("(2222m) [7777p] 34s11z567m +5s", {}, "exposed_and_concealed_kong", (5, 6, 5)),
    ("[1111z] (2222m) [5555p] [8888s] 3s +3s", {}, "concealed_kong", (0, 2, 0)),
    ("[1111z] (2222m) [5555p] (8888s) 3s +3s", {}, "two_concealed_kongs", (0, 6, 0)),
    ("[1111z] (2222m) [5555p] (8888s) 3s +3s", {}, "two_concealed_pungs", (2, 0, 0)),
    ("(2222m) (5555p) (8888s) [1111z] 3s +3s", {}, "three_concealed_pungs", (16, 16, 0)),
    ("[1111z] (2222m) [5555p] 888s3s +3s", {}, "two_concealed_pungs", (2, 2, 0)),
    ("1111m9m1199p1199s *9m", {}, "tile_hog", (2, 0, 2)),
    ("1122334455667z *7z", {}, "all_honours", (64, 64, 0)),
    ("1133m5577p2244s6z *6z", {}, "fully_concealed_hand", (0, 0, 4)),
    ("111m333p555s77z22z *7z", {}, "fully_concealed_hand", (0, 0, 4)),
    ("[1111m] [456p] 78s55z222m *6s", {"after_kong": True}, "melded_kong", (1, 1, 0)),
    ("(2222m) [456p] 78s55z345m *6s", {"after_kong": True}, "concealed_kong", (2, 2, 1)),
    ("[111z] [222z] [333z] 44z99m +4z", {}, "half_flush", (6, 6, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "facts", "fan", "points"), DISAGREEMENTS)
def test_where_the_sources_disagree(
    text: str, facts: dict[str, bool], fan: str, points: tuple[int, int, int]
) -> None:
    found = []
    for ruleset in ("mcr-1998", "mcr-2006-du", "mcr-2002-tianjin"):
        answer = score(hand(text, **facts), load_options(ruleset))
        found.append(sum(each.value * each.count for each in answer.fans if each.id == fan))
    assert tuple(found) == points
