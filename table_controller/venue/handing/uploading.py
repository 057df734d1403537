"""Pictures of alerts go to the hall's object store, after the entries that name them."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable

from nats.aio.client import Client
from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError

from table_controller.record.journal import EntryKind
from table_controller.venue import names
from table_controller.venue.handing.handing_over import Kept

logger = logging.getLogger(__name__)


class Uploading:
    """The pictures of one table.

    Args:
        table: its name.
        subjects: of the venue.
        kept: where the pictures of a chain lie; of an empty name: of the running one.
    """

    def __init__(self, table: str, subjects: names.Subjects, kept: Callable[[str], Kept]) -> None:
        self._table = table
        self._subjects = subjects
        self._kept = kept
        self._queue: asyncio.Queue[tuple[Kept, str, tuple[str, ...]]] | None = None

    def begin(self) -> None:
        """Pictures wait in the running loop from now on."""
        self._queue = asyncio.Queue()

    def handed(self, kind: str, body: str) -> None:
        """An entry was handed over: the pictures of an open alert follow it."""
        if kind == EntryKind.EVIDENCE and self._queue is not None:
            held = json.loads(body)
            if "alert" in held:
                files = tuple(held.get("files", ()))
                self._queue.put_nowait((self._kept(""), str(held["alert"]), files))

    async def run(self, client: Client) -> None:
        """Send what is waiting, for ever."""
        assert self._queue is not None
        while True:
            kept, key, files = await self._queue.get()
            try:
                await self.upload(client, kept, key, files)
            except (BusError, StoreError, TimeoutError, OSError) as error:
                logger.warning("table %s: evidence %s: %s", self._table, key, error)
                self._queue.put_nowait((kept, key, files))
                await asyncio.sleep(5)

    async def upload(
        self, client: Client, kept: Kept, key: str, files: tuple[str, ...] = ()
    ) -> int:
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
        await client.request(self._subjects.request(self._table, "bucket"), b"", timeout=15)
        store = await client.jetstream().object_store(names.evidence_bucket(self._table))
        for path in found:
            content = await asyncio.to_thread(path.read_bytes)
            await store.put(f"{chain}/{path.relative_to(root)}", content)
        return len(found)
