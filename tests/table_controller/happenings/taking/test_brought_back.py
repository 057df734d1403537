"""Tiles that a hand takes off a wall and brings back: told once, as far as it went."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import Slot, TileDrawn, TileReturned
from tests.table_controller.happenings.scenes import Table, home, taken_up_to, under

OPEN, INNER = Slot(1, 7, "top"), Slot(1, 8, "top")


@pytest.fixture
def table() -> Table:
    return taken_up_to(OPEN.stack)


def test_a_drawn_tile_brought_back_just_before_the_next_hand_comes(table: Table) -> None:
    """Its taker had gone home with it: one clear look and one past an arm were too few."""
    table.take(2, OPEN)
    table.look(12, reach=(2, home(table, 2)))
    assert [h.stage for h in table.found if isinstance(h, TileDrawn)] == ["taken"]
    table.look(2, reach=(2, table.point(OPEN)))
    table.heights[1, 7] = 2
    table.look(1, reach=(2, home(table, 2)))
    (back,) = under(table, OPEN, 0.0, 0.9)
    table.look(1, reach=(1, table.point(OPEN)), under=(replace(back, visible=0.9),))
    table.take(1, OPEN)
    table.look(30, reach=(1, home(table, 1)))
    told = [(h.kind, h.seat) for h in table.drawn_or_returned()]
    assert told == [("tile_drawn", 2), ("tile_returned", 2), ("tile_drawn", 1)]


def test_a_tile_put_back_is_seen_past_the_arm_that_leaves_and_once_alone(table: Table) -> None:
    """One look past the arm that had brought it and one alone: the next hand was there already."""
    table.take(2, OPEN)
    table.look(12, reach=(2, home(table, 2)))
    table.look(2, reach=(2, table.point(OPEN)))
    table.heights[1, 7] = 2
    (back,) = under(table, OPEN, 0.0, 0.98)
    table.look(1, reach=(2, table.point(OPEN)), under=(replace(back, visible=0.98),))
    table.look(1, reach=(2, home(table, 2)))
    table.look(1, reach=(1, table.point(OPEN)))
    table.take(1, OPEN)
    table.look(30, reach=(1, home(table, 1)))
    told = [(h.kind, h.seat) for h in table.drawn_or_returned()]
    assert told == [("tile_drawn", 2), ("tile_returned", 2), ("tile_drawn", 1)]


def test_a_tile_put_back_is_seen_below_the_arm_that_leaves_and_once_alone(table: Table) -> None:
    """Four looks showed it, one of them free of arms: the next hand had taken it at once."""
    table.take(2, OPEN)
    table.look(12, reach=(2, home(table, 2)))
    table.look(2, reach=(2, table.point(OPEN)))
    table.heights[1, 7] = 2
    (back,) = under(table, OPEN, 0.0, 0.9)
    (below,) = under(table, OPEN._replace(layer="bottom"), 0.0, 0.9)
    table.look(1, reach=(2, table.point(OPEN)), under=(replace(back, visible=0.08),))
    table.look(1, reach=(2, table.point(OPEN)), under=(replace(back, visible=0.8),))
    table.look(1, reach=(2, home(table, 2)))
    table.look(1, reach=(1, table.point(OPEN)), under=(replace(back, visible=0.2),))
    table.heights[1, 7] = 1
    table.look(1, reach=(1, table.point(OPEN)), under=(replace(below, visible=0.3),))
    table.look(30, reach=(1, home(table, 1)))
    told = [(h.kind, h.seat) for h in table.drawn_or_returned()]
    assert told == [("tile_drawn", 2), ("tile_returned", 2), ("tile_drawn", 1)]


def test_a_tile_lifted_and_put_back_by_the_hand_that_takes_it_then(table: Table) -> None:
    """Between the two the wall was in sight for a look: only the taking was told."""
    tip = table.point(OPEN)
    table.look(2, reach=(2, tip), under=under(table, OPEN, 0.3, 0.8))
    table.look(9, reach=(2, tip), under=under(table, OPEN, 2.4, 0.6))
    beside = (tip[0] + 28.0, tip[1] + 25.0)
    table.look(2, reach=(2, beside), under=under(table, OPEN, 0.3, 0.82))
    table.look(3, reach=(2, tip), under=under(table, OPEN, 0.3, 0.62))
    table.heights[OPEN.side, OPEN.stack] -= 1
    table.look(15, reach=(2, home(table, 2)))
    told = table.told("tile_drawn", "tile_returned")
    assert [getattr(h, "stage", "returned") for h in told] == [
        "touched",
        "lifted",
        "returned",
        "taken",
    ]


def test_the_hand_that_brought_a_tile_back_did_not_take_it_again(table: Table) -> None:
    """The next player drew it half a second later: told as taken by who had brought it back."""
    point = table.point(OPEN)
    aside = table.geometry.to_table(2, 150.0, 60.0)
    table.look(4, reach=(2, point))
    table.heights[OPEN[:2]] = 1
    table.look(2, reach=(2, point))
    table.look(6, reach=(2, aside))
    table.heights[OPEN[:2]] = 2
    table.look(3, reach=(2, point))
    table.look(1, reach=(2, home(table, 2)))
    table.look(2)
    table.look(2, reach=(1, point))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(1, point))
    table.look(9, reach=(1, home(table, 1)))
    told = [h for h in table.found if isinstance(h, TileDrawn | TileReturned)]
    assert [(h.kind, h.seat) for h in told if getattr(h, "stage", "taken") == "taken"] == [
        ("tile_returned", 2),
        ("tile_drawn", 1),
    ], "told within a second"


def test_a_tile_looked_at_on_the_way_and_put_back_before_it_was_known_whose_it_was(
    table: Table,
) -> None:
    """It was away for four looks, and both times one hand was there: nothing was told."""
    x, y = table.point(INNER)
    table.look(4, reach=(2, (x, y)))
    table.heights[INNER[:2]] = 1
    table.look(4, reach=(2, (x - 75.0, y)))
    table.look(2, reach=(2, (x, y)))
    table.heights[INNER[:2]] = 2
    table.look(15, reach=(2, home(table, 2)))
    told = table.told("tile_drawn", "tile_returned")
    stages = [getattr(h, "stage", "returned") for h in told]
    assert stages[-2:] == ["lifted", "returned"] or stages[-3:] == ["lifted", "seen", "returned"]
    assert "taken" not in stages


@pytest.mark.parametrize("aside", [35.0, 60.0])
def test_a_tile_put_back_before_it_was_known_whose_it_was_and_taken_by_the_next(
    table: Table, aside: float
) -> None:
    """Two clear looks lay between both hands: the first was told to have kept it, the other not."""
    x, y = table.point(OPEN)
    table.look(5, reach=(2, (x, y)))
    table.heights[OPEN[:2]] = 1
    table.look(4, reach=(2, (x + aside, y)))
    table.look(2, reach=(2, (x, y)))
    table.heights[OPEN[:2]] = 2
    table.look(2)
    table.look(2, reach=(1, (x, y)))
    table.heights[OPEN[:2]] = 1
    table.look(25, reach=(1, home(table, 1)))
    told = table.drawn_or_returned()
    ends = [(h.kind, h.seat) for h in told if getattr(h, "stage", "taken") == "taken"]
    assert ends == [("tile_returned", 2), ("tile_drawn", 1)]


@pytest.mark.parametrize(
    ("looks", "stages"),
    [
        pytest.param(2, ["touched", "lifted"], id="it turned round at its row"),
        pytest.param(9, ["taken"], id="the tile stood in the row for a second"),
    ],
)
def test_a_tile_brought_back_from_the_row(looks: int, stages: list[str]) -> None:
    """Told as taken while the hand was at the wall again, its stages twice when it was back."""
    table = Table(felt=True)
    table.follower._table.dealt = True
    table.heights[OPEN[:2]] = 1
    table.feel()
    table.look(30)
    table.found.clear()
    slot = OPEN._replace(layer="bottom")
    table.take(2, slot)
    table.look(looks, reach=(2, home(table, 2)))
    table.look(2, reach=(2, table.point(slot)))
    table.heights[OPEN[:2]] = 1
    table.feel()
    table.look(2, reach=(2, table.point(slot)))
    table.look(20, reach=(2, home(table, 2)))
    told = table.told("tile_drawn", "tile_returned")
    assert [h.stage for h in told if isinstance(h, TileDrawn)] == stages
    assert [h.seat for h in told if isinstance(h, TileReturned)] == [2]


@pytest.mark.parametrize("slot", [OPEN, INNER])
def test_an_exposed_tile_laid_back_down_is_not_lifted(table: Table, slot: Slot) -> None:
    """It was told as lifted by whoever hid its face again: a wrong draw beside the right alert."""
    x, y = table.point(slot)
    shown = table.face(x, y, "7p", 90.0, table.geometry.tile_thickness)
    table.look(4, reach=(2, (x, y)))
    table.heights[slot[:2]] = 1
    table.look(15, shown, reach=(2, home(table, 2)))
    table.heights[slot[:2]] = 2
    table.look(10, reach=(2, (x, y)))
    table.look(20, reach=(2, home(table, 2)))
    assert [h.kind for h in table.told("tile_exposed", "tile_covered")] == [
        "tile_exposed",
        "tile_covered",
    ]
    assert table.told("tile_drawn", "tile_returned") == []


def test_a_tile_that_is_back_before_anybody_knew_that_it_was_gone_was_not_taken() -> None:
    """Told as taken, half a second after it had been put back, by a hand that hid it before."""
    table = Table("riichi-xjtu-2025", felt=True)
    table.look(30)
    table.follower._table.dealt = True
    point = table.point(OPEN)
    hides = tuple(
        (point[0] + 40.0 * x, point[1] + 40.0 * y) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )
    table.look(4, reach=(2, point))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(2, point))
    table.look(3, reach=(2, home(table, 2)), covered=(hides,))
    table.look(5, reach=(2, home(table, 2)))
    table.look(2, reach=(2, point))
    table.heights[OPEN[:2]] = 2
    table.look(2, reach=(2, point))
    table.look(20, reach=(2, home(table, 2)))
    told = table.told("tile_drawn", "tile_returned")
    assert [getattr(h, "stage", "back") for h in told] == ["touched", "lifted", "seen", "back"]
