"""The hall's page in a real browser: the map, a claim, a decision, the public's board."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.needs import need_tool
from tests.table_controller.venue.conftest import a_world
from tests.table_controller.venue.world import World, wait

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(folder: Path) -> Iterator[World]:
    with a_world(folder / "page") as made:
        yield made


@pytest.fixture
def page(world: World) -> Iterator[Page]:
    program = need_tool("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        made = browser.new_page(viewport={"width": 1500, "height": 950}, locale="en-GB")
        faults: list[str] = []
        made.on("pageerror", lambda error: faults.append(str(error)))
        made.goto(f"{world.venue.hubs[0].base}?token={world.venue.token}")
        yield made
        browser.close()
        assert faults == []


def test_an_alert_is_claimed_and_decided(world: World, page: Page) -> None:
    names = world.names(2)
    tables = world.tables(names, speed=10, mix=3)
    wait(lambda: any(one["table"] in names for one in world.state()["alerts"].values()))
    expect(page.locator("#tables li")).to_have_count(2, timeout=30_000)
    free = page.locator(".item.free").first
    free.get_by_role("button", name="Take it").click()
    page.fill("#by", "Li")  # asked once on each tablet
    page.locator("#ask-ok").click()
    mine = page.locator(".item.mine").first
    expect(mine).to_contain_text("yours", timeout=30_000)
    mine.get_by_role("button", name="Accept").click()
    expect(page.locator(".item", has_text="Accepted · by Li").first).to_be_visible(timeout=30_000)
    page.select_option("#lang", "zh")
    expect(page.locator("#h-map")).to_have_text("牌桌")
    tables.close()


def test_the_public_sees_no_table(world: World, page: Page) -> None:
    tokens = json.loads((world.folder / "hub-state" / "hall-tokens.json").read_text())
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{world.venue.hubs[0].base}?token={tokens['viewer']}")
    expect(page.locator("#public")).to_contain_text("The board is a little late", timeout=30_000)
    expect(page.locator("#staff")).to_be_hidden()
