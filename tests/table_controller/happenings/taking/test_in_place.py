"""Tiles lifted where they stand and put back, and hands that only stop at the wall."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import Slot, TileDrawn, TileExposed, TileReturned
from table_controller.domain.tiles import Tile
from table_controller.happenings.taking.staying import stay
from tests.table_controller.happenings.scenes import Table, home, taken_up_to, under

OPEN, INNER, MIDDLE = Slot(1, 7, "top"), Slot(1, 8, "top"), Slot(1, 11, "top")


@pytest.fixture
def table() -> Table:
    return taken_up_to(OPEN.stack)


@pytest.mark.parametrize("slot", [OPEN, INNER, MIDDLE])
@pytest.mark.parametrize(
    ("seen", "stages"),
    [
        (None, ["touched", "lifted"]),  # a second under the fingers, not to be found
        ((2.2, 0.55), ["touched", "lifted"]),  # found off its line, and badly
        ((0.3, 0.8), ["touched"]),  # it lies where it lay: fingers rest on it
    ],
)
def test_a_tile_lifted_where_it_stands(
    table: Table, slot: Slot, seen: tuple[float, float] | None, stages: list[str]
) -> None:
    tip = table.point(slot)
    there = () if seen is None else under(table, slot, *seen)
    table.look(2, reach=(2, tip), under=under(table, slot, 0.3, 0.8))
    table.look(8, reach=(2, tip), under=there)
    table.look(15, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn)]
    if slot == MIDDLE and "lifted" not in stages:
        assert told == [], "fingers over the middle of a wall that is as it was"
        return
    assert [(h.seat, h.slots, h.stage) for h in told] == [(2, (slot,), stage) for stage in stages]
    back = [h for h in table.found if isinstance(h, TileReturned)]
    assert [(h.seat, h.slots) for h in back] == ([(2, (slot,))] if "lifted" in stages else [])


@pytest.mark.parametrize("pushed", [False, True])
def test_what_its_sensor_misses_since_a_hand_came_is_not_back(pushed: bool) -> None:
    """A sleeve pushed two stacks; one look took one of them for put back (1725014)."""
    table = taken_up_to(OPEN.stack, felt=True)
    tip = table.point(OPEN)
    table.look(2, reach=(2, tip), under=under(table, OPEN, 0.3, 0.8))
    begun = table.t
    if pushed:
        table.heights[1, OPEN.stack] = 0
        table.feel()
    table.look(7, reach=(2, tip))
    table.look(1, reach=(2, home(table, 2)), under=under(table, OPEN, 0.3, 0.8))
    if pushed:
        # Beside its place, and aslant.
        x, y = tip
        z = table.geometry.stacked_z
        table.lying.append(table.back(x - 14.0, y, z, 90.0 + 9.0))
    table.look(15, reach=(2, home(table, 2)))
    told = [getattr(h, "stage", h.kind) for h in table.told() if h.t > begun - 1.0]
    assert told == (
        ["touched", "wall_disturbed"] if pushed else ["touched", "lifted", "tile_returned"]
    )


def test_a_hand_that_lifts_a_tile_seems_to_go_on_to_the_next_one() -> None:
    """Ninety millimetres up it is seen 20 farther out: at a wall's end that is the next stack."""
    slot, beside = Slot(1, 16, "top"), Slot(1, 17, "top")
    table = taken_up_to(slot.stack)
    (x, y), (bx, by) = table.point(slot), table.point(beside)
    lies = under(table, beside, 0.3, 0.8)
    for looks, far, seen in ((3, 0.3, under(table, slot, 0.3, 0.8)), (7, 0.95, lies)):
        table.look(looks, reach=(2, (x + far * (bx - x), y + far * (by - y))), under=seen)
    table.look(15, reach=(2, home(table, 2)))
    told = [(h.stage, h.slots) for h in table.told() if isinstance(h, TileDrawn)]
    assert told == [("touched", (slot,)), ("lifted", (slot,))]
    assert [h.slots for h in table.found if isinstance(h, TileReturned)] == [(slot,)]


def test_the_tile_beside_the_one_that_is_due_was_lifted_first(table: Table) -> None:
    """It was told as a touch of the due one, for only the end of a wall was thought of."""
    table.look(10, reach=(2, table.point(INNER)))
    table.take(2, OPEN)
    table.look(15, reach=(2, home(table, 2)))
    told = [(h.kind, h.slots) for h in table.drawn_or_returned()]
    assert told == [
        ("tile_drawn", (INNER,)),
        ("tile_drawn", (INNER,)),
        ("tile_returned", (INNER,)),
        ("tile_drawn", (OPEN,)),
    ]


def test_a_tile_put_back_and_drawn_at_once_was_lifted_first(table: Table) -> None:
    """The hand seemed never to have left: one look showed the tile back beside the fingers."""
    x, y = table.point(OPEN)
    table.look(2, reach=(2, (x, y)), under=under(table, OPEN, 0.3, 0.8))
    table.look(13, reach=(2, (x, y)))
    table.look(1, reach=(2, (x + 46.0, y)))
    table.look(2, reach=(2, (x, y)))
    table.heights[1, 7] = 1
    table.look(1, reach=(2, (x + 10.0, y + 16.0)))
    table.look(25, reach=(2, home(table, 2)))
    told = [
        h.stage if isinstance(h, TileDrawn) else h.kind
        for h in table.told("tile_drawn", "tile_returned")
    ]
    assert told == ["touched", "lifted", "tile_returned", "taken"]


@pytest.mark.parametrize(
    ("shown", "sure", "back"), [(3, 0.7, True), (2, 0.7, False), (3, 0.5, False)]
)
def test_a_tile_let_go_of_shows_between_the_fingers_that_take_it_then(
    table: Table, shown: int, sure: float, back: bool
) -> None:
    """Held for a second over a wall, put down and drawn: told as lifted once (1071001, filmed)."""
    tip = table.point(OPEN)
    table.look(2, reach=(2, tip), under=under(table, OPEN, 0.3, 0.8))
    table.look(11, reach=(2, tip))
    table.look(shown, reach=(2, tip), under=under(table, OPEN, 0.3, sure))
    table.heights[1, 7] = 1
    table.look(25, reach=(2, home(table, 2)))
    told = [
        h.stage if isinstance(h, TileDrawn) else h.kind
        for h in table.told("tile_drawn", "tile_returned")
    ]
    assert told == ["touched", "lifted", *(["tile_returned"] if back else []), "taken"]


@pytest.mark.parametrize(
    ("open_looks", "stages"),
    [
        pytest.param(10, ["touched", "lifted", "tile_returned", "taken"], id="the one beside"),
        pytest.param(0, ["touched", "lifted", "taken"], id="the one that was taken"),
    ],
)
def test_who_puts_a_tile_back_takes_the_one_beside_that_he_seemed_to_be_on(
    table: Table, open_looks: int, stages: list[str]
) -> None:
    """Only the draw was told (relay 2007001, filmed): what is held up is seen farther along."""
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    tip = (x + bx) / 2, (y + by) / 2
    lies = under(table, OPEN, 0.3, 0.8)
    table.look(10, reach=(0, tip), under=lies if open_looks else ())
    table.look(1, reach=(0, tip), under=(*lies, *under(table, INNER, 0.3, 0.8)))
    table.heights[1, OPEN.stack] = 1
    table.look(2, reach=(0, (x, y)))
    table.look(25, reach=(0, home(table, 0)))
    told = [
        h.stage if isinstance(h, TileDrawn) else h.kind
        for h in table.told("tile_drawn", "tile_returned")
    ]
    assert told == stages
    if open_looks:
        assert [h.slots for h in table.found if isinstance(h, TileReturned)] == [(INNER,)]


def test_while_tiles_are_dealt_hands_lie_on_the_wall(table: Table) -> None:
    table.follower._table.dealt = False
    table.look(10, reach=(2, table.point(OPEN)))
    table.look(15, reach=(2, home(table, 2)))
    assert table.told() == []


def test_the_only_hand_near_a_tile_took_it_though_it_seemed_to_end_elsewhere(table: Table) -> None:
    """A long arm was seen to end 75 mm off the tile that it took: nobody seemed to have drawn."""
    x, y = table.point(OPEN)
    table.look(1, reach=(2, home(table, 2)))
    table.look(2, reach=(2, (x + 60.0, y - 45.0)))
    table.heights[1, 7] = 1
    table.look(1, reach=(2, (x + 60.0, y - 45.0)))
    table.look(25, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.seat, h.slots, h.stage) for h in told] == [(2, (OPEN,), "taken")]


def test_a_stay_ends_where_the_hand_was_home(table: Table) -> None:
    """Two quick draws from one's own wall, so near to the row, passed for one long one."""
    slot = Slot(1, 7, "bottom")
    table.look(3, reach=(1, table.point(slot)))
    between = table.t
    table.look(1, reach=(1, home(table, 1)))
    table.look(3, reach=(1, table.point(slot)))
    arms = table.follower._table.arms
    second = arms.dwells(between, table.t)[-1]
    came, left = stay(table.follower._table, second, slot)
    assert came >= between - 0.01
    assert left == pytest.approx(table.t - 0.1)


def test_a_hand_between_two_stacks_that_lifted_one_touched_not_the_other(table: Table) -> None:
    """The open end was told as touched, and the tile beside it as touched and lifted as well."""
    (ax, ay), (bx, by) = table.point(OPEN), table.point(INNER)
    for share, looks in ((0.6, 5), (0.4, 4)):
        tip = (share * bx + (1.0 - share) * ax, share * by + (1.0 - share) * ay)
        table.look(looks, reach=(2, tip))
    table.look(15, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.stage, h.slots) for h in told] == [("touched", (INNER,)), ("lifted", (INNER,))]


def test_a_hand_seen_a_little_beyond_the_middle_between_two_stacks_may_mean_the_other(
    table: Table,
) -> None:
    """Looks at fingers err alike for a while: the open end was told as touched (1774007)."""
    (ax, ay), (bx, by) = table.point(OPEN), table.point(INNER)
    tip = 0.42 * bx + 0.58 * ax, 0.42 * by + 0.58 * ay
    table.look(10, reach=(2, tip), under=under(table, OPEN, 0.3, 0.8))
    table.look(2, reach=(2, table.point(MIDDLE)))
    table.look(15, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.stage, h.slots) for h in told] == [("touched", (INNER,)), ("lifted", (INNER,))]


def test_a_hand_that_waits_between_its_row_and_its_wall_touches_nothing(table: Table) -> None:
    """Arms are seen to reach too far, not too little."""
    places = table.follower._table.places
    x, y = table.point(OPEN)
    right, offset = places.geometry.to_player(1, x, y)
    table.look(12, reach=(1, places.geometry.to_table(1, right, offset + 49.0)))
    table.look(15, reach=(1, home(table, 1)))
    assert table.told("tile_drawn") == []


def test_a_back_beside_the_last_stack_is_a_mark_of_the_felt(table: Table) -> None:
    """It was told as two tiles put back on a wall that had never stood there."""
    x, y = table.point(Slot(0, 1, "top"))
    step = table.point(Slot(0, 1, "top"))[0] - table.point(Slot(0, 2, "top"))[0]
    mark = replace(
        table.back(x + step, y + 3.0, 2 * table.geometry.tile_thickness), confidence=0.61
    )
    table.look(4, reach=(0, (x + step + 25.0, y - 60.0)))
    table.look(25, mark)
    assert table.told("tile_returned") == []


def test_another_hand_over_it_a_second_before_is_no_sign(table: Table) -> None:
    """Its tile had not been found then either: a lift beside the open end went untold."""
    table.look(3, reach=(0, table.point(INNER)))
    table.look(8, reach=(0, home(table, 0)))
    table.look(10, reach=(2, table.point(INNER)))
    table.look(4, reach=(2, home(table, 2)))
    table.take(2, OPEN)
    table.look(15, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.stage, h.slots) for h in told] == [
        ("touched", (INNER,)),
        ("lifted", (INNER,)),
        ("taken", (OPEN,)),
    ]


def test_who_draws_and_discards_at_once_drew_where_the_other_hand_has_not_grown() -> None:
    """Nobody counts such a row in between: the draw was told four seconds late, and no alert."""
    table = Table("riichi-xjtu-2025")
    table.lying = table.standing(1, 13) + table.standing(2, 13)
    table.look(30)
    table.follower._table.dealt = True
    point = table.point(OPEN)
    for _ in range(2):
        # Seat 1 reaches over its wall, beside the hand that draws there.
        table.look(2, reach=(1, (point[0], point[1] + 40.0)))
        table.look(2, reach=(2, point))
    (ax, ay), (bx, by) = (table.geometry.to_table(2, x, y) for x, y in ((-150, 280), (190, 340)))
    row = ((ax, ay), (ax, by), (bx, by), (bx, ay))
    table.heights[OPEN[:2]] = 1
    table.look(2, reach=(2, point), covered=(row,))
    table.look(1, reach=(1, (point[0], point[1] + 40.0)), covered=(row,))
    table.look(2, reach=(1, home(table, 1)), covered=(row,))
    table.look(12, reach=(2, home(table, 2)), covered=(row,))
    drawn = [(h.seat, h.slots, h.stage) for h in table.found if isinstance(h, TileDrawn)]
    assert drawn[-1:] == [(2, (OPEN,), "taken")], "told within a second"


def test_the_hand_that_comes_hides_the_stack_before_it_stops_there(table: Table) -> None:
    """Its arm had been over the stack for two looks: the lift went untold."""
    x, y = table.point(INNER)
    for away in (260.0, 130.0):
        sleeve = ((x - 40, y - 40), (x + 40, y - 40), (x + 40, y + 40), (x - 40, y + 40))
        table.look(1, reach=(2, (x - away, y)), covered=(sleeve,))
    table.look(10, reach=(2, (x, y)))
    table.look(15, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.stage, h.slots) for h in told] == [("touched", (INNER,)), ("lifted", (INNER,))]


def test_what_a_hand_did_first_is_judged_first() -> None:
    """An indicator may be seen late: the stop at the dead wall waited, and the next one passed."""
    table = Table("riichi-xjtu-2025")
    for stack in range(8, 14):
        table.heights[1, stack] = 0
    table.look(30, reach=(2, home(table, 2)))
    table.follower._table.dealt = True
    table.follower.flush()
    table.found.clear()
    replacement, due = Slot(1, 7, "top"), Slot(1, 14, "top")
    assert table.follower._dead_wall.region(replacement) == "replacement"
    table.follower._dead_wall.turned[Slot(1, 5, "top")] = Tile.M1
    table.look(10, reach=(2, table.point(replacement)))
    table.look(1, reach=(2, home(table, 2)))
    table.look(2, reach=(2, (60.0, 60.0)))
    table.look(2, reach=(2, home(table, 2)))
    table.take(2, due)
    table.look(15, reach=(2, home(table, 2)))
    told = [(h.stage, h.slots) for h in table.told() if isinstance(h, TileDrawn)]
    assert told == [
        ("touched", (replacement,)),
        ("lifted", (replacement,)),
        ("taken", (due,)),
    ]


@pytest.mark.parametrize(
    ("sure", "turns", "stages"),
    [
        pytest.param(0.95, 0, ["touched", "lifted"], id="another hand turned an indicator up"),
        pytest.param(0.95, 2, [], id="it did so itself"),
        pytest.param(0.65, 0, ["touched", "lifted"], id="in the shadow of that hand"),
        pytest.param(0.55, 0, [], id="the tile was hardly found before"),
    ],
)
def test_who_comes_to_the_dead_wall_after_another_one_turned_an_indicator_up(
    sure: float, turns: int, stages: list[str]
) -> None:
    """A tile of the dead wall was lifted right after the kong of another one (1667012, filmed)."""
    table = Table("riichi-xjtu-2025")
    for stack in range(8, 14):
        table.heights[1, stack] = 0
    table.look(30, reach=(2, home(table, 2)))
    inner, dead = table.follower._table, table.follower._dead_wall
    inner.dealt = True
    table.follower.flush()
    table.found.clear()
    lifted, indicator = Slot(1, 7, "top"), Slot(1, 4, "top")
    assert (dead.region(lifted), dead.region(indicator)) == ("replacement", "indicator")
    dead.turned[Slot(1, 5, "top")] = Tile.M1
    back = table.back(*table.point(lifted), 2 * table.geometry.tile_thickness, 90.0)
    table.faces[lifted] = replace(back, confidence=sure)
    table.look(4, reach=(turns, table.point(indicator)))
    inner.turned_at[indicator] = table.t - 0.1
    table.look(5, reach=(turns, home(table, turns)))
    table.look(12, reach=(2, table.point(lifted)))
    table.look(20, reach=(2, home(table, 2)))
    told = [(h.stage, h.slots) for h in table.told() if isinstance(h, TileDrawn)]
    assert told == [(stage, (lifted,)) for stage in stages]


def test_two_tiles_of_one_reach_are_told_as_they_left() -> None:
    """The hand came home once; the second one was told first, and passed for a wrong draw."""
    table = Table(felt=True)
    for stack in range(1, 18):
        table.heights[1, stack] = 0
    table.heights[1, 18] = 1
    table.feel()
    table.look(60, reach=(2, home(table, 2)))
    table.follower._table.dealt = True
    table.follower.flush()
    table.found.clear()
    first, second = Slot(1, 18, "bottom"), Slot(0, 1, "top")
    for slot in (first, second):
        table.look(2, reach=(2, table.point(slot)))
        table.heights[slot[:2]] -= 1
        table.feel()
    table.look(1, reach=(2, table.point(second)))
    table.look(20, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn) and h.stage == "taken"]
    assert [h.slots for h in told] == [(first,), (second,)]


@pytest.mark.parametrize(("off", "told"), [(50.0, True), (200.0, False)])
def test_fingertips_seen_beside_a_tile_in_one_look_had_not_left_it(
    table: Table, off: float, told: bool
) -> None:
    """A touch of half a second fell into two that were too short."""
    x, y = table.point(OPEN)
    lies = under(table, OPEN, 0.3, 0.8)
    table.look(3, reach=(2, (x, y)), under=lies)
    table.look(1, reach=(2, (x - off, y)), under=lies)
    table.look(2, reach=(2, (x, y)), under=lies)
    table.look(15, reach=(2, home(table, 2)))
    touched = [h for h in table.told() if isinstance(h, TileDrawn) and h.stage == "touched"]
    assert bool(touched) == told


def test_a_hand_beyond_the_open_end_is_on_its_last_stack(table: Table) -> None:
    """There is nothing else to stop on; fingertips are seen nearly a stack aside."""
    (x, y), (bx, by) = table.point(OPEN), table.point(INNER)
    tip = (x - 0.8 * (bx - x), y - 0.8 * (by - y))
    table.look(10, reach=(2, tip))
    table.look(15, reach=(2, home(table, 2)))
    told = [h for h in table.told() if isinstance(h, TileDrawn)]
    assert [(h.stage, h.slots) for h in told][-1] == ("lifted", (OPEN,))


def test_a_tile_that_is_lifted_is_touched_once() -> None:
    """Fingers that lifted it were seen nearer to the next stack, and said to have come anew."""
    table = taken_up_to(OPEN.stack, felt=True)
    table.heights[OPEN[:2]] = 1
    table.feel()
    table.look(30)
    table.found.clear()
    slot = OPEN._replace(layer="bottom")
    (x, y), (_, beside) = table.point(slot), table.point(INNER)
    step = (beside - y) / 20.0
    for mm in (-8, 0, 4, 15, 15):
        table.look(1, reach=(2, (x, y + step * mm)))
    table.heights[OPEN[:2]] = 0
    table.feel()
    for mm, out in ((9, 12), (9, 11), (9, 12), (9, 12), (9, 12), (8, 11)):
        table.look(1, reach=(2, (x + out, y + step * mm)))
    table.heights[OPEN[:2]] = 1
    table.feel()
    table.look(1, reach=(2, (x + 3, y)))
    table.look(20, reach=(2, home(table, 2)))
    told = [(h.stage, h.slots) for h in table.told() if isinstance(h, TileDrawn)]
    assert told == [("touched", (slot,)), ("lifted", (slot,))]


def test_who_turned_a_tile_over_came_after_it_was_last_seen_face_down(table: Table) -> None:
    """Another hand had passed half a second before: nobody was said to have turned it."""
    slot = Slot(2, 9, "top")
    point = table.point(slot)
    table.look(3, reach=(3, point))
    table.look(3, reach=(3, home(table, 3)))
    table.heights[2, 9] = 1
    open_ = table.face(*point, "9m", z=table.geometry.tile_thickness)
    table.look(2, reach=(1, point))
    begun = table.t
    table.look(10, open_, reach=(1, home(table, 1)))
    (told,) = (h for h in table.told() if isinstance(h, TileExposed))
    assert told.by == 1
    assert told.t == pytest.approx(begun, abs=0.11)
