"""What people enter under their names: written down before it counts, each request taken once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from table_controller.app.signing import signed, write_down
from table_controller.console.forms import Signed
from table_controller.record.journal import EntryKind, Journal


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
        first = len(self.entries) + 1
        entered = [
            signed({"number": number, **body}, form, role, t)
            for number, body in enumerate(bodies, first)
        ]
        for further in entered[1:]:
            further["with"] = first
        write_down(self._journal, self._kind, entered)
        self._know(entered)
        return entered

    def _know(self, entered: Sequence[dict[str, Any]]) -> None:
        self.entries += entered
        if request := entered[0].get("request"):
            self._answers.setdefault(request, entered[0])
