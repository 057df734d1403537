"""The table's outbox: how far each journal has been handed to the venue.

The journal is append-only and numbered, so it *is* the queue; what is added to its own SQLite
file is one row with the position. An entry and its place in the queue are therefore written in
one transaction, and nothing is written twice. The position is written after the venue has
acknowledged; where that write is lost, the venue is asked for its newest entry and knows better.

A second connection is used, which neither waits for the disk nor checkpoints: the journal's own
appends are never held up by it for longer than a write to memory takes.
"""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from table_controller.record.journal import GENESIS
from table_controller.venue.errors import VenueError
from table_controller.venue.messages import Line

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS outbox (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    branch TEXT NOT NULL,
    acked  INTEGER NOT NULL,
    stream INTEGER NOT NULL
) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a journal has been handed over.

    Attributes:
        branch: empty, or the name of this branch of a chain that forked.
        acked: number of the newest entry that the venue has acknowledged.
        stream: the venue's own number of the message that brought it; 0 where there is none.
    """

    branch: str = ""
    acked: int = 0
    stream: int = 0


class Outbox:
    """The outbox of one journal; used by one thread.

    Args:
        path: of the journal's file.

    Raises:
        VenueError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA synchronous = OFF")
            self._db.execute("PRAGMA wal_autocheckpoint = 0")
            self._db.execute(_SCHEMA)
            row = self._db.execute("SELECT branch, acked, stream FROM outbox").fetchone()
        except sqlite3.Error as error:
            raise VenueError(f"{path}: outbox: {error}") from None
        self.position = Position(*row) if row else Position()
        self._chain: str | None = None

    @property
    def chain(self) -> str | None:
        """The chain's name, after its first entry; None while there is no entry."""
        if self._chain is None:
            row = self._db.execute("SELECT hash FROM entry WHERE seq = 1").fetchone()
            self._chain = row[0].hex()[:16] if row else None
        return self._chain

    @property
    def name(self) -> str | None:
        """The chain's name with that of the branch."""
        chain = self.chain
        if chain is None or not self.position.branch:
            return chain
        return f"{chain}_{self.position.branch}"

    def head(self) -> int:
        """Number of the newest entry."""
        row = self._db.execute("SELECT max(seq) FROM entry").fetchone()
        return row[0] or 0

    def hash_at(self, seq: int) -> bytes | None:
        """The chain's value after an entry; None where the journal does not reach so far."""
        if seq == 0:
            return GENESIS
        row = self._db.execute("SELECT hash FROM entry WHERE seq = ?", (seq,)).fetchone()
        return row[0] if row else None

    def pending(self, limit: int = 500) -> tuple[Line, ...]:
        """The oldest entries that are not handed over yet, in order."""
        rows = self._db.execute(
            "SELECT seq, t, kind, body, hash FROM entry WHERE seq > ? ORDER BY seq LIMIT ?",
            (self.position.acked, limit),
        )
        return tuple(Line(*row) for row in rows)

    def waits(self, seq: int) -> bool:
        """Whether that entry is still to be handed over."""
        return seq > self.position.acked

    def acknowledged(self, seq: int, stream: int) -> None:
        """The venue has everything up to this entry."""
        self._keep(replace(self.position, acked=seq, stream=stream))

    def again(self, after: int) -> None:
        """Hand over once more what comes after an entry: the hall has a gap."""
        self._keep(replace(self.position, acked=min(after, self.position.acked)))

    def fork(self) -> str:
        """The venue holds entries this journal has not: from now on it is a branch; its name."""
        branch = secrets.token_hex(4)
        self._keep(Position(branch, 0, 0))
        return branch

    def _keep(self, position: Position) -> None:
        self.position = position
        self._db.execute(
            "INSERT INTO outbox VALUES (1, ?, ?, ?) ON CONFLICT (one) DO UPDATE SET "
            "branch = excluded.branch, acked = excluded.acked, stream = excluded.stream",
            (position.branch, position.acked, position.stream),
        )

    def close(self) -> None:
        """Close the file.

        The last connection moves what was appended into its place; that waits for the disk, or a
        power cut might leave less than the log, which is gone then, had held.
        """
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def unfinished(folder: Path, current: Path, whole: set[Path]) -> list[Path]:
    """Earlier journals beside the current one that still hold entries the venue has not.

    Args:
        folder: that holds one folder a session.
        current: the journal of the running session.
        whole: known to be handed over to their end, not looked at again; what is found to be so is
            added.
    """
    found: list[Path] = []
    for path in sorted(folder.glob("*/journal.db")):
        if path.resolve() == current.resolve() or path in whole:
            continue
        try:
            with Outbox(path) as outbox:
                if outbox.waits(outbox.head()):
                    found.append(path)
                else:
                    whole.add(path)
        except (VenueError, sqlite3.Error):
            continue
    return found
