"""Motion blur: what moves while the shutter is open is smeared along its way."""

from __future__ import annotations

import math
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Picture = TypeVar("Picture", NDArray[np.uint8], NDArray[np.float32])

_LONGEST = 5.0
"""Longer ways, in pixels, are smeared in a smaller picture: what is lost was blurred away."""


def way_kernel(shift: Floats) -> NDArray[np.float32]:
    """A kernel of even weight along ``shift`` (x, y) pixels, its middle where the thing is."""
    reach = max(1, math.ceil(float(np.abs(shift).max()) / 2))
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1), np.float32)
    ends = np.round((reach + np.stack([-shift / 2, shift / 2])) * 16).astype(int)
    start, end = (int(ends[0, 0]), int(ends[0, 1])), (int(ends[1, 0]), int(ends[1, 1]))
    cv2.line(kernel, start, end, 1.0, 1, cv2.LINE_8, 4)
    return np.asarray(kernel / kernel.sum(), np.float32)


def smeared(picture: Picture, shift: Floats, border: int = cv2.BORDER_CONSTANT) -> Picture:
    """The picture smeared along ``shift`` (x, y) pixels; of the same shape and type."""
    height, width = picture.shape[:2]
    factor = max(1, math.floor(float(np.abs(shift).max()) / _LONGEST))
    small = picture
    if factor > 1:
        size = (max(1, width // factor), max(1, height // factor))
        small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), picture.dtype)
    out = cv2.filter2D(small, -1, way_kernel(shift / factor), borderType=border)
    if factor > 1:
        out = cv2.resize(out, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(out, picture.dtype)
