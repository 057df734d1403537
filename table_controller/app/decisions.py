"""A referee's decisions on alerts: taken once, written down, shown everywhere."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from table_controller.console.hub import Hub
from table_controller.console.server import Decision, DecisionRefusedError
from table_controller.record.journal import EntryKind, Journal, JournalError


class Decisions:
    """Takes decisions from the console into the journal.

    Two tablets may decide at once: a decision says which one it has seen last, and the second of
    two that saw the same is refused.

    Args:
        journal: where they are written before they count.
        hub: that shows them.
        now: source time.
        effect: told that the standing decisions changed; the rules are then folded again.
    """

    def __init__(
        self,
        journal: Journal,
        hub: Hub,
        now: Callable[[], float],
        effect: Callable[[], None] = lambda: None,
    ) -> None:
        self._journal = journal
        self._hub = hub
        self._now = now
        self._effect = effect
        self._latest: dict[str, dict[str, Any]] = {}
        self._number = 0
        self._lock = threading.Lock()

    def restore(self) -> None:
        """Show again what was decided before a restart."""
        for entry in self._journal.entries([EntryKind.DECISION]):
            key = entry.body["alert"]
            self._number = max(self._number, entry.body["number"])
            self._latest[key] = entry.body
            self._hub.publish("decision", {"key": key, "decision": entry.body})

    def standing(self) -> dict[str, dict[str, Any]]:
        """The decisions that were not taken back, by alert key."""
        with self._lock:
            return {k: body for k, body in self._latest.items() if body["action"] != "undo"}

    def decide(self, key: str, decision: Decision) -> dict[str, Any]:
        """Take one decision.

        Raises:
            DecisionRefusedError: decided meanwhile, nothing to undo, a dismissal without a
                reason, or the journal cannot be written.
        """
        with self._lock:
            latest = self._latest.get(key)
            number = latest["number"] if latest else 0
            if decision.seen is not None and decision.seen != number:
                who = latest["by"] if latest else "nobody"
                raise DecisionRefusedError(f"{who} has decided in the meantime; look again")
            standing = latest is not None and latest["action"] != "undo"
            if decision.action == "undo" and not standing:
                raise DecisionRefusedError("there is no decision to take back")
            if decision.action != "undo" and standing:
                raise DecisionRefusedError("already decided; take that back first")
            if decision.action == "dismiss" and not decision.reason.strip():
                raise DecisionRefusedError("a dismissal needs a reason")
            t = self._now()
            body: dict[str, Any] = {
                "alert": key,
                "number": self._number + 1,
                "action": decision.action,
                "by": decision.by.strip(),
                "reason": decision.reason.strip(),
                "t": t,
            }
            try:
                self._journal.append([(t, EntryKind.DECISION, body)])
            except JournalError as error:
                raise DecisionRefusedError(str(error)) from None
            self._number += 1
            self._latest[key] = body
            self._effect()
        self._hub.publish("decision", {"key": key, "decision": body})
        return body
