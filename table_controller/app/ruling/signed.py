"""What people enter under their names: written down before it counts, each request taken once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_controller.console.desk import DecisionRefusedError
from table_controller.console.forms import Signed
from table_controller.record.journal import EntryKind, Journal, JournalError


class SignedEntries:
    """Entries of one kind in the journal.

    Args:
        journal: where they are written before they count.
        kind: of the entries.
        having: a field without which an entry of this kind is something else.
    """

    def __init__(self, journal: Journal, kind: EntryKind, having: str = "number") -> None:
        self._journal = journal
        self._kind = kind
        self._having = having
        self._answers: dict[str, dict[str, Any]] = {}
        self.entries: list[dict[str, Any]] = []

    def load(self) -> None:
        """Know again what was entered before a restart."""
        for entry in self._journal.entries([self._kind]):
            if self._having in entry.body:
                self._know([entry.body])

    def answer(self, form: Signed) -> dict[str, Any] | None:
        """What a request that comes twice (the network dropped meanwhile) was answered first."""
        return self._answers.get(form.request) if form.request else None

    def write(
        self, t: float, form: Signed, role: str, bodies: Sequence[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Number, sign and write down entries that belong together; returns them.

        Raises:
            DecisionRefusedError: the journal cannot be written; nothing was entered.
        """
        signed: list[dict[str, Any]] = []
        for body in bodies:
            whole = {
                "number": len(self.entries) + len(signed) + 1,
                **body,
                "by": form.by.strip(),
                "role": role,
                "reason": form.reason.strip(),
                "t": t,
            }
            if form.request:
                whole["request"] = form.request
            if signed:
                whole["with"] = signed[0]["number"]
            signed.append(whole)
        try:
            self._journal.append([(t, self._kind, body) for body in signed])
        except JournalError as error:
            raise DecisionRefusedError(str(error), code="not_written") from None
        self._know(signed)
        return signed

    def _know(self, signed: Sequence[dict[str, Any]]) -> None:
        self.entries += signed
        if request := signed[0].get("request"):
            self._answers.setdefault(request, signed[0])
