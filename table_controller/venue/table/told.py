"""A table without cameras: it is told what happens, and does everything else a table does.

Journal, rules, referee's decisions, sessions and the venue's orders are those of a real table; only
the happenings come from a story instead of from a follower.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from table_controller.app.ruling.ruled import RuledTable
from table_controller.app.table.core import TableController
from table_controller.app.table.listeners import ConsoleFeed, Quiet
from table_controller.console.drawing import scoreboard
from table_controller.console.forms import Decision, Signed
from table_controller.console.hub import Hub
from table_controller.domain.happenings import Clock, Happening, TableSet
from table_controller.domain.outputs import Alert, Output
from table_controller.game.engine import Engine
from table_controller.record.journal import Entry, EntryKind, Journal
from table_controller.rulesets.loader import load
from table_controller.rulesets.model import Ruleset
from table_controller.venue.messages import SessionPlan
from table_controller.venue.orders.tablestore import TableStore
from table_controller.venue.table.report import RUNNING, Reporter
from vision.sightings import Sighting

SHOW_EVERY_S = 0.5


class _NoFollower:
    """Nothing is seen: the happenings are told."""

    def sighting(self, sighting: Sighting) -> list[Happening]:  # noqa: ARG002
        return []

    def reading(self, reading: Any) -> list[Happening]:  # noqa: ARG002
        return []

    def flush(self) -> list[Happening]:
        return []

    def watched(self, t: float) -> float:
        return t

    def restore(self, happenings: Iterable[Happening], until: float | None = None) -> None:
        """Nothing to believe."""


class _Bell(Quiet):
    """Notes that an alert was raised: it does not wait for company."""

    def __init__(self) -> None:
        self.rung = False
        self.alerts: list[tuple[str, Alert]] = []

    def output(self, output: Output, key: str | None) -> None:
        if isinstance(output, Alert) and key is not None:
            self.rung = True
            self.alerts.append((key, output))


class ToldTable:
    """One table and its sessions.

    Args:
        root: holds a folder a session, and what the table keeps between them.
        name: of the table.
        ruleset: of the first session.
        plan: of the first session; made up where there is none.
    """

    def __init__(
        self, root: Path, name: str, ruleset: str = "mcr-1998", plan: SessionPlan | None = None
    ) -> None:
        self.root = root
        self.name = name
        self.store = TableStore(root / "venue.db")
        kept = self.store.fact("session")
        if kept is not None:
            plan = SessionPlan.model_validate(kept)
        first = plan or SessionPlan(
            session=f"warm-up-{int(time.time())}",
            round=1,
            players=tuple(f"{name} {side}" for side in range(4)),
            ruleset=ruleset,
        )
        self._ruleset = ruleset
        self._shown = 0.0
        self.wrote: Callable[[Sequence[Entry]], None] = lambda _: None
        self._open(first)

    def _open(self, plan: SessionPlan) -> None:
        self.plan = plan
        self.rules: Ruleset = load(plan.ruleset or self._ruleset)
        self.folder = self.root / plan.session
        self._journal = Journal.open(self.folder / "journal.db")
        self._journal.tell(self._wrote)
        if not self._journal.head[0]:
            header = plan.header(self.rules.name, self.name)
            self._journal.append([(time.time(), EntryKind.SESSION, header)])
        self.hub = Hub()
        east = plan.east
        self.ruled = RuledTable(
            self._journal,
            self.hub,
            lambda verdicts: Engine(self.rules, east, verdicts),  # type: ignore[arg-type]
        )
        self.bell = _Bell()
        self.controller = TableController(
            _NoFollower(),
            Engine(self.rules, east),  # type: ignore[arg-type]
            self._journal,
            [ConsoleFeed(self.hub, dict, dict), self.bell],
        )
        self.ruled.attach(self.controller)
        self.hub.publish("table", {"ruleset": self.rules.name, "east": east, "name": self.name})
        self.ruled.resume()
        self.reporter = Reporter(self.hub, plan.session, self.controller.happenings)
        self.store.set_fact("session", plan.model_dump())
        self._show()

    def _wrote(self, entries: Sequence[Entry]) -> None:
        self.wrote(entries)

    # -- what happens -----------------------------------------------------------------------

    def tell(self, *happenings: Happening) -> bool:
        """Something happens now; whether it raised an alert."""
        self.bell.rung = False
        self.controller.t = max(self.controller.t, *(one.t for one in happenings))
        self.controller.judge(happenings)
        # The hall is shown the table a few times a second, as a console would be.
        if time.monotonic() - self._shown >= SHOW_EVERY_S or self.bell.rung:
            self._show()
        return self.bell.rung

    def settle(self) -> None:
        """What the controller's thread does when something was decided."""
        if self.ruled.due.is_set():
            self.ruled.judge_again()
            self._show()

    def _show(self) -> None:
        self._shown = time.monotonic()
        timers, minutes = self.rules.timers, self.rules.session.minutes
        self.hub.publish("game", scoreboard(self.controller.state, timers, minutes))

    # -- as orders need it ------------------------------------------------------------------

    @property
    def journal(self) -> Journal:
        """Of the running session."""
        return self._journal

    @property
    def session(self) -> str:
        """Name of the running session."""
        return self.plan.session

    @property
    def evidence(self) -> Path:
        """Folder of the running session's pictures."""
        return self.folder / "evidence"

    def report(self) -> dict[str, Any]:
        """What the table says of itself; of the session that runs now."""
        return self.reporter.report()

    @property
    def t(self) -> float:
        """Source time."""
        return self.ruled.now()

    @property
    def hand_running(self) -> bool:
        """Whether a hand is being played."""
        return self.controller.state.get("phase") in RUNNING

    @property
    def under_way(self) -> bool:
        """Whether the session has begun to be played, and goes on."""
        return self.hand_running or self.reporter.under_way

    def happen(self, *happenings: Clock | TableSet) -> None:
        """What the hall caused happens at the table; several are written down together."""
        self.reporter.happened(*happenings)
        self.tell(*happenings)
        self._show()

    def begin(self, plan: SessionPlan) -> None:
        """Begin a new session with a journal of its own."""
        told = self._journal
        self._open(plan)
        told.close()

    def renew(self) -> None:
        """Models were changed: a table without cameras has nothing that sees with them."""

    def decide(self, key: str, form: Decision, role: str) -> dict[str, Any]:
        """A referee's decision about an alert."""
        desk = self.ruled.desk(self.evidence)
        made = desk.decide(key, form, role)
        self.settle()
        return made

    def answer(self, key: str, by: str, role: str) -> None:
        """A call for the referee is answered."""
        self.ruled.desk(self.evidence).answer(key, Signed(by=by), role)

    def show(self, text: str, **more: Any) -> None:
        """Tell the people at the table."""
        self.hub.publish("note", {"t": self.t, "text": text, **more})

    def ask(self, orders: list[dict[str, Any]]) -> None:
        """Show the table's referee all orders that wait now."""
        self.hub.publish("asked", {"orders": orders})

    def close(self) -> None:
        """Close the files."""
        self._journal.close()
        self.store.close()
