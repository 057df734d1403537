"""Who a request comes from, and whether it may be answered: for any of the program's pages."""

import threading
import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Request, Response, WebSocket
from fastapi.responses import JSONResponse
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from table_controller.console.access import COOKIE, Access, Right, Session, TooManyError

BODY_LIMIT: Final = 64_000
"""Longest body of a request, bytes."""
RATE: Final = 50.0
BURST: Final = 400
"""Requests a second that one address may make for long, and at once (a page loads about 80)."""
_ADDRESSES: Final = 4000

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer": the Origin of a form would be "null" then, as if from another page.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}

REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"description": "not readable"},
    401: {"description": "not signed in"},
    403: {"description": "the role may not do this, or the request came from another page"},
    429: {"description": "too many wrong tokens, or too many requests"},
}
"""What any request may be answered with, for the OpenAPI document."""


class OtherPageError(HTTPException):
    """A change from another page, or from one that was loaded before somebody signed in anew.

    Attributes:
        code: names it, so that a page can say it in its own language.
    """

    def __init__(self) -> None:
        super().__init__(403, "the request did not come from this page: reload it")
        self.code = "other_page"


class Rate:
    """Says when one address asks too often: a bucket that fills with time.

    Args:
        rate: requests a second that refill the bucket.
        burst: its size.
        clock: seconds, never going back.
    """

    def __init__(
        self,
        rate: float = RATE,
        burst: int = BURST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}
        self._lock = threading.Lock()

    def allows(self, address: str) -> bool:
        """Whether one more request of this address is answered."""
        with self._lock:
            now = self._clock()
            left, then = self._left.pop(address, (self._burst, now))
            left = min(self._burst, left + (now - then) * self._rate)
            if len(self._left) >= _ADDRESSES:
                self._left.pop(next(iter(self._left)))
            self._left[address] = (max(0.0, left - 1.0), now)
            return left >= 1.0


class ShortBody:
    """Takes no more of a body than :data:`BODY_LIMIT`, whatever its length was said to be.

    A body that comes in chunks says no length at all, and it is read before anybody asks who sends
    it: without this, whoever reaches the port could fill the memory.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its whole body, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > BODY_LIMIT:
                await _too_long()(scope, receive, send)
                return
            more = message.get("more_body", False)
        whole = [{**message, "body": bytes(body)}]

        async def once() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, once, send)


def _too_long() -> Response:
    return JSONResponse({"detail": "too long"}, 413)


def guard(app: FastAPI, rate: Rate | None = None) -> None:
    """Limit length and pace of requests, set the headers, compress what is long."""
    limit = rate or Rate()
    app.add_middleware(ShortBody)

    @app.middleware("http")
    async def guarded(request: Request, call_next: Any) -> Response:
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > BODY_LIMIT:
            return _too_long()
        fixed = request.url.path.startswith("/static/")
        if not fixed and not limit.allows(address_of(request)):
            return JSONResponse({"detail": "too many requests"}, 429, {"Retry-After": "1"})
        response: Response = await call_next(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    app.add_middleware(GZipMiddleware, minimum_size=600, compresslevel=6)


def same_origin(request: Request | WebSocket) -> bool:
    """Whether a request came from this program's own page (or from no page at all)."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def address_of(request: Request | WebSocket) -> str:
    """The sender's address."""
    return request.client.host if request.client is not None else "?"


class Gate:
    """Says who a request comes from, and whether they may do what they ask."""

    def __init__(self, access: Access) -> None:
        self._access = access

    @staticmethod
    def by_bearer(request: Request | WebSocket) -> bool:
        """Whether a program sends the token itself."""
        return request.headers.get("authorization", "").partition(" ")[0].lower() == "bearer"

    def who(self, request: Request | WebSocket) -> Session | None:
        """The session of a request.

        Raises:
            TooManyError: this address has to wait.
        """
        if self.by_bearer(request):
            value = request.headers["authorization"].partition(" ")[2].strip()
            return self._access.bearer(value, address_of(request))
        return self._access.session(request.cookies.get(COOKIE))

    def __call__(self, right: Right | None) -> Callable[[Request], Session]:
        """A dependency that lets through who has this right (None: anybody signed in)."""

        def require(request: Request) -> Session:
            try:
                session = self.who(request)
            except TooManyError as error:
                raise HTTPException(
                    429, str(error), headers={"Retry-After": str(error.seconds)}
                ) from None
            if session is None:
                raise HTTPException(401, "not signed in, or the session has ended: sign in again")
            if right is not None and not session.may(right):
                raise HTTPException(403, f"a {session.role.value} may not do this")
            if request.method not in ("GET", "HEAD") and not self.by_bearer(request):
                sent = request.headers.get("x-csrf-token", "")
                if not same_origin(request) or sent != self._access.csrf(session):
                    raise OtherPageError
            return session

        return require
