"""Plants of our own drawing for flowers and seasons: stems, leaves and blossoms in few strokes.

Which plant it is differs from set to set: what tells such a tile is the sign beside it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import cv2
import numpy as np

from vision.training.pictures.sources import Image

Tone = tuple[int, int, int]
_FINE = 4
"""Drawn so many times larger, with whole pixels of it as width of a line."""


class Pen:
    """What draws lines of one colour on ink and colour of a face, in shares of it."""

    def __init__(self, ink: Image, colour: Image, line: int) -> None:
        self.ink, self.colour, self.line = ink, colour, line

    def stroke(self, points: np.ndarray, tone: Tone, *, filled: bool = False) -> None:
        """A curve (n, 2), or the area within it."""
        high, wide = self.ink.shape
        fine = np.zeros((high * _FINE, wide * _FINE), np.uint8)
        whole = (points * (wide * _FINE, high * _FINE)).astype(np.int32)
        if filled:
            cv2.fillPoly(fine, [whole], 255)
        else:
            cv2.polylines(fine, [whole], False, 255, self.line)
        mark = cv2.resize(fine, (wide, high), interpolation=cv2.INTER_AREA)
        self.colour[mark > 30] = tone
        np.maximum(self.ink, mark, out=self.ink)


def _bow(a: np.ndarray, b: np.ndarray, bend: float, steps: int = 10) -> np.ndarray:
    """A curve from a to b that leaves the straight line by a share of its length."""
    t = np.linspace(0, 1, steps)[:, None]
    way = b - a
    aside = np.array((-way[1], way[0])) * bend
    return (1 - t) * a + t * b + 4 * t * (1 - t) * aside


def _leaf(
    rng: random.Random, pen: Pen, root: np.ndarray, angle: float, tone: Tone, filled: bool
) -> None:
    """A leaf of two bows, with or without its vein."""
    tip = root + rng.uniform(0.09, 0.22) * np.array((np.cos(angle), np.sin(angle)))
    fat = rng.uniform(0.12, 0.3)
    edge = np.concatenate((_bow(root, tip, fat), _bow(tip, root, fat)))
    pen.stroke(edge, tone, filled=filled)
    if not filled and rng.random() < 0.5:
        pen.stroke(_bow(root, tip, 0), tone)


def _blossom(
    rng: random.Random, pen: Pen, at: np.ndarray, petals: int, tone: Tone, filled: bool
) -> None:
    """Petals around a middle."""
    far, r = rng.uniform(0.04, 0.09), rng.uniform(0.03, 0.065)
    turn = np.linspace(0, 2 * np.pi, 14)
    ring = np.stack((np.cos(turn), np.sin(turn) * 0.75), 1)
    for k in range(petals):
        a = 2 * np.pi * k / petals
        pen.stroke(
            at + far * np.array((np.cos(a), np.sin(a) * 0.75)) + r * ring, tone, filled=filled
        )
    if rng.random() < 0.6:
        pen.stroke(at + 0.4 * r * ring, tone)


def plant(
    rng: random.Random,
    ink: Image,
    colour: Image,
    greens: Sequence[Tone],
    others: Sequence[Tone],
) -> None:
    """A plant on ``ink`` (h, w) and ``colour`` (h, w, 3): stems from one root, leaves, blossoms."""
    pen = Pen(ink, colour, rng.randint(3, 9))
    root = np.array((rng.uniform(0.38, 0.62), rng.uniform(0.84, 0.94)))
    green, filled = rng.choice(greens), rng.random() < 0.45
    bright, full = rng.choice(others), rng.random() < 0.35
    tips = []
    for _ in range(rng.randint(1, 4)):
        tip = np.array((rng.uniform(0.2, 0.8), rng.uniform(0.16, 0.6)))
        stem = _bow(root, tip, rng.uniform(-0.2, 0.2))
        pen.stroke(stem, green)
        tips.append(tip)
        for _ in range(rng.randint(1, 6)):
            side = rng.choice((-1, 1)) * rng.uniform(0.4, 1.2)
            _leaf(rng, pen, stem[rng.randrange(len(stem))], side - np.pi / 2, green, filled)
    for _ in range(rng.randint(0, 4)):  # grass, or leaves that hang down
        _leaf(rng, pen, root, rng.uniform(-np.pi, 0), green, filled)
    spots = [rng.choice(tips) if rng.random() < 0.5 else (root + rng.choice(tips)) / 2]
    spots += [np.array((rng.uniform(0.2, 0.8), rng.uniform(0.35, 0.85)))] * (rng.random() < 0.4)
    petals = rng.randint(4, 9)
    for at in spots[: rng.randint(0, 2) + (len(tips) < 3)]:
        _blossom(rng, pen, at, petals, bright, full)
