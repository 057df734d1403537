"""``paiguan bench venue``: a whole venue under load, and what it costs.

Everything runs on this machine, the tables too, so a figure says what the venue needs and not what
its own servers would do: processor time is counted for each kind of process by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import asyncpg

from table_controller.venue.virtual.compare import Compared, compare, journals_of, missing
from table_controller.venue.virtual.demo import LocalVenue, a_folder, table_names
from table_controller.venue.virtual.load import Load, Page, meter, size_mb
from table_controller.venue.virtual.prepared import SESSIONS, write_sessions

MEMORY: Final = Path("/dev/shm")  # noqa: S108 - folders of their own are made in it
ALERT_MS: Final = 300.0
HUB_CORES: Final = 1.0
_BEFORE_S: Final = 10.0
"""Before anything is measured: tables connect, and begin at moments of their own."""
SETTLE_S: Final = 90.0


@dataclass(slots=True)
class Cost:
    """Processor time and memory of one kind of process."""

    cores: float = 0.0
    memory_mb: float = 0.0


@dataclass(slots=True)
class VenueFigures:
    """What one run has shown.

    Attributes:
        told: entries that the tables wrote while it was measured, for ``seconds``.
        late_s: by how much the tables lagged behind their time at most.
    """

    tables: int
    speed: float
    seconds: float
    told: int
    late_s: float
    compared: Compared
    alerts: int
    alert_ms: list[float]
    costs: dict[str, Cost] = field(default_factory=dict)
    journals_mb: float = 0.0
    stream_mb: float = 0.0
    database_mb: float = 0.0
    load: float = 0.0

    @property
    def rate(self) -> float:
        """Entries a second."""
        return self.told / self.seconds

    @property
    def cores(self) -> float:
        """All of it, the tables too."""
        return sum(cost.cores for cost in self.costs.values())

    def at(self, share: float) -> float:
        """A percentile of the alerts' way to the hall's page, ms."""
        return percentile(self.alert_ms, share)

    def per_hour(self, mb: float) -> float:
        """What grows by so many MB in the whole run, MB/h."""
        return mb / max(1, self.compared.entries) * self.rate * 3600


def percentile(values: Iterable[float], share: float) -> float:
    """A percentile; not a number where there is nothing."""
    held = sorted(values) or [float("nan")]
    return held[min(len(held) - 1, int(share * len(held)))]


@contextlib.contextmanager
def prepared(mix: int = 1) -> Iterator[Path]:
    """The file of the sessions that the tables write; made once for all runs."""
    with tempfile.TemporaryDirectory(prefix="paiguan-sessions-") as folder:
        file = Path(folder) / "sessions.json"
        write_sessions(file, SESSIONS, mix)
        yield file


def measure_venue(
    count: int, speed: float, minutes: float, sessions: Path, *, folder: Path | None = None
) -> VenueFigures:
    """One run: tables write, everything is compared at the end.

    Args:
        count: tables.
        speed: how much faster than life.
        minutes: how long is measured.
        sessions: file of the prepared sessions.
        folder: for all files; in memory where there is room for it.
    """
    names = table_names(count)
    with a_folder(folder, MEMORY) as root, LocalVenue(root, names, hubs=2) as venue:
        return _measured(venue, root, names, speed, minutes * 60, sessions)


def _measured(
    venue: LocalVenue, root: Path, names: list[str], speed: float, seconds: float, sessions: Path
) -> VenueFigures:
    page = Page(lambda: venue.hubs[:1], venue.token)
    empty = asyncio.run(database_mb(venue))
    with Load(venue, root / "tables", names, speed, sessions) as tables:
        costs = meter(venue, tables)
        time.sleep(_BEFORE_S)
        before = costs.look()
        tables.say()
        began = time.monotonic()
        time.sleep(seconds)
        after, said = costs.look(), tables.say()
        span = time.monotonic() - began
        memory = costs.memory()
        load = os.getloadavg()[0]
        tables.say("stop")
        compared = asyncio.run(settled(venue, root / "tables"))
        time.sleep(1)
        return VenueFigures(
            tables=len(names),
            speed=speed,
            seconds=span,
            told=said.told,
            late_s=said.late_s,
            compared=compared,
            alerts=len(said.raised),
            alert_ms=page.ways_ms(said.raised),
            costs={kind: Cost((after[kind] - before[kind]) / span, memory[kind]) for kind in after},
            journals_mb=size_mb(root / "tables"),
            stream_mb=size_mb(venue.nats.folder / "n1"),
            database_mb=asyncio.run(database_mb(venue)) - empty,
            load=load,
        )


async def database_mb(venue: LocalVenue) -> float:
    """Size of the database."""
    connection = await asyncpg.connect(venue.postgres.dsn)
    try:
        size = await connection.fetchval("SELECT pg_database_size(current_database())")
        return float(size) / 1e6
    finally:
        await connection.close()


async def settled(venue: LocalVenue, root: Path, seconds: float = SETTLE_S) -> Compared:
    """When all has arrived (or the time is over): journals against the database."""
    connection = await asyncpg.connect(venue.postgres.dsn)
    try:
        journals = journals_of(root)
        deadline = time.monotonic() + seconds
        while await missing(connection, journals) and time.monotonic() < deadline:
            await asyncio.sleep(1)
        return await compare(connection, journals)
    finally:
        await connection.close()


def wrong(found: Compared) -> int:
    """Entries that are not as they should be."""
    return found.lost + found.doubled + found.strange + len(found.broken)


def rows_of(figures: VenueFigures) -> list[dict[str, Any]]:
    """The figures beside their limits."""
    found = figures.compared
    hub = max(figures.costs["hub 1"].cores, figures.costs["hub 2"].cores)
    note = f"{figures.tables} tables, {figures.speed:g} times life, {figures.seconds:.0f} s"
    unseen = figures.alerts - len(figures.alert_ms)
    rows: list[dict[str, Any]] = [
        {
            "what": "entries stored",
            "value": found.entries,
            "unit": "",
            "note": f"{note}; machine load {figures.load:.0f}",
        },
        {
            "what": "lost, doubled, strange or out of order",
            "value": wrong(found),
            "unit": "entries",
            "limit": 0,
            "note": f"hash chains of {found.journals} journals compared end to end",
        },
        {"what": "entries a second", "value": figures.rate, "unit": "/s"},
        {
            "what": "alert at the table to the hall's page, median",
            "value": figures.at(0.5),
            "unit": "ms",
            "note": f"{figures.alerts} alerts, {unseen} not shown",
        },
        {
            "what": "the same, 95%",
            "value": figures.at(0.95),
            "unit": "ms",
            "limit": ALERT_MS,
        },
        {"what": "the busier hub", "value": hub, "unit": "cores", "limit": HUB_CORES},
        {
            "what": "writing behind its time, most",
            "value": figures.late_s,
            "unit": "s",
            "note": "above a second this machine is too slow for the tables themselves",
        },
        {"what": "journals", "value": figures.journals_mb, "unit": "MB"},
        {"what": "stream on each server", "value": figures.stream_mb, "unit": "MB"},
        {"what": "database", "value": figures.database_mb, "unit": "MB"},
    ]
    for kind, cost in figures.costs.items():
        each = f"{1e6 * cost.cores / figures.rate:.0f} µs an entry" if figures.told else ""
        rows += [
            {"what": f"{kind}: processor", "value": cost.cores, "unit": "cores", "note": each},
            {"what": f"{kind}: memory", "value": cost.memory_mb, "unit": "MB"},
        ]
    return rows


def run(count: int = 20, speed: float = 10.0, minutes: float = 0.5) -> list[dict[str, Any]]:
    """A short run; ``paiguan bench venue`` takes other sizes."""
    with prepared() as sessions:
        return rows_of(measure_venue(count, speed, minutes, sessions))


def growth_table(counts: Iterable[int], speed: float, minutes: float) -> str:
    """Runs of several sizes beside each other, as a Markdown table."""
    head = (
        "tables", "entries/s", "wrong", "alert p50 ms", "alert p95 ms", "servers cores",
        "PostgreSQL cores", "hub cores", "tables cores", "µs an entry", "servers MB",
        "PostgreSQL MB", "hub MB", "stream MB/h", "database MB/h", "behind s", "load",
    )  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    sys.stderr.write("\n".join(lines) + "\n")
    with prepared() as sessions:
        for count in counts:
            lines.append(_growth_row(measure_venue(count, speed, minutes, sessions)))
            sys.stderr.write(lines[-1] + "\n")
    return "\n".join(lines)


def _growth_row(one: VenueFigures) -> str:
    cost = one.costs
    venue = one.cores - cost["tables"].cores
    cells = [
        str(one.tables),
        f"{one.rate:.0f}",
        str(wrong(one.compared)),
        f"{one.at(0.5):.0f}",
        f"{one.at(0.95):.0f}",
        f"{cost['servers'].cores:.2f}",
        f"{cost['PostgreSQL'].cores:.2f}",
        f"{cost['hub 1'].cores:.2f} + {cost['hub 2'].cores:.2f}",
        f"{cost['tables'].cores:.2f}",
        f"{1e6 * venue / max(1e-9, one.rate):.0f}",
        f"{cost['servers'].memory_mb:.0f}",
        f"{cost['PostgreSQL'].memory_mb:.0f}",
        f"{cost['hub 1'].memory_mb:.0f} + {cost['hub 2'].memory_mb:.0f}",
        f"{one.per_hour(one.stream_mb):.0f}",
        f"{one.per_hour(one.database_mb):.0f}",
        f"{one.late_s:.1f}",
        f"{one.load:.0f}",
    ]
    return "| " + " | ".join(cells) + " |"
