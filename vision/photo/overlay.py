"""Draws what was read over the picture it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.nets.evidence import UNKNOWN
from vision.sightings import Posture

if TYPE_CHECKING:
    from vision.photo.readings import ReadDie, ReadTile

Colour = tuple[int, int, int]

_COLOURS: dict[Posture, Colour] = {
    Posture.FACE_UP: (60, 200, 60),
    Posture.FACE_DOWN: (220, 160, 40),
    Posture.STANDING: (220, 60, 220),
    Posture.UNSURE: (120, 120, 120),
}
_UNKNOWN: Colour = (40, 90, 250)
_DIE: Colour = (0, 200, 255)


def draw(image: Image, tiles: Sequence[ReadTile], dice: Sequence[ReadDie]) -> Image:
    """A copy of the picture with every tile's outline, label and top side, and every die.

    Args:
        image: (H, W, 3) BGR.
        tiles: with quads in its pixels; the side from the first to the second corner is drawn
            thicker: the top of the face.
        dice: with boxes in its pixels.
    """
    out = image.copy()
    for tile in tiles:
        quad = np.array(tile.quad, np.float32)
        side = float(np.linalg.norm(quad[1] - quad[0]))
        thick = max(1, round(side / 26))
        colour = _UNKNOWN if tile.tile == UNKNOWN else _COLOURS[tile.posture]
        if tile.posture is Posture.STANDING:
            colour = _COLOURS[Posture.STANDING]
        corners = np.round(quad).astype(np.int32)
        cv2.polylines(out, [corners], isClosed=True, color=colour, thickness=thick)
        if tile.posture is Posture.FACE_UP:
            p, q = (tuple(int(v) for v in corners[k]) for k in (0, 1))
            cv2.line(out, p, q, colour, thick * 3)
            # in the lower part of the face, so that most of it stays to be seen
            spot = quad.mean(axis=0) * 0.35 + (quad[2] + quad[3]) / 2 * 0.65
            label(out, tile.tile, spot, side * 0.75, colour)
    for die in dice:
        x0, y0, x1, y1 = die.box
        thick = max(1, round((x1 - x0) / 22))
        cv2.rectangle(out, (round(x0), round(y0)), (round(x1), round(y1)), _DIE, thick)
        text = "?" if die.value is None else str(die.value)
        label(out, text, np.array(((x0 + x1) / 2, y0)), (x1 - x0) * 1.6, _DIE)
    return out


def label(out: Image, text: str, at: NDArray[np.floating], side: float, colour: Colour) -> None:
    """Draw text on a dark plate, about half a tile wide.

    Args:
        out: (H, W, 3) to draw on.
        text: what.
        at: (2,) its middle, pixels.
        side: width of the tile, pixels.
        colour: of the text.
    """
    scale = max(0.35, side / 62)
    thick = max(1, round(scale * 1.6))
    (w, h), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    x, y = round(float(at[0]) - w / 2), round(float(at[1]) + h / 2)
    cv2.rectangle(out, (x - 2, y - h - 2), (x + w + 2, y + base), (25, 25, 25), -1)
    cv2.putText(out, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, scale, colour, thick, cv2.LINE_AA)
