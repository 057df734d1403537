"""Who sits where in which round, where an event lets the players change seats (000 Q24(9)).

Places are counted from the first East: 0 East, 1 South, 2 West, 3 North; rounds from 0. The source
prints three ways beside the draw for each session: East with South and West with North after the
second round, and two tables of a change after every round.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from table_controller.domain.outputs import HandRecord

_STAY: Final = (0, 1, 2, 3)
_PAIRS: Final = (1, 0, 3, 2)

TABLES: Final[dict[str, tuple[tuple[int, int, int, int], ...]]] = {
    "none": (_STAY, _STAY, _STAY, _STAY),
    "after_round_2": (_STAY, _STAY, _PAIRS, _PAIRS),
    "every_round": (_STAY, _PAIRS, (2, 3, 0, 1), (3, 2, 1, 0)),
    "every_round_2": (_STAY, _PAIRS, (2, 3, 1, 0), (3, 2, 0, 1)),
}
"""By scheme and round: the place of the player who began at place 0, 1, 2, 3."""


def place(scheme: str, round_: int, began: int) -> int:
    """Place in this round of the player who began at a place; a fifth round is as the first."""
    table = TABLES[scheme]
    return table[round_ % len(table)][began]


def moves(scheme: str, before: int, after: int, east: int) -> tuple[int, int, int, int]:
    """Where the players go between two rounds: for each side 0..3 the side of its player then.

    Args:
        scheme: key of :data:`TABLES`.
        before: round that ended.
        after: round that begins.
        east: side of the first East.
    """
    moved = [0, 0, 0, 0]
    for began in range(4):
        old = (east + place(scheme, before, began)) % 4
        moved[old] = (east + place(scheme, after, began)) % 4
    return (moved[0], moved[1], moved[2], moved[3])


def side_of(scheme: str, round_: int, began: int, east: int) -> int:
    """Side in this round of the player who began the session at side ``began``."""
    return (east + place(scheme, round_, (began - east) % 4)) % 4


def totals(hands: Iterable[HandRecord], scheme: str, east: int) -> tuple[int, int, int, int]:
    """What each player won and lost, by the side where the player began the session.

    Payments and penalties of a hand belong to whoever sat at the side then.
    """
    found = [0, 0, 0, 0]
    for hand in hands:
        round_ = (hand.hand - 1) // 4
        for began in range(4):
            side = side_of(scheme, round_, began, east)
            found[began] += hand.payments[side] + hand.penalties[side]
    return (found[0], found[1], found[2], found[3])
