"""Where a camera stands and how it sees: table millimetres to picture pixels and back.

A picture point is a table point only together with the height of what it belongs to, so a
camera is a full pose with lens distortion, not a homography. Pinhole model and distortion in
OpenCV's convention: ``camera = R @ table + t``, then ``K`` and ``dist``.

Making a calibration is in :mod:`vision.calibration.board`, watching over one in
:mod:`vision.checks.drift`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from vision.errors import VisionInputError, first_problem
from vision.tomlfile import read_toml

Array = NDArray[np.float64]

_DISTORTION_LENGTHS = (4, 5, 8, 12, 14)
_UNDISTORT = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-10)


@dataclass(frozen=True, eq=False)
class CameraModel:
    """One camera's lens and pose.

    Attributes:
        name: the camera's name in configuration and recordings.
        size: picture width and height in pixels.
        K: 3×3 camera matrix.
        dist: distortion coefficients in OpenCV's order (none: an empty sequence).
        R: 3×3 rotation, table frame to camera frame.
        t: translation of the same, mm.

    Raises:
        ValueError: on construction when a shape is wrong or the pose cannot be real.
    """

    name: str
    size: tuple[int, int]
    K: Array
    dist: Array
    R: Array
    t: Array

    def __post_init__(self) -> None:
        for field, shape in (("K", (3, 3)), ("dist", (-1,)), ("R", (3, 3)), ("t", (3,))):
            value: Array = np.array(getattr(self, field), dtype=np.float64).reshape(shape)
            if not np.isfinite(value).all():
                raise ValueError(f"{field} holds values that are no numbers")
            value.setflags(write=False)
            object.__setattr__(self, field, value)
        if self.dist.size and self.dist.size not in _DISTORTION_LENGTHS:
            raise ValueError(f"dist has {self.dist.size} coefficients, not 4, 5, 8, 12 or 14")
        if self.K[0, 0] <= 0 or self.K[1, 1] <= 0 or not np.allclose(self.K[2], (0, 0, 1)):
            raise ValueError("K is no camera matrix")
        if np.abs(self.R @ self.R.T - np.eye(3)).max() > 1e-3 or np.linalg.det(self.R) < 0:
            raise ValueError("R is no rotation")
        if self.position[2] <= 0:
            raise ValueError("the camera would be below the table")

    # -- where it is --------------------------------------------------------------------

    @cached_property
    def position(self) -> Array:
        """The camera's place in the table frame, mm (3,)."""
        return np.asarray(-self.R.T @ self.t, dtype=np.float64)

    @cached_property
    def bottom_side(self) -> int:
        """The side of the table that is nearest the bottom edge of the picture.

        0 for the first camera of a table by definition; another number there means that the
        camera is mounted turned or that two cameras were swapped.
        """
        centre = self.to_table(np.array([[self.size[0] / 2, self.size[1] / 2]]), 0.0)[0]
        below = self.to_table(np.array([[self.size[0] / 2, self.size[1] * 0.75]]), 0.0)[0]
        dx, dy = below - centre
        if abs(dy) >= abs(dx):
            return 0 if dy < 0 else 2
        return 1 if dx > 0 else 3

    def px_per_mm(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> float:
        """Scale of the picture around a table point: pixels per millimetre."""
        points = np.array([[x - 5, y, z], [x + 5, y, z], [x, y - 5, z], [x, y + 5, z]])
        px = self.project(points)
        return float(np.linalg.norm(px[1] - px[0]) + np.linalg.norm(px[3] - px[2])) / 20.0

    # -- mm to px and back --------------------------------------------------------------

    def project(self, points: ArrayLike) -> Array:
        """Table points (N, 3) in mm to picture points (N, 2) in pixels."""
        table = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if not len(table):
            return np.empty((0, 2))
        px, _ = cv2.projectPoints(table, cv2.Rodrigues(self.R)[0], self.t, self.K, self.dist)
        return np.asarray(px, dtype=np.float64).reshape(-1, 2)

    def to_table(self, px: ArrayLike, z: float | ArrayLike) -> Array:
        """Picture points (N, 2) to table points (N, 2) in mm, given their heights ``z`` in mm."""
        points = np.asarray(px, dtype=np.float64).reshape(-1, 2)
        if not len(points):
            return np.empty((0, 2))
        if self.dist.size:
            normal = cv2.undistortPoints(
                points.reshape(-1, 1, 2), self.K, self.dist, criteria=_UNDISTORT
            ).reshape(-1, 2)
        else:
            normal = (points - self.K[:2, 2]) / (self.K[0, 0], self.K[1, 1])
        rays = np.column_stack((normal, np.ones(len(normal)))) @ self.R
        scale = (np.asarray(z, dtype=np.float64) - self.position[2]) / rays[:, 2]
        return np.asarray(self.position[:2] + rays[:, :2] * scale[:, None], dtype=np.float64)

    def sees(self, points: ArrayLike, margin: float = 0.0) -> NDArray[np.bool_]:
        """Which table points (N, 3) fall inside the picture, ``margin`` px from its edges."""
        px = self.project(points)
        width, height = self.size
        inside = (px >= margin).all(axis=1)
        return np.asarray(
            inside & (px[:, 0] <= width - margin) & (px[:, 1] <= height - margin), dtype=np.bool_
        )

    # -- other pictures, other poses ----------------------------------------------------

    def scaled(self, size: tuple[int, int]) -> Self:
        """The same camera delivering pictures of another size (same view, same shape)."""
        sx, sy = size[0] / self.size[0], size[1] / self.size[1]
        if abs(sx / sy - 1) > 0.01:
            raise ValueError(f"{size[0]}x{size[1]} has another shape than {self.size}")
        matrix = np.array(self.K)
        matrix[0] *= sx
        matrix[1] *= sy
        return replace(self, size=size, K=matrix)

    def with_pose(self, rotation: ArrayLike, translation: ArrayLike) -> Self:
        """The same lens in another place."""
        return replace(
            self,
            R=np.asarray(rotation, dtype=np.float64),
            t=np.asarray(translation, dtype=np.float64),
        )


# -- files ----------------------------------------------------------------------------------

_Row = Annotated[list[float], Field(min_length=3, max_length=3)]
_Square = Annotated[list[_Row], Field(min_length=3, max_length=3)]


class _CameraTable(BaseModel):
    """The keys of ``[[camera]]`` that describe it; a recording has ``file`` and ``times`` too."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(min_length=1)
    size: tuple[PositiveInt, PositiveInt]
    K: _Square
    dist: list[float] = []
    R: _Square
    t: _Row


def camera_from_mapping(data: dict[str, Any], source: Path | str) -> CameraModel:
    """One ``[[camera]]`` table of a recording or calibration file.

    Raises:
        VisionInputError: a key is missing or wrong; ``source`` and the key are named.
    """
    try:
        table = _CameraTable.model_validate(data)
    except ValidationError as error:
        raise VisionInputError(first_problem(source, error)) from None
    try:
        return CameraModel(
            table.name,
            table.size,
            np.array(table.K),
            np.array(table.dist),
            np.array(table.R),
            np.array(table.t),
        )
    except ValueError as error:
        raise VisionInputError(f"{source}: camera {table.name}: {error}") from None


def load_cameras(path: Path | str) -> dict[str, CameraModel]:
    """The cameras of a ``recording.toml`` or a calibration file by name, in their order.

    Raises:
        VisionInputError: the file cannot be used; one line names it and the place.
    """
    path = Path(path)
    data = read_toml(path)
    tables = data.get("camera")
    if not isinstance(tables, list) or not tables:
        raise VisionInputError(f"{path}: camera: no [[camera]] in it")
    cameras: dict[str, CameraModel] = {}
    for index, table in enumerate(tables):
        camera = camera_from_mapping(table, f"{path}: camera.{index}")
        if camera.name in cameras:
            raise VisionInputError(f"{path}: camera.{index}.name: {camera.name!r} is there twice")
        cameras[camera.name] = camera
    return cameras


def camera_toml(camera: CameraModel) -> str:
    """The ``[[camera]]`` table of a calibration file, as text; read by :func:`load_cameras`."""

    def row(values: Array) -> str:
        return "[" + ", ".join(repr(float(value)) for value in values) + "]"

    def square(values: Array) -> str:
        return "[" + ", ".join(row(line) for line in values) + "]"

    name = camera.name.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'[[camera]]\nname = "{name}"\nsize = [{camera.size[0]}, {camera.size[1]}]\n'
        f"K = {square(camera.K)}\ndist = {row(camera.dist)}\n"
        f"R = {square(camera.R)}\nt = {row(camera.t)}\n"
    )
