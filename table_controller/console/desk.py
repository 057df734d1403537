"""What the console asks of the program behind it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from table_controller.console.forms import (
    ConfirmForm,
    ConsentForm,
    CorrectionForm,
    Decision,
    InsertionForm,
    LiftForm,
    MachineForm,
    OffenceForm,
    ProtestForm,
    Signed,
    TileForm,
    UndoForm,
)


class DecisionRefusedError(Exception):
    """The decision was not taken; one line says why.

    Attributes:
        insist: whether it would be taken when sent again with ``insist``.
        code: names the reason, so that a page can say it in its own language.
        facts: what the reason speaks of: who, which tile, which seat.
    """

    def __init__(self, message: str, *, insist: bool = False, code: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.insist = insist
        self.code = code
        self.facts = facts


class NotThereError(Exception):
    """What was asked for does not exist; one line says what.

    Attributes:
        code: names it, where a page has more to say than that it is not there.
        facts: what it speaks of.
    """

    def __init__(self, message: str = "", *, code: str = "", **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Download:
    """A file to save."""

    name: str
    media: str
    content: bytes


class Desk(Protocol):
    """Decisions in, the record out. Methods may be called from any thread.

    ``role`` is the one under which the signer came in. All of the first group write to the
    journal before they return.

    Raises:
        DecisionRefusedError: not taken, and why.
        NotThereError: no such alert, hand, order or moment.
    """

    evidence: Path

    def decide(self, key: str, form: Decision, role: str) -> dict[str, Any]:
        """Decide about an alert."""

    def correct(self, form: CorrectionForm, role: str) -> dict[str, Any]:
        """Correct a happening."""

    def insert(self, form: InsertionForm, role: str) -> dict[str, Any]:
        """Add a happening that nobody reported."""

    def retile(self, key: str, form: TileForm, role: str) -> dict[str, Any]:
        """Correct one tile of a captured hand."""

    def enter(self, form: OffenceForm, role: str) -> dict[str, Any]:
        """Enter an offence that no camera saw."""

    def confirm(self, key: str, form: ConfirmForm, role: str) -> dict[str, Any]:
        """Confirm a captured hand."""

    def undo(self, number: int, form: UndoForm, role: str) -> dict[str, Any]:
        """Take an order back."""

    def protest(self, form: ProtestForm, role: str) -> dict[str, Any]:
        """Enter a protest; what it rests on is kept."""

    def lift(self, number: int, form: LiftForm, role: str) -> dict[str, Any]:
        """Lift a protest."""

    def machine(self, form: MachineForm, role: str) -> dict[str, Any]:
        """Order the next wall, that nothing may move, or that a fault is over."""

    def answer(self, key: str, form: Signed, role: str) -> dict[str, Any]:
        """Answer a seat's call for the referee."""

    def consent(self, order: str, form: ConsentForm, role: str) -> dict[str, Any]:
        """Agree to an order of the hall, or refuse it."""

    def offences(self) -> list[dict[str, Any]]:
        """What can be entered, with what the ruleset rules for it."""

    def timeline(self) -> dict[str, Any]:
        """The session as it stands, happening by happening."""

    def moment(self, at: int) -> dict[str, Any]:
        """The table after the first ``at`` happenings."""

    def sheet(self) -> dict[str, Any]:
        """The score sheet of the session."""

    def export(self, form: str) -> Download:
        """The record in one of the forms of :mod:`table_controller.record.exports`."""

    def audited(self) -> list[dict[str, Any]]:
        """Who came in and who decided what, newest first."""

    def audit(self, event: dict[str, Any]) -> None:
        """Write down who came in, or tried to."""
