"""Whose draw it was, where a hand or a sensor was missed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    Seat,
    Slot,
    TileDrawn,
)
from table_controller.happenings.taking.stages import Taking
from tests.table_controller.happenings.scenes import (
    RIICHI,
    Table,
    Uncounted,
    four,
    home,
    taken_up_to,
    under,
)


def test_an_upper_tile_taken_between_two_looks_is_the_takers() -> None:
    """A quick hand was caught once, far off; the next player was told to take two tiles."""
    table = Table(felt=True)
    point = table.point(Slot(0, 4, "top"))
    for stack in (1, 2, 3):
        table.take(0, Slot(0, stack, "top"), Slot(0, stack, "bottom"))
        table.look(10)
    table.found.clear()
    table.look(1, reach=(2, (point[0], point[1] + 290.0)))
    sleeve = tuple(
        (point[0] + dx, point[1] + dy) for dx, dy in ((-9, -9), (9, -9), (9, 9), (-9, 9))
    )
    table.heights[0, 4] = 1
    table.look(1, reach=(2, (point[0], point[1] + 103.0)), covered=(sleeve,))
    table.look(1, reach=(2, (point[0], point[1] + 290.0)))
    table.look(13, reach=(2, (-160.0, 330.0)))
    table.take(3, Slot(0, 4, "bottom"))
    table.look(20)
    drawn = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.seat, h.slots) for h in drawn] == [
        (2, (Slot(0, 4, "top"),)),
        (3, (Slot(0, 4, "bottom"),)),
    ]


def test_one_grab_from_both_ends_of_an_empty_side() -> None:
    """Three players: the hand stops between the ends of the wall, far from both."""
    table = Table("riichi-xjtu-2025-sanma", felt=True)
    ends = [
        (side, stack)
        for side, stack in ((0, 18), (2, 1), (0, 17), (2, 2))
        if (side, stack) in table.heights
    ]
    assert len(ends) == 4
    points = [table.point(Slot(side, stack, "top")) for side, stack in ends[:2]]  # type: ignore[arg-type]
    middle = (sum(x for x, _ in points) / 2.0, sum(y for _, y in points) / 2.0)
    sleeves = tuple(
        ((x - 30, y - 30), (x + 30, y - 30), (x + 30, y + 30), (x - 30, y + 30)) for x, y in points
    )
    home = table.geometry.to_table(2, 60.0, table.geometry.hand.offset + 10.0)
    table.look(2, reach=(2, home))
    table.look(2, reach=(2, middle), covered=sleeves)
    for side, stack in ends[:2]:
        table.heights[side, stack] = 0
    table.feel()
    table.look(1, reach=(2, middle), covered=sleeves)
    table.look(3, reach=(2, home), covered=sleeves[:1])
    table.look(20)
    (drawn,) = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert drawn.seat == 2
    assert {slot[:2] for slot in drawn.slots} == set(ends[:2])


def test_a_hand_over_stacks_that_the_sensors_miss_already_touches_nothing_there() -> None:
    """In the deal the next hand stops where the eye has not yet seen that the stack is gone."""
    table = Table(felt=True)
    x, y = table.point(Slot(2, 1, "top"))
    sleeve = (
        (x - 20.0, y - 30.0),
        (x + 10.0, y - 30.0),
        (x + 10.0, y + 30.0),
        (x - 20.0, y + 30.0),
    )
    table.look(4, reach=(1, (x, y)))
    table.heights[2, 1] = 0
    table.feel()
    table.look(2, reach=(1, (x, y)))
    table.look(3, covered=(sleeve,), reach=(1, table.geometry.to_table(1, 0.0, 300.0)))
    table.look(6, reach=(2, (x - 8.0, y)))
    table.look(20)
    assert not [h for h in table.told() if isinstance(h, TileDrawn) and h.seat == 2]


def taken(table: Table) -> list[tuple[int | None, tuple[Slot, ...]]]:
    """Who was told to have drawn which tiles."""
    drawn = [h for h in table.told("tile_drawn") if isinstance(h, TileDrawn)]
    return [(h.seat, h.slots) for h in drawn if h.stage == "taken"]


def test_fingers_that_go_with_the_tile_rest_on_it_no_longer() -> None:
    """One look more was long enough for a touch, and the tile seemed to stand for another
    (tianjin 1955006)."""
    slot = Slot(1, 8, "bottom")
    table = taken_up_to(8, felt=True)
    table.take(1, slot._replace(layer="top"))
    table.look(20, reach=(2, home(table, 2)))
    table.found.clear()
    x, y = table.point(slot)
    inwards = -1.0 if x > 0 else 1.0
    table.look(1, reach=(2, (x + 30.0 * inwards, y)))
    table.look(3, reach=(2, (x, y)))
    table.heights[1, 8] = 0
    table.feel()
    table.look(1, reach=(2, (x + 45.0 * inwards, y)))
    table.look(1, reach=(2, (x + 150.0 * inwards, y)))
    table.look(20, reach=(2, home(table, 2)))
    drawn = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.slots, h.stage) for h in drawn] == [((slot,), "taken")]


@pytest.mark.parametrize("ghost", [0, 10])
def test_an_upper_tile_of_which_only_the_hand_was_seen_is_that_hands(ghost: int) -> None:
    """The lower tile was seen a layer too high: the next player seemed to take both.

    Also where the eye goes on to see one for a second, and both are told one after the other.
    """
    table = Table(RIICHI, felt=True)
    table.deal(0, 1)
    upper, lower = Slot(2, 9, "top"), Slot(2, 9, "bottom")
    point = table.point(upper)
    for seat, height in ((0, 2), (1, 0)):
        home = table.geometry.to_table(seat, 60.0, table.geometry.hand.offset + 10.0)
        table.look(1, reach=(seat, home))
        table.look(3, reach=(seat, point))
        # What the eye sees; the sensors feel the stack until it is empty.
        table.heights[2, 9] = height
        table.feel()
        if not height and ghost:
            table.heights[2, 9] = 1
        table.look(2, reach=(seat, home))
        table.look(ghost if not height else 12)
        table.heights[2, 9] = height
        table.look(12)
    table.look(30)
    assert taken(table) == [
        (0, (upper,)),
        (1, (lower,)),
    ]


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


@pytest.mark.parametrize(
    ("heights", "told"),
    [
        pytest.param("22122112122", True, id="now as high, now as lower, from the hand on"),
        pytest.param("222222222222", False, id="as high for more than a second"),
    ],
)
def test_looks_of_two_minds_about_a_stack_begin_with_the_hand_that_took_its_tile(
    heights: str, told: bool
) -> None:
    """The lower tile was found now on the one layer and now on the other: a draw of nobody."""
    table = Table(RIICHI)
    for seat in (0, 2):
        table.lying += table.standing(seat, 12)
    table.look(20)
    table.found.clear()
    slot = Slot(2, 10, "top")
    table.look(3, reach=(0, table.point(slot)))
    left = table.t
    for height in heights:
        table.heights[2, 10] = int(height)
        table.look(1, reach=(0, table.geometry.to_table(0, 100.0, table.geometry.hand.offset)))
    table.heights[2, 10] = 1
    table.look(25)
    assert taken(table) == ([(0, (slot,))] if told else [])
    drawn = [h.t for h in table.told() if isinstance(h, TileDrawn)]
    assert all(t == pytest.approx(left, abs=0.3) for t in drawn)


def test_what_a_hand_carries_over_a_stack_that_was_lower_before_is_not_its_tile() -> None:
    """At the end of the deal two looks showed the lower tile, then the next hand hid it.

    Below that hand one look showed a tile as high as the upper one: it had taken both (246001).
    """
    table = Table(RIICHI, felt=True)
    for seat in (0, 3):
        table.lying += table.standing(seat, 12)
    table.look(20)
    table.found.clear()
    upper, lower = Slot(1, 9, "top"), Slot(1, 9, "bottom")
    point = table.point(upper)
    homes = [table.geometry.to_table(n, 60.0, table.geometry.hand.offset + 10.0) for n in (0, 3)]
    table.look(3, reach=(0, point))
    table.heights[1, 9] = 1
    table.look(2, reach=(0, homes[0]))
    table.look(6, reach=(3, point))
    table.heights[1, 9] = 0
    table.feel()
    (carried,) = under(table, upper, 0.3, 0.8)
    table.look(2, reach=(3, point), under=(replace(carried, visible=0.7),))
    table.look(2, reach=(3, homes[1]))
    table.look(40)
    assert taken(table) == [(0, (upper,)), (3, (lower,))]


@pytest.mark.parametrize("dealt", [False, True])
def test_what_the_next_hand_holds_over_a_stack_is_not_the_tile_that_another_took(
    dealt: bool,
) -> None:
    """It was told as brought back, then as taken by him: two rows had a wrong number of tiles."""
    table = Table(felt=True)
    if dealt:
        table.deal(0, 1)
    theirs, own = Slot(0, 9, "top"), Slot(0, 8, "bottom")
    for slot in (Slot(0, 8, "top"), theirs):
        table.take(3, slot)
        table.look(10)
    point = table.point(own)
    home = table.geometry.to_table(2, 60.0, table.geometry.hand.offset + 10.0)
    table.look(1, reach=(2, home))
    table.look(2, reach=(2, point))
    # So the eye sees it until the hand comes again.
    table.heights[0, 9] = 2
    table.look(4, reach=(2, point))
    table.look(1, reach=(2, home))
    table.look(8)
    table.heights[0, 9] = 1
    table.look(1, reach=(2, home))
    table.look(2, reach=(2, point))
    table.heights[0, 8] = 0
    table.feel()
    table.look(2, reach=(2, point))
    table.look(20, reach=(2, home))
    assert not table.told("tile_returned")
    assert taken(table)[-2:] == [(3, (theirs,)), (2, (own,))]


class Standing(Uncounted):
    """Rows of so many tiles, by seat; where nobody sits nothing was counted."""

    def __init__(self, counts: dict[int, int]) -> None:
        self._counts = counts

    def counted(self, seat: Seat, after: float) -> int | None:
        return self._counts.get(seat)


@pytest.mark.parametrize("empty", [0, 1, 2, 3])
def test_three_players_sit_where_walls_came_up(empty: int) -> None:
    """What left unseen in the deal belonged to nobody where East sat at another side than 0."""
    table = Table("riichi-xjtu-2025-sanma", stands=False)
    seats = [seat for seat in range(4) if seat != empty]
    table.heights = {(side, number): 2 for side in seats for number in range(1, 19)}
    table.look(25)
    draws = table.follower._draws
    draws._rows = Standing(dict(zip(seats, (0, 0, 4), strict=True)))
    grab = Taking(None, list(four(seats[0], 7)), t=table.t, since=table.t - 0.2)
    assert draws._lacking(grab) == [seats[-1]]
