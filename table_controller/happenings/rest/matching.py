"""Which tile of a frame is which tile at rest."""

from __future__ import annotations

from collections.abc import Iterable

from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import distance
from table_controller.happenings.rest.rests import WHOLE, Rest
from table_controller.happenings.setup import Patience
from vision.sightings import TileSighting

_CELL = 30.0
_CAME_OUT_S = 0.6
"""A tile that is seen whole so soon after an arm hid its place may have been put there under it."""
_OTHER_FACE = 0.95
"""So surely another face must be read for a tile that moved to be another one."""


def match(
    rests: Iterable[Rest], tiles: Iterable[TileSighting], patience: Patience, t: float
) -> tuple[list[tuple[Rest, TileSighting]], list[TileSighting]]:
    """Find the tile of a frame that each tile at rest is.

    Args:
        rests: what lies still, believed or not.
        tiles: what the frame shows outside the walls.
        patience: how far a tile may seem to be from where it lies.
        t: time of the frame, s.

    Returns:
        Pairs, and the tiles that are none of these.
    """
    grid: dict[tuple[int, int], list[Rest]] = {}
    for rest in rests:
        grid.setdefault((int(rest.x // _CELL), int(rest.y // _CELL)), []).append(rest)
    gate = patience.gate_mm
    pairs: list[tuple[float, int, int, Rest, TileSighting]] = []
    listed = list(tiles)
    for index, tile in enumerate(listed):
        gx, gy = int(tile.x // _CELL), int(tile.y // _CELL)
        for i in (gx - 1, gx, gx + 1):
            for j in (gy - 1, gy, gy + 1):
                for rest in grid.get((i, j), ()):
                    if abs(rest.x - tile.x) > gate or abs(rest.z - tile.z) > 30.0:
                        continue
                    away = distance(rest.point, (tile.x, tile.y))
                    if away > gate:
                        continue
                    differs = reads_as_another(rest, tile)
                    moved = away > patience.still_mm or _came_out(rest, tile, t)
                    if differs and moved and rest.face.decided:
                        # Pushed tiles come to lie where others lay.
                        continue
                    # A posture that differs is a worse match than one that does not.
                    cost = away + (4.0 if rest.posture is not tile.posture else 0.0)
                    cost += 0.0 if rest.believed else 1.0
                    cost += 4.0 if differs else 0.0
                    pairs.append((cost, index, rest.number, rest, tile))
    pairs.sort(key=lambda pair: pair[:3])
    taken_tiles: set[int] = set()
    taken_rests: set[int] = set()
    matches = []
    for _, index, number, rest, tile in pairs:
        if index in taken_tiles or number in taken_rests:
            continue
        taken_tiles.add(index)
        taken_rests.add(number)
        matches.append((rest, tile))
    strangers = [tile for index, tile in enumerate(listed) if index not in taken_tiles]
    return matches, strangers


def _came_out(rest: Rest, tile: TileSighting, t: float) -> bool:
    """Whether a place was hidden just now and shows a whole tile again.

    Only a part of it may have been in sight until now: that it reads otherwise says nothing then.
    """
    seen = rest.believed and rest.whole > 0
    return seen and tile.visible >= WHOLE and 0.0 < t - rest.covered <= _CAME_OUT_S


def reads_as_another(rest: Rest, tile: TileSighting) -> bool:
    """Whether a tile surely shows another face than most looks at one that rests."""
    known = rest.face.tile
    if known is Tile.UNKNOWN or not tile.faces:
        return False
    face, share = tile.faces[0]
    return share >= _OTHER_FACE and face not in (known.value, Tile.UNKNOWN.value)
