"""A venue for the tests: real servers, real hubs, tables that are told self-played games."""

from __future__ import annotations

import asyncio
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg

from table_controller.venue.errors import DATABASE_ERRORS
from table_controller.venue.virtual.compare import Compared, compare, journals_of
from table_controller.venue.virtual.demo import LocalHub, LocalVenue
from table_controller.venue.virtual.tables import VirtualTables

Journals = list[tuple[str, Path]]


def wait(
    what: Callable[[], Any], seconds: float = 45.0, *, left: Callable[[], Any] = lambda: ""
) -> Any:
    """Ask until there is an answer; ``left`` says what is still missing when none comes."""
    deadline = time.monotonic() + seconds
    while not (answer := what()):
        assert time.monotonic() < deadline, f"nothing came of it: {left()}"
        time.sleep(0.1)
    return answer


class World:
    """A venue, its tables made as the tests need them."""

    def __init__(self, folder: Path, venue: LocalVenue | None = None) -> None:
        self.venue = venue or LocalVenue(folder, [], hubs=1)
        self.venue.__enter__()
        self.folder = folder
        self._made = 0
        self._db: tuple[asyncio.Runner, asyncpg.Connection] | None = None

    # -- tables -----------------------------------------------------------------------------

    def names(self, count: int) -> list[str]:
        """New tables, enrolled."""
        made = [f"W{self._made + number:03}" for number in range(count)]
        self._made += count
        for name in made:
            self.venue.ring.add_table(name)
        return made

    def root(self, names: list[str]) -> Path:
        """A folder of their own."""
        return self.folder / f"tables-{names[0]}"

    def tables(
        self, names: list[str], root: Path | None = None, speed: float = 25, **more: Any
    ) -> VirtualTables:
        """Tables that play, and belong to the venue."""
        servers = more.pop("servers", self.venue.nats.urls)
        made = VirtualTables(
            self.venue.ring, root or self.root(names), servers, names, speed=speed, **more
        )
        made.start()
        return made

    # -- what is stored ---------------------------------------------------------------------

    def rows(self, sql: str, *values: Any) -> list[Any]:
        """Ask the database; a connection that broke is made anew."""
        for turn in (1, 2):
            try:
                if self._db is None:
                    runner = asyncio.Runner()
                    dsn = self.venue.postgres.dsn
                    self._db = (runner, runner.run(asyncpg.connect(dsn)))
                runner, connection = self._db
                return list(runner.run(connection.fetch(sql, *values)))
            except DATABASE_ERRORS:
                self._db = None
                if turn == 2:
                    raise
        return []

    def compare(self, journals: Journals, branch: str = "") -> Compared:
        """Journals on the disk against what is stored."""
        self.rows("SELECT 1")
        assert self._db is not None
        runner, connection = self._db
        return runner.run(compare(connection, journals, branch))

    def arrived(self, journals: Journals) -> bool:
        """Whether the hall has the newest entry of each."""
        try:
            return self.compare(journals).lost == 0
        except DATABASE_ERRORS:
            self._db = None
            return False

    def whole(self, tables: VirtualTables, root: Path, seconds: float = 60.0) -> Compared:
        """Stop playing; when all has arrived, compare everything with everything."""
        tables.stop_playing()
        journals = journals_of(root)
        wait(lambda: self.arrived(journals), seconds)
        found = self.compare(journals)
        assert found.equal, found
        assert found.entries > 0
        return found

    # -- the hall ---------------------------------------------------------------------------

    def asked(self) -> LocalHub:
        """The hub that is asked: the first that lives."""
        return next(one for one in self.venue.hubs if one.process.poll() is None)

    def ask(self, path: str, body: dict[str, Any] | None = None, token: str | None = None) -> Any:
        """Ask the hall's console: status and answer."""
        hub = self.asked()
        request = urllib.request.Request(
            hub.base.rstrip("/") + path,
            headers={
                "Authorization": f"Bearer {token or self.venue.token}",
                "Content-Type": "application/json",
            },
            data=None if body is None else json.dumps(body).encode(),
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")

    def state(self) -> dict[str, Any]:
        """What the hall's page shows."""
        status, body = self.ask("/api/state")
        assert status == 200
        return dict(body)

    def heard(self, names: list[str]) -> None:
        """Wait until the hall knows these tables."""
        wait(lambda: set(names) <= set(self.state().get("tables", {})))

    def faults(self, table: str) -> list[str]:
        """What is wrong with a table, as the hall shows it."""
        return list(self.state().get("tables", {}).get(table, {}).get("faults", []))

    def close(self) -> None:
        """End all of it."""
        if self._db is not None:
            runner, connection = self._db
            connection.terminate()
            runner.close()
        self.venue.close()
