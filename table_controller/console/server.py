"""The web console of one table: a page, an HTTP API and a WebSocket feed.

Loopback only unless the configuration says otherwise. Everything but the sign-in needs a session
(the cookie that the printed link sets) or ``Authorization: Bearer`` with a role's token. Changes
that come with a cookie must carry the session's CSRF token and come from the page's own origin.
Viewers are served from a hub of their own, late and without anything that lies hidden.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from table_controller.console.access import Access
from table_controller.console.api import add_changing, add_reading
from table_controller.console.desk import DecisionRefusedError, Desk, NotThereError
from table_controller.console.feed import add_feed
from table_controller.console.gate import Gate, OtherPageError, Rate, guard
from table_controller.console.hub import Hub
from table_controller.console.listening import ConsoleServer
from table_controller.console.pages import CachedStatic
from table_controller.console.signing import add_signing

__all__ = ["STATIC", "ConsoleServer", "build_app"]

STATIC: Final = Path(str(files("table_controller.console"))) / "static"


def build_app(
    hub: Hub, public: Hub, access: Access, desk: Desk, rate: Rate | None = None
) -> FastAPI:
    """The console's web application.

    Args:
        hub: the state and its changes, for those who may see the table.
        public: the same for viewers.
        access: who may come in, and do what.
        desk: takes decisions, answers about the record.
        rate: how often one address may ask.
    """
    app = FastAPI(
        title="paiguan console",
        version="3",
        description="The table as the program sees it, its alerts, the captured hands, the record.",
        docs_url=None,
        redoc_url=None,
    )
    gate = Gate(access)
    guard(app, rate)
    add_refusals(app)
    add_signing(app, gate, access, STATIC / "index.html")
    add_reading(app, gate, hub, public, desk)
    add_changing(app, gate, desk)
    add_feed(app, gate, access, hub, public)
    app.mount("/static", CachedStatic(directory=STATIC), name="static")
    return app


def add_refusals(app: FastAPI) -> None:
    """What is refused is answered in one line, with a name that pages can translate."""

    @app.exception_handler(DecisionRefusedError)
    async def refused(_: Request, error: DecisionRefusedError) -> JSONResponse:
        body = {"detail": str(error), "insist": error.insist}
        return JSONResponse({**body, "code": error.code, "facts": error.facts}, 409)

    @app.exception_handler(NotThereError)
    async def not_there(_: Request, error: NotThereError) -> JSONResponse:
        body = {"detail": str(error), "code": error.code, "facts": error.facts}
        return JSONResponse(body, 404)

    @app.exception_handler(OtherPageError)
    async def other_page(_: Request, error: OtherPageError) -> JSONResponse:
        return JSONResponse({"detail": error.detail, "code": error.code}, error.status_code)
