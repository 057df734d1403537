"""What light, lens, sensor and storage do to a picture of tiles."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image


def light(
    rng: np.random.Generator, image: Image, strength: float = 1.0, palest: float = 0.15
) -> Image:
    """Uneven light, shadow edge, glare, colour cast, exposure, saturation (``palest`` at least)."""
    h, w = image.shape[:2]
    out = image.astype(np.float32)
    out *= rng.uniform(1 - 0.1 * strength, 1 + 0.1 * strength, 3).astype(np.float32)
    if rng.random() < 0.5 * strength:  # a lamp on one side
        a = rng.uniform(0, 2 * np.pi)
        xs = np.linspace(-1, 1, w, dtype=np.float32)[None] * np.float32(np.cos(a))
        ys = np.linspace(-1, 1, h, dtype=np.float32)[:, None] * np.float32(np.sin(a))
        out *= (1 + rng.uniform(0.05, 0.35) * (xs + ys))[..., None]
    if rng.random() < 0.2 * strength:  # the edge of a shadow
        a = rng.uniform(0, 2 * np.pi)
        xs = np.linspace(-1, 1, w, dtype=np.float32)[None] * np.float32(np.cos(a))
        ys = np.linspace(-1, 1, h, dtype=np.float32)[:, None] * np.float32(np.sin(a))
        edge = 1 / (1 + np.exp(-(xs + ys + rng.uniform(-0.7, 0.7)) * rng.uniform(4, 25)))
        out *= (1 - rng.uniform(0.15, 0.55) * edge)[..., None]
    if rng.random() < 0.12 * strength:  # a lamp mirrored in the surface
        cx, cy = rng.uniform(0, w), rng.uniform(0, h)
        r = rng.uniform(0.1, 0.4) * min(w, h)
        ys, xs = np.ogrid[:h, :w]
        spot = np.exp(-(((xs - cx) / r) ** 2 + ((ys - cy) / (r * rng.uniform(0.5, 2))) ** 2))
        out += (rng.uniform(40, 200) * spot)[..., None].astype(np.float32)
    if rng.random() < 0.3 * strength:
        grey = out.mean(2, keepdims=True)
        out = grey + (out - grey) * rng.uniform(palest, 1.5)
    gain, lift = rng.uniform(1 - 0.35 * strength, 1 + 0.2 * strength), rng.uniform(-15, 20)
    out = (out - 128) * rng.uniform(1 - 0.35 * strength, 1 + 0.2 * strength) + 128
    out = out * gain + lift * strength
    np.clip(out, 0, 255, out)
    if rng.random() < 0.4 * strength:
        bent = 255 * (out / 255) ** np.float32(np.exp(rng.uniform(-0.5, 0.5)))
        out = np.asarray(bent, np.float32)
    return out.astype(np.uint8)


def glare(rng: np.random.Generator, image: Image) -> Image:
    """One to three lamps mirrored in shiny tiles: small bright patches, hard or soft."""
    h, w = image.shape[:2]
    out = image.astype(np.float32)
    for _ in range(rng.integers(1, 4)):
        cx, cy, a = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(0, np.pi)
        r = rng.uniform(0.03, 0.16) * min(w, h)
        ys, xs = np.ogrid[:h, :w]
        u = ((xs - cx) * np.cos(a) + (ys - cy) * np.sin(a)) / r
        v = ((ys - cy) * np.cos(a) - (xs - cx) * np.sin(a)) / (r * rng.uniform(0.3, 1))
        spot = np.exp(-((u**2 + v**2) ** rng.uniform(0.7, 2)))
        out += (rng.uniform(60, 255) * spot)[..., None].astype(np.float32)
    return np.clip(out, 0, 255).astype(np.uint8)


def lens(rng: np.random.Generator, image: Image, most: float = 1.2) -> Image:
    """Defocus or motion blur; ``most`` is the greatest sigma in pixels."""
    roll = rng.random()
    if roll < 0.45:
        sigma = rng.uniform(0.2, most)
        return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)
    if roll < 0.55:
        n = max(3, round(most * 3))
        kernel = np.zeros((n, n), np.float32)
        a = rng.uniform(0, np.pi)
        c = (n - 1) / 2
        p = (round(c + c * np.cos(a)), round(c + c * np.sin(a)))
        q = (round(c - c * np.cos(a)), round(c - c * np.sin(a)))
        cv2.line(kernel, p, q, 1.0, 1)
        return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.uint8)
    if roll < 0.62:  # a camera that sharpens
        soft = cv2.GaussianBlur(image, (0, 0), 1.0)
        return np.asarray(cv2.addWeighted(image, 1.8, soft, -0.8, 0), np.uint8)
    return image


def sensor(rng: np.random.Generator, image: Image) -> Image:
    """Noise and JPEG."""
    if rng.random() < 0.6:
        sigma = rng.uniform(1, 9)
        noise = rng.standard_normal(image.shape, dtype=np.float32) * np.float32(sigma)
        image = np.clip(image + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        quality = int(rng.uniform(25, 95))
        _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        image = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)
    return image


def tinted(rng: np.random.Generator, image: Image) -> Image:
    """Lit by lamps of one colour: evenings at home, stages, screens."""
    tint = rng.uniform(0.2, 1.0, 3)
    grey = image.mean(2, keepdims=True)
    flat = grey + (image - grey) * rng.uniform(0.2, 0.8)
    lit: NDArray[np.float64] = flat * (tint / tint.max())
    return lit.clip(0, 255).astype(np.uint8)
