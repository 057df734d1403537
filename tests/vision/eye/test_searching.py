"""Where in a picture is searched, and what the edges of a box do to what is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.vision.eyes_scene import GEOMETRY
from vision.calibration.camera import CameraModel
from vision.changes.coverage import Coverage
from vision.changes.motion import CELL, Box
from vision.eye.searching import Search, Tile
from vision.geometry import TableGeometry
from vision.heights.placing import is_two_tiles, lift
from vision.nets.finder import Found
from vision.sightings import Posture

SIZE = (1920, 1080)
TABLE = TableGeometry.load(GEOMETRY)
CAMERA = CameraModel(
    "top",
    SIZE,
    np.array([[1486.0, 0, 960], [0, 1486.0, 540], [0, 0, 1]]),
    np.zeros(5),
    np.diag([1.0, -1.0, -1.0]),
    np.array([0.0, 0, 1300]),
)
TILE_PX, LENGTH_PX = 29.7, 41.0
BOX = Box(640, 320, 960, 640)
NONE = np.zeros((135, 240), bool)
ALL = ~NONE


@dataclass
class Said:
    """Says the same of every picture."""

    tiles: tuple[object, ...]
    arms: np.ndarray

    def find(self, image: np.ndarray, tile_px: float | None = None) -> Said:
        return self


def searched(*tiles: Found, arms: np.ndarray | None = None) -> tuple[Search, list[tuple[int, int]]]:
    said = Said(tiles, np.zeros((40, 40), np.float32) if arms is None else arms)
    search = Search(Coverage(CAMERA, TABLE), said, TILE_PX, LENGTH_PX)  # type: ignore[arg-type]
    found, inner = search.find(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), [BOX], ALL)
    assert inner[BOX.y0 // CELL + 4, BOX.x0 // CELL + 4]
    assert not inner[BOX.y0 // CELL, BOX.x0 // CELL]
    return search, [(round(t.quad[:, 0].mean()), round(t.quad[:, 1].mean())) for t in found]


def at(x: float, y: float) -> Found:
    half = np.array(((-15, -20), (15, -20), (15, 20), (-15, 20)))
    return Found((half + np.array((x, y))).astype(np.float32), Posture.FACE_UP, 0.9)


def test_only_the_table_is_searched() -> None:
    search, _ = searched()
    part = search.part
    assert part.area < 0.65 * SIZE[0] * SIZE[1]
    half = TABLE.surface_mm / 2
    for x, y in ((-half, -half), (half, half), (half, -half)):
        u, v = CAMERA.project([[x, y, 0.0]])[0]
        assert part.x0 <= u < part.x1
        assert part.y0 <= v < part.y1 or not 0 <= v < SIZE[1]
    assert search.boxes(np.ones((135, 240), bool), whole=False) == [part]
    assert search.boxes(np.zeros((135, 240), bool), whole=True) == [part]


def test_cells_beside_the_table_are_not_searched() -> None:
    search, _ = searched()
    cells = np.zeros((135, 240), bool)
    cells[60:70, 2:10] = True
    assert search.boxes(cells, whole=False) == []


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [(160, 160, True), (30, 160, True), (12, 160, False), (160, 310, False), (314, 8, False)],
)
def test_a_tile_at_the_edge_of_a_box_is_left_to_another_look(x: int, y: int, found: bool) -> None:
    _, places = searched(at(x, y))
    assert places == ([(BOX.x0 + x, BOX.y0 + y)] if found else [])


@pytest.mark.parametrize("cell", [0, 1, 38, 39])
def test_what_the_edge_of_a_box_cuts_is_no_sleeve(cell: int) -> None:
    arms = np.zeros((40, 40), np.float32)
    arms[:, cell] = arms[20, 20] = 1.0
    search, _ = searched(arms=arms)
    assert np.argwhere(search.arms).tolist() == [[BOX.y0 // CELL + 20, BOX.x0 // CELL + 20]]


@pytest.mark.parametrize(
    ("changed", "cell", "arm"),
    [(False, 6, False), (False, 33, False), (False, 20, True), (True, 6, True), (True, 33, True)],
)
def test_near_the_edge_of_a_box_an_arm_comes_with_a_change(
    changed: bool, cell: int, arm: bool
) -> None:
    """A still hand's shadow, cut off by the box, was taken for its fingers: 70 mm off."""
    arms = np.zeros((40, 40), np.float32)
    search, _ = searched(arms=arms)
    arms[20, cell] = 0.7
    picture = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    search.find(picture, [BOX], ALL if changed else NONE)
    assert search.arms.sum() == arm
    # What was an arm there is one until it is not found any more, changed or not.
    search.find(picture, [BOX], ALL)
    search.find(picture, [BOX], NONE)
    assert search.arms.sum() == 1
    arms[:] = 0.0
    search.find(picture, [BOX], NONE)
    assert not search.arms.any()


def test_an_arm_that_nobody_looked_at_for_a_while_is_looked_at_again() -> None:
    """Where a sleeve was seen wider than it was nothing changed when it went: it stayed there."""
    arms = np.zeros((40, 40), np.float32)
    arms[20:24, 30:34] = 0.8
    said = Said((), arms)
    search = Search(Coverage(CAMERA, TABLE), said, TILE_PX, LENGTH_PX)  # type: ignore[arg-type]
    picture = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    search.find(picture, [BOX], ALL)
    asked = 0
    while not search.forgotten().any():
        search.find(picture, [], NONE)
        asked += 1
    assert asked == 6
    assert (search.forgotten() == search.arms).all()
    arms[:] = 0.0
    search.find(picture, search.boxes(search.forgotten(), whole=False), NONE)
    assert not search.arms.any()
    assert not search.forgotten().any()


def test_at_the_edge_of_the_picture_an_arm_is_an_arm() -> None:
    whole = Box(0, 0, *SIZE)
    arms = np.zeros((135, 240), np.float32)
    arms[134, 100:104] = 1.0
    search = Search(Coverage(CAMERA, TABLE), Said((), arms), TILE_PX, LENGTH_PX)  # type: ignore[arg-type]
    search.find(np.zeros((SIZE[1], SIZE[0], 3), np.uint8), [whole], NONE)
    assert search.arms.sum() == 4
    assert search.reach() == search.reach()
    search.forget()
    assert not search.arms.any()


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        pytest.param([(-15, 0), (15, 0)], [(785, 480), (815, 480)], id="two tiles"),
        pytest.param([(0, 0)], [], id="one after all"),
        pytest.param([(-15, 0), (45, 0)], [], id="one, and a neighbour beyond"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_what_is_too_large_for_one_tile_is_looked_at_more_closely(
    parts: list[tuple[int, int]], told: list[tuple[int, int]]
) -> None:
    """Two tiles that touch were one sideways discard for a moment, and seven alerts followed."""
    # A crop reaches three widths of a tile beyond the middle of what was found.
    middle = int(3 * TILE_PX)
    said = Said(tuple(at(middle + x, middle + y) for x, y in parts), np.zeros((1, 1), np.float32))
    search = Search(Coverage(CAMERA, TABLE), said, TILE_PX, LENGTH_PX)  # type: ignore[arg-type]
    both = np.array(((770, 460), (830, 460), (830, 500), (770, 500)), np.float32)
    picture = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    found = search.closer(picture, Tile(both, Posture.FACE_UP, 0.9, 1.0))
    centres = [one.quad.mean(axis=0) for one in found]
    assert [tuple(float(value) for value in centre) for centre in centres] == [
        pytest.approx(place, abs=1.1) for place in told
    ]


@pytest.mark.parametrize(
    ("turn", "scale", "posture", "two"),
    [
        (0.0, 1.0, Posture.FACE_UP, False),
        (37.0, 1.05, Posture.FACE_DOWN, False),
        (90.0, 1.4, Posture.FACE_UP, True),
        (20.0, 1.2, Posture.FACE_DOWN, True),
    ],
)
def test_only_its_size_gives_two_tiles_away(
    turn: float, scale: float, posture: Posture, *, two: bool
) -> None:
    width, height, _ = TABLE.tile_mm
    half = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) / 2 * (width, height) * scale
    a = np.radians(turn)
    corners = half @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + (50.0, 80.0)
    quad = CAMERA.project(np.column_stack((corners, np.full(4, TABLE.flat_z))))
    (one,) = lift(CAMERA, TABLE, quad[None], [posture], [0.9])
    assert is_two_tiles(one, TABLE) is two
