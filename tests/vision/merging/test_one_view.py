"""Two cameras as one view: overlaps, heights, gaps, a camera that is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hardware.virtual_table.camera.optics import overhead
from tests.vision.eyes_scene import GEOMETRY
from vision.calibration.camera import CameraModel
from vision.geometry import TableGeometry
from vision.merging import tiles
from vision.merging.one_view import VIEW, OneView
from vision.sightings import DieSighting, Outcome, Polygon, Posture, Sighting, TileSighting

TABLE = TableGeometry.load(GEOMETRY)
SQUARE: Polygon = ((0.0, 0.0), (80.0, 0.0), (80.0, 80.0), (0.0, 80.0))
BESIDE: Polygon = ((40.0, 0.0), (160.0, 0.0), (160.0, 80.0), (40.0, 80.0))


def hung(name: str, x: float) -> CameraModel:
    c = overhead(name=name, at_mm=(x, 0.0))
    return CameraModel(name, c.size, c.K, c.dist, c.R, c.t)


CAMERAS = {"left": hung("left", -160.0), "right": hung("right", 160.0)}


def tile(
    camera: str, x: float, y: float, z: float = 20.0, said: float | None = None, **more: object
) -> TileSighting:
    """A tile whose upper side is at z; ``said``: the height that the camera takes it to be at."""
    half = np.array([(-13, 18), (13, 18), (13, -18), (-13, -18)])
    px = CAMERAS[camera].project(np.column_stack((half + np.array((x, y)), np.full(4, z))))
    height = z if said is None else said
    at = CAMERAS[camera].to_table(px, height).mean(axis=0)
    corners = [(float(u), float(v)) for u, v in px]
    seen = TileSighting(
        float(at[0]),
        float(at[1]),
        height,
        0.0,
        Posture.FACE_DOWN,
        (),
        0.9,
        1.0,
        (corners[0], corners[1], corners[2], corners[3]),
        1,
    )
    return replace(seen, **more)  # type: ignore[arg-type]


def sighting(camera: str, t: float, *tiles: TileSighting, **more: object) -> Sighting:
    return replace(Sighting(t, camera, Outcome.LOOKED, tiles), **more)  # type: ignore[arg-type]


def joint(*sightings: Sighting) -> Sighting:
    view = OneView(CAMERAS, TABLE)
    found = [one for each in sightings for one in view.take(each)]
    return (found + view.flush())[-1]


def test_the_same_tile_is_one_and_lies_between() -> None:
    seen = joint(
        sighting("left", 1.0, tile("left", 50.0, 120.0)),
        sighting("right", 1.0, tile("right", 52.0, 121.0)),
    )
    (one,) = seen.tiles
    assert (one.x, one.y) == pytest.approx((51.0, 120.5), abs=0.5)
    assert seen.camera == VIEW


def test_neighbours_stay_two() -> None:
    seen = joint(
        sighting("left", 1.0, tile("left", 50.0, 120.0), tile("left", 77.0, 120.0, track=2)),
        sighting("right", 1.0, tile("right", 51.0, 120.0), tile("right", 78.0, 120.0, track=2)),
    )
    assert len(seen.tiles) == 2


@pytest.mark.parametrize("true", [20.0, 40.0])
@pytest.mark.parametrize("said", [(20.0, 40.0), (40.0, 20.0)])
@pytest.mark.parametrize("x", [-200.0, 0.0, 200.0])
def test_where_they_disagree_on_the_height_their_places_tell(
    true: float, said: tuple[float, float], x: float
) -> None:
    y = TABLE.wall.offset
    seen = joint(
        sighting("left", 1.0, tile("left", x, -y, true, said[0])),
        sighting("right", 1.0, tile("right", x, -y, true, said[1])),
    )
    (one,) = seen.tiles
    assert one.z == true
    assert (one.x, one.y) == pytest.approx((x, -y), abs=0.1)


def test_an_upper_tile_that_is_taken_is_seen_at_once() -> None:
    view, y = OneView(CAMERAS, TABLE), -TABLE.wall.offset
    for n in range(20):
        for name in CAMERAS:
            joined = view.take(sighting(name, n / 10, tile(name, 0.0, y, 40.0)))
    assert joined[0].tiles[0].z == 40.0
    for name in CAMERAS:
        joined = view.take(sighting(name, 2.0, tile(name, 0.0, y, 20.0, track=2)))
    assert joined[0].tiles[0].z == 20.0


def test_a_new_track_of_one_camera_makes_no_other_tile() -> None:
    """A lower tile, half hidden from the left, lies where both would see an upper one."""
    view, y = OneView(CAMERAS, TABLE), -TABLE.wall.offset
    hidden = 3.0
    for n in range(5):
        for name in CAMERAS:
            joined = view.take(sighting(name, n / 10, tile(name, 60.0, y, 20.0)))
    assert joined[0].tiles[0].z == 20.0
    left = tile("left", 60.0 + hidden, y, 20.0, 40.0, track=2)
    view.take(sighting("left", 0.5, left))
    (seen,) = view.take(sighting("right", 0.5, tile("right", 60.0, y, 20.0)))
    assert seen.tiles[0].z == 20.0


def test_a_tile_keeps_its_number_however_many_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not seen for longest is forgotten, not what was seen first."""
    monkeypatch.setattr(tiles, "_MOST_NUMBERS", 40)
    view, y = OneView(CAMERAS, TABLE), -TABLE.wall.offset
    kept = set()
    for n in range(200):
        for name in CAMERAS:
            # Only one of them sees the tile all the time, and takes it for an upper one.
            lying = [tile(name, 60.0, y, 20.0, 40.0, track=1)] if name == "left" or n < 5 else []
            new = tile(name, -60.0, 120.0, track=n + 2)
            joined = view.take(sighting(name, n / 10, *lying, new))
        kept |= {(seen.track, seen.z) for seen in joined[0].tiles if seen.x > 0}
    assert len(kept) == 1


def test_a_sleeve_at_the_edge_of_a_tile_lifts_it_for_nobody() -> None:
    """For four looks the left camera takes the lower tile for an upper one, where both would be."""
    view, y = OneView(CAMERAS, TABLE), -TABLE.wall.offset
    for n in range(9):
        seen = {name: tile(name, 60.0, y, 20.0) for name in CAMERAS}
        if n >= 5:
            at = CAMERAS["right"].to_table(np.mean(seen["right"].quad, axis=0)[None], 40.0)[0]
            seen["left"] = tile("left", float(at[0]), float(at[1]), 40.0)
        for name in CAMERAS:
            joined = view.take(sighting(name, n / 10, seen[name]))
        assert joined[0].tiles[0].z == 20.0, n


@pytest.mark.parametrize(
    ("again", "moments"),
    [
        pytest.param(1.2, [[50.0, 200.0]], id="the other is a little later"),
        pytest.param(11.0, [[50.0], [200.0]], id="both were lost meanwhile"),
    ],
)
def test_looks_that_are_far_apart_are_no_one_moment(
    again: float, moments: list[list[float]]
) -> None:
    view = OneView(CAMERAS, TABLE)
    for n in range(10):
        for name in CAMERAS:
            view.take(sighting(name, n / 10))
    told = view.take(sighting("left", 1.0, tile("left", 50.0, 120.0, confidence=0.95)))
    told += view.take(sighting("right", again, tile("right", 200.0, 120.0, confidence=0.95)))
    assert [[round(seen.x) for seen in one.tiles] for one in told] == moments
    assert [one.t for one in told] == [again] if len(moments) == 1 else [1.0, again]


def test_no_moment_is_before_the_one_told_last() -> None:
    """One camera's pictures come late, and two of them at once: at no time is it earlier again."""
    view = OneView(CAMERAS, TABLE)
    came = [("left", 1.0), ("right", 1.0), ("left", 1.3), ("right", 1.1), ("right", 1.2)]
    came += [("right", 1.3), ("left", 1.4), ("right", 1.4)]
    told = [joined.t for name, t in came for joined in view.take(sighting(name, t))]
    assert told == sorted(told)
    assert told == [1.0, 1.3, 1.3, 1.3, 1.4]


def test_what_one_has_behind_an_arm_the_other_sees() -> None:
    arm = {"covered": (SQUARE,)}
    seen = joint(sighting("left", 1.0, **arm), sighting("right", 1.0, tile("right", 40.0, 40.0)))
    assert len(seen.tiles) == 1
    assert seen.covered == ()


def test_only_what_no_camera_sees_is_not_looked_at() -> None:
    seen = joint(
        sighting("left", 1.0, covered=(SQUARE,)), sighting("right", 1.0, covered=(BESIDE,))
    )
    (polygon,) = seen.covered
    xs, ys = [x for x, _ in polygon], [y for _, y in polygon]
    assert (min(xs), max(xs)) == pytest.approx((40.0, 80.0), abs=9.0)
    assert (min(ys), max(ys)) == pytest.approx((0.0, 80.0), abs=9.0)


def test_a_tile_that_the_better_placed_camera_does_not_see_must_be_sure() -> None:
    for confidence, count in ((0.5, 0), (0.9, 1)):
        far = tile("left", 300.0, 0.0, confidence=confidence)
        assert len(joint(sighting("left", 1.0, far), sighting("right", 1.0)).tiles) == count


def test_a_lost_camera_is_left_out_and_the_other_goes_on() -> None:
    view = OneView(CAMERAS, TABLE)
    for name in CAMERAS:
        view.take(sighting(name, 1.0, tile(name, 50.0, 120.0)))
    seen = [view.take(sighting("right", 1.0 + n / 10, tile("right", 50.0, 120.0))) for n in (1, 4)]
    times = [[one.t for one in joined] for joined in seen]
    assert times == [[], [1.1, 1.4]], "it is waited for, but not for long"
    assert len(seen[1][-1].tiles) == 1


def test_a_view_that_no_camera_left_shows_is_not_looked_at() -> None:
    narrow = replace(
        CAMERAS["right"], K=np.array([[3000.0, 0, 960], [0, 3000.0, 540], [0, 0, 1.0]])
    )
    view = OneView({"left": CAMERAS["left"], "right": narrow}, TABLE)
    view.take(sighting("right", 1.0))
    (seen,) = view.flush()
    assert seen.covered, "most of the table is outside of the picture"


@pytest.mark.parametrize(
    ("outcomes", "outcome"), [("fl", "looked"), ("lf", "looked"), ("ff", "failed")]
)
def test_failed_looks(outcomes: str, outcome: str) -> None:
    both = []
    for name, what in zip(CAMERAS, outcomes, strict=True):
        one = sighting(name, 1.0)
        if what == "f":
            one = Sighting(1.0, name, Outcome.FAILED, reason="it moves")
        both.append(one)
    assert joint(*both).outcome.value == outcome


def test_dice_and_arms_of_both() -> None:
    die = DieSighting(10.0, 10.0, 4, 0.95, moving=False)
    other = replace(die, x=14.0, value=4)
    reach = ((0.0, -300.0), None, None, None)
    seen = joint(
        sighting("left", 1.0, dice=(die,), reach=reach),
        sighting("right", 1.0, dice=(other,), reach=((10.0, -290.0), None, None, None)),
    )
    (one,) = seen.dice
    assert (one.x, one.value) == (12.0, 4)
    assert seen.reach[0] == (5.0, -295.0)


ARM: Polygon = ((160.0, -60.0), (240.0, -60.0), (240.0, 20.0), (160.0, 20.0))


@pytest.mark.parametrize(
    ("arms", "tip"),
    [
        pytest.param({"right": ARM}, (200.0, -20.0), id="the other camera sees no arm there"),
        pytest.param({"left": ARM, "right": ARM}, (200.0, -20.0), id="both see that one"),
        pytest.param({}, (200.0, -20.0), id="farther in"),
    ],
)
def test_fingertips_far_apart_are_not_those_of_one_hand(
    arms: dict[str, Polygon], tip: tuple[float, float]
) -> None:
    """Between the sleeve that one eye took for an arm and the hand was a hand that nobody had."""
    sleeve, hand = (260.0, -290.0), (200.0, -20.0)
    seen = joint(
        *(
            sighting(
                name,
                1.0,
                covered=(arms[name],) if name in arms else (),
                reach=(None, point, None, None),
            )
            for name, point in (("left", hand), ("right", sleeve))
        )
    )
    assert seen.reach[1] == tip


DIE = DieSighting(0.0, 30.0, 4, 0.95, moving=False)


@pytest.mark.parametrize(
    ("left", "right", "values"),
    [
        ([DIE], [DIE], [4]),
        ([DIE], [replace(DIE, value=3)], [None]),
        ([DIE], [replace(DIE, value=None)], [4]),
        ([DIE], [replace(DIE, value=3, confidence=0.5)], [4]),
        ([DIE], [], [4]),
        ([replace(DIE, confidence=0.7)], [], []),
        ([DIE], [replace(DIE, moving=True, value=None)], [None]),
        ([replace(DIE, x=-390.0)], [replace(DIE, x=-386.0, value=1)], [4]),
        ([replace(DIE, x=390.0, value=1)], [replace(DIE, x=386.0)], [4]),
    ],
    ids=[
        "agreed",
        "disagreed",
        "read by one",
        "one surer by far",
        "seen by one, surely",
        "seen by one, doubtfully",
        "still rolling for one",
        "left edge: the left one is steeper",
        "right edge: the right one is steeper",
    ],
)
def test_the_value_of_a_die(
    left: list[DieSighting], right: list[DieSighting], values: list[int | None]
) -> None:
    seen = joint(sighting("left", 1.0, dice=tuple(left)), sighting("right", 1.0, dice=tuple(right)))
    assert [die.value for die in seen.dice] == values


@pytest.mark.parametrize("off", [(0.0, 0.0), (4.0, 0.0), (-5.0, 3.0), (0.0, 6.0)])
def test_dice_that_touch_stay_two_and_are_paired_rightly(off: tuple[float, float]) -> None:
    pair = (replace(DIE, value=2), replace(DIE, x=16.0, value=5))
    moved = tuple(replace(die, x=die.x + off[0], y=die.y + off[1]) for die in reversed(pair))
    seen = joint(sighting("left", 1.0, dice=pair), sighting("right", 1.0, dice=moved))
    dice = sorted(seen.dice, key=lambda die: die.x)
    assert [die.x for die in dice] == pytest.approx([off[0] / 2, 16 + off[0] / 2], abs=0.2)
    assert [die.value for die in dice] == [2, 5]


def test_a_value_that_was_agreed_on_stays_while_the_die_lies_still() -> None:
    view = OneView(CAMERAS, TABLE)
    values = []
    for n, (a, b, x) in enumerate([(4, 4, 0.0), (4, 3, 0.5), (None, None, 0.5), (4, 3, 60.0)]):
        t, die = n / 10, replace(DIE, x=x)
        view.take(sighting("left", t, dice=(replace(die, value=a),)))
        (seen,) = view.take(sighting("right", t, dice=(replace(die, value=b),)))
        values.append(seen.dice[0].value)
    assert values == [4, 4, 4, None]


def test_what_does_not_change_is_told_alike() -> None:
    """Made once, and anew as soon as one camera says something else."""
    view = OneView(CAMERAS, TABLE)
    still = [tile("left", 50.0, 120.0), tile("right", 51.0, 120.0)]
    told = []
    for n in range(12):
        view.take(sighting("left", n / 10, still[0]))
        told += [seen.tiles[0] for seen in view.take(sighting("right", n / 10, still[1]))]
    assert told[-1] is told[-2]
    view.take(sighting("left", 1.2, still[0]))
    (seen,) = view.take(sighting("right", 1.2, replace(still[1], x=53.0)))
    assert seen.tiles[0].x > told[-1].x + 0.5
