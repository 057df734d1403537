"""A virtual table to calibrate on: rails rendered, sheets laid on the felt, the truth known."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from hardware.virtual_table.camera.optics import Camera, overhead
from hardware.virtual_table.camera.renderer import Look, Renderer, random_look
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import Pose, Scene, TileBody
from table_controller.domain.happenings import Slot
from vision.calibration.board import Board, BoardView, Lens, calibrate_lens
from vision.calibration.camera import CameraModel
from vision.geometry import SIDES
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


def held_poses(count: int = 12, seed: int = 3) -> list[tuple[float, ...]]:
    """How somebody holds the sheet: tilts in degrees, spin, place in the picture, mm away."""
    rng = np.random.default_rng(seed)
    # Around the picture, so that its edges are reached soon.
    places = [(-0.3, -0.25), (0.3, 0.25), (0.3, -0.25), (-0.3, 0.25), (0.0, 0.0), (0.35, 0.0)]
    return [
        (
            *(rng.uniform(-28, 28, 2) * (0.2 if k % 3 == 0 else 1.0)),
            float(rng.uniform(0, 360)),
            *(np.array(places[k % len(places)]) + rng.uniform(-0.06, 0.06, 2)),
            float(rng.uniform(560, 720)),
        )
        for k in range(count)
    ]


@lru_cache(maxsize=4)
def _rays(size: tuple[int, int], lens: tuple[float, ...]) -> np.ndarray:
    """Directions of all pixels (H·W, 2) through a lens."""
    u, v = np.meshgrid(np.arange(size[0], dtype=float), np.arange(size[1], dtype=float))
    matrix = np.array([[lens[0], 0, lens[2]], [0, lens[1], lens[3]], [0, 0, 1.0]])
    px = np.stack((u, v), -1).reshape(-1, 1, 2)
    return cv2.undistortPoints(px, matrix, np.array(lens[4:])).reshape(-1, 2)


def _sheet_at(camera: Camera, pose: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The sheet's middle and turn in the camera's frame."""
    tilt_x, tilt_y, spin, across, down, far = pose
    lens = camera.K
    tilt = cv2.Rodrigues(np.radians([tilt_x, tilt_y, 0.0]))[0]
    rotation = tilt @ cv2.Rodrigues(np.radians([0.0, 0.0, spin]))[0]
    w, h = camera.size
    at = np.array([across * w / lens[0, 0] * far, down * h / lens[1, 1] * far, far])
    return rotation, at


def view_of(camera: Camera, pose: tuple[float, ...]) -> BoardView:
    """The corners of the sheet held so, as far as they lie in the picture."""
    rotation, at = _sheet_at(camera, pose)
    every = np.array([(x * 25.0, y * 25.0, 0.0) for y in range(1, 10) for x in range(1, 7)])
    move = at - rotation @ np.array([*BOARD.size_mm, 0.0]) / 2
    px = cv2.projectPoints(every, cv2.Rodrigues(rotation)[0], move, camera.K, camera.dist)[0]
    px = np.asarray(px, np.float64).reshape(-1, 2)
    inside = ((px > 5) & (px < np.array(camera.size) - 5)).all(axis=1)
    return BoardView(every[inside], px[inside], camera.size)


def held(camera: Camera, pose: tuple[float, ...], print_: Image = _PRINT, seed: int = 0) -> Image:
    """The sheet held before the camera as one of :func:`held_poses` says."""
    rotation, at = _sheet_at(camera, pose)
    w, h = camera.size
    lens = camera.K
    rays = _rays(
        camera.size, (lens[0, 0], lens[1, 1], lens[0, 2], lens[1, 2], *np.ravel(camera.dist))
    )
    turned = np.column_stack((rays, np.ones(len(rays)))) @ rotation
    origin = -rotation.T @ at
    sheet = origin[:2] + turned[:, :2] * (-origin[2] / turned[:, 2])[:, None]
    middle = np.array(print_.shape[::-1]) / 2
    spots = (sheet * 4.0 + middle - 0.5).astype(np.float32).reshape(h, w, 2)
    fine = cv2.GaussianBlur(print_, (0, 0), 1.3)
    grey = cv2.remap(
        fine, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT,
        borderValue=110,
    )  # fmt: skip
    noise = np.random.default_rng(seed).integers(-2, 3, grey.shape, dtype=np.int16)
    noisy = (20 + 0.8 * grey.astype(np.float32)).astype(np.int16) + noise
    bgr = cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    return np.asarray(bgr, np.uint8)


def raised(layout: Layout, pushed_mm: float = 0.0, side: int = 0, sides: int = 4) -> Scene:
    """Freshly raised walls, two high; that of ``side`` further outwards by ``pushed_mm``."""
    tiles: list[TileBody] = []
    for each in SIDES[:sides]:
        for stack in range(1, layout.stacks_per_side + 1):
            for layer in ("bottom", "top"):
                x, y, z = layout.wall_point(Slot(each, stack, layer))
                off = pushed_mm if each == side else 0.0
                dx, dy = ((0, -1), (1, 0), (0, 1), (-1, 0))[each]
                tiles.append(
                    TileBody(
                        len(tiles), "1m", x + off * dx, y + off * dy, z, 90.0 * each, Pose.FACE_DOWN
                    )
                )
    return Scene(0.0, tuple(tiles))


def seen(camera: Camera, look: Look, scene: Scene, layout: Layout, seed: int = 0) -> Image:
    """A picture of a scene."""
    return Renderer(camera, layout, look, seed=seed).render(scene).copy()


__all__ = [
    "BOARD",
    "held",
    "held_lens",
    "held_poses",
    "hung",
    "model",
    "on_felt",
    "raised",
    "random_look",
    "seen",
    "view_of",
]
