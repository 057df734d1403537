"""The pools: what is discarded, taken back, claimed or pushed out of order."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from table_controller.domain.happenings import (
    Place,
    PoolDisturbed,
    Seat,
    TileClaimed,
    TileDiscarded,
    TileRetracted,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.buried import Buried, Missing
from table_controller.happenings.felt.pushes import (
    JUMBLED_WAIT_S,
    REPAIRED_S,
    SLID_MM,
    SLID_WAIT_S,
    Discard,
    Pushes,
)
from table_controller.happenings.felt.strays import Strays
from table_controller.happenings.hand.drawn import Drawn
from table_controller.happenings.looks.places import Area, Spot, distance, turn_between
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import ClaimNote, Table
from table_controller.happenings.wall.dead_wall import DeadWall
from table_controller.happenings.wall.disturbances import Disturbances
from vision.sightings import Posture

_RESETTLE_S = 0.3
"""What a hand that is home again laid back into its pool is seen there within this time."""
_STRAIGHT_S = 0.6
"""So long it is waited whether who moves the own discard has pushed others as well."""
_GONE_LOOKS = 2
_BESIDE_S = 0.8
"""So long a discard that lies out of its place waits until those beside it were seen: all of them
may have been pushed."""
_ABOUT_MM = 30.0
"""Where a pushed tile was laid is known so well by how far the others were pushed."""
_UNKNOWN_WAIT_S = 3.0
_HIDDEN_WAIT_S = 2.0
"""So long a face is waited for at most that an arm hides."""
_CLAIM_SURE = 0.995
"""Of 229 claims of the latest discard that were told on pictures none was wrong."""
_OTHERS_S, _CERTAIN = 0.45, 0.99
"""A tile read so surely that is another than the only one of its pool that it may have been before
a push waits so long for the others of the push."""
_GLIMPSE_S = 3.0
_QUICK_S = 1.0
"""What is seen only when it is fetched was laid so long before at most."""
_CARRIED_S = 0.5
"""A tile that is seen in a pool left its hand at most so long before."""
_MISREAD_S = 1.0
"""A tile that shows its face so soon was laid so, however it looked at first: white dragons look
like backs. Later somebody turns it over: it is discarded then."""


class Pools:
    """The four pools and whatever else lies between the walls.

    Args:
        table: the shared state.
        disturbances: of the walls.
        drawn: the tiles that stand apart in the hands.
        dead_wall: what lies open there.
        shown: whether a seat's hand lies open.
    """

    def __init__(
        self,
        table: Table,
        disturbances: Disturbances,
        drawn: Drawn,
        dead_wall: DeadWall,
        shown: Callable[[Seat], bool],
    ) -> None:
        self._table = table
        self._shown = shown
        self._dead_wall = dead_wall
        self._drawn = drawn
        self._waiting: list[Rest] = []
        self.discards: list[Discard] = []
        self._missing: list[Missing] = []
        self._buried = Buried(self.discards)
        self._backs: dict[int, float] = {}
        """When each tile came to lie face down, by its number."""
        self._strays = Strays(table, disturbances)
        self._pushes = Pushes(
            table, self.discards, self._waiting, lambda rest: self._place(rest, rest.spot)
        )

    def clear(self) -> None:
        """A new hand begins."""
        self._waiting.clear()
        self.discards.clear()
        self._missing.clear()
        self._buried.clear()
        self._backs.clear()
        self._strays.clear()
        self._pushes.clear()

    def pending(self) -> float | None:
        """Time of the earliest undecided change here."""
        times = [rest.arrived for rest in self._waiting if not self._shown(rest.spot.seat)]
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

        Backs are left alone: they are wall tiles that were pushed, which the walls tell. One in a
        place of a pool may turn out to be a discard.
        """
        if rest.posture is Posture.FACE_UP:
            self._waiting.append(rest)
        else:
            self._backs[rest.number] = rest.arrived

    def left(self, rest: Rest, t: float) -> None:
        """A tile left."""
        self._backs.pop(rest.number, None)
        if rest in self._waiting:
            self._waiting.remove(rest)
            self._pushes.lost(rest)
            return
        if self._strays.left(rest, t):
            return
        for discard in self.discards:
            if discard.rest is rest:
                when = rest.left if rest.left is not None else t
                self._missing.append(Missing(discard, when, rest.by, t))
                return

    def turned(self, rest: Rest, t: float) -> None:
        """A tile turned over where it lies.

        What was believed to lie face down in a pool is discarded when it shows its face.
        """
        self._strays.turned(rest, t)
        laid = self._backs.pop(rest.number, None)
        if (
            laid is None
            or rest.posture is not Posture.FACE_UP
            or self._place(rest, rest.spot) is None
            or self._strays.fallen(rest, t)
        ):
            return
        if t - laid <= _MISREAD_S:
            rest.arrived = laid
        self._waiting.append(rest)

    def moved(self, rest: Rest, origin: Spot, t: float) -> None:
        """A tile slid to another place."""
        for discard in self.discards:
            if discard.rest is rest:
                self._pushes.moved(discard, origin, t)
                return

    # -- deciding -----------------------------------------------------------------------

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        gone = {each.tile for each in self.discards if each.rest.missing is not None}
        # What a push moved is known before what was laid just then, whose place it tells.
        for rest in sorted(self._waiting, key=lambda rest: rest.face.tile not in gone):
            # One that lies straight now may have been another before a push.
            if rest in self._waiting and self._decide(rest, t):
                self._waiting.remove(rest)
        for missing in list(self._missing):
            if self._resolve(missing, t):
                self._missing.remove(missing)
        self._buried.forget(t)
        self._pushes.tick(t)

    def unburied(self, seat: Seat, tiles: tuple[Tile, ...], t: float) -> ClaimNote | None:
        """A discard of a pushed pool that lies in a set of another seat since a time."""
        discard = self._buried.fetched(seat, tiles, t)
        if discard is None:
            return None
        self._claimed(discard, seat, t, 0.8)
        return self._table.claims[-1]

    def _decide(self, rest: Rest, t: float) -> bool:
        face_up = rest.posture is Posture.FACE_UP
        # A face is looked at from when no arm hides it any more.
        waited = t - max(rest.since, min(rest.covered, rest.since + _HIDDEN_WAIT_S))
        patience = self._table.setup.patience
        unread = face_up and not rest.face.agreed
        if unread and waited < patience.face_wait_s:
            return False
        if self._put_straight(rest) or self._dead_wall.aside(rest):
            return True
        brought = self._pushes.brought_home(rest)
        if brought is not None:
            brought.rest = rest
            return True
        old = self._pushes.slid_from(rest)
        if old is not None:
            if self._may_still_lie(old) and t - rest.since < SLID_WAIT_S:
                return False
            other = rest.face.tile is not old.tile and rest.face.confidence >= _CERTAIN
            if other and t - rest.since < _OTHERS_S:
                # It may have been laid just before the push, and the old one not be read yet.
                return False
            if old.rest.missing is not None:
                self._missing = [each for each in self._missing if each.discard is not old]
                self._pushes.slide(old, rest)
                return True
        if self._strays.take(rest):
            return True
        tile = rest.face.tile if face_up else Tile.BACK
        laid = self._pushes.laid_before(rest)
        if laid is not None and self._pushes.straightened(rest):
            if t - rest.since < _STRAIGHT_S:
                # Others that the same sleeve pushed come to rest a little later.
                return False
            laid = None
        if laid is not None:
            if laid in self._waiting:
                self._waiting.remove(laid)
            laid.arrived = self._table.book.arrival(laid)
            self._discard(laid, tile)
            self._pushes.slide(self.discards[-1], rest)
            return True
        if unread and waited < JUMBLED_WAIT_S and self._pushes.jumbled(rest):
            return False
        if self._shown(rest.spot.seat):
            # Who has laid his hand open does not discard: it is a picture on his sleeve.
            return False
        free = self._free(rest.spot.seat)
        elsewhere = self._place(rest, rest.spot) != free
        if elsewhere and waited < _BESIDE_S and self._pushes.hidden_since(rest):
            return False
        # It may have been laid where it belongs and pushed with those beside it.
        self._discard(rest, tile, self._before(rest, free) if elsewhere else None)
        return True

    def _may_still_lie(self, old: Discard) -> bool:
        """Whether a discard was not seen to be gone, or by one look and no other of its pool.

        One look may miss what lies there, and the tile beside be the second one of its kind.
        """
        others = (one.rest for one in self.discards if one.seat == old.seat and one is not old)
        once = old.rest.left is None and old.rest.misses < _GONE_LOOKS
        return old.rest.missing is None or (once and all(one.missing is None for one in others))

    def _free(self, seat: Seat) -> Place:
        """The first free place of a pool; what lies apart from its rows takes none before it."""
        taken = {
            one.place or self._place(one.rest, one.rest.spot)
            for one in self.discards
            if one.seat == seat and one.rest.left is None
        }
        pool = self._table.places.geometry.pool
        rows = (min(n // pool.columns, pool.rows - 1) for n in itertools.count())
        places = (Place(row, n - row * pool.columns) for n, row in enumerate(rows))
        return next(place for place in places if place not in taken)

    def _before(self, rest: Rest, free: Place) -> Spot | None:
        """Where a tile was laid that a hand pushed with others of its pool, if one did.

        They are not pushed equally far: where it lay is known to about a tile, which ``free`` is.
        That it lay in no place at all cannot be told from where it lies now.
        """
        before = self._pushes.before(rest)
        if before is None:
            return None
        spot = self._table.places.pool_spot(free, before.seat, self._shifted(rest, before))
        near = distance((spot.right, spot.offset), (before.right, before.offset)) <= _ABOUT_MM
        return spot if near or self._place(rest, before) is None else before

    def _discard(self, rest: Rest, tile: Tile, spot: Spot | None = None) -> None:
        """Tell a discard; ``spot``: where it was laid, if it was pushed since."""
        table, spot = self._table, rest.spot if spot is None else spot
        unread = self._pushes.unread(rest)
        if unread is not None:
            # It was laid before the push in which nobody could read it.
            rest.arrived = unread.arrived
            self._pushes.found(unread)
        turned, place = self._sideways(rest), self._place(rest, spot)
        seat = spot.seat
        if place is None and rest.by is not None:
            seat = rest.by
        drawn = self._drawn.discarded(seat, rest.arrived)
        self._drawn.decided(seat, rest.arrived)
        rotated = turned if seat == spot.seat else self._sideways(rest, seat)
        self.discards.append(Discard(rest, seat, tile, place, rest.arrived))
        table.discarded_at[seat] = rest.arrived
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

    def _place(self, rest: Rest, spot: Spot) -> Place | None:
        """Which place of its pool a tile at a spot lies in, if it lies in one."""
        return self._table.places.pool_place(spot, self._shifted(rest, spot))

    def _shifted(self, rest: Rest, spot: Spot) -> float:
        """How many sideways tiles move a tile at a spot to the right, a half for itself."""
        return self._sideways_before(spot) + 0.5 * self._sideways(rest)

    @staticmethod
    def _sideways(rest: Rest, seat: Seat | None = None) -> bool:
        """Whether a tile lies across the direction of its pool."""
        side = rest.spot.seat if seat is None else seat
        return turn_between(rest.angle, 90.0 * side, 180.0) > 55.0

    def _sideways_before(self, spot: Spot) -> int:
        """How many tiles to the left of a spot lie sideways in its row."""
        places = self._table.places
        row = places.pool_row(spot)
        return sum(
            other.rest.spot.seat == spot.seat
            and other.rest.spot.right < spot.right
            and places.pool_row(other.rest.spot) == row
            and self._sideways(other.rest)
            for other in self.discards
        )

    def _put_straight(self, rest: Rest) -> bool:
        """Whether this is a discard that was taken up and laid down again."""
        for missing in (*self._missing, *self._buried.waiting):
            old = missing.discard
            faces = (old.tile, old.rest.face.tile)
            same = rest.face.tile in faces and rest.face.tile is not Tile.UNKNOWN
            near = distance(old.rest.point, rest.point) <= SLID_MM
            home = rest.spot.seat == old.seat and rest.spot.area is Area.POOL
            if same and (near or home):
                self._pushes.slide(old, rest)
                kept = self._missing if missing in self._missing else self._buried.waiting
                kept.remove(missing)
                return True
        return False

    def _turning_up(self, missing: Missing) -> bool:
        """Whether a missing discard may be the tile that is just coming to rest beside."""
        old = missing.discard.rest
        return any(
            rest is not old
            and not any(other.rest is rest for other in self.discards)
            and rest.posture is Posture.FACE_UP
            and rest.spot.area not in (Area.MELD, Area.HAND)
            and rest.since >= old.seen - 0.1
            and distance(rest.point, old.point) <= SLID_MM
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
            and abs(other.pushed - missing.t) <= SLID_WAIT_S
            for other in self.discards
        )

    def _resolve(self, missing: Missing, t: float) -> bool:
        discard, table = missing.discard, self._table
        together = self._pushed_together(missing)
        if t - missing.since < SLID_WAIT_S and (together or self._turning_up(missing)):
            return False
        if self._in_push(missing):
            # What a push has slid under others is neither claimed nor taken back.
            self._buried.waiting.append(missing)
            return True
        latest = max(self.discards, key=lambda d: d.t) is discard
        taker = missing.by
        if taker is not None and taker != discard.seat:
            pushed = missing.t - discard.pushed <= REPAIRED_S
            if t - missing.since < (SLID_WAIT_S if pushed else 0.3):
                # What was pushed is laid straight by whoever pushed it.
                return False
            self._claimed(discard, taker, missing.t, _CLAIM_SURE if latest else 0.7)
            return True
        if taker == discard.seat:
            home = table.brought_home(taker, missing.t)
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

        A set has come to lie before ``seat``, or its hand with one tile more than stood there,
        and none of their tiles was taken from a pool; if one of them was seen in somebody else's
        pool just before, it was discarded and claimed.
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
                or (rest.looks < 2 and not self._fetched(rest, seat, t))
            ):
                continue
            rest.arrived = min(self._table.book.arrival(rest), self._laid(rest))
            self._discard(rest, face)
            gone = min(rest.seen + 0.2, t)
            self._claimed(self.discards[-1], seat, gone, 0.8)
            return self._table.claims[-1]
        return None

    def _laid(self, rest: Rest) -> float:
        """When the hand whose pool it is was where a tile was seen, just before it was fetched."""
        near, seen = self._table.setup.patience.near_mm, rest.since
        visits = self._table.arms.visits(rest.point, seen - _QUICK_S, seen, near, slow=False)
        return min((visit.came for visit in visits if visit.seat == rest.spot.seat), default=seen)

    def _fetched(self, rest: Rest, seat: Seat, t: float) -> bool:
        """Whether a hand came to where one look saw a tile in a place of its pool."""
        near = self._table.setup.patience.near_mm
        visits = self._table.arms.visits(rest.point, rest.seen, t, near, slow=False)
        return self._place(rest, rest.spot) is not None and any(
            visit.seat == seat for visit in visits
        )

    def _claimed(self, discard: Discard, seat: Seat, t: float, confidence: float) -> None:
        self.discards.remove(discard)
        self._table.claims.append(ClaimNote(seat, discard.tile, discard.seat, t))
        self._table.emit(
            TileClaimed(
                t=t, seat=seat, tile=discard.tile, from_=discard.seat, confidence=confidence
            )
        )
