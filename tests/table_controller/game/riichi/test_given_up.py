"""A tile that was touched too early and let go, before its player draws it in turn."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from table_controller.domain.happenings import Happening, TileDiscarded, TileDrawn, TileReturned
from table_controller.domain.outputs import Alert
from table_controller.game.engine import Engine
from table_controller.game.riichi.deadwall import DeadWall
from table_controller.rulesets import load
from tests.table_controller.game.riichi.injections import table_after
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


@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
def test_who_goes_from_one_tile_of_the_dead_wall_to_the_next_draws_from_there_once() -> None:
    """The touch of the second was read as a wrong draw: one hand there made two alerts."""
    ruleset, hand = logged_hands(1, 1)[0]
    told = hand.happenings
    at = next(
        index
        for index, (discard, draw) in enumerate(pairwise(told))
        if isinstance(discard, TileDiscarded) and isinstance(draw, TileDrawn)
    )
    discard, draw = told[at], told[at + 1]
    assert isinstance(draw, TileDrawn)
    wall = table_after(told[: at + 1]).wall
    assert isinstance(wall, DeadWall)
    dead = [index for index in range(2 * wall.ring.total) if wall.is_dead(index)]
    # Upper tiles of two stacks in the middle of it.
    upper = [index for index in dead if index % 2 == 0]
    first, second = (wall.slot(index) for index in upper[3:5])
    t = discard.t
    engine = Engine(load(ruleset))
    for happening in told[: at + 1]:
        engine.step(happening)
    said = []
    for happening in (
        replace(draw, t=t + 0.4, stage="touched", slots=(first,)),
        replace(draw, t=t + 0.3, stage="touched", slots=(second,)),
        replace(draw, t=t + 0.8, stage="lifted", slots=(second,)),
        TileReturned(t=t + 1.4, seat=draw.seat, slots=(second,), confidence=0.99),
    ):
        said += engine.step(happening)
    said += engine.pass_time(t + 4.0)
    assert [each.id for each in said if isinstance(each, Alert)] == ["dead-wall-draw"]
