"""Crops of a die such as the reader of values sees, and other looks at the same die."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image

_DARK, _MATT, _VIVID = 30.0, 0.4, 2.0
"""A die of less than this lightness (0..100) is looked at with less light and more colour too: dark
pips on a dark body differ in colour, while gloss and veins of light colour differ in light."""
_BODY = 0.35
"""Radius of what shows the body's lightness, as a share of a crop."""
_NARROWER = 0.9
"""Crops are looked at with this share of the usual room around the die as well."""
_CLOSE, _LOOSE = 0.8, 1.12
"""Shares of the usual room around a die that a second look takes."""
_ASIDE = 0.07
"""By so much of the die a second look is moved to each side."""
_SOFT = 0.03, 0.04
"""Blurs of a second look, as shares of the die's size."""


def crop_of(image: Image, box: Sequence[float], px: int, margin: float) -> NDArray[np.uint8]:
    """The square around a die's box (3, px, px), averaged down or magnified."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0, 1.0) * margin
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    fine = max(1, round(side / px))
    n = px * fine
    scale = side / n
    matrix = np.array(
        ((scale, 0, cx - side / 2 + scale / 2 - 0.5), (0, scale, cy - side / 2 + scale / 2 - 0.5))
    )
    crop = cv2.warpAffine(
        image,
        matrix,
        (n, n),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if fine > 1:
        crop = cv2.resize(crop, (px, px), interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(crop.transpose(2, 0, 1), np.uint8)


def views_of(image: Image, box: Sequence[float], px: int, margin: float) -> NDArray[np.uint8]:
    """Crops (v, 3, px, px) of one die, wide and narrow, as it is and mirrored.

    What several looks agree on is more often right than what one look says. None is turned:
    which side is the upper one is told by how the picture is held.
    """
    wide = crop_of(image, box, px, margin)
    narrow = crop_of(image, box, px, margin * _NARROWER)
    looks = [wide, narrow, *vivid((wide, narrow))]
    return _also_mirrored(looks)


def vivid(crops: Sequence[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Crops (3, px, px) BGR of one die with less light and more colour.

    Returns:
        As many crops, or none where the body of the die in the first of them is not dark.
    """
    changed: list[NDArray[np.uint8]] = []
    for crop in crops:
        picture = np.ascontiguousarray(crop.transpose(1, 2, 0), np.float32) / 255
        lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
        off = np.arange(len(lab)) - (len(lab) - 1) / 2
        body = np.median(lab[np.hypot(*np.meshgrid(off, off)) < _BODY * len(lab)], axis=0)
        if not changed and body[0] >= _DARK:
            break
        lab = body + (lab - body) * np.array((_MATT, _VIVID, _VIVID))
        picture = cv2.cvtColor(lab.astype(np.float32), cv2.COLOR_LAB2BGR).clip(0, 1) * 255
        changed.append(np.ascontiguousarray(picture.round().transpose(2, 0, 1), np.uint8))
    return changed


def looked_at_again(
    image: Image, box: Sequence[float], px: int, margin: float
) -> NDArray[np.uint8]:
    """Crops (v, 3, px, px) of one die: nearer, further, to each side, without specks, softer.

    Specks and blocks of a stored picture are of a pip's size on a small die: with a median and
    with blurs they go, each in another way, and what all looks share is what is there.
    """
    x0, y0, x1, y1 = box[:4]
    wide, high = x1 - x0, y1 - y0
    side = max(wide, high, 1.0)
    looks = [crop_of(image, box[:4], px, margin * share) for share in (_CLOSE, _LOOSE)]
    for x, y in ((_ASIDE, 0.0), (-_ASIDE, 0.0), (0.0, _ASIDE), (0.0, -_ASIDE)):
        dx, dy = x * wide, y * high
        looks.append(crop_of(image, (x0 + dx, y0 + dy, x1 + dx, y1 + dy), px, margin))
    reach = int(1.2 * side) + 4
    left, top = max(0, int((x0 + x1) / 2) - reach), max(0, int((y0 + y1) / 2) - reach)
    near = np.ascontiguousarray(image[top : top + 2 * reach, left : left + 2 * reach])
    within = (x0 - left, y0 - top, x1 - left, y1 - top)
    clean = np.asarray(cv2.medianBlur(near, 3), np.uint8)
    looks += [crop_of(clean, within, px, margin * share) for share in (1.0, _NARROWER)]
    for blur, share in zip(_SOFT, (1.0, _NARROWER), strict=True):
        soft = np.asarray(cv2.GaussianBlur(near, (0, 0), blur * side), np.uint8)
        looks.append(crop_of(soft, within, px, margin * share))
    return _also_mirrored(looks)


def _also_mirrored(looks: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Looks (3, px, px), each as it is and mirrored (2v, 3, px, px)."""
    return np.stack([look for one in looks for look in (one, one[:, :, ::-1])])
