"""Whether a die leans, by its outline: one that lies flat shows little but its upper side.

From above the outline of a die that lies is a square, at most a little longer away from the camera,
where a side shows; one that leans on something shows two faces and is about a third longer than
wide. What its pips say is no help: both faces show some.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from vision.changes.motion import Mask
from vision.image import Image

_ENLARGED: Final = 4
"""A die of 14 pixels is measured to a quarter of a pixel."""
_REACH: Final = 1.5
_GROUND: Final = 1.1, 1.45
_BODY: Final = 0.35
"""Reach of the picture, ring that shows the ground, disc that shows the body: in dice."""
_STANDS_OUT: Final = 15.0
"""A body is so far from the ground's colour (CIELAB), and lighter: shadows are darker. How much the
ground differs from itself says nothing: half of it may be the rim of the tray and the felt beyond
(1704007); what is as light as the die belongs to no outline of one die."""
_BODIES: Final = 0.5, 0.3
"""From this share of the way from the ground's colour to the body's on it is the die: the face that
leans away from the lamp may be half as bright as the other."""
_OTHER_COLOUR: Final = 0.8
"""What differs from the ground by more of another colour, as a share of the die's, is a lamp beside
it: a lit one made a die that lay longer."""
_WIDTH, _LENGTH, _WHOLE = (0.8, 1.25), 1.6, 0.93
"""Width and greatest length of an outline (dice), and its least share of its hull: else it is not
that of one die."""
_LONGER: Final = 1.16
"""So much longer than wide is no die that lies below the camera. Of 128 rendered dice of 13 to 19
pixels that lie none is longer than 1.13, of 93 that lean 87 are."""
_SIDE: Final = 0.2
"""Share of the slant (tangent) by which the side that shows makes it look longer."""


def leans(image: Image, box: Sequence[float], die_px: float, slant: float) -> bool | None:
    """Whether the outline of a die is that of one that leans; None where it cannot be made out.

    Args:
        image: (H, W, 3) BGR.
        box: x0, y0, x1, y1 of the die, pixels.
        die_px: edge of a die, pixels.
        slant: tangent of the angle between the line of sight and the plumb line.
    """
    outlines = _outlines(image, box, die_px)
    if not outlines:
        return None
    return any(length > width * (_LONGER + _SIDE * slant) for width, length in outlines)


def _outlines(image: Image, box: Sequence[float], die_px: float) -> list[tuple[float, float]]:
    """Width and length of the die's outline, pixels, with and without what lies in its own shade.

    None of them where it does not stand out.
    """
    reach = round(_REACH * die_px)
    left, top = round((box[0] + box[2]) / 2) - reach, round((box[1] + box[3]) / 2) - reach
    right, bottom = left + 2 * reach, top + 2 * reach
    if left < 0 or top < 0 or right > image.shape[1] or bottom > image.shape[0]:
        return []
    part = np.ascontiguousarray(image[top:bottom, left:right], np.float32) / 255.0
    large = cv2.resize(part, None, fx=_ENLARGED, fy=_ENLARGED, interpolation=cv2.INTER_CUBIC)
    lab = cv2.cvtColor(large.clip(0.0, 1.0), cv2.COLOR_BGR2LAB)
    ring, disc = _ring_and_disc(len(lab), die_px)
    # Colour by colour: numbers that lie together are sorted three times as fast.
    ground = np.median(np.ascontiguousarray(lab[ring].T), axis=1)
    towards = np.median(np.ascontiguousarray(lab[disc].T), axis=1) - ground
    body = float(np.linalg.norm(towards))
    if towards[0] <= 0.0 or body < _STANDS_OUT:
        return []
    # Shadows lie on the other side of the ground.
    off_ground = lab - ground
    towards_body = off_ground @ (towards / body**2)
    off = np.einsum("ijk,ijk->ij", off_ground, off_ground) / body**2
    own_colour = off - towards_body**2 <= (_OTHER_COLOUR * towards_body) ** 2
    outlines = [_outline((towards_body > share) & own_colour, die_px) for share in _BODIES]
    return [outline for outline in outlines if outline is not None]


@lru_cache(maxsize=8)
def _ring_and_disc(pixels: int, die_px: float) -> tuple[Mask, Mask]:
    """Where an enlarged picture of so many pixels shows the ground, and where the die's body."""
    middle = (np.arange(pixels) - (pixels - 1) / 2) / (_ENLARGED * die_px)
    away = np.hypot(*np.meshgrid(middle, middle))
    return (away > _GROUND[0]) & (away < _GROUND[1]), away < _BODY


def _outline(body: Mask, die_px: float) -> tuple[float, float] | None:
    """Width and length of what is in the middle, pixels; None where that is not one die."""
    nearer = body.astype(np.uint8)
    mask = cv2.morphologyEx(nearer, cv2.MORPH_CLOSE, np.ones((2 * _ENLARGED + 1,) * 2, np.uint8))
    shapes, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    middle = (len(body) / 2.0, len(body) / 2.0)
    shape = next(
        (s for s in shapes if cv2.pointPolygonTest(s, middle, measureDist=False) > 0), None
    )
    if shape is None:
        return None
    hull = cv2.convexHull(shape)
    width, length = sorted(side / _ENLARGED for side in cv2.minAreaRect(hull)[1])
    if not _WIDTH[0] <= width / die_px <= _WIDTH[1] or length > _LENGTH * die_px:
        return None
    whole = cv2.contourArea(shape) >= _WHOLE * cv2.contourArea(hull)
    return (width, length) if whole else None
