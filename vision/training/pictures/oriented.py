"""Oriented quads made of the axis-aligned hulls with which photographs are labelled."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.nets.reader import crops_of
from vision.training.pictures import sources
from vision.training.pictures.sources import Photo

_LEAN, _COMMON, _SQUARE = 0.16, 0.14, 1.12
"""Faces to be read: lean of their row (radians), area shared with a neighbour, and how much longer
one side is than the other, where the hull alone tells which side is the top."""
_PATCH = (144, 192)
"""A face with its surroundings, half a face wide on every side, pixels."""


@dataclass
class RealPicture:
    """A photograph with oriented quads made of its boxes and what else must be ignored."""

    image: Image
    quads: NDArray[np.float32]
    unit: float
    whole: bool
    """Everything that lies there is labelled."""
    shape: NDArray[np.float32]
    """(N,) how far each quad's shape can be trusted."""


def real(photo: Photo, stretched: bool = False) -> RealPicture | None:
    """Make oriented quads of axis-aligned hulls: rows tell their own angle.

    Pictures whose boxes have neither the shape of tiles seen from above nor stand in rows give
    None, unless ``stretched`` asks for all. The shape of a tile without a neighbour is taken for
    what its hull is, and trusted little.
    """
    boxes = np.array([b.xyxy for b in photo.boxes], np.float32).reshape(-1, 4)
    if len(boxes) < 2:
        return None
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    sizes = boxes[:, 2:] - boxes[:, :2]
    quads, shape = [], []
    for i in range(len(boxes)):
        delta = centres - centres[i]
        w, h = sizes[i]
        slopes = []
        for j, (dx, dy) in enumerate(delta):
            if j == i or abs(sizes[j] - sizes[i]).max() > 0.25 * max(w, h):
                continue
            if 0.75 * w < abs(dx) < 1.25 * w and abs(dy) < 0.25 * h:
                slopes.append(np.arctan2(dy, dx) if dx > 0 else np.arctan2(-dy, -dx))
        t = float(np.median(slopes)) if slopes else 0.0
        c, s = np.cos(t), abs(np.sin(t))
        det = c * c - s * s
        wide, high = (w * c - h * s) / det, (h * c - w * s) / det
        u = np.array((np.cos(t), np.sin(t))) * wide / 2
        v = np.array((-np.sin(t), np.cos(t))) * high / 2
        m = centres[i]
        quad = np.array((m - u - v, m + u - v, m + u + v, m - u + v))
        if wide > high:
            quad = np.roll(quad, 1, 0)
        quads.append(quad)
        shape.append(0.6 if slopes and abs(t) < 0.25 else 0.08)
    flat = sum(map(sources.upright, photo.boxes)) >= 0.85 * len(boxes)
    if not stretched and not flat and np.mean(np.array(shape) > 0.5) < 0.8:
        return None
    unit = float(np.median(sizes.min(1)))
    return RealPicture(
        photo.image(),
        np.array(quads, np.float32),
        unit,
        photo.whole,
        np.array(shape, np.float32),
    )


@dataclass(frozen=True, slots=True)
class LabelledFace:
    """A tile of a photograph made upright: ``patch`` (192, 144, 3) with the face in its middle.

    ``upright`` says that its top is up; otherwise it may be upside down.
    """

    label: str
    patch: Image
    upright: bool


def faces_of(photo: Photo) -> list[LabelledFace]:
    """The tiles of a photograph whose hulls tell well enough where their faces lie.

    Tiles of rows seen from the side are left out (their hulls overlap), and so are tiles askew
    and photographs in which many tiles bear one and the same label.
    """
    picture = real(photo, stretched=True) if photo.kinds_known else None
    if picture is None:
        return []
    height, width = picture.image.shape[:2]
    kept = []
    for i, (box, quad) in enumerate(zip(photo.boxes, picture.quads, strict=True)):
        x0, y0, x1, y1 = box.xyxy
        if x0 < 1 or y0 < 1 or x1 > width - 1 or y1 > height - 1:
            continue
        lies = x1 - x0 > y1 - y0
        if not (picture.shape[i] > 0.5 or (sources.upright(box) and not lies)):
            continue
        along, across = quad[3] - quad[0], quad[1] - quad[0]
        lean = np.arctan2(*sorted(np.abs(across)))
        long, short = float(np.linalg.norm(along)), float(np.linalg.norm(across))
        if lean > _LEAN or long < _SQUARE * short or _shares(picture.quads, i) > _COMMON:
            continue
        kept.append((box.tile, quad, not lies and photo.family != "autotable"))
    if not kept:
        return []
    quads = np.array([quad for _, quad, _ in kept])
    middle = quads.mean(1, keepdims=True)
    # the crop of a reader is a little wider than its quad; here the quad is half of the patch
    patches = crops_of(picture.image, middle + (quads - middle) * (2 / 1.08), size=_PATCH)
    return [
        LabelledFace(label, patch, upright)
        for (label, _, upright), patch in zip(kept, patches, strict=True)
    ]


def _shares(quads: NDArray[np.float32], i: int) -> float:
    """The greatest share of a quad that another one covers."""
    area = cv2.contourArea(quads[i])
    reach = float(np.linalg.norm(quads[i][2] - quads[i][0]))
    near = np.nonzero(np.linalg.norm(quads.mean(1) - quads[i].mean(0), axis=1) < 1.5 * reach)[0]
    common = [cv2.intersectConvexConvex(quads[i], quads[j])[0] for j in near if j != i]
    return max(common, default=0.0) / max(1.0, area)
