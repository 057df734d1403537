"""How far beside where they are each side's fingertips are seen."""

from __future__ import annotations

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.places import SEATS
from vision.sightings import Point

_LEARN_MM, _LEARN_SHARE, _BIAS_MM = 45.0, 0.2, 25.0
"""What is taken for a mistake of the tips' place, how fast it is learnt, and its limit."""


class TipErrors:
    """Learns the error of each side's fingertips.

    The outline of a hand ends beside what it holds, on the same side again and again: the error is
    learnt in the player's own frame.
    """

    def __init__(self) -> None:
        self._bias: dict[Seat, Point] = dict.fromkeys(SEATS, (0.0, 0.0))

    def corrected(self, seat: Seat, tip: Point | None) -> Point | None:
        """Where fingertips are that were seen at a point, mm."""
        if tip is None:
            return None
        x, y = _turned(self._bias[seat], seat)
        return tip[0] - x, tip[1] - y

    def learn(self, seat: Seat, seen: Point, true: Point) -> None:
        """Fingertips were seen at a point while they took tiles around another, mm."""
        x, y = _turned((seen[0] - true[0], seen[1] - true[1]), -seat)
        if x * x + y * y > _LEARN_MM**2:
            return
        old = self._bias[seat]
        new = old[0] + _LEARN_SHARE * x, old[1] + _LEARN_SHARE * y
        self._bias[seat] = (
            max(-_BIAS_MM, min(_BIAS_MM, new[0])),
            max(-_BIAS_MM, min(_BIAS_MM, new[1])),
        )


def _turned(vector: Point, quarters: int) -> Point:
    """A vector turned counter-clockwise by quarters."""
    x, y = vector
    for _ in range(quarters % 4):
        x, y = -y, x
    return x, y
