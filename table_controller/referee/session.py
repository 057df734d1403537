"""A session with its referee: a journal of happenings and decisions, and its fold.

Whenever the referee decides, corrects or takes something back, the whole journal is folded again
with what stands now: the state, the counts and every later ruling follow. The fold is quick (a
session of sixteen hands takes well under a second), so nothing is patched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.outputs import Alert, HandRecord, Output, Ruling
from table_controller.game.engine import Engine
from table_controller.referee.decisions import (
    AlertKey,
    Correction,
    Decision,
    Entered,
    Insertion,
    JournalEntry,
    Undo,
    happenings_of,
    key_of,
    standing,
    verdicts_of,
)
from table_controller.rulesets.model import Ruleset


class DecisionError(ValueError):
    """A decision about something that is not there; one line says what."""


@dataclass(frozen=True, slots=True)
class Refolded:
    """What a decision changed: outputs that came and outputs that went."""

    added: tuple[Output, ...]
    removed: tuple[Output, ...]


class RefereeSession:
    """Happenings and decisions in, outputs out; the journal is the only state.

    Args:
        ruleset: the rules in force.
        east: side of the first dealer.
        journal: entries to fold before anything new.
    """

    def __init__(
        self, ruleset: Ruleset, east: Seat = 0, journal: Iterable[JournalEntry] = ()
    ) -> None:
        self._ruleset = ruleset
        self._east = east
        self.journal: list[JournalEntry] = list(journal)
        self.outputs: list[Output] = []
        self.engine = Engine(ruleset, east)
        self._fold()

    def happening(self, happening: Happening) -> list[Output]:
        """One more happening."""
        self.journal.append(happening)
        said = self.engine.step(happening)
        self.outputs += said
        return said

    def flush(self, t: float) -> list[Output]:
        """The end of what is known."""
        said = self.engine.flush(t)
        self.outputs += said
        return said

    @property
    def alerts(self) -> list[Alert]:
        """The alerts that stand (dismissed ones are gone)."""
        return [output for output in self.outputs if isinstance(output, Alert)]

    @property
    def hands(self) -> list[HandRecord]:
        """The finished hands."""
        return [output for output in self.outputs if isinstance(output, HandRecord)]

    @property
    def undecided(self) -> list[Alert]:
        """Alerts that the referee has not decided."""
        table = verdicts_of(standing(self.journal)).by_alert
        return [alert for alert in self.alerts if key_of(alert) not in table]

    # -- the referee --------------------------------------------------------------------------

    def accept(self, alert: AlertKey, t: float, by: str = "") -> Refolded:
        """The proposed ruling is in force."""
        self._known(alert)
        return self._enter(Decision(t=t, what="accept", alert=alert, by=by))

    def change(self, alert: AlertKey, ruling: Ruling, t: float, by: str = "") -> Refolded:
        """Another ruling is in force."""
        self._known(alert)
        return self._enter(Decision(t=t, what="change", alert=alert, ruling=ruling, by=by))

    def dismiss(self, alert: AlertKey, t: float, by: str = "") -> Refolded:
        """It was nothing: no ruling, no count, no effect."""
        self._known(alert)
        return self._enter(Decision(t=t, what="dismiss", alert=alert, by=by))

    def rule(self, alert: str, seat: Seat, ruling: Ruling, t: float, by: str = "") -> Refolded:
        """A ruling for what no camera saw."""
        return self._enter(Entered(t=t, id=alert, seat=seat, ruling=ruling, by=by))

    def correct(self, at: int, replacement: Happening | None, t: float, by: str = "") -> Refolded:
        """The happening at that position was another one, or none at all."""
        count = sum(not isinstance(entry, _ORDERS) for entry in self.journal)
        if not 0 <= at < count:
            raise DecisionError(f"there is no happening {at}; the journal holds {count}")
        return self._enter(Correction(t=t, at=at, replacement=replacement, by=by))

    def insert(self, at: int, happening: Happening, t: float, by: str = "") -> Refolded:
        """Something happened before the one at that position that nobody reported."""
        return self._enter(Insertion(t=t, at=at, happening=happening, by=by))

    def undo(self, t: float, by: str = "") -> Refolded:
        """The latest decision that stands is taken back."""
        if not any(isinstance(entry, _ORDERS) for entry in standing(self.journal)):
            raise DecisionError("there is no decision to take back")
        return self._enter(Undo(t=t, by=by))

    def _known(self, alert: AlertKey) -> None:
        known = {key_of(each) for each in self.alerts} | set(
            verdicts_of(standing(self.journal)).by_alert
        )
        if alert not in known:
            raise DecisionError(f"there is no alert {alert}")

    def _enter(self, entry: JournalEntry) -> Refolded:
        before = self.outputs
        self.journal.append(entry)
        self._fold()
        return Refolded(
            added=tuple(o for o in self.outputs if o not in before),
            removed=tuple(o for o in before if o not in self.outputs),
        )

    def _fold(self) -> None:
        kept = standing(self.journal)
        self.engine = Engine(self._ruleset, self._east, verdicts_of(kept))
        self.outputs = []
        for entry in happenings_of(kept):
            if isinstance(entry, Entered):
                self.outputs += self.engine.enter(entry)
            else:
                self.outputs += self.engine.step(entry)


_ORDERS = (Decision, Entered, Correction, Insertion, Undo)
