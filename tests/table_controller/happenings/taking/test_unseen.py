"""Draws that the eye did not see, because it took the tile below for the one that was drawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    FlowerShown,
    HandCounted,
    Happening,
    MeldShown,
    Place,
    Slot,
    TileDiscarded,
    TileDrawn,
    TileReturned,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.sizes import Sizes
from table_controller.happenings.taking.unseen import _apart
from tests.table_controller.happenings.scenes import Table, home

FRONT, NEXT, END = Slot(0, 5, "bottom"), Slot(0, 6, "top"), Slot(0, 4, "top")
M1 = Tile("1m")
KONG = (Tile.BACK, M1, M1, Tile.BACK)


def discarded(t: float) -> TileDiscarded:
    return TileDiscarded(t=t, seat=1, tile=M1, place=Place(0, 0))


def drawn(t: float) -> TileDrawn:
    return TileDrawn(t=t, seat=1, slots=(NEXT,), stage="taken")


@pytest.mark.parametrize(
    ("told", "count", "more"),
    [
        pytest.param([drawn(2.0), discarded(3.0)], 13, 0, id="drawn and discarded"),
        pytest.param([discarded(3.0)], 13, 1, id="a draw is missing"),
        pytest.param([discarded(3.0)], 12, 0, id="nobody drew"),
        pytest.param([FlowerShown(t=2.0, seat=1, tile=Tile("1f")), discarded(3.0)], 12, 1, id="f"),
        pytest.param(
            [MeldShown(t=2.0, seat=1, tiles=(M1,) * 3, claimed=0), discarded(3.0)], 10, 0, id="pung"
        ),
        pytest.param([drawn(2.0)], 14, None, id="not discarded"),
        pytest.param([discarded(1.6)], 12, None, id="counted while it was on its way"),
        pytest.param([drawn(0.5), discarded(3.0)], 13, None, id="told late, counted already"),
        pytest.param(
            [TileReturned(t=2.0, seat=1, slots=(NEXT,)), discarded(3.0)], 13, None, id="put back"
        ),
        pytest.param(
            [TileDrawn(t=2.0, seat=None, slots=(NEXT,), stage="taken"), discarded(3.0)],
            13,
            None,
            id="drawn by nobody knows whom",
        ),
    ],
)
def test_a_hand_larger_than_what_was_told(
    told: list[Happening], count: int, more: int | None
) -> None:
    sizes = Sizes()
    for each in [HandCounted(t=0.5, seat=1, count=13), *told]:
        sizes.note(each)
        assert sizes.surplus(1) is None
    sizes.note(HandCounted(t=4.0, seat=1, count=count))
    assert (sizes.surplus(1), sizes.surplus(1)) == (more, None)


@pytest.mark.parametrize(
    ("early", "counted", "late", "count", "more"),
    [
        pytest.param([drawn(1.0)], 10, MeldShown(t=2.04, seat=1, tiles=KONG), 10, 1, id="1826017"),
        pytest.param([drawn(1.0)], 10, MeldShown(t=2.04, seat=1, tiles=KONG), 9, 0, id="no draw"),
        pytest.param(
            [drawn(1.0)], 11, MeldShown(t=2.04, seat=1, tiles=KONG), 10, None, id="one over"
        ),
        pytest.param([], 14, drawn(1.9), 13, 0, id="a draw that was counted already"),
        pytest.param([], 13, drawn(1.9), 13, None, id="a draw that was not counted yet"),
    ],
)
def test_what_is_told_late_was_counted_where_the_row_has_just_so_many(
    early: list[Happening], counted: int, late: Happening, count: int, more: int | None
) -> None:
    """A row was counted while its kong was laid out, and the kong told after that: that its owner
    drew from the end of the wall, unseen, was told a minute late."""
    sizes = Sizes()
    row = [HandCounted(t=2.0, seat=1, count=counted), late, discarded(5.0)]
    for each in [HandCounted(t=0.5, seat=1, count=13), *early, *row]:
        sizes.note(each)
        assert sizes.surplus(1) is None
    sizes.note(HandCounted(t=6.0, seat=1, count=count))
    assert sizes.surplus(1) == more


@pytest.mark.parametrize(
    ("before", "after", "apart"),
    [
        pytest.param([-0.2] * 3, [-1.0, -0.9, -0.9], True, id="1766023"),
        pytest.param([-0.2] * 3, [-0.9] * 2, False, id="too few looks"),
        pytest.param([-0.2, 0.2, -0.6], [-0.9] * 3, False, id="it is seen here and there"),
        pytest.param([-0.2] * 3, [-0.6] * 3, False, id="too little"),
        pytest.param([-0.2, 0.6, -1.0], [1.1, 1.9], True, id="far enough"),
    ],
)
def test_two_tiles_lie_at_two_places(before: list[float], after: list[float], apart: bool) -> None:
    assert _apart(before, after) is apart


@pytest.mark.parametrize(
    ("came", "left", "aside", "lower", "kong", "slots"),
    [
        pytest.param(NEXT, 13, 2.2, 0, False, [NEXT], id="the next tile"),
        pytest.param(END, 13, 2.2, 0, True, [END], id="a replacement"),
        pytest.param(NEXT, 13, 2.2, 0, True, [], id="not from where it was due"),
        pytest.param(NEXT, 12, 2.2, 0, False, [], id="he only discarded"),
        pytest.param(END, 13, 0.7, 0, True, [END], id="1766023"),
        pytest.param(NEXT, 13, 0.4, 0, False, [], id="nothing was moved there"),
        pytest.param(NEXT, 13, 0.4, 1, False, [], id="one look erred"),
        pytest.param(NEXT, 13, 0.4, 2, False, [NEXT], id="two looks saw it lower"),
        pytest.param(None, 13, 2.2, 0, False, [], id="his hand was not there"),
    ],
)
def test_who_has_a_tile_more_and_was_at_the_one_due_to_him_drew_it(
    came: Slot | None, left: int, aside: float, lower: int, kong: bool, slots: list[Slot]
) -> None:
    """The lower tile lay 2 mm aside: the stack was as high as ever, and one draw was missing."""
    table = Table(felt=True)
    inner = table.follower._table
    table.heights[FRONT[:2]] = 0
    inner.walls.stacks[FRONT[:2]].height = 0
    table.lying = table.standing(1, 13)
    table.look(25)
    assert [h.count for h in table.found if isinstance(h, HandCounted)] == [13]
    table.found.clear()
    inner.dealt, inner.front = True, FRONT
    inner.discarded_at[0] = table.t
    if kong:
        inner.replaces_at[1] = table.t + 0.1
    table.look(2)
    if came is not None:
        x, y = table.point(came)
        table.look(3, reach=(1, (x, y)))
        table.heights[came[:2]] = 0
    # It is seen where it lies, as high as the one above it was.
    below = [] if came is None else [table.back(x, y + aside, 40.0)]
    row = table.standing(1, left + 1)
    table.lying = [*(replace(tile, z=20.0) for tile in below), *row]
    table.look(lower, reach=(1, home(table, 1)))
    table.lying = [*below, *row]
    table.look(4 - lower, reach=(1, home(table, 1)))
    pool = table.geometry.to_table(1, -66.0, 104.0)
    table.lying = [*below, *table.standing(1, left), table.face(*pool, "1m", 90.0)]
    table.look(2, reach=(1, pool))
    table.look(20)
    found = [h for h in table.told("tile_drawn") if isinstance(h, TileDrawn)]
    assert [h.slots for h in found if h.stage == "taken"] == [(slot,) for slot in slots]
    # The stack is one high from now on, however high it seems.
    for slot in slots:
        assert inner.walls.stacks[slot[:2]].height == 1


DEALT = (14, 13, 13, 12)


@pytest.mark.parametrize(
    ("rows", "came", "height", "slots"),
    [
        pytest.param((14, 13, 13, 13), 3, 2, [NEXT], id="the one tile that is missing"),
        pytest.param((14, 13, 13, 13), 3, 1, [NEXT], id="it was seen to leave, too"),
        pytest.param((14, 13, 13, 12), 3, 2, [], id="his hand took nothing"),
        pytest.param((14, 13, 13, 13), 2, 2, [], id="another hand was there"),
        pytest.param((14, 14, 13, 13), 3, 2, [], id="another one has a tile more, too"),
    ],
)
def test_whose_row_is_complete_in_the_end_of_the_deal_drew_the_tile_due_to_him(
    rows: tuple[int, ...], came: int, height: int, slots: list[Slot]
) -> None:
    """It was told 11 s late, when the lower tile was drawn as well (1664002, filmed)."""
    table = Table(felt=True)
    inner = table.follower._table
    for stack in range(1, NEXT.stack):
        table.heights[0, stack] = inner.walls.stacks[0, stack].height = 0
    row = [table.standing(seat, count) for seat, count in enumerate((*rows[:3], DEALT[3]))]
    table.lying = [tile for tiles in row for tile in tiles]
    table.look(25)
    table.follower._draws._stages._taken.update(dict(zip(SEATS, DEALT, strict=True)))
    inner.drawn_at[3] = table.t
    table.found.clear()
    table.look(3, reach=(came, table.point(NEXT)))
    table.heights[NEXT[:2]] = height
    row = [table.standing(seat, count) for seat, count in enumerate(rows)]
    table.lying = [tile for tiles in row for tile in tiles]
    left = table.t
    table.look(2, reach=(came, home(table, came)))
    table.look(18)
    found = [h for h in table.found if isinstance(h, TileDrawn)]
    assert [(h.seat, h.slots) for h in found] == [(3, (slot,)) for slot in slots]
    assert all(abs(h.t - left) < 0.15 for h in found)
