"""Nothing moves while there is a reason that it must not. Both boards alike."""

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Ends, Fault, MachineState, Outcome
from tests.hardware.board_cycles import S, start, still, to_state
from tests.hardware.desk import BoardUnderTest, Desk

BLOCKERS = {
    Block.HAND: ("hand", True, False),
    Block.STOP: ("stop", True, False),
    Block.SUPPLY: ("supply_mv", 9000, 12000),
}


MOVING = [S.HATCH_OPEN, S.DROPPING, S.SHUFFLING, S.BUILDING, S.RAISING]


def block(desk: Desk, reason: Block, on: bool) -> None:
    if reason is Block.HOLD:
        assert desk.send(m.Hold(on)).outcome is Outcome.DONE
    elif reason is Block.HOST_SILENT:
        desk.talking = not on
        desk.run(m.HOST_SILENT_MS / 1000 + 0.1 if on else 2.0)
    else:
        name, yes, no = BLOCKERS[reason]
        setattr(desk.inputs, name, yes if on else no)


@pytest.mark.parametrize("state", MOVING)
@pytest.mark.parametrize("reason", [Block.HAND, Block.STOP, Block.SUPPLY, Block.HOLD])
def test_nothing_moves_within_one_scan_of_a_reason(
    table: Desk, state: MachineState, reason: Block
) -> None:
    to_state(table, state)
    assert table.out.motor_enable
    block(table, reason, True)
    table.run(m.SCAN_MS / 1000)
    assert still(table.out)


@pytest.mark.parametrize("state", MOVING)
def test_nothing_moves_once_the_host_is_silent(table: Desk, state: MachineState) -> None:
    table.mechanics.stuck = True
    if state is S.HATCH_OPEN:
        table.send(start())
    else:
        table.mechanics.stuck = False
        to_state(table, state)
        table.mechanics.stuck = True
    table.talking = False
    last = table.now
    table.until(lambda: still(table.out), 3.0)
    assert table.now - last <= (m.HOST_SILENT_MS + 2 * m.SCAN_MS) / 1000
    table.talking = True
    table.run(2.0)
    assert still(table.out)
    assert (table.state, table.fault) == (S.FAULT, Fault.HOST_SILENT)


@pytest.mark.parametrize("state", MOVING)
@pytest.mark.parametrize("reason", [Block.HAND, Block.HOLD])
def test_hand_and_veto_pause_and_the_cycle_goes_on(
    table: Desk, state: MachineState, reason: Block
) -> None:
    to_state(table, state)
    block(table, reason, True)
    table.run(20.0)  # longer than any time-out of a movement: pauses do not count
    assert still(table.out)
    assert table.last(m.BlockChanged).block == reason
    block(table, reason, False)
    table.run(0.1)
    if reason is Block.HAND:
        assert still(table.out)
        table.run(m.HAND_CLEAR_MS / 1000)
    assert table.out.motor_enable
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN or table.state is not S.HATCH_OPEN)
    table.run(0.1)
    if table.state is S.HATCH_OPEN:
        table.send(m.Hatch(False))
    table.until(lambda: table.state is S.READY)


@pytest.mark.parametrize("state", MOVING)
@pytest.mark.parametrize(
    ("reason", "fault"), [(Block.STOP, Fault.EMERGENCY_STOP), (Block.SUPPLY, Fault.SUPPLY)]
)
def test_stop_and_supply_end_a_movement(
    table: Desk, state: MachineState, reason: Block, fault: Fault
) -> None:
    to_state(table, state)
    block(table, reason, True)
    table.run(0.1)
    assert (table.state, table.fault) == (S.FAULT, fault)
    assert table.send(m.ClearFault()).outcome is Outcome.BLOCKED
    block(table, reason, False)
    table.run(5.0)
    assert still(table.out)
    assert (table.state, table.fault) == (S.FAULT, fault)
    assert table.send(start()).outcome is Outcome.WRONG_STATE
    assert table.send(m.ClearFault()).outcome is Outcome.DONE
    table.run(1.0)
    assert table.state is S.IDLE
    assert still(table.out)


@pytest.mark.parametrize("reason", [Block.HAND, Block.STOP, Block.SUPPLY, Block.HOLD])
@pytest.mark.parametrize(
    "command", [start(), m.Lift(True), m.Hatch(True), m.Dice(500)], ids=lambda c: type(c).__name__
)
def test_no_movement_begins_while_blocked(
    desk: Desk, reason: Block, command: m.CommandMessage
) -> None:
    block(desk, reason, True)
    desk.run(0.1)
    result = desk.send(command)
    assert result == m.Result(Outcome.BLOCKED, reason)
    desk.run(0.5)
    assert still(desk.out)
    assert desk.state is S.IDLE


def test_stop_at_rest_is_no_fault(desk: Desk) -> None:
    block(desk, Block.STOP, True)
    desk.run(0.5)
    assert desk.state is S.IDLE
    assert desk.last(m.StopChanged).pressed
    block(desk, Block.STOP, False)
    desk.run(0.1)
    assert desk.last(m.BlockChanged).block == Block(0)
    assert desk.send(m.Dice(100)).outcome is Outcome.DONE


def test_open_hatch_waits_through_silence_and_stop_without_a_fault(table: Desk) -> None:
    """Nothing wants to move while the players push tiles in."""
    to_state(table, S.HATCH_OPEN)
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN).run(0.1)
    block(table, Block.HOST_SILENT, True)
    block(table, Block.HOST_SILENT, False)
    block(table, Block.STOP, True)
    table.run(0.5)
    block(table, Block.STOP, False)
    table.run(60.0)
    assert (table.state, table.fault) == (S.HATCH_OPEN, Fault.NONE)
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is S.READY)


def test_silent_host_means_nothing_moves_before_the_first_hello(board: BoardUnderTest) -> None:
    desk = Desk(board)
    desk.talking = False
    desk.inputs.start_key = True
    desk.run(3.0)
    assert still(desk.out)
    desk.talking = True
    desk.connect()
    desk.run(0.1)
    assert Block.HOST_SILENT in desk.all(m.BlockChanged)[0].block


def test_veto_outlives_the_link(table: Desk) -> None:
    assert table.send(m.Hold(True)).outcome is Outcome.DONE
    table.host.disconnect()
    table.run(3.0)
    table.connect().run(0.2)
    assert table.send(start()).outcome is Outcome.BLOCKED
    assert table.send(m.Hold(False)).outcome is Outcome.DONE
    table.run(0.05)
    assert table.send(start()).outcome is Outcome.DONE


def test_a_command_ends_the_silence_before_the_next_scan(desk: Desk) -> None:
    """The first one comes at once behind the greeting, and was refused now and then."""
    ticket = desk.host.command(m.Dice(100), desk.now)
    held_up = desk.host.output()
    block(desk, Block.HOST_SILENT, True)
    desk.talking = True
    desk.run(0.05, held_up)
    answer = desk.answers[ticket]
    assert answer is not None
    assert answer.outcome is Outcome.DONE
