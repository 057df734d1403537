"""Orders go to the tables as soon as they are given, and again until they are answered."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import secrets
import time
from collections.abc import Callable
from typing import Final

import asyncpg
from nats.aio.client import Client
from nats.aio.msg import Msg

from table_controller.venue import names
from table_controller.venue.errors import AWAY_ERRORS
from table_controller.venue.hub.connecting import connected
from table_controller.venue.hub.metrics import HubMetrics
from table_controller.venue.messages import Order

logger = logging.getLogger(__name__)

RESEND_AGAIN_S: Final = 10.0


class Sending:
    """Sends the orders that the database holds.

    Args:
        database: its address; new orders are listened for on a connection of their own.
        subjects: of the venue.
        pool: the database, once there is one.
        client: the message bus, once there is one.
        metrics: of the hub.
    """

    def __init__(
        self,
        database: str,
        subjects: names.Subjects,
        pool: Callable[[], asyncpg.Pool],
        client: Callable[[], Client],
        metrics: HubMetrics,
    ) -> None:
        self._database = database
        self._subjects = subjects
        self._pool = pool
        self._client = client
        self._metrics = metrics
        self._asked: dict[tuple[str, str], float] = {}

    async def run(self) -> None:
        """Send new orders as soon as they are given, and again while there is no answer."""
        while True:
            try:
                await self._listen_and_send()
            except AWAY_ERRORS as error:
                logger.info("orders: %s", error or type(error).__name__)
                await asyncio.sleep(1)

    async def _listen_and_send(self) -> None:
        given = asyncio.Event()
        connection = await connected(self._database)
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
            await self._client().publish(self._subjects.orders(row["table_name"]), data)
            self._metrics.orders.inc()

    async def again(self, table: str, chain: str, after: int) -> None:
        """Entries are missing: order the table to send them again, now and then."""
        if time.monotonic() - self._asked.get((table, chain), -math.inf) < RESEND_AGAIN_S:
            return
        self._asked[table, chain] = time.monotonic()
        logger.error("table %s: chain %s: nothing after entry %d: asked again", table, chain, after)
        await self._pool().execute(
            "INSERT INTO hall_order (id, table_name, kind, body, by, at) "
            "VALUES ($1, $2, 'resend', $3::json, 'hub', $4)",
            secrets.token_hex(16), table, json.dumps({"chain": chain, "after": after}), time.time(),
        )  # fmt: skip
        await self._pool().execute("SELECT pg_notify('orders', '')")

    async def asked(self, message: Msg) -> None:
        """A table asks for the orders it has not answered."""
        table = names.table_of(message.subject)
        try:
            rows = await self._pool().fetch(
                "SELECT * FROM hall_order WHERE table_name = $1 AND state = 'given' ORDER BY at",
                table,
            )
        except AWAY_ERRORS:
            return
        orders = [order_of(row).model_dump(mode="json") for row in rows]
        await message.respond(json.dumps(orders).encode())


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
