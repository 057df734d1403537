"""Who sits where in which session: read from a file of ours or from a tournament manager's.

Two forms are read. CSV with the columns ``session``, ``seat0``..``seat3``; and the tournament file
of Mahjong Tournament Engine (version 3 of its format, docs/decisions/0266): its games become
sessions named ``round-R-table-T``, its participants sit from the first East counter-clockwise.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

from table_controller.record.standings import StandingsError

COLUMNS = ("session", "seat0", "seat1", "seat2", "seat3")


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits where, by session.

    Attributes:
        people: names at sides 0..3, or at places 0..3 counted from the first East.
        from_east: whether it is by places: only the session tells where its East sits.
    """

    people: dict[str, list[str]]
    from_east: bool = False

    def at(self, session: str, east: int) -> list[str] | None:
        """Names at sides 0..3; None where nothing is said of this session.

        Args:
            session: its name.
            east: side of its first East.
        """
        people = self.people.get(session)
        if people is None or not self.from_east:
            return people
        return [people[(side - east) % 4] for side in range(4)]


def text_of(content: bytes, source: str) -> str:
    """A file as text: UTF-8, or GB 18030 as spreadsheets save it under a Chinese system.

    Raises:
        StandingsError: it is neither; ``source`` is named.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        try:
            return content.decode("gb18030")
        except UnicodeDecodeError:
            raise StandingsError(f"{source}: not UTF-8 at byte {error.start}") from None


def read_seating(text: str, source: str) -> Seating:
    """Who sits where.

    Args:
        text: CSV, or the JSON of a tournament file.
        source: named in errors.

    Raises:
        StandingsError: naming the place that is wrong.
    """
    if text.lstrip().startswith("{"):
        return Seating(_tournament(text, source), from_east=True)
    reader = csv.DictReader(io.StringIO(text))
    if reader.fieldnames is None or not set(COLUMNS) <= set(reader.fieldnames):
        raise StandingsError(f"{source}:1: columns must be {', '.join(COLUMNS)}")
    seating: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    for number, row in enumerate(reader, start=2):
        session = (row["session"] or "").strip()
        people = [(row[f"seat{seat}"] or "").strip() for seat in range(4)]
        if not session or len(set(filter(None, people))) != sum(map(bool, people)):
            raise StandingsError(f"{source}:{number}: the session has no name, or a player twice")
        if (before := lines.setdefault(session, number)) != number:
            raise StandingsError(f"{source}:{number}: session {session!r} stands in {before} too")
        seating[session] = people
    return Seating(seating)


def _tournament(text: str, source: str) -> dict[str, list[str]]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise StandingsError(f"{source}:{error.lineno}: not JSON: {error.msg}") from None
    seating: dict[str, list[str]] = {}
    try:
        players: list[dict[str, Any]] = data["playerList"]
        for number, game in enumerate(data["games"]):
            people = [str(players[seat["playerId"]]["name"]) for seat in game["participants"]]
            if len(people) != 4 or len(set(people)) != 4:
                raise StandingsError(f"{source}: games[{number}]: a player twice, or not four")
            session = session_name(game["round"], game["table"])
            if session in seating:
                before = list(seating).index(session)
                raise StandingsError(f"{source}: games[{before}] and [{number}] are both {session}")
            seating[session] = people
    except (KeyError, IndexError, TypeError) as error:
        raise StandingsError(
            f"{source}: no tournament file of version 3: {type(error).__name__} {error}"
        ) from None
    return seating


def session_name(round_: int, table: int) -> str:
    """The session of a game of the manager; both are counted from 0 there, from 1 here."""
    return f"round-{round_ + 1}-table-{table + 1}"


def round_and_table(session: str) -> tuple[int, int] | None:
    """The manager's numbers of a session, where it is named like that."""
    words = session.split("-")
    if len(words) != 4 or (words[0], words[2]) != ("round", "table"):
        return None
    if not (words[1].isdecimal() and words[3].isdecimal()):
        return None
    return int(words[1]) - 1, int(words[3]) - 1
