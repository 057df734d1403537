"""Where the walls were broken, whatever is seen first of that, and what is known of it later."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import (
    Happening,
    IndicatorTurned,
    Slot,
    TileDrawn,
    TileExposed,
    WallRaised,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.follower import Follower
from table_controller.happenings.restoring import Resumed
from table_controller.happenings.wall.breaking import broken_at, ring_of
from tests.table_controller.happenings.scenes import RIICHI, Table, four, home
from vision.sightings import Point

WALLS = (17, 17, 17, 17)
RING = ring_of(WALLS)
INDICATOR, REPLACEMENT = Slot(0, 5, "top"), Slot(0, 6, "top")
"""Of walls that were broken after the seventh stack of side 0."""


def test_the_walls_are_taken_clockwise_from_stack_to_stack() -> None:
    assert ring_of((2, 0, 1, 2)) == [(0, 1), (0, 2), (3, 1), (3, 2), (2, 1)]


@pytest.mark.parametrize(
    ("gone", "before", "broken"),
    [
        pytest.param([], None, None, id="all stand"),
        pytest.param([(0, 8), (0, 9)], None, (0, 8), id="the first two stacks"),
        pytest.param([(0, 9)], None, (0, 9), id="an arm hides the first one"),
        pytest.param([(0, 8), (0, 9)], (0, 9), (0, 8), id="the arm is gone"),
        pytest.param([(0, 17), (3, 1)], (3, 1), (0, 17), id="around a corner"),
        pytest.param([(0, 1), (1, 17)], (0, 1), (1, 17), id="around that of the first side"),
        pytest.param(
            [(0, n) for n in range(7, 18)], (0, 8), (0, 8), id="replacement tiles were taken"
        ),
        pytest.param([(0, 8), (0, 9)], (0, 7), (0, 8), id="a grab beside it was put back"),
        pytest.param([(0, 5), (0, 6)], (0, 7), (0, 5), id="a grab too far on was put back"),
        pytest.param([], (0, 7), None, id="the only grab was put back"),
    ],
)
def test_the_walls_were_broken_at_the_first_stack_of_the_first_grab(
    gone: list[tuple[int, int]],
    before: tuple[int, int] | None,
    broken: tuple[int, int] | None,
) -> None:
    def index(key: tuple[int, int] | None) -> int | None:
        return None if key is None else RING.index(key)  # type: ignore[arg-type]

    assert broken_at(RING, lambda key: 2 * (key not in gone), index(before)) == index(broken)


def knocked_over(table: Table, slot: Slot, off: float) -> None:
    """A hand turns a wall tile face up, so far off its place, mm."""
    x, y = table.point(slot)
    table.look(2, reach=(0, (x, y)))
    table.faces[slot] = table.face(x, y + off, "1p", 2 * off, table.geometry.tile_thickness)
    table.look(3, reach=(0, (x, y)))
    table.look(15)


def test_a_replacement_tile_that_falls_over_is_none_where_an_arm_hid_the_first_stack() -> None:
    """It passed for the first indicator: the break was taken for one stack too far."""
    table = Table(RIICHI)
    first, second = (table.point(Slot(0, n, "top")) for n in (8, 9))
    table.look(2, reach=(0, first))
    table.heights[0, 8] = table.heights[0, 9] = 0
    step = first[0] - second[0]
    # It hides the first stack, and the second one no more.
    leaving: Point = (first[0] + 35.0 * (1 if step > 0 else -1), first[1])
    table.look(6, reach=(0, leaving))
    table.look(15, reach=(0, home(table, 0)))
    table.take(1, *four(0, 10))
    table.look(15)
    table.found.clear()
    knocked_over(table, REPLACEMENT, 7.0)
    (found,) = table.told()
    assert isinstance(found, TileExposed)
    assert (found.slot, found.where) == (REPLACEMENT, "dead_wall")


def dealt(*grabs: tuple[Slot, ...]) -> list[Happening]:
    """Walls that came up, and these grabs."""
    raised = WallRaised(t=1.0, stacks=WALLS)
    return [raised, *(TileDrawn(t=2.0 + n, seat=0, slots=each) for n, each in enumerate(grabs))]


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(dealt(four(0, 8), four(0, 10)), id="grab by grab"),
        pytest.param(dealt(four(0, 9)[:2], four(0, 8)[:2]), id="the second stack first"),
        pytest.param(
            dealt(*(four(0, n) for n in (8, 10, 12, 14, 16)), four(0, 7)[:2]),
            id="and a stack of replacement tiles",
        ),
        pytest.param(
            [*dealt(four(1, 3)), *dealt(four(0, 8))], id="other walls were broken elsewhere"
        ),
    ],
)
def test_what_was_told_says_where_the_walls_were_broken(told: list[Happening]) -> None:
    assert Resumed.of(told).first_taken == (0, 8)


def resumed() -> Table:
    """Ended and started again after the first indicator was turned up; nothing was told since."""
    table = Table(RIICHI)
    for stack in range(8, 12):
        table.heights[0, stack] = 0
    x, y = table.point(INDICATOR)
    table.faces[INDICATOR] = table.face(x, y, "5z", z=table.geometry.tile_thickness)
    told = dealt(four(0, 8), four(0, 10))
    told.append(IndicatorTurned(t=9.0, tile=Tile("5z"), slot=INDICATOR, seat=0))
    table.follower = Follower(table.geometry, table.setup)
    table.follower.restore(told)
    table.t = 9.5
    table.look(25)
    assert not table.told()
    return table


def test_after_a_restart_it_is_known_where_the_dead_wall_is() -> None:
    """A tile of it that fell over was told as one of the live wall."""
    table = resumed()
    knocked_over(table, REPLACEMENT, 7.0)
    (found,) = table.told()
    assert isinstance(found, TileExposed)
    assert (found.slot, found.where) == (REPLACEMENT, "dead_wall")


def test_after_a_restart_nobody_draws_the_indicator_that_he_takes_off_its_stack() -> None:
    table = resumed()
    x, y = table.point(INDICATOR)
    shown = table.faces.pop(INDICATOR)
    aside = table.face(x, y + table.geometry.tile_height + 1.5, "5z")
    table.look(2, reach=(0, (x, y)))
    table.heights[0, 5] = 1
    table.lying.append(aside)
    table.look(3, reach=(0, (x, y)))
    table.look(15)
    table.look(2, reach=(0, (x, y)))
    table.heights[0, 5] = 2
    table.lying.remove(aside)
    table.faces[INDICATOR] = shown
    table.look(2, reach=(0, (x, y)))
    table.look(25)
    assert not table.told()
