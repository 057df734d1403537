"""The console: who gets in, what is answered, how a client catches up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from table_controller.console.hub import _BACKLOG, Hub
from table_controller.console.server import (
    COOKIE,
    ConsoleServer,
    Decision,
    DecisionRefusedError,
    build_app,
    new_token,
)

TOKEN = "a-token-of-the-table"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


class Table:
    """A hub, an evidence folder and a decider that remembers."""

    def __init__(self, root: Path) -> None:
        self.hub = Hub()
        self.taken: list[tuple[str, Decision]] = []
        evidence = root / "evidence"
        (evidence / "alert-1").mkdir(parents=True)
        (evidence / "alert-1" / "before.jpg").write_bytes(b"jpeg")
        (root / "secret.txt").write_text("secret")
        self.app = build_app(self.hub, TOKEN, evidence, self.decide)

    def decide(self, key: str, decision: Decision) -> dict[str, Any]:
        if decision.seen:
            raise DecisionRefusedError("somebody else has decided in the meantime")
        self.taken.append((key, decision))
        return {"number": len(self.taken)}


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture
def client(table: Table) -> Iterator[TestClient]:
    with TestClient(table.app) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/", {}, 401),
        ("/?token=wrong", {}, 401),
        ("/api/state", {}, 401),
        ("/api/state", {"Authorization": "Bearer wrong"}, 401),
        ("/api/state", {"Authorization": TOKEN}, 401),
        ("/api/state", {"Cookie": f"{COOKIE}=wrong"}, 401),
        ("/api/state", BEARER, 200),
        ("/api/state", {"Cookie": f"{COOKIE}={TOKEN}"}, 200),
        ("/evidence/alert-1/before.jpg", {}, 401),
        ("/evidence/alert-1/before.jpg", BEARER, 200),
        ("/evidence/alert-1/none.jpg", BEARER, 404),
        ("/evidence/%2e%2e/secret.txt", BEARER, 404),
        ("/evidence/..%2f/secret.txt", BEARER, 404),
    ],
)
def test_who_gets_in(client: TestClient, path: str, headers: dict[str, str], status: int) -> None:
    assert client.get(path, headers=headers).status_code == status


def test_the_printed_link_signs_in(client: TestClient) -> None:
    answer = client.get(f"/?token={TOKEN}", follow_redirects=False)
    assert answer.status_code == 303
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    assert client.get("/").status_code == 200
    assert "frame-ancestors 'none'" in client.get("/").headers["content-security-policy"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Cookie": f"{COOKIE}={TOKEN}", "Origin": "http://elsewhere"}, 403),
        ({"Cookie": f"{COOKIE}={TOKEN}", "Origin": "http://testserver"}, 200),
        (BEARER, 200),
    ],
)
def test_a_decision_must_come_from_the_page(
    client: TestClient, table: Table, headers: dict[str, str], status: int
) -> None:
    table.hub.publish("alert", {"key": "1", "id": "wall-break"})
    body = {"action": "accept", "by": "Li"}
    answer = client.post("/api/alerts/1/decision", json=body, headers=headers)
    assert answer.status_code == status
    assert len(table.taken) == (status == 200)


@pytest.mark.parametrize(
    ("key", "body", "status"),
    [
        ("9", {"action": "accept", "by": "Li"}, 404),
        ("1", {"action": "accept"}, 422),
        ("1", {"action": "accept", "by": ""}, 422),
        ("1", {"action": "ignore", "by": "Li"}, 422),
        ("1", {"action": "accept", "by": "Li", "extra": 1}, 422),
        ("1", {"action": "accept", "by": "Li", "seen": 3}, 409),
    ],
)
def test_what_a_decision_must_be(
    client: TestClient, table: Table, key: str, body: dict[str, Any], status: int
) -> None:
    table.hub.publish("alert", {"key": "1", "id": "wall-break"})
    answer = client.post(f"/api/alerts/{key}/decision", json=body, headers=BEARER)
    assert answer.status_code == status
    assert table.taken == []


def test_the_feed_starts_with_the_state_and_goes_on(client: TestClient, table: Table) -> None:
    table.hub.publish("move", {"t": 1, "move": "draw"})
    with client.websocket_connect("/api/feed", headers=BEARER) as feed:
        first = feed.receive_json()
        assert first["type"] == "state"
        assert first["body"]["moves"] == [{"t": 1, "move": "draw"}]
        table.hub.publish("move", {"t": 2, "move": "discard"})
        assert feed.receive_json() == {"n": 2, "type": "move", "body": {"t": 2, "move": "discard"}}


def test_a_client_catches_up_with_what_it_missed(client: TestClient, table: Table) -> None:
    for t in range(5):
        table.hub.publish("move", {"t": t, "move": "draw"})
        table.hub.publish("view", {"t": t})
    with client.websocket_connect("/api/feed?after=6", headers=BEARER) as feed:
        got = [feed.receive_json() for _ in range(3)]
    assert [message["body"]["t"] for message in got] == [3, 4, 4]
    assert [message["type"] for message in got] == ["move", "move", "view"]


def test_too_long_away_gets_the_whole_state(client: TestClient, table: Table) -> None:
    for t in range(_BACKLOG + 5):
        table.hub.publish("move", {"t": t, "move": "draw"})
    with client.websocket_connect("/api/feed?after=2", headers=BEARER) as feed:
        assert feed.receive_json()["type"] == "state"


@pytest.mark.parametrize("headers", [{}, {"Cookie": f"{COOKIE}={TOKEN}", "Origin": "http://x"}])
def test_the_feed_is_closed_to_others(client: TestClient, headers: dict[str, str]) -> None:
    with (
        pytest.raises(WebSocketDisconnect) as caught,
        client.websocket_connect("/api/feed", headers=headers),
    ):
        pass
    assert caught.value.code == 4401


def test_a_decision_shows_on_the_alert(table: Table) -> None:
    table.hub.publish("alert", {"key": "1", "id": "wall-break"})
    table.hub.publish("decision", {"key": "1", "decision": {"action": "accept"}})
    alert = table.hub.alert("1")
    assert alert is not None
    assert alert["decision"] == {"action": "accept"}


def test_a_port_in_use_is_said_in_one_line(table: Table) -> None:
    first = ConsoleServer(table.app, "127.0.0.1", 0, TOKEN)
    try:
        with pytest.raises(OSError, match=rf"console: 127\.0\.0\.1:{first.port}"):
            ConsoleServer(table.app, "127.0.0.1", first.port, TOKEN)
    finally:
        first._socket.close()


def test_the_server_answers_and_stops(table: Table) -> None:
    import httpx2 as httpx

    server = ConsoleServer(table.app, "127.0.0.1", 0, TOKEN)
    server.start()
    try:
        answer = httpx.get(f"http://127.0.0.1:{server.port}/api/state", headers=BEARER)
        assert answer.status_code == 200
        assert httpx.get(server.url, follow_redirects=False).status_code == (
            303 if TOKEN in server.url else 401
        )
    finally:
        server.stop()


def test_tokens_differ() -> None:
    assert len({new_token() for _ in range(100)}) == 100
