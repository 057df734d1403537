"""A pool for code that wants one, of the one connection that a test has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg


class OnePool:
    """A pool of one connection, which is nobody's while nobody has it."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    @asynccontextmanager
    async def acquire(self, timeout: float | None = None) -> AsyncIterator[asyncpg.Connection]:
        yield self._connection
