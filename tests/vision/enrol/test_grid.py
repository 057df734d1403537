"""The block is found from tiles, also where some were missed or lie elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from vision.enrol.grid import GridError, find_grid
from vision.nets.finder import Findings, Found
from vision.sightings import Posture

PICTURE = np.zeros((1080, 1920, 3), np.uint8)


@dataclass
class Seen:
    """A finder that finds what the test says."""

    quads: np.ndarray
    posture: Posture = Posture.FACE_UP

    def tile_sizes(self, image: np.ndarray) -> list[float]:
        return [30.0]

    def find(self, image: np.ndarray, tile_px: float | None = None) -> Findings:
        tiles = [Found(q.astype(np.float32), self.posture, 0.9) for q in self.quads]
        return Findings(tuple(tiles), None)


def block(rows: int, columns: int, angle: float = 0.0, slant: float = 0.0) -> np.ndarray:
    """(rows, columns, 4, 2) quads of a block around (960, 540)."""
    xs, ys = np.meshgrid(np.arange(columns), np.arange(rows))
    at = np.stack([(xs - (columns - 1) / 2) * 31.0, (ys - (rows - 1) / 2) * 42.0], axis=-1)
    corner = np.array([(-15, -20.5), (15, -20.5), (15, 20.5), (-15, 20.5)])
    flat = (at[:, :, None] + corner).reshape(-1, 2)
    a = np.radians(angle)
    flat = flat @ np.array([(np.cos(a), np.sin(a)), (-np.sin(a), np.cos(a))])
    tilt = np.array([(1, 0, 960), (0, 1, 540), (0, slant / 1000, 1.0)])
    turned = np.asarray(cv2.perspectiveTransform(flat[None], tilt), np.float64)
    return turned.reshape(rows, columns, 4, 2)


def middles(quads: np.ndarray) -> np.ndarray:
    return np.asarray(quads.reshape(-1, 4, 2).mean(axis=1))


@pytest.mark.parametrize(("rows", "columns"), [(8, 18), (8, 17), (9, 12), (12, 9), (4, 27)])
@pytest.mark.parametrize("angle", [0.0, 3.0, -20.0])
def test_whole_blocks(rows: int, columns: int, angle: float) -> None:
    true = block(rows, columns, angle)
    rng = np.random.default_rng(rows)
    seen = rng.permutation(true.reshape(-1, 4, 2))
    grid = find_grid(PICTURE, Seen(seen))
    assert grid.shape == (rows, columns)
    assert grid.found.all()
    assert np.abs(middles(grid.quads) - middles(true)).max() < 1.5


@pytest.mark.parametrize("slant", [0.0, 0.6])
def test_cells_that_the_finder_missed_are_there_too(slant: float) -> None:
    true = block(8, 18, 2.0, slant)
    rng = np.random.default_rng(4)
    missed = rng.choice(144, 14, replace=False)
    seen = np.delete(true.reshape(-1, 4, 2), missed, axis=0)
    seen = seen + rng.normal(0, 0.5, seen.shape)
    grid = find_grid(PICTURE, Seen(seen))
    assert grid.shape == (8, 18)
    assert sorted(np.flatnonzero(~grid.found.reshape(-1))) == sorted(missed)
    assert np.abs(middles(grid.quads) - middles(true)).max() < 2.5


def test_corner_cells_that_were_missed() -> None:
    true = block(8, 18)
    corners = [0, 17, 126, 143]
    grid = find_grid(PICTURE, Seen(np.delete(true.reshape(-1, 4, 2), corners, axis=0)))
    assert grid.shape == (8, 18)
    assert np.abs(middles(grid.quads) - middles(true)).max() < 1.5


def test_tiles_that_lie_elsewhere_and_wrong_quads_are_no_part_of_it() -> None:
    true = block(8, 18)
    rng = np.random.default_rng(5)
    stray = true[0, :5] + np.array((0, -200.0)) + rng.normal(0, 15, (5, 1, 2))
    across = np.roll(true[3, 4:7], 1, axis=1)  # told a quarter turned
    seen = np.concatenate([np.delete(true.reshape(-1, 4, 2), [58, 59, 60], axis=0), stray, across])
    grid = find_grid(PICTURE, Seen(rng.permutation(seen)))
    assert grid.shape == (8, 18)
    assert np.abs(middles(grid.quads) - middles(true)).max() < 1.5


def test_upside_down_tiles_do_not_turn_the_block() -> None:
    true = block(9, 12)
    seen = true.reshape(-1, 4, 2).copy()
    seen[::3] = np.roll(seen[::3], 2, axis=1)
    grid = find_grid(PICTURE, Seen(seen))
    assert grid.shape == (9, 12)
    # every cell begins at the same end
    tops = grid.quads[..., 1, :] - grid.quads[..., 0, :]
    assert (tops[..., 0] * tops[0, 0, 0] > 0).all()


def test_the_other_side_of_a_block() -> None:
    grid = find_grid(PICTURE, Seen(block(8, 17).reshape(-1, 4, 2)))
    other = grid.turned()
    assert np.allclose(other.quads[0, 0], np.roll(grid.quads[-1, -1], 2, axis=0))
    assert np.allclose(other.turned().quads, grid.quads)


@pytest.mark.parametrize("count", [0, 3, 20])
def test_too_few_tiles_are_no_block(count: int) -> None:
    with pytest.raises(GridError, match="no block of tiles"):
        find_grid(PICTURE, Seen(block(4, 5).reshape(-1, 4, 2)[:count]))


def test_backs_are_asked_for_by_name() -> None:
    seen = Seen(block(8, 18).reshape(-1, 4, 2), Posture.FACE_DOWN)
    assert find_grid(PICTURE, seen, posture=Posture.FACE_DOWN).shape == (8, 18)
    standing = Seen(block(8, 18).reshape(-1, 4, 2), Posture.STANDING)
    with pytest.raises(GridError, match="face down"):
        find_grid(PICTURE, standing, posture=Posture.FACE_DOWN)
