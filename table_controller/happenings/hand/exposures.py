"""Tiles of a row that fell over: they show their faces while the others stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from table_controller.domain.happenings import Seat, TileCovered, TileExposed
from table_controller.happenings.looks.places import SEATS, Area
from table_controller.happenings.rest.causes import SLEEVE_MM
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table
from vision.sightings import Point

_AT_ONCE_S = 0.25
_BROUGHT_S = 4.0
"""A claimed tile is brought home within so long."""
_WON_S = 3.0
"""Who pressed the button for a win lays his tiles open, the winning one first, within so long."""
_SEEN_S = 0.15
_FALLING_S, _SLEEVE_LOOKS = 0.15, 2
"""Another's sleeve knocks a tile over while his fingers are seen in its row in so many looks.

A neighbour's arm lies over all of the row from his own side to his fingers.
"""
_RIGHT, _LEFT = 1, 3
"""The players to the right and to the left, in seats from one's own."""


@dataclass(slots=True, eq=False)
class _Exposure:
    """A tile of a hand that lies face up while others stand."""

    rest: Rest
    told: bool = False
    fetched: bool = False
    """It is the tile that was claimed to win with, laid before the row first."""


class Exposures:
    """The exposed tiles of the four hands; tells when one is seen, and when it is hidden again.

    Args:
        table: the shared state.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._exposed: dict[Seat, list[_Exposure]] = {seat: [] for seat in SEATS}

    def clear(self) -> None:
        """A new hand begins."""
        self._exposed = {seat: [] for seat in SEATS}

    def of(self, seat: Seat) -> list[Rest]:
        """The tiles of a hand that show their faces, as they came to rest."""
        return [exposure.rest for exposure in self._exposed[seat]]

    def pending(self) -> float | None:
        """Since when the first of them lies that is not decided upon."""
        times = [
            exposure.rest.arrived
            for exposed in self._exposed.values()
            for exposure in exposed
            if not exposure.told and not exposure.fetched
        ]
        return min(times, default=None)

    # -- changes ------------------------------------------------------------------------

    def arrived(self, rest: Rest) -> None:
        """A tile lies in a hand and shows its face."""
        self._exposed[rest.spot.seat].append(_Exposure(rest))

    def left(self, rest: Rest, t: float) -> None:
        """A tile left a hand, or is turned down or stood up, at a time."""
        exposed = self._exposed[rest.spot.seat]
        for exposure in list(exposed):
            if exposure.rest is rest:
                self._hide(rest.spot.seat, exposure, t)
                exposed.remove(exposure)

    def joined_set(self, rest: Rest) -> None:
        """A tile that lay among those of a hand belongs to a set."""
        seat = rest.spot.seat
        self._exposed[seat] = [each for each in self._exposed[seat] if each.rest is not rest]

    def opened(self, seat: Seat) -> None:
        """The hand was laid open: none of its tiles is exposed."""
        self._exposed[seat] = []

    # -- telling ------------------------------------------------------------------------

    def others_stand(self, seat: Seat, standing: Sequence[Rest], t: float) -> bool:
        """Whether a tile or two show their faces while others are seen to stand.

        An arm that rests over a part of the row then hides no hand that is being laid open. A
        tile that lies beside the row may be the winning one, laid there first.
        """
        exposed = self._exposed[seat]
        seen = sum(t - rest.seen < _SEEN_S and rest.turn is None for rest in standing)
        fresh = all(t - exposure.rest.seen < _SEEN_S for exposure in exposed)
        end = max((rest.spot.right for rest in standing), default=0.0)
        within = all(exposure.rest.spot.right < end for exposure in exposed)
        return 0 < len(exposed) < 3 <= seen and fresh and within

    def tell(self, seat: Seat) -> None:
        """Tell those of a hand whose faces are known, but for one that was fetched to win with."""
        if self._wins(seat):
            return
        due = [each for each in self._exposed[seat] if not each.told and each.rest.face.decided]
        for exposure in due:
            exposure.fetched = self._is_fetched(seat, exposure.rest)
        due = [each for each in due if not each.fetched]
        for exposure in due:
            # What came in sight at once fell at once, however long an arm had hid a part of it.
            since = exposure.rest.since
            fell = [each.rest for each in due if abs(each.rest.since - since) <= _AT_ONCE_S]
            exposure.rest.arrived = max(rest.arrived for rest in fell)
            known = {rest.by for rest in fell} - {None}
            if exposure.rest.by is None and len(known) == 1:
                exposure.rest.by = known.pop()
            self._expose(seat, exposure)

    def _wins(self, seat: Seat) -> bool:
        """Whether a player has called a win and lays his tiles open now."""
        called = self._table.called.get(seat)
        if called is None or called.call != "win":
            return False
        return self._table.now - called.t < _WON_S

    def _is_fetched(self, seat: Seat, rest: Rest) -> bool:
        """Whether it is the tile that its owner has just claimed, and laid in no set yet.

        Arms mostly hide the row until it is laid open. Two cameras saw beneath them once.
        """
        return any(
            note.tile is rest.face.tile and rest.arrived - note.t >= -_AT_ONCE_S
            for note in self._table.unlaid(seat, rest.arrived - _BROUGHT_S)
        )

    def _expose(self, seat: Seat, exposure: _Exposure) -> None:
        rest = exposure.rest
        exposure.told = True
        self._table.emit(
            TileExposed(
                t=rest.arrived,
                where="hand",
                seat=seat,
                tile=rest.face.tile,
                by=self._overturned_by(seat, rest),
                confidence=round(min(0.98, max(0.3, rest.face.share)), 3),
            )
        )

    def _hide(self, seat: Seat, exposure: _Exposure, t: float) -> None:
        """An exposed tile is hidden again; tell what was still waiting to be told."""
        rest = exposure.rest
        standing = self._table.book.standing(seat)
        if exposure.fetched:
            return
        if not exposure.told:
            known = rest.face.decided and not rest.face.contradicted
            if not standing or not known or self._wins(seat):
                return
            self._expose(seat, exposure)
        self._table.emit(TileCovered(t=t, where="hand", seat=seat, tile=rest.face.tile, by=rest.by))

    def _overturned_by(self, seat: Seat, rest: Rest) -> Seat | None:
        """Who made a tile of a row fall over.

        Nobody else's fingers have any business in a row: where they were there while the tile
        fell its owner's, which are always about, did not do it.
        """
        table = self._table
        strangers = [
            other
            for other in SEATS
            if other != seat
            and sum(
                tip.point is not None and self._reaches(other, seat, tip.point, rest.spot.right)
                for tip in table.arms.path(other, rest.arrived - _FALLING_S, rest.since)
            )
            >= _SLEEVE_LOOKS
        ]
        return strangers[0] if len(strangers) == 1 else rest.by

    def _reaches(self, other: Seat, seat: Seat, point: Point, right: float) -> bool:
        """Whether another's arm with its fingers at a point is at a tile so far to the right."""
        spot = self._table.places.spot(*point)
        if spot.area is not Area.HAND or spot.seat != seat:
            return False
        further = right - spot.right
        beside = (other - seat) % 4
        beneath = (beside == _RIGHT and further > 0) or (beside == _LEFT and further < 0)
        return beneath or abs(further) <= SLEEVE_MM
