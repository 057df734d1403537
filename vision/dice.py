"""Finds dice and reads the value of their upper side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import modelfile

Image = NDArray[np.uint8]
_Spot = tuple[float, float, float, float, float]
"""x0, y0, x1, y1 in pixels of the picture, and how surely a die lies there."""

WORKING_PX = 22.0
"""Width of a die's box, pixels, at the scale at which the net looks."""
_BOX = 1.27
"""Width of the box around a die at a random angle over its edge (4 / pi)."""
_STRIDE = 4
_SIDE_BASE = 20.0
PIPS_PX = 32
"""Side of the crop in which the value is read."""
_MARGIN = 1.12
_NONE = 6
"""The class of a die that shows no value: rolling or leaning."""
_STRIP = 1024
_OVERLAP = 48


@dataclass(frozen=True, slots=True)
class FoundDie:
    """One die.

    Attributes:
        box: x0, y0, x1, y1 in pixels of the picture.
        value: 1..6, or None where it rolls, leans or cannot be read.
        confidence: of the value; of the die where it has none; 0..1.
        found: how surely a die lies there at all, 0..1.
    """

    box: tuple[float, float, float, float]
    value: int | None
    confidence: float
    found: float = 1.0


class DiceReader:
    """The dice reader; one object per thread of use."""

    def __init__(self, model_dir: Path | None = None, threads: int = 1) -> None:
        """Open the model.

        Raises:
            ModelError: the model file is missing, altered or of another version.
        """
        self._model = modelfile.load("dice", model_dir, threads)
        self._pips = modelfile.load("pips", model_dir, threads)
        self._least = self._model.manifest.settings["threshold"]
        settings = self._pips.manifest.settings
        self._sure, self._heat = settings["threshold"], settings["temperature"]

    def find(self, image: Image, die_px: float | None = None) -> list[FoundDie]:
        """Find the dice of a picture.

        Args:
            image: (H, W, 3) BGR; for speed only the part where dice may lie.
            die_px: edge of a die in pixels where it is known; otherwise several scales are
                tried and the one with the most certainty is taken.

        Returns:
            The dice, most certain first.
        """
        if die_px is not None:
            return self._values(image, self._look(image, WORKING_PX / (_BOX * die_px)))
        best: list[_Spot] = []
        sum_best = 0.0
        longest = max(image.shape[:2])
        size = WORKING_PX
        while size < longest:
            scale = WORKING_PX / size
            if longest * scale <= 2200:
                fit = [s for s in self._look(image, scale) if 0.6 < (s[2] - s[0]) / size < 1.7]
                certainty = sum(s[4] for s in fit)
                if certainty > sum_best * 1.02:
                    best, sum_best = fit, certainty
            size *= 1.5
        return self._values(image, best)

    def _values(self, image: Image, spots: list[_Spot]) -> list[FoundDie]:
        """Read the values of found dice."""
        if not spots:
            return []
        crops = np.stack([crop_of(image, spot[:4]) for spot in spots])
        logits = np.concatenate(
            [self._pips.run(crops[i : i + 32])[0] for i in range(0, len(crops), 32)]
        )
        scores = np.exp((logits - logits.max(axis=1, keepdims=True)) / self._heat)
        scores /= scores.sum(axis=1, keepdims=True)
        dice = []
        for spot, row in zip(spots, scores, strict=True):
            kind = int(row.argmax())
            chance = float(row[kind])
            value = kind + 1 if kind != _NONE and chance >= self._sure else None
            x0, y0, x1, y1 = (round(v, 2) for v in spot[:4])
            # a die that is hardly one has no sure value either
            confidence = round(min(1.0, spot[4] * 2) * chance, 5)
            dice.append(FoundDie((x0, y0, x1, y1), value, confidence, round(spot[4], 4)))
        return sorted(dice, key=lambda die: -die.confidence)

    def _look(self, image: Image, scale: float) -> list[_Spot]:
        height, width = image.shape[:2]
        w, h = max(16, round(width * scale)), max(16, round(height * scale))
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        small = image if (w, h) == (width, height) else cv2.resize(image, (w, h), interpolation=how)
        rows = []
        for y0 in _starts(h):
            for x0 in _starts(w):
                part = np.asarray(small[y0 : y0 + _STRIP, x0 : x0 + _STRIP], np.uint8)
                found = self._net(part)
                found[:, [0, 2]] += x0
                found[:, [1, 3]] += y0
                rows.append(found)
        found = np.concatenate(rows)
        found = found[np.argsort(-found[:, 4], kind="stable")]
        kept: list[NDArray[np.float64]] = []
        for row in found:
            if all(_apart(row, other) for other in kept):
                kept.append(row)
        fx, fy = width / w, height / h
        return [
            (float(r[0] * fx), float(r[1] * fy), float(r[2] * fx), float(r[3] * fy), float(r[4]))
            for r in kept
        ]

    def _net(self, part: Image) -> NDArray[np.float64]:
        """Rows of x0, y0, x1, y1 and score, pixels of the part."""
        h, w = part.shape[:2]
        padded = np.full((-(-h // 8) * 8, -(-w // 8) * 8, 3), 114, np.uint8)
        padded[:h, :w] = part
        maps = self._model.run(np.ascontiguousarray(padded.transpose(2, 0, 1)[None]))[0][0]
        heat = np.ascontiguousarray(maps[0])
        peak = cv2.dilate(heat, np.ones((3, 3), np.uint8))
        ys, xs = np.nonzero((heat >= peak) & (heat > self._least))
        v = maps[:, ys, xs].astype(np.float64)
        centre = np.stack((xs + 0.5 + v[1], ys + 0.5 + v[2])) * _STRIDE
        half = _SIDE_BASE * np.exp(v[3:5].clip(-2, 3)) / 2
        return np.concatenate((centre - half, centre + half, v[:1])).T


def crop_of(image: Image, box: tuple[float, ...]) -> NDArray[np.uint8]:
    """The square around a die's box (3, 32, 32), averaged down or magnified."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0, 1.0) * _MARGIN
    cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
    fine = max(1, round(side / PIPS_PX))
    n = PIPS_PX * fine
    scale = side / n
    matrix = np.array(
        ((scale, 0, cx - side / 2 + scale / 2 - 0.5), (0, scale, cy - side / 2 + scale / 2 - 0.5))
    )
    crop = cv2.warpAffine(
        image,
        matrix,
        (n, n),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if fine > 1:
        crop = cv2.resize(crop, (PIPS_PX, PIPS_PX), interpolation=cv2.INTER_AREA)
    return np.ascontiguousarray(crop.transpose(2, 0, 1), np.uint8)


def _starts(length: int) -> list[int]:
    """Where parts begin so that they overlap and cover all."""
    if length <= _STRIP:
        return [0]
    return list(range(0, length - _OVERLAP, _STRIP - _OVERLAP))


def _apart(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Whether two boxes are two dice: less than four tenths of the smaller one in common."""
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return True
    area = min((a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1]))
    return bool(w * h < 0.4 * area)
