"""The console: who gets in, what is answered, how a client catches up."""

from __future__ import annotations

import json
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from table_controller.console.access import COOKIE, FAILURES, Access, Role, kept_tokens, new_token
from table_controller.console.gate import Rate
from table_controller.console.hub import _BACKLOG
from table_controller.console.public import PublicFeed
from table_controller.console.server import ConsoleServer, build_app
from table_controller.domain.happenings import Call, HandShown
from table_controller.record.journal import EntryKind
from tests.needs import need_tool
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene, tiles

TOKENS = {role: f"token-of-the-{role.value}" for role in Role}
BEARER = {"Authorization": f"Bearer {TOKENS[Role.REFEREE]}"}
ALERT = {"key": "alert-0001", "id": "wall-break", "seat": 1, "t": 1.0, "ruling": {"summary": ""}}


def bearer(role: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {TOKENS[Role(role)]}"}


class Table:
    """A console of a running table, with a clock of its own."""

    def __init__(self, root: Path) -> None:
        self.running = Running(root)
        self.hub = self.running.hub
        self.now = 1000.0
        self.public = PublicFeed(self.hub, 60.0, lambda: self.now)
        evidence = root / "evidence"
        (evidence / "alert-1").mkdir(parents=True)
        (evidence / "alert-1" / "before.jpg").write_bytes(b"jpeg")
        (root / "secret.txt").write_text("secret")
        self.access = Access(TOKENS, hours=1, clock=lambda: self.now, audit=self.running.desk.audit)
        self.app = build_app(self.hub, self.public.hub, self.access, self.running.desk)

    def journal(self, kind: EntryKind) -> list[dict[str, Any]]:
        return [entry.body for entry in self.running.journal.entries([kind])]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.running.journal.close()


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
        ("/api/state", {"Authorization": TOKENS[Role.REFEREE]}, 401),
        ("/api/state", {"Cookie": f"{COOKIE}=wrong"}, 401),
        ("/api/state", {"Cookie": f"{COOKIE}={TOKENS[Role.REFEREE]}"}, 401),
        ("/api/state", BEARER, 200),
        ("/api/state", bearer("viewer"), 200),
        ("/api/timeline", bearer("viewer"), 403),
        ("/api/timeline/0", bearer("viewer"), 403),
        ("/api/sheet", bearer("viewer"), 403),
        ("/api/export/json", bearer("viewer"), 403),
        ("/api/export/json", bearer("technician"), 403),
        ("/api/offences", bearer("viewer"), 403),
        ("/api/audit", bearer("viewer"), 403),
        ("/api/audit", bearer("desk"), 403),
        ("/api/audit", bearer("technician"), 200),
        ("/evidence/alert-1/before.jpg", {}, 401),
        ("/evidence/alert-1/before.jpg", bearer("viewer"), 403),
        ("/evidence/alert-1/before.jpg", BEARER, 200),
        ("/evidence/alert-1/none.jpg", BEARER, 404),
        ("/evidence/%2e%2e/secret.txt", BEARER, 404),
        ("/evidence/..%2f/secret.txt", BEARER, 404),
    ],
)
def test_who_gets_in(client: TestClient, path: str, headers: dict[str, str], status: int) -> None:
    assert client.get(path, headers=headers).status_code == status


def test_the_printed_link_signs_in(client: TestClient, table: Table) -> None:
    answer = client.get(f"/?token={TOKENS[Role.REFEREE]}", follow_redirects=False)
    assert answer.status_code == 303
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    assert TOKENS[Role.REFEREE] not in answer.headers["set-cookie"]
    assert client.get("/").status_code == 200
    assert "frame-ancestors 'none'" in client.get("/").headers["content-security-policy"]
    [note] = table.journal(EntryKind.NOTE)
    assert (note["audit"], note["role"]) == ("sign-in", "referee")


def test_the_form_signs_in_without_a_word_in_the_address(client: TestClient) -> None:
    wrong = client.post("/", content="token=wrong")
    assert wrong.status_code == 401
    assert "不正确" in wrong.text
    answer = client.post("/", content=f"token={TOKENS[Role.DESK]}&name=Wu", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert client.get("/api/session").json()["name"] == "Wu"
    elsewhere = {"Origin": "http://elsewhere"}
    assert client.post("/", content="token=x", headers=elsewhere).status_code == 403


def test_one_address_cannot_ask_for_ever() -> None:
    now = 0.0
    rate = Rate(rate=2.0, burst=5, clock=lambda: now)
    assert [rate.allows("a") for _ in range(6)] == [True] * 5 + [False]
    assert rate.allows("b")
    now = 1.0
    assert [rate.allows("a") for _ in range(3)] == [True, True, False]


def test_a_flood_is_told_to_wait(table: Table) -> None:
    rate = Rate(rate=1.0, burst=5, clock=lambda: 0.0)
    app = build_app(table.hub, table.public.hub, table.access, table.running.desk, rate)
    with TestClient(app) as client:
        answers = [client.get("/api/session", headers=BEARER).status_code for _ in range(6)]
        assert answers == [200] * 5 + [429]
        assert client.get("/static/style.css").status_code == 200


def test_a_session_ends(client: TestClient, table: Table) -> None:
    client.get(f"/?token={TOKENS[Role.DESK]}")
    assert client.get("/api/session").json()["role"] == "desk"
    table.now += 3599
    assert client.get("/api/session").status_code == 200
    table.now += 2
    answer = client.get("/api/session")
    assert answer.status_code == 401
    assert "sign in again" in answer.json()["detail"]


def test_signing_out(client: TestClient) -> None:
    client.get(f"/?token={TOKENS[Role.DESK]}")
    cookie = client.cookies[COOKIE]
    csrf = client.get("/api/session").json()["csrf"]
    assert client.delete("/api/session").status_code == 403
    assert client.delete("/api/session", headers={"X-CSRF-Token": csrf}).status_code == 200
    # The cookie that was copied before counts no longer.
    headers = {"Cookie": f"{COOKIE}={cookie}"}
    assert client.get("/api/session", headers=headers).status_code == 401


@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_changed_cookie_is_nobodys(table: Table, place: int) -> None:
    cookie = table.access.cookie(table.access.sign_in(TOKENS[Role.VIEWER], "", "here"))
    assert table.access.session(cookie) is not None
    body, _, mac = cookie.partition(".")
    letter = "A" if body[place] != "A" else "B"
    changed = list(body)
    changed[place] = letter
    assert table.access.session("".join(changed) + "." + mac) is None
    assert table.access.session(body + "." + mac[:-2]) is None


def test_guessing_has_to_wait(client: TestClient, table: Table) -> None:
    for _ in range(FAILURES):
        assert client.post("/api/session", json={"token": "guess"}).status_code == 401
    answer = client.post("/api/session", json={"token": TOKENS[Role.REFEREE]})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 60
    wrong = {"Authorization": "Bearer guess"}
    assert client.get("/api/state", headers=wrong).status_code == 429
    assert client.get("/api/state", headers=BEARER).status_code == 200  # the referee works on
    table.now += 61
    answer = client.post("/api/session", json={"token": TOKENS[Role.REFEREE], "name": "Li"})
    assert answer.status_code == 200
    refused = [n for n in table.journal(EntryKind.NOTE) if n["audit"] == "sign-in refused"]
    assert len(refused) == FAILURES


@pytest.mark.parametrize(
    ("origin", "csrf", "status"),
    [
        ("http://elsewhere", True, 403),
        ("http://testserver", False, 403),
        (None, False, 403),
        ("http://testserver", True, 200),
    ],
)
def test_a_decision_must_come_from_the_page(
    client: TestClient, table: Table, origin: str | None, csrf: bool, status: int
) -> None:
    table.hub.publish("alert", ALERT)
    client.get(f"/?token={TOKENS[Role.REFEREE]}")
    headers = {"Origin": origin} if origin else {}
    if csrf:
        headers["X-CSRF-Token"] = client.get("/api/session").json()["csrf"]
    body = {"action": "accept", "by": "Li"}
    answer = client.post("/api/alerts/alert-0001/decision", json=body, headers=headers)
    assert answer.status_code == status
    assert len(table.journal(EntryKind.DECISION)) == (status == 200)


CHANGES = {
    "/api/alerts/alert-0001/decision": {"action": "accept", "by": "Li"},
    "/api/corrections": {"by": "Li", "at": 0, "happening": None},
    "/api/insertions": {"by": "Li", "at": 0, "happening": {}},
    "/api/offences": {"by": "Li", "seat": 1, "about": "speech", "ruling": {}},
    "/api/hands/hand-001/confirm": {"by": "Li"},
    "/api/hands/hand-001/tile": {"by": "Li", "part": "win", "was": "1m", "tile": "2m"},
    "/api/orders/1/undo": {"by": "Li"},
    "/api/protests": {"by": "Li", "about": "hand-001", "reason": "no"},
    "/api/protests/1/lift": {"by": "Li"},
    "/api/machine": {"by": "Li", "action": "hold"},
    "/api/calls/call-1000-2/answer": {"by": "Li"},
}
REFEREES = ("decision", "offences", "protests", "machine", "calls")
MAY = {
    "referee": set(CHANGES),
    "desk": {path for path in CHANGES if not any(word in path for word in REFEREES)},
    "technician": set(),
    "organiser": set(),
    "viewer": set(),
}


@pytest.mark.parametrize("role", [role.value for role in Role])
@pytest.mark.parametrize("path", CHANGES)
def test_each_role_may_do_its_own(client: TestClient, table: Table, role: str, path: str) -> None:
    table.hub.publish("alert", ALERT)
    answer = client.post(path, json=CHANGES[path], headers=bearer(role))
    assert (answer.status_code != 403) == (path in MAY[role]), answer.text


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
    hub.publish("crops", {"key": "hand-001", "crops": [{"face": hidden}]})
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


def test_a_viewer_gets_the_same_bytes_whatever_lies_hidden(tmp_path: Path) -> None:
    some = everything_a_viewer_gets(tmp_path / "a", "1m")
    other = everything_a_viewer_gets(tmp_path / "b", "7z")
    assert some == other
    assert b"9s" in some


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
    for t in range(_BACKLOG + 5):
        table.hub.publish("move", {"t": t, "move": "draw"})
    with client.websocket_connect("/api/feed?after=2", headers=BEARER) as feed:
        assert feed.receive_json()["type"] == "state"


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


def test_a_port_in_use_is_said_in_one_line(table: Table) -> None:
    first = ConsoleServer(table.app, "127.0.0.1", 0, "token")
    try:
        with pytest.raises(OSError, match=rf"console: 127\.0\.0\.1:{first.port}"):
            ConsoleServer(table.app, "127.0.0.1", first.port, "token")
    finally:
        first._socket.close()


def test_tls(table: Table, tmp_path: Path) -> None:
    import httpx2 as httpx

    openssl = need_tool("openssl")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", str(key), "-out", str(cert)],
        check=True, capture_output=True,
    )  # fmt: skip
    server = ConsoleServer(table.app, "127.0.0.1", 0, TOKENS[Role.REFEREE], (cert, key))
    server.start()
    try:
        assert server.url.startswith("https://")
        context = ssl.create_default_context(cafile=str(cert))
        url = f"{server.base}api/state"
        assert httpx.get(url, headers=BEARER, verify=context).status_code == 200
    finally:
        server.stop()
    with pytest.raises(OSError, match=r"secret\.txt"):
        ConsoleServer(table.app, "127.0.0.1", 0, "token", (tmp_path / "secret.txt", key))


def test_tokens_differ_and_are_kept(tmp_path: Path) -> None:
    assert len({new_token() for _ in range(100)}) == 100
    path = tmp_path / "console-tokens.json"
    made = kept_tokens(path, {"referee": "given-by-the-venue"})
    assert made[Role.REFEREE] == "given-by-the-venue"
    assert path.stat().st_mode & 0o077 == 0
    assert "given-by-the-venue" not in path.read_text()
    assert kept_tokens(path, {"referee": "given-by-the-venue"}) == made


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
