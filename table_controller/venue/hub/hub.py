"""One hub: shares of the tables, their statuses, their questions, the hall's orders to them.

Any number of hubs run beside each other. Shares are divided by locks in the database; statuses and
questions are answered by whichever hub the bus chooses; an order is sent by whoever sees it first,
and again until the table has answered.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import random
import secrets
import socket
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Final

import asyncpg
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BusError
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import Error as StoreError

from table_controller.venue import bus, names
from table_controller.venue.errors import DATABASE_ERRORS, VenueError
from table_controller.venue.hub import schema
from table_controller.venue.hub.config import HubConfig
from table_controller.venue.hub.metrics import HubMetrics
from table_controller.venue.hub.share import LOCK_CLASS, Share
from table_controller.venue.messages import Order, Status, parse

logger = logging.getLogger(__name__)

BEAT_S: Final = 2.0
_BEAT_MOST_S: Final = 10.0
"""A database that does not answer this long is away, whatever its connection says."""
DEAD_S: Final = 3.0
"""A hub that has not been heard for so long is not counted on. Locks say who owns what: counting
out one that is only slow costs nothing but a turn."""
SILENT_S: Final = 10.0
"""A table that has said nothing for so long is silent."""
STATUS_FLUSH_S: Final = 0.5
RESEND_AGAIN_S: Final = 10.0
_QUEUE: Final = "hubs"

ERRORS: Final = (*DATABASE_ERRORS, BusError, StoreError)


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


class Hub:
    """One hub.

    Args:
        config: checked.
    """

    def __init__(self, config: HubConfig) -> None:
        self.config = config
        self.metrics = HubMetrics()
        self.id = f"{socket.gethostname()}-{secrets.token_hex(3)}"
        self.heard: dict[str, Heard] = {}
        self.shares: dict[int, Share] = {}
        self.ready = asyncio.Event()
        self._subjects = names.Subjects(config.hub.venue)
        self._client: Client | None = None
        self._pool: asyncpg.Pool | None = None
        self._dirty: dict[str, Heard] = {}
        self._asked: dict[tuple[str, str], float] = {}
        self._buckets: set[str] = set()
        self._working: dict[int, asyncio.Task[None]] = {}
        self._database_ok = False

    @property
    def client(self) -> Client:
        """The message bus, once there is one."""
        assert self._client is not None
        return self._client

    @property
    def pool(self) -> asyncpg.Pool:
        """The database, once there is one."""
        assert self._pool is not None
        return self._pool

    def health(self) -> dict[str, Any]:
        """How the hub is; ``ok`` where it can do its work."""
        now = time.time()
        silent = [name for name, heard in self.heard.items() if now - heard.at > SILENT_S]
        bus_ok = self._client is not None and self._client.is_connected
        return {
            "ok": bus_ok and self._database_ok,
            "instance": self.id,
            "venue": self.config.hub.venue,
            "bus": bus_ok,
            "database": self._database_ok,
            "shares": sorted(n for n, share in self.shares.items() if share.owned),
            "tables": len(self.heard) - len(silent),
            "silent": sorted(silent),
        }

    # -- life -------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect to bus and database; what is wrong now is said at once.

        Raises:
            VenueError: one line says what cannot be reached, or that the schema is another.
        """
        section = self.config.hub
        try:
            self._pool = await asyncpg.create_pool(
                section.database, min_size=1, max_size=4, timeout=10, command_timeout=30
            )
            async with self.pool.acquire() as connection:
                await schema.check(connection)
        except (*DATABASE_ERRORS, ValueError) as error:
            if isinstance(error, VenueError):
                raise
            raise VenueError(f"database: {error or type(error).__name__}") from None
        self._client = await bus.connect(
            section.servers, self.config.credentials, section.ca, "hub", patient=False
        )
        await self._client.close()
        self._client = await bus.connect(
            section.servers, self.config.credentials, section.ca, "hub"
        )
        await self._streams()
        self._database_ok = True

    async def _streams(self) -> None:
        section = self.config.hub
        js = self.client.jetstream(timeout=10)
        wanted = StreamConfig(
            name=names.JOURNAL_STREAM,
            subjects=[self._subjects.journals()],
            storage=StorageType.FILE,
            num_replicas=section.replicas,
            max_age=section.journal_days * 86_400,
            max_bytes=int(section.journal_gb * 1e9),
            # What falls out was stored long ago, or is still in the tables' own journals.
            discard=DiscardPolicy.OLD,
            duplicate_window=120,
            allow_direct=True,
        )
        for turn in range(60):
            try:
                try:
                    await js.update_stream(wanted)
                except StoreError:
                    await js.add_stream(wanted)
            except (StoreError, BusError, TimeoutError) as error:
                if turn == 59:
                    raise VenueError(f"venue: stream {names.JOURNAL_STREAM}: {error}") from None
                # A cluster that has just started has no leader yet.
                await asyncio.sleep(0.5)
            else:
                return

    async def run(self) -> None:
        """Until cancelled; :meth:`open` first."""
        queue = _QUEUE
        client = self.client
        # Every hub hears every table; who owns its share writes down what it says.
        await client.subscribe(self._subjects.status(), cb=self._status)
        await client.subscribe(self._subjects.request("*", "time"), queue=queue, cb=self._time)
        await client.subscribe(self._subjects.request("*", "bucket"), queue=queue, cb=self._bucket)
        await client.subscribe(self._subjects.request("*", "orders"), queue=queue, cb=self._asks)
        parts: list[Coroutine[Any, Any, None]] = [
            self._dividing(),
            self._keeping_status(),
            self._sending(),
        ]
        tasks = [asyncio.ensure_future(part) for part in parts]
        self.ready.set()
        try:
            await asyncio.gather(*tasks)
        finally:
            for share in self.shares.values():
                share.give_up()
            if self._working:
                await asyncio.wait(self._working.values(), timeout=6)
            for task in [*tasks, *self._working.values()]:
                task.cancel()
            await asyncio.gather(*tasks, *self._working.values(), return_exceptions=True)
            await self.close()

    async def close(self) -> None:
        """Let go of bus and database."""
        if self._pool is not None:
            try:
                async with asyncio.timeout(5):
                    await self._pool.execute("DELETE FROM hub_instance WHERE id = $1", self.id)
                    await self._pool.close()
            except ERRORS:
                self._pool.terminate()
        if self._client is not None:
            await self._client.close()

    # -- dividing the work ------------------------------------------------------------------

    async def _dividing(self) -> None:
        while True:
            try:
                async with asyncio.timeout(_BEAT_MOST_S):
                    alive, held = await self._beat()
                self._database_ok = True
            except ERRORS as error:
                self._database_ok = False
                logger.warning("database: %s", error or type(error).__name__)
            else:
                self._divide(math.ceil(names.PARTITIONS / max(1, alive)), held)
            owned = sum(share.owned for share in self.shares.values())
            self.metrics.shares.set(owned)
            await asyncio.sleep(BEAT_S / 2 if owned else 0.2)

    async def _beat(self) -> tuple[int, set[int]]:
        """Say that this hub lives; how many do, and which shares somebody owns."""
        async with self.pool.acquire(timeout=5) as connection:
            await connection.execute(
                "INSERT INTO hub_instance VALUES ($1, $2, now()) "
                "ON CONFLICT (id) DO UPDATE SET beat = now()",
                self.id, socket.gethostname(),
            )  # fmt: skip
            alive = await connection.fetchval(
                "SELECT count(*) FROM hub_instance WHERE beat > now() - $1 * interval '1 second'",
                DEAD_S,
            )
            await connection.execute(
                "DELETE FROM hub_instance WHERE beat < now() - interval '1 hour'"
            )
            rows = await connection.fetch(
                "SELECT objid::int AS share FROM pg_locks WHERE locktype = 'advisory' "
                "AND classid = $1 AND objsubid = 2 AND granted",
                LOCK_CLASS,
            )
        return int(alive), {row["share"] for row in rows}

    def _divide(self, most: int, held: set[int]) -> None:
        """Own ``most`` shares and no more; a share that nobody owns is anybody's."""
        for number, task in list(self._working.items()):
            if task.done():
                error = task.exception() if not task.cancelled() else None
                if error is not None:
                    logger.warning("share %d: %s", number, error or type(error).__name__)
                del self._working[number], self.shares[number]
        owned = [number for number, share in self.shares.items() if share.owned]
        if len(owned) > most:
            self.shares[owned[-1]].give_up()
        if not self.client.is_connected:
            return
        free = [
            number
            for number in range(names.PARTITIONS)
            if number not in self._working and number not in held
        ]
        random.shuffle(free)
        for number in free[: max(0, most - len(owned))]:
            share = Share(
                number, self.client, self.config.hub.venue, self.config.hub.database,
                self.metrics, self._missing,
            )  # fmt: skip
            self.shares[number] = share
            self._working[number] = asyncio.ensure_future(share.run())

    # -- statuses ---------------------------------------------------------------------------

    async def _status(self, message: Msg) -> None:
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
        share = self.shares.get(names.partition_of(table))
        if share is not None and share.owned:
            self._dirty[table] = heard
        self.metrics.outbox.labels(table).set(status.head - status.acked)
        self.metrics.faults.labels(table).set(len(self.faults(heard)))
        if status.offset is not None:
            self.metrics.offset.labels(table).set(status.offset)

    def faults(self, heard: Heard) -> list[str]:
        """What is wrong with a table: what it says itself, and what only the hall can know."""
        status = heard.status
        faults = list(status.faults)
        if status.offset is not None and abs(status.offset) > self.config.hub.clock_limit_s:
            faults.append("clock")
        if heard.twice:
            faults.append("name_twice")
        return faults

    async def _keeping_status(self) -> None:
        while True:
            await asyncio.sleep(STATUS_FLUSH_S)
            due, self._dirty = self._dirty, {}
            now = time.time()
            heard = sum(now - one.at <= SILENT_S for one in self.heard.values())
            self.metrics.tables.set(heard)
            self.metrics.silent.set(len(self.heard) - heard)
            if not due:
                continue
            rows = [
                (name, one.status.model_dump(mode="json") | {"faults": self.faults(one)})
                for name, one in due.items()
            ]
            try:
                async with self.pool.acquire(timeout=5) as connection, connection.transaction():
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
            except ERRORS as error:
                logger.info("statuses not kept: %s", error or type(error).__name__)

    # -- what tables ask --------------------------------------------------------------------

    async def _time(self, message: Msg) -> None:
        await message.respond(f"{time.time():.6f}".encode())

    async def _bucket(self, message: Msg) -> None:
        """A table has evidence: make its bucket."""
        bucket = names.evidence_bucket(names.table_of(message.subject))
        if bucket not in self._buckets:
            js = self.client.jetstream(timeout=10)
            try:
                try:
                    await js.object_store(bucket)
                except StoreError:
                    await js.create_object_store(
                        bucket,
                        replicas=self.config.hub.replicas,
                        max_bytes=int(self.config.hub.evidence_gb * 1e9),
                    )
                self._buckets.add(bucket)
            except (StoreError, BusError, TimeoutError) as error:
                logger.warning("bucket %s: %s", bucket, error)
                return
        await message.respond(b"ok")

    async def _asks(self, message: Msg) -> None:
        """A table asks for the orders it has not answered."""
        table = names.table_of(message.subject)
        try:
            rows = await self.pool.fetch(
                "SELECT * FROM hall_order WHERE table_name = $1 AND state = 'given' ORDER BY at",
                table,
            )
        except ERRORS:
            return
        orders = [order_of(row).model_dump(mode="json") for row in rows]
        await message.respond(json.dumps(orders).encode())

    # -- orders -----------------------------------------------------------------------------

    async def _sending(self) -> None:
        """Send new orders as soon as they are given, and again while there is no answer."""
        while True:
            try:
                await self._listen_and_send()
            except ERRORS as error:
                logger.info("orders: %s", error or type(error).__name__)
                await asyncio.sleep(1)

    async def _listen_and_send(self) -> None:
        given = asyncio.Event()
        connection = await asyncpg.connect(self.config.hub.database, timeout=10)
        try:
            await connection.add_listener("orders", lambda *_: given.set())
            while True:
                given.clear()
                await self._send_due(connection)
                try:
                    async with asyncio.timeout(2):
                        await given.wait()
                except TimeoutError:
                    pass
        finally:
            connection.terminate()

    async def _send_due(self, connection: asyncpg.Connection) -> None:
        # Whichever hub is first takes the turn; the others find that it was taken.
        rows = await connection.fetch(
            "UPDATE hall_order SET sent = now(), attempts = attempts + 1 WHERE id IN ("
            "SELECT id FROM hall_order WHERE state = 'given' AND at > $1 "
            "AND (sent IS NULL OR sent < now() - $2 * interval '1 second') "
            "ORDER BY at LIMIT 500 FOR UPDATE SKIP LOCKED) RETURNING *",
            time.time() - 12 * 3600,
            RESEND_AGAIN_S,
        )
        for row in sorted(rows, key=lambda row: float(row["at"])):
            data = order_of(row).model_dump_json().encode()
            await self.client.publish(self._subjects.orders(row["table_name"]), data)
            self.metrics.orders.inc()

    async def _missing(self, table: str, chain: str, after: int) -> None:
        """Entries are missing: order the table to send them again, now and then."""
        if time.monotonic() - self._asked.get((table, chain), -math.inf) < RESEND_AGAIN_S:
            return
        self._asked[table, chain] = time.monotonic()
        logger.error("table %s: chain %s: nothing after entry %d: asked again", table, chain, after)
        await self.pool.execute(
            "INSERT INTO hall_order (id, table_name, kind, body, by, at) "
            "VALUES ($1, $2, 'resend', $3::json, 'hub', $4)",
            secrets.token_hex(16), table, json.dumps({"chain": chain, "after": after}), time.time(),
        )  # fmt: skip
        await self.pool.execute("SELECT pg_notify('orders', '')")


def order_of(row: asyncpg.Record) -> Order:
    """An order as it travels."""
    return Order.model_validate(
        {
            "id": row["id"],
            "table": row["table_name"],
            "kind": row["kind"],
            "body": json.loads(row["body"]),
            "by": row["by"],
            "at": row["at"],
            "attempt": max(1, row["attempts"]),
        }
    )
