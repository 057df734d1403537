"""Outlines of shadows, before they are softened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.image import Image


@dataclass(frozen=True, eq=False, slots=True)
class Stamp:
    """A filled outline at half the picture's size, at (x, y) of the half-size frame."""

    x: int
    y: int
    mask: Image

    @classmethod
    def of(cls, points: NDArray[np.float64]) -> Stamp:
        """The hull of points given in picture pixels.

        Filled once and whole: the filler clips edges to its canvas a little differently,
        depending on where the canvas ends.
        """
        low = np.floor(points.min(axis=0) / 2).astype(int) - 1
        span = np.ceil(points.max(axis=0) / 2).astype(int) + 2 - low
        mask = np.zeros((int(span[1]), int(span[0])), np.uint8)
        fixed = np.round((points / 2 - low) * 16).astype(np.int32)
        cv2.fillConvexPoly(mask, cv2.convexHull(fixed), 255, cv2.LINE_8, 4)
        return cls(int(low[0]), int(low[1]), mask)

    def press(self, canvas: Image, x0: int, y0: int) -> None:
        """Join it to a canvas whose corner is at (x0, y0) of the half-size frame."""
        height, width = canvas.shape
        left, top = self.x - x0, self.y - y0
        right = min(left + self.mask.shape[1], width)
        bottom = min(top + self.mask.shape[0], height)
        u, v = max(left, 0), max(top, 0)
        if u < right and v < bottom:
            target = canvas[v:bottom, u:right]
            part = self.mask[v - top : bottom - top, u - left : right - left]
            np.maximum(target, part, out=target)


def pressed(stamps: Iterable[Stamp], size: tuple[int, int], x0: int, y0: int) -> Image:
    """Stamps joined on a canvas of a size (width, height) whose corner is at (x0, y0)."""
    canvas = np.zeros((size[1], size[0]), np.uint8)
    for stamp in stamps:
        stamp.press(canvas, x0, y0)
    return canvas
