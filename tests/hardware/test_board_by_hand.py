"""Movements that are asked for one by one, and the dice. Both boards alike."""

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Ends, Fault, Outcome
from tests.hardware.board_cycles import S, drives, still
from tests.hardware.desk import Desk


@pytest.mark.parametrize(
    ("command", "drive", "reached", "limit", "fault"),
    [
        (m.Lift(True), "lift_up", Ends.LIFT_UP, m.LIFT_MOVE_MS, Fault.LIFT_TIMEOUT),
        (m.Lift(False), "lift_down", Ends.LIFT_DOWN, m.LIFT_MOVE_MS, Fault.LIFT_TIMEOUT),
        (m.Hatch(True), "hatch_open", Ends.HATCH_OPEN, m.HATCH_MOVE_MS, Fault.HATCH_TIMEOUT),
        (m.Hatch(False), "hatch_close", Ends.HATCH_CLOSED, m.HATCH_MOVE_MS, Fault.HATCH_TIMEOUT),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_movement_by_hand(
    desk: Desk, command: m.CommandMessage, drive: str, reached: Ends, limit: int, fault: Fault
) -> None:
    desk.inputs.ends = Ends(0)
    desk.run(0.05)
    assert desk.send(command).outcome is Outcome.DONE
    desk.run(0.05)
    assert drives(desk.out) == {drive}
    desk.inputs.ends = reached
    desk.run(0.05)
    assert still(desk.out)
    desk.inputs.ends = Ends(0)
    desk.run(0.05)
    desk.send(command)
    desk.run(limit / 1000 + 0.1)
    assert (desk.state, desk.fault) == (S.FAULT, fault)


def test_movement_by_hand_stopped_is_a_fault(desk: Desk) -> None:
    desk.inputs.ends = Ends(0)
    desk.run(0.05)
    desk.send(m.Lift(True))
    desk.run(0.05)
    desk.inputs.stop = True
    desk.run(0.05)
    assert (desk.state, desk.fault) == (S.FAULT, Fault.EMERGENCY_STOP)


def test_dice_roll_and_come_to_rest(desk: Desk) -> None:
    assert desk.last(m.DiceChanged).phase is m.DicePhase.IN_TRAY
    assert desk.send(m.Dice(800)).outcome is Outcome.DONE
    began = desk.now
    desk.run(0.05)
    assert drives(desk.out) == {"dice_motor"}
    assert desk.out.motor_enable
    desk.until(lambda: still(desk.out), 2)
    assert desk.now - began == pytest.approx(0.8, abs=0.02)
    desk.until(lambda: desk.last(m.DiceChanged).phase is m.DicePhase.STOPPED, 1)
    assert desk.now - began == pytest.approx(0.8 + m.DICE_STILL_MS / 1000, abs=0.03)
    desk.inputs.dice_tray = False
    desk.run(0.1)
    desk.inputs.dice_tray = True
    desk.run(0.1)
    phases = [d.phase.name for d in desk.all(m.DiceChanged)]
    assert phases[-4:] == ["ROLLING", "STOPPED", "REMOVED", "IN_TRAY"]


def test_hand_in_the_zone_stops_the_dice_for_good(desk: Desk) -> None:
    desk.send(m.Dice(2000))
    desk.run(0.1)
    desk.inputs.hand = True
    desk.run(0.01)
    assert still(desk.out)
    desk.inputs.hand = False
    desk.run(3.0)
    assert still(desk.out)


@pytest.mark.parametrize("run_ms", [0, m.DICE_MAX_MS + 1, 65535])
def test_dice_times_out_of_range(desk: Desk, run_ms: int) -> None:
    assert desk.send(m.Dice(run_ms)).outcome is Outcome.BAD_ARGUMENT
