"""Discards that a push has slid under others, until they come to light or are given up."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.discard import Discard

_BURIED_S = 15.0
"""A tile that lies under others after a push comes to light again within this time."""


@dataclass(slots=True, eq=False)
class Missing:
    """A discard that left its place and has not turned up anywhere yet."""

    discard: Discard
    t: float
    by: Seat | None
    since: float


class Buried:
    """Those of all pools.

    Attributes:
        waiting: they may come to light; oldest first.
    """

    def __init__(self, discards: list[Discard]) -> None:
        """``discards``: the tiles of all pools, as they were told; shared with the pools."""
        self._discards = discards
        self.waiting: list[Missing] = []

    def clear(self) -> None:
        """A new hand begins."""
        self.waiting.clear()

    def forget(self, t: float) -> None:
        """What has not come to light for so long is another tile when one like it is laid.

        It takes no place in its pool meanwhile, and none is freed by it.
        """
        for missing in list(self.waiting):
            found = missing.discard.rest.left is None
            if found or t - missing.t > _BURIED_S:
                self.waiting.remove(missing)
                if not found:
                    self._discards.remove(missing.discard)

    def fetched(self, seat: Seat, tiles: tuple[Tile, ...], t: float) -> Discard | None:
        """The latest discard, if it was fetched from under the others for a set of another seat.

        Args:
            seat: whose set.
            tiles: those of the set, of which no other was taken from a pool.
            t: when the first of them came to lie there.
        """
        for missing in self.waiting:
            discard = missing.discard
            latest = max(self._discards, key=lambda d: d.t) is discard
            known = discard.tile is not Tile.UNKNOWN and discard.tile in tiles
            if latest and known and discard.seat != seat and missing.t <= t:
                self.waiting.remove(missing)
                return discard
        return None
