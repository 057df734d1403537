"""Sides of tiles that were taken for faces or backs: blank as white dragons and unread faces are.

A tile seen aslant shows the side towards the camera. It lies against the face it belongs to, nearer
to its middle than another tile could.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.image import Image
from vision.nets.bodies import BLANK
from vision.nets.evidence import UNKNOWN
from vision.photo.readings import ReadTile
from vision.sightings import Posture

_UNPRINTED = (BLANK, UNKNOWN)
_NEXT, _BEFORE = (0.55, 0.85), 0.35
"""Where the middle of a side lies from the middle of its tile's face, in sides of the face: across
the rim, and along it at most. The next tile begins at 0.89, should the face be drawn too wide."""
_PLAIN = 12.0
"""Grey levels that a surface without a print differs from an even slope of light (standard
deviation): sides 2 to 8, faces 20 and more, in 18 photographs."""


def without_sides(image: Image, tiles: Sequence[ReadTile]) -> list[ReadTile]:
    """The tiles of a picture but for blank ones that are a side of another.

    Args:
        image: (H, W, 3) BGR.
        tiles: with the corners that the picture shows.
    """
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    faces = [t for t in tiles if t.posture is Posture.FACE_UP and t.tile != UNKNOWN]
    backs = [t for t in tiles if t.posture is Posture.FACE_DOWN]

    def is_side(tile: ReadTile) -> bool:
        if tile.posture is Posture.FACE_DOWN:
            # a back against a back may be of the tile below it
            shown = faces
        elif tile.posture is Posture.FACE_UP and tile.tile in _UNPRINTED:
            shown = [*faces, *backs]
        else:
            return False
        against = any(_lies_against(tile, other) for other in shown if other is not tile)
        return against and _unevenness(grey, tile) <= _PLAIN

    return [tile for tile in tiles if not is_side(tile)]


def _lies_against(side: ReadTile, face: ReadTile) -> bool:
    at = np.abs(np.linalg.pinv(np.stack(face.axes, 1)) @ (side.centre - face.centre))
    low, high = sorted(float(x) for x in at)
    return low < _BEFORE and _NEXT[0] < high < _NEXT[1]


def _unevenness(grey: NDArray[np.uint8], tile: ReadTile) -> float:
    """By how much the middle of a tile differs from an even slope of light, grey levels."""
    places = np.linspace(-0.4, 0.4, 12)
    x, y = (g.ravel() for g in np.meshgrid(places, places))
    at = (tile.centre + np.stack((x, y), 1) @ np.stack(tile.axes)).astype(np.float32)
    seen = cv2.remap(
        grey, at[None, :, 0], at[None, :, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )[0].astype(np.float64)
    slope = np.stack((np.ones_like(x), x, y), 1)
    return float(np.std(seen - slope @ np.linalg.lstsq(slope, seen, rcond=None)[0]))
