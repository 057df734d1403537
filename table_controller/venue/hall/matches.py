"""How a session of the tournament stands: its journal, as it is stored, folded as at the table."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from table_controller.record.journal import Entry, JournalError
from table_controller.record.match import Match
from table_controller.record.session import SessionRecord

logger = logging.getLogger(__name__)


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
        # At the table the last hand may have been closed by the time that passed.
        until = float(hands[-1]["t"]) if hands else -inf
        record = replace(record, watched=until, ended=len(hands))
        folded = record.hands
    except (JournalError, ValueError) as error:
        logger.warning("%s: not folded: %s", where, error)
        return None
    if [list(hand.scores) for hand in folded] != [list(hand["scores"]) for hand in hands]:
        logger.warning("%s: the fold ends with other scores than the table's", where)
        return None
    return record.match


__all__ = ["Match", "match_of"]
