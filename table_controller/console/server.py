"""The web console of one table: a page, an HTTP API and a WebSocket feed.

Loopback only unless the configuration says otherwise. Everything but the sign-in needs a session
(the cookie that the printed link sets) or ``Authorization: Bearer`` with a role's token. Changes
that come with a cookie must carry the session's CSRF token and come from the page's own origin.
Viewers are served from a hub of their own, late and without anything that lies hidden.
"""

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response, WebSocket
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from starlette.middleware.gzip import GZipMiddleware
from starlette.websockets import WebSocketDisconnect

from table_controller.console.access import (
    COOKIE,
    Access,
    Right,
    Session,
    TooManyError,
    UnknownTokenError,
)
from table_controller.console.desk import DecisionRefusedError, Desk, NotThereError
from table_controller.console.forms import (
    ConfirmForm,
    CorrectionForm,
    Decision,
    InsertionForm,
    OffenceForm,
    SignInForm,
    TileForm,
    UndoForm,
)
from table_controller.console.hub import Hub
from table_controller.console.pages import CachedStatic, sign_in_page

STATIC: Final = Path(str(files("table_controller.console"))) / "static"
_BODY_LIMIT: Final = 64_000

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        "connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}

Answer = dict[str, Any]
Key = Annotated[str, PathParameter(pattern=r"^[a-z]+-[0-9]{1,6}$")]
_REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"description": "not readable"},
    401: {"description": "not signed in"},
    403: {"description": "the role may not do this, or the request came from another page"},
    429: {"description": "too many wrong tokens"},
}
_CHANGES: Final[dict[int | str, dict[str, Any]]] = {
    **_REFUSALS,
    404: {"description": "no such alert, hand, order or moment"},
    409: {"description": "refused; `detail` says why, `insist` whether to ask again"},
    413: {"description": "too long"},
}


def build_app(hub: Hub, public: Hub, access: Access, desk: Desk) -> FastAPI:
    """The console's web application.

    Args:
        hub: the state and its changes, for those who may see the table.
        public: the same for viewers.
        access: who may come in, and do what.
        desk: takes decisions, answers about the record.
    """
    app = FastAPI(
        title="paiguan console",
        version="2",
        description="The table as the program sees it, its alerts, the captured hands, the record.",
        docs_url=None,
        redoc_url=None,
    )
    gate = _Gate(access)

    @app.middleware("http")
    async def guard(request: Request, call_next: Any) -> Response:
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _BODY_LIMIT:
            return JSONResponse({"detail": "too long"}, 413)
        response: Response = await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    app.add_middleware(GZipMiddleware, minimum_size=600, compresslevel=6)

    @app.exception_handler(DecisionRefusedError)
    async def refused(_: Request, error: DecisionRefusedError) -> JSONResponse:
        return JSONResponse({"detail": str(error), "insist": error.insist}, 409)

    @app.exception_handler(NotThereError)
    async def missing(_: Request, error: NotThereError) -> JSONResponse:
        return JSONResponse({"detail": str(error)}, 404)

    _signing(app, gate, access)
    _reading(app, gate, hub, public, desk)
    _changing(app, gate, desk)

    @app.websocket("/api/feed")
    async def feed(connection: WebSocket, after: int = -1) -> None:
        try:
            session = gate.who(connection)
        except TooManyError:
            session = None
        if session is None or not (gate.by_bearer(connection) or same_origin(connection)):
            await connection.close(4401, "not signed in")
            return
        await connection.accept()
        seen = hub if session.may(Right.SEE) else public
        try:
            async with asyncio.timeout(min(access.left(session), 86_400 * 30)):
                await _serve(connection, seen, after)
        except TimeoutError:
            await connection.close(4401, "the session has ended")
        except (WebSocketDisconnect, RuntimeError):
            pass  # the client went away; it will come back by itself

    app.mount("/static", CachedStatic(directory=STATIC), name="static")
    return app


def same_origin(request: Request | WebSocket) -> bool:
    """Whether a request came from this console's own page (or from no page at all)."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


class _Gate:
    """Says who a request comes from, and whether they may do what they ask."""

    def __init__(self, access: Access) -> None:
        self._access = access

    @staticmethod
    def by_bearer(request: Request | WebSocket) -> bool:
        return request.headers.get("authorization", "").partition(" ")[0].lower() == "bearer"

    def who(self, request: Request | WebSocket) -> Session | None:
        if self.by_bearer(request):
            value = request.headers["authorization"].partition(" ")[2].strip()
            return self._access.bearer(value, address_of(request))
        return self._access.session(request.cookies.get(COOKIE))

    def __call__(self, right: Right | None) -> Callable[[Request], Session]:
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
                    raise HTTPException(403, "the request did not come from this page: reload it")
            return session

        return require


def address_of(request: Request | WebSocket) -> str:
    """The sender's address."""
    return request.client.host if request.client is not None else "?"


def _signing(app: FastAPI, gate: _Gate, access: Access) -> None:
    def let_in(answer: Response, session: Session) -> None:
        answer.set_cookie(
            COOKIE,
            access.cookie(session),
            max_age=int(access.left(session)),
            httponly=True,
            samesite="strict",
            secure=access.secure,
        )

    @app.get("/", include_in_schema=False)
    async def page(request: Request, token: str | None = None) -> Response:
        if token is not None:
            try:
                session = access.sign_in(token, "", address_of(request))
            except UnknownTokenError:
                return HTMLResponse(sign_in_page("wrong"), 401)
            except TooManyError as error:
                wait = {"Retry-After": str(error.seconds)}
                return HTMLResponse(sign_in_page("wait"), 429, wait)
            answer = RedirectResponse("/", 303)
            let_in(answer, session)
            return answer
        if access.session(request.cookies.get(COOKIE)) is None:
            return HTMLResponse(sign_in_page("out"), 401)
        return FileResponse(STATIC / "index.html")

    @app.post("/api/session", responses={**_REFUSALS, 413: {"description": "too long"}})
    async def sign_in(form: SignInForm, request: Request, response: Response) -> Answer:
        """Sign in with a role's token; sets the session's cookie."""
        if not same_origin(request):
            raise HTTPException(403, "the request did not come from this page")
        try:
            session = access.sign_in(form.token, form.name, address_of(request))
        except UnknownTokenError as error:
            raise HTTPException(401, str(error)) from None
        except TooManyError as error:
            raise HTTPException(
                429, str(error), headers={"Retry-After": str(error.seconds)}
            ) from None
        let_in(response, session)
        return _session_body(access, session)

    @app.get("/api/session", responses=_REFUSALS)
    async def session(who: Annotated[Session, Depends(gate(None))]) -> Answer:
        """Who is signed in, what they may do, and the token that changes must carry."""
        return _session_body(access, who)

    @app.delete("/api/session", responses=_REFUSALS)
    async def sign_out(who: Annotated[Session, Depends(gate(None))], response: Response) -> Answer:
        """End the session."""
        access.sign_out(who)
        response.delete_cookie(COOKIE)
        return {"ended": True}


def _session_body(access: Access, session: Session) -> Answer:
    finite = access.left(session) < 1e9
    return {
        "role": session.role.value,
        "name": session.name,
        "rights": sorted(right.value for right in Right if session.may(right)),
        "csrf": access.csrf(session),
        "expires_in_s": round(access.left(session)) if finite else None,
    }


def _reading(app: FastAPI, gate: _Gate, hub: Hub, public: Hub, desk: Desk) -> None:
    see = Depends(gate(Right.SEE))
    out = {**_REFUSALS, 404: {"description": "not there"}}

    @app.get("/api/state", responses=_REFUSALS)
    async def state(who: Annotated[Session, Depends(gate(None))]) -> Answer:
        """The whole state: table, view, game, alerts, moves, hands, orders, health.

        Viewers get it late, and without anything that lies hidden.
        """
        return (hub if who.may(Right.SEE) else public).snapshot()

    @app.get("/api/offences", dependencies=[see], responses=_REFUSALS)
    def offences() -> list[Answer]:
        """What a referee can enter, with the ruleset's rulings."""
        return desk.offences()

    @app.get("/api/timeline", dependencies=[see], responses=_REFUSALS)
    def timeline() -> Answer:
        """The session happening by happening, as corrected, with what the rules said to each."""
        return desk.timeline()

    @app.get("/api/timeline/{at}", dependencies=[see], responses=out)
    def moment(at: Annotated[int, PathParameter(ge=0, le=2**53)]) -> Answer:
        """The table after the first ``at`` happenings, rebuilt from the journal."""
        return desk.moment(at)

    @app.get("/api/sheet", dependencies=[see], responses=_REFUSALS)
    def sheet() -> Answer:
        """The session's score sheet: hands, payments, penalties, totals."""
        return desk.sheet()

    @app.get("/api/export/{form}", dependencies=[Depends(gate(Right.EXPORT))], responses=out)
    def export(form: Annotated[str, PathParameter(pattern="^[a-z]{2,20}$")]) -> Response:
        """The record as a file: json, botzone, mjai, tenhou, xlsx, pdf or csv."""
        made = desk.export(form)
        disposition = {"Content-Disposition": f'attachment; filename="{made.name}"'}
        return Response(made.content, media_type=made.media, headers=disposition)

    @app.get("/evidence/{name}/{file}", dependencies=[see], responses=out)
    async def picture(name: str, file: str) -> Response:
        """A picture or clip of an alert, or of a captured hand."""
        root = desk.evidence.resolve()
        try:
            path = (root / name / file).resolve()
            if not path.is_relative_to(root) or not path.is_file():
                raise HTTPException(404, "no such evidence")
        except (OSError, ValueError):
            raise HTTPException(404, "no such evidence") from None
        return FileResponse(path, headers={"Cache-Control": "private, max-age=86400"})


def _changing(app: FastAPI, gate: _Gate, desk: Desk) -> None:
    decider = Annotated[Session, Depends(gate(Right.DECIDE))]
    corrector = Annotated[Session, Depends(gate(Right.CORRECT))]

    @app.post("/api/alerts/{key}/decision", responses=_CHANGES)
    def decision(key: Key, form: Decision, who: decider) -> Answer:
        """Accept, change or dismiss an alert, or take the last decision back."""
        return desk.decide(key, form, who.role.value)

    @app.post("/api/hands/{key}/tile", responses=_CHANGES)
    def retile(key: Key, form: TileForm, who: corrector) -> Answer:
        """Correct one tile of a captured hand."""
        return desk.retile(key, form, who.role.value)

    @app.post("/api/hands/{key}/confirm", responses=_CHANGES)
    def confirm(
        key: Key, form: ConfirmForm, who: Annotated[Session, Depends(gate(Right.CONFIRM))]
    ) -> Answer:
        """Confirm a captured hand; a hand under check is closed by it."""
        return desk.confirm(key, form, who.role.value)

    @app.post("/api/corrections", responses=_CHANGES)
    def correct(form: CorrectionForm, who: corrector) -> Answer:
        """Correct a happening, or strike it out."""
        return desk.correct(form, who.role.value)

    @app.post("/api/insertions", responses=_CHANGES)
    def insert(form: InsertionForm, who: corrector) -> Answer:
        """Add a happening that nobody reported."""
        return desk.insert(form, who.role.value)

    @app.post("/api/offences", responses=_CHANGES)
    def enter(form: OffenceForm, who: Annotated[Session, Depends(gate(Right.ENTER))]) -> Answer:
        """Enter an offence that no camera can see."""
        return desk.enter(form, who.role.value)

    @app.post("/api/orders/{number}/undo", responses=_CHANGES)
    def undo(
        number: Annotated[int, PathParameter(ge=1, le=2**53)], form: UndoForm, who: corrector
    ) -> Answer:
        """Take a correction, an entry or a confirmation back."""
        return desk.undo(number, form, who.role.value)


async def _serve(connection: WebSocket, hub: Hub, after: int) -> None:
    """What was missed, then everything as it is published."""
    subscription = hub.subscribe()
    try:
        missed = hub.since(after) if after >= 0 else None
        if missed is None:
            await connection.send_json({"type": "state", "body": hub.snapshot()})
        else:
            for message in missed:
                await connection.send_json(message)
        await _pump(connection, subscription.queue)
    finally:
        hub.unsubscribe(subscription)


async def _pump(connection: WebSocket, queue: asyncio.Queue[str | None]) -> None:
    """Send what is published until either side closes."""
    gone = asyncio.ensure_future(connection.receive())
    try:
        while True:
            message = asyncio.ensure_future(queue.get())
            try:
                done, _ = await asyncio.wait({gone, message}, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                message.cancel()
                raise
            if message not in done:
                message.cancel()
                return
            text = message.result()
            if text is None:
                await connection.close(1013, "too slow")
                return
            await connection.send_text(text)
            if gone in done:
                if gone.result()["type"] == "websocket.disconnect":
                    return
                gone = asyncio.ensure_future(connection.receive())
    finally:
        gone.cancel()


class ConsoleServer:
    """Runs the application in a thread of its own.

    Args:
        app: the application.
        host: address to listen at.
        port: 0 takes any.
        token: shown in :attr:`url`.
        tls: certificate and key files (PEM), or None for plain HTTP.

    Raises:
        OSError: when the address cannot be had, or the certificate not be read; says which.
    """

    def __init__(
        self,
        app: FastAPI,
        host: str,
        port: int,
        token: str,
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            log_level="error",
            access_log=False,
            lifespan="off",
            # The feed goes over the local network; deflating it for each client costs more.
            ws_per_message_deflate=False,
            ssl_certfile=tls[0] if tls else None,
            ssl_keyfile=tls[1] if tls else None,
        )
        if tls is not None:
            try:
                config.load()
            except OSError as error:
                raise OSError(f"console: {tls[0]}, {tls[1]}: {error.strerror or error}") from None
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
        self.base = f"{'https' if tls else 'http'}://{name}:{self.port}/"
        self.url = f"{self.base}?token={token}"

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
        if self._thread.is_alive():
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
