"""A photographed winning hand as a hand to score (contract, section 7).

How a winner lays a hand out differs; what is taken from the picture is only what it shows:

- a face-down kong (two or four backs beside each other within a set) and four equal tiles beside
  each other are kongs;
- a single tile that lies apart from all others is the winning tile; without one it is the last
  tile in reading order;
- flowers are counted and set aside;
- everything else is taken as concealed: which sets were claimed, and from whom, no photograph of
  the hand alone tells. Winds, self-draw and the like are left for the one who scores.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from vision.sightings import Posture

if TYPE_CHECKING:
    from vision.photo.readings import PictureReading, ReadTile

_FLOWERS = frozenset(f"{n}f" for n in range(1, 9))


class HandError(Exception):
    """The picture shows no complete hand; the message says what is wrong with it."""


def to_hand(reading: PictureReading) -> dict[str, Any]:
    """The JSON object of a hand to score.

    Raises:
        HandError: a tile is not sure, or the tiles are not those of one complete hand.
    """
    tiles = [t for t in reading.tiles if t.posture is Posture.FACE_UP]
    if unsure := [t for t in tiles if t.tile == "?"]:
        x, y = unsure[0].centre
        raise HandError(
            f"{reading.image}: {len(unsure)} of {len(tiles)} tiles could not be read "
            f"(the first at {x:.0f}, {y:.0f})"
        )
    flowers = [t for t in tiles if t.tile in _FLOWERS]
    tiles = [t for t in tiles if t.tile not in _FLOWERS]
    kongs: list[list[ReadTile]] = []
    while 14 + len(kongs) < len(tiles):
        kong = _next_kong(tiles)
        if kong is None:
            break
        kongs.append(kong)
        tiles = [t for t in tiles if t not in kong]
    wanted = 14 - 3 * len(kongs)
    if len(tiles) != wanted:
        raise HandError(
            f"{reading.image}: {len(tiles) + 4 * len(kongs)} tiles beside {len(flowers)} flowers "
            f"are no complete hand ({14 + len(kongs)} are)"
        )
    over = [k for k, n in Counter(_plain(t.tile) for t in tiles).items() if n > 4]
    if over:
        raise HandError(f"{reading.image}: more than four of {over[0]}")
    won = _apart(tiles)
    rest = list(tiles)
    rest.remove(won)
    return {
        "hand": sorted((t.tile for t in rest), key=_order),
        "melds": [
            {"kind": "kong", "tiles": [t.tile for t in kong], "concealed": False, "added": False}
            for kong in kongs
        ],
        "win_tile": won.tile,
        "self_drawn": False,
        "seat_wind": None,
        "round_wind": None,
        "flowers": len(flowers),
        "last_tile": False,
        "after_kong": False,
        "robbing_kong": False,
        "last_of_kind": False,
    }


def _plain(tile: str) -> str:
    return f"5{tile[1]}" if tile[0] == "0" else tile


def _order(tile: str) -> tuple[int, int]:
    return "mpszf".index(tile[1]), int(_plain(tile)[0])


def _next_kong(tiles: list[ReadTile]) -> list[ReadTile] | None:
    """Four equal tiles that lie beside each other in reading order."""
    for i in range(len(tiles) - 3):
        four = tiles[i : i + 4]
        if len({_plain(t.tile) for t in four}) == 1:
            return four
    return None


def _apart(tiles: list[ReadTile]) -> ReadTile:
    """The tile that lies apart from all others, else the last one."""
    centres = np.array([t.centre for t in tiles])
    unit = float(np.median([t.short for t in tiles]))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    nearest = apart.min(axis=1) / unit
    alone = np.nonzero(nearest > 1.45 * max(1.0, float(np.median(nearest))))[0]
    return tiles[int(alone[0])] if len(alone) == 1 else tiles[-1]
