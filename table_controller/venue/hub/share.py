"""One share of the tables, from the stream into the database, by one hub at a time.

Who holds the share's advisory lock in the database owns it; the lock lies on the very connection
that writes, so a hub that lost the database has lost the share as well. The owner makes the durable
consumer anew from the position in the database: whatever the hub before it had fetched and not
stored comes again at once and in order, and a database restored from a backup rewinds the
stream by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

import asyncpg
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BusError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import Error as StoreError
from nats.js.errors import NotFoundError

from table_controller.venue import names
from table_controller.venue.access.pulling import ConsumerGoneError, Puller
from table_controller.venue.errors import DATABASE_ERRORS
from table_controller.venue.hub.connecting import connected
from table_controller.venue.hub.metrics import HubMetrics
from table_controller.venue.hub.store import Arrived, Store

logger = logging.getLogger(__name__)

_LOCK_CLASS: Final = 7261
_MOST: Final = 400
_WAIT_S: Final = 2.0
_STALLED: Final = 3
"""So often in a row nothing may come although there is something."""
LINGER_S: Final = 0.25
"""What nobody waits for is stored together with what comes within this."""


async def lock_share(connection: asyncpg.Connection, number: int) -> bool:
    """Own a share as long as this connection lives; false where somebody does."""
    select = "SELECT pg_try_advisory_lock($1, $2)"
    return bool(await connection.fetchval(select, _LOCK_CLASS, number))


async def held_shares(connection: asyncpg.Connection) -> set[int]:
    """The shares that somebody owns in this database; the server may serve other venues."""
    rows = await connection.fetch(
        "SELECT objid::int AS share FROM pg_locks WHERE locktype = 'advisory' "
        "AND classid = $1 AND objsubid = 2 AND granted "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
        _LOCK_CLASS,
    )
    return {row["share"] for row in rows}


class Share:
    """The work on one share.

    Args:
        number: of the share.
        client: the message bus.
        venue: its name.
        dsn: of the database.
        metrics: of the hub.
        missing: asks a table to send entries again.
    """

    def __init__(
        self,
        number: int,
        client: Client,
        venue: str,
        dsn: str,
        metrics: HubMetrics,
        missing: Callable[[str, str, int], Awaitable[None]],
    ) -> None:
        self.number = number
        self.owned = False
        self._client = client
        self._subjects = names.Subjects(venue)
        self._dsn = dsn
        self._metrics = metrics
        self._missing = missing
        self._give_up = asyncio.Event()

    @property
    def consumer(self) -> str:
        """Name of the durable consumer."""
        return f"hub-{self.number}"

    def give_up(self) -> None:
        """Let another hub have it, after what is under way."""
        self._give_up.set()

    async def run(self) -> None:
        """Own the share until it is given up or something breaks; returns at once if it is taken.

        Raises:
            OSError, asyncpg errors, bus errors: what broke.
        """
        connection = await connected(self._dsn)
        try:
            if not await lock_share(connection, self.number):
                return
            # A server that loses power may lose the newest transactions: their position with
            # them, so the stream brings them again. Waiting for its disk would gain nothing.
            await connection.execute("SET synchronous_commit = off")
            self.owned = True
            logger.info("share %d: owned", self.number)
            await self._work(Store(connection, self.number))
        finally:
            self.owned = False
            try:
                await connection.close(timeout=3)
            except DATABASE_ERRORS:
                connection.terminate()

    async def _work(self, store: Store) -> None:
        puller = await self._start(store)
        behind = 0
        try:
            while not self._give_up.is_set():
                try:
                    messages = await puller.messages(_WAIT_S, _MOST, LINGER_S)
                    if messages:
                        await self._store(store, messages)
                        behind = 0
                        continue
                    # A hub that is cut off from the database must know it before the database
                    # gives its share to another: it would take that one's messages.
                    await store.alive()
                    behind = behind + 1 if await self._is_behind(store) else 0
                    if behind >= _STALLED:
                        raise ConsumerGoneError
                except ConsumerGoneError:
                    logger.warning("share %d: the consumer is gone: made anew", self.number)
                    await puller.stop()
                    puller = await self._start(store)
                    behind = 0
        finally:
            if self._client.is_connected:
                await puller.stop()

    async def _is_behind(self, store: Store) -> bool:
        """Whether the stream's leader holds messages that the consumer does not bring.

        A consumer whose leader reads from a copy of the stream that stands still answers every
        request, and brings nothing for ever.
        """
        js = self._client.jetstream(timeout=5)
        try:
            newest = await js.get_msg(
                names.JOURNAL_STREAM, subject=self._subjects.journals(self.number)
            )
        except NotFoundError:
            return False
        except (StoreError, BusError, TimeoutError):
            return False  # without a leader nothing can be said
        return (newest.seq or 0) > await store.position()

    async def _start(self, store: Store) -> Puller:
        js = self._client.jetstream(timeout=10)
        position = await store.position()
        state = (await js.stream_info(names.JOURNAL_STREAM)).state
        if position > state.last_seq:
            # The stream was lost and made anew: what it brings is known by its hashes.
            logger.warning("share %d: the stream begins anew", self.number)
            await store.rewind()
            position = 0
        with contextlib.suppress(NotFoundError):
            await js.delete_consumer(names.JOURNAL_STREAM, self.consumer)
        await js.add_consumer(
            names.JOURNAL_STREAM,
            ConsumerConfig(
                durable_name=self.consumer,
                deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=position + 1,
                ack_policy=AckPolicy.ALL,
                ack_wait=60,
                max_ack_pending=20_000,
                filter_subject=self._subjects.journals(self.number),
            ),
        )
        puller = Puller(self._client, names.JOURNAL_STREAM, self.consumer, batch=_MOST)
        await puller.start()
        return puller

    async def _store(self, store: Store, messages: list[Msg]) -> None:
        began = time.perf_counter()
        arrived = [_arrived(message) for message in messages]
        try:
            taken = await store.take(arrived)
        except BaseException:
            self._metrics.failures.inc()
            raise
        self._metrics.store_s.observe(time.perf_counter() - began)
        self._metrics.messages.inc(len(arrived))
        self._metrics.entries.inc(taken.entries)
        self._metrics.again.inc(taken.again)
        self._metrics.forks.inc(taken.forks)
        now = time.time()
        for sent in taken.sent:
            self._metrics.delay_s.observe(max(0.0, now - sent))
        # Acknowledged only now: what a hub that dies before this has stored is known when it
        # comes again.
        await messages[-1].ack()
        pending = messages[-1].metadata.num_pending
        self._metrics.lag.labels(str(self.number)).set(pending)
        for table, chain, after in taken.gaps:
            self._metrics.gaps.inc()
            await self._missing(table, chain, after)


def _arrived(message: Msg) -> Arrived:
    return Arrived(message.subject, message.metadata.sequence.stream, message.data)
