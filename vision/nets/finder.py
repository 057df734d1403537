"""Finds tiles in any rotation: a fully convolutional net and the decoding of its maps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.nets import modelfile
from vision.sightings import Posture

WORKING_PX = 19.0
"""Short side of a tile, pixels, at the scale at which the net looks."""
_STRIDE = 4
_SIDE_BASE = 20.0
_POSTURES = (Posture.FACE_UP, Posture.FACE_DOWN, Posture.STANDING)
_STRIP = 1536
"""Pictures larger than this at the working scale are looked at in parts, pixels."""
_OVERLAP = 64
_LITTLE = 0.6
"""From this scale on interpolation between neighbours loses nothing that counts."""
_LOOKS = (1.0, 1.25)
"""The scales, relative to the working scale, at which a single picture is looked at closely."""
_SAME_PLACE = 0.2
"""Of two boxes whose middles are nearer than this share of the shorter sides, one is too many."""
_UNSEEN = 0.15
"""What a tile scores in a look that did not see it."""


@dataclass(frozen=True, slots=True)
class Found:
    """One tile in a picture.

    Attributes:
        quad: (4, 2) float32 corners of its upper side in pixels, clockwise on the screen,
            beginning at the left end of a short side (so that the crop is upright or upside
            down: which of both, the face reader tells); a standing tile begins at the left
            end of a long side of its narrow top.
        posture: how it lies.
        confidence: 0..1.
        visible: share of the upper side that is not covered, 0..1.
    """

    quad: NDArray[np.float32]
    posture: Posture
    confidence: float
    visible: float = 1.0


@dataclass(frozen=True, slots=True)
class Findings:
    """All tiles of a picture, most certain first, and where arms or hands cover it.

    ``arms`` is (ceil(H/8), ceil(W/8)) float32, or None where it was not asked for.
    """

    tiles: tuple[Found, ...]
    arms: NDArray[np.float32] | None


@dataclass(slots=True)
class _Boxes:
    """Decoded maps: arrays over the tiles, in pixels of the picture the net saw."""

    centre: NDArray[np.float64]
    along: NDArray[np.float64]
    across: NDArray[np.float64]
    posture: NDArray[np.int64]
    score: NDArray[np.float64]
    visible: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: NDArray[np.int64]) -> _Boxes:
        return _Boxes(
            self.centre[rows],
            self.along[rows],
            self.across[rows],
            self.posture[rows],
            self.score[rows],
            self.visible[rows],
        )


class Finder:
    """The tile finder; one object per thread of use."""

    def __init__(self, model_dir: Path | None = None, threads: int = 1) -> None:
        """Open the model.

        Raises:
            ModelError: the model file is missing, altered or of another version.
        """
        self._model = modelfile.load("finder", model_dir, threads)
        settings = self._model.manifest.settings
        self._least = np.array([settings[f"threshold_{p.value}"] for p in _POSTURES])

    @property
    def versions(self) -> dict[str, str]:
        """Of the models in use, by their names."""
        return {self._model.manifest.name: self._model.manifest.version}

    def accept(self, least: float) -> None:
        """Accept tiles of any posture from this score on, whatever the manifest says."""
        self._least = np.full(len(_POSTURES), least)

    def find(self, image: Image, tile_px: float | None = None) -> Findings:
        """Find the tiles of a picture.

        Args:
            image: (H, W, 3) BGR.
            tile_px: short side of a tile in pixels where it is known (a calibrated table);
                otherwise the scale is found by looking at several.

        Returns:
            The tiles, most certain first, and the arm map.
        """
        if tile_px is None:
            tile_px = self.tile_size(image)
            if tile_px is None:
                return Findings((), _blank_arms(image))
        boxes, arms = self._look(image, WORKING_PX / tile_px, quick=True)
        return Findings(_founds(boxes), arms)

    def find_closely(self, image: Image, tile_px: float) -> Findings:
        """Find the tiles of a single picture: looked at twice, at two scales, and agreed upon.

        Takes about 2.6 times as long as one look. Corners are means of both looks, and what only
        one of them saw is believed half.

        Args:
            image: (H, W, 3) BGR.
            tile_px: short side of a tile in pixels.
        """
        looks, arms = [], _blank_arms(image)
        for closer in _LOOKS:
            boxes, arms = self._look(image, closer * WORKING_PX / tile_px)
            looks.append(boxes)
        boxes = _agree(looks)
        sure = boxes.score > self._least[boxes.posture]
        return Findings(_founds(boxes.take(np.nonzero(sure)[0])), arms)

    def tile_size(self, image: Image) -> float | None:
        """Short side of the tiles in pixels, found by looking at several scales; None: no tile."""
        sizes = self.tile_sizes(image)
        return sizes[0] if sizes else None

    def tile_sizes(self, image: Image) -> list[float]:
        """What the short side of the tiles may be, pixels, likeliest first.

        At each of several scales only tiles of a size that the net knows count; the scale with
        the most certainty in all comes first. Signs on large tiles and textures can look like
        small tiles: a reader of faces tells such scales apart.
        """
        longest = max(image.shape[:2])
        tried: list[tuple[float, float]] = []
        side = 240.0
        while side / longest <= 1.6 and side <= 2600:
            scale = side / longest
            boxes, _ = self._look(image, scale)
            short = np.linalg.norm(boxes.across, axis=1)
            near = (short * scale > 11) & (short * scale < 32) & (boxes.score > 0.35)
            if near.any():
                # squares: many doubtful boxes must not outweigh a few sure ones
                certainty = float((boxes.score[near] ** 2).sum())
                tried.append((certainty, float(np.median(short[near]))))
            side *= 1.6
        tried.sort(reverse=True)
        sizes: list[float] = []
        for _, size in tried:
            if all(not 0.8 < size / other < 1.25 for other in sizes):
                sizes.append(size)
        return sizes

    def _look(
        self, image: Image, scale: float, *, quick: bool = False
    ) -> tuple[_Boxes, NDArray[np.float32]]:
        """Tiles in pixels of ``image``, and the arm map, looking at a scale.

        ``quick``: interpolate instead of averaging areas, which takes a third as long as the net
        and finds the same in pictures of a table.
        """
        height, width = image.shape[:2]
        w, h = max(16, round(width * scale)), max(16, round(height * scale))
        small = _quickly_smaller(image, (w, h)) if quick else image
        how = cv2.INTER_AREA if w < small.shape[1] and not quick else cv2.INTER_LINEAR
        if (w, h) != (small.shape[1], small.shape[0]):
            small = np.asarray(cv2.resize(small, (w, h), interpolation=how), np.uint8)
        arms = np.zeros((-(-h // 8), -(-w // 8)), np.float32)
        parts = []
        for y0 in _starts(h):
            for x0 in _starts(w):
                part = np.asarray(small[y0 : y0 + _STRIP, x0 : x0 + _STRIP], np.uint8)
                boxes, arm = self._net(part)
                boxes.centre += (x0, y0)
                parts.append(boxes)
                into = arms[y0 // 8 : y0 // 8 + arm.shape[0], x0 // 8 : x0 // 8 + arm.shape[1]]
                np.maximum(into, arm[: into.shape[0], : into.shape[1]], out=into)
        boxes = _suppress(_join(parts))
        factor = np.array((width / w, height / h))
        boxes.centre *= factor
        boxes.along *= factor
        boxes.across *= factor
        size = (-(-width // 8), -(-height // 8))
        cover = arms if arms.shape == size[::-1] else cv2.resize(arms, size)
        return boxes, np.asarray(cover, np.float32)

    def _net(self, part: Image) -> tuple[_Boxes, NDArray[np.float32]]:
        h, w = part.shape[:2]
        batch = np.full((1, -(-h // 16) * 16, -(-w // 16) * 16, 3), 114, np.uint8)
        batch[0, :h, :w] = part
        maps, arms = self._model.run(batch)
        arm = arms[0, 0, : -(-h // 8), : -(-w // 8)]
        return _decode(maps[0], self._least), arm


def _quickly_smaller(image: Image, size: tuple[int, int]) -> Image:
    """The picture halved, or averaged to a size, until interpolation loses nothing any more."""
    while size[0] * 2 <= image.shape[1] and not (image.shape[0] % 2 or image.shape[1] % 2):
        half = (image.shape[1] // 2, image.shape[0] // 2)
        image = np.asarray(cv2.resize(image, half, interpolation=cv2.INTER_AREA), np.uint8)
    if size[0] < _LITTLE * image.shape[1]:
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    return image


def _blank_arms(image: Image) -> NDArray[np.float32]:
    return np.zeros((-(-image.shape[0] // 8), -(-image.shape[1] // 8)), np.float32)


def _starts(length: int) -> list[int]:
    """Where parts begin, multiples of 8, so that they overlap and cover all."""
    if length <= _STRIP:
        return [0]
    step = _STRIP - _OVERLAP
    return list(range(0, length - _OVERLAP, step))


def _decode(maps: NDArray[np.float32], least: NDArray[np.float64]) -> _Boxes:
    """Peaks of the centre maps with their boxes, pixels of the net's picture.

    ``least`` (3,) is the least score by posture.
    """
    heat = maps[:3].max(axis=0)
    peak = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    enough = (maps[:3] > least[:, None, None]).any(axis=0)
    ys, xs = np.nonzero((heat >= peak) & enough)
    values = maps[:, ys, xs].astype(np.float64)
    centre = np.stack((xs + 0.5 + values[3], ys + 0.5 + values[4]), axis=1) * _STRIDE
    long_side = _SIDE_BASE * np.exp(values[5].clip(-2, 3))
    short_side = _SIDE_BASE * np.exp(values[6].clip(-2, 3))
    t1 = np.arctan2(values[8], values[7]) / 2
    t2 = np.arctan2(values[10], values[9]) / 2
    along = np.stack((np.cos(t1), np.sin(t1)), axis=1) * long_side[:, None]
    across = np.stack((np.cos(t2), np.sin(t2)), axis=1) * short_side[:, None]
    order = np.argsort(-heat[ys, xs], kind="stable")
    boxes = _Boxes(
        centre, along, across, values[:3].argmax(axis=0), values[:3].max(axis=0), values[11]
    )
    return boxes.take(order)


def _join(parts: list[_Boxes]) -> _Boxes:
    if len(parts) == 1:
        return parts[0]
    joined = _Boxes(
        np.concatenate([p.centre for p in parts]),
        np.concatenate([p.along for p in parts]),
        np.concatenate([p.across for p in parts]),
        np.concatenate([p.posture for p in parts]),
        np.concatenate([p.score for p in parts]),
        np.concatenate([p.visible for p in parts]),
    )
    return joined.take(np.argsort(-joined.score, kind="stable"))


def _agree(looks: list[_Boxes]) -> _Boxes:
    """Bring looks at one picture together: means of the boxes that lie on each other."""
    every = _join(looks)
    which = np.concatenate([np.full(len(b), k) for k, b in enumerate(looks)])
    which = which[np.argsort(-np.concatenate([b.score for b in looks]), kind="stable")]
    free = np.ones(len(every), bool)
    half = np.minimum(np.linalg.norm(every.across, axis=1), np.linalg.norm(every.along, axis=1)) / 2
    kept = []
    for i in range(len(every)):
        if not free[i]:
            continue
        mine = [i]
        apart = np.linalg.norm(every.centre - every.centre[i], axis=1)
        for k in range(len(looks)):
            near = np.nonzero(free & (which == k) & (apart < half[i]))[0]
            if k != which[i] and len(near):
                mine.append(int(near[0]))
        free[mine] = False
        weight = every.score[mine] / every.score[mine].sum()
        for field in (every.along, every.across):
            # a side and its opposite are the same
            same = np.sign(field[mine] @ field[i])
            field[i] = (field[mine] * (same * weight)[:, None]).sum(axis=0)
        every.centre[i] = (every.centre[mine] * weight[:, None]).sum(axis=0)
        every.visible[i] = float(every.visible[mine] @ weight)
        total = every.score[mine].sum() + _UNSEEN * (len(looks) - len(mine))
        every.score[i] = total / len(looks)
        kept.append(i)
    rows = np.array(kept, np.int64)
    return _suppress(every.take(rows[np.argsort(-every.score[rows], kind="stable")]))


def _suppress(boxes: _Boxes) -> _Boxes:
    """Drop boxes that lie on a more certain one (centre within, or much common area)."""
    n = len(boxes)
    if n < 2:
        return boxes
    sides = np.linalg.norm(boxes.along, axis=1), np.linalg.norm(boxes.across, axis=1)
    size, short = sides[0] + sides[1], np.minimum(*sides)
    quads = _quads(boxes)
    area = np.abs(_cross(boxes.along, boxes.across))
    alive = np.ones(n, bool)
    for i in range(n):
        if not alive[i]:
            continue
        apart = np.linalg.norm(boxes.centre[i + 1 :] - boxes.centre[i], axis=1)
        for j in np.nonzero(alive[i + 1 :] & (apart < (size[i] + size[i + 1 :]) * 0.4))[0] + i + 1:
            # of outlines that nearly coincide OpenCV at times finds no common area at all
            if apart[j - i - 1] < _SAME_PLACE * min(short[i], short[j]):
                alive[j] = False
                continue
            common, _ = cv2.intersectConvexConvex(
                quads[i].astype(np.float32), quads[j].astype(np.float32)
            )
            if common > 0.35 * min(area[i], area[j]):
                alive[j] = False
    return boxes.take(np.nonzero(alive)[0])


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _quads(boxes: _Boxes) -> NDArray[np.float64]:
    """(N, 4, 2) corners, clockwise on the screen from the left end of a short side."""
    across, along = boxes.across / 2, boxes.along / 2
    # screen y points down: clockwise means that (across, along) turn to the right
    along = np.where((_cross(across, along) < 0)[:, None], -along, along)
    c = boxes.centre
    quads = np.stack(
        (c - across - along, c + across - along, c + across + along, c - across + along), 1
    )
    standing = boxes.posture == _POSTURES.index(Posture.STANDING)
    quads[standing] = np.roll(quads[standing], -1, axis=1)
    return quads


def _founds(boxes: _Boxes) -> tuple[Found, ...]:
    quads = _quads(boxes).astype(np.float32)
    return tuple(
        Found(
            quads[i],
            _POSTURES[int(boxes.posture[i])],
            round(float(boxes.score[i]), 5),
            round(float(boxes.visible[i]), 4),
        )
        for i in range(len(boxes))
    )
