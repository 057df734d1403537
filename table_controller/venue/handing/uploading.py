"""Pictures of alerts go to the hall's object store, after the entries that name them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from nats.aio.client import Client
from nats.errors import Error as BusError
from nats.js.errors import APIError
from nats.js.errors import Error as StoreError

from table_controller.record.journal import EntryKind
from table_controller.venue import names
from table_controller.venue.errors import RefusedOrderError
from table_controller.venue.handing.handing_over import Kept
from table_controller.venue.messages import NO_ROOM

logger = logging.getLogger(__name__)

_AGAIN_S: Final = 5.0
_ROOM_AGAIN_S: Final = 60.0
"""Room is made by people: they are not overtaken."""
_FULL: Final = (10047, 10077)
"""What a bucket that is full answers, or a server whose disk is."""


class Uploading:
    """The pictures of one table.

    Args:
        table: its name.
        subjects: of the venue.

    Attributes:
        no_room: the hall had none for the last ones.
    """

    def __init__(self, table: str, subjects: names.Subjects) -> None:
        self._table = table
        self._subjects = subjects
        self._queue: asyncio.Queue[tuple[Kept, str, tuple[str, ...]]] | None = None
        self.no_room = False

    def begin(self) -> None:
        """Pictures wait in the running loop from now on."""
        self._queue = asyncio.Queue()

    def handed(self, kept: Kept, kind: str, body: str) -> None:
        """An entry was handed over: the pictures of an open alert follow it.

        Args:
            kept: where the pictures of its journal lie.
            kind: of the entry.
            body: of the entry.
        """
        if kind == EntryKind.EVIDENCE and self._queue is not None:
            held = json.loads(body)
            if "alert" in held:
                files = tuple(held.get("files", ()))
                self._queue.put_nowait((kept, str(held["alert"]), files))

    async def run(self, client: Client) -> None:
        """Send what is waiting, for ever."""
        assert self._queue is not None
        while True:
            item = await self._queue.get()
            try:
                await self.upload(client, *item)
            except RefusedOrderError as error:
                pause, said = _ROOM_AGAIN_S, str(error)
            except (BusError, StoreError, TimeoutError, OSError) as error:
                pause, said = _AGAIN_S, str(error) or type(error).__name__
            except asyncio.CancelledError:
                # The connection went, and this task with it: the next one takes it up.
                self._queue.put_nowait(item)
                raise
            else:
                continue
            self._queue.put_nowait(item)
            logger.warning("table %s: evidence %s: %s", self._table, item[1], said)
            await asyncio.sleep(pause)

    async def upload(
        self, client: Client, kept: Kept, key: str, files: tuple[str, ...] = ()
    ) -> int:
        """Send an alert's pictures to the object store; how many files.

        Raises:
            RefusedOrderError: there is no room for them.
            BusError, StoreError, TimeoutError, OSError: they did not arrive.
        """
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
        subject = self._subjects.request(self._table, "bucket")
        self.no_room = (await client.request(subject, b"", timeout=15)).data == NO_ROOM
        try:
            if not self.no_room:
                await self._put(client, chain, root, found)
        except APIError as error:
            self.no_room = error.err_code in _FULL
            if not self.no_room:
                raise
        if self.no_room:
            raise RefusedOrderError("the servers have no room for pictures", code="no_room")
        return len(found)

    async def _put(self, client: Client, chain: str, root: Path, found: Sequence[Path]) -> None:
        store = await client.jetstream().object_store(names.evidence_bucket(self._table))
        for path in found:
            content = await asyncio.to_thread(path.read_bytes)
            await store.put(f"{chain}/{path.relative_to(root)}", content)
