"""Riichi sticks that lie in the middle when a hand begins, out of what the hands say."""

from __future__ import annotations

from collections.abc import Iterator

from table_controller.record.session import SessionRecord

_STICK = 1000


def sticks_before(record: SessionRecord) -> Iterator[int]:
    """How many lie there at the start of each hand.

    A riichi takes its points from a score and gives them to none before somebody wins (002 6.9.7):
    what the players have less than at the start lies there, but for what rulings took for nobody.
    """
    start = record.start_scores
    playing = range(record.ruleset.equipment.players)
    began = sum(start[(record.east + turn) % 4] for turn in playing)
    lie = 0
    for hand in record.hands:
        yield lie
        began += sum(hand.penalties)
        lie = max(0, began - sum(hand.scores)) // _STICK
