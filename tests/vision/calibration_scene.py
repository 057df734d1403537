"""A virtual table to calibrate on: rails rendered, sheets laid on the felt, the truth known."""

from __future__ import annotations

import cv2
import numpy as np

from hardware.virtual_table.camera.optics import Camera, overhead
from hardware.virtual_table.camera.renderer import Look, Renderer, random_look
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import Scene
from vision.calibration.board import Board, BoardView, Lens, calibrate_lens
from vision.calibration.camera import CameraModel
from vision.image import Image

BOARD = Board()
_PRINT = BOARD.picture(4.0, 6.0)


def hung(rng: np.random.Generator, size: tuple[int, int] = (1920, 1080)) -> Camera:
    """A camera as somebody would hang it: not quite in the middle, tipped and turned a little."""
    return overhead(
        size,
        height_mm=float(rng.uniform(1150, 1500)),
        across_mm=float(rng.uniform(940, 1000)),
        at_mm=(float(rng.uniform(-80, 80)), float(rng.uniform(-80, 80))),
        lean_deg=(float(rng.uniform(-1, 1)), float(rng.uniform(-1, 1))),
        roll_deg=float(rng.uniform(-3, 3)),
        dist=(float(rng.uniform(-0.12, -0.05)), 0.05, 0.0004, -0.0003, 0.0),
    )


def model(camera: Camera) -> CameraModel:
    return CameraModel(camera.name, camera.size, camera.K, camera.dist, camera.R, camera.t)


def held_lens(camera: Camera, rng: np.random.Generator, noise_px: float = 0.13) -> Lens:
    """The lens from twelve views of the held sheet, corners found with ``noise_px`` of noise."""
    views: list[BoardView] = []
    every = np.array([(x * 25.0, y * 25.0, 0.0) for y in range(1, 10) for x in range(1, 7)])
    width, height = camera.size
    while len(views) < 12:
        a = cv2.Rodrigues(np.radians(rng.uniform(-32, 32, 3) * (1, 1, 0)))[0]
        rotation = a @ cv2.Rodrigues(np.radians([0, 0, rng.uniform(0, 360)]))[0]
        far = float(rng.uniform(520, 900))
        at = rng.uniform(-0.45, 0.45, 2) * (width, height) / camera.K[0, 0] * far
        move = np.array([*at, far]) - rotation @ np.array([*BOARD.size_mm, 0]) / 2
        px = cv2.projectPoints(every, cv2.Rodrigues(rotation)[0], move, camera.K, camera.dist)[0]
        px = px.reshape(-1, 2) + rng.normal(0, noise_px, (len(every), 2))
        seen = ((px > 5) & (px < (width - 5, height - 5))).all(axis=1)
        if seen.mean() > 0.7:
            views.append(BoardView(every[seen], px[seen], camera.size))
    return calibrate_lens(views)


def on_felt(
    camera: Camera,
    look: Look,
    sheets: tuple[tuple[float, float, float], ...] = ((0.0, 0.0, 0.0),),
    scene: Scene | None = None,
    layout: Layout | None = None,
    seed: int = 0,
) -> Image:
    """The table with the sheet lying at each (x, y, degrees)."""
    layout = layout or Layout.named("mcr")
    picture = Renderer(camera, layout, look, seed=seed).render(scene or Scene(0.0, ())).copy()
    w, h = (value / 2 + 6.0 for value in BOARD.size_mm)
    for x, y, angle in sheets:
        spin = np.radians(angle)
        turn = np.array([[np.cos(spin), -np.sin(spin)], [np.sin(spin), np.cos(spin)]])
        edge = np.array([(-w, h), (w, h), (w, -h), (-w, -h)]) @ turn.T + (x, y)
        px = camera.project(np.column_stack((edge, np.zeros(4))))
        low, high = (
            np.floor(px.min(axis=0) - 6).astype(int),
            np.ceil(px.max(axis=0) + 6).astype(int),
        )
        u, v = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
        flat = camera.on_plane(np.stack((u, v), -1).reshape(-1, 2).astype(float)) - (x, y)
        local = (flat @ turn).reshape(*u.shape, 2)
        map_x = ((local[..., 0] + w) * 4 - 0.5).astype(np.float32)
        map_y = ((h - local[..., 1]) * 4 - 0.5).astype(np.float32)
        # Smoothed first: a print has more points than the picture.
        fine = cv2.GaussianBlur(_PRINT, (0, 0), 1.3)
        paper = cv2.remap(fine, map_x, map_y, cv2.INTER_LINEAR, borderValue=0).astype(float)
        inside = (np.abs(local[..., 0]) < w) & (np.abs(local[..., 1]) < h)
        rng = np.random.default_rng(seed)
        paper = 20 + paper * 0.8 + rng.normal(0, look.noise, paper.shape)
        part = picture[low[1] : high[1], low[0] : high[0]]
        part[inside] = np.clip(paper, 0, 255).astype(np.uint8)[inside][:, None]
    return picture


__all__ = ["BOARD", "held_lens", "hung", "model", "on_felt", "random_look"]
