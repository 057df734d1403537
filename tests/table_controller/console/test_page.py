"""The page in a real browser: what it shows, what a decision does, how it comes back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from table_controller.console.access import Access, Role
from table_controller.console.public import PublicFeed
from table_controller.console.server import ConsoleServer, build_app
from table_controller.domain.happenings import HandShown
from table_controller.record.journal import EntryKind
from tests.needs import need_tool
from tests.table_controller.console.axe import axe_script
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene, tiles

TOKENS = {role: f"token-of-the-{role.value}" for role in Role}
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
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


def premature() -> Scene:
    """Seat 1 takes its tile into the hand before the dealer has discarded."""
    scene = Scene().start()
    scene.take(1, scene.front(), 0.5)
    scene.play(wait=1.5)
    return scene.play()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = need_tool("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


class Served:
    """A console of a running table with one alert."""

    def __init__(self, root: Path, port: int = 0) -> None:
        self.running = Running(root, "mcr-2006-du")
        self.hub = self.running.hub
        self.public = PublicFeed(self.hub, 0.0)
        facts = {"surface_mm": 820, "tile_mm": [26, 36, 20], "ruleset": "mcr-2006-du"}
        self.hub.publish("table", {**facts, "start": 100})
        self.hub.publish("view", VIEW)
        self.scene = premature()
        if not self.running.folded:
            self.running.tell(self.scene.said)
        app = build_app(self.hub, self.public.hub, Access(TOKENS), self.running.desk)
        self.server = ConsoleServer(app, "127.0.0.1", port, TOKENS[Role.REFEREE])
        self.server.start()
        self.public.start()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._settle, daemon=True)
        self._thread.start()

    def _settle(self) -> None:
        while not self._ended.wait(0.05):
            self.running.settle_if_due()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()
        self.public.stop()
        self.server.stop()
        self.running.journal.close()

    def win(self) -> None:
        """Seat 3 lays its hand open on a discarded 3s."""
        scene, told = self.scene, len(self.scene.said)
        while scene.turn != 1:
            scene.draw().play()
        scene.draw().play("3s")
        scene.say(HandShown, seat=3, tiles=tiles("123456789m 11p 45s"))
        self.running.tell(scene.said[told:])

    def decided(self) -> list[str]:
        return [e.body["action"] for e in self.running.journal.entries([EntryKind.DECISION])]


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
    expect(page.locator("#seats li")).to_have_count(4, timeout=20_000)
    yield page
    page.close()
    assert problems == []


def test_the_table_and_the_alert_are_shown(page: Page) -> None:
    expect(page.locator("#table image[href='/static/tiles/5m.svg']")).to_have_count(1)
    expect(page.locator("#table text", has_text="?")).to_have_count(1)
    expect(page.locator("#table polygon")).to_have_count(1)
    alert = page.locator("#alert-alert-0001")
    for text in ("Drawn too early", "Seat 1", "mcr-2006-du", "may not win this hand", "100%"):
        expect(alert).to_contain_text(text)
    expect(page.locator("#open-count")).to_have_text("1")
    assert page.url.endswith("/")  # the token does not stay in the address


def test_a_decision_is_one_tap_and_taken_back(page: Page, served: Served) -> None:
    alert = page.locator("#alert-alert-0001")
    page.get_by_role("button", name="Accept").click()
    page.fill("#by", "Li")  # asked once on each tablet
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(alert).to_contain_text("Accepted · by Li")
    expect(page.locator("#open-count")).to_have_text("")
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Accept").click()
    expect(alert).to_contain_text("Accepted · by Li")
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Change").click()
    page.fill("#r-points", "3")
    page.fill("#reason", "first time")
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(alert).to_contain_text("Changed · by Li · first time")
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("button", name="Dismiss").click()
    page.get_by_role("button", name="Seen wrongly").click()
    expect(alert).to_contain_text("Dismissed · by Li · Seen wrongly")
    undos = ["undo"] * 3
    assert [action for action in served.decided() if action != "undo"] == [
        "accept", "accept", "change", "dismiss",
    ]  # fmt: skip
    assert served.decided().count("undo") == len(undos)
    served.hub.publish("passed", {"key": "alert-0001", "t": 160.0})
    expect(alert).to_contain_text("window has passed")


def test_two_tablets_cannot_decide_twice(page: Page, browser: Browser, served: Served) -> None:
    other = browser.new_page(locale="en-GB")
    other.goto(served.server.url)
    other.get_by_role("button", name="Accept").click()
    other.fill("#by", "Wu")
    page.get_by_role("button", name="Accept").click()
    page.fill("#by", "Li")
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(page.locator("#alert-alert-0001")).to_contain_text("by Li")
    other.get_by_role("button", name="Confirm", exact=True).click()
    expect(other.locator("#said")).to_contain_text("Li has decided in the meantime")
    other.close()
    assert served.decided() == ["accept"]


def test_the_hand_is_corrected_and_confirmed(page: Page, served: Served, tmp_path: Path) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    served.win()
    hand = page.locator("#hand-001")
    expect(hand).to_contain_text("under check")
    expect(hand).to_contain_text("Pure Straight")
    folder = tmp_path / "evidence" / "hand-001-3-1"
    folder.mkdir(parents=True)
    cv2.imwrite(str(folder / "00.jpg"), np.full((84, 60, 3), 200, np.uint8))
    crop = {"file": "hand-001-3-1/00.jpg", "face": "1p", "place": "hand", "confidence": 0.6}
    likely = [["1p", 0.6], ["2p", 0.4]]
    crops = [{**crop, "likely": likely}]
    served.hub.publish("crops", {"key": "hand-001", "seat": 3, "crops": crops})
    expect(hand.locator("img.crop")).to_have_count(1)
    # 3s was really 6s: still a win; one tap on the tile and one on what it is.
    hand.get_by_role("button", name="Correct 3s").click()
    page.locator("dialog summary").click()
    page.locator("dialog button[value='6s']").click()
    expect(hand.locator("img.winning")).to_have_attribute("alt", "6s")
    # One 1p was a 2p: then it is no win, which must be insisted on. The referee thinks again.
    hand.get_by_role("button", name="Correct 1p").first.click()
    expect(page.locator("dialog .likely button").first).to_have_attribute("aria-label", "2p")
    page.locator("dialog .likely button").first.click()
    expect(page.locator("#ask-title")).to_contain_text("enter it all the same?")
    page.get_by_role("button", name="Cancel").click()
    hand.get_by_role("button", name="Confirm the hand").click()
    expect(hand).to_contain_text("confirmed")
    expect(hand).to_contain_text("+")
    page.click("#tab-session")
    expect(page.locator("#session")).to_contain_text("Corrected: tile_discarded 6s · Li")
    expect(page.locator("#session tfoot")).to_contain_text("Total")


def test_scrubbing_and_search(page: Page, served: Served) -> None:
    served.win()
    expect(page.locator("#hand-001")).to_be_visible()  # it comes forward
    page.click("#tab-moves")
    rows = page.locator("#moves li")
    expect(rows.first).to_contain_text("wins")
    page.fill("#moves input[type=search]", "discards")
    expect(rows.first).to_contain_text("discards")
    rows.nth(1).locator("button.plain").click()
    expect(page.locator("#past")).to_be_visible()
    pool = page.locator("#table image[href='/static/tiles/3s.svg']")
    expect(pool).to_have_count(0)
    rows.nth(0).locator("button.plain").click()
    expect(pool).to_have_count(1)
    page.get_by_role("button", name="Back to live").click()
    expect(page.locator("#past")).to_be_hidden()
    expect(page.locator("#table image[href='/static/tiles/5m.svg']")).to_have_count(1)


def test_an_offence_is_entered(page: Page, served: Served) -> None:
    page.click("#tab-session")
    page.get_by_role("button", name="Enter an offence").click()
    page.fill("#by", "Li")
    page.select_option("#o-seat", "3")
    page.fill("#r-points", "5")
    page.fill("#reason", "named the tile he waits for")
    page.get_by_role("button", name="Confirm", exact=True).click()
    page.click("#tab-alerts")
    expect(page.locator("#alerts")).to_contain_text("named the tile he waits for")


def test_languages_and_keys(page: Page) -> None:
    for lang, word in (("zh", "提前摸牌"), ("ja", "先ヅモ"), ("en", "Drawn")):
        page.select_option("#lang", lang)
        expect(page.locator("#alerts")).to_contain_text(word)
        expect(page.locator("html")).to_have_attribute("lang", lang)
    page.focus("#tab-alerts")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-hand")).to_be_focused()
    expect(page.locator("#hand")).to_be_visible()


def test_the_words_are_complete(page: Page) -> None:
    shapes = page.evaluate(
        """async () => {
          const { WORDS } = await import('/static/words.js');
          const shape = (value) => Array.isArray(value) ? value.length
            : value && typeof value === 'object'
            ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, shape(value[key])]))
            : typeof value === 'string' && value.length > 0;
          return Object.values(WORDS).map((words) => JSON.stringify(shape(words)));
        }"""
    )
    assert len(shapes) == 3
    assert len(set(shapes)) == 1


def test_a_network_that_drops_in_a_decision(page: Page, served: Served, tmp_path: Path) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    expect(page.locator("#alert-alert-0001")).to_be_visible()
    port = served.server.port
    served.server.stop()
    expect(page.locator("#lost")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    again = Served(tmp_path, port)
    try:
        expect(page.locator("#alert-alert-0001")).to_contain_text("Accepted", timeout=15_000)
        expect(page.locator("#lost")).to_be_hidden(timeout=10_000)
        assert again.decided() == ["accept"]
        again.win()
        expect(page.locator("#hand-001")).to_contain_text("under check")
    finally:
        again.stop()


def test_a_viewer_sees_the_table_and_decides_nothing(browser: Browser, served: Served) -> None:
    page = browser.new_page(viewport={"width": 800, "height": 1280}, locale="en-GB")
    page.goto(served.server.base + f"?token={TOKENS[Role.VIEWER]}")
    expect(page.locator("#table image")).not_to_have_count(0)
    expect(page.locator("#tab-alerts")).to_be_hidden()
    assert page.get_by_role("button", name="Accept").count() == 0
    page.close()


def test_accessible(page: Page, served: Served) -> None:
    served.win()
    expect(page.locator("#hand-001")).to_be_visible()
    page.evaluate("() => {" + axe_script() + "}")
    for theme, tabs in (
        ("light", ("alerts", "hand", "moves", "session")),
        ("dark", ("alerts", "hand")),
    ):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        for tab in tabs:
            page.click(f"#tab-{tab}")
            page.wait_for_timeout(300)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            said = [
                (one["id"], node["html"][:120], node["failureSummary"][:200])
                for one in found["violations"]
                for node in one["nodes"]
            ]
            assert said == [], (theme, tab)
