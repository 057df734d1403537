"""Every alert id that a ruleset of the Chinese rules knows, from the words of its rule.

Each case is a hand told up to the infraction and a little beyond; exactly one alert comes, with
its seat and, where it has one, its stage. Beside each stands what looks alike and is allowed.
"""

from __future__ import annotations

import pytest

from table_controller.rulesets import load
from tests.table_controller.game.told import (
    allowed,
    census,
    claims,
    discards,
    draws,
    exposure,
    setup,
    wins,
)
from tests.table_controller.game.told.cases import Case

CASES = [
    param
    for subject in (setup, draws, discards, claims, exposure, wins, census)
    for param in subject.TOLD.params
]


@pytest.mark.parametrize(("alert", "seat", "stage", "rules", "tell"), CASES)
def test_infraction(
    alert: str, seat: int | None, stage: str | None, rules: str, tell: Case
) -> None:
    judged = tell().judge(rules)
    found = judged.only(alert, seat)
    if stage is not None:
        assert found.stage == stage
    assert found.evidence or alert in ("dice-left", "session-time-up", "missing-tile")
    assert found.rule.ruleset == rules
    assert found.rule.clause
    assert found.ruling.summary
    assert found.ruling.summary_zh


def test_every_alert_that_a_ruleset_knows_has_a_case() -> None:
    """Those entered by the referee or proved elsewhere are named."""
    elsewhere = {
        "win-while-barred",  # test_rulings
        "claim-while-barred",  # test_rulings
    }
    told = {param.values[0] for param in CASES}
    assert told | elsewhere == set(load("mcr-1998").alerts)


@pytest.mark.parametrize(("rules", "tell"), allowed.TOLD.params)
def test_allowed(rules: str, tell: Case) -> None:
    judged = tell().judge(rules)
    assert judged.ids == []
    assert not any(move.inferred for move in judged.moves)
