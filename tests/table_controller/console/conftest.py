"""A browser for the module; for each test a table with a page, or one that is asked without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.needs import need_tool
from tests.table_controller.console.asked import Table
from tests.table_controller.console.served import ARGS, Served

# A machine that does much else shows a page late; what never comes fails all the same.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = need_tool("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


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
    # The feed has told the state: the page draws its seats before that.
    expect(page.locator("#where")).to_contain_text("mcr-2006-du")
    expect(page.locator("#seats li")).to_have_count(4)
    yield page
    page.close()
    assert problems == []


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path)
    yield table
    table.running.journal.close()


@pytest.fixture
def client(table: Table) -> Iterator[TestClient]:
    with TestClient(table.app) as client:
        yield client
