"""What a hand does at the wall before and after its own draw, in its order."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Seat, Slot, TileDrawn, TileReturned
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.taking.stages import Taking
from tests.table_controller.happenings.scenes import (
    RIICHI,
    Table,
    around,
    four,
    home,
    taken_up_to,
    under,
)

OPEN, INNER = Slot(1, 7, "top"), Slot(1, 8, "top")


def told(table: Table) -> list[tuple[str, tuple[Slot, ...]]]:
    """Stages and returns, as they were released."""
    return [
        (h.stage if isinstance(h, TileDrawn) else "returned", h.slots)
        for h in table.told("tile_drawn", "tile_returned")
        if isinstance(h, TileDrawn | TileReturned)
    ]


def drawing() -> Table:
    """The hand of player 2 is at its row, thirteen tiles, and the open end of wall 1 is due."""
    table = taken_up_to(OPEN.stack)
    table.lying = table.standing(2, 13)
    table.look(10, reach=(2, home(table, 2)))
    return table


def fetching() -> Table:
    """It is over the tile, which has just left its stack."""
    table = drawing()
    table.look(2, reach=(2, table.point(OPEN)))
    table.heights[OPEN[:2]] -= 1
    return table


@pytest.mark.parametrize("looks", [5, 6])
def test_who_was_home_with_his_tile_and_comes_again_touches_the_next_one(looks: int) -> None:
    """An extra draw that was only touched was never told: he might have put his tile back."""
    table = drawing()
    table.take(2, OPEN)
    table.look(2, reach=(2, home(table, 2)))
    lower = OPEN._replace(layer="bottom")
    table.look(looks, reach=(2, table.point(lower)))
    table.look(2, reach=(2, home(table, 2)))
    table.look(25)
    assert told(table) == [("taken", (OPEN,)), ("touched", (lower,))]


def test_who_comes_again_in_the_second_look_after_he_was_home_touches_the_next_one() -> None:
    """Looks are not a tenth of a second apart to the millisecond: the first on it fell away."""
    table = fetching()
    table.look(1, reach=(2, table.point(OPEN)))
    table.look(1, reach=(2, home(table, 2)))
    lower = OPEN._replace(layer="bottom")
    x, y = table.point(lower)
    table.look(1, reach=(2, (x, y + 60.0)))
    table.t -= 0.005
    table.look(4, reach=(2, (x, y)))
    table.look(25, reach=(2, home(table, 2)))
    assert told(table) == [("taken", (OPEN,)), ("touched", (lower,))]


@pytest.mark.parametrize(
    ("before_mm", "looks", "stages"),
    [
        pytest.param(3.0, 9, [("taken", (OPEN,))], id="just before it"),
        pytest.param(3.0, 5, [], id="for half a second: he may go on"),
        pytest.param(-4.0, 9, [], id="where tiles are looked at"),
    ],
)
def test_who_rests_with_a_tile_before_his_row_has_taken_it(
    before_mm: float, looks: int, stages: list[object]
) -> None:
    """It was told when the hand went on, after the claim that came too late (qixing 7121017)."""
    table = fetching()
    table.look(1, reach=(2, table.point(OPEN)))
    x, y = table.point(OPEN)
    offset = table.follower._table.near_row + before_mm
    rest = table.geometry.to_table(2, 60.0, offset)
    for part in (1 / 3, 2 / 3):
        table.look(1, reach=(2, (x + part * (rest[0] - x), y + part * (rest[1] - y))))
    table.look(looks, reach=(2, rest))
    assert told(table) == stages


def test_a_tile_that_is_found_once_more_when_it_has_gone_is_not_the_one_that_is_touched() -> None:
    """The draw's own tile was touched after it, which is no extra draw (relay 2121053)."""
    table = fetching()
    table.look(1, reach=(2, home(table, 2)))
    table.look(1, *under(table, OPEN, 0.3, 0.75), reach=(2, home(table, 2)))
    lower = OPEN._replace(layer="bottom")
    table.look(4, reach=(2, table.point(lower)))
    table.look(25, reach=(2, home(table, 2)))
    assert told(table) == [("taken", (OPEN,)), ("touched", (lower,))]


def test_a_tile_that_stands_in_the_row_is_not_in_the_hand_that_is_at_the_wall_again() -> None:
    """The hand had seemed to be a little short of its row: it held its tile, and touched nothing.

    It went back beside the place of that tile, as one does that puts it back.
    """
    table = taken_up_to(OPEN.stack)
    table.heights[OPEN[:2]] = 1
    table.lying = table.standing(1, 13)
    table.look(10)
    lower = OPEN._replace(layer="bottom")
    table.look(3, reach=(1, table.point(lower)))
    table.heights[OPEN[:2]] = 0
    table.look(1, reach=(1, table.point(lower)))
    table.lying = table.standing(1, 14)
    short = table.geometry.to_table(1, 60.0, table.geometry.hand.offset - 20.0)
    table.look(3, reach=(1, short))
    table.look(10, reach=(1, table.point(INNER)))
    table.look(25, reach=(1, home(table, 1)))
    assert told(table)[:2] == [("taken", (lower,)), ("touched", (INNER,))]


@pytest.mark.parametrize(
    ("next_after", "lifted", "touches"),
    [
        pytest.param(0.3, False, [], id="of its next tile"),
        pytest.param(1.5, False, [OPEN], id="before that"),
        pytest.param(1.5, True, [OPEN], id="the tile was lifted then: 1766023"),
    ],
)
def test_what_a_hand_did_with_its_next_tile_is_no_touch_of_the_one_beside(
    next_after: float, lifted: bool, touches: list[Slot]
) -> None:
    """Fingers that lifted the lower tile of a stack were seen over the next stack."""
    table = taken_up_to(OPEN.stack)
    table.look(10)
    touching = table.follower._draws._touching
    came = table.t
    for _ in range(9):
        table.follower._table.arms.update(table.t, (None, None, table.point(OPEN), None))
        table.t += 0.1
    table.follower._table.now = table.t
    if lifted:
        table.follower._table.walls.stacks[OPEN[:2]].height = 1
    touching.came_home(2, came, came + next_after)
    touching.say(2, left=True)
    assert told(table) == [("touched", (slot,)) for slot in touches]


def test_the_tile_below_the_one_just_drawn_is_lifted_after_the_draw() -> None:
    """It was told before it, and an extra draw was a wrong one: the eye was late with the upper."""
    table = Table(felt=True)
    for stack in (1, 2, 3):
        table.take(0, Slot(0, stack, "top"), Slot(0, stack, "bottom"))
        table.look(10)
    upper, lower = Slot(0, 4, "top"), Slot(0, 4, "bottom")
    point, back = table.point(upper), home(table, 2)
    table.found.clear()
    table.look(1, reach=(2, back))
    table.look(2, reach=(2, point))
    table.heights[0, 4] = 1
    table.look(2, reach=(2, back), covered=(around(point),))
    table.look(4, reach=(2, point))
    table.heights[0, 4] = 0
    table.feel()
    table.look(6, reach=(2, point))
    table.heights[0, 4] = 1
    table.feel()
    table.look(2, reach=(2, point))
    table.look(25, reach=(2, back))
    stages = told(table)
    assert stages[0] == ("taken", (upper,))
    assert ("lifted", (lower,)) in stages
    assert stages[-1] == ("returned", (lower,))


def test_who_turned_round_at_his_row_between_two_looks_had_taken_his_tile_home() -> None:
    """Both looks were short of it: the tile was said to be in his hand when he lifted the next."""
    table = taken_up_to(OPEN.stack)
    lower = OPEN._replace(layer="bottom")
    point, row = table.point(OPEN), table.geometry.hand.offset
    x, y = table.geometry.to_table(2, 60.0, row - 100.0)
    table.look(1, reach=(2, home(table, 2)))
    table.look(2, reach=(2, point))
    table.heights[OPEN[:2]] = 1
    for place in (
        ((point[0] + x) / 2, (point[1] + y) / 2),
        table.geometry.to_table(2, 60.0, row - 42.0),
        table.geometry.to_table(2, 60.0, row - 38.0),
    ):
        table.look(1, reach=(2, place))
    turned = table.t
    table.look(4, reach=(2, point))
    table.heights[OPEN[:2]] = 0
    table.look(2, reach=(2, point))
    table.look(8, reach=(2, (x, y)))
    table.look(20, reach=(2, home(table, 2)))
    first = table.told("tile_drawn")[0]
    assert told(table)[0] == ("taken", (OPEN,))
    assert first.t == pytest.approx(turned, abs=0.15)
    assert lower in told(table)[-1][1]


def test_a_touch_waits_for_the_tile_that_seemed_gone_before_the_arm_hid_its_place() -> None:
    """The arm lay over the own wall while the hand was at another: that draw was told last.

    An extra draw passed for a wrong replacement.
    """
    table = taken_up_to(OPEN.stack)
    own = Slot(2, 18, "top")
    place = table.point(own)
    table.look(3, reach=(2, home(table, 2)))
    table.look(2, reach=(2, place))
    table.heights[own[:2]] = 1
    # Two looks of three show the lower tile.
    table.look(1, reach=(2, home(table, 2)))
    table.heights[own[:2]] = 2
    table.look(1, reach=(2, home(table, 2)))
    table.heights[own[:2]] = 1
    table.look(1, reach=(2, home(table, 2)))
    table.look(5, reach=(2, table.point(OPEN)), covered=(around(place),))
    table.look(6, reach=(2, home(table, 2)), covered=(around(place),))
    table.look(25, reach=(2, home(table, 2)))
    assert told(table) == [("taken", (own,)), ("touched", (OPEN,))]


def test_the_look_in_which_fingers_came_does_not_say_on_which_tile_they_rested() -> None:
    """They came over the stack beside: an extra draw that was touched was none."""
    table = taken_up_to(OPEN.stack)
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    for share in (1.4, 0.6, 0.6, 0.6, 0.6, 0.6):
        table.look(1, reach=(2, (x + share * (bx - x), y + share * (by - y))))
    table.look(25, reach=(2, home(table, 2)))
    assert told(table) == [("touched", (OPEN,))]


def test_a_look_that_errs_to_the_stack_beside_ends_no_touch_of_the_last_one() -> None:
    """Fingers at rest between the two were on each of them for too short a time to be told."""
    table = taken_up_to(OPEN.stack)
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    for share in (0.45, 0.45, 0.45, 0.7, 0.45):
        table.look(1, reach=(2, (x + share * (bx - x), y + share * (by - y))))
    table.look(25, reach=(2, home(table, 2)))
    assert told(table) == [("touched", (OPEN,))]


@pytest.mark.parametrize(
    ("slot", "stands", "touched"),
    [
        pytest.param(INNER, (1, 7), True, id="the stack beside the one that is due"),
        pytest.param(Slot(1, 9, "top"), (1, 7), True, id="two stacks too far"),
        pytest.param(Slot(1, 10, "top"), (1, 7), False, id="the middle of the wall"),
        pytest.param(Slot(1, 3, "top"), (1, 1), True, id="the gap ends at the corner before it"),
    ],
)
def test_a_touch_near_the_gap_of_the_wall(
    slot: Slot, stands: tuple[Seat, int], touched: bool
) -> None:
    """Only the last stack of a wall was thought of: wrong draws that only touched were not told."""
    table = taken_up_to(stands[1])
    if stands[1] == 1:
        # The wall before this one clockwise is gone.
        table.heights.update({(2, number): 0 for number in range(1, 19)})
        table.look(30, reach=(0, home(table, 0)))
        table.told()
        table.found.clear()
    table.look(5, reach=(2, table.point(slot)))
    table.look(20, reach=(2, home(table, 2)))
    assert told(table) == ([("touched", (slot,))] if touched else [])


def at_the_dead_wall() -> tuple[Table, Slot]:
    """Seat 1 has discarded; the wall ends with the first replacement tile, which is returned."""
    table = Table(RIICHI, felt=True)
    last = table.geometry.stacks_per_side
    for stack in range(1, last + 1):
        table.heights[1, stack] = 0
    table.feel()
    table.look(30, reach=(0, home(table, 0)))
    table.follower._table.dealt = True
    table.follower._table.discarded_at[1] = table.t
    return table, Slot(2, last, "top")


def test_a_tile_of_the_dead_wall_is_touched_unless_it_replaces_one() -> None:
    """Hands come there for indicators and for replacements; who has laid nothing out does not."""
    for laid in (False, True):
        table, tail = at_the_dead_wall()
        if laid:
            table.follower._table.replaces_at[2] = table.t + 0.2
        table.told()
        table.found.clear()
        table.look(3, reach=(2, home(table, 2)))
        table.look(5, reach=(2, table.point(tail)))
        table.look(20, reach=(2, home(table, 2)))
        touched = [slots for stage, slots in told(table) if stage == "touched"]
        assert touched == ([] if laid else [(tail,)])


@pytest.mark.parametrize(
    ("off", "touched"),
    [
        pytest.param((18, 17, 18, 9, -7), True, id="1741005"),
        pytest.param((21, 18, 12, 12, 13), True, id="1741028"),
        pytest.param((18, 17, 18, 9), True, id="gone after the first look that is nearest to it"),
        pytest.param((23, 23, 22, 22, 13), False, id="nearer to the indicator on average"),
        pytest.param((38, 37, 12, 12, 13), False, id="came from the indicator"),
        pytest.param((21, 18, 18, 17, 18), False, id="never nearest to it"),
    ],
)
def test_fingers_seen_beside_a_replacement_tile_are_on_it(
    off: tuple[float, ...], touched: bool
) -> None:
    """Next to it, but for one stack, lies the indicator: hands come there for that, too."""
    table, tail = at_the_dead_wall()
    indicator, next_to_it = (tail._replace(stack=tail.stack - away) for away in (2, 1))
    table.follower._table.turned_at[indicator] = table.t - 3.0
    table.told()
    table.found.clear()
    table.look(3, reach=(2, home(table, 2)))
    (x, y), (beside, _) = table.point(tail), table.point(next_to_it)
    for mm in off:
        table.look(1, reach=(2, (x + (mm if beside > x else -mm), y)))
    table.look(20, reach=(2, home(table, 2)))
    told_of = [slots for stage, slots in told(table) if stage == "touched"]
    assert told_of == ([(tail,)] if touched else [])


@pytest.mark.parametrize(
    ("out", "looks", "stages"),
    [
        pytest.param(62.0, 7, ["lifted", "returned"], id="held over the wall, as it seems"),
        pytest.param(92.0, 7, ["lifted", "seen", "returned"], id="held before the row"),
        pytest.param(120.0, 14, ["lifted", "seen", "returned"], id="held at the row, and long"),
    ],
)
def test_a_grab_that_is_put_back(out: float, looks: int, stages: list[str]) -> None:
    """A deal put right had the ruling of tiles that nobody has seen, or was told as taken."""
    table = Table(felt=True)
    table.lying = table.standing(0, 4)
    table.look(20)
    grab = four(0, 3)
    (ax, ay), (bx, _) = table.point(grab[0]), table.point(grab[2])
    middle, held = ((ax + bx) / 2, ay), ((ax + bx) / 2, ay - out)
    table.look(3, reach=(0, middle))
    for stack in (3, 4):
        table.heights[0, stack] = 0
    table.feel()
    table.look(1, reach=(0, middle))
    table.look(looks, reach=(0, held))
    table.look(1, reach=(0, middle))
    for stack in (3, 4):
        table.heights[0, stack] = 2
    table.feel()
    table.look(3, reach=(0, middle))
    table.look(25, reach=(0, home(table, 0)))
    assert told(table) == [(stage, grab) for stage in stages]


def test_a_grab_that_is_put_back_comes_out_from_under_the_hand_tile_by_tile() -> None:
    """The stack that was in sight first was told as put back alone, and seen was the other one."""
    table = Table(felt=True)
    table.lying = table.standing(0, 4)
    table.look(20)
    grab = four(0, 3)
    (ax, ay), (bx, _) = table.point(grab[0]), table.point(grab[2])
    middle, held = ((ax + bx) / 2, ay), ((ax + bx) / 2, ay - 100.0)
    table.look(3, reach=(0, middle))
    for stack in (3, 4):
        table.heights[0, stack] = 0
    table.feel()
    table.look(1, reach=(0, middle))
    table.look(7, reach=(0, held))
    table.look(1, reach=(0, middle))
    table.heights[0, 3] = table.heights[0, 4] = 2
    table.feel()
    # The hand is over the farther stack; of the nearer one the lower tile shows first.
    beside = bx + (bx - ax), ay
    table.heights[0, 3] = 1
    table.look(3, reach=(0, beside))
    table.heights[0, 3] = 2
    table.look(3, reach=(0, beside))
    table.look(25, reach=(0, home(table, 0)))
    assert told(table) == [(stage, grab) for stage in ("lifted", "seen", "returned")]


def test_a_tile_that_was_looked_at_and_taken_at_once_where_it_lay_was_put_back() -> None:
    """Who had drawn too early put his tile down, and his hand waited on it for his turn."""
    table = taken_up_to(OPEN.stack)
    x, y = table.point(OPEN)
    table.look(3, reach=(2, (x, y)))
    table.look(5, reach=(2, (x, y)))
    table.heights[OPEN[:2]] = 1
    # Towards his row, where he looks at it.
    table.look(7, reach=(2, (x, y + 130.0)))
    table.look(6, reach=(2, (x, y)))
    table.look(25, reach=(2, home(table, 2)))
    stages = ["touched", "lifted", "seen", "returned", "taken"]
    assert told(table) == [(stage, (OPEN,)) for stage in stages]


@pytest.mark.parametrize("rests", [6, 7, 8])
def test_a_hand_that_rests_at_its_row_with_a_tile_it_was_slow_with_may_look_at_it(
    rests: int,
) -> None:
    """Six tenths of a second were enough to have taken it; then it was put back."""
    table = taken_up_to(OPEN.stack)
    x, y = table.geometry.to_table(2, 60.0, table.geometry.hand.offset - 5.0)
    table.look(6, reach=(2, table.point(OPEN)))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(2, table.point(OPEN)))
    table.look(rests, reach=(2, (x, y)))
    table.heights[OPEN[:2]] = 2
    table.look(3, reach=(2, table.point(OPEN)))
    table.look(25, reach=(2, home(table, 2)))
    stages = ["touched", "lifted", "seen", "returned"]
    assert told(table) == [(stage, (OPEN,)) for stage in stages]


def test_a_hand_that_looks_at_its_tile_over_another_stack_lifts_none_there() -> None:
    """The tile it held was told as drawn from the wrong end, and one of its own wall as lifted."""
    table = taken_up_to(OPEN.stack)
    own = Slot(2, 9, "top")
    table.look(2, reach=(2, table.point(OPEN)))
    table.heights[OPEN[:2]] = 1
    table.look(1, reach=(2, table.point(OPEN)))
    table.look(10, reach=(2, table.point(own)))
    table.look(25, reach=(2, home(table, 2)))
    assert {slots for _, slots in told(table)} == {(OPEN,)}


def rests_on_the_open_one(table: Table) -> None:
    """The first look of a hand that rests on the tile at the end shows it over the next stack."""
    (x, y), (_, inner) = table.point(OPEN), table.point(INNER)
    further = 1.0 if inner > y else -1.0
    table.look(1, reach=(2, (x, y + 20.0 * further)))
    table.look(5, reach=(2, (x, y - 2.0 * further)))


def test_the_tile_that_a_hand_rested_on_is_told_although_it_has_been_taken_since() -> None:
    """That of the stack beside it was told, which alone stood there by then."""
    table = taken_up_to(OPEN.stack)
    rests_on_the_open_one(table)
    table.follower._table.walls.stacks[OPEN[:2]].height = 0
    table.follower._draws._touching.say(2, left=True)
    assert told(table) == [("touched", (OPEN,))]


def test_who_rests_on_the_next_tile_in_turn_has_not_touched_it_before_his_draw() -> None:
    table = taken_up_to(OPEN.stack)
    state = table.follower._table
    state.discarded_at[1], state.front = table.t - 0.1, Slot(1, OPEN.stack - 1, "bottom")
    rests_on_the_open_one(table)
    table.follower._draws._touching.say(2, left=True)
    assert told(table) == []


def test_who_lays_the_upper_tile_back_does_not_touch_the_lower_one() -> None:
    """It was told as touched while the other showed already under the hand (1791001)."""
    table = taken_up_to(OPEN.stack)
    point = table.point(OPEN)
    table.take(2, OPEN)
    table.look(8, reach=(2, home(table, 2)))
    table.look(3, reach=(2, point))
    table.heights[1, OPEN.stack] = 2
    table.look(3, reach=(2, point), under=under(table, OPEN, 0.3, 0.8))
    table.look(1, reach=(2, table.point(Slot(1, OPEN.stack + 2, "top"))))
    table.look(20, reach=(2, home(table, 2)))
    stages = told(table)
    assert ("returned", (OPEN,)) in stages
    assert {slots for _, slots in stages} == {(OPEN,)}


def test_where_a_tile_was_held_to_be_looked_at_it_was_not_touched_again() -> None:
    """Half way home at his own wall a hand stopped once more, out of reach of the place: the
    touch was told a second time as that began (2001002)."""
    table = taken_up_to(OPEN.stack)
    (x, y), row = table.point(INNER), table.geometry.hand.offset
    right, offset = table.geometry.to_player(1, x, y)
    held = table.geometry.to_table(1, right + 45.0, min(offset + 60.0, row - 42.0))
    table.look(9, reach=(1, (x, y)))
    draws = table.follower._draws
    draws._touching.say(1, left=True)
    emptied = table.t
    table.look(8, reach=(1, held))
    stop = Dwell(1, held, emptied + 0.1, table.t - 0.1, 0.0)
    taking = Taking(1, [INNER], t=emptied, since=emptied, dwell=stop, emptied=emptied)
    draws._stages.follow(taking, None, table.t, held=True)
    table.look(2)
    stages = [stage for stage, _ in told(table)]
    assert (stages[0], stages.count("touched")) == ("touched", 1)
    assert "seen" in stages


@pytest.mark.parametrize(
    ("due", "share", "looks", "taken"),
    [
        pytest.param(True, 0.6, 9, True, id="in its turn"),
        pytest.param(True, 0.6, 5, False, id="in its turn, for less than half a second"),
        pytest.param(True, 0.4, 9, False, id="in its turn, not half way yet"),
        pytest.param(False, 0.6, 9, False, id="out of its turn: it may look at its tile there"),
    ],
)
def test_who_draws_in_his_turn_and_stays_half_way_to_his_row_has_drawn(
    due: bool, share: float, looks: int, taken: bool
) -> None:
    """Fingertips at a row were seen 45 mm short of it: a claim came too late and went unsaid."""
    table = taken_up_to(OPEN.stack)
    state = table.follower._table
    table.look(10, reach=(2, home(table, 2)))
    if due:
        state.discarded_at[1], state.front = table.t, Slot(1, OPEN.stack - 1, "bottom")
    table.look(2, reach=(2, table.point(OPEN)))
    table.heights[OPEN[:2]] -= 1
    table.look(1, reach=(2, table.point(OPEN)))
    wall, row = table.geometry.wall.offset, table.geometry.hand.offset
    (x, y), rest = table.point(OPEN), table.geometry.to_table(2, 60.0, wall + share * (row - wall))
    for part in (1 / 3, 2 / 3):
        table.look(1, reach=(2, (x + part * (rest[0] - x), y + part * (rest[1] - y))))
    came = table.t
    table.look(looks, reach=(2, rest))
    assert state.drawn_at.get(2) == (pytest.approx(came) if taken else None)
