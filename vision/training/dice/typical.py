"""What the two nets of dice meet, for the ranges of their numbers when they are quantised."""

from __future__ import annotations

import random
from collections.abc import Sequence

import cv2
import numpy as np

from vision.dice.crops import views_of
from vision.dice.finding import WORKING_PX
from vision.image import Image
from vision.training.dice.data import MARGIN, PIPS_PX
from vision.training.dice.grounds import Grounds
from vision.training.dice.photos import Die, kept_apart, photographs
from vision.training.dice.scenes import dice_frame, drawn
from vision.training.opened import opened

_DRAWN, _FRAMES, _PHOTOGRAPHS = 40, 3, 20
"""Scenes, frames of the virtual table, and photographs of each family."""
_LARGEST = 480
_EACH, _ELSEWHERE = 6, 2
"""Crops of one picture: around so many of its dice, and so many places besides."""
_MOST = 400
"""As many crops are enough; of each all numbers in the net are counted, which takes memory."""
_OFF = 0.06
"""By so much of a die the finder's boxes are off."""


def scenes(families: Sequence[str], seed: int = 11) -> list[tuple[Image, list[Die]]]:
    """Drawn, rendered and photographed dice; no photograph is kept for judging.

    Args:
        families: of photographs, those that taught the net.
        seed: decides which.
    """
    rng = np.random.default_rng(seed)
    ground = Grounds(rng)
    found = [drawn(rng, ground)[:2] for _ in range(_DRAWN)]
    found += [dice_frame(rng, 40)[:2] for _ in range(_FRAMES)]
    for family in families:
        rows = [(path, dice) for path, dice in photographs(family) if dice and not kept_apart(path)]
        for path, dice in random.Random(seed).sample(rows, min(_PHOTOGRAPHS, len(rows))):
            found.append((opened(path), list(dice)))
    return found


def pictures(families: Sequence[str]) -> list[Image]:
    """Pictures (H, W, 3) at the scale at which dice are found, sides multiples of 16."""
    found = []
    for image, dice in scenes(families):
        by = WORKING_PX / _size(dice)
        how = cv2.INTER_AREA if by < 1 else cv2.INTER_LINEAR
        small = cv2.resize(image, None, fx=by, fy=by, interpolation=how)
        height, width = (min(side, _LARGEST) // 16 * 16 for side in small.shape[:2])
        found.append(np.asarray(small[:height, :width], np.uint8))
    return found


def crops(families: Sequence[str], seed: int = 12) -> np.ndarray:
    """Crops (N, 3, px, px) of dice and of what is none, such as the reader of values meets.

    In no order.
    """
    rng = np.random.default_rng(seed)
    found = []
    for image, dice in scenes(families):
        size = _size(dice)
        height, width = image.shape[:2]
        middles = [((b[0] + b[2]) / 2, (b[1] + b[3]) / 2) for b, _ in dice[:_EACH]]
        middles += [tuple(rng.uniform((0, 0), (width, height))) for _ in range(_ELSEWHERE)]
        for middle in middles:
            x, y = np.array(middle) + rng.normal(0, _OFF * size, 2)
            half = size * rng.uniform(0.9, 1.1) / 2
            box = (x - half, y - half, x + half, y + half)
            # The mirrored views have the same ranges.
            found.append(views_of(image, box, PIPS_PX, MARGIN)[::2])
    every = np.concatenate(found)
    return np.asarray(every[rng.permutation(len(every))[:_MOST]], np.uint8)


def _size(dice: list[Die]) -> float:
    """Median longer side of the boxes, pixels."""
    return float(np.median([max(b[2] - b[0], b[3] - b[1]) for b, _ in dice]))
