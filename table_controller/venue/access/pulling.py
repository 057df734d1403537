"""Pulls messages from a durable consumer as they come.

The library's own ``fetch`` waits for a batch to fill; here a standing request is kept with the
server, what has arrived is handed on at once, and a request that the server forgot (a leader that
changed, a connection that broke) is noticed by its missing heartbeats and made again.
"""

from __future__ import annotations

import json
import time
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from table_controller.venue.messages import URGENT_HEADER

HEARTBEAT_S: Final = 2.0
_EXPIRES_S: Final = 30.0


class ConsumerGoneError(Exception):
    """The consumer is not there (any more)."""


class Puller:
    """One consumer's messages, in order.

    Args:
        client: the connection.
        stream: name of the stream.
        consumer: name of the durable consumer.
        batch: how many messages are asked for at a time.
    """

    def __init__(self, client: Client, stream: str, consumer: str, batch: int = 256) -> None:
        self._client = client
        self._api = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        self._batch = batch
        self._left = 0
        self._heard = 0.0
        self._asked = 0.0
        self._subscription: Subscription | None = None
        self._inbox = ""

    async def start(self) -> None:
        """Listen; must be called once."""
        self._inbox = self._client.new_inbox()
        self._subscription = await self._client.subscribe(
            self._inbox, pending_msgs_limit=-1, pending_bytes_limit=-1
        )

    async def stop(self) -> None:
        """Listen no longer."""
        if self._subscription is not None:
            await self._subscription.unsubscribe()

    async def _ask(self) -> None:
        request = {
            "batch": self._batch,
            "expires": int(_EXPIRES_S * 1e9),
            "idle_heartbeat": int(HEARTBEAT_S * 1e9),
        }
        await self._client.publish(self._api, json.dumps(request).encode(), reply=self._inbox)
        self._left = self._batch
        self._asked = self._heard = time.monotonic()

    async def messages(self, timeout: float, most: int = 256, linger: float = 0.0) -> list[Msg]:
        """What has arrived: at least one message, or none when the time is over.

        Args:
            timeout: how long to wait for the first, s.
            most: so many at most.
            linger: the first waits so long for others, s, unless one of them is urgent.

        Raises:
            ConsumerGoneError: it was deleted; make it again.
        """
        subscription = self._subscription
        assert subscription is not None
        deadline = time.monotonic() + timeout
        found: list[Msg] = []
        while time.monotonic() < deadline:
            now = time.monotonic()
            if self._left <= 0 or now - self._heard > 2.5 * HEARTBEAT_S:
                await self._ask()
            wait = min(deadline - now, HEARTBEAT_S)
            try:
                message = await subscription.next_msg(timeout=max(wait, 0.01))
            except TimeoutError:
                continue
            self._sort(message, found)
            await self._drain(subscription, found, most)
            if found:
                await self._linger(subscription, found, most, linger)
                break
        return found

    async def _drain(self, subscription: Subscription, found: list[Msg], most: int) -> None:
        while len(found) < most and subscription.pending_msgs:
            self._sort(await subscription.next_msg(timeout=1), found)

    async def _linger(
        self, subscription: Subscription, found: list[Msg], most: int, linger: float
    ) -> None:
        """Wait for company: a transaction costs the same with one message or with fifty."""
        ends, looked = time.monotonic() + linger, 0
        while len(found) < most and self._left > 0:
            left = ends - time.monotonic()
            if left <= 0 or any(URGENT_HEADER in (one.headers or {}) for one in found[looked:]):
                return
            looked = len(found)
            try:
                message = await subscription.next_msg(timeout=left)
            except TimeoutError:
                return
            self._sort(message, found)
            await self._drain(subscription, found, most)

    def _sort(self, message: Msg, found: list[Msg]) -> None:
        self._heard = time.monotonic()
        status = (message.headers or {}).get("Status")
        if status is None:
            self._left -= 1
            found.append(message)
        elif status == "100":
            pass  # a heartbeat
        elif (
            status == "409" and "Deleted" in (message.headers or {}).get("Description", "")
        ) or status == "503":
            raise ConsumerGoneError
        else:
            # The request has run out, or the server has another leader: ask again.
            self._left = 0
