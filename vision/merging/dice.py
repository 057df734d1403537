"""Dice that several cameras see, as one view.

A die that two cameras see is one die, paired nearest first. Its value is told when the cameras
that read it agree, or when one is clearly better placed and surer than those that read something
else; a value that was told stays while the die lies still. Seen from the side a die shows two
faces: the steeper view counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vision.merging.pairs import paired
from vision.sightings import DieSighting, Sighting

_SAME_MM = 11.0
"""Dice of two cameras nearer than this are one: two that touch lie 16 mm apart."""
_STILL_MM = 4.0
_CERTAIN = 0.8
"""A die that another camera looks at without seeing it must be that sure."""
_CLEARLY = 1.4
"""A camera whose weight is so many times that of all that contradict it is believed."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A die as one camera sees it; ``weight`` says how well."""

    camera: str
    die: DieSighting
    weight: float


class JointDice:
    """Puts the dice of several cameras together.

    Args:
        placed: how well a camera (by name) is placed to see a point (x, y), 0..1.
    """

    def __init__(self, placed: Callable[[str, float, float], float]) -> None:
        self._placed = placed
        self._told: list[DieSighting] = []

    def joint(
        self, looked: Sequence[Sighting], free: Callable[[str, float, float], bool]
    ) -> tuple[DieSighting, ...]:
        """The dice of one moment.

        Args:
            looked: what each camera saw.
            free: whether a camera (by name) looks at a point (x, y), uncovered.
        """
        dice = [
            self._one(group)
            for group in self._grouped(looked)
            if self._believed(group, looked, free)
        ]
        self._told = [die for die in dice if die.value is not None]
        return tuple(dice)

    def _grouped(self, looked: Sequence[Sighting]) -> list[list[_Seen]]:
        seen = [
            _Seen(one.camera, die, self._weight(one.camera, die))
            for one in looked
            for die in one.dice
        ]
        groups = paired(
            [one.camera for one in seen], [(one.die.x, one.die.y) for one in seen], _SAME_MM
        )
        return [[seen[k] for k in group] for group in groups]

    def _weight(self, camera: str, die: DieSighting) -> float:
        return self._placed(camera, die.x, die.y) ** 2 * max(die.confidence, 0.01)

    def _believed(
        self,
        group: Sequence[_Seen],
        looked: Sequence[Sighting],
        free: Callable[[str, float, float], bool],
    ) -> bool:
        best = max(group, key=lambda one: one.die.confidence).die
        by = {one.camera for one in group}
        missed = any(one.camera not in by and free(one.camera, best.x, best.y) for one in looked)
        return not missed or best.confidence >= _CERTAIN

    def _one(self, group: Sequence[_Seen]) -> DieSighting:
        total = sum(one.weight for one in group)
        x = sum(one.weight * one.die.x for one in group) / total
        y = sum(one.weight * one.die.y for one in group) / total
        moving = any(one.die.moving for one in group)
        return DieSighting(
            round(x, 1),
            round(y, 1),
            None if moving else self._value(group, x, y),
            max(one.die.confidence for one in group),
            moving,
        )

    def _value(self, group: Sequence[_Seen], x: float, y: float) -> int | None:
        weights: dict[int, float] = {}
        for one in group:
            if one.die.value is not None:
                weights[one.die.value] = weights.get(one.die.value, 0.0) + one.weight
        told = self._before(x, y)
        if not weights:
            return told
        best = max(weights, key=lambda value: (weights[value], -value))
        against = sum(weights.values()) - weights[best]
        if weights[best] >= _CLEARLY * against:
            return best
        return told if told in weights else None

    def _before(self, x: float, y: float) -> int | None:
        """What was told of the die that lay here a moment ago."""
        for die in self._told:
            if math.hypot(die.x - x, die.y - y) < _STILL_MM:
                return die.value
        return None
