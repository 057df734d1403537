"""The next wall: when the hatch opens, when it closes, and what stands against it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from table_controller.app.table.next_wall import CLEAR_S, Do, NextWall, Situation, Stage, outside

ENDED = Situation(t=10.0, hand="hand-001", confirmed=True, phase="ready")
OPEN = replace(ENDED, phase="hatch_open")


def codes(wall: NextWall) -> list[str]:
    return [why["code"] for why in wall.why]


def test_confirmed_opened_cleared_closed() -> None:
    wall = NextWall()
    assert wall.look(replace(ENDED, hand=None)) is None
    assert (wall.stage, codes(wall)) == (Stage.NONE, [])
    assert wall.look(replace(ENDED, confirmed=False)) is None
    assert (wall.stage, codes(wall)) == (Stage.HELD, ["unconfirmed"])
    assert wall.look(ENDED) is Do.OPEN
    assert wall.look(replace(ENDED, t=10.5)) is None  # asked once, not every moment
    assert wall.look(replace(OPEN, t=12.0, tiles=30)) is None
    assert (wall.stage, wall.why) == (Stage.CLEARING, ({"code": "tiles", "count": 30},))
    assert wall.look(replace(OPEN, t=14.0, arms=True)) is None
    assert codes(wall) == ["arms"]
    assert wall.look(replace(OPEN, t=15.0)) is None  # clear, but only just
    assert wall.look(replace(OPEN, t=15.0 + CLEAR_S - 0.1)) is None
    assert wall.look(replace(OPEN, t=15.0 + CLEAR_S)) is Do.CLOSE
    assert wall.look(replace(OPEN, t=18.0, phase="shuffling")) is None
    assert wall.stage is Stage.DONE
    # The hand that is played now leaves it as it is; the next one begins anew.
    assert wall.look(replace(ENDED, t=90.0)) is None
    assert wall.look(replace(ENDED, t=200.0, hand="hand-002")) is Do.OPEN


def test_walls_that_were_raised_since_are_the_next_ones() -> None:
    begun_anew = NextWall()
    playing = replace(ENDED, raised=True)
    assert begun_anew.look(playing) is None
    assert (begun_anew.stage, begun_anew.why) == (Stage.DONE, ())
    begun_anew.order("next_wall")
    assert begun_anew.look(replace(playing, t=30.0)) is None
    assert begun_anew.look(replace(ENDED, t=200.0, hand="hand-002")) is Do.OPEN


def test_a_glimpse_of_an_arm_begins_the_clear_time_anew() -> None:
    wall = NextWall()
    wall.look(ENDED)
    wall.look(replace(OPEN, t=20.0))
    wall.look(replace(OPEN, t=20.0 + CLEAR_S / 2, arms=True))
    assert wall.look(replace(OPEN, t=20.0 + CLEAR_S)) is None
    assert wall.look(replace(OPEN, t=20.0 + 2 * CLEAR_S)) is Do.CLOSE


@pytest.mark.parametrize(
    ("change", "code", "over"),
    [
        ({"protests": ("alert-0001",)}, "protest", True),
        ({"undecided": ("alert-0002",)}, "undecided", True),
        ({"session_over": True}, "session_over", True),
        ({"confirmed": False}, "unconfirmed", False),
        ({"connected": False}, "machine_lost", False),
        ({"phase": "fault"}, "machine_fault", False),
        ({"seen": False}, "not_seen", False),
        ({"arms": True}, "arms", False),
        ({"written": False}, "not_written", False),
    ],
)
def test_what_stands_against_it_and_what_the_referee_may_go_over(
    change: dict[str, Any], code: str, over: bool
) -> None:
    wall = NextWall()
    held = replace(ENDED, **change)
    assert wall.look(held) is None
    assert codes(wall) == [code]
    wall.order("next_wall")
    assert wall.look(held) is (Do.OPEN if over else None)


def test_a_protest_holds_the_machine_until_it_is_lifted() -> None:
    wall = NextWall()
    assert wall.look(replace(ENDED, protests=("hand-001",))) is None
    assert wall.look(replace(ENDED, t=11.0)) is Do.OPEN


def test_the_referee_holds_and_releases() -> None:
    wall = NextWall()
    wall.order("hold")
    assert wall.look(ENDED) is None
    assert codes(wall) == ["hold"]
    wall.order("release")
    assert wall.look(ENDED) is Do.OPEN


def test_the_order_for_the_next_wall_does_not_release_what_is_held() -> None:
    wall = NextWall()
    wall.order("hold")
    wall.order("next_wall")
    assert wall.look(ENDED) is None
    assert codes(wall) == ["hold"]


@pytest.mark.parametrize(
    ("now", "stage"),
    [
        (replace(ENDED, hand=None), Stage.NONE),
        (replace(ENDED, phase="shuffling"), Stage.DONE),
        (replace(ENDED, raised=True), Stage.DONE),
    ],
)
def test_what_holds_the_machine_is_said_while_nothing_is_asked_of_it(
    now: Situation, stage: Stage
) -> None:
    wall = NextWall()
    wall.order("hold")
    assert wall.look(now) is None
    assert (wall.stage, codes(wall)) == (stage, ["hold"])
    wall.order("release")
    assert wall.look(replace(now, phase="fault", raised=stage is Stage.DONE)) is None
    assert (wall.stage, codes(wall)) == (stage, ["machine_fault"])


def test_a_cycle_that_a_fault_has_ended_is_begun_anew_when_the_referee_says_so() -> None:
    wall = NextWall()
    wall.order("next_wall")
    assert wall.look(replace(ENDED, t=18.0, phase="shuffling")) is None
    assert wall.look(replace(ENDED, t=20.0, phase="fault")) is None
    assert (wall.stage, codes(wall)) == (Stage.HELD, ["machine_fault"])
    # Cleared: whoever did it may still have a hand in there.
    cleared = replace(ENDED, t=30.0, phase="idle")
    assert wall.look(cleared) is None
    assert codes(wall) == ["ask"]
    wall.order("next_wall")
    assert wall.look(cleared) is Do.OPEN
    assert wall.look(replace(ENDED, t=40.0, phase="shuffling")) is None
    assert wall.look(replace(ENDED, t=200.0, hand="hand-002")) is Do.OPEN


def test_a_cycle_that_a_power_cut_has_ended_is_begun_anew() -> None:
    wall = NextWall()
    assert wall.look(replace(ENDED, t=18.0, phase="raising")) is None
    assert wall.look(replace(ENDED, t=20.0, phase="idle")) is Do.OPEN


def test_a_fault_in_a_hand_leaves_the_walls_it_is_played_with() -> None:
    wall = NextWall()
    playing = replace(ENDED, raised=True)
    assert wall.look(replace(playing, phase="fault")) is None
    assert wall.look(replace(playing, t=30.0)) is None
    assert (wall.stage, wall.why) == (Stage.DONE, ())
    assert wall.look(replace(ENDED, t=200.0, hand="hand-002")) is Do.OPEN


def test_asked_or_never() -> None:
    asked = NextWall("ask")
    assert asked.look(ENDED) is None
    assert codes(asked) == ["ask"]
    asked.order("next_wall")
    assert asked.look(ENDED) is Do.OPEN
    assert NextWall("off").look(ENDED) is None


def test_tiles_in_the_hatch_are_not_in_the_way() -> None:
    assert outside([(0, 0), (60, -60), (86, 0), (-200, 10)], 60.0) == 2
