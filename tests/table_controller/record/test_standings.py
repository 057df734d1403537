"""Standings: standard points, ties, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from table_controller.cli import app
from table_controller.domain.outputs import HandRecord
from table_controller.record.journal import EntryKind, Journal
from table_controller.record.match import Match
from table_controller.record.seating import read_seating, text_of
from table_controller.record.session import SessionRecord
from table_controller.record.standings import (
    Result,
    StandingsError,
    results_of,
    scores_of,
    standings,
    standings_csv,
)
from table_controller.record.tournament_file import tournament_file
from table_controller.rulesets import load
from table_controller.rulesets.model import Ruleset
from tests.table_controller.record.played import played


def result(player: str, session: str, standard: float, score: int, hand: int = 0) -> Result:
    return Result(player, session, score, 1, Fraction(standard), hand)


@pytest.mark.parametrize(
    ("ruleset", "results", "order"),
    [
        # 000 Q48: highest session standard points before the total of game points.
        (
            "mcr-1998",
            [("a", "1", 4, 10), ("a", "2", 0, 10), ("b", "1", 2, 90), ("b", "2", 2, 90)],
            [("a", 1), ("b", 2)],
        ),
        # then more of the high ones
        (
            "mcr-1998",
            [
                *(("a", "1", 4, 0), ("a", "2", 1, 99), ("a", "3", 1, 99)),
                *(("b", "1", 4, 0), ("b", "2", 2, 0), ("b", "3", 0, 0)),
            ],
            [("b", 1), ("a", 2)],
        ),
        # 003 Q93: the total score first
        (
            "mcr-2002-tianjin",
            [("a", "1", 4, 10), ("a", "2", 0, 10), ("b", "1", 2, 90), ("b", "2", 2, 90)],
            [("b", 1), ("a", 2)],
        ),
        # and who is level in everything shares the place; the next one is third.
        (
            "mcr-2002-tianjin",
            [("a", "1", 2, 5), ("b", "1", 2, 5), ("c", "1", 1, 9)],
            [("a", 1), ("b", 1), ("c", 3)],
        ),
    ],
)
def test_who_is_before_whom(
    ruleset: str, results: list[tuple[str, str, float, int]], order: list[tuple[str, int]]
) -> None:
    lines = standings(load(ruleset), [result(*one) for one in results])
    assert [(line.player, line.place) for line in lines] == order


def test_every_ruleset_says_how_ties_are_broken() -> None:
    from table_controller.rulesets.loader import names

    for name in names():
        standings(load(name), [result("a", "1", 1, 1), result("b", "1", 1, 1)])


def test_from_journals_to_csv(tmp_path: Path) -> None:
    one = played(tmp_path / "morning", names=["Ann", "Bo", "Cy", "Di"])
    two = played(tmp_path / "evening")
    seating = tmp_path / "seating.csv"
    seating.write_text("session,seat0,seat1,seat2,seat3\nevening,Di,Cy,Bo,Ann\n")
    args = ["journal", "standings", str(one), str(two), "--seating", str(seating)]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    # Seat 3 wins each time: Di in the morning, Ann in the evening; Bo and Cy pay less and more.
    assert {row["player"] for row in rows[:2]} == {"Ann", "Di"}
    points = sum(float(row["standard_points"]) for row in rows)
    assert points == 2 * sum(load("mcr-2006-du").tournament.standard_points)
    assert sum(int(row["score"]) for row in rows) == -10  # 5 points of each session went to nobody
    lines = CliRunner().invoke(app, [*args, "--json"]).stdout.splitlines()
    assert [json.loads(line)["player"] for line in lines] == [row["player"] for row in rows]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("session,seat0\n", "columns must be"),
        ("session,seat0,seat1,seat2,seat3\nx,A,B,A,C\n", ":2:"),
        ("session,seat0,seat1,seat2,seat3\n,A,B,C,D\n", ":2:"),
        (
            "session,seat0,seat1,seat2,seat3\nx,A,B,C,D\ny,E,F,G,H\nx ,I,J,K,L\n",
            ":4: session 'x' stands in 2 too",
        ),
        (
            json.dumps(
                {
                    "playerList": [{"name": name} for name in "abcd"],
                    "games": [
                        {"round": 0, "table": 0, "participants": [{"playerId": n} for n in seats]}
                        for seats in ((0, 1, 2, 3), (3, 2, 1, 0))
                    ],
                }
            ),
            r"games\[0\] and \[1\] are both round-1-table-1",
        ),
    ],
)
def test_bad_seating(text: str, said: str) -> None:
    with pytest.raises(StandingsError, match=said):
        read_seating(text, "seating.csv")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_a_seating_as_spreadsheets_save_it(tmp_path: Path, encoding: str) -> None:
    path = played(tmp_path / "one")
    seating = tmp_path / "seating.csv"
    seating.write_text("session,seat0,seat1,seat2,seat3\none,安,博,慈,迪\n", encoding=encoding)
    args = ["journal", "standings", str(path), "--seating", str(seating)]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert {row["player"] for row in csv.DictReader(io.StringIO(done.stdout))} == set("安博慈迪")


def test_a_seating_that_is_no_text_is_refused() -> None:
    with pytest.raises(StandingsError, match=r"seating\.csv: not UTF-8 at byte 3"):
        text_of(b"ses\xff\xff", "seating.csv")


def test_two_sessions_of_one_name_are_refused(tmp_path: Path) -> None:
    one = played(tmp_path / "hall-a" / "session", names=["Ann", "Bo", "Cy", "Di"])
    two = played(tmp_path / "hall-b" / "session", names=["Eli", "Fu", "Gu", "Hal"])
    for other in (two, one):
        done = CliRunner().invoke(app, ["journal", "standings", str(one), str(other)])
        assert isinstance(done.exception, StandingsError)
        assert f"{other} and {one} are both session 'session'" in str(done.exception)


def test_nobody_at_a_seat(tmp_path: Path) -> None:
    path = played(tmp_path / "one")
    done = CliRunner().invoke(app, ["journal", "standings", str(path)])
    assert isinstance(done.exception, StandingsError)
    assert "nobody is named at seat 0" in str(done.exception)


def test_a_session_that_was_missed_leaves_its_cells_empty() -> None:
    lines = standings(load("mcr-1998"), [result("a", "1", 4, 9), result("b", "2", 2, 3)])
    rows = list(csv.reader(io.StringIO(standings_csv(lines))))
    assert rows[2] == ["2", "b", "2", "3", "", "", "1", "3"]


def test_a_name_that_looks_like_a_formula_stays_a_name() -> None:
    lines = standings(load("mcr-1998"), [result("=a", "-1", -0.5, 9)])
    rows = list(csv.reader(io.StringIO(standings_csv(lines))))
    assert rows[0][4:] == ["'-1 rank", "'-1 score"]
    assert rows[1][:4] == ["1", "'=a", "-0.5", "9"]


def hand(number: int, paid: tuple[int, ...], scores: tuple[int, ...]) -> HandRecord:
    return HandRecord(
        t=float(number), hand=number, round_wind="E", dealer=0, honba=0, result="exhausted",
        reason=None, wins=(), payments=paid, penalties=(0, 0, 0, 0), scores=scores, confirmed=True,
    )  # fmt: skip


class Told(SessionRecord):
    """A session whose hands are told, not folded."""

    def __init__(
        self,
        ruleset: Ruleset,
        hands: list[HandRecord],
        match: Match | None = None,
        east: int = 0,
    ) -> None:
        header = {"ruleset": ruleset.name, "players": list("abcd"), "east": east}
        object.__setattr__(self, "header", header)
        object.__setattr__(self, "start", 1000.0)
        self.__dict__["ruleset"] = ruleset
        self.__dict__["hands"] = hands
        self.__dict__["confirmed"] = [True] * len(hands)
        self.__dict__["match"] = match or Match((), over=False)


def test_who_changed_seats_keeps_what_was_won() -> None:
    # 000 Q24(9): after the second round East and South change, and West and North.
    rules = load("mcr-1998")
    changed = rules.model_copy(
        update={"session": rules.session.model_copy(update={"seat_change": "after_round_2"})}
    )
    hands = [hand(1, (30, -10, -10, -10), (30, -10, -10, -10))]
    hands += [hand(9, (24, -8, -8, -8), (54, -18, -18, -18))]  # a now sits where b sat
    assert scores_of(Told(rules, hands)) == {0: 54, 1: -18, 2: -18, 3: -18}
    assert scores_of(Told(changed, hands)) == {0: 22, 1: 14, 2: -18, 3: -18}
    ranks = {one.player: one.rank for one in results_of(Told(changed, hands), "s")}
    assert ranks == {"a": 1, "b": 2, "c": 3, "d": 3}


def test_what_is_entered_after_the_last_hand_falls_to_who_sat_there_then() -> None:
    rules = load("mcr-1998")
    changed = rules.model_copy(
        update={"session": rules.session.model_copy(update={"seat_change": "after_round_2"})}
    )
    hands = [hand(16, (0, 0, 0, 0), (30, 10, -10, -30))]
    late = Match((), over=True, late=(-12, 4, 4, 4), hand=16)
    assert scores_of(Told(rules, hands, late)) == {0: 18, 1: 14, 2: -6, 3: -26}
    # a sits where b sat, and b where a sat.
    assert scores_of(Told(changed, hands, late)) == {0: 34, 1: -2, 2: -6, 3: -26}


@pytest.mark.parametrize(
    ("scores", "adjusted"),
    [
        # 002 8.8.3: 25000 and third is -5.0; 30500 and first +20.5; 18600 and fourth -21.4.
        ((30500, 25900, 25000, 18600), (20.5, 5.9, -5.0, -21.4)),
        # 8.1.1: level players are told apart by who sat nearer to the first East.
        ((25000, 25000, 25000, 25000), (15.0, 5.0, -5.0, -15.0)),
    ],
)
def test_riichi_counts_adjusted_points(
    scores: tuple[int, ...], adjusted: tuple[float, ...]
) -> None:
    record = Told(load("riichi-xjtu-2025"), [hand(8, (0, 0, 0, 0), scores)])
    assert [float(one.standard) for one in results_of(record, "s")] == list(adjusted)


ROWS = tuple({"seat": seat, "rank": seat + 1, "points": 35000} for seat in range(3))


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (Match(ROWS, over=False), "seat 3, which is empty"),
        (Match((), over=False), "three play"),
    ],
)
def test_a_name_where_nobody_plays_is_refused(match: Match, said: str) -> None:
    rules = load("riichi-xjtu-2025-sanma")
    record = Told(rules, [hand(6, (0,) * 4, (35000, 35000, 35000, 0))], match)
    with pytest.raises(StandingsError, match=said):
        results_of(record, "s")
    assert len(results_of(record, "s", ["a", "b", "c", ""])) == 3


def test_a_match_that_ended_counts_as_it_ended() -> None:
    result = [
        {"seat": 1, "rank": 1, "points": 40000, "result": 30.0},
        {"seat": 0, "rank": 2, "points": 30000, "result": 10.0},
        {"seat": 2, "rank": 3, "points": 20000, "result": -10.0},
        {"seat": 3, "rank": 4, "points": 10000, "result": -30.0},
    ]
    hands = [hand(8, (0, 0, 0, 0), (31000, 39000, 20000, 10000))]
    record = Told(load("riichi-xjtu-2025"), hands, Match(tuple(result), over=True))
    assert [float(one.standard) for one in results_of(record, "s")] == [10.0, 30.0, -10.0, -30.0]


def valid_version_3(data: dict[str, Any]) -> bool:
    """What the manager itself asks of a file before it opens it (its published validity check)."""
    info, games = data["info"], data["games"]
    whole = all(isinstance(game[key], int) and game[key] >= 0 for game in games
                for key in ("round", "table"))  # fmt: skip
    seats = [seat for game in games for seat in game["participants"]]
    return (
        whole
        and isinstance(info["title"], str)
        and isinstance(info["roundLength"], int | float)
        and len(info["rounds"]) > 0
        and isinstance(info["uma"]["automatic"], bool)
        and all(isinstance(amount, int | float) for amount in info["uma"]["amount"])
        and info["uma"]["tiebreak"] in ("headbump", "split")
        and all(isinstance(p["name"], str) and p["substitute"] in (True, False)
                for p in data["playerList"])
        and all(len(game["participants"]) == 4 for game in games)
        and all(isinstance(seat["playerId"], int) and seat["playerId"] >= 0 for seat in seats)
        and all(isinstance(seat["score"][key], int | float) for seat in seats
                for key in ("raw", "uma", "penalty"))
        and len(games) >= len(info["rounds"]) * len(data["playerList"]) / 4
        and data["meta"]["dataFormatVersion"] == 3
    )  # fmt: skip


def test_a_tournament_managers_file() -> None:
    rules = load("riichi-xjtu-2025")
    one = Told(rules, [hand(8, (0, 0, 0, 0), (40000, 30000, 20000, 10000))])
    two = Told(rules, [hand(8, (0, 0, 0, 0), (25000, 35000, 15000, 25000))])
    people = {"round-1-table-1": list("abcd"), "round-2-table-1": list("dcba")}
    sessions = [
        (name, record, people[name]) for name, record in zip(people, (one, two), strict=True)
    ]
    data = json.loads(tournament_file("Final", sessions))
    assert valid_version_3(data)
    assert [player["name"] for player in data["playerList"]] == list("abcd")
    first = data["games"][0]["participants"][0]
    assert first == {"playerId": 0, "score": {"raw": 15000, "uma": 15000, "penalty": 0}}
    # The manager's total is the adjusted points, in points.
    totals = dict.fromkeys("abcd", 0.0)
    for name, record, players in sessions:
        for line in results_of(record, name, players):
            totals[line.player] += float(line.standard)
    for number, name in enumerate("abcd"):
        seats = [s for g in data["games"] for s in g["participants"] if s["playerId"] == number]
        assert sum(s["score"]["raw"] + s["score"]["uma"] for s in seats) == 1000 * totals[name]
    # And the same file says who sits where.
    seating = read_seating(json.dumps(data), "final.json")
    assert {name: seating.at(name, 0) for name in people} == people


# -- a tournament's seats count from East ---------------------------------------------------------


@pytest.mark.parametrize("east", range(4))
def test_a_managers_file_says_who_sits_where_whichever_side_is_east(east: int) -> None:
    record = Told(load("riichi-xjtu-2025"), [hand(8, (0,) * 4, (25000,) * 4)], east=east)
    data = tournament_file("Final", [("round-1-table-1", record, list("abcd"))])
    seating = read_seating(data.decode(), "final.json")
    assert seating.at("round-1-table-1", east) == list("abcd")
    assert seating.at("round-9-table-1", east) is None


def test_seats_of_a_csv_are_sides_whichever_side_is_east() -> None:
    seating = read_seating("session,seat0,seat1,seat2,seat3\none,A,B,C,D\n", "seating.csv")
    assert [seating.at("one", east) for east in range(4)] == [list("ABCD")] * 4


@pytest.mark.parametrize("east", [0, 1, 3])
def test_the_command_gives_each_seat_to_who_sat_there(tmp_path: Path, east: int) -> None:
    path = tmp_path / "round-1-table-1" / "journal.db"
    path.parent.mkdir()
    with Journal.open(path) as journal:
        journal.append([(1.0, EntryKind.SESSION, {"ruleset": "riichi-xjtu-2025", "east": east})])
    players = [{"name": name, "substitute": False} for name in "abcd"]
    game = {"round": 0, "table": 0, "participants": [{"playerId": n} for n in range(4)]}
    seating = tmp_path / "final.json"
    seating.write_text(json.dumps({"playerList": players, "games": [game]}))
    args = ["journal", "standings", str(path), "--seating", str(seating), "--json"]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    # 002 8.1.2: level players are told apart by the first seating, from East.
    places = [json.loads(line)["player"] for line in done.stdout.splitlines()]
    assert places == list("abcd")


def test_what_the_manager_cannot_take_is_refused() -> None:
    mcr = Told(load("mcr-1998"), [hand(1, (0, 0, 0, 0), (0, 0, 0, 0))])
    with pytest.raises(StandingsError, match="riichi with four players"):
        tournament_file("x", [("s", mcr, list("abcd"))])
    one = Told(load("riichi-xjtu-2025"), [hand(8, (0, 0, 0, 0), (25000,) * 4)])
    with pytest.raises(StandingsError, match="do not fill"):
        tournament_file("x", [("round-2-table-1", one, list("abcd"))])
    for text in ('{"games": 3}', "{", '{"playerList": [], "games": [{"participants": [{}]}]}'):
        with pytest.raises(StandingsError, match=r"seating\.json"):
            read_seating(text, "seating.json")


def test_the_command_writes_it(tmp_path: Path) -> None:
    path = played(tmp_path / "one", names=["Ann", "Bo", "Cy", "Di"])
    args = ["journal", "standings", str(path), "--tournament", "Final"]
    done = CliRunner().invoke(app, args)
    assert isinstance(done.exception, StandingsError)
    assert "mcr-2006-du" in str(done.exception)
