"""The hall's page in a real browser: the map, a claim, a decision, the public's board."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.needs import need_tool
from tests.table_controller.venue.conftest import a_world, run
from tests.table_controller.venue.releases import made as a_release
from tests.table_controller.venue.updating import agree, change, models_typed, steps
from tests.table_controller.venue.world import World, wait

pytestmark = pytest.mark.slow

T = TypeVar("T")


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
    with page.expect_navigation():  # it goes there by itself, when the hall has answered
        page.get_by_role("button", name="Sign out").click()
    page.goto(f"{world.venue.hubs[0].base}?token={tokens['viewer']}")
    expect(page.locator("#public")).to_contain_text("The board is a little late", timeout=30_000)
    expect(page.locator("#staff")).to_be_hidden()


def elsewhere(what: Callable[..., T], *given: Any) -> T:
    """In another thread: the browser's driver has an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(what, *given).result()


def step(page: Page, version: str, action: str, tables: str = "") -> None:
    """Type the tables into a release's field, and order a step."""
    release = page.locator("article.release", has=page.get_by_text(version, exact=False)).first
    release.locator("input").fill(tables)
    release.get_by_role("button", name=action, exact=True).click()


def lamps(page: Page, version: str) -> Locator:
    """What a release's lamps say."""
    return page.locator(
        "article.release", has=page.get_by_text(version, exact=False)
    ).first.locator(".lamps li")


def test_a_release_is_sent_used_and_taken_back_from_the_models_page(
    world: World, page: Page, tmp_path: Path
) -> None:
    """Whatever a person can press there, and what the tables answer, in two languages."""
    hub = str(world.venue.hub_file(9))
    good, bad = a_release(tmp_path / "good"), a_release(tmp_path / "bad", "902")
    (name,) = world.names(1)
    tables = world.tables([name])
    world.heard([name])
    page.evaluate("localStorage.setItem('by', 'Li')")
    page.get_by_role("tab", name="Models").click()
    expect(page.locator("#models .empty")).to_have_text(
        "No release lies in the object store: paiguan venue models put."
    )
    for version, folder in (("good", good), ("bad", bad)):
        words = ("put", hub, str(folder), "--version", version)
        assert elsewhere(models_typed, *words).returncode == 0
    elsewhere(run, change(world, "bad/reader.onnx", b"somebody else's"))
    page.reload()
    page.get_by_role("tab", name="Models").click()
    expect(page.locator("article.release h3")).to_have_text(
        [re.compile("^bad "), re.compile("^good ")]
    )
    expect(page.locator("article.release", has_text="good ").first).to_contain_text("reader 901")

    # Refused by the hall: said in a line, in the page's language.
    step(page, "good", "Use", "T99")
    expect(page.locator("#said")).to_have_text("there is no table T99; nothing was ordered")

    step(page, "good", "Offer", name)
    expect(page.locator("#said")).to_have_text("ordered at 1 tables", timeout=20_000)
    expect(lamps(page, "good")).to_have_text(["1 fetched"], timeout=30_000)
    step(page, "good", "Use", name)
    row = page.locator("#models tbody tr", has_text=name)
    # A session is being played: its referee is asked.
    expect(row).to_contain_text("good: waits (", timeout=30_000)
    expect(row).to_contain_text("the table's referee is asked")

    def taken() -> bool:
        agree(tables)
        return steps(world, "good", name) == ["in use"]

    wait(taken)
    expect(lamps(page, "good")).to_have_text(["1 in use"], timeout=30_000)
    expect(row.locator("td").nth(0)).to_have_text("good", timeout=30_000)
    expect(row.locator("td").nth(1)).to_have_text("the program's own")

    # What the table refuses is said with its reason; what is typed stays while answers come.
    step(page, "bad", "Offer", name)
    expect(lamps(page, "bad")).to_have_text(["1 refused"], timeout=30_000)
    field = page.locator("article.release", has_text="bad ").first.locator("input")
    expect(field).to_have_value(name)
    page.select_option("#lang", "zh")
    expect(page.locator("#tab-models")).to_have_text("模型")
    expect(lamps(page, "bad")).to_have_text(["1 拒绝"], timeout=30_000)
    expect(row).to_contain_text("bad 与所公布的不符：bad/reader.onnx: its checksum is another one")

    step(page, "good", "退回")
    expect(row).to_contain_text("good: 等待 (", timeout=30_000)

    def left() -> bool:
        agree(tables)
        return steps(world, "good", name) == ["returned"]

    wait(left)
    expect(lamps(page, "good")).to_have_text(["1 已退回"], timeout=30_000)
    expect(row.locator("td").nth(0)).to_have_text("程序自带", timeout=30_000)
    # The orders themselves, with their answers.
    page.locator("#tab-orders").click()
    expect(page.locator("#orders tr", has_text="恢复旧模型").first).to_contain_text(
        "完成: 已恢复为 程序自带; 该桌裁判Wu已同意"
    )
    tables.close()


def test_who_may_not_update_sees_no_buttons(world: World, page: Page) -> None:
    tokens = json.loads((world.folder / "hub-state" / "hall-tokens.json").read_text())
    with page.expect_navigation():  # it goes there by itself, when the hall has answered
        page.get_by_role("button", name="Sign out").click()
    page.goto(f"{world.venue.hubs[0].base}?token={tokens['desk']}")
    page.get_by_role("tab", name="Models").click()
    expect(page.locator("article.release").first).to_be_visible()
    expect(page.locator("article.release button")).to_have_count(0)
    expect(page.locator("article.release input")).to_have_count(0)
