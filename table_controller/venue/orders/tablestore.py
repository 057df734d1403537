"""What a table keeps of the hall's orders beside its journals: which it has seen, and its plan.

The journal says what became of every order; this says the same across journals, so that an order
delivered again after a new session began is still known.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any, Final

from table_controller.venue.errors import VenueError

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS seen (
    id TEXT PRIMARY KEY, state TEXT NOT NULL, body TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
"""


class TableStore:
    """One small SQLite file in the table's record folder.

    Raises:
        VenueError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise VenueError(f"{path}: {error}") from None

    def seen(self, order: str) -> str | None:
        """The state of an order that came before."""
        with self._lock:
            row = self._db.execute("SELECT state FROM seen WHERE id = ?", (order,)).fetchone()
        return row[0] if row else None

    def keep(self, order: str, state: str, body: str) -> None:
        """Remember an order with its state."""
        with self._lock:
            self._db.execute(
                "INSERT INTO seen VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                "state = excluded.state",
                (order, state, body),
            )

    def waiting(self) -> list[str]:
        """Orders that were taken and not carried out yet, as they came, oldest first."""
        with self._lock:
            rows = self._db.execute(
                "SELECT body FROM seen WHERE state = 'waiting' ORDER BY rowid"
            ).fetchall()
        return [row[0] for row in rows]

    def fact(self, name: str) -> Any:
        """A value that was kept, or None."""
        with self._lock:
            row = self._db.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def set_fact(self, name: str, value: Any) -> None:
        """Keep a value."""
        with self._lock:
            self._db.execute(
                "INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET "
                "value = excluded.value",
                (name, json.dumps(value, ensure_ascii=False)),
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()
