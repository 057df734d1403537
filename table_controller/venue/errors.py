"""What the venue refuses, each in one line."""

from __future__ import annotations

from typing import Any, Final

import asyncpg
from nats.errors import Error as BusError
from nats.js.errors import Error as StoreError


class VenueError(ValueError):
    """Bad input or a venue that cannot be reached; one line says what and where.

    Attributes:
        code: names it, so that a page can say it in its own language.
        facts: what it speaks of.
    """

    def __init__(self, message: str = "", *, code: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.facts = facts


class RefusedOrderError(Exception):
    """The table does not do this; one line says why.

    Attributes:
        code: names the reason, so that a page can say it in its own language.
        facts: what it speaks of.
    """

    def __init__(self, message: str, *, code: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.facts = facts


DATABASE_ERRORS: Final = (
    OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)  # fmt: skip
"""What a database that stops, or stopped, looks like from here. The last is what the library raises
where the server goes away between two steps of one request; it belongs to none of the others."""
AWAY_ERRORS: Final = (*DATABASE_ERRORS, BusError, StoreError)
"""The same of a database or a message bus."""
