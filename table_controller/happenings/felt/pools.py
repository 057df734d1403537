"""The pools: what is discarded, and what lies there."""

from __future__ import annotations

import math
from collections.abc import Callable

from table_controller.domain.happenings import Place, Seat, TileDiscarded
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.cells import Cells
from table_controller.happenings.felt.discard import SLID_WAIT_S, Discard
from table_controller.happenings.felt.jumbled import JUMBLED_WAIT_S, Jumbled
from table_controller.happenings.felt.leaving import Leaving
from table_controller.happenings.felt.pushes import Pushes
from table_controller.happenings.felt.slid import Slid
from table_controller.happenings.felt.strays import Strays
from table_controller.happenings.hand.drawn import Drawn
from table_controller.happenings.looks.arms import offset_of
from table_controller.happenings.looks.places import Area, Spot, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import ClaimNote, Table
from table_controller.happenings.wall.dead_wall import DeadWall
from table_controller.happenings.wall.disturbances import Disturbances
from vision.sightings import Posture

_STRAIGHT_S = 0.6
"""So long it is waited whether who moves the own discard has pushed others as well."""
_GONE_LOOKS = 2
_BESIDE_S = 0.8
"""So long a discard that lies out of its place waits until those beside it were seen: all of them
may have been pushed."""
_ABOUT_MM = 30.0
"""Where a pushed tile was laid is known so well by how far the others were pushed."""
_HIDDEN_WAIT_S = 2.0
"""So long a face is waited for at most that an arm hides."""
_OTHERS_S, _CERTAIN = 0.45, 0.99
"""A tile read so surely that is another than the only one of its pool that it may have been before
a push waits so long for the others of the push."""
_STRANGE, _STRANGE_S = 0.9, 1.5
"""A face that the set does not have is looked at until it is so sure, or for so long: the rules
believe it from then on, and it is told once."""
_BARE_S = 0.3
"""What is seen for so long with no arm over it lies on the felt."""
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

    Attributes:
        discards: as they were told, in their order, while they lie there.
        leaving: what leaves them.
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
        self._cells = Cells(table.places, self.discards)
        self._backs: dict[int, float] = {}
        """When each tile came to lie face down, by its number."""
        self._strays = Strays(table, disturbances)
        self._pushes = Pushes(table, self.discards)
        self._slid = Slid(table, self.discards, self._waiting)
        self._jumbled = Jumbled(
            table,
            self._pushes,
            self._waiting,
            lambda rest: self._cells.place(rest, rest.spot) is not None,
        )
        self.leaving = Leaving(table, self.discards, self._pushes)

    def clear(self) -> None:
        """A new hand begins."""
        self._waiting.clear()
        self.discards.clear()
        self.leaving.clear()
        self._backs.clear()
        self._strays.clear()
        self._pushes.clear()
        self._jumbled.clear()

    def pending(self) -> float | None:
        """Time of the earliest undecided change here."""
        t = self._table.now
        times = [rest.arrived for rest in self._waiting if not self._on_sleeve(rest, t)]
        return min([*times, *self.leaving.pending()], default=None)

    def coming(self) -> float | None:
        """Time of the earliest tile that may have come to rest in a pool, not believed yet."""
        times = [
            rest.since - _CARRIED_S
            for rest in self._table.book.all()
            if not rest.believed and rest.spot.area is Area.POOL and rest.posture is Posture.FACE_UP
        ]
        return min(times, default=None)

    def claimable(self, seat: Seat) -> Discard | None:
        """The latest discard, while a seat may claim it: it lies there, and nobody has drawn."""
        latest = max(self.discards, key=lambda one: one.t, default=None)
        drawn = max(self._table.drawn_at.values(), default=-math.inf)
        if latest is None or latest.seat == seat or latest.t < drawn or self.leaving.buried(latest):
            return None
        return latest

    def laying(self, seat: Seat, since: float, until: float = math.inf) -> bool:
        """Whether a tile came to rest in a seat's pool between two times, told or not yet."""
        told = {one.rest.number: one.t for one in self.discards}
        return any(
            since < told.get(rest.number, rest.since) <= until
            for rest in self._table.book.all()
            if rest.spot.area is Area.POOL
            and rest.spot.seat == seat
            and rest.posture is Posture.FACE_UP
        )

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
            self._jumbled.lost(rest)
            return
        if self._strays.left(rest, t):
            return
        for discard in self.discards:
            if discard.rest is rest:
                self.leaving.left(discard, t)
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
            or self._cells.place(rest, rest.spot) is None
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
        self.leaving.tick(t)
        self._pushes.tick(t)

    def _decide(self, rest: Rest, t: float) -> bool:
        face_up = rest.posture is Posture.FACE_UP
        # A face is looked at from when no arm hides it any more.
        waited = t - max(rest.since, min(rest.covered, rest.since + _HIDDEN_WAIT_S))
        patience = self._table.setup.patience
        unread = face_up and not rest.face.agreed
        if unread and waited < patience.face_s(coming=rest.face.coming):
            return False
        doubted = self._table.setup.lacks(rest.face.tile) and rest.face.confidence < _STRANGE
        if face_up and doubted and waited < _STRANGE_S:
            return False
        if self.leaving.put_straight(rest) or self._dead_wall.aside(rest):
            return True
        brought = self._slid.brought_home(rest)
        if brought is not None:
            brought.rest = rest
            return True
        old = self._slid.slid_from(rest)
        if old is not None:
            if self._may_still_lie(old) and t - rest.since < SLID_WAIT_S:
                return False
            other = rest.face.tile is not old.tile and rest.face.confidence >= _CERTAIN
            if other and t - rest.since < _OTHERS_S:
                # It may have been laid just before the push, and the old one not be read yet.
                return False
            another = self._slid.replaced(old, rest)
            if another or old.rest.missing is not None:
                if another:
                    self._table.book.doubt(old.rest)
                self.leaving.found(old)
                self._pushes.slide(old, rest)
                return True
        if self._strays.take(rest):
            return True
        tile = rest.face.tile if face_up else Tile.BACK
        laid = self._jumbled.laid_before(rest)
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
        if self._on_sleeve(rest, t):
            return False
        free = self._cells.free(rest.spot.seat)
        elsewhere = self._cells.place(rest, rest.spot) != free
        if elsewhere and waited < _BESIDE_S and self._pushes.hidden_since(rest):
            return False
        # It may have been laid where it belongs and pushed with those beside it.
        self._discard(rest, tile, self._before(rest, free) if elsewhere else None)
        return True

    def _on_sleeve(self, rest: Rest, t: float) -> bool:
        """Whether what shows in a pool may be a picture on its player's sleeve.

        He reaches so far in, or did until just now, over a hand that he laid open: mostly the game
        is over then. Where his win was refused he plays on and discards (003 Q10).
        """
        seat = rest.spot.seat
        if not self._shown(seat):
            return False
        since = t - _BARE_S
        near = rest.spot.offset + self._table.setup.patience.near_mm
        over = any(
            tip.point is not None and offset_of(seat, tip.point) <= near
            for tip in self._table.arms.path(seat, since, t)
        )
        return over or rest.missing is not None or max(rest.covered, rest.since) > since

    def _may_still_lie(self, old: Discard) -> bool:
        """Whether a discard was not seen to be gone, or by one look and no other of its pool.

        One look may miss what lies there, and the tile beside be the second one of its kind.
        """
        others = (one.rest for one in self.discards if one.seat == old.seat and one is not old)
        once = old.rest.left is None and old.rest.misses < _GONE_LOOKS
        return old.rest.missing is None or (once and all(one.missing is None for one in others))

    def _before(self, rest: Rest, free: Place) -> Spot | None:
        """Where a tile was laid that a hand pushed with others of its pool, if one did.

        They are not pushed equally far: where it lay is known to about a tile, which ``free`` is.
        That it lay in no place at all cannot be told from where it lies now.
        """
        before = self._pushes.before(rest)
        if before is None:
            return None
        spot = self._cells.spot(rest, free, before)
        near = distance((spot.right, spot.offset), (before.right, before.offset)) <= _ABOUT_MM
        return spot if near or self._cells.place(rest, before) is None else before

    def _discard(self, rest: Rest, tile: Tile, spot: Spot | None = None) -> None:
        """Tell a discard; ``spot``: where it was laid, if it was pushed since."""
        table, spot = self._table, rest.spot if spot is None else spot
        unread = self._jumbled.unread(rest)
        if unread is not None:
            # It was laid before the push in which nobody could read it.
            rest.arrived = unread.arrived
            self._jumbled.found(unread)
        turned, place = self._cells.sideways(rest), self._cells.place(rest, spot)
        seat = spot.seat
        given_back = self.leaving.given_back(rest, tile)
        if place is None and rest.by is not None and not given_back:
            seat = rest.by
        drawn = self._drawn.discarded(seat, rest.arrived)
        self._drawn.decided(seat, rest.arrived)
        rotated = turned if seat == spot.seat else self._cells.sideways(rest, seat)
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
            self.leaving.claimed(self.discards[-1], seat, gone, 0.8)
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
        return self._cells.place(rest, rest.spot) is not None and any(
            visit.seat == seat for visit in visits
        )
