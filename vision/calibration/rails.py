"""Where the rails of a table are in a picture: the four inner edges of the playing surface.

Each edge is looked for near where a first pose expects it, in a strip of the picture laid
straight. A rail shows several parallel edges (its foot on the felt, its upper edge, a seam), and
a first pose may be off by more than they are apart: all that show are returned, and which is the
foot is decided by :mod:`vision.calibration.fit` for all four sides together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.geometry import SIDES, Side, TableGeometry
from vision.image import Image

Array = NDArray[np.float64]

_SAMPLES: Final = 49
_REACH: Final = 0.84
"""How much of a side is looked along: the corners of the felt are rounded."""
_STEP_MM: Final = 0.25
_SLOPE_MM: Final = 8.0
"""How far an edge may lean from where it is expected, from its middle to the strip's end."""
_NEAR_MM: Final = 1.5
_EDGES: Final = 6
_APART_MM: Final = 2.0
_LEAST: Final = 0.4
"""Share of a side along which an edge must show."""
_CLEAR, _CLEAR_NEAR = 3.0, 2.0
"""How much stronger than what is around it an edge is; less in a narrow strip."""


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A straight edge found along a rail.

    Attributes:
        side: of the table.
        along: (N,) places along the side, to that player's right, mm.
        off: (N,) how much further outwards than expected it was seen on the felt, mm.
        px: (N, 2) where in the picture.
        normal: (N, 2) unit directions across it in the picture, outwards.
        strength: its contrast compared with the rest of the strip.
    """

    side: Side
    along: Array
    off: Array
    px: Array
    normal: Array
    strength: float

    @property
    def line(self) -> Array:
        """Offset in the middle of the side, and how it grows along it (mm, mm/mm)."""
        rows = np.column_stack((np.ones(len(self.along)), self.along))
        return np.asarray(np.linalg.lstsq(rows, self.off, rcond=None)[0])


def find_edges(
    image: Image, camera: CameraModel, surface_mm: float, window_mm: float = 24.0
) -> dict[Side, list[Edge]]:
    """All straight edges along the four rails, the strongest of each side first.

    Args:
        image: (H, W, 3).
        camera: a first guess of its pose.
        surface_mm: side of the playing surface.
        window_mm: how far from the expected place is looked, either way.
    """
    # Colour tells where brightness does not: a dark rail in shadow beside a dark cloth.
    picture = cv2.GaussianBlur(image, (0, 0), 0.8).astype(np.float32)
    return {side: _edges(picture, camera, side, surface_mm / 2, window_mm) for side in SIDES}


def _edges(
    picture: NDArray[np.float32], camera: CameraModel, side: Side, half: float, window: float
) -> list[Edge]:
    along = np.linspace(-_REACH * half, _REACH * half, _SAMPLES)
    out = np.arange(-window, window + _STEP_MM / 2, _STEP_MM)
    grid = np.array(
        [
            (*TableGeometry.to_table(side, float(a), half + float(o)), 0.0)
            for a in along
            for o in out
        ]
    )
    px = camera.project(grid).reshape(len(along), len(out), 2)
    height, width = picture.shape[:2]
    inside: NDArray[np.bool_] = np.array(
        [bool(((row >= 1) & (row <= (width - 2, height - 2))).all()) for row in px]
    )
    if inside.mean() < _LEAST:
        return []
    spots = px.astype(np.float32)
    strip = cv2.remap(picture, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    smooth = cv2.GaussianBlur(strip, (0, 0), sigmaX=0.6 / _STEP_MM, sigmaY=0.01)
    change: Array = np.linalg.norm(np.gradient(smooth, axis=1), axis=2)
    change[~inside] = 0.0
    # One glaring tile or lamp must not outvote a whole side.
    clipped = np.minimum(change, np.quantile(change[inside], 0.97))
    base = float(np.median(clipped[inside])) + 1e-6
    slopes = np.arange(-_SLOPE_MM, _SLOPE_MM + 0.01, 0.5) if window > 8 else np.zeros(1)
    rows = np.arange(len(along))[:, None]
    lean = along / (_REACH * half)
    scores = np.zeros((len(slopes), len(out)))
    for k, slope in enumerate(slopes):
        columns = np.round((out[None] + lean[:, None] * slope - out[0]) / _STEP_MM).astype(int)
        valid = (columns >= 0) & (columns < len(out))
        values = np.where(valid, clipped[rows, np.clip(columns, 0, len(out) - 1)], 0.0)
        scores[k] = values[inside].mean(axis=0)
    found: list[Edge] = []
    best, which = scores.max(axis=0), scores.argmax(axis=0)
    for column in np.argsort(-best):
        middle = out[column]
        if best[column] < (_CLEAR if window > 8 else _CLEAR_NEAR) * base or len(found) >= _EDGES:
            break
        if any(abs(middle - edge.line[0]) < _APART_MM for edge in found):
            continue
        edge = _refined(change, px, along, out, middle + lean * slopes[which[column]], inside, side)
        if edge is None or any(abs(edge.line[0] - e.line[0]) < _APART_MM / 2 for e in found):
            continue
        found.append(replace(edge, strength=float(best[column]) / base))
    return found


def _refined(
    change: Array,
    px: Array,
    along: Array,
    out: Array,
    guess: Array,
    inside: NDArray[np.bool_],
    side: Side,
) -> Edge | None:
    """The edge between the samples: the peak of the change near the guess, outliers dropped."""
    at = np.full(len(along), np.nan)
    reach = round(_NEAR_MM / _STEP_MM)
    for k in np.flatnonzero(inside):
        column = round((guess[k] - out[0]) / _STEP_MM)
        low, high = max(column - reach, 1), min(column + reach + 1, len(out) - 1)
        if high - low < 3:
            continue
        peak = low + int(np.argmax(change[k, low:high]))
        a, b, c = change[k, peak - 1 : peak + 2]
        bend = a - 2 * b + c
        if peak in (low, high - 1) or bend >= 0:
            continue  # it only rises towards another edge
        at[k] = out[peak] + 0.5 * (a - c) / bend * _STEP_MM
    good = np.isfinite(at)
    rows = np.column_stack((np.ones(len(along)), along))
    for limit in (1.0, 0.6, 0.5):
        if good.sum() < _LEAST * len(along):
            return None
        line = rows @ np.linalg.lstsq(rows[good], at[good], rcond=None)[0]
        good = np.isfinite(at) & (np.abs(at - line) < limit)
    if good.sum() < _LEAST * len(along):
        return None
    index = np.flatnonzero(good)
    column = (at[index] - out[0]) / _STEP_MM
    whole = np.clip(column.astype(int), 0, len(out) - 2)
    part = (column - whole)[:, None]
    here, there = px[index, whole], px[index, whole + 1]
    normal = there - here
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return Edge(side, along[index], at[index], here * (1 - part) + there * part, normal, 0.0)
