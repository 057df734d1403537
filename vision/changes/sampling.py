"""25 points spread over a tile: what masks and pictures show at them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.changes.motion import CELL, SHRINK, Mask
from vision.image import Image

Array = NDArray[np.float64]
Cells = tuple[NDArray[np.intp], NDArray[np.intp]]
"""Rows and columns of 25 points (25,) each."""

_GRID = np.array([(u, v) for v in (0.1, 0.3, 0.5, 0.7, 0.9) for u in (0.1, 0.3, 0.5, 0.7, 0.9)])


def _spread(quads: Array) -> Array:
    """25 points (..., 25, 2) spread over each of the quads (..., 4, 2)."""
    u, v = _GRID[:, :1], _GRID[:, 1:]
    a, b, c, d = (quads[..., k : k + 1, :] for k in range(4))
    above, below = (1 - u) * a + u * b, (1 - u) * d + u * c
    return np.asarray((1 - v) * above + v * below, dtype=np.float64)


def level_points(quad: Array, level: Image) -> Cells:
    """Rows and columns of 25 points of a quad (4, 2) in a picture at a quarter of its size."""
    points = np.round(_spread(quad) / SHRINK).astype(np.intp)
    rows, columns = points[:, 1], points[:, 0]
    return rows.clip(0, level.shape[0] - 1), columns.clip(0, level.shape[1] - 1)


def sample_cells(quad: Array, shape: tuple[int, int]) -> Cells:
    """Rows and columns of the cells under 25 points spread over a quad (4, 2), clipped."""
    return samples_cells(quad[None], shape)[0]


def share(mask: Mask, cells: Cells) -> float:
    """How much of a quad (by :func:`sample_cells`) a mask covers, 0..1."""
    return float(mask[cells].mean())


def samples_cells(quads: Array, shape: tuple[int, int]) -> list[Cells]:
    """The same of many quads (N, 4, 2), at once."""
    points = _spread(quads)
    columns = np.clip(points[..., 0] // CELL, 0, shape[1] - 1).astype(np.intp)
    rows = np.clip(points[..., 1] // CELL, 0, shape[0] - 1).astype(np.intp)
    return list(zip(rows, columns, strict=True))


def shares(mask: Mask, quads: Sequence[Cells]) -> NDArray[np.float64]:
    """How much of each quad (by :func:`sample_cells`) a mask covers, 0..1 (N,)."""
    if not quads or not mask.any():
        return np.zeros(len(quads))
    rows = np.array([quad[0] for quad in quads])
    columns = np.array([quad[1] for quad in quads])
    return np.asarray(mask[rows, columns].mean(axis=1), dtype=np.float64)
