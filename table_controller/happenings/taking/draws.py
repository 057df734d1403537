"""Tiles that leave the wall, until they have arrived somewhere or are back."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.domain.happenings import Seat, Slot, TileDrawn, TileReturned
from table_controller.happenings.looks.arms import LUNGE_MM, offset_of
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.in_place import Handled, InPlace
from table_controller.happenings.taking.reaches import Reaches
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.taking.spilling import Spilling
from table_controller.happenings.taking.stages import IN_PLACE, LIFT_S, Gone, Stages, Taking
from table_controller.happenings.taking.staying import ABOUT_MM, SETTLED_S
from table_controller.happenings.taking.touching import Touching
from table_controller.happenings.wall.disturbances import Disturbances
from table_controller.happenings.wall.removals import Removal
from table_controller.happenings.wall.stacks import LiftedBack, StackChanged
from vision.sightings import Point

_LOST_S = 6.0
_HOME_S = 0.2
"""A hand that has been at its row so long, and stays away from the wall, has taken its tile."""
_LOOKED_S = 0.6
"""The same for one of the dead wall that was held before: it may be looked at and put back."""
_HIDDEN_S = 2.5
"""So long it waits until the place is in sight again, if the hand went back there."""
_BACK_S = 1.0
"""What is put back is known so long after the hand was at its row; or it draws another tile."""
_COMING_S, _COMING_MM, _TOWARDS_MM = 0.3, 110.0, 20.0
"""A hand that has come so near from one look to the next, and by so much, may stop there."""
_UNSEEN_S = 2.5
_AWAY_S = 0.3
"""A tile that is seen to be away for so long was away."""
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
        self._open: list[Taking] = []
        self._touching = Touching(table, reserved, disturbances.straightening)
        self._stages = Stages(table, self._touching)
        self._spilling = Spilling(table, disturbances)
        self._in_place = InPlace(table, reserved, awaits)

    def clear(self) -> None:
        """A new hand begins."""
        self._open.clear()
        self._reaches.clear()
        self._touching.clear()
        self._table.drawn_at.clear()
        self._table.discarded_at.clear()
        self._stages.clear()

    def pending(self) -> float | None:
        """Time of the earliest draw that is not told yet."""
        times = [taking.t for taking in self._open if not taking.told]
        waiting = self._reaches.pending()
        return min(times if waiting is None else [*times, waiting], default=None)

    def lower(self, change: StackChanged, t: float) -> None:
        """Tiles left a stack."""
        slots = change.slots
        if len(slots) > 1 and self._disturbances.straightening(slots[0].side, change.t):
            # A whole stack that stands beside its place is no longer felt: nobody took it.
            return
        self._reaches.add(change, t, singly=self._singly)

    def higher(self, change: StackChanged) -> None:
        """Tiles came back to a stack."""
        slots = []
        for slot in change.slots:
            removal = self._reaches.back(slot)
            if removal is not None:
                self._regretted(removal, change)
            elif self._table.spilled.pop(slot, None) is None:
                slots.append(slot)
        if not slots:
            return
        for taking in list(self._open):
            back = [slot for slot in slots if slot in taking.slots]
            if not back:
                continue
            seat = change.by if change.by is not None else taking.seat
            if seat is not None and not taking.told:
                taking.seat = seat
                self._stages.tell(taking, "lifted", taking.t)
            self._stages.taken_home(taking, change.since)
            self._brought(seat, back, change)
            for slot in back:
                taking.slots.remove(slot)
            if not taking.slots:
                self._open.remove(taking)
            return
        if self._disturbances.straightening(slots[0].side, change.t):
            # Stacks that were missed while they lay askew stand again.
            return
        # Whoever took it a moment ago brings it back, if that cannot be seen otherwise.
        takers = [gone for gone in self._stages.gone if gone.slot in slots]
        if takers and change.by is None and self._played_on(takers[-1], change):
            self._table.walls.presume_taken(self._table.walls.stacks[takers[-1].slot[:2]])
            return
        by = change.by if change.by is not None or not takers else takers[-1].seat
        self._brought(by, slots, change)

    def _played_on(self, gone: Gone, change: StackChanged) -> bool:
        """Whether a tile only seems back: its taker discarded, and no hand was there since."""
        table = self._table
        if gone.seat is None or table.discarded_at.get(gone.seat, -1e9) <= gone.t:
            return False
        point, since, until = table.places.slot_point(gone.slot), gone.t + _HOME_S, change.until
        return not (
            table.arms.unwatched(since, until)
            or table.arms.visits(point, since, until, ABOUT_MM, slow=False)
            or table.arms.lunges(point, since, until, LUNGE_MM)
        )

    def _owed(self, seat: Seat, after: float) -> int | None:
        """How many tiles more a row has after a time than its player is known to have taken."""
        count = self._rows.counted(seat, after)
        if count is None:
            return None
        held = sum(len(taking.slots) for taking in self._open if taking.seat == seat)
        return count - self._stages.taken_by(seat) - held

    def _regretted(self, removal: Removal, change: StackChanged) -> None:
        """A tile is back before it was known whose it was: told if one hand was there both times.

        Otherwise the eye had been wrong about the height.
        """
        table, slot = self._table, removal.slot
        point, near = table.places.slot_point(slot), table.setup.patience.near_mm
        seat = table.arms.who(point, removal.since, removal.until, near)
        if (
            seat is None
            or change.by != seat
            or not table.dealt
            or change.t - removal.t < _AWAY_S
            or self._disturbances.straightening(slot.side, change.t)
        ):
            return
        lifted = LiftedBack((slot,), removal.t, change.t)
        self._stages.follow(self._given_up(seat, lifted), None, change.t, held=True)
        self._brought(seat, [slot], change)

    def _brought(self, seat: Seat | None, slots: list[Slot], change: StackChanged) -> None:
        """Tiles are seen on the wall again: the hand that brought them did not take the next."""
        if seat is not None:
            self._reaches.put_back(seat, slots, change.since, change.until)
        self._return(seat, slots, change.t)

    def _busy(self, slot: Slot, until: float) -> bool:
        """Whether something is known already of what became of a tile by then."""
        known = [(other, taking.since) for taking in self._open for other in taking.slots]
        known += self._reaches.waiting() + [(gone.slot, gone.since) for gone in self._stages.gone]
        return any(
            slot[:2] == other[:2] and since <= until for other, since in known
        ) or self._disturbances.straightening(slot.side, self._table.now)

    def _handled(self, handled: Handled) -> None:
        """A tile was lifted where it stands, and put back."""
        if self._touching.returned(handled.seat) >= handled.came:
            return
        self._touching.lifted_beside(handled.seat, handled.slot, handled.came)
        self._touching.say(handled.seat, left=True)
        self._stages.in_place(handled)
        self._return(handled.seat, [handled.slot], handled.back, IN_PLACE)

    def put_back(self, change: LiftedBack) -> None:
        """Tiles were lifted and put back under a hand; only the sensors felt it."""
        table = self._table
        if self._disturbances.straightening(change.slots[0].side, change.back):
            # Stacks that were pushed out of line stand in it again.
            for slot in change.slots:
                self._reaches.back(slot)
            return
        before = [taking for taking in self._open if set(taking.slots) & set(change.slots)]
        self._open = [taking for taking in self._open if taking not in before]
        near = table.setup.patience.near_mm
        seats = [
            visit.seat
            for slot in change.slots
            for visit in table.arms.visits(
                table.places.slot_point(slot), change.lifted, change.back, near
            )[:1]
        ]
        seat = max(set(seats), key=lambda each: (seats.count(each), -each), default=None)
        # What was told as taken has been lifted before.
        taken = any(gone.slot in change.slots for gone in self._stages.gone)
        if seat is not None:
            if len(change.slots) == 1 and not taken:
                # How far a draw went counts, also when the tile is put back in the end.
                taking = before[0] if before else self._given_up(seat, change)
                self._stages.follow(taking, None, change.back, held=True)
            self._reaches.put_back(seat, change.slots, change.lifted, change.back)
        # Sensors of several stacks do not err at one moment.
        sure = 0.995 if len({slot.stack for slot in change.slots}) > 1 else 0.97
        if not taken and not self._stages.lifted(change.slots, change.lifted - 1.0):
            table.emit(
                TileDrawn(
                    t=change.lifted + LIFT_S,
                    seat=seat,
                    slots=change.slots,
                    stage="lifted",
                    confidence=sure,
                )
            )
        self._return(seat, list(change.slots), change.back, sure)

    def _given_up(self, seat: Seat, change: LiftedBack) -> Taking:
        """The draw of a tile that was put back before it was known whose it was."""
        point = self._table.places.slot_point(change.slots[0])
        dwells = [
            dwell
            for dwell in self._table.arms.dwells(change.lifted - SETTLED_S, change.lifted + LIFT_S)
            if dwell.seat == seat and distance(dwell.point, point) <= ABOUT_MM
        ]
        return Taking(
            seat,
            list(change.slots),
            t=change.lifted,
            since=change.lifted,
            noticed=change.back,
            dwell=max(dwells, key=lambda dwell: dwell.came, default=None),
            emptied=change.lifted,
        )

    def _return(self, seat: Seat | None, slots: list[Slot], t: float, sure: float = 0.9) -> None:
        if seat is None:
            # Nobody was there: the eye had been wrong about the height before.
            return
        self._touching.put_back(seat, t)
        self._stages.brought_back(slots)
        self._table.emit(TileReturned(t=t, seat=seat, slots=tuple(slots), confidence=sure))

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for taken in self._reaches.ready(t, singly=self._singly):
            seat = None if taken.dwell is None else taken.dwell.seat
            if self._spilling.pushed(taken.slots, taken.since, taken.t):
                continue
            self._open.append(
                Taking(
                    seat,
                    list(taken.slots),
                    taken.t,
                    taken.since,
                    t,
                    dwell=taken.dwell,
                    emptied=taken.emptied,
                    plain=taken.plain,
                )
            )
        self._unclaimed(t)
        for handled in self._in_place.tick(t, self._busy):
            self._handled(handled)
        # A hand that took two in one reach is back once: they are told as they left.
        for taking in sorted(self._open, key=lambda each: each.emptied or each.t):
            self._follow(taking, t)
        self._stages.tick(t)
        held = [slot for taking in self._open for slot in taking.slots]
        held += [gone.slot for gone in self._stages.gone]
        self._table.walls.hold(frozenset((slot.side, slot.stack) for slot in held))
        if self._singly:
            # While four tiles at a time are dealt hands lie on the wall before they take them.
            self._touching.tick(t, {taking.seat for taking in self._open})

    @property
    def _singly(self) -> bool:
        """Whether all have their tiles: what is drawn now, also for flowers, is drawn singly."""
        return self._table.dealt or self._stages.taken > _DEALT * self._table.setup.players

    def _follow(self, taking: Taking, t: float) -> None:
        table = self._table
        if taking.slots and self._spilling.fallen(taking, t):
            self._open.remove(taking)
            return
        if taking.seat is None:
            return
        home = table.home(taking.seat, taking.t)
        if home is None:
            # An arm may seem to rest far from its row; what joined the row has arrived.
            home = self._rows.joined(taking.seat, taking.since, taking.t, len(taking.slots))
        home = self._before_discard(taking.seat, taking, home)
        self._stages.follow(taking, home, t)
        looks = bool(taking.told) and self._reserved(taking.slots[0])
        waits, most = (_LOOKED_S, _HIDDEN_S) if looks else (_HOME_S, _BACK_S)
        if home is not None and t - home >= waits and not self._goes_back(taking, home, t, most):
            self._stages.tell(taking, "taken", home)
            self._open.remove(taking)
            self._table.drawn_at[taking.seat] = home
        elif t - taking.t > _LOST_S:
            self._stages.tell(taking, "taken", taking.t)
            self._open.remove(taking)

    def _before_discard(self, seat: Seat, taking: Taking, home: float | None) -> float | None:
        """When a hand came home, or was nearest to it where it has discarded since."""
        discarded = self._table.discarded_at.get(seat, -1e9)
        if discarded <= taking.t or (home is not None and home <= discarded):
            return home
        offsets = [
            (offset_of(seat, tip.point), tip.t)
            for tip in self._table.arms.path(seat, taking.t, discarded)
            if tip.point is not None
        ]
        return max(offsets, default=(0.0, taking.t))[1]

    def _goes_back(self, taking: Taking, home: float, t: float, most: float) -> bool:
        """Whether the hand that drew is at the place of its tile again: it may put it back."""
        waited = t - home
        if not self._table.dealt or len(taking.slots) != 1 or waited >= _HIDDEN_S:
            return False
        slot = taking.slots[0]
        point = self._table.places.slot_point(slot)
        since, until = home + _HOME_S, min(t, home + most)
        visits = self._table.arms.visits(point, since, until, ABOUT_MM, slow=False)
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
        path = [tip.point for tip in self._table.arms.path(seat, t - _COMING_S, t) if tip.point]
        ways = [distance(tip, point) for tip in path[-2:]]
        return len(ways) == 2 and ways[1] <= min(_COMING_MM, ways[0] - _TOWARDS_MM)

    def _unclaimed(self, t: float) -> None:
        """Tiles that left a wall with nobody seen there: whose hand grew by them?"""
        nobody = [taking for taking in self._open if taking.seat is None]
        for taking in nobody:
            waited = t - taking.noticed
            grown = {
                seat: self._grown(seat, taking)
                for seat in SEATS
                if not any(other.seat == seat for other in self._open)
                and self._table.drawn_at.get(seat, -1e9) < taking.since
            }
            fitting = [seat for seat, by in grown.items() if by == len(taking.slots)]
            if len(fitting) == 1 and waited > 0.3:
                taking.seat = fitting[0]
            elif waited > _UNSEEN_S:
                # It is gone for certain only if its stack has stayed lower all the time.
                self._open.remove(taking)
                slots = [slot for slot in taking.slots if self._table.walls.empty(slot)]
                if slots and self._reached(taking):
                    taking.slots = slots
                    self._stages.tell(taking, "taken", taking.t + 0.3)

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
