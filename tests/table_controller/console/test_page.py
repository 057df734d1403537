"""The page in a real browser: what it shows, what a decision does, how it comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from table_controller.app.decisions import Decisions
from table_controller.console.hub import Hub
from table_controller.console.server import ConsoleServer, build_app
from table_controller.domain.alert_names import alert_title
from table_controller.record.journal import Journal
from tests.needs import need_tool

TOKEN = "a-token-of-the-table"
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ALERT: dict[str, Any] = {
    "key": "alert-0001",
    "id": "premature-draw",
    "title": alert_title("premature-draw"),
    "t": 150.2,
    "t_raised": 151.0,
    "seat": 2,
    "stage": "seen",
    "count": 1,
    "confidence": 0.97,
    "rule": {"ruleset": "mcr-1998", "clause": "Q22", "text": None},
    "ruling": {
        "summary": "Looked at a tile before the turn.",
        "summary_zh": "未轮到自己而看牌。",
        "points": 5,
        "stop_win": True,
        "until_text": "before the next draw",
    },
    "files": [],
    "decision": None,
}
HAND: dict[str, Any] = {
    "key": "hand-001",
    "round_wind": "E",
    "hand": 1,
    "dealer": 0,
    "result": "win",
    "payments": [-8, 24, -8, -8],
    "penalties": [0, 0, -5, 0],
    "scores": [-8, 24, -13, -8],
    "confirmed": False,
    "wins": [
        {
            "winner": 1,
            "from": None,
            "win_tile": "9s",
            "tiles": ["1m", "2m", "3m", "2z", "2z"],
            "melds": [{"tiles": ["5z", "5z", "5z"], "sideways": 0, "face_down": []}],
            "flowers": ["3f"],
            "fans": [{"name_en": "Dragon Pung", "name_zh": "箭刻", "value": 2, "count": 1}],
            "total": 8,
            "legal": True,
        }
    ],
}
VIEW: dict[str, Any] = {
    "t": 151.0,
    "tiles": [
        {"id": "a", "x": 0, "y": -120, "z": 20, "angle": 0, "posture": "face_up", "face": "5m"},
        {"id": "b", "x": 30, "y": -120, "z": 20, "angle": 0, "posture": "face_up", "face": "?"},
        {
            "id": "c",
            "x": 0,
            "y": 256,
            "z": 40,
            "angle": 180,
            "posture": "face_down",
            "face": "back",
        },
    ],
    "dice": [{"x": 4, "y": 4, "value": 5}],
    "covered": [[[0, 0], [50, 0], [50, 50]]],
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = need_tool("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


class Served:
    """A console with one alert and one hand."""

    def __init__(self, root: Path, port: int = 0) -> None:
        self.hub = Hub()
        self.journal = Journal.open(root / "journal.db")
        decisions = Decisions(self.journal, self.hub, lambda: 1.0)
        app = build_app(self.hub, TOKEN, root / "evidence", decisions.decide)
        self.hub.publish(
            "table",
            {"surface_mm": 820, "tile_mm": [26, 36, 20], "ruleset": "mcr-1998", "start": 100},
        )
        self.hub.publish("view", VIEW)
        self.hub.publish("alert", ALERT)
        decisions.restore()
        self.server = ConsoleServer(app, "127.0.0.1", port, TOKEN)
        self.server.start()

    def stop(self) -> None:
        self.server.stop()
        self.journal.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    served = Served(tmp_path)
    yield served
    served.stop()


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-GB")
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(served.server.url)
    yield page
    page.close()
    assert problems == []


def test_the_table_and_the_alert_are_shown(page: Page) -> None:
    expect(page.locator("#table image[href='/static/tiles/5m.svg']")).to_have_count(1)
    expect(page.locator("#table text", has_text="?")).to_have_count(1)
    expect(page.locator("#table polygon")).to_have_count(1)
    alert = page.locator("#alert-alert-0001")
    for text in ("Drawn too early", "Seat 2", "Q22", "before the next draw", "5 points", "97%"):
        expect(alert).to_contain_text(text)
    expect(page.locator("#open-count")).to_have_text("1")
    assert page.url.endswith("/")  # the token does not stay in the address


def test_a_decision_is_taken_and_taken_back(page: Page, served: Served) -> None:
    page.get_by_role("button", name="Accept").click()
    page.fill("#by", "Li")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("#alert-alert-0001")).to_contain_text("Accepted · by Li")
    expect(page.locator("#open-count")).to_have_text("")
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("button", name="Accept")).to_be_visible()
    actions = [entry.body["action"] for entry in served.journal.entries() if "action" in entry.body]
    assert actions == ["accept", "undo"]


def test_two_tablets_cannot_decide_twice(page: Page, browser: Browser, served: Served) -> None:
    other = browser.new_page(locale="en-GB")
    other.goto(served.server.url)
    other.get_by_role("button", name="Accept").click()
    other.fill("#by", "Wu")
    page.get_by_role("button", name="Accept").click()
    page.fill("#by", "Li")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("#alert-alert-0001")).to_contain_text("by Li")
    said: list[str] = []
    other.on("dialog", lambda dialog: (said.append(dialog.message), dialog.accept()))
    other.get_by_role("button", name="Confirm").click()
    expect(other.locator("#live")).to_contain_text("in the meantime")
    assert len(said) == 1
    other.close()


def test_the_captured_hand_comes_forward(page: Page, served: Served) -> None:
    served.hub.publish("hand", HAND)
    hand = page.locator("#hand article")
    expect(hand).to_contain_text("Dragon Pung")
    expect(hand.locator("img.winning")).to_have_attribute("alt", "9s")
    expect(hand).to_contain_text("-13")


@pytest.mark.parametrize(("lang", "word"), [("zh", "提前摸牌"), ("ja", "先ヅモ"), ("en", "Drawn")])
def test_languages(page: Page, lang: str, word: str) -> None:
    page.select_option("#lang", lang)
    expect(page.locator("#alerts")).to_contain_text(word)
    expect(page.locator("html")).to_have_attribute("lang", lang)


def test_tabs_by_keyboard(page: Page) -> None:
    page.focus("#tab-alerts")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-hand")).to_be_focused()
    expect(page.locator("#hand")).to_be_visible()


def test_the_page_comes_back_by_itself(page: Page, served: Served, tmp_path: Path) -> None:
    port = served.server.port
    served.server.stop()
    expect(page.locator("#lost")).to_be_visible()
    again = Served(tmp_path, port)
    try:
        again.hub.publish("hand", HAND)
        expect(page.locator("#lost")).to_be_hidden(timeout=10_000)
        page.click("#tab-hand")
        expect(page.locator("#hand article")).to_have_count(1)
    finally:
        again.server.stop()
