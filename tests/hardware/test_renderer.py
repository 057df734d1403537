from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from hardware.virtual_table.bench import run
from hardware.virtual_table.camera.faces import DESIGNS, FACES, picture
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import (
    BACKS,
    FELTS,
    Annotator,
    Look,
    Renderer,
    annotate,
    random_look,
    random_scene,
)
from hardware.virtual_table.camera.renderer.boxes import tile_box, upper_side
from hardware.virtual_table.play.layout import Layout
from hardware.virtual_table.scene import ArmBody, DieBody, Pose, Scene, StickBody, TileBody

LAYOUT = Layout.named("mcr")
SMALL = overhead((960, 540))
LARGE = overhead((1920, 1080))
QUIET = Look(noise=0.0)
TILE_MM = (LAYOUT.tile_w, LAYOUT.tile_h, LAYOUT.tile_d)


@pytest.fixture(scope="module")
def quiet() -> Renderer:
    return Renderer(SMALL, LAYOUT, QUIET, seed=1)


def fresh(scene: Scene, look: Look = QUIET, seed: int = 1) -> np.ndarray:
    return Renderer(SMALL, LAYOUT, look, seed).render(scene)


# --- determinism and the drawing of changes alone --------------------------------------------


def test_shape_and_type(quiet: Renderer) -> None:
    frame = quiet.render(Scene(0.0, ()))
    assert frame.shape == (540, 960, 3)
    assert frame.dtype == np.uint8


def test_the_same_scene_and_seed_give_the_same_frame() -> None:
    scene = random_scene(np.random.default_rng(3), LAYOUT, 1.5)
    look = Look(flicker=0.1)
    assert np.array_equal(fresh(scene, look), fresh(scene, look))
    assert not np.array_equal(fresh(scene, look), fresh(scene, look, seed=2))


def test_a_frame_does_not_depend_on_the_frames_before(quiet: Renderer) -> None:
    """Drawing only what changed gives the same pixels as drawing everything."""
    rng = np.random.default_rng(8)
    scene = random_scene(rng, LAYOUT)
    quiet.render(scene)
    for step in range(18):
        tiles = list(scene.tiles)
        for _ in range(int(rng.integers(1, 4))):
            i = int(rng.integers(len(tiles)))
            x, y = (float(v) for v in rng.uniform(-380, 380, 2))
            tiles[i] = replace(
                tiles[i],
                x=x,
                y=y,
                z=float(rng.choice([0, 50])),
                angle=float(rng.uniform(0, 360)),
                speed=float(rng.choice([0, 600])),
            )
        tiles.pop(int(rng.integers(len(tiles))))
        scene = random_scene(rng, LAYOUT) if step in (6, 12) else replace(scene, tiles=tuple(tiles))
        x, y = (float(v) for v in rng.uniform(-300, 300, 2))
        arm = ArmBody(step % 4, x, y, 40.0, (200.0, -410.0), 0.5)
        dice = (DieBody(10.0 * step, 0.0, 3.0 * step, step % 6 + 1, speed=200.0 * (step % 2)),)
        scene = replace(scene, t=0.1 * step, arms=(arm,) if step % 3 else (), dice=dice)
        assert np.array_equal(quiet.render(scene), fresh(scene)), step


def test_a_moved_tile_changes_its_surroundings_only(quiet: Renderer) -> None:
    tile = TileBody(1, "5m", -100.0, 50.0, 0.0, 0.0, Pose.FACE_UP)
    before = quiet.render(Scene(0.0, (tile,)))
    after = quiet.render(Scene(0.1, (replace(tile, x=-60.0),)))
    changed = np.argwhere(np.abs(before.astype(int) - after).max(axis=2) > 0)
    (y0, x0), (y1, x1) = changed.min(axis=0), changed.max(axis=0)
    area = SMALL.project([[-100, 50, 0], [-60, 50, 0]])
    assert x0 > area[0, 0] - 45
    assert x1 < area[1, 0] + 45
    assert y0 > area[0, 1] - 45
    assert y1 < area[0, 1] + 45


def test_noise_is_as_strong_as_asked_and_new_in_every_frame() -> None:
    look = Look(noise=4.0)
    renderer = Renderer(SMALL, LAYOUT, look, seed=1)
    first = renderer.render(Scene(0.0, ())).astype(int)
    second = renderer.render(Scene(0.1, ())).astype(int)
    difference = (first - second)[150:400, 300:650]
    assert difference.std() / np.sqrt(2) == pytest.approx(4.0, rel=0.15)
    calm = Renderer(SMALL, LAYOUT, QUIET, seed=1).render(Scene(0.0, ()))
    assert abs((first - calm)[150:400, 300:650].mean()) < 0.3


def test_flicker_and_exposure_change_the_brightness() -> None:
    scene = Scene(0.0, ())
    normal = fresh(scene)[100:400, 300:600].mean()
    assert fresh(scene, replace(QUIET, exposure=0.7))[100:400, 300:600].mean() == pytest.approx(
        0.7 * normal, rel=0.03
    )
    renderer = Renderer(SMALL, LAYOUT, replace(QUIET, flicker=0.3), seed=1)
    levels = [renderer.render(Scene(0.1 * i, ()))[100:400, 300:600].mean() for i in range(20)]
    assert max(levels) > 1.2 * normal
    assert min(levels) < 0.8 * normal


# --- what is drawn where ---------------------------------------------------------------------


@cache
def drawn_faces(design: str) -> np.ndarray:
    """(faces, pixels) of the drawings, each of mean 0 and length 1."""
    rows = []
    for face in FACES:
        drawn = picture(face, DESIGNS[design], 52, 72)
        drawn = cv2.GaussianBlur(drawn, (0, 0), 1.2).astype(np.float64)
        rows.append((drawn - drawn.mean(axis=(0, 1))).ravel())
    return np.stack([row / (np.linalg.norm(row) + 1) for row in rows])


def read_face(frame: np.ndarray, quad: np.ndarray, design: str = "classic") -> str:
    """The face whose drawing resembles the rectified quad most."""
    target = np.array([[0, 0], [52, 0], [52, 72], [0, 72]], np.float32)
    transform = cv2.getPerspectiveTransform(quad, target)
    patch = cv2.warpPerspective(frame, transform, (52, 72)).astype(np.float64)
    patch -= patch.mean(axis=(0, 1))
    return FACES[int(np.argmax(drawn_faces(design) @ patch.ravel()))]


def test_the_faces_lie_where_the_truth_says_and_the_right_way_up() -> None:
    rng = np.random.default_rng(21)
    renderer = Renderer(LARGE, LAYOUT, replace(QUIET, noise=2.0), seed=4)
    annotator = Annotator(LARGE, LAYOUT, QUIET)
    right = total = 0
    for _ in range(3):
        scene = random_scene(rng, LAYOUT)
        frame = renderer.render(scene)
        for tile in annotator.annotate(scene).tiles:
            if tile.shows in FACES and tile.visible > 0.97 and tile.streak < 1:
                total += 1
                right += read_face(frame, tile.quad) == tile.face
    assert total > 80
    assert right / total > 0.98, (right, total)


@pytest.mark.parametrize("angle", [0.0, 90.0, 180.0, 270.0, 33.0])
@pytest.mark.parametrize("pose", list(Pose))
def test_corners_of_the_upper_side_begin_at_the_readers_top_left(pose: Pose, angle: float) -> None:
    tile = TileBody(1, "1m", 10.0, 20.0, 0.0, angle, pose)
    corners = upper_side(tile_box(tile, TILE_MM))
    a = np.radians(angle)
    right, away = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    local = np.stack([(corners[:, :2] - (10, 20)) @ right, (corners[:, :2] - (10, 20)) @ away], 1)
    wide, high = TILE_MM[0] / 2, (TILE_MM[2] if pose is Pose.STANDING else TILE_MM[1]) / 2
    assert np.allclose(local, [[-wide, high], [wide, high], [wide, -high], [-wide, -high]])
    top = TILE_MM[1] if pose is Pose.STANDING else TILE_MM[2]
    assert np.allclose(corners[:, 2], top)


@pytest.mark.parametrize(
    ("pose", "tilt", "normal"),
    [
        (Pose.FACE_UP, 0, (0, 0, 1)),
        (Pose.FACE_DOWN, 0, (0, 0, -1)),
        (Pose.STANDING, 0, (0, -1, 0)),
        (Pose.STANDING, 90, (0, 0, 1)),  # falls on its back
        (Pose.FACE_DOWN, 90, (0, -1, 0)),  # turned up for the player at side 0
        (Pose.FACE_UP, -90, (0, -1, 0)),  # stood up
    ],
)
def test_which_way_the_face_looks(pose: Pose, tilt: float, normal: tuple[int, int, int]) -> None:
    box = tile_box(TileBody(1, "1m", 0, 0, 0, 0, pose, tilt), TILE_MM)
    assert np.allclose(box.axes[:, 2], normal)
    assert np.linalg.det(box.axes) == pytest.approx(1)
    assert box.z_range[0] == pytest.approx(0)


def test_standing_tiles_show_no_face_from_above() -> None:
    for angle in (0.0, 90.0, 180.0, 270.0):
        a = np.radians(angle)
        x, y = 376 * np.sin(a), -376 * np.cos(a)
        frames = [
            fresh(Scene(0.0, (TileBody(1, face, x, y, 0.0, angle, Pose.STANDING),)))
            for face in ("7z", "9p")
        ]
        assert np.array_equal(frames[0], frames[1])


def test_a_standing_tile_turns_its_coloured_back_to_the_middle() -> None:
    look = replace(QUIET, back=(0, 0, 220), uneven=0.0, vignette=0.0)
    tile = TileBody(1, "7z", 0.0, -376.0, 0.0, 0.0, Pose.STANDING)
    frame = Renderer(LARGE, LAYOUT, look).render(Scene(0.0, (tile,))).astype(int)
    inner = LARGE.project([0, -376 + TILE_MM[2] / 2, 18])  # half way up its back
    outer = LARGE.project([0, -376 - TILE_MM[2] / 4, 36])  # on top, near the rail
    b, g, r = frame[round(inner[1]) - 1, round(inner[0])]
    assert r > 2 * max(b, g)
    b, g, r = frame[round(outer[1]), round(outer[0])]
    assert min(b, g, r) > 150


def test_the_upper_tile_of_a_stack_hides_the_lower() -> None:
    low = TileBody(1, "7z", 200.0, 200.0, 0.0, 0.0, Pose.FACE_UP)
    high = TileBody(2, "6z", 200.0, 200.0, TILE_MM[2], 0.0, Pose.FACE_UP)
    for order in ((low, high), (high, low)):
        scene = Scene(0.0, order)
        truth = {tile.key: tile for tile in annotate(scene, LARGE, LAYOUT).tiles}
        assert truth[2].visible == pytest.approx(1.0, abs=0.02)
        assert truth[1].visible < 0.2
        frame = Renderer(LARGE, LAYOUT, QUIET).render(scene)
        assert read_face(frame, truth[2].quad) == "6z"


def test_an_arm_covers_and_casts_a_shadow(quiet: Renderer) -> None:
    tile = TileBody(1, "7z", 0.0, -200.0, 0.0, 0.0, Pose.FACE_UP)
    arm = ArmBody(0, 0.0, 0.0, 40.0, (0.0, -420.0))
    bare, reached = Scene(0.0, (tile,)), Scene(0.0, (tile,), arms=(arm,))
    assert annotate(bare, SMALL, LAYOUT).tiles[0].visible > 0.95
    truth = annotate(reached, SMALL, LAYOUT)
    assert truth.tiles[0].visible < 0.05
    assert truth.arms.shape == (540 // 8, 960 // 8)
    without, covered = quiet.render(bare).astype(int), quiet.render(reached).astype(int)
    mask = cv2.resize(truth.arms, SMALL.size) > 0.5
    assert 0.02 < mask.mean() < 0.2
    assert np.abs(without - covered).max(axis=2)[mask].mean() > 20
    around = cv2.dilate(mask.astype(np.uint8), np.ones((31, 31))) - cv2.dilate(
        mask.astype(np.uint8), np.ones((9, 9))
    )
    darker = (without - covered).mean(axis=2)[around > 0]
    assert np.mean(darker > 5) > 0.2
    assert np.array_equal(quiet.render(bare), without)


def test_dice_show_their_values_in_black_and_red() -> None:
    near = overhead((640, 640), across_mm=240)
    renderer = Renderer(near, LAYOUT, QUIET)

    def red_share(value: int) -> float:
        scene = Scene(0.0, (), dice=(DieBody(20.0, 20.0, 30.0, value),))
        (die,) = annotate(scene, near, LAYOUT).dice
        assert die.value == value
        x0, y0, x1, y1 = (round(v) for v in die.box)
        b, g, r = np.moveaxis(renderer.render(scene)[y0:y1, x0:x1].astype(int), 2, 0)
        return float(((r > 90) & (r > 1.6 * g) & (r > 1.6 * b)).mean())

    assert min(red_share(1), red_share(4)) > 0.03
    assert max(red_share(v) for v in (2, 3, 5, 6)) < 0.01


def test_dice_that_roll_or_lean_have_no_value() -> None:
    scene = Scene(
        0.0, (), dice=(DieBody(0, 0, 0, 5, speed=300.0), DieBody(40, 0, 0, 5, cocked=True))
    )
    assert [die.value for die in annotate(scene, SMALL, LAYOUT).dice] == [None, None]


def test_motion_blurs_along_the_way() -> None:
    tile = TileBody(1, "9m", 0.0, 150.0, 60.0, 0.0, Pose.FACE_UP)
    look = replace(QUIET, shutter=1 / 60)

    def detail(speed: float, heading: float) -> tuple[float, float]:
        moving = replace(tile, speed=speed, heading=heading)
        frame = Renderer(LARGE, LAYOUT, look).render(Scene(0.0, (moving,)))
        x, y = (round(v) for v in LARGE.project([0, 150, 80]))
        part = cv2.cvtColor(frame[y - 18 : y + 18, x - 12 : x + 12], cv2.COLOR_BGR2GRAY)
        part = part.astype(float)
        return np.abs(np.diff(part, axis=1)).mean(), np.abs(np.diff(part, axis=0)).mean()

    sharp, sideways, upwards = detail(0, 0), detail(500, 0), detail(500, 90)
    assert sideways[0] < 0.5 * sharp[0]
    assert upwards[1] < 0.5 * sharp[1]
    assert upwards[0] > sideways[0]


def test_sticks_and_faces_that_are_not_known_can_be_drawn(quiet: Renderer) -> None:
    plain = quiet.render(Scene(0.0, ()))
    scene = Scene(
        0.0,
        (
            TileBody(1, "?", 100, 0, 0, 0, Pose.FACE_UP),
            TileBody(2, "back", 0, 150, 0, 0, Pose.FACE_UP),
        ),
        sticks=(StickBody(0, -62, 0),),
    )
    frame = quiet.render(scene)
    x, y = (round(v) for v in SMALL.project([0 + 20, -62, 3]))
    assert frame[y, x].min() > plain[y, x].max() + 40


# --- looks and scenes at random --------------------------------------------------------------


def test_random_looks_render() -> None:
    rng = np.random.default_rng(0)
    means = []
    for seed in range(4):
        look = random_look(rng)
        frame = Renderer(overhead((480, 270)), LAYOUT, look, seed).render(random_scene(rng, LAYOUT))
        means.append(frame.mean(axis=(0, 1)))
        assert 10 < frame.mean() < 200
    assert np.ptp(np.array(means), axis=0).max() > 10


@pytest.mark.parametrize("name", ["mcr", "riichi"])
def test_random_scenes_are_plausible(name: str) -> None:
    layout = Layout.named(name)
    rng = np.random.default_rng(5)
    faces: set[str] = set()
    poses: set[Pose] = set()
    arms = dice = moving = 0
    for _ in range(60):
        scene = random_scene(rng, layout)
        keys = [tile.key for tile in scene.tiles]
        assert len(keys) == len(set(keys))
        assert all(
            abs(tile.x) < layout.half + 20 and abs(tile.y) < layout.half + 20
            for tile in scene.tiles
        )
        faces |= {tile.face for tile in scene.tiles}
        poses |= {tile.pose for tile in scene.tiles}
        arms += len(scene.arms)
        dice += len(scene.dice)
        moving += sum(tile.speed > 0 for tile in scene.tiles)
    assert faces == set(FACES)
    assert poses == set(Pose)
    assert min(arms, dice, moving) > 10


def test_colours_to_choose_from() -> None:
    assert len(FELTS) >= 5
    assert len(BACKS) >= 5


def test_a_fast_arm_is_smeared(quiet: Renderer) -> None:
    arm = ArmBody(0, 0.0, 100.0, 40.0, (0.0, -420.0))
    fast = replace(arm, speed=900.0, heading=0.0)
    still = quiet.render(Scene(0.0, (), arms=(arm,))).astype(float)
    smeared = quiet.render(Scene(0.0, (), arms=(fast,))).astype(float)
    x, y = (round(v) for v in SMALL.project([0, -60, 60]))
    across = [
        np.abs(np.diff(f[y - 20 : y + 20, x - 60 : x + 60], axis=1)) for f in (still, smeared)
    ]
    assert across[1].max() < 0.75 * across[0].max()
    assert smeared.mean() == pytest.approx(still.mean(), rel=0.01)


@pytest.mark.parametrize(
    "arm",
    [
        ArmBody(0, 10.0, -430.0, 40.0, (10.0, -430.0)),  # only just at the rail
        ArmBody(0, 0.0, 0.0, 0.0, (0.0, 0.0)),
        ArmBody(2, 900.0, 1200.0, 40.0, (900.0, 1300.0)),  # outside the picture
        ArmBody(1, -400.0, 400.0, 200.0, (430.0, 0.0), grip=1.7),  # across the table, high
    ],
)
def test_odd_arms_do_no_harm(quiet: Renderer, arm: ArmBody) -> None:
    bare = quiet.render(Scene(0.0, ()))
    assert quiet.render(Scene(0.0, (), arms=(arm,))).shape == bare.shape
    assert np.array_equal(quiet.render(Scene(0.0, ())), bare)
    truth = annotate(Scene(0.0, (), arms=(arm,)), SMALL, LAYOUT)
    assert np.isfinite(truth.arms).all()


def test_the_frame_can_be_written_into_a_given_buffer(quiet: Renderer) -> None:
    scene = random_scene(np.random.default_rng(2), LAYOUT)
    buffer = np.zeros((540, 960, 3), np.uint8)
    quiet.render(scene, buffer)
    assert np.array_equal(buffer, quiet.render(scene))
    look = replace(QUIET, noise=3.0)
    noisy = Renderer(SMALL, LAYOUT, look, seed=1)
    noisy.render(scene, buffer)
    assert np.array_equal(buffer, noisy.render(scene))


def test_the_measurement_runs() -> None:
    timings = run(count=1, sizes=("1080p",))
    assert [timing.what for timing in timings][:2] == ["idle", "one tile and an arm move"]
    assert all(timing.median_ms > 0 and timing.cpu_ms > 0 for timing in timings)
