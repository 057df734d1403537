"""Where the walls were broken: everything in them is counted from there.

The break is seen: it is where the first stacks of the hand were taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from table_controller.happenings.looks.places import CLOCKWISE
from table_controller.happenings.wall.stacks import Key

_FIRST_ROUND: Final = 16
"""So many tiles are dealt before the deal comes round again. Nobody has taken a replacement tile by
then, from the stacks before the break, which would seem to lie farther back."""


def ring_of(stacks: Sequence[int]) -> list[Key]:
    """All stacks in the order in which they are taken, of walls that came up so long, by side."""
    return [(side, number) for side in CLOCKWISE for number in range(1, stacks[side] + 1)]


def broken_at(
    ring: Sequence[Key], height: Callable[[Key], int], before: int | None = None
) -> int | None:
    """Which stack of the ring was the first to be taken, None while all stand.

    An arm may leave the first stack of a grab free a look after the second one: that one seems to
    be where the walls were broken until then. Who took the first grab from a wrong place may put it
    back.

    Args:
        ring: the stacks that came up, in the order in which they are taken.
        height: how many tiles are left of each.
        before: what this said when fewer tiles were gone.
    """
    gone = 2 * len(ring) - sum(height(key) for key in ring)
    if before is not None and gone > _FIRST_ROUND:
        return before
    if before is None or height(ring[before]):
        return next(
            (
                index
                for index, key in enumerate(ring)
                if not height(key) and height(ring[index - 1])
            ),
            None,
        )
    for _ in ring:
        if height(ring[before - 1]):
            break
        before = (before - 1) % len(ring)
    return before
