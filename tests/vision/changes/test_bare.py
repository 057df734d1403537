"""What looks as it did when it was empty is empty."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.changes.bare import BareGround
from vision.changes.motion import CELL, SHRINK

CELLS = (30, 40)
QUAD = np.array([[100.0, 80], [130, 80], [130, 120], [100, 120]])


def felt(light: float = 1.0, seed: int = 0) -> np.ndarray:
    """A quarter-size picture of cloth with the outline of a hatch that looks like a tile."""
    sub = CELL // SHRINK
    image = np.full((CELLS[0] * sub, CELLS[1] * sub, 3), (60.0, 110, 40))
    cv2.rectangle(image, (25, 20), (33, 30), (40.0, 80, 30), 1)
    noise = np.random.default_rng(seed).normal(0, 0.8, image.shape)
    return np.clip(image * light + noise, 0, 255).astype(np.uint8)


def with_tile(colour: tuple[int, int, int]) -> np.ndarray:
    image = felt(seed=5)
    cv2.rectangle(image, (25, 20), (32, 29), colour, -1)
    cv2.line(image, (25, 30), (33, 30), (20, 30, 20), 1)  # its side and shadow
    cv2.line(image, (33, 20), (33, 30), (20, 30, 20), 1)
    return image


@pytest.fixture
def ground() -> BareGround:
    bare = BareGround(CELLS)
    for seed in (1, 2):
        bare.learn(felt(seed=seed), np.ones(CELLS, bool), 1.0)
    return bare


def test_a_mark_of_the_table_is_no_tile(ground: BareGround) -> None:
    assert ground.is_bare(felt(seed=3), QUAD, 1.0)


@pytest.mark.parametrize("colour", [(235, 240, 240), (150, 90, 30), (64, 116, 36), (60, 110, 40)])
def test_a_tile_is_one_even_in_the_colour_of_the_cloth(
    ground: BareGround, colour: tuple[int, int, int]
) -> None:
    assert not ground.is_bare(with_tile(colour), QUAD, 1.0)


@pytest.mark.parametrize(("missed", "bare"), [(1, False), (4, False), (5, True)])
def test_a_tile_that_looks_miss_is_no_part_of_the_table_yet(
    ground: BareGround, missed: int, bare: bool
) -> None:
    """A discard that one look missed was taken for felt, and not seen for more than two seconds."""
    tile = with_tile((235, 240, 240))
    for _ in range(missed):
        ground.learn(tile, np.ones(CELLS, bool), 1.0)
    assert ground.is_bare(tile, QUAD, 1.0) == bare
    # Once it is gone the table is the one that was known.
    assert bare or ground.is_bare(felt(seed=4), QUAD, 1.0)


def test_what_changes_for_a_look_now_and_then_changes_nothing(ground: BareGround) -> None:
    """The shadow of a hand."""
    for _ in range(6):
        ground.learn(felt(0.8), np.ones(CELLS, bool), 1.0)
        ground.learn(felt(seed=6), np.ones(CELLS, bool), 1.0)
    assert ground.is_bare(felt(seed=7), QUAD, 1.0)


def test_other_light_says_nothing(ground: BareGround) -> None:
    assert not ground.is_bare(felt(0.8), QUAD, 1.0)


def test_one_look_is_not_enough_and_only_what_is_free_is_learnt() -> None:
    bare = BareGround(CELLS)
    bare.learn(felt(), np.ones(CELLS, bool), 1.0)
    assert not bare.is_bare(felt(), QUAD, 1.0)
    far = np.ones(CELLS, bool)
    far[8:17, 10:18] = False
    bare.learn(felt(), far, 1.0)
    assert not bare.is_bare(felt(), QUAD, 1.0)


def test_a_certain_tile_refutes_what_was_learnt(ground: BareGround) -> None:
    ground.occupied(QUAD)
    assert not ground.is_bare(felt(), QUAD, 1.0)


def test_outside_the_picture(ground: BareGround) -> None:
    assert not ground.is_bare(felt(), QUAD + 10000, 1.0)
    assert not ground.is_bare(felt(), QUAD - 10000, 1.0)
