"""Takes a picture file in: rotation, depth, alpha, size, and whether it is fit to be read."""

from __future__ import annotations

import struct
import warnings
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pil
from PIL import UnidentifiedImageError

from vision.image import Image

MOST_PIXELS = 64_000_000
MOST_SIDE = 16_000
LEAST_SIDE = 16
_DARK, _BRIGHT, _SOFT = 45.0, 215.0, 2.2
_MOVED, _ONE_WAY = 4.5, 1.4
"""Sharpness along the softest direction below which, and that many times sharper across it, a
picture moved. Photographs at rest: above 4.7 and at most 1.3 times; moved by 7 pixels in 640:
below 4.3 and 1.4 to 3 times (5th and 95th percentiles over four families)."""
_STRETCHED = 1.6
"""Tiles that are wider or narrower than their shape by less may be seen aslant, by 45 degrees."""
_WAYS: tuple[NDArray[np.float32], ...] = (
    np.array(((0, 0, 0), (1, -2, 1), (0, 0, 0)), np.float32),
    np.array(((0, 1, 0), (0, -2, 0), (0, 1, 0)), np.float32),
    np.array(((0.5, 0, 0), (0, -1, 0), (0, 0, 0.5)), np.float32),
    np.array(((0, 0, 0.5), (0, -1, 0), (0.5, 0, 0)), np.float32),
)
"""Curvature along four directions."""
_ORIENTATION = 0x0112
"""EXIF's tag for how the camera was held."""
_TURNS = {
    2: Pil.Transpose.FLIP_LEFT_RIGHT,
    3: Pil.Transpose.ROTATE_180,
    4: Pil.Transpose.FLIP_TOP_BOTTOM,
    5: Pil.Transpose.TRANSPOSE,
    6: Pil.Transpose.ROTATE_270,
    7: Pil.Transpose.TRANSVERSE,
    8: Pil.Transpose.ROTATE_90,
}
"""What turns a picture upright, by its orientation."""


class PictureError(Exception):
    """A file that is no picture to be read; the message names the file and says why."""


@dataclass(frozen=True, slots=True)
class Quality:
    """How fit a picture is.

    Attributes:
        light: 95th percentile of the brightness, 0..255: low in the dark.
        shade: 5th percentile of the brightness: high where everything is overexposed.
        detail: strongest edges over what a blurred picture of the same contrast has; about 1 where
            nothing is sharp.
        along: the same along the direction in which the picture is softest.
        across: and along that in which it is sharpest.
    """

    light: float
    shade: float
    detail: float
    along: float
    across: float

    def notes(self) -> tuple[str, ...]:
        """What is wrong with the picture, each with its measure; empty if nothing is."""
        said = []
        if self.light < _DARK:
            said.append(f"too dark: brightest parts {self.light:.0f} of 255 (needs {_DARK:.0f})")
        if self.shade > _BRIGHT:
            said.append(
                f"too bright: darkest parts {self.shade:.0f} of 255 (at most {_BRIGHT:.0f})"
            )
        if self.detail < _SOFT:
            said.append(f"out of focus or moved: sharpness {self.detail:.1f} (needs {_SOFT:.1f})")
        elif self.along < _MOVED and self.across > _ONE_WAY * self.along:
            said.append(
                f"moved during the exposure: sharpness {self.along:.1f} along the motion "
                f"(needs {_MOVED:.1f}), {self.across:.1f} across it"
            )
        return tuple(said)


def load_picture(path: Path) -> Image:
    """Decode a picture file, upright as its camera was held.

    Args:
        path: JPEG, PNG, WebP, TIFF, BMP …; grey, with alpha or 16 bits a channel as well.

    Returns:
        (H, W, 3) uint8, BGR.

    Raises:
        PictureError: missing, not a picture, damaged, too large or too small.
    """
    try:
        with warnings.catch_warnings(), path.open("rb") as file:
            warnings.simplefilter("ignore")
            picture = Pil.open(file)
            width, height = picture.size
            if width * height > MOST_PIXELS or max(width, height) > MOST_SIDE:
                raise PictureError(
                    f"{path}: {width} x {height} pixels, at most {MOST_SIDE} a side and "
                    f"{MOST_PIXELS // 1_000_000} million in all"
                )
            if min(width, height) < LEAST_SIDE:
                raise PictureError(f"{path}: {width} x {height} pixels, too small to show a tile")
            picture.load()
            return _bgr(_upright(picture))
    except PictureError:
        raise
    except FileNotFoundError:
        raise PictureError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise PictureError(f"{path}: is a folder, not a picture") from None
    except Pil.DecompressionBombError:
        raise PictureError(f"{path}: more than {MOST_PIXELS // 1_000_000} million pixels") from None
    except UnidentifiedImageError:
        raise PictureError(f"{path}: not a picture in a format that can be read") from None
    except (OSError, SyntaxError, ValueError, EOFError, RuntimeError) as error:
        raise PictureError(f"{path}: damaged or cut off ({str(error).strip()[:90]})") from None


def _upright(picture: Pil.Image) -> Pil.Image:
    """Turned as its EXIF says; as it is where that cannot be read.

    Nothing but the orientation is looked at: cameras and editors write odd values beside it.
    """
    try:
        turn = _TURNS.get(picture.getexif().get(_ORIENTATION, 1))
    except (OSError, SyntaxError, ValueError, TypeError, LookupError, struct.error):
        return picture
    return picture if turn is None else picture.transpose(turn)


def _bgr(picture: Pil.Image) -> Image:
    """Eight bits, three channels; alpha is laid on white."""
    if picture.mode in ("I;16", "I;16L", "I;16B", "I", "F"):
        values = np.asarray(picture, np.float64)
        values = np.nan_to_num(values, posinf=0.0, neginf=0.0)
        top = 65535.0 if values.max() > 255 else 255.0
        if picture.mode == "F" and values.max() <= 1.0:
            top = 1.0  # as light is computed with, not as it is stored
        grey = (values.clip(0, top) / top * 255).astype(np.uint8)
        return np.ascontiguousarray(np.repeat(grey[..., None], 3, axis=2))
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        over = picture.convert("RGBA")
        ground = Pil.new("RGBA", over.size, (255, 255, 255, 255))
        picture = Pil.alpha_composite(ground, over)
    rgb = np.asarray(picture.convert("RGB"), np.uint8)
    return np.ascontiguousarray(rgb[..., ::-1])


def quality(image: Image) -> Quality:
    """Measure light and sharpness of a picture (H, W, 3)."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    longest = max(grey.shape)
    if longest > 1600:
        f = 1600 / longest
        grey = np.asarray(cv2.resize(grey, None, fx=f, fy=f, interpolation=cv2.INTER_AREA))
    light, shade = (float(v) for v in np.percentile(grey, (95, 5)))
    smooth = np.asarray(cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 0.8), np.float32)
    blurred = np.asarray(cv2.GaussianBlur(smooth, (0, 0), 3.0), np.float32)
    around = sum(_WAYS[:2], np.zeros((3, 3), np.float32))
    detail = _sharper(smooth, blurred, around, 0.35)
    ways = [_sharper(smooth, blurred, way, 0.2) for way in _WAYS]
    return Quality(
        round(light, 1), round(shade, 1), round(detail, 2), round(min(ways), 2), round(max(ways), 2)
    )


def in_shape(image: Image, wider: float) -> Image:
    """The picture (H, W, 3) without the pixels that stretching it one way gave it.

    Stretched pictures are soft along one direction only, as if they had been moved.

    Args:
        image: to be made so many times as wide for its height.
        wider: below 1 where the picture was stretched sideways, above where upwards.
    """
    if max(wider, 1 / wider) < _STRETCHED:
        return image
    across, down = min(1.0, wider), min(1.0, 1 / wider)
    return np.asarray(
        cv2.resize(image, None, fx=across, fy=down, interpolation=cv2.INTER_AREA), np.uint8
    )


def _sharper(
    fine: NDArray[np.float32], broad: NDArray[np.float32], way: NDArray[np.float32], least: float
) -> float:
    """Strongest curvature over that of the same picture blurred.

    Sharp edges have far more fine than broad curvature, blurred ones hardly more. ``least`` keeps
    the noise of an empty picture from counting as detail.
    """
    strongest = [
        float(np.percentile(np.abs(np.asarray(cv2.filter2D(p, -1, way)))[::2, ::2], 99.5))
        for p in (fine, broad)
    ]
    return strongest[0] / max(least, strongest[1])
