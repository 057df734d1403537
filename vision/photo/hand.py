"""A photographed winning hand as a hand to score (contract, section 7).

How a winner lays a hand out differs; what is taken from the picture is only what it shows:

- two equal faces between two backs, all beside each other, are a concealed kong, and four equal
  tiles that follow each other a kong; of one that lies wholly face down the picture tells nothing;
- a single tile that lies apart from all others is the winning tile; without one it is the last
  tile in reading order;
- flowers are counted and set aside;
- everything else is taken as concealed: which sets were claimed, and from whom, no photograph of
  the hand alone tells. Winds, self-draw and the like are left for the one who scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from vision.sightings import Posture

if TYPE_CHECKING:
    from vision.photo.readings import PictureReading, ReadTile

_FLOWERS = frozenset(f"{n}f" for n in range(1, 9))
_APART = 1.45
"""Tiles whose middles are so many short sides from each other do not lie side by side."""
_CLOSED = (Posture.FACE_DOWN, Posture.FACE_UP, Posture.FACE_UP, Posture.FACE_DOWN)
"""How a concealed kong lies (contract, section 8)."""


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
    melds: list[dict[str, Any]] = []
    for pair in _closed_kongs(reading.tiles):
        faces = [t.tile for t in pair]
        melds.append(_kong([*faces, *[_plain(faces[0])] * 2], concealed=True))
        tiles = [t for t in tiles if t not in pair]
    while len(tiles) > 14 - 3 * len(melds):
        kong = _next_kong(tiles)
        if kong is None:
            break
        melds.append(_kong([t.tile for t in kong]))
        tiles = [t for t in tiles if t not in kong]
    if len(tiles) != 14 - 3 * len(melds):
        raise HandError(
            f"{reading.image}: {len(tiles) + 4 * len(melds)} tiles beside {len(flowers)} flowers "
            f"are no complete hand ({14 + len(melds)} are)"
        )
    all_tiles = [*(t.tile for t in tiles), *(tile for meld in melds for tile in meld["tiles"])]
    over = [k for k, n in Counter(map(_plain, all_tiles)).items() if n > 4]
    if over:
        raise HandError(f"{reading.image}: more than four of {over[0]}")
    won = _apart(tiles)
    rest = list(tiles)
    rest.remove(won)
    return {
        "hand": sorted((t.tile for t in rest), key=_order),
        "melds": melds,
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


def _kong(tiles: list[str], *, concealed: bool = False) -> dict[str, Any]:
    return {"kind": "kong", "tiles": tiles, "concealed": concealed, "added": False}


def _closed_kongs(tiles: Sequence[ReadTile]) -> list[tuple[ReadTile, ReadTile]]:
    """The two faces of each concealed kong, given the tiles in reading order."""
    flat = [t for t in tiles if t.posture in (Posture.FACE_UP, Posture.FACE_DOWN)]
    found = []
    for four in zip(flat, flat[1:], flat[2:], flat[3:], strict=False):
        _, left, right, _ = four
        alike = _plain(left.tile) == _plain(right.tile) and left.tile not in _FLOWERS
        if alike and tuple(t.posture for t in four) == _CLOSED and _side_by_side(four):
            found.append((left, right))
    return found


def _side_by_side(tiles: Sequence[ReadTile]) -> bool:
    unit = float(np.median([t.short for t in tiles]))
    gaps = [float(np.linalg.norm(a.centre - b.centre)) for a, b in pairwise(tiles)]
    return max(gaps) < _APART * unit


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
    alone = np.nonzero(nearest > _APART * max(1.0, float(np.median(nearest))))[0]
    return tiles[int(alone[0])] if len(alone) == 1 else tiles[-1]
