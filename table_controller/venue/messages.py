"""What tables and hall write to each other, as JSON checked field by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from table_controller.record.journal import EntryKind, chain
from table_controller.venue.errors import VenueError

VERSION: Final = 1
URGENT_HEADER: Final = "Paiguan-Urgent"
"""On messages with an entry that somebody in the hall waits for: a hub stores them at once."""
BUCKET_READY: Final = b"ok"
NO_ROOM: Final = b"no room"
"""What a hub answers a table that has evidence: its bucket is there, or cannot be made."""
_URGENT: Final = frozenset({EntryKind.ALERT, EntryKind.DECISION, EntryKind.ORDER})

_M = TypeVar("_M", bound=BaseModel)


def is_urgent(kind: str, body: Mapping[str, Any]) -> bool:
    """Whether somebody in the hall waits for an entry: it does not wait for company."""
    return kind in _URGENT or (kind == EntryKind.HAPPENING and body.get("call") == "referee")


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a journal on its way; ``body`` is the JSON text that the hash is made of."""

    seq: int
    t: float
    kind: str
    body: str
    hash: bytes

    @property
    def urgent(self) -> bool:
        """See :func:`is_urgent`; most entries need not be read for it."""
        return is_urgent(self.kind, json.loads(self.body) if '"call"' in self.body else {})

    def follows(self, previous: bytes) -> bool:
        """Whether this is the entry after the one with that hash, unchanged."""
        return chain(previous, self.seq, self.t, self.kind, self.body) == self.hash


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of one chain, one after another.

    Attributes:
        previous: hash of the entry before the first one.
        sent: when the table sent it, s since 1970 by the table's clock.
        of: the chain this one branched off, where a table was restored from a backup.
    """

    lines: tuple[Line, ...]
    previous: bytes
    sent: float
    of: str | None = None

    def encode(self) -> bytes:
        """As it travels."""
        body: dict[str, Any] = {
            "v": VERSION,
            "sent": self.sent,
            "previous": self.previous.hex(),
            "lines": [[x.seq, x.t, x.kind, x.body, x.hash.hex()] for x in self.lines],
        }
        if self.of is not None:
            body["of"] = self.of
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Read one.

        Raises:
            VenueError: of another version, damaged, or not entries one after another.
        """
        try:
            body = json.loads(data)
            if body["v"] != VERSION:
                raise VenueError(f"message version {body['v']!r}, this program reads {VERSION}")
            lines = tuple(
                Line(int(seq), float(t), str(kind), str(text), bytes.fromhex(value))
                for seq, t, kind, text, value in body["lines"]
            )
            batch = cls(lines, bytes.fromhex(body["previous"]), float(body["sent"]), body.get("of"))
        except VenueError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise VenueError(f"a damaged message: {error}") from None
        batch._check()
        return batch

    def entries(self) -> Iterator[Self]:
        """The same, each entry by itself."""
        previous = self.previous
        for line in self.lines:
            yield replace(self, lines=(line,), previous=previous)
            previous = line.hash

    def as_text(self) -> Self:
        """Entries that any database takes; their hashes stay those of the table's own text."""
        held = ((line, json.dumps({"unreadable": line.body})) for line in self.lines)
        return replace(self, lines=tuple(replace(line, body=body) for line, body in held))

    def _check(self) -> None:
        previous = self.previous
        for at, line in enumerate(self.lines):
            if line.seq != self.lines[0].seq + at or not line.follows(previous):
                raise VenueError(f"entry {line.seq} does not follow the one before it")
            previous = line.hash
        if not self.lines:
            raise VenueError("a message without entries")


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Status(_Message):
    """What a table says of itself every few seconds; the newest counts.

    Attributes:
        sent: by the table's clock, s since 1970.
        instance: made up at each start; two of them at once are two machines with one name.
        offset: by how much the table's clock is ahead of the hall's, s, and how sure that is.
        head: number of the journal's newest entry; ``acked`` the newest the hall's bus has.
        waiting: orders of the hall that wait for the hand to end or for the referee.
        models: release of models in use (empty: the program's own); ``models_before`` the one
            that an order returns to, ``staged`` those that lie at the table.
    """

    v: int = VERSION
    sent: float
    instance: str
    program: str = ""
    session: str = ""
    chain: str = ""
    state: Literal["idle", "playing", "paused"] = "idle"
    phase: str = ""
    hand: int = 0
    round_wind: str | None = None
    scores: tuple[int, ...] = ()
    timers: tuple[dict[str, Any], ...] = ()
    faults: tuple[str, ...] = ()
    last: str = ""
    last_t: float | None = None
    open_alerts: int = 0
    head: int = 0
    acked: int = 0
    offset: float | None = None
    offset_error: float | None = None
    evidence_mb: float = 0.0
    models: str = ""
    models_before: str | None = None
    staged: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


class OrderKind(StrEnum):
    """What the hall may order."""

    SEATING = "seating"
    SESSION_START = "session_start"
    SESSION_END = "session_end"
    PAUSE = "pause"
    RESUME = "resume"
    ROUND_CLOCK = "round_clock"
    SETTINGS = "settings"
    MODEL_STAGE = "model_stage"
    MODEL_USE = "model_use"
    MODEL_BACK = "model_back"
    EVIDENCE = "evidence"
    DECISION = "decision"
    ANSWER = "answer"
    """A referee of the hall is on the way to a seat that called."""
    RESEND = "resend"


class OrderState(StrEnum):
    """How far an order has come at the table."""

    WAITING = "waiting"
    """For the hand to end, or for the table's referee."""
    DONE = "done"
    REFUSED = "refused"


Name = Annotated[str, Field(min_length=1, max_length=80)]


class Order(_Message):
    """An order of the hall to one table; ``id`` makes a repeated one harmless.

    Attributes:
        attempt: how often the hall has sent it; the same attempt twice was played back.
        at: when it was given, s since 1970 by the hall's clock.
    """

    v: int = VERSION
    id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    table: str
    kind: OrderKind
    body: dict[str, Any] = {}
    by: Name
    at: float
    attempt: int = 1


class SessionPlan(_Message):
    """Body of ``session_start`` (and, without a start, of ``seating``)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    session: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,39}$")]
    round: Annotated[int, Field(ge=1, le=99)]
    players: Annotated[tuple[str, ...], Field(min_length=4, max_length=4)]
    """By side 0..3; an empty name is an empty seat."""
    ruleset: str | None = None
    east: Annotated[int, Field(ge=0, le=3)] = 0
    scores: tuple[int, int, int, int] | None = None
    """What sides 0..3 begin with, where it is not what the ruleset says (a team relay)."""

    def header(self, ruleset: str, table: str) -> dict[str, Any]:
        """The first entry of the session's journal."""
        header: dict[str, Any] = {
            "ruleset": ruleset,
            "east": self.east,
            "players": list(self.players),
            "session": self.session,
            "round": self.round,
            "table": table,
        }
        return header if self.scores is None else header | {"scores": list(self.scores)}


def parse(kind: type[_M], data: bytes | str) -> _M:
    """Read a message.

    Raises:
        VenueError: naming the field that is wrong.
    """
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        raise VenueError(f"{kind.__name__.lower()}: {explain(error)}") from None


def explain(error: ValidationError) -> str:
    """The first problem in one line."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def batches(lines: Iterable[Line], limit: int = 200_000) -> Iterable[tuple[Line, ...]]:
    """Entries in groups of at most ``limit`` bytes (one entry at least)."""
    held: list[Line] = []
    size = 0
    for line in lines:
        weight = len(line.body.encode()) + 150
        if held and size + weight > limit:
            yield tuple(held)
            held, size = [], 0
        held.append(line)
        size += weight
    if held:
        yield tuple(held)
