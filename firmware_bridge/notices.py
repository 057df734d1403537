"""What a session tells whoever keeps it: openings, refusals, silences, what was heard, answers."""

from __future__ import annotations

from dataclasses import dataclass

from firmware_bridge import messages as m


@dataclass(frozen=True, slots=True)
class EventMark:
    """The last event that was dealt with: boot id and number; kept by whoever wants no repeats."""

    boot: int
    number: int


@dataclass(frozen=True, slots=True)
class Opened:
    """The session is open; ``reset``: another boot than before, ``lost``: events gone unseen."""

    welcome: m.Welcome
    reset: bool
    lost: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The board speaks something else.

    Attributes:
        protocol, schema: what it speaks.
        welcome: all that it said; None where only these two could be read.
    """

    protocol: int
    schema: int
    welcome: m.Welcome | None = None


@dataclass(frozen=True, slots=True)
class Stranger:
    """Another board answers than the one that the session began with; it was told nothing."""

    welcome: m.Welcome


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing was heard for BOARD_SILENT_MS; the session is being opened anew."""


@dataclass(frozen=True, slots=True)
class Jumped:
    """The clocks jumped against each other by so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Heard:
    """An event (numbered, once, in order) or a sample (``number`` None); host time and bound, s."""

    t: float
    error: float
    message: m.EventMessage | m.SampleMessage
    boot: int
    number: int | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to the command with this ticket; None: lost with a reset of the board."""

    ticket: int
    result: m.Result | None


Notice = Opened | Refused | Stranger | Silent | Jumped | Heard | Answered | m.Log
