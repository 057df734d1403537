"""How a session stands by its rules: after its last finished hand, or at its end.

What a hand brought stands in its record. What is entered after the last one, what the warnings of a
riichi match cost before the ranks are made, and who gets the sticks that are left at its end
(002 8.7, 9.1.4), only the rules can say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from table_controller.game.base import Table
from table_controller.game.mcr.table import ChineseTable
from table_controller.record.fold import Fold
from table_controller.referee.rulings import paid_by


@dataclass(frozen=True, slots=True)
class Match:
    """A session after its last finished hand, or at its end.

    Attributes:
        rows: of riichi: seat, rank, points (warnings paid; at the end with the sticks that were
            left) and adjusted points of each player; none before a hand is finished.
        over: by the rules, or because the session was ended.
        late: what seats 0..3 win and lose at the end by what no hand has settled: rulings after
            the last one, warnings of a riichi match. Nothing while it goes on: the next hand
            settles it.
        hand: number of the hand then, which tells who sits where.
    """

    rows: tuple[dict[str, Any], ...]
    over: bool
    late: tuple[int, ...] = (0, 0, 0, 0)
    hand: int = 1

    @classmethod
    def of(cls, fold: Fold, *, ended: bool) -> Self:
        """How a session stands.

        Args:
            fold: the whole of it.
            ended: whether the referee's clock, or the hall, has ended it.
        """
        table = fold.engine.best
        if table.ruleset.family == "riichi":
            return cls._riichi(fold, ended=ended)
        over = ended or _played_out(table)
        late = paid_by(table.rulings) if over else (0, 0, 0, 0)
        return cls((), over, late, table.hand)

    @classmethod
    def _riichi(cls, fold: Fold, *, ended: bool) -> Self:
        from table_controller.game.riichi import ending
        from table_controller.game.riichi.table import RiichiTable

        table, settled = fold.engine.best, fold.settled
        assert isinstance(table, RiichiTable)
        over = ended or table.match_over
        if settled is None:
            return cls((), over)
        assert isinstance(settled, RiichiTable)
        if not over:
            return cls(ending.as_it_stands(settled), over)
        paid = {row["seat"]: row["points"] for row in ending.as_it_stands(table)}
        late = tuple(paid.get(seat, has) - has for seat, has in enumerate(table.scores))
        return cls(ending.final(table), over, late, table.hand)


def _played_out(table: Table) -> bool:
    """Whether no hand follows: all are played, or the time is up and the last one has ended."""
    assert isinstance(table, ChineseTable)
    hands = table.ruleset.session.hands
    if table.phase != "over":
        return table.hand > hands
    return table.time_up or (table.hand >= hands and not table.redeal)
