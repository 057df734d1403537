"""What the venue refuses, each in one line."""

from __future__ import annotations

from typing import Final

import asyncpg


class VenueError(ValueError):
    """Bad input or a venue that cannot be reached; one line says what and where."""


DATABASE_ERRORS: Final = (
    OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)  # fmt: skip
"""What a database that stops, or stopped, looks like from here. The last is what the library raises
where the server goes away between two steps of one request; it belongs to none of the others."""
