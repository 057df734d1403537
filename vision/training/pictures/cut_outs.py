"""Photographed sets of tiles: faces cut out of catalogue pictures, at the size of drawn ones."""

from __future__ import annotations

from collections.abc import Container

import cv2
import numpy as np

from vision.training.opened import opened
from vision.training.pictures import sources
from vision.training.pictures.glyphs import H, W
from vision.training.pictures.sets import Table


def sets_of(designs: Container[str]) -> dict[str, Table]:
    """By design; in the order of the data."""
    found: dict[str, Table] = {}
    for path, label, design in sources.photographed_faces():
        if design in designs:
            face = cv2.resize(opened(path), (W, H), interpolation=cv2.INTER_AREA)
            found.setdefault(design, {}).setdefault(label, []).append(np.asarray(face, np.uint8))
    return found
