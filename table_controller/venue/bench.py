"""``paiguan bench venue``: a whole venue under load, and what it costs.

Everything runs on this machine, the tables too, so a figure says what the venue needs and not what
its own servers would do: processor time is counted for each kind of process by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import asyncpg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from table_controller.venue.compare import Compared, compare, journals_of
from table_controller.venue.demo import LocalVenue, a_folder, table_names
from table_controller.venue.errors import VenueError

ALERT_MS: Final = 300.0
HUB_CORES: Final = 1.0
_TICK: Final = os.sysconf("SC_CLK_TCK")
_PROCESSES: Final = 2
_SETTLE_S: Final = 90.0


@dataclass(slots=True)
class Cost:
    """Processor time and memory of one kind of process."""

    cores: float = 0.0
    memory_mb: float = 0.0


@dataclass(slots=True)
class VenueFigures:
    """What one run has shown."""

    tables: int
    speed: float
    seconds: float
    told: int
    late_s: float
    compared: Compared
    alerts: int
    alerts_unseen: int
    alert_ms: list[float]
    costs: dict[str, Cost] = field(default_factory=dict)
    journals_mb: float = 0.0
    stream_mb: float = 0.0
    database_mb: float = 0.0
    load: float = 0.0

    def at(self, share: float) -> float:
        """A percentile of the alerts' way to the hall's page, ms."""
        values = sorted(self.alert_ms) or [float("nan")]
        return values[min(len(values) - 1, int(share * len(values)))]


class _Tables:
    """A process with some of the tables."""

    def __init__(
        self, venue: LocalVenue, root: Path, names: list[str], speed: float, mix: int
    ) -> None:
        command = [sys.executable, "-m", "table_controller.venue.bench_tables"]
        command += [str(venue.ring.folder), str(root), "--servers", ",".join(venue.nats.urls)]
        command += ["--tables", ",".join(names), "--speed", str(speed), "--mix", str(mix)]
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def read(self) -> dict[str, Any]:
        """Its next answer."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise VenueError("the tables ended by themselves")
        body: dict[str, Any] = json.loads(line)
        return body

    def say(self, word: str) -> None:
        """Tell it to stop or to end."""
        assert self.process.stdin is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()


class _Page:
    """A referee's page: notes when each alert was shown."""

    def __init__(self, base: str, token: str) -> None:
        self.seen: dict[str, float] = {}
        self._url = base.replace("http", "ws", 1) + "api/feed"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        # The hub ends before the page does.
        with contextlib.suppress(ConnectionClosed):
            asyncio.run(self._follow())

    async def _follow(self) -> None:
        async with connect(
            self._url, additional_headers=self._headers, max_size=2**26
        ) as connection:
            async for text in connection:
                message = json.loads(text)
                now = time.time()
                if message["type"] == "alerts":
                    for body in message["body"].values():
                        if body is not None:
                            name = f"{body['table']} {body['session']} {body['key']}"
                            self.seen.setdefault(name, now)


def _processor_s(pids: Iterable[int]) -> float:
    """Processor time of some processes with their children, s."""
    total = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(value) for value in fields[11:15])
    return total / _TICK


def _memory_mb(pids: Iterable[int]) -> float:
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


def _family(pid: int) -> list[int]:
    """A process and its children."""
    found = [pid]
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        pass
    return found


def _size_mb(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure_venue(
    count: int, speed: float, minutes: float, *, mix: int = 1, folder: Path | None = None
) -> VenueFigures:
    """One run: tables play, everything is compared at the end.

    Args:
        count: tables.
        speed: how much faster than life.
        minutes: how long they play.
        mix: infractions in each hand.
        folder: for all files; in memory where there is room for it.
    """
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
    where = folder or (memory / f"paiguan-bench-{os.getpid()}" if memory.is_dir() else None)
    names = table_names(count)
    with a_folder(where) as root, LocalVenue(root, names, hubs=2) as venue:
        try:
            return _measured(venue, root, names, speed, minutes * 60, mix)
        finally:
            if folder is None and where is not None:
                _remove_later(root)


def _remove_later(root: Path) -> None:
    import atexit
    import shutil

    atexit.register(shutil.rmtree, root, ignore_errors=True)


def _measured(
    venue: LocalVenue, root: Path, names: list[str], speed: float, seconds: float, mix: int
) -> VenueFigures:
    page = _Page(venue.hubs[0].base, venue.token)
    parts = [names[at::_PROCESSES] for at in range(_PROCESSES)]
    tables = [_Tables(venue, root / "tables", part, speed, mix) for part in parts if part]
    try:
        for one in tables:
            one.read()
        postgres = venue.postgres.pid
        assert postgres is not None
        kinds: Mapping[str, list[int]] = {
            "servers": [one.pid for one in venue.nats.processes.values()],
            "hub 1": [venue.hubs[0].process.pid],
            "hub 2": [venue.hubs[1].process.pid],
            "tables": [one.process.pid for one in tables],
        }

        def spent() -> dict[str, float]:
            held = {kind: _processor_s(pids) for kind, pids in kinds.items()}
            return held | {"PostgreSQL": _processor_s(_family(postgres))}

        time.sleep(min(5.0, seconds / 4))
        before, began = spent(), time.monotonic()
        time.sleep(seconds)
        after, span = spent(), time.monotonic() - began
        load = os.getloadavg()[0]
        held = {**kinds, "PostgreSQL": _family(postgres)}
        costs = {
            kind: Cost((after[kind] - before[kind]) / span, _memory_mb(held[kind]))
            for kind in after
        }
        for one in tables:
            one.say("stop")
        said = [one.read() for one in tables]
        raised = {key: at for one in said for key, at in one["raised"].items()}
        compared, size = asyncio.run(_settled(venue, root / "tables"))
        time.sleep(1)
        ways = [1e3 * (page.seen[key] - at) for key, at in raised.items() if key in page.seen]
        return VenueFigures(
            tables=len(names),
            speed=speed,
            seconds=span,
            told=sum(one["told"] for one in said),
            late_s=max(one["late_s"] for one in said),
            compared=compared,
            alerts=len(raised),
            alerts_unseen=sum(key not in page.seen for key in raised),
            alert_ms=ways,
            costs=costs,
            journals_mb=_size_mb(root / "tables"),
            stream_mb=_size_mb(venue.nats.folder / "n1"),
            database_mb=size / 1e6,
            load=load,
        )
    finally:
        for one in tables:
            if one.process.poll() is None:
                one.say("end")
        for one in tables:
            try:
                one.process.wait(30)
            except subprocess.TimeoutExpired:
                one.process.kill()


async def _settled(venue: LocalVenue, root: Path) -> tuple[Compared, int]:
    """When all has arrived (or the time is over): journals against the database, its size."""
    connection = await asyncpg.connect(venue.postgres.dsn)
    try:
        deadline = time.monotonic() + _SETTLE_S
        while True:
            found = await compare(connection, journals_of(root))
            if not found.lost or time.monotonic() > deadline:
                break
            await asyncio.sleep(1)
        size = await connection.fetchval("SELECT pg_database_size(current_database())")
        return found, int(size)
    finally:
        await connection.close()


def rows_of(figures: VenueFigures) -> list[dict[str, Any]]:
    """The figures beside their limits."""
    found = figures.compared
    hub = max(figures.costs["hub 1"].cores, figures.costs["hub 2"].cores)
    note = f"{figures.tables} tables, {figures.speed:g} times life, {figures.seconds:.0f} s"
    rows: list[dict[str, Any]] = [
        {
            "what": "entries stored",
            "value": found.entries,
            "unit": "",
            "note": f"{note}; machine load {figures.load:.0f}",
        },
        {
            "what": "lost, doubled, strange or out of order",
            "value": found.lost + found.doubled + found.strange + len(found.broken),
            "unit": "entries",
            "limit": 0,
            "note": f"hash chains of {found.journals} journals compared end to end",
        },
        {"what": "entries a second", "value": found.entries / figures.seconds, "unit": "/s"},
        {
            "what": "alert at the table to the hall's page, median",
            "value": figures.at(0.5),
            "unit": "ms",
            "note": f"{figures.alerts} alerts, {figures.alerts_unseen} not shown",
        },
        {
            "what": "the same, 95%",
            "value": figures.at(0.95),
            "unit": "ms",
            "limit": ALERT_MS,
        },
        {"what": "the busier hub", "value": hub, "unit": "cores", "limit": HUB_CORES},
        {
            "what": "playing behind its time, most",
            "value": figures.late_s,
            "unit": "s",
            "note": "above a second this machine is too slow for the tables themselves",
        },
        {"what": "journals", "value": figures.journals_mb, "unit": "MB"},
        {"what": "stream on each server", "value": figures.stream_mb, "unit": "MB"},
        {"what": "database", "value": figures.database_mb, "unit": "MB"},
    ]
    for kind, cost in figures.costs.items():
        memory = {"what": f"{kind}: memory", "value": cost.memory_mb, "unit": "MB"}
        rows += [{"what": f"{kind}: processor", "value": cost.cores, "unit": "cores"}, memory]
    return rows


def run(count: int = 20, speed: float = 10.0, minutes: float = 0.5) -> list[dict[str, Any]]:
    """A short run; ``paiguan bench venue`` takes other sizes."""
    return rows_of(measure_venue(count, speed, minutes))


def growth_table(counts: Iterable[int], speed: float, minutes: float) -> str:
    """Runs of several sizes beside each other, as a Markdown table."""
    head = (
        "tables", "entries/s", "wrong", "alert p50 ms", "alert p95 ms", "servers cores",
        "PostgreSQL cores", "hub cores", "servers MB", "PostgreSQL MB", "hub MB", "stream MB/h",
        "database MB/h", "behind s", "load",
    )  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for count in counts:
        one = measure_venue(count, speed, minutes)
        found, cost, hours = one.compared, one.costs, one.seconds / 3600
        wrong = found.lost + found.doubled + found.strange + len(found.broken)
        cells = [
            str(count),
            f"{found.entries / one.seconds:.0f}",
            str(wrong),
            f"{one.at(0.5):.0f}",
            f"{one.at(0.95):.0f}",
            f"{cost['servers'].cores:.2f}",
            f"{cost['PostgreSQL'].cores:.2f}",
            f"{cost['hub 1'].cores:.2f} + {cost['hub 2'].cores:.2f}",
            f"{cost['servers'].memory_mb:.0f}",
            f"{cost['PostgreSQL'].memory_mb:.0f}",
            f"{cost['hub 1'].memory_mb:.0f} + {cost['hub 2'].memory_mb:.0f}",
            f"{one.stream_mb / hours:.0f}",
            f"{one.database_mb / hours:.0f}",
            f"{one.late_s:.1f}",
            f"{one.load:.0f}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
        sys.stderr.write(lines[-1] + "\n")
    return "\n".join(lines)
