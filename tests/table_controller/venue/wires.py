"""Machines with cables, on this one: network namespaces that hang on one switch.

Each machine is a namespace of its own with one cable (a veth pair) to a bridge in another; nothing
of this machine's own network is touched. A process or thread that is started :meth:`Wires.inside`
a machine stays there. Needs root; ``tests/tools.sh`` brings ``ip``.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.table_controller.venue.conftest import missing

NETWORK = "10.99.0.0/24"
_NEWNET = 0x40000000
_number = itertools.count(1)


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr.strip()}"


def need_wires() -> None:
    """Skipped with the reason where namespaces cannot be had; in CI that is a failure."""
    if shutil.which("ip") is None:
        missing("`ip` is missing: apt-get install iproute2 (see tests/tools.sh)")
    if os.geteuid() != 0:
        missing("network namespaces need root")
    made = subprocess.run(
        ["ip", "netns", "add", "pg-try"], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        missing(f"network namespaces cannot be made here: {made.stderr.strip()}")
    _ip("netns", "del", "pg-try")


class Wires:
    """A switch and what hangs on it; a context manager that leaves nothing behind."""

    def __init__(self) -> None:
        # Several may be there at once, also of other runs.
        self._prefix = f"pg{os.getpid()}x{next(_number)}"
        self._machines: dict[str, str] = {}
        self._switch = f"{self._prefix}-switch"
        _ip("netns", "add", self._switch)
        _ip("-n", self._switch, "link", "add", "br0", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "br0", "up")

    def machine(self, name: str) -> str:
        """A new machine with its cable plugged in; its address."""
        space, port = f"{self._prefix}-{name}", f"to-{name}"
        address = f"10.99.0.{len(self._machines) + 2}"
        _ip("netns", "add", space)
        self._machines[name] = address
        pair = ["type", "veth", "peer", "name", port, "netns", self._switch]
        _ip("-n", space, "link", "add", "eth0", *pair)
        _ip("-n", space, "address", "add", f"{address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", space, "link", "set", device, "up")
        _ip("-n", self._switch, "link", "set", port, "master", "br0")
        _ip("-n", self._switch, "link", "set", port, "up")
        return address

    def there(self, name: str) -> bool:
        """Whether there is such a machine."""
        return name in self._machines

    def cable(self, name: str, plugged: bool) -> None:
        """Pull a machine's cable out of the switch, or plug it in again."""
        _ip("-n", self._switch, "link", "set", f"to-{name}", "up" if plugged else "down")

    def power(self, on: bool) -> None:
        """Of the switch: without it nobody hears anybody."""
        _ip("-n", self._switch, "link", "set", "br0", "up" if on else "down")

    def deaf(self, name: str, other: str, on: bool) -> None:
        """Two machines hear each other no longer, though their cables are in."""
        for one, far in ((name, other), (other, name)):
            route = ["blackhole", f"{self._machines[far]}/32"]
            _ip("-n", f"{self._prefix}-{one}", "route", "add" if on else "del", *route)

    @contextlib.contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """What is opened or started here belongs to that machine."""
        libc = ctypes.CDLL(None, use_errno=True)
        own = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(Path("/run/netns") / f"{self._prefix}-{name}", os.O_RDONLY)
        try:
            assert libc.setns(there, _NEWNET) == 0, os.strerror(ctypes.get_errno())
            yield
        finally:
            assert libc.setns(own, _NEWNET) == 0, os.strerror(ctypes.get_errno())
            os.close(own)
            os.close(there)

    def close(self) -> None:
        """Take everything away again; processes that were started there must have ended."""
        for name in self._machines:
            _ip("netns", "del", f"{self._prefix}-{name}")
        _ip("netns", "del", self._switch)
