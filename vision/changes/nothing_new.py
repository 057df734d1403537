"""Places that look as they did when nothing new was found there need no second look."""

from __future__ import annotations

import cv2
import numpy as np

from vision.changes.motion import CELL, SHRINK, Mask
from vision.image import Image

_TWICE, _OFTEN = 2, 6
_STRAY = 1
"""So many of a cell's twelve values may differ: noise does that."""
_LEVEL, _RELATIVE, _NOISES = 9.0, 0.06, 6.0
"""As in :mod:`.motion`: what differs less is not looked at for anything else either."""


class NothingNew:
    """Remembers how places looked at which nothing was found that was not known.

    Each place has two memories: how it looks mostly, and how it looked otherwise last, so that
    a hand that rested there does not wipe out how the cloth looks.

    Args:
        cells: rows and columns of cells.
    """

    def __init__(self, cells: tuple[int, int]) -> None:
        self._sub = CELL // SHRINK
        size = cells[0] * self._sub, cells[1] * self._sub, 3
        self._looks = [np.zeros(cells, dtype=np.uint8) for _ in range(2)]
        self._levels: list[Image] = [np.zeros(size, np.uint8) for _ in range(2)]

    def explains(self, level: Image, cells: Mask, noise: float) -> Mask:
        """Which of the cells look as they did when nothing new was found in them.

        Args:
            level: the picture at a quarter of its size with its light evened out.
            cells: those in question.
            noise: difference between two pictures of a still table, 0..255.
        """
        known = np.zeros(cells.shape, dtype=bool)
        for which, looks in enumerate(self._looks):
            known |= self._alike(which, level, cells & (looks >= _TWICE), noise)
        return known

    def _alike(self, which: int, level: Image, cells: Mask, noise: float) -> Mask:
        alike = np.zeros(cells.shape, dtype=bool)
        window = _window(cells)
        if window is None:
            return alike
        rows, columns = window
        sub = self._sub
        part = (
            slice(rows.start * sub, rows.stop * sub),
            slice(columns.start * sub, columns.stop * sub),
        )
        then = self._levels[which][part]
        apart = cv2.absdiff(level[part], then)
        allowed = cv2.convertScaleAbs(then, alpha=_RELATIVE, beta=max(_LEVEL, _NOISES * noise))
        over = cv2.compare(apart, allowed, cv2.CMP_GT)
        counted = over.reshape(rows.stop - rows.start, sub, -1, sub * 3)
        alike[rows, columns] = np.count_nonzero(counted, axis=(1, 3)) <= _STRAY
        return alike & cells

    def learn(self, level: Image, cells: Mask, noise: float) -> None:
        """Nothing new was found in these cells of this picture."""
        mostly, lately = self._looks
        fresh = cells.copy()
        for which, looks in enumerate(self._looks):
            again = self._alike(which, level, fresh & (looks > 0), noise)
            looks[again] += looks[again] < _OFTEN
            fresh &= ~again
        unset = fresh & (mostly < _TWICE)
        self._take(0, level, unset)
        self._take(1, level, fresh & ~unset)
        swap = lately >= _OFTEN
        if swap.any():
            mask = self._whole(swap)
            former = self._levels[0].copy()
            cv2.copyTo(self._levels[1], mask, self._levels[0])
            cv2.copyTo(former, mask, self._levels[1])
            mostly[swap], lately[swap] = _OFTEN, _TWICE

    def _take(self, which: int, level: Image, cells: Mask) -> None:
        if cells.any():
            self._looks[which][cells] = 1
            cv2.copyTo(level, self._whole(cells), self._levels[which])

    def _whole(self, cells: Mask) -> Image:
        return np.repeat(np.repeat(cells, self._sub, axis=0), self._sub, axis=1).astype(np.uint8)


def _window(cells: Mask) -> tuple[slice, slice] | None:
    """The smallest rectangle of cells around a mask."""
    rows = np.flatnonzero(cells.any(axis=1))
    columns = np.flatnonzero(cells.any(axis=0))
    if not len(rows):
        return None
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)
