"""Tiles that leave the wall and come back to it: the stages of a draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from table_controller.domain.happenings import DrawStage, Seat, Slot, TileDrawn, TileReturned
from table_controller.happenings.arms import HELD_MM, Dwell
from table_controller.happenings.disturbances import Disturbances
from table_controller.happenings.in_place import Handled, InPlace
from table_controller.happenings.places import SEATS, Area, distance
from table_controller.happenings.reaches import Growth, Reaches
from table_controller.happenings.rests import Rest
from table_controller.happenings.stacks import LiftedBack, StackChanged
from table_controller.happenings.staying import ABOUT_MM, SETTLED_S, lingered, paused, rests, stay
from table_controller.happenings.table import Table
from table_controller.happenings.touching import Touching
from vision.sightings import Posture

_ORDINARY_S = 1.6
"""A tile that is not with the others so long after it left the wall is being looked at."""
_LIFT_S = 0.1
_SPILL_MM, _FALLEN_S = 110.0, 1.5
"""A tile that was not taken but pushed off its wall lies so near to it, so soon after."""
_LIES_THERE_MM = 20.0
"""What lies nearer to its slot has not fallen: it is being taken or put back."""
_LOST_S = 6.0
_UNSEEN_S = 2.5
_STRAIGHT_S = 3.0
"""A wall in which no stack was seen askew for so long is straight again."""
_SURE, _TAKEN_SURE, _PLAIN_SURE = 0.99, 0.998, 0.9995
"""Of 2,900 draws on pictures ten were told wrong, most of them by a mistaken layer; of 3,254
single tiles told as taken in play since then three were another, or not taken for good; of the
grabs of the deal that left no doubt none was another."""
_IN_PLACE = 0.9
"""How sure a tile is that was lifted and put back where it stood."""
_REGRETTED_S = 4.0
"""So long after it was taken a tile is brought back by somebody who should not have drawn."""
_DEALT = 13
"""So many tiles everybody has after the deal, the dealer one more."""

Joined = Callable[[Seat, float, float, int], float | None]
"""When so many tiles more stood in a hand: seat, time before, time after, how many."""


@dataclass(slots=True)
class Taking:
    """Tiles that left the wall in one reach and have not arrived anywhere yet."""

    seat: Seat | None
    slots: list[Slot] = field(default_factory=list)
    t: float = 0.0
    since: float = 0.0
    noticed: float = 0.0
    told: set[DrawStage] = field(default_factory=set)
    dwell: Dwell | None = None
    emptied: float | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """A tile that was told as taken a moment ago, and since when it may have been gone."""

    slot: Slot
    since: float
    t: float
    seat: Seat | None


class Draws:
    """Follows tiles from the wall into the hands."""

    def __init__(
        self,
        table: Table,
        disturbances: Disturbances,
        growth: Growth,
        joined: Joined,
        reserved: Callable[[Slot], bool],
        awaits: Callable[[Slot], bool],
    ) -> None:
        self._table = table
        self._joined = joined
        self._disturbances = disturbances
        self._growth = growth
        self._reaches = Reaches(table, growth)
        self._open: list[Taking] = []
        self._lifted: list[tuple[Slot, float]] = []
        self._touching = Touching(table, reserved, self._rebuilding)
        self._taken = 0
        self._gone: list[Gone] = []
        self._in_place = InPlace(table, reserved, awaits)

    def clear(self) -> None:
        """A new hand begins."""
        self._open.clear()
        self._reaches.clear()
        self._touching.clear()
        self._table.drawn_at.clear()
        self._taken = 0
        self._gone.clear()

    def pending(self) -> float | None:
        """Time of the earliest draw that is not told yet."""
        times = [taking.t for taking in self._open if not taking.told]
        waiting = self._reaches.pending()
        return min(times if waiting is None else [*times, waiting], default=None)

    def lower(self, change: StackChanged, t: float) -> None:
        """Tiles left a stack."""
        slots = change.slots
        if len(slots) > 1 and self._rebuilding(slots[0].side, change.t):
            # A whole stack that stands beside its place is no longer felt: nobody took it.
            return
        self._reaches.add(change, t)

    def higher(self, change: StackChanged) -> None:
        """Tiles came back to a stack."""
        slots = [slot for slot in change.slots if not self._reaches.back(slot)]
        for slot in slots:
            if self._table.spilled.pop(slot, None) is not None:
                slots.remove(slot)
        if not slots:
            return
        for taking in list(self._open):
            back = [slot for slot in slots if slot in taking.slots]
            if not back:
                continue
            seat = change.by if change.by is not None else taking.seat
            if seat is not None and not taking.told:
                taking.seat = seat
                self._tell(taking, "lifted", taking.t)
            self._return(seat, back, change.t)
            for slot in back:
                taking.slots.remove(slot)
            if not taking.slots:
                self._open.remove(taking)
            return
        if self._rebuilding(slots[0].side, change.t):
            # Stacks that were missed while they lay askew stand again.
            return
        # Whoever took it a moment ago brings it back, if that cannot be seen otherwise.
        takers = [gone.seat for gone in self._gone if gone.slot in slots]
        by = change.by if change.by is not None or not takers else takers[-1]
        self._return(by, slots, change.t)

    def _busy(self, slot: Slot, until: float) -> bool:
        """Whether something is known already of what became of a tile by then."""
        known = [(other, taking.since) for taking in self._open for other in taking.slots]
        known += self._reaches.waiting() + [(gone.slot, gone.since) for gone in self._gone]
        return any(
            slot[:2] == other[:2] and since <= until for other, since in known
        ) or self._rebuilding(slot.side, self._table.now)

    def _handled(self, handled: Handled) -> None:
        """A tile was lifted where it stands, and put back."""
        if self._touching.returned(handled.seat) >= handled.came:
            return
        self._touching.lifted_beside(handled.seat, handled.slot, handled.came)
        self._touching.say(handled.seat, left=True)
        told = self._touching.known(handled.seat, handled.slot, handled.came, handled.came)
        stages: list[tuple[DrawStage, float]] = [("lifted", handled.lifted)]
        if not told:
            stages.insert(0, ("touched", handled.came))
        for stage, t in stages:
            self._table.emit(
                TileDrawn(
                    t=t, seat=handled.seat, slots=(handled.slot,), stage=stage, confidence=_IN_PLACE
                )
            )
        self._lifted = [*self._lifted[-7:], (handled.slot, handled.lifted)]
        self._return(handled.seat, [handled.slot], handled.back, _IN_PLACE)

    def _rebuilding(self, side: Seat, t: float) -> bool:
        """Whether a wall is being put right in which stacks stood askew a moment before."""
        return self._disturbances.rebuilding(side, t) and any(
            stack.side == side and stack.askew >= t - _STRAIGHT_S
            for stack in self._table.walls.stacks.values()
        )

    def put_back(self, change: LiftedBack) -> None:
        """Tiles were lifted and put back under a hand; only the sensors felt it."""
        table = self._table
        if self._rebuilding(change.slots[0].side, change.back):
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
        if seat is not None:
            if len(change.slots) == 1:
                # How far a draw went counts, also when the tile is put back in the end.
                taking = before[0] if before else self._given_up(seat, change)
                self._stages(taking, None, change.back, held=True)
            self._reaches.lifted_back(seat, change.slots, change.lifted, change.back)
        # Sensors of several stacks do not err at one moment.
        sure = 0.995 if len({slot.stack for slot in change.slots}) > 1 else 0.97
        if not any(change.lifted - 1.0 <= at for slot, at in self._lifted if slot in change.slots):
            table.emit(
                TileDrawn(
                    t=change.lifted + _LIFT_S,
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
            for dwell in self._table.arms.dwells(change.lifted - SETTLED_S, change.lifted + _LIFT_S)
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
        self._table.emit(TileReturned(t=t, seat=seat, slots=tuple(slots), confidence=sure))

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for taken in self._reaches.ready(t):
            seat = None if taken.dwell is None else taken.dwell.seat
            if self._pushed(taken.slots, taken.since, taken.t):
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
        for taking in list(self._open):
            self._follow(taking, t)
        self._gone = [gone for gone in self._gone if t - gone.t <= _REGRETTED_S]
        held = [slot for taking in self._open for slot in taking.slots]
        held += [gone.slot for gone in self._gone]
        self._table.walls.held = frozenset((slot.side, slot.stack) for slot in held)
        if self._table.dealt or self._taken > _DEALT * self._table.setup.players:
            # While four tiles at a time are dealt hands lie on the wall before they take them.
            self._touching.tick(t, {taking.seat for taking in self._open})

    def _pushed(self, slots: tuple[Slot, ...], since: float, t: float) -> bool:
        """Whether tiles left their places because stacks beside them were pushed just then."""
        stacks = {slot[:2] for slot in slots}
        pushed = {stack for stack in stacks if self._disturbances.beside(*stack, since)}
        for side, number in sorted(stacks) + sorted(stacks, reverse=True):
            # A push passes on from stack to stack.
            if {(side, number - 1), (side, number + 1)} & pushed:
                pushed.add((side, number))
        if pushed != stacks:
            return False
        for side, number in stacks:
            self._disturbances.note(side, (number,), t, None)
        return True

    def _follow(self, taking: Taking, t: float) -> None:
        table = self._table
        if taking.slots and self._spilled(taking, t):
            self._open.remove(taking)
            return
        if taking.seat is None:
            return
        home = table.home(taking.seat, taking.t)
        if home is None:
            # An arm may seem to rest far from its row; what joined the row has arrived.
            home = self._joined(taking.seat, taking.since, taking.t, len(taking.slots))
        self._stages(taking, home, t)
        if home is not None and t - home >= 0.2:
            self._tell(taking, "taken", home)
            self._open.remove(taking)
            if taking.seat is not None:
                self._table.drawn_at[taking.seat] = home
        elif t - taking.t > _LOST_S:
            self._tell(taking, "taken", taking.t)
            self._open.remove(taking)

    def _unclaimed(self, t: float) -> None:
        """Tiles that left a wall with nobody seen there: whose hand grew by them?"""
        nobody = [taking for taking in self._open if taking.seat is None]
        for taking in nobody:
            waited = t - taking.noticed
            grown = {
                seat: self._growth(seat, taking.since, taking.t)
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
                    self._tell(taking, "taken", taking.t + 0.3)

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

    def _stages(self, taking: Taking, home: float | None, t: float, *, held: bool = False) -> None:
        """Tell the stages of a draw that was no plain taking: `held`, then put back, or slow."""
        seat = taking.seat
        touch = self._touching.of(seat, taking.slots)
        if seat is not None and (touch is not None or held or self._lingered(taking)):
            dwell = taking.dwell
            came, left = taking.since, taking.t
            if touch is not None:
                came, left = touch.since, touch.last
            elif dwell is not None:
                came, left = stay(self._table, dwell, taking.slots[0])
                known = self._touching.known(seat, taking.slots[0], dwell.came, dwell.left)
                if not taking.told and not known:
                    self._tell(taking, "touched", came)
            if "lifted" not in taking.told:
                lifted = left - _LIFT_S if taking.emptied is None else taking.emptied + _LIFT_S
                self._tell(taking, "lifted", max(came, lifted))
            # At one's own wall the hand that looks at its tile has hardly left the place.
            went = left if taking.emptied is None else min(left, taking.emptied + _LIFT_S)
            seen = paused(self._table, seat, taking.slots[0], went, t if home is None else home)
            if seen is not None and "seen" not in taking.told:
                self._tell(taking, "seen", seen)
        elif (
            home is None
            and seat is not None
            and not taking.told
            and t - taking.t > _ORDINARY_S
            and not rests(self._table, seat, t)
        ):
            self._tell(taking, "lifted", taking.t)

    def _lingered(self, taking: Taking) -> bool:
        """Whether the hand stayed on a tile longer than it takes to take it."""
        dwell = taking.dwell
        if dwell is None or len(taking.slots) != 1:
            return False
        if dwell.came - self._touching.returned(dwell.seat) <= SETTLED_S:
            return False
        return lingered(self._table, dwell, taking.slots[0])

    def _tell(self, taking: Taking, stage: DrawStage, t: float) -> None:
        taking.told.add(stage)
        self._touching.say(taking.seat)
        if stage == "taken":
            self._taken += len(taking.slots)
            self._gone += [Gone(slot, taking.since, t, taking.seat) for slot in taking.slots]
        if stage == "lifted":
            self._lifted = [*self._lifted[-7:], *((slot, t) for slot in taking.slots)]
        self._table.emit(
            TileDrawn(
                t=t,
                seat=taking.seat,
                slots=tuple(sorted(taking.slots, key=_counting_order)),
                stage=stage,
                confidence=self._sure(taking, stage),
            )
        )

    def _sure(self, taking: Taking, stage: DrawStage) -> float:
        """How sure it is that these tiles went there."""
        if taking.seat is None:
            return 0.6
        if taking.plain:
            return _PLAIN_SURE
        single = stage == "taken" and len(taking.slots) == 1 and self._table.dealt
        return _TAKEN_SURE if single else _SURE

    def _in_hand(self, rest: Rest) -> bool:
        """Whether a tile that lies beside its wall may still be held: fingers are there."""
        tips = (self._table.arms.tip(seat) for seat in SEATS)
        return any(tip is not None and distance(tip, rest.point) <= HELD_MM for tip in tips)

    def _spilled(self, taking: Taking, t: float) -> bool:
        """Whether the tiles did not go far: they lie on the felt beside the wall."""
        table = self._table
        for slot in taking.slots:
            point = table.places.slot_point(slot)
            for rest in table.book.all():
                if (
                    taking.since - 0.1 <= rest.since <= taking.t + _FALLEN_S
                    and rest.flat
                    and t - rest.seen < 0.3
                    and rest.looks >= 2
                    and not self._in_hand(rest)
                    and rest.spot.area not in (Area.HAND, Area.MELD)
                    and (rest.spot.area is not Area.WALL or rest.spot.seat == slot.side)
                    and (
                        rest.posture is Posture.FACE_DOWN or table.places.near_wall(rest.x, rest.y)
                    )
                    and _LIES_THERE_MM < distance(rest.point, point) <= _SPILL_MM
                ):
                    table.spilled.update(dict.fromkeys(taking.slots, rest.number))
                    self._disturbances.note(slot.side, (slot.stack,), taking.t, taking.seat)
                    return True
        return False


def _counting_order(slot: Slot) -> tuple[int, int, int]:
    return slot.side, slot.stack, 0 if slot.layer == "top" else 1
