"""Who may do what: tokens per role, signed sessions, sign-in limits.

A session is a signed statement (role, name, until when, a random number), kept in a cookie that
scripts cannot read. Nothing of it is stored, so it outlives a restart of the program; it ends at
its time, by signing out, or when the tokens are changed. Changes that come with a cookie must
carry the session's CSRF token and come from the page's own origin.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from table_controller.whole_files import write_secret

COOKIE: Final = "paiguan"
FAILURES: Final = 8
"""Wrong tokens from one address within :data:`WINDOW_S` before it has to wait."""
WINDOW_S: Final = 60.0
_ADDRESSES: Final = 1000


class Role(StrEnum):
    """Under which a person comes in."""

    REFEREE = "referee"
    DESK = "desk"
    TECHNICIAN = "technician"
    ORGANISER = "organiser"
    VIEWER = "viewer"


class Right(StrEnum):
    """What a request needs."""

    SEE = "see"
    """The table as the program sees it, with hands and evidence."""
    DECIDE = "decide"
    CORRECT = "correct"
    CONFIRM = "confirm"
    ENTER = "enter"
    EXPORT = "export"
    AUDIT = "audit"
    """Who came in and who decided what."""


RIGHTS: Final[dict[Role, frozenset[Right]]] = {
    Role.REFEREE: frozenset(Right),
    Role.DESK: frozenset({Right.SEE, Right.CORRECT, Right.CONFIRM, Right.EXPORT}),
    Role.TECHNICIAN: frozenset({Right.SEE, Right.AUDIT}),
    Role.ORGANISER: frozenset({Right.SEE, Right.EXPORT, Right.AUDIT}),
    Role.VIEWER: frozenset(),
}


class UnknownTokenError(Exception):
    """The token is nobody's."""


class TooManyError(Exception):
    """Too many wrong tokens; wait ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many wrong tokens: wait {seconds} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Session:
    """One signed-in person; times in seconds since 1970."""

    role: Role
    name: str
    expires: float
    nonce: str

    def may(self, right: Right) -> bool:
        """Whether the role has this right."""
        return right in RIGHTS[self.role]


def new_token() -> str:
    """A fresh access token: 128 bits, URL-safe."""
    return secrets.token_urlsafe(16)


def kept_tokens(path: Path, given: Mapping[str, str]) -> dict[Role, str]:
    """A token for every role: as given, else as kept in the file, else new and kept there.

    The file can be read by its owner alone.
    """
    stored: dict[str, str] = {}
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            stored = {key: value for key, value in data.items() if isinstance(value, str)}
    except (OSError, ValueError):
        pass  # none yet, or unreadable: new ones are made
    tokens = {role: given.get(role) or stored.get(role) or new_token() for role in Role}
    kept = {role.value: token for role, token in tokens.items() if role not in given}
    if kept != stored:
        write_secret(path, json.dumps(kept, indent=1))
    return tokens


class Access:
    """Checks tokens, cookies and CSRF tokens.

    Args:
        tokens: by role; all different.
        hours: how long a session lasts.
        secure: whether the cookie is for TLS only.
        clock: seconds since 1970.
        audit: told of every sign-in, sign-out and refusal.
    """

    def __init__(
        self,
        tokens: Mapping[Role, str],
        *,
        hours: float = 12.0,
        secure: bool = False,
        clock: Callable[[], float] = time.time,
        audit: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> None:
        if len(set(tokens.values())) != len(tokens):
            raise ValueError("two roles have the same token")
        self._tokens = dict(tokens)
        self._seconds = hours * 3600
        self.secure = secure
        self._clock = clock
        self._audit = audit
        secret = "\n".join(f"{role.value} {token}" for role, token in sorted(tokens.items()))
        self._key = hashlib.sha256(b"paiguan session\n" + secret.encode()).digest()
        self._failures: dict[str, deque[float]] = {}
        self._ended: dict[str, float] = {}
        self._lock = threading.Lock()

    # -- coming in --------------------------------------------------------------------------

    def sign_in(self, token: str, name: str, address: str) -> Session:
        """A session for the role whose token it is.

        Raises:
            UnknownTokenError: the token is nobody's.
            TooManyError: this address has to wait.
        """
        self._allowed(address)
        role = self._role(token)
        if role is None:
            self._failed(address)
            self._audit({"audit": "sign-in refused", "address": address})
            raise UnknownTokenError("unknown access token")
        session = Session(
            role, name.strip()[:80], self._clock() + self._seconds, secrets.token_urlsafe(12)
        )
        self._audit(
            {"audit": "sign-in", "role": role.value, "name": session.name, "address": address}
        )
        return session

    def bearer(self, token: str, address: str) -> Session | None:
        """A session for one request of a program that sends the token itself.

        Raises:
            TooManyError: this address has to wait.
        """
        role = self._role(token)
        if role is None:
            self._allowed(address)
            self._failed(address)
            return None
        return Session(role, "", math.inf, "")

    def _role(self, token: str) -> Role | None:
        found = None
        for role, known in self._tokens.items():
            if hmac.compare_digest(token.encode(), known.encode()):
                found = role
        return found

    def _allowed(self, address: str) -> None:
        with self._lock:
            times = self._failures.get(address, deque())
            now = self._clock()
            while times and times[0] <= now - WINDOW_S:
                times.popleft()
            if len(times) >= FAILURES:
                raise TooManyError(max(1, math.ceil(times[0] + WINDOW_S - now)))

    def _failed(self, address: str) -> None:
        with self._lock:
            if address not in self._failures and len(self._failures) >= _ADDRESSES:
                self._failures.pop(next(iter(self._failures)))
            self._failures.setdefault(address, deque()).append(self._clock())

    # -- sessions ---------------------------------------------------------------------------

    def cookie(self, session: Session) -> str:
        """The session as a signed text."""
        fields = [session.role.value, session.name, session.expires, session.nonce]
        body = base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")
        return f"{body}.{self._sign(body)}"

    def session(self, cookie: str | None) -> Session | None:
        """The session of a cookie; None where it is forged, over, or signed out."""
        body, _, signature = (cookie or "").partition(".")
        if not body or not hmac.compare_digest(signature.encode(), self._sign(body).encode()):
            return None
        try:
            fields = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
            session = Session(Role(fields[0]), fields[1], float(fields[2]), fields[3])
        except (ValueError, TypeError, IndexError, KeyError):
            return None
        if session.expires <= self._clock() or session.nonce in self._ended:
            return None
        return session

    def csrf(self, session: Session) -> str:
        """What a change that comes with this session's cookie must carry."""
        return self._sign(f"csrf {session.nonce}")

    def sign_out(self, session: Session) -> None:
        """The session's cookie counts no longer."""
        now = self._clock()
        with self._lock:
            self._ended = {nonce: end for nonce, end in self._ended.items() if end > now}
            self._ended[session.nonce] = session.expires
        self._audit({"audit": "sign-out", "role": session.role.value, "name": session.name})

    def left(self, session: Session) -> float:
        """Seconds until the session ends."""
        return session.expires - self._clock()

    def _sign(self, text: str) -> str:
        digest = hmac.new(self._key, text.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")
