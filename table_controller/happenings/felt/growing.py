"""Tiles in front of a player that are no whole set yet, or may be none: whether more may come."""

from __future__ import annotations

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.pools import Pools
from table_controller.happenings.looks.places import Area, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.sets import are_alike
from table_controller.happenings.table import CLAIM_AGE_S, ClaimNote, Table
from vision.sightings import Point, Posture

ODD_S = 1.5
"""How long a set that is no set (two tiles, or five) may still be growing."""
_HOME_S, _HOME_UNCLAIMED_S, _HOME_ALIKE_S = 0.7, 0.2, 0.5
"""A hand that has been home so long after it laid tiles down has laid all of them.

It may come back with another tile of the hand; a discard it would have fetched on its way, and the
fourth of a kong it lays with the others.
"""
_LAYING_S, _OVER_MM = 5.0, 90.0
"""A hand that rests so near to what is no set yet may be laying the rest of it for so long."""
_ADDING_MM, _LEFT_S = 60.0, 0.1
"""Fingers that lay a fourth tile beside three come so near to one of them; since the look after
that in which they were home."""
_UNCOVERED_S = 0.5
"""What lay under a hand is seen so soon after it is gone."""
_CALLED_S = 0.2
"""A discard was called before it was fetched, or hardly after."""


def claim_of(table: Table, seat: Seat, group: list[Rest], t: float) -> ClaimNote | None:
    """The discard that a seat fetched for these tiles, if one is not in a set yet."""
    for note in table.unlaid(seat, t - CLAIM_AGE_S):
        if note.tile is Tile.UNKNOWN or any(rest.face.tile is note.tile for rest in group):
            return note
    return None


class Growing:
    """Says of tiles that lie together whether more may come to them.

    Args:
        table: the shared state.
        pools: the discards.
    """

    def __init__(self, table: Table, pools: Pools) -> None:
        self._table = table
        self._pools = pools

    def stays_home(self, seat: Seat, group: list[Rest], t: float) -> bool:
        """Whether whoever laid a set went home, and did not come back to it."""
        home = self._table.home(seat, max(rest.arrived for rest in group))
        if home is None or t - home < _HOME_ALIKE_S:
            return False
        return not self._reached(seat, group, home + _LEFT_S, t, _ADDING_MM)

    def may_grow(self, seat: Seat, group: list[Rest], waited: float, t: float) -> bool:
        """Whether more tiles may come to what is no set yet; ``waited`` since the last one, s."""
        laying = waited < _LAYING_S
        if self._left(seat, group, t):
            return False
        if laying and self._goes_on(seat, group, t):
            return True
        if self.awaits(seat, group, waited, t):
            return True
        laid = self._laid(seat, group, t)
        if waited < ODD_S and not laid:
            return True
        goes_on_playing = laid and self._discards(seat)
        return (
            laying
            and not goes_on_playing
            and self._reached(seat, group, t - _UNCOVERED_S, t, _OVER_MM)
        )

    def awaits(self, seat: Seat, group: list[Rest], waited: float, t: float) -> bool:
        """Whether own tiles were laid for a discard that is yet to be fetched, or on its way.

        Two tiles, or three of its kind. Riichi sets no order (002 5.9.3), and who was told that he
        left the discard takes it now (003 Q8). Nobody fetches it any more once somebody has drawn,
        or whose turn it is then lays a tile of his own into the pool; ``waited`` as above.
        """
        laid = max(rest.arrived for rest in group)
        fetched = self._table.unlaid(seat, max(laid, t - _LAYING_S))
        if fetched:
            home = self._table.home(seat, fetched[0].t)
            return len(group) in (2, 3) and (home is None or t - home < _HOME_S)
        due = self._pools.claimable(seat)
        if due is None or waited >= _LAYING_S or self._table.unlaid(seat, t - CLAIM_AGE_S):
            return False
        kong = are_alike(group) and due.tile.plain is group[0].face.tile.plain
        fits = len(group) == 2 or (len(group) == 3 and kong)
        return fits and not self._pools.laying(seat, laid)

    def _left(self, seat: Seat, group: list[Rest], t: float) -> bool:
        """Whether two tiles are all: their player laid another into his pool, the discard lies yet.

        He may have an arm over them while he goes on.
        """
        laid = max(rest.arrived for rest in group)
        before = (one for one in self._pools.discards if one.t <= laid)
        due = max(before, key=lambda one: one.t, default=None)
        if due is None or len(group) != 2 or self._table.unlaid(seat, t - CLAIM_AGE_S):
            return False
        lies = due.seat != seat and due.rest.left is None
        return lies and self._pools.laying(seat, laid, due.rest.seen)

    def fourth_hidden(
        self, seat: Seat, group: list[Rest], claim: ClaimNote | None, t: float
    ) -> bool:
        """Whether the fourth tile of a kong may lie under the arm that fetches its replacement.

        It is half seen there, or a kong was called before the discard was fetched.
        """
        if any(rest.posture is Posture.FACE_UP for rest in self._next(seat, group)):
            return True
        called = self._table.called.get(seat)
        if claim is None or called is None or called.call != "kong":
            return False
        meant = 0.0 <= claim.t + _CALLED_S - called.t <= CLAIM_AGE_S
        return meant and self._table.covered(*self._place_after(seat, group), t)

    def _goes_on(self, seat: Seat, group: list[Rest], t: float) -> bool:
        """Whether a set that is none yet may go on: under an arm, or with what just came out."""
        return self._table.covered(*self._place_after(seat, group), t) or bool(
            self._next(seat, group)
        )

    def _place_after(self, seat: Seat, group: list[Rest]) -> Point:
        """Where the next tile of a set would lie."""
        geometry = self._table.places.geometry
        first = min((rest.spot for rest in group), key=lambda spot: spot.right)
        return geometry.to_table(seat, first.right - geometry.tile_width, first.offset)

    def _next(self, seat: Seat, group: list[Rest]) -> list[Rest]:
        """What lies there that has not been seen for long enough to be believed."""
        place, width = self._place_after(seat, group), self._table.places.geometry.tile_width
        return [
            rest
            for rest in self._table.book.all()
            if rest.flat and not rest.believed and distance(rest.point, place) <= width
        ]

    def _laid(self, seat: Seat, group: list[Rest], t: float) -> bool:
        """Whether whoever laid two tiles is home again, or has discarded: no third comes."""
        laid = max(rest.arrived for rest in group)
        home = self._table.home(seat, laid)
        waits = _HOME_UNCLAIMED_S if claim_of(self._table, seat, group, t) is None else _HOME_S
        back = home is not None and t - home >= waits
        discarded = any(one.seat == seat and one.t > laid for one in self._pools.discards)
        return len(group) == 2 and (back or discarded)

    def _discards(self, seat: Seat) -> bool:
        """Whether a hand is at the pools now: its player goes on."""
        tip = self._table.arms.tip(seat)
        return tip is not None and self._table.places.spot(*tip).area in (Area.POOL, Area.MIDDLE)

    def _reached(
        self, seat: Seat, group: list[Rest], since: float, until: float, within: float
    ) -> bool:
        """Whether a player's hand was over some tiles, at whatever speed."""
        points = [rest.point for rest in group]
        return self._table.arms.visit(seat, points, since, until, within) is not None
