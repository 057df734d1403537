"""Painting over each other in the right order, judged by casting rays."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera.optics import Camera, overhead
from hardware.virtual_table.camera.renderer import random_scene
from hardware.virtual_table.camera.renderer.boxes import Box, painting_order, tile_box
from hardware.virtual_table.play.layout import Layout

SIZE = 480


def outlines(camera: Camera, boxes: list[Box]) -> np.ndarray:
    corners = [np.concatenate([box.level(1.0), box.level(-1.0)]) for box in boxes]
    return camera.project(np.stack(corners))


def cast(camera: Camera, boxes: list[Box]) -> np.ndarray:
    """For every pixel the first box that its ray meets, from 1; 0 for none."""
    u, v = np.meshgrid(np.arange(float(SIZE)), np.arange(float(SIZE)))
    ground = camera.on_plane(np.stack([u, v], axis=-1).reshape(-1, 2))
    rays = np.column_stack([ground, np.zeros(len(ground))]) - camera.position
    rays = rays.reshape(SIZE, SIZE, 3)
    nearest, owner = np.full((SIZE, SIZE), np.inf), np.zeros((SIZE, SIZE), int)
    for i, (box, pixels) in enumerate(zip(boxes, outlines(camera, boxes), strict=True)):
        x0, y0 = np.clip(np.floor(pixels.min(axis=0)).astype(int) - 1, 0, SIZE)
        x1, y1 = np.clip(np.ceil(pixels.max(axis=0)).astype(int) + 2, 0, SIZE)
        part = np.s_[y0:y1, x0:x1]
        start, step = (camera.position - box.centre) @ box.axes, rays[part] @ box.axes
        step = np.where(np.abs(step) < 1e-12, 1e-12, step)
        a, b = (-box.half - start) / step, (box.half - start) / step
        enters, leaves = np.minimum(a, b).max(axis=-1), np.maximum(a, b).min(axis=-1)
        hit = (enters < leaves) & (enters < nearest[part])
        nearest[part][hit] = enters[hit]
        owner[part][hit] = i + 1
    return owner


def paint(camera: Camera, boxes: list[Box]) -> np.ndarray:
    """The same by painting in the order."""
    pixels = outlines(camera, boxes)
    bounds = np.concatenate([np.floor(pixels.min(axis=1)), np.ceil(pixels.max(axis=1))], axis=1)
    away = np.stack([box.centre[:2] for box in boxes]) - camera.position[:2]
    order = painting_order(
        bounds.astype(np.int64),
        np.array([box.z_range for box in boxes]),
        np.hypot(away[:, 0], away[:, 1]),
    )
    assert sorted(order) == list(range(len(boxes)))
    owner = np.zeros((SIZE, SIZE), np.uint16)
    for i in order:
        hull = np.round(cv2.convexHull(pixels[i].astype(np.float32)) * 16).astype(np.int32)
        cv2.fillConvexPoly(owner, hull, i + 1, cv2.LINE_8, 4)
    return owner


@pytest.mark.parametrize("name", ["mcr", "riichi"])
@pytest.mark.parametrize("at", [(0.0, 0.0), (250.0, -180.0)])
def test_what_is_in_front_is_painted_last(name: str, at: tuple[float, float]) -> None:
    layout = Layout.named(name)
    camera = overhead((SIZE, SIZE), across_mm=layout.surface + 60, height_mm=1100, at_mm=at)
    rng = np.random.default_rng(0)
    wrong = covered = 0
    for _ in range(5):
        scene = random_scene(rng, layout)
        size = (layout.tile_w, layout.tile_h, layout.tile_d)
        boxes = [tile_box(tile, size) for tile in scene.tiles]
        truth, painted = cast(camera, boxes), paint(camera, boxes)
        # edges are filled a pixel wide; a wrong order is wrong over an area
        differs = cv2.erode((truth != painted).astype(np.uint8), np.ones((3, 3)))
        wrong += int(cv2.dilate(differs, np.ones((3, 3))).sum())
        covered += int((truth > 0).sum())
    assert covered > 30_000
    assert wrong / covered < 0.002, (wrong, covered)


def test_where_boxes_cover_each_other_in_a_ring_nothing_else_is_painted_wrong() -> None:
    """A tile on its way over two that stand beside a wall; the wall's stack covers one of them.

    The upper tile of the stack, farther out than the lower one by a nudge, was painted first.
    """
    heights = np.array([(0, 20), (15, 35), (20, 40), (0, 20), (20, 40)], np.float64)
    distance = np.array([250.0, 240, 245, 230, 260])
    bounds = np.array(
        [(0, 0, 30, 30), (5, 5, 35, 35), (10, 10, 40, 40), (28, 0, 60, 40), (38, 0, 70, 40)]
    )
    order = painting_order(bounds, heights, distance)
    assert order.index(3) < order.index(4), "the upper one of a stack over the lower one"
    assert order.index(0) < order.index(2)
