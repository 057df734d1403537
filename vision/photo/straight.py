"""Tiles that were framed askew among tiles that lie straight.

Where a face is about as wide as it is high, as in pictures that were squeezed, the finder does not
know which of its sides is the long one, and turns the quad between the two. What is read in it is
nothing. The tiles around tell how it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vision.nets.reader import FaceReading
from vision.photo.plausible import SURELY, faces_told
from vision.photo.readings import ReadTile
from vision.sightings import Posture

_AROUND, _LEAST, _FAR = 4, 3, 2.6
"""So many surely read tiles around tell how one lies, at least; how far off they may be, in
lengths of their diagonals over two."""
_ALIKE, _ASKEW = 0.9, 12.0
"""How much the directions of those around agree (0..1), and from how many degrees one is askew."""

Read = Callable[[NDArray[np.float32]], Sequence[FaceReading]]


def straightened(tiles: Sequence[ReadTile], read: Read) -> list[ReadTile]:
    """The tiles of a picture, those framed askew as those around them, where that is read surely.

    Args:
        tiles: of one picture.
        read: reads the faces within quads (N, 4, 2).
    """
    told = [t for t in faces_told(tiles) if t.confidence >= SURELY]
    return [_straight(tile, told, read) for tile in tiles]


def _straight(tile: ReadTile, told: Sequence[ReadTile], read: Read) -> ReadTile:
    if tile.posture is not Posture.FACE_UP or any(tile is other for other in told):
        return tile
    around = sorted(
        (other for other in told if _apart(tile, other) < _FAR), key=lambda o: _apart(tile, o)
    )[:_AROUND]
    if len(around) < _LEAST or not _is_askew(tile, around):
        return tile
    framed = [np.array(o.quad, np.float32) - np.float32(o.centre - tile.centre) for o in around]
    best, quad = max(
        zip(read(np.stack(framed)), framed, strict=True), key=lambda pair: pair[0].confidence
    )
    if not best.sure or best.confidence < SURELY:
        return tile
    a, b, c, d = ((float(x), float(y)) for x, y in np.roll(quad, -2 * best.turned, axis=0))
    return replace(
        tile,
        tile=best.label,
        confidence=best.confidence,
        quad=(a, b, c, d),
        likely=best.faces,
        turn=best.turn_confidence,
    )


def _apart(tile: ReadTile, other: ReadTile) -> float:
    """How far off another tile is, in halves of its diagonal."""
    a, _, c, _ = np.array(other.quad, np.float64)
    half = max(1e-9, float(np.linalg.norm(c - a)) / 2)
    return float(np.linalg.norm(tile.centre - other.centre)) / half


def _is_askew(tile: ReadTile, around: Sequence[ReadTile]) -> bool:
    """Whether it is turned against tiles that all lie straight to each other."""
    common = sum(map(_way, around)) / len(around)
    off = float(np.degrees(np.angle(_way(tile) * common.conjugate()))) / 4
    return abs(common) >= _ALIKE and abs(off) > _ASKEW


def _way(tile: ReadTile) -> complex:
    """Its direction, the same for tiles that stand at right angles."""
    right, _ = tile.axes
    return complex(np.exp(4j * np.arctan2(right[1], right[0])))
