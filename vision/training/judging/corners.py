"""Corners of tiles in photographs, marked by hand, with which oriented boxes are compared.

The labels of the photographs are axis-aligned hulls: of a row seen from the side no corner follows
from them. ``corners.json`` has the corners of faces, where the straight lines along their sides
meet, in pixels of the stored picture: top left first, as the row stands in the picture, then
clockwise. They were read off on a grid over pictures enlarged four to ten times, to a pixel or so,
before any find was looked at (docs/decisions/0370).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from vision.training.judging.tally import match, overlap
from vision.training.pictures.sources import Photo

_MARKED = Path(__file__).with_name("corners.json")


@cache
def marked() -> dict[str, np.ndarray]:
    """Corners (N, 4, 2) by photograph: folder and name."""
    told = json.loads(_MARKED.read_text("utf-8"))
    return {name: np.array(tiles, np.float32).reshape(-1, 4, 2) for name, tiles in told.items()}


def of(photo: Photo) -> np.ndarray:
    """The marked corners (N, 4, 2) of a photograph; most have none."""
    nothing = np.zeros((0, 4, 2), np.float32)
    return marked().get(f"{photo.path.parent.name}/{photo.path.name}", nothing)


def overlaps(photo: Photo, found: np.ndarray) -> list[float]:
    """Overlap of each marked tile that was found with its find, one of the quads (M, 4, 2)."""
    truth = of(photo)
    return [overlap(truth[i], found[j]) for i, j, _ in match(truth, found, 0.3)]
