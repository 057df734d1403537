"""A hand that was laid open: which tiles it is made of, and which of them it was won with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import Area
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.standing import gaps
from table_controller.happenings.table import Table
from vision.sightings import Posture

_ROOM = 1.7
"""In tile widths: where two tiles are farther apart there is room for another."""


@dataclass(frozen=True, slots=True)
class LaidOpen:
    """The tiles of an open hand from its player's left to the right, and the winning one.

    ``tiles`` are those of the row without the winning one, if it lies apart; a tile that is not
    seen where one must lie is among them, unknown.
    """

    row: list[Rest]
    tiles: tuple[Tile, ...]
    apart: Rest | None


def laid_open(table: Table, seat: Seat, rests: Sequence[Rest], count: int | None) -> LaidOpen:
    """Read an open hand.

    Args:
        table: the shared state.
        seat: whose it is.
        rests: the tiles that show their faces.
        count: how many tiles stood there when they were last counted.
    """
    row = sorted([*rests, *_blank(table, seat, rests)], key=lambda rest: rest.spot.right)
    room = gaps(row, _ROOM * table.places.geometry.tile_width)
    hole = _hole(row, room, count)
    apart = _apart(table, seat, row) if hole is None or len(room) > 1 else None
    tiles = tuple(rest.face.tile for rest in row if rest is not apart)
    if hole is not None:
        tiles = (*tiles[:hole], Tile.UNKNOWN, *tiles[hole:])
    return LaidOpen(row, tiles, apart)


def _blank(table: Table, seat: Seat, rests: Sequence[Rest]) -> list[Rest]:
    """Tiles of an open row whose face was not seen: a white dragon may pass for a back."""
    first, last = (end(rest.spot.right for rest in rests) for end in (min, max))
    return [
        rest
        for rest in table.book.believed(Area.HAND, seat)
        if rest.posture in (Posture.FACE_DOWN, Posture.UNSURE) and first < rest.spot.right < last
    ]


def _hole(row: Sequence[Rest], room: Sequence[int], count: int | None) -> int | None:
    """Where one tile of the row is not seen, if just one is not.

    Either fewer lie there than were counted, or the winning tile lies apart and with it a hand
    has not the two tiles more than its sets.
    """
    if len(room) == 2 and room[-1] == len(row) - 1 and len(row) % 3 == 1:
        return room[0]
    return room[0] if len(room) == 1 and count == len(row) + 1 else None


def _apart(table: Table, seat: Seat, row: Sequence[Rest]) -> Rest | None:
    """The winning tile: it lies beside the others, or was fetched from a pool."""
    width = table.places.geometry.tile_width
    if len(row) < 2:
        return None
    ways = [b.spot.right - a.spot.right for a, b in pairwise(row)]
    for end, way in ((row[-1], ways[-1]), (row[0], ways[0])):
        rest = [other for other in row if other is not end]
        level = sum(other.spot.offset for other in rest) / len(rest)
        if way > 1.4 * width or abs(end.spot.offset - level) > 0.6 * width:
            return end
    for note in table.unlaid(seat, table.turn_of(seat)):
        alike = [rest for rest in row if rest.face.tile is note.tile]
        if alike:
            note.used = True
            return max(alike, key=lambda rest: rest.arrived)
    return None
