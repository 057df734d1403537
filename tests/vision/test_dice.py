"""The dice reader on frames of the virtual table and on drawn dice."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.eyes_scene import frame
from vision.dice import DiceReader

EDGE_PX = 14 * 1.14


@pytest.fixture(scope="module")
def reader() -> DiceReader:
    return DiceReader()


def test_dice_at_rest_on_the_table(reader: DiceReader) -> None:
    n = right = wrong = 0
    for seed in range(20, 32):
        image, truth = frame(seed)
        found = reader.find(image[340:740, 760:1160], EDGE_PX)
        for die in truth.dice:
            if die.value is None or die.visible < 0.9:
                continue
            n += 1
            middle = np.array(
                ((die.box[0] + die.box[2]) / 2 - 760, (die.box[1] + die.box[3]) / 2 - 340)
            )
            near = [
                d
                for d in found
                if np.hypot(
                    (d.box[0] + d.box[2]) / 2 - middle[0], (d.box[1] + d.box[3]) / 2 - middle[1]
                )
                < 8
            ]
            right += bool(near) and near[0].value == die.value
            wrong += bool(near) and near[0].value not in (die.value, None)
    assert n >= 10
    assert right >= n - 1
    assert wrong == 0


def _die(value: int, red: bool, angle: float, size: int = 60) -> np.ndarray:
    """A white die on felt, drawn large and exact."""
    picture = np.full((240, 240, 3), (60, 100, 40), np.uint8)
    box = cv2.boxPoints(((120, 120), (size, size), angle))
    cv2.fillConvexPoly(picture, np.round(box).astype(np.int32), (238, 240, 240), cv2.LINE_AA)
    g = 0.26 * size
    spots = {
        1: [(0, 0)],
        2: [(-g, -g), (g, g)],
        3: [(-g, -g), (0, 0), (g, g)],
        4: [(-g, -g), (g, -g), (-g, g), (g, g)],
        5: [(-g, -g), (g, -g), (-g, g), (g, g), (0, 0)],
        6: [(-g, -g), (g, -g), (-g, 0), (g, 0), (-g, g), (g, g)],
    }[value]
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    r = int(size * (0.2 if value == 1 and red else 0.1))
    for u, v in spots:
        p = (round(120 + u * c - v * s), round(120 + u * s + v * c))
        cv2.circle(picture, p, r, (30, 30, 190) if red else (20, 20, 20), -1, cv2.LINE_AA)
    return picture


@pytest.mark.parametrize("value", range(1, 7))
@pytest.mark.parametrize("angle", [0.0, 33.0])
def test_drawn_dice_red_ones_and_fours_too(reader: DiceReader, value: int, angle: float) -> None:
    for red in (False, True) if value in (1, 4) else (False,):
        found = reader.find(_die(value, red, angle), 60.0)
        assert [d.value for d in found if d.confidence > 0.3] == [value], (value, red)


def test_no_dice_on_an_empty_cloth(reader: DiceReader) -> None:
    cloth = np.full((300, 400, 3), (60, 110, 50), np.uint8)
    assert reader.find(cloth, 20.0) == []
    assert reader.find(cloth) == []


def test_the_same_picture_gives_the_same_dice(reader: DiceReader) -> None:
    image, _ = frame(20)
    part = image[340:740, 760:1160]
    assert DiceReader().find(part, EDGE_PX) == DiceReader().find(part, EDGE_PX)
