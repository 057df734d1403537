"""What may lie under and around drawn dice and is none."""

from __future__ import annotations

import random

import cv2
import numpy as np

from vision.image import Image
from vision.training.dice import boards
from vision.training.pictures import face_data, grounds, lookalikes, sources, taught

_BOARDS = 0.14
"""Share of grounds that are printed boards."""


class Grounds:
    """What may lie under and around dice and is none."""

    def __init__(self, rng: np.random.Generator) -> None:
        pick = random.Random(int(rng.integers(1 << 30)))
        self.photos = [p.image() for p in pick.sample(sources.without_dice(), 140)]
        self.plain = grounds.home_grounds(90)
        bank = face_data.Bank()
        face_data.photographed(bank, taught.NEXT.designs)
        self.faces = [image for rows in bank.designs.values() for image, _ in rows]

    def patch(self, rng: np.random.Generator, size: int) -> Image:
        """A random ground (size, size, 3)."""
        if rng.random() < _BOARDS:
            return boards.board(rng, size)[0]
        if rng.random() < 0.5:
            source = self.photos[rng.integers(len(self.photos))]
            h, w = source.shape[:2]
            s = int(min(h, w) * rng.uniform(0.15, 1.0))
            x, y = rng.integers(0, w - s + 1), rng.integers(0, h - s + 1)
            how = cv2.INTER_AREA if s > size else cv2.INTER_CUBIC
            out = cv2.resize(source[y : y + s, x : x + s], (size, size), interpolation=how)
            out = np.rot90(np.asarray(out, np.uint8), int(rng.integers(4)))
            return np.ascontiguousarray(out)
        if rng.random() < 0.2:
            return _bare(rng, size)
        canvas = grounds.cloth(rng, size, self.plain)
        if rng.random() < 0.5:
            grounds.clutter(rng, canvas, size * float(rng.uniform(0.08, 0.3)))
        if rng.random() < 0.35:
            self.lay_tiles(rng, canvas)
        if rng.random() < 0.4:
            lookalikes.draw(rng, canvas, size * float(rng.uniform(0.06, 0.16)))
        return canvas

    def lay_tiles(self, rng: np.random.Generator, canvas: Image) -> None:
        """A few photographed faces, in a row."""
        size = canvas.shape[0]
        w = int(size * rng.uniform(0.1, 0.4))
        x, y = rng.uniform(0, size * 0.7, 2)
        for k in range(rng.integers(1, 6)):
            face = self.faces[rng.integers(len(self.faces))]
            h = int(w * face.shape[0] / face.shape[1])
            small = cv2.resize(face, (w, h), interpolation=cv2.INTER_AREA)
            a, b = int(x + k * w * 1.04), int(y)
            room = canvas[b : b + h, a : a + w]
            room[:] = small[: room.shape[0], : room.shape[1]]


def _bare(rng: np.random.Generator, size: int) -> Image:
    """A board or lid of one colour under uneven light."""
    grey = rng.uniform(30, 235)
    colour = (grey + rng.normal(0, 12, 3)).astype(np.float32)
    light = rng.normal(0, 1, (3, 3)).astype(np.float32) * np.float32(rng.uniform(0, 0.12))
    light = np.asarray(cv2.resize(light, (size, size), interpolation=cv2.INTER_CUBIC), np.float32)
    grain = rng.normal(0, rng.uniform(0, 4), (size, size, 1))
    return (colour * (1 + light[..., None]) + grain).clip(0, 255).astype(np.uint8)
