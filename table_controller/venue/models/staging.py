"""Brings releases of models from the hall's object store to the table's shelf.

It has a queue of its own, so that a long fetch keeps no other order waiting. What the connection
breaks off is begun again when the hall sends the order again, which it does until it is answered.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
from typing import Any, Final

from nats.aio.client import Client
from nats.errors import Error as BusError

from table_controller.venue import names
from table_controller.venue.errors import RefusedOrderError, VenueError
from table_controller.venue.messages import Order, OrderState
from table_controller.venue.models.release import Release
from table_controller.venue.models.shelf import ModelShelf
from table_controller.venue.orders.carrying_out import TAKES_NONE
from table_controller.venue.orders.taking import Orders
from table_controller.venue.said import Said, said

logger = logging.getLogger(__name__)

_CHUNK_S: Final = 10.0


async def fetch_object(client: Client, bucket: str, name: str) -> bytes:
    """An object of an object store, read by direct requests alone.

    A consumer would have to be created for the library's own ``get``; a table may not create any,
    since a consumer can be told to deliver into another table's subjects.

    Raises:
        VenueError: it is not there, or damaged.
        nats errors, TimeoutError: the connection or the servers failed.
    """
    api = f"$JS.API.DIRECT.GET.OBJ_{bucket}"
    label = base64.urlsafe_b64encode(name.encode()).decode()
    head = await client.request(f"{api}.$O.{bucket}.M.{label}", b"", timeout=_CHUNK_S)
    if (head.headers or {}).get("Status") is not None:
        raise VenueError(f"{bucket}/{name}: not there")
    info: dict[str, Any] = json.loads(head.data)
    if info.get("deleted"):
        raise VenueError(f"{bucket}/{name}: not there")
    chunks: list[bytes] = []
    seq = 1
    for _ in range(int(info["chunks"])):
        wanted = {"seq": seq, "next_by_subj": f"$O.{bucket}.C.{info['nuid']}"}
        answer = await client.request(api, json.dumps(wanted).encode(), timeout=_CHUNK_S)
        headers = answer.headers or {}
        if headers.get("Status") is not None:
            raise VenueError(f"{bucket}/{name}: a part of it is missing")
        chunks.append(answer.data)
        seq = int(headers["Nats-Sequence"]) + 1
    content = b"".join(chunks)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()
    if info.get("digest") != f"SHA-256={digest}":
        raise VenueError(f"{bucket}/{name}: damaged on its way")
    return content


class Staging:
    """Lays out what the hall offers, one release after another, over one connection.

    Args:
        client: the connection.
        shelf: of the table; None: it takes no updates.
        orders: get the answers.
    """

    def __init__(self, client: Client, shelf: ModelShelf | None, orders: Orders) -> None:
        self._client = client
        self._shelf = shelf
        self._orders = orders
        self._due: asyncio.Queue[Order] = asyncio.Queue()
        self._under_way: set[str] = set()

    def want(self, order: Order) -> None:
        """An order to fetch a release has come."""
        if order.id not in self._under_way and not self._orders.known(order.id):
            self._under_way.add(order.id)
            self._due.put_nowait(order)

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            order = await self._due.get()
            try:
                done = await self._stage(order)
            except (RefusedOrderError, VenueError) as error:
                self._orders.settled(order, OrderState.REFUSED, Said.of(error))
            except (BusError, TimeoutError, OSError) as error:
                # Not answered: the hall sends the order again.
                logger.info("order %s: models: %s: later", order.id, error or type(error).__name__)
            else:
                self._orders.settled(order, OrderState.DONE, done)
            finally:
                self._under_way.discard(order.id)

    async def _stage(self, order: Order) -> Said:
        if self._shelf is None:
            raise RefusedOrderError(TAKES_NONE, code="takes_no_models")
        release = Release.parse(order.body)

        async def fetch(name: str) -> bytes:
            return await fetch_object(self._client, names.MODEL_BUCKET, name)

        await self._shelf.stage(release, fetch)
        return said(f"{release.version} is fetched", "fetched", version=release.version)


__all__ = ["Staging", "fetch_object"]
