"""The board's own rules, held against the virtual machine's board and the firmware alike."""

import os

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Defect, Ends, Fault, MachineState, Outcome, TileSet
from hardware.virtual_table.machine.plant import Plant, PlantTimes
from tests.hardware.desk import Desk, FirmwareBoard, PythonBoard

S = MachineState
CLOSED_DOWN = Ends.HATCH_CLOSED | Ends.LIFT_DOWN
QUICK = PlantTimes(hatch=0.4, lift=0.6, shuffle=0.5, stack=0.1)
FULL = (1 << 18) - 1


@pytest.fixture(params=["python", "firmware"])
def board(request):
    if request.param == "python":
        return PythonBoard()
    return FirmwareBoard(os.environ.get("PAIGUAN_FIRMWARE_LIBRARY", "desk"))


@pytest.fixture
def desk(board):
    return Desk(board).connect()


@pytest.fixture
def table(board):
    """With mechanics."""
    return Desk(board, plant=Plant(QUICK)).connect()


def drives(out):
    names = ("start_button", "hatch_open", "hatch_close", "lift_up", "lift_down", "dice_motor")
    return {n for n in names if getattr(out, n)}


def still(out):
    return not drives(out) and not out.motor_enable


def start(tiles=144, players=4, tile_set=TileSet.NEXT):
    return m.StartCycle(tiles, players, tile_set)


def to_state(table, state):
    """Take the cycle to a state, the mechanics helping."""
    assert table.send(start()).outcome is Outcome.DONE
    if state is S.HATCH_OPEN:
        return table
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN)
    table.run(0.1)
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is state)
    return table


# ------------------------------------------------------------------ the cycle


@pytest.mark.parametrize(
    ("tiles", "players", "stacks"),
    [(144, 4, [18] * 4), (136, 4, [17] * 4), (108, 4, [14] * 4), (108, 3, [18, 18, 18, 0])],
)
def test_whole_cycle(table, tiles, players, stacks):
    table.plant.tiles, table.plant.players = tiles, players
    assert table.send(start(tiles, players, TileSet.B)).outcome is Outcome.DONE
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN).run(1.0)
    assert still(table.out)
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is S.READY)
    states = [c.state for c in table.all(m.MachineChanged)]
    seen = [s for i, s in enumerate(states) if i == 0 or states[i - 1] is not s]
    assert seen == [S.IDLE, S.HATCH_OPEN, S.DROPPING, S.SHUFFLING, S.BUILDING, S.RAISING, S.READY]
    mode = table.last(m.MachineChanged)
    assert (mode.tiles, mode.players, mode.tile_set) == (tiles, players, TileSet.B)
    assert [b.bit_count() for b in table.last(m.WallPresence).stacks] == stacks
    assert still(table.out)
    table.inputs.walls[2] &= ~1  # the first stack is taken
    table.run(0.1)
    assert table.state is S.PLAYING


@pytest.mark.parametrize(
    ("tiles", "players"), [(144, 3), (136, 3), (143, 4), (0, 0), (108, 2), (255, 4)]
)
def test_modes_that_do_not_exist(desk, tiles, players):
    assert desk.send(start(tiles, players)).outcome is Outcome.BAD_ARGUMENT
    assert desk.state is S.IDLE


def test_sets_come_in_turn(desk):
    taken = []
    for want in (TileSet.NEXT, TileSet.NEXT, TileSet.A, TileSet.NEXT, TileSet.B, TileSet.NEXT):
        desk.inputs.ends = Ends.HATCH_CLOSED | Ends.LIFT_UP
        assert desk.send(start(tile_set=want)).outcome is Outcome.DONE
        desk.run(0.05)
        taken.append(desk.last(m.MachineChanged).tile_set)
        desk.inputs.stop = True
        desk.run(0.05)
        desk.inputs.stop = False
        desk.run(0.05)
        assert desk.send(m.ClearFault()).outcome is Outcome.DONE
    a, b = TileSet.A, TileSet.B
    assert taken == [b, a, a, b, b, a]


def test_lift_goes_down_before_the_hatch_opens(desk):
    desk.inputs.ends = Ends.HATCH_CLOSED | Ends.LIFT_UP
    desk.run(0.05)
    desk.send(start())
    desk.run(0.05)
    assert drives(desk.out) == {"lift_down"}
    assert desk.out.motor_enable
    desk.inputs.ends = CLOSED_DOWN
    desk.run(0.05)
    assert drives(desk.out) == {"hatch_open"}
    desk.inputs.ends = Ends.HATCH_OPEN | Ends.LIFT_DOWN
    desk.run(0.05)
    assert still(desk.out)


def test_start_button_is_tapped_once_for_200_ms(desk):
    desk.inputs.ends = Ends.HATCH_OPEN | Ends.LIFT_DOWN
    desk.run(0.05)
    desk.send(start())
    desk.send(m.Hatch(False))
    desk.inputs.ends = CLOSED_DOWN
    desk.until(lambda: desk.out.start_button, 1)
    began = desk.now
    desk.until(lambda: not desk.out.start_button, 1)
    assert desk.now - began == pytest.approx(m.START_PULSE_MS / 1000, abs=0.011)
    assert desk.out.motor_enable
    desk.run(2.0)
    assert not desk.out.start_button


@pytest.mark.parametrize("state", [S.DROPPING, S.SHUFFLING])
def test_hatch_opens_again_for_forgotten_tiles(table, state):
    to_state(table, state)
    assert table.send(m.Hatch(True)).outcome is Outcome.DONE
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN)
    assert table.state is S.HATCH_OPEN
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is S.READY)


def test_button_on_the_table_starts_and_closes(table):
    def press():
        table.inputs.start_key = True
        table.run(0.1)
        table.inputs.start_key = False
        table.run(0.1)

    press()
    assert table.state is S.HATCH_OPEN
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN).run(0.1)
    press()
    table.until(lambda: table.state is S.READY)
    assert len(table.all(m.StartPressed)) == 2
    press()
    assert table.state is S.HATCH_OPEN


# What each state says to commands that do not belong there.
@pytest.mark.parametrize(
    ("state", "command"),
    [
        (S.IDLE, m.ClearFault()),
        (S.HATCH_OPEN, start()),
        (S.HATCH_OPEN, m.Hatch(True)),
        (S.HATCH_OPEN, m.Lift(True)),
        (S.HATCH_OPEN, m.SelfTest()),
        (S.DROPPING, m.Hatch(False)),
        (S.SHUFFLING, m.Hatch(False)),
        (S.SHUFFLING, m.ClearFault()),
        (S.BUILDING, m.Hatch(True)),
        (S.BUILDING, start()),
        (S.RAISING, m.Hatch(True)),
        (S.RAISING, m.Lift(False)),
        (S.READY, m.Hatch(True)),
        (S.READY, m.Lift(False)),
        (S.READY, m.SelfTest()),
    ],
    ids=lambda x: x.name.lower() if isinstance(x, MachineState) else type(x).__name__,
)
def test_commands_in_the_wrong_state(table, state, command):
    if state is not S.IDLE:
        to_state(table, state)
    assert table.send(command).outcome is Outcome.WRONG_STATE


# ------------------------------------------------------------------ safety

BLOCKERS = {
    Block.HAND: ("hand", True, False),
    Block.STOP: ("stop", True, False),
    Block.SUPPLY: ("supply_mv", 9000, 12000),
}
MOVING = [S.HATCH_OPEN, S.DROPPING, S.SHUFFLING, S.BUILDING, S.RAISING]


def block(desk, reason, on):
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
def test_nothing_moves_within_one_scan_of_a_reason(table, state, reason):
    to_state(table, state)
    assert table.out.motor_enable
    block(table, reason, True)
    table.run(m.SCAN_MS / 1000)
    assert still(table.out)


@pytest.mark.parametrize("state", MOVING)
def test_nothing_moves_once_the_host_is_silent(table, state):
    table.plant.stuck = True
    if state is S.HATCH_OPEN:
        table.send(start())
    else:
        table.plant.stuck = False
        to_state(table, state)
        table.plant.stuck = True
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
def test_hand_and_veto_pause_and_the_cycle_goes_on(table, state, reason):
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
def test_stop_and_supply_end_a_movement(table, state, reason, fault):
    to_state(table, state)
    block(table, reason, True)
    table.run(0.1)
    assert (table.state, table.fault) == (S.FAULT, fault)
    assert table.send(m.ClearFault()).outcome is Outcome.BLOCKED
    block(table, reason, False)
    table.run(5.0)
    assert still(table.out)
    assert table.state is S.FAULT
    assert table.send(start()).outcome is Outcome.WRONG_STATE
    assert table.send(m.ClearFault()).outcome is Outcome.DONE
    table.run(1.0)
    assert table.state is S.IDLE
    assert still(table.out)


@pytest.mark.parametrize("reason", [Block.HAND, Block.STOP, Block.SUPPLY, Block.HOLD])
@pytest.mark.parametrize(
    "command", [start(), m.Lift(True), m.Hatch(True), m.Dice(500)], ids=lambda c: type(c).__name__
)
def test_no_movement_begins_while_blocked(desk, reason, command):
    block(desk, reason, True)
    desk.run(0.1)
    result = desk.send(command)
    assert result == m.Result(Outcome.BLOCKED, reason)
    desk.run(0.5)
    assert still(desk.out)
    assert desk.state is S.IDLE


def test_stop_at_rest_is_no_fault(desk):
    block(desk, Block.STOP, True)
    desk.run(0.5)
    assert desk.state is S.IDLE
    assert desk.last(m.StopChanged).pressed
    block(desk, Block.STOP, False)
    desk.run(0.1)
    assert desk.last(m.BlockChanged).block == Block(0)
    assert desk.send(m.Dice(100)).outcome is Outcome.DONE


def test_open_hatch_waits_through_silence_and_stop_without_a_fault(table):
    """Nothing wants to move while the players push tiles in."""
    to_state(table, S.HATCH_OPEN)
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN).run(0.1)
    block(table, Block.HOST_SILENT, True)
    block(table, Block.HOST_SILENT, False)
    block(table, Block.STOP, True)
    table.run(0.5)
    block(table, Block.STOP, False)
    table.run(60.0)
    assert table.state is S.HATCH_OPEN
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is S.READY)


def test_silent_host_means_nothing_moves_before_the_first_hello(board):
    desk = Desk(board)
    desk.talking = False
    desk.inputs.start_key = True
    desk.run(3.0)
    assert still(desk.out)
    desk.talking = True
    desk.connect()
    desk.run(0.1)
    assert Block.HOST_SILENT in desk.all(m.BlockChanged)[0].block


def test_veto_outlives_the_link(table):
    assert table.send(m.Hold(True)).outcome is Outcome.DONE
    table.host.disconnect()
    table.run(3.0)
    table.connect().run(0.2)
    assert table.send(start()).outcome is Outcome.BLOCKED
    assert table.send(m.Hold(False)).outcome is Outcome.DONE
    table.run(0.05)
    assert table.send(start()).outcome is Outcome.DONE


# ------------------------------------------------------------------ faults


def stuck(table):
    table.plant.stuck = True


def missing(table):
    table.plant.missing = 1


def jammed(table):
    table.plant.jammed = 2


def too_many(table):
    """Side 0 pushes more stacks than it may while the others lag behind."""
    table.plant._pushed = [-3, 0, 0, 0]
    step = table.plant.step

    def stepped(dt, out, inputs):
        step(dt, out, inputs)
        inputs.push_heads &= 1

    table.plant.step = stepped


def over_current(table):
    table.plant = None
    table.inputs.motor_ma = 7000


def both_lift_ends(table):
    table.plant = None
    table.inputs.ends = Ends.LIFT_UP | Ends.LIFT_DOWN | Ends.HATCH_CLOSED


def both_hatch_ends(table):
    table.plant = None
    table.inputs.ends = Ends.LIFT_DOWN | Ends.HATCH_CLOSED | Ends.HATCH_OPEN


def hatch_not_closed(table):
    table.plant = None
    table.inputs.ends = Ends.LIFT_DOWN


def nothing_pushed(table):
    table.plant.times = PlantTimes(shuffle=1000)


def dark_platform(table):
    table.plant = None
    table.inputs.platforms = 8


def walls(bits):
    def spoil(table):
        step = table.plant.step

        def stepped(dt, out, inputs):
            step(dt, out, inputs)
            if inputs.walls[0]:
                inputs.walls[0] = bits

        table.plant.step = stepped

    return spoil


@pytest.mark.parametrize(
    ("state", "spoil", "fault", "within"),
    [
        (S.HATCH_OPEN, stuck, Fault.HATCH_TIMEOUT, (m.HATCH_MOVE_MS + m.LIFT_MOVE_MS) / 1000),
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
def test_faults_have_names(table, state, spoil, fault, within):
    to_state(table, state)
    spoil(table)
    began = table.now
    table.until(lambda: table.state is S.FAULT, within + 1.0)
    assert table.fault is fault
    assert table.now - began >= within * 0.85 - 0.2
    assert still(table.out)
    assert table.logs[-1] == m.Log(m.LogLevel.ERROR, f"fault: {fault.name.lower()}")
    assert table.last(m.BlockChanged).block & Block.FAULT


def test_lift_that_does_not_come_down(desk):
    desk.inputs.ends = Ends.HATCH_CLOSED | Ends.LIFT_UP
    desk.run(0.05)
    desk.send(start())
    desk.until(lambda: desk.state is S.FAULT, m.LIFT_MOVE_MS / 1000 + 1)
    assert desk.fault is Fault.LIFT_TIMEOUT


def test_starting_current_is_no_fault(desk):
    desk.inputs.motor_ma = 9000
    desk.run(m.OVERCURRENT_MS / 1000 - 0.05)
    desk.inputs.motor_ma = 3000
    desk.run(1.0)
    assert desk.state is S.IDLE


def test_over_current_at_rest_is_a_fault_too(desk):
    desk.inputs.motor_ma = 9000
    desk.run(5.0)
    assert (desk.state, desk.fault) == (S.FAULT, Fault.OVER_CURRENT)


def test_fault_with_tiles_on_the_walls_is_cleared_into_playing(desk):
    desk.inputs.walls = [FULL, FULL, FULL, 0xFF]
    desk.inputs.motor_ma = 9000
    desk.run(1.0)
    desk.inputs.motor_ma = 0
    desk.run(0.1)
    assert desk.send(m.ClearFault()).outcome is Outcome.DONE
    desk.run(0.1)
    assert (desk.state, desk.fault) == (S.PLAYING, Fault.NONE)


def test_reset_in_the_middle_of_a_hand_goes_on_playing(board):
    board.inputs.walls = [FULL, FULL, 0x1FF, FULL]
    desk = Desk(board).connect().run(0.1)
    assert desk.state is S.PLAYING
    assert desk.send(start()).outcome is Outcome.DONE


def test_watchdog_reset_is_a_fault(desk):
    desk.reset(watchdog=True).run(3.0)
    assert [o.reset for o in desk.opened] == [False, True]
    assert (desk.state, desk.fault) == (S.FAULT, Fault.WATCHDOG)
    assert desk.send(start()).outcome is Outcome.WRONG_STATE
    assert desk.send(m.ClearFault()).outcome is Outcome.DONE


# ------------------------------------------------------------------ movements by hand, dice


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
def test_movement_by_hand(desk, command, drive, reached, limit, fault):
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


def test_movement_by_hand_stopped_is_a_fault(desk):
    desk.inputs.ends = Ends(0)
    desk.run(0.05)
    desk.send(m.Lift(True))
    desk.run(0.05)
    desk.inputs.stop = True
    desk.run(0.05)
    assert (desk.state, desk.fault) == (S.FAULT, Fault.EMERGENCY_STOP)


def test_dice_roll_and_come_to_rest(desk):
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


def test_hand_in_the_zone_stops_the_dice_for_good(desk):
    desk.send(m.Dice(2000))
    desk.run(0.1)
    desk.inputs.hand = True
    desk.run(0.01)
    assert still(desk.out)
    desk.inputs.hand = False
    desk.run(3.0)
    assert still(desk.out)


@pytest.mark.parametrize("run_ms", [0, m.DICE_MAX_MS + 1, 65535])
def test_dice_times_out_of_range(desk, run_ms):
    assert desk.send(m.Dice(run_ms)).outcome is Outcome.BAD_ARGUMENT


# ------------------------------------------------------------------ inputs


def test_every_key_of_every_seat(desk):
    for seat in range(4):
        for key in m.Key:
            desk.inputs.keys[seat] = 1 << key
            desk.run(0.1)
            desk.inputs.keys[seat] = 0
            desk.run(0.1)
    pressed = [(k.seat, k.key) for k in desk.all(m.KeyPressed)]
    assert pressed == [(seat, key) for seat in range(4) for key in m.Key]


def test_two_keys_at_once_are_two_events(desk):
    desk.inputs.keys = [1 << m.Key.PUNG, 0, 1 << m.Key.WIN, 0]
    desk.run(0.1)
    assert {(k.seat, k.key) for k in desk.all(m.KeyPressed)} == {(0, m.Key.PUNG), (2, m.Key.WIN)}


def test_bounces_are_no_presses(desk):
    for _ in range(20):
        desk.inputs.keys[1] ^= 1
        desk.run(m.SCAN_MS * (m.DEBOUNCE_SCANS - 1) / 1000)
    assert desk.all(m.KeyPressed) == []


def test_event_carries_the_time_of_the_edge(desk):
    desk.run(1.0)
    desk.inputs.keys[0] = 1
    edge = desk.now + m.SCAN_MS / 1000
    desk.run(0.2)
    assert desk.events[-1].t == pytest.approx(edge, abs=0.0015)


@pytest.mark.parametrize("side", range(4))
def test_each_stack_of_a_wall(desk, side):
    desk.inputs.walls[side] = FULL
    desk.run(0.05)
    for stack in range(18):
        desk.inputs.walls[side] &= ~(1 << stack)
        desk.run(0.05)
        assert desk.last(m.WallPresence).stacks[side] == desk.inputs.walls[side]


def test_sticks_photo_hand_and_ends_are_reported(desk):
    desk.inputs.sticks = 0b0101
    desk.inputs.push_heads, desk.inputs.platforms = 0b0011, 0b1000
    desk.inputs.hand = True
    desk.inputs.ends = Ends.HATCH_OPEN | Ends.LIFT_UP
    desk.run(0.1)
    assert desk.last(m.SticksChanged) == m.SticksChanged(0b0101)
    assert desk.last(m.PhotoChanged) == m.PhotoChanged(0b0011, 0b1000)
    assert desk.last(m.HandChanged) == m.HandChanged(True)
    assert desk.last(m.EndsChanged) == m.EndsChanged(Ends.HATCH_OPEN | Ends.LIFT_UP)


def test_vibration_is_one_event_with_peak_and_duration(desk):
    desk.run(1.0)
    began = desk.now
    for mg in (150, 0, 400, 60, 130):
        desk.inputs.vibration_mg = mg
        desk.run(0.05)
    desk.inputs.vibration_mg = 0
    desk.run(1.0)
    (event,) = (e for e in desk.events if isinstance(e.message, m.Vibration))
    assert event.message.peak_mg == 400
    assert event.message.duration_ms == pytest.approx(245, abs=6)
    assert event.t == pytest.approx(began + 0.005, abs=0.0015)
    desk.inputs.vibration_mg = m.VIBRATION_MG - 1
    desk.run(1.0)
    assert len(desk.all(m.Vibration)) == 1


def test_long_vibration_is_not_cut_silently(desk):
    desk.inputs.vibration_mg = 200
    desk.run(70.0)
    desk.inputs.vibration_mg = 0
    desk.run(1.0)
    assert desk.all(m.Vibration) == [m.Vibration(200, 0xFFFF)]


def test_samples_come_every_second(desk):
    desk.inputs.supply_mv, desk.inputs.motor_ma = 11800, 40
    desk.run(5.0)
    assert len(desk.samples) in (4, 5)
    assert desk.samples[-1] == m.Measured(11800, 40)


def test_storm_of_levels_leaves_room_for_keys_and_its_end_is_known(desk):
    desk.host.disconnect()
    desk.talking = False
    for i in range(400):
        desk.inputs.sticks = i & 15
        desk.run(0.03)
    for seat in range(4):
        for key in range(5):
            desk.inputs.keys[seat] = 1 << key
            desk.run(0.03)
            desk.inputs.keys[seat] = 0
            desk.run(0.03)
    desk.inputs.sticks = 0b1001
    desk.run(0.03)
    desk.talking = True
    desk.connect().run(1.0)
    assert len(desk.all(m.KeyPressed)) == 20
    assert desk.all(m.Overrun) == []
    assert desk.last(m.SticksChanged) == m.SticksChanged(0b1001)


def test_full_store_is_said(desk):
    desk.host.disconnect()
    desk.talking = False
    for _ in range(m.EVENT_STORE + 7):
        desk.inputs.keys[0] ^= 1
        desk.run(0.025)
        desk.inputs.keys[0] ^= 1
        desk.run(0.025)
    desk.talking = True
    desk.connect().run(1.0)
    kept = len(desk.all(m.KeyPressed))
    (overrun,) = desk.all(m.Overrun)
    assert kept + overrun.lost == m.EVENT_STORE + 7
    desk.inputs.keys[3] = 1
    desk.run(0.1)
    assert desk.events[-1].message == m.KeyPressed(3, m.Key.CHOW)


def test_query_brings_all_levels_anew(desk):
    desk.run(0.5)
    before = len(desk.events)
    desk.send(m.Query())
    desk.run(0.1)
    kinds = [type(e.message) for e in desk.events[before:]]
    assert {k.ID for k in kinds} == set(m.LEVEL_IDS)
    assert len(kinds) == len(m.LEVEL_IDS)


def test_board_clock_may_wrap(board):
    """Every 4.97 days; nothing may stop, repeat or be reported at a wrong time then."""
    desk = Desk(board, tick=(1 << 32) - 30_000).connect()
    desk.run(1.0)
    desk.inputs.keys[0] = 1
    desk.run(0.1)
    desk.inputs.keys[0] = 0
    desk.run(4.0)  # the clock wraps 3 s after the start
    edge = desk.now + m.SCAN_MS / 1000
    desk.inputs.keys[0] = 2
    desk.run(0.1)
    assert desk.events[-1].t == pytest.approx(edge, abs=0.0015)
    assert [k.key for k in desk.all(m.KeyPressed)] == [m.Key.CHOW, m.Key.PUNG]
    assert Block.HOST_SILENT not in desk.last(m.BlockChanged).block
    assert desk.send(m.Dice(200)).outcome is Outcome.DONE


# ------------------------------------------------------------------ lamps, buzzer, self-test


def test_lamps(desk):
    assert desk.send(m.DealerLamp(2)).outcome is Outcome.DONE
    assert desk.send(m.SeatLamp(1, m.Lamp.ON)).outcome is Outcome.DONE
    assert desk.send(m.SeatLamp(3, m.Lamp.BLINK)).outcome is Outcome.DONE
    desk.run(0.05)
    assert desk.out.dealer_lamp == 0b0100
    lit = set()
    for _ in range(100):
        desk.run(0.01)
        lit.add(desk.out.seat_lamps)
    assert lit == {0b0010, 0b1010}
    assert desk.send(m.DealerLamp(255)).outcome is Outcome.DONE
    assert desk.send(m.DealerLamp(4)).outcome is Outcome.BAD_ARGUMENT
    assert desk.send(m.SeatLamp(1, m.Lamp.OFF)).outcome is Outcome.DONE
    desk.run(0.05)
    assert desk.out.dealer_lamp == 0
    assert not desk.out.seat_lamps & 0b0010


@pytest.mark.parametrize(
    ("pattern", "sounds", "total"),
    [(m.Buzz.SHORT, 1, 0.1), (m.Buzz.LONG, 1, 0.6), (m.Buzz.DOUBLE, 2, 0.2), (m.Buzz.ALARM, 5, 1)],
)
def test_buzzer(desk, pattern, sounds, total):
    desk.send(m.Buzzer(pattern))
    heard, on, began = 0.0, 0, False
    for _ in range(600):
        desk.run(m.SCAN_MS / 1000)
        heard += desk.out.buzzer * m.SCAN_MS / 1000
        on += desk.out.buzzer and not began
        began = desk.out.buzzer
    assert on == sounds
    assert heard == pytest.approx(total, abs=0.03)


@pytest.mark.parametrize(
    ("name", "value", "defect"),
    [
        ("ends", CLOSED_DOWN, Defect(0)),
        ("ends", Ends.LIFT_DOWN, Defect.HATCH_ENDS),
        ("ends", Ends.HATCH_OPEN | Ends.HATCH_CLOSED | Ends.LIFT_UP, Defect.HATCH_ENDS),
        ("ends", Ends.HATCH_OPEN, Defect.LIFT_ENDS),
        ("ends", Ends.HATCH_OPEN | Ends.LIFT_UP | Ends.LIFT_DOWN, Defect.LIFT_ENDS),
        ("supply_mv", 10_000, Defect.SUPPLY),
        ("supply_mv", 15_000, Defect.SUPPLY),
        ("motor_ma", 400, Defect.MOTOR_CURRENT),
        ("chain_ok", False, Defect.CHAIN),
        ("stop", True, Defect.STOP_PRESSED),
        ("push_heads", 1, Defect.PHOTO),
        ("platforms", 4, Defect.PHOTO),
        ("hand", True, Defect.HAND),
    ],
)
def test_self_test_names_what_is_wrong(desk, name, value, defect):
    setattr(desk.inputs, name, value)
    desk.run(0.1)
    assert desk.send(m.SelfTest()).outcome is Outcome.DONE
    desk.run(0.05)
    assert desk.last(m.SelfTestDone) == m.SelfTestDone(defect)
