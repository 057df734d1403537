"""A colour as it is thought of, as pictures have it."""

from __future__ import annotations

import cv2
import numpy as np

from vision.image import Image


def bgr_of(hue: int, saturation: int, value: int) -> Image:
    """(3,) BGR of a colour told by hue, 0..179, saturation and value, 0..255."""
    hsv = np.array([[(hue, saturation, value)]], np.uint8)
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0], np.uint8)
