"""Which hand took which of the tiles that left a wall, and what nobody is seen to have taken.

The search is in :mod:`.assigning`; here is what it is given, and what its answer means. In the deal
an answer that does not add up is looked at again with the hands that no look shows stopping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.looks.tips import STOP_MM_S
from table_controller.happenings.looks.visits import LUNGE_MM, Visit
from table_controller.happenings.table import Table
from table_controller.happenings.taking.assigning import HANDFUL, assign
from table_controller.happenings.taking.jumping import crossed, jump, left_out
from table_controller.happenings.taking.overlooked import Owed, overlooked
from table_controller.happenings.taking.plain_grabs import WITHIN_MM
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.wall.removals import (
    Near,
    Removal,
    first_felt,
    lonely_together,
    sharing,
    stack_felt,
)
from vision.sightings import Point

COUNTED_S = 2.0
"""Where several hands took, their rows may take so long to come to rest and be counted."""
SLACK_S = 0.45
_SHOWN_S = 0.2
"""A tile that has gone may seem to lie there for so much longer."""
_FAR_MM = 105.0
"""Long arms are seen to end so far from what they take; believed of the only hand near it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The tiles of one reach; ``dwell`` is None where nobody was seen.

    ``visit`` are all stops of that hand until it was home again, ``glimpsed`` says that it was not
    seen to stop.

    ``emptied`` is when the sensor first missed one of their stacks; ``plain`` says that the sensors
    missed all of them at one moment, with one hand alone over them.
    """

    dwell: Dwell | None
    slots: tuple[Slot, ...]
    t: float
    since: float
    emptied: float | None = None
    plain: bool = False
    visit: tuple[Dwell, ...] = ()
    glimpsed: bool = False


def was_there(stop: Dwell, removal: Removal, point: Point) -> bool:
    """Whether a hand was near a point when a tile left there."""
    return (
        stop.left >= removal.since - SLACK_S
        and stop.came <= removal.until + SLACK_S
        and distance(stop.point, point) <= WITHIN_MM
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which stop took which tile.

    Attributes:
        order: the tiles that left, an upper one before the lower one of its stack.
        near: the stops near each tile, of others too.
        visits: the stops by reach of one hand.
        grown: by how many tiles each row grew.
        chosen: what each stop took.
    """

    order: list[Removal]
    near: Near
    visits: list[list[Dwell]]
    grown: list[int | None]
    chosen: dict[Removal, Dwell]

    def adds_up(self) -> bool:
        """Whether every tile is somebody's, and every hand has what its row grew by."""
        return len(self.chosen) == len(self.order) and not any(
            _is_grab(by) and by != sum(dwell in visit for dwell in self.chosen.values())
            for visit, by in zip(self.visits, self.grown, strict=True)
        )


class Allotting:
    """Gives tiles to hands.

    Args:
        table: the shared state.
        rows: what stands in front of the players.
        owed: how many tiles each row has too many.
        point: where a hand is seen that takes a tile, mm.
    """

    def __init__(
        self, table: Table, rows: Rows, owed: Owed, point: Callable[[Slot], Point]
    ) -> None:
        self._table = table
        self._rows = rows
        self._owed = owed
        self._point = point

    def grown(self, dwell: Dwell, t: float) -> int | None:
        """By how many tiles a row grew by what a hand did at a stop, if it was counted since."""
        home = self._table.home(dwell.seat, dwell.left)
        return None if home is None else self._rows.growth(dwell.seat, dwell.came, min(home, t))

    def taken(
        self,
        removals: Iterable[Removal],
        dwells: Iterable[Dwell],
        near: Near,
        t: float,
        *,
        singly: bool,
    ) -> list[Taken] | None:
        """Who took these tiles; None while a row that may tell it is not counted yet.

        Args:
            removals: tiles that left, which share the hands that may have taken them.
            dwells: the stops of these hands.
            near: the stops near each tile, of others too.
            t: now.
            singly: everybody has his tiles: rows shrink as well, and have none too many.
        """
        order = sorted(removals, key=lambda r: (r.slot.side, r.slot.stack, r.slot.layer != "top"))
        visits = self._visits(dwells)
        grown = [self._grown_by(visit[0], t) for visit in visits]
        plan = self._plan(order, near, visits, grown)
        if not singly and not plan.adds_up():
            better = self._again(plan, t)
            if better is None:
                return None
            if better.adds_up():
                plan = better
        overlooked_stops = {visit[0] for visit in plan.visits[len(visits) :]}
        return self._told(plan, overlooked_stops)

    def _again(self, plan: _Plan, t: float) -> _Plan | None:
        """The same with hands that were overlooked and tiles that left later than it seemed.

        None while a row that may tell it is not counted yet.
        """
        table = self._table
        later = left_out(table.walls, plan.order)
        order = [later.get(one, one) for one in plan.order]
        near = {later.get(one, one): stops for one, stops in plan.near.items()}
        busy = {dwell.seat for stops in near.values() for dwell in stops}
        # Whose rows have so many tiles too many.
        others, waits = overlooked(table, order, busy, self._rows, self._owed)
        if waits and t - max(removal.noticed for removal in order) < COUNTED_S:
            return None
        near |= {one: [*near[one], *self._by(one, others)] for one in order}
        visits = [*plan.visits, *([stop] for stop in others)]
        grown = [
            by if _is_grab(by) else self._more(visit[0])
            for visit, by in zip(plan.visits, plan.grown, strict=True)
        ]
        grown += others.values()
        return self._plan(order, near, visits, grown)

    def _told(self, plan: _Plan, glimpsed: set[Dwell]) -> list[Taken]:
        order, chosen = plan.order, plan.chosen
        unseen = None
        if not self._table.dealt:
            crossed(self._table.walls, plan.visits, chosen)
            unseen = jump(self._table.walls, order, plan.visits, plan.grown, chosen, plan.near)
        taken = []
        for visit in plan.visits:
            mine = [removal for removal in order if chosen.get(removal) in visit]
            if not mine:
                continue
            last = next(dwell for dwell in reversed(visit) if dwell in chosen.values())
            since = min(removal.since for removal in mine)
            slots = tuple(removal.slot for removal in mine)
            if unseen is not None and unseen[0] in visit:
                slots += (unseen[1],)
            taken.append(
                Taken(
                    last,
                    slots,
                    last.left,
                    since,
                    first_felt(mine),
                    visit=tuple(visit),
                    glimpsed=last in glimpsed,
                )
            )
        lost = [removal for removal in order if chosen.get(removal) is None]
        for together in self._parts(lost):
            slots = tuple(removal.slot for removal in together)
            since = min(removal.since for removal in together)
            passing = self._passing(together)
            if passing is None:
                when = max(removal.until for removal in together)
            else:
                when = passing.left
            taken.append(Taken(passing, slots, when, since, first_felt(together)))
        return taken

    def _parts(self, lost: list[Removal]) -> list[list[Removal]]:
        """What nobody was seen to take: by what may have left in one reach."""
        if self._table.dealt:
            return _by_time(lost)
        return [part for part, _ in lonely_together(sharing({one: [] for one in lost}))]

    def _plan(
        self,
        order: list[Removal],
        near: Near,
        visits: list[list[Dwell]],
        grown: list[int | None],
    ) -> _Plan:
        if not visits:
            return _Plan(order, near, visits, grown, {})
        points = {removal.slot: self._point(removal.slot) for removal in order}
        most = 1 if self._table.dealt else HANDFUL
        unseen = self._unseen(order, near)
        chosen = assign(order, near, visits, grown, points.__getitem__, most, unseen=unseen)
        return _Plan(order, near, visits, grown, chosen)

    def _by(self, removal: Removal, stops: Iterable[Dwell]) -> list[Dwell]:
        """Which of these stops of overlooked hands a tile may belong to."""
        point = self._table.places.slot_point(removal.slot)
        return [stop for stop in stops if was_there(stop, removal, point)]

    def _grown_by(self, dwell: Dwell, t: float) -> int | None:
        """By how many tiles; of two grabs that were not counted apart what it has too many now."""
        by = self.grown(dwell, t)
        two_grabs = not self._table.dealt and by is not None and by > HANDFUL
        return self._more(dwell) if two_grabs else by

    def _more(self, dwell: Dwell) -> int | None:
        """How many tiles a row has too many since a hand came home, if it was counted."""
        home = self._table.home(dwell.seat, dwell.left)
        return None if home is None else self._owed(dwell.seat, home)

    def _unseen(self, removals: list[Removal], near: Near) -> list[Removal]:
        """Those that the sensors missed while looks were lost, where another hand may have been."""
        found = []
        for removal in removals:
            if removal.emptied is not None:
                point = self._table.places.slot_point(removal.slot)
                there = {visit.seat for visit in self._table.arms.between(point, removal.emptied)}
                if there - {dwell.seat for dwell in near[removal]}:
                    found.append(removal)
        return found

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
            if not visits and felt is None:
                visits = arms.visits(point, since - _SHOWN_S, until, WITHIN_MM, slow=False)
            if not visits:
                visits = arms.visits(point, since, until, 2.0 * _FAR_MM, slow=False)
                visits = visits if visits and visits[0].nearest <= _FAR_MM else []
            if not visits:
                # How near a hand was before or after says nothing of a time without looks.
                visits = arms.between(point, removal.until)
                visits = visits if len(visits) == 1 else []
            for visit in visits:
                best = nearest.get(visit.seat)
                if best is None or visit.nearest < best.nearest:
                    nearest[visit.seat] = visit
        ranked = sorted(nearest.values(), key=lambda visit: visit.nearest)
        if not ranked or (len(ranked) > 1 and ranked[1].nearest < 2.0 * ranked[0].nearest):
            return None
        visit = ranked[0]
        point = self._table.places.slot_point(lost[0].slot)
        return Dwell(visit.seat, point, visit.came, visit.left, STOP_MM_S)

    def _visits(self, dwells: Iterable[Dwell]) -> list[list[Dwell]]:
        """Stops of one hand between leaving its own edge and coming back to it."""
        visits: dict[tuple[Seat, float], list[Dwell]] = {}
        for dwell in dwells:
            home = self._table.home(dwell.seat, dwell.left)
            visits.setdefault((dwell.seat, -1.0 if home is None else home), []).append(dwell)
        return list(visits.values())


def _by_time(lost: list[Removal]) -> list[list[Removal]]:
    """Tiles by when they left: a hand that stays takes them one after another, hardly later."""
    parts: list[list[Removal]] = []
    for removal in sorted(lost, key=lambda each: each.until):
        if parts and removal.since - parts[-1][-1].until <= SLACK_S:
            parts[-1].append(removal)
        else:
            parts.append([removal])
    return parts


def _is_grab(count: int | None) -> bool:
    """Whether a row grew by what one hand takes."""
    return count is not None and 0 < count <= HANDFUL
