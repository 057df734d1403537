"""A hand that no happening ended: on the sheet, in every form, confirmed, protested against."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import ConfirmForm, CorrectionForm, ProtestForm
from table_controller.domain.happenings import (
    DiceRemoved,
    HandShown,
    Happening,
    TileDiscarded,
)
from table_controller.domain.outputs import HandRecord, Output
from table_controller.record.exports import exported
from table_controller.record.journal import Journal
from table_controller.record.session import SessionRecord
from table_controller.record.standings import results_of
from tests.table_controller.console.running import Running
from tests.table_controller.record.played import won_by_seat_2

PLAYERS = ["Ann", "Bo", "Cy", "Di"]


def told(ruleset: str, wish: HandWish, last: type[Happening]) -> Sequence[Happening]:
    """A hand up to the last happening of a kind."""
    story = Director(Scenario(ruleset=ruleset, seed=6, wishes=(wish,))).truth()
    end = max(happening.t for happening in story if isinstance(happening, last))
    return [happening for happening in story if happening.t <= end]


USED_UP = ("mcr-1998", HandWish(win_by="none", claims=0.0, riichi=False), TileDiscarded, 11.0)
EXHAUSTED = (
    "riichi-xjtu-2025",
    HandWish(win_by="none", claims=0.0, riichi=False),
    TileDiscarded,
    46.0,
)
WON = ("riichi-xjtu-2025", HandWish(win_by="self"), HandShown, 46.0)
ABORTED = ("riichi-xjtu-2025", HandWish(abort="four_winds"), TileDiscarded, 6.0)


@pytest.mark.parametrize(
    ("ruleset", "wish", "last", "wait", "result", "confirmed"),
    [
        (*USED_UP, "exhausted", True),
        (*EXHAUSTED, "exhausted", True),
        (*WON, "win", False),
        (*ABORTED, "abort", False),
    ],
)
def test_it_is_on_the_sheet_and_in_the_standings(
    tmp_path: Path,
    ruleset: str,
    wish: HandWish,
    last: type[Happening],
    wait: float,
    result: str,
    *,
    confirmed: bool,
) -> None:
    table = Running(tmp_path, ruleset, PLAYERS)
    table.tell(told(ruleset, wish, last))
    assert table.hands == []
    assert table.desk.sheet()["hands"] == []
    assert len(table.desk.timeline()["steps"]) == len(table.controller.happenings)
    table.controller.t += wait
    table.controller.judge([])
    [hand] = table.hands
    assert (hand["result"], hand["confirmed"]) == (result, confirmed)
    [line] = table.desk.sheet()["hands"]
    assert (line["result"], line["confirmed"], line["scores"]) == (
        result,
        confirmed,
        hand["scores"],
    )
    protest = ProtestForm(by="Li", about="hand-001", seat=1, reason="he had not passed")
    assert table.desk.protest(protest, "referee")["hand"] == "hand-001"
    form = ConfirmForm(by="Li", steps=())
    if confirmed:
        with pytest.raises(DecisionRefusedError, match="confirmed already"):
            table.desk.confirm("hand-001", form, "referee")
    else:
        table.desk.confirm("hand-001", form, "referee")
        table.settle()
        assert table.hands[0]["confirmed"]
    # The process is killed: the journal alone tells how the hand ended.
    table.journal.close()
    with Journal.open(tmp_path / "journal.db", read_only=True) as journal:
        record = SessionRecord.of_journal(journal)
    assert [list(hand.scores) for hand in record.hands] == [hand["scores"]]
    assert record.confirmed == [True]
    rows = list(csv.reader(io.StringIO(exported(record, "csv")[2].decode("utf-8-sig"))))
    assert [int(cell) for cell in rows[1][9:13]] == hand["scores"]
    assert sum(one.score for one in results_of(record, "s")) == sum(hand["scores"])


def test_the_referee_need_not_wait_for_hands_that_are_ready(tmp_path: Path) -> None:
    ruleset, wish, last, _ = EXHAUSTED
    table = Running(tmp_path, ruleset, PLAYERS)
    table.tell(told(ruleset, wish, last)[:-1])
    form = ConfirmForm(by="Li", steps=())
    with pytest.raises(NotThereError):
        table.desk.confirm("hand-001", form, "referee")
    table.tell(told(ruleset, wish, last)[-1:])
    assert table.hands == []
    table.desk.confirm("hand-001", form, "referee")
    table.settle()
    assert [(hand["result"], hand["confirmed"]) for hand in table.hands] == [("exhausted", True)]
    table.journal.close()


def test_a_hand_that_the_tables_stop_ended_is_in_the_record(tmp_path: Path) -> None:
    table = Running(tmp_path, "mcr-1998", PLAYERS)
    table.tell(won_by_seat_2(close=False).said)
    table.controller.finish()
    table.journal.close()
    with Journal.open(tmp_path / "journal.db", read_only=True) as journal:
        record = SessionRecord.of_journal(journal)
    assert [(hand.result, hand.confirmed) for hand in record.hands] == [("win", False)]
    # Begun again, it is under check as it was.
    again = Running(tmp_path, "mcr-1998", PLAYERS)
    assert again.hands == []
    assert again.desk.sheet()["hands"] == []
    again.desk.confirm("hand-001", ConfirmForm(by="Li", steps=("declared", "agreed")), "referee")
    again.settle()
    assert [line["confirmed"] for line in again.desk.sheet()["hands"]] == [True]
    again.journal.close()


def test_what_time_brings_while_an_order_is_tried_is_not_the_orders_doing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A won hand is settled after 45 s; between two folds of a long session time goes on."""
    ruleset, wish, last, _ = WON
    table = Running(tmp_path, ruleset, PLAYERS)
    story = told(ruleset, wish, last)
    table.tell(story)
    compared: list[list[int]] = []

    def judge(*folds: list[Output], insist: bool) -> None:
        compared.append([sum(isinstance(o, HandRecord) for o in fold) for fold in folds])

    def later() -> float:
        table.controller.t += 30.0
        return table.controller.t

    monkeypatch.setattr("table_controller.app.ruling.corrections.judge", judge)
    monkeypatch.setattr(table.ruled.corrections, "_now", later)
    at = next(n for n, one in enumerate(story) if isinstance(one, DiceRemoved))
    form = CorrectionForm(by="Li", at=at, happening=None)
    table.desk.correct(form, "referee")
    assert compared == [[0, 0]]
    table.journal.close()
