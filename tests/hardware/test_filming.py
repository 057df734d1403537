"""What goes wrong with the filming is filmed: lost and moved cameras, flicker, arms, tables."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hardware.virtual_table.camera.filming import FilmedCamera, cameras_over, moved, resting_arms
from hardware.virtual_table.camera.image import Image
from hardware.virtual_table.play.geometry import resized
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from hardware.virtual_table.play.scenario import BadScenarioError, parse_scenario
from hardware.virtual_table.play.settings import Degraded, View
from hardware.virtual_table.scene import Pose, Scene, TileBody

LAYOUT = Layout.named("riichi")
SMALL = View(size=(480, 270))
TILE = TileBody(1, "5z", 40.0, 120.0, 0.0, 0.0, Pose.FACE_UP)


def camera(degraded: Degraded, view: View = SMALL, number: int = 0) -> FilmedCamera:
    cameras = cameras_over(LAYOUT, view)
    return FilmedCamera(
        cameras[number], LAYOUT, None, degraded, number=number, count=len(cameras), seed=3
    )


def film(filmed: FilmedCamera, scene: Scene, taken: float | None = None) -> Image:
    picture = filmed.film(scene, taken)
    assert picture is not None
    return picture


def test_a_lost_camera_gives_no_more_pictures_and_the_other_goes_on() -> None:
    both = [camera(Degraded(lost_at=2.0), View(size=(480, 270), cameras=2), n) for n in (0, 1)]
    came = [[each.film(Scene(t, (TILE,))) is not None for t in (1.9, 2.0, 9.0)] for each in both]
    assert came == [[True, True, True], [True, False, False]]


def test_a_fifth_of_the_pictures_is_dropped() -> None:
    filmed = camera(Degraded(dropped=0.2))
    came = sum(filmed.film(Scene(0.1 * n, ())) is not None for n in range(400))
    assert 290 <= came <= 350


def test_a_knocked_camera_sees_the_table_beside_its_stated_pose() -> None:
    (stated,) = cameras_over(LAYOUT, SMALL)
    away = moved(stated, 5.0)
    assert away.position - stated.position == pytest.approx([5.0, 0.0, 0.0])
    pixels = away.project([0.0, 0.0, 0.0]) - stated.project([0.0, 0.0, 0.0])
    assert np.hypot(*pixels) == pytest.approx(5.0 * stated.K[0, 0] / 1300.0, rel=0.02)
    filmed = camera(Degraded(moved_at=1.0, moved_mm=40.0))
    before = film(filmed, Scene(0.9, (TILE,))).copy()
    after = film(filmed, Scene(1.0, (TILE,)))
    assert np.abs(before.astype(int) - after.astype(int)).max() > 60


def test_light_flickers_by_what_was_asked() -> None:
    filmed = camera(Degraded(flicker=0.3, flicker_hz=1.0))
    means = [film(filmed, Scene(n / 20, ())).mean() for n in range(20)]
    assert max(means) / np.mean(means) == pytest.approx(1.3, abs=0.06)
    assert min(means) / np.mean(means) == pytest.approx(0.7, abs=0.06)


def test_a_sensor_is_noisy_also_while_the_tables_time_stands_still() -> None:
    """A controller calls pictures that are all the same a frozen camera."""
    filmed, scene = camera(Degraded()), Scene(4.0, (TILE,))
    first, second = (film(filmed, scene, taken).copy() for taken in (1.7e9, 1.7e9 + 0.1))
    assert (first != second).mean() > 0.5
    again = film(filmed, scene).copy()
    assert (film(filmed, scene) == again).all()


def test_an_arm_rests_over_a_quarter_for_its_time() -> None:
    degraded = Degraded(arm_at=10.0, arm_side=1)
    assert resting_arms(LAYOUT, degraded, 9.9) == ()
    assert resting_arms(LAYOUT, degraded, 15.1) == ()
    arms = resting_arms(LAYOUT, degraded, 12.5)
    # Side 1 is the right edge; the quarter at its right is the upper one.
    assert all(arm.x > 0 and arm.y > 0 for arm in arms)
    assert max(arm.y for arm in arms) > 0.8 * LAYOUT.half


def test_a_table_of_another_size_is_one_the_layout_takes(tmp_path: Path) -> None:
    source = packaged_geometry("riichi")
    assert resized(source, View()) is None
    path = tmp_path / "geometry.toml"
    path.write_text(resized(source, View(scale=1.2, surface_mm=900.0)) or "", encoding="utf-8")
    made = Layout.load(path)
    assert (made.surface, made.tile_w, made.stacks_per_side) == (900.0, 24.0, 17)
    assert made.half - made.hand_offset == pytest.approx((350 - 300) * 1.2)
    assert made.wall_offset == pytest.approx(240.0)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"degraded": {"flicker": 3}}, "degraded: flicker: expected 0 to 0.4"),
        ({"degraded": {"fog": 1}}, "degraded: unknown key 'fog'"),
        ({"view": {"cameras": 1.5}}, "view: cameras: expected a whole number"),
        ({"view": {"size": "big"}}, "view: size: expected WIDTHxHEIGHT"),
        ({"view": {"look": "dark"}}, "view: look: expected a number"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(data: dict[str, Any], says: str) -> None:
    with pytest.raises(BadScenarioError) as error:
        parse_scenario(data, "file.toml")
    assert str(error.value) == f"file.toml: {says}" + str(error.value)[len(f"file.toml: {says}") :]


def test_settings_come_from_the_scenario(tmp_path: Path) -> None:
    scenario = parse_scenario(
        json.loads('{"view": {"cameras": 2, "size": [640, 360]}, "degraded": {"lost_at": 4}}')
    )
    assert scenario.view == View(cameras=2, size=(640, 360))
    assert scenario.degraded == Degraded(lost_at=4.0)
