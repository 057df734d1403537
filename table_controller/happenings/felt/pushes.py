"""Pools that a sleeve pushes out of order: which tile is which, and when that is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from statistics import fmean

from table_controller.domain.happenings import Place, PoolDisturbed, Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import Area, Spot, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table
from vision.sightings import Point

JUMBLED_WAIT_S = 4.0
"""So long the face of a tile is waited for that was pushed under others as it was laid."""
SLID_MM = 70.0
"""A sleeve that pushes a pool moves its tiles at most so far."""
SLID_WAIT_S = 1.5
"""So long is waited until it is seen whether a tile still lies where it lay."""
REPAIRED_S = 12.0
"""Putting a pushed pool straight again is not a second disturbance."""
_PUSHED_MM = 11.0
_PUSHED_TILES = 2
_NUDGED_MM = 6.0
"""A tile that moved so far as another one was pushed was pushed with it."""
_HOME_MM = 9.0
"""A tile of a pushed pool is laid back so near to where it lay."""
_SEEN_GOING_S = 0.3
"""On its way under a sleeve a tile may still be seen, after another has come to rest."""
_AT_ONCE_S = 0.6
"""Tiles that one sleeve pushed come to rest within this time."""
_PUSH_S, _PUSH_TOLD_S = 0.9, 0.1
"""So long after the first tile others of the same push are waited for, and after the last."""
_ANOTHER_S = 2.0
"""After so long without a pushed tile the next one belongs to another push."""


@dataclass(slots=True, eq=False)
class Discard:
    """A tile in a pool, as it was told."""

    rest: Rest
    seat: Seat
    tile: Tile
    place: Place | None
    t: float
    pushed: float = -1e9
    """When it was last pushed."""
    nudged: float = -1e9
    """When it last moved a little."""
    home: Point | None = None
    """Where it lay before its pool was pushed."""


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
    """Follows the tiles of pushed pools.

    Args:
        table: the shared state.
        discards: the tiles of all pools, as they were told; shared with the pools.
        waiting: tiles that came to rest in a pool and are not told yet; likewise.
        place: which place of its pool a tile lies in, if it lies in one.
    """

    def __init__(
        self,
        table: Table,
        discards: list[Discard],
        waiting: list[Rest],
        place: Callable[[Rest], Place | None],
    ) -> None:
        self._table = table
        self.discards = discards
        self.waiting = waiting
        self._place = place
        self._pushed: dict[Seat, Push] = {}
        self._settled: dict[Seat, float] = {}
        self._unread: dict[Seat, Rest] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._pushed.clear()
        self._settled.clear()
        self._unread.clear()

    def moved(self, discard: Discard, origin: Spot, t: float) -> None:
        """A discard slid to another place in sight."""
        spot = discard.rest.spot
        away = distance((spot.right, spot.offset), (origin.right, origin.offset))
        if away >= _PUSHED_MM or origin.seat != spot.seat:
            geometry = self._table.places.geometry
            self._displaced(discard, geometry.to_table(origin.seat, origin.right, origin.offset), t)
            self.push(discard, t, t - 1.5)
        elif away >= _NUDGED_MM:
            discard.nudged = t

    def heaped(self, discard: Discard, t: float) -> None:
        """A discard left its place with others of its pool; nobody saw where they slid."""
        if discard.pushed < t:
            self._displaced(discard, discard.rest.point, t)
            self.push(discard, t, t - 1.5)

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
            enough = together >= _PUSHED_TILES or self._swept_up(seat, push)
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
            and abs(one.nudged - push.t) <= _AT_ONCE_S
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
        return sum(abs(since - push.t) <= _PUSH_S for since in gone) >= _PUSHED_TILES

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
            together = one.seat == spot.seat and abs(one.pushed - rest.since) <= _AT_ONCE_S
            if together and one.home is not None and one.rest is not rest:
                right, offset = geometry.to_player(spot.seat, *one.home)
                lies = geometry.to_player(spot.seat, *one.rest.point)
                steps.append((lies[0] - right, lies[1] - offset))
        if not steps:
            return None
        right, offset = (fmean(step) for step in zip(*steps, strict=True))
        return replace(spot, right=spot.right - right, offset=spot.offset - offset)

    # -- tiles laid just before a push ------------------------------------------------------

    def jumbled(self, rest: Rest) -> bool:
        """Whether a tile came to rest while its pool was pushed: others may lie over it."""
        push = self._pushed.get(rest.spot.seat)
        times = [self._settled.get(rest.spot.seat, -1e9), -1e9 if push is None else push.t]
        return abs(rest.since - max(times)) <= SLID_WAIT_S

    def lost(self, rest: Rest) -> None:
        """A tile that was not told yet left: if nobody could read it there, it comes back."""
        if self.jumbled(rest):
            self._unread[rest.spot.seat] = rest

    def unread(self, rest: Rest) -> Rest | None:
        """The tile pushed under others that this one must have been, laid straight now."""
        seat = rest.spot.seat
        waiting = (
            other
            for other in self.waiting
            if other.spot.seat == seat and other.seen < rest.since and self.jumbled(other)
        )
        unread = next(waiting, self._unread.get(seat))
        lately = unread is not None and rest.since - unread.seen <= JUMBLED_WAIT_S
        return unread if lately else None

    def found(self, unread: Rest) -> None:
        """A tile pushed under others lies straight: it is waited for no more."""
        self._unread.pop(unread.spot.seat, None)
        if unread in self.waiting:
            self.waiting.remove(unread)

    def laid_before(self, rest: Rest) -> Rest | None:
        """The same tile as it was laid, a look or two before it was pushed away.

        The arm may stay: until the tile was seen elsewhere its place was hidden, or it lay there.
        """
        seat = rest.spot.seat
        enough = 1 if seat in self._pushed or rest.by == seat else 2
        untold = [*self._table.book.glimpses(rest.since - SLID_WAIT_S), *self.waiting]
        return next(
            (
                laid
                for laid in reversed(untold)
                if laid is not rest
                and max(laid.seen, laid.covered) >= rest.since - _AT_ONCE_S
                and laid.seen < rest.since + _SEEN_GOING_S
                and laid.face.tile is rest.face.tile is not Tile.UNKNOWN
                and laid.clear >= enough
                and self._place(laid) is not None
                and _PUSHED_MM <= distance(laid.point, rest.point) <= SLID_MM
            ),
            None,
        )

    def straightened(self, rest: Rest) -> bool:
        """Whether a player moved only the own discard that was just laid, and no other tile."""
        seat = rest.spot.seat
        return rest.by == seat and seat not in self._pushed

    # -- which discard a tile is ------------------------------------------------------------

    def brought_home(self, rest: Rest) -> Discard | None:
        """The pushed discard that lies where it lay before the push, whatever lies elsewhere.

        Where it lay after the push the next tile may be taken up meanwhile, and pass for it.
        """
        for discard in self.discards:
            if (
                discard.home is not None
                and rest is not discard.rest
                and rest.since - discard.pushed <= REPAIRED_S
                and rest.face.tile is discard.tile is not Tile.UNKNOWN
                and distance(discard.home, rest.point) <= _HOME_MM
            ):
                return discard
        return None

    def slid_from(self, rest: Rest) -> Discard | None:
        """The discard that this tile may be: one like it beside, not seen since this one lies."""
        for discard in self.discards:
            old = discard.rest
            if (
                old is not rest
                and old.left is None
                and old.face.tile is rest.face.tile
                and rest.face.tile is not Tile.UNKNOWN
                and (self._gone_before(old, rest) or self._in_doubt(discard, rest))
                and distance(old.point, rest.point) <= SLID_MM
            ):
                return discard
        return self._shoved(rest)

    @staticmethod
    def _gone_before(old: Rest, rest: Rest) -> bool:
        """Whether a tile was not seen any more where it lay since another one lies."""
        return old.seen < rest.since + (0.0 if old.missing is None else _SEEN_GOING_S)

    def _in_doubt(self, discard: Discard, rest: Rest) -> bool:
        """Whether what is seen in a tile's place, just out from under a sleeve, may be another.

        The next tile of its pool may have been pushed there: one of them is not where it lay.
        """
        covered = discard.rest.covered
        return (
            rest.since - _AT_ONCE_S <= covered
            and self._table.now - covered < _SEEN_GOING_S
            and any(
                other is not discard
                and other.seat == discard.seat
                and (other.rest.seen < rest.since or other.pushed >= rest.since - _AT_ONCE_S)
                for other in self.discards
            )
        )

    def _shoved(self, rest: Rest) -> Discard | None:
        """The discard that this tile is where several were pushed, whatever it looks like now.

        Tiles that lie askew are misread more often. Nobody takes two discards at once and lays
        two others beside their places.
        """
        seat = rest.spot.seat
        gone = [
            discard
            for discard in self.discards
            if discard.seat == seat
            and discard.rest.missing is not None
            and discard.rest.seen < rest.since + _SEEN_GOING_S
            and distance(discard.rest.point, rest.point) <= 2 * SLID_MM
        ]
        if not gone:
            return None
        # What looks like one that is gone is it, were it pushed as far as beside another pool
        # or seen only once until now.
        faces = {discard.tile for discard in gone}
        coming = (
            other
            for other in self._table.book.all()
            if not other.believed and other.spot.area is not Area.HAND
        )
        come = [
            other
            for other in (*self.waiting, *coming)
            if ((other in self.waiting and other.spot.seat == seat) or other.face.tile in faces)
            and abs(other.since - rest.since) <= _AT_ONCE_S
            and distance(other.point, rest.point) <= 2 * SLID_MM
        ]
        known = sum(
            discard.seat == seat and abs(discard.pushed - rest.since) <= _AT_ONCE_S
            for discard in self.discards
        )
        if known + min(len(gone), len(come)) < _PUSHED_TILES:
            return None
        # Those that one of the others looks like are not this one.
        others = {other.face.tile for other in come if other is not rest}
        near = [
            one
            for one in gone
            if distance(one.rest.point, rest.point) <= SLID_MM
            and others.isdisjoint((one.tile, one.rest.face.tile))
        ]
        alike = [one for one in near if rest.face.tile in (one.tile, one.rest.face.tile)]
        if not alike and len(come) > len(gone):
            # One of them has just been laid: this one, which looks like none that is gone.
            return None
        return min(
            alike or near,
            key=lambda discard: distance(discard.rest.point, rest.point),
            default=None,
        )

    def slide(self, discard: Discard, rest: Rest) -> None:
        """A discard lies elsewhere now."""
        old, discard.rest = discard.rest, rest
        if distance(old.point, rest.point) >= _PUSHED_MM:
            self._displaced(discard, old.point, rest.since)
            # Who laid it there may still be near when it was last seen in its place. Both finds of
            # one tile may be seen in the same looks, as it comes to rest.
            since = max(old.seen, rest.since - 1.5) + 0.15
            self.push(discard, rest.since, min(since, rest.since))
        elif distance(old.point, rest.point) >= _NUDGED_MM:
            discard.nudged = rest.since
