"""Makes the pictures of the hall console from a real venue: `python docs/make_hall_pictures.py`.

Needs Chromium, NATS and PostgreSQL. Servers, hubs and tables are those of `make venue`; nothing in
the pictures is drawn by hand.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright

from table_controller.venue.servers.admin import put_models
from table_controller.venue.virtual.demo import LocalVenue, table_names
from table_controller.venue.virtual.pictures import Pictures
from table_controller.venue.virtual.tables import VirtualTables
from vision.nets.modelfile import own_dir

OUT: Final = Path(__file__).parent / "pictures"
ARGS: Final = ["--no-sandbox", "--disable-gpu", "--no-first-run"]
TABLES: Final = 8
SPEED: Final = 12.0
LANGUAGES: Final = {"en": "en-GB", "zh": "zh-CN"}
_PATIENCE_S: Final = 150.0


def until(what: Callable[[], bool]) -> None:
    """Wait for something to come.

    Raises:
        TimeoutError: it did not.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while not what():
        if time.monotonic() > deadline:
            raise TimeoutError("what was to be photographed did not come")
        time.sleep(0.3)


def opened(browser: Browser, address: str, lang: str) -> Page:
    """A page in a language, signed in by its address."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, locale=LANGUAGES[lang], color_scheme="light"
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#tables li, #public h2", timeout=30_000)
    return page


def decide_one(page: Page) -> None:
    """One alert is somebody's, one is decided, the others are open."""
    for turn in range(2):
        page.locator(".item.free .actions button.main, .item.free button.main").first.click()
        if turn == 0:
            page.fill("#by", "Li Siyuan")
            page.locator("#ask-ok").click()
        page.wait_for_selector(".item.mine")
        if turn == 0:
            page.locator(".item.mine").first.get_by_role("button", name="Accept").click()
            page.wait_for_selector(".item:has-text('by Li Siyuan') >> text=Accepted")


def photograph(browser: Browser, venue: LocalVenue, viewer: str) -> None:
    """The map with the queue, the standings and the public's board, in each language."""
    base = venue.hubs[0].base
    for lang in LANGUAGES:
        page = opened(browser, f"{base}?token={venue.token}", lang)
        if lang == "en":
            decide_one(page)
        page.wait_for_timeout(2500)
        page.screenshot(path=OUT / f"hall-queue-{lang}.png")
        page.click("#tab-standings")
        page.wait_for_selector("#standings tbody tr")
        page.wait_for_timeout(800)
        page.screenshot(path=OUT / f"hall-standings-{lang}.png")
        page.click("#tab-models")
        page.wait_for_selector("#models .release")
        page.wait_for_timeout(800)
        page.screenshot(path=OUT / f"hall-models-{lang}.png")
        board = opened(browser, f"{base}?token={viewer}", lang)
        board.wait_for_timeout(1500)
        board.screenshot(path=OUT / f"hall-public-{lang}.png")


def release_models(venue: LocalVenue, play: VirtualTables, tables: list[str]) -> None:
    """A release at a few tables: fetched at three, in use at one, and one referee is asked."""
    put = put_models(venue.config(), own_dir(), "2026-11", "Zhao")
    with ThreadPoolExecutor(1) as aside:  # the browser's driver has this thread's event loop
        aside.submit(asyncio.run, put).result()

    def order(step: str, which: list[str], state: str, shown: int) -> None:
        venue.ask(f"/api/models/2026-11/{step}", {"by": "Zhao", "tables": which})
        until(lambda: states(venue).count(state) >= shown)

    order("offer", tables[:3], "fetched", 3)
    venue.ask("/api/models/2026-11/use", {"by": "Zhao", "tables": tables[:2]})
    orders = play.plays[tables[0]].orders
    assert orders is not None

    def used() -> bool:
        for one in orders.waiting:
            orders.agree(one.id, "Wu", True)
        return "in use" in states(venue)

    until(used)


def states(venue: LocalVenue) -> list[str]:
    """How far each table is with the release."""
    there = venue.ask("/api/models")["tables"].values()
    return [step["state"] for table in there for step in table["steps"].values()]


def main() -> None:
    """Run a venue, let it play, take the pictures."""
    folder = Path(tempfile.mkdtemp(prefix="paiguan-hall-"))
    tables = table_names(TABLES)
    try:
        with LocalVenue(folder, tables, hubs=1) as venue, sync_playwright() as driver:
            play = VirtualTables(
                venue.ring, folder / "tables", venue.nats.urls, tables, speed=SPEED, mix=1
            )
            painter = Pictures()
            for one in play.plays.values():
                one.pictures = painter.want
            play.start()
            try:
                until(lambda: len(venue.ask("/api/state").get("tables", {})) == TABLES)
                venue.begin()
                until(lambda: sum(bool(line["score"]) for line in standings(venue)) >= 24)
                release_models(venue, play, tables)
                tokens = json.loads((folder / "hub-state" / "hall-tokens.json").read_text())
                browser = driver.chromium.launch(executable_path=chromium(), args=ARGS)
                photograph(browser, venue, tokens["viewer"])
                browser.close()
            finally:
                play.close()
                painter.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def chromium() -> str:
    """The browser's program."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise SystemExit("chromium is missing: apt-get install chromium")
    return found


def standings(venue: LocalVenue) -> list[dict[str, object]]:
    """The live standings."""
    return list(venue.ask("/api/standings"))


if __name__ == "__main__":
    main()
