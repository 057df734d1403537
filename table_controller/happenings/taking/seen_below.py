"""What the looks at a stack say of its tile before, while and after a hand stopped over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.taking.stops import STOP_S
from table_controller.happenings.wall.stacks import Glance, Stack

BEFORE_S: Final = 1.5
_BEFORE_LOOKS, _BEFORE_MANY = 6, 5
"""A tile was found as it lies in the last looks before a hand came for it; one of many may err."""
_PASSING_S = 0.15
"""So near in time to a look in which an arm was over it a stack may be half hidden."""
_COMING_S = 0.35
"""So long before it stops a hand may already hide the stack it comes to."""
AMISS_LOOKS: Final = 4
"""In so many looks of the stop, in a row, the tile was not found as it lies."""
_SHOWN_LOOKS, _SHOWN = 3, 0.55
"""After as many looks in which a hand hid all of a stack it was let go of if so many on end show it
as it lies, so surely: parts of it between fingers."""
SURE: Final = 0.68
"""Confidence with which a tile that nobody holds is found at least."""
PLAIN: Final = 0.9
"""And one right below fingertips that rest on it at most."""


def undisturbed(stack: Stack, until: float) -> list[Glance]:
    """The last looks before a hand came, less those in which another one, or it, passed over."""
    before = [g for g in stack.glances if until - BEFORE_S <= g.t < until - 0.05]
    passed = [g.t for g in before if g.hidden]
    clear = [g for g in before if not any(abs(g.t - t) <= _PASSING_S for t in passed)]
    if clear:
        return clear[-_BEFORE_LOOKS:]
    while before and not before[-1].height and until - before[-1].t <= _COMING_S:
        del before[-1]
    return before[-_BEFORE_LOOKS:]


def usually(before: Sequence[Glance], stack: Stack) -> float:
    """How surely a tile is found at least while nobody holds it, by the looks before a hand came.

    A shadow, or the arm of another one that has just gone, may make that a little less.
    """
    found = sorted(glance.confidence * (glance.height == stack.height) for glance in before)
    return min(SURE, found[len(found) >= _BEFORE_MANY]) if found else 0.0


def during(stack: Stack, stop: Dwell) -> list[Glance]:
    """The looks at a stack while a hand stopped there."""
    return [g for g in stack.glances if stop.came + 0.05 <= g.t <= stop.left]


def shown_again(
    stack: Stack, stop: Dwell, enough: int = _SHOWN_LOOKS, sure: float = _SHOWN
) -> tuple[Glance, Glance] | None:
    """The looks between which a stack that a hand had hidden was seen as it lies again.

    Args:
        stack: which.
        stop: of the hand.
        enough: so many looks on end show it.
        sure: so surely.
    """
    looks = during(stack, stop)
    for at in range(AMISS_LOOKS, len(looks) - enough + 1):
        hidden, shown = looks[at - AMISS_LOOKS : at], looks[at : at + enough]
        if (
            looks[at - 1].t - stop.came >= STOP_S
            and not any(glance.height for glance in hidden)
            and all(found_there(glance, stack, sure) for glance in shown)
        ):
            return looks[at - 1], looks[at]
    return None


def lies_open(stack: Stack, stop: Dwell, sure: float = SURE) -> bool:
    """Whether the stack nearest to the fingers was seen as it lies all the time: not theirs."""
    looks = during(stack, stop)
    return len(looks) >= AMISS_LOOKS and all(found_there(glance, stack, sure) for glance in looks)


def found_there(glance: Glance, stack: Stack, sure: float = SURE) -> bool:
    """Whether a look found the tile where it lies, so surely."""
    return glance.height == stack.height and glance.confidence >= sure
