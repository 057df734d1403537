from __future__ import annotations

import numpy as np
import pytest

from hardware.virtual_table.camera.optics import Camera, overhead

CAMERAS = [
    overhead(),
    overhead((3840, 2160), height_mm=1050, at_mm=(60.0, -90.0)),
    overhead((1280, 720), lean_deg=(2.0, -1.5), roll_deg=4.0, dist=(-0.2, 0.06, 0.002, 0.001, 0)),
]


@pytest.mark.parametrize("camera", CAMERAS)
def test_a_picture_point_and_its_height_give_the_table_point_back(camera: Camera) -> None:
    points = np.random.default_rng(0).uniform(-400, 400, (50, 2))
    for z in (0.0, 20.0, 40.0):
        pixels = camera.project(np.column_stack([points, np.full(50, z)]))
        assert np.abs(camera.on_plane(pixels, z) - points).max() < 0.05


@pytest.mark.parametrize("camera", CAMERAS)
def test_pose_is_a_rotation_and_looks_down(camera: Camera) -> None:
    assert np.allclose(camera.R @ camera.R.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(camera.R) == pytest.approx(1)
    assert camera.R[2, 2] < -0.9


def test_orientation_of_the_first_camera() -> None:
    """Side 0 is the bottom edge of the picture, x runs to the right."""
    camera = overhead()
    (x0, y0), (x1, y1), (x2, y2) = camera.project([[0, 0, 0], [100, 0, 0], [0, -100, 0]])
    assert x1 > x0 + 50
    assert y1 == pytest.approx(y0, abs=1)
    assert y2 > y0 + 50
    assert x2 == pytest.approx(x0, abs=1)


def test_higher_things_move_away_from_the_middle() -> None:
    camera = overhead()
    low, high = camera.project([[300, 200, 0], [300, 200, 40]])
    middle = camera.project([0, 0, 0])
    assert np.hypot(*(high - middle)) > np.hypot(*(low - middle)) + 5


def test_scale_and_height_are_as_asked() -> None:
    camera = overhead((1920, 1080), height_mm=1200, across_mm=900, dist=(0.0,) * 5)
    a, b = camera.project([[-50, 0, 0], [50, 0, 0]])
    assert np.hypot(*(a - b)) == pytest.approx(100 * 1080 / 900, rel=1e-6)
    assert camera.position == pytest.approx([0, 0, 1200])
