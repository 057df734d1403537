"""The journal: chain, durability, tampering, bad files."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from table_controller.record.journal import (
    GENESIS,
    RESERVE_BYTES,
    EntryKind,
    Journal,
    JournalError,
)


def fill(path: Path, count: int = 5) -> None:
    with Journal.open(path) as journal:
        for number in range(count):
            journal.append([(float(number), EntryKind.HAPPENING, {"n": number, "名": "牌"})])


def test_entries_come_back_in_order_and_the_chain_holds(tmp_path: Path) -> None:
    fill(tmp_path / "j.db")
    with Journal.open(tmp_path / "j.db") as journal:
        assert [entry.body["n"] for entry in journal.entries()] == [0, 1, 2, 3, 4]
        assert [entry.seq for entry in journal.entries(after=3)] == [4, 5]
        assert journal.verify() is None
        seq, value = journal.head
        assert seq == 5
        assert value != GENESIS


@pytest.mark.parametrize(
    ("tamper", "where"),
    [
        ("UPDATE entry SET body = '{\"n\":99}' WHERE seq = 3", 3),
        ("UPDATE entry SET t = 7 WHERE seq = 2", 2),
        ("UPDATE entry SET kind = 'note' WHERE seq = 1", 1),
        ("DELETE FROM entry WHERE seq = 4", 4),
        ("UPDATE entry SET hash = zeroblob(32) WHERE seq = 5", 5),
    ],
)
def test_tampering_is_located(tmp_path: Path, tamper: str, where: int) -> None:
    path = tmp_path / "j.db"
    fill(path)
    db = sqlite3.connect(path)
    db.execute(tamper)
    db.commit()
    db.close()
    with Journal.open(path) as journal:
        found = journal.verify()
    assert found is not None
    assert found.seq == where


def damage(path: Path) -> None:
    """The page that holds the hundredth entry is nothing but zeros."""
    fill(path, 200)
    with sqlite3.connect(path) as db:
        (size,) = db.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    page = content.index(b'{"n":99,') // size * size
    content[page : page + size] = bytes(size)
    path.write_bytes(content)


def test_a_damaged_file_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    damage(path)
    with Journal.open(path, read_only=True) as journal:
        found = journal.verify()
        assert found is not None
        assert 1 < found.seq <= 100
        assert "damaged" in found.reason
        for read in (lambda: list(journal.entries()), journal.hashes):
            with pytest.raises(JournalError, match=r"j\.db: .*malformed"):
                read()


@pytest.mark.parametrize("column", ["kind = 'tea'", "body = '{'"])
def test_an_entry_that_cannot_be_read_is_named(tmp_path: Path, column: str) -> None:
    path = tmp_path / "j.db"
    fill(path)
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE entry SET {column} WHERE seq = 3")
    with (
        Journal.open(path, read_only=True) as journal,
        pytest.raises(JournalError, match=r"j\.db: entry 3: "),
    ):
        list(journal.entries())


def read_by_another(path: Path) -> int:
    """How many entries somebody reads who may not write there; 255 where it cannot be read."""
    child = os.fork()
    if child == 0:
        code = 255
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            with Journal.open(path, read_only=True) as journal:
                code = len(list(journal.entries()))
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(("waiting", "read"), [(False, 5), (True, 255)])
def test_who_may_not_write_there_reads_what_is_whole(waiting: bool, read: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "j.db")
        if waiting:
            # Entries that are not in the file yet: without them it would be another journal.
            (folder / "j.db-wal").write_bytes(b"entries")
        (folder / "j.db").chmod(0o444)
        folder.chmod(0o555)
        try:
            assert read_by_another(folder / "j.db") == read
        finally:
            folder.chmod(0o755)


def test_a_failed_write_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    fill(path)
    with Journal.open(path) as journal:
        before = journal.head
        blocker = sqlite3.connect(path)
        blocker.execute("PRAGMA max_page_count")
        journal._db.execute("PRAGMA query_only = ON")
        with pytest.raises(JournalError, match="not written"):
            journal.append([(9.0, EntryKind.NOTE, {"text": "x"})])
        journal._db.execute("PRAGMA query_only = OFF")
        assert journal.head == before
        journal.append([(9.0, EntryKind.NOTE, {"text": "x"})])
        assert journal.verify() is None


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    fill(path)
    with Journal.open(path) as journal:
        pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
        journal._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(JournalError, match="full"):
            journal.append([(9.0, EntryKind.NOTE, {"text": "x" * 100_000})])
        journal._db.execute("PRAGMA max_page_count = 1000000")
        journal.append([(9.0, EntryKind.NOTE, {"text": "after"})])
        assert journal.verify() is None
        assert journal.head[0] == 6


def test_killed_while_writing_keeps_all_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    program = textwrap.dedent(
        f"""
        from pathlib import Path
        from table_controller.record.journal import EntryKind, Journal
        journal = Journal.open(Path({str(path)!r}))
        number = 0
        while True:
            number += 1
            journal.append([(float(number), EntryKind.HAPPENING, {{"n": number}})])
            print(number, flush=True)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    acknowledged = 0
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged == 50:
            os.kill(process.pid, signal.SIGKILL)
            break
    for line in process.stdout:
        acknowledged = int(line)
    process.wait()
    with Journal.open(path) as journal:
        numbers = [entry.body["n"] for entry in journal.entries()]
        assert journal.verify() is None
    assert numbers[:acknowledged] == list(range(1, acknowledged + 1))
    assert len(numbers) - acknowledged in (0, 1)


@pytest.mark.parametrize("content", [b"not a database at all, only text" * 40, b"\xff" * 5000])
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "j.db"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=r"j\.db"):
        Journal.open(path)


@pytest.mark.parametrize("below", ["file", "file/session"])
def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match=f"{below}: not a folder$"):
        Journal.open(tmp_path / below / "journal.db")


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    fill(path)
    db = sqlite3.connect(path)
    db.execute("UPDATE meta SET value = '99'")
    db.commit()
    db.close()
    with pytest.raises(JournalError, match="version 99"):
        Journal.open(path)


def test_reading_a_missing_journal_does_not_make_one(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no such journal"):
        Journal.open(tmp_path / "none.db", read_only=True)
    assert not (tmp_path / "none.db").exists()


def small_disk(journal: Journal, pages: int) -> None:
    """The file may not grow beyond so many pages: SQLite says what it says on a full disk."""
    journal._db.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_keeps_what_may_wait_and_writes_it_in_order(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal.open(path) as journal:
        small_disk(journal, 8)
        big = {"text": "x" * 3000}
        written = 0
        while not journal.waiting:
            journal.append([(float(written), EntryKind.HAPPENING, big)], patient=True)
            written += 1
        with pytest.raises(JournalError, match="full"):
            journal.append([(0.5, EntryKind.DECISION, big)])
        journal.append([(99.0, EntryKind.HAPPENING, {"n": "last"})], patient=True)
        assert journal.waiting == 2
        assert journal.verify() is None
        small_disk(journal, 1000)
        journal.append([(100.0, EntryKind.DECISION, {"n": "decided"})])
        assert journal.waiting == 0
        times = [entry.t for entry in journal.entries()]
        assert times == [*map(float, range(written)), 99.0, 100.0]
        assert journal.verify() is None


def test_the_reserve_is_given_up_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal.open(tmp_path / "j.db", reserve=True) as journal:
        spare = tmp_path / "j.db.reserve"
        assert spare.stat().st_size == RESERVE_BYTES
        commit = Journal._commit

        def on_a_full_disk(self: Journal, rows: list[tuple[int, float, str, str, bytes]]) -> None:
            if spare.exists():
                raise sqlite3.OperationalError("database or disk is full")
            commit(self, rows)

        monkeypatch.setattr(Journal, "_commit", on_a_full_disk)
        assert len(journal.append([(1.0, EntryKind.DECISION, {})])) == 1
        assert not spare.exists()
        monkeypatch.undo()
        journal.keep_reserve()
        assert spare.exists()
