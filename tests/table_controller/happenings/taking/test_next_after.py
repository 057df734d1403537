"""What a hand does with one tile after it has put another back."""

from __future__ import annotations

from dataclasses import replace
from math import copysign, hypot

import pytest

from table_controller.domain.happenings import TileDrawn, TileReturned
from tests.table_controller.happenings.scenes import Table, around, home, laid, taken_up_to, under
from tests.table_controller.happenings.taking.test_in_place import INNER, OPEN


@pytest.fixture
def table() -> Table:
    return taken_up_to(OPEN.stack)


def stages(table: Table) -> list[tuple[str, int]]:
    """What was told of draws: stage or "returned", and the stack."""
    return [
        (h.stage if isinstance(h, TileDrawn) else "returned", h.slots[0].stack)
        for h in table.told("tile_drawn", "tile_returned")
        if isinstance(h, TileDrawn | TileReturned)
    ]


@pytest.mark.parametrize("looks_lower", [0, 4])
def test_who_brought_a_tile_back_lifts_the_next_one(table: Table, looks_lower: int) -> None:
    """One clear look at the tile that was back and one beside the hand that went on were too few.

    It counted as put back when the hand left the next stack, in whose shadow it seemed to be away;
    and of a hand that had taken a tile a moment ago nothing was asked there.
    """
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    between = (bx + 0.35 * (x - bx), by + 0.35 * (y - by))
    table.take(2, OPEN)
    table.look(12, reach=(2, home(table, 2)))
    table.look(2, reach=(2, (x, y)))
    table.heights[OPEN[:2]] = 2
    (back,) = under(table, OPEN, 0.0, 0.82)
    lies = under(table, INNER, 0.3, 0.8)
    clear = (replace(back, visible=0.92), *lies)
    table.look(1, reach=(2, home(table, 2)), covered=(around((x, y)),), under=clear)
    table.look(1, reach=(2, between), under=(replace(back, visible=0.4), *lies))
    lower = replace(back, z=table.geometry.tile_thickness, visible=0.5)
    table.look(looks_lower, reach=(2, between), under=(lower,))
    table.look(9 - looks_lower, reach=(2, between))
    table.look(20, reach=(2, home(table, 2)))
    assert stages(table) == [
        ("taken", OPEN.stack),
        ("returned", OPEN.stack),
        ("touched", INNER.stack),
        ("lifted", INNER.stack),
        ("returned", INNER.stack),
    ]


def test_a_tile_held_over_its_stack_is_not_back(table: Table) -> None:
    """No look shows it clear of the hand: it may be carried by."""
    table.take(2, OPEN)
    table.look(12, reach=(2, home(table, 2)))
    (back,) = under(table, OPEN, 0.0, 0.82)
    table.look(3, reach=(2, table.point(OPEN)), under=(replace(back, visible=0.8),))
    table.look(20, reach=(2, home(table, 2)))
    assert stages(table) == [("taken", OPEN.stack)]


@pytest.mark.parametrize(("looks", "told"), [(3, "seen"), (12, "taken")])
def test_a_hand_on_its_way_back_to_the_wall_may_put_its_tile_back(
    table: Table, looks: int, told: str
) -> None:
    """It had just been at its row: of a hand that was not there again yet it was told as taken."""
    (x, y), (hx, hy) = table.point(OPEN), home(table, 1)
    table.look(4, reach=(1, (x, y)), under=under(table, OPEN, 0.3, 0.8))
    table.take(1, OPEN)
    table.look(looks, reach=(1, (hx, hy)))
    far = hypot(hx - x, hy - y)
    table.look(1, reach=(1, (x + 80.0 / far * (hx - x), y + 80.0 / far * (hy - y))))
    table.look(1, reach=(1, (x, y)))
    table.heights[OPEN[:2]] = 2
    table.look(20, reach=(1, (hx, hy)))
    assert stages(table)[-2:] == [(told, OPEN.stack), ("returned", OPEN.stack)]


@pytest.mark.parametrize(
    ("seat", "ways", "told"),
    [
        pytest.param(1, [(6, 49.0, 12.0)], "seen", id="at its own wall it only looked"),
        pytest.param(
            2, [(3, 60.0, 100.0), (6, 49.0, 24.0)], "taken", id="it had looked on the way"
        ),
    ],
)
def test_a_hand_that_stops_about_its_row_for_half_a_second_and_goes_back(
    table: Table, seat: int, ways: list[tuple[int, float, float]], told: str
) -> None:
    """The one was told as taken in the look before it went back, the other as only looked at."""
    tip, row = table.point(OPEN), table.geometry.hand.offset
    table.look(5, reach=(seat, tip), under=under(table, OPEN, 0.3, 0.8))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(seat, tip))
    for looks, right, short in ways:
        table.look(looks, reach=(seat, table.geometry.to_table(seat, right, row - short)))
    table.look(1, reach=(seat, tip))
    table.heights[OPEN[:2]] = 2
    table.look(2, reach=(seat, tip))
    table.look(20, reach=(seat, home(table, seat)))
    assert stages(table)[-2:] == [(told, OPEN.stack), ("returned", OPEN.stack)]


def test_a_hand_that_comes_down_between_two_tiles_put_one_back(table: Table) -> None:
    """It never left the wall: both stops passed for one, at the tile that went.

    Which of both stacks it is over is seen only while it is down.
    """
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    middle = (x + bx) / 2, (y + by) / 2
    for tip in [middle, *[(middle[0] + 27.0, middle[1])] * 7, (bx, by), (x + 20.0, y)]:
        table.look(1, reach=(2, tip))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(2, (x + 24.0, y)))
    table.look(20, reach=(2, home(table, 2)))
    assert stages(table) == [
        ("touched", INNER.stack),
        ("lifted", INNER.stack),
        ("returned", INNER.stack),
        ("taken", OPEN.stack),
    ]


def test_a_hand_that_comes_down_and_rises_over_the_same_tile_stayed(table: Table) -> None:
    x, y = table.point(OPEN)
    for high in (0.0, *[27.0] * 7, 0.0, *[20.0] * 7):
        table.look(1, reach=(2, (x + high, y)))
    table.look(20, reach=(2, home(table, 2)))
    assert stages(table) == [(stage, OPEN.stack) for stage in ("touched", "lifted", "returned")]


@pytest.mark.parametrize(
    ("discards", "told"),
    [
        pytest.param(True, [("taken", OPEN.stack)] * 2, id="it only seems to be back"),
        pytest.param(False, [("taken", 7), ("returned", 7)], id="it is back, whoever brought it"),
    ],
)
def test_nobody_brings_back_what_its_taker_has_discarded_for(
    table: Table, *, discards: bool, told: list[tuple[str, int]]
) -> None:
    """The eye took the lower tile for the upper one two looks later, with no hand near."""
    table.take(2, OPEN)
    table.look(6)
    if discards:
        laid(table, 2, table.face(*table.geometry.to_table(2, 0.0, 101.0), "7m", 180.0))
    table.heights[OPEN[:2]] = 2
    table.look(26)
    if discards:
        table.heights[OPEN[:2]] = 1
        table.take(3, OPEN._replace(layer="bottom"))
        table.look(20, reach=(3, home(table, 3)))
    assert stages(table) == told


@pytest.mark.parametrize("at_home", [1, 2])
def test_a_hand_that_goes_straight_past_a_place_puts_nothing_there(
    table: Table, at_home: int
) -> None:
    """On its way to its pool it came by where it had drawn; the eye saw two tiles there again."""
    seat, geometry = OPEN.side, table.geometry
    right, offset = geometry.to_player(seat, *table.point(OPEN))
    row, pool = home(table, seat), geometry.to_table(seat, right + 110.0, offset - 75.0)
    table.take(seat, OPEN)
    table.look(at_home, reach=(seat, row))
    table.look(1, reach=(seat, geometry.to_table(seat, right, offset + 35.0)))
    table.look(1, reach=(seat, pool))
    table.heights[OPEN[:2]] = 2
    table.look(2, reach=(seat, pool))
    table.look(1, reach=(seat, geometry.to_table(seat, right + 60.0, offset + 40.0)))
    table.lying.append(table.face(*pool, "7m", 90.0))
    table.look(1, reach=(seat, row))
    table.look(16)
    table.heights[OPEN[:2]] = 1
    table.take(2, OPEN._replace(layer="bottom"))
    table.look(20, reach=(2, home(table, 2)))
    assert stages(table) == [("taken", OPEN.stack)] * 2


@pytest.mark.parametrize(
    ("stays", "goes_back"),
    [
        pytest.param(1, False, id="goes on"),
        pytest.param(5, True, id="looks at it and goes back"),
    ],
)
def test_a_hand_that_turned_round_just_before_its_row_and_went_elsewhere_took_its_tile(
    table: Table, stays: int, goes_back: bool
) -> None:
    """A centimetre short of the row it was said to look at its tile, until it discarded.

    What others did meanwhile was told before it: a draw too early passed for one in its turn.
    """
    x, y = table.point(OPEN)
    row = table.geometry.hand.offset
    nearly = [table.geometry.to_table(2, 60.0, row - short) for short in (60.0, 32.0, 30.0)]
    table.look(1, reach=(2, home(table, 2)))
    table.look(2, reach=(2, (x, y)))
    table.heights[OPEN[:2]] -= 1
    for place in ((x, y), (x - 150.0, y + 120.0), *nearly):
        table.look(1, reach=(2, place))
    table.look(stays, reach=(2, nearly[-1]))
    if goes_back:
        table.look(1, reach=(2, (x, y)))
        table.heights[OPEN[:2]] += 1
        table.look(3, reach=(2, (x, y)))
        table.look(20, reach=(2, home(table, 2)))
    else:
        table.look(8, reach=(2, table.geometry.to_table(2, 60.0, row - 90.0)))
    assert (("taken", OPEN.stack) in stages(table)) is not goes_back


def test_a_hand_that_hovers_just_before_its_row_came_there_when_it_stopped(table: Table) -> None:
    """It was home half a second late: a claim in between passed for one in time."""
    x, y = table.point(OPEN)
    row = table.geometry.hand.offset
    table.look(1, reach=(2, home(table, 2)))
    table.look(2, reach=(2, (x, y)))
    table.heights[OPEN[:2]] -= 1
    for place in ((x, y), (x - 150.0, y + 120.0)):
        table.look(1, reach=(2, place))
    there = table.t
    for short in (24.0, 26.0, 22.0, 25.0, 20.0, 23.0, 15.0, 16.0):
        table.look(1, reach=(2, table.geometry.to_table(2, 60.0, row - short)))
    table.look(8, reach=(2, home(table, 2)))
    (taken,) = [h for h in table.told("tile_drawn") if isinstance(h, TileDrawn)]
    assert taken.stage == "taken"
    assert taken.t == pytest.approx(there, abs=0.05)


@pytest.mark.parametrize("open_before", [True, False])
def test_a_hand_that_turned_a_tile_back_drew_only_then(table: Table, *, open_before: bool) -> None:
    """It was told as touching for a second what it drew: both stops were about that tile."""
    (x, y), beyond = table.point(OPEN), OPEN._replace(stack=OPEN.stack + 2)
    (bx, by), row = table.point(beyond), home(table, 2)
    if open_before:
        table.faces[beyond] = table.face(bx, by, "5p", 90.0, 2 * table.geometry.tile_thickness)
        table.look(12)
    pitch, inward = (by - y) / 52.0, copysign(1.0, -x)
    there = [(55, 3), (56, 2), (57, -5), (61, -11), (61, -9), (57, -9), (-10, 29), (-117, 95)]
    for along, ahead in there[:6]:
        table.look(1, reach=(2, (x + inward * ahead, y + pitch * along)))
    table.faces.clear()
    for along, ahead in (*there[6:], (-30, 12), (2, -8)):
        table.look(1, reach=(2, (x + inward * ahead, y + pitch * along)))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(2, (x - inward * 9, y - pitch * 5)))
    table.look(25, reach=(2, row))
    told = [stage for stage, stack in stages(table) if stack == OPEN.stack]
    assert told == (["taken"] if open_before else ["touched", "lifted", "taken"])
