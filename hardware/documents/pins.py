"""The pin table, read from the firmware's ``pins.h`` so that it cannot differ from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.messages import Key

PINS_H = Path(__file__).resolve().parents[1] / "firmware" / "src" / "pins.h"
_LINE = re.compile(
    r"#define PIN_(?P<name>\w+) (?P<port>[A-L]), (?P<bit>\d)\s+// \[(?P<board>\w+)\] (?P<what>.+)"
)
_GROUPS = (
    ("Switches and safety", "A", "input, pull-up"),
    ("Photo sensors", "K", "input, pull-up"),
    ("Drives, start button, buzzer", "C", "output, high is on"),
    ("Lamps", "L", "output, high is on"),
    ("Shift-register chain", "B", "SPI"),
    ("Analogue", "F", "0 to 5 V"),
    ("Serial line", "E", "5 V"),
)

_KEYS = ", ".join(key.name.lower().replace("_", " ") for key in Key)


@dataclass(frozen=True, slots=True)
class Pin:
    """One pin: name in the firmware, port and bit of the chip, number on the Mega 2560."""

    name: str
    port: str
    bit: int
    board: str
    what: str


@dataclass(frozen=True, slots=True)
class Group:
    """Pins of one port that belong together."""

    title: str
    level: str
    pins: tuple[Pin, ...]


def load(path: Path = PINS_H) -> tuple[Group, ...]:
    """The pins by group.

    Raises:
        ValueError: two pins on one bit, or a pin that belongs to no group.
    """
    pins = [
        Pin(m["name"].lower(), m["port"], int(m["bit"]), m["board"], m["what"].strip())
        for m in _LINE.finditer(path.read_text(encoding="utf-8"))
    ]
    places = [(p.port, p.bit) for p in pins]
    for place in places:
        if places.count(place) > 1:
            raise ValueError(f"{path}: two pins at P{place[0]}{place[1]}")
    groups = tuple(
        Group(title, level, tuple(p for p in pins if p.port == port))
        for title, port, level in _GROUPS
    )
    if sum(len(g.pins) for g in groups) != len(pins):
        raise ValueError(f"{path}: a pin of no group")
    return groups


def page(groups: tuple[Group, ...]) -> str:
    """The table as Markdown."""
    out = [
        "# Pin table",
        "",
        "Made from `firmware/src/pins.h` by `python -m hardware.documents`; do not edit.",
        "Board: ATmega2560, numbers of the Arduino Mega 2560.",
    ]
    for group in groups:
        out += ["", f"## {group.title} ({group.level})", ""]
        out += ["| pin | chip | name | what |", "|---|---|---|---|"]
        out += [f"| {p.board} | P{p.port}{p.bit} | `{p.name}` | {p.what} |" for p in group.pins]
    out += [
        "",
        "## Order of the shift-register chain",
        "",
        "Fifteen 74HC165, first in the chain first read; contacts pull to ground, 10 kΩ to 5 V.",
        "",
        "| registers | bits | what |",
        "|---|---|---|",
        "| 1 to 9 | 0 to 71 | presence under the walls: side 0 stacks 1 to 18, then 1, 2, 3 |",
        f"| 10 to 14 | 72 to 107 | keypads: seat 0 {_KEYS}; then seats 1, 2, 3 |",
        "| 14 | 108 to 111 | stick trays, seat 0 to 3 |",
        "| 15 | all | tied to 10100101: a broken chain is noticed |",
    ]
    return "\n".join(out) + "\n"
