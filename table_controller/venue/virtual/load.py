"""A venue under load on this machine: its tables, a referee's page, what each part costs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from table_controller.venue.errors import VenueError
from table_controller.venue.virtual.demo import LocalHub, LocalVenue

PROCESSES: Final = 2
_TICK: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Said:
    """What the tables wrote since they were asked the last time.

    Attributes:
        told: entries.
        late_s: by how much they lagged behind their time at most.
        raised: when each alert was raised, s since 1970, by table, session and key.
    """

    told: int
    late_s: float
    raised: Mapping[str, float]


class Load:
    """Tables that write, in processes of their own; a context manager.

    Args:
        venue: running; its tables are enrolled.
        root: of the tables' folders.
        names: of the tables.
        speed: how much faster than life.
        sessions: file of the prepared sessions.
        away: how many of them do not find the venue before they are brought back.
    """

    def __init__(
        self,
        venue: LocalVenue,
        root: Path,
        names: list[str],
        speed: float,
        sessions: Path,
        *,
        away: int = 0,
    ) -> None:
        there, gone = names[: len(names) - away], names[len(names) - away :]
        self._venue = venue
        self.there = there
        self.processes: list[subprocess.Popen[str]] = []
        for at in range(min(PROCESSES, len(there))):
            command = [sys.executable, "-P", "-m", "table_controller.venue.virtual.bench_tables"]
            command += [str(venue.ring.folder), str(root), str(sessions)]
            command += ["--speed", str(speed), "--servers", *venue.nats.urls]
            command += ["--tables", *there[at::PROCESSES], "--away", *gone[at::PROCESSES]]
            self.processes.append(
                subprocess.Popen(  # noqa: S603 - our own program
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )

    def __enter__(self) -> Self:
        for one in self.processes:
            self._read(one)
        self._venue.all_heard(self.there)
        # A round runs: its progress and its standings are part of what a hub does.
        self._venue.begin(rounds=1, tables=self.there)
        return self

    def __exit__(self, *_: object) -> None:
        for one in self.processes:
            with contextlib.suppress(OSError):
                self._write(one, "end")
        for one in self.processes:
            try:
                one.wait(30)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()

    @property
    def pids(self) -> list[int]:
        """Of the processes."""
        return [one.pid for one in self.processes]

    def say(self, word: str = "say") -> Said:
        """Ask all of them, or tell them to stop."""
        for one in self.processes:
            self._write(one, word)
        said = [self._read(one) for one in self.processes]
        return Said(
            sum(one.get("told", 0) for one in said),
            max(one.get("late_s", 0.0) for one in said),
            {key: at for one in said for key, at in one.get("raised", {}).items()},
        )

    @staticmethod
    def _write(process: subprocess.Popen[str], word: str) -> None:
        assert process.stdin is not None
        process.stdin.write(word + "\n")
        process.stdin.flush()

    @staticmethod
    def _read(process: subprocess.Popen[str]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise VenueError("the tables ended by themselves")
        body: dict[str, Any] = json.loads(line)
        return body


class Page:
    """A referee's page: notes when each alert was shown. It looks for another hub when one goes.

    Args:
        hubs: those that run now.
        token: the referee's.
    """

    def __init__(self, hubs: Callable[[], list[LocalHub]], token: str) -> None:
        self.seen: dict[str, float] = {}
        self._hubs = hubs
        self._headers = {"Authorization": f"Bearer {token}"}
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            for hub in self._hubs():
                # One that has not said yet where it listens is asked again.
                with contextlib.suppress(OSError, WebSocketException, StopIteration):
                    url = hub.base.replace("http", "ws", 1) + "api/feed"
                    asyncio.run(self._follow(url))
            time.sleep(0.2)

    async def _follow(self, url: str) -> None:
        async with connect(url, additional_headers=self._headers, max_size=2**28) as connection:
            async for text in connection:
                message = json.loads(text)
                now = time.time()
                if message["type"] == "alerts":
                    self._note(message["body"].values(), now)
                elif message["type"] == "state":
                    self._note(message["body"].get("alerts", {}).values(), now)

    def _note(self, alerts: Iterable[dict[str, Any] | None], now: float) -> None:
        for body in alerts:
            if body is not None:
                self.seen.setdefault(f"{body['table']} {body['session']} {body['key']}", now)

    def ways_ms(self, raised: Mapping[str, float]) -> list[float]:
        """How long each alert was under way that was shown, ms."""
        return [1e3 * (self.seen[key] - at) for key, at in raised.items() if key in self.seen]


class Meter:
    """Processor time by kind of process, also across restarts of them.

    Args:
        kinds: the first processes of each kind, now; the children's time is theirs.
    """

    def __init__(self, kinds: Mapping[str, Callable[[], Iterable[int]]]) -> None:
        self._kinds = kinds
        self._last: dict[int, float] = {}
        self.spent: dict[str, float] = dict.fromkeys(kinds, 0.0)
        self.look()
        self.spent = dict.fromkeys(kinds, 0.0)

    def look(self) -> dict[str, float]:
        """Processor time of each kind until now, s; also to be asked before one is killed."""
        for kind, pids in self._kinds.items():
            for pid in pids():
                value = processor_s(family(pid))
                # While a child ends its time is its parent's: never count less than before.
                self.spent[kind] += max(0.0, value - self._last.get(pid, 0.0))
                self._last[pid] = max(value, self._last.get(pid, 0.0))
        return dict(self.spent)

    def memory(self) -> dict[str, float]:
        """Memory of each kind now, MB."""
        return {
            kind: memory_mb(member for pid in pids() for member in family(pid))
            for kind, pids in self._kinds.items()
        }


def meter(venue: LocalVenue, load: Load) -> Meter:
    """The kinds of processes of a venue with two hubs."""

    def hub(number: int) -> Callable[[], list[int]]:
        file = f"hub{number}.toml"
        return lambda: [
            one.process.pid
            for one in list(venue.hubs)
            if one.file.name == file and one.process.poll() is None
        ]

    return Meter(
        {
            "servers": lambda: [
                one.pid for one in venue.nats.processes.values() if one.poll() is None
            ],
            "PostgreSQL": lambda: [venue.postgres.pid] if venue.postgres.pid is not None else [],
            "hub 1": hub(1),
            "hub 2": hub(2),
            "tables": lambda: load.pids,
        }
    )


def processor_s(pids: Iterable[int]) -> float:
    """Processor time of some processes with their children that ended, s."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(value) for value in fields[11:15])
    return total / _TICK


def memory_mb(pids: Iterable[int]) -> float:
    """Memory of some processes that they share with none, MB."""
    total = 0.0
    for pid in pids:
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) / 1024
        except OSError:
            continue
    return total


def family(pid: int) -> list[int]:
    """A process and its children."""
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        pass
    return found


def size_mb(folder: Path) -> float:
    """Of all files in a folder, MB; files that go away meanwhile are left out."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file():
                total += path.stat().st_size
    return total / 1e6
