"""Corners drawn out to the rims of drawn tiles, whose corners are known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.image import Image
from vision.photo import rims
from vision.photo.readings import ReadTile
from vision.photo.rims import drawn_out, on_rims
from vision.photo.sides import without_sides
from vision.sightings import Posture

_WIDE, _HIGH = 44, 60
_FELT, _CLOTH = (40, 110, 40), (225, 230, 232)
_FACE, _SIDE, _BACK = (235, 240, 240), (150, 170, 180), (40, 60, 10)


def _table(
    count: int,
    gap: int = 0,
    *,
    table: tuple[int, int, int] = _FELT,
    side: int = 0,
    groove: bool = True,
) -> tuple[Image, NDArray[np.float64]]:
    """A row of tiles seen from above, or aslant with a side of so many pixels; their corners."""
    image = np.full((240, 700, 3), table, np.uint8)
    rng = np.random.default_rng(3)
    corners = []
    for i in range(count):
        x, y = 30 + i * (_WIDE + gap), 80
        low, right = y + _HIGH, x + _WIDE
        if side:
            image[low : low + side, x:right] = _SIDE
            image[low + side : low + 2 * side, x:right] = _BACK
        image[y:low, x:right] = _FACE
        if groove:
            image[y:low, x] = (170, 175, 175)
        for _ in range(4):
            a, b = int(rng.integers(x + 8, right - 16)), int(rng.integers(y + 8, low - 16))
            image[b : b + 9, a : a + 9] = rng.integers(0, 200, 3)
        corners.append([(x, y), (right, y), (right, low), (x, low)])
    return np.asarray(cv2.GaussianBlur(image, (3, 3), 0.8), np.uint8), np.array(corners, np.float64)


def _within(corners: NDArray[np.float64], wide: float, high: float) -> NDArray[np.float64]:
    middle = corners.mean(1, keepdims=True)
    return np.asarray(middle + (corners - middle) * (wide, high), np.float64)


@pytest.mark.parametrize(
    ("scene", "shrunk"),
    [
        pytest.param(_table(8), (0.86, 0.9), id="a row whose tiles touch"),
        pytest.param(_table(8, groove=False), (0.86, 0.9), id="touching, no groove between"),
        pytest.param(_table(8, 5), (0.9, 0.92), id="the table shows between"),
        pytest.param(_table(8, 5), (1, 1), id="the table shows between, the quads are right"),
        pytest.param(_table(8), (1, 1), id="the quads are right"),
        pytest.param(_table(8, side=14), (0.9, 0.92), id="sides with dark backs below"),
        pytest.param(_table(8, table=_CLOTH, groove=False), (0.9, 0.92), id="on white cloth"),
        pytest.param(_table(5, 30), (0.86, 0.9), id="far from each other"),
        pytest.param(_table(1), (0.86, 0.9), id="one tile"),
        pytest.param(_table(1), (1, 1), id="one tile, the quad is right"),
    ],
)
def test_sides_come_to_lie_on_the_rims(
    scene: tuple[Image, NDArray[np.float64]], shrunk: tuple[float, float]
) -> None:
    image, corners = scene
    off = (drawn_out(image, _within(corners, *shrunk)) - corners) / (_WIDE, _HIGH)
    assert np.abs(off).max() < 0.02


def test_a_tile_upside_down_in_its_row_keeps_its_own_top_left() -> None:
    image, corners = _table(8)
    quads = _within(corners, 0.88, 0.92)
    quads[3] = np.roll(quads[3], 2, axis=0)
    drawn = drawn_out(image, quads)
    assert np.abs(drawn[3] - np.roll(corners[3], 2, axis=0)).max() < 1
    assert np.abs(np.delete(drawn, 3, 0) - np.delete(corners, 3, 0)).max() < 1


def test_a_rim_is_where_it_was_looked_for() -> None:
    """On a slope that hardly bends the lower rim of a 9s was put above its upper half."""
    rng = np.random.default_rng(7)
    rows, steps = 4, len(rims._AT)
    for _ in range(300):
        slope = np.cumsum(rng.normal(0, 1, (rows, steps)), axis=1)
        changes = 30 + slope + np.cumsum(np.full(steps, 0.5)) * rng.normal(0, 3)
        found = rims._rims(changes, 0.5, 5.0, (0.43, 0.72))
        if found is not None:
            reach = rims._OWN + 2 * rims._STEP
            assert (found > 0.43 - reach).all()
            assert (found < 0.72 + reach).all()


def test_without_a_rim_a_face_grows_as_faces_usually_do() -> None:
    blank = np.full((200, 200, 3), 230, np.uint8)
    quad = np.array([[(80, 80), (110, 80), (110, 120), (80, 120)]], np.float64)
    drawn = drawn_out(blank, quad)[0]
    assert np.ptp(drawn, axis=0) == pytest.approx((30 * 1.12, 40 * 1.07))
    assert drawn.mean(0) == pytest.approx((95, 100))


def _tile(
    face: str, x: float, y: float, wide: float, high: float, posture: Posture = Posture.FACE_UP
) -> ReadTile:
    return ReadTile(
        face, 0.98, ((x, y), (x + wide, y), (x + wide, y + high), (x, y + high)), posture, 1.0
    )


def test_backs_and_tiles_on_edge_stay_as_they_were_found() -> None:
    image, _ = _table(3)
    tiles = [
        _tile("back", 32, 84, 38, 52, Posture.FACE_DOWN),
        _tile("?", 76, 84, 38, 52, Posture.STANDING),
    ]
    assert on_rims(image, tiles) == tiles
    assert on_rims(image, []) == []


@pytest.mark.parametrize(
    ("tile", "stays"),
    [
        pytest.param(_tile("5z", 32, 142, 40, 24), False, id="a white dragon that is a side"),
        pytest.param(_tile("?", 32, 142, 40, 24), False, id="an unread face that is a side"),
        pytest.param(
            _tile("back", 32, 142, 40, 24, Posture.FACE_DOWN), False, id="a back that is a side"
        ),
        pytest.param(_tile("5z", 32, 152, 40, 58), True, id="too far for a side"),
        pytest.param(_tile("1p", 32, 142, 40, 24), True, id="it was read as something"),
        pytest.param(_tile("5z", 32, 90, 40, 40), True, id="the face itself"),
    ],
)
def test_a_blank_side_is_no_face(tile: ReadTile, stays: bool) -> None:
    image = np.full((240, 120, 3), _FELT, np.uint8)
    image[80:140, 30:74] = _FACE
    image[140:230, 30:74] = _SIDE
    face = _tile("7m", 30, 80, 44, 60)
    kept = without_sides(image, [face, tile])
    assert face in kept
    assert (tile in kept) == stays


def test_a_printed_tile_near_to_another_is_no_side() -> None:
    image, corners = _table(1)
    x, y = corners[0][0]
    printed = _tile("?", x + 4, y + 4, 36, 50)
    beside = _tile("7m", x, y - 44, _WIDE, _HIGH)
    assert without_sides(image, [beside, printed]) == [beside, printed]


def test_below_a_back_the_side_of_a_wall_is_no_face() -> None:
    image = np.full((240, 120, 3), _FELT, np.uint8)
    image[140:170, 30:74] = _SIDE
    back = _tile("back", 30, 80, 44, 60, Posture.FACE_DOWN)
    assert without_sides(image, [back, _tile("?", 32, 142, 40, 26)]) == [back]
