"""Which discard a tile is that lies where none was told: a push moved it there."""

from __future__ import annotations

from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.discard import (
    AT_ONCE_S,
    PUSHED_TILES,
    REPAIRED_S,
    SEEN_GOING_S,
    SLID_MM,
    Discard,
)
from table_controller.happenings.looks.places import Area, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table

_HOME_MM = 9.0
"""A tile of a pushed pool is laid back so near to where it lay."""


class Slid:
    """Knows discards again.

    Args:
        table: the shared state.
        discards: the tiles of all pools, as they were told; shared with the pools.
        waiting: tiles that came to rest in a pool and are not told yet; likewise.
    """

    def __init__(self, table: Table, discards: list[Discard], waiting: list[Rest]) -> None:
        self._table = table
        self._discards = discards
        self._waiting = waiting

    def brought_home(self, rest: Rest) -> Discard | None:
        """The pushed discard that lies where it lay before the push, whatever lies elsewhere.

        Where it lay after the push the next tile may be taken up meanwhile, and pass for it.
        """
        for discard in self._discards:
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
        for discard in self._discards:
            old = discard.rest
            if (
                old is not rest
                and old.left is None
                and old.face.tile is rest.face.tile
                and rest.face.tile is not Tile.UNKNOWN
                and (
                    self._gone_before(old, rest)
                    or self._in_doubt(discard, rest)
                    or self.replaced(discard, rest)
                )
                and distance(old.point, rest.point) <= SLID_MM
            ):
                return discard
        return self._shoved(rest)

    @staticmethod
    def _gone_before(old: Rest, rest: Rest) -> bool:
        """Whether a tile was not seen any more where it lay since another one lies."""
        return old.seen < rest.since + (0.0 if old.missing is None else SEEN_GOING_S)

    def _in_doubt(self, discard: Discard, rest: Rest) -> bool:
        """Whether what is seen in a tile's place, just out from under a sleeve, may be another.

        The next tile of its pool may have been pushed there: one of them is not where it lay.
        """
        covered = discard.rest.covered
        return (
            rest.since - AT_ONCE_S <= covered
            and self._table.now - covered < SEEN_GOING_S
            and any(
                other is not discard
                and other.seat == discard.seat
                and (other.rest.seen < rest.since or other.pushed >= rest.since - AT_ONCE_S)
                for other in self._discards
            )
        )

    def replaced(self, discard: Discard, rest: Rest) -> bool:
        """Whether what is seen in a tile's place is another of its pool that a push laid there.

        Since an arm was over it, it lies a little otherwise and shows no face; others are gone.
        """
        old, since = discard.rest, rest.since - AT_ONCE_S
        gone = sum(
            other is not discard
            and other.seat == discard.seat
            and other.rest.missing is not None
            and other.rest.missing >= since
            for other in self._discards
        )
        return (
            old.missing is None
            and old.covered >= since
            and self._table.now - old.covered >= SEEN_GOING_S
            and max(discard.nudged, discard.pushed) >= since
            and not old.face.agreed
            and gone >= PUSHED_TILES
        )

    def _shoved(self, rest: Rest) -> Discard | None:
        """The discard that this tile is where several were pushed, whatever it looks like now.

        Tiles that lie askew are misread more often. Nobody takes two discards at once and lays
        two others beside their places.
        """
        seat = rest.spot.seat
        gone = [
            discard
            for discard in self._discards
            if discard.seat == seat
            and discard.rest.missing is not None
            and discard.rest.seen < rest.since + SEEN_GOING_S
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
            for other in (*self._waiting, *coming)
            if ((other in self._waiting and other.spot.seat == seat) or other.face.tile in faces)
            and abs(other.since - rest.since) <= AT_ONCE_S
            and distance(other.point, rest.point) <= 2 * SLID_MM
        ]
        known = sum(
            discard.seat == seat and abs(discard.pushed - rest.since) <= AT_ONCE_S
            for discard in self._discards
        )
        if known + min(len(gone), len(come)) < PUSHED_TILES:
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
