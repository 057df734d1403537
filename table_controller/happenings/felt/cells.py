"""Which place of its pool a discard lies in, where sideways tiles push the others along."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from table_controller.domain.happenings import Place, Seat
from table_controller.happenings.felt.discard import Discard
from table_controller.happenings.looks.places import Places, Spot, turn_between
from table_controller.happenings.rest.rests import Rest


class Cells:
    """The places of the four pools.

    Args:
        places: those of the table.
        discards: what lies in the pools; the caller's list, as it is when asked.
    """

    def __init__(self, places: Places, discards: Sequence[Discard]) -> None:
        self._places = places
        self._discards = discards

    def place(self, rest: Rest, spot: Spot) -> Place | None:
        """Which place of its pool a tile at a spot lies in, if it lies in one."""
        return self._places.pool_place(spot, self._shifted(rest, spot))

    def spot(self, rest: Rest, place: Place, lain: Spot) -> Spot:
        """Middle of a place of the pool in which a tile lay at a spot."""
        return self._places.pool_spot(place, lain.seat, self._shifted(rest, lain))

    def free(self, seat: Seat) -> Place:
        """The first free place of a pool; what lies apart from its rows takes none before it."""
        taken = {
            one.place or self.place(one.rest, one.rest.spot)
            for one in self._discards
            if one.seat == seat and one.rest.left is None
        }
        pool = self._places.geometry.pool
        rows = (min(n // pool.columns, pool.rows - 1) for n in itertools.count())
        places = (Place(row, n - row * pool.columns) for n, row in enumerate(rows))
        return next(place for place in places if place not in taken)

    @staticmethod
    def sideways(rest: Rest, seat: Seat | None = None) -> bool:
        """Whether a tile lies across the direction of its pool, or of a seat's."""
        side = rest.spot.seat if seat is None else seat
        return turn_between(rest.angle, 90.0 * side, 180.0) > 55.0

    def _shifted(self, rest: Rest, spot: Spot) -> float:
        """How many sideways tiles move a tile at a spot to the right, a half for itself."""
        return self._sideways_before(spot) + 0.5 * self.sideways(rest)

    def _sideways_before(self, spot: Spot) -> int:
        """How many tiles to the left of a spot lie sideways in its row."""
        row = self._places.pool_row(spot)
        return sum(
            other.rest.spot.seat == spot.seat
            and other.rest.spot.right < spot.right
            and self._places.pool_row(other.rest.spot) == row
            and self.sideways(other.rest)
            for other in self._discards
        )
