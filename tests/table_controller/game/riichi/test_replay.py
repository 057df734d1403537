"""Replays of public games: no alert, the same results, payments and next hands as the log says."""

from __future__ import annotations

from typing import Any

import pytest

from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.riichi.logs import EDGES, PLAYED
from tests.table_controller.game.riichi.mjlog import LogHand, hands, players_of


def _replay(text: str) -> int:
    """Replays every hand of a log in one engine; returns how many were compared."""
    ruleset = load("tenhou" if players_of(text) == 4 else "tenhou-sanma")
    engine = Engine(ruleset)
    found = list(hands(text))
    for number, hand in enumerate(found):
        outputs = [out for happening in hand.happenings for out in engine.step(happening)]
        outputs += engine.flush(hand.happenings[-1].t + 1)
        _compare(hand, outputs)
        table: Any = engine.best
        if number + 1 < len(found) and not table.match_over:
            table = table.copy()
            table.next_hand()
            following = found[number + 1]
            assert (table.dealer, table.hand, table.honba, table.sticks) == (
                following.dealer,
                following.round + 1,
                following.honba,
                following.sticks,
            )
            assert list(table.scores) == following.before
    return len(found)


def _compare(hand: LogHand, outputs: list[Any]) -> None:
    assert [out for out in outputs if isinstance(out, Alert)] == []
    (record,) = [out for out in outputs if isinstance(out, HandRecord)]
    assert record.result == hand.result
    if hand.result == "abort":
        assert record.reason == hand.reason
    assert list(record.payments) == hand.deltas
    assert len(record.wins) == len(hand.wins)
    for win in hand.wins:
        mine = next(each for each in record.wins if each.winner == int(win["who"]))
        fu, _, _ = (int(n) for n in win["ten"].split(","))
        if "yaku" in win:
            numbers = [int(n) for n in win["yaku"].split(",")]
            assert mine.score["fu"] == fu
            assert mine.score["han"] == sum(numbers[1::2])
        else:
            assert mine.score["yakuman"] == len(win["yakuman"].split(","))


@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
@pytest.mark.parametrize(("name", "text"), PLAYED[::20], ids=[n for n, _ in PLAYED[::20]])
def test_played_games(name: str, text: str) -> None:
    assert _replay(text) > 0


@pytest.mark.skipif(not EDGES, reason="the logs are not at hand")
@pytest.mark.parametrize(("name", "text"), EDGES, ids=[n for n, _ in EDGES])
def test_edge_cases(name: str, text: str) -> None:
    _replay(text)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
def test_all_played_games() -> None:
    assert sum(_replay(text) for _, text in PLAYED) == 2500
