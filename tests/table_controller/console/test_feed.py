"""The feed: the state first, then what is new; who was away catches up."""

from __future__ import annotations

import time

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from table_controller.console.access import Role
from table_controller.console.hub import _BACKLOG, Hub
from tests.table_controller.console.asked import BEARER, TOKENS, Table


def test_the_feed_starts_with_the_state_and_goes_on(client: TestClient, table: Table) -> None:
    table.hub.publish("move", {"t": 1, "move": "draw"})
    with client.websocket_connect("/api/feed", headers=BEARER) as feed:
        first = feed.receive_json()
        number = first["body"]["n"]
        assert first["type"] == "state"
        assert first["body"]["moves"] == [{"t": 1, "move": "draw"}]
        table.hub.publish("move", {"t": 2, "move": "discard"})
        assert feed.receive_json() == {
            "n": number + 1,
            "type": "move",
            "body": {"t": 2, "move": "discard"},
        }


def test_a_client_catches_up_with_what_it_missed(client: TestClient, table: Table) -> None:
    start = table.hub.snapshot()["n"]
    for t in range(5):
        table.hub.publish("move", {"t": t, "move": "draw"})
        table.hub.publish("view", {"t": t})
    with client.websocket_connect(f"/api/feed?after={start + 6}", headers=BEARER) as feed:
        got = [feed.receive_json() for _ in range(4)]
    assert [message["body"].get("t") for message in got] == [3, 4, 4, None]
    assert [message["type"] for message in got] == ["move", "move", "view", "game"]


def test_too_long_away_gets_the_whole_state(client: TestClient, table: Table) -> None:
    start = table.hub.snapshot()["n"]
    for t in range(_BACKLOG + 5):
        table.hub.publish("move", {"t": t, "move": "draw"})
    with client.websocket_connect(f"/api/feed?after={start + 2}", headers=BEARER) as feed:
        assert feed.receive_json()["type"] == "state"


def test_a_number_of_a_process_before_gets_the_whole_state() -> None:
    before = Hub()
    before.publish("move", {"t": 1, "move": "draw"})
    number = before.snapshot()["n"]
    time.sleep(0.01)
    after = Hub()
    for t in range(50):
        after.publish("move", {"t": t, "move": "draw"})
    assert after.since(number) is None
    assert after.snapshot()["n"] > number


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}])
def test_the_feed_is_closed_to_others(client: TestClient, headers: dict[str, str]) -> None:
    # Accepted first: a browser would not be told the code of a refused handshake.
    with (
        client.websocket_connect("/api/feed", headers=headers) as feed,
        pytest.raises(WebSocketDisconnect) as caught,
    ):
        feed.receive_json()
    assert caught.value.code == 4401


def test_the_feed_is_closed_to_other_pages(client: TestClient) -> None:
    client.get(f"/?token={TOKENS[Role.REFEREE]}")
    with (
        client.websocket_connect("/api/feed", headers={"Origin": "http://elsewhere"}) as feed,
        pytest.raises(WebSocketDisconnect) as caught,
    ):
        feed.receive_json()
    assert caught.value.code == 4401


def test_the_feed_ends_with_the_session(client: TestClient, table: Table) -> None:
    client.get(f"/?token={TOKENS[Role.REFEREE]}")
    table.now += 3599.7
    with client.websocket_connect("/api/feed") as feed:
        feed.receive_json()
        with pytest.raises(WebSocketDisconnect) as caught:
            feed.receive_json()
    assert caught.value.code == 4401
