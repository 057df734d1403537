"""Cameras that are knocked, turned, swapped or blinded: said within two seconds, not guessed."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Renderer, random_scene
from hardware.virtual_table.play.layout import Layout
from tests.vision import degraded as d
from tests.vision.eyes_scene import GEOMETRY
from tests.vision.grain import grainy
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame, SourceState
from vision.checks.drift import DriftCheck
from vision.checks.watch import Kept, WatchedEye, how_it_hangs
from vision.eye.pipeline import LARGE, Eye
from vision.geometry import TableGeometry
from vision.image import Image
from vision.sightings import Outcome, Sighting

SIZE = (1280, 720)
STEP_S = 0.1
FAULT_S = 2.0


class Blank:
    """Finds nothing; only whether it is asked matters here."""

    tiles = ()
    arms = None

    def find(self, image: Image, tile_px: float | None = None) -> Blank:
        return self


@lru_cache(maxsize=2)
def picture(x: float) -> tuple[CameraModel, Image]:
    """A camera over the table, off its middle by x mm, and what it sees."""
    layout = Layout.load(GEOMETRY)
    camera = overhead(SIZE, name="top", at_mm=(x, 0.0), lean_deg=(0.0, x / 23))
    scene = random_scene(np.random.default_rng(5), layout)
    image = np.array(Renderer(camera, layout, seed=2).render(scene))
    return CameraModel("top", camera.size, camera.K, camera.dist, camera.R, camera.t), image


def film(image: Image, seconds: float) -> list[Frame]:
    """Still pictures with the noise of a sensor."""
    frames = []
    for number in range(round(seconds / STEP_S)):
        noisy = grainy(image, 2, number, grey=True, coarse=2)
        frames.append(Frame(round(number * STEP_S, 3), "top", noisy, number))
    return frames


def watched(
    camera: CameraModel, geometry: TableGeometry | None = None, **more: object
) -> WatchedEye:
    eye = Eye(camera, geometry or TableGeometry.load(GEOMETRY), Blank())
    return WatchedEye(eye, **more)  # type: ignore[arg-type]


def run(eye: WatchedEye, *faults: d.Fault, seconds: float = 6.0) -> list[Sighting]:
    return [eye.look(frame) for frame in d.degraded(film(picture(0.0)[1], seconds), *faults)]


CAMERA = picture(0.0)[0]
NOTHING: list[SourceState] = []


@pytest.mark.parametrize(
    ("fault", "states", "words"),
    [
        (d.flicker(0.3), NOTHING, ""),
        (d.drops(0.2), NOTHING, ""),
        (d.arm((200, 100, 840, 460), FAULT_S, FAULT_S + 3), NOTHING, ""),
        (d.knock(CAMERA, (5.0, 0.0), FAULT_S), [SourceState.MOVED], "by 5"),
        (d.knock(CAMERA, (-3.0, 4.0), FAULT_S, 0.2), [SourceState.MOVED], "knocked"),
        (d.knock(CAMERA, (70.0, 10.0), FAULT_S), [SourceState.ASTRAY], "moved too far"),
        (d.exposure(0.45, FAULT_S), [SourceState.EXPOSURE], "brightness went from"),
        (
            d.exposure(0.02, FAULT_S, FAULT_S + 2),
            [SourceState.LIGHT, SourceState.STEADY],
            "too dark",
        ),
        (d.exposure(60.0, FAULT_S), [SourceState.LIGHT], "too bright"),
    ],
)
def test_what_is_said_of_a_fault(fault: d.Fault, states: list[SourceState], words: str) -> None:
    eye = watched(CAMERA, kept=Kept(CAMERA, picture(0.0)[1]))
    run(eye, fault)
    told = eye.told()
    assert [event.state for event in told] == states
    if told:
        assert words in told[0].detail
        assert FAULT_S <= told[0].t <= FAULT_S + 2.0
    assert all(event.camera == "top" for event in told)


def test_nothing_is_looked_at_between_a_knock_and_its_correction() -> None:
    eye = watched(CAMERA)
    seen = run(eye, d.knock(CAMERA, (5.0, 0.0), FAULT_S))
    blind = [one for one in seen if one.outcome is Outcome.FAILED]
    assert blind
    assert blind[0].t == FAULT_S
    assert blind[0].reason == "it moves"
    assert blind[-1].t - blind[0].t < 1.0
    assert seen[-1].outcome is Outcome.LOOKED


def test_the_corrected_pose_sees_the_table_where_it_is() -> None:
    corrected: list[CameraModel] = []
    eye = watched(CAMERA, on_moved=corrected.append)
    run(eye, d.knock(CAMERA, (5.0, 0.0), FAULT_S))
    assert len(corrected) == 1
    shift = np.array((5.0 * CAMERA.px_per_mm(), 0.0))
    for x, y in ((0, 0), (256, 0), (-256, 256), (300, -300)):
        true = CAMERA.project([[x, y, 40.0]]) + shift
        found = corrected[0].to_table(true, 40.0)[0]
        assert np.hypot(found[0] - x, found[1] - y) < 0.8


@pytest.mark.parametrize("beyond", [-1e-9, 1e-9])
def test_a_corrected_pose_leaves_the_size_of_what_is_looked_at(beyond: float) -> None:
    """At the bar between looking at half and at the whole size a hair's breadth decides."""
    usual = TableGeometry.load(GEOMETRY)
    width = LARGE / CAMERA.px_per_mm(0.0, 0.0, usual.flat_z) * (1.0 + beyond)
    table = usual.model_copy(update={"tile_mm": (width, *usual.tile_mm[1:])})
    eye = watched(CAMERA, table)
    seen = run(eye, d.knock(CAMERA, (5.0, 0.0), FAULT_S))
    assert [event.state for event in eye.told()] == [SourceState.MOVED]
    assert seen[-1].outcome is Outcome.LOOKED


def test_every_measurement_says_alike_how_a_knocked_camera_hangs() -> None:
    """In the noise of a JPEG every third was 3 px off at the corners: no three in a row agreed."""

    def delivered(x: float, seed: int) -> Image:
        noise = np.random.default_rng(seed).normal(0, 2, (SIZE[1], SIZE[0], 1))
        noisy = np.clip(picture(x)[1] + noise, 0, 255).astype(np.uint8)
        jpeg = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 92])[1]
        return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)

    check = DriftCheck(CAMERA, TableGeometry.load(GEOMETRY), delivered(0.0, 0))
    corners = [(x, y, 0.0) for x in (-410.0, 410.0) for y in (-410.0, 410.0)]
    true = picture(5.0)[0].project(corners)
    for seed in range(1, 11):
        found = check.measure(delivered(5.0, seed)).camera
        assert found is not None
        assert np.linalg.norm(found.project(corners) - true, axis=1).max() < 1.2, seed


def test_a_mount_that_sways_hangs_nowhere() -> None:
    """It is as far off to either side; the pose of one moment was taken for how it hangs."""
    corrected: list[CameraModel] = []
    eye = watched(CAMERA, on_moved=corrected.append)
    run(eye, d.sway(CAMERA, 3.0, FAULT_S))
    assert corrected == []
    (event,) = eye.told()
    assert (event.state, event.detail) == (SourceState.ASTRAY, "it moves")


@pytest.mark.parametrize(("wide", "states"), [(100.0, []), (300.0, [SourceState.DRIFT_UNSEEN])])
def test_sleeves_in_the_first_picture_are_not_what_it_is_compared_with(
    wide: float, states: list[SourceState]
) -> None:
    """Begun again in mid-hand: when the arms had gone the camera was lost for the session."""
    eye = watched(CAMERA)
    half = TableGeometry.load(GEOMETRY).surface_mm / 2
    seen = run(eye, d.sleeves(CAMERA, half, FAULT_S, wide))
    assert [event.state for event in eye.told()] == states
    assert all(one.outcome is Outcome.LOOKED for one in seen)


def test_a_second_knock_is_corrected_as_well() -> None:
    eye = watched(CAMERA)
    first, second = d.knock(CAMERA, (5.0, 0.0), 1.0), d.knock(CAMERA, (0.0, 6.0), 3.0)
    run(eye, first, second)
    assert [event.state for event in eye.told()] == [SourceState.MOVED] * 2


def test_a_camera_that_was_knocked_since_its_calibration_is_corrected() -> None:
    eye = watched(CAMERA, kept=Kept(CAMERA, picture(0.0)[1]))
    run(eye, d.knock(CAMERA, (6.0, -2.0), 0.0), seconds=2.0)
    assert [event.state for event in eye.told()] == [SourceState.MOVED]


def test_a_camera_that_hangs_upside_down_is_named() -> None:
    eye = watched(CAMERA, kept=Kept(CAMERA, picture(0.0)[1]))
    seen = run(eye, d.upside_down(), seconds=2.5)
    (event,) = eye.told()
    assert event.state is SourceState.ASTRAY
    assert "upside down" in event.detail
    assert event.t <= 2.0
    assert all(one.outcome is Outcome.FAILED for one in seen[3:])


def test_two_swapped_cameras_are_named() -> None:
    other, shows = picture(170.0)
    eye = watched(other, kept=Kept(other, shows), others={"left": Kept(CAMERA, picture(0.0)[1])})
    run(eye, seconds=2.5)
    (event,) = eye.told()
    assert event.state is SourceState.ASTRAY
    assert "shows what camera left showed" in event.detail


def test_cameras_that_face_each_other_and_were_swapped_do_not_hang_upside_down() -> None:
    """Upside down a square table looks from the left as it does from the right."""
    (left, shows_left), (right, shows_right) = picture(-160.0), picture(160.0)
    geometry = TableGeometry.load(GEOMETRY)
    kept, other = Kept(left, shows_left), {"right": Kept(right, shows_right)}
    good, why = how_it_hangs(shows_right, kept, geometry, other)
    assert not good
    assert "shows what camera right showed" in why
    good, why = how_it_hangs(np.ascontiguousarray(shows_left[::-1, ::-1]), kept, geometry, other)
    assert not good
    assert "upside down" in why
    assert how_it_hangs(shows_left, kept, geometry, other)[0]


def test_a_picture_of_another_size_is_left_to_the_eye() -> None:
    small = Frame(0.0, "top", np.zeros((100, 100, 3), np.uint8), 0)
    sighting = watched(CAMERA).look(small)
    assert sighting.outcome is Outcome.FAILED
    assert "100x100" in (sighting.reason or "")
