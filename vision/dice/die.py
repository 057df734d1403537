"""One die followed: where it lies, whether it rolls, and the votes on its value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from vision.sightings import DieSighting

DIE_MM = 16.0
_MAJORITY = 0.6


@dataclass(slots=True)
class Die:
    """A die; its place in mm."""

    x: float
    y: float
    confidence: float
    moving: bool
    looks: int = 1
    votes: dict[int, float] = field(default_factory=dict)
    leans: bool = False
    """It showed two of its faces when its outline was last made out."""

    def sighting(self) -> DieSighting:
        """What is reported of it."""
        value = None
        if self.votes and not self.moving:
            value, weight = max(self.votes.items(), key=lambda item: (item[1], -item[0]))
            if weight < _MAJORITY * sum(self.votes.values()):
                value = None
        return DieSighting(
            round(self.x, 1), round(self.y, 1), value, round(self.confidence, 4), self.moving
        )

    def near(self, others: Iterable[Die], reach: float) -> bool:
        """Whether one of these lies nearer to it than that, mm."""
        return any(np.hypot(self.x - other.x, self.y - other.y) < reach for other in others)
