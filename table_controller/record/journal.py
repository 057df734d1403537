"""The journal: the truth of a session, append-only and hash-chained, in one SQLite file.

Every happening, decision and correction is appended here and flushed to the disk before it
is acted upon (architecture, principle 6). The state of the game is a fold over the entries;
nothing else needs to survive a crash.

Each entry carries ``hash = SHA-256(previous hash || canonical JSON of the entry)``. Changing,
removing or inserting an entry breaks the chain at that place; :meth:`Journal.verify` names it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

SCHEMA_VERSION: Final = 1

_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE entry (
    seq   INTEGER PRIMARY KEY,
    t     REAL NOT NULL,
    kind  TEXT NOT NULL,
    body  TEXT NOT NULL,
    hash  BLOB NOT NULL
) STRICT;
CREATE INDEX entry_kind ON entry (kind, seq);
"""

GENESIS: Final = bytes(32)
"""What stands for the hash before the first entry."""


class JournalError(Exception):
    """The journal cannot be opened or written; one line says what and where."""


class EntryKind(StrEnum):
    """What an entry holds."""

    SESSION = "session"
    """Start of a session: ruleset, first East, versions. One a journal."""
    READING = "reading"
    """An event of the machine, as it came; the board forgets it once it stands here."""
    HAPPENING = "happening"
    DECISION = "decision"
    """A referee's decision on an alert, a hand confirmed, an offence entered."""
    CORRECTION = "correction"
    """A referee's correction of an earlier happening."""
    ALERT = "alert"
    """An alert as it was raised."""
    EVIDENCE = "evidence"
    """The files that were written for an alert."""
    HAND = "hand"
    """A finished hand as it was settled."""
    NOTE = "note"
    """Start, stop, camera and link changes: what a technician wants to know later."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry; ``body`` is the decoded JSON object, ``hash`` the chain's value after it."""

    seq: int
    t: float
    kind: EntryKind
    body: dict[str, Any]
    hash: bytes


@dataclass(frozen=True, slots=True)
class Tampering:
    """Where the chain breaks, and how."""

    seq: int
    reason: str


def canonical(seq: int, t: float, kind: str, body: str) -> bytes:
    """The bytes that are hashed for an entry."""
    return json.dumps([seq, t, kind, body], ensure_ascii=False, separators=(",", ":")).encode()


def chain(previous: bytes, seq: int, t: float, kind: str, body: str) -> bytes:
    """The chain's value after an entry."""
    return hashlib.sha256(previous + canonical(seq, t, kind, body)).digest()


class Journal:
    """One session's journal. Safe to use from several threads; one writer at a time."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._db = connection
        self._path = path
        self._lock = threading.Lock()
        row = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        self._seq: int = row[0] if row else 0
        self._hash: bytes = row[1] if row else GENESIS

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Self:
        """Open a journal, made if it is not there yet (unless ``read_only``).

        Raises:
            JournalError: the file is no journal, of another version, damaged or not writable.
        """
        if read_only and not path.is_file():
            raise JournalError(f"{path}: no such journal")
        try:
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            uri = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
            db = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)
            if not read_only:
                db.execute("PRAGMA journal_mode = WAL")
                # FULL: a transaction is on the disk when commit returns, also across power loss.
                db.execute("PRAGMA synchronous = FULL")
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
            if not tables and not read_only:
                db.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
                db.execute("INSERT INTO meta VALUES ('schema', ?)", (str(SCHEMA_VERSION),))
            elif not {"meta", "entry"} <= tables:
                raise JournalError(f"{path}: not a journal of this program")
            row = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
            if row is None or row[0] != str(SCHEMA_VERSION):
                found = row[0] if row else "none"
                raise JournalError(
                    f"{path}: journal version {found}, this program reads {SCHEMA_VERSION}"
                )
            return cls(db, path)
        except (sqlite3.Error, OSError) as error:
            raise JournalError(f"{path}: {error}") from error

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def head(self) -> tuple[int, bytes]:
        """Number and hash of the newest entry (0 and :data:`GENESIS` when empty)."""
        with self._lock:
            return self._seq, self._hash

    def append(self, entries: Iterable[tuple[float, EntryKind, dict[str, Any]]]) -> list[Entry]:
        """Append entries in one transaction; on return they are on the disk.

        Raises:
            JournalError: nothing of it was written (a full disk, for one).
        """
        with self._lock:
            seq, value = self._seq, self._hash
            made: list[Entry] = []
            rows: list[tuple[int, float, str, str, bytes]] = []
            for t, kind, body in entries:
                seq += 1
                text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
                value = chain(value, seq, float(t), kind.value, text)
                rows.append((seq, float(t), kind.value, text, value))
                made.append(Entry(seq, float(t), kind, body, value))
            if not rows:
                return []
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise JournalError(f"{self._path}: not written: {error}") from error
            self._seq, self._hash = seq, value
            return made

    def entries(
        self, kinds: Iterable[EntryKind] | None = None, *, after: int = 0
    ) -> Iterator[Entry]:
        """Entries in order, those of some kinds only if asked."""
        wanted = None if kinds is None else {kind.value for kind in kinds}
        with self._lock:
            rows = self._db.execute(
                "SELECT seq, t, kind, body, hash FROM entry WHERE seq > ? ORDER BY seq", (after,)
            ).fetchall()
        for seq, t, kind, body, value in rows:
            if wanted is None or kind in wanted:
                yield Entry(seq, t, EntryKind(kind), json.loads(body), value)

    def verify(self) -> Tampering | None:
        """Check the whole chain; the first place where it breaks, or None."""
        value, expected = GENESIS, 1
        with self._lock:
            rows = self._db.execute("SELECT seq, t, kind, body, hash FROM entry ORDER BY seq")
            for seq, t, kind, body, stored in rows:
                if seq != expected:
                    return Tampering(expected, f"entry {expected} is missing")
                value = chain(value, seq, t, kind, body)
                if value != stored:
                    return Tampering(seq, f"entry {seq} ({kind}) was changed, or one before it")
                expected += 1
        return None

    def close(self) -> None:
        """Close the file; what was appended stays."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
