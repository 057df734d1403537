"""How the table looks where nothing lies, so that its own marks are not taken for tiles.

Outlines of hatches, grooves and stains can look like a tile lying face down. But a place that
looks exactly as it did when it was empty is still empty. A cell counts as bare once it was
looked at twice, uncovered and at rest, with no tile near. Being strict costs nothing: where light
or shadow changed, nothing is said and the finder is believed. What looks otherwise than it did is
believed to be the table only when it goes on so: it may be a tile that one look missed.
"""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes.motion import CELL, SHRINK, Mask
from vision.image import Image

_TWICE, _ANEW = 2, 5
"""Looks that make a cell bare, and looks on end that change what a bare one looks like."""
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
        self._unlike = np.zeros(cells, dtype=np.uint8)
        self._ground: Image = np.zeros((cells[0] * sub, cells[1] * sub, 3), np.uint8)

    @property
    def ground(self) -> Image:
        """(h, w, 3), the empty table as far as it was seen, at a quarter of the size; else 0."""
        return self._ground

    def learn(self, level: Image, free: Mask, noise: float) -> None:
        """Take in a picture (at a quarter of the size, light evened out).

        Args:
            level: (h, w, 3).
            free: cells looked at in it where nothing lies, moves or covers.
            noise: difference between two pictures of a still table, 0..255.
        """
        if not free.any():
            return
        other = free & (self._looks >= _TWICE) & self._otherwise(level, noise)
        self._unlike[free] = np.where(other, self._unlike + 1, 0)[free]
        free = free & (~other | (self._unlike >= _ANEW))
        self._unlike[free] = 0
        self._looks[free] = np.minimum(self._looks[free] + 1, _TWICE)
        sub = CELL // SHRINK
        mask = np.repeat(np.repeat(free, sub, axis=0), sub, axis=1).astype(np.uint8)
        cv2.copyTo(level, mask, self._ground)

    def _otherwise(self, level: Image, noise: float) -> Mask:
        """Cells that do not look as they did."""
        rows, columns = self._cells
        # The mean of a cell is 0 where none of its pixels is another.
        over = cv2.resize(
            _over(level, self._ground, noise), (columns, rows), interpolation=cv2.INTER_AREA
        )
        return np.asarray(np.asarray(over, dtype=bool).any(axis=2), dtype=bool)

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
        corners: list[list[float]] = quad.tolist()
        # Plain numbers: asked of every find of every look, and mostly answered by the next lines.
        x0, x1 = _span([x for x, _ in corners], self._ground.shape[1])
        y0, y1 = _span([y for _, y in corners], self._ground.shape[0])
        if x1 - x0 < 2 or y1 - y0 < 2:
            return False
        sub = CELL // SHRINK
        if (self._looks[y0 // sub : -(-y1 // sub), x0 // sub : -(-x1 // sub)] < _TWICE).any():
            return False
        middle = quad.mean(axis=0)
        outline = ((quad - middle) * _GROWN + middle) / SHRINK
        inside = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(inside, np.round(outline - (x0, y0)).astype(np.int32), 1)
        over = _over(level[y0:y1, x0:x1], self._ground[y0:y1, x0:x1], noise)
        alike = (over.max(axis=2) == 0)[inside.astype(bool)]
        return bool(alike.size) and float(alike.mean()) >= _ALIKE


def _over(level: Image, ground: Image, noise: float) -> Image:
    """(h, w, 3): 255 where a picture is farther from the ground than noise makes it."""
    allowed = cv2.LUT(ground, _allowed(max(_LEVEL, _NOISES * noise)))
    over = cv2.compare(cv2.absdiff(level, ground), allowed, cv2.CMP_GT)
    return np.asarray(over, dtype=np.uint8)


def _span(values: list[float], most: int) -> tuple[int, int]:
    """From where to where a quad that is grown reaches in a picture at a quarter of its size."""
    middle = sum(values) / len(values)
    low = ((min(values) - middle) * _GROWN + middle) / SHRINK
    high = ((max(values) - middle) * _GROWN + middle) / SHRINK
    return max(math.floor(low), 0), min(math.ceil(high) + 1, most)


@lru_cache(maxsize=1)
def _allowed(least: float) -> NDArray[np.uint8]:
    """How far a value may be from each value of the ground (256,): whole numbers are."""
    allowed = least + _RELATIVE * np.arange(256)
    return np.asarray(np.floor(np.minimum(allowed, 255.0)), dtype=np.uint8)
