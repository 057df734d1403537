"""Which reach took which tiles, when several hands were at a wall one after the other.

In the deal one hand is still over the wall while the next already takes its tiles, so a stack
may be seen full and then empty with two takings in between. What is known then: where and when
every hand stopped at the wall, between which looks every tile vanished, and by how many tiles
every hand of standing tiles grew. The assignment that explains all of it best is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import LUNGE_MM, Dwell, Visit
from table_controller.happenings.looks.places import Area, distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.assigning import HANDFUL, assign, scattered
from table_controller.happenings.taking.jumping import half, jump, with_the_next
from table_controller.happenings.taking.plain_grabs import NOTICED_S, WITHIN_MM, Near, plain_grabs
from table_controller.happenings.wall.removals import (
    Removal,
    felt_together,
    first_felt,
    half_felt,
    lonely_together,
    sharing,
    stack_felt,
)
from table_controller.happenings.wall.stacks import StackChanged
from vision.sightings import Point

_FAR_MM = 105.0
"""Long arms are seen to end so far from what they take; believed of the only hand near it."""
_SLACK_S = 0.45
_BEFORE_S = 0.3
"""A stop that ended so long before is another than the one that a tile was seen to leave in."""
_LIFTING_S = 0.25
_LATEST_S = 4.0
_LONELY_S = 1.0
_COUNTED_S = 2.0
"""Where several hands took, their rows may take so long to come to rest and be counted."""
_MISSING_S = 2.0
"""So long a tile is waited for that a hand grew by and that nobody saw leave the wall."""
_STOP_MM_S = 520.0
_UNSEEN_S = 11.0
"""A stop of a hand at the wall that took nothing is remembered so long."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The tiles of one reach; ``dwell`` is None where nobody was seen.

    ``emptied`` is when the sensor first missed one of their stacks; ``plain`` says that the sensors
    missed all of them at one moment, with one hand alone over them.
    """

    dwell: Dwell | None
    slots: tuple[Slot, ...]
    t: float
    since: float
    emptied: float | None = None
    plain: bool = False


Growth = Callable[[Seat, float, float], int | None]
"""By how many standing tiles a seat's hand grew: seat, time before, time after."""


class Reaches:
    """Removed tiles that are not yet assigned to a reach."""

    def __init__(self, table: Table, growth: Growth) -> None:
        self._table = table
        self._growth = growth
        self._removals: list[Removal] = []
        self._used: set[tuple[Seat, float]] = set()

    def clear(self) -> None:
        """A new hand begins."""
        self._removals.clear()
        self._used.clear()

    def pending(self) -> float | None:
        """Time of the earliest tile that is not assigned."""
        return min((removal.t for removal in self._removals), default=None)

    def waiting(self) -> list[tuple[Slot, float]]:
        """The tiles that are not assigned, and since when each may have been gone."""
        return [(removal.slot, removal.since) for removal in self._removals]

    def add(self, change: StackChanged, t: float, *, singly: bool) -> None:
        """Tiles left a stack; ``singly`` when the deal is over and hands take one at a time."""
        for slot in change.slots:
            since, until = change.since, change.until
            if change.emptied is not None:
                until = change.emptied
                since = until if slot.layer == "bottom" else min(since, until)
            emptied = change.emptied if slot.layer == "bottom" else None
            self._removals.append(Removal(slot, since, until, t, min(change.t, until), emptied))
        if singly:
            stacks = {slot[:2] for slot in change.slots}
            self._removals = [
                self._of_both(removal, t) if removal.slot[:2] in stacks else removal
                for removal in self._removals
            ]

    def _of_both(self, removal: Removal, t: float) -> Removal:
        """An upper tile that was found gone in the same look as the lower one: since when it was.

        Both are told as one change, or one after the other.
        """
        lower = removal.slot._replace(layer="bottom")
        both = (
            removal.noticed == t
            and removal.slot.layer == "top"
            and any(other.slot == lower and other.noticed == t for other in self._removals)
        )
        if not both:
            return removal
        return replace(removal, since=self._unexplained(removal.slot, removal.since))

    def _unexplained(self, slot: Slot, since: float) -> float:
        """From when on an upper tile may have been gone of which the eye saw nothing.

        Layers are told apart by a few pixels. A hand that stopped at a stack earlier and is not
        known to have taken anything may have taken its upper tile; the last one, if several did.
        """
        point = self._table.places.slot_point(slot)
        stops = [
            dwell.came
            for dwell in self._stops(since - _UNSEEN_S, since)
            if dwell.left <= since - _BEFORE_S and distance(dwell.point, point) <= WITHIN_MM
        ]
        return max(stops, default=since)

    def _stops(self, since: float, until: float) -> list[Dwell]:
        """Where hands stopped away from the rows, and took nothing that is known."""
        return [
            dwell
            for dwell in self._table.arms.dwells(since, until)
            if (dwell.seat, dwell.came) not in self._used
            and self._table.places.spot(*dwell.point).area is not Area.HAND
        ]

    def back(self, slot: Slot) -> Removal | None:
        """A tile is back before it was assigned; returns how it left, if it was waiting here."""
        left = next((removal for removal in self._removals if removal.slot == slot), None)
        self._removals = [removal for removal in self._removals if removal.slot != slot]
        return left

    def put_back(self, seat: Seat, slots: Sequence[Slot], since: float, until: float) -> None:
        """A hand put these back: what it did at the wall then took nothing."""
        for slot in slots:
            self.back(slot)
        points = [self._table.places.slot_point(slot) for slot in slots]
        self._used.update(
            (dwell.seat, dwell.came)
            for dwell in self._table.arms.dwells(since, until)
            if dwell.seat == seat
            and since - _SLACK_S <= dwell.came
            and dwell.left <= until + NOTICED_S
            and any(distance(dwell.point, point) <= WITHIN_MM for point in points)
        )

    def ready(self, t: float) -> list[Taken]:
        """What can be assigned now."""
        if not self._removals:
            return []
        since = min(removal.since for removal in self._removals) - _SLACK_S
        dwells = self._stops(since, t)
        near = {removal: self._near(removal, dwells) for removal in self._removals}
        done = [] if self._table.dealt else self._plain(near, t)
        near = {
            removal: [stop for stop in stops if (stop.seat, stop.came) not in self._used]
            for removal, stops in near.items()
            if removal in self._removals
        }
        groups = lonely_together(sharing(near))
        if not self._table.dealt:
            groups = with_the_next(self._table.walls, groups)
        for removals, involved in groups:
            if self._may_decide(removals, involved, t):
                done += self._assign(removals, involved, near, t)
        return done

    def _point(self, slot: Slot) -> Point:
        """Where a hand is seen that takes a tile: over it, or between two ends of the wall.

        Three players sit around a wall with an empty side: what one grab takes from both ends of
        the gap left at one moment.
        """
        felt = [removal for removal in self._removals if removal.emptied is not None]
        mine = next((removal for removal in felt if removal.slot[:2] == slot[:2]), None)
        place = self._table.places.slot_point
        if mine is None:
            return place(slot)
        other = next(
            (one for one in felt if one.slot.side != slot.side and felt_together(one, mine)), None
        )
        if other is None:
            return place(slot)
        (ax, ay), (bx, by) = place(slot), place(other.slot)
        return (ax + bx) / 2.0, (ay + by) / 2.0

    def _plain(self, near: Near, t: float) -> list[Taken]:
        """The grabs that leave no doubt, with the others still to be sorted out."""
        taken = []
        for grab in plain_grabs(self._table, near, t):
            for one in grab.removals:
                self._removals.remove(one)
            stop = grab.stop
            self._used.add((stop.seat, stop.came))
            slots = tuple(one.slot for one in grab.removals)
            since = min(one.since for one in grab.removals)
            taken.append(Taken(stop, slots, stop.left, since, grab.emptied, plain=True))
            self._learn(stop, slots)
        return taken

    def _near(self, removal: Removal, dwells: list[Dwell]) -> list[Dwell]:
        point, felt = self._point(removal.slot), stack_felt(removal, self._removals)
        return [
            dwell
            for dwell in dwells
            if dwell.left >= removal.since - _SLACK_S
            and dwell.came <= removal.until + _SLACK_S
            and distance(dwell.point, point) <= WITHIN_MM
            # Who was still seen at home when the sensors missed it already did not take it.
            and (felt is None or not self._table.arms.away(dwell.seat, felt, dwell.came))
        ]

    def _may_decide(self, removals: list[Removal], dwells: list[Dwell], t: float) -> bool:
        latest = max(removal.noticed for removal in removals)
        if t - latest < NOTICED_S:
            return False
        if half_felt(removals, self._table.walls.stacks.values()) and t - latest < _LATEST_S:
            return False
        if not dwells:
            return t - latest >= _LONELY_S
        if t - latest >= _LATEST_S:
            return True
        # The surroundings of every reach must have been looked at since.
        for dwell in dwells:
            for stack in self._table.walls.stacks.values():
                if distance(stack.point, dwell.point) > WITHIN_MM:
                    continue
                if stack.height and stack.missed:
                    # The sensor misses it already: the eye will see that too, in a moment.
                    return False
                if (
                    stack.height or stack.other is not None
                ) and stack.looked <= dwell.left + _LIFTING_S:
                    return False
        if len({dwell.seat for dwell in dwells}) > 1:
            # Several hands: wait until all are home and their tiles can be counted.
            return self._counted(dwells, t)
        return t - latest >= _MISSING_S or not self._short(removals, dwells, t)

    def _counted(self, dwells: list[Dwell], t: float) -> bool:
        """Whether all are home and their rows were counted, or had time for it.

        In play the rows of all but one are enough if they did not grow: who draws and discards
        at once is never counted in between.
        """
        homes = [self._table.home(dwell.seat, dwell.left) for dwell in dwells]
        if None in homes:
            return False
        grown = [self._grown(dwell, t) for dwell in dwells]
        if all(
            by is not None or (home is not None and t - home > _COUNTED_S)
            for by, home in zip(grown, homes, strict=True)
        ):
            return True
        last = {dwell.seat: by for dwell, by in zip(dwells, grown, strict=True)}
        return self._table.dealt and sum(by is None or by > 0 for by in last.values()) == 1

    def _short(self, removals: list[Removal], dwells: list[Dwell], t: float) -> bool:
        """Whether a hand that is being dealt took one tile, and may have grown by two.

        The dealer's last two tiles leave two stacks; one of both may look as before for a while.
        """
        if self._table.dealt or not half(self._table.walls, removals):
            return False
        home = self._table.home(dwells[0].seat, dwells[0].left)
        if home is None:
            return True
        grown = self._grown(dwells[0], t)
        return t - home <= _COUNTED_S if grown is None else grown > 1

    def _grown(self, dwell: Dwell, t: float) -> int | None:
        home = self._table.home(dwell.seat, dwell.left)
        return None if home is None else self._growth(dwell.seat, dwell.came, min(home, t))

    def _assign(
        self,
        removals: list[Removal],
        dwells: list[Dwell],
        near: dict[Removal, list[Dwell]],
        t: float,
    ) -> list[Taken]:
        points = {removal.slot: self._point(removal.slot) for removal in removals}
        for removal in removals:
            self._removals.remove(removal)
        order = sorted(removals, key=lambda r: (r.slot.side, r.slot.stack, r.slot.layer != "top"))
        visits = self._visits(dwells)
        grown = [self._grown(visit[0], t) for visit in visits]
        most = 1 if self._table.dealt else HANDFUL
        chosen = (
            assign(
                order,
                near,
                visits,
                grown,
                points.__getitem__,
                most,
                unseen=self._unseen(removals, near),
            )
            if dwells
            else {}
        )
        unseen = None
        if not self._table.dealt:
            unseen = jump(self._table.walls, order, visits, grown, chosen)
        taken = []
        for visit in visits:
            mine = [removal for removal in order if chosen.get(removal) in visit]
            if mine:
                self._used.update((dwell.seat, dwell.came) for dwell in visit)
                last = next(dwell for dwell in reversed(visit) if dwell in chosen.values())
                since = min(removal.since for removal in mine)
                slots = tuple(removal.slot for removal in mine)
                if unseen is not None and unseen[0] in visit:
                    slots += (unseen[1],)
                taken.append(Taken(last, slots, last.left, since, first_felt(mine)))
                self._learn(last, slots)
        lost = [removal for removal in order if chosen.get(removal) is None]
        if lost:
            slots = tuple(removal.slot for removal in lost)
            since = min(removal.since for removal in lost)
            passing = self._passing(lost)
            when = max(removal.t for removal in lost) if passing is None else passing.left
            taken.append(Taken(passing, slots, when, since, first_felt(lost)))
        return taken

    def _unseen(self, removals: list[Removal], near: dict[Removal, list[Dwell]]) -> list[Removal]:
        """Those that the sensors missed while looks were lost, where another hand may have been."""
        found = []
        for removal in removals:
            if removal.emptied is not None:
                point = self._table.places.slot_point(removal.slot)
                there = {visit.seat for visit in self._table.arms.between(point, removal.emptied)}
                if there - {dwell.seat for dwell in near[removal]}:
                    found.append(removal)
        return found

    def _learn(self, dwell: Dwell, slots: tuple[Slot, ...]) -> None:
        """Where the fingertips were seen beside what they took."""
        if len(slots) not in (1, 2, 4) or scattered(slots):
            return
        self._table.arms.learn(dwell.seat, dwell.point, self._table.places.middle(slots))

    def _passing(self, lost: list[Removal]) -> Dwell | None:
        """The only fingertips that came near these tiles when they left, at whatever speed.

        Long arms are seen to reach too far, and a hand that takes tiles in passing may be caught
        by a single look.
        """
        nearest: dict[Seat, Visit] = {}
        for removal in lost:
            point = self._table.places.slot_point(removal.slot)
            arms, since, until = self._table.arms, removal.since, removal.until
            felt = stack_felt(removal, lost)
            since = since if felt is None else min(felt, until)
            visits = arms.visits(point, since, until, WITHIN_MM, slow=False)
            visits = visits or arms.lunges(point, since, until, LUNGE_MM)
            if not visits:
                visits = arms.visits(point, since, until, 2.0 * _FAR_MM, slow=False)
                visits = visits if visits and visits[0].nearest <= _FAR_MM else []
            visits = visits or arms.between(point, removal.until)
            for visit in visits:
                best = nearest.get(visit.seat)
                if best is None or visit.nearest < best.nearest:
                    nearest[visit.seat] = visit
        ranked = sorted(nearest.values(), key=lambda visit: visit.nearest)
        if not ranked or (len(ranked) > 1 and ranked[1].nearest < 2.0 * ranked[0].nearest):
            return None
        visit = ranked[0]
        point = self._table.places.slot_point(lost[0].slot)
        return Dwell(visit.seat, point, visit.came, visit.left, _STOP_MM_S)

    def _visits(self, dwells: list[Dwell]) -> list[list[Dwell]]:
        """Stops of one hand between leaving its own edge and coming back to it."""
        visits: dict[tuple[Seat, float], list[Dwell]] = {}
        for dwell in dwells:
            home = self._table.home(dwell.seat, dwell.left)
            visits.setdefault((dwell.seat, -1.0 if home is None else home), []).append(dwell)
        return list(visits.values())
