"""What several readings of one face say together.

Readings of the same tile in the same place are not independent: a glare that fools the reader
once fools it again. So log-probabilities are averaged rather than added, with a weight that
grows from one reading's towards a few readings' and no further; new readings keep counting.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

UNKNOWN = "?"
BACK = "back"
"""What is read of the side without a face."""
FOREIGN = "foreign"
"""What is told of a face that is none of the enrolled set's, though it is surely a face."""
_FLOOR = 0.002
_LABELS = 44
"""How many faces share the probability that a reading left to no particular one."""
_MOST = 2.5
"""As many independent readings the evidence of one face never exceeds."""
_SHARE = 0.4
"""How much of a further reading of the same tile is news."""
_REFUSED = 0.25
"""The weight of a reading that made out no face: it tells of the view more than of the tile."""


class FaceEvidence:
    """Weighted vote over the readings of one tile's face."""

    __slots__ = ("_best", "_count", "_mean", "_other", "_weight")

    def __init__(self) -> None:
        self._mean: dict[str, float] = {}
        self._other = 0.0
        self._weight = 0.0
        self._count = 0
        self._best: tuple[str, float] = (UNKNOWN, 0.0)

    @property
    def count(self) -> int:
        """Readings taken in."""
        return self._count

    def add(self, reading: Sequence[tuple[str, float]], weight: float = 1.0) -> None:
        """Take in one reading.

        Args:
            reading: labels with probabilities, best first; what they leave of 1 belongs to
                the labels that are not in it.
            weight: 0..1, how good the view was.
        """
        if weight <= 0 or not reading:
            return
        if reading[0][0] == UNKNOWN:
            weight *= _REFUSED
        rest = max(1.0 - sum(p for _, p in reading), 0.0)
        other = math.log(max(rest / max(_LABELS - len(reading), 1), _FLOOR / _LABELS))
        seen = {label: math.log(max(p, _FLOOR)) for label, p in reading}
        total = self._weight + weight
        share = weight / total
        # In the order of the readings: that of a set, and with it a sum's last digit, is chance.
        for label in dict.fromkeys((*self._mean, *seen)):
            before = self._mean.get(label, self._other)
            self._mean[label] = before + share * (seen.get(label, other) - before)
        self._other += share * (other - self._other)
        # Old readings fade so that a face that was misread early can still be corrected.
        self._weight = min(total, 6.0)
        self._count += 1
        self._best = self.faces(1)[0]

    def faces(self, most: int = 3) -> tuple[tuple[str, float], ...]:
        """The likeliest faces with probabilities, best first; empty before any reading."""
        if not self._mean:
            return ()
        power = min(1.0 + _SHARE * (self._weight - 1.0), _MOST) if self._weight > 1 else 1.0
        scores = {label: power * value for label, value in self._mean.items()}
        left = max(_LABELS - len(scores), 0)
        top = max(*scores.values(), power * self._other)
        total = sum(math.exp(value - top) for value in scores.values())
        total += left * math.exp(power * self._other - top)
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return tuple((label, math.exp(value - top) / total) for label, value in ranked[:most])

    def best(self) -> tuple[str, float]:
        """The likeliest face and its probability; ``("?", 0.0)`` before any reading."""
        return self._best
