"""When a hand that drew a tile is home with it, and whether it has come to stay."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from statistics import fmean

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import offset_of
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.taking.stages import Stages, Taking
from table_controller.happenings.taking.staying import (
    ABOUT_MM,
    ALONG_S,
    TOUCH_MM,
    WAY_S,
    goes_along,
    paused,
    stay_about,
)
from vision.sightings import Point

_HOME_S = 0.2
"""A hand that has been at its row so long, and stays away from the wall, has taken its tile."""
_LOOKED_S = 0.6
"""The same for one that was held before and may be looked at there, and put back."""
_STANDS_S, _STILL_S = 0.85, 0.35
"""The same for one that does not move there any more: it looks at its tile, or it rests."""
_LAID_S = 0.3
"""A hand that had looked at its tile and was over its place again so long laid it down there."""
_THERE_S = 0.25
"""A hand that comes back to the place of its tile for so long had lifted it there."""
_JOINED_S = 1.0
"""So long a grab is waited for at a row that has not grown by it yet: it may be put back."""
_HIDDEN_S = 2.5
"""So long it waits until the place is in sight again, if the hand went back there."""
_BACK_S = 1.0
"""What is put back is known so long after the hand was at its row; or it draws another tile."""
_BARED_S = 0.5
"""So long a place is waited for that a hand has left again, until it is in sight."""
_RESTS_S = 0.7
"""A hand that rests so long just before its row, without having been slow, has come home."""
_CREEPS_S = 2.5
"""So long at most a hand that is at its row seems to come to it."""
_DUE_S = 0.5
"""One that draws in its turn is home when it stays half way to its row for so long: where it looks
at its tile says nothing then."""
_RESTED_MM = 24.0
"""Fingertips that rest are seen no farther apart."""
_COMING_S, _COMING_MM, _TOWARDS_MM = 0.3, 110.0, 20.0
"""A hand that has come so near from one look to the next, and by so much, may stop there."""
_ELSEWHERE_MM, _ELSEWHERE_S = 48.0, 0.4
"""A hand that has been so far from where it turned round, so long, looks at nothing there;
two stops so far apart are two."""


class Homecoming:
    """Watches hands on their way from the wall to their rows.

    Args:
        table: the shared state.
        rows: what stands in front of the players.
        stages: the draws that are not done yet.
        reserved: whether hands come to a slot for other reasons, and may look at what they hold.
    """

    def __init__(
        self, table: Table, rows: Rows, stages: Stages, reserved: Callable[[Slot], bool]
    ) -> None:
        self._table = table
        self._rows = rows
        self._stages = stages
        self._reserved = reserved

    def home(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand was home with what it took; None while it is not."""
        table = self._table
        home = table.home(seat, taking.t, steady=bool(taking.told))
        joined = self._joined(seat, taking)
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

    def stays(self, seat: Seat, taking: Taking, home: float, t: float) -> bool:
        """Whether a hand that came home has been there long enough, and puts nothing back."""
        dead = bool(taking.told) and self._reserved(taking.slots[0])
        waits, most = (_LOOKED_S, _HIDDEN_S) if dead else (_HOME_S, _BACK_S)
        if taking.told and not dead:
            waits = self._after_a_slow_one(seat, taking, home, t)
        if not self._table.dealt and len(taking.slots) > 1:
            # Who lifts a grab to look at it stops before his row, too.
            grown = self._joined(seat, taking)
            if grown is None and t - home < _HIDDEN_S and self._holds(seat, taking, t):
                return False
            waits = _JOINED_S if grown is None else waits
        if t - home < waits:
            return False
        # Who goes back to the wall and takes another tile has not come to put this one back.
        kept = taking.together or bool(self._stages.fetched_since(taking))
        return kept or not self._goes_back(seat, taking, home, t, most)

    def laid_back(self, seat: Seat, taking: Taking, home: float) -> float | None:
        """When a hand laid the tile it had looked at down again, which it took home in the end.

        Its arm hides the tile all the time; nobody carries one that he keeps back to its place.
        """
        looked = "seen" in taking.told and len(taking.slots) == 1
        if not looked or self._stages.fetched_since(taking):
            return None
        point = self._table.places.slot_point(taking.slots[0])
        away = min((stop.came for stop in self._stops(seat, taking, home)), default=home)
        there = [
            tip.t
            for tip in self._table.arms.path(seat, away, home)
            if tip.point is not None and distance(tip.point, point) <= ABOUT_MM
        ]
        return there[0] if there and there[-1] - there[0] >= _LAID_S - 1e-6 else None

    def put_down(self, seat: Seat, taking: Taking, home: float | None) -> float | None:
        """When a hand was last at the place where it may have put down what it looked at at home.

        It came back there from its row, where it had stood with it, and stayed: it took that very
        tile again, if the place is bare (:meth:`bare`). Who discards something goes farther in.
        """
        if home is None or not self._may_put_down(seat, taking):
            return None
        table, slot = self._table, taking.slots[0]
        point = table.places.slot_point(slot)
        path = [(tip.t, tip.point) for tip in table.arms.path(seat, home, table.now) if tip.point]
        near = [at for at, tip in path if distance(tip, point) <= ABOUT_MM]
        if not near:
            return None
        came, left = stay_about(table, seat, slot, near[0])
        inmost = offset_of(seat, point) - TOUCH_MM
        past = any(offset_of(seat, tip) < inmost for at, tip in path if at <= left)
        if came <= home or left - came < _LAID_S - 1e-6 or past:
            return None
        long_ago = table.now - left >= _BARED_S or table.now - home >= _HIDDEN_S
        if long_ago and not self.bare(taking, left):
            return None
        looked = paused(table, seat, slot, taking.t, came, held=True)
        return None if looked is None else left

    def comes_back(self, seat: Seat, taking: Taking, t: float) -> bool:
        """Whether a hand that had gone with a tile out of its turn is at the tile's place again.

        It has not been home between: it had lifted the tile, and puts it back.
        """
        single = self._table.dealt and len(taking.slots) == 1 and not taking.together
        if not single or taking.due or self._stages.fetched_since(taking):
            return False
        point = self._table.places.slot_point(taking.slots[0])
        gone, back = False, None
        for tip in self._table.arms.path(seat, taking.t, t):
            if tip.point is None or distance(tip.point, point) > ABOUT_MM:
                gone, back = True, None
            elif gone:
                back = tip.t if back is None else back
        return back is not None and t - back >= _THERE_S

    def bare(self, taking: Taking, since: float) -> bool:
        """Whether the place of a tile has been in sight since a time, and the tile is not there."""
        stack = self._table.walls.stacks[taking.slots[0][:2]]
        rises = stack.other is not None and stack.other > stack.height
        return stack.seen > since and not rises

    def _may_put_down(self, seat: Seat, taking: Taking) -> bool:
        """Whether a hand was slow to take one tile, which is neither in its row nor one of two."""
        single = self._table.dealt and len(taking.slots) == 1 and not taking.together
        return (
            single
            and bool(taking.told)
            and not self._stages.fetched_since(taking)
            and self._joined(seat, taking) is None
        )

    def _joined(self, seat: Seat, taking: Taking) -> float | None:
        """When as many tiles more stood in a row as its player took."""
        return self._rows.joined(seat, taking.since, taking.t, len(taking.slots))

    def _came_again(self, seat: Seat, joined: float, home: float) -> bool:
        """Whether a hand had been a little short of its row, and at a wall since, until home."""
        wall = self._table.places.geometry.wall.offset
        return any(
            tip.point is not None and offset_of(seat, tip.point) <= wall
            for tip in self._table.arms.path(seat, joined, home)
        )

    def _holds(self, seat: Seat, taking: Taking, t: float) -> bool:
        """Whether a hand may still hold its grab: it is before its row, or goes back with it."""
        tip, point = self._table.arms.tip(seat), self._table.places.slot_point(taking.slots[0])
        if tip is None:
            return False
        near = offset_of(seat, tip) >= self._table.near_row or distance(tip, point) <= ABOUT_MM
        return near or self._comes(seat, point, t)

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
        gone = [at for at, place in ways if distance(place, ways[0][1]) > _ELSEWHERE_MM]
        back = any(distance(place, point) <= ABOUT_MM for _, place in ways)
        return None if back or not gone or t - gone[0] < _ELSEWHERE_S else turned

    def _turned_before(self, seat: Seat, taking: Taking, home: float) -> float:
        """When a hand was home that turned round just before its row and was at a wall again.

        It had been quick with its tile, which it left at home: it went there for another one.
        """
        turned = self.turned(seat, taking)
        again = turned is not None and turned < home and self._came_again(seat, turned, home)
        return turned if turned is not None and again else home

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

    def _rests_short(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand that was quick with its tile came to where it rests, just before its row."""
        outside = self._outside_since(seat, t)
        if taking.due and outside is not None and t - outside >= _DUE_S:
            return max(outside, taking.t)
        came = self._table.brought_home(seat, taking.t)
        if came is None or t - came < _RESTS_S:
            return None
        rests = self._stays_near_row(seat, came, t) and self._is_still(seat, came, t)
        return came if rests else None

    def _stopped_short(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand that had looked at its tile on the way stopped again just before its row.

        It is known to a centimetre or two how far out it is, and nobody stops twice to look.
        """
        stops = self._stops(seat, taking, t)
        if len(stops) < 2 or offset_of(seat, stops[-1].point) < self._table.near_row:
            return None
        apart = distance(stops[-2].point, stops[-1].point) > _ELSEWHERE_MM
        return stops[-1].came if apart else None

    def _stops(self, seat: Seat, taking: Taking, until: float) -> list[Dwell]:
        """Where a hand stopped with a tile since it left the wall, oldest first."""
        point = self._table.places.slot_point(taking.slots[0])
        return [
            stop
            for stop in self._table.arms.dwells(taking.t, until)
            if stop.seat == seat and distance(stop.point, point) > ABOUT_MM
        ]

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

    def _after_a_slow_one(self, seat: Seat, taking: Taking, home: float, t: float) -> float:
        """How long a hand that was slow with its tile is waited for at its row, s."""
        waits = ALONG_S
        if self._may_look(seat, taking, home):
            waits = _STANDS_S if self._stands(seat, home) else _LOOKED_S
        return ALONG_S + WAY_S if goes_along(self._table, seat, home, t) else waits

    def _stands(self, seat: Seat, home: float) -> bool:
        """Whether a hand that is home does not move."""
        now = self._table.now
        return self._is_still(seat, max(home, now - _STILL_S), now)

    def _is_still(self, seat: Seat, since: float, until: float) -> bool:
        """Whether a hand was seen in a time, and at one place only."""
        path = self._table.arms.path(seat, since, until)
        points = [tip.point for tip in path if tip.point is not None]
        still = all(distance(point, points[0]) <= _RESTED_MM for point in points)
        return bool(points) and still

    def _may_look(self, seat: Seat, taking: Taking, home: float) -> bool:
        """Whether a hand that is home with a tile it was slow to take may look at it there.

        A tile of its own wall it looks at just before its row. Who stopped on the way has looked.
        """
        path = self._table.arms.path(seat, home, self._table.now)
        place = path[0].point if path else None
        if place is None:
            return False
        stops = [stop.point for stop in self._stops(seat, taking, home)]
        if taking.looked is not None:
            # He may have looked at it close to its place, where a stop counts for none on the way.
            looks = self._table.arms.path(seat, taking.looked, taking.looked)
            stops += [tip.point for tip in looks if tip.point is not None]
        return all(distance(stop, place) <= _ELSEWHERE_MM for stop in stops)

    def _goes_back(self, seat: Seat, taking: Taking, home: float, t: float, most: float) -> bool:
        """Whether the hand that drew is at the place of its tile again: it may put it back."""
        waited = t - home
        if not self._table.dealt or len(taking.slots) != 1 or waited >= _HIDDEN_S:
            return False
        if self._joined(seat, taking) is not None:
            # What stands in the row is not in the hand.
            return False
        slot = taking.slots[0]
        point = self._table.places.slot_point(slot)
        since, until = home + _HOME_S, min(t, home + most)
        visits = self._table.arms.visits(point, since, until, ABOUT_MM, slow=False, straight=False)
        left = max((visit.left for visit in visits if visit.seat == seat), default=None)
        if left is None:
            return waited < most and self._comes(seat, point, t)
        stack = self._table.walls.stacks[slot[:2]]
        tip = self._table.arms.tip(seat)
        there = tip is not None and distance(tip, point) <= ABOUT_MM
        rises = stack.other is not None and stack.other > stack.height
        if waited < _BACK_S or there or rises:
            # What it left there may be hidden, or not seen for long enough to be believed.
            return True
        return stack.seen <= left and (waited < most or t - left < _BARED_S)

    def _comes(self, seat: Seat, point: Point, t: float) -> bool:
        """Whether a hand that was at its row is on its way to a place of the wall."""
        path = self._table.arms.path(seat, t - _COMING_S, t)
        if not path or path[-1].point is None:
            return False
        ways = [distance(tip.point, point) for tip in path if tip.point is not None][-2:]
        return len(ways) == 2 and ways[1] <= min(_COMING_MM, ways[0] - _TOWARDS_MM)
