"""A browser with the scripts of the hall's page, and no hall behind them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, sync_playwright

import table_controller.venue
from tests.needs import need_tool
from tests.table_controller.console.served import ARGS

ROOT = Path(table_controller.venue.__file__).parent
STATIC = ROOT / "hall" / "static"
CONSOLE = ROOT.parent / "console" / "static"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    program = need_tool("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=ARGS)
        page = browser.new_page()
        served = {
            **{f"/hall/{path.name}": path for path in STATIC.glob("*.js")},
            **{f"/static/{path.relative_to(CONSOLE)}": path for path in CONSOLE.rglob("*.js")},
        }

        def answer(route: Route) -> None:
            path = served.get(route.request.url.removeprefix("http://hall"))
            if path is None:
                route.fulfill(body="<html></html>", content_type="text/html")
            else:
                route.fulfill(path=path, content_type="text/javascript")

        page.route("**/*", answer)
        page.goto("http://hall/")
        yield page
        browser.close()
