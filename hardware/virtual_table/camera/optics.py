"""The camera: a pinhole with lens distortion and a full pose (contract, section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Camera:
    """One camera over the table.

    Attributes:
        name: its name in recordings and sightings.
        size: width and height in pixels.
        K: (3, 3) camera matrix.
        dist: distortion coefficients in OpenCV's order (k1, k2, p1, p2, k3, …).
        R, t: (3, 3) and (3,): ``R @ p + t`` takes a point of the table frame, mm, into the
            camera frame (x right, y down, z forward).
    """

    name: str
    size: tuple[int, int]
    K: Floats
    dist: Floats
    R: Floats
    t: Floats

    @property
    def position(self) -> Floats:
        """(3,) where the camera is in the table frame, mm."""
        return np.asarray(-self.R.T @ self.t)

    def project(self, points: ArrayLike) -> Floats:
        """Picture points (…, 2) of table points (…, 3), mm."""
        xyz = np.asarray(points, np.float64)
        flat = np.ascontiguousarray(xyz.reshape(-1, 1, 3))
        if not len(flat):
            return np.zeros((*xyz.shape[:-1], 2))
        rotation, _ = cv2.Rodrigues(self.R)
        pixels, _ = cv2.projectPoints(flat, rotation, self.t, self.K, self.dist)
        return np.asarray(pixels, np.float64).reshape(*xyz.shape[:-1], 2)

    def on_plane(self, pixels: ArrayLike, z: float = 0.0) -> Floats:
        """Table points (…, 2), mm, where the rays of picture points (…, 2) meet height ``z``."""
        uv = np.asarray(pixels, np.float64)
        flat = np.ascontiguousarray(uv.reshape(-1, 1, 2))
        rays = np.asarray(cv2.undistortPoints(flat, self.K, self.dist)).reshape(-1, 2)
        direction = np.column_stack([rays, np.ones(len(rays))]) @ self.R
        origin = self.position
        along = (z - origin[2]) / direction[:, 2]
        return np.asarray(origin[:2] + direction[:, :2] * along[:, None]).reshape(uv.shape)


def overhead(
    size: tuple[int, int] = (1920, 1080),
    *,
    name: str = "top",
    height_mm: float = 1300.0,
    across_mm: float = 960.0,
    at_mm: tuple[float, float] = (0.0, 0.0),
    lean_deg: tuple[float, float] = (0.0, 0.0),
    roll_deg: float = 0.0,
    dist: tuple[float, ...] = (-0.09, 0.05, 0.0004, -0.0003, 0.0),
) -> Camera:
    """A camera that looks down on the table.

    Args:
        size: width and height in pixels.
        name: the camera's name.
        height_mm: of its centre over the felt.
        across_mm: how much of the felt the shorter side of the picture shows.
        at_mm: where it hangs, table frame.
        lean_deg: by how much it is tipped about the table's x and y axes; the principal point
            still looks at the middle of the table where it hangs off it.
        roll_deg: how far the picture is turned, counter-clockwise.
        dist: distortion in OpenCV's order.
    """
    width, height = size
    focal = min(size) * height_mm / across_mm
    matrix = np.array(
        [[focal, 0, width / 2 - 0.5 + 3.2], [0, focal, height / 2 - 0.5 - 2.4], [0, 0, 1]]
    )
    centre = np.array([at_mm[0], at_mm[1], height_mm])
    forward = -centre / np.linalg.norm(centre)
    right = np.array([1.0, 0, 0]) - forward * forward[0]
    right /= np.linalg.norm(right)
    rotation = np.stack([right, np.cross(forward, right), forward])
    lean, _ = cv2.Rodrigues(np.radians([lean_deg[0], lean_deg[1], 0.0]))
    roll, _ = cv2.Rodrigues(np.array([0, 0, math.radians(roll_deg)]))
    rotation = np.asarray(roll @ lean @ rotation, np.float64)
    return Camera(
        name, size, matrix, np.array(dist, np.float64), rotation, np.asarray(-rotation @ centre)
    )
