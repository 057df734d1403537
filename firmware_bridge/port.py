"""Serial ports: opening with clear errors, finding, and the technician's log of raw bytes."""

from __future__ import annotations

import contextlib
import errno
import logging
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import serial
from serial.tools import list_ports

from firmware_bridge.errors import (
    LinkError,
    NoBoardError,
    PortForbiddenError,
    PortInUseError,
    PortMissingError,
    PortUnusableError,
    WrongDeviceError,
)

_log = logging.getLogger("firmware_bridge")

AUTO: Final = "auto"
"""In place of a port: find the board by its USB ids."""
BAUD: Final = 1_000_000
"""Exact with the board's 16 MHz clock; 115200 is off by 2.1 %."""
READ_TIMEOUT: Final = 0.01
BOOT_S: Final = 2.0
"""Seconds for which a board that was reset by the opening of its USB port is told nothing: its
bootloader takes what it hears in the first one for a new firmware."""
BOOT_AGAIN_S: Final = 6.0
"""The same for one that did not answer: somebody (a modem manager) may have spoken to its
bootloader, which goes on waiting until it has heard nothing for some seconds."""
BROKEN: Final = (OSError, termios.error)
"""What a port raises that fails: pyserial's own error is an OSError, a terminal's is none."""
USB_IDS: Final = frozenset(
    {
        (0x2341, 0x0042),  # Arduino Mega 2560 R3
        (0x2341, 0x0010),  # Arduino Mega 2560
        (0x2A03, 0x0042),  # the same, arduino.org
        (0x1A86, 0x7523),  # CH340 on compatible boards
        (0x1A86, 0x55D4),  # CH9102 on compatible boards
        (0x0403, 0x6001),  # FT232R
        (0x10C4, 0xEA60),  # CP2102
    }
)
"""Bridges that such boards carry; who it really is, only the hello says."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A port that may be the board's."""

    device: str
    description: str
    usb_serial: str | None


def candidates() -> list[Candidate]:
    """Serial ports whose USB ids such a board may have."""
    return [
        Candidate(p.device, p.description or "", p.serial_number)
        for p in sorted(_listed() or ())
        if (p.vid, p.pid) in USB_IDS
    ]


def _listed() -> list[Any] | None:
    """The system's serial ports; None where a device went away while they were listed."""
    try:
        return list(list_ports.comports())
    except (OSError, TypeError, ValueError):
        return None


def open_port(url: str, baud: int = BAUD) -> Any:
    """Open a serial port by path or pyserial URL (``socket://``, ``rfc2217://``, ``loop://``).

    Returns:
        pyserial's port, reading with a short time limit.

    Raises:
        LinkError: the kind says what is wrong, the text what to do.
    """
    options: dict[str, Any] = {"baudrate": baud, "timeout": READ_TIMEOUT, "write_timeout": 1.0}
    if "://" not in url:
        options["exclusive"] = True
    try:
        port = serial.serial_for_url(url, **options)
        _leave_running(port)
        return port
    except (*BROKEN, ValueError) as error:
        raise explain(url, error) from None


def _leave_running(port: Any) -> None:
    """Closing the port must not drop DTR: the next program's opening raises it, and that resets."""
    line = getattr(port, "fd", None)
    if not isinstance(line, int):
        return  # a socket
    with contextlib.suppress(termios.error):  # a line that cannot do this can be used all the same
        attributes = termios.tcgetattr(line)
        attributes[2] &= ~termios.HUPCL
        termios.tcsetattr(line, termios.TCSANOW, attributes)


def boots(device: str) -> bool:
    """Whether opening this port may have reset a board: it is a USB device's, no pseudo-terminal's.

    Args:
        device: path, also a link to it, or pyserial URL.
    """
    here, listed = str(Path(device).resolve()), _listed()
    if listed is None:
        return "://" not in device  # to wait for nothing harms less
    return any(p.vid is not None and str(Path(p.device).resolve()) == here for p in listed)


class Opener:
    """Opens the board's port again and again, also when the system gave it another name.

    ``auto`` tries the ports that look like a board, one after the other, until one answers the
    hello (:meth:`reject` tells of one that did not). A port named by its path that comes back under
    another, or whose name another one has taken, is known by the serial number of its USB bridge.
    """

    def __init__(self) -> None:
        self._rejected: set[str] = set()
        self._usb_serial: str | None = None

    def reject(self, device: str) -> None:
        """This port did not answer as a board."""
        self._rejected.add(device)

    def __call__(self, url: str, baud: int) -> Any:
        """Open the port.

        Raises:
            LinkError: as :func:`open_port`, NoBoardError for ``auto`` without any, and
                WrongDeviceError where the name is now that of another USB device.
        """
        if url == AUTO:
            return self._any(baud)
        found = candidates()
        here = str(Path(url).resolve())
        there = next((c for c in found if str(Path(c.device).resolve()) == here), None)
        if self._usb_serial is not None and (there is None or there.usb_serial != self._usb_serial):
            own = [c.device for c in found if c.usb_serial == self._usb_serial]
            if len(own) == 1:
                return open_port(own[0], baud)
            if there is not None:
                raise WrongDeviceError(
                    f"{url}: another USB device has this name now: plug this table's board in "
                    "again; if it was exchanged, end this program and start it again"
                )
        port = open_port(url, baud)
        if self._usb_serial is None and there is not None:
            self._usb_serial = there.usb_serial or None
        return port

    def _any(self, baud: int) -> Any:
        found = [c.device for c in candidates()]
        if not found:
            raise NoBoardError("no USB device looks like the machine's board; is it plugged in?")
        if self._rejected.issuperset(found):
            self._rejected.clear()  # all were tried: begin again
        failure: LinkError | None = None
        for device in found:
            if device in self._rejected:
                continue
            try:
                return open_port(device, baud)
            except LinkError as error:
                failure = failure or error
        assert failure is not None
        raise failure


def explain(url: str, error: Exception) -> LinkError:
    """What pyserial's error means for the one who set the port."""
    number = error.args[0] if isinstance(error, termios.error) else getattr(error, "errno", None)
    text = str(error)
    if number == errno.ENOENT or (number is None and "No such file" in text):
        return PortMissingError(
            f"{url}: no such port; is the cable in?", "paiguan doctor lists ports"
        )
    if number in (errno.EACCES, errno.EPERM):
        group = _group(url)
        return PortForbiddenError(
            f"{url}: permission denied; add this user to the group {group!r} and log in again"
        )
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in text:
        return PortInUseError(f"{url}: in use by another program; stop it (is paiguan running?)")
    no_terminal = number in (errno.ENOTTY, errno.EISDIR) or "Inappropriate ioctl" in text
    if no_terminal or isinstance(error, ValueError):
        return PortUnusableError(f"{url}: not a serial port; name a device or a port URL")
    if number in (errno.EIO, errno.ENXIO, errno.ENODEV):
        return PortMissingError(f"{url}: the device is gone; plug it in again")
    return PortUnusableError(f"{url}: cannot be opened ({text.splitlines()[0]})")


def _group(url: str) -> str:
    try:
        return Path(url).group()
    except (OSError, KeyError):
        return "dialout"


class Spy:
    """Writes every byte with its time and direction: ``12.345678 > 00 01 02``.

    A log that cannot be written (a full disk) is given up, and that is said once: the machine
    matters more.
    """

    def __init__(self, sink: IO[str]) -> None:
        self._sink: IO[str] | None = sink

    def note(self, direction: str, data: bytes) -> None:
        """Log bytes; ``>`` to the board, ``<`` from it."""
        if not data or self._sink is None:
            return
        try:
            self._sink.write(f"{time.time():.6f} {direction} {data.hex(' ')}\n")
            self._sink.flush()
        except OSError as error:
            _log.warning("the spy log cannot be written and ends: %s", error.strerror or error)
            sink, self._sink = self._sink, None
            # What it still holds would be written again, and fail again, when its owner closes it.
            with contextlib.suppress(OSError):
                sink.close()


def read_spy(lines: Iterator[str]) -> Iterator[tuple[float, str, bytes]]:
    """What a spy's log says: time, direction, bytes.

    Raises:
        ValueError: naming the line that is none.
    """
    for number, line in enumerate(lines, 1):
        try:
            stamp, direction, data = line.split(" ", 2)
            yield float(stamp), direction, bytes.fromhex(data)
        except ValueError:
            raise ValueError(f"line {number}: not a line of a spy log") from None
