"""Tiles that leave the wall, until they have arrived somewhere or are back."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.table import Table
from table_controller.happenings.taking.allotting import Taken
from table_controller.happenings.taking.arriving import Arriving
from table_controller.happenings.taking.fingers import Fingers
from table_controller.happenings.taking.homecoming import Homecoming
from table_controller.happenings.taking.in_place import InPlace
from table_controller.happenings.taking.reaches import Reaches
from table_controller.happenings.taking.returning import Returning
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.taking.spilling import Spilling
from table_controller.happenings.taking.stages import Stages, Taking
from table_controller.happenings.taking.stepping import rested_beside
from table_controller.happenings.taking.touching import Touching
from table_controller.happenings.taking.turns import due, front_of_deal, players
from table_controller.happenings.taking.unseen import Unseen
from table_controller.happenings.wall.dead_wall import Region
from table_controller.happenings.wall.disturbances import Disturbances
from table_controller.happenings.wall.stacks import LiftedBack, StackChanged

_LOST_S = 6.0
_UNSEEN_S = 2.5
_BACK_S = 2.0
"""So long after the sensors feel it again it is told that a grab was put back."""
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
        region: Callable[[Slot], Region | None],
        awaits: Callable[[Slot], bool],
    ) -> None:
        self._table = table
        self._disturbances = disturbances
        self._rows = rows
        self._reaches = Reaches(table, rows, self._owed)
        self._touching = Touching(table, Fingers(table, region, disturbances))
        self._stages = Stages(table, self._touching)

        def reserved(slot: Slot) -> bool:
            return region(slot) is not None

        self._unseen = Unseen(table, self._stages, self._owed)
        self._arriving = Arriving(table, rows, self._stages)
        self._homecoming = Homecoming(table, self._arriving, self._stages, reserved)
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
        self._table.replaces_at.clear()
        self._table.front = None
        self._stages.clear()
        self._returning.clear()
        self._unseen.clear()
        self._table.sizes.clear()

    def pending(self) -> float | None:
        """Time of the earliest draw, or touch before a draw, that is not told yet."""
        times = [taking.t for taking in self._stages.open if not taking.told]
        waiting = (self._reaches.pending(), self._returning.pending(), self._touching.pending())
        return min([*times, *(since for since in waiting if since is not None)], default=None)

    def reaching(self) -> dict[Seat | None, float]:
        """When each seat drew the earliest tile that it may have, and that is not told yet."""
        # Or the hand that drew it went on at once, and its arm hides the stack since.
        waits = (self._reaches.pending(), self._table.walls.lower_before_hidden())
        first = min((since for since in waits if since is not None), default=None)
        found: dict[Seat | None, float] = {}
        if first is not None:
            found.update(dict.fromkeys((None, *SEATS), first))
        for taking in self._stages.open:
            if taking.seat is not None and not taking.told:
                found[taking.seat] = min(found.get(taking.seat, taking.t), taking.t)
        return found

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
        if self._table.dealt and self._table.front is None:
            leaving = [removal.slot for removal in self._reaches.waiting()]
            leaving += [slot for taking in self._stages.open for slot in taking.slots]
            self._table.front = front_of_deal(self._table.walls, leaving)
        ready = self._reaches.ready(t, singly=self._singly)
        pushed = {
            slot[:2]
            for taken in ready
            if self._spilling.pushed(taken.slots, taken.since, taken.t)
            for slot in taken.slots
        }
        for taken in ready:
            seat = None if taken.dwell is None else taken.dwell.seat
            if all(slot[:2] in pushed for slot in taken.slots):
                # Of the upper tile of a pushed stack an earlier hand may be thought the taker.
                continue
            # It is known late what a hand took that hides the tile's place, or that of its tile.
            self._touching.holds(seat, taken.slots, taken.t)
            taking = Taking(
                seat,
                list(taken.slots),
                taken.t,
                taken.since,
                t,
                dwell=taken.dwell,
                emptied=taken.emptied,
                plain=taken.plain,
                due=self._due(taken),
            )
            self._with_others(taking)
            self._stages.open.append(taking)
        self._unclaimed(t)
        self._returning.tick(t)
        # A hand that took two in one reach is back once: they are told as they left.
        for taking in sorted(self._stages.open, key=self._left_at):
            self._follow(taking, t)
        self._stages.tick(t)
        held = [slot for taking in self._stages.open for slot in taking.slots]
        held += [gone.slot for gone in self._stages.gone]
        # Whose hand has taken a tile may be known only after it was put back.
        waiting = [removal.slot for removal in self._reaches.waiting()]
        held += waiting if self._singly else []
        self._table.walls.hold(frozenset((slot.side, slot.stack) for slot in held))
        self._unseen.tick(t, bool(waiting))
        if self._singly:
            # While four tiles at a time are dealt hands lie on the wall before they take them.
            holding = {taking.seat for taking in self._stages.open}
            self._touching.tick(t, holding, waiting)

    def _due(self, taken: Taken) -> bool:
        """Whether a hand draws in its turn what is due to it."""
        stop, slots = taken.dwell, taken.slots
        single = self._table.dealt and len(slots) == 1
        return single and stop is not None and due(self._table, stop.seat, slots[0], stop.came)

    def _left_at(self, taking: Taking) -> tuple[float, bool]:
        """When tiles left the wall; the upper one of a stack before the lower one."""
        below = {slot._replace(layer="bottom") for slot in taking.slots if slot.layer == "top"}
        together = [each for each in self._stages.open if below.intersection(each.slots)]
        at = min(each.emptied or each.t for each in (taking, *together))
        return at, not below

    def _with_others(self, taking: Taking) -> None:
        """A hand that has not been home with one tile took another."""
        seat = taking.seat
        for other in self._stages.open:
            if seat is None or other.seat != seat or other.told:
                continue
            home = self._table.home(seat, other.t)
            if other.due and (home is None or home >= taking.t):
                home = self._arriving.turned(seat, other)
            if home is None or home >= taking.t:
                other.together = taking.together = True
                self._touching.took_several(seat, (*other.slots, *taking.slots))

    @property
    def _singly(self) -> bool:
        """Whether all have their tiles: what is drawn now, also for flowers, is drawn singly."""
        return self._table.dealt or self._stages.taken > _DEALT * self._table.setup.players

    def _follow(self, taking: Taking, t: float) -> None:
        if taking.slots and self._spilling.fallen(taking, t):
            self._stages.open.remove(taking)
            return
        if taking.seat is None:
            return
        if self._felt_again(taking, t):
            return
        home = self._arriving.home(taking.seat, taking, t)
        put_down = self._homecoming.put_down(taking.seat, taking, home)
        if put_down is not None:
            if not self._homecoming.bare(taking, put_down):
                # It may lie there.
                return
            home = self._table.brought_home(taking.seat, put_down)
        held = put_down is not None or (
            home is None and self._homecoming.comes_back(taking.seat, taking, t)
        )
        self._stages.follow(taking, home, t, held=held)
        if home is not None and self._homecoming.stays(taking.seat, taking, home, t):
            laid_back = self._homecoming.laid_back(taking.seat, taking, home)
            if laid_back is not None:
                self._returning.laid_back(taking.seat, taking.slots, laid_back)
            self._rested_beside(taking)
            self._stages.tell(taking, "taken", home)
            self._stages.open.remove(taking)
            self._table.drawn_at[taking.seat] = home
            if self._table.dealt and len(taking.slots) == 1:
                came = self._stages.fetched_since(taking)
                self._touching.came_home(taking.seat, home, min(came, default=t))
        elif t - taking.t > _LOST_S:
            self._stages.tell(taking, "taken", taking.t)
            self._stages.open.remove(taking)

    def _rested_beside(self, taking: Taking) -> None:
        """Tell a touch of the tile beside the one that was due and that its hand took then."""
        seat, slot = taking.seat, taking.slots[0]
        if seat is None or taking.told or len(taking.slots) > 1 or not self._table.dealt:
            return
        beside = rested_beside(self._table, seat, slot, taking.t)
        if beside is None or self._stages.handled(seat, beside[1], but=slot):
            return
        if due(self._table, seat, slot, beside[1]):
            self._touching.rested(seat, *beside, took=slot)

    def _felt_again(self, taking: Taking, t: float) -> bool:
        """Whether the sensors feel all stacks again that a grab took: it is back, and not at home.

        What came back is told when it is clear what did; the hand that brought it is home by then.
        """
        stacks = [self._table.walls.stacks[key] for key in {slot[:2] for slot in taking.slots}]
        return len(stacks) > 1 and all(
            stack.present
            and taking.since < stack.present_since
            and t - stack.present_since < _BACK_S
            for stack in stacks
        )

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
        seats = players(self._table)
        drawn = {seat: self._table.drawn_at.get(seat, -1e9) for seat in seats}
        owed = {seat: self._owed(seat, max(taking.t, drawn[seat])) for seat in seats}
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
