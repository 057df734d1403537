"""Scoring sticks: long, thin, white, lying flat in the middle; found by their shape."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.changes.motion import CELL, Box, Mask, dilated
from vision.geometry import SIDES, TableGeometry
from vision.image import Image
from vision.sightings import StickSighting

_LENGTH_MM = (60.0, 125.0)
_WIDTH_MM = (3.5, 14.0)
_RIM = 1.15
"""So much of a tile's surroundings is its side."""
_SPAN_MM = 75.0
"""Half the extent of the region around each stick's place that is looked at."""


class StickWatch:
    """Keeps the sticks of one camera; looks only around the places where sticks belong.

    Args:
        camera: lens and pose.
        geometry: where sticks lie.
    """

    def __init__(self, camera: CameraModel, geometry: TableGeometry) -> None:
        self._camera = camera
        self._places: list[Box] = []
        for side in SIDES:
            pose = geometry.stick_pose(side)
            along, across = (_SPAN_MM, 30.0) if side % 2 == 0 else (30.0, _SPAN_MM)
            corners = [
                (pose.x + i * along, pose.y + j * across, 3.0) for i in (-1, 1) for j in (-1, 1)
            ]
            px = camera.project(corners)
            low = np.floor(px.min(axis=0) / CELL).astype(int) * CELL
            high = np.ceil(px.max(axis=0) / CELL).astype(int) * CELL
            self._places.append(
                Box(
                    max(int(low[0]), 0),
                    max(int(low[1]), 0),
                    min(int(high[0]), camera.size[0]),
                    min(int(high[1]), camera.size[1]),
                )
            )
        self.reset()

    def reset(self) -> None:
        """Forget the sticks."""
        self._sticks: list[list[StickSighting]] = [[] for _ in self._places]
        self._due = [True] * len(self._places)

    def look(
        self,
        image: Image,
        changed: Mask,
        covered: Mask,
        tiles: Sequence[NDArray[np.float64]] = (),
    ) -> tuple[StickSighting, ...]:
        """The sticks seen now; a place that an arm covers keeps what it had, unreported.

        Args:
            image: the picture.
            changed: cells that look other than before.
            covered: cells that arms cover.
            tiles: (4, 2) corners of tiles that lie there, pixels: the rims of some in a row are as
                long and white as a stick.
        """
        hidden = dilated(covered, 1)
        seen: list[StickSighting] = []
        for number, box in enumerate(self._places):
            rows = slice(box.y0 // CELL, -(-box.y1 // CELL))
            columns = slice(box.x0 // CELL, -(-box.x1 // CELL))
            if changed[rows, columns].any():
                self._due[number] = True
            if hidden[rows, columns].any():
                continue
            if self._due[number]:
                part = image[box.y0 : box.y1, box.x0 : box.x1]
                self._sticks[number] = self._find(part, box, tiles)
                self._due[number] = False
            seen += [s for s in self._sticks[number] if not _known(s, seen)]
        return tuple(seen)

    def _find(
        self, part: Image, box: Box, tiles: Sequence[NDArray[np.float64]]
    ) -> list[StickSighting]:
        light = part.min(axis=2)
        level = float(np.percentile(light, 50))
        # White on cloth: bright in every channel, far above what most of the region is.
        mask = (light > max(level + 55.0, 120.0)).astype(np.uint8)
        mask = np.asarray(
            cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), dtype=np.uint8
        )
        for tile in tiles:
            corners = (tile - tile.mean(axis=0)) * _RIM + tile.mean(axis=0) - (box.x0, box.y0)
            cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 0)
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        found = []
        for contour in contours:
            if len(contour) < 4 or cv2.contourArea(contour) < 40:
                continue
            corners = cv2.boxPoints(cv2.minAreaRect(contour)).astype(np.float64)
            points = self._camera.to_table(corners + np.array((box.x0 + 0.5, box.y0 + 0.5)), 4.0)
            first, second = points[1] - points[0], points[2] - points[1]
            long, short = sorted((first, second), key=lambda edge: -float(np.linalg.norm(edge)))
            length, width = float(np.linalg.norm(long)), float(np.linalg.norm(short))
            if not (_LENGTH_MM[0] <= length <= _LENGTH_MM[1]):
                continue
            if not (_WIDTH_MM[0] <= width <= _WIDTH_MM[1]):
                continue
            x, y = points.mean(axis=0)
            angle = float(np.degrees(np.arctan2(long[1], long[0]))) % 180.0
            filled = cv2.contourArea(contour) / max(
                cv2.contourArea(corners.astype(np.float32)), 1.0
            )
            found.append(
                StickSighting(
                    round(float(x), 1), round(float(y), 1), round(angle, 1), round(float(filled), 3)
                )
            )
        return found


def _known(stick: StickSighting, others: Sequence[StickSighting]) -> bool:
    return any(np.hypot(stick.x - other.x, stick.y - other.y) < 10.0 for other in others)
