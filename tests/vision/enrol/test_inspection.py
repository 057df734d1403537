"""What differs is said, and what only lies under other light is not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera.faces import DESIGNS, picture
from vision.enrol.inspection import marked_backs, marked_faces, other_shade, other_size

FACES = ("3m", "8m", "2p", "9p", "4s", "7s", "1z", "5z")


def crops(seed: int = 0, design: str = "classic") -> tuple[np.ndarray, list[list[int]]]:
    """Four of each face as a camera sees them: shifted, lit, softened, with noise."""
    rng = np.random.default_rng(seed)
    out = []
    for face in FACES:
        base = np.array(picture(face, DESIGNS[design], 96, 128))
        for _ in range(4):
            move = np.array([(1 + rng.normal(0, 0.01), 0, 0), (0, 1, 0)])
            move[:, 2] = rng.normal(0, 1.5, 2)
            seen = cv2.warpAffine(base, move, (96, 128), borderMode=cv2.BORDER_REPLICATE)
            seen = cv2.GaussianBlur(seen, (0, 0), 1.2) * rng.uniform(0.75, 0.95)
            out.append(np.clip(seen + rng.normal(0, 2, seen.shape), 0, 255).astype(np.uint8))
    groups = [list(range(4 * k, 4 * k + 4)) for k in range(len(FACES))]
    return np.array(out), groups


@pytest.mark.parametrize("design", sorted(DESIGNS))
def test_nothing_is_said_of_clean_tiles(design: str) -> None:
    tiles, groups = crops(3, design)
    assert marked_faces(tiles, groups) == []
    places = np.array([(k % 8, k // 8) for k in range(len(tiles))], float)
    assert other_shade(tiles, places) == []


@pytest.mark.parametrize("tile", [2, 9, 17, 30])
def test_a_scratch_is_found_where_it_is(tile: int) -> None:
    tiles, groups = crops(4)
    cv2.line(tiles[tile], (30, 70), (52, 92), (90, 95, 105), 3, cv2.LINE_AA)
    (odd,) = marked_faces(tiles, groups)
    assert odd.tile == tile
    assert odd.strength > 1
    assert odd.at is not None
    assert odd.at == pytest.approx((41 / 96, 81 / 128), abs=0.15)


def test_kinds_of_two_cannot_be_compared() -> None:
    tiles, _ = crops(4)
    cv2.circle(tiles[0], (40, 60), 9, (40, 40, 40), -1)
    assert marked_faces(tiles, [[0, 1]]) == []


def test_another_ivory_is_found_under_a_slope_of_light() -> None:
    tiles, _ = crops(5)
    places = np.array([(k % 8, k // 8) for k in range(len(tiles))], float)
    lit = tiles * (1 - 0.04 * places[:, 0])[:, None, None, None]
    assert other_shade(lit.astype(np.uint8), places) == []
    lit[11] *= np.array((0.8, 0.97, 1.0))
    assert [odd.tile for odd in other_shade(lit.astype(np.uint8), places)] == [11]


def backs() -> np.ndarray:
    rng = np.random.default_rng(8)
    plain = np.full((40, 128, 96, 3), (150, 90, 30), float)
    return np.clip(plain + rng.normal(0, 3, plain.shape), 0, 255).astype(np.uint8)


def test_marked_and_other_backs() -> None:
    tiles = backs()
    assert marked_backs(tiles) == []
    cv2.line(tiles[7], (20, 40), (70, 60), (190, 150, 110), 2, cv2.LINE_AA)
    (odd,) = marked_backs(tiles)
    assert odd.tile == 7
    tiles[21] = np.clip(tiles[21] * np.array((0.7, 1.2, 1.0)), 0, 255)
    places = np.array([(k % 8, k // 8) for k in range(len(tiles))], float)
    assert [odd.tile for odd in other_shade(tiles, places)] == [21]


def test_a_larger_tile() -> None:
    sides = 1 + np.random.default_rng(9).normal(0, 0.008, (40, 2))
    sides[5] = np.nan  # not seen by the finder
    assert other_size(sides) == []
    sides[12, 1] *= 1.09
    assert [odd.tile for odd in other_size(sides)] == [12]
