"""Tiles that come back to the wall: brought back, put back where they stood, never gone."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.domain.happenings import Seat, Slot, TileDrawn, TileReturned
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.looks.visits import LUNGE_MM
from table_controller.happenings.table import Table
from table_controller.happenings.taking.in_place import Handled, InPlace
from table_controller.happenings.taking.lifted_there import LiftedThere
from table_controller.happenings.taking.reaches import Reaches
from table_controller.happenings.taking.stages import IN_PLACE, LIFT_S, Gone, Stages, Taking
from table_controller.happenings.taking.staying import ABOUT_MM, SETTLED_S, carried_to_look
from table_controller.happenings.wall.disturbances import Disturbances
from table_controller.happenings.wall.removals import Removal
from table_controller.happenings.wall.stacks import Key, LiftedBack, StackChanged

_AWAY_S = 0.3
"""A tile that is seen to be away for so long was away."""
_LEFT_S = 0.2
"""A hand that took a tile is away from its place so long after it is home."""
_DISCARDS_S = 0.5
"""A discard may become known so long after the eye takes the tile below for the drawn one."""
_LAID_BACK = 0.7
"""How surely a hand laid a tile down at its place that nobody saw lie there."""
_LOOKED_AT = 0.7
"""How sure it is that somebody looked at tiles that were held before him; at which is not seen."""
_ALONE_S = 0.5
"""A stack that is felt again with the lower tile has not got the upper one in so short a time."""
_UPPER_S = 1.5
"""So long a tile that was lifted and put back waits until it is known who took the one above."""


@dataclass(frozen=True, slots=True)
class _Doubted:
    """A tile that was taken seems to be on the wall again, with no hand there; judged when due."""

    gone: Gone
    change: StackChanged
    due: float


@dataclass(frozen=True, slots=True)
class _Later:
    """A tile that was lifted and put back just after the one above it was taken; told by then."""

    change: LiftedBack
    due: float


class Returning:
    """Tells what is on the wall again, and who brought it."""

    def __init__(
        self,
        table: Table,
        stages: Stages,
        reaches: Reaches,
        disturbances: Disturbances,
        in_place: InPlace,
    ) -> None:
        self._table = table
        self._stages = stages
        self._reaches = reaches
        self._disturbances = disturbances
        self._lifted_there = LiftedThere(table, in_place)
        self._doubted: list[_Doubted] = []
        self._later: list[_Later] = []
        self._lower: dict[Key, float] = {}
        """When the lower tile of a stack, standing alone, was last put back."""

    def clear(self) -> None:
        """A new hand begins."""
        self._lifted_there.clear()
        self._doubted.clear()
        self._later.clear()
        self._lower.clear()

    def pending(self) -> float | None:
        """Time of the earliest return that is not told yet."""
        times = [doubted.change.t for doubted in self._doubted]
        times += [later.change.lifted for later in self._later]
        lifted = self._lifted_there.pending()
        return min(times if lifted is None else [*times, lifted], default=None)

    def lower(self, change: StackChanged) -> bool:
        """Whether tiles that left a stack only seemed to be back on it."""
        seemed = [each for each in self._doubted if each.change.slots == change.slots]
        self._doubted = [each for each in self._doubted if each not in seemed]
        return bool(seemed)

    def tick(self, t: float) -> None:
        """Time went on: tell what was lifted where it stands, and put back."""
        self._settle(t)
        ready = [one for one in self._later if t >= one.due or not self._above(one.change)]
        self._later = [one for one in self._later if one not in ready]
        for one in ready:
            self._put_back(one.change)
        for handled in self._lifted_there.tick(t, self._busy, self._known):
            self._handled(handled)

    def higher(self, change: StackChanged) -> None:
        """Tiles came back to a stack."""
        slots = []
        for slot in change.slots:
            removal = self._reaches.back(slot)
            if removal is not None:
                self._regretted(removal, change)
            elif self._table.spilled.pop(slot, None) is None and not self._of_a_grab(slot):
                slots.append(slot)
        if not slots:
            return
        for taking in list(self._stages.open):
            back = [slot for slot in slots if slot in taking.slots]
            if not back:
                continue
            seat = change.by if change.by is not None else taking.seat
            if seat is not None and not taking.told:
                taking.seat = seat
                if len(taking.slots) == 1:
                    # How far a draw went counts, also when the tile is put back in the end.
                    self._stages.follow(taking, None, change.since, held=True)
                if not taking.told:
                    self._stages.tell(taking, "lifted", taking.t)
            self._stages.taken_home(taking, change.since)
            self._brought(seat, back, change)
            for slot in back:
                taking.slots.remove(slot)
            if not taking.slots:
                self._stages.open.remove(taking)
            return
        if self._disturbances.straightening(slots[0].side, change.t):
            # Stacks that were missed while they lay askew stand again.
            return
        if len(slots) == 1 and self._stands_alone(slots[0], change.t):
            self._table.walls.presume_taken(self._table.walls.stacks[slots[0][:2]])
            return
        # Whoever took it a moment ago brings it back, if that cannot be seen otherwise.
        takers = [gone for gone in self._stages.gone if gone.slot in slots]
        if takers and self._held_over_it(takers[-1], change):
            self._table.walls.presume_taken(self._table.walls.stacks[takers[-1].slot[:2]])
            return
        if takers and change.by is None and self._may_only_seem_back(takers[-1], change):
            due = self._table.now + _DISCARDS_S
            self._doubted.append(_Doubted(takers[-1], change, due))
            return
        by = change.by if change.by is not None or not takers else takers[-1].seat
        self._brought(by, slots, change)

    def _stands_alone(self, slot: Slot, t: float) -> bool:
        """Whether a stack has got its lower tile back just then, which lies a little aside.

        The eye may take that for an upper one.
        """
        back = self._lower.get(slot[:2])
        return slot.layer == "top" and back is not None and abs(t - back) <= _ALONE_S

    def _of_a_grab(self, slot: Slot) -> bool:
        """Whether a tile is back with others of one grab: that is told of all of them together."""
        grabs = [one for one in self._stages.open if slot in one.slots and len(one.slots) > 1]
        return bool(grabs) and self._table.walls.back(slot)

    def put_back(self, change: LiftedBack) -> None:
        """Tiles were lifted and put back under a hand; only the sensors felt it."""
        if self._above(change):
            seat = self._lifter(change)
            if seat is not None:
                # The stop that lifted this one did not take the upper one.
                self._reaches.put_back(seat, change.slots, change.lifted, change.back)
            self._later.append(_Later(change, self._table.now + _UPPER_S))
        else:
            self._put_back(change)

    def _lifter(self, change: LiftedBack) -> Seat | None:
        """Whose hand was at most of the stacks that were lifted and put back."""
        table, near = self._table, self._table.setup.patience.near_mm
        seats = [
            visit.seat
            for slot in change.slots
            for visit in table.arms.visits(
                table.places.slot_point(slot), change.lifted, change.back, near
            )[:1]
        ]
        return max(set(seats), key=lambda each: (seats.count(each), -each), default=None)

    def _above(self, change: LiftedBack) -> bool:
        """Whether it is not known yet who took the tile above the one that was lifted."""
        if len(change.slots) != 1:
            return False
        upper = change.slots[0]._replace(layer="top")
        left = [removal.slot for removal in self._reaches.waiting()]
        open_ = (one for one in self._stages.open if not one.told and one.seat is not None)
        left += [slot for taking in open_ for slot in taking.slots]
        return upper in left

    def _put_back(self, change: LiftedBack) -> None:
        table, pushes = self._table, self._disturbances
        if pushes.straightening(change.slots[0].side, change.back) or all(
            pushes.beside(slot.side, slot.stack, change.lifted) for slot in change.slots
        ):
            # Stacks that were pushed out of line stand in it again.
            for slot in change.slots:
                self._reaches.back(slot)
            return
        if len(change.slots) == 1 and change.slots[0].layer == "bottom":
            self._lower[change.slots[0][:2]] = change.back
        before = [taking for taking in self._stages.open if set(taking.slots) & set(change.slots)]
        self._stages.open = [taking for taking in self._stages.open if taking not in before]
        seat = self._lifter(change)
        # What was told as taken has been lifted before.
        taken = self._stages.told("taken", change.slots, change.lifted)
        if seat is not None:
            if len(change.slots) == 1 and not taken:
                # How far a draw went counts, also when the tile is put back in the end.
                taking = before[0] if before else self._given_up(seat, change)
                self._stages.follow(taking, None, change.back, held=True)
            self._reaches.put_back(seat, change.slots, change.lifted, change.back)
        # Sensors of several stacks do not err at one moment.
        sure = 0.995 if len({slot.stack for slot in change.slots}) > 1 else 0.97
        if not taken and not self._stages.told("lifted", change.slots, change.lifted - 1.0):
            table.emit(
                TileDrawn(
                    t=change.lifted + LIFT_S,
                    seat=seat,
                    slots=change.slots,
                    stage="lifted",
                    confidence=sure,
                )
            )
        if seat is not None and len(change.slots) > 1 and not taken:
            seen = carried_to_look(table, seat, change.slots, change.lifted + LIFT_S, change.back)
            if seen is not None:
                table.emit(
                    TileDrawn(
                        t=seen, seat=seat, slots=change.slots, stage="seen", confidence=_LOOKED_AT
                    )
                )
        self._return(seat, list(change.slots), change.back, sure)

    def _may_only_seem_back(self, gone: Gone, change: StackChanged) -> bool:
        """Whether the eye may take a lower tile for the upper one that was drawn.

        No hand was there.
        """
        table = self._table
        if not _is_upper(gone, change):
            return False
        point, since, until = table.places.slot_point(gone.slot), gone.t + _LEFT_S, change.until
        return not (
            table.arms.unwatched(since, until)
            or table.arms.visits(point, since, until, ABOUT_MM, slow=False, straight=False)
            or table.arms.lunges(point, since, until, LUNGE_MM)
        )

    def _held_over_it(self, gone: Gone, change: StackChanged) -> bool:
        """Whether another hand was there, and not the one that has taken the upper tile home.

        What it holds seems to lie on the stack; nobody else can put that tile back.
        """
        table = self._table
        if not _is_upper(gone, change) or change.by in (None, gone.seat):
            return False
        point, since, until = table.places.slot_point(gone.slot), gone.t + _LEFT_S, change.until
        visits = table.arms.visits(point, since, until, ABOUT_MM, slow=False)
        return all(visit.seat != gone.seat for visit in visits)

    def _settle(self, t: float) -> None:
        """What seems to be back, with no hand there: nobody has it who has discarded since."""
        table, doubted, self._doubted = self._table, self._doubted, []
        for each in doubted:
            seat = each.gone.seat
            if seat is not None and table.discarded_at.get(seat, -1e9) > each.gone.t:
                table.walls.presume_taken(table.walls.stacks[each.gone.slot[:2]])
            elif t < each.due:
                self._doubted.append(each)
            else:
                self._brought(seat, list(each.change.slots), each.change)

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

    def laid_back(self, seat: Seat, slots: list[Slot], t: float) -> None:
        """Tiles that are taken home now were laid back before, under the hand that takes them."""
        self._table.emit(TileReturned(t=t, seat=seat, slots=tuple(slots), confidence=_LAID_BACK))

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
        self._stages.touching.put_back(seat, t)
        self._stages.brought_back(slots)
        self._table.emit(TileReturned(t=t, seat=seat, slots=tuple(slots), confidence=sure))

    def _busy(self, slot: Slot, stop: Dwell) -> bool:
        """Whether something is known of what became of a tile by the end of a hand's stop there.

        Or of a tile beside it: fingertips are seen a little beside what they take.
        """
        if self._holds(stop):
            return True
        return any(
            (slot[:2] == other.slot[:2] and other.since <= stop.left)
            or (
                slot.side == other.slot.side
                and abs(slot.stack - other.slot.stack) == 1
                and stop.came < other.since <= stop.left
                and other.seat in (None, stop.seat)
            )
            for other in self._known()
        ) or self._disturbances.straightening(slot.side, self._table.now)

    def _known(self) -> list[Gone]:
        """The tiles that have left the wall lately."""
        known = [
            Gone(slot, taking.since, taking.t, taking.seat)
            for taking in self._stages.open
            for slot in taking.slots
        ]
        known += [Gone(each.slot, each.since, each.until, None) for each in self._reaches.waiting()]
        return [*known, *self._stages.gone]

    def _holds(self, stop: Dwell) -> bool:
        """Whether a hand had a tile in it when it stopped, and looked at it there."""
        if any(
            gone.seat == stop.seat and gone.since < stop.came < gone.t for gone in self._stages.gone
        ):
            return True
        homes = [
            self._table.home(stop.seat, taking.t)
            for taking in self._stages.open
            if taking.seat == stop.seat and taking.t < stop.came
        ]
        return any(home is None or home > stop.came for home in homes)

    def _handled(self, handled: Handled) -> None:
        """A tile was lifted where it stands, and put back."""
        if self._stages.touching.returned(handled.seat) >= handled.came:
            return
        self._stages.touching.lifted_beside(handled)
        self._stages.touching.say(handled.seat, left=True)
        self._stages.in_place(handled)
        self._return(handled.seat, [handled.slot], handled.back, IN_PLACE)


def _is_upper(gone: Gone, change: StackChanged) -> bool:
    """Whether just the upper tile that a known hand took seems to be on its stack again."""
    known = gone.seat is not None and gone.slot.layer == "top"
    return known and change.slots == (gone.slot,)
