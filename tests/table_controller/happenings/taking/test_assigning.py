"""Which hand took which of the tiles that left a wall."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import (
    Slot,
)
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.taking.assigning import assign
from table_controller.happenings.wall.removals import Removal


def removed(side: int, stack: int, felt: float) -> list[Removal]:
    """Both tiles of a stack: missed by the sensor at a time, seen gone half a second later."""
    upper, lower = (Slot(side, stack, layer) for layer in ("top", "bottom"))  # type: ignore[arg-type]
    return [
        Removal(upper, felt - 0.7, felt, felt + 0.5, felt),
        Removal(lower, felt, felt, felt + 0.5, felt, felt),
    ]


def test_what_the_sensors_missed_at_one_moment_is_one_grab() -> None:
    """Fast dealing: fingertips seen 30 mm off made one hand take two tiles and the next six."""
    stacks = {3: 9.59, 4: 9.59, 5: 10.04, 6: 10.04}
    order = [each for stack, felt in stacks.items() for each in removed(2, stack, felt)]
    first = Dwell(0, (-137.0, 190.0), 9.5, 9.6, 100.0)
    second = Dwell(1, (-78.0, 204.0), 9.9, 10.0, 100.0)

    def place(slot: Slot) -> tuple[float, float]:
        return 20.0 * slot.stack - 180.0, 200.0

    near = {each: [first, second] for each in order}
    given = assign(order, near, [[first], [second]], [None, None], place)
    assert {each.slot.stack for each, dwell in given.items() if dwell is first} == {3, 4}
    assert {each.slot.stack for each, dwell in given.items() if dwell is second} == {5, 6}


@pytest.mark.parametrize("grown", [[None, None], [4, 8], [None, 8]])
def test_a_row_that_was_not_counted_between_two_grabs_did_not_take_both_at_once(
    grown: list[int | None],
) -> None:
    order = [
        each
        for stack, felt in {6: 11.49, 7: 11.49, 8: 11.95, 9: 11.95}.items()
        for each in removed(2, stack, felt)
    ]
    first = Dwell(0, (-70.0, 222.0), 11.4, 11.5, 100.0)
    second = Dwell(1, (-27.0, 201.0), 11.8, 12.0, 100.0)

    def place(slot: Slot) -> tuple[float, float]:
        return 20.0 * slot.stack - 190.0, 200.0

    near = {each: [first, second] for each in order}
    given = assign(order, near, [[first], [second]], grown, place)
    assert {each.slot.stack for each, dwell in given.items() if dwell is first} == {6, 7}


def test_a_long_search_is_no_nearest_guess() -> None:
    """With fourteen stacks in one search the steps ran out, and the nearest stop got each tile."""
    order, near, visits = [], {}, []
    for turn in range(7):
        felt = 10.0 + 0.5 * turn
        tip = Dwell(turn % 4, (40.0 * turn - 30.0, 200.0), felt - 0.1, felt + 0.05, 100.0)  # type: ignore[arg-type]
        visits.append([tip])
        for stack in (2 * turn + 1, 2 * turn + 2):
            order += removed(2, stack, felt)
    for each in order:
        near[each] = [visit[0] for visit in visits]

    def place(slot: Slot) -> tuple[float, float]:
        return 20.0 * (slot.stack - 1), 200.0

    given = assign(order, near, visits, [None] * 7, place)
    for number, (tip,) in enumerate(visits):
        taken = {each.slot.stack for each, dwell in given.items() if dwell is tip}
        assert taken == {2 * number + 1, 2 * number + 2}


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


@pytest.mark.parametrize(("lost", "takers"), [(True, {"top"}), (False, {"top", "bottom"})])
def test_a_tile_that_left_while_looks_were_lost_need_not_be_the_last_hands(
    lost: bool, takers: set[str]
) -> None:
    """The next hand took the lower tile between two looks: the one before it was given both."""
    upper, lower = Slot(3, 5, "top"), Slot(3, 5, "bottom")
    order = [
        Removal(upper, 18.7, 19.28, 19.6, 19.28),
        Removal(lower, 19.28, 19.28, 19.6, 19.28, 19.28),
    ]
    stop = Dwell(2, (-262.0, -122.0), 18.8, 19.0, 100.0)
    near = {each: [stop] for each in order}
    unseen = order[1:] if lost else []
    given = assign(order, near, [[stop]], [None], lambda _: (-256.0, -117.0), unseen=unseen)
    assert {each.slot.layer for each in given} == takers
