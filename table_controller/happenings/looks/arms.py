"""Who reached where: the fingertips of each side over the last seconds."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from itertools import islice, pairwise
from statistics import fmean

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.dwells import Dwell, on_the_way, stops
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.looks.tip_errors import TipErrors
from table_controller.happenings.looks.tips import LOST_S, NEIGHBOUR_S, Tip, stopping
from table_controller.happenings.looks.turning import farthest
from table_controller.happenings.looks.visits import (
    LANDING_S,
    Visit,
    lunges_of,
    nearest_first,
    nearest_visit,
    unseen_visits,
    who_of,
)
from vision.sightings import Point

_KEPT_S = 12.0
_OTHER_HAND_MM = 320.0
"""No hand goes so far between two looks."""
_BEYOND_MM = 40.0
"""So much farther at most it goes before it turns round between two."""
_RESTING_MM = 80.0
"""A hand that rests on the table beside the melds is so little further in than the tiles."""


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
        self._errors = TipErrors()

    def update(self, t: float, reach: tuple[Point | None, ...]) -> None:
        """One look's reach of the four sides; several at one moment are one look."""
        for seat in SEATS:
            tips, slowed = self._tips[seat], self._slowed[seat]
            if tips and tips[-1].t == t:
                if reach[seat] is None:
                    continue
                tips.pop()
                slowed.pop()
            tips.append(Tip(t, self._errors.corrected(seat, reach[seat])))
            if slowed:
                slowed[-1] = stopping(tips, len(tips) - 2)
            slowed.append(stopping(tips, len(tips) - 1))
            while tips[0].t < t - _KEPT_S:
                tips.popleft()
                slowed.popleft()

    def learn(self, seat: Seat, seen: Point, true: Point) -> None:
        """Fingertips were seen at a point while they took tiles around another."""
        self._errors.learn(seat, seen, true)

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
        found = (
            nearest_visit(seat, self._tips[seat], point, since, until, within, slow, straight)
            for seat in SEATS
        )
        return nearest_first(visit for visit in found if visit is not None)

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

    def dwells(self, since: float, until: float) -> list[Dwell]:
        """Where fingertips stopped, at any moment of a time, by seat and time."""
        found = [
            dwell for seat in SEATS for dwell in stops(seat, self._tips[seat], self._slowed[seat])
        ]
        return [
            dwell
            for dwell in found
            if dwell.left >= since and dwell.came <= until and not on_the_way(dwell, found)
        ]

    def anew(self, stop: Dwell, t: float) -> list[Dwell]:
        """Where a hand stopped again, close by, that went from its place after a time.

        It kept near to where it was slowest, so all of that is one stop. Here the looks after the
        time count by themselves; the first part of them goes on from before.
        """
        parts = stops(stop.seat, self._tips[stop.seat], self._slowed[stop.seat], t)
        return [
            part for part in parts[1:] if part.left <= stop.left and not on_the_way(part, parts)
        ]

    def who(self, point: Point, since: float, until: float, within: float) -> Seat | None:
        """The side that handled a point, or None where nobody or more than one may have."""
        return who_of(self.visits(point, since, until, within))

    def taker(self, point: Point, seen: float, missing: float, within: float) -> Seat | None:
        """The side that took what was last seen at a point and then missing there.

        Nobody, where looks were lost between: a hand that was gone before them left it there, and
        another may have come.
        """
        visits = self.visits(point, seen, missing, within)
        seat = who_of(visits)
        if seat is not None and self._lost_after(seat, visits[0].left, seen, missing):
            return None
        return seat

    def _lost_after(self, seat: Seat, left: float, since: float, until: float) -> bool:
        """Whether looks were lost in a time after a hand had left."""
        looks = [tip.t for tip in self._tips[seat] if since <= tip.t <= until]
        return any(left < here and there - here >= LOST_S for here, there in pairwise(looks))

    def lunges(self, point: Point, since: float, until: float, within: float) -> list[Visit]:
        """The sides whose fingertips came towards a point and went back at once, nearest first.

        A quick hand is caught by one look on its way only, some way short of what it takes; the
        faster it is, the farther off.
        """
        return nearest_first(
            visit
            for seat in SEATS
            for visit in lunges_of(seat, self._tips[seat], point, since, until, within)
        )

    def between(self, point: Point, t: float) -> list[Visit]:
        """The sides whose hands may have been at a point at a time of which looks were lost.

        A hand that the look before or after shows over the table was there if there was time
        enough for the ways.
        """
        return nearest_first(
            visit for seat in SEATS for visit in unseen_visits(seat, self._tips[seat], point, t)
        )

    def handled(self, point: Point, since: float, until: float, within: float) -> float | None:
        """When the fingertips that came nearest to a point let go of it, if any came."""
        visits = self.visits(point, since, until, within)
        return visits[0].left if visits else None

    def laid(self, point: Point, since: float, until: float, within: float) -> float | None:
        """When the fingertips that came nearest to a point brought something there, if any came.

        A hand often stays where it laid something down, so its coming counts, not its going.
        """
        visits = self.visits(point, since, until, within)
        return visits[0].came + LANDING_S if visits else None

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
                or (turned and far + _BEYOND_MM >= turning and self._out(seat, index) >= turning)
            ):
                return tip.t
        return None

    def farthest(self, seat: Seat, since: float, until: float) -> tuple[float, float] | None:
        """How far out a side's fingertips were in a time, mm, where they were farthest, and when.

        Also between two looks, where they turned round.
        """
        return max(
            (
                (self._out(seat, index), tip.t)
                for index, tip in enumerate(self._tips[seat])
                if tip.point is not None and since <= tip.t <= until
            ),
            default=None,
        )

    def _out(self, seat: Seat, index: int) -> float:
        """How far out fingertips were about a look."""
        tips = list(islice(self._tips[seat], max(0, index - 2), index + 3))
        # Who does not reach over the table has drawn back.
        ways = [
            (tip.t, math.inf if tip.point is None else offset_of(seat, tip.point)) for tip in tips
        ]
        return farthest(ways, min(index, 2))

    def stay(self, seat: Seat, point: Point, within: float, t: float) -> tuple[float, float]:
        """From when to when fingertips were near a point, around a time; looks may be wrong."""
        times = [
            tip.t
            for tip in self._tips[seat]
            if tip.point is not None and distance(tip.point, point) <= within
        ]
        came = left = t
        for earlier in reversed([time for time in times if time <= t]):
            if came - earlier > NEIGHBOUR_S:
                break
            came = earlier
        for later in (time for time in times if time > t):
            if later - left > NEIGHBOUR_S:
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
