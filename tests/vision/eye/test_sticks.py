"""Sticks by their shape: on the felt, beside tiles, under an arm."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

import hardware.virtual_table
from tests.vision.seen_from_above import CAMERA, quad
from vision.changes.motion import CELL
from vision.eye.sticks import StickWatch
from vision.geometry import TableGeometry

DATA = Path(hardware.virtual_table.__file__).parent / "data"
TABLE = TableGeometry.load(DATA / "geometry-riichi.toml")
WIDTH, HEIGHT = CAMERA.size
CELLS = (-(-HEIGHT // CELL), -(-WIDTH // CELL))
ALL, NONE = np.ones(CELLS, bool), np.zeros(CELLS, bool)


def felt() -> np.ndarray:
    return np.full((HEIGHT, WIDTH, 3), (70, 110, 40), np.uint8)


def draw(image: np.ndarray, corners: np.ndarray) -> None:
    cv2.fillConvexPoly(image, np.round(corners).astype(np.int32), (235, 240, 240), cv2.LINE_AA)


@pytest.mark.parametrize("side", range(4))
def test_a_stick_lies_where_it_lies(side: int) -> None:
    pose, image = TABLE.stick_pose(side), felt()
    draw(image, quad(pose.x + 3.0, pose.y - 2.0, 4.0, pose.angle, 90.0, 8.0))
    (stick,) = StickWatch(CAMERA, TABLE).look(image, ALL, NONE)
    assert (stick.x, stick.y) == pytest.approx((pose.x + 3.0, pose.y - 2.0), abs=1.5)


def test_discards_in_a_row_are_no_stick() -> None:
    """Their upper rims, cut off by the place that is looked at, were as long and white as one."""
    image, width = felt(), TABLE.tile_width
    low = TABLE.stick_pose(0).y - 23.0
    tiles = [
        quad(width * n, low - TABLE.tile_height / 2, 16.0, 0.0, width, TABLE.tile_height)
        for n in (-2, -1, 0, 1)
    ]
    for tile in tiles:
        draw(image, tile)
    watch = StickWatch(CAMERA, TABLE)
    assert len(watch.look(image, ALL, NONE)) == 1, "what the eye had to be told"
    assert watch.look(image, ALL, NONE, tiles) == ()
    pose = TABLE.stick_pose(0)
    draw(image, quad(pose.x, pose.y, 4.0, pose.angle, 90.0, 8.0))
    (stick,) = watch.look(image, ALL, NONE, tiles)
    assert stick.y == pytest.approx(pose.y, abs=1.5)


def test_what_an_arm_covers_is_not_reported_and_not_forgotten() -> None:
    pose, image = TABLE.stick_pose(0), felt()
    draw(image, quad(pose.x, pose.y, 4.0, pose.angle, 90.0, 8.0))
    watch = StickWatch(CAMERA, TABLE)
    assert len(watch.look(image, ALL, NONE)) == 1
    assert watch.look(felt(), NONE, ALL) == ()
    assert len(watch.look(felt(), NONE, NONE)) == 1
    assert watch.look(felt(), ALL, NONE) == ()
