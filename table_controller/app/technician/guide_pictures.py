"""The pictures that the guide shows: what it found, and where to read pixel numbers off."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from table_controller.app.technician.calibrate import outlined
from vision.calibration.board import Board
from vision.calibration.camera import CameraModel
from vision.calibration.fit import corners_of
from vision.image import Image

_GREEN: Final = (70, 230, 70)
_WINDOW: Final = 80
"""Half the side of what is shown around a corner, pixels of the picture."""
_ENLARGED: Final = 4
_EVERY: Final = 20
"""Pixels from one line of the ruler to the next."""


def proposed(image: Image, camera: CameraModel, board: Board, surface_mm: float) -> Image:
    """The picture with the felt's outline and its corners as they were found.

    Args:
        image: (H, W, 3) of the sheet on the table.
        camera: as it was found.
        board: the sheet.
        surface_mm: side of the playing surface.
    """
    out = outlined(image, camera, board)
    corners = corners_of(surface_mm)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        # Straight on the felt, curved in the picture.
        way = camera.project([a + (b - a) * k / 40 for k in range(41)])
        points = np.round(way * 16).astype(np.int32)
        cv2.polylines(out, [points], False, _GREEN, 2, cv2.LINE_AA, 4)
    for x, y in camera.project(corners):
        cv2.circle(out, (round(float(x)), round(float(y))), 12, _GREEN, 2, cv2.LINE_AA)
    return out


def corner_windows(image: Image, camera: CameraModel, surface_mm: float) -> Image:
    """Where the felt's corners are to be looked for, enlarged, with the picture's pixel numbers.

    Args:
        image: (H, W, 3).
        camera: a first guess of its pose.
        surface_mm: side of the playing surface.

    Returns:
        Two by two windows; lines every 20 pixels, their numbers along the upper and left edge.
    """
    side = 2 * _WINDOW * _ENLARGED
    out = np.zeros((2 * side + 8, 2 * side + 8, 3), np.uint8)
    middle = camera.project([[0.0, 0.0, 0.0]])[0]
    spots = camera.project(corners_of(surface_mm))
    for u, v in spots:
        left = int(np.clip(round(float(u)) - _WINDOW, 0, max(0, image.shape[1] - 2 * _WINDOW)))
        top = int(np.clip(round(float(v)) - _WINDOW, 0, max(0, image.shape[0] - 2 * _WINDOW)))
        part = image[top : top + 2 * _WINDOW, left : left + 2 * _WINDOW]
        size = (part.shape[1] * _ENLARGED, part.shape[0] * _ENLARGED)
        window = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_CUBIC), np.uint8)
        _ruled(window, left, top)
        x0, y0 = (side + 8 if u > middle[0] else 0), (side + 8 if v > middle[1] else 0)
        out[y0 : y0 + window.shape[0], x0 : x0 + window.shape[1]] = window
    return out


def _ruled(window: Image, left: int, top: int) -> None:
    """Draw lines at round pixel numbers of the picture over an enlarged part of it."""
    high, wide = window.shape[0] // _ENLARGED, window.shape[1] // _ENLARGED
    for x in range(-left % _EVERY, wide, _EVERY):
        at = x * _ENLARGED + _ENLARGED // 2
        cv2.line(window, (at, 0), (at, window.shape[0]), (90, 90, 90), 1)
        _number(window, left + x, (at + 3, 14))
    for y in range(-top % _EVERY, high, _EVERY):
        at = y * _ENLARGED + _ENLARGED // 2
        cv2.line(window, (0, at), (window.shape[1], at), (90, 90, 90), 1)
        _number(window, top + y, (3, at - 4))


def _number(window: Image, value: int, place: tuple[int, int]) -> None:
    for colour, thick in (((0, 0, 0), 3), ((240, 240, 240), 1)):
        cv2.putText(
            window, str(value), place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, colour, thick, cv2.LINE_AA
        )
