"""Fingers that stop on a wall tile for a moment: what they leave behind says what they did."""

from __future__ import annotations

import math

import pytest

from table_controller.domain.happenings import DrawStage, Seat, Slot, TileDrawn
from tests.table_controller.happenings.scenes import Table, around, home, taken_up_to

OPEN = Slot(1, 7, "top")
TOUCHED = [(2, "touched", (OPEN,))]


@pytest.fixture
def table() -> Table:
    return taken_up_to(OPEN.stack)


def drawn(table: Table) -> list[tuple[Seat | None, DrawStage, tuple[Slot, ...]]]:
    return [(h.seat, h.stage, h.slots) for h in table.told() if isinstance(h, TileDrawn)]


@pytest.mark.parametrize(
    ("looks", "beside", "told"),
    [
        pytest.param(4, 0.0, TOUCHED, id="as long as one takes who lets go again"),
        pytest.param(4, 8.0, TOUCHED, id="looks err beside it"),
        pytest.param(2, 0.0, [], id="fingers that pass over it are on it for a look or two"),
        pytest.param(4, 24.0, [], id="too far beside it"),
    ],
)
def test_a_tile_that_stands_there_yet_was_touched(
    table: Table, looks: int, beside: float, told: list[object]
) -> None:
    """A touch of 0.35 s is seen in four looks, as many as a plain draw."""
    x, y = table.point(OPEN)
    table.look(looks, reach=(2, (x, y + beside)))
    table.look(20, reach=(2, home(table, 2)))
    assert drawn(table) == told


@pytest.mark.parametrize(("looks", "lost_s", "told"), [(2, 0.2, []), (3, 0.1, TOUCHED)])
def test_two_looks_that_lost_ones_part_show_no_stop(
    table: Table, looks: int, lost_s: float, told: list[object]
) -> None:
    """On its way to another stack and back a hand was seen by this one twice, 0.3 s apart, where a
    fifth of the looks was lost: an alert in a legal hand (riichi 1871000)."""
    for look in range(looks):
        table.t += lost_s if look else 0.0
        table.look(1, reach=(2, table.point(OPEN)))
    table.look(20, reach=(2, home(table, 2)))
    assert drawn(table) == told


@pytest.mark.parametrize("looks", [4, 8])
@pytest.mark.parametrize(
    ("by", "lies", "told"),
    [
        pytest.param(2, 0.1, [], id="1763018"),
        pytest.param(2, -0.1, [], id="it lies as the hand is seen there first"),
        pytest.param(2, -0.4, TOUCHED, id="it lay before"),
        pytest.param(1, 0.1, TOUCHED, id="of another"),
    ],
)
def test_a_hand_that_lays_its_discard_beside_the_wall_touches_nothing(
    table: Table, looks: int, by: Seat, lies: float, told: list[object]
) -> None:
    """The fourth row of a pool is so near that fingertips are seen over the stacks."""
    table.follower._table.discarded_at[by] = table.t + lies
    table.look(looks, reach=(2, table.point(OPEN)))
    table.look(20, reach=(2, home(table, 2)))
    assert [one for one in drawn(table) if one[1] == "touched"] == told


def test_a_tile_that_is_gone_was_taken(table: Table) -> None:
    table.look(4, reach=(2, table.point(OPEN)))
    table.heights[OPEN[:2]] = 1
    table.look(20, reach=(2, home(table, 2)))
    assert drawn(table) == [(2, "taken", (OPEN,))]


def test_where_it_is_not_seen_what_became_of_it_nothing_is_told(table: Table) -> None:
    point = table.point(OPEN)
    table.look(4, reach=(2, point))
    table.look(15, reach=(2, home(table, 2)), covered=(around(point),))
    table.look(20, reach=(2, home(table, 2)))
    assert drawn(table) == []


def test_beyond_the_end_of_a_wall_there_is_nothing_else_to_touch() -> None:
    """Looks that err outwards there were counted for a stack that is none."""
    table = taken_up_to(18)
    last, before = Slot(1, 18, "top"), Slot(1, 17, "top")
    (x, y), (bx, by) = table.point(last), table.point(before)
    table.look(4, reach=(2, (x + 0.6 * (x - bx), y + 0.6 * (y - by))))
    table.look(20, reach=(2, home(table, 2)))
    assert drawn(table) == [(2, "touched", (last,))]


@pytest.mark.parametrize(
    ("outwards", "inwards", "astray", "told"),
    [
        pytest.param(34.0, 0.0, 1, TOUCHED, id="one look errs"),
        pytest.param(34.0, 0.0, 2, TOUCHED, id="two looks err alike"),
        pytest.param(34.0, 0.0, 3, [], id="for three looks they are elsewhere"),
        pytest.param(54.0, 0.0, 2, [], id="farther off than looks err"),
        pytest.param(-70.0, 0.0, 2, [], id="over other stacks"),
        pytest.param(0.0, 60.0, 2, [], id="between wall and pool, where hands wait"),
    ],
)
def test_fingers_that_are_seen_beyond_the_end_of_a_wall_for_a_moment_are_on_its_last_tile(
    table: Table, outwards: float, inwards: float, astray: int, told: list[object]
) -> None:
    """A touch of 0.35 s fell into two, of one look and of two, and none of them was told."""
    (x, y), (_, gone) = table.point(OPEN), table.point(OPEN._replace(stack=OPEN.stack - 1))
    along = math.copysign(1.0, gone - y)
    table.look(1, reach=(2, (x, y - 8.0 * along)))
    table.look(astray, reach=(2, (x - inwards, y + outwards * along)))
    table.look(2, reach=(2, (x, y)))
    table.look(20, reach=(2, home(table, 2)))
    assert drawn(table) == told


@pytest.mark.parametrize(
    ("stack", "beyond"),
    [
        pytest.param(9, 0.0, id="two stacks farther along the wall"),
        pytest.param(8, 8.0, id="beside the one that is drawn then, farther off than looks err"),
    ],
)
def test_who_goes_on_from_one_tile_to_the_right_one_has_touched_the_first(
    table: Table, stack: int, beyond: float
) -> None:
    """Wrong draws that only touched were forgotten with the draw that came right after them."""
    state = table.follower._table
    state.discarded_at[1], state.front = table.t, Slot(1, OPEN.stack - 1, "bottom")
    table.lying = table.standing(2, 13)
    table.look(10, reach=(2, home(table, 2)))
    wrong = Slot(1, stack, "top")
    (x, y), (_, right) = table.point(wrong), table.point(OPEN)
    table.look(4, reach=(2, (x, y + (beyond if y > right else -beyond))))
    table.look(2, reach=(2, table.point(OPEN)))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(2, table.point(OPEN)))
    table.look(1, reach=(2, (100.0, 200.0)))
    table.look(25, reach=(2, home(table, 2)))
    assert drawn(table) == [(2, "touched", (wrong,)), (2, "taken", (OPEN,))]


@pytest.mark.parametrize("seen_late", [True, False])
def test_while_the_tile_beside_it_may_be_leaving_it_was_not_touched(
    table: Table, seen_late: bool
) -> None:
    """Fingers were seen beside the replacement that they took: a wrong one was said to be touched.

    A look of two minds had delayed it that the tile was gone.
    """
    taken = Slot(1, OPEN.stack + 1, "top")
    table.look(4, reach=(2, table.point(OPEN)))
    for height in (1, 2) if seen_late else ():
        table.heights[taken[:2]] = height
        table.look(1, reach=(2, home(table, 2)))
    table.heights[taken[:2]] = 1
    table.look(20, reach=(2, home(table, 2)))
    assert drawn(table) == [(2, "taken", (taken,))]
