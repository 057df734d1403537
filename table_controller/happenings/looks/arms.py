"""Who reached where: the fingertips of each side over the last seconds."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.places import SEATS, distance
from vision.sightings import Point

_KEPT_S = 12.0
_SLOW_MM_S = 900.0
"""Fingertips faster than this are on their way to somewhere else."""
_NEIGHBOUR_S = 0.35
LOST_S = 0.25
"""Between looks farther apart than this others were lost."""
QUICK_MM_S = 1500.0
"""A hand on its way is hardly faster."""
_LANDING_S = 0.04
"""From the first look near a place to lying there."""
_DWELL_MM = 36.0
_CLOSE_BY_MM = 90.0
STOP_MM_S = 520.0
"""Slower fingertips are seen to stop."""
_TURN_COSINE = 0.5
_STRAIGHT_COSINE = 0.7
"""Fingertips that turn by less than this on their way past a place do nothing there."""
_OTHER_HAND_MM = 320.0
"""No hand goes so far between two looks."""
HELD_MM = 60.0
"""Fingertips so near to a tile may hold it."""
LUNGE_MM = 190.0
"""A hand that comes and goes between two looks is caught so far from what it took."""
_TURNED_BACK_MM = 60.0
"""So much farther off it is at the looks before and after."""
_RESTING_MM = 80.0
"""A hand that rests on the table beside the melds is so little further in than the tiles."""


_LEARN_MM, _LEARN_SHARE, _BIAS_MM = 45.0, 0.2, 25.0
"""What is taken for a mistake of the tips' place, how fast it is learnt, and its limit."""


@dataclass(frozen=True, slots=True)
class Tip:
    """Fingertips at a time; ``point`` is None while that side reaches nowhere."""

    t: float
    point: Point | None


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


@dataclass(frozen=True, slots=True)
class Dwell:
    """Fingertips that stopped somewhere: place (mm), first and last time, slowest mm/s."""

    seat: Seat
    point: Point
    came: float
    left: float
    speed: float


def offset_of(seat: Seat, tip: Point) -> float:
    """How far a point is from the middle of the table towards a side, mm."""
    x, y = tip
    return (-y, x, y, -x)[seat]


class Arms:
    """Positions of the fingertips, with the questions that are asked of them."""

    def __init__(self) -> None:
        self._tips: dict[Seat, deque[Tip]] = {seat: deque() for seat in SEATS}
        self._slowed: dict[Seat, deque[float | None]] = {seat: deque() for seat in SEATS}
        """How slow each of them was that stopped: known once the look after it is."""
        self._blind = (-1e9, -1e9)
        self._bias: dict[Seat, Point] = dict.fromkeys(SEATS, (0.0, 0.0))

    def update(self, t: float, reach: tuple[Point | None, ...]) -> None:
        """One look's reach of the four sides."""
        for seat in SEATS:
            tips, slowed = self._tips[seat], self._slowed[seat]
            tips.append(Tip(t, self._corrected(seat, reach[seat])))
            if slowed:
                slowed[-1] = _stopping(tips, len(tips) - 2)
            slowed.append(_stopping(tips, len(tips) - 1))
            while tips[0].t < t - _KEPT_S:
                tips.popleft()
                slowed.popleft()

    def _corrected(self, seat: Seat, tip: Point | None) -> Point | None:
        if tip is None:
            return None
        x, y = _turned(self._bias[seat], seat)
        return tip[0] - x, tip[1] - y

    def learn(self, seat: Seat, seen: Point, true: Point) -> None:
        """Fingertips were seen at a point while they took tiles around another.

        The outline of a hand ends beside what it holds, on the same side again and again: the
        error is learnt in the player's own frame.
        """
        x, y = _turned((seen[0] - true[0], seen[1] - true[1]), -seat)
        if x * x + y * y > _LEARN_MM**2:
            return
        old = self._bias[seat]
        new = old[0] + _LEARN_SHARE * x, old[1] + _LEARN_SHARE * y
        self._bias[seat] = (
            max(-_BIAS_MM, min(_BIAS_MM, new[0])),
            max(-_BIAS_MM, min(_BIAS_MM, new[1])),
        )

    def blind(self, since: float, until: float) -> None:
        """Nothing was seen in a time: anybody may have reached anywhere."""
        self._blind = (since, until)

    def unwatched(self, since: float, until: float) -> bool:
        """Whether part of a time was not looked at."""
        return self._blind[1] >= since and self._blind[0] <= until

    def tip(self, seat: Seat) -> Point | None:
        """Where that side's fingertips are now."""
        tips = self._tips[seat]
        return tips[-1].point if tips else None

    def visits(
        self,
        point: Point,
        since: float,
        until: float,
        within: float,
        slow: bool = True,
        straight: bool = True,
    ) -> list[Visit]:
        """The sides whose fingertips came near a point in a time, nearest first.

        Args:
            point: mm.
            since: from when.
            until: to when.
            within: how near they must have come, mm.
            slow: leave out fingertips that only passed by on their way.
            straight: count those that went straight past, neither stopping nor turning round.
        """
        found = []
        for seat in SEATS:
            near = [
                (tip.t, distance(tip.point, point))
                for tip in self._between(seat, since - 0.15, until + 0.15, slow, straight)
                if tip.point is not None
            ]
            nearest = min((away for _, away in near), default=float("inf"))
            if nearest <= within:
                times = [t for t, away in near if away <= nearest + 14.0]
                came = times[-1]
                for earlier in reversed(times[:-1]):
                    if came - earlier > _NEIGHBOUR_S:
                        break
                    came = earlier
                found.append(Visit(seat, nearest, came, times[-1]))
        return _nearest_first(found)

    def visit(
        self, seat: Seat, points: Iterable[Point], since: float, until: float, within: float
    ) -> Visit | None:
        """How one side's fingertips came nearest to one of some points, at whatever speed."""
        visits = [
            visit
            for point in points
            for visit in self.visits(point, since, until, within, slow=False)
            if visit.seat == seat
        ]
        return min(visits, key=lambda visit: visit.nearest, default=None)

    def _between(
        self, seat: Seat, since: float, until: float, slow: bool, straight: bool
    ) -> list[Tip]:
        tips = self._tips[seat]
        found = []
        for index, tip in enumerate(tips):
            if tip.point is None or tip.t < since or tip.t > until:
                continue
            if slow and _speed(tips, index) > _SLOW_MM_S:
                continue
            if not straight and _goes_past(tips, index):
                continue
            found.append(tip)
        return found

    def dwells(self, since: float, until: float) -> list[Dwell]:
        """Where fingertips stopped, at any moment of a time, by seat and time."""
        found = [dwell for seat in SEATS for dwell in self._stops(seat)]
        return [
            dwell
            for dwell in found
            if dwell.left >= since and dwell.came <= until and not _on_the_way(dwell, found)
        ]

    def anew(self, stop: Dwell, t: float) -> list[Dwell]:
        """Where a hand stopped again, close by, that went from its place after a time.

        It kept near to where it was slowest, so all of that is one stop. Here the looks after the
        time count by themselves; the first part of them goes on from before.
        """
        parts = self._stops(stop.seat, t)
        return [
            part for part in parts[1:] if part.left <= stop.left and not _on_the_way(part, parts)
        ]

    def _stops(self, seat: Seat, after: float = -math.inf) -> list[Dwell]:
        """Where one side's fingertips stopped, in the looks after a time."""
        tips = self._tips[seat]
        found: list[Dwell] = []
        group: list[tuple[Tip, float]] = []
        slowest: tuple[Tip, float] | None = None
        for tip, speed in zip(tips, self._slowed[seat], strict=True):
            if tip.t <= after:
                continue
            if slowest is not None and (
                speed is None or not _together(slowest[0], group[-1][0], tip)
            ):
                found.append(_dwell(seat, group))
                group, slowest = [], None
            if speed is not None:
                group.append((tip, speed))
                if slowest is None or speed < slowest[1]:
                    slowest = tip, speed
        if group:
            found.append(_dwell(seat, group))
        return found

    def who(self, point: Point, since: float, until: float, within: float) -> Seat | None:
        """The side that handled a point, or None where nobody or more than one may have."""
        return who_of(self.visits(point, since, until, within))

    def lunges(self, point: Point, since: float, until: float, within: float) -> list[Visit]:
        """The sides whose fingertips came towards a point and went back at once, nearest first.

        A quick hand is caught by one look on its way only, some way short of what it takes; the
        faster it is, the farther off.
        """
        found = []
        for seat in SEATS:
            tips = [tip for tip in self._tips[seat] if since - 0.3 <= tip.t <= until + 0.3]
            for before, here, after in zip(tips, tips[1:], tips[2:], strict=False):
                if here.point is None or not since - 0.15 <= here.t <= until + 0.15:
                    continue
                away = distance(here.point, point)
                if away > within or _is_straight(before, here, after):
                    continue
                if all(
                    other.point is None
                    or distance(other.point, point) - away >= max(_TURNED_BACK_MM, 0.9 * away)
                    for other in (before, after)
                ):
                    found.append(Visit(seat, away, here.t, here.t))
        return _nearest_first(found)

    def between(self, point: Point, t: float) -> list[Visit]:
        """The sides whose hands may have been at a point at a time of which looks were lost.

        A hand that the look before or after shows over the table was there if there was time
        enough for the ways.
        """
        found = []
        for seat in SEATS:
            tips = self._tips[seat]
            for here, there in pairwise(tips):
                if not here.t < t < there.t or there.t - here.t < LOST_S:
                    continue
                ways = [
                    (distance(tip.point, point), abs(tip.t - t) + _LANDING_S)
                    for tip in (here, there)
                    if tip.point is not None
                ]
                if ways and all(away <= QUICK_MM_S * time for away, time in ways):
                    found.append(Visit(seat, min(away for away, _ in ways), t, t))
        return _nearest_first(found)

    def handled(self, point: Point, since: float, until: float, within: float) -> float | None:
        """When the fingertips that came nearest to a point let go of it, if any came."""
        visits = self.visits(point, since, until, within)
        return visits[0].left if visits else None

    def laid(self, point: Point, since: float, until: float, within: float) -> float | None:
        """When the fingertips that came nearest to a point brought something there, if any came.

        A hand often stays where it laid something down, so its coming counts, not its going.
        """
        visits = self.visits(point, since, until, within)
        return visits[0].came + _LANDING_S if visits else None

    def home(
        self,
        seat: Seat,
        since: float,
        back: float,
        turning: float = math.inf,
        *,
        steady: bool = False,
    ) -> float | None:
        """When, after a time, that side's fingertips were first back at their own edge.

        Where they are at once far away, at the same player's melds, they are those of the other
        hand, and the first is home.

        Args:
            seat: the side.
            since: the time.
            back: how far from the middle of the table that is, mm.
            turning: those that stop or turn round there are home from so far out on, mm.
            steady: they must be there at the next look too.
        """
        tips = self._tips[seat]
        for index, tip in enumerate(tips):
            if tip.t <= since:
                continue
            if tip.point is None:
                return tip.t
            far = offset_of(seat, tip.point)
            before = tips[index - 1].point if index else None
            other_hand = before is not None and distance(before, tip.point) > _OTHER_HAND_MM
            last = index + 1 == len(tips)
            after = None if last else tips[index + 1].point
            if steady and last:
                return None
            if steady and after is not None and offset_of(seat, after) < back:
                continue
            turned = after is not None and offset_of(seat, after) <= far
            if (
                far >= back
                or (far >= back - _RESTING_MM and other_hand)
                or (far >= turning and turned)
            ):
                return tip.t
        return None

    def stay(self, seat: Seat, point: Point, within: float, t: float) -> tuple[float, float]:
        """From when to when fingertips were near a point, around a time; looks may be wrong."""
        times = [
            tip.t
            for tip in self._tips[seat]
            if tip.point is not None and distance(tip.point, point) <= within
        ]
        came = left = t
        for earlier in reversed([time for time in times if time <= t]):
            if came - earlier > _NEIGHBOUR_S:
                break
            came = earlier
        for later in (time for time in times if time > t):
            if later - left > _NEIGHBOUR_S:
                break
            left = later
        return came, left

    def path(self, seat: Seat, since: float, until: float) -> list[Tip]:
        """The fingertips of a side over a time, oldest first."""
        return [tip for tip in self._tips[seat] if since <= tip.t <= until]

    def middle(self, seat: Seat, since: float, until: float) -> Point | None:
        """Where the fingertips of a side were on average over a time, if they were seen."""
        points = [tip.point for tip in self.path(seat, since, until) if tip.point is not None]
        return (fmean(x for x, _ in points), fmean(y for _, y in points)) if points else None

    def away(self, seat: Seat, since: float, until: float) -> bool:
        """Whether a look in a time, before its end, showed no arm of that side over the table."""
        return any(tip.point is None and since <= tip.t < until for tip in self._tips[seat])

    def present(self, seat: Seat, since: float) -> bool:
        """Whether that side's arm was over the table at or after a time."""
        return any(tip.point is not None and tip.t >= since for tip in self._tips[seat])


def who_of(visits: list[Visit]) -> Seat | None:
    """Whose visit it was that came nearest, or None where there was none or another as near."""
    if not visits or (len(visits) > 1 and visits[1].nearest < visits[0].nearest + 12.0):
        return None
    return visits[0].seat


def _turned(vector: Point, quarters: int) -> Point:
    """A vector turned counter-clockwise by quarters."""
    x, y = vector
    for _ in range(quarters % 4):
        x, y = -y, x
    return x, y


def _speed(tips: deque[Tip], index: int) -> float:
    """The slower of the ways to the neighbouring looks, mm/s: how slow it may have been."""
    here = tips[index]
    assert here.point is not None
    speeds = []
    for other in (index - 1, index + 1):
        if not 0 <= other < len(tips):
            continue
        there = tips[other]
        if there.point is None or not 0.0 < abs(there.t - here.t) <= _NEIGHBOUR_S:
            continue
        speeds.append(distance(here.point, there.point) / abs(there.t - here.t))
    return min(speeds, default=0.0)


def _stopping(tips: deque[Tip], index: int) -> float | None:
    """How slow fingertips were that stopped or turned round at a look, mm/s; else None."""
    here = tips[index]
    if here.point is None:
        return None
    speed = _speed(tips, index)
    if speed <= STOP_MM_S:
        return speed
    if not 0 < index < len(tips) - 1:
        return None
    turn = _turn(tips[index - 1], here, tips[index + 1])
    return min(speed, STOP_MM_S) if turn is not None and turn < _TURN_COSINE else None


def _goes_past(tips: deque[Tip], index: int) -> bool:
    """Whether three looks, none lost between them, show fingertips that go fast and straight."""
    if not 0 < index < len(tips) - 1 or _speed(tips, index) <= STOP_MM_S:
        return False
    return _is_straight(tips[index - 1], tips[index], tips[index + 1])


def _is_straight(before: Tip, here: Tip, after: Tip) -> bool:
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


def _together(slowest: Tip, last: Tip, tip: Tip) -> bool:
    """Whether fingertips are still at a stop, of which the slowest and the last look are known."""
    assert tip.point is not None
    assert slowest.point is not None
    near = distance(slowest.point, tip.point) <= _DWELL_MM
    return near and tip.t - last.t <= _NEIGHBOUR_S


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


def _on_the_way(dwell: Dwell, found: list[Dwell]) -> bool:
    """Whether fingertips only slowed down towards, or after, a stop close by."""
    return dwell.came == dwell.left and any(
        other.seat == dwell.seat
        and other is not dwell
        and distance(other.point, dwell.point) <= _CLOSE_BY_MM
        and other.speed < 0.5 * dwell.speed
        and (0.0 < other.came - dwell.left <= 0.15 or 0.0 < dwell.came - other.left <= 0.15)
        for other in found
    )


def _nearest_first(visits: Iterable[Visit]) -> list[Visit]:
    return sorted(visits, key=lambda visit: (visit.nearest, visit.seat))
