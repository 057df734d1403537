"""What the technician is shown."""

import time

from firmware_bridge import messages as m
from firmware_bridge.doctor import ACTUATORS, Panel, checks, link_checks, report
from firmware_bridge.link import Link
from firmware_bridge.readings import Reading
from firmware_bridge.status import LinkStatus
from hardware.virtual_table.machine.virtual import VirtualMachine


def test_healthy_machine(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        found = list(checks(link))
    names = [c.what for c in found]
    assert names == ["board", "round trip", "board clock", "line", "self-test"]
    assert found[0].good
    assert found[-1].found == "all sensors plausible"


def test_each_defect_has_its_remedy(machine: VirtualMachine) -> None:
    machine.inputs.chain_ok = False
    machine.inputs.supply_mv = 9000
    machine.inputs.platforms = 1
    end = time.monotonic() + 5
    while not machine.board.scanner.platforms.value:
        assert time.monotonic() < end
        time.sleep(0.005)
    with Link.open(machine.url) as link:
        bad = {c.what: c.remedy for c in checks(link) if c.what.startswith("self-test")}
    assert set(bad) == {"self-test: chain", "self-test: supply", "self-test: photo"}
    assert "ribbon" in bad["self-test: chain"]
    assert "wipe the optics" in bad["self-test: photo"]


def test_no_self_test_in_the_middle_of_a_hand() -> None:
    with VirtualMachine(raised=[18, 18, 18, 18]) as machine, Link.open(machine.url) as link:
        last = list(checks(link))[-1]
    assert last.good
    assert "not run" in last.found


def test_bad_line_is_said() -> None:
    status = LinkStatus(True, "p", round_trip=0.2, clock_error=0.1, frame_errors=40)
    assert [c.what for c in link_checks(status) if not c.good] == [
        "round trip",
        "board clock",
        "line",
    ]


def test_panel_shows_walls_stack_by_stack() -> None:
    panel = Panel()
    panel.take(Reading(0.0, m.WallPresence((0b101, 0x3FFFF, 0, 0))))
    panel.take(Reading(0.0, m.EndsChanged(m.Ends.HATCH_CLOSED | m.Ends.LIFT_UP)))
    panel.take(Reading(0.0, m.KeyPressed(2, m.Key.PUNG)))
    rows = dict(panel.rows())
    assert rows["wall 0"] == "#.#............... 2"
    assert rows["wall 1"] == "#" * 18 + " 18"
    assert rows["ends changed"] == "ends hatch_closed lift_up"
    assert rows["key pressed"] == "seat 2, key pung"


def test_every_actuator_moves_and_what_moves_has_a_warning(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        for actuator in ACTUATORS:
            nothing = actuator.commands == (m.ClearFault(),)  # there is no fault to clear
            expected = m.Outcome.WRONG_STATE if nothing else m.Outcome.DONE
            assert actuator.move(link).outcome is expected
        machine.set_hand(True)
        # The board takes in a hand only after its input has been quiet for a moment.
        end = time.monotonic() + 5.0
        while (blocked := ACTUATORS[0].move(link)).outcome is not m.Outcome.BLOCKED:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert blocked.block & m.Block.HAND
    for actuator in ACTUATORS:
        moves = any(isinstance(c, m.Hatch | m.Lift | m.Dice) for c in actuator.commands)
        assert bool(actuator.warning) >= moves


def test_a_fault_is_cleared(machine: VirtualMachine) -> None:
    machine.reset(watchdog=True)
    [clear] = [actuator for actuator in ACTUATORS if actuator.name == "clear fault"]
    assert clear.warning
    with Link.open(machine.url) as link:
        before = machine.state
        assert clear.move(link).outcome is m.Outcome.DONE
    assert [before, machine.state] == [m.MachineState.FAULT, m.MachineState.IDLE]


def test_report_tells_everything(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        text = report(link, seconds=0.5)
    for word in ("system", "[ok] board", "wall 3", "ends changed", "machine changed", "firmware"):
        assert word in text
