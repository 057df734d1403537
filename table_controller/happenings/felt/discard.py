"""A tile in a pool, and what all that follows pushed pools says of a push."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.domain.happenings import Place, Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.rest.rests import Rest
from vision.sightings import Point

SLID_MM = 70.0
"""A sleeve that pushes a pool moves its tiles at most so far."""
SLID_WAIT_S = 1.5
"""So long is waited until it is seen whether a tile still lies where it lay."""
PUSHED_MM = 11.0
"""A tile of a pool that moved so far was pushed."""
PUSHED_TILES = 2
"""So many of a pool are a push; who claims a discard may move one other."""
AT_ONCE_S = 0.6
"""Tiles that one sleeve pushed come to rest within this time."""
SEEN_GOING_S = 0.3
"""On its way under a sleeve a tile may still be seen, after another has come to rest."""
REPAIRED_S = 12.0
"""Putting a pushed pool straight again is not a second disturbance."""


@dataclass(slots=True, eq=False)
class Discard:
    """A tile in a pool, as it was told."""

    rest: Rest
    seat: Seat
    tile: Tile
    place: Place | None
    t: float
    pushed: float = -1e9
    """When it was last pushed."""
    nudged: float = -1e9
    """When it last moved a little."""
    home: Point | None = None
    """Where it lay before its pool was pushed."""
