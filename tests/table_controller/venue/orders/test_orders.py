"""The hall's orders at a table: once, between hands, and answered."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from table_controller.domain.happenings import Call, call_key
from table_controller.record.journal import EntryKind
from table_controller.venue.messages import Order, OrderKind, SessionPlan
from table_controller.venue.orders.tablestore import TableStore
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
    assert at.paused()
    at.give(OrderKind.RESUME)
    assert not at.paused()
    other = at.give(OrderKind.SESSION_END)
    at.orders.agree(other.id, "Wu", False)
    at.orders.step()
    assert at.answers()[-1] == ("session_end", "refused", "by the table's referee Wu")
    seat = at.give(OrderKind.SEATING, PLAN)
    at.orders.agree(seat.id, "Wu", True)
    at.orders.step()
    assert at.answers()[-1][1] == "waiting"  # seats are no affair of the running hand


def test_going_on_takes_a_pause_back_that_still_waits(at: AtTable) -> None:
    told = at.play("tile_discarded")
    at.give(OrderKind.PAUSE)
    end = at.give(OrderKind.SESSION_END)
    at.give(OrderKind.RESUME)
    assert at.answers()[-2:] == [
        ("pause", "refused", "the hall took it back"), ("resume", "done", "")
    ]  # fmt: skip
    assert [order.id for order in at.orders.waiting] == [end.id]
    # A pause that was given after it holds, in whatever order they come.
    pause = at.give(OrderKind.PAUSE)
    at.give(OrderKind.RESUME, at=pause.at - 1)
    assert [order.id for order in at.orders.waiting] == [end.id, pause.id]
    at.give(OrderKind.RESUME)
    at.finish(told)
    at.orders.step()
    assert not at.table.reporter.paused


def small_disk(at: AtTable, pages: int) -> None:
    """No file may grow beyond so many pages: SQLite says what it says on a full disk."""
    for db in (at.table.journal._db, at.table.store._db):
        db.execute(f"PRAGMA max_page_count = {pages}")


def test_a_full_disk_holds_up_answers_and_ends_no_table(at: AtTable, tmp_path: Path) -> None:
    key = raised(at)
    held = at.give(OrderKind.PAUSE)
    assert at.answers()[-1][:2] == ("pause", "waiting")
    for db in (at.table.journal._db, at.table.store._db):
        db.execute("CREATE TABLE filler (x)")
    small_disk(at, 1)
    while not at.table.journal.waiting:
        at.table.controller.note(at.table.t, "x" * 500)
    with pytest.raises(sqlite3.OperationalError, match="full"):
        at.table.store._db.execute("INSERT INTO filler VALUES (zeroblob(100000))")
    before = at.answers()
    form = {"by": "Li", "action": "accept"}
    orders = [
        at.give(OrderKind.PAUSE, {"much": "x" * 5000}),
        at.give(OrderKind.ROUND_CLOCK, {"ends": 1.0}),
        at.give(OrderKind.SETTINGS, {"ruleset": "chess"}),
        at.give(OrderKind.DECISION, {"alert": key, "session": at.table.session, "form": form}),
    ]
    at.orders.agree(held.id, "Wu", True)
    at.orders.step()
    at.send(orders[0])  # played back, which is noted
    assert at.table.reporter.paused
    # Each is known, though nothing of it is written yet.
    assert all(at.orders.known(order.id) for order in orders)
    assert at.answers() == before
    small_disk(at, 100_000)
    at.give(OrderKind.RESUME)
    states = dict(answer[:2] for answer in at.answers())
    assert states == {"pause": "refused", "round_clock": "done", "settings": "waiting",
                      "decision": "refused", "resume": "done"}  # fmt: skip
    again = TableStore(tmp_path / "venue.db")
    assert [again.seen(order.id) for order in orders] == ["refused", "done", "waiting", "refused"]
    assert [Order.model_validate_json(body).id for body in again.waiting()] == [orders[2].id]
    again.close()


def test_a_call_is_answered_at_the_table_by_who_answers_it_in_the_hall(at: AtTable) -> None:
    t = at._t
    at.table.tell(Call(t=t, seat=2, call="referee"))
    (call,) = at.table.hub.snapshot()["calls"]
    body = {"call": call_key(t, 2), "session": at.table.session, "role": "referee"}
    assert call["key"] == body["call"]
    for _ in range(2):
        at.give(OrderKind.ANSWER, body)
        assert at.answers()[-1] == ("answer", "done", "")
    (call,) = at.table.hub.snapshot()["calls"]
    assert call["answered"]["by"] == "Li"
    (note,) = at.table.journal.entries([EntryKind.NOTE])
    assert (note.body["call"], note.body["name"]) == (call["key"], "Li")
    for changed, said in (
        ({"call": "call-1-1"}, "there is no call call-1-1"),
        ({"session": "r9-T01"}, "session r9-T01 is over at this table"),
    ):
        at.give(OrderKind.ANSWER, body | changed)
        assert at.answers()[-1] == ("answer", "refused", said)


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
