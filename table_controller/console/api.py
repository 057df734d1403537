"""The console's requests: what can be asked, and what can be changed."""

from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, HTTPException, Response
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse

from table_controller.console.access import Right, Session
from table_controller.console.desk import Desk
from table_controller.console.forms import (
    AnswerForm,
    ConfirmForm,
    ConsentForm,
    CorrectionForm,
    Decision,
    InsertionForm,
    LiftForm,
    MachineForm,
    OffenceForm,
    ProtestForm,
    TileForm,
    UndoForm,
)
from table_controller.console.gate import REFUSALS, Gate
from table_controller.console.hub import Hub

Answer = dict[str, Any]
Key = Annotated[str, PathParameter(pattern=r"^[a-z]+-[0-9]{1,6}$")]
CHANGES: Final[dict[int | str, dict[str, Any]]] = {
    **REFUSALS,
    404: {"description": "no such alert, hand, order or moment"},
    409: {"description": "refused; `detail` says why, `insist` whether to ask again"},
    413: {"description": "too long"},
}
"""What a change may be answered with, for the OpenAPI document."""


def add_reading(app: FastAPI, gate: Gate, hub: Hub, public: Hub, desk: Desk) -> None:
    """The requests that change nothing."""
    see = Depends(gate(Right.SEE))
    out = {**REFUSALS, 404: {"description": "not there"}}

    @app.get("/api/state", responses=REFUSALS)
    async def state(who: Annotated[Session, Depends(gate(None))]) -> Answer:
        """The whole state: table, view, game, alerts, moves, hands, orders, health.

        Viewers get it late, and without anything that lies hidden.
        """
        return (hub if who.may(Right.SEE) else public).snapshot()

    @app.get("/api/offences", dependencies=[see], responses=REFUSALS)
    def offences() -> list[Answer]:
        """What a referee can enter, with the ruleset's rulings."""
        return desk.offences()

    @app.get("/api/timeline", dependencies=[see], responses=REFUSALS)
    def timeline() -> Answer:
        """The session happening by happening, as corrected, with what the rules said to each."""
        return desk.timeline()

    @app.get("/api/timeline/{at}", dependencies=[see], responses=out)
    def moment(at: Annotated[int, PathParameter(ge=0, le=2**53)]) -> Answer:
        """The table after the first ``at`` happenings, rebuilt from the journal."""
        return desk.moment(at)

    @app.get("/api/sheet", dependencies=[see], responses=REFUSALS)
    def sheet() -> Answer:
        """The session's score sheet: hands, payments, penalties, totals."""
        return desk.sheet()

    @app.get("/api/audit", dependencies=[Depends(gate(Right.AUDIT))], responses=REFUSALS)
    def audited() -> list[Answer]:
        """Who came in and who decided what, newest first."""
        return desk.audited()

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


def add_changing(app: FastAPI, gate: Gate, desk: Desk) -> None:
    """The requests that change something: each signed, each taken once."""
    decider = Annotated[Session, Depends(gate(Right.DECIDE))]
    corrector = Annotated[Session, Depends(gate(Right.CORRECT))]

    @app.post("/api/alerts/{key}/decision", responses=CHANGES)
    def decision(key: Key, form: Decision, who: decider) -> Answer:
        """Accept, change or dismiss an alert, or take the last decision back."""
        return desk.decide(key, form, who.role.value)

    @app.post("/api/hands/{key}/tile", responses=CHANGES)
    def retile(key: Key, form: TileForm, who: corrector) -> Answer:
        """Correct one tile of a captured hand."""
        return desk.retile(key, form, who.role.value)

    @app.post("/api/hands/{key}/confirm", responses=CHANGES)
    def confirm(
        key: Key, form: ConfirmForm, who: Annotated[Session, Depends(gate(Right.CONFIRM))]
    ) -> Answer:
        """Confirm a captured hand; a hand under check is closed by it."""
        return desk.confirm(key, form, who.role.value)

    @app.post("/api/corrections", responses=CHANGES)
    def correct(form: CorrectionForm, who: corrector) -> Answer:
        """Correct a happening, or strike it out."""
        return desk.correct(form, who.role.value)

    @app.post("/api/insertions", responses=CHANGES)
    def insert(form: InsertionForm, who: corrector) -> Answer:
        """Add a happening that nobody reported."""
        return desk.insert(form, who.role.value)

    @app.post("/api/offences", responses=CHANGES)
    def enter(form: OffenceForm, who: Annotated[Session, Depends(gate(Right.ENTER))]) -> Answer:
        """Enter an offence that no camera can see."""
        return desk.enter(form, who.role.value)

    @app.post("/api/orders/{number}/undo", responses=CHANGES)
    def undo(
        number: Annotated[int, PathParameter(ge=1, le=2**53)], form: UndoForm, who: corrector
    ) -> Answer:
        """Take a correction, an entry or a confirmation back."""
        return desk.undo(number, form, who.role.value)

    @app.post("/api/protests", responses=CHANGES)
    def protest(form: ProtestForm, who: decider) -> Answer:
        """Enter a protest: its evidence is kept and the next wall waits."""
        return desk.protest(form, who.role.value)

    @app.post("/api/protests/{number}/lift", responses=CHANGES)
    def lift(
        number: Annotated[int, PathParameter(ge=1, le=2**53)], form: LiftForm, who: decider
    ) -> Answer:
        """Lift a protest."""
        return desk.lift(number, form, who.role.value)

    @app.post("/api/calls/{key}/answer", responses=CHANGES)
    def answer(
        key: Annotated[str, PathParameter(pattern=r"^call-[0-9]{1,16}-[0-3]$")],
        form: AnswerForm,
        who: decider,
    ) -> Answer:
        """Answer a seat's call for the referee."""
        return desk.answer(key, form, who.role.value)

    @app.post("/api/asked/{order}", responses=CHANGES)
    def consent(
        order: Annotated[str, PathParameter(pattern=r"^[0-9a-f]{32}$")],
        form: ConsentForm,
        who: decider,
    ) -> Answer:
        """Let an order of the hall into the running hand, or refuse it."""
        return desk.consent(order, form, who.role.value)

    @app.post("/api/machine", responses=CHANGES)
    def machine(form: MachineForm, who: decider) -> Answer:
        """Order the next wall, hold the machine, let it move again, or clear its fault."""
        return desk.machine(form, who.role.value)
