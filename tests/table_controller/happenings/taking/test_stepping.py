"""How far a hand went on before it took the tile that was due says which one it rested on."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Slot, TileDrawn
from tests.table_controller.happenings.scenes import Table, home, taken_up_to

OPEN, INNER = Slot(1, 7, "top"), Slot(1, 8, "top")
TOUCHED = [(2, "touched", (INNER,))]


@pytest.fixture
def table() -> Table:
    table = taken_up_to(OPEN.stack)
    state = table.follower._table
    state.discarded_at[1], state.front = table.t, Slot(1, OPEN.stack - 1, "bottom")
    return table


def at(table: Table, stacks: float) -> tuple[float, float]:
    """So many stacks from the tile that is due, towards the next one."""
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    return x + stacks * (bx - x), y + stacks * (by - y)


def touches(table: Table) -> list[object]:
    return [
        (h.seat, h.stage, h.slots)
        for h in table.told("tile_drawn")
        if isinstance(h, TileDrawn) and h.stage != "taken"
    ]


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        pytest.param([0.5, 0.6, 0.5, 0.6, -0.4, -0.4], TOUCHED, id="both seen short of the next"),
        pytest.param([0.5, 0.4, 0.5, 0.4, 0.3, 0.3], [], id="between them, and no farther"),
        pytest.param([0.5, 0.6, -0.4, -0.4], [], id="two looks: it was on its way"),
        pytest.param([0.5, 0.5, 0.5, 0.5, -0.1, -0.1], [], id="half a stack"),
    ],
)
def test_a_hand_that_rests_beside_the_tile_that_it_takes_then(
    table: Table, ways: list[float], told: list[object]
) -> None:
    """Fingertips were seen 8 mm off all the while: they seemed to come for the right tile only."""
    for way in ways:
        table.look(1, reach=(2, at(table, way)))
    table.heights[1, OPEN.stack] = 1
    table.look(2, reach=(2, at(table, ways[-1])))
    table.look(25, reach=(2, home(table, 2)))
    assert touches(table) == told
    assert [h.stage for h in table.told("tile_drawn") if isinstance(h, TileDrawn)][-1] == "taken"


@pytest.mark.parametrize("turn", [True, False])
def test_only_of_a_draw_in_turn_is_it_asked(table: Table, turn: bool) -> None:
    """What a hand touches out of its turn is told by what it then takes."""
    if not turn:
        table.follower._table.discarded_at[1] -= 10.0
        table.follower._table.drawn_at[2] = table.t - 5.0
    for way in (0.5, 0.6, 0.5, 0.6, -0.4, -0.4):
        table.look(1, reach=(2, at(table, way)))
    table.heights[1, OPEN.stack] = 1
    table.look(2, reach=(2, at(table, -0.4)))
    table.look(25, reach=(2, home(table, 2)))
    assert (TOUCHED[0] in touches(table)) is turn
