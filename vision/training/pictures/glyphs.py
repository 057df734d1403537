"""The pens of drawn faces: characters of fonts, whole faces of tile fonts, vector sets."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from vision.training.pictures.sources import DATA, Image

W, H = 72, 96
"""Size of a drawn face in pixels."""

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
    """Ink of one character, cropped to its bounding box, 0..255; None where it has no glyph."""
    canvas = Pil.new("L", (280, 280), 0)
    ImageDraw.Draw(canvas).text((40, 40), char, font=font_of(font, 160), fill=255)
    ink = np.asarray(canvas)
    ys, xs = np.nonzero(ink > 40)
    if len(ys) < 30:
        return None
    return ink[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


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
    return cv2.resize(ink[pad:-pad, pad:-pad], (W, H), interpolation=cv2.INTER_AREA)


@lru_cache(maxsize=256)
def vector_face(path: str) -> Image:
    """A vector face as BGRA at the face size."""
    import cairosvg  # a training-time package; the vector sets are read once

    png = cairosvg.svg2png(url=path, output_width=W * 2, output_height=H * 2)
    rgba = np.asarray(Pil.open(io.BytesIO(png)).convert("RGBA"))
    return cv2.resize(cv2.cvtColor(rgba, cv2.COLOR_RGBA2BGRA), (W, H), interpolation=cv2.INTER_AREA)


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
