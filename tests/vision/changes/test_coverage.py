"""What arms hide of the table, and how far they reach."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.seen_from_above import CAMERA, TABLES, inside
from vision.changes.coverage import Coverage
from vision.changes.fingertips import Reach
from vision.changes.motion import CELL
from vision.geometry import Zone

TABLE = TABLES["mcr"]
OUT = TABLE.surface_mm / 2 + 40.0
"""So far out is seen who reaches in over a rail."""


def test_polygons_hold_every_covered_cell() -> None:
    coverage = Coverage(CAMERA, TABLE)
    mask = np.zeros(coverage.cells, bool)
    mask[60:75, 80:92] = True
    mask[70:100, 85:88] = True
    polygons = coverage.polygons(mask)
    assert len(polygons) == 1
    for row, column in zip(*np.nonzero(mask), strict=True):
        x, y = CAMERA.to_table([[(column + 0.5) * CELL, (row + 0.5) * CELL]], TABLE.flat_z)[0]
        assert inside(polygons[0], x, y)
    assert coverage.polygons(np.zeros(coverage.cells, bool)) == ()


def reach_of(*arms: tuple[float, float, float, float]) -> Reach:
    """Where arms reach that cover these parts of the table (x0, y0, x1, y1; mm)."""
    coverage = Coverage(CAMERA, TABLE)
    mask = np.zeros(coverage.cells, bool)
    for x0, y0, x1, y1 in arms:
        px = CAMERA.project([(x0, y0, 20.0), (x1, y1, 20.0)])
        low, high = px.min(axis=0) // CELL, px.max(axis=0) // CELL
        mask[int(low[1]) : int(high[1]) + 1, int(low[0]) : int(high[0]) + 1] = True
    return coverage.reach(mask)


def test_two_arms_reach_from_their_own_sides() -> None:
    reach = reach_of((100, -OUT, 160, -120), (-OUT, 40, -200, 100))
    assert reach[1] is None
    assert reach[2] is None
    assert reach[0] is not None
    assert reach[0][1] == pytest.approx(-120, abs=8)
    assert reach[3] is not None
    assert reach[3][0] == pytest.approx(-200, abs=8)


@pytest.mark.parametrize("gap", [0.0, 120.0, 260.0, 460.0])
def test_a_hand_beyond_a_sleeve_that_was_not_seen_belongs_to_its_arm(gap: float) -> None:
    reach = reach_of((100, -OUT, 160, -200), (90, -200 + gap, 170, 340))
    assert reach[0] is not None
    # Farther away than a sleeve's dark stretch it may be anything.
    assert reach[0][1] == pytest.approx(-200 if gap > 420 else 340, abs=16)
    assert reach[1:] == (None, None, None)


def test_a_hand_far_off_goes_to_the_sleeve_that_points_there() -> None:
    """It went to the arm of the next side as well, for a line can be laid through any two parts."""
    reach = reach_of((160, -OUT, 220, -120), (-OUT, -20, -240, 40), (150, 180, 230, 270))
    assert reach[0] is not None
    assert reach[0][1] == pytest.approx(270, abs=16)
    assert reach[3] is not None
    assert reach[3][0] == pytest.approx(-240, abs=16)


def test_a_hand_beyond_two_gaps_of_a_sleeve_belongs_to_its_arm() -> None:
    """Of a dark sleeve over dark things three parts were seen: at the rail, between, the hand."""
    shown = (40, -OUT, 100, -350), (30, -260, 110, -20), (30, 100, 110, 240)
    reach = reach_of(*shown)
    assert reach[0] is not None
    assert reach[0] == pytest.approx((70, 240), abs=30)


def test_an_arm_that_others_touch_at_the_end_is_not_drawn_along_theirs() -> None:
    """Who held a wall tile seemed to go to the hand of who discarded just beyond it."""
    half = TABLE.surface_mm / 2
    slanted = [
        (-110 - 17 * k, -half + 46 * k, -60 - 17 * k, -half + 46 * k + 60) for k in range(-1, 8)
    ]
    reach = reach_of(*slanted, (-OUT, -30, -130, 30))
    assert reach[0] is not None
    assert reach[0] == pytest.approx((-204, -30), abs=50)


@pytest.mark.parametrize("end", [-60, 40])
def test_arms_that_touch_reach_each_along_its_own_line(end: float) -> None:
    """The one over a wall tile was drawn aside by the hand of who discarded beside it."""
    half = TABLE.surface_mm / 2
    reach = reach_of((130, -half, 200, end), (200, end - 80, half, end))
    assert reach[0] is not None
    assert reach[0] == pytest.approx((165, end), abs=30)
    assert reach[1] is not None
    assert abs(reach[1][1] - (end - 40)) < 40


def test_an_arm_far_aside_has_fingertips_where_another_touches_it() -> None:
    """Along one of the directions that are tried, 63°, it had none."""
    half = TABLE.surface_mm / 2
    middles = [(-160 + 26 * k, -half + 15 * k) for k in range(-2, 10)]
    sleeve = [(x - 30, y - 30, x + 30, y + 30) for x, y in middles]
    end = middles[-1]
    reach = reach_of(*sleeve, (end[0], end[1] - 20, OUT, end[1] + 40))
    assert reach[0] is not None
    assert reach[0] == pytest.approx(end, abs=50)
    assert reach[1] is not None
    assert reach[1] == pytest.approx(end, abs=30)


@pytest.mark.parametrize("side", [0, 3])
def test_a_hand_over_the_next_rail_is_no_arm_from_there(side: int) -> None:
    """Who knocked a tile of his neighbour over seemed to be the neighbour: a wrong alert."""
    half = TABLE.surface_mm / 2
    sleeve: list[tuple[float, float, float, float]] = [
        (-half + 21 * k, -315 - 9 * k, -half + 40 + 21 * k, -240 - 9 * k) for k in range(-2, 9)
    ]
    hand: tuple[float, float, float, float] = (-250, -half, -160, -350)
    if side == 0:
        sleeve, hand = [(y0, x0, y1, x1) for x0, y0, x1, y1 in sleeve], (-half, -250, -350, -160)
    reach = list(reach_of(*sleeve, hand))
    tip = reach.pop(side)
    assert tip is not None
    assert tip == pytest.approx((-170, -400) if side == 3 else (-400, -170), abs=35)
    assert reach == [None, None, None]


def aslant(shown: int, aside: int) -> list[tuple[float, float, float, float]]:
    """A sleeve of side 2 that goes so far aside in each of so many steps of 54 mm."""
    return [(-200 - aside * k, 450 - 54 * k, -140 - aside * k, 504 - 54 * k) for k in range(shown)]


@pytest.mark.parametrize(("shown", "aside"), [(6, 20), (5, 20), (4, 28)])
def test_a_hand_over_the_next_row_and_its_edge_is_that_of_the_arm_that_goes_there(
    shown: int, aside: int
) -> None:
    """Who turned a neighbour's tile over along the rail seemed to be the neighbour himself, again
    where 160 mm of a dark sleeve were not seen (2025002)."""
    reach = reach_of(*aslant(shown, aside), (-430, 5, -345, 130))
    assert reach[2] is not None
    assert reach[2] == pytest.approx((-385, 10), abs=40)
    assert (reach[0], reach[1], reach[3]) == (None, None, None)


def test_a_hand_over_a_rail_to_which_no_sleeve_points_exactly_is_of_who_sits_there() -> None:
    reach = reach_of(*aslant(4, 36), (-430, 5, -345, 130))
    assert reach[3] is not None
    assert reach[2] is not None
    assert reach[2][1] > 250


def test_fingers_over_the_far_rail_are_not_those_of_an_arm_that_points_there() -> None:
    """Six cells of who rests his hand behind his row: the arm opposite went that far for half a
    second, and nobody had drawn the tile it took."""
    reach = reach_of((-160, -OUT, -100, 190), (-120, 390, -100, 418))
    assert reach[0] == pytest.approx((-130, 190), abs=16)


def test_an_arm_of_which_nothing_is_seen_beyond_its_rail_is_one_all_the_same() -> None:
    """A dark sleeve over dark wood."""
    half = TABLE.surface_mm / 2
    reach = reach_of((100, -half, 160, -120))
    assert reach[0] == pytest.approx((130, -120), abs=12)
    assert reach[1:] == (None, None, None)


def test_outlines_of_the_geometry_lie_on_the_table() -> None:
    coverage = Coverage(CAMERA, TABLE)
    corners = CAMERA.project([(x * 0.99, y * 0.99, 20.0) for x, y in TABLE.outline(Zone.FELT)])
    for x, y in corners:
        assert coverage.on_table[int(y) // CELL, int(x) // CELL]
