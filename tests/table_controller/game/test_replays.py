"""Real and simulated games of Chinese official rules: no alert, and the same moves and scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from table_controller.domain.happenings import TableSet
from table_controller.domain.outputs import Alert, HandRecord, Move
from table_controller.domain.tiles import Tile, sort_tiles
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.measure import measure
from tests.table_controller.game.recorded import (
    GAMES,
    Recorded,
    botzone_games,
    happenings,
    human_games,
    pmn_games,
)

NAMES = {"嵌张": "坎张", "单钓": "单钓将"}
OF_TWO_CHOWS = {"一般高", "喜相逢", "连六", "老少副"}
SAID = {"play": "discard", "kong": "kong", "concealed": "kong", "added": "kong"}

pytestmark = pytest.mark.skipif(not GAMES.is_dir(), reason="no game records beside the project")


def all_games() -> list[Recorded]:
    return [*human_games(), *botzone_games(), *pmn_games()] if GAMES.is_dir() else []


@pytest.mark.parametrize("ruleset", ["mcr-1998", "mcr-2006-du", "mcr-2002-tianjin"])
def test_played_games_raise_nothing(ruleset: str) -> None:
    rules = load(ruleset)
    for number, hand in enumerate(all_games()):
        engine = Engine(rules)
        story = happenings(hand, number)
        said = [output for h in story for output in engine.step(h)]
        said += engine.flush(story[-1].t)
        assert [a.id for a in said if isinstance(a, Alert)] == [], hand.name
        assert not any(m.inferred for m in said if isinstance(m, Move)), hand.name


def test_moves_wins_fans_and_scores_are_those_of_the_records() -> None:
    """Fans of one point for two chows can be chosen freely; the others are the same."""
    rules = load("mcr-1998")
    compared = 0
    for number, hand in enumerate(all_games()):
        engine = Engine(rules)
        story = happenings(hand, number)
        said = [output for h in story for output in engine.step(h)]
        said += engine.flush(story[-1].t)
        _compare_moves(hand, [m for m in said if isinstance(m, Move)])
        records = [o for o in said if isinstance(o, HandRecord)]
        if hand.payments is None:
            continue
        [record] = records
        assert record.payments == hand.payments, (hand.name, hand.fans, record.wins[0].score)
        if hand.fans:
            answer = {
                fan["name_zh"]: fan["count"]
                for fan in record.wins[0].score["fans"]
                if fan["name_zh"] not in OF_TWO_CHOWS
            }
            listed = {NAMES.get(name, name): count for name, count in hand.fans}
            assert answer == {k: v for k, v in listed.items() if k not in OF_TWO_CHOWS}, hand.name
            assert record.wins[0].score["total"] == hand.total
        compared += 1
    assert compared >= 30


def _compare_moves(hand: Recorded, moves: list[Move]) -> None:
    played = [m for m in moves if m.move not in ("dice", "break", "deal", "exhausted", "abort")]
    acts = hand.acts[1:] if len(hand.deals[0]) == 13 else hand.acts
    expected = [(SAID.get(a.what, a.what), a.seat) for a in acts]
    assert [(m.move, m.seat) for m in played] == expected, hand.name
    for act, move in zip(acts, played, strict=True):
        if act.what in ("play", "pung", "kong", "added", "win"):
            assert move.tile is act.tile, hand.name
        if act.what == "chow":
            assert move.tiles is not None
            suit, middle = act.tile.value[1], act.tile.rank
            run = [Tile(f"{rank}{suit}") for rank in (middle - 1, middle, middle + 1)]
            assert sort_tiles(move.tiles) == run, hand.name


def test_with_holes_the_moves_come_out_the_same() -> None:
    """Reduced here; ``python -m tests.table_controller.game.measure`` is the whole one."""
    tally = measure(60, drop=0.05, blind=0.01, seed=2)
    assert tally.inferable >= 20
    assert tally.right >= 0.97 * tally.inferable, tally.wrong
    assert sum(tally.alerts.values()) <= 1, tally.wrong


def test_a_session_of_sixteen_hands_keeps_deal_wind_and_scores() -> None:
    engine = Engine(load("mcr-1998"), east=0)
    games = [g for g in islice(all_games(), 36) if g.payments is not None][:16]
    total = [0, 0, 0, 0]
    t = 0.0
    for number, game in enumerate(games):
        dealer = number % 4
        story = [h for h in happenings(game, number, dealer=dealer) if not isinstance(h, TableSet)]
        said = []
        for happening in story:
            said += engine.step(replace(happening, t=happening.t + t))
        t += story[-1].t + 20
        [record] = [o for o in said if isinstance(o, HandRecord)]
        assert (record.hand, record.dealer) == (number + 1, dealer)
        assert record.round_wind == "ESWN"[number // 4]
        assert record.scores == tuple(a + b for a, b in zip(total, record.payments, strict=True))
        total = list(record.scores)
    assert sum(total) == 0
