"""The database's schema: numbered SQL files, applied once each, in order, under a lock.

Each file runs in one transaction together with the line that says it ran, so a schema is of one
version or of the next, never between. What was applied is kept with its checksum: a file that was
changed afterwards is refused.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import asyncpg

from table_controller.venue.errors import VenueError

_LOCK: Final = 7_261_000
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS schema_version (
    number   integer PRIMARY KEY,
    name     text NOT NULL,
    checksum text NOT NULL,
    applied  timestamptz NOT NULL DEFAULT now()
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """Of its text."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """All steps this program knows, in order."""
    folder = files("table_controller.venue.hub") / "migrations"
    found: list[Migration] = []
    for path in folder.iterdir():
        number, _, name = path.name.removesuffix(".sql").partition("_")
        if path.name.endswith(".sql"):
            found.append(Migration(int(number), name, path.read_text(encoding="utf-8")))
    return sorted(found, key=lambda step: step.number)


async def _applied(connection: asyncpg.Connection) -> dict[int, str]:
    there = await connection.fetchval("SELECT to_regclass('schema_version')")
    if there is None:
        return {}
    rows = await connection.fetch("SELECT number, checksum FROM schema_version")
    return {row["number"]: row["checksum"] for row in rows}


def _compare(applied: dict[int, str], known: list[Migration]) -> None:
    newest = max(applied, default=0)
    if newest > len(known):
        raise VenueError(
            f"database: schema {newest} is newer than this program's ({len(known)}): "
            "install the newer program; nothing was changed"
        )
    for step in known[:newest]:
        if applied.get(step.number) != step.checksum:
            raise VenueError(f"database: schema step {step.number} is not this program's")


async def check(connection: asyncpg.Connection) -> None:
    """Whether the database has the schema of this program.

    Raises:
        VenueError: it is older or newer; one line says what to do.
    """
    applied = await _applied(connection)
    known = migrations()
    _compare(applied, known)
    if len(applied) < len(known):
        raise VenueError(
            f"database: schema {len(applied)} is older than this program's ({len(known)}): "
            "make a backup, then run `paiguan venue migrate`; nothing was changed"
        )


async def migrate(connection: asyncpg.Connection, upto: int | None = None) -> int:
    """Bring the database to this program's schema; how many steps were applied.

    Args:
        connection: of a user who may create tables.
        upto: stop after this step.

    Raises:
        VenueError: the database is newer, or was changed by others.
    """
    done = 0
    await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
    try:
        known = migrations()
        applied = await _applied(connection)
        _compare(applied, known)
        for step in known[len(applied) : upto]:
            async with connection.transaction():
                await connection.execute(_TABLE)
                await connection.execute(step.sql)
                await connection.execute(
                    "INSERT INTO schema_version (number, name, checksum) VALUES ($1, $2, $3)",
                    step.number, step.name, step.checksum,
                )  # fmt: skip
            done += 1
    finally:
        await connection.execute("SELECT pg_advisory_unlock($1)", _LOCK)
    return done
