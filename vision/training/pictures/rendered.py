"""Frames of the virtual table with their truth, for the finder and the reader."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from hardware.virtual_table.camera.optics import Camera, overhead
from hardware.virtual_table.camera.renderer import (
    Annotator,
    FrameTruth,
    Renderer,
    random_look,
    random_scene,
)
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import Pose, Scene
from vision.image import Image
from vision.training import common
from vision.training.pictures.scenes import FACE_DOWN, FACE_UP, STANDING, Truth

GEOMETRIES = Path(__file__).parents[3] / "hardware" / "virtual_table" / "data"
_POSES = {Pose.FACE_UP: FACE_UP, Pose.FACE_DOWN: FACE_DOWN, Pose.STANDING: STANDING}


def random_camera(rng: np.random.Generator) -> Camera:
    """Overhead cameras as they hang at venues: never quite centred, never quite straight."""
    return overhead(
        height_mm=float(rng.uniform(1050, 1500)),
        across_mm=float(rng.uniform(880, 1040)),
        at_mm=tuple(rng.normal(0, 20, 2).tolist()),
        lean_deg=tuple(rng.normal(0, 1.5, 2).tolist()),
        roll_deg=float(rng.normal(0, 1.5)),
    )


def random_frame(
    rng: np.random.Generator, layout: Layout | None = None
) -> tuple[Image, FrameTruth, Scene]:
    """One frame of a random table under a random camera."""
    layout = layout or Layout.load(
        GEOMETRIES / ("geometry-mcr.toml" if rng.random() < 0.8 else "geometry-riichi.toml")
    )
    camera, look = random_camera(rng), random_look(rng)
    scene = random_scene(rng, layout, float(rng.uniform(0, 100)))
    frame = Renderer(camera, layout, look, int(rng.integers(1 << 30))).render(scene)
    return np.array(frame), Annotator(camera, layout, look).annotate(scene), scene


def store(folder: Path, which: Iterable[int], seed: int) -> None:
    """Render these frames once for many runs: JPEG of the best quality and the truth beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in which:
        rng = np.random.default_rng((seed, i))
        image, truth, scene = random_frame(rng)
        _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 98])
        (folder / f"{seed}-{i:04d}.pickle").write_bytes(
            pickle.dumps((code.tobytes(), truth, scene))
        )


def take(rng: np.random.Generator) -> tuple[Image, FrameTruth, Scene]:
    """A stored frame where there is a store, else a new one."""
    files = sorted((common.WORK / "frames").glob("*.pickle"))
    if not files:
        return random_frame(rng)
    code, truth, scene = pickle.loads(files[rng.integers(len(files))].read_bytes())  # noqa: S301 - our own
    image = cv2.imdecode(np.frombuffer(code, np.uint8), cv2.IMREAD_COLOR)
    return np.asarray(image, np.uint8), truth, scene


def truth_of(frame: FrameTruth, scene: Scene, shape: tuple[int, int]) -> Truth:
    """A frame's truth in the finder's terms; what moves or is half turned is to be ignored."""
    tilts = [abs(t.tilt) for t in scene.tiles]
    quads = np.array([t.quad for t in frame.tiles], np.float32).reshape(-1, 4, 2)
    posture = np.array([_POSES[t.pose] for t in frame.tiles], np.int64)
    visible = np.array([t.visible for t in frame.tiles], np.float32)
    unsure = np.array([t.streak > 5 for t in frame.tiles], bool) | (np.array(tilts) > 22)
    visible[unsure & (visible > 0.12)] = -1
    arms = cv2.resize(frame.arms, shape[::-1], interpolation=cv2.INTER_LINEAR)
    return Truth(quads, posture, visible, (arms > 0.5).astype(np.uint8), np.zeros(shape, np.uint8))


class Frames:
    """A pool of frames that is renewed little by little; samples are turned, scaled parts."""

    def __init__(self, pool: int = 8, renew: float = 0.03) -> None:
        self.pool, self.renew = pool, renew
        self.frames: list[tuple[Image, Truth, float]] = []

    def _new(self, rng: np.random.Generator) -> tuple[Image, Truth, float]:
        image, frame, scene = take(rng)
        truth = truth_of(frame, scene, image.shape[:2])
        flat = truth.quads[truth.posture != STANDING]
        unit = float(np.median(np.linalg.norm(flat[:, 1] - flat[:, 0], axis=1)))
        return image, truth, unit

    def sample(self, rng: np.random.Generator, size: int) -> tuple[Image, Truth]:
        """A part of a frame, ``size`` pixels square, and its truth."""
        if len(self.frames) < self.pool:
            self.frames.append(self._new(rng))
        elif rng.random() < self.renew:
            self.frames[rng.integers(self.pool)] = self._new(rng)
        image, truth, unit = self.frames[rng.integers(len(self.frames))]
        goal = float(np.exp(rng.normal(np.log(19), 0.13)).clip(13, 27))
        scale = goal / unit
        straight = rng.random() < 0.5
        reach = int(size / scale * (0.5 if straight else 0.72)) + 2
        anchor = truth.quads[rng.integers(len(truth.quads))].mean(0) + rng.normal(0, 60, 2)
        x0 = int(np.clip(anchor[0] - reach, 0, max(0, image.shape[1] - 2 * reach)))
        y0 = int(np.clip(anchor[1] - reach, 0, max(0, image.shape[0] - 2 * reach)))
        part = image[y0 : y0 + 2 * reach, x0 : x0 + 2 * reach]
        arms = truth.arms[y0 : y0 + 2 * reach, x0 : x0 + 2 * reach]
        small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        arms = np.asarray(
            cv2.resize(arms, small.shape[1::-1], interpolation=cv2.INTER_AREA), np.uint8
        )
        if straight:
            angle = int(rng.integers(4)) * np.pi / 2
        else:
            angle = rng.uniform(0, 2 * np.pi)
        turn = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
        middle = np.array(small.shape[1::-1]) / 2
        shift = np.array((size / 2, size / 2)) - turn @ middle
        # pixel centres lie at halves
        move = shift + turn @ (0.5, 0.5) - 0.5
        matrix = np.column_stack((turn, move))
        out = np.asarray(
            cv2.warpAffine(small, matrix, (size, size), borderValue=(20, 20, 20)), np.uint8
        )
        arms = np.asarray(cv2.warpAffine(arms, matrix, (size, size)), np.uint8)
        factor = np.array((small.shape[1] / part.shape[1], small.shape[0] / part.shape[0]))
        # the projection gives pixel centres whole numbers
        quads = ((truth.quads + 0.5 - (x0, y0)) * factor) @ turn.T + shift
        ignore = np.zeros((size, size), np.uint8)
        return out, Truth(quads.astype(np.float32), truth.posture, truth.visible, arms, ignore)
