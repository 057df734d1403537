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
from tests.table_controller.console.running import Running


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


def test_an_alert_is_named_while_the_next_one_is_raised(tmp_path: Path) -> None:
    """The console's threads ask for it, the controller's raises it."""
    table = Running(tmp_path)
    keys = table.controller._alert_keys
    keys |= {("wall-break", 1, float(t)): f"alert-{t:04d}" for t in range(1, 4)}

    class Asked(str):
        """Each look at a known alert takes so long that another one is raised."""

        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, known: object) -> bool:
            keys[("wall-break", 1, 100.0 + len(keys))] = f"alert-{len(keys):04d}"
            return str(self) == known

    assert table.controller.alert_of(Asked("alert-0003")) == ("wall-break", 1, 3.0)
    table.journal.close()
