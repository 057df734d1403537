"""The zones file and the places in it, against the words of the contract."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hardware.virtual_table
from vision.errors import VisionInputError
from vision.geometry import SIDES, PoolCell, TableGeometry, WallSlot, Zone, ZoneHit

DATA = Path(hardware.virtual_table.__file__).parent / "data"
MCR = TableGeometry.load(DATA / "geometry-mcr.toml")
RIICHI = TableGeometry.load(DATA / "geometry-riichi.toml")
BOTH = pytest.mark.parametrize("table", [MCR, RIICHI], ids=["mcr", "riichi"])


def text(name: str = "geometry-mcr.toml") -> str:
    return (DATA / name).read_text(encoding="utf-8")


def test_values_are_read() -> None:
    assert MCR.surface_mm == 820
    assert [*MCR.tile_mm] == [26, 36, 20]
    assert (MCR.hand.start, MCR.hand.end) == (-300, 300)
    assert (MCR.flat_z, MCR.stacked_z, MCR.standing_z) == (20, 40, 36)


# "sides 0..3 counter-clockwise seen from above; side 0 is the bottom edge" (contract 1)
@pytest.mark.parametrize(
    ("side", "middle", "right_hand"),
    [(0, (0, -1), (1, 0)), (1, (1, 0), (0, 1)), (2, (0, 1), (-1, 0)), (3, (-1, 0), (0, -1))],
)
def test_sides_run_counter_clockwise(
    side: int, middle: tuple[int, int], right_hand: tuple[int, int]
) -> None:
    assert MCR.to_table(side, 0, 100) == pytest.approx((100 * middle[0], 100 * middle[1]))
    x, y = MCR.to_table(side, 50, 0)
    assert (x, y) == pytest.approx((50 * right_hand[0], 50 * right_hand[1]))
    assert MCR.facing_side(100.0 * middle[0], 100.0 * middle[1]) == side


@given(st.integers(0, 3), st.floats(-400, 400), st.floats(-400, 400))
def test_frames_are_inverse(side: int, right: float, offset: float) -> None:
    assert MCR.to_player(side, *MCR.to_table(side, right, offset)) == (right, offset)


# "stacks are counted 1.. from that player's right end to the left" (contract 1)
def test_stack_one_is_at_the_right_end() -> None:
    first = MCR.wall_pose(WallSlot(0, 1, "top"))
    last = MCR.wall_pose(WallSlot(0, 18, "top"))
    assert (first.x, first.y) == pytest.approx((221, -256))
    assert (last.x, last.y) == pytest.approx((-221, -256))
    assert MCR.wall_pose(WallSlot(1, 1, "top"))[:2] == pytest.approx((256, 221))


@BOTH
def test_every_slot_is_found_again(table: TableGeometry) -> None:
    slots = list(table.wall_slots())
    assert len(slots) == 8 * table.stacks_per_side
    for slot in slots:
        pose = table.wall_pose(slot)
        hit = table.stack_at(pose.x + 3, pose.y - 4)
        assert hit is not None
        assert (hit.side, hit.stack) == slot[:2]
        assert math.hypot(hit.along, hit.across) == pytest.approx(5)
        assert table.zone_at(pose.x, pose.y) == ZoneHit(Zone.WALL, slot.side)


def test_walls_of_three_players() -> None:
    stacks = (18, 18, 18, 0)
    assert len(list(RIICHI.wall_slots(stacks))) == 108
    assert RIICHI.nearest_stack(-200, 0, stacks).side != 3
    assert RIICHI.wall_pose(WallSlot(0, 1, "top"), 18).x == pytest.approx(170)
    with pytest.raises(ValueError, match="no side"):
        RIICHI.nearest_stack(0, 0, (0, 0, 0, 0))


def test_a_pushed_stack_is_in_no_line() -> None:
    assert MCR.stack_at(0, -256 + 30) is None
    assert MCR.nearest_stack(0, -226).across == pytest.approx(-30)


# "row 0 nearest the centre, column 0 at the player's left" (contract 2)
def test_pool_is_filled_from_the_left_outwards() -> None:
    assert MCR.pool_pose(PoolCell(0, 0, 0))[:2] == pytest.approx((-67.5, -102))
    assert MCR.pool_pose(PoolCell(0, 1, 0))[:2] == pytest.approx((-67.5, -139))
    assert MCR.pool_pose(PoolCell(2, 0, 0))[:2] == pytest.approx((67.5, 102))


@BOTH
def test_every_pool_cell_is_found_again(table: TableGeometry) -> None:
    for side in SIDES:
        for cell in table.pool_cells(side):
            pose = table.pool_pose(cell)
            hit = table.pool_cell_at(pose.x + 2, pose.y + 2)
            assert hit is not None
            assert hit.cell == cell
            assert table.zone_at(pose.x, pose.y) == ZoneHit(Zone.POOL, side)


@BOTH
def test_hands_melds_sticks_and_dice_have_their_zones(table: TableGeometry) -> None:
    for side in SIDES:
        middle = (table.hand.start + table.hand.end) / 2
        assert ZoneHit(Zone.HAND, side) in table.zones_at(
            *table.to_table(side, middle, table.hand.offset)
        )
        inwards = table.meld.right - table.tile_width / 2
        at = table.to_table(side, inwards, table.meld.offset)
        assert table.zone_at(*at) == ZoneHit(Zone.MELD, side)
        stick = table.stick_pose(side)
        assert ZoneHit(Zone.STICK, side) in table.zones_at(stick.x, stick.y)
        assert stick.angle == 90 * side
    assert table.zone_at(0, 0) == ZoneHit(Zone.DICE, None)
    assert table.zone_at(table.surface_mm, 0) == ZoneHit(Zone.OFF, None)
    assert MCR.zone_at(-260, -260) == ZoneHit(Zone.FELT, None)


@BOTH
@pytest.mark.parametrize("zone", list(Zone))
def test_outlines_run_counter_clockwise(table: TableGeometry, zone: Zone) -> None:
    for side in SIDES:
        points = table.outline(zone, side)
        area = sum(
            x0 * y1 - x1 * y0
            for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1], strict=True)
        )
        assert area > 0


@given(st.floats(-600, 600), st.floats(-600, 600))
def test_a_quarter_turn_changes_only_the_side(x: float, y: float) -> None:
    here = MCR.zones_at(x, y)
    turned = MCR.zones_at(-y, x)
    expected = {ZoneHit(z, None if s is None else SIDES[(s + 1) % 4]) for z, s in here}
    assert set(turned) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("pitch = 26", "pitch = -1"), r"wall\.pitch: input should be greater than 0"),
        (("surface_mm = 820", "surface_mm = 820\nsize = 3"), "size: unknown key"),
        (("half = 70", ""), r"dice\.half: missing"),
        (("from = -300", "from = 301"), "hand: from must be left of to"),
        (("offset = 376", "offset = 500"), "hand lies outside the surface"),
        (("[26, 36, 20]", "[36, 26, 20]"), "tile_mm must be"),
        (("[26, 36, 20]", "[26, 36]"), r"tile_mm\.2: missing"),
        (("surface_mm = 820", "surface_mm = ="), "not TOML"),
    ],
)
def test_errors_name_file_and_key(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "zones.toml"
    path.write_text(text().replace(*change, 1), encoding="utf-8")
    with pytest.raises(VisionInputError, match=message) as error:
        TableGeometry.load(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(VisionInputError, match=r"none\.toml: No such file"):
        TableGeometry.load(tmp_path / "none.toml")


def test_from_mapping_names_its_source() -> None:
    data = tomllib.loads(text())
    del data["wall"]
    with pytest.raises(VisionInputError, match=r"config\.toml: wall: missing"):
        TableGeometry.from_mapping(data, "config.toml")
