"""Pictures that a program wrote, read back."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.image import Image


def read(path: Path) -> Image:
    """A picture (h, w, 3), BGR, that must be there and whole."""
    picture = cv2.imread(str(path))
    assert picture is not None, path
    return np.asarray(picture, np.uint8)
