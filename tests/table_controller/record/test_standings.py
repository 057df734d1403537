"""Standings: standard points, ties, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from table_controller.cli import app
from table_controller.record.standings import (
    Result,
    StandingsError,
    read_seating,
    standings,
    standings_csv,
)
from table_controller.rulesets import load
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
    ],
)
def test_bad_seating(text: str, said: str) -> None:
    with pytest.raises(StandingsError, match=said):
        read_seating(text, "seating.csv")


def test_nobody_at_a_seat(tmp_path: Path) -> None:
    path = played(tmp_path / "one")
    done = CliRunner().invoke(app, ["journal", "standings", str(path)])
    assert isinstance(done.exception, StandingsError)
    assert "nobody is named at seat 0" in str(done.exception)


def test_a_session_that_was_missed_leaves_its_cells_empty() -> None:
    lines = standings(load("mcr-1998"), [result("a", "1", 4, 9), result("b", "2", 2, 3)])
    rows = list(csv.reader(io.StringIO(standings_csv(lines))))
    assert rows[2] == ["2", "b", "2", "3", "", "", "1", "3"]
