"""How far a hand went that turned round between two looks."""

from __future__ import annotations

from collections.abc import Sequence

from table_controller.happenings.looks.tips import LOST_S, STOP_MM_S

Way = tuple[float, float]
"""The time of a look and how far out it shows a hand, mm."""


def farthest(ways: Sequence[Way], index: int) -> float:
    """How far out a hand was about a look that shows it no nearer than those beside it, mm.

    One that came fast, was there for two looks at most and went fast again stopped nowhere: between
    them it was farther out than either shows it, as far as the way through three looks bends.

    Args:
        ways: some looks in a row.
        index: which of them.
    """
    t, far = ways[index]
    if not 0 < index < len(ways) - 1:
        return far
    (earlier, before), (later, after) = ways[index - 1], ways[index + 1]
    if max(before, after) > far or later - earlier > 2.0 * LOST_S:
        return far
    came, went = _fast(ways[index - 1], ways[index]), _fast(ways[index + 1], ways[index])
    if came and not went and index + 2 < len(ways):
        went = _fast(ways[index + 2], ways[index + 1])
    elif went and not came and index >= 2:
        came = _fast(ways[index - 2], ways[index - 1])
    if not (came and went):
        return far
    rise, fall = (far - before) / (t - earlier), (after - far) / (later - t)
    bend = (fall - rise) / (later - earlier)
    slope = rise + bend * (t - earlier)
    return far - slope**2 / (4.0 * bend)


def _fast(there: Way, here: Way) -> bool:
    """Whether a hand was much farther in at one look than at the one beside it."""
    return here[1] - there[1] > STOP_MM_S * abs(here[0] - there[0])
