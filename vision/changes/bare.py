"""How the table looks where nothing lies, so that its own marks are not taken for tiles.

Outlines of hatches, grooves and stains can look like a tile lying face down. But a place that
looks exactly as it did when it was empty is still empty. A cell counts as bare once it was
looked at twice, uncovered and at rest, with no tile near. Being strict costs nothing: where light
or shadow changed, nothing is said and the finder is believed.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes.motion import CELL, SHRINK, Mask
from vision.image import Image

_TWICE = 2
_LEVEL, _RELATIVE, _NOISES = 3.0, 0.02, 4.0
_ALIKE = 0.92
_GROWN = 1.2
"""The place and a rim of it are compared: a tile has sides, edges and a shadow."""


class BareGround:
    """Remembers the empty table of one camera.

    Args:
        cells: rows and columns of cells.
    """

    def __init__(self, cells: tuple[int, int]) -> None:
        sub = CELL // SHRINK
        self._cells = cells
        self._looks = np.zeros(cells, dtype=np.uint8)
        self._ground: Image = np.zeros((cells[0] * sub, cells[1] * sub, 3), np.uint8)

    def learn(self, level: Image, free: Mask) -> None:
        """Take in a picture (at a quarter of the size, light evened out).

        Args:
            level: (h, w, 3).
            free: cells looked at in it where nothing lies, moves or covers.
        """
        if not free.any():
            return
        self._looks[free] = np.minimum(self._looks[free] + 1, _TWICE)
        sub = CELL // SHRINK
        mask = np.repeat(np.repeat(free, sub, axis=0), sub, axis=1).astype(np.uint8)
        cv2.copyTo(level, mask, self._ground)

    def occupied(self, quad: NDArray[np.float64]) -> None:
        """A tile lies there for certain: what was remembered there was wrong."""
        low = np.floor(quad.min(axis=0) / CELL).astype(int)
        high = np.ceil(quad.max(axis=0) / CELL).astype(int)
        self._looks[max(low[1], 0) : max(high[1], 0), max(low[0], 0) : max(high[0], 0)] = 0

    def is_bare(self, level: Image, quad: NDArray[np.float64], noise: float) -> bool:
        """Whether the place of a quad (4, 2) looks as it did when it was empty.

        Args:
            level: the picture, as in :meth:`learn`.
            quad: corners in pixels of the whole picture.
            noise: difference between two pictures of a still table, 0..255.
        """
        middle = quad.mean(axis=0)
        outline = ((quad - middle) * _GROWN + middle) / SHRINK
        height, width = self._ground.shape[:2]
        x0, y0 = np.maximum(np.floor(outline.min(axis=0)).astype(int), 0)
        x1, y1 = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 1, (width, height))
        if x1 - x0 < 2 or y1 - y0 < 2:
            return False
        sub = CELL // SHRINK
        if (self._looks[y0 // sub : -(-y1 // sub), x0 // sub : -(-x1 // sub)] < _TWICE).any():
            return False
        inside = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(inside, np.round(outline - (x0, y0)).astype(np.int32), 1)
        ground = self._ground[y0:y1, x0:x1].astype(np.float32)
        apart = np.abs(level[y0:y1, x0:x1].astype(np.float32) - ground)
        allowed = max(_LEVEL, _NOISES * noise) + _RELATIVE * ground
        alike = (apart <= allowed).all(axis=2)[inside.astype(bool)]
        return bool(alike.size) and float(alike.mean()) >= _ALIKE
