"""Flowers, and the norths of three players: single tiles that are shown and laid aside."""

from __future__ import annotations

from table_controller.domain.happenings import FlowerShown, NorthShown, Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.sets import near
from table_controller.happenings.table import CLAIM_AGE_S, Table
from vision.sightings import Posture

_NORTH_S = 0.4
"""The other tiles of a set would have come within this time."""


class Flowers:
    """What the four players laid aside."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._laid: dict[Seat, list[Rest]] = {seat: [] for seat in SEATS}

    def clear(self) -> None:
        """A new hand begins."""
        self._laid = {seat: [] for seat in SEATS}

    def of(self, seat: Seat) -> list[Rest]:
        """The flowers of a seat."""
        return self._laid[seat]

    def left(self, rest: Rest) -> None:
        """A tile left a meld area."""
        for laid in self._laid.values():
            if rest in laid:
                laid.remove(rest)

    def take(self, seat: Seat, loose: list[Rest], t: float) -> None:
        """Tell what of a seat's tiles is laid aside, and take it out of them."""
        if loose and self._table.setup.flowers:
            self._flowers(seat, loose, t)
        if loose and self._table.setup.norths:
            self._norths(seat, loose, t)

    def _flowers(self, seat: Seat, loose: list[Rest], t: float) -> None:
        patience = self._table.setup.patience
        geometry = self._table.places.geometry
        flowers = self._laid[seat]
        for rest in sorted(loose, key=lambda rest: rest.spot.right):
            waited = t - rest.since
            by_face = rest.face.decided and rest.face.tile.is_flower
            end = max((flower.spot.right for flower in flowers), default=geometry.meld.flowers_left)
            in_row = rest.spot.right <= end + 2.0 * geometry.tile_width
            if not by_face and not (in_row and self._alone(seat, rest, loose, t)):
                continue
            if rest.posture is not Posture.FACE_UP:
                continue
            if not rest.face.decided and waited < patience.face_wait_s:
                continue
            loose.remove(rest)
            flowers.append(rest)
            self._table.aside_at[seat] = rest.arrived
            self._table.emit(
                FlowerShown(
                    t=rest.arrived,
                    seat=seat,
                    tile=rest.face.tile,
                    confidence=rest.face.confidence,
                    foreign=rest.face.foreign,
                )
            )

    def _alone(self, seat: Seat, rest: Rest, loose: list[Rest], t: float) -> bool:
        """Whether what lies next to the flowers, and is none, cannot be the first of a set."""
        others = [
            other
            for other in loose
            if other is not rest and other.face.decided and not other.face.tile.is_flower
        ]
        beside = near(rest, others, self._table.places.geometry.tile_width)
        return not beside and not self._table.unlaid(seat, t - CLAIM_AGE_S)

    def _norths(self, seat: Seat, loose: list[Rest], t: float) -> None:
        """A north that comes alone was set aside (riichi for three)."""
        width = self._table.places.geometry.tile_width
        for rest in list(loose):
            alone = all(
                distance(rest.point, other.point) > 1.5 * width
                for other in loose
                if other is not rest
            )
            if (
                not alone
                or rest.posture is not Posture.FACE_UP
                or not rest.face.decided
                or rest.face.tile is not Tile.NORTH
                or t - rest.since < _NORTH_S
            ):
                continue
            loose.remove(rest)
            self._laid[seat].append(rest)
            self._table.aside_at[seat] = rest.arrived
            self._table.emit(
                NorthShown(
                    t=rest.arrived,
                    seat=seat,
                    confidence=rest.face.confidence,
                )
            )
