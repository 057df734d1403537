"""One hub: connected, owning its shares of the tables, answering what they ask.

Any number of hubs run beside each other. Shares are divided by locks in the database; statuses and
questions are answered by whichever hub the bus chooses; an order is sent by whoever sees it first,
and again until the table has answered.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
import secrets
import socket
import time
from collections.abc import Coroutine
from typing import Any, Final

import asyncpg
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BusError
from nats.js.api import DiscardPolicy, StorageType, StreamConfig
from nats.js.errors import Error as StoreError

from table_controller.venue import names
from table_controller.venue.access import bus
from table_controller.venue.errors import AWAY_ERRORS, DATABASE_ERRORS, VenueError
from table_controller.venue.hub import schema
from table_controller.venue.hub.buckets import Buckets
from table_controller.venue.hub.config import HubConfig
from table_controller.venue.hub.hearing import Hearing
from table_controller.venue.hub.metrics import HubMetrics
from table_controller.venue.hub.sending import Sending
from table_controller.venue.hub.share import Share, held_shares

logger = logging.getLogger(__name__)

BEAT_S: Final = 2.0
_BEAT_MOST_S: Final = 10.0
"""A database that does not answer this long is away, whatever its connection says."""
DEAD_S: Final = 3.0
"""A hub that has not been heard for so long is not counted on. Locks say who owns what: counting
out one that is only slow costs nothing but a turn."""
_QUEUE: Final = "hubs"


class Hub:
    """One hub.

    Args:
        config: checked.
    """

    def __init__(self, config: HubConfig) -> None:
        self.config = config
        self.metrics = HubMetrics()
        self.id = f"{socket.gethostname()}-{secrets.token_hex(3)}"
        self.shares: dict[int, Share] = {}
        self.ready = asyncio.Event()
        self._subjects = names.Subjects(config.hub.venue)
        self._client: Client | None = None
        self._pool: asyncpg.Pool | None = None
        self._working: dict[int, asyncio.Task[None]] = {}
        self._database_ok = False
        self.hearing = Hearing(
            config.hub.clock_limit_s, self._owned, lambda: self.pool, self.metrics
        )
        self._sending = Sending(
            config.hub.database,
            self._subjects,
            lambda: self.pool,
            lambda: self.client,
            self.metrics,
        )
        self._buckets = Buckets(config.hub, lambda: self.client, lambda: self.pool)

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
        silent = self.hearing.silent
        bus_ok = self._client is not None and self._client.is_connected
        return {
            "ok": bus_ok and self._database_ok,
            "instance": self.id,
            "venue": self.config.hub.venue,
            "bus": bus_ok,
            "database": self._database_ok,
            "shares": sorted(n for n, share in self.shares.items() if share.owned),
            "tables": len(self.hearing.heard) - len(silent),
            "silent": silent,
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
        await client.subscribe(self._subjects.status(), cb=self.hearing.status)
        await client.subscribe(self._subjects.request("*", "time"), queue=queue, cb=self._time)
        await client.subscribe(
            self._subjects.request("*", "bucket"), queue=queue, cb=self._buckets.asked
        )
        await client.subscribe(
            self._subjects.request("*", "orders"), queue=queue, cb=self._sending.asked
        )
        parts: list[Coroutine[Any, Any, None]] = [
            self._dividing(),
            self.hearing.keep(),
            self._sending.run(),
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
            except AWAY_ERRORS:
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
            except AWAY_ERRORS as error:
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
            held = await held_shares(connection)
        return int(alive), held

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
                self.metrics, self._sending.again,
            )  # fmt: skip
            self.shares[number] = share
            self._working[number] = asyncio.ensure_future(share.run())

    def _owned(self, table: str) -> bool:
        """Whether this hub owns the share in which a table is."""
        share = self.shares.get(names.partition_of(table))
        return share is not None and share.owned

    # -- what tables ask --------------------------------------------------------------------

    async def _time(self, message: Msg) -> None:
        await message.respond(f"{time.time():.6f}".encode())
