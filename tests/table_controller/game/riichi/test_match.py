"""Between hands: who deals, counters, how a match ends and what it is worth (6.9, chapter 8)."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.domain.happenings import DiceRolled, TableSet, WallRaised
from table_controller.game.engine import Engine
from table_controller.game.riichi import ending
from table_controller.game.riichi.sets import swap_tiles
from table_controller.game.riichi.table import RiichiTable
from table_controller.referee.rulings import WARNINGS
from table_controller.rulesets import load
from tests.table_controller.scoring.notation import tiles


def _table(name: str = "riichi-xjtu-2025", **state: Any) -> RiichiTable:
    engine = Engine(load(name))
    table = engine.best
    assert isinstance(table, RiichiTable)
    for key, value in state.items():
        setattr(table, key, value)
    return table


# hand, dealer stays, result, scores, ruleset, whether the match ends.
ENDS = [
    (7, False, "win", (25000, 25000, 25000, 25000), "", False),
    (8, False, "win", (31000, 23000, 23000, 23000), "", True),  # 8.3
    (8, False, "win", (30000, 24000, 23000, 23000), "", False),  # has to be exceeded
    (8, False, "win", (29000, 25000, 23000, 23000), "", False),  # 8.4
    (9, False, "win", (31000, 23000, 23000, 23000), "", True),
    (9, True, "win", (31000, 23000, 23000, 23000), "", False),  # 8.4 之后下庄后, 8.3
    (12, True, "exhausted", (23000, 23000, 23000, 31000), "", False),
    (11, False, "win", (29000, 25000, 23000, 23000), "", False),
    (12, False, "win", (29000, 25000, 23000, 23000), "", True),
    (8, True, "win", (20000, 20000, 20000, 40000), "", True),  # 8.5.1, the dealer is first
    (8, True, "exhausted", (20000, 20000, 20000, 40000), "", True),  # 8.5.2
    (8, True, "win", (20000, 20000, 31000, 29000), "", False),
    (8, True, "win", (23400, 23300, 23300, 30000), "", False),
    (8, True, "abort", (20000, 20000, 20000, 40000), "", False),  # 8.5.3
    (3, False, "win", (-100, 30000, 30000, 40100), "", True),  # 8.2
    (3, False, "win", (0, 30000, 30000, 40000), "", False),
    (3, False, "win", (-100, 30000, 30000, 40100), "-qixing", False),  # 8.2 ☆
    (8, False, "win", (29000, 25000, 23000, 23000), "-qixing", True),  # 8.4 ☆
    (8, True, "win", (20000, 20000, 20000, 40000), "-qixing", False),  # 8.5 ☆
    (6, False, "win", (41000, 32000, 32000, 0), "-sanma", True),
    (6, False, "win", (39000, 33000, 33000, 0), "-sanma", False),
    (8, False, "win", (101000, 99000, 100000, 100000), "-relay", True),  # appendix 1, 3
    (8, False, "win", (100000, 100000, 100000, 100000), "-relay", False),
    (8, True, "win", (90000, 90000, 90000, 130000), "-relay", False),  # appendix 1, 4
]


@pytest.mark.parametrize(("hand", "stays", "result", "scores", "suffix", "ends"), ENDS)
def test_when_a_match_ends(
    hand: int, stays: bool, result: str, scores: tuple[int, ...], suffix: str, ends: bool
) -> None:
    table = _table(f"riichi-xjtu-2025{suffix}", hand=hand, stays=stays)
    table.dealer = table.order[(hand - 1) % table.players]
    assert ending._match_ends(table, result, scores) is ends


def test_an_extra_round_of_the_platform_ends_with_its_dealers_points() -> None:
    table = _table("tenhou", hand=9, stays=True)
    assert ending._match_ends(table, "win", (31000, 23000, 23000, 23000))
    assert not ending._match_ends(table, "win", (23000, 31000, 23000, 23000))


def test_equal_points_go_by_the_first_seating() -> None:
    # 8.1.2: 19000, 37000, 22000, 22000 are fourth, first, second, third.
    table = _table(scores=(19000, 37000, 22000, 22000))
    assert ending.ranking(table, table.scores) == [1, 2, 3, 0]


@pytest.mark.parametrize(
    ("points", "rank", "result"),
    [(25000, 2, -5.0), (30500, 0, 20.5), (18600, 3, -21.4), (-10000, 2, -40.0)],
)
def test_real_points_and_placement(points: int, rank: int, result: float) -> None:
    # The examples of 8.8.3.
    rest = [45000, 40000, 35000, 17000] if rank >= 2 else [29000, 25000, 20000, 10000]
    scores = [0, 0, 0, 0]
    scores[rank] = points
    others = [n for n in range(4) if n != rank]
    fill = rest[:rank] + [points - 1000 * (n + 1) for n in range(3 - rank)]
    for seat, value in zip(others, fill, strict=True):
        scores[seat] = value
    table = _table(scores=tuple(scores))
    final = {each["seat"]: each for each in ending.final(table)}
    assert final[rank]["rank"] == rank + 1
    assert final[rank]["result"] == result


def test_first_test_question_30() -> None:
    # 90900, -16100, 20900, 4300: West is second with +0.9.
    table = _table("riichi-xjtu-2025-qixing", scores=(90900, -16100, 20900, 4300))
    final = {each["seat"]: each["result"] for each in ending.final(table)}
    assert final[2] == 0.9


def test_sticks_that_are_left_go_to_the_first() -> None:
    table = _table(scores=(30000, 25000, 22000, 21000), sticks=2)
    assert ending.final(table)[0]["points"] == 32000


@pytest.mark.parametrize(
    ("warnings", "each"),
    [(0, 0), (4, 0), (5, 1500), (9, 1500), (10, 3000), (14, 3000), (15, 4000), (17, 4000),
     (18, 6000), (20, 6000), (21, 7000), (25, 11000)],
)  # fmt: skip
def test_warnings_are_paid_at_the_end(warnings: int, each: int) -> None:
    # 9.1.4
    table = _table(scores=(25000, 25000, 25000, 25000))
    table.counts = {(WARNINGS, 1, "session"): warnings}
    points = {row["seat"]: row["points"] for row in ending.final(table)}
    assert points[1] == 25000 - 3 * each
    assert points[0] == points[2] == points[3] == 25000 + each


def test_three_players_results() -> None:
    table = _table("riichi-xjtu-2025-sanma", scores=(40000, 35000, 30000, 0))
    assert [row["result"] for row in ending.final(table)] == [20.0, 0.0, -20.0]


# 4.5 and appendix 2 with section 8 of the contract: seat after the dealer that a sum counts to.
COUNTED = {
    4: {2: 1, 3: 2, 4: 3, 5: 0, 6: 1, 7: 2, 8: 3, 9: 0, 10: 1, 11: 2, 12: 3},
    3: {2: 1, 3: 2, 4: 0, 5: 1, 6: 2, 7: 0, 8: 1, 9: 2, 10: 0, 11: 0, 12: 2},
}


@pytest.mark.parametrize("players", [4, 3])
def test_where_the_wall_is_broken(players: int) -> None:
    table = _table("riichi-xjtu-2025" + ("-sanma" if players == 3 else ""))
    for total, ahead in COUNTED[players].items():
        assert table.counted_seat(total) == table.order[ahead]


def test_the_first_throw_may_choose_the_dealer() -> None:
    # 3.2: the sum of 7 makes the seat across the first dealer; his throw breaks the wall.
    engine = Engine(load("riichi-xjtu-2025"))
    engine.step(WallRaised(t=1.0, stacks=(17, 17, 17, 17)))
    engine.step(DiceRolled(t=2.0, values=(3, 4), seat=0))
    engine.step(DiceRolled(t=8.0, values=(2, 3), seat=2))
    assert engine.best.dealer == 2
    assert isinstance(engine.best, RiichiTable)
    assert engine.best.wind_of(2) == "E"
    assert engine.best.first_dealer == 2


def test_winds_and_rounds() -> None:
    table = _table("riichi-xjtu-2025-sanma", hand=4)
    assert table.round_wind == "S"
    table.dealer = 1
    assert [table.wind_of(seat) for seat in (1, 2, 0)] == ["E", "S", "W"]


def test_a_table_handed_over() -> None:
    engine = Engine(load("riichi-xjtu-2025"))
    scores = (20000, 30000, 24000, 25000)
    engine.step(TableSet(t=0.0, round_wind="S", dealer=2, hand=3, honba=2, sticks=1, scores=scores))
    table = engine.best
    assert isinstance(table, RiichiTable)
    assert (table.round_wind, table.hand, table.dealer) == ("S", 7, 2)
    assert (table.honba, table.sticks, table.scores) == (2, 1, scores)
    assert table.first_dealer == 0


# 5.10: what may not be discarded after a claim.
SWAPS = [
    ("123m", "3m", "3m"),
    ("123m", "1m", "1m 4m"),
    ("234m", "2m", "2m 5m"),
    ("234m", "4m", "1m 4m"),
    ("234m", "3m", "3m"),
    ("789s", "9s", "6s 9s"),
    ("555p", "5p", "5p"),
    ("067p", "7p", "4p 7p"),
]


@pytest.mark.parametrize(("shown", "claimed", "forbidden"), SWAPS)
def test_swap_calls(shown: str, claimed: str, forbidden: str) -> None:
    assert " ".join(swap_tiles(tiles(shown), tiles(claimed)[0])) == forbidden


def test_a_federation_of_its_own_is_a_small_file() -> None:
    # No red fives, no aborts, no bust, one yakuman at most, 4 han 30 fu rounded up.
    table = _table("ema-riichi-2025", hand=8, scores=(29000, 31000, 30000, 30000))
    assert table.scores == (29000, 31000, 30000, 30000)
    assert table.rules.start_points == 30000
    assert ending._match_ends(table, "win", table.scores)
    from table_controller.scoring.riichi import load_options, score
    from tests.table_controller.scoring.notation import hand

    options = load_options("ema-riichi-2025")
    won = hand("[555z] [666z] [777z] 1z222z *1z", seat_wind="S", round_wind="W")
    assert score(won, options).yakuman == 1
    won = hand("345m345p34s678s88s +5s", seat_wind="W", round_wind="E", riichi=0)
    assert (score(won, options).han, score(won, options).total) == (4, 8000)
