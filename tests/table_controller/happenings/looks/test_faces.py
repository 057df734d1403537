"""The follower's tools, each by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table_controller.domain.happenings import (
    Place,
    Slot,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.faces import FaceEvidence
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import Area, Places
from table_controller.happenings.setup import Patience
from table_controller.happenings.wall.walls import Walls
from tests.table_controller.happenings.play import GEOMETRY
from vision.geometry import PoolCell, TableGeometry, WallSlot
from vision.sightings import Outcome, Posture, Sighting, TileSighting

TABLE = TableGeometry.load(GEOMETRY)


PLACES = Places(TABLE)


@pytest.mark.parametrize("side", [0, 1, 2, 3])
def test_every_zone_lies_in_its_own_area(side: int) -> None:
    for slot in TABLE.wall_slots():
        pose = TABLE.wall_pose(slot)
        spot = PLACES.spot(pose.x, pose.y)
        assert spot.area is Area.WALL
        stack, along, across = PLACES.stack_of(spot)
        assert (spot.seat, stack) == (slot.side, slot.stack)
        assert abs(along) < 1e-6
        assert abs(across) < 1e-6
    for cell in TABLE.pool_cells(side):
        pose = TABLE.pool_pose(cell)
        spot = PLACES.spot(pose.x, pose.y)
        assert spot.area is Area.POOL
        assert spot.seat == side
        assert PLACES.pool_place(spot) == Place(cell.row, cell.col)
    for right, offset, area in (
        (250.0, TABLE.meld.offset, Area.MELD),
        (0.0, TABLE.hand.offset, Area.HAND),
        (0.0, TABLE.hand.offset - 23.0, Area.HAND),
    ):
        spot = PLACES.spot(*TABLE.to_table(side, right, offset))
        assert (spot.area, spot.seat) == (area, side)


def test_slots_lie_where_the_geometry_says() -> None:
    pose = TABLE.wall_pose(WallSlot(2, 5, "top"))
    assert PLACES.slot_point(Slot(2, 5, "top")) == pytest.approx((pose.x, pose.y))


@pytest.mark.parametrize(
    ("right", "offset"), [(0.0, 120.5), (-120.0, 139.0), (30.0, 245.0), (0.0, 20.0)]
)
def test_outside_the_rows_there_is_no_place(right: float, offset: float) -> None:
    assert PLACES.pool_place(PLACES.spot(*TABLE.to_table(1, right, offset))) is None


def test_the_last_row_goes_on_to_the_right() -> None:
    pose = TABLE.pool_pose(PoolCell(0, 3, 5))
    spot = PLACES.spot(pose.x + 2 * TABLE.pool.column_pitch, pose.y)
    assert PLACES.pool_place(spot) == Place(3, 7)


def test_a_face_is_agreed_upon_when_the_last_look_says_the_same() -> None:
    """A discard was told as 6z while its last looks said 1z."""
    face = FaceEvidence()
    for _ in range(3):
        face.add((("6z", 0.9), ("1z", 0.1)))
    assert face.agreed
    face.add((("1z", 0.7), ("6z", 0.3)))
    assert face.decided
    assert not face.agreed


def test_one_wrong_reading_does_not_change_a_face() -> None:
    face = FaceEvidence()
    for _ in range(3):
        face.add((("4p", 0.9), ("5p", 0.08)))
    face.add((("6p", 0.8), ("4p", 0.1)))
    assert face.tile is Tile.P4
    assert face.decided


@pytest.mark.parametrize(
    ("looks", "foreign"),
    [
        ("ffff", True),
        ("fff", False),  # too few
        ("ff?fffff", True),  # one look saw nothing
        ("44f4f44", False),  # glare looks strange now and then
        ("4444", False),
    ],
)
def test_a_tile_of_another_set_is_one_when_look_after_look_says_so(
    looks: str, *, foreign: bool
) -> None:
    face = FaceEvidence()
    label = {"f": "foreign", "4": "4p", "?": "?"}
    for look in looks:
        face.add(((label[look], 0.95),))
    assert face.foreign is foreign
    assert face.tile is (Tile.UNKNOWN if foreign or looks == "fff" else Tile.P4)
    assert not foreign or face.share > 0.7


def test_divided_evidence_is_unknown() -> None:
    face = FaceEvidence()
    for label in ("4p", "5p") * 4:
        face.add(((label, 0.9),))
    assert face.tile is Tile.UNKNOWN
    assert not face.decided


def test_a_face_that_comes_out_from_under_fingers_is_soon_known() -> None:
    """Five looks at half a red dragon showed no face; the three of all of it were not enough."""
    face = FaceEvidence()
    for _ in range(5):
        face.add((("?", 0.82), ("7z", 0.05), ("1s", 0.02)))
    assert not face.coming
    face.add((("7z", 0.99),))
    assert (face.decided, face.coming) == (False, True)
    for _ in range(3):
        face.add((("7z", 1.0),))
    assert (face.decided, face.coming) == (True, False)
    assert face.tile is Tile.RED


def test_rejected_readings_weigh_against_a_face() -> None:
    face = FaceEvidence()
    for _ in range(6):
        face.add((("?", 0.7), ("1m", 0.3)))
    assert face.tile is Tile.UNKNOWN


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(["1m", "9s", "?"]), st.floats(0, 1)), max_size=3),
        max_size=30,
    )
)
def test_shares_stay_shares(readings: list[list[tuple[str, float]]]) -> None:
    face = FaceEvidence()
    for reading in readings:
        face.add(tuple(reading[:1]))
    assert 0.0 <= face.share <= 1.0 + 1e-9


@pytest.mark.parametrize(
    ("readings", "sure"),
    [
        pytest.param([("7f", 0.48), ("7f", 0.995), ("7f", 0.995)], 0.995, id="it came to rest"),
        pytest.param([("?", 0.9), ("7f", 0.995), ("7f", 0.995)], 0.995, id="nothing made out"),
        pytest.param([("1f", 0.48), ("7f", 0.995), ("7f", 0.995)], 0.995, id="read as another"),
        pytest.param([("7f", 0.62), ("7f", 0.995), ("7f", 0.995)], 0.995, id="the same, less sure"),
        pytest.param([("7f", 0.48), ("7f", 0.995)], 0.7375, id="one clear look is one"),
        pytest.param([("7f", 0.48), ("7f", 0.9), ("7f", 0.995)], 0.7917, id="they doubt"),
        pytest.param([("7f", 0.48), ("1f", 0.995), ("7f", 0.995)], 0.4917, id="they differ"),
        pytest.param([("1f", 0.6), ("7f", 0.995), ("7f", 0.995)], 0.6633, id="a face was read"),
        pytest.param([("7f", 0.995), ("7f", 0.48), ("7f", 0.995)], 0.8233, id="later glare"),
    ],
)
def test_the_look_in_which_a_tile_came_to_rest(
    readings: list[tuple[str, float]], sure: float
) -> None:
    """A flower in a set without flowers was told with 0.82, and the rules did not believe it."""
    face = FaceEvidence()
    for reading in readings:
        face.add((reading,))
    assert face.share == pytest.approx(sure, abs=1e-4)


def test_what_was_read_before_an_arm_hid_the_tile_is_no_look_of_its_own() -> None:
    """A fifth 6z was told with 0.87, and the rules did not believe it."""
    face = FaceEvidence()
    readings = ((0.62, 0.76), (0.62, 0.12), (0.998, 0.98), (0.998, 0.99))
    for sure, visible in readings:
        face.add((("6z", sure),), visible)
    assert face.share == pytest.approx(0.998, abs=1e-4)


def test_near_an_arm_nothing_is_looked_at() -> None:
    arm = ((0.0, -400.0), (40.0, -400.0), (40.0, -200.0), (0.0, -200.0))
    look = Look(Sighting(0.0, "top", Outcome.LOOKED, covered=(arm,)), None)
    assert not look.looked(20, -300)
    assert not look.looked(50, -300)
    assert look.looked(80, -300)
    half_view = ((-400.0, -400.0), (0.0, -400.0), (0.0, 400.0), (-400.0, 400.0))
    assert not Look(Sighting(0.0, "left", Outcome.LOOKED), half_view).looked(100, 0)


@pytest.mark.parametrize(("confidence", "kept"), [(0.62, 0), (0.8, 1)])
def test_felt_between_printed_lines_is_no_tile_that_fell(confidence: float, kept: int) -> None:
    arms = Arms()
    walls = Walls(PLACES, arms, Patience())
    walls.stand()
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    back = TileSighting(
        -214.7, 209.7, 20.0, 179.0, Posture.FACE_DOWN, (), confidence, 1.0, corners, 252
    )
    regular, crooked, others = walls.split([back])
    assert (len(regular), len(crooked) + len(others)) == (0, kept)


@pytest.mark.parametrize(("felt", "stands"), [(False, 0), (True, 1)])
def test_a_lone_back_that_no_sensor_feels_is_no_stack_of_new_walls(felt: bool, stands: int) -> None:
    walls = Walls(PLACES, Arms(), Patience())
    point = walls.stacks[(3, 18)].point
    corners = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
    back = TileSighting(
        point[0], point[1], 20.0, 90.0, Posture.FACE_DOWN, (), 0.66, 1.0, corners, 90
    )
    walls.sensor(3, 18, felt, 4.5)
    for k in range(20):
        look = Look(Sighting(4.4 + 0.1 * k, "top", Outcome.LOOKED, tiles=(back,)), None)
        walls.update(look, walls.split(look.sighting.tiles))
    assert walls.stacks[(3, 18)].height == stands
