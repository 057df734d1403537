"""Noticing that somebody knocked the camera."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.seen_from_above import TABLES
from vision.calibration.camera import CameraModel
from vision.checks.drift import DriftCheck, DriftState, offset_of_walls
from vision.geometry import Side
from vision.heights.walls import LineFit

TABLE = TABLES["mcr"]
SIZE = (1280, 960)
CAMERA = CameraModel(
    "top",
    SIZE,
    np.array([[1100.0, 0, 640], [0, 1100, 480], [0, 0, 1]]),
    np.zeros(5),
    np.diag([1.0, -1.0, -1.0]),
    np.array([0.0, 0, 1300]),
)
RNG = np.random.default_rng(4)
FLOOR = cv2.GaussianBlur(RNG.integers(0, 255, (500, 600), dtype=np.uint8), (0, 0), 1.2)
FLOOR = cv2.normalize(FLOOR, np.empty_like(FLOOR), 40, 200, cv2.NORM_MINMAX)


def seen(camera: CameraModel, *, light: float = 1.0, arm: bool = False) -> np.ndarray:
    """A plane with a pattern (4 mm a pixel) and a plain playing surface."""
    plane = cv2.resize(FLOOR, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    middle = (plane.shape[1] / 2, plane.shape[0] / 2)
    half = int(TABLE.surface_mm / 2 / 2)
    low = (int(middle[0]) - half, int(middle[1]) - half)
    high = (int(middle[0]) + half, int(middle[1]) + half)
    cv2.rectangle(plane, low, high, 90, -1)
    corners = [(-800.0, -700, 0), (800, -700, 0), (800, 700, 0), (-800, 700, 0)]
    source = np.array([(middle[0] + x / 2, middle[1] - y / 2) for x, y, _ in corners], np.float32)
    matrix = cv2.getPerspectiveTransform(source, camera.project(corners).astype(np.float32))
    image = cv2.warpPerspective(plane, matrix, SIZE, flags=cv2.INTER_LINEAR)
    if arm:
        image[500:, 300:560] = 120
    image = image * light + RNG.normal(0, 3, image.shape)
    bgr = cv2.cvtColor(np.clip(image, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    return np.asarray(bgr, np.uint8)


@pytest.fixture(scope="module")
def check() -> DriftCheck:
    return DriftCheck(CAMERA, TABLE, seen(CAMERA))


@pytest.mark.parametrize(("light", "arm"), [(1.0, False), (0.7, False), (1.0, True)])
def test_a_steady_camera(check: DriftCheck, light: float, arm: bool) -> None:
    drift = check.measure(seen(CAMERA, light=light, arm=arm))
    assert drift.state is DriftState.STEADY
    assert drift.shift_px < 0.3


@pytest.mark.parametrize(
    ("turn", "move"),
    [
        ((0, 0, 0), (5.0, 0, 0)),
        ((0, 0, 0), (-3, 4, 2)),
        ((0, 0, 0.5), (0, 0, 0)),
        ((0.3, 0.2, 0), (0, 0, 0)),
    ],
)
def test_a_knocked_camera_is_noticed_and_corrected(
    check: DriftCheck, turn: tuple[float, ...], move: tuple[float, ...]
) -> None:
    rotation = cv2.Rodrigues(np.radians(turn))[0]
    knocked = CAMERA.with_pose(rotation @ CAMERA.R, rotation @ CAMERA.t + np.array(move))
    drift = check.measure(seen(knocked))
    assert drift.state is DriftState.MOVED
    assert drift.camera is not None
    assert drift.error_px is not None
    assert drift.error_px < 0.5
    points = [(x, y, 0.0) for x in (-400, 0, 400) for y in (-400, 0, 400)]
    off = np.linalg.norm(drift.camera.project(points) - knocked.project(points), axis=1)
    assert off.max() < 0.6
    before = np.linalg.norm(CAMERA.project(points) - knocked.project(points), axis=1)
    assert before.max() > 3.0


@pytest.mark.parametrize("picture", ["dark", "other"])
def test_what_cannot_be_recognised_is_said(check: DriftCheck, picture: str) -> None:
    image = np.full((SIZE[1], SIZE[0], 3), 8, np.uint8)
    if picture == "other":
        image = np.ascontiguousarray(seen(CAMERA)[::-1])
    assert check.measure(image).state is DriftState.UNSURE


def test_a_bare_rim_cannot_be_watched() -> None:
    with pytest.raises(ValueError, match="recognisable points"):
        DriftCheck(CAMERA, TABLE, np.full((SIZE[1], SIZE[0], 3), 50, np.uint8))


def test_walls_say_how_far_all_is_off() -> None:
    # Seen 3 mm too far right and 2 mm too far up: to the players that is right and inward…
    fits: dict[Side, LineFit] = {
        0: LineFit(3.0, -2.0, 0.0, 18),
        1: LineFit(2.0, 3.0, 0.0, 18),
        2: LineFit(-3.0, 2.0, 0.0, 18),
        3: LineFit(-2.0, -3.0, 0.0, 3),
    }
    offset = offset_of_walls(fits)
    assert offset == pytest.approx((3.0, 2.0, 0.0))
    assert offset_of_walls({0: LineFit(3.0, -2.0, 0.0, 18)}) is None


@pytest.mark.parametrize("move", [(5.0, 0.0), (0.0, -4.0), (3.0, 6.0)])
@pytest.mark.parametrize(
    ("wide", "contrast"), [(70.0, 3), pytest.param(58.0, 1, id="sanma 1792000")]
)
def test_straight_rails_over_a_floor_that_stays_are_enough(
    move: tuple[float, float], wide: float, contrast: int
) -> None:
    """A piece of a straight edge can be found again anywhere along it."""

    def rails(camera: CameraModel) -> np.ndarray:
        image = np.array(seen(CAMERA)) // contrast  # a floor that does not move with the table
        for half, shade in ((410.0 + wide, 90), (440.0, 150), (412.0, 60)):
            square = [(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)]
            outline = np.round(camera.project(square) * 16).astype(np.int32)
            cv2.fillPoly(image, [outline], (shade, shade, shade), cv2.LINE_AA, 4)
        noise = np.random.default_rng(1).normal(0, 2, image.shape)
        return np.clip(image + noise, 0, 255).astype(np.uint8)

    check = DriftCheck(CAMERA, TABLE, rails(CAMERA))
    shift = np.array((*move, 0.0))
    knocked = CAMERA.with_pose(CAMERA.R, CAMERA.t - CAMERA.R @ shift)
    drift = check.measure(rails(knocked))
    assert drift.state is DriftState.MOVED
    assert drift.camera is not None
    assert drift.shift_mm == pytest.approx(float(np.hypot(*move)), abs=0.4)
    felt = [(0.0, 0, 0), (300, 300, 0), (-300, 250, 0)]
    assert np.abs(drift.camera.project(felt) - knocked.project(felt)).max() < 0.6


def _straight_rails(noise_shift: int, rng: np.random.Generator) -> np.ndarray:
    """Dark straight rails, all that is fine in them the sensor's noise, which comes again."""
    image = np.full(SIZE[::-1], 18.0)
    for half, grey in ((TABLE.surface_mm / 2 + 70, 44), (TABLE.surface_mm / 2 + 8, 30)):
        square = [(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)]
        cv2.fillPoly(image, [np.round(CAMERA.project(square)).astype(np.int32)], grey)
    image = np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.float64)
    noise = np.random.default_rng(6).normal(0, 3, image.shape)
    image += np.roll(noise, noise_shift, axis=1) + rng.normal(0, 1, image.shape)
    bgr = cv2.cvtColor(np.clip(image, 0, 255).astype(np.uint8), cv2.COLOR_GRAY2BGR)
    return np.asarray(bgr, np.uint8)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_noise_along_a_straight_rail_is_no_knock(seed: int) -> None:
    """A dark film of the virtual table: every patch of a rail was found 14 px along it.

    Three pixels were enough: in a dark picture the noise outweighs the rail's very corners.
    """
    rng = np.random.default_rng(seed)
    check = DriftCheck(CAMERA, TABLE, _straight_rails(0, rng))
    drifts = [check.measure(_straight_rails(shift, rng)) for shift in (3, 9, 14, 20)]
    assert [drift.state for drift in drifts] == [DriftState.STEADY] * 4
