"""What the board calls a fault, and how soon. Both boards alike."""

from collections.abc import Callable

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Ends, Fault, MachineState, Outcome
from hardware.virtual_table.machine.io import Inputs
from hardware.virtual_table.machine.plant import PlantTimes
from tests.hardware.board_cycles import CLOSED_DOWN, FULL, S, start, still, to_state
from tests.hardware.desk import BoardUnderTest, Desk


def stuck(table: Desk) -> None:
    table.mechanics.stuck = True


def missing(table: Desk) -> None:
    table.mechanics.missing = 1


def jammed(table: Desk) -> None:
    table.mechanics.jammed = 2


def too_many(table: Desk) -> None:
    """Side 0 pushes more stacks than it may while the others lag behind."""
    table.mechanics._pushed = [-3, 0, 0, 0]

    def lag(inputs: Inputs) -> None:
        inputs.push_heads &= 1

    table.spoil = lag


def over_current(table: Desk) -> None:
    table.plant = None
    table.inputs.motor_ma = 7000


def both_lift_ends(table: Desk) -> None:
    table.plant = None
    table.inputs.ends = Ends.LIFT_UP | Ends.LIFT_DOWN | Ends.HATCH_CLOSED


def both_hatch_ends(table: Desk) -> None:
    table.plant = None
    table.inputs.ends = Ends.LIFT_DOWN | Ends.HATCH_CLOSED | Ends.HATCH_OPEN


def hatch_not_closed(table: Desk) -> None:
    table.plant = None
    table.inputs.ends = Ends.LIFT_DOWN


def nothing_pushed(table: Desk) -> None:
    table.mechanics.times = PlantTimes(shuffle=1000)


def dark_platform(table: Desk) -> None:
    table.plant = None
    table.inputs.platforms = 8


def walls(bits: int) -> Callable[[Desk], None]:
    def rebuild(inputs: Inputs) -> None:
        if inputs.walls[0]:
            inputs.walls[0] = bits

    def spoil(table: Desk) -> None:
        table.spoil = rebuild

    return spoil


@pytest.mark.parametrize(
    ("state", "spoil", "fault", "within"),
    [
        (S.HATCH_OPEN, stuck, Fault.HATCH_TIMEOUT, m.HATCH_MOVE_MS / 1000),
        (S.DROPPING, stuck, Fault.HATCH_TIMEOUT, m.HATCH_MOVE_MS / 1000),
        (S.RAISING, stuck, Fault.LIFT_TIMEOUT, m.LIFT_MOVE_MS / 1000),
        (S.SHUFFLING, nothing_pushed, Fault.SHUFFLE_TIMEOUT, m.SHUFFLE_MS / 1000),
        (S.SHUFFLING, jammed, Fault.JAM, 0.5 + m.JAM_MS / 1000),
        (S.SHUFFLING, dark_platform, Fault.JAM, m.JAM_MS / 1000),
        (S.BUILDING, jammed, Fault.JAM, m.JAM_MS / 1000),
        (S.BUILDING, dark_platform, Fault.JAM, m.JAM_MS / 1000),
        (S.BUILDING, missing, Fault.MISSING_TILES, 2 + m.STACK_MS / 1000),
        (S.BUILDING, too_many, Fault.SENSOR_DISAGREEMENT, 2),
        (S.BUILDING, over_current, Fault.OVER_CURRENT, m.OVERCURRENT_MS / 1000),
        (S.RAISING, over_current, Fault.OVER_CURRENT, m.OVERCURRENT_MS / 1000),
        (S.HATCH_OPEN, both_lift_ends, Fault.SENSOR_DISAGREEMENT, 0),
        (S.DROPPING, both_hatch_ends, Fault.SENSOR_DISAGREEMENT, 0),
        (S.SHUFFLING, hatch_not_closed, Fault.SENSOR_DISAGREEMENT, 0),
        (S.BUILDING, hatch_not_closed, Fault.SENSOR_DISAGREEMENT, 0),
        (S.RAISING, walls(FULL >> 1), Fault.MISSING_TILES, 0.6 + m.SETTLE_MS / 1000),
        (S.RAISING, walls(FULL << 1), Fault.SENSOR_DISAGREEMENT, 0.6 + m.SETTLE_MS / 1000),
    ],
    ids=lambda x: getattr(x, "name", getattr(x, "__name__", None)),
)
def test_faults_have_names(
    table: Desk, state: MachineState, spoil: Callable[[Desk], None], fault: Fault, within: float
) -> None:
    to_state(table, state)
    spoil(table)
    began = table.now
    table.until(lambda: table.state is S.FAULT, within + 1.0)
    assert table.fault is fault
    assert table.now - began >= within * 0.85 - 0.2
    assert still(table.out)
    assert table.logs[-1] == m.Log(m.LogLevel.ERROR, f"fault: {fault.name.lower()}")
    assert table.last(m.BlockChanged).block & Block.FAULT


def test_lift_that_does_not_come_down(desk: Desk) -> None:
    desk.inputs.ends = Ends.HATCH_CLOSED | Ends.LIFT_UP
    desk.run(0.05)
    desk.send(start())
    desk.until(lambda: desk.state is S.FAULT, m.LIFT_MOVE_MS / 1000 + 1)
    assert desk.fault is Fault.LIFT_TIMEOUT


def test_hatch_that_does_not_open_has_its_own_time_after_the_lift(desk: Desk) -> None:
    desk.inputs.ends = Ends.HATCH_CLOSED | Ends.LIFT_UP
    desk.run(0.05)
    desk.send(start())
    desk.run(m.LIFT_MOVE_MS / 1000 - 0.5)
    desk.inputs.ends = CLOSED_DOWN
    began = desk.now
    desk.until(lambda: desk.state is S.FAULT, m.HATCH_MOVE_MS / 1000 + 1)
    assert desk.fault is Fault.HATCH_TIMEOUT
    assert desk.now - began == pytest.approx(m.HATCH_MOVE_MS / 1000, abs=0.1)


def test_chain_that_cannot_be_read_is_a_fault_also_while_a_hand_is_played(desk: Desk) -> None:
    """Keys that nobody hears and stacks that nobody sees go: that is not kept from the referee."""
    desk.inputs.walls = [FULL, FULL, FULL, 0xFF]
    desk.inputs.chain_ok = False
    desk.run(m.CHAIN_MS / 1000 - 0.02)
    assert (desk.state, desk.fault) == (S.IDLE, Fault.NONE)
    desk.inputs.chain_ok = True  # a moment's noise
    desk.run(0.5)
    assert (desk.state, desk.fault) == (S.IDLE, Fault.NONE)
    desk.inputs.chain_ok = False
    desk.run(m.CHAIN_MS / 1000 + 0.05)
    assert (desk.state, desk.fault) == (S.FAULT, Fault.SENSOR_DISAGREEMENT)
    assert desk.send(m.ClearFault()).outcome is Outcome.DONE
    desk.run(0.1)
    assert (desk.state, desk.fault) == (S.FAULT, Fault.SENSOR_DISAGREEMENT)
    desk.inputs.chain_ok = True
    desk.run(0.1)
    assert desk.send(m.ClearFault()).outcome is Outcome.DONE
    desk.run(0.1)
    assert desk.state is S.PLAYING


def test_starting_current_is_no_fault(desk: Desk) -> None:
    desk.inputs.motor_ma = 9000
    desk.run(m.OVERCURRENT_MS / 1000 - 0.05)
    desk.inputs.motor_ma = 3000
    desk.run(1.0)
    assert desk.state is S.IDLE


def test_over_current_at_rest_is_a_fault_too(desk: Desk) -> None:
    desk.inputs.motor_ma = 9000
    desk.run(5.0)
    assert (desk.state, desk.fault) == (S.FAULT, Fault.OVER_CURRENT)


def test_fault_with_tiles_on_the_walls_is_cleared_into_playing(desk: Desk) -> None:
    desk.inputs.walls = [FULL, FULL, FULL, 0xFF]
    desk.inputs.motor_ma = 9000
    desk.run(1.0)
    desk.inputs.motor_ma = 0
    desk.run(0.1)
    assert desk.send(m.ClearFault()).outcome is Outcome.DONE
    desk.run(0.1)
    assert (desk.state, desk.fault) == (S.PLAYING, Fault.NONE)


def test_reset_in_the_middle_of_a_hand_goes_on_playing(board: BoardUnderTest) -> None:
    board.inputs.walls = [FULL, FULL, 0x1FF, FULL]
    desk = Desk(board).connect().run(0.1)
    assert desk.state is S.PLAYING
    assert desk.send(start()).outcome is Outcome.DONE


def test_watchdog_reset_is_a_fault(desk: Desk) -> None:
    desk.reset(watchdog=True).run(3.0)
    assert [o.reset for o in desk.opened] == [False, True]
    assert (desk.state, desk.fault) == (S.FAULT, Fault.WATCHDOG)
    assert desk.send(start()).outcome is Outcome.WRONG_STATE
    assert desk.send(m.ClearFault()).outcome is Outcome.DONE
