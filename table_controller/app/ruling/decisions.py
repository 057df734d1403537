"""A referee's decisions on alerts: taken once, written down, shown everywhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from table_controller.app.ruling.ruling_forms import RulingError, ordered_ruling
from table_controller.app.ruling.signed import SignedEntries
from table_controller.console.desk import DecisionRefusedError
from table_controller.console.forms import Decision
from table_controller.console.hub import Hub
from table_controller.domain.output_codec import ruling_object, ruling_of
from table_controller.record.journal import EntryKind, Journal
from table_controller.referee.decisions import Verdict


class Decisions:
    """Takes decisions from the console into the journal.

    Two tablets may decide at once: a decision says which one it has seen last, and the second of
    two that saw the same is refused. A request that comes twice (the network dropped before its
    answer arrived) is taken once and gets the first answer again.

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
        self._signed = SignedEntries(journal, EntryKind.DECISION, having="alert")
        self._hub = hub
        self._now = now
        self._effect = effect
        self._latest: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()

    def load(self) -> None:
        """Know again what was decided before a restart."""
        self._signed.load()
        self._latest = {body["alert"]: body for body in self._signed.entries}

    def show(self, keys: Iterable[str] | None = None) -> None:
        """Publish the latest decision on each alert (on these alone)."""
        with self._lock:
            latest = dict(self._latest)
        wanted = latest if keys is None else [key for key in keys if key in latest]
        for key in wanted:
            self._hub.publish("decision", {"key": key, "decision": latest[key]})

    def restore(self) -> None:
        """Know and show again what was decided before a restart."""
        self.load()
        self.show()

    @property
    def any(self) -> bool:
        """Whether anything was ever decided, also where it was taken back."""
        return bool(self._latest)

    def standing(self) -> dict[str, dict[str, Any]]:
        """The decisions that were not taken back, by alert key."""
        with self._lock:
            return {k: body for k, body in self._latest.items() if body["action"] != "undo"}

    def verdicts(self) -> dict[str, Verdict]:
        """What the rules must be folded with, by alert key."""
        return {
            key: Verdict(
                dismissed=body["action"] == "dismiss",
                ruling=ruling_of(body["ruling"]) if body["action"] == "change" else None,
            )
            for key, body in self.standing().items()
        }

    def open(self, key: str) -> bool:
        """Whether nobody has decided about this alert yet."""
        with self._lock:
            latest = self._latest.get(key)
            return latest is None or latest["action"] == "undo"

    def decide(self, key: str, decision: Decision, role: str = "") -> dict[str, Any]:
        """Take one decision.

        Raises:
            DecisionRefusedError: decided meanwhile, nothing to undo, a dismissal without a
                reason, a ruling that cannot be, or the journal cannot be written.
        """
        with self._lock:
            if (known := self._signed.answer(decision)) is not None:
                return known
            ruling = self._checked(key, decision)
            body: dict[str, Any] = {"alert": key, "action": decision.action}
            if ruling is not None:
                body["ruling"] = ruling
            (body,) = self._signed.write(self._now(), decision, role, [body])
            self._latest[key] = body
        self._hub.publish("decision", {"key": key, "decision": body})
        self._effect()
        return body

    def _checked(self, key: str, decision: Decision) -> dict[str, Any] | None:
        """The ruling that a change orders, as JSON values; refuses what cannot be taken."""
        latest = self._latest.get(key)
        number = latest["number"] if latest else 0
        if decision.seen is not None and decision.seen != number:
            who = latest["by"] if latest else "nobody"
            raise DecisionRefusedError(
                f"{who} has decided in the meantime; look again", code="meanwhile", who=who
            )
        standing = latest is not None and latest["action"] != "undo"
        if decision.action == "undo" and not standing:
            raise DecisionRefusedError("there is no decision to take back", code="nothing")
        if decision.action != "undo" and standing:
            raise DecisionRefusedError("already decided; take that back first", code="decided")
        if decision.action == "dismiss" and not decision.reason.strip():
            raise DecisionRefusedError("a dismissal needs a reason", code="needs_reason")
        if (decision.action == "change") != (decision.ruling is not None):
            raise DecisionRefusedError(
                "a change needs a ruling, and nothing else has one", code="needs_ruling"
            )
        if decision.ruling is None:
            return None
        alert = self._hub.alert(key) or {}
        try:
            proposed = ruling_of(alert.get("ruling") or {"summary": ""})
            ruling = ordered_ruling(
                decision.ruling, alert.get("seat"), self._hub.players, proposed, decision.reason
            )
        except RulingError as error:
            raise DecisionRefusedError(str(error), code=error.code, **error.facts) from None
        return ruling_object(ruling)
