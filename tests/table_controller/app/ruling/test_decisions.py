"""Decisions of referees: each once, none lost, none doubled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller.app.ruling.decisions import Decisions
from table_controller.console.desk import DecisionRefusedError
from table_controller.console.forms import Decision
from table_controller.console.hub import Hub
from table_controller.record.journal import EntryKind, Journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "j.db") as journal:
        yield journal


def hub_with_alert() -> Hub:
    hub = Hub()
    hub.publish("alert", {"key": "alert-0001", "id": "wall-break", "decision": None})
    return hub


def test_a_decision_is_written_and_shown(journal: Journal) -> None:
    hub = hub_with_alert()
    decisions = Decisions(journal, hub, lambda: 12.5)
    decisions.decide("alert-0001", Decision(action="accept", by=" Li ", seen=0))
    [entry] = journal.entries([EntryKind.DECISION])
    assert entry.body["by"] == "Li"
    assert entry.t == 12.5
    alert = hub.alert("alert-0001")
    assert alert is not None
    assert alert["decision"]["action"] == "accept"


@pytest.mark.parametrize(
    ("before", "decision", "said"),
    [
        ([], Decision(action="undo", by="Li"), "no decision to take back"),
        ([], Decision(action="dismiss", by="Li"), "needs a reason"),
        ([], Decision(action="accept", by="Li", seen=4), "in the meantime"),
        (["accept"], Decision(action="accept", by="Wu", seen=0), "Li has decided in the meantime"),
        (["accept"], Decision(action="accept", by="Wu", seen=1), "already decided"),
        (["accept", "undo"], Decision(action="undo", by="Wu", seen=2), "no decision"),
    ],
)
def test_what_is_refused(
    journal: Journal, before: list[str], decision: Decision, said: str
) -> None:
    decisions = Decisions(journal, hub_with_alert(), lambda: 1.0)
    for action in before:
        decisions.decide("alert-0001", Decision(action=action, by="Li"))  # type: ignore[arg-type]
    with pytest.raises(DecisionRefusedError, match=said):
        decisions.decide("alert-0001", decision)
    assert len(list(journal.entries([EntryKind.DECISION]))) == len(before)


def test_what_was_decided_stands_after_a_restart(journal: Journal) -> None:
    Decisions(journal, hub_with_alert(), lambda: 1.0).decide(
        "alert-0001", Decision(action="dismiss", by="Li", reason="a sleeve")
    )
    hub = hub_with_alert()
    again = Decisions(journal, hub, lambda: 2.0)
    again.restore()
    alert = hub.alert("alert-0001")
    assert alert is not None
    assert alert["decision"]["reason"] == "a sleeve"
    with pytest.raises(DecisionRefusedError, match="already decided"):
        again.decide("alert-0001", Decision(action="accept", by="Li", seen=1))
    again.decide("alert-0001", Decision(action="undo", by="Li", seen=1))
