"""Signing in and out: the page, its form, and the session's own requests."""

from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import parse_qs

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse

from table_controller.console.access import (
    COOKIE,
    Access,
    Right,
    Session,
    TooManyError,
    UnknownTokenError,
)
from table_controller.console.forms import SignInForm
from table_controller.console.gate import REFUSALS, Gate, address_of, same_origin
from table_controller.console.pages import sign_in_page

Answer = dict[str, Any]
_LONGEST: Final = 4000


def add_signing(app: FastAPI, gate: Gate, access: Access, index: Path) -> None:
    """The page at ``/`` for who is signed in, else the sign-in page.

    Args:
        app: that gets the routes.
        gate: of its requests.
        access: who may come in.
        index: the page's file.
    """

    def let_in(answer: Response, session: Session) -> None:
        answer.set_cookie(
            COOKIE,
            access.cookie(session),
            max_age=int(access.left(session)),
            httponly=True,
            samesite="strict",
            secure=access.secure,
        )

    def enter(token: str, name: str, request: Request) -> Response:
        try:
            session = access.sign_in(token, name, address_of(request))
        except UnknownTokenError:
            return HTMLResponse(sign_in_page("wrong"), 401)
        except TooManyError as error:
            return HTMLResponse(sign_in_page("wait"), 429, {"Retry-After": str(error.seconds)})
        answer = RedirectResponse("/", 303)
        let_in(answer, session)
        return answer

    @app.get("/", include_in_schema=False)
    async def page(request: Request, token: str | None = None) -> Response:
        if token is not None:
            return enter(token, "", request)
        if access.session(request.cookies.get(COOKIE)) is None:
            return HTMLResponse(sign_in_page("out"), 401)
        return FileResponse(index)

    @app.post("/", include_in_schema=False)
    async def sign_in_form(request: Request) -> Response:
        # What is typed goes by POST: it stays out of the address, the history and every log.
        if not same_origin(request):
            return HTMLResponse(sign_in_page("out"), 403)
        fields = parse_qs((await request.body())[:_LONGEST].decode("utf-8", "replace"))
        return enter(fields.get("token", [""])[0], fields.get("name", [""])[0], request)

    @app.post("/api/session", responses={**REFUSALS, 413: {"description": "too long"}})
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

    @app.get("/api/session", responses=REFUSALS)
    async def session(who: Annotated[Session, Depends(gate(None))]) -> Answer:
        """Who is signed in, what they may do, and the token that changes must carry."""
        return _session_body(access, who)

    @app.delete("/api/session", responses=REFUSALS)
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
