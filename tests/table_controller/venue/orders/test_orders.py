"""The hall's orders at a table: once, between hands, and answered."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from table_controller.record.journal import EntryKind
from table_controller.venue.messages import OrderKind, SessionPlan
from table_controller.venue.orders.taking import Orders
from table_controller.venue.virtual.tables import story
from tests.table_controller.venue.ordered import PLAN, AtTable


@pytest.fixture
def at(tmp_path: Path) -> Iterator[AtTable]:
    made = AtTable(tmp_path)
    yield made
    made.table.close()


def test_a_session_begins_with_a_journal_of_its_own(at: AtTable) -> None:
    before = at.table.journal.path
    at.give(OrderKind.SESSION_START, PLAN)
    assert at.table.journal.path != before
    assert at.answers() == [("session_start", "done", "r1-T01")]
    header = next(at.table.journal.entries([EntryKind.SESSION])).body
    assert header["players"] == ["a", "b", "c", "d"]
    clock = next(at.table.journal.entries([EntryKind.HAPPENING])).body
    assert (clock["kind"], clock["event"]) == ("clock", "session_started")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (OrderKind.SESSION_START, PLAN),
        (OrderKind.SESSION_END, {}),
        (OrderKind.PAUSE, {}),
        (OrderKind.SEATING, PLAN),
        (OrderKind.SETTINGS, {"ruleset": "mcr-2006-du"}),
    ],
)
def test_nothing_changes_a_running_hand(at: AtTable, kind: OrderKind, body: dict[str, Any]) -> None:
    told = at.play("tile_discarded")
    assert at.table.hand_running
    path, seen = at.table.journal.path, at.table.controller.state
    at.give(kind, body)
    assert at.answers() == [(kind.value, "waiting", "a hand is being played")]
    assert at.table.journal.path == path
    assert at.table.controller.state == seen
    at.finish(told)
    at.orders.step()
    assert at.answers()[-1][:2] == (kind.value, "done")


def test_the_tables_referee_may_let_a_pause_into_the_hand(at: AtTable) -> None:
    at.play("tile_discarded")
    order = at.give(OrderKind.PAUSE)
    at.orders.agree(order.id, "Wu", True)
    at.orders.step()
    assert at.answers()[-1] == ("pause", "done", "agreed by the table's referee Wu")
    assert at.table.reporter.paused
    at.give(OrderKind.RESUME)
    assert not at.table.reporter.paused
    other = at.give(OrderKind.SESSION_END)
    at.orders.agree(other.id, "Wu", False)
    at.orders.step()
    assert at.answers()[-1] == ("session_end", "refused", "by the table's referee Wu")
    seat = at.give(OrderKind.SEATING, PLAN)
    at.orders.agree(seat.id, "Wu", True)
    at.orders.step()
    assert at.answers()[-1][1] == "waiting"  # seats are no affair of the running hand


def test_what_waits_is_shown_also_after_a_restart(at: AtTable) -> None:
    at.play("tile_discarded")
    order = at.give(OrderKind.PAUSE)
    asked = at.table.hub.snapshot()["asked"]
    assert asked == [
        {"order": order.id, "kind": "pause", "by": "Li", "what": "", "may": True}
    ]  # fmt: skip
    at.table.hub.publish("asked", {"orders": []})
    at.orders = Orders(lambda: at.table, at.table.store, at.shelf)
    at.orders.step()
    assert at.table.hub.snapshot()["asked"] == asked
    at.orders.agree(order.id, "Wu", True)
    at.orders.step()
    assert at.table.hub.snapshot()["asked"] == []


def test_an_order_is_taken_once_also_after_a_restart(at: AtTable, tmp_path: Path) -> None:
    order = at.give(OrderKind.SESSION_START, PLAN)
    at.send(order.model_copy(update={"attempt": 2}))  # the hall had no answer yet
    assert len(at.answers()) == 1
    orders = Orders(lambda: at.table, at.table.store, at.shelf)
    orders.submit(order)
    orders.step()
    assert len(at.answers()) == 1


def test_an_order_that_waits_survives_a_restart(tmp_path: Path) -> None:
    at = AtTable(tmp_path)
    at.play("tile_discarded")
    at.give(OrderKind.SESSION_END)
    at.table.close()
    again = AtTable(tmp_path)
    assert [order.kind for order in again.orders.waiting] == [OrderKind.SESSION_END]
    again.orders.step()
    assert again.answers()[-1][:2] == ("session_end", "waiting")  # the hand still runs
    again.table.close()


def test_a_pause_and_an_end_hold_also_after_a_restart(tmp_path: Path) -> None:
    at = AtTable(tmp_path)
    at.give(OrderKind.PAUSE)
    at.table.close()
    again = AtTable(tmp_path)
    assert again.table.report()["state"] == "paused"
    again.give(OrderKind.RESUME)
    again.give(OrderKind.SESSION_END)
    again.table.close()
    last = AtTable(tmp_path)
    assert last.table.report()["state"] == "idle"
    assert last.table.reporter.ended
    last.table.close()


def raised(at: AtTable) -> str:
    """A hand with an alert; the alert's key."""
    for happening in story(0, 1, 3).happenings:
        if at.table.tell(replace(happening, t=at._t + happening.t)):
            break
    return str(next(at.table.journal.entries([EntryKind.ALERT])).body["key"])


def test_a_decision_that_is_played_back_is_refused_and_kept(at: AtTable) -> None:
    key = raised(at)
    body = {"alert": key, "session": at.table.session, "role": "referee",
            "form": {"by": "Li", "action": "accept"}}  # fmt: skip
    order = at.give(OrderKind.DECISION, body)
    assert at.answers() == [("decision", "done", f"{key}: accept")]
    at.give(OrderKind.DECISION, {**body, "form": {"by": "Li", "action": "undo"}})
    at.send(order)
    decisions = [e.body["action"] for e in at.table.journal.entries([EntryKind.DECISION])]
    assert decisions == ["accept", "undo"]
    notes = [e.body["text"] for e in at.table.journal.entries([EntryKind.NOTE])]
    assert notes == [f"decision order {order.id} was played back: refused"]


def test_what_the_table_itself_asked_for_was_not_played_back(at: AtTable) -> None:
    """A session takes a while to begin; meanwhile the table asks the hall what is still open."""
    order = at.give(OrderKind.SESSION_START, PLAN)
    at.orders.submit(order, asked_for=True)
    at.orders.step()
    # The other way round: asked for first, then it comes by itself.
    pause = order.model_copy(
        update={"id": secrets.token_hex(16), "kind": OrderKind.PAUSE, "body": {}}
    )
    at.orders.submit(pause, asked_for=True)
    at.send(pause)
    assert [kind for kind, _, _ in at.answers()] == ["session_start", "pause"]
    assert list(at.table.journal.entries([EntryKind.NOTE])) == []
    at.send(pause)
    (note,) = at.table.journal.entries([EntryKind.NOTE])
    assert note.body["text"] == f"pause order {pause.id} was played back: refused"


def test_decisions_that_cannot_be_are_refused_in_one_line(at: AtTable) -> None:
    key = raised(at)
    accept = {"by": "Li", "action": "accept"}
    for body, said in (
        ({"alert": "alert-0999", "form": accept}, "there is no alert alert-0999"),
        ({"alert": key, "session": "r9-T01", "form": accept}, "session r9-T01 is over"),
        ({"alert": key, "form": {"by": "Li", "action": "dismiss"}}, "a dismissal needs a reason"),
        ({"alert": key, "form": {"by": "Li", "action": "applaud"}}, "action"),
        ({"alert": key, "form": {**accept, "seen": 7}}, "decided in the meantime"),
    ):
        at.give(OrderKind.DECISION, body)
        kind, state, reason = at.answers()[-1]
        assert (kind, state) == ("decision", "refused")
        assert said in reason
    assert not list(at.table.journal.entries([EntryKind.DECISION]))


@pytest.mark.parametrize(
    ("kind", "body", "more", "said"),
    [
        (OrderKind.PAUSE, {}, {"at": time.time() - 4000}, "s too late"),
        (OrderKind.SESSION_START, {"session": "../x", "round": 1}, {}, "session"),
        (OrderKind.SESSION_START, {**PLAN, "ruleset": "chess"}, {}, "chess"),
        (OrderKind.SETTINGS, {"ruleset": "chess"}, {}, "chess"),
        (OrderKind.ROUND_CLOCK, {}, {}, "a time is missing"),
        (OrderKind.MODEL_USE, {"version": "v9"}, {}, "not staged here"),
        (OrderKind.MODEL_BACK, {}, {}, "no way back"),
    ],
)
def test_bad_orders_change_nothing(
    at: AtTable, kind: OrderKind, body: dict[str, Any], more: dict[str, Any], said: str
) -> None:
    path = at.table.journal.path
    at.give(kind, body, **more)
    assert at.answers()[-1][:2] == (kind.value, "refused")
    assert said in at.answers()[-1][2]
    assert at.table.journal.path == path


def test_a_plan_names_four_seats() -> None:
    with pytest.raises(ValueError, match="players"):
        SessionPlan.model_validate({**PLAN, "players": ["a"]})
