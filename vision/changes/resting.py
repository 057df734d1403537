"""Where to look again although nothing changes."""

from __future__ import annotations

import numpy as np

from vision.changes.motion import Mask, Motion

_SETTLE = 2
"""Pictures without motion after which a place has come to rest."""
_PARTS, _EVERY = 4, 4
"""The table is gone over in 4×4 parts, one in every fourth still picture."""


class Rest:
    """Says where to look again although nothing changes.

    What was looked at while something moved there is looked at once more when it has come to
    rest; and while everything rests the table is gone over part by part, slowly, so that
    whatever the finder missed or imagined at one glance is mended by another.

    Args:
        on_table: cells that show the playing surface.
    """

    def __init__(self, on_table: Mask) -> None:
        self._stirred = np.zeros(on_table.shape, dtype=np.uint8)
        rows = np.flatnonzero(on_table.any(axis=1))
        columns = np.flatnonzero(on_table.any(axis=0))
        self._parts: list[tuple[slice, slice]] = []
        if len(rows) and len(columns):
            for down in np.array_split(rows, _PARTS):
                for across in np.array_split(columns, _PARTS):
                    if len(down) and len(across):
                        self._parts.append(
                            (
                                slice(int(down[0]), int(down[-1]) + 1),
                                slice(int(across[0]), int(across[-1]) + 1),
                            )
                        )
        self._quiet = 0
        self._next = 0

    def step(self, motion: Motion) -> Mask:
        """Cells that have just come to rest."""
        stirred = self._stirred
        rested = np.zeros(stirred.shape, dtype=bool)
        if stirred.any():
            np.subtract(stirred, 1, out=stirred, where=stirred > 0)
            rested = (stirred == 1) & ~motion.moving
        stirred[motion.moving | motion.changed] = _SETTLE + 1
        return rested

    def sweep(self) -> Mask:
        """The part whose turn it is in this still picture; mostly none."""
        cells = np.zeros(self._stirred.shape, dtype=bool)
        self._quiet += 1
        if self._quiet % _EVERY == 0 and self._parts:
            cells[self._parts[self._next % len(self._parts)]] = True
            self._next += 1
        return cells
