"""Until when an alert may be raised: a time where it is known, words always."""

from __future__ import annotations

from table_controller.domain.happenings import Clock, DiceRolled, TileExposed
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene


def test_a_window_of_the_session_ends_when_its_time_is_up() -> None:
    """000 Q14: three hours; pauses are not counted."""
    scene = Scene()
    scene.said.insert(0, Clock(t=0.0, event="session_started"))
    scene.said.insert(1, Clock(t=1.0, event="paused"))
    scene.said.insert(2, Clock(t=3.0, event="resumed"))
    scene.start().play("3p")
    for _ in range(3):
        scene.draw().play("3p")
    alert = scene.draw().play("3p").judge("mcr-1998").only("fifth-tile", None)
    assert alert.ruling.until == 3 * 3600.0 + 2.0
    assert alert.ruling.until_text


def test_a_window_that_has_passed_when_the_alert_is_raised_names_the_time() -> None:
    """A left die is told after the dealer's discard: the window of the deal is over then."""
    engine = Engine(load("mcr-1998"))
    table = engine.best
    scene = Scene().start().play()
    for happening in scene.said:
        engine.step(happening)
    from table_controller.rulesets.model import Window

    table = engine.best
    first = scene.said[-1].t
    assert table.window_end(Window.DEALER_FIRST_DISCARD, 0, 0.0) == first
    assert table.window_end(Window.NEXT_DISCARD, 0, first - 1.0) == first
    assert table.window_end(Window.NEXT_DISCARD, 0, first) is None
    assert table.window_end(Window.HAND_END, 0, first) is None
    scene.draw()
    engine.step(scene.said[-1])
    drawn = scene.said[-1].t
    assert engine.best.window_end(Window.GO_AROUND, 1, first) == drawn
    assert engine.best.window_end(Window.GO_AROUND, 2, first) is None
    assert engine.best.window_end(Window.AT_ONCE, 0, first) == drawn


def test_nothing_is_made_up() -> None:
    """Without a clock a session has no known end; a hand's end is not foreseen."""
    scene = Scene().start().play()
    scene.say(TileExposed, where="hand", seat=1, tile=Tile("7s"), by=1)
    scene.draw()
    scene.t += 3
    alert = scene.judge("mcr-1998").only("own-tile-exposed", 1)
    assert alert.ruling.until is None
    assert alert.ruling.until_text == "until the hand ends"


def test_the_notice_before_the_end() -> None:
    """000 Q147(2): fifteen minutes before the end the players are told."""
    engine = Engine(load("mcr-1998"))
    engine.step(Clock(t=100.0, event="session_started"))
    assert engine.state["session"] == {
        "ends": 10900.0, "notice": 10000.0, "notice_due": False, "over": False,
    }  # fmt: skip
    engine.pass_time(9999.0)
    engine.step(DiceRolled(t=9999.5, values=(1, 2), seat=0))
    assert not engine.state["session"]["notice_due"]
    engine.step(Clock(t=10000.0, event="paused"))
    engine.step(Clock(t=10060.0, event="resumed"))
    # The minute's pause moves both.
    assert engine.state["session"]["notice"] == 10060.0
    assert engine.state["session"]["notice_due"]


def test_a_pause_that_is_told_twice_is_one() -> None:
    engine = Engine(load("mcr-1998"))
    engine.step(Clock(t=0.0, event="session_started"))
    for t, event in ((100.0, "paused"), (150.0, "paused"), (160.0, "resumed")):
        engine.step(Clock(t=t, event=event))  # type: ignore[arg-type]
    assert engine.state["session"]["ends"] == 3 * 3600.0 + 60.0
