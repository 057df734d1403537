"""Flows of the referee in a real browser: protests, calls, what gets lost."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from table_controller.console.access import Role
from table_controller.console.forms import OffenceForm, RulingForm
from table_controller.domain.happenings import Call
from table_controller.record.evidence import EvidenceStore, FrameRing
from table_controller.record.journal import EntryKind
from tests.table_controller.console.served import TOKENS, Served


def evidence(served: Served, root: Path) -> None:
    """Real pictures and a real clip, as the program writes them, and one of each moment."""
    ring = FrameRing(seconds=60.0, width=640)
    for number in range(12):
        picture = np.full((360, 640, 3), 20 * number, np.uint8)
        cv2.circle(picture, (40 * number + 60, 180), 30, (0, 200, 255), -1)
        ring.add(100 + number * 0.2, "top", picture)
    store = EvidenceStore(root / "evidence", ring)
    files = store.save("alert-0001", before=100.5, after=101.5)
    alert = served.hub.alert("alert-0001") or {}
    served.hub.publish("alert", {**alert, "files": list(files)})
    jpeg = (root / "evidence" / "alert-0001" / "after.jpg").read_bytes()
    for happening in served.running.controller.happenings:
        store.keep("moments-001", f"{round(happening.t * 1000)}.jpg", jpeg)


def until(page: Page, script: str) -> None:
    """Wait in small steps: the page's content security policy forbids what Playwright would do."""
    for _ in range(200):
        if page.evaluate(script):
            return
        page.wait_for_timeout(100)
    pytest.fail(script)


def test_the_clip_plays_in_the_page_and_goes_on(page: Page, served: Served, tmp_path: Path) -> None:
    evidence(served, tmp_path)
    clip = page.locator("#alert-alert-0001 video")
    expect(clip).to_have_count(1)
    page.evaluate("document.querySelector('video').loop = true")
    page.evaluate("document.querySelector('video').play()")
    until(page, "document.querySelector('video').currentTime > 0.3")
    assert page.evaluate("document.querySelector('video').videoWidth") > 0
    # Another alert comes: the clip is not begun anew.
    alert = served.hub.alert("alert-0001") or {}
    served.hub.publish("alert", {**alert, "key": "alert-0002", "files": []})
    expect(page.locator("#alert-alert-0002")).to_be_visible()
    assert page.evaluate("!document.querySelector('video').paused")
    shot = page.locator("#alert-alert-0001 .shot").first
    shot.click()
    expect(page.locator("#big img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#big")).to_be_hidden()


def test_every_moment_has_its_picture(page: Page, served: Served, tmp_path: Path) -> None:
    evidence(served, tmp_path)
    page.click("#tab-moves")
    page.locator("#moves li button.plain").nth(1).click()
    expect(page.locator("#past")).to_be_visible()
    shot = page.locator("#moves .moment .shot img").first
    expect(shot).to_have_attribute("src", re.compile("^/evidence/moments-001/[0-9]+[.]jpg$"))
    until(page, "document.querySelector('.moment img')?.naturalWidth > 0")
    was = page.locator("#moves output").text_content()
    page.get_by_role("button", name="Moment of the game −1").click()
    expect(page.locator("#moves output")).not_to_have_text(was or "")
    page.fill("#moves input[type=search]", "drawn too early")
    expect(page.locator("#moves li")).to_have_count(1)


def test_a_protest_is_entered_and_lifted(page: Page, served: Served) -> None:
    card = page.locator("#alert-alert-0001")
    card.get_by_role("button", name="Protest").click()
    page.fill("#by", "Li")
    expect(page.locator("#p-seat")).to_have_value("1")
    page.fill("#reason", "he had not touched it")
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(card).to_contain_text("under protest")
    expect(card).to_contain_text("he had not touched it")
    assert served.running.ruled.held("alert-0001")
    page.click("#tab-session")
    expect(page.locator("#session")).to_contain_text("alert-0001 · Seat 1 · he had not touched it")
    page.click("#session summary")
    expect(page.locator("#session details")).to_contain_text("Protest")
    page.click("#tab-alerts")
    card.get_by_role("button", name="Lift the protest").click()
    page.get_by_role("button", name="Settled at the table").click()
    expect(card).not_to_contain_text("under protest")
    kinds = [entry.body["action"] for entry in served.running.journal.entries([EntryKind.PROTEST])]
    assert kinds == ["protest", "lift"]


def test_a_seat_calls_the_referee(page: Page, served: Served, browser: Browser) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    served.running.tell([Call(t=served.running.controller.t + 1, seat=2, call="referee")])
    bar = page.locator(".callbar")
    expect(bar).to_contain_text("Seat 2 (top) calls the referee")
    expect(page.locator("#live")).to_contain_text("calls the referee")
    other = browser.new_page(locale="zh-CN")
    other.goto(served.server.url)
    expect(other.locator(".callbar")).to_contain_text("座位 2 (上) 呼叫裁判")
    bar.get_by_role("button").click()
    expect(page.locator(".callbar")).to_have_count(0)
    expect(other.locator(".callbar")).to_have_count(0)
    other.close()


def test_a_call_made_before_the_page_was_there_is_announced(
    browser: Browser, served: Served
) -> None:
    served.running.tell([Call(t=served.running.controller.t + 1, seat=2, call="referee")])
    page = browser.new_page(locale="en-GB")
    page.goto(served.server.url)
    live = page.locator("#live")
    expect(live).to_have_text("Seat 2 calls the referee")
    # Alerts that were open already are in the count, not in the ear.
    expect(page.locator("#open-count")).to_have_text("1")
    page.close()


def test_what_came_while_the_program_was_started_again_is_announced(
    page: Page, served: Served, tmp_path: Path
) -> None:
    expect(page.locator("#alert-alert-0001")).to_be_visible()
    page.context.set_offline(True)
    served.server.stop()
    expect(page.locator("#lost")).to_be_visible()
    again = Served(tmp_path, served.server.port)
    try:
        # The new process has numbered more changes than the page had seen of the old one.
        for t in range(50):
            again.hub.publish("passed", {"key": "alert-0001", "t": t})
        alert = again.hub.alert("alert-0001") or {}
        again.hub.publish("alert", {**alert, "key": "alert-0002"})
        again.running.tell([Call(t=again.running.controller.t + 1, seat=2, call="referee")])
        for t in range(50):
            again.hub.publish("passed", {"key": "alert-0001", "t": t})
        page.context.set_offline(False)
        expect(page.locator("#alert-alert-0002")).to_be_visible()
        expect(page.locator("#live")).to_contain_text("Seat 2 calls the referee")
        expect(page.locator("#live")).to_contain_text("New alert")
    finally:
        again.stop()


def test_the_end_of_the_session_is_announced(page: Page, served: Served) -> None:
    now = page.evaluate("0") or 151.0
    session = {"ends": now + 600, "notice": now - 300, "over": False}
    served.hub.publish("game", {"scores": [0, 0, 0, 0], "session": session})
    expect(page.locator("#notice")).to_contain_text("10 minutes left in this session")
    expect(page.locator("#live")).to_contain_text("10 minutes left")
    served.hub.publish("game", {"scores": [0, 0, 0, 0], "session": {**session, "over": True}})
    expect(page.locator("#notice")).to_have_text("The session's time is over")


def test_a_session_that_ends_in_a_decision_loses_nothing(page: Page, served: Served) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    expect(page.locator("#alert-alert-0001")).to_be_visible()
    page.context.clear_cookies()  # the session has ended
    page.get_by_role("button", name="Accept").click()
    expect(page.locator("input[name=token]")).to_be_visible()
    assert served.decided() == []
    page.fill("input[name=token]", TOKENS[Role.REFEREE])
    page.locator("button").click()
    expect(page.locator("#ask-title")).to_contain_text("it was not taken yet. Send it now?")
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(page.locator("#alert-alert-0001")).to_contain_text("Accepted · by Li")
    assert served.decided() == ["accept"]
    assert "token" not in page.url


def test_a_wrong_token_is_one_clear_line(browser: Browser, served: Served) -> None:
    page = browser.new_page()
    page.goto(served.server.base)
    page.fill("input[name=token]", "not this one")
    page.locator("button").click()
    expect(page.locator("[role=status]")).to_contain_text("令牌不正确")
    page.close()


@pytest.mark.parametrize(
    ("lang", "said", "asked"),
    [
        ("zh", "Wu已在此期间作出裁定", "就不成立和牌了"),
        ("ja", "Wuが先に裁定しました", "和了が成立しません"),
    ],
)
def test_refusals_are_said_in_the_pages_language(
    page: Page, served: Served, lang: str, said: str, asked: str
) -> None:
    from table_controller.console.forms import Decision

    page.evaluate("localStorage.setItem('by', 'Li')")
    page.select_option("#lang", lang)
    page.locator("#alert-alert-0001 .actions button").nth(1).click()
    served.running.desk.decide("alert-0001", Decision(action="accept", by="Wu"), "referee")
    page.locator("#ask-ok").click()
    expect(page.locator("#said")).to_contain_text(said)
    served.win()
    hand = page.locator("#hand-001")
    hand.locator(".steps button").nth(0).click()
    hand.locator(".steps button").nth(1).click()
    hand.locator(".steps button").nth(2).click()
    expect(hand.locator("h3 small.good")).to_be_visible()
    # Of a hand that is over one tile was another: then it is not won.
    hand.locator("button.piece").nth(9).click()
    page.locator("dialog summary").click()
    page.locator("dialog button[value='9p']").click()
    expect(page.locator("#ask-title")).to_contain_text(asked)


def test_two_tablets_confirm_one_hand(page: Page, browser: Browser, served: Served) -> None:
    other = browser.new_page(locale="en-GB")
    other.goto(served.server.url)
    served.win()
    for tablet, name in ((page, "Li"), (other, "Wu")):
        tablet.evaluate(f"localStorage.setItem('by', '{name}')")
        steps = tablet.locator("#hand-001 .steps button")
        steps.nth(0).click()
        steps.nth(1).click()
        expect(steps.nth(2)).to_be_enabled()
    # Both at once: the second request goes out before the first answer is shown.
    script = "document.querySelectorAll('#hand-001 .steps button')[2].click()"
    page.evaluate(script)
    other.evaluate(script)
    expect(page.locator("#hand-001 h3")).to_contain_text("confirmed")
    expect(other.locator("#hand-001 h3")).to_contain_text("confirmed")
    other.close()
    orders = [entry.body for entry in served.running.journal.entries([EntryKind.CORRECTION])]
    assert [order["hand"] for order in orders] == ["hand-001"]


def test_what_comes_while_the_person_is_asked_was_not_seen(page: Page, served: Served) -> None:
    served.win()
    alerts, said = page.locator("#alerts article"), page.locator("#said")
    hand = page.locator("#hand-001")
    confirm = page.get_by_role("button", name="Confirm", exact=True)
    orders = 0

    def meanwhile() -> None:
        """Another referee enters something; this page hears of it while its dialog is open."""
        nonlocal orders
        expect(page.locator("#ask")).to_be_visible()
        shown = alerts.count()
        form = OffenceForm(by="Wu", seat=2, about="speech", ruling=RulingForm())
        served.running.desk.enter(form, "referee")
        orders += 1
        expect(alerts).to_have_count(shown + 1)

    def refused() -> None:
        expect(said).to_contain_text("Wu has decided in the meantime")
        entries = served.running.journal.entries([EntryKind.CORRECTION])
        assert [entry.body["by"] for entry in entries] == ["Wu"] * orders
        page.evaluate("document.getElementById('said').textContent = ''")

    for step in range(3):
        hand.locator(".steps button").nth(step).click()
    meanwhile()
    page.fill("#by", "Li")
    confirm.click()
    refused()

    hand.get_by_role("button", name="Correct 3s").click()
    meanwhile()
    page.locator("dialog summary").click()
    page.locator("dialog button[value='6s']").click()
    refused()

    page.click("#tab-session")
    page.get_by_role("button", name="Enter an offence").click()
    meanwhile()
    confirm.click()
    refused()

    page.click("#tab-moves")
    correct = page.locator("button[aria-label^='Correct']")
    row = page.locator("#moves li", has=correct).first
    row.locator(correct).click()
    meanwhile()
    page.locator("dialog .faces button:visible").first.click()
    refused()

    row.locator("button.plain").click()
    page.get_by_role("button", name="Did not happen").click()
    meanwhile()
    page.get_by_role("button", name="Seen wrongly").click()
    refused()

    # Nor was what the rows were drawn without, though the page has heard of it before.
    page.route("**/api/timeline", lambda _: None)  # no answer, which nothing is said of either
    page.click("#tab-session")
    page.get_by_role("button", name="Enter an offence").click()
    meanwhile()
    page.get_by_role("button", name="Cancel").click()
    page.click("#tab-moves")
    row.locator(correct).click()
    page.locator("dialog .faces button:visible").first.click()
    refused()


def test_an_offence_that_costs_points_to_each(page: Page, served: Served) -> None:
    """The rule says 10 to each; the form asks for what is lost in all."""
    page.evaluate("localStorage.setItem('by', 'Li')")
    page.click("#tab-session")
    page.get_by_role("button", name="Enter an offence").click()
    page.select_option("#o-what", label="Win on the wrong tile")
    expect(page.locator("#r-points")).to_have_value("30")
    expect(page.locator("#r-pay")).to_have_value("each")
    page.get_by_role("button", name="Confirm", exact=True).click()
    page.click("#tab-alerts")
    expect(page.locator("#alerts")).to_contain_text("−30 points (3 × 10)")


def test_an_offence_that_costs_a_limit_hand(page: Page, served: Served) -> None:
    shares = [[0, 4000, 4000, 4000], [4000, 0, 2000, 2000], [4000, 2000, 0, 2000], [0, 0, 0, 0]]
    limit = {"points": 0, "step": 0, "pay": "mangan", "shares": shares, "summary": "a limit hand"}
    plain = {"points": 5, "step": 0, "pay": "nobody", "summary": "five points"}
    known = {"id": "other", "group": "alert", "clause": "9.9.1"}
    served.running.desk.offences = lambda: [  # type: ignore[method-assign]
        {**known, "about": about, "title": {"en": about}, "rulings": [ruling]}
        for about, ruling in (("limit", limit), ("plain", plain))
    ]
    page.evaluate("localStorage.setItem('by', 'Li')")
    page.click("#tab-session")
    page.get_by_role("button", name="Enter an offence").click()
    clause, points, pay = page.locator("#ask .clause"), page.locator("#r-points"), "#r-pay"
    expect(points).to_have_value("12000")  # the dealer's
    page.select_option("#o-what", label="plain")
    expect(points).to_have_value("5")
    expect(page.locator(pay)).to_have_value("nobody")
    expect(page.locator(f"{pay} option[value=proposed]")).to_be_disabled()
    page.select_option("#o-what", label="limit")
    page.select_option("#o-seat", "1")
    expect(points).to_have_value("8000")
    expect(page.locator(pay)).to_have_value("proposed")
    expect(clause).to_contain_text("Seat 0 +4000 · Seat 2 +2000 · Seat 3 +2000")
    page.get_by_role("button", name="Confirm", exact=True).click()
    page.click("#tab-alerts")
    expect(page.locator("#alerts")).to_contain_text("−8000 points (4000 + 2000 + 2000)")
    # Changed to a warning beside: the points stay as they were proposed.
    alert = page.locator("#alerts article", has_text="8000")
    alert.get_by_role("button", name="Change").click()
    expect(points).to_have_value("8000")
    page.check("#r-warning")
    page.get_by_role("button", name="Confirm", exact=True).click()
    expect(page.locator("#alerts")).to_contain_text("Changed · by Li")
    expect(page.locator("#alerts")).to_contain_text("−8000 points (4000 + 2000 + 2000)")


def test_an_offence_of_the_ruleset_with_its_ladder(page: Page, served: Served) -> None:
    page.evaluate("localStorage.setItem('by', 'Li')")
    for points in (0, 5):
        page.click("#tab-session")
        page.get_by_role("button", name="Enter an offence").click()
        page.select_option("#o-seat", "3")
        page.select_option("#o-what", label="Words outside the five calls, or delaying")
        expect(page.locator("#ask .clause")).to_contain_text("000 Q35(3)")
        expect(page.locator("#r-points")).to_have_value(str(points))
        page.get_by_role("button", name="Confirm", exact=True).click()
        expect(page.locator("#ask")).to_be_hidden()
        page.wait_for_timeout(400)
    page.click("#tab-alerts")
    expect(page.locator("#alerts")).to_contain_text("000 Q35(3)")
    expect(page.locator("#alerts")).to_contain_text("−5 points")


def test_a_riichi_hand_under_check(page: Page, served: Served) -> None:
    """Indicators, counters, sticks, liability, han and fu, in the page's language."""
    facts = {"surface_mm": 700, "tile_mm": [20, 28, 16], "ruleset": "riichi-xjtu-2025"}
    served.hub.publish("table", {**facts, "start": 100})
    tiles = ["2m", "3m", "4m", "5m", "6m", "7m", "2p", "3p", "4p", "3p", "4p", "8s", "8s"]
    fans = [
        {"id": fan, "name_zh": "", "name_en": fan, "value": 1, "count": 1}
        for fan in ("riichi", "all_simples")
    ]
    situation = {"riichi": 2, "ippatsu": True, "dora": ["1p"], "ura": ["7s"], "norths": 0}
    situation |= {"honba": 2, "sticks": 1, "liable": 3}
    win = {"winner": 1, "from": 2, "win_tile": "5p", "tiles": tiles, "melds": [], "flowers": []}
    win |= {"legal": True, "han": 4, "fu": 30, "limit": None, "yakuman": 0, "total": 7700}
    win |= {"fans": fans, "situation": situation}
    check = {"wins": [win], "payments": [0, 9600, -8600, 0], "honba": 2}
    served.hub.publish("game", {"round_wind": "E", "hand": 3, "scores": [0] * 4, "check": check})
    hand = page.locator("#hand-001")
    for text in (
        "4 han 30 fu",
        "Double riichi",
        "Honba 2",
        "Riichi sticks 1",
        "Liable: Seat 3",
        "+9600",
    ):
        expect(hand).to_contain_text(text)
    expect(hand.locator(".indicators img")).to_have_count(2)
    page.select_option("#lang", "ja")
    for text in ("断幺九", "4翻30符", "ダブルリーチ", "包"):
        expect(hand).to_contain_text(text)


def test_a_used_up_wall_is_confirmed(page: Page, served: Served) -> None:
    """Nobody has won, and nothing more happens: the referee need not wait."""
    check = {"at_the_end": True, "wins": []}
    served.hub.publish("game", {"round_wind": "E", "hand": 3, "scores": [0] * 4, "check": check})
    page.evaluate("localStorage.setItem('by', 'Li')")
    hand = page.locator("#hand-001")
    expect(hand).to_contain_text("Wall exhausted: no win")
    expect(hand.locator(".steps")).to_have_count(0)
    page.route("**/api/hands/hand-001/confirm", lambda route: route.fulfill(json={}))
    with page.expect_request("**/api/hands/hand-001/confirm") as sent:
        hand.get_by_role("button", name="Confirm the hand").click()
    confirmed = sent.value.post_data_json
    assert confirmed is not None
    assert confirmed["steps"] == []
