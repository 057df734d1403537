"""How fingertips came to a point: near it, towards it and back at once, or in looks lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.places import distance
from table_controller.happenings.looks.tips import (
    LOST_S,
    NEIGHBOUR_S,
    Tip,
    goes_past,
    is_straight,
    speed,
)
from vision.sightings import Point

_SLOW_MM_S = 900.0
"""Fingertips faster than this are on their way to somewhere else."""
QUICK_MM_S = 1500.0
"""A hand on its way is hardly faster."""
LANDING_S = 0.04
"""From the first look near a place to lying there."""
HELD_MM = 60.0
"""Fingertips so near to a tile may hold it."""
LUNGE_MM = 190.0
"""A hand that comes and goes between two looks is caught so far from what it took."""
_TURNED_BACK_MM = 60.0
"""So much farther off it is at the looks before and after."""


@dataclass(frozen=True, slots=True)
class Visit:
    """How one side's fingertips came to a point.

    Attributes:
        nearest: how near they came while slow enough to handle something, mm.
        came, left: first and last time of the last stay about that near.
    """

    seat: Seat
    nearest: float
    came: float
    left: float


def who_of(visits: list[Visit]) -> Seat | None:
    """Whose visit it was that came nearest, or None where there was none or another as near."""
    if not visits or (len(visits) > 1 and visits[1].nearest < visits[0].nearest + 12.0):
        return None
    return visits[0].seat


def nearest_first(visits: Iterable[Visit]) -> list[Visit]:
    """Visits of one point by how near they came."""
    return sorted(visits, key=lambda visit: (visit.nearest, visit.seat))


def nearest_visit(
    seat: Seat,
    tips: Sequence[Tip],
    point: Point,
    since: float,
    until: float,
    within: float,
    slow: bool = True,
    straight: bool = True,
) -> Visit | None:
    """How one side's fingertips came near a point in a time, if they did.

    Args:
        seat: the side.
        tips: its fingertips, oldest first.
        point: mm.
        since: from when.
        until: to when.
        within: how near they must have come, mm.
        slow: leave out fingertips that only passed by on their way.
        straight: count those that went straight past, neither stopping nor turning round.
    """
    first, last = since - 0.15, until + 0.15
    near = []
    for index, tip in enumerate(tips):
        if tip.point is None or tip.t < first or tip.t > last:
            continue
        if slow and speed(tips, index) > _SLOW_MM_S:
            continue
        if not straight and goes_past(tips, index):
            continue
        near.append((tip.t, distance(tip.point, point)))
    nearest = min((away for _, away in near), default=float("inf"))
    if nearest > within:
        return None
    times = [t for t, away in near if away <= nearest + 14.0]
    came = times[-1]
    for earlier in reversed(times[:-1]):
        if came - earlier > NEIGHBOUR_S:
            break
        came = earlier
    return Visit(seat, nearest, came, times[-1])


def lunges_of(
    seat: Seat, tips: Iterable[Tip], point: Point, since: float, until: float, within: float
) -> list[Visit]:
    """When one side's fingertips came towards a point and went back at once.

    Args:
        seat: the side.
        tips: its fingertips, oldest first.
        point: mm.
        since: from when.
        until: to when.
        within: how near they must have come, mm.
    """
    looks = [tip for tip in tips if since - 0.3 <= tip.t <= until + 0.3]
    found = []
    for before, here, after in zip(looks, looks[1:], looks[2:], strict=False):
        if here.point is None or not since - 0.15 <= here.t <= until + 0.15:
            continue
        away = distance(here.point, point)
        if away > within or is_straight(before, here, after):
            continue
        if all(
            other.point is None
            or distance(other.point, point) - away >= max(_TURNED_BACK_MM, 0.9 * away)
            for other in (before, after)
        ):
            found.append(Visit(seat, away, here.t, here.t))
    return found


def unseen_visits(seat: Seat, tips: Iterable[Tip], point: Point, t: float) -> list[Visit]:
    """Whether one side's hand may have been at a point at a time of which looks were lost."""
    found = []
    for here, there in pairwise(tips):
        if not here.t < t < there.t or there.t - here.t < LOST_S:
            continue
        ways = [
            (distance(tip.point, point), abs(tip.t - t) + LANDING_S)
            for tip in (here, there)
            if tip.point is not None
        ]
        if ways and all(away <= QUICK_MM_S * time for away, time in ways):
            found.append(Visit(seat, min(away for away, _ in ways), t, t))
    return found
