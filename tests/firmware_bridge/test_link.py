"""The link over a real pseudo-terminal: cables, names, wrong devices, clocks, the spy."""

import errno
import io
import os
import threading
import time
import tty
from collections.abc import Callable
from pathlib import Path

import pytest
import serial

from firmware_bridge import messages as m
from firmware_bridge.errors import (
    BoardResetError,
    LinkLostError,
    OtherSchemaError,
    PortForbiddenError,
    PortInUseError,
    PortMissingError,
    PortUnusableError,
    WrongDeviceError,
)
from firmware_bridge.link import Link
from firmware_bridge.port import Spy, explain, read_spy
from firmware_bridge.readings import LinkChanged, LinkState, Reading
from firmware_bridge.wire import FrameDecoder
from hardware.virtual_table.machine.virtual import VirtualMachine
from tests.firmware_bridge.listening import change, is_key, is_state, until

pytestmark = pytest.mark.clocked


def test_first_readings_are_the_state_of_everything(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        got = until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        assert change(got[0]).state is LinkState.CONNECTED
        kinds = {r.kind for r in got}
        assert {"machine_changed", "wall_presence", "ends_changed", "stop_changed"} <= kinds
        assert all(abs(r.t - time.time()) < 2 for r in got)


def test_a_key_arrives_with_its_time(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        time.sleep(0.3)
        for seat, key in ((0, m.Key.PUNG), (3, m.Key.REFEREE)):
            pressed = time.time()
            machine.press_key(seat, key)
            reading = until(link, is_key(seat, key))[-1]
            assert reading.t == pytest.approx(pressed, abs=0.03)
            assert reading.t_error < 0.05


@pytest.mark.parametrize("ppm", [0, 400])
def test_map_of_the_clock_is_right_within_its_bound(ppm: int) -> None:
    with VirtualMachine() as machine:
        machine.trigger(f"drift {ppm}")
        with Link.open(machine.url) as link:
            wrong = []
            for _ in range(40):
                time.sleep(0.05)
                with machine._lock, link._lock:
                    clock = link._session.clock
                    tick = int(machine._ticks)
                    off = clock.host_time(tick) - machine._clock_at
                    wrong.append((abs(off), clock.error_at(tick)))
    ticks = 2 * m.TICK_US * 1e-6  # both readings of the board's clock are whole ticks
    assert [w for w in wrong if w[0] > w[1] + ticks] == []
    assert min(bound for _, bound in wrong) < 0.05


def test_cable_pulled_is_shown_at_once(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        pulled = time.monotonic()
        machine.trigger("unplug")
        got = until(link, is_state(LinkState.LOST))
        assert time.monotonic() - pulled < 2.0
        assert machine.url in change(got[-1]).detail


def test_reset_is_said(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        machine.trigger("reset")
        got = until(link, is_state(LinkState.RESET))
        assert "reset" in change(got[-1]).detail
        until(link, lambda r: isinstance(r.what, m.MachineChanged))
        assert link.send(m.Buzzer(m.Buzz.SHORT)).outcome is m.Outcome.DONE


def test_silence_is_said_and_ends(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        machine.trigger("silent")
        until(link, is_state(LinkState.SILENT))
        machine.press_key(0, "chow")
        machine.trigger("speak")
        until(link, is_key(0, m.Key.CHOW))


def test_clock_jump_is_said_and_times_are_right_again(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        machine.trigger("jump 100")
        got = until(link, is_state(LinkState.CLOCK_JUMP))
        seconds = float(change(got[-1]).detail.split()[-2])
        assert seconds == pytest.approx(-100, abs=0.1)
        time.sleep(0.1)
        pressed = time.time()
        machine.press_key(0, "pass")
        # Against a jump of 100 s; how exact the clock is, other tests and the bench say.
        assert until(link, is_key(0, m.Key.PASS))[-1].t == pytest.approx(pressed, abs=0.3)


@pytest.mark.parametrize("step", [3600.0, -3600.0])
def test_the_hosts_clock_is_set_and_times_go_on(machine: VirtualMachine, step: float) -> None:
    set_by = 0.0
    with Link.open(machine.url, clock=lambda: time.time() + set_by) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        set_by = step
        time.sleep(1.2)
        pressed = time.time()
        machine.press_key(0, "pass")
        assert until(link, is_key(0, m.Key.PASS))[-1].t == pytest.approx(pressed, abs=0.3)
        pulled = time.time()
        machine.trigger("unplug")
        assert until(link, is_state(LinkState.LOST))[-1].t == pytest.approx(pulled, abs=2.0)


def test_commands_come_back_with_their_results_under_faults(machine: VirtualMachine) -> None:
    machine.trigger("corrupt 0.01")
    with Link.open(machine.url) as link:
        for seat in (0, 1, 2, 3, 255):
            assert link.send(m.DealerLamp(seat), timeout=10).outcome is m.Outcome.DONE
        assert link.send(m.DealerLamp(9), timeout=10).outcome is m.Outcome.BAD_ARGUMENT
    lamps = [c.seat for c in machine.executed if isinstance(c, m.DealerLamp)]
    assert lamps == [0, 1, 2, 3, 255, 9]


def test_command_without_an_answer_in_time(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        link.send(m.Query())  # nothing else is under way after it
        machine.trigger("silent")
        with pytest.raises(LinkLostError, match="no answer yet"):
            link.send(m.Buzzer(m.Buzz.SHORT), timeout=0.2)
        with pytest.raises(LinkLostError, match="not sent"):
            link.send(m.Buzzer(m.Buzz.LONG), timeout=0.1)
        machine.trigger("speak")
        assert link.send(m.Buzzer(m.Buzz.DOUBLE)).outcome is m.Outcome.DONE
    patterns = [c.pattern for c in machine.executed if isinstance(c, m.Buzzer)]
    assert patterns == [m.Buzz.SHORT, m.Buzz.DOUBLE]


def test_command_under_way_at_a_reset_is_not_repeated(machine: VirtualMachine) -> None:
    with Link.open(machine.url) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        link.send(m.Query())  # nothing else is under way after it
        machine.to_host.faults.delay = 30.0  # executed, the answer is on its way
        future = link.post(m.Buzzer(m.Buzz.LONG))
        end = time.monotonic() + 5
        while m.Buzzer(m.Buzz.LONG) not in machine.executed:
            assert time.monotonic() < end
            time.sleep(0.005)
        with machine._lock:  # the answer is on the line by then
            machine.to_host.faults.delay = 0.0
        machine.trigger("reset")
        with pytest.raises(BoardResetError):
            future.result(20)
    assert [c for c in machine.executed if isinstance(c, m.Buzzer)] == [m.Buzzer(m.Buzz.LONG)]


def test_faulty_listener_does_not_end_the_link(
    machine: VirtualMachine, caplog: pytest.LogCaptureFixture
) -> None:
    got: list[Reading] = []

    def listen(reading: Reading) -> None:
        got.append(reading)
        if isinstance(reading.what, m.StopChanged):
            raise KeyError("listener")

    with Link.open(machine.url, on_reading=listen) as link:
        end = time.monotonic() + 5
        while not any(isinstance(r.what, m.PhotoChanged) for r in got):
            assert time.monotonic() < end
            time.sleep(0.01)
        assert link.send(m.Buzzer(m.Buzz.SHORT)).outcome is m.Outcome.DONE
    assert "stop_changed was not dealt with" in caplog.text


def test_waiting_inside_the_listener_is_refused(machine: VirtualMachine) -> None:
    said: list[str] = []

    def listen(reading: Reading) -> None:
        if isinstance(reading.what, m.PhotoChanged) and not said:
            try:
                said.append(str(link.send(m.Query())))
            except RuntimeError as error:
                said.append(str(error))

    link = Link.start(machine.url, on_reading=listen)
    end = time.monotonic() + 5
    while not said:
        assert time.monotonic() < end
        time.sleep(0.01)
    link.close()
    assert "use post()" in said[0]


# ------------------------------------------------------------------ what bad input gets


def test_missing_port() -> None:
    with pytest.raises(PortMissingError, match=r"/dev/ttyNOT: no such port.*cable"):
        Link.open("/dev/ttyNOT")


def test_file_that_is_no_port(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    with pytest.raises(PortUnusableError, match="not a serial port"):
        Link.open(str(path))


def test_url_that_is_none() -> None:
    with pytest.raises(PortUnusableError, match="not a serial port"):
        Link.open("gopher://x")


def test_port_in_use(machine: VirtualMachine) -> None:
    with Link.open(machine.url), pytest.raises(PortInUseError, match="in use by another program"):
        Link.open(machine.url)


def test_permission_denied_names_the_group() -> None:
    error = serial.SerialException(errno.EACCES, "could not open port")
    said = explain("/dev/null", error)
    assert isinstance(said, PortForbiddenError)
    assert "add this user to the group" in str(said)


def test_wrong_device() -> None:
    """Something that prints lines of its own, as a GPS receiver does."""
    master, slave = os.openpty()
    tty.setraw(slave)
    stop = threading.Event()

    def chatter() -> None:
        while not stop.wait(0.05):
            os.write(master, b"$GPGGA,123519,4807.038,N,01131.000,E*47\r\n")
            os.read(master, 4096)

    os.set_blocking(master, False)
    thread = threading.Thread(target=lambda: _quietly(chatter))
    thread.start()
    try:
        with pytest.raises(WrongDeviceError, match="no answer to the hello"):
            Link.open(os.ttyname(slave), timeout=5)
    finally:
        stop.set()
        thread.join()
        os.close(master)
        os.close(slave)


def _quietly(work: Callable[[], None]) -> None:
    while True:
        try:
            return work()
        except BlockingIOError:
            continue


def test_older_firmware(machine: VirtualMachine) -> None:
    machine.trigger("schema 0x1234")
    with pytest.raises(OtherSchemaError, match="flash the firmware"):
        Link.open(machine.url)


def test_start_keeps_trying_and_says_why_once(tmp_path: Path) -> None:
    path = tmp_path / "port"
    with Link.start(str(path)) as link:
        got = until(link, is_state(LinkState.REFUSED))
        assert "no such port" in change(got[-1]).detail
        time.sleep(0.5)
        with VirtualMachine(link_path=path):
            got = until(link, is_state(LinkState.CONNECTED))
            assert len(got) == 1


def test_spy_writes_every_byte(machine: VirtualMachine) -> None:
    sink = io.StringIO()
    with Link.open(machine.url, spy=Spy(sink)) as link:
        link.send(m.Buzzer(m.Buzz.SHORT))
    sink.seek(0)
    sent, got = bytearray(), FrameDecoder()
    types = set()
    for _, direction, data in read_spy(iter(sink)):
        if direction == ">":
            sent += data
        else:
            types |= {f.type for f in got.feed(data)}
    assert m.Buzzer.ID in {f.type for f in FrameDecoder().feed(bytes(sent))}
    assert {m.Welcome.ID, m.Result.ID, m.Pong.ID} <= types
    with pytest.raises(ValueError, match="line 1"):
        list(read_spy(iter(["nonsense"])))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_spy_log_on_a_full_disk_ends_and_the_link_goes_on(
    machine: VirtualMachine, caplog: pytest.LogCaptureFixture
) -> None:
    with Path("/dev/full").open("a", encoding="ascii") as full:
        with Link.open(machine.url, spy=Spy(full)) as link:
            for _ in range(3):
                assert link.send(m.Buzzer(m.Buzz.SHORT)).outcome is m.Outcome.DONE
            got = until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        changes = [r.what.state for r in got if isinstance(r.what, LinkChanged)]
        assert changes == [LinkState.CONNECTED]
    assert caplog.text.count("spy log cannot be written and ends: No space left on device") == 1
