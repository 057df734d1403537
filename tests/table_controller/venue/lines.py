"""Journals for the tests: entries, their batches, and the same with something changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from table_controller.record.journal import GENESIS, chain
from table_controller.venue.hub.store import Arrived
from table_controller.venue.messages import Batch, Line
from table_controller.venue.names import Subjects

SUBJECTS = Subjects("test")

HEADER = {"ruleset": "mcr-1998", "east": 0, "players": ["a", "b", "c", "d"], "session": "r1-T01",
          "round": 1}  # fmt: skip


def made(
    bodies: Sequence[tuple[str, dict[str, Any]]], previous: bytes = GENESIS, first: int = 1
) -> list[Line]:
    """Entries with these kinds and bodies, one after another."""
    lines: list[Line] = []
    for seq, (kind, body) in enumerate(bodies, start=first):
        text = json.dumps(body, ensure_ascii=False)
        previous = chain(previous, seq, float(seq), kind, text)
        lines.append(Line(seq, float(seq), kind, text, previous))
    return lines


def plain(count: int, salt: str = "") -> list[Line]:
    """A journal of a session and so many entries in all."""
    return made(
        [("session", HEADER)]
        + [("happening", {"kind": "x", "n": n, "salt": salt}) for n in range(2, count + 1)]
    )


class Stream:
    """What a table puts into the stream; numbers the messages."""

    def __init__(self, table: str = "T01") -> None:
        self.table = table
        self.number = 0

    def message(
        self, lines: Sequence[Line], name: str, previous: bytes = GENESIS, of: str | None = None
    ) -> Arrived:
        """One message with these entries."""
        self.number += 1
        data = Batch(tuple(lines), previous, 1.0, of).encode()
        return Arrived(SUBJECTS.journal(self.table, name), self.number, data)

    def all(self, lines: Sequence[Line], name: str, size: int = 3) -> list[Arrived]:
        """The entries in messages of ``size``."""
        messages: list[Arrived] = []
        previous = GENESIS
        for at in range(0, len(lines), size):
            part = lines[at : at + size]
            messages.append(self.message(part, name, previous))
            previous = part[-1].hash
        return messages


def changed(line: Line) -> Line:
    """The same entry with another body."""
    return replace(line, body=line.body.replace("x", "y"))
