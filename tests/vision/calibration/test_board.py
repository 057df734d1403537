"""Making a calibration from pictures of a board seen by a camera whose truth is known."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.calibration.board import (
    Board,
    BoardView,
    CalibrationRefusedError,
    Lens,
    calibrate_lens,
    find_board,
    pose_from_board,
    pose_from_points,
)
from vision.calibration.camera import CameraModel

SIZE = (960, 540)
K = np.array([[730.0, 0, 483], [0, 728, 268], [0, 0, 1]])
DIST = np.array([-0.11, 0.05, 0.0006, -0.0004, 0.0])
BOARD = Board()
PRINT = BOARD.picture(4.0)


def shot(rotation: np.ndarray, move: np.ndarray, print_: np.ndarray = PRINT) -> np.ndarray:
    """The printed board as the camera sees it: ``camera = rotation @ board + move``, mm."""
    columns, rows = np.meshgrid(np.arange(SIZE[0], dtype=float), np.arange(SIZE[1], dtype=float))
    px = np.column_stack((columns.ravel(), rows.ravel()))
    rays = cv2.undistortPoints(px[:, None], K, DIST).reshape(-1, 2)
    rays = np.column_stack((rays, np.ones(len(rays)))) @ rotation
    origin = -rotation.T @ move
    along = -origin[2] / rays[:, 2]
    board = (origin[:2] + rays[:, :2] * along[:, None]).astype(np.float32) * 4.0
    board = board.reshape(SIZE[1], SIZE[0], 2)
    grey = cv2.remap(
        print_,
        board[..., 0],
        board[..., 1],
        cv2.INTER_AREA,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=190,
    )
    noisy = grey + np.random.default_rng(1).normal(0, 2, grey.shape)
    bgr = cv2.cvtColor(np.clip(noisy, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    return np.asarray(bgr, np.uint8)


def held(tilt: float, turn: float, x: float, y: float, far: float) -> np.ndarray:
    a = cv2.Rodrigues(np.radians([tilt, 0.6 * tilt * np.sign(x or 1), 0.0]))[0]
    rotation = a @ cv2.Rodrigues(np.radians([0.0, 0, turn]))[0]
    middle = np.array([*BOARD.size_mm, 0]) / 2
    return shot(rotation, np.array([x, y, far]) - rotation @ middle)


POSES = [
    (0, 0, 0, 0, 420), (25, 5, -180, -90, 480), (-25, 90, 190, -80, 500), (20, 180, 180, 90, 470),
    (-20, -10, -190, 90, 480), (30, 30, 0, -80, 460), (-30, -40, 0, 80, 450), (12, 0, -60, 0, 380),
    (-12, 170, 80, 20, 400),
]  # fmt: skip


@pytest.fixture(scope="module")
def views() -> list[BoardView]:
    return [find_board(held(*pose), BOARD) for pose in POSES]


def test_the_lens_is_found_again(views: list[BoardView]) -> None:
    lens = calibrate_lens(views)
    assert lens.error_px < 0.3
    assert len(lens.errors_px) == len(POSES)
    assert lens.K[0, 0] == pytest.approx(730, rel=0.01)
    assert lens.K[:2, 2] == pytest.approx(K[:2, 2], abs=6)
    truth = CameraModel("t", SIZE, K, DIST, np.diag([1.0, -1, -1]), np.array([0, 0, 1000.0]))
    found = CameraModel("f", SIZE, lens.K, lens.dist, truth.R, truth.t)
    corners = [(x, y, 0) for x in (-400, 0, 400) for y in (-300, 0, 300)]
    assert np.abs(found.project(corners) - truth.project(corners)).max() < 8


def hung(turned: tuple[float, ...], move: tuple[float, ...]) -> CameraModel:
    """A camera turned by so many degrees about its axes."""
    rotation = np.asarray(cv2.Rodrigues(np.radians(turned))[0], np.float64)
    return CameraModel("top", SIZE, K, DIST, rotation, np.array(move))


def test_pose_from_the_board_on_the_felt() -> None:
    lens = Lens(SIZE, K, DIST, 0.1, ())
    truth = hung((177.0, 2.0, 1.0), (8.0, -5.0, 700.0))
    width, height = BOARD.size_mm
    flip = np.diag([1.0, -1.0, -1.0])  # the board's y runs down, its z into the table
    rotation = truth.R @ flip
    move = truth.R @ np.array([-width / 2, height / 2, 0]) + truth.t
    view = find_board(shot(rotation, move), BOARD)
    posed = pose_from_board("top", lens, view, BOARD)
    assert posed.error_px < 0.4
    assert posed.camera.position == pytest.approx(truth.position, abs=4)
    corners = [(x, y, 0) for x in (-200, 200) for y in (-200, 200)]
    assert np.abs(posed.camera.project(corners) - truth.project(corners)).max() < 0.8
    assert posed.camera.bottom_side == 0
    turned = pose_from_board("top", lens, view, BOARD, turned_deg=180.0)
    assert turned.camera.bottom_side == 2


def test_pose_from_the_corners_of_the_table() -> None:
    truth = hung((176.0, 3.0, -2.0), (10.0, 4.0, 1150.0))
    corners = [(-410, -410, 0), (410, -410, 0), (410, 410, 0), (-410, 410, 0)]
    px = truth.project(corners)
    lens = Lens(SIZE, K, DIST, 0.1, ())
    posed = pose_from_points("top", lens, corners, px)
    assert posed.error_px < 0.01
    assert posed.camera.position == pytest.approx(truth.position, abs=0.1)
    swapped = px[[0, 2, 1, 3]]
    with pytest.raises(CalibrationRefusedError, match="check their order"):
        pose_from_points("top", lens, corners, swapped)
    with pytest.raises(CalibrationRefusedError, match="four points"):
        pose_from_points("top", lens, corners[:3], px[:3])


# What a technician may do wrong.


def test_no_board() -> None:
    with pytest.raises(CalibrationRefusedError, match=r"a\.png: no board in it"):
        find_board(np.full((540, 960, 3), 128, np.uint8), BOARD, "a.png")


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (Board(columns=9, rows=6, square_mm=30, marker_mm=22), "board"),
        (Board(dictionary="DICT_6X6_250"), r"picture: another board \(its markers are of 6X6"),
        (Board(dictionary="DICT_5X5_100"), r"picture: another board \(its markers are of 5X5"),
        (Board(columns=12, rows=9, square_mm=20, marker_mm=15), "board"),
    ],
)
def test_another_board(other: Board, says: str) -> None:
    picture = other.picture(4.0)
    middle = np.array([*other.size_mm, 0]) / 2
    image = shot(np.eye(3), np.array([0.0, 0, 420]) - middle, picture)
    with pytest.raises(CalibrationRefusedError, match=says):
        find_board(image, BOARD)


def test_a_board_printed_mirrored() -> None:
    middle = np.array([*BOARD.size_mm, 0]) / 2
    image = shot(np.eye(3), np.array([0.0, 0, 420]) - middle, np.ascontiguousarray(PRINT[:, ::-1]))
    with pytest.raises(CalibrationRefusedError, match="picture: the board is mirrored"):
        find_board(image, BOARD)


def test_too_few_pictures(views: list[BoardView]) -> None:
    with pytest.raises(CalibrationRefusedError, match="7 usable pictures of the board, 8"):
        calibrate_lens(views[:7])


def test_always_the_same_picture(views: list[BoardView]) -> None:
    with pytest.raises(CalibrationRefusedError, match=r"picture only|same slant"):
        calibrate_lens([views[0]] * 9)


def test_pictures_that_contradict_each_other(views: list[BoardView]) -> None:
    bad = BoardView(views[2].corners[:, [1, 0, 2]] * (1, 1.4, 1), views[2].px, views[2].size)
    with pytest.raises(CalibrationRefusedError, match=r"contradict each other by .* number 3"):
        calibrate_lens([*views[:2], bad, *views[3:]])
    with pytest.raises(CalibrationRefusedError, match=r"most of all held-07\.jpg") as raised:
        calibrate_lens([*views[:2], replace(bad, name="held-07.jpg"), *views[3:]])
    assert raised.value.worst == 2


def test_pictures_of_another_size_are_named(views: list[BoardView]) -> None:
    odd = replace(views[4], name="small.png", size=(480, 270))
    with pytest.raises(CalibrationRefusedError, match=r"small\.png: 480x270, the other .* 960x540"):
        calibrate_lens([*views[:4], odd, *views[5:]])


def test_the_sheet_has_the_true_size() -> None:
    pdf = BOARD.pdf(2.0)
    assert pdf.startswith(b"%PDF-1.4")
    placed = re.search(rb"q ([\d.]+) 0 0 ([\d.]+)", pdf)
    assert placed is not None
    assert float(placed[1]) / 72 * 25.4 == pytest.approx(175.0, abs=0.01)
    stream = re.search(rb"FlateDecode /Length (\d+) >>\nstream\n", pdf)
    assert stream is not None
    data = zlib.decompress(pdf[stream.end() : stream.end() + int(stream[1])])
    assert np.array_equal(
        np.frombuffer(data, np.uint8).reshape(BOARD.picture(2.0).shape), BOARD.picture(2.0)
    )


@pytest.mark.parametrize(("columns", "marker_mm"), [(2, 18.0), (7, 30.0)])
def test_impossible_boards(columns: int, marker_mm: float) -> None:
    with pytest.raises(ValueError, match=r"squares|smaller"):
        Board(columns=columns, marker_mm=marker_mm)
