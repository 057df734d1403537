"""Tiles that leave the wall, until they have arrived somewhere or are back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import Dwell, offset_of
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.in_place import InPlace
from table_controller.happenings.taking.reaches import Reaches
from table_controller.happenings.taking.returning import Returning
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.taking.spilling import Spilling
from table_controller.happenings.taking.stages import Stages, Taking
from table_controller.happenings.taking.staying import ABOUT_MM, ALONG_S, WAY_S, goes_along
from table_controller.happenings.taking.touching import Touching
from table_controller.happenings.wall.disturbances import Disturbances
from table_controller.happenings.wall.stacks import LiftedBack, StackChanged
from vision.sightings import Point

_LOST_S = 6.0
_HOME_S = 0.2
"""A hand that has been at its row so long, and stays away from the wall, has taken its tile."""
_LOOKED_S = 0.6
"""The same for one that was held before and may be looked at there, and put back."""
_HIDDEN_S = 2.5
"""So long it waits until the place is in sight again, if the hand went back there."""
_BACK_S = 1.0
"""What is put back is known so long after the hand was at its row; or it draws another tile."""
_COMING_S, _COMING_MM, _TOWARDS_MM = 0.3, 110.0, 20.0
"""A hand that has come so near from one look to the next, and by so much, may stop there."""
_ELSEWHERE_MM, _ELSEWHERE_S = 48.0, 0.4
"""A hand that has been so far from where it turned round, so long, looks at nothing there;
two stops so far apart are two."""
_UNSEEN_S = 2.5
_AT_ONCE_S = 0.15
"""What one reach takes leaves its places so close together."""
_DEALT = 13
"""So many tiles everybody has after the deal, the dealer one more."""


class Draws:
    """Follows tiles from the wall into the hands."""

    def __init__(
        self,
        table: Table,
        disturbances: Disturbances,
        rows: Rows,
        reserved: Callable[[Slot], bool],
        awaits: Callable[[Slot], bool],
    ) -> None:
        self._table = table
        self._reserved = reserved
        self._disturbances = disturbances
        self._rows = rows
        self._reaches = Reaches(table, rows, self._owed)
        self._touching = Touching(table, reserved, disturbances.straightening)
        self._stages = Stages(table, self._touching)
        self._spilling = Spilling(table, disturbances)
        self._returning = Returning(
            table, self._stages, self._reaches, disturbances, InPlace(table, reserved, awaits)
        )

    def clear(self) -> None:
        """A new hand begins."""
        self._reaches.clear()
        self._touching.clear()
        self._table.drawn_at.clear()
        self._table.discarded_at.clear()
        self._table.aside_at.clear()
        self._stages.clear()
        self._returning.clear()

    def pending(self) -> float | None:
        """Time of the earliest draw that is not told yet."""
        times = [taking.t for taking in self._stages.open if not taking.told]
        waiting = (self._reaches.pending(), self._returning.pending())
        return min([*times, *(since for since in waiting if since is not None)], default=None)

    def lower(self, change: StackChanged, t: float) -> None:
        """Tiles left a stack."""
        slots = change.slots
        if len(slots) > 1 and self._disturbances.straightening(slots[0].side, change.t):
            # A whole stack that stands beside its place is no longer felt: nobody took it.
            return
        if not self._returning.lower(change):
            self._reaches.add(change, t, singly=self._singly)

    def higher(self, change: StackChanged) -> None:
        """Tiles came back to a stack."""
        self._returning.higher(change)

    def put_back(self, change: LiftedBack) -> None:
        """Tiles were lifted and put back under a hand; only the sensors felt it."""
        self._returning.put_back(change)

    def _owed(self, seat: Seat, after: float) -> int | None:
        """How many tiles more a row has after a time than its player is known to have taken."""
        count = self._rows.counted(seat, after)
        if count is None:
            return None
        held = sum(len(taking.slots) for taking in self._stages.open if taking.seat == seat)
        return count - self._stages.taken_by(seat) - held

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for taken in self._reaches.ready(t, singly=self._singly):
            seat = None if taken.dwell is None else taken.dwell.seat
            if self._spilling.pushed(taken.slots, taken.since, taken.t):
                continue
            # It is known late what a hand took that hides the tile's place, or that of its tile.
            self._touching.holds(seat, taken.t)
            taking = Taking(
                seat,
                list(taken.slots),
                taken.t,
                taken.since,
                t,
                dwell=taken.dwell,
                emptied=taken.emptied,
                plain=taken.plain,
            )
            self._with_others(taking)
            self._stages.open.append(taking)
        self._unclaimed(t)
        self._returning.tick(t)
        # A hand that took two in one reach is back once: they are told as they left.
        for taking in sorted(self._stages.open, key=lambda each: each.emptied or each.t):
            self._follow(taking, t)
        self._stages.tick(t)
        held = [slot for taking in self._stages.open for slot in taking.slots]
        held += [gone.slot for gone in self._stages.gone]
        self._table.walls.hold(frozenset((slot.side, slot.stack) for slot in held))
        if self._singly:
            # While four tiles at a time are dealt hands lie on the wall before they take them.
            self._touching.tick(t, {taking.seat for taking in self._stages.open})

    def _with_others(self, taking: Taking) -> None:
        """A hand that has not been home with one tile took another."""
        seat = taking.seat
        for other in self._stages.open:
            if seat is None or other.seat != seat or other.told:
                continue
            home = self._table.home(seat, other.t)
            if home is None or home >= taking.t:
                other.together = taking.together = True
                self._touching.took_several(seat, (*other.slots, *taking.slots))

    @property
    def _singly(self) -> bool:
        """Whether all have their tiles: what is drawn now, also for flowers, is drawn singly."""
        return self._table.dealt or self._stages.taken > _DEALT * self._table.setup.players

    def _follow(self, taking: Taking, t: float) -> None:
        table = self._table
        if taking.slots and self._spilling.fallen(taking, t):
            self._stages.open.remove(taking)
            return
        if taking.seat is None:
            return
        home = table.home(taking.seat, taking.t, steady=bool(taking.told))
        if home is not None:
            home = table.stayed_home(taking.seat, taking.t, home, slow=bool(taking.told))
        else:
            # An arm may seem to rest far from its row; what joined the row has arrived.
            home = self._rows.joined(taking.seat, taking.since, taking.t, len(taking.slots))
        if home is None:
            home = self._turned_round(taking.seat, taking, t)
        if home is None and taking.told:
            home = self._stopped_short(taking.seat, taking, t)
        home = self._before_it_laid(taking.seat, taking, home)
        home = self._before_next(taking.seat, taking, home)
        self._stages.follow(taking, home, t)
        dead = bool(taking.told) and self._reserved(taking.slots[0])
        waits, most = (_LOOKED_S, _HIDDEN_S) if dead else (_HOME_S, _BACK_S)
        if taking.told and not dead:
            waits = self._after_a_slow_one(taking.seat, taking, home, t)
        if home is not None and t - home >= waits and not self._goes_back(taking, home, t, most):
            self._stages.tell(taking, "taken", home)
            self._stages.open.remove(taking)
            self._table.drawn_at[taking.seat] = home
        elif t - taking.t > _LOST_S:
            self._stages.tell(taking, "taken", taking.t)
            self._stages.open.remove(taking)

    def _after_a_slow_one(self, seat: Seat, taking: Taking, home: float | None, t: float) -> float:
        """How long a hand that was slow with its tile is waited for at its row, s."""
        if home is None:
            return ALONG_S
        waits = _LOOKED_S if self._may_look(seat, taking, home) else ALONG_S
        return ALONG_S + WAY_S if goes_along(self._table, seat, home, t) else waits

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

    def _stopped_short(self, seat: Seat, taking: Taking, t: float) -> float | None:
        """When a hand that had looked at its tile on the way stopped again just before its row.

        It is known to a centimetre or two how far out it is, and nobody stops twice to look.
        """
        stops = self._stops(seat, taking, t)
        if len(stops) < 2 or offset_of(seat, stops[-1].point) < self._table.near_row:
            return None
        apart = distance(stops[-2].point, stops[-1].point) > _ELSEWHERE_MM
        return stops[-1].came if apart else None

    def _may_look(self, seat: Seat, taking: Taking, home: float) -> bool:
        """Whether a hand that is home with a tile it was slow to take may look at it there.

        A tile of its own wall it looks at just before its row. Who stopped on the way has looked.
        """
        path = self._table.arms.path(seat, home, self._table.now)
        place = path[0].point if path else None
        if place is None:
            return False
        stops = self._stops(seat, taking, home)
        return all(distance(stop.point, place) <= _ELSEWHERE_MM for stop in stops)

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
        later = [
            other.dwell.came
            for other in self._stages.open
            if other.seat == seat and other.dwell is not None and other.dwell.came > taking.t
        ]
        if not later or (home is not None and home <= min(later)):
            return home
        offset, nearest = self._nearest_home(seat, taking.t, min(later))
        return nearest if offset >= self._table.near_row else home

    def _nearest_home(self, seat: Seat, since: float, until: float) -> tuple[float, float]:
        """How far out a hand was, mm, where it was nearest to its row, and when."""
        offsets = [
            (offset_of(seat, tip.point), tip.t)
            for tip in self._table.arms.path(seat, since, until)
            if tip.point is not None
        ]
        return max(offsets, default=(0.0, since))

    def _goes_back(self, taking: Taking, home: float, t: float, most: float) -> bool:
        """Whether the hand that drew is at the place of its tile again: it may put it back."""
        waited = t - home
        if not self._table.dealt or len(taking.slots) != 1 or waited >= _HIDDEN_S:
            return False
        slot = taking.slots[0]
        point = self._table.places.slot_point(slot)
        since, until = home + _HOME_S, min(t, home + most)
        visits = self._table.arms.visits(point, since, until, ABOUT_MM, slow=False, straight=False)
        left = max((visit.left for visit in visits if visit.seat == taking.seat), default=None)
        if left is None:
            return waited < most and self._comes(taking.seat, point, t)
        stack = self._table.walls.stacks[slot[:2]]
        tip = None if taking.seat is None else self._table.arms.tip(taking.seat)
        there = tip is not None and distance(tip, point) <= ABOUT_MM
        rises = stack.other is not None and stack.other > stack.height
        if waited < _BACK_S or there or rises:
            # What it left there may be hidden, or not seen for long enough to be believed.
            return True
        return waited < most and stack.seen <= left

    def _comes(self, seat: Seat | None, point: Point, t: float) -> bool:
        """Whether a hand that was at its row is on its way to a place of the wall."""
        if seat is None:
            return False
        path = self._table.arms.path(seat, t - _COMING_S, t)
        if not path or path[-1].point is None:
            return False
        ways = [distance(tip.point, point) for tip in path if tip.point is not None][-2:]
        return len(ways) == 2 and ways[1] <= min(_COMING_MM, ways[0] - _TOWARDS_MM)

    def _unclaimed(self, t: float) -> None:
        """Tiles that left a wall with nobody seen there: whose hand grew by them?"""
        nobody = [taking for taking in self._stages.open if taking.seat is None]
        for taking in nobody:
            if taking not in self._stages.open:
                continue
            waited = t - taking.noticed
            grown = {
                seat: self._grown(seat, taking)
                for seat in SEATS
                if not any(other.seat == seat for other in self._stages.open)
                and self._table.drawn_at.get(seat, -1e9) < taking.since
            }
            self._join(taking, grown)
            fitting = [seat for seat, by in grown.items() if by == len(taking.slots)]
            if len(fitting) != 1 and not self._table.dealt:
                fitting = self._lacking(taking)
            if len(fitting) == 1 and waited > 0.3:
                taking.seat = fitting[0]
            elif waited > _UNSEEN_S:
                # It is gone for certain only if its stack has stayed lower all the time.
                self._stages.open.remove(taking)
                slots = [slot for slot in taking.slots if self._table.walls.empty(slot)]
                if slots and self._reached(taking):
                    taking.slots = slots
                    self._stages.tell(taking, "taken", taking.t + 0.3)

    def _lacking(self, taking: Taking) -> list[Seat]:
        """Whose row has as many tiles too many as left unseen, once all other grabs are known.

        In the deal the rows of all grow by as many, one after the other.
        """
        if self._reaches.waiting():
            return []
        players = SEATS[: self._table.setup.players]
        drawn = {seat: self._table.drawn_at.get(seat, -1e9) for seat in players}
        owed = {seat: self._owed(seat, max(taking.t, drawn[seat])) for seat in players}
        if any(by is None or by not in (0, len(taking.slots)) for by in owed.values()):
            return []
        return [seat for seat, by in owed.items() if by]

    def _join(self, taking: Taking, grown: Mapping[Seat, int | None]) -> None:
        """Tiles that left at the same time, where one row grew by as many: one reach took them."""
        mates = [
            other
            for other in self._stages.open
            if other is not taking and other.seat is None and abs(other.t - taking.t) <= _AT_ONCE_S
        ]
        slots = [slot for each in (taking, *mates) for slot in each.slots]
        if mates and len(slots) in grown.values():
            taking.slots = slots
            taking.since = min(each.since for each in (taking, *mates))
            self._stages.open = [each for each in self._stages.open if each not in mates]

    def _grown(self, seat: Seat, taking: Taking) -> int | None:
        """By how many tiles a row grew by what left unseen: in play one may be discarded since."""
        if not self._table.dealt:
            return self._rows.growth(seat, taking.since, taking.t)
        rests = self._rows.rests(seat, taking.since, taking.t)
        if rests is None:
            return None
        (was, before), (now, after) = rests
        threw = was < self._table.discarded_at.get(seat, -1e9) <= now
        drew = was < self._table.drawn_at.get(seat, -1e9) <= now
        return after - before + threw - drew

    def _reached(self, taking: Taking) -> bool:
        """Whether a sensor or a hand that stopped there says so too, or nobody looked."""
        table = self._table
        since, until = taking.since - 0.5, taking.t + 0.3
        near = table.setup.patience.near_mm
        return (
            taking.emptied is not None
            or table.arms.unwatched(since, until)
            or any(
                table.arms.visits(table.places.slot_point(slot), since, until, near)
                for slot in taking.slots
            )
        )
