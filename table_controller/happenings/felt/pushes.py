"""Pools that a sleeve pushes out of order: when that is told, and by whom."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from statistics import fmean

from table_controller.domain.happenings import PoolDisturbed, Seat
from table_controller.happenings.felt.discard import (
    AT_ONCE_S,
    PUSHED_MM,
    PUSHED_TILES,
    REPAIRED_S,
    Discard,
)
from table_controller.happenings.looks.places import Spot, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table
from vision.sightings import Point

_NUDGED_MM = 6.0
"""A tile that moved so far as another one was pushed was pushed with it."""
_JUST_S = 1.5
"""What was laid so shortly before or after a push may lie under others."""
_CAME_S = 1.5
"""A hand that pushes came near so long before at most."""
_PUSH_S, _PUSH_TOLD_S = 0.9, 0.1
"""So long after the first tile others of the same push are waited for, and after the last."""
_ANOTHER_S = 2.0
"""After so long without a pushed tile the next one belongs to another push."""


@dataclass(slots=True)
class Push:
    """Tiles of one pool that were moved together."""

    t: float
    noted: float
    numbers: set[int] = field(default_factory=set)
    near: dict[Seat, dict[int, float]] = field(default_factory=dict)
    """When each hand was last seen near which of its tiles."""

    @property
    def by(self) -> Seat | None:
        """Whose hand was at most of its tiles, and there last: one may just have been laid."""
        return max(
            self.near,
            key=lambda seat: (len(self.near[seat]), max(self.near[seat].values())),
            default=None,
        )


class Pushes:
    """Tells of pushed pools.

    Args:
        table: the shared state.
        discards: the tiles of all pools, as they were told; shared with the pools.
    """

    def __init__(self, table: Table, discards: list[Discard]) -> None:
        self._table = table
        self.discards = discards
        self._pushed: dict[Seat, Push] = {}
        self._settled: dict[Seat, float] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._pushed.clear()
        self._settled.clear()

    def moved(self, discard: Discard, origin: Spot, t: float) -> None:
        """A discard slid to another place in sight."""
        spot = discard.rest.spot
        away = distance((spot.right, spot.offset), (origin.right, origin.offset))
        if away >= PUSHED_MM or origin.seat != spot.seat:
            geometry = self._table.places.geometry
            self._displaced(discard, geometry.to_table(origin.seat, origin.right, origin.offset), t)
            self.push(discard, t, t - _CAME_S)
        elif away >= _NUDGED_MM:
            discard.nudged = t

    def heaped(self, discard: Discard, t: float) -> None:
        """A discard left its place with others of its pool; nobody saw where they slid."""
        if discard.pushed < t:
            self._displaced(discard, discard.rest.point, t)
            self.push(discard, t, t - _CAME_S)

    @staticmethod
    def _displaced(discard: Discard, origin: Point, t: float) -> None:
        """Where a discard lay before its pool was pushed: it is laid back there."""
        if t - discard.pushed > REPAIRED_S:
            discard.home = origin

    def push(self, discard: Discard, t: float, since: float) -> None:
        """A discard was pushed at a time, by a hand that came after ``since``."""
        seat = discard.seat
        push, now = self._pushed.get(seat), self._table.now
        if push is None or now - push.noted > _ANOTHER_S:
            push = self._pushed[seat] = Push(t, now)
        push.t, push.noted = max(push.t, t), now
        push.numbers.add(id(discard))
        discard.pushed = max(discard.pushed, t)
        near = 2 * self._table.setup.patience.near_mm
        for visit in self._table.arms.visits(discard.rest.point, since, t, near):
            push.near.setdefault(visit.seat, {}).setdefault(id(discard), visit.left)

    def tick(self, t: float) -> None:
        """Tell the pushes of which all tiles have come to rest."""
        for seat, push in list(self._pushed.items()):
            together = len(push.numbers) + self._with(seat, push)
            enough = together >= PUSHED_TILES or self._swept_up(seat, push)
            if t - push.noted < (_PUSH_TOLD_S if enough else _PUSH_S):
                continue
            del self._pushed[seat]
            if not enough:
                continue
            again = push.t - self._settled.get(seat, -1e9) <= REPAIRED_S
            self._settled[seat] = push.t
            if not again:
                self._table.emit(
                    PoolDisturbed(t=push.t, seat=seat, by=push.by, recoverable=True, confidence=0.8)
                )

    def _with(self, seat: Seat, push: Push) -> int:
        """How many tiles of its pool moved a little with those that were pushed."""
        return sum(
            one.seat == seat
            and id(one) not in push.numbers
            and abs(one.nudged - push.t) <= AT_ONCE_S
            for one in self.discards
        )

    def _swept_up(self, seat: Seat, push: Push) -> bool:
        """Whether several tiles of its pool went with the one that was pushed: they lie in a heap.

        Who claims a discard and pushes another takes only one.
        """
        gone = [
            one.rest.missing
            for one in self.discards
            if one.seat == seat and id(one) not in push.numbers and one.rest.missing is not None
        ]
        return sum(abs(since - push.t) <= _PUSH_S for since in gone) >= PUSHED_TILES

    def hidden_since(self, rest: Rest) -> bool:
        """Whether a tile of its pool was not seen since this one lies: it may have been pushed."""
        seat = rest.spot.seat
        return any(
            one.seat == seat and one.rest.left is None and one.rest.seen < rest.since
            for one in self.discards
        )

    def before(self, rest: Rest) -> Spot | None:
        """Where a tile lay that came to rest with others of its pool that were pushed, if any.

        A hand that pushes the pool with the tile it has just laid may have hidden it all the time.
        """
        spot, geometry = rest.spot, self._table.places.geometry
        steps = []
        for one in self.discards:
            together = one.seat == spot.seat and abs(one.pushed - rest.since) <= AT_ONCE_S
            if together and one.home is not None and one.rest is not rest:
                right, offset = geometry.to_player(spot.seat, *one.home)
                lies = geometry.to_player(spot.seat, *one.rest.point)
                steps.append((lies[0] - right, lies[1] - offset))
        if not steps:
            return None
        right, offset = (fmean(step) for step in zip(*steps, strict=True))
        return replace(spot, right=spot.right - right, offset=spot.offset - offset)

    def slide(self, discard: Discard, rest: Rest) -> None:
        """A discard lies elsewhere now."""
        old, discard.rest = discard.rest, rest
        if distance(old.point, rest.point) >= PUSHED_MM:
            self._displaced(discard, old.point, rest.since)
            # Who laid it there may still be near when it was last seen in its place. Both finds of
            # one tile may be seen in the same looks, as it comes to rest.
            since = max(old.seen, rest.since - _CAME_S) + 0.15
            self.push(discard, rest.since, min(since, rest.since))
        elif distance(old.point, rest.point) >= _NUDGED_MM:
            discard.nudged = rest.since

    def jumbled(self, rest: Rest) -> bool:
        """Whether a tile came to rest while its pool was pushed: others may lie over it."""
        push = self._pushed.get(rest.spot.seat)
        times = [self._settled.get(rest.spot.seat, -1e9), -1e9 if push is None else push.t]
        return abs(rest.since - max(times)) <= _JUST_S

    def going_on(self, seat: Seat) -> bool:
        """Whether tiles of a pool were pushed that are not told yet."""
        return seat in self._pushed

    def straightened(self, rest: Rest) -> bool:
        """Whether a player moved only the own discard that was just laid, and no other tile."""
        seat = rest.spot.seat
        return rest.by == seat and not self.going_on(seat)
