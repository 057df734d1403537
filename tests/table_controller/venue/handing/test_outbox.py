"""The outbox lies in the journal's own file, and leaves it as safe as it was."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, cast

import pytest
from nats.aio.client import Client

from table_controller.record.journal import EntryKind, Journal
from table_controller.venue.errors import VenueError
from table_controller.venue.handing.handing_over import HandingOver
from table_controller.venue.handing.outbox import Outbox
from table_controller.venue.names import Subjects

FULL = 2


class Watched:
    """A connection; notes how it waits for the disk when it is closed."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.closed_with: int | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def close(self) -> None:
        self.closed_with = self._db.execute("PRAGMA synchronous").fetchone()[0]
        self._db.close()


def test_the_last_connection_of_a_finished_session_waits_for_the_disk(tmp_path: Path) -> None:
    """It moves all entries from the log into the file, and removes the log."""
    path = tmp_path / "journal.db"
    journal = Journal.open(path)
    journal.append([(1.0, EntryKind.SESSION, {})])
    outbox = Outbox(path)
    log = path.with_name(path.name + "-wal")
    journal.close()
    assert log.stat().st_size > 0
    watched: Any = Watched(outbox._db)
    outbox._db = watched
    # While it runs it waits for nothing: a position that is lost is asked back.
    assert outbox._db.execute("PRAGMA synchronous").fetchone()[0] < FULL
    outbox.close()
    assert watched.closed_with == FULL
    assert not log.exists()
    with Journal.open(path, read_only=True) as again:
        assert again.head[0] == 1


def opened(journals: HandingOver) -> Path | None:
    """The journal of which the outbox is open."""
    return None if journals.outbox is None else journals.outbox.path


def test_an_outbox_that_cannot_be_opened_is_opened_once_it_can(tmp_path: Path) -> None:
    """A new session begins on a full disk: the hall hears of it as soon as there is room."""
    first, second = (tmp_path / name / "journal.db" for name in ("r1", "r2"))
    current, client = first, cast("Client", None)
    Journal.open(first).close()
    journals = HandingOver("T01", Subjects("v"), lambda: current, lambda *_: None)
    before = journals.open(client)
    current = second
    for _ in range(2):
        with pytest.raises(VenueError):
            journals.open(client)
    assert opened(journals) is None
    assert not journals.forked
    Journal.open(second).close()
    assert journals.open(client) is not before
    assert opened(journals) == second
    journals.close()
