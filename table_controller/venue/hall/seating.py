"""Who sits where in each round: drawn by the rotation of source 000, or imported.

The rotation (source 000, question 142, points 3 to 8, and its annex 60人9局轮次座位表): players
are numbered so that four consecutive numbers are one team; the first members of the teams form
group 1,
the second members group 2, and so on. From one round to the next each group moves on to the next
wind, and along the tables by 1, 2, 3 and 4 teams; where that would bring team mates together, or
opponents together again, the group moves on by one more until it does not.

The annex's table for session 2 is misprinted (its North column repeats the East column from table 2
on); the rotation gives the column that continues its first line.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from table_controller.venue.errors import VenueError

WINDS: Final = 4
COLUMNS: Final = ("round", "table", "east", "south", "west", "north")


@dataclass(frozen=True, slots=True)
class Player:
    """One player; four consecutive numbers are one team."""

    number: int
    name: str
    team: str = ""


@dataclass(frozen=True, slots=True)
class TableSeats:
    """One table in one round: the players' numbers East, South, West, North (0: nobody)."""

    round: int
    table: int
    players: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Rotation:
    """Seats for some rounds.

    Attributes:
        seats: by round, then by table.
        again: pairs of players who meet again, where that could not be helped.
    """

    seats: tuple[TableSeats, ...]
    again: int


def rotation(players: int, rounds: int) -> Rotation:
    """The seats of players 1..n over some rounds.

    Args:
        players: how many; a multiple of 4.
        rounds: how many.

    Raises:
        VenueError: no such tournament can be seated.
    """
    if players < 4 or players % 4:
        raise VenueError(f"{players} players: a multiple of 4 is needed", code="fours", n=players)
    if rounds < 1:
        raise VenueError(f"{rounds} rounds: at least one is needed", code="no_rounds")
    tables = players // 4
    if tables < WINDS and tables != 1:
        raise VenueError(
            f"{players} players: with fewer than four tables team mates must meet",
            code="mates_meet", n=players,
        )  # fmt: skip
    # Where group g sits at table 1: its team number. At table k it is k further on.
    shifts = [0, 0, 0, 0]
    met: dict[tuple[int, int], set[int]] = {}
    seats: list[TableSeats] = []
    again = 0
    for number in range(rounds):
        for group in range(WINDS):
            wanted = group if number == 0 else shifts[group] + group + 1
            shifts[group] = _free(wanted, group, shifts, met, tables)
        again += tables * _meet(shifts, met, tables)
        for table in range(tables):
            at: list[int] = [0, 0, 0, 0]
            for group in range(WINDS):
                team = (shifts[group] + table) % tables
                at[(group + number) % WINDS] = team * 4 + group + 1
            seats.append(TableSeats(number + 1, table + 1, (at[0], at[1], at[2], at[3])))
    return Rotation(tuple(seats), again)


def _free(
    wanted: int,
    group: int,
    shifts: Sequence[int],
    met: dict[tuple[int, int], set[int]],
    tables: int,
) -> int:
    """The first place from ``wanted`` on where the group meets neither team mates nor old foes."""
    best, least = wanted % tables, 99
    for more in range(tables):
        shift = (wanted + more) % tables
        gaps = [(shifts[other] - shift) % tables for other in range(group)]
        mates = sum(gap == 0 for gap in gaps)
        foes = sum(gap in met.get((other, group), ()) for other, gap in enumerate(gaps))
        if not mates and not foes:
            return shift
        if tables > 1 and 10 * mates + foes < least:
            best, least = shift, 10 * mates + foes
    return best


def _meet(shifts: Sequence[int], met: dict[tuple[int, int], set[int]], tables: int) -> int:
    """Note who meets whom; how many pairs of groups meet as they did before."""
    again = 0
    for one in range(WINDS):
        for other in range(one + 1, WINDS):
            gap = (shifts[one] - shifts[other]) % tables
            held = met.setdefault((one, other), set())
            again += gap in held
            held.add(gap)
    return again


def draw(players: Sequence[Player], seed: str) -> list[Player]:
    """Numbers by lot: first the order of the teams, then the order within each.

    Players without a team are grouped as the lot has it. The same seed gives the same draw, so
    that it can be repeated before witnesses.

    Raises:
        VenueError: a name twice, or a team that has not four players.
    """
    names = [player.name for player in players]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise VenueError(f"player {twice!r} is listed twice", code="listed_twice", name=twice)
    rng = random.Random(seed)
    teams: dict[str, list[Player]] = {}
    single: list[Player] = []
    for player in sorted(players, key=lambda one: one.name):
        (teams.setdefault(player.team, []) if player.team else single).append(player)
    for name, members in teams.items():
        if len(members) != WINDS:
            raise VenueError(
                f"team {name!r} has {len(members)} players, not 4",
                code="team_of", team=name, n=len(members),
            )  # fmt: skip
    if len(single) % WINDS:
        raise VenueError(
            f"{len(names)} players: a multiple of 4 is needed", code="fours", n=len(names)
        )
    rng.shuffle(single)
    groups = [teams[name] for name in sorted(teams)]
    groups += [single[at : at + WINDS] for at in range(0, len(single), WINDS)]
    rng.shuffle(groups)
    drawn: list[Player] = []
    for members in groups:
        rng.shuffle(members)
        for player in members:
            drawn.append(Player(len(drawn) + 1, player.name, player.team))
    return drawn


def read_players(text: str, source: str) -> list[Player]:
    """Players from CSV: ``name`` and, where there are teams, ``team``.

    Raises:
        VenueError: naming the line that is wrong.
    """
    reader = _rows(text)
    if reader.fieldnames is None or "name" not in reader.fieldnames:
        raise VenueError(
            f"{source}:1: a column `name` is missing",
            code="columns", where=f"{source}:1", detail="name",
        )  # fmt: skip
    found: list[Player] = []
    known: dict[str, int] = {}
    for line, row in enumerate(reader, start=2):
        name = (row["name"] or "").strip()
        if not name:
            raise VenueError(
                f"{source}:{line}: the player has no name; nothing was changed",
                code="no_name", where=f"{source}:{line}",
            )  # fmt: skip
        if name in known:
            raise VenueError(
                f"{source}:{line}: player {name!r} stands in line {known[name]} already; "
                "nothing was changed",
                code="line_twice", where=f"{source}:{line}", name=name, n=known[name],
            )  # fmt: skip
        known[name] = line
        found.append(Player(len(found) + 1, name, (row.get("team") or "").strip()))
    if not found:
        raise VenueError(
            f"{source}: no players in it; nothing was changed", code="empty_file", where=source
        )
    return found


def _rows(text: str) -> csv.DictReader[str]:
    """The rows of a CSV, with whatever mark its file begins with and its lines end with."""
    return csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline=None))


@dataclass(frozen=True, slots=True)
class ImportedSeat:
    """One line of a seating file: the players by name, East first; empty: nobody."""

    round: int
    table: str
    names: tuple[str, str, str, str]


def read_seating(
    text: str,
    source: str,
    players: Iterable[str],
    tables: Iterable[str],
    teams: Mapping[str, str] | None = None,
) -> list[ImportedSeat]:
    """A seating from CSV, checked against the players and tables there are.

    Args:
        text: of the file.
        source: names it.
        players: all of them.
        tables: that there are.
        teams: of a relay, the team of each player: one of each sits in every round; without it
            everybody sits.

    Raises:
        VenueError: naming the line: an unknown, missing or doubled player or table.
    """
    known, places = list(players), set(tables)
    reader = _rows(text)
    if reader.fieldnames is None or not set(COLUMNS) <= set(reader.fieldnames):
        columns = ", ".join(COLUMNS)
        raise VenueError(
            f"{source}:1: columns must be {columns}; nothing was changed",
            code="columns", where=f"{source}:1", detail=columns,
        )  # fmt: skip
    seats: list[ImportedSeat] = []
    seated: dict[int, dict[str, int]] = {}
    used: dict[int, set[str]] = {}
    for line, row in enumerate(reader, start=2):
        where = f"{source}:{line}"
        number = (row["round"] or "").strip()
        if not number.isdecimal() or not 1 <= int(number) <= 99:
            raise VenueError(
                f"{where}: round {number!r} is no number; nothing was changed",
                code="round_number", where=where, detail=number,
            )  # fmt: skip
        turn, table = int(number), (row["table"] or "").strip()
        if table not in places:
            raise VenueError(
                f"{where}: there is no table {table!r}; nothing was changed",
                code="file_no_table", where=where, table=table,
            )  # fmt: skip
        if table in used.setdefault(turn, set()):
            raise VenueError(
                f"{where}: table {table} is seated twice; nothing was changed",
                code="table_twice", where=where, table=table,
            )  # fmt: skip
        used[turn].add(table)
        names = [(row[column] or "").strip() for column in COLUMNS[2:]]
        for name in filter(None, names):
            if name not in known:
                raise VenueError(
                    f"{where}: there is no player {name!r}; nothing was changed",
                    code="file_no_player", where=where, name=name,
                )  # fmt: skip
            before = seated.setdefault(turn, {}).get(name)
            if before is not None:
                raise VenueError(
                    f"{where}: player {name!r} sits in line {before} already; nothing was changed",
                    code="line_twice", where=where, name=name, n=before,
                )  # fmt: skip
            seated[turn][name] = line
        seats.append(ImportedSeat(turn, table, (names[0], names[1], names[2], names[3])))
    for turn, there in seated.items():
        if teams is not None:
            _one_of_each_team(source, turn, there, teams)
            continue
        missing = next((name for name in known if name not in there), None)
        if missing is not None:
            raise VenueError(
                f"{source}: round {turn}: player {missing!r} sits nowhere; nothing was changed",
                code="sits_nowhere", where=source, n=turn, name=missing,
            )  # fmt: skip
    if not seats:
        raise VenueError(
            f"{source}: no seats in it; nothing was changed", code="empty_file", where=source
        )
    return seats


def _one_of_each_team(
    source: str, turn: int, seated: Iterable[str], teams: Mapping[str, str]
) -> None:
    """In a relay one member of each team plays a half-game (002, appendix 1, 1)."""
    there = [teams.get(name, name) for name in seated]
    for team in dict.fromkeys([*teams.values(), *there]):
        if there.count(team) != 1:
            raise VenueError(
                f"{source}: round {turn}: {there.count(team)} players of team {team!r}, not one; "
                "nothing was changed",
                code="team_seats", where=source, n=turn, team=team, seats=there.count(team),
            )  # fmt: skip
