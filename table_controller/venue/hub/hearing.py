"""What the tables say of themselves: heard by every hub, written down by one."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import asyncpg
from nats.aio.msg import Msg

from table_controller.venue import names
from table_controller.venue.errors import AWAY_ERRORS, VenueError
from table_controller.venue.hub.metrics import HubMetrics
from table_controller.venue.messages import Status, parse

logger = logging.getLogger(__name__)

SILENT_S: Final = 10.0
"""A table that has said nothing for so long is silent."""
_FLUSH_S: Final = 0.5


@dataclass(slots=True)
class Heard:
    """What was heard of a table."""

    status: Status
    at: float
    """When, s since 1970 by this hub's clock."""
    instances: dict[str, float] = field(default_factory=dict)

    @property
    def twice(self) -> bool:
        """Whether two machines speak under this name."""
        newest = max(self.instances.values())
        return sum(newest - at < SILENT_S for at in self.instances.values()) > 1


class Hearing:
    """The statuses of all tables.

    Args:
        clock_limit_s: a table's clock may be off by so much.
        owned: whether this hub writes down what a table says.
        pool: the database, once there is one.
        metrics: of the hub.
    """

    def __init__(
        self,
        clock_limit_s: float,
        owned: Callable[[str], bool],
        pool: Callable[[], asyncpg.Pool],
        metrics: HubMetrics,
    ) -> None:
        self._clock_limit_s = clock_limit_s
        self._owned = owned
        self._pool = pool
        self._metrics = metrics
        self.heard: dict[str, Heard] = {}
        self._dirty: dict[str, Heard] = {}

    async def status(self, message: Msg) -> None:
        """A table has spoken."""
        table = names.table_of(message.subject)
        try:
            status = parse(Status, message.data)
        except VenueError as error:
            logger.warning("table %s: %s", table, error)
            return
        now = time.time()
        known = self.heard.get(table)
        instances = known.instances if known else {}
        instances = {name: at for name, at in instances.items() if now - at < 60}
        instances[status.instance] = now
        heard = Heard(status, now, instances)
        self.heard[table] = heard
        if self._owned(table):
            self._dirty[table] = heard
        self._metrics.outbox.labels(table).set(status.head - status.acked)
        self._metrics.faults.labels(table).set(len(self._faults(heard)))
        if status.offset is not None:
            self._metrics.offset.labels(table).set(status.offset)

    def faults_of(self, table: str) -> list[str]:
        """What is wrong with a table, as far as it was heard."""
        heard = self.heard.get(table)
        return [] if heard is None else self._faults(heard)

    @property
    def silent(self) -> list[str]:
        """The tables that have said nothing for long, by name."""
        now = time.time()
        return sorted(name for name, heard in self.heard.items() if now - heard.at > SILENT_S)

    def _faults(self, heard: Heard) -> list[str]:
        """What is wrong with a table: what it says itself, and what only the hall can know."""
        status = heard.status
        faults = list(status.faults)
        if status.offset is not None and abs(status.offset) > self._clock_limit_s:
            faults.append("clock")
        if heard.twice:
            faults.append("name_twice")
        return faults

    async def keep(self) -> None:
        """Write down, for ever, what the tables say whose shares are owned here."""
        while True:
            await asyncio.sleep(_FLUSH_S)
            due, self._dirty = self._dirty, {}
            silent = len(self.silent)
            self._metrics.tables.set(len(self.heard) - silent)
            self._metrics.silent.set(silent)
            if not due:
                continue
            rows = [
                (name, one.status.model_dump(mode="json") | {"faults": self._faults(one)})
                for name, one in due.items()
            ]
            try:
                async with self._pool().acquire(timeout=5) as connection, connection.transaction():
                    # The database tells consoles of one transaction after another: until this one
                    # is on the disk no alert would be told of. The next statuses come anyway.
                    await connection.execute("SET LOCAL synchronous_commit = off")
                    tables = [name for name, _ in rows]
                    await connection.execute(
                        "INSERT INTO hall_table (name) SELECT unnest($1::text[]) "
                        "ON CONFLICT DO NOTHING",
                        tables,
                    )
                    await connection.execute(
                        "INSERT INTO status SELECT t, now(), b::json FROM "
                        "unnest($1::text[], $2::text[]) AS u (t, b) ON CONFLICT (table_name) "
                        "DO UPDATE SET received = excluded.received, body = excluded.body",
                        tables,
                        [json.dumps(body) for _, body in rows],
                    )
                    await connection.execute("SELECT pg_notify('hall', $1)", '[{"what":"status"}]')
            except AWAY_ERRORS as error:
                logger.info("statuses not kept: %s", error or type(error).__name__)
