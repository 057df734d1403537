"""How the fingertips of a side move from look to look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.happenings.looks.places import distance
from vision.sightings import Point

LOST_S = 0.25
"""Between looks farther apart than this others were lost."""
NEIGHBOUR_S = 0.35
"""Looks farther apart than this say nothing of the way between them."""
STOP_MM_S = 520.0
"""Slower fingertips are seen to stop."""
_TURN_COSINE = 0.5
_STRAIGHT_COSINE = 0.7
"""Fingertips that turn by less than this on their way past a place do nothing there."""


@dataclass(frozen=True, slots=True)
class Tip:
    """Fingertips at a time; ``point`` is None while that side reaches nowhere."""

    t: float
    point: Point | None


def speed(tips: Sequence[Tip], index: int) -> float:
    """The slower of the ways to the neighbouring looks, mm/s: how slow it may have been."""
    here = tips[index]
    assert here.point is not None
    speeds = []
    for other in (index - 1, index + 1):
        if not 0 <= other < len(tips):
            continue
        there = tips[other]
        if there.point is None or not 0.0 < abs(there.t - here.t) <= NEIGHBOUR_S:
            continue
        speeds.append(distance(here.point, there.point) / abs(there.t - here.t))
    return min(speeds, default=0.0)


def stopping(tips: Sequence[Tip], index: int) -> float | None:
    """How slow fingertips were that stopped or turned round at a look, mm/s; else None."""
    here = tips[index]
    if here.point is None:
        return None
    here_mm_s = speed(tips, index)
    if here_mm_s <= STOP_MM_S:
        return here_mm_s
    if not 0 < index < len(tips) - 1:
        return None
    turn = _turn(tips[index - 1], here, tips[index + 1])
    return min(here_mm_s, STOP_MM_S) if turn is not None and turn < _TURN_COSINE else None


def goes_past(tips: Sequence[Tip], index: int) -> bool:
    """Whether three looks, none lost between them, show fingertips that go fast and straight."""
    if not 0 < index < len(tips) - 1 or speed(tips, index) <= STOP_MM_S:
        return False
    return is_straight(tips[index - 1], tips[index], tips[index + 1])


def is_straight(before: Tip, here: Tip, after: Tip) -> bool:
    """Whether three looks, none lost between them, show fingertips that keep their direction."""
    turn = _turn(before, here, after)
    return turn is not None and turn > _STRAIGHT_COSINE and after.t - before.t < 2.0 * LOST_S


def _turn(before: Tip, here: Tip, after: Tip) -> float | None:
    """The cosine between the ways to a look and from it; None where one of them is not known."""
    if before.point is None or here.point is None or after.point is None:
        return None
    ax, ay = here.point[0] - before.point[0], here.point[1] - before.point[1]
    bx, by = after.point[0] - here.point[0], after.point[1] - here.point[1]
    ways = math.hypot(ax, ay) * math.hypot(bx, by)
    return (ax * bx + ay * by) / ways if ways else None
