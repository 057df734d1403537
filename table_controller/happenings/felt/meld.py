"""A set as it lies before its player."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.sets import shown_as
from vision.sightings import Point


@dataclass(slots=True, eq=False)
class Meld:
    """A set as it was told, its tiles from the player's left to the right.

    ``vacant`` are the places from which tiles of it were taken away.
    """

    seat: Seat
    rests: list[Rest]
    t: float
    told: tuple[Tile, ...] = ()
    face_down: tuple[int, ...] = ()
    vacant: list[Point] = field(default_factory=list)

    def lies(self, rests: Iterable[Rest]) -> None:
        """These are its tiles now, and told so."""
        self.rests = sorted(rests, key=lambda rest: rest.spot.right)
        self.told = tuple(shown_as(rest) for rest in self.rests)

    @property
    def kind(self) -> Tile | None:
        """The kind of a set of which all tiles that can be read are alike; None of any other."""
        kinds = {shown_as(rest).plain for rest in self.rests if shown_as(rest).known}
        return kinds.pop() if len(kinds) == 1 else None

    def mostly(self, tile: Tile) -> bool:
        """Whether a tile is of its kind, or of that of most of its tiles where one is wrong."""
        alike = sum(shown_as(rest).plain is tile.plain for rest in self.rests)
        return tile.known and (self.kind is tile.plain or 2 * alike > len(self.rests))
