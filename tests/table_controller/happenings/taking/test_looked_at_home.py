"""Tiles of its own wall that a slow hand looks at when it is at its row already."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from table_controller.domain.happenings import TileDrawn, TileReturned
from tests.table_controller.happenings.scenes import Table, taken_up_to, under
from tests.table_controller.happenings.taking.test_in_place import OPEN

Way = tuple[float, float]
"""How far to the player's right of the tile's place a look shows fingertips, and how far out."""
SEAT = OPEN.side
BACK, IN_POOL = (0.0, 0.0), (20.0, -100.0)


@pytest.fixture
def table() -> Table:
    return taken_up_to(OPEN.stack)


@pytest.fixture
def row(table: Table) -> float:
    """How far out the row is from the wall, mm."""
    return table.geometry.hand.offset - table.geometry.wall.offset


def takes_slowly(table: Table) -> None:
    """A hand rests on the tile, then lifts it."""
    table.look(5, reach=(SEAT, table.point(OPEN)), under=under(table, OPEN, 0.3, 0.8))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(SEAT, table.point(OPEN)))


def goes(table: Table, ways: Iterable[Way]) -> None:
    """One look each at the hand, from the tile's place on."""
    right, offset = table.geometry.to_player(SEAT, *table.point(OPEN))
    for along, out in ways:
        table.look(1, reach=(SEAT, table.geometry.to_table(SEAT, right + along, offset + out)))


def told(table: Table) -> list[str]:
    table.look(25)
    return [
        h.stage if isinstance(h, TileDrawn) else "returned"
        for h in table.told("tile_drawn", "tile_returned")
        if isinstance(h, TileDrawn | TileReturned) and h.slots == (OPEN,)
    ]


@pytest.mark.parametrize(
    ("ways", "seen"),
    [
        pytest.param(
            [(-18, -12), (-18, 1), (-31, -1), (-13, -6), (63, 23)],
            True,
            id="one look shows its fingertips aside (1572008)",
        ),
        pytest.param(
            [(-18, -12), (-18, 1), (-46, -1), (-13, -6), (63, 23)],
            False,
            id="it went aside, and came again",
        ),
        pytest.param(
            [(-48, -12), (-33, 1), (-14, -1), (7, -6), (63, 23)],
            False,
            id="it goes along the row all the time",
        ),
        pytest.param(
            [(-10, -27), (3, -20), (-10, -12), (60, -5)], False, id="it is arriving at the row"
        ),
        pytest.param(
            [(-18, -12), (-18, 1), (-31, -1), (-13, -6), (-5, 3)],
            False,
            id="it stays where it stopped",
        ),
    ],
)
def test_who_stops_at_his_row_and_goes_on_along_it_has_looked(
    table: Table, row: float, ways: list[Way], *, seen: bool
) -> None:
    """Fingertips that rest are seen aside in one look of ten: no two looks in a row were still."""
    takes_slowly(table)
    goes(table, [(along, row + out) for along, out in ways])
    goes(table, [(ways[-1][0] + 3 * step, row + 2) for step in (0, 8, 3, 9, 2, 8, 4)])
    assert ("seen" in told(table)) is seen


@pytest.mark.parametrize(
    ("looks", "back", "put_down"),
    [
        pytest.param(
            6, [BACK, BACK, (-20, 43), (-34, 82), BACK, BACK], True, id="rising once (1572015)"
        ),
        pytest.param(6, [BACK] * 4, True, id="staying there"),
        pytest.param(6, [BACK] * 2, False, id="too short a time to lay it down"),
        pytest.param(
            6, [BACK, IN_POOL, IN_POOL, BACK], False, id="on the way to the pool and from it"
        ),
        pytest.param(2, [BACK] * 4, False, id="at the row too short a time to look"),
    ],
)
def test_who_stood_at_his_row_with_a_tile_and_was_at_its_place_again_put_it_down(
    table: Table, row: float, looks: int, back: list[Way], *, put_down: bool
) -> None:
    """It took it again at once, in its turn, so its place was bare: it was told as taken before."""
    takes_slowly(table)
    goes(table, [(30.0, row + 20.0)] * looks)
    goes(table, [*back, (-40.0, 61.0)])
    goes(table, [(-80.0, row + 8.0)] * 8)
    between = ["seen", "returned"] if put_down else []
    assert told(table) == ["touched", "lifted", *between, "taken"]
