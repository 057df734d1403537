"""Who gets in, as what, and for how long."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from table_controller.console.access import COOKIE, FAILURES, Role, kept_tokens, new_token
from table_controller.console.gate import Rate
from table_controller.console.server import ConsoleServer, build_app
from table_controller.record.journal import EntryKind
from tests.needs import need_tool
from tests.table_controller.console.asked import ALERT, BEARER, TOKENS, Table, bearer


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


@pytest.mark.parametrize("path", ["/", "/api/session", "/api/machine", "/nowhere"])
def test_a_body_that_says_no_length_is_cut_off(table: Table, path: str) -> None:
    # Sent in chunks by somebody who is not signed in; it would be 1.6 MB.
    taken = 0
    said: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": bytes(16_000), "more_body": taken < 100}

    async def send(message: Any) -> None:
        said.append(message)

    headers = [(b"host", b"testserver"), (b"transfer-encoding", b"chunked")]
    scope: dict[str, Any] = {"type": "http", "method": "POST", "scheme": "http"}
    scope |= {"path": path, "raw_path": path.encode(), "root_path": "", "query_string": b""}
    scope |= {"http_version": "1.1", "headers": headers}
    scope |= {"client": ("10.0.0.7", 4000), "server": ("testserver", 80)}
    asyncio.run(table.app(scope, receive, send))
    assert said[0]["status"] == 413
    assert (b"x-frame-options", b"DENY") in said[0]["headers"]
    assert taken == 5


def test_a_body_in_chunks_is_read_whole(client: TestClient) -> None:
    chunks = [b"token=", TOKENS[Role.DESK].encode(), b"&name=", b"Wu"]
    answer = client.post("/", content=iter(chunks), follow_redirects=False)
    assert answer.request.headers["transfer-encoding"] == "chunked"
    assert answer.status_code == 303


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
    assert answer.json().get("code") == (None if status == 200 else "other_page")
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
