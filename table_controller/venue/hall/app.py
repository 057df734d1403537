"""The hall console: pages, HTTP API and feed, with the roles of the table's console."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from table_controller.console.access import Access, Right, Role, Session
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.feed import add_feed
from table_controller.console.forms import Decision, Name
from table_controller.console.gate import REFUSALS, Gate, Rate, address_of, guard
from table_controller.console.pages import CachedStatic
from table_controller.console.server import STATIC as TABLE_STATIC
from table_controller.console.server import add_refusals
from table_controller.console.signing import add_signing
from table_controller.venue.errors import AWAY_ERRORS, VenueError
from table_controller.venue.hall import queries
from table_controller.venue.hall.desk import HallDesk
from table_controller.venue.hall.state import HallHub
from table_controller.venue.hub.hub import Hub
from table_controller.venue.messages import OrderKind

logger = logging.getLogger(__name__)

STATIC: Final = Path(str(files("table_controller.venue.hall"))) / "static"
MAY_RUN: Final = (Role.REFEREE, Role.ORGANISER)
"""Who runs the tournament: rounds, seating, orders."""
MAY_UPDATE: Final = (*MAY_RUN, Role.TECHNICIAN)
"""Who sends models to the tables; taking them into use is for the tables' referees to allow."""
_MEDIA: Final = {
    ".jpg": "image/jpeg", ".png": "image/png", ".mp4": "video/mp4", ".webm": "video/webm",
}  # fmt: skip

Answer = dict[str, Any]
Chain = Annotated[int, PathParameter(ge=1, le=2**31 - 1)]
What = Annotated[str, PathParameter(pattern=r"^(alert|call)-[0-9]{1,9}$")]
Key = Annotated[str, PathParameter(pattern=r"^alert-[0-9]{1,6}$")]
_T = TypeVar("_T")
Act = Callable[[Session, Any, str, Coroutine[Any, Any, Any]], Awaitable[Any]]
"""Does what somebody asked for, and keeps who it was."""
_OUT: Final[dict[int | str, dict[str, Any]]] = {
    **REFUSALS,
    404: {"description": "not there"},
    409: {"description": "refused; `detail` says why"},
    413: {"description": "too long"},
    503: {"description": "database or message bus cannot be reached"},
}


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid")

    by: Name
    request: Annotated[str, Field(min_length=8, max_length=64)] | None = None


class OrderForm(_Form):
    """An order to some tables."""

    tables: Annotated[list[str], Field(min_length=1, max_length=2000)]
    kind: OrderKind
    body: dict[str, Any] = {}


class ModelForm(_Form):
    """Which tables a release of models is for; none: all that it concerns."""

    tables: Annotated[list[str], Field(max_length=2000)] = []


class TextForm(_Form):
    """A file that was chosen on the page."""

    text: Annotated[str, Field(max_length=60_000)]
    source: Annotated[str, Field(max_length=80)] = "file"


class DrawForm(_Form):
    """How the seats are drawn."""

    seed: Annotated[str, Field(min_length=1, max_length=40)]
    rounds: Annotated[int, Field(ge=1, le=40)]
    tables: Annotated[list[str], Field(min_length=1, max_length=2000)]


class RoundForm(_Form):
    """Start or end a round; of one that runs, ``tables`` begin it again."""

    tables: Annotated[list[str], Field(max_length=2000)] = []
    minutes: Annotated[float, Field(gt=0, le=1440)] | None = None


def build_hall(
    hub: Hub,
    hall: HallHub,
    public: HallHub,
    access: Access,
    desk: HallDesk,
    loop: asyncio.AbstractEventLoop,
    rate: Rate | None = None,
) -> FastAPI:
    """The hall's web application.

    Args:
        hub: of this process.
        hall: what those who may see the tables are shown.
        public: what everybody else is shown.
        access: who may come in, and do what.
        desk: takes what people do.
        loop: the hub's event loop, in which the desk works.
        rate: how often one address may ask.
    """
    app = FastAPI(title="paiguan hall", version="1", docs_url=None, redoc_url=None)
    gate = Gate(access)

    async def there(work: Coroutine[Any, Any, _T]) -> _T:
        """Let the hub's loop do it; what it refuses is answered in one line."""
        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))
        except VenueError as error:
            raise DecisionRefusedError(str(error), code=error.code, **error.facts) from None
        except AWAY_ERRORS as error:
            logger.warning("hall: %s", error or type(error).__name__)
            raise HTTPException(503, "the database cannot be reached: try again") from None

    async def act(who: Session, form: Any, what: str, work: Coroutine[Any, Any, Any]) -> Any:
        """Do it, and keep who did it."""
        event = {"audit": what, "by": form.by, "role": who.role.value, "name": who.name}
        try:
            answer = await there(work)
        except (DecisionRefusedError, NotThereError, HTTPException) as error:
            asyncio.run_coroutine_threadsafe(desk.audit({**event, "refused": str(error)}), loop)
            raise
        asyncio.run_coroutine_threadsafe(desk.audit(event), loop)
        return answer

    @app.middleware("http")
    async def refusals_are_kept(request: Request, call_next: Any) -> Response:
        response: Response = await call_next(request)
        if response.status_code == 403 and request.url.path.startswith("/api"):
            session = gate.who(request)
            event = {
                "audit": "refused",
                "role": session.role.value if session else None,
                "name": session.name if session else "",
                "method": request.method,
                "path": request.url.path,
                "address": address_of(request),
            }
            logger.warning("hall: refused: %s", event)
            asyncio.run_coroutine_threadsafe(desk.audit(event), loop)
        return response

    guard(app, rate)
    add_refusals(app)
    add_signing(app, gate, access, STATIC / "index.html")
    _reading(app, gate, hub, hall, public, desk, there)
    _changing(app, gate, desk, act)
    _running(app, gate, desk, act)
    _updating(app, gate, desk, act, there)
    add_feed(app, gate, access, hall, public)
    app.mount("/hall", CachedStatic(directory=STATIC), name="hall")
    app.mount("/static", CachedStatic(directory=TABLE_STATIC), name="static")
    return app


def _reading(
    app: FastAPI, gate: Gate, hub: Hub, hall: HallHub, public: HallHub, desk: HallDesk, there: Any
) -> None:
    see = Depends(gate(Right.SEE))

    @app.get("/api/state", responses=REFUSALS)
    async def state(who: Annotated[Session, Depends(gate(None))]) -> Answer:
        """Everything the page shows; viewers get the public board alone."""
        return (hall if who.may(Right.SEE) else public).snapshot()

    @app.get("/api/standings", dependencies=[see], responses=_OUT)
    async def standings(teams: bool = False) -> list[Answer]:
        """The live standings, of players or of teams."""
        return await there(desk.rounds.standings(teams))  # type: ignore[no-any-return]

    @app.get("/api/search", dependencies=[see], responses=_OUT)
    async def search(
        table: Annotated[str | None, Query(max_length=24)] = None,
        text: Annotated[str | None, Query(max_length=80)] = None,
        kind: Annotated[str | None, Query(pattern="^[a-z]{2,20}$")] = None,
        since: float | None = None,
        until: float | None = None,
        hand: Annotated[int | None, Query(ge=0, le=999)] = None,
    ) -> list[Answer]:
        """Entries of all journals, newest first, with their evidence."""
        return await there(  # type: ignore[no-any-return]
            queries.search(
                hub.pool, table=table or None, text=text or None, kind=kind or None,
                since=since, until=until, hand=hand,
            )
        )  # fmt: skip

    @app.get("/evidence/{table}/{chain}/{folder}/{name}", dependencies=[see], responses=_OUT)
    async def picture(table: str, chain: str, folder: str, name: str) -> Response:
        """A picture or clip of an alert."""
        content = await there(desk.evidence.picture(table, chain, f"{folder}/{name}"))
        media = _MEDIA.get(Path(name).suffix, "application/octet-stream")
        return Response(content, media_type=media, headers={"Cache-Control": "private"})


def _changing(app: FastAPI, gate: Gate, desk: HallDesk, act: Act) -> None:
    decider = Annotated[Session, Depends(gate(Right.DECIDE))]

    @app.post("/api/claims/{chain}/{what}", responses=_OUT)
    async def claim(chain: Chain, what: What, form: _Form, who: decider) -> Any:
        """Claim an alert or a call: one referee at a time."""
        return await act(
            who, form, f"claim {chain}-{what}", desk.claims.claim(chain, what, form.by, who.nonce)
        )

    @app.post("/api/claims/{chain}/{what}/release", responses=_OUT)
    async def release(chain: Chain, what: What, form: _Form, who: decider) -> Any:
        """Give a claim back."""
        return await act(
            who, form, f"release {chain}-{what}", desk.claims.release(chain, what, who.nonce)
        )

    @app.post("/api/calls/{chain}/{seq}/answer", responses=_OUT)
    async def answer(
        chain: Chain, seq: Annotated[int, PathParameter(ge=1)], form: _Form, who: decider
    ) -> Any:
        """A referee is at the table."""
        work = desk.claims.answer(chain, seq, form.by, who.nonce, who.role.value)
        return await act(who, form, f"answer {chain}-call-{seq}", work)

    @app.post("/api/alerts/{chain}/{key}/decision", responses=_OUT)
    async def decide(chain: Chain, key: Key, form: Decision, who: decider) -> Any:
        """Decide about a claimed alert; the table takes the decision or says why not."""
        what = f"{form.action} {chain}-{key}"
        return await act(who, form, what, desk.decide(chain, key, form, who))

    @app.post("/api/alerts/{chain}/{key}/evidence", responses=_OUT)
    async def evidence(chain: Chain, key: Key, form: _Form, who: decider) -> Answer:
        """Ask the table for an alert's pictures."""
        work = desk.evidence.ask(chain, key, form.by)
        return {"orders": await act(who, form, f"ask for evidence {chain}-{key}", work)}


def _one_of(gate: Gate, roles: tuple[Role, ...]) -> Callable[..., Session]:
    """Lets only some roles in."""

    def allowed(who: Annotated[Session, Depends(gate(Right.SEE))]) -> Session:
        if who.role not in roles:
            raise HTTPException(403, f"a {who.role.value} may not do this")
        return who

    return allowed


def _updating(app: FastAPI, gate: Gate, desk: HallDesk, act: Act, there: Any) -> None:
    updater = Annotated[Session, Depends(_one_of(gate, MAY_UPDATE))]

    @app.get("/api/models", dependencies=[Depends(gate(Right.SEE))], responses=_OUT)
    async def models() -> Answer:
        """The releases of models, and how far each table is with which."""
        return await there(desk.models())  # type: ignore[no-any-return]

    @app.post("/api/models/{version}/{step}", responses=_OUT)
    async def order(
        version: Annotated[str, PathParameter(max_length=40)],
        step: Literal["offer", "use", "back"],
        form: ModelForm,
        who: updater,
    ) -> Answer:
        """Offer a release to tables, have them use it, or have them go back from it."""
        work = desk.order_models(step, version, form.tables, form.by)
        return {"orders": await act(who, form, f"models {version}: {step}", work)}


def _running(app: FastAPI, gate: Gate, desk: HallDesk, act: Act) -> None:
    runner = Annotated[Session, Depends(_one_of(gate, MAY_RUN))]
    number = Annotated[int, PathParameter(ge=1, le=99)]

    @app.post("/api/orders", responses=_OUT)
    async def order(form: OrderForm, who: runner) -> Answer:
        """Order some tables to pause, resume, end a session, or change their settings."""
        work = desk.by_hand(form.tables, form.kind, form.body, form.by)
        what = f"{form.kind.value} at {len(form.tables)} tables"
        return {"orders": await act(who, form, what, work)}

    @app.post("/api/players", responses=_OUT)
    async def players(form: TextForm, who: runner) -> Answer:
        """Import the players."""
        work = desk.rounds.players(form.text, form.source)
        return {"players": await act(who, form, f"players from {form.source}", work)}

    @app.post("/api/seating/draw", responses=_OUT)
    async def draw(form: DrawForm, who: runner) -> Any:
        """Draw the numbers and seat the rounds by the rotation."""
        work = desk.rounds.draw(form.seed, form.rounds, form.tables)
        return await act(who, form, f"draw with seed {form.seed}", work)

    @app.post("/api/seating/import", responses=_OUT)
    async def seats(form: TextForm, who: runner) -> Answer:
        """Import a seating."""
        work = desk.rounds.seats(form.text, form.source)
        return {"rounds": await act(who, form, f"seating from {form.source}", work)}

    @app.post("/api/rounds/{turn}/{what}", responses=_OUT)
    async def round_(
        turn: number, what: Literal["start", "end"], form: RoundForm, who: runner
    ) -> Answer:
        """Start or end a round."""
        work = (
            desk.rounds.start(turn, form.minutes, form.by, form.tables)
            if what == "start"
            else desk.rounds.end(turn, form.by)
        )
        return {"orders": await act(who, form, f"{what} round {turn}", work)}

    @app.post("/api/chains/{chain}/counts", responses=_OUT)
    async def counts(chain: Chain, form: _Form, who: runner) -> Any:
        """Of a journal that forked, this chain counts."""
        return await act(who, form, f"chain {chain} counts", desk.choose(chain, form.by))


def add_ops(app: FastAPI, hub: Hub) -> None:
    """Metrics and health, for machines."""
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(generate_latest(hub.metrics.registry), media_type=CONTENT_TYPE_LATEST)

    @app.get("/health", include_in_schema=False)
    async def health() -> JSONResponse:
        body = hub.health()
        return JSONResponse(body, 200 if body["ok"] else 503)
