"""``paiguan venue endure``: many tables for long, while everything fails in turn.

Servers are killed one after another, the leader is frozen, the database ends orderly and at once,
hubs are killed with -9, one table finds its venue only at the end. Once a minute a line goes to a
file, so that what was measured is there however the run ends; the last lines are the comparison of
all hash chains and the summary.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from table_controller.venue.access import bus
from table_controller.venue.access.bus import BusError
from table_controller.venue.errors import DATABASE_ERRORS, VenueError
from table_controller.venue.names import JOURNAL_STREAM
from table_controller.venue.virtual.bench import (
    MEMORY,
    database_mb,
    percentile,
    prepared,
    settled,
    wrong,
)
from table_controller.venue.virtual.demo import LocalVenue, a_folder, table_names
from table_controller.venue.virtual.load import Load, Meter, Page, meter, size_mb

logger = logging.getLogger(__name__)

EVERY_S: Final = 60.0
DOWN_S: Final = 20.0
"""For so long a server is away."""
AFTER_S: Final = 30.0
"""What a fault delays is over at the latest so long after it has ended."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that fails, and when.

    Attributes:
        at: share of the whole time.
    """

    at: float
    name: str
    do: Callable[[], None]


@dataclass(slots=True)
class Summary:
    """What the whole run has shown."""

    tables: int
    speed: float
    seconds: float = 0.0
    entries: int = 0
    journals: int = 0
    lost: int = 0
    doubled: int = 0
    strange: int = 0
    broken: list[str] = field(default_factory=list)
    entries_s: float = 0.0
    alerts: int = 0
    alerts_unseen: int = 0
    quiet_p50_ms: float = 0.0
    quiet_p95_ms: float = 0.0
    all_p95_ms: float = 0.0
    cores: dict[str, float] = field(default_factory=dict)
    back_s: float = 0.0
    """How long the table that was away took to bring everything."""
    faults: list[dict[str, Any]] = field(default_factory=list)
    finished: bool = False


class Endurance:
    """One long run.

    Args:
        venue: running.
        load: its tables; the last is away until the end.
        root: of the tables' folders.
        out: written line by line.
        seconds: how long.
        summary: filled in.
    """

    def __init__(
        self,
        venue: LocalVenue,
        load: Load,
        root: Path,
        out: Path,
        seconds: float,
        summary: Summary,
    ) -> None:
        self._venue = venue
        self._load = load
        self._root = root
        self._out = out
        self._seconds = seconds
        self.summary = summary
        self._page = Page(lambda: [one for one in venue.hubs if one.process.poll() is None],
                          venue.token)  # fmt: skip
        self._meter: Meter = meter(venue, load)
        self._raised: dict[str, float] = {}
        self._told = 0
        self._disturbed: list[tuple[float, float]] = []
        self._began = time.time()

    def note(self, kind: str, **body: Any) -> None:
        """One line of the file, on the disk when this returns."""
        line = {"kind": kind, "s": round(time.time() - self._began, 1), **body}
        with self._out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def run(self) -> None:
        """Until the time is over; what fails, fails meanwhile."""
        ends = self._began + self._seconds
        self.note("began", load=os.getloadavg()[0], tables=self.summary.tables,
                  speed=self.summary.speed, seconds=self._seconds)  # fmt: skip
        # What was raised before the page was there, in sessions that are over, it never shows.
        self._load.say()
        failing = threading.Thread(target=self._fail_in_turn, name="faults", daemon=True)
        failing.start()
        before, at = self._meter.look(), time.time()
        while time.time() < ends:
            time.sleep(max(0.0, min(EVERY_S, ends - time.time())))
            spent, now = self._meter.look(), time.time()
            self._sample(now - at, {kind: spent[kind] - before[kind] for kind in spent})
            before, at = spent, now
        failing.join(120)
        self.summary.seconds = time.time() - self._began
        spent = self._meter.look()
        self.summary.cores = {k: round(v / self.summary.seconds, 4) for k, v in spent.items()}

    def _sample(self, span: float, spent: dict[str, float]) -> None:
        said = self._load.say()
        self._raised |= said.raised
        self._told += said.told
        ways = self._page.ways_ms(said.raised)
        try:
            stored: float | None = asyncio.run(database_mb(self._venue))
        except DATABASE_ERRORS:
            stored = None
        self.note(
            "sample",
            entries_s=round(said.told / span, 1),
            late_s=round(said.late_s, 2),
            alerts=len(said.raised),
            p50_ms=round(percentile(ways, 0.5), 1),
            p95_ms=round(percentile(ways, 0.95), 1),
            cores={kind: round(value / span, 4) for kind, value in spent.items()},
            memory_mb={kind: round(value, 1) for kind, value in self._meter.memory().items()},
            database_mb=stored,
            stream_mb=round(size_mb(self._venue.nats.folder / "n1"), 1),
            journals_mb=round(size_mb(self._root), 1),
            load=round(os.getloadavg()[0], 1),
        )

    # -- what fails -------------------------------------------------------------------------

    def _fail_in_turn(self) -> None:
        for fault in self._faults():
            time.sleep(max(0.0, self._began + fault.at * self._seconds - time.time()))
            # Its processor time would go with it.
            self._meter.look()
            began = time.time()
            self.note("fault", name=fault.name)
            try:
                fault.do()
            except (VenueError, BusError, OSError, *DATABASE_ERRORS) as error:
                logger.exception("%s", fault.name)
                self.note("fault failed", name=fault.name, why=str(error))
            self._disturbed.append((began, time.time() + AFTER_S))
            held = {"name": fault.name, "at_s": round(began - self._began, 1),
                    "for_s": round(time.time() - began, 1)}  # fmt: skip
            self.summary.faults.append(held)
            self.note("mended", name=fault.name)

    def _faults(self) -> list[Fault]:
        nats, hub = self._server_away, self._hub_killed
        order: list[tuple[str, Callable[[], None]]] = [
            ("hub 1 killed", lambda: hub(1)),
            ("server n1 killed", lambda: nats("n1")),
            ("hub 2 killed", lambda: hub(2)),
            ("server n2 killed", lambda: nats("n2")),
            ("PostgreSQL restarted", lambda: self._database_away(at_once=False)),
            ("server n3 killed", lambda: nats("n3")),
            ("hub 1 killed again", lambda: hub(1)),
            ("leader frozen", self._leader_frozen),
            ("PostgreSQL ended at once", lambda: self._database_away(at_once=True)),
            ("hub 2 killed again", lambda: hub(2)),
        ]
        step = 0.9 / len(order)
        return [Fault(0.05 + step * at, name, do) for at, (name, do) in enumerate(order)]

    def _server_away(self, name: str) -> None:
        self._venue.nats.kill(name)
        time.sleep(min(DOWN_S, self._seconds / 40))
        self._venue.nats.start(name)

    def _leader_frozen(self) -> None:
        leader = asyncio.run(self._leader())
        self._venue.nats.freeze(leader)
        time.sleep(min(DOWN_S, self._seconds / 40))
        self._venue.nats.freeze(leader, on=False)

    async def _leader(self) -> str:
        ring = self._venue.ring
        credentials = bus.load_credentials(ring.folder / "hub" / "hub.creds", ring.venue)
        authority = ring.folder / "tls" / "ca.pem"
        client = await bus.connect(self._venue.nats.urls, credentials, authority, "hub-endurance")
        try:
            info = await client.jetstream(timeout=15).stream_info(JOURNAL_STREAM)
        finally:
            await client.close()
        if info.cluster is None or info.cluster.leader is None:
            raise VenueError("the stream has no leader")
        return str(info.cluster.leader)

    def _database_away(self, *, at_once: bool) -> None:
        self._venue.postgres.stop(at_once=at_once)
        time.sleep(min(5.0, self._seconds / 40))
        self._venue.postgres.start()

    def _hub_killed(self, number: int) -> None:
        hub = next(one for one in self._venue.hubs if one.file.name == f"hub{number}.toml")
        hub.stop(kill=True)
        self._venue.hubs.remove(hub)
        time.sleep(1)
        self._venue.start_hub(number)

    # -- the end ----------------------------------------------------------------------------

    def compare(self) -> None:
        """Nothing more is written; the table that was away comes back; everything is compared."""
        said = self._load.say("stop")
        self._raised |= said.raised
        self._told += said.told
        self.note("stopped")
        self._load.say("return")
        began = time.time()
        found = asyncio.run(settled(self._venue, self._root, 300))
        self.summary.back_s = round(time.time() - began, 1)
        self.summary.entries, self.summary.journals = found.entries, found.journals
        self.summary.lost, self.summary.doubled = found.lost, found.doubled
        self.summary.strange, self.summary.broken = found.strange, found.broken
        self.note("compared", **asdict(found), wrong=wrong(found))

    def finish(self) -> None:
        """What the alerts' ways were; always written."""
        ways = {
            key: 1e3 * (self._page.seen[key] - at)
            for key, at in self._raised.items()
            if key in self._page.seen
        }
        quiet = [way for key, way in ways.items() if self._undisturbed(self._raised[key])]
        one = self.summary
        # A run that was cut off has no whole length.
        one.entries_s = round(self._told / (one.seconds or time.time() - self._began), 1)
        one.alerts, one.alerts_unseen = len(self._raised), len(self._raised) - len(ways)
        one.quiet_p50_ms = round(percentile(quiet, 0.5), 1)
        one.quiet_p95_ms = round(percentile(quiet, 0.95), 1)
        one.all_p95_ms = round(percentile(ways.values(), 0.95), 1)
        unseen = sorted(self._raised.keys() - ways.keys())
        self.note("summary", **asdict(one), unseen=unseen[:20])

    def _undisturbed(self, at: float) -> bool:
        return not any(began <= at <= ended for began, ended in self._disturbed)


def endure(count: int, speed: float, minutes: float, out: Path, folder: Path | None = None) -> bool:
    """A long run with all faults; whether nothing was lost, doubled or out of order.

    Args:
        count: tables.
        speed: how much faster than life.
        minutes: how long.
        out: JSON lines, written as it goes.
        folder: for the servers' files and the database; the journals lie in memory where there is
            room, since each table has a disk of its own.
    """

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    out.parent.mkdir(parents=True, exist_ok=True)
    names = table_names(count)
    summary = Summary(count, speed)
    with (
        prepared() as sessions,
        a_folder(folder) as root,
        a_folder(None, MEMORY) as journals,
        LocalVenue(root, names, hubs=2) as venue,
        Load(venue, journals, names, speed, sessions, away=1) as load,
    ):
        one = Endurance(venue, load, journals, out, minutes * 60, summary)
        try:
            one.run()
            one.compare()
            summary.finished = True
        finally:
            one.finish()
    return summary.finished and not (
        summary.lost or summary.doubled or summary.strange or summary.broken
    )
