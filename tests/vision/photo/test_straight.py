"""A tile that was framed askew is framed as those around it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.nets.reader import FaceReading
from vision.photo.readings import ReadTile
from vision.photo.straight import straightened
from vision.sightings import Posture


def _tile(x: float, y: float, degrees: float, face: str, confidence: float = 0.99) -> ReadTile:
    a = np.radians(degrees)
    spin = np.array(((np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))))
    corners = np.array(((-24, -28), (24, -28), (24, 28), (-24, 28))) @ spin + (x, y)
    p, q, r, s = ((float(u), float(v)) for u, v in corners)
    return ReadTile(face, confidence, (p, q, r, s), Posture.FACE_UP, 1.0)


def _block(turn: float, around: int, askew: float, face: str = "?") -> list[ReadTile]:
    """A tile in the middle of others, all turned by ``turn`` and it by ``askew`` more."""
    spots = [(50, 0), (-50, 0), (0, 58), (0, -58)][:around]
    a = np.radians(turn)
    spin = np.array(((np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))))
    turned = [np.array(spot) @ spin for spot in spots]
    others = [_tile(300 + x, 300 + y, turn, f"{k}m") for k, (x, y) in enumerate(turned, 1)]
    return [_tile(300, 300, turn + askew, face, 0.7), *others]


class Reader:
    """Reads a face where it is framed straight, and counts what it was asked."""

    def __init__(self, turn: float, confidence: float = 0.98, *, upside_down: bool = False) -> None:
        self.turn, self.confidence, self.upside_down, self.asked = turn, confidence, upside_down, 0

    def __call__(self, quads: NDArray[np.float32]) -> list[FaceReading]:
        self.asked += len(quads)
        across = quads[:, 1] - quads[:, 0]
        off = np.degrees(np.arctan2(across[:, 1], across[:, 0])) - self.turn
        return [
            FaceReading(
                (("4z", self.confidence if abs(o) < 2 else 0.3),),
                self.upside_down,
                sure=bool(abs(o) < 2),
            )
            for o in off
        ]


@pytest.mark.parametrize("turn", [0.0, 20.0])
@pytest.mark.parametrize("askew", [45.0, 20.0, -30.0])
def test_a_tile_askew_is_framed_as_those_around(turn: float, askew: float) -> None:
    """A north wind in a block of a squeezed picture was framed at 45 degrees and told as `?`."""
    tiles = _block(turn, 4, askew)
    told = straightened(tiles, Reader(turn))
    assert told[0].tile == "4z"
    assert np.allclose(told[0].quad, _tile(300, 300, turn, "4z").quad, atol=1e-3)
    assert told[1:] == tiles[1:]


def test_the_quad_begins_at_the_faces_own_top_left() -> None:
    (told, *_) = straightened(_block(0, 4, 45), Reader(0, upside_down=True))
    assert np.allclose(told.quad, np.roll(_tile(300, 300, 0, "4z").quad, -2, axis=0), atol=1e-3)


@pytest.mark.parametrize(
    ("tiles", "reader", "asked"),
    [
        (_block(0, 4, 45, "5m"), Reader(0, 0.7), 4),
        (_block(0, 2, 45), Reader(0), 0),
        (_block(0, 4, 5), Reader(0), 0),
        (_block(0, 4, 90), Reader(0), 0),
        ([replace(_block(0, 4, 45, "1s")[0], confidence=0.95), *_block(0, 4, 0)[1:]], Reader(0), 0),
    ],
    ids=["read no better", "too few around", "hardly askew", "across the others", "surely read"],
)
def test_what_stays_as_it_was_framed(tiles: list[ReadTile], reader: Reader, asked: int) -> None:
    assert straightened(tiles, reader) == tiles
    assert reader.asked == asked


def test_tiles_strewn_about_say_nothing() -> None:
    askew, *others = _block(0, 4, 45)
    strewn = []
    for k, other in enumerate(others):
        x, y = other.centre
        strewn.append(replace(other, quad=_tile(x, y, 25.0 * k, "1m").quad))
    reader = Reader(0)
    assert straightened([askew, *strewn], reader)[0] == askew
    assert reader.asked == 0
