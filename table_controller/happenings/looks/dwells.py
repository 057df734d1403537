"""Where fingertips stopped."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.places import distance
from table_controller.happenings.looks.tips import NEIGHBOUR_S, Tip
from vision.sightings import Point

_DWELL_MM = 36.0
_CLOSE_BY_MM = 90.0


@dataclass(frozen=True, slots=True)
class Dwell:
    """Fingertips that stopped somewhere: place (mm), first and last time, slowest mm/s."""

    seat: Seat
    point: Point
    came: float
    left: float
    speed: float


def stops(
    seat: Seat, tips: Iterable[Tip], slowed: Iterable[float | None], after: float = -math.inf
) -> list[Dwell]:
    """Where one side's fingertips stopped, in the looks after a time.

    Args:
        seat: the side.
        tips: its fingertips, oldest first.
        slowed: how slow each of them was, mm/s; None where they neither stopped nor turned round.
        after: the time, s.
    """
    found: list[Dwell] = []
    group: list[tuple[Tip, float]] = []
    slowest: tuple[Tip, float] | None = None
    for tip, speed in zip(tips, slowed, strict=True):
        if tip.t <= after:
            continue
        if slowest is not None and (speed is None or not _together(slowest[0], group[-1][0], tip)):
            found.append(_dwell(seat, group))
            group, slowest = [], None
        if speed is not None:
            group.append((tip, speed))
            if slowest is None or speed < slowest[1]:
                slowest = tip, speed
    if group:
        found.append(_dwell(seat, group))
    return found


def on_the_way(dwell: Dwell, found: Iterable[Dwell]) -> bool:
    """Whether fingertips only slowed down towards, or after, a stop close by."""
    return dwell.came == dwell.left and any(
        other.seat == dwell.seat
        and other is not dwell
        and distance(other.point, dwell.point) <= _CLOSE_BY_MM
        and other.speed < 0.5 * dwell.speed
        and (0.0 < other.came - dwell.left <= 0.15 or 0.0 < dwell.came - other.left <= 0.15)
        for other in found
    )


def _together(slowest: Tip, last: Tip, tip: Tip) -> bool:
    """Whether fingertips are still at a stop, of which the slowest and the last look are known."""
    assert tip.point is not None
    assert slowest.point is not None
    near = distance(slowest.point, tip.point) <= _DWELL_MM
    return near and tip.t - last.t <= NEIGHBOUR_S


def _dwell(seat: Seat, group: list[tuple[Tip, float]]) -> Dwell:
    """The slowest looks say best where it was."""
    total = x = y = 0.0
    slowest = min(speed for _, speed in group)
    for tip, speed in group:
        assert tip.point is not None
        weight = 1.0 / (60.0 + speed - slowest) ** 2
        total += weight
        x += weight * tip.point[0]
        y += weight * tip.point[1]
    return Dwell(seat, (x / total, y / total), group[0][0].t, group[-1][0].t, slowest)
