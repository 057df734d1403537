"""Tiles that left a wall, until it is known which reach of whose hand took them.

In the deal one hand is still over the wall while the next already takes its tiles, so a stack
may be seen full and then empty with two takings in between. What is known then: where and when
every hand stopped at the wall, between which looks every tile vanished, and by how many tiles
every hand of standing tiles grew. When all of that is known the tiles are given to hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import Area, distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.allotting import (
    COUNTED_S,
    SLACK_S,
    Allotting,
    Taken,
    was_there,
)
from table_controller.happenings.taking.assigning import scattered
from table_controller.happenings.taking.jumping import half, odd_grab, with_the_next
from table_controller.happenings.taking.overlooked import Owed
from table_controller.happenings.taking.plain_grabs import NOTICED_S, WITHIN_MM, plain_grabs
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.wall.removals import (
    Near,
    Removal,
    all_lonely,
    felt_together,
    half_felt,
    lonely_together,
    sharing,
    stack_felt,
)
from table_controller.happenings.wall.stacks import StackChanged
from vision.sightings import Point

_BEFORE_S = 0.3
"""A stop that ended so long before is another than the one that a tile was seen to leave in."""
_LIFTING_S = 0.25
_LATEST_S = 4.0
_HIDES_S = 1.5
"""In play, when one tile was drawn, so long is waited for its neighbours that a hand hides: who
looks at his tiles just before his row may hide his own wall until he discards, and what the next
player does meanwhile would be told before the draw."""
_LONELY_S = 1.0
_IN_ORDER_S = 3.0
"""When the deal ends all put their tiles in order: their rows come to rest so much later."""
_MISSING_S = 2.0
"""So long a tile is waited for that a hand grew by and that nobody saw leave the wall."""
_LEFT_MM, _LEFT_S = 150.0, 0.05
"""A hand seen so far away, so long before the sensors missed a stack, has not emptied it."""
_UNSEEN_S = 11.0
"""A stop of a hand at the wall that took nothing is remembered so long."""


class Reaches:
    """Removed tiles that are not yet assigned to a reach."""

    def __init__(self, table: Table, rows: Rows, owed: Owed) -> None:
        self._table = table
        self._owed = owed
        self._allotting = Allotting(table, rows, self._owing, self._point)
        self._removals: list[Removal] = []
        self._done: list[Taken] = []
        self._used: set[tuple[Seat, float]] = set()
        self._returned: dict[Seat, float] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._removals.clear()
        self._used.clear()
        self._returned.clear()

    def pending(self) -> float | None:
        """Time of the earliest tile that is not assigned."""
        return min((removal.t for removal in self._removals), default=None)

    def waiting(self) -> list[Removal]:
        """How the tiles left that are not assigned."""
        return list(self._removals)

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
            part
            for dwell in self._table.arms.dwells(since, until)
            for part in ([dwell] if self._unused(dwell) else self._anew(dwell))
            if self._table.places.spot(*part.point).area is not Area.HAND
        ]

    def _unused(self, stop: Dwell) -> bool:
        return (stop.seat, stop.came) not in self._used

    def _anew(self, stop: Dwell) -> list[Dwell]:
        """Where a hand stopped again, close by, after it had put tiles back."""
        back = self._returned.get(stop.seat)
        if back is None or not stop.came <= back <= stop.left:
            return []
        return [
            part
            for part in self._table.arms.anew(stop, back)
            if part.came > back + NOTICED_S and self._unused(part)
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
            and since - SLACK_S <= dwell.came
            and dwell.left <= until + NOTICED_S
            and any(distance(dwell.point, point) <= WITHIN_MM for point in points)
        )
        self._returned[seat] = until

    def ready(self, t: float, *, singly: bool) -> list[Taken]:
        """What can be assigned now; ``singly`` as above."""
        if not self._removals:
            return []
        since = min(removal.since for removal in self._removals) - SLACK_S
        dwells = self._stops(since, t)
        near = {removal: self._near(removal, dwells) for removal in self._removals}
        self._done = []
        if not self._table.dealt:
            self._plain(near, t)
        near = {
            removal: [stop for stop in stops if (stop.seat, stop.came) not in self._used]
            for removal, stops in near.items()
            if removal in self._removals
        }
        groups = lonely_together(sharing(near))
        if not self._table.dealt:
            groups = with_the_next(self._table.walls, groups)
        if not singly:
            groups = all_lonely(groups)
        for removals, involved in groups:
            if self._may_decide(removals, involved, t, singly=singly):
                taken = self._allotting.taken(removals, involved, near, t, singly=singly)
                if taken is not None:
                    self._decided(removals, taken)
        return self._done

    def _decided(self, removals: Sequence[Removal], taken: Iterable[Taken]) -> None:
        """It is known who took these tiles, and where the fingertips were seen beside them."""
        for removal in removals:
            self._removals.remove(removal)
        for one in taken:
            self._used.update((stop.seat, stop.came) for stop in one.visit)
            several = len(one.slots) not in (1, 2, 4) or scattered(one.slots)
            if one.dwell in one.visit and not one.glimpsed and not several:
                middle = self._table.places.middle(one.slots)
                self._table.arms.learn(one.dwell.seat, one.dwell.point, middle)
            self._done.append(one)

    def _owing(self, seat: Seat, after: float) -> int | None:
        """How many tiles a row has too many, with what was decided just now."""
        more = self._owed(seat, after)
        mine = (one for one in self._done if one.dwell is not None and one.dwell.seat == seat)
        return None if more is None else more - sum(len(one.slots) for one in mine)

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

    def _plain(self, near: Near, t: float) -> None:
        """The grabs that leave no doubt, with the others still to be sorted out."""
        for grab in plain_grabs(self._table, near, t):
            stop, slots = grab.stop, tuple(one.slot for one in grab.removals)
            since = min(one.since for one in grab.removals)
            one = Taken(stop, slots, stop.left, since, grab.emptied, plain=True, visit=(stop,))
            self._decided(grab.removals, [one])

    def _near(self, removal: Removal, dwells: list[Dwell]) -> list[Dwell]:
        point, felt = self._point(removal.slot), stack_felt(removal, self._removals)
        return [
            dwell
            for dwell in dwells
            if was_there(dwell, removal, point)
            # Who was still seen at home when the sensors missed it already did not take it.
            and (felt is None or not self._table.arms.away(dwell.seat, felt, dwell.came))
            and not self._had_left(dwell, point, removal.emptied)
        ]

    def _had_left(self, stop: Dwell, point: Point, emptied: float | None) -> bool:
        """Whether a hand was seen far from a stack before the sensors missed its last tile."""
        if emptied is None:
            return False
        path = self._table.arms.path(stop.seat, stop.left, emptied - _LEFT_S)
        last = path[-1].point if path else point
        return last is None or distance(last, point) > _LEFT_MM

    def _may_decide(
        self, removals: list[Removal], dwells: list[Dwell], t: float, *, singly: bool
    ) -> bool:
        latest = max(removal.noticed for removal in removals)
        if t - latest < NOTICED_S:
            return False
        if half_felt(removals, self._table.walls.stacks.values()) and t - latest < _LATEST_S:
            return False
        if not dwells:
            return t - latest >= _LONELY_S
        if t - latest >= _LATEST_S:
            return True
        waited = singly and len(removals) == 1 and t - latest >= _HIDES_S
        # The surroundings of every reach must have been looked at since.
        for dwell in dwells:
            for stack in self._table.walls.stacks.values():
                if distance(stack.point, dwell.point) > WITHIN_MM:
                    continue
                if stack.height and stack.missed:
                    # The sensor misses it already: the eye will see that too, in a moment.
                    return False
                stands = stack.height or stack.other is not None
                if stands and not waited and stack.looked <= dwell.left + _LIFTING_S:
                    return False
        odd = not singly and odd_grab([removal.slot for removal in removals])
        if odd or len({dwell.seat for dwell in dwells}) > 1:
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
        grown = [self._allotting.grown(dwell, t) for dwell in dwells]
        patience = COUNTED_S if self._table.dealt else _IN_ORDER_S
        if all(
            by is not None or (home is not None and t - home > patience)
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
        grown = self._allotting.grown(dwells[0], t)
        return t - home <= COUNTED_S if grown is None else grown > 1
