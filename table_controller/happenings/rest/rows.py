"""Hand and sets in one row: where the one ends and the others begin.

At a riichi table the standing tiles and the open sets share one row in front of the player. What
stands belongs to the hand. What lies flat belongs to the sets if it is nearer to them than to where
the tiles stood; that border moves to the left with every set.
"""

from __future__ import annotations

from collections.abc import Iterable

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.places import SEATS, Area, Places, Spot
from table_controller.happenings.rest.rests import Rest
from vision.sightings import Posture

_REMEMBERED_S = 2.0
"""A hand that is laid open stands no more; where it stood counts on for so long, and after it
as long as nothing stands."""
_SHARE = 0.4
"""The border's place between the last standing tile and the first set: a winning tile lies a
little beside the hand, a new set close to the others."""


_CLOSE, _OFF = 1.3, 1.6
"""In tile widths: so near to a set a tile belongs to it, if it lies so far from what stands."""


class Rows:
    """The borders of the four seats."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._ends: dict[Seat, tuple[float, float]] = {}
        self._border: dict[Seat, float] = dict.fromkeys(SEATS, places.row_end)
        self._stands: dict[Seat, float] = {}
        self._lies: dict[Seat, float] = {}
        self._norths: dict[Seat, float] = {}
        geometry = places.geometry
        self._inner = geometry.meld.offset - 0.9 * geometry.tile_height
        """Norths lie in a row of their own, further in than the sets."""

    def spot(self, x: float, y: float, posture: Posture) -> Spot:
        """The place of a tile that lies or stands at a point."""
        spot = self._places.spot(x, y)
        if not self._places.one_row or spot.area not in (Area.HAND, Area.MELD):
            return spot
        standing = posture is Posture.STANDING
        mine = spot.right <= self._border[spot.seat] and not self._joins(spot)
        area = Area.HAND if standing or mine else Area.MELD
        return Spot(area, spot.seat, spot.right, spot.offset)

    def _joins(self, spot: Spot) -> bool:
        """Whether a tile lies beside a set and away from what stands now.

        The border remembers where the tiles stood of which a set has just been laid.
        """
        end, edge = self._stands.get(spot.seat), self._lies.get(spot.seat)
        width = self._places.geometry.tile_width
        norths = self._norths.get(spot.seat)
        if norths is not None and spot.offset <= self._inner:
            return norths - spot.right <= _CLOSE * width
        return (
            end is not None
            and edge is not None
            and edge - spot.right <= _CLOSE * width
            and spot.right - end >= _OFF * width
        )

    def update(self, t: float, rests: Iterable[Rest]) -> None:
        """After a look: where the hands end and the sets begin now."""
        if not self._places.one_row:
            return
        geometry = self._places.geometry
        ends: dict[Seat, float] = {}
        edges: dict[Seat, float] = {}
        self._stands, self._lies, self._norths = {}, edges, {}
        for rest in rests:
            seat, right = rest.spot.seat, rest.spot.right
            if not rest.believed:
                continue
            if rest.spot.area is Area.HAND and rest.posture is Posture.STANDING:
                if rest.turn is not None and rest.turn[0] is Posture.FACE_UP:
                    continue  # laid open by now; an arm over it keeps it from being believed
                ends[seat] = max(ends.get(seat, right), right)
                if rest.missing is None:
                    self._stands[seat] = max(self._stands.get(seat, right), right)
            elif rest.spot.area is Area.MELD:
                row = edges if rest.spot.offset > self._inner else self._norths
                row[seat] = min(row.get(seat, right), right)
        for seat in SEATS:
            known = self._ends.get(seat)
            end = ends.get(seat)
            if end is not None and (
                known is None or end >= known[0] or t - known[1] > _REMEMBERED_S
            ):
                known = self._ends[seat] = (end, t)
            if known is None:
                continue
            edge = edges.get(seat, geometry.meld.right + geometry.tile_width / 2)
            first = edge - geometry.tile_width / 2
            self._border[seat] = known[0] + _SHARE * max(0.0, first - known[0])

    def clear(self) -> None:
        """The table was cleared."""
        self._ends.clear()
        self._stands, self._lies, self._norths = {}, {}, {}
        self._border = dict.fromkeys(SEATS, self._places.row_end)
