"""What may be taken for a die and is none."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image


def draw(rng: np.random.Generator, canvas: Image, unit: float) -> None:
    """Lamps, buttons, screws, tokens, counters, specks and blank cubes; none is a die."""
    size = canvas.shape[0]
    for _ in range(rng.integers(1, 6)):
        x, y = (int(v) for v in rng.uniform(0, size, 2))
        r = max(2, int(unit * rng.uniform(0.35, 0.8)))
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        other = tuple(int(v) for v in rng.integers(0, 256, 3))
        kind = rng.integers(6)
        if kind == 0:  # a button or a screw
            cv2.circle(canvas, (x, y), r, colour, -1, cv2.LINE_AA)
            if rng.random() < 0.5:
                cv2.circle(canvas, (x, y), max(1, int(r * rng.uniform(0.2, 0.8))), other,
                           int(rng.integers(1, 3)), cv2.LINE_AA)  # fmt: skip
        elif kind == 1:  # a lamp with its glow
            glow: NDArray[np.float32] = np.zeros(canvas.shape[:2], np.float32)
            if rng.random() < 0.5:
                cv2.circle(glow, (x, y), r, 1.0, -1)
            else:
                cv2.rectangle(glow, (x - r, y - r // 2), (x + r, y + r // 2), 1.0, -1)
            soft = max(0.6, r * float(rng.uniform(0.1, 0.7)))
            glow = np.asarray(cv2.GaussianBlur(glow, (0, 0), soft), np.float32)
            canvas[:] = (canvas * (1 - glow[..., None]) + np.array(colour) * glow[..., None]).clip(
                0, 255
            )
        elif kind == 2:  # a round token with a digit or dots under it
            cv2.circle(canvas, (x, y), r, colour, -1, cv2.LINE_AA)
            cv2.putText(canvas, str(rng.integers(2, 13)), (x - r // 2, y + r // 3), 0,
                        r / 30, other, 1, cv2.LINE_AA)  # fmt: skip
        elif kind == 3:  # a plain cube or square button
            angle = float(rng.uniform(0, 90))
            for f, c in ((1.0, tuple(int(v * 0.7) for v in colour)), (0.86, colour)):
                box = cv2.boxPoints(((x, y), (2 * r * f, 2 * r * f), angle))
                cv2.fillConvexPoly(canvas, np.round(box * 8).astype(np.int32), c, cv2.LINE_AA, 3)
        elif kind == 4:  # specks of a stone or a cloth
            for _ in range(rng.integers(10, 90)):
                p = (int(rng.integers(size)), int(rng.integers(size)))
                cv2.circle(canvas, p, int(rng.integers(0, 3)), other, -1, cv2.LINE_AA)
        else:  # a dotted pattern
            step = max(4, int(unit * rng.uniform(0.4, 1.2)))
            for i in range(rng.integers(2, 9)):
                for j in range(rng.integers(2, 9)):
                    cv2.circle(canvas, (x + i * step, y + j * step),
                               max(1, int(step * 0.2)), other, -1, cv2.LINE_AA)  # fmt: skip
