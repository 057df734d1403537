"""Inspects the tiles of a set: which one can be told from its fellows.

A tile that a player can tell from the others of its kind, or from its back, has no place in a
tournament set. Compared are pictures of the same block under the same light, so that small
differences count; what differs is said with a measure, for a person to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Picture = NDArray[np.floating]
Images = NDArray[np.uint8]
"""(N, H, W, 3) upright crops of tiles, BGR."""

_OUTLIER: Final = 7.5
"""So many median deviations from the median make a difference."""
_MARK: Final = 2.1
"""Least strength of a mark on a face, in what edges and noise would give."""
_BACK_MARK: Final = 9.0
"""Least strength of a mark on a back, grey levels over its surroundings."""
_SHADE: Final = 8.0
"""Least difference of colour (CIE Lab, ΔE) between tiles."""
_RIM: Final = 0.07
"""Share of a crop at each side in which a bad outline lets see neighbours or the felt."""
_BAND: Final = 0.05
_ALONG: Final = 0.65
"""Width of the rim along which differences count less, as a share of the width, and how much."""
_CORNER: Final = 0.10
"""Radius of a tile's corners, as a share of its width, with room for a bad outline."""
_SIZE: Final = 0.055
"""Least difference of a side, as a share of it."""


@dataclass(frozen=True, slots=True)
class Odd:
    """A tile that differs.

    Attributes:
        tile: its number.
        strength: measure, in units of what would just be said (1 and more).
        at: (x, y) where on the tile, shares of its width and height; None: as a whole.
    """

    tile: int
    strength: float
    at: tuple[float, float] | None = None


def marked_faces(crops: Images, groups: Sequence[Sequence[int]]) -> list[Odd]:
    """Tiles that differ from the others of their kind.

    Args:
        crops: of all tiles.
        groups: tiles of one face each; those of fewer than three cannot be compared.
    """
    scores: list[tuple[float, int, tuple[float, float]]] = []
    for group in groups:
        if len(group) < 3:
            continue
        pictures = _together([_clean(crops[i]) for i in group])
        for k, tile in enumerate(group):
            strength, at = _difference(pictures[k], [*pictures[:k], *pictures[k + 1 :]])
            scores.append((strength, tile, at))
    if not scores:
        return []
    limit = max(_MARK, _limit(np.array([s for s, *_ in scores])))
    return [Odd(tile, s / limit, at) for s, tile, at in scores if s > limit]


def marked_backs(crops: Images) -> list[Odd]:
    """Backs with spots, scratches or chips: what stands out from its own surroundings."""
    scores = []
    for crop in crops:
        grey = np.asarray(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), np.float32)
        inner = _inside(grey)
        fine = cv2.GaussianBlur(inner, (0, 0), 1.2) - cv2.GaussianBlur(inner, (0, 0), 7.0)
        scores.append(np.asarray(fine, np.float64))
    stack = np.stack(scores)
    # what all backs have (a printed sign, the rim's shade) is no mark
    rest = np.abs(stack - np.median(stack, axis=0))
    peak = rest.reshape(len(rest), -1)
    limit = max(_BACK_MARK, _limit(peak.max(axis=1)))
    out = []
    for tile, row in enumerate(peak):
        if row.max() > limit:
            y, x = divmod(int(row.argmax()), rest.shape[2])
            out.append(Odd(tile, float(row.max() / limit), _share(x, y, rest.shape[1:])))
    return out


def other_shade(crops: Images, places: Array) -> list[Odd]:
    """Tiles whose ground has another colour than its neighbours lead to expect.

    Args:
        crops: faces or backs.
        places: (N, 2) column and row: light changes smoothly over the block.
    """
    lab = np.stack([_ground(crop) for crop in crops])
    spread = places - places.mean(axis=0)
    u, v = (spread / np.maximum(np.abs(spread).max(axis=0), 1.0)).T
    terms = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=1)
    weight = np.ones(len(lab))
    apart = np.zeros(len(lab))
    for _ in range(6):
        plane, *_ = np.linalg.lstsq(terms * weight[:, None], lab * weight[:, None], rcond=None)
        apart = np.linalg.norm(lab - terms @ plane, axis=1)
        weight = 1.0 / np.maximum(apart, max(0.3, float(np.median(apart))))
    limit = max(_SHADE, _limit(apart))
    return [Odd(int(i), float(apart[i] / limit)) for i in np.flatnonzero(apart > limit)]


def other_size(sides: Array) -> list[Odd]:
    """Tiles that are larger or smaller than the rest.

    Args:
        sides: (N, 2) width and height against what is usual at their place (1); NaN where the
            outline was not seen.
    """
    apart = np.abs(sides / np.nanmedian(sides, axis=0) - 1.0).max(axis=1)
    seen = np.isfinite(apart)
    if seen.sum() < 8:
        return []
    limit = max(_SIZE, _limit(apart[seen]))
    return [Odd(int(i), float(apart[i] / limit)) for i in np.flatnonzero(seen) if apart[i] > limit]


def _limit(values: Array) -> float:
    middle = float(np.median(values))
    return middle + _OUTLIER * 1.4826 * float(np.median(np.abs(values - middle)))


def _inside(picture: Picture) -> Picture:
    """Without the outermost rim, in which neighbours and the felt are seen."""
    h, w = picture.shape[:2]
    y, x = round(_RIM * h), round(_RIM * w)
    return picture[y : h - y, x : w - x]


def _share(x: int, y: int, shape: tuple[int, ...]) -> tuple[float, float]:
    """Of the crop, from a pixel of its inside."""
    inner = 1 - 2 * _RIM
    return _RIM + inner * (x + 0.5) / shape[1], _RIM + inner * (y + 0.5) / shape[0]


def _clean(crop: NDArray[np.uint8]) -> Picture:
    """Softened a little, and its light evened by the brightness of its ground."""
    soft = np.asarray(cv2.GaussianBlur(crop.astype(np.float32), (0, 0), 1.0), np.float32)
    ground = np.percentile(_inside(soft).reshape(-1, 3), 85, axis=0).astype(np.float32)
    return np.asarray(soft * (200.0 / np.maximum(ground, 20.0)), np.float32)


def _together(pictures: Sequence[Picture]) -> list[Picture]:
    """Pictures of one face brought onto the one that lies most as the others do."""
    greys = [np.asarray(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), np.float32) for p in pictures]
    apart = [sum(float(np.abs(_shift(b, a)[0]).sum()) for b in greys) for a in greys]
    still = int(np.argmin(apart))
    return [
        picture if k == still else _aligned(picture, greys[k], greys[still])
        for k, picture in enumerate(pictures)
    ]


def _shift(b: Picture, a: Picture) -> tuple[Array, float]:
    """(2,) where the middle of ``a`` lies in ``b``, pixels off its own place, and how well."""
    h, w = a.shape
    y, x = h // 7, w // 7
    fits = cv2.matchTemplate(b, a[y : h - y, x : w - x], cv2.TM_CCOEFF_NORMED)
    row, column = divmod(int(np.argmax(fits)), fits.shape[1])
    return np.array((column - x, row - y), np.float64), float(fits.max())


def _aligned(moved: Picture, b: Picture, a: Picture) -> Picture:
    """A picture, of brightness ``b``, shifted, turned and scaled onto ``a`` as well as can be."""
    h, w = a.shape
    (x, y), fit = _shift(b, a)
    shift = np.array([(1, 0, x), (0, 1, y)], np.float32)
    warp: NDArray[np.floating] = shift
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 25, 1e-3)
    try:
        warp = np.asarray(cv2.findTransformECC(a, b, shift.copy(), cv2.MOTION_AFFINE, stop)[1])
    except cv2.error:
        warp = shift if fit > 0.5 else np.eye(2, 3, dtype=np.float32)
    if np.abs(warp - shift)[:, :2].max() > 0.12:
        warp = shift
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    out = cv2.warpAffine(moved, warp, (w, h), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, np.float32)


def _weight(shape: tuple[int, ...]) -> Picture:
    """How much of a difference counts: 1, less along the rim, nothing in the rounded corners.

    A bad outline lets see what lies beside a tile there.
    """
    h, w = shape
    mask = np.zeros((h, w), np.float32)
    r = round(_CORNER * w)
    cv2.rectangle(mask, (r, 0), (w - 1 - r, h - 1), 1.0, -1)
    cv2.rectangle(mask, (0, r), (w - 1, h - 1 - r), 1.0, -1)
    for x in (r, w - 1 - r):
        for y in (r, h - 1 - r):
            cv2.circle(mask, (x, y), r, 1.0, -1)
    rim = round(_BAND * w)
    middle = mask[rim : h - rim, rim : w - rim].copy()
    mask *= np.float32(_ALONG)
    mask[rim : h - rim, rim : w - rim] = middle
    return mask


def _difference(own: Picture, others: Sequence[Picture]) -> tuple[float, tuple[float, float]]:
    """How strongly a tile differs from its fellows, and where.

    Each pixel may differ by what half a pixel of bad alignment does there, and by the spread of
    the fellows among themselves.
    """
    stack = np.stack([_inside(o) for o in others])
    usual = np.median(stack, axis=0)
    mine = _inside(own)
    # brightness and contrast as in the fellows' picture, by the median of quotients
    mine = mine * np.median(usual / np.maximum(mine, 8.0), axis=(0, 1))
    grey = usual.mean(axis=2).astype(np.float32)
    slope = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)) / 8
    slope = cv2.dilate(slope, np.ones((5, 5), np.uint8))
    spread = np.abs(stack - usual).max(axis=(0, 3))
    spread = cv2.dilate(spread.astype(np.float32), np.ones((3, 3), np.uint8))
    allowed = 9.0 + 1.1 * slope + 0.8 * spread
    apart = np.abs(mine - usual).max(axis=2) / allowed * _weight(allowed.shape)
    apart = cv2.GaussianBlur(apart.astype(np.float32), (0, 0), 1.3)
    y, x = divmod(int(apart.argmax()), apart.shape[1])
    return float(apart.max()) * 1.6, _share(x, y, apart.shape)


def _ground(crop: NDArray[np.uint8]) -> Array:
    """(3,) Lab of the tile's ground: the brightest third of its inside."""
    inner = _inside(crop.astype(np.float32)) / np.float32(255)
    lab = np.asarray(cv2.cvtColor(inner, cv2.COLOR_BGR2LAB), np.float64).reshape(-1, 3)
    bright = lab[:, 0] >= np.percentile(lab[:, 0], 65)
    return np.asarray(np.median(lab[bright], axis=0))
