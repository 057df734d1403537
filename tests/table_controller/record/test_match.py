"""What is paid after the last hand counts once the session is over: at the table, in the hall."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pypdf
import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.console.forms import OffenceForm, RulingForm, UndoForm
from table_controller.domain.happenings import Clock
from table_controller.game.engine import Engine
from table_controller.game.mcr.table import ChineseTable
from table_controller.record.exports import exported
from table_controller.record.fold import Fold
from table_controller.record.journal import EntryKind
from table_controller.record.match import Match
from table_controller.record.session import SessionRecord
from table_controller.record.standings import results_of
from table_controller.record.tournament_file import tournament_file
from table_controller.rulesets import load
from table_controller.venue.hall.matches import match_of
from table_controller.venue.hall.standings import StoredSession, table_of_standings
from tests.table_controller.console.running import Running
from tests.table_controller.record.played import won_by_seat_2
from tests.table_controller.record.test_ended_by_time import ABORTED, EXHAUSTED, USED_UP, told

PLAYERS = list("abcd")


@pytest.fixture
def chinese(tmp_path: Path) -> Iterator[Running]:
    """After a hand that seat 2 has won."""
    table = Running(tmp_path, "mcr-1998", PLAYERS)
    table.tell(won_by_seat_2().said)
    assert len(table.hands) == 1
    yield table
    table.journal.close()


@pytest.fixture
def riichi(tmp_path: Path) -> Iterator[Running]:
    """After a hand that somebody has won."""
    table = Running(tmp_path, "riichi-xjtu-2025", PLAYERS)
    wish = HandWish(win_by="self", riichi=True)
    table.tell(Director(Scenario(ruleset="riichi-xjtu-2025", seed=3, wishes=(wish,))).truth())
    table.controller.t += 60.0
    table.controller.judge([])
    assert len(table.hands) == 1
    yield table
    table.journal.close()


def enter(table: Running, seat: int, ruling: RulingForm) -> None:
    form = OffenceForm(by="Li", seat=seat, about="speech", ruling=ruling)
    table.desk.enter(form, "referee")
    table.settle()


def end(table: Running) -> None:
    table.tell([Clock(t=table.controller.t + 10.0, event="session_ended")])


def record(table: Running) -> SessionRecord:
    return SessionRecord.of_journal(table.journal)


def in_the_hall(table: Running) -> StoredSession:
    """The session as the hall holds it: entries, and hands as they were settled last."""
    entries = list(table.journal.entries())
    settled = {e.body["key"]: e.body for e in entries if e.kind is EntryKind.HAND}
    hands = tuple(settled[key] for key in sorted(settled))
    header = next(e.body for e in entries if e.kind is EntryKind.SESSION)
    folded = {EntryKind.SESSION, EntryKind.HAPPENING, EntryKind.CORRECTION, EntryKind.DECISION,
              EntryKind.ALERT}  # fmt: skip
    stored = StoredSession("T01", header, hands)
    match = match_of([e for e in entries if e.kind in folded], hands, "T01")
    return stored if match is None else StoredSession("T01", header, hands, match)


def scores_in_the_hall(table: Running) -> dict[str, int]:
    stored = in_the_hall(table)
    assert list(stored.scores) == record(table).scores
    lines = table_of_standings(stored.ruleset, [stored])
    return {line["player"]: line["score"] for line in lines}


def by_player(scores: Sequence[int]) -> dict[str, int]:
    return dict(zip(PLAYERS, scores, strict=True))


def at_the_table(table: Running) -> dict[str, int]:
    return {one.player: one.score for one in results_of(record(table), "s")}


@pytest.mark.parametrize(
    ("case", "result", "reason"),
    [
        (USED_UP, "exhausted", None),
        (EXHAUSTED, "exhausted", None),
        (ABORTED, "abort", "four_winds"),
    ],
)
def test_a_hand_that_only_waits_for_its_end_counts_when_the_session_is_ended(
    tmp_path: Path, case: tuple[Any, ...], result: str, reason: str | None
) -> None:
    ruleset, wish, last, _ = case
    table = Running(tmp_path, ruleset, PLAYERS)
    table.tell(told(ruleset, wish, last))
    table.tell([Clock(t=table.controller.t + 1.0, event="session_ended")])
    assert [(hand["result"], hand["reason"]) for hand in table.hands] == [(result, reason)]
    table.journal.close()


def test_points_after_the_last_hand_count_once_the_session_is_over(chinese: Running) -> None:
    before = chinese.hands[0]["scores"]
    enter(chinese, 2, RulingForm(points=90, pay="each"))
    # Another hand would settle it.
    assert chinese.desk.sheet()["totals"]["scores"] == before
    assert at_the_table(chinese) == scores_in_the_hall(chinese) == by_player(before)
    end(chinese)
    after = [before[0] + 30, before[1] + 30, before[2] - 90, before[3] + 30]
    totals = chinese.desk.sheet()["totals"]
    assert totals["scores"] == after
    assert totals["penalties"] == [30, 30, -90, 30]
    assert at_the_table(chinese) == scores_in_the_hall(chinese) == by_player(after)
    ranks = {one.player: one.rank for one in results_of(record(chinese), "s")}
    assert ranks["c"] == 4


def test_a_penalty_that_is_changed_after_the_end_counts_as_changed(chinese: Running) -> None:
    before = chinese.hands[0]["scores"]
    end(chinese)
    enter(chinese, 1, RulingForm(points=10, pay="nobody"))
    assert record(chinese).scores == [before[0], before[1] - 10, *before[2:]]
    [order] = chinese.ruled.corrections.standing()
    chinese.desk.undo(order["number"], UndoForm(by="Li"), "referee")
    chinese.settle()
    assert record(chinese).scores == before
    assert scores_in_the_hall(chinese) == by_player(before)


def test_the_sheets_have_a_line_of_it(chinese: Running) -> None:
    before = chinese.hands[0]["scores"]
    enter(chinese, 0, RulingForm(points=10, pay="nobody"))
    for form in ("csv", "xlsx", "pdf", "json"):
        assert "终局" not in text(record(chinese), form)
    end(chinese)
    rows = list(csv.reader(io.StringIO(text(record(chinese), "csv"))))
    assert all(len(row) == 17 for row in rows)
    line = next(row for row in rows if row[0].startswith("终局"))
    after = [before[0] - 10, *before[1:]]
    assert [int(cell) for cell in line[5:13]] == [-10, 0, 0, 0, *after]
    assert [int(cell) for cell in rows[rows.index(line) + 1][9:13]] == after
    for form in ("xlsx", "pdf"):
        assert "终局" in text(record(chinese), form)
    body = json.loads(text(record(chinese), "json"))
    assert [(one["id"], one["ruling"]["points"]) for one in body["rulings"]] == [("other", 10)]
    assert body["totals"]["scores"] == after


def text(of: SessionRecord, form: str) -> str:
    content = exported(of, form)[2]
    if form == "xlsx":
        sheet = openpyxl.load_workbook(io.BytesIO(content)).worksheets[0]
        return "\n".join(str(cell) for row in sheet.iter_rows(values_only=True) for cell in row)
    if form == "pdf":
        reader = pypdf.PdfReader(io.BytesIO(content))
        return "\n".join(page.extract_text() for page in reader.pages)
    return content.decode("utf-8-sig")


def in_the_halls_rows(table: Running) -> list[int]:
    """Points of a riichi match, by side."""
    rows = {row["seat"]: row["points"] for row in in_the_hall(table).match.rows}
    return [rows[seat] for seat in range(4)]


def test_a_riichi_match_is_ranked_with_what_was_entered_after_its_last_hand(
    riichi: Running,
) -> None:
    before = riichi.hands[0]["scores"]
    end(riichi)
    first = record(riichi).scores
    assert sum(first) == sum(before) + 1000 * riichi.controller.state["sticks"]
    for _ in range(5):
        enter(riichi, 2, RulingForm(warning=True))
    enter(riichi, 1, RulingForm(points=3000, pay="each"))
    # 9.1.4: five warnings of a match cost 1500 to each other player.
    assert record(riichi).scores == in_the_halls_rows(riichi) == [
        first[0] + 1500 + 1000, first[1] + 1500 - 3000, first[2] - 4500 + 1000,
        first[3] + 1500 + 1000,
    ]  # fmt: skip
    totals = riichi.desk.sheet()["totals"]
    assert totals["scores"] == in_the_halls_rows(riichi)
    assert totals["penalties"] == [2500, -1500, -3500, 2500]
    assert at_the_table(riichi) == scores_in_the_hall(riichi)
    sessions = [("round-1-table-1", record(riichi), PLAYERS)]
    game = json.loads(tournament_file("Final", sessions))["games"][0]
    raw = {seat["playerId"]: seat["score"]["raw"] for seat in game["participants"]}
    start = load("riichi-xjtu-2025").tournament.start_points
    assert [raw[player] + start for player in range(4)] == in_the_halls_rows(riichi)


def test_a_riichi_match_that_goes_on_stands_as_in_the_hall(riichi: Running) -> None:
    enter(riichi, 1, RulingForm(points=3000, pay="each"))
    for _ in range(5):
        enter(riichi, 2, RulingForm(warning=True))
    assert at_the_table(riichi) == by_player(in_the_halls_rows(riichi))
    # On the sheet stands what is on the table.
    assert record(riichi).scores == list(record(riichi).hands[-1].scores)


@pytest.mark.parametrize(
    ("hand", "phase", "more", "over"),
    [
        (15, "over", {}, False),
        (16, "play", {}, False),
        (16, "over", {}, True),
        # The last hand was void: the same dealer deals again.
        (16, "over", {"redeal": True}, False),
        (17, "wall", {}, True),
        # 000 Q147: the hand in which the time runs out is the last.
        (3, "play", {"time_up": True}, False),
        (3, "over", {"time_up": True}, True),
    ],
)
def test_when_a_session_of_chinese_rules_is_over(
    hand: int, phase: Any, more: dict[str, bool], *, over: bool
) -> None:
    engine = Engine(load("mcr-1998"), 0)
    table = engine.best
    assert isinstance(table, ChineseTable)
    table.hand, table.phase = hand, phase
    for name, value in more.items():
        setattr(table, name, value)
    assert Match.of(Fold((), engine), ended=False).over is over
    assert Match.of(Fold((), engine), ended=True).over
