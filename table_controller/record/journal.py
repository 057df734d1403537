"""The journal: the truth of a session, append-only and hash-chained, in one SQLite file.

Every happening, decision and correction is appended here and flushed to the disk before it
is acted upon (architecture, principle 6). The state of the game is a fold over the entries;
nothing else needs to survive a crash.

A disk that is full must not stop a hand: a :class:`Journal` with a reserve gives that up first, and
what may wait (``patient``) is kept in order in memory and written as soon as there is room again.
Decisions never wait: they are written or refused.

Each entry carries ``hash = SHA-256(previous hash || canonical JSON of the entry)``. Changing,
removing or inserting an entry breaks the chain at that place; :meth:`Journal.verify` names it.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, Self

logger = logging.getLogger(__name__)

SCHEMA_VERSION: Final = 1
RESERVE_BYTES: Final = 8_000_000
"""Room that a running table keeps for its journal: about 20,000 happenings."""
_KINDS_OF_FULL: Final = ("full", "disk i/o", "readonly", "unable to open")

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
    """A referee's decision on an alert, or an order to the machine."""
    PROTEST = "protest"
    """A protest entered or lifted; what it rests on is kept."""
    CORRECTION = "correction"
    """A referee's correction of an earlier happening."""
    ALERT = "alert"
    """An alert as it was raised."""
    EVIDENCE = "evidence"
    """The files that were written for an alert."""
    HAND = "hand"
    """A finished hand as it was settled."""
    ORDER = "order"
    """An order of the hall and what the table made of it."""
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

    def __init__(
        self, connection: sqlite3.Connection, path: Path, reserve: Path | None = None
    ) -> None:
        self._db = connection
        self._path = path
        self._reserve = reserve
        self._waiting: list[tuple[float, EntryKind, dict[str, Any]]] = []
        self._lock = threading.Lock()
        self._told: list[Callable[[Sequence[Entry]], None]] = []
        row = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        self._seq: int = row[0] if row else 0
        self._hash: bytes = row[1] if row else GENESIS

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, reserve: bool = False) -> Self:
        """Open a journal, made if it is not there yet (unless ``read_only``).

        Args:
            path: of the file.
            read_only: nothing is written.
            reserve: keep a file of :data:`RESERVE_BYTES` beside it, given up when the disk is full.

        Raises:
            JournalError: the file is no journal, of another version, damaged or not writable.
        """
        if read_only and not path.is_file():
            raise JournalError(f"{path}: no such journal")
        try:
            if read_only:
                db = _connected_to_read(path.resolve())
            else:
                with suppress(FileExistsError, NotADirectoryError):
                    path.parent.mkdir(parents=True, exist_ok=True)
                if not path.parent.is_dir():
                    raise JournalError(f"{path.parent}: not a folder")
                db = _connected(path.resolve(), "mode=rwc")
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
            spare = path.with_name(path.name + ".reserve") if reserve and not read_only else None
            if spare is not None:
                _fill(spare)
            return cls(db, path, spare)
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

    @property
    def waiting(self) -> int:
        """How many entries could not be written yet."""
        with self._lock:
            return len(self._waiting)

    def tell(self, told: Callable[[Sequence[Entry]], None]) -> None:
        """Call a function after every append, in the appending thread; it must be quick."""
        self._told.append(told)

    def append(
        self,
        entries: Iterable[tuple[float, EntryKind, dict[str, Any]]],
        *,
        patient: bool = False,
    ) -> list[Entry]:
        """Append entries in one transaction; on return they are on the disk.

        Args:
            entries: time, kind and body of each.
            patient: what cannot be written now waits in memory, and is written before anything
                else as soon as there is room.

        Returns:
            The entries as written; none where they wait.

        Raises:
            JournalError: nothing of it was written (a full disk, for one), unless ``patient``.
        """
        with self._lock:
            new = list(entries)
            try:
                made = self._write([*self._waiting, *new])
            except sqlite3.Error as error:
                if not patient:
                    raise JournalError(f"{self._path}: not written: {error}") from error
                if not self._waiting:
                    logger.error("%s: not written, kept in memory: %s", self._path, error)
                self._waiting += new
                return []
            if self._waiting:
                logger.warning("%s: %d entries that waited are written", self._path, len(made))
                made = made[len(self._waiting) :]
                self._waiting.clear()
        for told in self._told:
            told(made)
        return made

    def _write(self, entries: list[tuple[float, EntryKind, dict[str, Any]]]) -> list[Entry]:
        """All of them or none; gives up the reserve before it gives up."""
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
            self._commit(rows)
        except sqlite3.OperationalError as error:
            if not self._give_up_reserve(error):
                raise
            self._commit(rows)
        self._seq, self._hash = seq, value
        return made

    def _commit(self, rows: list[tuple[int, float, str, str, bytes]]) -> None:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _give_up_reserve(self, error: sqlite3.Error) -> bool:
        full = any(word in str(error).lower() for word in _KINDS_OF_FULL)
        if not full or self._reserve is None or not self._reserve.exists():
            return False
        self._reserve.unlink(missing_ok=True)
        logger.error("%s: the disk is full: the reserve is given up", self._path)
        return True

    def keep_reserve(self) -> None:
        """Make the reserve again where it was given up and there is room for it."""
        with self._lock:
            if self._reserve is not None and not self._reserve.exists() and not self._waiting:
                _fill(self._reserve)

    def entries(
        self, kinds: Iterable[EntryKind] | None = None, *, after: int = 0
    ) -> Iterator[Entry]:
        """Entries in order, those of some kinds only if asked.

        Raises:
            JournalError: the file is damaged, or an entry cannot be read.
        """
        wanted = None if kinds is None else {kind.value for kind in kinds}
        select = "SELECT seq, t, kind, body, hash FROM entry WHERE seq > ? ORDER BY seq"
        for seq, t, kind, body, value in self._rows(select, after):
            if wanted is None or kind in wanted:
                try:
                    entry = Entry(seq, t, EntryKind(kind), json.loads(body), value)
                except ValueError as error:
                    raise JournalError(f"{self._path}: entry {seq}: {error}") from None
                yield entry

    def hashes(self, most: int = -1) -> dict[int, bytes]:
        """The chain's value after each entry by number, of all or of the first so many.

        Raises:
            JournalError: the file is damaged.
        """
        return dict(self._rows("SELECT seq, hash FROM entry ORDER BY seq LIMIT ?", most))

    def _rows(self, select: str, value: int) -> list[tuple[Any, ...]]:
        with self._lock:
            try:
                return self._db.execute(select, (value,)).fetchall()
            except sqlite3.Error as error:
                raise JournalError(f"{self._path}: {error}") from error

    def verify(self) -> Tampering | None:
        """Check the whole chain; the first place where it breaks, or None."""
        value, expected = GENESIS, 1
        with self._lock:
            try:
                rows = self._db.execute("SELECT seq, t, kind, body, hash FROM entry ORDER BY seq")
                for seq, t, kind, body, stored in rows:
                    if seq != expected:
                        return Tampering(expected, f"entry {expected} is missing")
                    value = chain(value, seq, t, kind, body)
                    if value != stored:
                        return Tampering(seq, f"entry {seq} ({kind}) was changed, or one before it")
                    expected += 1
            except sqlite3.DatabaseError as error:
                return Tampering(expected, f"the file is damaged from there on: {error}")
        return None

    def close(self) -> None:
        """Close the file; what was appended stays."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _connected(path: Path, how: str) -> sqlite3.Connection:
    uri = f"{path.as_uri()}?{how}"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)


def _connected_to_read(path: Path) -> sqlite3.Connection:
    """A connection that reads, also where nothing can be written beside the file.

    SQLite shares memory with a writer in a file beside the journal, and makes that to read. Where
    it cannot, nobody writes either unless entries wait in the write-ahead log.
    """
    db = _connected(path, "mode=ro")
    try:
        db.execute("SELECT name FROM sqlite_master").fetchall()
    except sqlite3.OperationalError as error:
        db.close()
        log = path.with_name(path.name + "-wal")
        kind = error.sqlite_errorcode & 0xFF  # its details stand in the upper bits
        refused = kind in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not refused or (log.exists() and log.stat().st_size > 0):
            raise
        return _connected(path, "mode=ro&immutable=1")
    return db


def _fill(reserve: Path) -> None:
    """A file that takes up room; where there is none it is left out."""
    if reserve.exists() and reserve.stat().st_size >= RESERVE_BYTES:
        return
    try:
        with reserve.open("wb") as file:
            for _ in range(RESERVE_BYTES // 100_000):
                file.write(bytes(100_000))
    except OSError as error:
        reserve.unlink(missing_ok=True)
        logger.warning("%s: no room for a reserve: %s", reserve, error)
