"""Hands the journals of a table over: the running one as it grows, and what earlier ones hold."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from nats.aio.client import Client
from nats.errors import Error as BusError

from table_controller.record.journal import Entry
from table_controller.venue import names
from table_controller.venue.errors import RefusedOrderError
from table_controller.venue.handing.outbox import Outbox, unfinished
from table_controller.venue.handing.publisher import NotTakenError, Publisher, Sent
from table_controller.venue.messages import is_urgent

logger = logging.getLogger(__name__)

LINGER_S: Final = 2.0
"""What is not urgent waits so long for company: a message costs the servers the same with one
entry or with fifty, and the hall's map shows a table every two seconds anyway."""
_AGAIN_S: Final = 1.0

Kept = tuple[str, Path]
"""Name of a journal's chain, and the folder of its pictures."""


class HandingOver:
    """The journals of one table.

    Args:
        table: its name.
        subjects: of the venue.
        journal: path of the running session's journal; asked again after each bell.
        handed: told of every entry that was handed over: of which journal, its kind and body.
        linger_s: entries that are not urgent wait so long for company.

    Attributes:
        outbox: of the running session's journal, once it is open.
    """

    def __init__(
        self,
        table: str,
        subjects: names.Subjects,
        journal: Callable[[], Path],
        handed: Callable[[Kept, str, str], None],
        linger_s: float = LINGER_S,
    ) -> None:
        self._table = table
        self._subjects = subjects
        self._journal = journal
        self._handed = handed
        self._linger_s = linger_s
        self.outbox: Outbox | None = None
        self._publisher: Publisher | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell: asyncio.Event | None = None
        self._urgent: asyncio.Event | None = None
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

    # -- in the loop ------------------------------------------------------------------------

    def begin(self) -> None:
        """Bells ring in the running loop from now on."""
        self._loop = asyncio.get_running_loop()
        self._bell, self._urgent = asyncio.Event(), asyncio.Event()

    @property
    def forked(self) -> bool:
        """Whether the venue holds entries that the running journal has not."""
        return self.outbox is not None and bool(self.outbox.position.branch)

    def open(self, client: Client) -> Publisher:
        """The publisher of the running session's journal."""
        path = self._journal()
        if self.outbox is None or self.outbox.path != path:
            # Where the new one cannot be opened there is none, until it is tried again.
            old, self.outbox, self._publisher = self.outbox, None, None
            if old is not None:
                old.close()
            self.outbox = Outbox(path)
            # What the session before still holds is not left lying.
            self._older_at = 0.0
        if self._publisher is None or self._publisher.client is not client:
            self._publisher = self._new_publisher(client, self.outbox)
        return self._publisher

    def _new_publisher(self, client: Client, outbox: Outbox) -> Publisher:
        def handed(kind: str, body: str) -> None:
            self._handed(_kept(outbox), kind, body)

        return Publisher(client, self._subjects, self._table, outbox, handed)

    async def run(self, client: Client) -> None:
        """Hand over what is written, for ever."""
        assert self._bell is not None
        assert self._urgent is not None
        while True:
            self._bell.clear()
            self._urgent.clear()
            more = False
            try:
                publisher = self.open(client)
                more = await publisher.hand_over() is not Sent.ALL
                if not more:
                    await self._older(client)
            except NotTakenError as error:
                logger.info("table %s: not handed over yet: %s", self._table, error)
                await asyncio.sleep(_AGAIN_S)
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
            if done and not urgent.done() and self._linger_s > 0:
                await asyncio.wait({urgent}, timeout=self._linger_s)
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
                publisher = self._new_publisher(client, outbox)
                while await publisher.hand_over() is not Sent.ALL:
                    pass
            logger.info("table %s: %s handed over", self._table, path)

    async def last_words(self) -> None:
        """Hand over what is left, if that is quick."""
        if self._publisher is None:
            return
        with contextlib.suppress(NotTakenError, BusError, TimeoutError, OSError, ValueError):
            async with asyncio.timeout(3):
                while await self._publisher.hand_over() is Sent.MORE:
                    pass

    def close(self) -> None:
        """Nothing more is handed over."""
        if self.outbox is not None:
            self.outbox.close()

    # -- what is asked for ------------------------------------------------------------------

    async def again(self, client: Client, chain: str, after: int) -> None:
        """Hand a journal over once more from an entry on: the running one, or an earlier one."""
        if self.outbox is not None and self._publisher is not None and chain == self.outbox.name:
            self._publisher.again(after)
            self.ring()
            return
        path = self._journal_of(chain)
        with Outbox(path) as outbox:
            # Should this be broken off, it is taken up again with what is unfinished.
            self._whole.discard(path)
            publisher = self._new_publisher(client, outbox)
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

    def kept(self, chain: str) -> Kept:
        """Where the pictures of a chain lie; empty: of the session that is handed over."""
        outbox = self.outbox
        if outbox is not None and chain in ("", outbox.name):
            return _kept(outbox)
        # Every session numbers its alerts from one: the same name is another alert there.
        return chain, self._journal_of(chain).parent / "evidence"


def _kept(outbox: Outbox) -> Kept:
    return outbox.name or "", outbox.path.parent / "evidence"
