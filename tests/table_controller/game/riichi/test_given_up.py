"""A tile that was touched too early and let go, before its player draws it in turn."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from table_controller.domain.happenings import Happening, TileDiscarded, TileDrawn
from table_controller.domain.outputs import Alert
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.riichi.logs import PLAYED, logged_hands


def until_touched() -> tuple[str, list[Happening], Happening, TileDrawn]:
    """A played hand up to a discard, that discard, and a touch of what is drawn after it."""
    ruleset, hand = logged_hands(1, 1)[0]
    told = hand.happenings
    at = next(
        index
        for index, (discard, draw) in enumerate(pairwise(told))
        if isinstance(discard, TileDiscarded) and isinstance(draw, TileDrawn) and discard.seat == 0
    )
    discard, draw = told[at], told[at + 1]
    assert isinstance(draw, TileDrawn)
    touch = replace(draw, t=discard.t - 0.6, stage="touched", confidence=0.998)
    return ruleset, told[:at], discard, touch


@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
@pytest.mark.parametrize(
    ("known", "waits"),
    [
        pytest.param(-0.1, 0.0, id="known before the discard lay"),
        pytest.param(0.9, 0.9, id="the report of the touch came late"),
    ],
)
def test_a_touch_that_does_not_go_on_is_told_before_the_draw(known: float, waits: float) -> None:
    """It was told with the draw in turn, five seconds later."""
    ruleset, before, discard, touch = until_touched()
    engine = Engine(load(ruleset))
    for happening in before:
        engine.step(happening)
    told = [(discard.t, discard), (discard.t + known, touch)]
    said = []
    for at, happening in sorted(told, key=lambda each: each[0]):
        said += [*engine.step(happening), *engine.pass_time(at)]
    for tenths in range(int(10 * max(known, 0.0)) + 1, 25):
        t = discard.t + tenths / 10
        said += engine.pass_time(t)
        if any(isinstance(each, Alert) for each in said):
            break
    assert [(each.id, each.stage) for each in said if isinstance(each, Alert)] == [
        ("premature-draw", "touched")
    ]
    assert t - discard.t == pytest.approx(1.0 + waits, abs=0.15)
