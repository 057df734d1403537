"""Pictures as a worse camera would have delivered them; the same each time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import cv2
import numpy as np

from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame
from vision.geometry import SIDES, TableGeometry
from vision.image import Image

Fault = Callable[[Frame, Image], Image | None]
"""A frame and its picture so far to another picture; None: it never arrives."""


def degraded(frames: Iterable[Frame], *faults: Fault) -> Iterator[Frame]:
    """The frames with faults, in order; what is lost leaves a gap in ``seq``."""
    for frame in frames:
        picture: Image | None = frame.image
        for fault in faults:
            if picture is not None:
                picture = fault(frame, picture)
        if picture is not None:
            yield Frame(frame.t, frame.camera, picture, frame.seq)


def _dice(frame: Frame, salt: int) -> np.random.Generator:
    return np.random.default_rng((salt, frame.seq))


def flicker(share: float = 0.3) -> Fault:
    """Every picture is lit differently, by up to a share more or less."""

    def fault(frame: Frame, image: Image) -> Image:
        return lit(image, float(_dice(frame, 1).uniform(1 - share, 1 + share)))

    return fault


def lit(image: Image, factor: float) -> Image:
    """The picture in another light."""
    return np.asarray(cv2.convertScaleAbs(image, alpha=factor), np.uint8)


def exposure(factor: float, since: float, until: float = np.inf) -> Fault:
    """The camera drops to another exposure for a while."""

    def fault(frame: Frame, image: Image) -> Image:
        return lit(image, factor) if since <= frame.t < until else image

    return fault


def drops(share: float = 0.2) -> Fault:
    """That share of the pictures never arrives."""

    def fault(frame: Frame, image: Image) -> Image | None:
        return None if _dice(frame, 2).random() < share else image

    return fault


def away(since: float, until: float = np.inf) -> Fault:
    """No picture arrives for a while."""

    def fault(frame: Frame, image: Image) -> Image | None:
        return None if since <= frame.t < until else image

    return fault


def blur(pixels: int) -> Fault:
    """What moves is smeared over so many more pixels: the mean with where it was before."""
    before: list[Image] = []

    def fault(frame: Frame, image: Image) -> Image:
        smeared = image
        if before:
            apart = cv2.absdiff(image, before[0]).max(axis=2)
            moved = cv2.dilate((apart > 40).astype(np.uint8), np.ones((9, 9), np.uint8))
            soft = cv2.blur(image, (pixels, pixels))
            smeared = np.where(moved[..., None].astype(bool), soft, image).astype(np.uint8)
        before[:] = [image]
        return smeared

    return fault


def knock(camera: CameraModel, mm: tuple[float, float], since: float, turn: float = 0.0) -> Fault:
    """The mount is knocked: the picture shows the felt shifted by so much (and turned, degrees)."""
    scale = camera.px_per_mm()
    width, height = camera.size
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    matrix[:, 2] += np.array((mm[0] * scale, -mm[1] * scale))

    def fault(frame: Frame, image: Image) -> Image:
        if frame.t < since:
            return image
        moved = cv2.warpAffine(image, matrix, camera.size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(moved, np.uint8)

    return fault


def sway(camera: CameraModel, mm: float, since: float) -> Fault:
    """The mount swings by so much to the left and to the right, four pictures to and fro."""
    ways = knock(camera, (mm, 0.0), since), knock(camera, (-mm, 0.0), since)
    return lambda frame, image: ways[frame.seq // 2 % 2](frame, image)


def sleeves(camera: CameraModel, half_mm: float, until: float, wide_mm: float) -> Fault:
    """Two patterned sleeves lie over each rail of a surface of ``2 * half_mm``, for a while."""
    weave = np.random.default_rng(7).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    places = [(side, right) for side in SIDES for right in (-180.0, 180.0)]

    def fault(frame: Frame, image: Image) -> Image:
        if frame.t >= until:
            return image
        out = image.copy()
        for side, right in places:
            low, high = right - wide_mm / 2, right + wide_mm / 2
            corners = (low, half_mm - 100.0), (high, half_mm + 90.0)
            ends = [(*TableGeometry.to_table(side, *corner), 0.0) for corner in corners]
            px = np.clip(np.round(camera.project(ends)).astype(int), 0, np.array(camera.size))
            (x0, y0), (x1, y1) = px.min(axis=0).tolist(), px.max(axis=0).tolist()
            out[y0:y1, x0:x1] = cv2.resize(weave, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA)
        return out

    return fault


def arm(box: tuple[int, int, int, int], since: float, until: float) -> Fault:
    """Something like a sleeve lies over a part of the picture (left, top, right, bottom)."""

    def fault(frame: Frame, image: Image) -> Image:
        if not since <= frame.t < until:
            return image
        x0, y0, x1, y1 = box
        out = image.copy()
        grain = _dice(frame, 3).normal(0, 3, (y1 - y0, x1 - x0, 1))
        out[y0:y1, x0:x1] = np.clip(np.array((120.0, 70.0, 60.0)) + grain, 0, 255)
        return out

    return fault


def upside_down() -> Fault:
    """The camera hangs the other way round."""
    return lambda _, image: np.ascontiguousarray(image[::-1, ::-1])
