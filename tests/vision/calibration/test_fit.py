"""Sheet and rails together, against a virtual table whose camera is known."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera.renderer import Look
from tests.vision.calibration_scene import BOARD, held_lens, hung, model, on_felt
from vision.calibration.board import CalibrationRefusedError, Lens, find_board, pose_from_board
from vision.calibration.camera import CameraModel
from vision.calibration.fit import _believe, corners_of, fit_table
from vision.calibration.problem import Fitted, FlatSheet
from vision.calibration.rails import find_edges
from vision.geometry import TableGeometry
from vision.image import Image

CORNERS = corners_of(820.0)


def off_mm(camera: CameraModel, truth: CameraModel) -> np.ndarray:
    apart = camera.to_table(truth.project(CORNERS), 0.0) - CORNERS[:, :2]
    return np.asarray(np.linalg.norm(apart, axis=1))


@pytest.fixture(scope="module")
def table() -> tuple[CameraModel, Lens, Image]:
    rng = np.random.default_rng([0, 5])
    camera = hung(rng)
    lens = held_lens(camera, rng)
    # Laid by hand: nobody hits the middle exactly.
    return model(camera), lens, on_felt(camera, Look(), ((2.5, -3.0, 0.6), (-230.0, 190.0, 20.0)))


@pytest.fixture(scope="module")
def one(table: tuple[CameraModel, Lens, Image]) -> tuple[CameraModel, Lens, Image]:
    truth, lens, _ = table
    rng = np.random.default_rng([0, 5])
    return truth, lens, on_felt(hung(rng), Look(), ((2.5, -3.0, 0.6),))


def fit(scene: tuple[CameraModel, Lens, Image], **more: object) -> Fitted:
    _, lens, image = scene
    surface = float(more.pop("surface_mm", 820.0))  # type: ignore[arg-type]
    sheet = FlatSheet(find_board(image, BOARD))
    return fit_table("top", lens, BOARD, [sheet], image, surface, **more)  # type: ignore[arg-type]


def test_rails_mend_what_the_sheet_alone_leaves(one: tuple[CameraModel, Lens, Image]) -> None:
    truth, lens, image = one
    alone = pose_from_board("top", lens, find_board(image, BOARD), BOARD).camera
    found = fit(one)
    off = off_mm(found.camera, truth)
    assert off_mm(alone, truth).max() > 3.0
    assert off.max() < 1.2
    assert (off < found.bounds_mm(CORNERS)).all()
    assert found.bounds_mm(CORNERS).max() < 3.0
    assert set(found.rails_mm) == {0, 1, 2, 3}
    # Where the sheet really lay comes out as well.
    assert found.sheets[0] == pytest.approx((2.5, -3.0, 0.6), abs=1.0)


def blank_rails(image: Image, truth: CameraModel) -> Image:
    """Cloths over the rails: all that lies beyond the felt's last centimetres is one grey."""

    mask = np.full(image.shape[:2], 255, np.uint8)
    cv2.fillPoly(mask, [np.round(truth.project(corners_of(500.0))).astype(np.int32)], 0)
    out = image.copy()
    out[mask > 0] = 120
    return out


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (2, 0, 3, 1)])
def test_clicked_corners_where_rails_are_covered(
    one: tuple[CameraModel, Lens, Image], order: tuple[int, ...]
) -> None:
    truth, lens, image = one
    covered = (truth, lens, blank_rails(image, truth))
    with pytest.raises(CalibrationRefusedError, match=r"may be .* mm off.*--corner"):
        fit(covered)
    noise = np.random.default_rng(3).normal(0, 1.0, (4, 2))
    px = (truth.project(CORNERS) + noise)[[*order]]
    found = fit(covered, clicks=[(float(x), float(y)) for x, y in px])
    assert not found.rails_mm
    off = off_mm(found.camera, truth)
    assert off.max() < 2.5
    assert (off < found.bounds_mm(CORNERS)).all()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"surface_mm": 845.0}, r"contradict|off its place|may be .* off"),
        ({"surface_mm": 790.0}, r"contradict|off its place|may be .* off"),
        ({"surface_mm": float("nan")}, "a surface of nan mm"),
        ({"surface_mm": float("inf")}, "a surface of inf mm"),
        ({"surface_mm": -820.0}, "a surface of -820 mm"),
        ({"surface_mm": 0.0}, "a surface of 0 mm"),
        ({"clicks": [(100.0, 100.0)]}, "1 corners given, all four"),
        (
            {"clicks": [(960.0, 540.0)] * 4},
            r"a corner at 960,540 is \d+ mm .*click the corners of the felt",
        ),
    ],
)
def test_what_contradicts_is_refused(
    one: tuple[CameraModel, Lens, Image], more: dict[str, object], says: str
) -> None:
    with pytest.raises(CalibrationRefusedError, match=says):
        fit(one, **more)


def test_a_bound_that_is_no_number_is_refused(one: tuple[CameraModel, Lens, Image]) -> None:
    found = replace(fit(one), covariance=np.full((15, 15), np.nan))
    with pytest.raises(CalibrationRefusedError, match="may be nan mm off"):
        _believe("top", found, 820.0)


def test_a_second_sheet_may_lie_anywhere(one: tuple[CameraModel, Lens, Image]) -> None:
    truth, lens, image = one
    camera = hung(np.random.default_rng([0, 5]))
    second = on_felt(camera, Look(), ((-230.0, 190.0, 20.0),), seed=4)
    sheets = [
        FlatSheet(find_board(image, BOARD)),
        FlatSheet(find_board(second, BOARD), None),
    ]
    found = fit_table("top", lens, BOARD, sheets, image, 820.0)
    assert found.sheets[1] == pytest.approx((-230.0, 190.0, 20.0), abs=1.5)
    assert off_mm(found.camera, truth).max() < 1.2


def test_the_place_of_the_first_sheet_is_needed(one: tuple[CameraModel, Lens, Image]) -> None:
    _, lens, image = one
    sheet = replace(FlatSheet(find_board(image, BOARD)), at_mm=None)
    with pytest.raises(CalibrationRefusedError, match="first sheet"):
        fit_table("top", lens, BOARD, [sheet], image, 820.0)


def test_edges_are_found_where_the_rails_are(one: tuple[CameraModel, Lens, Image]) -> None:
    truth, _, image = one
    for side, edges in find_edges(image, truth, 820.0).items():
        assert min(abs(float(edge.line[0])) for edge in edges) < 1.0, side
    assert TableGeometry.to_player(0, 0.0, -410.0) == (0.0, 410.0)


def test_nothing_is_found_in_a_plain_picture(one: tuple[CameraModel, Lens, Image]) -> None:
    truth, _, image = one
    noise = np.random.default_rng(1).normal(120, 4, image.shape)
    plain = np.clip(noise, 0, 255).astype(np.uint8)
    assert not any(find_edges(plain, truth, 820.0).values())
