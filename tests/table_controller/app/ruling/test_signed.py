"""What is entered under a name is written first, and a request that comes twice is taken once."""

from __future__ import annotations

from pathlib import Path

from table_controller.app.ruling.signed import SignedEntries
from table_controller.console.forms import Signed
from table_controller.record.journal import EntryKind, Journal

FORM = Signed(by=" Li ", reason="read wrongly ", request="0123456789abcdef")


def test_a_request_is_answered_as_at_first_also_after_a_restart(tmp_path: Path) -> None:
    """One that made two entries was answered with the second of them after a restart."""
    with Journal.open(tmp_path / "journal.db") as journal:
        entries = SignedEntries(journal, EntryKind.CORRECTION)
        assert entries.answer(FORM) is None
        first, second = entries.write(7.5, FORM, "referee", [{"at": 3}, {"at": 9}])
        assert (first["number"], second["number"], second["with"]) == (1, 2, 1)
        assert (first["by"], first["reason"], first["role"]) == ("Li", "read wrongly", "referee")
        assert entries.answer(FORM) == first
    with Journal.open(tmp_path / "journal.db") as journal:
        again = SignedEntries(journal, EntryKind.CORRECTION)
        again.load()
        assert again.entries == [first, second]
        assert again.answer(FORM) == first


def test_entries_of_the_same_kind_about_something_else_are_not_counted(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.append([(1.0, EntryKind.DECISION, {"order": "lower", "number": 4})])
        entries = SignedEntries(journal, EntryKind.DECISION, having="alert")
        entries.load()
        (body,) = entries.write(2.0, FORM, "referee", [{"alert": "alert-0001"}])
        assert body["number"] == 1
