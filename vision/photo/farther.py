"""Tiles that lie far off in a picture taken aslant: smaller than the finder looks for."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.nets.bodies import BLANK
from vision.photo.plausible import BEYOND_DOUBT, HARDLY, faces_told
from vision.photo.readings import ReadTile

_FACES = 5
"""Faces of a picture from which on they tell how large its tiles are."""
_ASLANT = 1.25
"""By how much large tiles of a picture are larger than small ones where it was taken aslant."""
_FARTHER, _LIES_ON = (0.5, 1.8), 0.15
"""Short sides of tiles of one picture that were read at several scales, in those of the best; and
how much of a tile may lie on another: quads of neighbours overlap a little."""


def lies_aslant(tiles: Sequence[ReadTile]) -> bool:
    """Whether the tiles of a picture differ so much in size that some may be too small to find."""
    sizes = [t.short for t in faces_told(tiles)]
    if len(sizes) < _FACES:
        return False
    low, high = np.percentile(sizes, (10, 90))
    return bool(high > _ASLANT * low)


def with_farther(tiles: list[ReadTile], others: Sequence[ReadTile]) -> list[ReadTile]:
    """Tiles read at the best scale, and those beside them that were surely read at another one.

    In a heap that is seen aslant the farthest tiles are hardly half as large as the nearest. A part
    of a tile may look like another, so what lies on one, or is sure of nothing, is not taken.
    """
    told = faces_told(tiles)
    if len(told) < _FACES:
        return tiles
    size = float(np.median([t.short for t in told]))
    kept = list(tiles)
    for tile in sorted(faces_told(others), key=lambda t: -t.found * t.confidence):
        if (
            tile.tile != BLANK
            and tile.found >= HARDLY
            and tile.confidence >= BEYOND_DOUBT
            and _FARTHER[0] * size < tile.short < _FARTHER[1] * size
            and all(_beside(tile, other) for other in kept)
        ):
            kept.append(tile)
    return kept


def _beside(one: ReadTile, other: ReadTile) -> bool:
    """Whether hardly anything of the smaller of two tiles lies on the other."""
    mine, its = (np.array(t.quad, np.float32) for t in (one, other))
    common, _ = cv2.intersectConvexConvex(mine, its)
    return bool(common < _LIES_ON * min(one.area, other.area))
