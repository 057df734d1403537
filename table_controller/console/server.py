"""The web console of one table: a page, an HTTP API and a WebSocket feed.

Loopback only unless the configuration says otherwise. Everything but the sign-in needs the access
token: either the cookie that the printed link sets, or ``Authorization: Bearer``. Requests that
change something must come from the page itself (same origin) or carry the bearer token.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import socket
import threading
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response, WebSocket
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field
from starlette.websockets import WebSocketDisconnect

from table_controller.console.hub import Hub

COOKIE: Final = "paiguan"
STATIC: Final = Path(str(files("table_controller.console"))) / "static"

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

_SIGN_IN: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>paiguan 牌官</title>"
    "<body style='font:1.1rem/1.5 system-ui;max-width:34rem;margin:20vh auto;padding:0 1rem'>"
    "<h1>paiguan 牌官</h1><p>{said}</p><p>Open the link that the controller printed when it "
    "started; it carries the access token.<br>请打开控制器启动时显示的链接，其中带有访问令牌。</p>"
)


class Decision(BaseModel):
    """What a referee decides about an alert."""

    model_config = ConfigDict(extra="forbid")

    action: Literal["accept", "dismiss", "undo"]
    by: Annotated[str, Field(min_length=1, max_length=80)]
    reason: Annotated[str, Field(max_length=500)] = ""
    seen: int | None = None
    """Number of the decision the page showed when the button was pressed (0: none yet); a second
    tablet that decided in between makes this one void instead of doubling it."""


class DecisionRefusedError(Exception):
    """The decision was not taken; one line says why."""


Decide = Callable[[str, Decision], dict[str, Any]]


def new_token() -> str:
    """A fresh access token: 128 bits, URL-safe."""
    return secrets.token_urlsafe(16)


def build_app(hub: Hub, token: str, evidence: Path, decide: Decide) -> FastAPI:
    """The console's web application.

    Args:
        hub: the state and its changes.
        token: what a client must know.
        evidence: the folder of evidence pictures.
        decide: takes a referee's decision into the journal; raises DecisionRefusedError.
    """
    app = FastAPI(
        title="paiguan console",
        version="1",
        description="The table as the program sees it, its alerts, and the captured hands.",
        docs_url=None,
        redoc_url=None,
    )

    def known(value: str | None) -> bool:
        return value is not None and hmac.compare_digest(value.encode(), token.encode())

    def bearer(request: Request | WebSocket) -> bool:
        scheme, _, value = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and known(value.strip())

    def same_origin(request: Request | WebSocket) -> bool:
        origin = request.headers.get("origin")
        return origin is None or urlsplit(origin).netloc == request.headers.get("host")

    def require(request: Request) -> None:
        if bearer(request):
            return
        if not known(request.cookies.get(COOKIE)):
            raise HTTPException(401, "unknown or missing access token")
        if request.method not in ("GET", "HEAD") and not same_origin(request):
            raise HTTPException(403, "the request came from another page")

    @app.middleware("http")
    async def headers(request: Request, call_next: Any) -> Response:
        response: Response = await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    @app.get("/", include_in_schema=False)
    async def page(request: Request, token: str | None = None) -> Response:
        if token is not None:
            if not known(token):
                said = "This access token is not the one of this table. 令牌不正确。"
                return HTMLResponse(_SIGN_IN.format(said=said), status_code=401)
            answer = RedirectResponse("/", status_code=303)
            answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
            return answer
        if not known(request.cookies.get(COOKIE)):
            return HTMLResponse(_SIGN_IN.format(said="Not signed in. 未登录。"), status_code=401)
        return FileResponse(STATIC / "index.html")

    @app.get("/api/state", dependencies=[Depends(require)])
    async def state() -> dict[str, Any]:
        """The whole state: table, view, game, alerts, moves, hands, health."""
        return hub.snapshot()

    @app.post(
        "/api/alerts/{key}/decision",
        dependencies=[Depends(require)],
        responses={404: {"description": "no such alert"}, 409: {"description": "refused"}},
    )
    def decision(key: str, body: Decision) -> dict[str, Any]:
        """Accept or dismiss an alert, or take the last decision back."""
        if hub.alert(key) is None:
            raise HTTPException(404, f"no alert {key}")
        try:
            return decide(key, body)
        except DecisionRefusedError as error:
            raise HTTPException(409, str(error)) from None

    @app.get("/evidence/{name}/{file}", dependencies=[Depends(require)])
    async def picture(name: str, file: str) -> Response:
        """A picture or clip of an alert."""
        path = (evidence / name / file).resolve()
        if not path.is_relative_to(evidence.resolve()) or not path.is_file():
            raise HTTPException(404, "no such evidence")
        return FileResponse(path, headers={"Cache-Control": "private, max-age=86400"})

    @app.websocket("/api/feed")
    async def feed(socket: WebSocket, after: int = -1) -> None:
        if not (bearer(socket) or (known(socket.cookies.get(COOKIE)) and same_origin(socket))):
            await socket.close(4401, "unknown or missing access token")
            return
        await socket.accept()
        subscription = hub.subscribe()
        try:
            missed = hub.since(after) if after >= 0 else None
            if missed is None:
                await socket.send_json({"type": "state", "body": hub.snapshot()})
            else:
                for message in missed:
                    await socket.send_json(message)
            await _pump(socket, subscription.queue)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the client went away; it will come back by itself
        finally:
            hub.unsubscribe(subscription)

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app


async def _pump(socket: WebSocket, queue: asyncio.Queue[dict[str, Any] | None]) -> None:
    """Send what is published until either side closes."""
    gone = asyncio.ensure_future(socket.receive())
    try:
        while True:
            message = asyncio.ensure_future(queue.get())
            done, _ = await asyncio.wait({gone, message}, return_when=asyncio.FIRST_COMPLETED)
            if message not in done:
                message.cancel()
                return
            body = message.result()
            if body is None:
                await socket.close(1013, "too slow")
                return
            await socket.send_json(body)
            if gone in done:
                if gone.result()["type"] == "websocket.disconnect":
                    return
                gone = asyncio.ensure_future(socket.receive())
    finally:
        gone.cancel()


class ConsoleServer:
    """Runs the application in a thread of its own.

    Raises:
        OSError: when the address cannot be had; says which.
    """

    def __init__(self, app: FastAPI, host: str, port: int, token: str) -> None:
        config = uvicorn.Config(
            app, host=host, port=port, log_level="error", access_log=False, lifespan="off"
        )
        try:
            self._socket = _bind(host, port)
        except OSError as error:
            raise OSError(f"console: {host}:{port}: {error.strerror or error}") from None
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="console", daemon=True
        )
        name = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - shown, not bound
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{name}:{self.port}/?token={token}"

    def start(self) -> None:
        """Start serving; returns once requests are answered."""
        self._thread.start()
        deadline = time.monotonic() + 10
        while not self._server.started and time.monotonic() < deadline:
            time.sleep(0.01)

    def stop(self) -> None:
        """Stop serving and wait for the thread."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(5)
        self._socket.close()


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
        bound.listen(128)
    except OSError:
        bound.close()
        raise
    return bound
