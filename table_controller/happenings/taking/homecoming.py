"""Whether a hand that is home with a tile it drew has come to stay, or puts that back."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import offset_of
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.arriving import ELSEWHERE_MM, Arriving
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
_COMING_S, _COMING_MM, _TOWARDS_MM = 0.3, 110.0, 20.0
"""A hand that has come so near from one look to the next, and by so much, may stop there."""


class Homecoming:
    """Watches hands at their rows.

    Args:
        table: the shared state.
        arriving: when they came there.
        stages: the draws that are not done yet.
        reserved: whether hands come to a slot for other reasons, and may look at what they hold.
    """

    def __init__(
        self,
        table: Table,
        arriving: Arriving,
        stages: Stages,
        reserved: Callable[[Slot], bool],
    ) -> None:
        self._table = table
        self._arriving = arriving
        self._stages = stages
        self._reserved = reserved

    def stays(self, seat: Seat, taking: Taking, home: float, t: float) -> bool:
        """Whether a hand that came home has been there long enough, and puts nothing back."""
        dead = bool(taking.told) and self._reserved(taking.slots[0])
        waits, most = (_LOOKED_S, _HIDDEN_S) if dead else (_HOME_S, _BACK_S)
        if taking.told and not dead:
            waits = self._after_a_slow_one(seat, taking, home, t)
        if not self._table.dealt and len(taking.slots) > 1:
            # Who lifts a grab to look at it stops before his row, too.
            grown = self._arriving.joined(seat, taking)
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
        away = min((stop.came for stop in self._arriving.stops(seat, taking, home)), default=home)
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
        if not self._single(taking) or taking.due or self._stages.fetched_since(taking):
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
        return (
            self._single(taking)
            and bool(taking.told)
            and not self._stages.fetched_since(taking)
            and self._arriving.joined(seat, taking) is None
        )

    def _single(self, taking: Taking) -> bool:
        """Whether it is one tile, drawn in play by a hand that was home between it and others."""
        return self._table.dealt and len(taking.slots) == 1 and not taking.together

    def _holds(self, seat: Seat, taking: Taking, t: float) -> bool:
        """Whether a hand may still hold its grab: it is before its row, or goes back with it."""
        tip, point = self._table.arms.tip(seat), self._table.places.slot_point(taking.slots[0])
        if tip is None:
            return False
        near = offset_of(seat, tip) >= self._table.near_row or distance(tip, point) <= ABOUT_MM
        return near or self._comes(seat, point, t)

    def _after_a_slow_one(self, seat: Seat, taking: Taking, home: float, t: float) -> float:
        """How long a hand that was slow with its tile is waited for at its row, s."""
        waits = ALONG_S
        if self._may_look(seat, taking, home):
            waits = _STANDS_S if self._stands(seat, home) else _LOOKED_S
        return ALONG_S + WAY_S if goes_along(self._table, seat, home, t) else waits

    def _stands(self, seat: Seat, home: float) -> bool:
        """Whether a hand that is home does not move."""
        now = self._table.now
        return self._arriving.is_still(seat, max(home, now - _STILL_S), now)

    def _may_look(self, seat: Seat, taking: Taking, home: float) -> bool:
        """Whether a hand that is home with a tile it was slow to take may look at it there.

        A tile of its own wall it looks at just before its row. Who stopped on the way has looked.
        """
        path = self._table.arms.path(seat, home, self._table.now)
        place = path[0].point if path else None
        if place is None:
            return False
        stops = [stop.point for stop in self._arriving.stops(seat, taking, home)]
        if taking.looked is not None:
            # He may have looked at it close to its place, where a stop counts for none on the way.
            looks = self._table.arms.path(seat, taking.looked, taking.looked)
            stops += [tip.point for tip in looks if tip.point is not None]
        return all(distance(stop, place) <= ELSEWHERE_MM for stop in stops)

    def _goes_back(self, seat: Seat, taking: Taking, home: float, t: float, most: float) -> bool:
        """Whether the hand that drew is at the place of its tile again: it may put it back."""
        waited = t - home
        if not self._table.dealt or len(taking.slots) != 1 or waited >= _HIDDEN_S:
            return False
        if self._arriving.joined(seat, taking) is not None:
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
