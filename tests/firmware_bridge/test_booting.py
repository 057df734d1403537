"""Boards that are reset by the opening of their port, and what listens on them first."""

import os
import termios
import time
from pathlib import Path
from typing import NoReturn, Self

import pytest
from serial.tools.list_ports_common import ListPortInfo

from firmware_bridge import keeping
from firmware_bridge.link import Link
from firmware_bridge.port import boots, candidates, open_port
from firmware_bridge.readings import LinkState
from hardware.virtual_table.machine.virtual import VirtualMachine
from tests.firmware_bridge.listening import change, is_state, until

pytestmark = pytest.mark.clocked


QUICKER = 4
"""So many times faster than life do a bootloader and the link that waits for it go here."""


class Bootloader:
    """A port behind which a bootloader listens for a second after the board's reset.

    Whatever it hears then, it takes for a new firmware, and gives up only after five seconds
    without a byte more. A port that was never closed with DTR dropped resets no more.
    """

    def __init__(self, device: str) -> None:
        self._listens_until = time.monotonic() + 1 / QUICKER
        self._heard_at: float | None = None
        self._device = device

    def spoken_to(self) -> None:
        self._heard_at = time.monotonic()

    @property
    def _busy(self) -> bool:
        now = time.monotonic()
        if self._heard_at is not None and now - self._heard_at < 5 / QUICKER:
            return True
        return now < self._listens_until

    def opened(self, url: str, baud: int) -> Self:
        self._port = open_port(self._device, baud)
        return self

    def write(self, data: bytes) -> None:
        if self._busy:
            self.spoken_to()
        else:
            self._port.write(data)

    def read(self, size: int) -> bytes:
        data: bytes = self._port.read(size)
        return b"" if self._busy else data

    def __getattr__(self, name: str) -> object:
        return getattr(self._port, name)


@pytest.mark.parametrize("meddled", [False, True], ids=["reset", "somebody spoke to it"])
def test_a_board_in_its_bootloader_is_left_alone(
    machine: VirtualMachine, monkeypatch: pytest.MonkeyPatch, meddled: bool
) -> None:
    port = ListPortInfo(machine.url)
    port.vid = 0x2341
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [port])
    for name in ("BOOT_S", "BOOT_AGAIN_S", "_ANSWER"):
        monkeypatch.setattr(keeping, name, getattr(keeping, name) / QUICKER)
    bootloader = Bootloader(machine.url)
    if meddled:
        bootloader.spoken_to()
    link = Link.start(machine.url, opener=bootloader.opened)
    try:
        got = until(link, is_state(LinkState.CONNECTED), 10)
        assert [change(r).state for r in got[:-1]] == [LinkState.REFUSED] * meddled
    finally:
        link.close()


def test_a_pseudo_terminal_is_spoken_to_at_once(
    machine: VirtualMachine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "port"
    link.symlink_to(machine.url)
    assert not boots(str(link))
    port = ListPortInfo(machine.url)
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: [port])
    assert not boots(str(link))  # a serial port of the computer's own
    port.vid = 0x1A86
    assert boots(str(link))
    assert not boots("socket://10.0.0.7:7000")


def test_closing_the_port_resets_no_board() -> None:
    master, slave = os.openpty()
    attributes = termios.tcgetattr(slave)
    attributes[2] |= termios.HUPCL
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    open_port(os.ttyname(slave)).close()
    assert not termios.tcgetattr(slave)[2] & termios.HUPCL
    os.close(master)
    os.close(slave)


def test_a_device_that_goes_while_ports_are_listed_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """pyserial reads what the system says of each device, and that may be gone by then."""

    def listed() -> NoReturn:
        raise TypeError("int() can't convert non-string with explicit base")

    monkeypatch.setattr("serial.tools.list_ports.comports", listed)
    assert candidates() == []
    assert boots("/dev/ttyACM0")
    assert not boots("socket://localhost:1")
