"""Pictures and clips of alerts: shown from the object store, asked of the tables."""

from __future__ import annotations

import asyncio
from typing import Final

from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError
from nats.js.errors import NotFoundError

from table_controller.console.desk import NotThereError
from table_controller.venue import names
from table_controller.venue.errors import VenueError
from table_controller.venue.hall import queries
from table_controller.venue.hall.giving import give
from table_controller.venue.hub.hub import Hub
from table_controller.venue.messages import OrderKind

_KEPT: Final = 200
"""So many pictures are held here."""
_COMES_S: Final = 60.0
"""Pictures that were not there after so long do not come by themselves."""


class Evidence:
    """The evidence of all tables.

    Args:
        hub: of this process.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._pictures: dict[str, bytes] = {}
        self._asking = asyncio.Lock()

    async def picture(self, table: str, chain: str, name: str) -> bytes:
        """A picture or clip of the object store; asked of the table where it is not there yet.

        Raises:
            NotThereError: it is not there (yet).
        """
        label = f"{table}/{chain}/{name}"
        kept = self._pictures.get(label)
        if kept is not None:
            return kept
        try:
            store = await self._hub.client.jetstream(timeout=5).object_store(
                names.evidence_bucket(names.check_table(table))
            )
            found = await store.get(f"{chain}/{name}")
        except NotFoundError:
            await self._missing(table, chain, name.partition("/")[0])
            raise NotThereError("no such evidence here (yet)") from None
        except (StoreError, BusError, TimeoutError, VenueError):
            raise NotThereError("no such evidence here (yet)") from None
        content = found.data or b""
        if len(self._pictures) > _KEPT:
            self._pictures.pop(next(iter(self._pictures)))
        self._pictures[label] = content
        return content

    async def _missing(self, table: str, chain: str, key: str) -> None:
        """Ask the table for pictures that it named and that never came: once, by itself.

        Only for an alert that waits for a referee: who looks at old ones gives no orders.
        """
        # One after another: of two pictures of an alert the second finds that it was asked for.
        async with self._asking:
            found = await queries.unasked(self._hub.pool, table, chain, key, _COMES_S)
            if found is not None:
                await self.ask(found, key, "hall")

    async def ask(self, chain: int, key: str, by: str) -> list[str]:
        """Ask the table for the pictures of an alert."""
        rows = await queries.alerts(self._hub.pool, [(chain, key)])
        if not rows:
            raise NotThereError(f"there is no alert {key}")
        row = rows[0]
        body = {"alert": key, "chain": row["chain_name"]}
        async with self._hub.pool.acquire() as connection:
            return await give(connection, [row["table_name"]], OrderKind.EVIDENCE, body, by)
