"""Wall tiles that lie on the felt, pushed off their stacks: faces that show are told."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.domain.happenings import Seat, Slot, TileCovered, TileExposed
from table_controller.domain.tiles import Tile
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table
from table_controller.happenings.wall.disturbances import Disturbances
from vision.sightings import Posture


@dataclass(slots=True, eq=False)
class Stray:
    """A wall tile that lies face up on the felt."""

    rest: Rest
    slot: Slot
    tile: Tile


class Strays:
    """Those of all walls."""

    def __init__(self, table: Table, disturbances: Disturbances) -> None:
        self._table = table
        self._disturbances = disturbances
        self._strays: list[Stray] = []

    def clear(self) -> None:
        """A new hand begins."""
        self._strays.clear()

    def take(self, rest: Rest) -> bool:
        """Whether a tile that came to rest on the felt is one; a face that shows is told."""
        slot = self._slot(rest)
        if slot is None:
            return False
        if rest.posture is Posture.FACE_UP:
            self._strays.append(Stray(rest, slot, rest.face.tile))
            self._table.emit(
                TileExposed(
                    t=rest.arrived,
                    where="wall",
                    seat=None,
                    tile=rest.face.tile,
                    by=rest.by,
                    slot=slot,
                    confidence=rest.face.confidence,
                )
            )
        return True

    def left(self, rest: Rest, t: float) -> bool:
        """Whether a tile that left is one whose face showed."""
        for stray in self._strays:
            if stray.rest is rest:
                self._cover(stray, rest.left if rest.left is not None else t, rest.by)
                self._strays.remove(stray)
                return True
        return False

    def turned(self, rest: Rest, t: float) -> None:
        """A tile turned over where it lies."""
        for stray in list(self._strays):
            if stray.rest is rest and rest.posture is not Posture.FACE_UP:
                self._cover(stray, t, None)
                self._strays.remove(stray)

    def fallen(self, rest: Rest, t: float) -> bool:
        """Whether a tile that lies face down may be one of a wall that was pushed lately."""
        spilled = rest.number in self._table.spilled.values()
        return spilled or self._disturbances.lately(rest, t)

    def _slot(self, rest: Rest) -> Slot | None:
        """Where in the wall a tile on the felt has its place, if it has one there."""
        for slot, number in self._table.spilled.items():
            if number == rest.number:
                return slot
        side = self._disturbances.near(rest)
        if side is None:
            return None
        number, _, _ = self._table.places.stack_of(rest.spot)
        return Slot(side, number, "top")

    def _cover(self, stray: Stray, t: float, by: Seat | None) -> None:
        self._table.emit(
            TileCovered(t=t, where="wall", seat=None, tile=stray.tile, by=by, slot=stray.slot)
        )
