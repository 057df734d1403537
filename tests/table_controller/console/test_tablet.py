"""A tablet in a referee's hands: a second tab, questions that come late, what it lets one hear."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, Route, expect

from tests.table_controller.console.served import Served, wait_until


def test_a_page_of_an_earlier_session_says_that_it_must_be_loaded_anew(
    browser: Browser, served: Served
) -> None:
    tablet = browser.new_context(locale="en-GB")
    page, other = tablet.new_page(), tablet.new_page()
    for tab in (page, other):  # in the second tab somebody signs in anew
        tab.goto(served.server.url)
        expect(tab.locator("#seats li")).to_have_count(4)
    page.evaluate("localStorage.setItem('by', 'Li')")
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#said")).to_contain_text("reload this page")
    assert served.decided() == []
    page.reload()
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("#alert-alert-0001")).to_contain_text("Accepted")
    tablet.close()


def test_a_question_that_comes_late_waits_for_the_form_that_is_filled_in(
    page: Page, served: Served
) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    held: list[Route] = []
    page.route("**/api/protests", lambda route: held.append(route))
    card = page.locator("#alert-alert-0001")
    confirm = page.get_by_role("button", name="Confirm", exact=True)
    card.get_by_role("button", name="Protest").click()
    page.fill("#reason", "he had not touched it")
    confirm.click()
    wait_until(page, lambda: bool(held))
    card.get_by_role("button", name="Dismiss").click()
    page.fill("#reason", "a sleeve")
    facts = {"alert": {"en": "Drawn too early"}}
    asks = {"detail": "", "insist": True, "code": "new_alert", "facts": facts}
    held.pop().fulfill(status=409, json=asks)
    page.wait_for_timeout(500)
    expect(page.locator("#ask-title")).to_contain_text("Dismiss")
    expect(page.locator("#reason")).to_have_value("a sleeve")
    confirm.click()
    expect(card).to_contain_text("Dismissed · by Li · a sleeve")
    expect(page.locator("#ask-title")).to_contain_text("Enter it all the same?")
    confirm.click()
    wait_until(page, lambda: bool(held))
    asked = held[0].request.post_data_json
    assert asked is not None
    assert asked["insist"]
    held.pop().fulfill(json={})
    expect(page.locator("#ask")).to_be_hidden()


HEARD = """
window.heard = { made: 0, tones: 0 };
let touched = false;
addEventListener("pointerup", () => { touched = true; }, true);
window.AudioContext = class {
  constructor() { heard.made += 1; this.state = "suspended"; this.currentTime = 0; }
  async resume() {
    if (touched) this.state = "running";
  }
  createOscillator() {
    return { frequency: {}, connect: (to) => to, start: () => { heard.tones += 1; }, stop() {} };
  }
  createGain() {
    const gain = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
    return { gain, connect: (to) => to };
  }
};
"""


def test_alerts_sound_once_the_page_was_touched(browser: Browser, served: Served) -> None:
    """Some browsers let a page sound only in a touch, and keep but few that were made."""
    tablet = browser.new_context(locale="en-GB")
    tablet.add_init_script(HEARD)

    def opened() -> Page:
        page = tablet.new_page()
        page.goto(served.server.url)
        expect(page.locator("#seats li")).to_have_count(4)
        return page

    def alerts(page: Page, *numbers: int) -> None:
        alert = served.hub.alert("alert-0001") or {}
        for number in numbers:
            served.hub.publish("alert", {**alert, "key": f"alert-{number:04d}"})
            expect(page.locator(f"#alert-alert-{number:04d}")).to_be_visible()
            page.wait_for_timeout(100)  # what comes in one go sounds once

    page = opened()
    alerts(page, 2)
    assert page.evaluate("heard.made") == 0  # nobody wants to hear anything yet
    page.click("#sound")
    alerts(page, 3, 4)
    assert page.evaluate("[heard.made, heard.tones]") == [1, 2]
    page.close()
    # It stays wanted; a page that is opened anew sounds from the first touch on, wherever that is.
    page = opened()
    alerts(page, 5)
    assert page.evaluate("[heard.made, heard.tones]") == [1, 0]
    page.click("#where")
    alerts(page, 6)
    assert page.evaluate("[heard.made, heard.tones]") == [1, 1]
    tablet.close()
