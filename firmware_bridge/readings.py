"""Readings: what the machine and its sensors said, on the host's clock.

A reading wraps one message of the wire protocol (:mod:`firmware_bridge.messages`) or a change of
the link itself, so that a pulled cable is seen at once by whoever follows the readings.
``to_json``/``from_json`` are the lines of ``sensors.jsonl`` in a recording.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from enum import IntEnum, IntFlag, StrEnum
from typing import Any, Literal, get_type_hints

from firmware_bridge.messages import (
    EVENT_IDS,
    MESSAGES,
    SAMPLE_IDS,
    EventMessage,
    MachineChanged,
    MachineState,
    SampleMessage,
)

Phase = Literal["idle", "hatch_open", "shuffling", "raising", "ready", "fault"]
"""States of the machine as the contract names them."""

_PHASES: dict[MachineState, Phase] = {
    MachineState.IDLE: "idle",
    MachineState.HATCH_OPEN: "hatch_open",
    MachineState.DROPPING: "shuffling",
    MachineState.SHUFFLING: "shuffling",
    MachineState.BUILDING: "shuffling",
    MachineState.RAISING: "raising",
    MachineState.READY: "ready",
    MachineState.PLAYING: "ready",
    MachineState.FAULT: "fault",
}


class LinkState(StrEnum):
    """What became of the link."""

    CONNECTED = "connected"
    """The session is open; level readings follow anew."""
    LOST = "lost"
    """The port went away (cable pulled, device gone)."""
    SILENT = "silent"
    """The port is there but the board says nothing."""
    RESET = "reset"
    """The board was reset; what it had not delivered before is gone."""
    REFUSED = "refused"
    """Wrong device, other schema, no permission: the detail says what to do."""
    CLOCK_JUMP = "clock_jump"
    """One of the two clocks was set; times before and after do not compare."""
    EVENTS_LOST = "events_lost"
    """Events were acknowledged by somebody else or overran the board's store."""


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """A change of the link itself; ``detail`` is one line for people."""

    state: LinkState
    detail: str = ""


What = EventMessage | SampleMessage | LinkChanged


@dataclass(frozen=True, slots=True)
class Reading:
    """One message of the machine.

    Readings come in the order of their numbers. Times are the sensors' own and so may step back a
    little: a debounced switch tells when it moved, a vibration when it began.

    Attributes:
        t: when it happened, host clock, s.
        what: the message or the change of the link.
        t_error: bound of the error of ``t``, s; 0 for changes of the link (taken on the host).
        boot: boot id of the board; 0 for changes of the link.
        number: of the event within that boot, 1.., counted on beyond 16 bits; None for samples and
            changes of the link.
    """

    t: float
    what: What
    t_error: float = 0.0
    boot: int = 0
    number: int | None = None

    @property
    def kind(self) -> str:
        """Name of the message, ``key_pressed``."""
        return kind_of(type(self.what))


def phase(changed: MachineChanged) -> Phase:
    """The state as the contract's ``machine`` happening names it."""
    return _PHASES[changed.state]


def kind_of(cls: type) -> str:
    """``KeyPressed`` to ``key_pressed``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


_CLASSES: dict[str, type] = {kind_of(MESSAGES[i]): MESSAGES[i] for i in EVENT_IDS | SAMPLE_IDS} | {
    "link_changed": LinkChanged
}


def to_json(reading: Reading) -> dict[str, Any]:
    """A line of ``sensors.jsonl``: enumerations by name, flags as lists of names."""
    line: dict[str, Any] = {"t": reading.t, "kind": reading.kind}
    for field in dataclasses.fields(reading.what):
        line[field.name] = _plain(getattr(reading.what, field.name))
    if reading.t_error:
        line["t_error"] = reading.t_error
    if reading.number is not None:
        line["number"] = reading.number
    if reading.boot:
        line["boot"] = reading.boot
    return line


def from_json(line: dict[str, Any]) -> Reading:
    """The reading of such a line.

    Raises:
        ValueError: naming what is missing or not understood.
    """
    try:
        cls = _CLASSES[line["kind"]]
        hints = get_type_hints(cls)
        values = {
            f.name: _typed(hints[f.name], line[f.name])
            for f in dataclasses.fields(cls)
            if f.name in line or f.default is dataclasses.MISSING
        }
        return Reading(
            float(line["t"]),
            cls(**values),
            float(line.get("t_error", 0.0)),
            int(line.get("boot", 0)),
            line.get("number"),
        )
    except KeyError as error:
        raise ValueError(f"reading: missing or unknown {error}") from None
    except TypeError as error:
        raise ValueError(f"reading: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, IntFlag):
        return [str(m.name).lower() for m in value]
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, tuple):
        return list(value)
    return value


def _typed(hint: Any, value: Any) -> Any:
    if isinstance(hint, type) and issubclass(hint, IntFlag):
        flags = hint(0)
        for name in value:
            flags |= hint[str(name).upper()]
        return flags
    if isinstance(hint, type) and issubclass(hint, IntEnum):
        return hint[str(value).upper()]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return hint(value)
    if isinstance(value, list):
        return tuple(value)
    return value
