"""A decision about one alert changes what the rules say of another: its card says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_controller.app.table.driving import _costs
from table_controller.console.desk import NotThereError
from table_controller.console.forms import (
    CorrectionForm,
    Decision,
    InsertionForm,
    RulingForm,
    UndoForm,
)
from table_controller.domain.codec import to_object
from table_controller.record.journal import EntryKind
from table_controller.venue.table.report import Reporter
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene

FIRST, SECOND = "alert-0001", "alert-0002"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Running]:
    """Seat 1 has drawn prematurely twice: a warning, then 5 points (000 Q155(1))."""
    running = Running(tmp_path, "mcr-1998")
    scene = Scene().start()
    for _ in range(2):
        scene.take(1, scene.front(), 0.5)
        scene.play(wait=1.5)
        scene.play().rounds(2).draw()
    running.tell(scene.play().said)
    assert [said(running, key) for key in running.alerts] == [(1, 0, True), (2, 5, False)]
    yield running
    running.journal.close()


def said(table: Running, key: str) -> tuple[int, int, bool]:
    """Which occurrence it is, what it costs, and whether it is a warning."""
    alert = table.alerts[key]
    assert alert["id"] == "premature-draw"
    return alert["count"], alert["ruling"]["points"], alert["ruling"]["warning"]


def decide(table: Running, key: str, action: Any, **more: Any) -> None:
    table.desk.decide(key, Decision(action=action, by="Li", reason="seen", **more), "referee")
    table.settle()


def test_the_second_is_the_first_once_the_other_one_is_dismissed(table: Running) -> None:
    decide(table, FIRST, "dismiss")
    assert said(table, SECOND) == (1, 0, True)
    # It no longer holds back the next wall.
    assert not _costs(table.alerts[SECOND])
    assert table.alerts[SECOND]["decision"] is None
    assert table.alerts[SECOND]["title"]["en"]
    decide(table, FIRST, "undo")
    assert said(table, SECOND) == (2, 5, False)


def test_who_accepted_it_sees_what_is_in_force(table: Running) -> None:
    decide(table, SECOND, "accept")
    decide(table, FIRST, "dismiss")
    assert said(table, SECOND) == (1, 0, True)
    assert table.alerts[SECOND]["decision"]["action"] == "accept"


def test_what_the_referee_has_changed_goes_on_showing_what_was_proposed(table: Running) -> None:
    decide(table, SECOND, "change", ruling=RulingForm(points=9, pay="nobody"))
    assert said(table, SECOND) == (2, 5, False)
    decide(table, FIRST, "dismiss")
    assert said(table, SECOND) == (2, 5, False)
    decide(table, SECOND, "undo")
    assert said(table, SECOND) == (1, 0, True)


def test_a_correction_does_the_same(table: Running) -> None:
    """The first of the two draws never was."""
    happenings = table.controller.happenings
    t = table.alerts[FIRST]["t"]
    drawn = next(n for n, one in enumerate(happenings) if one.kind == "tile_drawn" and one.t >= t)
    # The tile was drawn after the discard.
    body = to_object(happenings[drawn]) | {"t": happenings[drawn + 1].t + 0.2}
    remove = CorrectionForm(by="Li", at=drawn, happening=None, insist=True)
    insert = InsertionForm(by="Li", at=drawn + 2, happening=body, insist=True)
    table.desk.correct(remove, "referee")
    table.desk.insert(insert, "referee")
    table.settle()
    assert table.alerts[FIRST]["withdrawn"]
    assert said(table, SECOND) == (1, 0, True)


def test_nothing_is_said_of_alerts_that_stay_as_they_are(table: Running) -> None:
    told: list[str] = []
    table.hub.tap(lambda kind, body: told.append(body["key"]) if kind == "alert" else None)
    decide(table, SECOND, "dismiss")
    assert told == []
    assert said(table, FIRST) == (1, 0, True)


def written(table: Running, key: str) -> list[dict[str, Any]]:
    """What the journal says of an alert, oldest first."""
    entries = table.journal.entries([EntryKind.ALERT])
    return [entry.body for entry in entries if entry.body["key"] == key]


def test_the_journal_says_what_holds_now(table: Running, tmp_path: Path) -> None:
    """Others read the journal: a hall, and this table after a restart."""
    decide(table, FIRST, "dismiss")
    first, second = written(table, SECOND)
    assert (first["count"], second["count"]) == (2, 1)
    assert second["ruling"]["warning"]
    assert not second["withdrawn"]
    assert {**first, **{name: second[name] for name in ("count", "ruling", "rule")}} == {
        name: fact for name, fact in second.items() if name != "withdrawn"
    }
    assert len(written(table, FIRST)) == 1
    again = Running(tmp_path)
    assert said(again, SECOND) == (1, 0, True)
    assert again.controller.counters.alerts == 2
    # Nothing is written that stands there already, and a number is given once.
    assert len(written(again, SECOND)) == 2
    decide(again, FIRST, "undo")
    assert written(again, SECOND)[-1]["count"] == 2
    assert [len(written(again, key)) for key in (FIRST, SECOND)] == [1, 3]
    again.journal.close()


def test_what_is_written_again_is_whole(table: Running, tmp_path: Path) -> None:
    """Nobody's seat stays nobody's; a stage that holds no longer is left out."""
    body = {"key": "alert-0003", "id": "fifth-tile", "seat": None, "t": 9.0, "stage": "late"}
    table.journal.append([(9.0, EntryKind.ALERT, body)])
    again = Running(tmp_path)
    again.controller.restate("alert-0003", stage=None, count=2, withdrawn=True)
    kept = {name: fact for name, fact in body.items() if name != "stage"}
    assert written(again, "alert-0003")[-1] == {**kept, "count": 2, "withdrawn": True}
    assert again.controller.counters.alerts == 3
    again.journal.close()


def test_what_the_referee_has_changed_is_no_proposal_after_a_restart(
    table: Running, tmp_path: Path
) -> None:
    decide(table, SECOND, "change", ruling=RulingForm(points=9, pay="nobody"))
    again = Running(tmp_path)
    assert said(again, SECOND) == (2, 5, False)
    assert len(written(again, SECOND)) == 1
    assert again.alerts[SECOND]["decision"]["ruling"]["points"] == 9
    decide(again, SECOND, "undo")
    assert said(again, SECOND) == (2, 5, False)
    assert len(written(again, SECOND)) == 1
    again.journal.close()


def test_an_alert_that_is_withdrawn_is_written_and_not_decided(
    table: Running, tmp_path: Path
) -> None:
    before = Reporter(table.hub, "s")
    assert before.report()["open_alerts"] == 2
    happenings = table.controller.happenings
    t = table.alerts[FIRST]["t"]
    drawn = next(n for n, one in enumerate(happenings) if one.kind == "tile_drawn" and one.t >= t)
    body = to_object(happenings[drawn]) | {"t": happenings[drawn + 1].t + 0.2}
    table.desk.correct(CorrectionForm(by="Li", at=drawn, happening=None, insist=True), "referee")
    order = table.desk.insert(
        InsertionForm(by="Li", at=drawn + 2, happening=body, insist=True), "referee"
    )
    table.settle()
    assert [bool(one.get("withdrawn")) for one in written(table, FIRST)] == [False, True]
    with pytest.raises(NotThereError, match=f"{FIRST} no longer stands"):
        table.desk.decide(FIRST, Decision(action="accept", by="Li"), "referee")
    for reporter in (before, Reporter(table.hub, "s")):
        assert reporter.report()["open_alerts"] == 1
    again = Running(tmp_path)
    before = Reporter(again.hub, "s")
    assert again.alerts[FIRST]["withdrawn"]
    assert len(written(again, FIRST)) == 2
    for number in (order["number"], order["number"] - 1):
        again.desk.undo(number, UndoForm(by="Li"), "referee")
    again.settle()
    assert [bool(one.get("withdrawn")) for one in written(again, FIRST)] == [False, True, False]
    for reporter in (before, Reporter(again.hub, "s")):
        assert reporter.report()["open_alerts"] == 2
    again.journal.close()


def test_who_decides_meanwhile_is_not_overwritten(table: Running) -> None:
    """The other tablet's decision comes between the look at the card and its publication."""
    alert = table.hub.alert

    def slow(key: str) -> dict[str, Any] | None:
        known = alert(key)
        if key == SECOND and known is not None and known["decision"] is None:
            table.hub.alert = alert  # type: ignore[method-assign]
            form = Decision(action="accept", by="Wu")
            table.desk.decide(SECOND, form, "referee")
        return known

    table.desk.decide(FIRST, Decision(action="dismiss", by="Li", reason="seen"), "referee")
    table.hub.alert = slow  # type: ignore[method-assign]
    table.settle()
    assert table.alerts[SECOND]["decision"]["by"] == "Wu"
    assert said(table, SECOND) == (1, 0, True)
