"""How a riichi match stands: its journal, as it is stored, folded by the rules as at the table.

What a hand brought stands in its record. What the warnings of the match cost before the ranks are
made, and who gets the sticks that are left at its end (002 8.7, 9.1.4), only the rules can say.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from table_controller.domain.happenings import Clock
from table_controller.domain.outputs import HandRecord, Output
from table_controller.game.engine import Engine
from table_controller.game.riichi import ending
from table_controller.game.riichi.table import RiichiTable
from table_controller.record.journal import Entry, JournalError
from table_controller.record.session import SessionRecord
from table_controller.referee.decisions import Entered

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Match:
    """A match after its last finished hand, or at its end.

    Attributes:
        rows: seat, rank, points (warnings paid; at the end with the sticks that were left) and
            adjusted points of each player; none before a hand is finished.
        over: by the rules, or because the hall has ended the session.
    """

    rows: tuple[dict[str, Any], ...]
    over: bool


def match_of(entries: Iterable[Entry], hands: Sequence[dict[str, Any]], where: str) -> Match | None:
    """Fold the entries of one journal.

    Args:
        entries: in order; readings and evidence may be left out.
        hands: as the table settled them; they are believed where the fold differs.
        where: names the journal in the log.

    Returns:
        None where the journal cannot be folded to the same hands: they stand as they are then.
    """
    try:
        record = SessionRecord.of_entries(entries, where)
        engine = Engine(record.ruleset, record.east, record.verdicts)  # type: ignore[arg-type]
    except (JournalError, ValueError) as error:
        logger.warning("%s: not folded: %s", where, error)
        return None
    rows: tuple[dict[str, Any], ...] = ()
    scores: list[list[int]] = []

    def heard(said: Sequence[Output]) -> None:
        nonlocal rows
        ended = [list(one.scores) for one in said if isinstance(one, HandRecord)]
        if ended:
            scores.extend(ended)
            rows = ending.as_it_stands(_table(engine))

    for entry in record.standing.entries:
        heard(engine.enter(entry) if isinstance(entry, Entered) else engine.step(entry))
    if hands and len(scores) < len(hands):
        # At the table the last hand was closed by the time that passed.
        heard(engine.flush(float(hands[-1]["t"])))
    if scores != [list(hand["scores"]) for hand in hands]:
        logger.warning("%s: the fold ends with other scores than the table's", where)
        return None
    clocks = [one.event for one in record.happenings if isinstance(one, Clock)]
    over = _table(engine).match_over or "session_ended" in clocks
    return Match(ending.final(_table(engine)) if over and rows else rows, over)


def _table(engine: Engine) -> RiichiTable:
    best = engine.best
    assert isinstance(best, RiichiTable)
    return best


__all__ = ["Match", "match_of"]
