"""Which tile was lifted where it stands, told by the one that the same hand takes then."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Slot, TileDrawn, TileReturned
from tests.table_controller.happenings.scenes import Table, home, taken_up_to, under

OPEN, INNER = Slot(1, 7, "top"), Slot(1, 8, "top")


def between(table: Table, stacks: float) -> tuple[float, float]:
    """So many stacks from the open end of the wall to the next stack."""
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    return x + stacks * (bx - x), y + stacks * (by - y)


@pytest.mark.parametrize(
    ("rested", "took", "lifted"),
    [
        pytest.param(0.9, 0.8, OPEN, id="seen one stack on, as it is when it takes the tile"),
        pytest.param(0.9, 0.5, OPEN, id="less than half a stack back"),
        pytest.param(0.9, 0.3, INNER, id="more than half a stack back"),
        pytest.param(1.0, 0.0, INNER, id="a stack back"),
        pytest.param(0.9, None, INNER, id="it takes nothing"),
    ],
)
def test_what_a_hand_takes_before_it_goes_says_what_it_lifted(
    rested: float, took: float | None, lifted: Slot
) -> None:
    """A hand too early was told for one at a wrong tile (relay 3011004)."""
    table = taken_up_to(OPEN.stack)
    shown = under(table, OPEN, 0.3, 0.8)
    table.look(2, reach=(2, between(table, rested)), under=shown)
    table.look(10, reach=(2, between(table, rested)), under=() if took is not None else shown)
    if took is not None:
        table.look(1, reach=(2, between(table, took)), under=under(table, INNER, 0.3, 0.8))
        table.look(1, reach=(2, between(table, took)))
        table.heights[OPEN[:2]] -= 1
        table.look(2, reach=(2, between(table, took)))
    table.look(25, reach=(2, home(table, 2)))
    told = [h for h in table.told("tile_drawn") if isinstance(h, TileDrawn)]
    assert {h.slots for h in told if h.stage == "lifted"} == {(lifted,)}
    assert [h.slots for h in table.found if isinstance(h, TileReturned)] == [(lifted,)]
    assert [h.slots for h in told if h.stage == "taken"] == ([] if took is None else [(OPEN,)])
