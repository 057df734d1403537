"""The page in a real browser: what it shows, what a decision does, how it comes back."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from table_controller.console.access import Role
from tests.table_controller.console.served import TOKENS, Served

pytestmark = pytest.mark.long


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
    # Another one lays his hand open to show it: the winner's pictures stay.
    other = {"file": "hand-001-1-2/00.jpg", "face": "2p", "place": "hand", "confidence": 0.9}
    served.hub.publish("crops", {"key": "hand-001", "seat": 1, "crops": [other]})
    served.hub.publish("health", {"fps": 7.0})
    expect(page.locator("#lamps")).to_contain_text("7.0 fps")
    winners = "/evidence/hand-001-3-1/00.jpg"
    expect(hand.locator("img.crop")).to_have_attribute("src", winners)
    page.reload()
    expect(hand.locator("img.crop")).to_have_attribute("src", winners)
    # 3s was really 6s: still a win; one tap on the tile and one on what it is.
    hand.get_by_role("button", name="Correct 3s").click()
    page.locator("dialog summary").click()
    page.locator("dialog button[value='6s']").click()
    expect(hand.locator("img.winning")).to_have_attribute("alt", "6s")
    # One 1p was a 2p: then it is no win, which must be insisted on. The referee thinks again.
    hand.get_by_role("button", name="Correct 1p").first.click()
    expect(page.locator("dialog .likely button").first).to_have_attribute("aria-label", "2p")
    page.locator("dialog .likely button").first.click()
    expect(page.locator("#ask-title")).to_contain_text("Enter it all the same?")
    page.get_by_role("button", name="Cancel").click()
    last = hand.get_by_role("button", name="Confirm the hand")
    expect(last).to_be_disabled()  # first the winner says the points, and the others agree
    hand.get_by_role("button", name="Winner says the points").click()
    hand.get_by_role("button", name="The others agree").click()
    last.click()
    expect(hand.locator("h3")).to_contain_text("confirmed")
    expect(hand).to_contain_text("+")
    page.click("#tab-session")
    expect(page.locator("#session")).to_contain_text("Corrected: discard 6s · Li")
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
    page.click("#tab-moves")
    row = page.locator("#moves li", has_text="entered by the referee")
    expect(row).to_have_count(1)
    expect(row.locator(".tag", has_text="corrected")).to_have_count(0)


def test_languages_and_keys(page: Page) -> None:
    for lang, word in (("zh", "提前摸牌"), ("ja", "先ヅモ"), ("en", "Drawn")):
        page.select_option("#lang", lang)
        expect(page.locator("#alerts")).to_contain_text(word)
        expect(page.locator("html")).to_have_attribute("lang", lang)
    page.focus("#tab-alerts")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-hand")).to_be_focused()
    expect(page.locator("#hand")).to_be_visible()


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
    rows = page.locator("#moves li")
    expect(rows.first).to_contain_text("discards")
    # Nothing was corrected: no move says so.
    expect(rows.locator(".tag")).to_have_count(0)
    page.close()
