"""The pools: what is discarded, taken back, claimed or pushed out of order."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.domain.happenings import (
    Place,
    PoolDisturbed,
    Seat,
    Slot,
    TileClaimed,
    TileCovered,
    TileDiscarded,
    TileExposed,
    TileRetracted,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.dead_wall import DeadWall
from table_controller.happenings.disturbances import Disturbances
from table_controller.happenings.hands import Hands
from table_controller.happenings.places import Area, Spot, distance, turn_between
from table_controller.happenings.rests import Rest
from table_controller.happenings.table import ClaimNote, Table
from vision.sightings import Point, Posture

_RESETTLE_S = 0.3
"""What a hand that is home again laid back into its pool is seen there within this time."""
_UNKNOWN_WAIT_S = 3.0
_JUMBLED_WAIT_S = 4.0
"""So long the face of a tile is waited for that was pushed under others as it was laid."""
_HIDDEN_WAIT_S = 2.0
"""So long a face is waited for at most that an arm hides."""
_CLAIM_SURE = 0.995
"""Of 229 claims of the latest discard that were told on pictures none was wrong."""
_PUSHED_MM = 11.0
_PUSHED_TILES = 2
_HOME_MM = 9.0
"""A tile of a pushed pool is laid back so near to where it lay."""
_GLIMPSE_S = 3.0
_SLID_MM = 70.0
"""A sleeve that pushes a pool moves its tiles at most so far."""
_SLID_WAIT_S = 1.5
"""So long is waited until it is seen whether a tile still lies where it lay."""
_SEEN_GOING_S = 0.3
"""On its way under a sleeve a tile may still be seen, after another has come to rest."""
_AT_ONCE_S = 0.6
"""Tiles that one sleeve pushed come to rest within this time."""
_REPAIRED_S = 12.0
"""Putting a pushed pool straight again is not a second disturbance."""
_PUSH_S, _PUSH_TOLD_S = 0.9, 0.1
"""So long after the first tile others of the same push are waited for, and after the last."""
_BURIED_S = 15.0
"""A tile that lies under others after a push comes to light again within this time."""
_CARRIED_S = 0.5
"""A tile that is seen in a pool left its hand at most so long before."""


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
    home: Point | None = None
    """Where it lay before its pool was pushed."""


@dataclass(slots=True, eq=False)
class Missing:
    """A discard that left its place and has not turned up anywhere yet."""

    discard: Discard
    t: float
    by: Seat | None
    since: float


@dataclass(slots=True, eq=False)
class Stray:
    """A wall tile that lies face up on the felt."""

    rest: Rest
    slot: Slot
    tile: Tile


@dataclass(slots=True)
class Push:
    """Tiles of one pool that were moved together."""

    t: float
    noted: float
    numbers: set[int] = field(default_factory=set)
    by: Seat | None = None


class Pools:
    """The four pools and whatever else lies between the walls."""

    def __init__(
        self, table: Table, disturbances: Disturbances, hands: Hands, dead_wall: DeadWall
    ) -> None:
        self._table = table
        self._dead_wall = dead_wall
        self._hands = hands
        self._disturbances = disturbances
        self._waiting: list[Rest] = []
        self.discards: list[Discard] = []
        self._missing: list[Missing] = []
        self._buried: list[Missing] = []
        self._strays: list[Stray] = []
        self._pushed: dict[Seat, Push] = {}
        self._settled_push: dict[Seat, float] = {}
        self._unread: dict[Seat, Rest] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._waiting.clear()
        self.discards.clear()
        self._missing.clear()
        self._buried.clear()
        self._strays.clear()
        self._pushed.clear()
        self._settled_push.clear()
        self._unread.clear()

    def pending(self) -> float | None:
        """Time of the earliest undecided change here."""
        times = [rest.arrived for rest in self._waiting]
        times += [missing.t for missing in self._missing]
        return min(times, default=None)

    def coming(self) -> float | None:
        """Time of the earliest tile that may have come to rest in a pool, not believed yet."""
        times = [
            rest.since - _CARRIED_S
            for rest in self._table.book.all()
            if not rest.believed and rest.spot.area is Area.POOL and rest.posture is Posture.FACE_UP
        ]
        return min(times, default=None)

    # -- changes ------------------------------------------------------------------------

    def arrived(self, rest: Rest) -> None:
        """A flat tile came to rest between the walls.

        Backs are left alone: they are wall tiles that were pushed, which the walls tell.
        """
        if rest.posture is Posture.FACE_UP:
            self._waiting.append(rest)

    def left(self, rest: Rest, t: float) -> None:
        """A tile left."""
        if rest in self._waiting:
            self._waiting.remove(rest)
            if self._jumbled(rest):
                self._unread[rest.spot.seat] = rest
            return
        for stray in self._strays:
            if stray.rest is rest:
                self._cover(stray, rest.left if rest.left is not None else t, rest.by)
                self._strays.remove(stray)
                return
        for discard in self.discards:
            if discard.rest is rest:
                when = rest.left if rest.left is not None else t
                self._missing.append(Missing(discard, when, rest.by, t))
                return

    def turned(self, rest: Rest, t: float) -> None:
        """A tile turned over where it lies."""
        for stray in list(self._strays):
            if stray.rest is rest and rest.posture is not Posture.FACE_UP:
                self._cover(stray, t, None)
                self._strays.remove(stray)

    def moved(self, rest: Rest, origin: Spot, t: float) -> None:
        """A tile slid to another place."""
        for discard in self.discards:
            if discard.rest is rest:
                away = distance((rest.spot.right, rest.spot.offset), (origin.right, origin.offset))
                if away >= _PUSHED_MM or origin.seat != rest.spot.seat:
                    self._push(discard.seat, discard, t, t - 1.5)
                return

    def _push(self, seat: Seat, discard: Discard, t: float, since: float) -> None:
        push, now = self._pushed.get(seat), self._table.now
        if push is None or now - push.noted > 2.0:
            push = self._pushed[seat] = Push(t, now)
        push.t, push.noted = max(push.t, t), now
        push.numbers.add(id(discard))
        discard.pushed = max(discard.pushed, t)
        if push.by is None:
            near = 2 * self._table.setup.patience.near_mm
            visits = self._table.arms.visits(discard.rest.point, since, t, near)
            push.by = visits[0].seat if visits else None

    # -- deciding -----------------------------------------------------------------------

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for rest in list(self._waiting):
            if self._decide(rest, t):
                self._waiting.remove(rest)
        for missing in list(self._missing):
            if self._resolve(missing, t):
                self._missing.remove(missing)
        for seat, push in list(self._pushed.items()):
            enough = len(push.numbers) >= _PUSHED_TILES
            if t - push.noted < (_PUSH_TOLD_S if enough else _PUSH_S):
                continue
            del self._pushed[seat]
            if len(push.numbers) < _PUSHED_TILES:
                continue
            again = push.t - self._settled_push.get(seat, -1e9) <= _REPAIRED_S
            self._settled_push[seat] = push.t
            if not again:
                self._table.emit(
                    PoolDisturbed(t=push.t, seat=seat, by=push.by, recoverable=True, confidence=0.8)
                )

    def _decide(self, rest: Rest, t: float) -> bool:
        face_up = rest.posture is Posture.FACE_UP
        # A face is looked at from when no arm hides it any more.
        waited = t - max(rest.since, min(rest.covered, rest.since + _HIDDEN_WAIT_S))
        patience = self._table.setup.patience
        unread = face_up and not rest.face.decided
        if unread and waited < patience.face_wait_s:
            return False
        if self._put_straight(rest) or self._dead_wall.aside(rest):
            return True
        brought = self._brought_home(rest)
        if brought is not None:
            brought.rest = rest
            return True
        old = self._slid_from(rest)
        if old is not None:
            if old.rest.missing is None and t - rest.since < _SLID_WAIT_S:
                return False
            if old.rest.missing is not None:
                self._missing = [each for each in self._missing if each.discard is not old]
                self._slide(old, rest)
                return True
        tile = rest.face.tile if face_up else Tile.BACK
        slot = self._spilled_slot(rest)
        if slot is not None:
            if face_up:
                self._strays.append(Stray(rest, slot, tile))
                self._table.emit(
                    TileExposed(
                        t=rest.arrived,
                        where="wall",
                        seat=None,
                        tile=tile,
                        by=rest.by,
                        slot=slot,
                        confidence=rest.face.confidence,
                    )
                )
            return True
        laid = self._pushed_at_once(rest)
        if laid is not None:
            laid.arrived = self._table.book.arrival(laid)
            self._discard(laid, tile)
            self._slide(self.discards[-1], rest)
            return True
        if unread and waited < _JUMBLED_WAIT_S and self._jumbled(rest):
            return False
        self._discard(rest, tile)
        return True

    def _jumbled(self, rest: Rest) -> bool:
        """Whether a tile came to rest while its pool was pushed: others may lie over it."""
        push = self._pushed.get(rest.spot.seat)
        times = [self._settled_push.get(rest.spot.seat, -1e9), -1e9 if push is None else push.t]
        return abs(rest.since - max(times)) <= _SLID_WAIT_S

    def _was_unread(self, rest: Rest) -> Rest | None:
        """The tile pushed under others that this one must have been, laid straight now."""
        seat = rest.spot.seat
        unread = self._unread.pop(seat, None)
        for other in self._waiting:
            if other.spot.seat == seat and other.seen < rest.since and self._jumbled(other):
                self._waiting.remove(other)
                unread = other
                break
        lately = unread is not None and rest.since - unread.seen <= _JUMBLED_WAIT_S
        return unread if lately else None

    def _pushed_at_once(self, rest: Rest) -> Rest | None:
        """The same tile as it was laid, a look or two before somebody else pushed it away."""
        book, places = self._table.book, self._table.places
        return next(
            (
                laid
                for laid in reversed(book.glimpses(rest.since - _AT_ONCE_S))
                if laid is not rest
                and laid.face.tile is rest.face.tile is not Tile.UNKNOWN
                and laid.clear >= 2
                and laid.spot.seat != rest.by
                and places.pool_place(laid.spot, self._sideways_before(laid)) is not None
                and _PUSHED_MM <= distance(laid.point, rest.point) <= _SLID_MM
            ),
            None,
        )

    def _discard(self, rest: Rest, tile: Tile) -> None:
        table, spot = self._table, rest.spot
        unread = self._was_unread(rest)
        if unread is not None:
            # It was laid before the push in which nobody could read it.
            rest.arrived = unread.arrived
        turned = self._sideways(rest)
        place = table.places.pool_place(spot, self._sideways_before(rest) + 0.5 * turned)
        seat = spot.seat
        if place is None and rest.by is not None:
            seat = rest.by
        drawn = self._hands.drawn(seat, rest.arrived)
        self._hands.decided(seat)
        rotated = turned if seat == spot.seat else self._sideways(rest, seat)
        self.discards.append(Discard(rest, seat, tile, place, rest.arrived))
        table.emit(
            TileDiscarded(
                t=rest.arrived,
                seat=seat,
                tile=tile,
                place=place,
                rotated=rotated,
                drawn=drawn,
                confidence=rest.face.confidence,
                foreign=rest.face.foreign,
            )
        )

    @staticmethod
    def _sideways(rest: Rest, seat: Seat | None = None) -> bool:
        """Whether a tile lies across the direction of its pool."""
        side = rest.spot.seat if seat is None else seat
        return turn_between(rest.angle, 90.0 * side, 180.0) > 55.0

    def _sideways_before(self, rest: Rest) -> int:
        """How many tiles to the left of a tile lie sideways in its row."""
        places, spot = self._table.places, rest.spot
        row = places.pool_row(spot)
        return sum(
            other.rest.spot.seat == spot.seat
            and other.rest.spot.right < spot.right
            and places.pool_row(other.rest.spot) == row
            and self._sideways(other.rest)
            for other in self.discards
        )

    def _spilled_slot(self, rest: Rest) -> Slot | None:
        for slot, number in self._table.spilled.items():
            if number == rest.number:
                return slot
        side = self._disturbances.near(rest)
        if side is None:
            return None
        number, _, _ = self._table.places.stack_of(rest.spot)
        return Slot(side, number, "top")

    def _put_straight(self, rest: Rest) -> bool:
        """Whether this is a discard that was taken up and laid down again."""
        for missing in (*self._missing, *self._buried):
            old = missing.discard
            faces = (old.tile, old.rest.face.tile)
            same = rest.face.tile in faces and rest.face.tile is not Tile.UNKNOWN
            near = distance(old.rest.point, rest.point) <= _SLID_MM
            home = rest.spot.seat == old.seat and rest.spot.area is Area.POOL
            if same and (near or home):
                self._slide(old, rest)
                kept = self._missing if missing in self._missing else self._buried
                kept.remove(missing)
                return True
        return False

    def _brought_home(self, rest: Rest) -> Discard | None:
        """The pushed discard that lies where it lay before the push, whatever lies elsewhere.

        Where it lay after the push the next tile may be taken up meanwhile, and pass for it.
        """
        for discard in self.discards:
            if (
                discard.home is not None
                and rest is not discard.rest
                and rest.since - discard.pushed <= _REPAIRED_S
                and rest.face.tile is discard.tile is not Tile.UNKNOWN
                and distance(discard.home, rest.point) <= _HOME_MM
            ):
                return discard
        return None

    def _slid_from(self, rest: Rest) -> Discard | None:
        """The discard that this tile may be: one like it beside, not seen since this one lies."""
        for discard in self.discards:
            old = discard.rest
            if (
                old is not rest
                and old.left is None
                and old.face.tile is rest.face.tile
                and rest.face.tile is not Tile.UNKNOWN
                and old.seen < rest.since
                and distance(old.point, rest.point) <= _SLID_MM
            ):
                return discard
        return self._shoved(rest)

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
            and distance(discard.rest.point, rest.point) <= 2 * _SLID_MM
        ]
        come = [
            other
            for other in self._waiting
            if other.spot.seat == seat
            and abs(other.since - rest.since) <= _AT_ONCE_S
            and distance(other.point, rest.point) <= 2 * _SLID_MM
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
            if distance(one.rest.point, rest.point) <= _SLID_MM
            and others.isdisjoint((one.tile, one.rest.face.tile))
        ]
        alike = [one for one in near if rest.face.tile in (one.tile, one.rest.face.tile)]
        return min(
            alike or near,
            key=lambda discard: distance(discard.rest.point, rest.point),
            default=None,
        )

    def _slide(self, discard: Discard, rest: Rest) -> None:
        """A discard lies elsewhere now."""
        old, discard.rest = discard.rest, rest
        if distance(old.point, rest.point) >= _PUSHED_MM:
            if rest.since - discard.pushed > _REPAIRED_S:
                discard.home = old.point
            # Who laid it there may still be near when it was last seen in its place.
            self._push(discard.seat, discard, rest.since, max(old.seen, rest.since - 1.5) + 0.15)

    def _turning_up(self, missing: Missing) -> bool:
        """Whether a missing discard may be the tile that is just coming to rest beside."""
        old = missing.discard.rest
        return any(
            rest is not old
            and not any(other.rest is rest for other in self.discards)
            and rest.posture is Posture.FACE_UP
            and rest.spot.area not in (Area.MELD, Area.HAND)
            and rest.since >= old.seen - 0.1
            and distance(rest.point, old.point) <= _SLID_MM
            and (rest.face.tile is old.face.tile or not rest.face.decided)
            for rest in self._table.book.all()
        )

    def _pushed_together(self, missing: Missing) -> bool:
        """Whether several tiles of a pool left at once: nobody claims two."""
        return any(
            other is not missing
            and other.discard.seat == missing.discard.seat
            and abs(other.t - missing.t) <= 1.0
            for other in self._missing
        )

    def _in_push(self, missing: Missing) -> bool:
        """Whether a tile left while others of its pool were pushed."""
        return any(
            other is not missing.discard
            and other.seat == missing.discard.seat
            and abs(other.pushed - missing.t) <= _SLID_WAIT_S
            for other in self.discards
        )

    def _resolve(self, missing: Missing, t: float) -> bool:
        discard, table = missing.discard, self._table
        together = self._pushed_together(missing)
        if t - missing.since < _SLID_WAIT_S and (together or self._turning_up(missing)):
            return False
        if self._in_push(missing):
            # What a push has slid under others is neither claimed nor taken back.
            self._buried = [old for old in self._buried if t - old.t <= _BURIED_S]
            self._buried.append(missing)
            return True
        latest = max(self.discards, key=lambda d: d.t) is discard
        taker = missing.by
        if taker is not None and taker != discard.seat:
            pushed = missing.t - discard.pushed <= _REPAIRED_S
            if t - missing.since < (_SLID_WAIT_S if pushed else 0.3):
                # What was pushed is laid straight by whoever pushed it.
                return False
            self._claimed(discard, taker, missing.t, _CLAIM_SURE if latest else 0.7)
            return True
        if taker == discard.seat:
            home = table.home(taker, missing.t)
            if t - missing.since < 2.0 if home is None else t - home < _RESETTLE_S:
                return False
            self.discards.remove(discard)
            when = missing.t if home is None else home
            sure = 0.995 if self._alone(missing, taker) else 0.9
            table.emit(TileRetracted(t=when, seat=discard.seat, tile=discard.tile, confidence=sure))
            return True
        seat = self._turned_up(discard, missing.t)
        if seat is not None:
            self._claimed(discard, seat, missing.t, 0.8)
            return True
        if t - missing.since < _UNKNOWN_WAIT_S:
            return False
        # Nobody was seen taking it and it turned up nowhere: the pool is not what it was.
        self.discards.remove(discard)
        table.emit(PoolDisturbed(t=missing.t, seat=discard.seat, recoverable=True, confidence=0.5))
        return True

    def _alone(self, missing: Missing, seat: Seat) -> bool:
        """Whether no other hand came near a discard while it left, at whatever speed."""
        table, rest = self._table, missing.discard.rest
        near = table.setup.patience.near_mm
        visits = table.arms.visits(rest.point, rest.seen - 0.3, missing.t + 0.3, near, slow=False)
        return {visit.seat for visit in visits} == {seat}

    def _turned_up(self, discard: Discard, since: float) -> Seat | None:
        for rest in self._table.book.all():
            if (
                rest.spot.area in (Area.MELD, Area.HAND)
                and rest.since >= since
                and rest.posture is Posture.FACE_UP
                and rest.spot.seat != discard.seat
                and rest.face.tile is discard.tile
            ):
                return rest.spot.seat
        return None

    def glimpsed(self, seat: Seat, tiles: tuple[Tile, ...], t: float) -> ClaimNote | None:
        """A discard that another seat took before it was believed to lie there.

        A set has come to lie before ``seat`` with none of its tiles taken from a pool; if one
        of them was seen in somebody else's pool just before, it was discarded and claimed.
        """
        for rest in reversed(self._table.book.glimpses(t - _GLIMPSE_S)):
            spot, face = rest.spot, rest.face.tile
            if (
                spot.area is not Area.POOL
                or spot.seat == seat
                or rest.posture is not Posture.FACE_UP
                or face not in tiles
                or face is Tile.UNKNOWN
                or rest.seen >= t
            ):
                continue
            rest.arrived = self._table.book.arrival(rest)
            self._discard(rest, face)
            gone = min(rest.seen + 0.2, t)
            self._claimed(self.discards[-1], seat, gone, 0.8)
            return self._table.claims[-1]
        return None

    def _claimed(self, discard: Discard, seat: Seat, t: float, confidence: float) -> None:
        self.discards.remove(discard)
        self._table.claims.append(ClaimNote(seat, discard.tile, discard.seat, t))
        self._table.emit(
            TileClaimed(
                t=t, seat=seat, tile=discard.tile, from_=discard.seat, confidence=confidence
            )
        )

    def _cover(self, stray: Stray, t: float, by: Seat | None) -> None:
        self._table.emit(
            TileCovered(t=t, where="wall", seat=None, tile=stray.tile, by=by, slot=stray.slot)
        )
