"""The fourth tile that is added to a set of three, and whoever robs it to win.

It lies on the inner side of one of the three, most often under the hand that laid it, and there the
winner fetches it: waiting until it lies in sight would miss it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from table_controller.domain.happenings import MeldExtended, Seat, TileClaimed
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.meld import Meld
from table_controller.happenings.looks.places import SEATS, Area, distance
from table_controller.happenings.looks.visits import Visit
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.sets import shown_as
from table_controller.happenings.table import ClaimNote, Table

_BESIDE = 2.1
"""A fourth tile lies so near to one of the three, in widths of a tile."""
_ALONG, _INWARDS = 0.6, (0.5, 1.6)
"""One on its inner side lies so little beside it, and so far in."""
_ROB_S = 8.0
"""So long after it was added a tile may be fetched; then its player has drawn and discarded."""
_FETCHED_S = 0.2
"""Where nobody was seen to fetch it, it was so long after the last look that saw it."""
_LAID_S = 0.1
"""A hand has laid its tile down so long after it was first seen at the set."""
_AT_MM = 80.0
"""Fingertips so near to one of the tiles of a set are at it."""
_SET_S = 4.0
"""So long after a claim the first tiles of its set may come to lie beside a set of three."""
_SEEN_TAKEN, _MUST_BE = 0.99, 0.9
_LEAST_READ, _READ_OTHERWISE = 0.1, 0.1
"""A look or two that read its face are such a share of all; others they may leave so much of it."""


@dataclass(frozen=True, slots=True)
class _Added:
    meld: Meld
    rest: Rest
    t: float


class Fourths:
    """Tells who adds a fourth tile to a set, and who fetches it from there.

    Args:
        table: the shared state.
        melds: the sets of a seat.
    """

    def __init__(self, table: Table, melds: Callable[[Seat], list[Meld]]) -> None:
        self._table = table
        self._melds = melds
        self._added: list[_Added] = []

    def clear(self) -> None:
        """A new hand begins."""
        self._added.clear()

    def awaited(self, rest: Rest) -> bool:
        """Whether a tile lies where the fourth of its kind is added to three, and is read as it."""
        return rest.face.decided and self._joins(rest) is not None

    def extend(self, seat: Seat, rest: Rest) -> bool:
        """Whether a single tile joins a set of three of its kind; it is told.

        Not while its player lays the set for a discard that was claimed: it is part of that. Three
        of which one is of another kind it joins only where a fourth tile is added.
        """
        if self._set_due(seat):
            return False
        reach = _BESIDE * self._table.places.geometry.tile_width
        joined = self._joins(rest)
        for meld in self._melds(seat):
            if len(meld.rests) != 3:
                continue
            nearest = min(distance(rest.point, other.point) for other in meld.rests)
            tile = shown_as(rest)
            alike = tile is Tile.UNKNOWN or (tile.known and tile.plain is meld.kind)
            if meld is joined or (nearest <= reach and meld.kind is not None and alike):
                self._extend(meld, rest, rest.arrived)
                return True
        return False

    def left(self, rest: Rest, t: float) -> None:
        """A tile left: whoever takes another player's fourth tile has robbed the kong."""
        for added in self._added:
            owner = added.meld.seat
            if added.rest is rest and rest.by not in (None, owner) and t - added.t <= _ROB_S:
                when = t if rest.left is None else rest.left
                self._lost(added)
                self._claim(owner, rest.by, _face_of(rest, added.meld.kind), when, _SEEN_TAKEN)
                return

    def robbed(self, seat: Seat, tiles: Collection[Tile], t: float) -> bool:
        """Whether a tile of an opened hand was seen as the fourth of another player's set.

        All four of its kind lay there: there is no other. It is told as claimed.

        Args:
            seat: whose hand.
            tiles: what it has, one tile too many to stand.
            t: by when it was fetched.
        """
        kinds = _kinds(tiles)
        for rest in self._table.book.glimpses(t - _ROB_S):
            meld = self._joins(rest)
            if meld is not None and meld.seat != seat and meld.kind in kinds:
                self._extend(meld, rest, self._table.book.arrival(rest))
        for added in reversed(self._added):
            meld, rest = added.meld, added.rest
            if meld.seat == seat or meld.kind not in kinds or t - added.t > _ROB_S:
                continue
            visit = self._reached(seat, meld, added.t, t)
            self._lost(added)
            when = rest.seen + _FETCHED_S if visit is None else visit.left
            self._claim(meld.seat, seat, _face_of(rest, meld.kind), when)
            return True
        return False

    def robbed_unseen(self, seat: Seat, tiles: Collection[Tile], t: float) -> bool:
        """The same for a fourth tile that no look showed, because of the hands over it.

        The winner was at the set, of the kind of which he has one. Its player has drawn since the
        last discard, so there is nothing else to be won on; or nobody is known to have drawn, and
        he was at it before. Both are told.
        """
        drawn, kinds = self._table.drawn_at, _kinds(tiles)
        since = max([-1e9, *self._table.discarded_at.values(), *drawn.values()])
        owner = next((each for each, at in drawn.items() if at >= since), None)
        for meld in (meld for each in SEATS if each != seat for meld in self._melds(each)):
            if len(meld.rests) != 3 or meld.kind not in kinds or owner not in (None, meld.seat):
                continue
            fetched = self._reached(seat, meld, since, t)
            came = None if fetched is None else self._came(meld, since, fetched.came)
            if fetched is None or (came is None and owner is None):
                continue
            face = next(tile for tile in tiles if tile.known and tile.plain is meld.kind)
            laid = (since if came is None else came) + _LAID_S
            self._tell(meld.seat, face, min(laid, fetched.left), _MUST_BE)
            self._claim(meld.seat, seat, face, fetched.left)
            return True
        return False

    def _set_due(self, seat: Seat) -> bool:
        """Whether a player claimed a tile just now, and its set does not lie yet."""
        return bool(self._table.unlaid(seat, self._table.now - _SET_S))

    def _came(self, meld: Meld, since: float, until: float) -> float | None:
        """When the hand of a set's player came to it."""
        tips = self._table.arms.path(meld.seat, since, until)
        times = [
            tip.t
            for tip in tips
            if tip.point is not None
            and any(distance(tip.point, rest.point) <= _AT_MM for rest in meld.rests)
        ]
        return min(times, default=None)

    def _reached(self, seat: Seat, meld: Meld, since: float, until: float) -> Visit | None:
        """When a player's hand was at a set, at whatever speed."""
        points = [rest.point for rest in meld.rests]
        return self._table.arms.visit(seat, points, since, until, _AT_MM)

    def _joins(self, rest: Rest) -> Meld | None:
        """The set of three on whose inner side a tile of its kind, or of most of it, lies."""
        if rest.spot.area not in (Area.MELD, Area.HAND) or not rest.flat:
            return None
        geometry, tile = self._table.places.geometry, shown_as(rest)
        for meld in (meld for seat in SEATS for meld in self._melds(seat)):
            if len(meld.rests) != 3 or not meld.mostly(tile):
                continue
            along, out = geometry.to_player(meld.seat, *rest.point)
            for other in meld.rests:
                beside, line = geometry.to_player(meld.seat, *other.point)
                inwards = (line - out) / geometry.tile_width
                aside = abs(along - beside) / geometry.tile_width
                if aside <= _ALONG and _INWARDS[0] <= inwards <= _INWARDS[1]:
                    return meld
        return None

    def _extend(self, meld: Meld, rest: Rest, t: float) -> None:
        face = _face_of(rest, meld.kind)
        meld.lies([*meld.rests, rest])
        self._added = [*self._added[-3:], _Added(meld, rest, t)]
        self._tell(meld.seat, face, t, rest.face.confidence)

    def _lost(self, added: _Added) -> None:
        """The fourth tile is gone: three are left."""
        self._added.remove(added)
        added.meld.lies(rest for rest in added.meld.rests if rest is not added.rest)

    def _tell(self, seat: Seat, tile: Tile, t: float, confidence: float) -> None:
        self._table.emit(MeldExtended(t=t, seat=seat, tile=tile, confidence=confidence))

    def _claim(self, owner: Seat, seat: Seat, tile: Tile, t: float, sure: float = _MUST_BE) -> None:
        self._table.claims.append(ClaimNote(seat, tile, owner, t))
        self._table.emit(TileClaimed(t=t, seat=seat, tile=tile, from_=owner, confidence=sure))


def _face_of(rest: Rest, kind: Tile | None) -> Tile:
    """What a fourth tile shows, where most looks make nothing out: what the others read.

    It lies close to the three, and is often cut out across: then it looks like no tile. Where it
    was read for a look, as their kind and as nothing else, that is enough.
    """
    tile, ranked = shown_as(rest), rest.face.ranked
    if tile is not Tile.UNKNOWN or kind is None or not ranked or rest.face.foreign:
        return tile
    face, share = Tile(ranked[0][0]), ranked[0][1]
    others = sum(other for _, other in ranked[1:])
    read = share >= _LEAST_READ and others <= _READ_OTHERWISE * share
    return face if read and face.plain is kind else tile


def _kinds(tiles: Iterable[Tile]) -> set[Tile]:
    return {tile.plain for tile in tiles if tile.known}
