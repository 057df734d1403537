"""A picture that teaches or judges, from its file."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from vision.image import Image


def opened(path: Path | str) -> Image:
    """The picture (H, W, 3), BGR.

    Raises:
        ValueError: names the file that is none.
    """
    picture = cv2.imread(str(path))
    if picture is None:
        raise ValueError(f"{path}: not a readable picture")
    return np.asarray(picture, np.uint8)
