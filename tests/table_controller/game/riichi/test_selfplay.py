"""Self-played games of four and three players: no alert, the same results and payments."""

from __future__ import annotations

import pytest

from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load

pytest.importorskip("riichienv", reason="a test-time dependency")

from tests.table_controller.game.riichi.selfplay import hands

RULESETS = {"4p-red-half": "tenhou", "3p-red-half": "tenhou-sanma"}


def _replay(mode: str, seed: int) -> int:
    engine = Engine(load(RULESETS[mode]))
    count = 0
    for hand in hands(mode, seed):
        outputs = [out for happening in hand.happenings for out in engine.step(happening)]
        outputs += engine.flush(hand.happenings[-1].t + 6)
        assert [out for out in outputs if isinstance(out, Alert)] == []
        (record,) = [out for out in outputs if isinstance(out, HandRecord)]
        assert record.result == hand.result
        if hand.result == "abort":
            assert record.reason == hand.reason
        assert list(record.payments) == hand.deltas
        count += 1
    return count


@pytest.mark.parametrize("mode", RULESETS)
def test_some_games(mode: str) -> None:
    assert sum(_replay(mode, seed) for seed in range(4)) > 20


def test_a_concealed_kong_is_no_chance_for_other_hands() -> None:
    # 6.3.4: only orphans can rob it, so nobody else becomes furiten by it.
    assert _replay("3p-red-half", 426) > 0


@pytest.mark.slow
@pytest.mark.parametrize("mode", RULESETS)
@pytest.mark.parametrize("part", range(10))
@pytest.mark.timeout(3000)
def test_two_thousand_games(mode: str, part: int) -> None:
    for seed in range(100 * part, 100 * part + 100):
        _replay(mode, 10_000 + seed)
