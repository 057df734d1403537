"""The referee's decisions: what was accepted, changed, dismissed, undone, corrected.

The journal is the truth: decisions are entries in it beside the happenings, and the state is a
fold over all of them. A decision names an alert by what it is about (id, seat, time), so that
it still holds after another happening has been corrected and the game was folded again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.outputs import Alert, Ruling

AlertKey = tuple[str, int | None, float]


def key_of(alert: Alert) -> AlertKey:
    """What names an alert in the journal: id, seat, and when it happened."""
    return (alert.id, alert.seat, round(alert.t, 3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Accept an alert's ruling, change it, or dismiss the alert."""

    t: float
    what: Literal["accept", "change", "dismiss"]
    alert: AlertKey
    ruling: Ruling | None = None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """A ruling for something no camera saw (speech, intent): an alert id or ``other``."""

    t: float
    id: str
    seat: Seat
    ruling: Ruling
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What happened was something else, or did not happen (``replacement`` null).

    ``at`` is the position of the happening among the journal's happenings.
    """

    t: float
    at: int
    replacement: Happening | None
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """Something happened that nobody reported; it goes before happening ``at``."""

    t: float
    at: int
    happening: Happening
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """The latest decision, correction or entry that still stands is taken back."""

    t: float
    by: str = ""


Ordered = Decision | Entered | Correction | Insertion
JournalEntry = Happening | Ordered | Undo


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee decided about one alert."""

    dismissed: bool = False
    ruling: Ruling | None = None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """All decisions that stand, looked up by alert."""

    by_alert: dict[AlertKey, Verdict] = field(default_factory=dict)

    def of(self, alert: Alert) -> Verdict | None:
        """The decision about this alert, if there is one."""
        return self.by_alert.get(key_of(alert)) if self.by_alert else None


def standing(journal: list[JournalEntry]) -> list[JournalEntry]:
    """The journal with undone entries and the undos themselves left out."""
    kept: list[JournalEntry] = []
    for entry in journal:
        if isinstance(entry, Undo):
            for position in range(len(kept) - 1, -1, -1):
                if isinstance(kept[position], Decision | Entered | Correction | Insertion):
                    del kept[position]
                    break
        else:
            kept.append(entry)
    return kept


def verdicts_of(journal: list[JournalEntry]) -> Verdicts:
    """The decisions that stand; the later one about the same alert counts."""
    table: dict[AlertKey, Verdict] = {}
    for entry in journal:
        if isinstance(entry, Decision):
            table[entry.alert] = Verdict(
                dismissed=entry.what == "dismiss",
                ruling=entry.ruling if entry.what == "change" else None,
            )
    return Verdicts(table)


def happenings_of(journal: list[JournalEntry]) -> list[Happening | Entered]:
    """The happenings as corrected, in order, with the referee's own entries between them."""
    replaced: dict[int, Happening | None] = {}
    inserted: dict[int, list[Happening]] = {}
    for entry in journal:
        if isinstance(entry, Correction):
            replaced[entry.at] = entry.replacement
        elif isinstance(entry, Insertion):
            inserted.setdefault(entry.at, []).append(entry.happening)
    result: list[Happening | Entered] = []
    number = 0
    for entry in journal:
        if isinstance(entry, Entered):
            result.append(entry)
        elif not isinstance(entry, Decision | Correction | Insertion | Undo):
            result.extend(inserted.pop(number, ()))
            happening = replaced.get(number, entry)
            if happening is not None:
                result.append(happening)
            number += 1
    for at in sorted(inserted):
        result.extend(inserted[at])
    return result
