"""What each kind of explanation costs, in nats: minus the logarithm of its odds.

A reading of the game collects the costs of everything it had to assume. The values are round
figures for a table that is watched well: one happening in twenty is missed, one infraction
in a few hundred moves. What the observer says about a happening (its confidence) sets the price
of not believing it; a confidence of 1 (typed in, or several cameras agree) makes disbelief dear.
"""

from __future__ import annotations

from math import log
from typing import Final

MISSED: Final = 3.0
"""Something happened and was not reported."""

MISSED_UNLOOKED: Final = 0.7
"""The same where the place was covered at the time."""

BLOCK_TOO: Final = 2.0
"""Of the deal one more block: who did not see one does not see those around it."""

BLOCK_TOO_UNLOOKED: Final = 0.3
"""The same where the wall was covered at the time."""

LATE: Final = 9.0
"""Something was reported with a time after that of what it must have led to."""

PERSISTS: Final = 3.0
"""More, where what was missed stays on the table to be seen: a set, a gap in a pool."""

CALLED: Final = 0.5
"""A discard was taken unseen by who had called for it."""

LIES_OPEN: Final = 4.0
"""More for a set that is none, or a misread face in it: it lies there, read again and again."""

TAKEN_OUT: Final = 3.0
"""More for a misread face in a set out of which a hand took a tile, and laid one there again."""

JITTER: Final = 4.0
"""The same by less than :data:`JITTER_S`, which measured times can be off."""

JITTER_S: Final = 0.15

JITTER_UNIT_S: Final = 0.03
"""Beyond that, a nat for each such step."""

INFRACTION: Final = 5.0
"""Somebody broke the rules in a common way."""

PREMATURE: Final = 3.5
"""The commonest infraction of all: the next player reaches for the wall too soon."""

RARE: Final = 7.0
"""Somebody broke the rules in a way that is seldom seen."""

CAUGHT_UP: Final = 4.0
"""Turns went unseen while nobody looked: the state is set to what the happening says."""

FAR: Final = 3.5
"""More for a misread slot, where the right one lies far away on the wall."""

BOTH: Final = 3.0
"""An unseen step and something else at once: seldom the right story."""

RUSHED: Final = 3.0
"""More, where so many steps went unseen that there was hardly time for them."""

TIMED_S: Final = 0.2
"""Times of what was seen are good to this: a button may be pressed that much before the discard."""

STEP_S: Final = 0.6
"""A turn takes two such times at least."""

DOUBLED: Final = 1.0
"""The same thing was reported twice."""

PUT_BACK: Final = 1.5
"""Somebody puts a tile back that was his to draw."""

OTHER_STACK: Final = 9.0
"""A tile that lies open on the wall is seen on another stack than its own."""

REOPENED: Final = 6.0
"""A win that stood was taken back, and play went on: more likely it had not stood."""

REACHING: Final = 2.0
"""More, where the stages of a draw were told: it looked like none that was due."""

GIVES_WAY: Final = 0.5
"""A chow that lies there already gives way to a pung."""

OVERTAKEN: Final = 1.0
"""A win on a tile that a draw or a set has covered was declared before, and nobody told of it."""

_MOST: Final = 12.0


def disbelief(confidence: float) -> float:
    """Cost of taking a happening with this confidence for an illusion or a misreading."""
    return min(_MOST, max(1.5, -log(max(1.0 - confidence, 1e-6))))


SURE_FACE: Final = 0.99
"""Confidence of faces that several looks agreed on without doubt."""

FAIR_FACE: Final = 0.9
FAIRLY_OPEN: Final = 2.5
"""More from there on: of some 90 faces told with 0.6 to 0.99 on pictures none was wrong."""


def open_disbelief(confidence: float) -> float:
    """The same for a face that lies open: where it is sure, it was read again and again."""
    if confidence >= SURE_FACE:
        return disbelief(confidence) + LIES_OPEN
    return disbelief(confidence) + (FAIRLY_OPEN if confidence >= FAIR_FACE else 0.0)


ILLUSION: Final = 2.0
"""More, because an illusion that fits what could happen next is less likely than any other."""

WHOLE_HAND: Final = 4.0
"""More, where a whole hand lies open: its faces may be misread, but it is no illusion."""

PRUNE: Final = 6.0
"""Readings dearer than the best one by this much are given up (odds of 400 to 1)."""

BEAM: Final = 24
"""Readings kept at most."""

SURE: Final = 0.85
"""A reading as probable as this is believed when it has an alert to raise."""

SETTLED: Final = 0.99
"""So sure must one story be of what went unseen before the state is trusted again."""

SURE_OF_GAPS: Final = 0.95
"""So sure must an alert be where steps of the hand went unseen: it may come from such a gap."""

SETTLING_STEPS: Final = 4
"""So many steps seen as they were expected confirm what was assumed before them."""

PATIENCE_S: Final = 12.0
"""After so many seconds the best reading's moves are given out although others remain."""
