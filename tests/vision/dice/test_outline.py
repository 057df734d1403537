"""Outlines of dice that lie and of dice that lean, drawn on felt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.dice.outline import leans

DIE = 18.0
FELT, WHITE, BLACK = (60, 70, 45), (225, 228, 230), (25, 24, 26)
Colour = tuple[int, int, int]


def picture(
    *shapes: tuple[float, float, float, float, float, Colour], ground: Colour = FELT
) -> NDArray[np.uint8]:
    """Rectangles (x, y, width, length in dice, angle, colour) on even ground, a little blurred."""
    fine = 8
    image = np.full((80 * fine, 80 * fine, 3), ground, np.uint8)
    for x, y, width, length, angle, colour in shapes:
        size = (width * DIE * fine, length * DIE * fine)
        corners = cv2.boxPoints((((40 + x * DIE) * fine, (40 + y * DIE) * fine), size, angle))
        cv2.fillPoly(image, [np.round(corners).astype(np.int32)], colour)
    small = cv2.resize(image, (80, 80), interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(1).normal(0.0, 2.0, small.shape)
    return np.asarray((cv2.GaussianBlur(small, (0, 0), 0.7) + noise).clip(0, 255), np.uint8)


BOX = (28.0, 28.0, 52.0, 52.0)


@pytest.mark.parametrize("angle", [0.0, 17.0, 45.0, 80.0])
@pytest.mark.parametrize(
    ("length", "slant", "said"),
    [
        pytest.param(1.0, 0.0, False, id="a square lies"),
        pytest.param(1.1, 0.1, False, id="with a little of its side"),
        pytest.param(1.3, 0.05, True, id="two faces"),
        pytest.param(1.4, 0.25, True, id="two faces, from aslant"),
        pytest.param(1.22, 0.5, False, id="so far aslant that is its side"),
    ],
)
def test_an_outline_says_whether_a_die_leans(
    angle: float, length: float, slant: float, said: bool
) -> None:
    image = picture((0.0, 0.0, 1.0, length, angle, WHITE))
    assert leans(image, BOX, DIE, slant) is said


def test_the_face_in_the_shade_belongs_to_a_die_that_leans() -> None:
    """Half as bright as the other one, on dark felt: the rest was a square, and was read."""
    shade = (0.0, 0.5, 1.0, 0.5, 0.0, (105, 107, 108))
    upper = (0.0, -0.1, 1.0, 1.0, 0.0, WHITE)
    assert leans(picture(shade, upper, ground=(40, 38, 37)), BOX, DIE, 0.05)


@pytest.mark.parametrize(("length", "said"), [(1.0, False), (1.3, True)])
@pytest.mark.parametrize(
    "beyond",
    [
        pytest.param([(1.4, 0.0, 0.9, 4.0, 0.0)], id="an edge (457002)"),
        pytest.param(
            [(1.5, 0.0, 1.5, 4.0, 0.0), (0.0, -1.5, 4.0, 1.5, 0.0)], id="a corner (1704007)"
        ),
    ],
)
def test_a_part_of_the_ground_may_be_something_else(
    beyond: list[tuple[float, float, float, float, float]], length: float, said: bool
) -> None:
    """The rim of the tray and the felt beyond it: a die that leaned there was read."""
    felt = [(*place, (50, 140, 40)) for place in beyond]
    image = picture(*felt, (0.0, 0.0, 1.0, length, 12.0, WHITE), ground=(55, 50, 48))
    assert leans(image, BOX, DIE, 0.02) is said


@pytest.mark.parametrize("colour", [(40, 150, 190), (40, 30, 200), (60, 170, 50)])
def test_a_lit_lamp_beside_a_die_is_none_of_its_faces(colour: Colour) -> None:
    """A 5 beside the yellow lamp of a score display was not read: `die-invalid` in a legal game."""
    lamp = (0.1, -0.6, 0.4, 0.25, 0.0, colour)
    image = picture(lamp, (0.0, 0.0, 0.92, 0.93, 0.0, WHITE), ground=(51, 49, 48))
    assert leans(image, BOX, DIE, 0.02) is False


@pytest.mark.parametrize(
    "image",
    [
        pytest.param(
            picture((0.25, 0.25, 1.0, 1.2, 30.0, (35, 40, 26)), (0.0, 0.0, 1.0, 1.0, 0.0, WHITE)),
            id="a shadow is darker than the ground, not lighter",
        ),
        pytest.param(
            picture((0.0, 0.0, 1.0, 1.4, 0.0, BLACK)), id="a dark die and its shadow are one"
        ),
        pytest.param(
            picture((0.0, 0.0, 1.0, 1.4, 0.0, (70, 80, 55))), id="it hardly differs from the felt"
        ),
        pytest.param(
            picture((0.0, 0.5, 1.0, 2.0, 0.0, WHITE)), id="two that touch are longer than any die"
        ),
        pytest.param(
            picture((0.0, 0.0, 1.0, 1.0, 0.0, WHITE), (0.9, 0.6, 1.0, 1.0, 0.0, WHITE)),
            id="two that touch at a corner have no outline of one",
        ),
    ],
)
def test_where_the_outline_is_not_that_of_one_die_nothing_is_said(image: NDArray[np.uint8]) -> None:
    assert not leans(image, BOX, DIE, 0.0)


def test_at_the_edge_of_the_picture_nothing_is_said() -> None:
    image = picture((0.0, 0.0, 1.0, 1.4, 0.0, WHITE))
    assert not leans(image[30:], (28.0, 0.0, 52.0, 22.0), DIE, 0.0)
