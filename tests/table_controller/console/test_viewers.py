"""What viewers get: late, and the same bytes whatever lies hidden."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from table_controller.console.hub import Hub
from table_controller.console.public import PublicFeed, public_view
from table_controller.domain.happenings import HandShown
from tests.table_controller.console.asked import ALERT, BEARER, Table, bearer
from tests.table_controller.game.scenes import Scene, tiles


def view(hidden: str) -> dict[str, Any]:
    """A table whose hidden tiles have this face, as the referee sees it."""

    def tile(place: str, posture: str, face: str) -> dict[str, Any]:
        at = {"id": f"{place}{posture}", "x": 1.0, "y": 2.0, "z": 20, "angle": 0.0}
        return {**at, "posture": posture, "place": place, "face": face}

    return {
        "t": 5.0,
        "tiles": [
            tile("hand", "standing", hidden),
            tile("hand", "face_up", hidden),
            tile("wall", "face_up", hidden),
            tile("table", "face_up", hidden),
            tile("meld", "face_down", hidden),
            tile("pool", "face_up", "9s"),
        ],
        "dice": [{"x": 0, "y": 0, "value": 3}],
        "hands": [hidden] * 4,
        "covered": [[[1, 2], [3, 4], [5, 6]]],
        "wall": 80,
    }


def publish_game(table: Table, hidden: str) -> None:
    """Everything that is ever published, with a hidden face in each place where one can be."""
    hub = table.hub
    hub.publish("view", view(hidden))
    secret = {
        "known": [hidden],
        "check": {"wins": [{"tiles": [hidden]}]},
        "penalty_tiles": [hidden],
    }
    hub.publish("game", {"turn": 1, "scores": [0, 0, 0, 0], "next": hidden, **secret})
    for move in (
        {"t": 1, "type": "move", "move": "draw", "seat": 0, "tile": hidden, "slots": [hidden]},
        {"t": 1, "type": "move", "move": "deal", "seat": 0, "tiles": [hidden]},
        {"t": 1, "type": "move", "move": "kong", "kong": "concealed", "seat": 0, "tiles": [hidden]},
        {"t": 2, "type": "move", "move": "discard", "seat": 0, "tile": "9s"},
    ):
        hub.publish("move", move)
    hub.publish("alert", {**ALERT, "evidence": {"happenings": [{"tile": hidden}]}})
    hub.publish("crops", {"key": "hand-001", "seat": 0, "crops": [{"face": hidden}]})
    hub.publish("order", {"number": 1, "action": "replace", "happening": {"tile": hidden}})
    hub.publish("note", {"text": hidden})
    hub.publish("health", {"cameras": {hidden: True}})
    moves = [{"t": 1, "type": "move", "move": "draw", "seat": 0, "tile": hidden}]
    hub.publish("refold", {"moves": moves, "hands": [], "withdrawn": ["alert-0001"]})


def everything_a_viewer_gets(root: Path, hidden: str) -> bytes:
    """The bytes of every answer and message."""
    root.mkdir()
    table = Table(root)
    got: list[bytes] = []
    try:
        publish_game(table, hidden)
        table.now += 61
        table.public.pump()
        with TestClient(table.app) as client:
            got += [client.get("/api/state", headers=bearer("viewer")).content]
            got += [
                client.get(path, headers=bearer("viewer")).content
                for path in table.app.openapi()["paths"]
                if path != "/api/session" and path != "/api/state"
            ]
            with client.websocket_connect("/api/feed", headers=bearer("viewer")) as feed:
                got.append(json.dumps(feed.receive_json()).encode())
                publish_game(table, hidden)
                table.now += 61
                table.public.pump()
                while True:
                    message = feed.receive_json()
                    got.append(json.dumps(message).encode())
                    if message["type"] == "refold":
                        break
    finally:
        table.running.journal.close()
    return b"\n".join(got)


@pytest.fixture
def one_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every process begins at the same time: its numbers tell that, and may tell nothing else."""
    monkeypatch.setattr("time.time_ns", lambda: 1_700_000_000_000_000_000)


@pytest.mark.usefixtures("one_clock")
def test_a_viewer_gets_the_same_bytes_whatever_lies_hidden(tmp_path: Path) -> None:
    some = everything_a_viewer_gets(tmp_path / "a", "1m")
    other = everything_a_viewer_gets(tmp_path / "b", "7z")
    assert some == other
    assert b"9s" in some


@pytest.mark.usefixtures("one_clock")
def test_a_whole_game_shows_a_viewer_no_hidden_tile(tmp_path: Path) -> None:
    """Two games that differ in what stands in the hands alone, up to the win."""
    seen = []
    for name, read in (("a", "123456789m 11p 45s"), ("b", "456789m 11p 22345s")):
        root = tmp_path / name
        root.mkdir()
        table = Table(root)
        scene = Scene().start().play().rounds(4)
        table.running.tell(scene.said)
        scene.say(HandShown, seat=1, tiles=tiles(read))
        table.running.tell(scene.said[-1:])
        table.now += 61
        table.public.pump()
        with TestClient(table.app) as client:
            seen.append(client.get("/api/state", headers=bearer("viewer")).content)
        table.running.journal.close()
    assert seen[0] == seen[1]


def test_viewers_are_late(client: TestClient, table: Table) -> None:
    table.hub.publish("move", {"t": 1, "type": "move", "move": "discard", "tile": "9s"})
    for wait, count in ((0, 0), (59.9, 0), (0.2, 1)):
        table.now += wait
        table.public.pump()
        moves = client.get("/api/state", headers=bearer("viewer")).json()["moves"]
        assert len(moves) == count
    assert len(client.get("/api/state", headers=BEARER).json()["moves"]) == 1


def test_what_waits_for_the_viewers_is_small() -> None:
    """Five views a second for an hour, the longest delay, are not kept as they are (1.2 GB)."""
    hub, now, chance = Hub(), [0.0], random.Random(7)
    feed = PublicFeed(hub, 3600.0, lambda: now[0])
    here = {"posture": "face_down", "place": "wall", "face": "back"}
    tiles_of_a_set: list[dict[str, Any]] = [
        {**here, "id": f"wall.{n}", "x": chance.uniform(-410, 410), "y": 1.5, "z": 40, "angle": 0.1}
        for n in range(144)
    ]
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for n in range(100):
        moved = {**tiles_of_a_set[n], "x": float(n)}
        hub.publish("view", {"t": n / 5, "tiles": [*tiles_of_a_set, moved], "dice": [], "wall": n})
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (after - before) / 100 < 8_000
    now[0] = 3600.1
    feed.pump()
    assert feed.hub.snapshot()["view"] == public_view(hub.snapshot()["view"])
