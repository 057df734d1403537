"""When a hand that took a tile is home with it.

Fingertips are known to a centimetre or two, at a row to twice as much: where a hand is, how long it
is there and what it does next say together when it came.
"""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import fmean
from typing import Final

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.arms import offset_of
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.taking.stages import Stages, Taking
from table_controller.happenings.taking.staying import ABOUT_MM
from vision.sightings import Point

_RESTS_S = 0.7
"""A hand that rests so long just before its row, without having been slow, has come home."""
_CREEPS_S = 2.5
"""So long at most a hand that is at its row seems to come to it."""
_DUE_S = 0.5
"""One that draws in its turn is home when it stays half way to its row for so long: where it looks
at its tile says nothing then."""
_RESTED_MM = 24.0
"""Fingertips that rest are seen no farther apart."""
ELSEWHERE_MM: Final = 48.0
"""Two stops so far apart are two."""
_ELSEWHERE_S = 0.4
"""A hand that has been so far from where it turned round, so long, looks at nothing there."""


class Arriving:
    """Watches hands on their way from the wall to their rows.

    Args:
        table: the shared state.
        rows: what stands in front of the players.
        stages: the draws that are not done yet.
    """

    def __init__(self, table: Table, rows: Rows, stages: Stages) -> None:
        self._table = table
        self._rows = rows
        self._stages = stages

    def home(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand was home with what it took; None while it is not."""
        table = self._table
        home = table.home(seat, taking.t, steady=bool(taking.told))
        joined = self.joined(seat, taking)
        if home is not None:
            home = self._stayed(seat, taking.t, home, slow=bool(taking.told))
        if home is None or (joined is not None and self._came_again(seat, joined, home)):
            # An arm may seem to rest far from its row; what joined the row has arrived.
            home = joined
        elif not taking.told and self._stages.touching.of(seat, taking.slots) is None:
            home = self._turned_before(seat, taking, home)
        if home is None:
            home = self._turned_round(seat, taking, t)
        if home is None:
            short = self._stopped_short if taking.told else self._rests_short
            home = short(seat, taking, t)
        return self._before_next(seat, taking, self._before_it_laid(seat, taking, home))

    def turned(self, seat: Seat, taking: Taking) -> float | None:
        """When a hand that took a tile first was so near to its row that it may have left it there.

        One that draws in its turn looks at nothing on the way: two looks half way say it, too.
        """
        near = self._table.brought_home(seat, taking.t)
        if not taking.due:
            return near
        path = self._table.arms.path(seat, taking.t, self._table.now if near is None else near)
        out = (
            tip.t
            for tip, after in pairwise(path)
            if tip.point is not None
            and after.point is not None
            and min(offset_of(seat, tip.point), offset_of(seat, after.point)) >= self._half_way
        )
        return next(out, near)

    def joined(self, seat: Seat, taking: Taking) -> float | None:
        """When as many tiles more stood in a row as its player took."""
        return self._rows.joined(seat, taking.since, taking.t, len(taking.slots))

    def stops(self, seat: Seat, taking: Taking, until: float) -> list[Dwell]:
        """Where a hand stopped with a tile since it left the wall, oldest first."""
        point = self._table.places.slot_point(taking.slots[0])
        return [
            stop
            for stop in self._table.arms.dwells(taking.t, until)
            if stop.seat == seat and distance(stop.point, point) > ABOUT_MM
        ]

    def is_still(self, seat: Seat, since: float, until: float) -> bool:
        """Whether a hand was seen in a time, and at one place only."""
        path = self._table.arms.path(seat, since, until)
        points = [tip.point for tip in path if tip.point is not None]
        still = all(distance(point, points[0]) <= _RESTED_MM for point in points)
        return bool(points) and still

    def _came_again(self, seat: Seat, joined: float, home: float) -> bool:
        """Whether a hand had been a little short of its row, and at a wall since, until home."""
        wall = self._table.places.geometry.wall.offset
        return any(
            tip.point is not None and offset_of(seat, tip.point) <= wall
            for tip in self._table.arms.path(seat, joined, home)
        )

    def _stayed(self, seat: Seat, since: float, home: float, *, slow: bool) -> float:
        """When a hand that is home came there, if it was just before its row until then.

        A ``slow`` one may have rested there to look at its tile.
        """
        near = self._near_row_until(seat, since, home)
        if slow:
            return near
        outside = self._outside_since(seat, home)
        return min(
            near, self._rested_until(seat, since, home), home if outside is None else outside
        )

    def _near_row_until(self, seat: Seat, since: float, home: float) -> float:
        """From when on it was just before its row in every look."""
        came = self._table.brought_home(seat, since)
        if came is None or came >= home:
            return home
        return came if self._stays_near_row(seat, came, home) else home

    def _stays_near_row(self, seat: Seat, since: float, until: float) -> bool:
        """Whether every look of a time showed it at its row, or just before it."""
        return all(
            tip.point is not None and offset_of(seat, tip.point) >= self._table.near_row
            for tip in self._table.arms.path(seat, since, until)
        )

    @property
    def _half_way(self) -> float:
        """How far from the middle a hand is half way from its wall to its row, mm."""
        geometry = self._table.places.geometry
        return (geometry.wall.offset + geometry.hand.offset) / 2.0

    def _outside_since(self, seat: Seat, until: float) -> float | None:
        """From when on it was more than half way from its wall to its row, if it is.

        A quick one does not stop there to look: at its row it may be seen so far short of it, and
        nearer and nearer, for a second and more.
        """
        came, out = None, math.inf
        for tip in reversed(self._table.arms.path(seat, until - _CREEPS_S, until)):
            if tip.point is None or offset_of(seat, tip.point) < self._half_way:
                break
            if came is not None and out - offset_of(seat, tip.point) > _RESTED_MM:
                # It was still on its way.
                break
            came, out = tip.t, offset_of(seat, tip.point)
        return came

    def _rested_until(self, seat: Seat, since: float, home: float) -> float:
        """From when on it did not move: single looks err, their mean is just before its row."""
        path = self._table.arms.path(seat, since, home)
        there = path[-1].point if path else None
        rested: list[tuple[float, Point]] = []
        for tip in reversed(path):
            if there is None or tip.point is None or distance(tip.point, there) > _RESTED_MM:
                break
            rested.append((tip.t, tip.point))
        if not rested or fmean(offset_of(seat, at) for _, at in rested) < self._table.near_row:
            return home
        return rested[-1][0]

    def _turned_round(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand turned round just before its row that went elsewhere then, and not back."""
        table, point = self._table, self._table.places.slot_point(taking.slots[0])
        turned = table.brought_home(seat, taking.t)
        if turned is None:
            return None
        path = table.arms.path(seat, turned, t)
        ways = [(tip.t, tip.point) for tip in path if tip.point is not None]
        gone = [at for at, place in ways if distance(place, ways[0][1]) > ELSEWHERE_MM]
        back = any(distance(place, point) <= ABOUT_MM for _, place in ways)
        return None if back or not gone or t - gone[0] < _ELSEWHERE_S else turned

    def _turned_before(self, seat: Seat, taking: Taking, home: float) -> float:
        """When a hand was home that turned round just before its row and was at a wall again.

        It had been quick with its tile, which it left at home: it went there for another one.
        """
        turned = self.turned(seat, taking)
        again = turned is not None and turned < home and self._came_again(seat, turned, home)
        return turned if turned is not None and again else home

    def _rests_short(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand that was quick with its tile came to where it rests, just before its row."""
        outside = self._outside_since(seat, t) if taking.due else None
        if outside is not None and t - outside >= _DUE_S:
            return max(outside, taking.t)
        came = self._table.brought_home(seat, taking.t)
        if came is None or t - came < _RESTS_S:
            return None
        rests = self._stays_near_row(seat, came, t) and self.is_still(seat, came, t)
        return came if rests else None

    def _stopped_short(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand that had looked at its tile on the way stopped again just before its row.

        It is known to a centimetre or two how far out it is, and nobody stops twice to look.
        """
        stops = self.stops(seat, taking, t)
        if len(stops) < 2 or offset_of(seat, stops[-1].point) < self._table.near_row:
            return None
        apart = distance(stops[-2].point, stops[-1].point) > ELSEWHERE_MM
        return stops[-1].came if apart else None

    def _before_it_laid(self, seat: Seat, taking: Taking, home: float | None) -> float | None:
        """When a hand came home, or was nearest to it where it laid another tile down since.

        What it discards or lays aside it has fetched at its row.
        """
        laid = [
            at[seat]
            for at in (self._table.discarded_at, self._table.aside_at)
            if at.get(seat, -1e9) > taking.t
        ]
        if not laid or (home is not None and home <= min(laid)):
            return home
        return self._nearest_home(seat, taking.t, min(laid))[1]

    def _before_next(self, seat: Seat, taking: Taking, home: float | None) -> float | None:
        """When a hand came home, or was nearest to it where it has fetched its next tile since.

        It was seen to be a little short of its row all that time.
        """
        later = self._stages.fetched_since(taking)
        if not later or (home is not None and home <= min(later)):
            return home
        offset, nearest = self._nearest_home(seat, taking.t, min(later))
        return nearest if offset >= self._table.near_row else home

    def _nearest_home(self, seat: Seat, since: float, until: float) -> tuple[float, float]:
        """How far out a hand was, mm, where it was nearest to its row, and when."""
        return self._table.arms.farthest(seat, since, until) or (0.0, since)
