"""Camera models: millimetres to pixels and back, and the files they come from."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.calibration.camera import CameraModel, camera_toml, load_cameras
from vision.errors import VisionInputError

K = np.array([[1250.0, 0, 965], [0, 1248, 537], [0, 0, 1]])
DIST = np.array([-0.13, 0.04, 0.0006, -0.0004, 0.002])
DOWN = np.diag([1.0, -1.0, -1.0])


def camera(tilt: float = 0.0, turn: float = 0.0, name: str = "top") -> CameraModel:
    """Looking down from 1.15 m, tilted about x and turned about the vertical, degrees."""
    turned = cv2.Rodrigues(np.array([0, 0, np.radians(turn)]))[0]
    tilted = cv2.Rodrigues(np.array([np.radians(tilt), 0, 0]))[0]
    rotation = np.asarray(tilted @ DOWN @ turned, np.float64)
    return CameraModel(name, (1920, 1080), K, DIST, rotation, np.array([5.0, -8, 1150]))


@given(
    st.floats(-400, 400),
    st.floats(-400, 400),
    st.floats(0, 45),
    st.floats(-20, 20),
    st.floats(-180, 180),
)
def test_back_from_the_picture(x: float, y: float, z: float, tilt: float, turn: float) -> None:
    model = camera(tilt, turn)
    px = model.project([[x, y, z]])
    assert model.to_table(px, z)[0] == pytest.approx((x, y), abs=1e-3)


def test_against_plain_opencv() -> None:
    points = np.array([[100.0, -250, 20], [-390, 390, 40]])
    px, _ = cv2.projectPoints(points, cv2.Rodrigues(camera(5).R)[0], camera(5).t, K, DIST)
    assert camera(5).project(points) == pytest.approx(px.reshape(-1, 2))


def test_a_higher_point_seems_further_out() -> None:
    model = camera()
    low, high = model.to_table(model.project([[256.0, 0, 40], [256.0, 0, 20]]), 20.0)
    assert low[0] - high[0] == pytest.approx(256 * 20 / 1110, rel=0.05)


def test_no_points_and_no_distortion() -> None:
    plain = CameraModel("p", (1920, 1080), K, [], DOWN, [0, 0, 1000])  # type: ignore[arg-type]
    assert plain.project(np.empty((0, 3))).shape == (0, 2)
    assert plain.to_table(np.empty((0, 2)), 0).shape == (0, 2)
    assert plain.to_table(plain.project([[10, 20, 5]]), 5)[0] == pytest.approx((10, 20))


@pytest.mark.parametrize(("turn", "side"), [(0, 0), (90, 3), (180, 2), (-90, 1)])
def test_which_side_is_at_the_bottom(turn: float, side: int) -> None:
    assert camera(0, turn).bottom_side == side


def test_scaled_pictures_show_the_same() -> None:
    small = camera(4).scaled((960, 540))
    point = [[120.0, -80, 20]]
    assert small.project(point) * 2 == pytest.approx(camera(4).project(point))
    with pytest.raises(ValueError, match="another shape"):
        camera().scaled((640, 480))


def test_position_scale_and_view() -> None:
    model = camera()
    assert model.position[2] == pytest.approx(1150)
    assert model.px_per_mm() == pytest.approx(1250 / 1150, rel=0.01)
    inside = model.sees([[0.0, 0, 0], [2000.0, 0, 0]])
    assert inside.tolist() == [True, False]


def test_file_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    models = [camera(3, 7, "top"), camera(-2, 90, 'si"de')]
    path.write_text("\n".join(camera_toml(model) for model in models))
    read = load_cameras(path)
    assert list(read) == ["top", 'si"de']
    for model in models:
        other = read[model.name]
        assert other.size == model.size
        for field in ("K", "dist", "R", "t"):
            assert (getattr(other, field) == getattr(model, field)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("size = ", "sise = "), r"camera\.0: size: missing"),
        (("[[camera]]", "[camera]"), r"no \[\[camera\]\]"),
        (("[[camera]]", "[[camera"), "not TOML"),
        (("t = [5.0, -8.0, 1150.0]", "t = [5.0, -8.0]"), r"camera\.0: t"),
        (("t = [5.0, -8.0, 1150.0]", "t = [5.0, -8.0, -900.0]"), "below the table"),
        (("t = [5.0, -8.0, 1150.0]", "t = [5.0, nan, 900.0]"), "no numbers"),
        (("R = [[1.0", "R = [[0.5"), "R is no rotation"),
        (("K = [[1250.0", "K = [[-1250.0"), "K is no camera matrix"),
        (("dist = [-0.13, ", "dist = ["), None),
        (("dist = [-0.13, 0.04, ", "dist = ["), "dist has 3 coefficients"),
    ],
)
def test_errors_name_file_and_key(
    tmp_path: Path, change: tuple[str, str], message: str | None
) -> None:
    path = tmp_path / "calibration.toml"
    text = camera_toml(camera())
    assert change[0] in text
    path.write_text(text.replace(*change, 1))
    if message is None:
        assert load_cameras(path)
        return
    with pytest.raises(VisionInputError, match=message) as error:
        load_cameras(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_name_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calibration.toml"
    path.write_text(camera_toml(camera()) * 2)
    with pytest.raises(VisionInputError, match=r"camera\.1\.name: 'top' is there twice"):
        load_cameras(path)
