"""Checked with axe in three languages, light and dark; and used by keyboard alone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.table_controller.console.axe import axe_script
from tests.table_controller.console.served import Served

pytestmark = pytest.mark.long


def violations(page: Page) -> list[tuple[Any, ...]]:
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        (one["id"], node["html"][:120], node["failureSummary"][:300])
        for one in found["violations"]
        for node in one["nodes"]
    ]


def everything(page: Page, served: Served) -> None:
    """All bars, an open alert, a hand under check, a protest."""
    served.win()
    expect(page.locator("#hand-001")).to_be_visible()
    served.hub.publish("call", {"key": "call-1-2", "seat": 2, "t": 150.0, "answered": None})
    why = [{"code": "unconfirmed"}, {"code": "tiles", "count": 3}]
    machine = {"stage": "held", "hand": "hand-001", "why": why, "held": False, "mode": "auto"}
    served.hub.publish("machine", machine)
    # One alert of each severity.
    alert = served.hub.alert("alert-0001") or {}
    for number, ruling in ((2, {"summary": "warned", "warning": True}), (3, {"summary": "told"})):
        body = {**alert, "key": f"alert-000{number}", "t": 150.0 + number, "ruling": ruling}
        served.hub.publish("alert", body)
    session = {"ends": 760.0, "notice": 100.0, "over": False}
    game = served.hub.snapshot()["game"]
    served.hub.publish("game", {**game, "session": session})
    expect(page.locator("#notice")).to_be_visible()
    protest = {"action": "protest", "number": 1, "about": "alert-0001", "hand": "hand-001"}
    served.hub.publish("protest", {**protest, "seat": 1, "by": "Li", "reason": "no", "t": 150.0})
    expect(page.locator(".callbar")).to_be_visible()
    expect(page.locator(".wallbar")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(page: Page, served: Served, theme: str) -> None:
    everything(page, served)
    page.evaluate("() => {" + axe_script() + "}")
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    for lang in ("en", "zh", "ja"):
        page.select_option("#lang", lang)
        for tab in ("alerts", "hand", "moves", "session"):
            page.click(f"#tab-{tab}")
            page.wait_for_timeout(250)
            assert violations(page) == [], (theme, lang, tab)
    page.click("#tab-alerts")
    for number in range(2):  # change, dismiss
        page.locator("#alert-alert-0001 .actions button").nth(number + 1).click()
        expect(page.locator("#ask")).to_be_visible()
        assert violations(page) == [], (theme, number)
        page.keyboard.press("Escape")


def test_by_keyboard_alone(page: Page, served: Served) -> None:
    """From the tabs to a decision, its undo and the next panel, without a pointer."""
    page.focus("#tab-alerts")
    page.keyboard.press("Tab")  # the panel
    expect(page.locator("#alerts")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#alert-alert-0001 .main")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#by")).to_be_focused()
    page.keyboard.type("Li")
    page.keyboard.press("Enter")
    expect(page.locator("#alert-alert-0001")).to_contain_text("Accepted · by Li")
    # The card was drawn anew, and the keyboard is still in it.
    expect(page.locator("#alert-alert-0001 .actions button").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#alert-alert-0001")).not_to_contain_text("Accepted")
    page.focus("#tab-alerts")
    for panel in ("hand", "moves", "session"):
        page.keyboard.press("ArrowRight")
        expect(page.locator(f"#{panel}")).to_be_visible()


def test_a_new_alert_does_not_take_the_place_of_the_keyboard(page: Page, served: Served) -> None:
    page.locator("#alert-alert-0001 button", has_text="Dismiss").focus()
    alert = served.hub.alert("alert-0001") or {}
    served.hub.publish("alert", {**alert, "key": "alert-0002", "t": 152.0})
    expect(page.locator("#alert-alert-0002")).to_be_visible()
    expect(page.locator("#alert-alert-0001 button", has_text="Dismiss")).to_be_focused()
