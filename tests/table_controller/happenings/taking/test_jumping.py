"""The dealer's last two tiles, of which only one was seen to leave the wall."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Layer, Seat, Slot
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import Places
from table_controller.happenings.setup import Patience
from table_controller.happenings.taking.jumping import crossed, half, jump, left_out, with_the_next
from table_controller.happenings.wall.removals import Removal
from table_controller.happenings.wall.walls import Walls
from tests.table_controller.happenings.play import GEOMETRY
from vision.geometry import TableGeometry

DEALER = Dwell(0, (0.0, 0.0), 16.6, 16.7, 100.0)
NEXT = Dwell(1, (0.0, 0.0), 17.2, 17.4, 100.0)
EARLIER = Dwell(1, (0.0, 0.0), 15.9, 16.0, 100.0)
BEFORE = Dwell(3, (0.0, 0.0), 16.1, 16.2, 100.0)


def slot(side: Seat, stack: int, layer: Layer = "top") -> Slot:
    return Slot(side, stack, layer)


def left(place: Slot, since: float, until: float) -> Removal:
    return Removal(place, since, until, until + 0.3, until)


def standing(heights: dict[tuple[int, int], int], count: int = 18) -> Walls:
    """Full walls but for these stacks."""
    geometry = TableGeometry.load(GEOMETRY)
    walls = Walls(Places(geometry), Arms(), Patience())
    walls.restore({(side, n): 2 for side in range(4) for n in range(1, count + 1)})
    for key, height in heights.items():
        walls.stacks[key].height = height  # type: ignore[index]
    return walls


GONE = {(0, n): 0 for n in range(8, 19)} | {(3, 1): 0}


@pytest.mark.parametrize(
    ("heights", "seen", "other"),
    [
        pytest.param({(3, 2): 1}, slot(3, 2), slot(3, 4), id="the next but one"),
        pytest.param({(3, 4): 1}, slot(3, 4), slot(3, 2), id="the one at the open end"),
    ],
)
def test_a_tile_that_still_seems_to_lie_there_is_in_the_hand_that_grew_by_two(
    heights: dict[tuple[int, int], int], seen: Slot, other: Slot
) -> None:
    walls = standing(GONE | heights)
    first = left(seen, 16.5, 16.9)
    assert jump(walls, [first], [[DEALER]], [2], {first: DEALER}) == (DEALER, other)
    assert walls.stacks[other.side, other.stack].height == 1


def test_around_the_corner_the_count_goes_on_with_the_next_wall() -> None:
    walls = standing({(0, n): 0 for n in range(8, 17)} | {(0, 17): 1})
    first = left(slot(0, 17), 16.5, 16.9)
    assert jump(walls, [first], [[DEALER]], [2], {first: DEALER}) == (DEALER, slot(3, 1))


def test_what_seemed_to_leave_with_the_next_hand_is_the_dealers() -> None:
    """Both tiles of the stack at the end were missed when the next hand had been there."""
    walls = standing(GONE | {(3, 2): 0, (3, 4): 1})
    first, upper = left(slot(3, 4), 16.5, 16.9), left(slot(3, 2), 17.3, 17.4)
    lower = left(slot(3, 2, "bottom"), 17.4, 17.4)
    chosen = {first: DEALER, upper: NEXT, lower: NEXT}
    assert jump(walls, [first, upper, lower], [[DEALER], [NEXT]], [2, 1], chosen) is None
    assert chosen == {first: DEALER, upper: DEALER, lower: NEXT}


@pytest.mark.parametrize(
    ("by", "grown", "owner"),
    [
        (None, 1, DEALER),
        (NEXT, None, NEXT),
        (NEXT, 2, NEXT),
        (NEXT, 1, DEALER),
    ],
)
def test_without_a_count_only_what_nobody_else_has_is_the_dealers(
    by: Dwell | None, grown: int | None, owner: Dwell
) -> None:
    """His hand went on to the indicator before his row could be counted: the far tile, for which
    the next hands had no room, was told as taken by who passed it (1834030)."""
    walls = standing(GONE | {(3, 2): 0, (3, 4): 1})
    first, far = left(slot(3, 2), 16.5, 16.9), left(slot(3, 4), 17.3, 17.6)
    lower = left(slot(3, 2, "bottom"), 16.9, 16.9)
    chosen = {first: DEALER, lower: NEXT} | ({} if by is None else {far: by})
    assert jump(walls, [first, lower, far], [[DEALER], [NEXT]], [None, grown], chosen) is None
    assert chosen == {first: DEALER, lower: NEXT, far: owner}


@pytest.mark.parametrize(("both", "owner"), [(5, DEALER), (6, NEXT), (None, NEXT)])
def test_two_grabs_that_were_not_counted_apart_have_room_for_both_together(
    both: int | None, owner: Dwell
) -> None:
    """The next hand's block and its last tile were five; six were told of it (sanma 1994000)."""
    walls = standing(GONE | {(3, 2): 0, (3, 4): 1})
    block = [left(slot(0, n, layer), 16.0, 16.1) for n in (16, 17) for layer in ("top", "bottom")]
    first, far = left(slot(3, 2), 16.5, 16.9), left(slot(3, 4), 17.3, 17.6)
    lower = left(slot(3, 2, "bottom"), 16.9, 16.9)
    chosen = dict.fromkeys(block, EARLIER) | {first: DEALER, lower: NEXT, far: NEXT}
    visits, grown = [[EARLIER], [DEALER], [NEXT]], [both, None, both]
    assert jump(walls, [*block, first, lower, far], visits, grown, chosen) is None
    assert chosen[far] == owner


def test_what_left_between_the_two_since_stood_there_at_the_jump() -> None:
    """The stack in between was empty when the row was counted: the jump seemed to have begun at
    its far tile (774004, 772005: a third tile was told, and five false alerts)."""
    walls = standing(GONE | {(3, 2): 0, (3, 3): 0, (3, 4): 1})
    first, near = left(slot(3, 4), 16.5, 16.9), left(slot(3, 2), 16.7, 17.1)
    lower = left(slot(3, 2, "bottom"), 17.4, 17.4)
    since = [left(slot(3, 3), 18.3, 18.6), left(slot(3, 3, "bottom"), 18.6, 18.6)]
    chosen = {first: DEALER, lower: NEXT}
    order, visits = [first, near, lower], [[DEALER], [NEXT]]
    assert jump(walls, order, visits, [2, 1], chosen, [*order, *since]) is None
    assert chosen == {first: DEALER, near: DEALER, lower: NEXT}
    assert walls.stacks[3, 6].height == 2


def test_a_stack_that_an_earlier_hand_took_late_was_gone_before() -> None:
    walls = standing(GONE | {(3, 2): 1})
    first, earlier = left(slot(3, 2), 16.5, 16.9), left(slot(3, 1), 16.4, 16.9)
    chosen = {first: DEALER, earlier: BEFORE}
    found = jump(walls, [first, earlier], [[DEALER], [BEFORE]], [2, 4], chosen)
    assert found == (DEALER, slot(3, 4))


@pytest.mark.parametrize(
    ("grown", "seen"),
    [
        pytest.param(1, slot(3, 2), id="one tile was dealt"),
        pytest.param(None, slot(3, 2), id="nobody counted"),
        pytest.param(2, slot(3, 2, "bottom"), id="a lower tile is no jump"),
    ],
)
def test_nothing_is_presumed_without_a_count_of_two(grown: int | None, seen: Slot) -> None:
    walls = standing(GONE | {(3, 2): 1})
    first = left(seen, 16.5, 16.9)
    assert jump(walls, [first], [[DEALER]], [grown], {first: DEALER}) is None


UPPER, LOWER = left(slot(3, 2), 17.3, 17.4), left(slot(3, 2, "bottom"), 17.4, 17.4)
"""What was missed of the stack at the open end when the next hand had been there."""


def test_half_a_jump_is_told_with_what_the_next_hand_took() -> None:
    """The dealer's stop was made out 62.2 mm from the other stack: one tile was told."""
    walls = standing(GONE | {(3, 2): 0, (3, 4): 1})
    first = left(slot(3, 4), 16.5, 16.9)
    groups = [([first], [DEALER]), ([LOWER, UPPER], [NEXT])]
    assert with_the_next(walls, groups) == [([first, LOWER, UPPER], [DEALER, NEXT])]


@pytest.mark.parametrize(
    ("heights", "seen", "others"),
    [
        pytest.param({(3, 2): 1}, slot(3, 2), [LOWER], id="the other stack stands"),
        pytest.param(
            {(3, 4): 1, (3, 2): 0}, slot(3, 4, "bottom"), [UPPER], id="a lower tile is no half"
        ),
        pytest.param({(3, 5): 1, (3, 2): 0}, slot(3, 5), [LOWER, UPPER], id="too far along"),
        pytest.param({(3, 4): 1, (2, 9): 0}, slot(3, 4), [left(slot(2, 9), 17.3, 17.4)], id="afar"),
    ],
)
def test_other_tiles_are_told_by_themselves(
    heights: dict[tuple[int, int], int], seen: Slot, others: list[Removal]
) -> None:
    groups = [([left(seen, 16.5, 16.9)], [DEALER]), (others, [NEXT])]
    assert with_the_next(standing(GONE | heights), groups) == groups


def test_half_a_jump_is_known_where_the_other_stack_stands() -> None:
    walls = standing(GONE | {(3, 2): 1})
    assert half(walls, [left(slot(3, 2), 16.5, 16.9)])
    assert not half(walls, [UPPER, LOWER])


@pytest.mark.parametrize(
    ("near", "swapped"),
    [
        pytest.param(("bottom", 5), True, id="the lower one of the same stack"),
        pytest.param(("top", 6), True, id="the upper one of the stack beside"),
        pytest.param(("top", 8), False, id="one far off: it may be an infraction"),
    ],
)
def test_the_far_tile_of_a_jump_is_not_the_next_hands(
    near: tuple[Layer, int], swapped: bool
) -> None:
    layer, stack = near
    first, far = left(slot(0, 5), 16.4, 16.7), left(slot(0, 7), 16.4, 17.3)
    other = left(slot(0, stack, layer), 16.4, 16.8)
    chosen = {first: DEALER, other: DEALER, far: NEXT}
    walls = standing({(0, number): 2 for number in range(5, 9)})
    crossed(walls, [[DEALER], [NEXT]], chosen)
    assert (chosen[far], chosen[other]) == ((DEALER, NEXT) if swapped else (NEXT, DEALER))


def test_who_was_there_first_has_jumped_and_left_the_lower_tile() -> None:
    """The next hand seemed to take the whole stack, whose upper tile had gone before it came."""
    upper, lower, far = (
        left(slot(0, 5), 16.4, 16.9),
        left(slot(0, 5, "bottom"), 16.9, 16.9),
        left(slot(0, 7), 16.4, 17.3),
    )
    chosen = {upper: NEXT, lower: NEXT, far: DEALER}
    crossed(standing({}), [[DEALER], [NEXT]], chosen)
    assert chosen == {upper: DEALER, lower: NEXT, far: DEALER}


@pytest.mark.parametrize(
    ("until", "by"),
    [
        pytest.param(16.9, DEALER, id="gone before the next hand came"),
        pytest.param(17.3, NEXT, id="gone while it was there"),
    ],
)
def test_nobody_takes_what_was_gone_before_he_came(until: float, by: Dwell) -> None:
    """The tile that he did take was not seen to be gone yet; the dealer's row was not counted."""
    first, far = left(slot(0, 5), 16.4, 16.7), left(slot(0, 7), 16.4, until)
    chosen = {first: DEALER, far: NEXT}
    crossed(standing({}), [[DEALER], [NEXT]], chosen)
    assert chosen == {first: DEALER, far: by}


@pytest.mark.parametrize("stack", [0, 19])
def test_the_stack_that_a_wall_has_too_many_is_no_part_of_a_jump(stack: int) -> None:
    """No place in the order of the walls is its own: the run ended there."""
    first, near, far = (left(slot(0, n), 16.4, 16.7) for n in (stack, 17, 7))
    chosen = {first: DEALER, near: DEALER, far: NEXT}
    crossed(standing({(0, stack): 2}), [[DEALER], [NEXT]], chosen)
    assert chosen == {first: DEALER, near: DEALER, far: NEXT}


LIES = {(0, number): 2 for number in range(5, 9)}


@pytest.mark.parametrize(
    ("beside", "known"),
    [
        pytest.param([("top", 16.7), ("bottom", 17.8)], True, id="before the lower one"),
        pytest.param([("top", 17.8), ("bottom", 17.8)], False, id="with the lower one"),
        pytest.param([("top", 16.7)], False, id="the lower one still lies there"),
        pytest.param([("bottom", 17.8)], False, id="no upper one"),
    ],
)
def test_the_upper_tile_that_a_jump_leaves_out_lay_there_until_its_stack_was_missed(
    beside: list[tuple[Layer, float]], known: bool
) -> None:
    """The dealer's arm lay over it: it was told as his, and the far one as nobody's (2027001)."""
    first, far = left(slot(0, 5), 16.4, 16.9), left(slot(0, 7), 16.4, 16.7)
    between = [left(slot(0, 6, layer), 16.4, until) for layer, until in beside]
    later = left_out(standing(LIES), [first, *between, far])
    assert {one: (then.since, then.until) for one, then in later.items()} == (
        {between[0]: (16.7, 17.8)} if known else {}
    )


def test_where_the_far_stack_is_gone_whole_nobody_jumped() -> None:
    order = [left(slot(0, 5), 16.4, 16.9), left(slot(0, 6), 16.4, 16.7)]
    order += [left(slot(0, 6, "bottom"), 16.4, 17.8)]
    order += [left(slot(0, 7, layer), 16.4, 16.7) for layer in ("top", "bottom")]
    assert left_out(standing(LIES), order) == {}
