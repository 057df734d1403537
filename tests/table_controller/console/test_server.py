"""The console: what is answered, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from table_controller.console.server import ConsoleServer
from table_controller.domain.happenings import Call
from table_controller.record.journal import EntryKind
from tests.table_controller.console.asked import ALERT, BEARER, Table, bearer
from tests.table_controller.console.running import Running


@pytest.mark.parametrize(
    ("key", "body", "status"),
    [
        ("alert-0009", {"action": "accept", "by": "Li"}, 404),
        ("alert-0001", {"action": "accept"}, 422),
        ("alert-0001", {"action": "accept", "by": " "}, 422),
        ("alert-0001", {"action": "ignore", "by": "Li"}, 422),
        ("alert-0001", {"action": "accept", "by": "Li", "extra": 1}, 422),
        ("alert-0001", {"action": "accept", "by": "Li", "seen": 3}, 409),
        ("alert-0001", {"action": "dismiss", "by": "Li"}, 409),
        ("alert-0001", {"action": "change", "by": "Li"}, 409),
        (
            "alert-0001",
            {"action": "change", "by": "Li", "ruling": {"points": 10, "pay": "each"}},
            409,
        ),
        (
            "alert-0001",
            {"action": "change", "by": "Li", "ruling": {"points": -1}},
            422,
        ),
    ],
)
def test_what_a_decision_must_be(
    client: TestClient, table: Table, key: str, body: dict[str, Any], status: int
) -> None:
    table.hub.publish("alert", ALERT)
    answer = client.post(f"/api/alerts/{key}/decision", json=body, headers=BEARER)
    assert answer.status_code == status
    assert table.journal(EntryKind.DECISION) == []


def test_a_decision_sent_twice_is_taken_once(client: TestClient, table: Table) -> None:
    table.hub.publish("alert", ALERT)
    body = {"action": "accept", "by": "Li", "seen": 0, "request": "0123456789"}
    first = client.post("/api/alerts/alert-0001/decision", json=body, headers=BEARER)
    again = client.post("/api/alerts/alert-0001/decision", json=body, headers=BEARER)
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert len(table.journal(EntryKind.DECISION)) == 1


def test_a_port_in_use_is_said_in_one_line(table: Table) -> None:
    first = ConsoleServer(table.app, "127.0.0.1", 0, "token")
    try:
        with pytest.raises(OSError, match=rf"console: 127\.0\.0\.1:{first.port}"):
            ConsoleServer(table.app, "127.0.0.1", first.port, "token")
    finally:
        first._socket.close()


def test_a_form_of_this_page_says_where_it_comes_from(client: TestClient) -> None:
    # With "no-referrer" browsers send the Origin "null", and nobody could sign in by the form.
    assert client.get("/").headers["referrer-policy"] == "same-origin"
    assert client.post("/", content="token=x", headers={"Origin": "null"}).status_code == 403


def test_a_call_for_the_referee_is_answered_once_and_stays_so(
    client: TestClient, table: Table, tmp_path: Path
) -> None:
    table.running.tell([Call(t=50.0, seat=2, call="referee")])
    [call] = client.get("/api/state", headers=BEARER).json()["calls"]
    assert (call["seat"], call["answered"]) == (2, None)
    path = f"/api/calls/{call['key']}/answer"
    first = client.post(path, json={"by": "Li"}, headers=BEARER).json()
    assert client.post(path, json={"by": "Wu"}, headers=BEARER).json() == first
    none = client.post("/api/calls/call-1-1/answer", json={"by": "Li"}, headers=BEARER)
    assert none.status_code == 404
    log = client.get("/api/audit", headers=BEARER).json()
    assert (log[0]["audit"], log[0]["name"]) == ("call answered", "Li")
    table.running.journal.close()
    again = Running(tmp_path)
    assert again.hub.snapshot()["calls"][0]["answered"]["by"] == "Li"
    again.journal.close()
    # Viewers are told nothing of it.
    assert client.get("/api/state", headers=bearer("viewer")).json()["calls"] == []


def test_a_table_without_a_machine_says_so(client: TestClient) -> None:
    answer = client.post("/api/machine", json={"by": "Li", "action": "hold"}, headers=BEARER)
    assert answer.status_code == 404
    assert "no machine" in answer.json()["detail"]


def test_refusals_carry_a_name_and_what_they_speak_of(client: TestClient, table: Table) -> None:
    table.hub.publish("alert", ALERT)
    path = "/api/alerts/alert-0001/decision"
    client.post(path, json={"action": "accept", "by": "Li"}, headers=BEARER)
    body = {"action": "accept", "by": "Wu", "seen": 0}
    answer = client.post(path, json=body, headers=BEARER)
    assert answer.status_code == 409
    said = answer.json()
    assert (said["code"], said["facts"], said["insist"]) == ("meanwhile", {"who": "Li"}, False)
