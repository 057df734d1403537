"""Hands of the deal that no look shows stopping at the wall: what their rows have too many."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from table_controller.domain.happenings import Layer, Seat, Slot, TileDrawn
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.taking.allotting import Allotting
from table_controller.happenings.taking.stages import Taking
from table_controller.happenings.wall.removals import Removal
from tests.table_controller.happenings.scenes import Table, Uncounted, around, four, home

Told = set[tuple[int | None, tuple[Slot, ...]]]
DEALER: Seat = 0
NEXT: Seat = 1


def slots(*places: tuple[int, Layer]) -> tuple[Slot, ...]:
    return tuple(Slot(0, stack, layer) for stack, layer in places)


def taken(table: Table) -> Told:
    return {(h.seat, h.slots) for h in table.told("tile_drawn") if isinstance(h, TileDrawn)}


@pytest.fixture
def table() -> Table:
    """Two players have four tiles each; the wall is open at the fifth stack of side 0."""
    table = Table(felt=True)
    for seat, stack in ((DEALER, 1), (NEXT, 3)):
        table.take(seat, *four(0, stack))
        table.lying += table.standing(seat, 4)
        table.look(25)
    table.found.clear()
    return table


def lowered(table: Table, *stacks: int) -> None:
    for stack in stacks:
        table.heights[0, stack] -= 1
    table.feel()


def rows(table: Table, dealer: int, other: int) -> None:
    table.lying = table.standing(DEALER, dealer) + table.standing(NEXT, other)


def seen_passing(table: Table) -> None:
    """The dealer's hand is over the wall in one look, with others lost around it."""
    table.t += 0.2
    table.look(1, reach=(DEALER, table.point(Slot(0, 6, "top"))))
    lowered(table, 5, 7)


def never_seen(table: Table) -> None:
    """The dealer's hand comes and goes while no look is taken."""
    table.t += 0.3
    lowered(table, 5, 7)


def test_what_left_two_stacks_at_once_with_nobody_seen_is_in_the_row_that_grew_by_two(
    table: Table,
) -> None:
    """The dealer's last two tiles were told one by one, as taken by nobody."""
    last = slots((5, "top"), (7, "top"))
    left = table.t
    table.t += 0.4
    rows(table, 6, 4)
    table.look(20)
    draws = table.follower._draws
    draws._stages.open += [Taking(None, [slot], left, left, table.t) for slot in last]
    table.look(8)
    assert taken(table) == {(DEALER, last)}


@pytest.mark.parametrize("takes", [seen_passing, never_seen])
def test_the_dealers_two_last_tiles_are_not_the_next_hands(
    table: Table, takes: Callable[[Table], None]
) -> None:
    """With a fifth of the looks lost the next hand was told to have taken a whole stack."""
    takes(table)
    table.t += 0.2
    rows(table, 6, 4)
    last = table.point(Slot(0, 5, "bottom"))
    table.look(2, reach=(NEXT, last))
    lowered(table, 5)
    table.look(1, reach=(NEXT, last))
    table.look(2, reach=(NEXT, table.geometry.to_table(NEXT, 60.0, 300.0)))
    rows(table, 6, 5)
    table.look(40)
    assert taken(table) == {
        (DEALER, slots((5, "top"), (7, "top"))),
        (NEXT, slots((5, "bottom"))),
    }


def test_two_grabs_that_nobody_saw_are_those_of_the_rows_that_grew(table: Table) -> None:
    table.t += 0.4
    lowered(table, 5, 6, 5, 6)
    table.look(1)
    table.t += 0.4
    lowered(table, 7, 8, 7, 8)
    rows(table, 8, 8)
    table.look(60)
    told = taken(table)
    assert {tile for _, tiles in told for tile in tiles} == {*four(0, 5), *four(0, 7)}
    assert {seat for seat, _ in told} == {DEALER, NEXT}


def test_a_row_that_did_not_grow_took_nothing(table: Table) -> None:
    """A hand passed over the wall as a tile left it; only the other one has a tile more."""
    point = table.point(Slot(0, 5, "top"))
    table.look(1, reach=(NEXT, (point[0] + 200.0, point[1] + 150.0)))
    table.look(1, reach=(NEXT, point))
    table.t += 0.3
    lowered(table, 5)
    rows(table, 5, 4)
    table.look(50)
    assert taken(table) == {(DEALER, slots((5, "top")))}


def test_a_row_that_was_not_counted_between_two_grabs_has_one_tile_of_the_second(
    table: Table,
) -> None:
    """It grew by five."""
    table.take(NEXT, *four(0, 5))
    last = table.point(Slot(0, 7, "bottom"))
    table.t += 0.2
    table.look(1, reach=(DEALER, (last[0], last[1] + 55.0)))
    lowered(table, 7)
    table.t += 0.2
    table.lying = table.standing(DEALER, 5)
    table.look(2, reach=(NEXT, last))
    lowered(table, 7)
    table.look(1, reach=(NEXT, last))
    rows(table, 5, 9)
    table.look(2, reach=(NEXT, table.geometry.to_table(NEXT, 60.0, 300.0)))
    table.look(40)
    assert taken(table) == {
        (NEXT, four(0, 5)),
        (DEALER, slots((7, "top"))),
        (NEXT, slots((7, "bottom"))),
    }


def test_rows_put_in_order_when_the_deal_ends_say_late_who_took_which_tile(table: Table) -> None:
    """The last two tiles left within a fifth of a second and were told as one grab (1775016)."""
    at = table.point(Slot(0, 5, "bottom"))
    table.look(2, reach=(DEALER, (at[0], at[1] - 45.0)))
    table.heights[0, 5] -= 1
    table.t += 0.2
    table.look(2, reach=(NEXT, at))
    lowered(table, 5)
    table.look(1, reach=(NEXT, at))
    over = [around(home(table, seat)) for seat in (DEALER, NEXT)]
    table.look(2, reach=(NEXT, home(table, NEXT)))
    table.look(12, covered=tuple(over))
    rows(table, 5, 5)
    table.look(25)
    assert taken(table) == {(DEALER, slots((5, "top"))), (NEXT, slots((5, "bottom")))}


class Growing(Uncounted):
    """Rows that grew by so many tiles."""

    def __init__(self, *by: int | None) -> None:
        self._by = by

    def growth(self, seat: Seat, before: float, after: float) -> int | None:
        return self._by[seat]


@pytest.mark.parametrize(
    ("by", "dealt", "takes"),
    [
        pytest.param(4, False, 4, id="a grab"),
        pytest.param(5, False, 1, id="a grab and the last tile"),
        pytest.param(8, False, 1, id="two grabs"),
        pytest.param(None, False, None, id="not counted yet"),
        pytest.param(5, True, 5, id="in play nobody knows what it should have"),
    ],
)
def test_by_how_much_one_reach_made_a_row_grow(
    table: Table, by: int | None, dealt: bool, takes: int | None
) -> None:
    shared = table.follower._table
    shared.dealt = dealt
    at = table.point(Slot(0, 7, "bottom"))
    table.look(1, reach=(NEXT, at))
    stop = Dwell(NEXT, at, table.t - 0.1, table.t - 0.1, 100.0)
    table.look(1)
    allotting = Allotting(shared, Growing(None, by), lambda seat, after: 1, table.point)
    assert allotting._grown_by(stop, table.t) == takes


def test_below_the_arm_of_a_jump_the_tile_between_was_not_taken_yet(table: Table) -> None:
    """Its stack seemed lower when the far one did; who did take it passed in one look: the far
    tile was nobody's, the one between the dealer's (relay 2027001)."""
    grown = (2, 1, 1, 1)
    at = table.point(Slot(0, 10, "top"))
    begun, stops = table.t, []
    for seat in SEATS:
        table.look(1, reach=(seat, at))
        stops.append(Dwell(seat, at, table.t - 0.1, table.t - 0.1, 100.0))
        table.look(1, reach=(seat, home(table, seat)))
    dealer, following, _, fourth = stops
    table.look(1)

    def left(stack: int, layer: Layer, by: Dwell) -> Removal:
        t = by.left + 0.05
        return Removal(Slot(0, stack, layer), begun if layer == "top" else t, t, t, t)

    first, lower = left(9, "top", following), left(9, "bottom", following)
    between, last = left(10, "top", dealer), left(10, "bottom", fourth)
    far = left(11, "top", dealer)
    upper = {one: [dealer, following] for one in (first, between, far)}
    near = upper | {lower: [following], last: [fourth]}
    allotting = Allotting(
        table.follower._table, Growing(*grown), lambda seat, after: grown[seat], table.point
    )
    told = allotting.taken(near, [dealer, following, fourth], near, table.t, singly=False)
    assert told is not None
    assert {(one.dwell and one.dwell.seat, one.slots) for one in told} == {
        (0, slots((9, "top"), (11, "top"))),
        (1, slots((9, "bottom"))),
        (2, slots((10, "top"))),
        (3, slots((10, "bottom"))),
    }
