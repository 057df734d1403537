"""``paiguan bench console``: page weight, first view, alert to screen, many viewers.

The browser's figures need Chromium and Playwright (both only for development); without them they
are left out and said to be.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import statistics
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from table_controller.console.access import Access, Role
from table_controller.console.desk import Download
from table_controller.console.hub import Hub
from table_controller.console.public import PublicFeed
from table_controller.console.server import STATIC, ConsoleServer, build_app

WEIGHT_KB: Final = 300.0
FIRST_VIEW_S: Final = 1.0
ALERT_MS: Final = 300.0
VIEWERS: Final = 50
_FACES: Final = [path.stem for path in sorted((STATIC / "tiles").glob("*.svg"))]


class _NoDesk:
    """Nothing is decided while it is measured."""

    def __init__(self, evidence: Path) -> None:
        self.evidence = evidence

    def timeline(self) -> dict[str, Any]:
        return {"steps": [], "orders": []}

    def sheet(self) -> dict[str, Any]:
        return {"hands": []}

    def offences(self) -> list[dict[str, Any]]:
        return []

    def _nothing(self, *_: object) -> Any:
        raise NotImplementedError

    decide = correct = insert = retile = enter = confirm = undo = moment = _nothing
    protest = lift = machine = answer = consent = _nothing

    def audited(self) -> list[dict[str, Any]]:
        return []

    def export(self, form: str) -> Download:
        raise NotImplementedError(form)

    def audit(self, event: dict[str, Any]) -> None:
        pass


def full_view(t: float) -> dict[str, Any]:
    """A table with all 144 tiles, every face somewhere."""
    tiles = [
        {
            "id": f"pool{number}",
            "x": float(number % 12 * 30 - 180),
            "y": float(number // 12 * 40 - 240),
            "z": 20,
            "angle": 0.0,
            "posture": "face_up",
            "face": _FACES[number % len(_FACES)],
            "place": "pool",
        }
        for number in range(144)
    ]
    return {"t": t, "tiles": tiles, "dice": [], "covered": [], "wall": 0}


def _alert(number: int) -> dict[str, Any]:
    return {
        "key": f"alert-{number:04d}",
        "id": "premature-draw",
        "title": {"en": "Drawn too early", "zh": "提前摸牌", "ja": "先ヅモ"},
        "t": time.time(),
        "seat": 1,
        "rule": {"ruleset": "mcr-1998", "clause": "Q22"},
        "ruling": {"summary": "Looked at a tile before the turn.", "points": 5},
        "files": [],
        "decision": None,
    }


@contextmanager
def _served() -> Iterator[tuple[Hub, PublicFeed, ConsoleServer, dict[Role, str]]]:
    with tempfile.TemporaryDirectory() as folder:
        hub = Hub()
        public = PublicFeed(hub, 0.0)
        tokens = {role: f"bench-token-of-{role.value}" for role in Role}
        hub.publish("table", {"surface_mm": 820, "tile_mm": [26, 36, 20], "start": time.time()})
        hub.publish("view", full_view(time.time()))
        app = build_app(hub, public.hub, Access(tokens), _NoDesk(Path(folder)))
        server = ConsoleServer(app, "127.0.0.1", 0, tokens[Role.REFEREE])
        server.start()
        public.pump()
        public.start()
        try:
            yield hub, public, server, tokens
        finally:
            public.stop()
            server.stop()


def _fetched(server: ConsoleServer, token: str) -> int:
    """Bytes over the wire of everything the page loads, tiles of all faces included."""
    names = ["static/style.css", *(f"static/{p.relative_to(STATIC)}" for p in STATIC.rglob("*.js"))]
    names += [f"static/tiles/{face}.svg" for face in _FACES]
    total = 0
    for name in ["", *names, "api/session"]:
        headers = {"Accept-Encoding": "gzip", "Authorization": f"Bearer {token}"}
        if not name:
            # The page itself goes by cookie: it is counted from its file.
            import gzip

            total += len(gzip.compress((STATIC / "index.html").read_bytes()))
            continue
        request = urllib.request.Request(server.base + name, headers=headers)  # noqa: S310
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            total += len(answer.read())
    return total


def _in_browser(hub: Hub, server: ConsoleServer) -> list[dict[str, Any]]:
    """Time to the first view, and from publishing an alert to its being on the screen."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        program = None
    if program is None:
        note = "not measured: no Chromium with Playwright here"
        return [{"what": "first view", "value": None, "unit": "s", "limit": None, "note": note}]
    arguments = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        views: list[float] = []
        for _ in range(3):
            page = browser.new_context().new_page()
            began = time.perf_counter()
            page.goto(server.url, wait_until="commit")
            page.locator("#table image").nth(100).wait_for(state="attached")
            views.append(time.perf_counter() - began)
            page.context.close()
        page = browser.new_page()
        page.goto(server.url)
        page.locator("#table image").nth(100).wait_for(state="attached")
        page.evaluate(
            """() => { window.seen = {};
            new MutationObserver(() => requestAnimationFrame(() => {
              for (const one of document.querySelectorAll('.alert'))
                window.seen[one.id] ??= Date.now() / 1000;
            })).observe(document.getElementById('alerts'), {childList: true}); }"""
        )
        sent: dict[str, float] = {}
        for number in range(1, 41):
            hub.publish("view", full_view(time.time()))
            alert = _alert(number)
            sent[f"alert-{alert['key']}"] = time.time()
            hub.publish("alert", alert)
            page.wait_for_timeout(200)  # the pace of a live table
        page.wait_for_timeout(500)
        seen = page.evaluate("window.seen")
        browser.close()
    delays = sorted((seen[key] - t) * 1e3 for key, t in sent.items() if key in seen)
    lost = len(sent) - len(delays)
    return [
        {"what": "first view", "value": statistics.median(views), "unit": "s",
         "limit": FIRST_VIEW_S, "note": "median of 3, cold cache, loopback"},
        {"what": "alert to screen, p95", "value": delays[int(0.95 * len(delays))], "unit": "ms",
         "limit": ALERT_MS, "note": f"{len(sent)} alerts over {VIEWERS} viewers, {lost} lost"},
    ]  # fmt: skip


async def _watch(uri: str, token: str, delays: list[float], until: float) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with connect(uri, additional_headers=headers, max_size=None, compression=None) as feed:
        while time.time() < until:
            try:
                text = await asyncio.wait_for(feed.recv(), 0.5)
            except TimeoutError:
                continue
            except ConnectionClosed:
                return  # measured enough: the server was stopped
            found = re.search(r'"type":"view","body":\{"t":([0-9.]+)', str(text))
            if found is not None:
                delays.append((time.time() - float(found[1])) * 1e3)


def _viewers(uri: str, token: str, delays: list[float], until: float) -> None:
    async def all_of_them() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(VIEWERS):
                group.create_task(_watch(uri, token, delays, until))

    asyncio.run(all_of_them())


def _publishing(hub: Hub, seconds: float) -> float:
    """Median time that publishing a full view takes the controller's thread, ms."""
    took: list[float] = []
    end = time.time() + seconds
    while time.time() < end:
        view = full_view(time.time())
        began = time.perf_counter()
        hub.publish("view", view)
        took.append((time.perf_counter() - began) * 1e3)
        time.sleep(0.2)
    return statistics.median(took)


def run() -> list[dict[str, Any]]:
    """The figures of the console: what, value, unit, limit, note."""
    with _served() as (hub, _, server, tokens):
        weight = _fetched(server, tokens[Role.REFEREE]) / 1e3
        rows: list[dict[str, Any]] = [
            {"what": "page weight", "value": weight, "unit": "kB", "limit": WEIGHT_KB,
             "note": f"compressed, with all {len(_FACES)} tiles"},
        ]  # fmt: skip
        alone = _publishing(hub, 2.0)
        delays: list[float] = []
        uri = server.base.replace("http", "ws", 1) + "api/feed"
        crowd = threading.Thread(
            target=_viewers,
            args=(uri, tokens[Role.REFEREE], delays, time.time() + 40.0),
            daemon=True,
        )
        crowd.start()
        time.sleep(2.0)
        delays.clear()
        crowded = _publishing(hub, 4.0)
        got = sorted(delays)
        rows += [
            {"what": "publishing a view, nobody watching", "value": alone, "unit": "ms",
             "limit": None, "note": "what it costs the controller's thread, five times a second"},
            {"what": f"publishing a view, {VIEWERS} watching", "value": crowded, "unit": "ms",
             "limit": 20.0, "note": "a tenth of the time between two views"},
            {"what": f"view to each of {VIEWERS}, p95", "value": got[int(0.95 * len(got))],
             "unit": "ms", "limit": ALERT_MS, "note": f"{len(got)} views of 144 tiles received"},
        ]  # fmt: skip
        rows += _in_browser(hub, server)
    return rows


if __name__ == "__main__":
    for row in run():
        print(json.dumps(row, ensure_ascii=False))
