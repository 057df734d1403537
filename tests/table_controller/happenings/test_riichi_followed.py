"""Faults that were met on recordings of riichi, each as small as it can be told."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Slot, TileDiscarded, TileDrawn, TileExposed
from table_controller.domain.tiles import Tile
from table_controller.happenings.arms import Dwell
from table_controller.happenings.assigning import assign
from table_controller.happenings.removals import Removal
from tests.table_controller.happenings.scenes import QUAD, Table
from vision.sightings import Posture, TileSighting

RIICHI = "riichi-xjtu-2025"


def dealt(table: Table, seat: int = 0) -> None:
    """A row of thirteen stands before a seat; somebody has discarded."""
    table.lying += table.standing(seat, 13)
    table.look(15)
    x, y = table.geometry.to_table(2, -60.0, table.geometry.pool.offset)
    table.lying.append(table.face(x, y, "9m", 180.0))
    table.look(15)


def taken(table: Table) -> list[tuple[int | None, tuple[Slot, ...]]]:
    """Who was told to have drawn which tiles."""
    drawn = [h for h in table.told("tile_drawn") if isinstance(h, TileDrawn)]
    return [(h.seat, h.slots) for h in drawn if h.stage == "taken"]


def drawn_tile(table: Table, seat: int, sure: float = 0.95) -> TileSighting:
    """The tile just drawn, standing off to the right of the row."""
    width, height, _ = table.geometry.tile_mm
    x, y = table.geometry.to_table(
        seat, -130.0 + 12 * (width + 0.3) + 1.7 * width, table.geometry.hand.offset
    )
    return TileSighting(x, y, height, 90.0 * seat % 180, Posture.STANDING, (), sure, 1.0, QUAD)


@pytest.mark.parametrize("tile_that_left", ["drawn", "row", "row, slowly", "nobody saw"])
def test_whether_the_drawn_tile_left_is_said_from_looks_that_saw_it(tile_that_left: str) -> None:
    """The eye remembered a drawn tile for a look, and a sleeve passed for one that was put in."""
    table = Table(RIICHI)
    dealt(table)
    table.take(0, Slot(0, 9, "top"))
    stands = drawn_tile(table, 0)
    table.lying.append(stands)
    table.look(8)
    x, y = table.geometry.to_table(0, -60.0, table.geometry.pool.offset)
    hand = (stands.x, stands.y)
    table.look(2, reach=(0, hand))
    if tile_that_left.startswith("row"):
        # An inner tile is taken out: the drawn one stands on.
        table.lying.remove(table.lying[4])
        # Slowly: the place in the row was believed empty before the tile came to rest.
        table.look(3 if tile_that_left == "row" else 16, reach=(0, (x, y)))
    else:
        table.lying.remove(stands)
        unseen = tile_that_left == "nobody saw"
        ghost = drawn_tile(table, 0, sure=0.22)
        table.look(3, ghost, reach=(0, hand if unseen else (x, y)))
    table.lying.append(table.face(x, y, "1p"))
    home = table.geometry.to_table(0, 200.0, table.geometry.hand.offset + 20.0)
    table.look(25, reach=(0, hand if tile_that_left == "nobody saw" else home))
    (told,) = [h for h in table.told("tile_discarded") if h.seat == 0]  # type: ignore[attr-defined]
    assert isinstance(told, TileDiscarded)
    assert told.drawn is {"drawn": True, "nobody saw": None}.get(tile_that_left, False)


def test_a_face_that_shows_on_two_tiles_is_the_upper_ones() -> None:
    """A tile knocked over lay 5 mm off its place, seen a layer too low: a draw and a return."""
    table = Table(RIICHI)
    dealt(table)
    table.found.clear()
    slot = Slot(0, 9, "top")
    x, y = table.point(slot)
    table.look(3, reach=(3, (x, y)))
    table.faces[slot] = table.face(x, y + 5.0, "5z", z=0.0)
    table.look(3, reach=(3, (x, y)))
    table.look(15)
    (told,) = table.told("tile_exposed", "tile_drawn", "tile_returned")
    assert isinstance(told, TileExposed)
    assert (told.slot, told.tile) == (slot, Tile("5z"))


def test_an_upper_tile_of_which_only_the_hand_was_seen_is_that_hands() -> None:
    """The lower tile was seen a layer too high: the next player seemed to take both."""
    table = Table(RIICHI, felt=True)
    for seat in (0, 1):
        dealt(table, seat)
    table.found.clear()
    upper, lower = Slot(2, 9, "top"), Slot(2, 9, "bottom")
    point = table.point(upper)
    for seat, height in ((0, 2), (1, 0)):
        home = table.geometry.to_table(seat, 60.0, table.geometry.hand.offset + 10.0)
        table.look(1, reach=(seat, home))
        table.look(3, reach=(seat, point))
        # What the eye sees; the sensors feel the stack until it is empty.
        table.heights[2, 9] = height
        table.feel()
        table.look(2, reach=(seat, home))
        table.look(12)
    table.look(30)
    assert taken(table) == [
        (0, (upper,)),
        (1, (lower,)),
    ]


def test_after_the_deal_a_hand_takes_one_tile() -> None:
    """Two hands stopped at a stack that was seen whole before and empty afterwards."""
    upper, lower = Slot(2, 7, "top"), Slot(2, 7, "bottom")
    order = [Removal(upper, 60.0, 65.2, 65.6, 65.2), Removal(lower, 65.2, 65.2, 65.6, 65.2, 65.2)]
    first = Dwell(3, (40.0, 214.0), 63.3, 63.4, 300.0)
    second = Dwell(0, (41.0, 201.0), 65.1, 65.2, 100.0)
    near = {order[0]: [first, second], order[1]: [second]}

    def place(_slot: Slot) -> tuple[float, float]:
        return 40.0, 200.0

    given = assign(order, near, [[first], [second]], [None, None], place, most=1)
    assert given == {order[0]: first, order[1]: second}


def test_one_look_between_two_hands_says_whose_tile_was_gone_by_then() -> None:
    """The next hand hid what the dealer had taken: each got the tile of the other."""
    table = Table(RIICHI)
    for seat in (0, 2):
        table.lying += table.standing(seat, 12)
    table.look(20)
    table.found.clear()
    first, second = Slot(2, 10, "top"), Slot(2, 9, "top")
    # Fingertips are seen a stack off.
    near, far = table.point(first), table.point(second)
    tips = ((near[0] + far[0]) / 2, near[1]), near
    homes = [table.geometry.to_table(seat, 100.0, table.geometry.hand.offset) for seat in (0, 2)]
    table.look(3, reach=(0, tips[0]))
    table.heights[2, 10] = 1
    table.look(1, reach=(0, homes[0]))
    table.look(3, reach=(2, tips[1]))
    table.heights[2, 9] = 1
    table.look(2, reach=(2, tips[1]))
    table.look(2, reach=(2, homes[1]))
    table.look(25)
    assert taken(table) == [
        (0, (first,)),
        (2, (second,)),
    ]


def test_a_stack_on_which_its_neighbour_fell_is_not_taken() -> None:
    """The tile below it seemed to show: a draw from the dead wall, and its return."""
    table = Table(RIICHI)
    dealt(table)
    table.found.clear()
    fell = Slot(0, 9, "top")
    x, y = table.point(fell)
    table.look(3, reach=(3, (x, y)))
    table.faces[fell] = table.face(x, y + 6.0, "9s", z=table.geometry.tile_thickness)
    table.look(2, reach=(3, (x, y)))
    table.heights[0, 10] = 1
    table.look(25)
    del table.faces[fell]
    table.heights[0, 10] = 2
    table.look(2, reach=(3, (x, y)))
    table.look(25)
    walls = table.told("tile_exposed", "tile_covered", "tile_drawn", "tile_returned")
    assert [h.kind for h in walls] == ["tile_exposed", "tile_covered"]
