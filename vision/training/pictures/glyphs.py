"""The pens of drawn faces: characters of fonts, whole faces of tile fonts, vector sets."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from vision.image import Image
from vision.training.pictures.sources import DATA

W, H = 72, 96
"""Size of a drawn face in pixels."""
REDS = ((30, 30, 200), (40, 40, 170), (20, 20, 140), (60, 60, 220), (50, 40, 190))
GREENS = ((40, 110, 30), (60, 130, 20), (50, 80, 20), (90, 150, 30), (60, 70, 10))
BLUES = ((150, 50, 20), (180, 80, 30), (110, 30, 20), (120, 60, 10), (200, 90, 60))
BLACKS = ((20, 20, 20), (45, 40, 35), (60, 50, 50), (30, 15, 10))
"""Inks, BGR."""

_UNICODE = (
    [f"{n}z" for n in (1, 2, 3, 4, 7, 6, 5)]
    + [f"{n}m" for n in range(1, 10)]
    + [f"{n}s" for n in range(1, 10)]
    + [f"{n}p" for n in range(1, 10)]
    + ["5f", "6f", "7f", "8f", "1f", "2f", "3f", "4f"]
)


@lru_cache(maxsize=64)
def font_of(path: str, size: int) -> ImageFont.FreeTypeFont:
    """A font of a file, kept open."""
    return ImageFont.truetype(path, size)


@lru_cache(maxsize=512)
def glyph_of(font: str, char: str) -> Image | None:
    """Ink of a character or a short word, cropped, 0..255; None where the font has no glyph."""
    canvas = Pil.new("L", (280 + 130 * (len(char) - 1), 280), 0)
    ImageDraw.Draw(canvas).text((40, 40), char, font=font_of(font, 160), fill=255)
    ink = np.asarray(canvas)
    ys, xs = np.nonzero(ink > 40)
    if len(ys) < 30:
        return None
    return ink[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


def put(ink: Image, glyph: Image, x: float, y: float, w: float, h: float) -> None:
    """Paste a glyph's ink into the box centred at x, y (shares of the face)."""
    gw, gh = max(2, int(w * W)), max(2, int(h * H))
    small = cv2.resize(glyph, (gw, gh), interpolation=cv2.INTER_AREA)
    x0, y0 = int(x * W - gw / 2), int(y * H - gh / 2)
    xa, ya, xb, yb = max(0, x0), max(0, y0), min(W, x0 + gw), min(H, y0 + gh)
    if xb > xa and yb > ya:
        part = small[ya - y0 : yb - y0, xa - x0 : xb - x0]
        ink[ya:yb, xa:xb] = np.maximum(ink[ya:yb, xa:xb], part)


@lru_cache(maxsize=256)
def tile_glyph(font: str, label: str) -> Image:
    """A whole-face glyph without its outline frame, resized to the face."""
    path = str(DATA / "art" / f"{font}.otf")
    canvas = Pil.new("L", (300, 400), 0)
    ImageDraw.Draw(canvas).text(
        (40, 20), chr(0x1F000 + _UNICODE.index(label)), font=font_of(path, 240), fill=255
    )
    ink = np.asarray(canvas)
    ys, xs = np.nonzero(ink > 60)
    ink = ink[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1].copy()
    # the glyph draws the tile's outline: paint over the component that touches the corner rim
    n, parts, stats, _ = cv2.connectedComponentsWithStats((ink > 60).astype(np.uint8))
    frame = max(range(1, n), key=lambda i: stats[i, 2] * stats[i, 3])
    ink[cv2.dilate((parts == frame).astype(np.uint8), np.ones((3, 3))) > 0] = 0
    pad = int(ink.shape[0] * 0.02)
    small = cv2.resize(ink[pad:-pad, pad:-pad], (W, H), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


@lru_cache(maxsize=256)
def vector_face(path: str) -> Image:
    """A vector face as BGRA at the face size."""
    import cairosvg  # a training-time package; the vector sets are read once

    png = cairosvg.svg2png(url=path, output_width=W * 2, output_height=H * 2)
    rgba = np.asarray(Pil.open(io.BytesIO(png)).convert("RGBA"))
    bgra = cv2.cvtColor(rgba, cv2.COLOR_RGBA2BGRA)
    return np.asarray(cv2.resize(bgra, (W, H), interpolation=cv2.INTER_AREA), np.uint8)


def gl_path(label: str) -> Path:
    """Where a face of one of the vector sets lies, upside down."""
    n, s = int(label[0]), label[1]
    folder = DATA / "art" / "gl" / "svg"
    if s == "f":
        return folder / "converted" / f"f-{n - 1}.svg"
    letter = {"m": "c", "p": "d", "s": "b", "z": "h"}[s]
    if s == "z" and n > 4:  # the set orders its dragons red, green, white
        n = {5: 7, 6: 6, 7: 5}[n]
    return folder / "colored" / f"{letter}-{n - 1}.svg"
