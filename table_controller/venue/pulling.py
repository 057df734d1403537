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

    async def messages(self, timeout: float, most: int = 256) -> list[Msg]:
        """What has arrived: at least one message, or none when the time is over.

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
            while len(found) < most and subscription.pending_msgs:
                self._sort(await subscription.next_msg(timeout=1), found)
            if found:
                break
        return found

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
