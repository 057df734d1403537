"""A table and its referee: what is decided and corrected, and the game folded with it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from table_controller.app.ruling.corrections import Corrections
from table_controller.app.ruling.decisions import Decisions
from table_controller.app.ruling.desk import TableDesk
from table_controller.app.ruling.protests import Protests
from table_controller.app.table.core import TableController
from table_controller.app.table.serving import RESTATED, refolded, restated
from table_controller.console.forms import MachineForm
from table_controller.console.hub import Hub
from table_controller.domain.alert_names import alert_title
from table_controller.game.engine import Engine
from table_controller.record.journal import EntryKind, Journal
from table_controller.referee.decisions import AlertKey, Verdict, Verdicts


class RuledTable:
    """Joins the controller of one table with the referee's decisions.

    Decisions come from the console's threads; :meth:`judge_again` and :meth:`resume` are called by
    the controller's own thread.

    Args:
        journal: of the session.
        hub: of the console.
        new_engine: fresh rules with decisions.
    """

    def __init__(
        self, journal: Journal, hub: Hub, new_engine: Callable[[Verdicts], Engine]
    ) -> None:
        self.journal = journal
        self.hub = hub
        self.new_engine = new_engine
        self.due = threading.Event()
        """Set when something was decided: the game must be judged again."""
        self._controller: TableController | None = None
        self._asked: TableDesk
        self.decisions = Decisions(journal, hub, self.now, self.due.set)
        self.corrections = Corrections(
            journal,
            hub,
            self.now,
            lambda: self.controller.happenings,
            lambda verdicts: new_engine(verdicts or Verdicts()),
            self.verdicts,
            self.due.set,
        )
        self.protests = Protests(journal, hub, self.now, self._hand_of)

    @property
    def controller(self) -> TableController:
        """The controller of the table, once it is attached."""
        assert self._controller is not None
        return self._controller

    def attach(self, controller: TableController) -> None:
        """Say whose decisions these are."""
        self._controller = controller

    def now(self) -> float:
        """Source time of the newest input; before the first one, the clock's."""
        t = self._controller.t if self._controller is not None else 0.0
        return t if t > 0 else time.time()

    def _hand_of(self, key: str) -> str | None:
        return self._asked.hand_of(key)

    def verdicts(self) -> Verdicts:
        """The decisions about alerts that stand, as the rules name alerts."""
        verdicts: dict[AlertKey, Verdict] = {}
        for key, verdict in self.decisions.verdicts().items():
            name = self.controller.alert_of(key)
            if name is not None:
                verdicts[name] = verdict
        return Verdicts(verdicts)

    def resume(self) -> int:
        """Fold the journal with all that was decided; how many happenings there were."""
        # Alerts that were dismissed are not raised again: they are told from the journal.
        raised = {e.body["key"]: e.body for e in self.journal.entries([EntryKind.ALERT])}
        for body in raised.values():
            more = {"title": alert_title(body["id"]), "decision": None}
            self.hub.publish("alert", {**body, **more})
        # Before the fold: what a referee has changed is told with his ruling.
        self.decisions.restore()
        self.corrections.load()
        self.protests.load()
        folded = self.controller.resume(
            lambda happenings: (
                self.new_engine(self.verdicts()),
                self.corrections.entries(happenings).entries,
            )
        )
        self.corrections.show()
        self._show_answered()
        # A game that was judged again is judged again now: also an order that was taken back has
        # left alerts in the journal that the rules do not raise any more.
        if folded and (self.decisions.any or self.corrections.number):
            self.due.set()
        return folded

    def _show_answered(self) -> None:
        """Calls for the referee that were answered before a restart."""
        calls = {call["key"]: call for call in self.hub.snapshot()["calls"]}
        for entry in self.journal.entries([EntryKind.NOTE]):
            call = calls.get(entry.body.get("call", ""))
            if call is not None:
                answered = {"by": entry.body["name"], "t": entry.t}
                self.hub.publish("call", {**call, "answered": answered})

    def judge_again(self) -> None:
        """Fold the game again with the decisions and corrections as they stand now."""
        self.due.clear()
        entries = self.corrections.entries(self.controller.happenings).entries
        outputs = self.controller.refold(self.new_engine(self.verdicts()), entries)
        known: list[dict[str, Any]] = self.hub.snapshot()["alerts"]
        confirmed = self.corrections.confirmed()
        body = refolded(outputs, self.controller.key_for, known, confirmed)
        self.hub.publish("refold", body)
        again = restated(outputs, self.controller.key_for, known)
        for key, facts in again.items():
            self.hub.publish("alert", {**(self.hub.alert(key) or {}), **facts})
        # Whoever decided about one of them at this moment would be overwritten.
        self.decisions.show(again)
        # As this console shows it, so it stands in the journal, and in the hall.
        for alert in self.hub.snapshot()["alerts"]:
            facts = {name: alert.get(name) for name in RESTATED}
            facts["withdrawn"] = bool(alert.get("withdrawn"))
            self.controller.restate(alert["key"], **facts)

    def held(self, name: str) -> bool:
        """Whether a folder of evidence must be kept: an open alert, an open hand, a protest."""
        kind, _, rest = name.partition("-")
        number = rest[:3]
        if kind == "alert":
            return self.decisions.open(name) or name in self.protests.about()
        key = f"hand-{number}"
        if key in self.protests.hands():
            return True
        ended = {hand["key"]: hand.get("confirmed") for hand in self.hub.snapshot()["hands"]}
        return not ended.get(key)

    def desk(
        self,
        evidence: Path,
        machine: Callable[[MachineForm, str], dict[str, Any]] | None = None,
    ) -> TableDesk:
        """What the console asks.

        Args:
            evidence: folder of the pictures.
            machine: takes the referee's orders to the machine, where there is one.
        """
        self._asked = TableDesk(
            self.journal,
            self.hub,
            self.decisions,
            self.corrections,
            self.protests,
            lambda: self.controller.happenings,
            lambda verdicts: self.new_engine(verdicts or Verdicts()),
            self.verdicts,
            evidence,
            self.now,
            machine,
        )
        return self._asked
