"""The table's side of the venue: connected while it can be, telling of itself, taking orders.

Everything here runs in an event loop of its own, in a thread of its own; the controller only
rings a bell when it has written to the journal. A venue that cannot be reached costs the table
nothing but the journal's room on its disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError

from table_controller.record.journal import Entry
from table_controller.venue import names
from table_controller.venue.access import bus
from table_controller.venue.access.nkeys import Credentials
from table_controller.venue.errors import RefusedOrderError, VenueError
from table_controller.venue.handing.handing_over import LINGER_S, HandingOver
from table_controller.venue.handing.publisher import NotTakenError
from table_controller.venue.handing.uploading import Uploading
from table_controller.venue.messages import (
    Order,
    OrderKind,
    OrderState,
    Status,
    parse,
)
from table_controller.venue.models.shelf import ModelShelf
from table_controller.venue.models.staging import Staging
from table_controller.venue.orders.taking import STATION_KINDS, Orders
from table_controller.venue.said import Said, said
from table_controller.venue.table.hall_clock import HallClock

logger = logging.getLogger(__name__)

STATUS_EVERY_S: Final = 2.0
ORDERS_EVERY_S: Final = 10.0
AGAIN_S: Final = 1.0
REFUSED_AGAIN_S: Final = 15.0


@dataclass(frozen=True, slots=True)
class VenueLink:
    """Where the venue is, and who this table is there.

    Attributes:
        linger_s: entries that are not urgent wait so long for company.
    """

    venue: str
    table: str
    servers: tuple[str, ...]
    credentials: Credentials
    authority: Path
    linger_s: float = LINGER_S


class Station:
    """One table's station.

    Args:
        link: to the venue.
        journal: path of the running session's journal; asked again after each bell.
        orders: the table's orders.
        report: what the table says of itself, quick and from any thread.
        shelf: of models.
        clock: this machine's, s since 1970.
    """

    def __init__(
        self,
        link: VenueLink,
        journal: Callable[[], Path],
        orders: Orders,
        report: Callable[[], dict[str, Any]],
        shelf: ModelShelf | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.link = link
        self._orders = orders
        self._report = report
        self._shelf = shelf
        self._subjects = names.Subjects(link.venue)
        self._clock = HallClock(clock)
        self._uploading = Uploading(link.table, self._subjects)
        self.journals = HandingOver(
            link.table, self._subjects, journal, self._uploading.handed, link.linger_s
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: Client | None = None
        self._staging: Staging | None = None
        self._instance = secrets.token_hex(4)
        self._stop: asyncio.Event | None = None

    # -- from the controller's thread -------------------------------------------------------

    def wrote(self, entries: Sequence[Entry]) -> None:
        """The journal was written to; see :meth:`Journal.tell`."""
        self.journals.wrote(entries)

    def hall_time(self) -> float:
        """The hall's clock as well as this table knows it, s since 1970."""
        return self._clock.now()

    def stop(self) -> None:
        """End :meth:`run`; from any thread."""
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop.set)

    # -- the loop ---------------------------------------------------------------------------

    async def run(self) -> None:
        """Until :meth:`stop`."""
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self.journals.begin()
        self._uploading.begin()
        tasks = [
            asyncio.ensure_future(self._connected_for_ever()),
            asyncio.ensure_future(self._stop.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                if task.done() and not task.cancelled():
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._last_words()

    async def _last_words(self) -> None:
        """Hand over what is left, if that is quick, and close."""
        client = self._client
        if client is not None:
            if client.is_connected:
                await self.journals.last_words()
            await _quietly(client.close())
        self.journals.close()

    async def _connected_for_ever(self) -> None:
        while True:
            try:
                self._client = await bus.connect(
                    self.link.servers,
                    self.link.credentials,
                    self.link.authority,
                    self.link.table,
                    patient=False,
                )
            except VenueError as error:
                logger.info("table %s: %s", self.link.table, error)
                wait = REFUSED_AGAIN_S if "refused" in str(error) else AGAIN_S
                await asyncio.sleep(wait * (0.5 + secrets.randbelow(1000) / 1000))
                continue
            try:
                await self._work(self._client)
            finally:
                await _quietly(self._client.close())

    async def _work(self, client: Client) -> None:
        """Everything that needs the connection; returns when it is gone for good."""
        self._staging = Staging(client, self._shelf, self._orders)
        parts = (
            self._staging.run(),
            self.journals.run(client),
            self._telling(client),
            self._clock.ask(client, self._subjects.request(self.link.table, "time")),
            self._taking_orders(client),
            self._uploading.run(client),
        )
        tasks = [asyncio.ensure_future(part) for part in parts]
        try:
            while client.is_connected or client.is_reconnecting:
                done, _ = await asyncio.wait(tasks, timeout=0.5)
                for task in done:
                    error = task.exception()
                    if error is not None:
                        raise error
                    tasks.remove(task)
        except (BusError, StoreError, OSError) as error:
            logger.info("table %s: %s: connecting again", self.link.table, error)
        except Exception:
            # A fault here must not end the station: the journal holds what is still to be sent.
            logger.exception("table %s: the station begins again", self.link.table)
            await asyncio.sleep(AGAIN_S)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # -- what the table says of itself ------------------------------------------------------

    def status(self) -> Status:
        """As it is now."""
        outbox = self.journals.outbox
        clock = self._clock.newest
        said = self._report()
        faults = list(said.pop("faults", ()))
        if self.journals.forked:
            faults.append("forked")
        if self._uploading.no_room:
            faults.append("no_room")
        return Status(
            sent=self._clock.own(),
            instance=self._instance,
            chain=(outbox.name or "") if outbox is not None else "",
            acked=outbox.position.acked if outbox is not None else 0,
            head=outbox.head() if outbox is not None else 0,
            offset=clock.offset if clock else None,
            offset_error=clock.error if clock else None,
            **self._models(),
            waiting=tuple(order.kind.value for order in self._orders.waiting),
            faults=tuple(faults),
            **said,
        )

    def _models(self) -> dict[str, Any]:
        shelf = self._shelf
        if shelf is None:
            return {}
        return {"models": shelf.version, "models_before": shelf.before, "staged": shelf.staged}

    async def _telling(self, client: Client) -> None:
        subject = self._subjects.status(self.link.table)
        # Tables that start together do not speak together.
        await asyncio.sleep(secrets.randbelow(1000) / 1000 * STATUS_EVERY_S)
        while True:
            if client.is_connected:
                await client.publish(subject, self.status().model_dump_json().encode())
            await asyncio.sleep(STATUS_EVERY_S)

    # -- orders -----------------------------------------------------------------------------

    async def _taking_orders(self, client: Client) -> None:
        """Orders as they are sent, and (now and then) those that were missed."""
        new: asyncio.Queue[bytes] = asyncio.Queue()

        async def came(message: Msg) -> None:
            new.put_nowait(message.data)

        await client.subscribe(self._subjects.orders(self.link.table), cb=came)
        subject = self._subjects.request(self.link.table, "orders")
        asked = -ORDERS_EVERY_S
        while True:
            if time.monotonic() - asked > ORDERS_EVERY_S:
                asked = time.monotonic()
                with contextlib.suppress(BusError, TimeoutError, ValueError):
                    missed = json.loads((await client.request(subject, b"", timeout=3)).data)
                    for order in missed:
                        await self._order(client, json.dumps(order).encode(), asked_for=True)
            try:
                async with asyncio.timeout(1):
                    data = await new.get()
            except TimeoutError:
                continue
            await self._order(client, data)

    async def _order(self, client: Client, data: bytes, asked_for: bool = False) -> None:
        try:
            order = parse(Order, data)
        except VenueError as error:
            logger.error("table %s: an order that cannot be read: %s", self.link.table, error)
            return
        if order.table != self.link.table:
            logger.error("table %s: an order for table %s", self.link.table, order.table)
        elif asked_for and self._orders.known(order.id):
            pass  # its answer is on the way to the hall
        elif order.kind is OrderKind.MODEL_STAGE:
            assert self._staging is not None
            self._staging.want(order)
        elif order.kind in STATION_KINDS:
            if not self._orders.known(order.id):
                await self._own(client, order)
        else:
            self._orders.submit(order, asked_for=asked_for)

    async def _own(self, client: Client, order: Order) -> None:
        """Orders that touch neither the game nor the console."""
        try:
            done = await self.do_own(client, order)
        except (
            RefusedOrderError, VenueError, NotTakenError, BusError, StoreError, TimeoutError,
            ValueError,
        ) as error:  # fmt: skip
            self._orders.settled(order, OrderState.REFUSED, Said.of(error))
        else:
            self._orders.settled(order, OrderState.DONE, done)

    async def do_own(self, client: Client, order: Order) -> Said:
        """Carry out an order that the station carries out itself; what is said of it."""
        body = order.body
        match order.kind:
            case OrderKind.RESEND:
                after = int(body.get("after", 0))
                await self.journals.again(client, str(body.get("chain", "")), after)
                return said(f"again after entry {after}", "resent", n=after)
            case OrderKind.EVIDENCE:
                key = str(body.get("alert", ""))
                kept = self.journals.kept(str(body.get("chain", "")))
                sent = await self._uploading.upload(client, kept, key)
                if not sent:
                    raise RefusedOrderError(
                        f"{key}: no pictures are kept here any more", code="no_pictures", alert=key
                    )
                return said(f"{key}: {sent} files", "pictures", alert=key, n=sent)
            case _:
                raise RefusedOrderError(f"{order.kind.value}: not known here", code="unknown")


async def _quietly(closing: Any) -> None:
    try:
        async with asyncio.timeout(5):
            await closing
    except (BusError, OSError, TimeoutError, asyncio.CancelledError):
        pass


class StationThread:
    """A station in a thread of its own."""

    def __init__(self, station: Station) -> None:
        self.station = station
        self._thread = threading.Thread(target=self._run, name="venue", daemon=True)

    def _run(self) -> None:
        try:
            asyncio.run(self.station.run())
        except Exception:
            logger.exception("the station ended: the table plays on by itself")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End; what is not handed over yet is handed over next time."""
        self.station.stop()
        self._thread.join(8)
