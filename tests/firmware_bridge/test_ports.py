"""Which port is the board's: names that change, other machines' boards, plugs that wobble."""

import errno
import os
import termios
import time
import tty
from pathlib import Path
from typing import Any, NoReturn

import pytest

from firmware_bridge import messages as m
from firmware_bridge.errors import LinkError, NoBoardError, PortMissingError, WrongDeviceError
from firmware_bridge.link import Link
from firmware_bridge.port import Candidate, Opener, open_port
from firmware_bridge.readings import LinkState
from hardware.virtual_table.machine.virtual import VirtualMachine
from tests.firmware_bridge.listening import change, is_key, is_state, until

pytestmark = pytest.mark.clocked


def test_port_comes_back_under_another_name(tmp_path: Path) -> None:
    path = tmp_path / "by-id"
    with VirtualMachine(link_path=path) as machine, Link.open(str(path)) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        before = path.readlink()
        machine.trigger("unplug")
        until(link, is_state(LinkState.LOST))
        machine.press_key(1, "win", hold=0.05)
        time.sleep(0.3)
        pressed = time.time()
        machine.press_key(2, "kong", hold=0.05)
        time.sleep(0.2)
        machine.trigger("plug")
        assert path.readlink() != before
        got = until(link, is_key(2, m.Key.KONG))
        keys = [(r.what.seat, r.t) for r in got if isinstance(r.what, m.KeyPressed)]
        assert [seat for seat, _ in keys] == [1, 2]
        assert keys[1][1] == pytest.approx(pressed, abs=0.05)
        assert any(is_state(LinkState.CONNECTED)(r) for r in got)
        numbers = [r.number for r in got if r.number is not None]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_nothing_that_looks_like_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_bridge.port.candidates", list)
    with pytest.raises(NoBoardError, match="plugged in"):
        Link.open("auto")


def test_board_is_found_among_devices_that_look_like_one(
    machine: VirtualMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three bridges of the right kind: one is gone, one is silent, one is the board."""
    master, slave = os.openpty()
    tty.setraw(slave)
    found = [
        Candidate("/dev/ttyGONE", "gone", None),
        Candidate(os.ttyname(slave), "some scale", "1"),
        Candidate(machine.url, "board", "2"),
    ]
    monkeypatch.setattr("firmware_bridge.port.candidates", lambda: found)
    link = Link.start("auto")
    try:
        got = until(link, is_state(LinkState.CONNECTED), 10)
        assert machine.url in change(got[-1]).detail
        assert link.send(m.Buzzer(m.Buzz.SHORT)).outcome is m.Outcome.DONE
    finally:
        link.close()
        os.close(master)
        os.close(slave)


def test_named_port_that_comes_back_elsewhere_is_known_by_its_bridge(
    machine: VirtualMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Candidate(machine.url, "board", "A7")]
    monkeypatch.setattr("firmware_bridge.port.candidates", lambda: list(found))
    with Link.open(machine.url) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        machine.unplug()
        found.clear()
        until(link, is_state(LinkState.LOST))
        machine.plug()
        found.append(Candidate(machine.url, "board", "A7"))
        got = until(link, is_state(LinkState.CONNECTED))
        assert machine.url in change(got[-1]).detail


OWN = {"/dev/ttyUSB0": "A7"}
NAMES = {
    "as it was": (OWN, "/dev/ttyUSB0"),
    "it has another name": ({"/dev/ttyUSB1": "A7"}, "/dev/ttyUSB1"),
    "another table's has its name": (
        {"/dev/ttyUSB0": "B9", "/dev/ttyUSB1": "A7"},
        "/dev/ttyUSB1",
    ),
    "another table's has its name, and it is not back": (
        {"/dev/ttyUSB0": "B9"},
        WrongDeviceError,
    ),
    "its name is that of a bridge without a number, and it is not back": (
        {"/dev/ttyUSB0": None},
        WrongDeviceError,
    ),
    "it is not back": ({"/dev/ttyUSB1": "B9"}, PortMissingError),
}


@pytest.mark.parametrize(("there", "opened"), NAMES.values(), ids=NAMES)
def test_a_named_port_is_that_of_the_same_bridge(
    monkeypatch: pytest.MonkeyPatch, there: dict[str, str | None], opened: str | type[LinkError]
) -> None:
    plugged: dict[str, str | None] = dict(OWN)

    def opening(url: str, baud: int) -> str:
        if url not in plugged:
            raise PortMissingError(url)
        return url

    monkeypatch.setattr("firmware_bridge.port.open_port", opening)
    monkeypatch.setattr(
        "firmware_bridge.port.candidates",
        lambda: [Candidate(device, "board", usb) for device, usb in plugged.items()],
    )
    opener = Opener()
    assert opener("/dev/ttyUSB0", 1) == "/dev/ttyUSB0"
    plugged.clear()
    plugged.update(there)
    for _ in range(2):  # what it has seen meanwhile changes nothing
        if isinstance(opened, str):
            assert opener("/dev/ttyUSB0", 1) == opened
        else:
            with pytest.raises(opened):
                opener("/dev/ttyUSB0", 1)
    plugged.clear()
    plugged.update(OWN)
    assert opener("/dev/ttyUSB0", 1) == "/dev/ttyUSB0"


def test_another_machines_board_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware_bridge.keeping._STRANGER_REST", 0.2)
    path = tmp_path / "port"
    with VirtualMachine(link_path=path, serial=7) as own, Link.open(str(path)) as link:
        until(link, lambda r: isinstance(r.what, m.PhotoChanged))
        own.unplug()
        until(link, is_state(LinkState.LOST))
        waiting = link.post(m.DealerLamp(2))
        with VirtualMachine(link_path=path, serial=9) as other:
            got = until(link, is_state(LinkState.REFUSED))
            assert "another machine answers (number 9)" in change(got[-1]).detail
            other.press_key(1, "win")
            time.sleep(1.0)
            assert link.read(0.1) is None  # said once, and nothing heard of the other
            assert not link.connected
            assert other.executed == []
        own.plug()
        until(link, is_state(LinkState.CONNECTED))
        assert waiting.result(5).outcome is m.Outcome.DONE
        assert m.DealerLamp(2) in own.executed


def test_the_board_among_several_that_look_like_one_is_the_same_as_before(
    machine: VirtualMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware_bridge.keeping._STRANGER_REST", 0.2)
    with VirtualMachine(serial=9) as other:
        found = [Candidate(machine.url, "board", None)]
        monkeypatch.setattr("firmware_bridge.port.candidates", lambda: list(found))
        with Link.open("auto") as link:
            until(link, lambda r: isinstance(r.what, m.PhotoChanged))
            machine.unplug()
            until(link, is_state(LinkState.LOST))
            machine.plug()
            found[:] = [Candidate(one.url, "board", None) for one in (other, machine)]
            got = until(link, is_state(LinkState.CONNECTED))
            assert machine.url in change(got[-1]).detail
        assert other.executed == []


class Terminal:
    """A port whose terminal fails, as that of a plug that wobbles."""

    def __init__(self, port: Any, *where: str) -> None:
        self._port, self._where = port, where

    def __getattr__(self, name: str) -> object:
        if name in self._where:
            raise termios.error(errno.EIO, "Input/output error")
        return getattr(self._port, name)

    def close(self) -> None:
        self._port.close()
        self.__getattr__("close")


@pytest.mark.parametrize(
    "where", [["reset_input_buffer"], ["in_waiting"], ["read"], ["read", "close"]]
)
def test_a_terminal_that_fails_is_opened_anew(machine: VirtualMachine, where: list[str]) -> None:
    opened: list[object] = []

    def opening(url: str, baud: int) -> object:
        opened.append(open_port(url, baud))
        return opened[-1] if len(opened) > 1 else Terminal(opened[-1], *where)

    with Link.start(machine.url, opener=opening) as link:
        until(link, is_state(LinkState.LOST))
        until(link, is_state(LinkState.CONNECTED))
    assert len(opened) == 2


def test_a_terminal_that_fails_while_it_is_opened_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(url: str, **options: object) -> NoReturn:
        raise termios.error(errno.EIO, "Input/output error")

    monkeypatch.setattr("serial.serial_for_url", failing)
    with pytest.raises(PortMissingError, match="the device is gone"):
        Link.open("/dev/ttyUSB0")
