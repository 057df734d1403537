"""Protests: what a player or a team does not accept. Entered, lifted, and their evidence kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from table_controller.app.ruling.signed import SignedEntries
from table_controller.console.desk import DecisionRefusedError, NotThereError
from table_controller.console.forms import ProtestForm, Signed
from table_controller.console.hub import Hub
from table_controller.record.journal import EntryKind, Journal
from table_controller.record.protests import standing_protests


class Protests:
    """Takes protests into the journal.

    Args:
        journal: where they are written before they count.
        hub: that shows them.
        now: source time.
        hand_of: the key of the hand that an alert belongs to; None where there is no such alert.
    """

    def __init__(
        self,
        journal: Journal,
        hub: Hub,
        now: Callable[[], float],
        hand_of: Callable[[str], str | None],
    ) -> None:
        self._signed = SignedEntries(journal, EntryKind.PROTEST)
        self._hub = hub
        self._now = now
        self._hand_of = hand_of
        self._lock = threading.RLock()

    def load(self) -> None:
        """Know and show again what was entered before a restart."""
        self._signed.load()
        for body in self._signed.entries:
            self._hub.publish("protest", body)

    def standing(self) -> list[dict[str, Any]]:
        """Those that were not lifted."""
        with self._lock:
            return standing_protests(self._signed.entries)

    def about(self) -> set[str]:
        """Alerts and hands that a protest stands about."""
        return {body["about"] for body in self.standing()}

    def hands(self) -> set[str]:
        """Hands that a protest stands about, or about one of their alerts."""
        return {body["hand"] for body in self.standing() if body.get("hand")}

    def enter(self, form: ProtestForm, role: str = "") -> dict[str, Any]:
        """Somebody protests against an alert's decision or a hand's result.

        Raises:
            DecisionRefusedError: a protest about it stands already, or nothing can be written.
            NotThereError: there is no such alert or hand.
        """
        with self._lock:
            if (known := self._signed.answer(form)) is not None:
                return known
            hand = self._hand_of(form.about)
            if hand is None:
                raise NotThereError(f"there is no {form.about} to protest against")
            if form.about in self.about():
                raise DecisionRefusedError(
                    f"a protest about {form.about} stands already", code="protested"
                )
            if not form.reason.strip():
                raise DecisionRefusedError("a protest needs a reason", code="needs_reason")
            body = {"action": "protest", "about": form.about, "hand": hand, "seat": form.seat}
            return self._write(form, role, body)

    def lift(self, number: int, form: Signed, role: str = "") -> dict[str, Any]:
        """A protest was withdrawn or decided.

        Raises:
            DecisionRefusedError: it was lifted before, or nothing can be written.
            NotThereError: there is no such protest.
        """
        with self._lock:
            if (known := self._signed.answer(form)) is not None:
                return known
            protests = (b for b in self._signed.entries if b["action"] == "protest")
            if number not in {body["number"] for body in protests}:
                raise NotThereError(f"there is no protest {number}")
            if number not in {body["number"] for body in self.standing()}:
                raise DecisionRefusedError("this protest was lifted already", code="lifted")
            return self._write(form, role, {"action": "lift", "of": number})

    def _write(self, form: Signed, role: str, body: dict[str, Any]) -> dict[str, Any]:
        (whole,) = self._signed.write(self._now(), form, role, [body])
        self._hub.publish("protest", whole)
        return whole
