"""What is truly to be seen in a frame: for training and for judging what was found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.renderer.arms import Arms
from hardware.virtual_table.camera.renderer.boxes import (
    Box,
    die_box,
    painting_order,
    stick_box,
    tile_box,
    upper_side,
)
from hardware.virtual_table.camera.renderer.look import Look
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import Pose, Scene

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class TileTruth:
    """One tile in one frame.

    Attributes:
        key: the tile's number in the scene.
        face: its notation, whether it can be seen or not.
        pose: how it lies.
        quad: (4, 2) corners of its upper side in picture pixels: top left, top right, bottom
            right, bottom left as an upright reader sees them.
        visible: share of the upper side that nothing hides and that lies in the picture, 0..1.
        shows: what its upper side shows: its face, ``back``, or ``edge`` for a standing tile.
        streak: pixels it moves while the shutter is open.
    """

    key: int
    face: str
    pose: Pose
    quad: NDArray[np.float32]
    visible: float
    shows: str
    streak: float


@dataclass(frozen=True, eq=False, slots=True)
class DieTruth:
    """One die: ``box`` x0, y0, x1, y1 of its picture; ``value`` None while it rolls or leans."""

    box: tuple[float, float, float, float]
    value: int | None
    visible: float


@dataclass(frozen=True, eq=False, slots=True)
class FrameTruth:
    """Everything in one frame.

    ``arms`` is (H/8, W/8), the share of each cell that a hand, an arm or a sleeve covers.
    """

    tiles: tuple[TileTruth, ...]
    dice: tuple[DieTruth, ...]
    arms: NDArray[np.float32]


class Annotator:
    """Says what is to be seen in the frames of one camera."""

    def __init__(
        self, camera: Camera, geometry: Layout | Path | str, look: Look | None = None
    ) -> None:
        self._camera = camera
        self._layout = geometry if isinstance(geometry, Layout) else Layout.load(geometry)
        self._look = look if look is not None else Look()
        self._arms = Arms(camera, self._look)
        per_mm = float(camera.K[0, 0]) / float(camera.position[2])
        # enough for some 12 pixels across the narrow side of a standing tile
        self._factor = min(1.0, 12.0 / (self._layout.tile_d * per_mm))

    def annotate(self, scene: Scene) -> FrameTruth:
        """The truth of a scene."""
        layout, look = self._layout, self._look
        tile_mm = (layout.tile_w, layout.tile_h, layout.tile_d)
        boxes: list[Box] = [tile_box(tile, tile_mm) for tile in scene.tiles]
        boxes += [die_box(die, look.die_mm) for die in scene.dice]
        boxes += [stick_box(stick) for stick in scene.sticks]
        width, height = self._camera.size
        size = (round(width * self._factor), round(height * self._factor))
        covers = np.zeros((size[1], size[0]), np.uint8)
        for arm in scene.arms:
            share = self._arms.share(arm, self._factor, size)
            np.maximum(covers, share, out=covers)
        shares, quads, outlines = self._visible(boxes, covers, size)
        tiles = tuple(
            TileTruth(
                tile.key,
                tile.face,
                tile.pose,
                quads[i].astype(np.float32),
                shares[i],
                _shows(boxes[i], tile.face),
                self._streak(boxes[i], tile.speed, tile.heading),
            )
            for i, tile in enumerate(scene.tiles)
        )
        first = len(tiles)
        dice = tuple(
            DieTruth(
                (
                    float(outlines[first + i][:, 0].min()),
                    float(outlines[first + i][:, 1].min()),
                    float(outlines[first + i][:, 0].max()),
                    float(outlines[first + i][:, 1].max()),
                ),
                None if die.speed > 0 or die.cocked else die.value,
                shares[first + i],
            )
            for i, die in enumerate(scene.dice)
        )
        cells = (width // 8, height // 8)
        arms = cv2.resize(covers, cells, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
        return FrameTruth(tiles, dice, np.asarray(arms, np.float32))

    def _streak(self, box: Box, speed: float, heading: float) -> float:
        if speed <= 0:
            return 0.0
        angle = np.radians(heading)
        step = np.array([np.cos(angle), np.sin(angle), 0]) * speed * self._look.shutter
        a, b = self._camera.project(np.stack([box.centre, box.centre + step]))
        return float(np.hypot(*(b - a)))

    def _visible(
        self, boxes: list[Box], covers: NDArray[np.uint8], size: tuple[int, int]
    ) -> tuple[list[float], list[Floats], list[Floats]]:
        if not boxes:
            return [], [], []
        factor = self._factor
        tops = np.stack([upper_side(box) for box in boxes])
        corners = np.stack([np.concatenate([box.level(1.0), box.level(-1.0)]) for box in boxes])
        quads = self._camera.project(tops)
        outlines = self._camera.project(corners)
        bounds = np.concatenate(
            [np.floor(outlines.min(axis=1)), np.ceil(outlines.max(axis=1))], axis=1
        ).astype(np.int64)
        away = np.stack([box.centre[:2] for box in boxes]) - self._camera.position[:2]
        order = painting_order(
            bounds,
            np.array([box.z_range for box in boxes]),
            np.hypot(away[:, 0], away[:, 1]),
        )
        owner = np.zeros((size[1], size[0]), np.uint16)
        for i in order:
            hull = np.round(cv2.convexHull(outlines[i].astype(np.float32)) * factor * 16)
            cv2.fillConvexPoly(owner, hull.astype(np.int32), 0, cv2.LINE_8, 4)
            top = np.round(quads[i] * factor * 16).astype(np.int32)
            cv2.fillConvexPoly(owner, top, i + 1, cv2.LINE_8, 4)
        owner[covers > 127] = 0
        seen = np.bincount(owner.ravel(), minlength=len(boxes) + 1)[1:]
        shares = []
        for i in range(len(boxes)):
            low = np.floor(quads[i].min(axis=0) * factor) - 1
            span = np.ceil(quads[i].max(axis=0) * factor) + 2 - low
            mask = np.zeros((int(span[1]), int(span[0])), np.uint8)
            # the same fixed-point corners, so that the same pixels are counted
            top = np.round(quads[i] * factor * 16).astype(np.int32) - (low * 16).astype(np.int32)
            cv2.fillConvexPoly(mask, top, 1, cv2.LINE_8, 4)
            whole = int(cv2.countNonZero(mask))
            shares.append(min(1.0, float(seen[i]) / max(whole, 1)))
        return shares, list(quads), list(outlines)


def _shows(box: Box, face: str) -> str:
    up = int(np.argmax(np.abs(box.axes[2])))
    if up != 2:
        return "edge"
    return face if box.axes[2, 2] > 0 else "back"


def annotate(
    scene: Scene, camera: Camera, geometry: Layout | Path | str, look: Look | None = None
) -> FrameTruth:
    """The truth of one scene; for many scenes of one camera keep an :class:`Annotator`."""
    return Annotator(camera, geometry, look).annotate(scene)
