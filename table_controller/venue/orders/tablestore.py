"""What a table keeps of the hall's orders beside its journals: which it has seen, and its plan.

The journal says what became of every order; this says the same across journals, so that an order
delivered again after a new session began is still known. It is small and lies in memory as well;
what a full disk does not take is written as soon as there is room, as in the journal.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from pathlib import Path
from typing import Any, Final

from table_controller.venue.errors import VenueError

logger = logging.getLogger(__name__)

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS seen (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""
_KEEP: Final = (
    "INSERT INTO seen VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state"
)
_SET: Final = (
    "INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)


class TableStore:
    """One small SQLite file in the table's record folder.

    Raises:
        VenueError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._due: list[tuple[str, tuple[str, ...]]] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.executescript(_SCHEMA)
            rows = self._db.execute("SELECT id, state, body FROM seen ORDER BY rowid").fetchall()
            facts = self._db.execute("SELECT name, value FROM fact").fetchall()
        except (sqlite3.Error, OSError) as error:
            raise VenueError(f"{path}: {error}") from None
        self._seen: dict[str, tuple[str, str]] = {name: (state, body) for name, state, body in rows}
        self._facts: dict[str, str] = dict(facts)

    def seen(self, order: str) -> str | None:
        """The state of an order that came before."""
        with self._lock:
            held = self._seen.get(order)
        return held[0] if held else None

    def keep(self, order: str, state: str, body: str) -> None:
        """Remember an order with its state."""
        with self._lock:
            # As it came first: orders that wait do so in that order, and unchanged.
            _, body = self._seen.get(order, (state, body))
            self._seen[order] = (state, body)
            self._write(_KEEP, (order, state, body))

    def waiting(self) -> list[str]:
        """Orders that were taken and not carried out yet, as they came, oldest first."""
        with self._lock:
            return [body for state, body in self._seen.values() if state == "waiting"]

    def fact(self, name: str) -> Any:
        """A value that was kept, or None."""
        with self._lock:
            held = self._facts.get(name)
        return json.loads(held) if held is not None else None

    def set_fact(self, name: str, value: Any) -> None:
        """Keep a value."""
        with self._lock:
            self._facts[name] = json.dumps(value, ensure_ascii=False)
            self._write(_SET, (name, self._facts[name]))

    def _write(self, sql: str, values: tuple[str, ...]) -> None:
        """Write what is due and this, in order; what cannot be written now stays due."""
        self._due.append((sql, values))
        try:
            while self._due:
                self._db.execute(*self._due[0])
                del self._due[0]
        except sqlite3.Error as error:
            logger.error("%s: not written, kept in memory: %s", self._path, error)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
