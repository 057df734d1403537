"""The table's side of the venue: hands the journal over, takes the hall's orders.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError

from table_controller.record.journal import Entry, EntryKind
from table_controller.venue import bus, names
from table_controller.venue.errors import VenueError
from table_controller.venue.messages import (
    Order,
    OrderKind,
    OrderState,
    Status,
    is_urgent,
    parse,
)
from table_controller.venue.nkeys import Credentials
from table_controller.venue.orders import STATION_KINDS, Orders, RefusedOrderError
from table_controller.venue.outbox import Outbox, unfinished
from table_controller.venue.publisher import NotTakenError, Publisher, Sent
from table_controller.venue.said import Said, said
from table_controller.venue.shelf import ModelShelf
from table_controller.venue.staging import Staging

logger = logging.getLogger(__name__)

STATUS_EVERY_S: Final = 2.0
CLOCK_EVERY_S: Final = 20.0
ORDERS_EVERY_S: Final = 10.0
AGAIN_S: Final = 1.0
REFUSED_AGAIN_S: Final = 15.0
_CLOCK_READINGS: Final = 5
LINGER_S: Final = 2.0
"""What is not urgent waits so long for company: a message costs the servers the same with one
entry or with fifty, and the hall's map shows a table every two seconds anyway."""


Kept = tuple[str, Path]
"""Name of a journal's chain, and the folder of its pictures."""


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


@dataclass(slots=True)
class OffsetReading:
    """How far this clock is ahead of the hall's, s, and how sure that is."""

    offset: float
    error: float


@dataclass(slots=True)
class StationFigures:
    """What the station has done so far."""

    connected: bool = False
    refused: str = ""
    messages: int = 0
    entries: int = 0
    evidence: int = 0
    forked: bool = False
    clock: list[OffsetReading] = field(default_factory=list)


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
        self._clock = clock
        self.figures = StationFigures()
        self._journal = journal
        self._orders = orders
        self._report = report
        self._shelf = shelf
        self._subjects = names.Subjects(link.venue)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell: asyncio.Event | None = None
        self._urgent: asyncio.Event | None = None
        self._client: Client | None = None
        self._outbox: Outbox | None = None
        self._publisher: Publisher | None = None
        self._uploads: asyncio.Queue[tuple[Kept, str, tuple[str, ...]]] | None = None
        self._staging: Staging | None = None
        self._instance = secrets.token_hex(4)
        self._stop: asyncio.Event | None = None
        self._older_at = 0.0
        self._whole: set[Path] = set()
        """Earlier journals that were handed over to their end."""

    # -- from the controller's thread -------------------------------------------------------

    def wrote(self, entries: Sequence[Entry]) -> None:
        """The journal was written to; see :meth:`Journal.tell`."""
        self.ring(urgent=any(is_urgent(entry.kind, entry.body) for entry in entries))

    def ring(self, urgent: bool = True) -> None:
        """The journal has grown."""
        loop, bell = self._loop, self._urgent if urgent else self._bell
        if loop is not None and bell is not None and not bell.is_set():
            # A loop that has ended: the table is closing.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(bell.set)

    def hall_time(self) -> float:
        """The hall's clock as well as this table knows it, s since 1970."""
        readings = self.figures.clock
        return self._clock() - (readings[-1].offset if readings else 0.0)

    def stop(self) -> None:
        """End :meth:`run`; from any thread."""
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._stop.set)

    # -- the loop ---------------------------------------------------------------------------

    async def run(self) -> None:
        """Until :meth:`stop`."""
        self._loop = asyncio.get_running_loop()
        self._bell, self._urgent, self._stop = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._uploads = asyncio.Queue()
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
        client, publisher = self._client, self._publisher
        if client is not None:
            if client.is_connected and publisher is not None:
                try:
                    async with asyncio.timeout(3):
                        while await publisher.hand_over() is Sent.MORE:
                            pass
                except (NotTakenError, BusError, TimeoutError, OSError, ValueError):
                    pass
            await _quietly(client.close())
        if self._outbox is not None:
            self._outbox.close()

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
                self.figures.refused = str(error) if "refused" in str(error) else ""
                logger.info("table %s: %s", self.link.table, error)
                wait = REFUSED_AGAIN_S if self.figures.refused else AGAIN_S
                await asyncio.sleep(wait * (0.5 + secrets.randbelow(1000) / 1000))
                continue
            self.figures.connected, self.figures.refused = True, ""
            try:
                await self._work(self._client)
            finally:
                self.figures.connected = False
                await _quietly(self._client.close())

    async def _work(self, client: Client) -> None:
        """Everything that needs the connection; returns when it is gone for good."""
        self._staging = Staging(client, self._shelf, self._orders)
        parts = (
            self._staging.run(),
            self._publishing(client),
            self._telling(client),
            self._asking_time(client),
            self._taking_orders(client),
            self._uploading(client),
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

    # -- the journal ------------------------------------------------------------------------

    def _open(self, client: Client) -> Publisher:
        """The publisher of the running session's journal."""
        path = self._journal()
        if self._outbox is None or self._outbox.path != path:
            if self._outbox is not None:
                self._outbox.close()
            self._outbox = Outbox(path)
            self._publisher = None
            # What the session before still holds is not left lying.
            self._older_at = 0.0
        if self._publisher is None or self._publisher.client is not client:
            self._publisher = Publisher(
                client, self._subjects, self.link.table, self._outbox, self._handed
            )
        return self._publisher

    def _handed(self, kind: str, body: str) -> None:
        """An entry was handed over: the pictures of an open alert follow it."""
        if kind == EntryKind.EVIDENCE and self._uploads is not None:
            held = json.loads(body)
            if "alert" in held:
                files = tuple(held.get("files", ()))
                self._uploads.put_nowait((self._kept(""), str(held["alert"]), files))

    async def _publishing(self, client: Client) -> None:
        assert self._bell is not None
        assert self._urgent is not None
        while True:
            self._bell.clear()
            self._urgent.clear()
            more = False
            try:
                publisher = self._open(client)
                more = await publisher.hand_over() is not Sent.ALL
                self.figures.messages = publisher.messages
                self.figures.entries = publisher.entries
                assert self._outbox is not None
                self.figures.forked = bool(self._outbox.position.branch)
                if not more:
                    await self._older(client)
            except NotTakenError as error:
                logger.info("table %s: not handed over yet: %s", self.link.table, error)
                await asyncio.sleep(AGAIN_S)
                continue
            if more:
                continue
            await self._wait_for_news()

    async def _wait_for_news(self) -> None:
        """Until something urgent is written, or something else and a moment has passed."""
        assert self._bell is not None
        assert self._urgent is not None
        urgent = asyncio.ensure_future(self._urgent.wait())
        bell = asyncio.ensure_future(self._bell.wait())
        try:
            done, _ = await asyncio.wait(
                {urgent, bell}, timeout=5.0, return_when=asyncio.FIRST_COMPLETED
            )
            if done and not urgent.done() and self.link.linger_s > 0:
                await asyncio.wait({urgent}, timeout=self.link.linger_s)
        finally:
            urgent.cancel()
            bell.cancel()

    async def _older(self, client: Client) -> None:
        """What earlier sessions still hold; looked for at the start and now and then."""
        if time.monotonic() < self._older_at:
            return
        self._older_at = time.monotonic() + 60.0
        current = self._journal()
        for path in unfinished(current.parent.parent, current, self._whole):
            with Outbox(path) as outbox:
                publisher = Publisher(client, self._subjects, self.link.table, outbox)
                while await publisher.hand_over() is not Sent.ALL:
                    pass
            logger.info("table %s: %s handed over", self.link.table, path)

    # -- what the table says of itself ------------------------------------------------------

    def status(self) -> Status:
        """As it is now."""
        outbox = self._outbox
        clock = self.figures.clock[-1] if self.figures.clock else None
        said = self._report()
        faults = [*said.pop("faults", ()), *(["forked"] if self.figures.forked else [])]
        return Status(
            sent=self._clock(),
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

    async def _asking_time(self, client: Client) -> None:
        subject = self._subjects.request(self.link.table, "time")
        while True:
            readings: list[OffsetReading] = []
            for _ in range(_CLOCK_READINGS):
                before = self._clock()
                try:
                    answer = await client.request(subject, b"", timeout=2)
                    hall = float(answer.data)
                except (BusError, TimeoutError, ValueError):
                    break
                after = self._clock()
                # The hall read its clock somewhere between: the middle, give or take the half.
                readings.append(OffsetReading((before + after) / 2 - hall, (after - before) / 2))
            if readings:
                best = min(readings, key=lambda reading: reading.error)
                self.figures.clock = [*self.figures.clock[-30:], best]
            await asyncio.sleep(CLOCK_EVERY_S if readings else 3.0)

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
            done = await self._do_own(client, order)
        except (
            RefusedOrderError, VenueError, NotTakenError, BusError, StoreError, TimeoutError,
            ValueError,
        ) as error:  # fmt: skip
            self._orders.settled(order, OrderState.REFUSED, Said.of(error))
        else:
            self._orders.settled(order, OrderState.DONE, done)

    async def _do_own(self, client: Client, order: Order) -> Said:
        body = order.body
        match order.kind:
            case OrderKind.RESEND:
                after = int(body.get("after", 0))
                await self._again(client, str(body.get("chain", "")), after)
                return said(f"again after entry {after}", "resent", n=after)
            case OrderKind.EVIDENCE:
                key = str(body.get("alert", ""))
                sent = await self._upload(client, self._kept(str(body.get("chain", ""))), key, ())
                if not sent:
                    raise RefusedOrderError(
                        f"{key}: no pictures are kept here any more", code="no_pictures", alert=key
                    )
                return said(f"{key}: {sent} files", "pictures", alert=key, n=sent)
            case _:
                raise RefusedOrderError(f"{order.kind.value}: not known here", code="unknown")

    async def _again(self, client: Client, chain: str, after: int) -> None:
        """Hand a journal over once more from an entry on: the running one, or an earlier one."""
        if self._outbox is not None and self._publisher is not None and chain == self._outbox.name:
            self._publisher.again(after)
            self.ring()
            return
        path = self._journal_of(chain)
        with Outbox(path) as outbox:
            # Should this be broken off, it is taken up again with what is unfinished.
            self._whole.discard(path)
            publisher = Publisher(client, self._subjects, self.link.table, outbox)
            publisher.again(after)
            while await publisher.hand_over() is not Sent.ALL:
                pass

    def _journal_of(self, chain: str) -> Path:
        """An earlier session's journal."""
        for path in self._journal().parent.parent.glob("*/journal.db"):
            with Outbox(path) as outbox:
                if outbox.name == chain:
                    return path
        raise RefusedOrderError(
            f"there is no journal of chain {chain} here", code="no_journal", chain=chain
        )

    # -- evidence ---------------------------------------------------------------------------

    async def _uploading(self, client: Client) -> None:
        assert self._uploads is not None
        while True:
            kept, key, files = await self._uploads.get()
            try:
                await self._upload(client, kept, key, files)
            except (BusError, StoreError, TimeoutError, OSError) as error:
                logger.warning("table %s: evidence %s: %s", self.link.table, key, error)
                self._uploads.put_nowait((kept, key, files))
                await asyncio.sleep(5)

    def _kept(self, chain: str) -> Kept:
        """Where the pictures of a chain lie; empty: of the session that is handed over."""
        outbox = self._outbox
        if outbox is not None and chain in ("", outbox.name):
            return outbox.name or "", outbox.path.parent / "evidence"
        # Every session numbers its alerts from one: the same name is another alert there.
        return chain, self._journal_of(chain).parent / "evidence"

    async def _upload(self, client: Client, kept: Kept, key: str, files: tuple[str, ...]) -> int:
        """Send an alert's pictures to the object store; how many files."""
        chain, root = kept[0], kept[1].resolve()
        if not files:
            files = tuple(
                f"{key}/{path.name}" for path in sorted((root / key).glob("*")) if path.is_file()
            )
        found = [root / name for name in files if (root / name).resolve().is_relative_to(root)]
        found = [path for path in found if path.is_file()]
        if not found:
            return 0
        # The hall makes the bucket: a table may not.
        await client.request(self._subjects.request(self.link.table, "bucket"), b"", timeout=15)
        store = await client.jetstream().object_store(names.evidence_bucket(self.link.table))
        for path in found:
            content = await asyncio.to_thread(path.read_bytes)
            await store.put(f"{chain}/{path.relative_to(root)}", content)
        self.figures.evidence += len(found)
        return len(found)


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
