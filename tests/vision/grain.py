"""The noise of a sensor on drawn pictures, at a fraction of what drawing it anew costs.

One sheet of noise is drawn for each size and strength; a picture gets another part of it each time.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image

_SPARE = 64
"""A sheet is so many pixels longer and wider than the picture: 4096 places to lay it."""


def grainy(image: Image, sigma: float, seed: int, *, grey: bool = False, coarse: int = 1) -> Image:
    """A picture with noise; the same for the same seed.

    Args:
        image: (H, W, 3).
        sigma: standard deviation, grey levels.
        seed: of the picture.
        grey: the same noise in all colours.
        coarse: so many pixels beside and below each other have the same.
    """
    height, width = image.shape[:2]
    sheet = _sheet(height, width, sigma, grey, coarse)
    down, across = np.random.default_rng(seed).integers(0, _SPARE // coarse, 2) * coarse
    part = sheet[down : down + height, across : across + width]
    return np.asarray(cv2.add(image, part, dtype=cv2.CV_8U), np.uint8)


@lru_cache(maxsize=4)
def _sheet(height: int, width: int, sigma: float, grey: bool, coarse: int) -> NDArray[np.int16]:
    shape = (-(-(height + _SPARE) // coarse), -(-(width + _SPARE) // coarse), 1 if grey else 3)
    noise = np.random.default_rng(0).normal(0, sigma, shape).round().astype(np.int16)
    noise = noise.repeat(coarse, axis=0).repeat(coarse, axis=1)
    return noise.repeat(3, axis=2) if grey else noise
