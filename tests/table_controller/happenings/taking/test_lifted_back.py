"""Tiles lifted and put back, felt by the sensors under the hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    Slot,
    TileDrawn,
    TileReturned,
)
from tests.table_controller.happenings.scenes import Table, around, taken_up_to


def lift_and_put_back(table: Table, slot: Slot, seat: int, seems: int = 1) -> None:
    """A hand lifts the last tile of a stack, holds it and puts it back; it seems so high then."""
    point = table.point(slot)
    table.look(4, reach=(seat, point))
    table.heights[slot.side, slot.stack] = 0
    table.feel()
    table.look(6, reach=(seat, point))
    table.heights[slot.side, slot.stack] = seems
    table.feel()
    table.look(2, reach=(seat, point))


def stages_of_a_look(
    table: Table, seat: int, touched: int, there: tuple[float, float], looks: int
) -> list[str]:
    """A hand touches the last tile, takes it to another place for some looks and puts it back."""
    slot = Slot(0, 4, "bottom")
    point = table.point(slot)
    table.look(touched, reach=(seat, point))
    table.heights[slot.side, slot.stack] = 0
    table.feel()
    table.look(1, reach=(seat, point))
    table.look(looks, reach=(seat, there))
    table.look(1, reach=(seat, point))
    table.heights[slot.side, slot.stack] = 1
    table.feel()
    table.look(3, reach=(seat, point))
    table.look(15)
    return [h.stage for h in table.told() if isinstance(h, TileDrawn)]


@pytest.fixture
def felt() -> Table:
    """An MCR table with sensors, the wall open after the third stack of side 0."""
    table = Table(felt=True)
    for stack in (1, 2, 3):
        table.take(0, Slot(0, stack, "top"), Slot(0, stack, "bottom"))
        table.look(10)
    table.take(0, Slot(0, 4, "top"))
    table.look(15)
    table.found.clear()
    return table


def test_a_tile_lifted_and_put_back_under_a_hand_is_felt(felt: Table) -> None:
    lift_and_put_back(felt, Slot(0, 4, "bottom"), 1)
    felt.look(15)
    back = [h for h in felt.told() if isinstance(h, TileReturned)]
    assert [(h.seat, h.slots) for h in back] == [(1, (Slot(0, 4, "bottom"),))]
    stages = [h.stage for h in felt.told() if isinstance(h, TileDrawn)]
    assert stages == ["touched", "lifted"]


@pytest.mark.parametrize("askew", [None, 5, 6])
def test_what_is_seen_askew_in_a_grab_that_is_put_back_was_lifted_with_the_rest(
    felt: Table, askew: int | None
) -> None:
    """A tile in the hand was seen beside a stack: half of the grab was told (1721019)."""
    slots = [Slot(0, stack, layer) for stack in (5, 6) for layer in ("top", "bottom")]
    point = felt.point(slots[0])
    felt.look(4, reach=(1, point))
    for stands in (0, 2):
        felt.heights[0, 5] = felt.heights[0, 6] = stands
        felt.feel()
        felt.look(6, reach=(1, point))
        if askew is not None and not stands:
            felt.follower._table.walls.stacks[0, askew].askew = felt.t
    felt.look(15)
    back = [set(h.slots) for h in felt.told() if isinstance(h, TileReturned)]
    assert back == [set(slots)]


def test_what_is_seen_of_a_stack_that_its_sensor_misses_is_no_tile_of_it(felt: Table) -> None:
    """Its upper tile was told as gone before the grab: only three of four came back (1777019)."""
    slots = [Slot(0, stack, layer) for stack in (5, 6) for layer in ("top", "bottom")]
    point, away = felt.point(slots[0]), (60.0, -60.0)
    felt.look(4, reach=(1, point))
    felt.heights[0, 5] = felt.heights[0, 6] = 0
    felt.feel()
    for seems in (1, 0):
        felt.heights[0, 6] = seems
        felt.look(4, reach=(1, away))
    felt.heights[0, 5] = felt.heights[0, 6] = 2
    felt.feel()
    felt.look(5, reach=(1, point))
    felt.look(15)
    back = [set(h.slots) for h in felt.told() if isinstance(h, TileReturned)]
    assert back == [set(slots)]


def test_a_lower_tile_under_the_fingers_that_lift_it_seems_as_high_as_the_upper_one() -> None:
    """It passed for the upper one laid back, so that nothing was touched (relay 1787021)."""
    table = taken_up_to(7, felt=True)
    table.take(2, Slot(1, 7, "top"))
    table.look(8)
    point = table.point(Slot(1, 7, "bottom"))
    held = table.back(*point, 2 * table.geometry.tile_thickness, 90.0)
    table.look(5, reach=(1, point))
    table.heights[1, 7] = 0
    table.feel()
    table.look(6, reach=(1, point), under=(replace(held, visible=0.5),))
    table.heights[1, 7] = 1
    table.feel()
    table.look(3, reach=(1, point))
    table.look(15)
    lower = [h for h in table.told() if isinstance(h, TileDrawn) and h.slots[0].layer == "bottom"]
    assert [h.stage for h in lower] == ["touched", "lifted"]


@pytest.mark.parametrize(
    ("looks", "back"),
    [
        pytest.param((1, 2, 2), True, id="the upper one is back"),
        pytest.param((2, 2, 1), False, id="the lower one was held over it (mcr-2006-du 1803005)"),
        pytest.param((1, 1, 2), False, id="one look"),
    ],
)
def test_what_is_laid_back_on_a_stack_still_lies_there(looks: tuple[int, ...], back: bool) -> None:
    table = taken_up_to(7)
    table.take(2, Slot(1, 7, "top"))
    table.look(8)
    since = table.t
    for height in looks:
        table.heights[1, 7] = height
        table.look(1)
    fingers = table.follower._draws._touching._fingers
    assert fingers.higher(Slot(1, 7, "bottom"), since - 0.05) is back


def test_a_lower_tile_put_back_a_little_aside_is_no_upper_one(felt: Table) -> None:
    """It was seen as high as the upper one, which its player had drawn: that was back, too."""
    lower = Slot(0, 4, "bottom")
    lift_and_put_back(felt, lower, 0, seems=2)
    felt.look(25)
    back = [h.slots for h in felt.told() if isinstance(h, TileReturned)]
    assert back == [(lower,)]
    assert felt.follower._table.walls.stacks[0, 4].height == 1


def test_who_has_just_drawn_the_upper_tile_lifts_the_lower_one_alone(felt: Table) -> None:
    """The eye had not seen the first go: an extra draw put back was a wrong one of two tiles."""
    felt.take(1, Slot(0, 4, "bottom"))
    felt.look(15)
    felt.found.clear()
    upper, lower = Slot(0, 5, "top"), Slot(0, 5, "bottom")
    point = felt.point(upper)
    home = felt.geometry.to_table(2, 60.0, felt.geometry.hand.offset + 10.0)
    felt.look(1, reach=(2, home))
    felt.look(2, reach=(2, point))
    felt.heights[0, 5] = 1
    felt.look(1, reach=(2, home), covered=(around(point),))
    lift_and_put_back(felt, lower, 2)
    felt.look(2, reach=(2, home))
    felt.look(25)
    told = [h for h in felt.told() if isinstance(h, TileDrawn | TileReturned)]
    assert all(h.slots == (lower,) for h in told if isinstance(h, TileReturned))
    assert any(isinstance(h, TileReturned) for h in told)
    assert [h.slots for h in told if isinstance(h, TileDrawn) and h.stage == "taken"] == [(upper,)]
    assert {h.slots for h in told if isinstance(h, TileDrawn) and h.stage != "taken"} == {(lower,)}


def test_a_quick_draw_that_is_put_back_tells_how_far_it_went(felt: Table) -> None:
    """A touch of a third of a second is no lingering, but the tile was looked at and put back."""
    stages = stages_of_a_look(felt, 1, 2, (250.0, -60.0), 10)
    assert stages == ["touched", "lifted", "seen"]


def test_the_hand_that_put_a_tile_back_and_takes_it_touches_nothing_new(felt: Table) -> None:
    slot = Slot(0, 4, "bottom")
    lift_and_put_back(felt, slot, 1)
    felt.look(4, reach=(1, felt.point(slot)))
    felt.found.clear()
    felt.heights[0, 4] = 0
    felt.feel()
    felt.look(1, reach=(1, felt.point(slot)))
    felt.look(30, reach=(1, (386.0, 60.0)))
    assert [h.stage for h in felt.told() if isinstance(h, TileDrawn)][-1:] == ["taken"]
    assert "touched" not in [h.stage for h in felt.found if isinstance(h, TileDrawn)][1:]


def test_a_hand_that_looks_at_its_tile_over_a_wall_touches_nothing(felt: Table) -> None:
    slot = Slot(0, 4, "bottom")
    felt.look(2, reach=(1, felt.point(slot)))
    felt.heights[0, 4] = 0
    felt.feel()
    felt.look(1, reach=(1, felt.point(slot)))
    # It stops over the open end of the wall for a second before it goes home.
    felt.look(10, reach=(1, felt.point(Slot(0, 5, "top"))))
    felt.look(15, reach=(1, (386.0, 60.0)))
    drawn = [h for h in felt.told() if isinstance(h, TileDrawn)]
    assert {h.slots for h in drawn if h.stage != "touched"} == {(slot,)}


@pytest.mark.parametrize(("looks", "seen"), [(5, True), (2, False)])
def test_who_stops_at_the_row_with_a_tile_and_puts_it_back_has_seen_it(
    felt: Table, looks: int, seen: bool
) -> None:
    """At a small table a hand that looks at a tile of its own wall is at its row already."""
    row = felt.geometry.to_table(0, 20.0, felt.geometry.hand.offset - 20.0)
    stages = stages_of_a_look(felt, 0, 5, row, looks)
    assert stages == ["touched", "lifted", *(["seen"] if seen else [])]


@pytest.mark.parametrize(
    ("looked", "stages"),
    [
        pytest.param(56.0, ["touched", "lifted", "seen", "taken"], id="before, close to its place"),
        pytest.param(None, ["touched", "lifted", "seen"], id="there"),
    ],
)
def test_who_has_looked_at_a_tile_of_the_own_wall_puts_it_among_his_own(
    felt: Table, looked: float | None, stages: list[str]
) -> None:
    """The hand was waited for as if it had still to look: the tile was back before it was told."""
    slot = Slot(0, 4, "bottom")
    felt.follower._table.dealt = True
    x, y = felt.point(slot)
    row = felt.geometry.to_table(0, -30.0, felt.geometry.hand.offset)
    felt.look(4, reach=(0, (x, y)))
    felt.heights[0, 4] = 0
    felt.feel()
    felt.look(2, reach=(0, (x, y)))
    if looked is not None:
        felt.look(3, reach=(0, (x, y - looked)))
    felt.look(8, reach=(0, row))
    felt.look(1, reach=(0, (x, y)))
    felt.heights[0, 4] = 1
    felt.feel()
    felt.look(2, reach=(0, (x, y)))
    felt.look(15)
    told = [h.stage for h in felt.told() if isinstance(h, TileDrawn)]
    assert told == stages


def test_who_looks_at_a_tile_of_the_own_wall_hardly_moves_away_from_it(felt: Table) -> None:
    """Five centimetres behind the wall the hand stopped with the tile: that was no looking."""
    slot = Slot(2, 4, "top")
    felt.heights.update({(2, n): 0 for n in (1, 2, 3)} | {(2, 4): 1})
    felt.feel()
    felt.look(30)
    felt.follower._table.dealt = True
    begun = felt.t
    x, y = felt.point(slot)
    felt.look(4, reach=(2, (x, y)))
    felt.heights[2, 4] = 0
    felt.feel()
    felt.look(1, reach=(2, (x, y)))
    felt.look(6, reach=(2, (x + 25.0, y + 44.0)))
    felt.heights[2, 4] = 1
    felt.look(1, reach=(2, (x, y)))
    felt.feel()
    felt.look(2, reach=(2, (x, y)))
    felt.look(15, reach=(2, felt.geometry.to_table(2, 60.0, felt.geometry.hand.offset + 10.0)))
    told = [h.stage for h in felt.told() if isinstance(h, TileDrawn) and h.t >= begun]
    assert told == ["touched", "lifted", "seen"]


def test_a_tile_put_back_just_before_the_next_hand_comes_was_not_taken() -> None:
    """Two clear looks were too few: the next player's arm hid it, and the draw passed for done."""
    table = Table()
    slot = Slot(2, 9, "top")
    point = table.point(slot)
    home = table.geometry.to_table(1, 60.0, table.geometry.hand.offset + 10.0)
    aside = (point[0], point[1] - 120.0)
    table.look(7, reach=(1, point))
    table.heights[2, 9] = 1
    table.look(2, reach=(1, point))
    table.look(8, reach=(1, aside))
    table.heights[2, 9] = 2
    table.look(2, reach=(1, point))
    table.look(2, reach=(1, home))
    table.look(3, reach=(0, point))
    table.heights[2, 9] = 1
    table.look(2, reach=(0, point))
    table.look(25, reach=(0, table.geometry.to_table(0, 60.0, table.geometry.hand.offset + 10.0)))
    told = [h for h in table.drawn_or_returned() if h.kind == "tile_returned" or h.stage == "taken"]
    assert [(h.kind, h.seat) for h in told] == [("tile_returned", 1), ("tile_drawn", 0)]


def test_a_tile_that_its_sensor_misses_is_not_back_whatever_the_eye_still_sees(felt: Table) -> None:
    """Its picture stayed: the next hand that passed was said to have put it back and taken it."""
    slot = Slot(0, 4, "bottom")
    x, y = felt.point(slot)
    felt.take(1, slot)
    felt.feel()
    ghost = felt.back(x, y, felt.geometry.tile_thickness, 0.0)
    felt.look(8, ghost, reach=(1, (386.0, 60.0)))
    felt.look(3, reach=(2, (x + 40.0, y)), under=(ghost,))
    felt.look(20, reach=(2, felt.geometry.to_table(2, 60.0, felt.geometry.hand.offset + 10.0)))
    told = [(h.kind, h.seat) for h in felt.drawn_or_returned()]
    assert told == [("tile_drawn", 1)]
