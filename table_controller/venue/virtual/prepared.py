"""Sessions that were played beforehand, written down again by many tables at a pace.

For the measurements of a venue. The rules judge each of a few sessions once; every table then
writes one of them into a journal of its own. Chain, outbox and station are those of any table; only
players and rules are left out, which work at a table's own machine and cost the venue nothing.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from table_controller.console.drawing import scoreboard
from table_controller.console.forms import Decision
from table_controller.domain.happenings import TableSet
from table_controller.record.journal import Entry, EntryKind
from table_controller.venue.messages import SessionPlan
from table_controller.venue.table.told import ToldTable
from table_controller.venue.virtual.tables import (
    BETWEEN_S,
    HANDS,
    IDLE_S,
    STORIES,
    WINDS,
    Play,
    story,
)

SESSIONS: Final = 4
"""So many different sessions are played; tables take them in turn."""
DECIDED_S: Final = (5.0, 40.0)
"""A referee decides an alert after at least and at most so long, s of table time."""
SHOWN_EVERY_S: Final = 2.0
_TIMES: Final = ("t", "t_raised")


@dataclass(slots=True)
class Step:
    """What is written together.

    Attributes:
        at: s of table time since the session's first walls.
        entries: kind and body of each entry; times in the bodies count from the same moment.
        shown: what the table's page is told with it.
    """

    at: float
    entries: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    shown: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


Session = list[Step]


def play_session(number: int, mix: int, hands: int = HANDS) -> Session:
    """Play one session with all its rules; what its journal and its page were told.

    Args:
        number: which of them.
        mix: infractions in a hand.
        hands: of the session.
    """
    rng = random.Random(f"session {number}")
    steps: Session = []
    with tempfile.TemporaryDirectory(prefix="paiguan-session-") as folder:
        table = ToldTable(Path(folder), "T")

        def wrote(entries: Sequence[Entry]) -> None:
            steps[-1].entries += [(entry.kind.value, entry.body) for entry in entries]

        def told(kind: str, body: dict[str, Any]) -> None:
            # What passes is shown at moments of its own, below.
            if kind not in ("refold", "game"):
                steps[-1].shown.append((kind, body))

        table.journal.tell(wrote)
        table.hub.tap(told)
        due: list[tuple[float, str]] = []
        begin, shown = 0.0, -SHOWN_EVERY_S
        for hand in range(1, hands + 1):
            held = story((hand - 1) % 4, rng.randrange(STORIES), mix)
            for one in held.happenings:
                at = begin + one.t
                while due and due[0][0] <= at:
                    when, key = due.pop(0)
                    steps.append(Step(when))
                    table.decide(key, Decision(by="Li", action="accept"), "referee")
                steps.append(Step(at))
                if isinstance(one, TableSet):
                    wind = WINDS[(hand - 1) // 4 % 4]
                    one = replace(one, round_wind=wind, hand=hand)  # type: ignore[arg-type]  # noqa: PLW2901
                table.tell(replace(one, t=at))
                due += [(at + rng.uniform(*DECIDED_S), key) for key, _ in table.bell.alerts]
                due.sort()
                table.bell.alerts.clear()
                if at - shown >= SHOWN_EVERY_S:
                    shown = at
                    timers, minutes = table.rules.timers, table.rules.session.minutes
                    game = scoreboard(table.controller.state, timers, minutes)
                    steps[-1].shown.append(("game", game))
            begin += held.happenings[-1].t + BETWEEN_S
        table.close()
    return [step for step in steps if step.entries or step.shown]


def write_sessions(file: Path, count: int, mix: int, hands: int = HANDS) -> None:
    """Play some sessions and keep them in a file."""
    sessions = [play_session(number, mix, hands) for number in range(count)]
    held = [[[s.at, s.entries, s.shown] for s in session] for session in sessions]
    file.write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")


def read_sessions(file: Path) -> list[Session]:
    """The sessions of a file that :func:`write_sessions` made."""
    return [
        [
            Step(at, [(kind, body) for kind, body in entries], [(k, b) for k, b in shown])
            for at, entries, shown in session
        ]
        for session in json.loads(file.read_text(encoding="utf-8"))
    ]


class PreparedPlay(Play):
    """Writes prepared sessions at one table, one after another for ever.

    Args:
        table: whose journal is written; its own rules judge nothing.
        sessions: prepared.
        speed: how much faster than life.
        rng: decides which sessions are taken, and when the first begins.
    """

    def __init__(
        self, table: ToldTable, sessions: Sequence[Session], speed: float, rng: random.Random
    ) -> None:
        super().__init__(table, speed, 0, rng)
        self._sessions = sessions
        self._steps: Session = []
        self._number = 0

    def step(self, now: float) -> float:
        """Write what is due; when the next thing happens, s since 1970."""
        if self.orders is not None:
            self.orders.step()
        if self.table.reporter.paused:
            self._begin += IDLE_S
            return now + IDLE_S
        if self._at >= len(self._steps) or self._session != self.table.session:
            self._next_session(now)
        one = self._steps[self._at]
        due = self._begin + one.at / self._speed
        if due > now:
            return min(due, now + IDLE_S)
        self._at += 1
        # Nothing of it may count from later than this: the disk is part of an alert's way.
        raised = time.time()
        self.table.journal.append([(due, EntryKind(k), self._moved(b)) for k, b in one.entries])
        for kind, body in one.entries:
            if kind == EntryKind.ALERT:
                # Once: what is said of it again later was not raised then.
                self.raised.setdefault(f"{self._session} {body['key']}", raised)
        for kind, body in one.shown:
            self.table.hub.publish(kind, body)
        self.told += len(one.entries)
        if self._at < len(self._steps):
            # Maybe past already: whoever asks sees by how much the writing lags behind.
            return min(self._begin + self._steps[self._at].at / self._speed, now + IDLE_S)
        return now

    def _moved(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body with times of this session."""
        times = {
            name: self._begin + body[name] / self._speed
            for name in _TIMES
            if isinstance(body.get(name), float)
        }
        return {**body, **times}

    def _next_session(self, now: float) -> None:
        if self._session == self.table.session:
            self._number += 1
            plan = self.table.plan
            name = f"{plan.session.partition('--')[0]}--{self._number}"
            self.table.begin(
                SessionPlan(session=name, round=plan.round, players=plan.players, east=plan.east)
            )
            # By the clock of the session before: a slow machine is seen to lag behind.
            self._begin += (self._steps[-1].at + BETWEEN_S) / self._speed
        else:
            # The first, or the hall has begun another: tables do not begin all at once.
            self._begin = now + self._rng.random() * 2 * BETWEEN_S / self._speed
        self._session = self.table.session
        self._steps = self._sessions[self._rng.randrange(len(self._sessions))]
        self._at = 0
