"""``paiguan journal``: check, look into, and write out a session's journal."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from table_controller.record.journal import EntryKind, Journal, JournalError
from table_controller.record.session import SessionRecord


def run_verify(path: Path, *, as_json: bool) -> int:
    """Check the chain; 1 where it is broken."""
    with Journal.open(path, read_only=True) as journal:
        found = journal.verify()
        count, head = journal.head
    if as_json:
        broken = None if found is None else {"entry": found.seq, "reason": found.reason}
        _print({"journal": str(path), "entries": count, "head": head.hex(), "broken": broken})
    elif found is not None:
        sys.stdout.write(f"{path}: broken at entry {found.seq}: {found.reason}\n")
    else:
        sys.stdout.write(f"{path}: {count} entries, chain whole, head {head.hex()[:16]}\n")
    return 0 if found is None else 1


def run_show(
    path: Path, *, kinds: Sequence[str] | None, state: int | None, at: float | None
) -> int:
    """Print entries, or the table at a moment.

    Args:
        path: of the journal.
        kinds: entries of these kinds only.
        state: the table after so many happenings.
        at: the table at this time, s.

    Raises:
        JournalError: no journal, or there is no such kind or moment.
    """
    with Journal.open(path, read_only=True) as journal:
        if state is None and at is None:
            wanted = None if kinds is None else [_kind(kind) for kind in kinds]
            for entry in journal.entries(wanted):
                _print(
                    {"seq": entry.seq, "t": entry.t, "entry": entry.kind.value, "body": entry.body}
                )
            return 0
        record = SessionRecord.of_journal(journal)
    entries = record.standing.entries
    steps = state if state is not None else sum(entry.t <= (at or 0.0) for entry in entries)
    if steps > len(entries):
        raise JournalError(f"{path}: there are {len(entries)} happenings, not {steps}")
    _print(record.state_after(steps))
    return 0


def run_export(path: Path, form: str, out: Path | None) -> int:
    """Write a session in one form.

    Raises:
        JournalError: no journal, or no such form for its rules.
    """
    from table_controller.record.exports import FORMS, exported

    if form not in FORMS:
        raise JournalError(f"export: there is no form {form!r}; there are {', '.join(FORMS)}")
    with Journal.open(path, read_only=True) as journal:
        record = SessionRecord.of_journal(journal)
    try:
        content = exported(record, form)[2]
    except ValueError as error:
        raise JournalError(str(error)) from None
    if out is None:
        sys.stdout.buffer.write(content)
    else:
        out.write_bytes(content)
    return 0


def run_standings(
    journals: Sequence[Path],
    seating: Path | None,
    *,
    as_json: bool,
    tournament: str | None = None,
) -> int:
    """Print the standings over many sessions, or the file of a tournament manager.

    Args:
        journals: of the sessions.
        seating: who sat where, where the journals do not name the players.
        as_json: a JSON object a player instead of CSV.
        tournament: the tournament's title: print its file for Mahjong Tournament Engine.

    Raises:
        JournalError: a journal cannot be read.
        StandingsError: other rules in one of them, two of one name, or nobody named at a seat.
    """
    from table_controller.record.seating import Seating, read_seating, text_of
    from table_controller.record.standings import (
        Result,
        StandingsError,
        results_of,
        standings,
        standings_csv,
    )
    from table_controller.record.tournament_file import tournament_file

    seats = Seating({})
    if seating is not None:
        seats = read_seating(text_of(seating.read_bytes(), str(seating)), str(seating))
    results: list[Result] = []
    sessions: list[tuple[str, SessionRecord, Sequence[str]]] = []
    ruleset = None
    paths: dict[str, Path] = {}
    for path in journals:
        session = path.parent.name or path.stem
        if session in paths:
            raise StandingsError(
                f"{path} and {paths[session]} are both session {session!r}: "
                "a session is named by the folder of its journal"
            )
        paths[session] = path
        with Journal.open(path, read_only=True) as journal:
            record = SessionRecord.of_journal(journal)
        if ruleset is not None and record.ruleset.name != ruleset.name:
            raise StandingsError(
                f"{path}: played under {record.ruleset.name}, the others under {ruleset.name}"
            )
        ruleset = record.ruleset
        people = seats.at(session, record.east)
        results += results_of(record, session, people)
        sessions.append((session, record, people or record.names))
    assert ruleset is not None
    if tournament is not None:
        sys.stdout.buffer.write(tournament_file(tournament, sessions) + b"\n")
        return 0
    lines = standings(ruleset, results)
    if as_json:
        for line in lines:
            _print(
                {
                    "place": line.place,
                    "player": line.player,
                    "standard_points": float(line.standard),
                    "score": line.score,
                }
            )
    else:
        sys.stdout.write(standings_csv(lines))
    return 0


def _kind(name: str) -> EntryKind:
    try:
        return EntryKind(name)
    except ValueError:
        known = ", ".join(kind.value for kind in EntryKind)
        raise JournalError(f"show: there is no kind {name!r}; there are {known}") from None


def _print(body: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(body, ensure_ascii=False) + "\n")
