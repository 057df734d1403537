"""``python -m vision.training.evaluate``: being written."""

from __future__ import annotations

import cv2
import numpy as np

from vision.reader import CROP_H, CROP_W, MARGIN
from vision.training.sources import LABELS, Image


def plain_crops(rows: list[tuple[Image, str]]) -> tuple[np.ndarray, list[str]]:
    """Crops (N, 3, H, W) of upright faces as they were photographed, and their labels."""
    crops, labels = [], []
    for image, label in rows:
        if label not in LABELS:
            continue
        h, w = image.shape[:2]
        mx, my = w * MARGIN, h * MARGIN
        src = np.float32([(-mx, -my), (w + mx, -my), (w + mx, h + my), (-mx, h + my)])
        dst = np.float32([(0, 0), (CROP_W, 0), (CROP_W, CROP_H), (0, CROP_H)])
        m = cv2.getPerspectiveTransform(src, dst)
        crop = cv2.warpPerspective(image, m, (CROP_W, CROP_H), borderMode=cv2.BORDER_REPLICATE)
        crops.append(crop.transpose(2, 0, 1))
        labels.append(label)
    return np.array(crops), labels
