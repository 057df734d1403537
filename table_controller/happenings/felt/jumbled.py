"""Tiles laid just before their pool was pushed: they lie under others, or elsewhere."""

from __future__ import annotations

from collections.abc import Callable

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.felt.discard import AT_ONCE_S, PUSHED_MM, SEEN_GOING_S, SLID_MM
from table_controller.happenings.felt.pushes import Pushes
from table_controller.happenings.looks.places import distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table

JUMBLED_WAIT_S = 4.0
"""So long the face of a tile is waited for that was pushed under others as it was laid."""
_LAID_S = 1.5
"""It was laid so long before at most."""


class Jumbled:
    """Follows what was laid just before a push.

    Args:
        table: the shared state.
        pushes: of the pools.
        waiting: tiles that came to rest in a pool and are not told yet; shared with the pools.
        in_place: whether a tile lies in a place of its pool.
    """

    def __init__(
        self, table: Table, pushes: Pushes, waiting: list[Rest], in_place: Callable[[Rest], bool]
    ) -> None:
        self._table = table
        self._pushes = pushes
        self._waiting = waiting
        self._in_place = in_place
        self._unread: dict[Seat, Rest] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._unread.clear()

    def lost(self, rest: Rest) -> None:
        """A tile that was not told yet left: if nobody could read it there, it comes back."""
        if self._pushes.jumbled(rest):
            self._unread[rest.spot.seat] = rest

    def unread(self, rest: Rest) -> Rest | None:
        """The tile pushed under others that this one must have been, laid straight now."""
        seat = rest.spot.seat
        waiting = (
            other
            for other in self._waiting
            if other.spot.seat == seat and other.seen < rest.since and self._pushes.jumbled(other)
        )
        unread = next(waiting, self._unread.get(seat))
        lately = unread is not None and rest.since - unread.seen <= JUMBLED_WAIT_S
        return unread if lately else None

    def found(self, unread: Rest) -> None:
        """A tile pushed under others lies straight: it is waited for no more."""
        self._unread.pop(unread.spot.seat, None)
        if unread in self._waiting:
            self._waiting.remove(unread)

    def laid_before(self, rest: Rest) -> Rest | None:
        """The same tile as it was laid, a look or two before it was pushed away.

        The arm may stay: until the tile was seen elsewhere its place was hidden, or it lay there.
        """
        seat = rest.spot.seat
        enough = 1 if self._pushes.going_on(seat) or rest.by == seat else 2
        untold = [*self._table.book.glimpses(rest.since - _LAID_S), *self._waiting]
        return next(
            (
                laid
                for laid in reversed(untold)
                if laid is not rest
                and max(laid.seen, laid.covered) >= rest.since - AT_ONCE_S
                and laid.seen < rest.since + SEEN_GOING_S
                and laid.face.tile is rest.face.tile is not Tile.UNKNOWN
                and laid.clear >= enough
                and self._in_place(laid)
                and PUSHED_MM <= distance(laid.point, rest.point) <= SLID_MM
            ),
            None,
        )
