"""Tables, and quads as one camera over them sees them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

import hardware.virtual_table
from vision.calibration.camera import CameraModel
from vision.geometry import TableGeometry

_DATA = Path(hardware.virtual_table.__file__).parent / "data"
TABLES = {name: TableGeometry.load(_DATA / f"geometry-{name}.toml") for name in ("mcr", "riichi")}
CAMERA = CameraModel(
    "top",
    (1920, 1080),
    np.array([[1462.5, 0, 960], [0, 1462.5, 540], [0, 0, 1]]),
    np.array([-0.09, 0.05, 0.0004, -0.0003, 0.0]),
    np.diag([1.0, -1.0, -1.0]),
    np.array([0.0, 0, 1300]),
)


def inside(polygon: tuple[tuple[float, float], ...], x: float, y: float) -> bool:
    """Whether a point lies in a polygon, or on its edge."""
    return cv2.pointPolygonTest(np.array(polygon, np.float32), (x, y), False) >= 0


def middle(corners: np.ndarray) -> tuple[float, float]:
    x, y = corners.mean(axis=0)
    return float(x), float(y)


def quad(x: float, y: float, z: float, angle: float, width: float, height: float) -> np.ndarray:
    a = np.radians(angle)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    half = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) / 2 * (width, height)
    corners = half @ turn.T + (x, y)
    return CAMERA.project(np.column_stack((corners, np.full(4, z))))
