"""The board runs a cycle, step by step, and nothing else. Both boards alike."""

from collections.abc import Callable

import pytest

from firmware_bridge import messages as m
from firmware_bridge.messages import Block, Ends, Fault, MachineState, Outcome, TileSet
from tests.hardware.board_cycles import CLOSED_DOWN, S, drives, start, still, to_state
from tests.hardware.desk import Desk


@pytest.mark.parametrize(
    ("tiles", "players", "stacks"),
    [(144, 4, [18] * 4), (136, 4, [17] * 4), (108, 4, [14] * 4), (108, 3, [18, 18, 18, 0])],
)
def test_whole_cycle(table: Desk, tiles: int, players: int, stacks: list[int]) -> None:
    table.mechanics.tiles, table.mechanics.players = tiles, players
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
def test_modes_that_do_not_exist(desk: Desk, tiles: int, players: int) -> None:
    assert desk.send(start(tiles, players)).outcome is Outcome.BAD_ARGUMENT
    assert desk.send(m.Mode(tiles, players)).outcome is Outcome.BAD_ARGUMENT
    assert desk.state is S.IDLE


def test_sets_come_in_turn(desk: Desk) -> None:
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


def test_lift_goes_down_before_the_hatch_opens(desk: Desk) -> None:
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


def test_start_button_is_tapped_once_for_200_ms(desk: Desk) -> None:
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
def test_hatch_opens_again_for_forgotten_tiles(table: Desk, state: MachineState) -> None:
    to_state(table, state)
    assert table.send(m.Hatch(True)).outcome is Outcome.DONE
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN).run(0.1)
    assert (table.state, table.fault) == (S.HATCH_OPEN, Fault.NONE)
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE
    table.until(lambda: table.state is S.READY)


def press(table: Desk) -> None:
    table.inputs.start_key = True
    table.run(0.1)
    table.inputs.start_key = False
    table.run(0.1)


def test_button_on_the_table_starts_and_closes(table: Desk) -> None:
    press(table)
    assert (table.state, table.fault) == (S.HATCH_OPEN, Fault.NONE)
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN).run(0.1)
    press(table)
    table.until(lambda: table.state is S.READY)
    assert len(table.all(m.StartPressed)) == 2
    press(table)
    assert table.state is S.HATCH_OPEN


@pytest.mark.parametrize(("tiles", "players"), [(136, 4), (108, 4), (108, 3)])
def test_button_starts_the_walls_that_the_host_names(table: Desk, tiles: int, players: int) -> None:
    table.mechanics.tiles, table.mechanics.players = tiles, players
    assert table.send(m.Mode(tiles, players)).outcome is Outcome.DONE
    table.run(0.05)
    mode = table.last(m.MachineChanged)
    assert (mode.state, mode.tiles, mode.players) == (S.IDLE, tiles, players)
    assert still(table.out)
    press(table)
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN).run(0.1)
    press(table)
    table.until(lambda: table.state is S.READY)


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (S.HATCH_OPEN, Outcome.DONE),
        (S.DROPPING, Outcome.DONE),
        (S.SHUFFLING, Outcome.DONE),
        (S.BUILDING, Outcome.WRONG_STATE),
        (S.RAISING, Outcome.WRONG_STATE),
        (S.READY, Outcome.DONE),
    ],
    ids=lambda x: x.name.lower(),
)
def test_walls_are_named_until_they_are_built(
    table: Desk, state: MachineState, outcome: Outcome
) -> None:
    to_state(table, state)
    assert table.send(m.Mode(144, 4)).outcome is outcome


def closed_by_the_host(table: Desk) -> None:
    assert table.send(m.Hatch(False)).outcome is Outcome.WRONG_STATE


@pytest.mark.parametrize("close", [closed_by_the_host, press], ids=["host", "button"])
@pytest.mark.parametrize(
    ("lift", "seconds"), [(1.0, 0.2), (0.0, 0.2)], ids=["lift comes down", "hatch opens"]
)
def test_hatch_that_is_not_open_yet_is_not_closed(
    table: Desk, close: Callable[[Desk], None], lift: float, seconds: float
) -> None:
    table.mechanics.lift = lift
    table.run(0.05)
    table.send(start())
    table.run(seconds)
    close(table)
    assert table.state is S.HATCH_OPEN
    table.until(lambda: table.inputs.ends & Ends.HATCH_OPEN, 2.0)
    assert table.inputs.ends & Ends.LIFT_DOWN
    assert {c.state for c in table.all(m.MachineChanged)} == {S.IDLE, S.HATCH_OPEN}
    table.run(0.1)
    assert table.send(m.Hatch(False)).outcome is Outcome.DONE


def test_a_hand_at_the_hatch_is_named_while_it_opens(table: Desk) -> None:
    table.mechanics.lift = 0.0
    table.run(0.05)
    table.send(start())
    table.run(0.2)
    table.inputs.hand = True
    table.run(0.05)
    said = table.send(m.Hatch(False))
    assert (said.outcome, said.block) == (Outcome.BLOCKED, Block.HAND)
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
def test_commands_in_the_wrong_state(
    table: Desk, state: MachineState, command: m.CommandMessage
) -> None:
    if state is not S.IDLE:
        to_state(table, state)
    assert table.send(command).outcome is Outcome.WRONG_STATE
