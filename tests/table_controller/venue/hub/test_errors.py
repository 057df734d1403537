"""A hub outlives its database, in whatever words the database goes away."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import asyncpg
import pytest

from table_controller.venue.hub.hub import Hub
from tests.table_controller.venue.conftest import run


class Gone:
    """A pool whose database has gone away."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self.asked = 0

    def acquire(self, **_: Any) -> Any:
        self.asked += 1
        raise self._error


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        TimeoutError(),
        asyncpg.CannotConnectNowError("the database system is shutting down"),
        asyncpg.DiskFullError("could not extend file: No space left on device"),
        asyncpg.InterfaceError("connection is closed"),
        # Seen when the server ended between two steps of one request; it ended the hub.
        asyncpg.InternalClientError("cannot switch to state 11; another operation is in progress"),
    ],
)
def test_a_hub_asks_again_whatever_the_database_says(error: Exception) -> None:
    async def work() -> None:
        section = SimpleNamespace(venue="spring-open", database="", clock_limit_s=2.0)
        config: Any = SimpleNamespace(hub=section)
        hub = Hub(config)
        gone: Any = Gone(error)
        hub._pool = gone
        dividing = asyncio.ensure_future(hub._dividing())
        while gone.asked < 2 and not dividing.done():
            await asyncio.sleep(0.02)
        assert not dividing.done()
        assert not hub.health()["ok"]
        dividing.cancel()

    run(work())
