"""Buckets for the tables' evidence: a table may fill its own, only a hub may make it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

import asyncpg
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BusError
from nats.js.errors import APIError
from nats.js.errors import Error as StoreError

from table_controller.venue import names
from table_controller.venue.errors import AWAY_ERRORS
from table_controller.venue.hub.config import HubSection
from table_controller.venue.hub.projections import CHANNEL
from table_controller.venue.messages import BUCKET_READY, NO_ROOM

logger = logging.getLogger(__name__)

_FULL: Final = (10005, 10023, 10047)
"""What a cluster, or a single server, that has no room for another bucket answers."""


class Buckets:
    """The buckets of all tables.

    Args:
        section: says on how many servers each is kept, and the most that one may hold.
        client: the message bus, once there is one.
        pool: the database, once there is one.
    """

    def __init__(
        self,
        section: HubSection,
        client: Callable[[], Client],
        pool: Callable[[], asyncpg.Pool],
    ) -> None:
        self._section = section
        self._client = client
        self._pool = pool
        self._there: set[str] = set()

    async def asked(self, message: Msg) -> None:
        """A table has evidence: make its bucket, or say that there is no room for one."""
        table = names.table_of(message.subject)
        bucket = names.evidence_bucket(table)
        if bucket not in self._there:
            try:
                await self._make(bucket)
            except (StoreError, BusError, TimeoutError) as error:
                logger.warning("bucket %s: %s", bucket, error)
                if isinstance(error, APIError) and error.err_code in _FULL:
                    await message.respond(NO_ROOM)
                    await self._say(table)
                return
            self._there.add(bucket)
        await message.respond(BUCKET_READY)

    async def _make(self, bucket: str) -> None:
        js = self._client().jetstream(timeout=10)
        try:
            await js.object_store(bucket)
        except StoreError:
            await js.create_object_store(
                bucket,
                replicas=self._section.replicas,
                max_bytes=int(self._section.evidence_gb * 1e9),
            )

    async def _say(self, table: str) -> None:
        """In the hall's log: once for a table, which goes on asking."""
        try:
            async with self._pool().acquire(timeout=5) as connection, connection.transaction():
                if await connection.fetchval(
                    "SELECT EXISTS (SELECT FROM incident WHERE table_name = $1 AND kind = 'room')",
                    table,
                ):
                    return
                await connection.execute(
                    "INSERT INTO incident (table_name, kind, text, code, facts) "
                    "VALUES ($1, 'room', $2, 'no_room', $3::json)",
                    table, "the servers have no room for the pictures of this table", "{}",
                )  # fmt: skip
                await connection.execute(
                    "SELECT pg_notify($1, $2)", CHANNEL, '[{"what":"incident"}]'
                )
        except AWAY_ERRORS as error:
            logger.info("bucket of %s: %s", table, error or type(error).__name__)
