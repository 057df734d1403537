"""Faces that few sets show, made of those that many show: birds, red fives, other inks."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image

_BODIES = (235, 240, 240), (215, 230, 238), (228, 232, 228), (245, 245, 245), (205, 215, 215)
_INKS = (
    (40, 110, 30), (60, 130, 20), (90, 150, 30), (30, 30, 200), (40, 40, 160), (150, 50, 20),
    (180, 80, 30), (20, 20, 20), (45, 40, 35), (60, 60, 60), (30, 120, 200), (110, 60, 60),
)  # fmt: skip


def reddened(rng: np.random.Generator, face: Image) -> Image:
    """A plain five with all its ink red, as Japanese makers mark the red ones.

    Some reds are dark: what tells them is that all the ink is of one colour.
    """
    bgr = face.astype(np.float32)
    h, w = face.shape[:2]
    inner = bgr[h // 12 : -h // 12, w // 12 : -w // 12].reshape(-1, 3)
    body = np.percentile(inner, 80, axis=0)
    # how much of each pixel is ink: the darkest of its colours, beside the body's
    ink = (1 - (bgr / np.maximum(body, 1)).min(2)).clip(0, 1)
    ink = np.clip(ink * rng.uniform(1.05, 1.4), 0, 1)[..., None]
    dark = 1.0 if rng.random() < 0.8 else rng.uniform(0.5, 0.8)
    red = np.array((rng.uniform(20, 80), rng.uniform(15, 70), rng.uniform(130, 235)), np.float32)
    red *= dark
    shade = (bgr.mean(2, keepdims=True) / max(1.0, float(body.mean()))).clip(0.35, 1.1)
    made: NDArray[np.float32] = (body * (1 - ink) + red * shade**0.4 * ink).clip(0, 255)
    return made.astype(np.uint8)


def inked(rng: np.random.Generator, face: Image) -> Image:
    """The same drawing in other inks, a little bent, thicker or thinner."""
    out = face
    if rng.random() < 0.7:
        hsv = cv2.cvtColor(out, cv2.COLOR_BGR2HSV).astype(np.int16)
        hsv[..., 0] = (hsv[..., 0] + int(rng.integers(180))) % 180
        hsv[..., 1] = (hsv[..., 1] * rng.uniform(0, 1.2)).clip(0, 255)
        out = np.asarray(cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), np.uint8)
    roll = rng.random()
    if roll < 0.2:
        out = np.asarray(cv2.erode(out, np.ones((2, 2), np.uint8)), np.uint8)
    elif roll < 0.3:
        out = np.asarray(cv2.dilate(out, np.ones((2, 2), np.uint8)), np.uint8)
    return bent(rng, out, 0.035)


def bent(rng: np.random.Generator, face: Image, most: float) -> Image:
    """A face drawn by another hand: smoothly displaced by up to ``most`` of its width."""
    h, w = face.shape[:2]
    coarse = rng.normal(0, most * w, (5, 4, 2)).astype(np.float32)
    coarse[[0, -1]] = 0
    coarse[:, [0, -1]] = 0
    shift = cv2.resize(coarse, (w, h), interpolation=cv2.INTER_CUBIC)
    ys, xs = np.mgrid[:h, :w].astype(np.float32)
    across, down = xs + shift[..., 0], ys + shift[..., 1]
    return np.asarray(
        cv2.remap(face, across, down, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE), np.uint8
    )


def bird(rng: np.random.Generator, width: int, height: int) -> Image:
    """A one of bamboos in a style of its own: a peacock from the front or a bird from the side."""
    k = 4
    w, h = width * k, height * k
    face = np.empty((h, w, 3), np.uint8)
    face[:] = _BODIES[rng.integers(len(_BODIES))]
    inks = [_INKS[i] for i in rng.choice(len(_INKS), 4)]
    line = int(rng.integers(2, 5)) * k // 2
    (_peacock if rng.random() < 0.5 else _sideways)(rng, face, inks, line)
    if rng.random() < 0.5:
        face = np.ascontiguousarray(face[:, ::-1])
    small = cv2.resize(face, (width, height), interpolation=cv2.INTER_AREA)
    scale = rng.uniform(0.8, 1.0)
    m = np.array(
        [[scale, 0, width * (1 - scale) / 2], [0, scale, height * (1 - scale) / 2]], np.float32
    )
    small = cv2.warpAffine(small, m, (width, height), borderMode=cv2.BORDER_REPLICATE)
    return bent(rng, np.asarray(small, np.uint8), 0.03)


def _at(face: Image, x: float, y: float) -> tuple[int, int]:
    return int(x * face.shape[1]), int(y * face.shape[0])


def _feather(
    rng: np.random.Generator, face: Image, root: tuple[int, int], tip: tuple[int, int],
    inks: list[tuple[int, int, int]], line: int,
) -> None:  # fmt: skip
    cv2.line(face, root, tip, inks[0], line, cv2.LINE_AA)
    r = int(face.shape[1] * rng.uniform(0.03, 0.05))
    cv2.circle(face, tip, r, inks[1], -1 if rng.random() < 0.5 else line, cv2.LINE_AA)
    cv2.circle(face, tip, max(1, r // 2), inks[2], -1, cv2.LINE_AA)
    side = np.array(tip) - np.array(root)
    length = float(np.linalg.norm(side))
    if length < 1:
        return
    across = np.array((-side[1], side[0])) / length
    for share in np.arange(0.35, 0.95, rng.uniform(0.12, 0.22)):
        p = np.array(root) + side * share
        for way in (-1, 1):
            q = p + (side / length + way * across) * length * 0.09
            cv2.line(face, _whole(p), _whole(q), inks[0], max(1, line // 2), cv2.LINE_AA)


def _whole(p: np.ndarray) -> tuple[int, int]:
    return int(p[0]), int(p[1])


def _peacock(
    rng: np.random.Generator, face: Image, inks: list[tuple[int, int, int]], line: int
) -> None:
    """From the front: a body with its fan of feathers below, wings and a small head."""
    w, h = face.shape[1], face.shape[0]
    middle = rng.uniform(0.34, 0.48)
    root = _at(face, 0.5, middle)
    wide = rng.uniform(0.3, 0.42)
    for t in np.linspace(-1, 1, int(rng.integers(5, 12))):
        low = rng.uniform(0.84, 0.93) - 0.16 * abs(t)
        _feather(rng, face, root, _at(face, 0.5 + wide * t, low), inks, line)
    if rng.random() < 0.6:  # a second row of eyes
        for t in np.linspace(-0.6, 0.6, int(rng.integers(3, 7))):
            p = _at(face, 0.5 + wide * t, rng.uniform(0.62, 0.72))
            cv2.circle(face, p, int(w * 0.035), inks[3], line, cv2.LINE_AA)
    for way in (-1, 1):
        for k in range(int(rng.integers(2, 5))):
            a = (0.5 + way * 0.08, middle - 0.05 + 0.03 * k)
            b = (0.5 + way * rng.uniform(0.24, 0.4), middle - rng.uniform(0.0, 0.16) + 0.05 * k)
            cv2.line(face, _at(face, *a), _at(face, *b), inks[k % 2], line * 2, cv2.LINE_AA)
    cv2.ellipse(face, root, (int(w * 0.1), int(h * 0.11)), 0, 0, 360, inks[2], -1, cv2.LINE_AA)
    top = _at(face, 0.5, middle - 0.16)
    cv2.circle(face, top, int(w * rng.uniform(0.06, 0.09)), inks[1], -1, cv2.LINE_AA)
    for t in (-0.06, 0, 0.06):
        cv2.line(face, top, _at(face, 0.5 + t, middle - 0.27), inks[0], line, cv2.LINE_AA)


def _sideways(
    rng: np.random.Generator, face: Image, inks: list[tuple[int, int, int]], line: int
) -> None:
    """From the side: a standing or flying bird with legs, wing, beak and a long or short tail."""
    w, h = face.shape[1], face.shape[0]
    x, y = rng.uniform(0.42, 0.58), rng.uniform(0.5, 0.64)
    lean = float(rng.uniform(-75, 10))
    body = (int(w * rng.uniform(0.17, 0.26)), int(w * rng.uniform(0.1, 0.16)))
    for t in np.linspace(-1, 1, int(rng.integers(2, 7))):  # tail
        a = np.deg2rad(lean + 180 + 24 * t + rng.uniform(-20, 20))
        long = rng.uniform(0.28, 0.5)
        tip = _at(face, x + np.cos(a) * long, y + np.sin(a) * long * w / h)
        tip = (int(np.clip(tip[0], 0.06 * w, 0.94 * w)), int(np.clip(tip[1], 0.06 * h, 0.94 * h)))
        _feather(rng, face, _at(face, x, y), tip, inks, line)
    for t in (-0.05, 0.06):
        foot = _at(face, x + t + rng.uniform(-0.04, 0.04), min(0.93, y + rng.uniform(0.22, 0.3)))
        cv2.line(face, _at(face, x + t, y + 0.06), foot, inks[3], line, cv2.LINE_AA)
        cv2.line(face, (foot[0] - 2 * line, foot[1]), (foot[0] + 3 * line, foot[1]), inks[3], line)
    cv2.ellipse(face, _at(face, x, y), body, lean, 0, 360, inks[0], -1, cv2.LINE_AA)
    if rng.random() < 0.7:  # scales or a wing
        for k in range(int(rng.integers(2, 5))):
            cv2.ellipse(face, _at(face, x - 0.02 * k, y), (body[0] - k * body[0] // 5, body[1] * 2),
                        lean + 60, 0, 120, inks[1 + k % 2], line, cv2.LINE_AA)  # fmt: skip
    a = np.deg2rad(lean + rng.uniform(-35, 15))
    reach = rng.uniform(0.24, 0.36)
    head = (x + np.cos(a) * reach, y + np.sin(a) * reach * w / h)
    r = rng.uniform(0.06, 0.1)
    cv2.line(face, _at(face, x, y), _at(face, *head), inks[0], int(w * r), cv2.LINE_AA)
    cv2.circle(face, _at(face, *head), int(w * r), inks[1], -1, cv2.LINE_AA)
    cv2.circle(face, _at(face, *head), max(1, int(w * r * 0.3)), (255, 255, 255), -1, cv2.LINE_AA)
    beak = _at(face, head[0] + 1.9 * r, head[1] + rng.uniform(-0.03, 0.03))
    cv2.line(face, _at(face, *head), beak, inks[3], line * 2, cv2.LINE_AA)
    if rng.random() < 0.5:  # grass, a branch or a rock below
        for _ in range(int(rng.integers(1, 5))):
            a0, b0 = rng.uniform(0.08, 0.92), rng.uniform(0.8, 0.95)
            cv2.line(face, _at(face, a0, b0), _at(face, a0 + rng.uniform(-0.2, 0.2), b0 - 0.1),
                     inks[2], line, cv2.LINE_AA)  # fmt: skip
