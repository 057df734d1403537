"""The last discard of the wall: what is waited for, and what is done when all is played."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import Call, HandClosed, PoolDisturbed
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.scenes import READY, Scene, won
from tests.table_controller.game.test_in_time import raised, said_of
from tests.table_controller.game.test_unwatched import wall_used_up


def last_discard(tile: str = "3s") -> Scene:
    """A hand up to the last discard, with no tile left to draw."""
    scene = Scene().start().play("?")
    while scene.wall.left > 1:
        scene.draw().play("?")
    return scene.draw().play(tile)


@pytest.mark.parametrize(("call", "wait"), [(False, 9.0), (True, 9.0), (True, 17.0)])
def test_a_win_on_the_last_discard_is_waited_for(call: bool, wait: float) -> None:
    """He looks, calls, and then lays his hand open (003 Q96); a call gives him time once more."""
    scene = last_discard()
    lay = scene.t
    if call:
        scene.say(Call, 8.0, seat=scene.turn, call="win")
    won(scene, scene.turn, READY, None, close=False)
    scene.said[-1] = replace(scene.said[-1], t=lay + wait)
    scene.t = lay + wait
    scene.say(HandClosed, 4.0, seat=scene.turn)
    [hand] = [each for each in said_of(scene) if isinstance(each, HandRecord)]
    assert (hand.result, hand.confirmed) == ("win", True)


@pytest.mark.parametrize("call", [False, True])
def test_a_win_that_was_called_and_not_shown_is_for_the_referee(call: bool) -> None:
    scene = last_discard()
    if call:
        scene.say(Call, 1.0, seat=scene.turn, call="win")
    [hand] = [each for each in said_of(scene, scene.t + 11.0) if isinstance(each, HandRecord)]
    assert (hand.result, hand.confirmed) == ("exhausted", not call)


def test_who_holds_the_last_tile_thinks_as_long_as_anybody() -> None:
    scene = last_discard()
    scene.said.pop()
    assert not [o for o in said_of(scene, scene.t + 12.0) if isinstance(o, HandRecord)]


@pytest.mark.parametrize(
    ("what", "wait", "told"),
    [
        pytest.param(None, 1.5, [], id="the table is cleared"),
        pytest.param(None, 0.5, ["pool-disturbed"], id="with the discard"),
        pytest.param("win", 1.5, ["pool-disturbed"], id="somebody has called"),
    ],
)
@pytest.mark.parametrize("recoverable", [True, False])
def test_when_all_is_played_the_pools_are_cleared(
    what: str | None, wait: float, told: list[str], recoverable: bool
) -> None:
    scene = last_discard()
    lay = scene.t
    if what is not None:
        scene.say(Call, 0.4, seat=scene.turn, call=what)
    scene.say(PoolDisturbed, lay + wait - scene.t, seat=1, by=2, recoverable=recoverable)
    assert raised(scene, lay + 5.0) == told


def test_when_all_is_played_a_riichi_table_is_cleared_before_the_hand_ends() -> None:
    story, last = wall_used_up("riichi-xjtu-2025")
    engine = Engine(load("riichi-xjtu-2025"), 0)
    said = [one for happening in story for one in engine.step(happening)]
    said += engine.step(PoolDisturbed(t=last + 8.0, seat=1, by=2, recoverable=False))
    said += engine.pass_time(last + 12.0)
    assert [one.id for one in said if isinstance(one, Alert)] == []
