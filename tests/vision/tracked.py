"""Tiles for the tracker, drawn as quads, and looks at them."""

from __future__ import annotations

import numpy as np

from vision.eye.tracking import Looked, Tracker
from vision.heights.placing import Detection
from vision.sightings import Posture

SHAPE = (45, 60)
UP = Posture.FACE_UP
ALL = np.ones(SHAPE, bool)
NONE = np.zeros(SHAPE, bool)


def tile(
    x: float,
    y: float,
    *,
    posture: Posture = Posture.FACE_UP,
    angle: float = 0.0,
    confidence: float = 0.9,
    z: float = 20.0,
    fit: float = 0.0,
) -> Detection:
    """A 28x40 pixel tile; one pixel is one millimetre here, y upwards in both."""
    half = np.array([[-14, -20], [14, -20], [14, 20], [-14, 20]], float)
    a = np.radians(-angle)
    turned = half @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    return Detection(turned + np.array((x, y)), posture, confidence, x, y, z, angle, 28, 40, fit)


def step(
    tracker: Tracker,
    *tiles: Detection,
    inner: np.ndarray = ALL,
    changed: np.ndarray = ALL,
    covered: np.ndarray = NONE,
    level: np.ndarray | None = None,
    ground: np.ndarray | None = None,
) -> list[int]:
    quads = np.array([one.quad for one in tiles]).reshape(-1, 4, 2)
    tracker.update(tiles, tracker.match(quads), Looked(inner, changed, covered, level, ground))
    return [sighting.track for sighting in tracker.sightings()]


def region(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    mask = NONE.copy()
    mask[int(y0) // 8 : int(y1) // 8 + 1, int(x0) // 8 : int(x1) // 8 + 1] = True
    return mask
