"""Places between two tiles where the search may have missed a third.

Where the searched part of the picture ends decides now and then whether a face is found, between
faces alike sooner than elsewhere: of four nines of circles side by side one was not found in any
look, and two and two lay there for the game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vision.changes.sampling import Array
from vision.nets.found import FoundTile
from vision.sightings import Posture

_LEAST, _MOST = 1.8, 2.2
"""In tile widths: so far apart are two tiles with one between them."""
_ASKEW = 0.26
"""Sine of 15 degrees: so far off the line between them may their short sides be."""
_FREE = 0.7
"""In tile widths: nothing is found so near to the place between them."""


def gaps(tiles: Sequence[FoundTile], fresh: Sequence[bool], tile_px: float) -> list[Array]:
    """Middles (2,) of places that are one tile wide, between faces side by side.

    Args:
        tiles: those found in a look.
        fresh: whether each was not found there before: what has lain apart for long does so.
        tile_px: short side of a tile, pixels.
    """
    shown = np.array([tile.posture is Posture.FACE_UP for tile in tiles], dtype=bool)
    new = np.asarray(fresh, dtype=bool)
    if not (shown & new).any():
        return []
    quads = np.array([tile.quad for tile in tiles], dtype=np.float64)
    middles = quads.mean(axis=1)
    widths = np.linalg.norm(middles[:, None] - middles[None], axis=2) / tile_px
    pairs = (widths >= _LEAST) & (widths <= _MOST) & np.outer(shown, shown)
    found = []
    for one, other in np.argwhere(np.triu(pairs & (new[:, None] | new[None]))).tolist():
        dx, dy = (middles[other] - middles[one]) / (widths[one, other] * tile_px)
        sides = (_short_side(quads[one]), _short_side(quads[other]))
        middle = (middles[one] + middles[other]) / 2
        near = np.linalg.norm(middles - middle, axis=1) < _FREE * tile_px
        if all(abs(dx * y - dy * x) <= _ASKEW for x, y in sides) and not near.any():
            found.append(middle)
    return found


def _short_side(quad: Array) -> Array:
    """Direction (2,) of a tile's short sides."""
    first, second = quad[1] - quad[0], quad[2] - quad[1]
    side = first if np.hypot(*first) <= np.hypot(*second) else second
    return np.asarray(side / max(float(np.hypot(*side)), 1e-9), dtype=np.float64)
