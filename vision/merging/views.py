"""What each of several cameras sees of the table, on a grid of the felt, and how well."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.geometry import TableGeometry
from vision.sightings import Polygon, Sighting

_GRID_MM = 8.0
_EDGE_PX = 12.0

Grid = NDArray[np.bool_]
"""(steps, steps) cells of the felt, by y and x."""


class Views:
    """The cameras over one table.

    Args:
        cameras: lens and pose of each, by name.
        geometry: of the table.

    Attributes:
        places: where each camera hangs, mm.
    """

    def __init__(self, cameras: Mapping[str, CameraModel], geometry: TableGeometry) -> None:
        self._geometry = geometry
        half = geometry.surface_mm / 2
        self._steps = math.ceil(geometry.surface_mm / _GRID_MM)
        middles = (np.arange(self._steps) + 0.5) * _GRID_MM - half
        x, y = np.meshgrid(middles, middles)
        self._points = np.column_stack((x.ravel(), y.ravel(), np.full(x.size, geometry.flat_z)))
        self.cameras: dict[str, CameraModel] = {}
        self._views: dict[str, Grid] = {}
        self.places: dict[str, tuple[float, float, float]] = {}
        for camera in cameras.values():
            self.hang(camera)

    def hang(self, camera: CameraModel) -> None:
        """A camera hangs so now."""
        name = camera.name
        self.cameras[name] = camera
        cx, cy, cz = camera.position.tolist()
        self.places[name] = cx, cy, cz
        seen = camera.sees(self._points, _EDGE_PX)
        self._views[name] = seen.reshape(self._steps, self._steps)

    def uncovered(self, sighting: Sighting) -> Grid:
        """What a camera saw of the felt in one frame."""
        return self._views[sighting.camera] & ~self.mask(sighting.covered)

    def mask(self, polygons: Sequence[Polygon]) -> Grid:
        """The cells of the grid that polygons (mm) cover."""
        mask = np.zeros((self._steps, self._steps), np.uint8)
        half = self._geometry.surface_mm / 2
        for polygon in polygons:
            corners = np.round((np.array(polygon) + half) / _GRID_MM - 0.5).astype(np.int32)
            cv2.fillPoly(mask, [corners], 1)
        return mask.astype(bool)

    def polygons(self, mask: Grid) -> tuple[Polygon, ...]:
        """The outlines of a mask, mm."""
        if not mask.any():
            return ()
        padded = np.pad(mask.astype(np.uint8), 1)
        contours, _ = cv2.findContours(padded, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        half = self._geometry.surface_mm / 2
        found: list[Polygon] = []
        for contour in contours:
            outline = cv2.approxPolyDP(contour, 0.75, closed=True).reshape(-1, 2)
            if len(outline) >= 3:
                points = (outline.astype(np.float64) - 0.5) * _GRID_MM - half
                found.append(tuple((round(float(x), 1), round(float(y), 1)) for x, y in points))
        return tuple(sorted(found))

    def free(self, mask: Grid, x: float, y: float) -> bool:
        """Whether a mask is set at a point, mm; never beside the table."""
        half = self._geometry.surface_mm / 2
        column, row = int((x + half) // _GRID_MM), int((y + half) // _GRID_MM)
        inside = 0 <= row < self._steps and 0 <= column < self._steps
        return inside and bool(mask[row, column])

    def weight(self, camera: str, x: float, y: float) -> float:
        """How well a camera is placed to see a point: from steeply above is best."""
        cx, cy, cz = self.places[camera]
        return 1.0 / (1.0 + ((x - cx) ** 2 + (y - cy) ** 2) / cz**2) ** 2
