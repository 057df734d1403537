"""What the hall orders, on the table's own page: the table's referee lets it in, or refuses it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from table_controller.console.access import Access, Role
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import ConsentForm
from table_controller.console.public import PublicFeed
from table_controller.console.server import ConsoleServer, build_app
from table_controller.venue.messages import Order, OrderKind
from tests.needs import need_tool
from tests.table_controller.console.served import ARGS, TOKENS
from tests.table_controller.venue.ordered import PLAN, AtTable

pytestmark = pytest.mark.long

expect.set_options(timeout=20_000)


class AtPage(AtTable):
    """A table in a running hand, with its console; a thread stands for the controller's."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.play("tile_discarded")
        self.desk = self.table.ruled.desk(self.table.evidence)
        self.desk.told_hall = self.orders.agree
        public = PublicFeed(self.table.hub, 0.0)
        self.public = public.hub
        app = build_app(self.table.hub, public.hub, Access(TOKENS), self.desk)
        self.server = ConsoleServer(app, "127.0.0.1", 0, TOKENS[Role.REFEREE])
        self.server.start()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.wait(0.05):
            self.orders.step()

    def send(self, order: Order) -> None:
        """The thread takes it."""
        self.orders.submit(order)

    def comes(self, what: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 10
        while not what():
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()
        self.server.stop()
        self.table.close()


@pytest.fixture
def at(tmp_path: Path) -> Iterator[AtPage]:
    made = AtPage(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def page(at: AtPage) -> Iterator[Page]:
    program = need_tool("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=ARGS)
        made = browser.new_page(locale="en-GB")
        faults: list[str] = []
        made.on("pageerror", lambda error: faults.append(str(error)))
        made.goto(at.server.url)
        made.evaluate("localStorage.setItem('by', 'Wu')")
        yield made
        browser.close()
        assert faults == []


def test_the_referee_at_the_table_answers_what_the_hall_orders(at: AtPage, page: Page) -> None:
    bars = page.locator(".callbar.asked")
    at.give(OrderKind.PAUSE)
    expect(bars).to_contain_text("The hall orders: pause")
    expect(bars).to_contain_text("Li · after this hand")
    expect(page.locator("#live")).to_contain_text("The hall orders: pause")
    assert at.answers() == [("pause", "waiting", "a hand is being played")]
    bars.get_by_role("button", name="Now, in this hand").click()
    expect(bars).to_have_count(0)
    assert at.answers()[-1] == ("pause", "done", "agreed by the table's referee Wu")
    assert at.table.reporter.paused

    at.give(OrderKind.SESSION_END)
    bars.get_by_role("button", name="Refuse").click()
    expect(bars).to_have_count(0)
    assert at.answers()[-1] == ("session_end", "refused", "by the table's referee Wu")

    at.give(OrderKind.SETTINGS, {"ruleset": "mcr-2006-du"})
    page.select_option("#lang", "zh")
    expect(bars).to_contain_text("赛场指令: 规则集 mcr-2006-du")
    expect(bars).to_contain_text("Li · 本盘结束后执行")
    page.reload()  # a page that comes later sees it too
    page.select_option("#lang", "ja")
    expect(bars).to_contain_text("会場からの指示: ルール mcr-2006-du")
    bars.get_by_role("button", name="同意").click()
    expect(bars).to_have_count(0)
    said = "mcr-2006-du from the next session on; agreed by the table's referee Wu"
    assert at.answers()[-1] == ("settings", "done", said)
    assert at.table.hand_running

    # Who sits here next waits for the hand, whoever would have it otherwise.
    page.select_option("#lang", "en")
    at.give(OrderKind.SEATING, PLAN)
    expect(bars).to_contain_text("The hall orders: seats")
    expect(bars.get_by_role("button")).to_have_count(0)


def test_an_answer_to_nothing_is_refused_and_the_public_sees_nothing(at: AtPage) -> None:
    form = ConsentForm(by="Wu", yes=True)
    with pytest.raises(NotThereError, match="the hall waits for no answer"):
        at.desk.consent("0" * 32, form, "referee")
    seat = at.give(OrderKind.SEATING, PLAN)
    at.comes(lambda: len(at.table.hub.snapshot()["asked"]) == 1)
    with pytest.raises(DecisionRefusedError, match="waits for the hand to end"):
        at.desk.consent(seat.id, form, "referee")
    assert at.answers() == [("seating", "waiting", "a hand is being played")]
    assert at.public.snapshot()["asked"] == []
