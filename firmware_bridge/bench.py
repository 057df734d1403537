"""Figures of the link: ``run()`` gives the rows of ``paiguan bench link``.

The other side is a program of its own: the virtual machine, its line paced as the baud rate says,
and, where avr-gcc and simavr are installed, the AVR binary with its real serial port in simavr.
"""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from firmware_bridge import messages as m
from firmware_bridge.link import Link
from firmware_bridge.readings import Reading

Row = dict[str, Any]

_FIRMWARE: Final = Path(__file__).resolve().parents[1] / "hardware" / "firmware"
_SIMAVR_HEADER: Final = Path("/usr/include/simavr/sim_avr.h")
_BAUDS: Final = (115_200, 1_000_000)
_ROUNDS: Final = 400
_SECONDS: Final = 4.0
_STORM_OFFERED: Final = 720
_LOAD: Final = 200
"""Events a second at which the host's load is measured."""
_CPU_LIMIT: Final = 3.0
_CLOCK_LIMIT: Final = 5.0
_KEY_MS: Final = 25


def run() -> list[Row]:
    """Measure; takes about half a minute.

    Returns:
        Rows with ``what``, ``value``, ``unit`` and where there is one ``limit`` and ``note``.
    """
    rows: list[Row] = []
    for baud in _BAUDS:
        with _virtual(baud) as machine:
            rows += _exchange(machine, f"virtual machine, {baud:,} baud", storm=False)
    with _virtual(0) as machine:
        rows += _load(machine)
    rows += list(_chip())
    return rows


class _Machine:
    """A machine in a process: its port, and words it understands."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - programs of this repository
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = ""
        for line in self.process.stdout:
            if line.startswith("port "):
                self.port = line.split()[1]
                break
        if not self.port:
            raise RuntimeError(f"{command[0]}: ended before it named its port")

    def say(self, text: str) -> None:
        """One line to its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """Stop it."""
        self.say("quit")
        try:
            self.process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()


@contextmanager
def _process(command: list[str]) -> Iterator[_Machine]:
    machine = _Machine(command)
    try:
        yield machine
    finally:
        machine.end()


def _virtual(baud: int) -> Any:
    module = "hardware.virtual_table.machine.program"
    return _process([sys.executable, "-P", "-m", module, "--baud", str(baud)])


def _exchange(machine: _Machine, name: str, *, storm: bool) -> Iterator[Row]:
    """Round trips, and with ``storm`` the events a second that come through."""
    keys = _Count(m.KeyPressed)
    with Link.open(machine.port, on_reading=keys) as link:
        link.send(m.Query())
        time.sleep(0.5)
        trips = []
        for _ in range(_ROUNDS):
            before = time.perf_counter()
            link.send(m.DealerLamp(255))
            trips.append((time.perf_counter() - before) * 1e3)
        trips.sort()
        yield {
            "what": f"round trip, {name}",
            "value": round(statistics.median(trips), 2),
            "unit": "ms",
            "note": f"99th percentile {trips[int(0.99 * len(trips))]:.2f} ms",
        }
        if storm:
            yield _storm(machine, keys, name)
        yield {
            "what": f"error bound of the clock map, {name}",
            "value": round(link.status.clock_error * 1e3, 2),
            "unit": "ms",
            "limit": _CLOCK_LIMIT,
        }


class _Count:
    """Counts readings of one kind and events that the board could not keep."""

    def __init__(self, kind: type) -> None:
        self._kind = kind
        self.count = 0
        self.overrun = 0

    def __call__(self, reading: Reading) -> None:
        if isinstance(reading.what, self._kind):
            self.count += 1
        elif isinstance(reading.what, m.Overrun):
            self.overrun += reading.what.lost


def _storm(machine: _Machine, keys: _Count, name: str) -> Row:
    """All keys of all seats go down at once, again and again."""
    before, began = keys.count, time.monotonic()
    full = (1 << len(m.Key)) - 1
    while time.monotonic() - began < _SECONDS:
        for bits in (full, 0):
            for seat in range(m.SIDES):
                machine.say(f"keys {seat} {bits}")
            time.sleep(_KEY_MS / 1e3)
    rate = (keys.count - before) / (time.monotonic() - began)
    return {
        "what": f"events sustained, {name}",
        "value": round(rate),
        "unit": "1/s",
        "note": f"{_STORM_OFFERED} offered; {keys.overrun} not kept, and said so",
    }


def _load(machine: _Machine) -> Iterator[Row]:
    """Processor time of this process while it takes events."""
    keys = _Count(m.KeyPressed)
    with Link.open(machine.port, on_reading=keys):
        time.sleep(0.5)
        machine.say(f"storm {_LOAD}")
        time.sleep(0.5)
        before, cpu, began = keys.count, time.process_time(), time.monotonic()
        time.sleep(_SECONDS)
        took = time.monotonic() - began
        cpu = time.process_time() - cpu
        rate = (keys.count - before) / took
    yield {
        "what": f"host processor use at {_LOAD} events a second",
        "value": round(100 * cpu / took, 2),
        "unit": "% of a core",
        "limit": _CPU_LIMIT,
        "note": f"{rate:.0f} events a second came",
    }


def _chip() -> Iterator[Row]:
    """Size of the AVR binary, and its figures in simavr."""
    missing = [tool for tool in ("make", "gcc", "avr-gcc") if shutil.which(tool) is None]
    if not _FIRMWARE.exists() or missing:
        note = f"not measured: {', '.join(missing) or 'firmware sources'} missing"
        yield {"what": "AVR build", "value": "-", "unit": "", "note": note}
        return
    with tempfile.TemporaryDirectory() as folder:
        for baud in _BAUDS:
            _make(folder, "all", baud)
            if baud == _BAUDS[0]:
                yield from _size(Path(folder) / "firmware.elf")
            if not _SIMAVR_HEADER.exists():
                note = "not measured: libsimavr-dev missing"
                yield {"what": f"simavr, {baud:,} baud", "value": "-", "unit": "", "note": note}
                continue
            _make(folder, "sim", baud)
            command = [f"{folder}/firmware-sim", f"{folder}/firmware.elf"]
            with _process(command) as machine:
                yield from _exchange(machine, f"AVR in simavr, {baud:,} baud", storm=True)
            (Path(folder) / "firmware.elf").unlink()


def _make(folder: str, what: str, baud: int) -> None:
    command = ["make", "-s", "-C", str(_FIRMWARE), f"BUILD={folder}", f"BAUD={baud}", what]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own Makefile


def _size(elf: Path) -> Iterator[Row]:
    command = [shutil.which("avr-size") or "avr-size", str(elf)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    text, data, bss = (int(n) for n in re.findall(r"\d+", done.stdout.splitlines()[1])[:3])
    yield {"what": "AVR flash", "value": text + data, "unit": "bytes", "limit": 256 * 1024}
    yield {
        "what": "AVR RAM without stack",
        "value": data + bss,
        "unit": "bytes",
        "limit": 8 * 1024,
    }
