"""Whose draw is due, and of which tile: a slow player's hand that rests there touches nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from table_controller.domain.happenings import Seat, Slot, TileDrawn
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.table import ClaimNote
from table_controller.happenings.taking.turns import (
    due,
    front_after,
    front_of_deal,
    replaces_in_turn,
)
from tests.table_controller.happenings.scenes import RIICHI, Table, home

TOP, BOTTOM, NEXT = Slot(0, 5, "top"), Slot(0, 5, "bottom"), Slot(0, 6, "top")


def playing(ruleset: str = "mcr-1998", front: Slot = TOP) -> Table:
    """Seat 1 has discarded at 9 s; ``front`` was the last tile drawn, what is before it gone."""
    table = Table(ruleset)
    inner = table.follower._table
    for stack in range(1, front.stack):
        inner.walls.stacks[front.side, stack].height = 0
    inner.walls.stacks[front.side, front.stack].height = 1 if front.layer == "top" else 0
    inner.dealt, inner.front = True, front
    inner.drawn_at[1], inner.discarded_at[1] = 8.0, 9.0
    return table


@pytest.mark.parametrize(
    ("front", "seat", "slot", "since", "is_due"),
    [
        pytest.param(TOP, 2, BOTTOM, 9.3, True, id="the next player, the next tile"),
        pytest.param(BOTTOM, 2, NEXT, 9.3, True, id="the next stack"),
        pytest.param(TOP, 2, BOTTOM, 8.9, False, id="before the discard lay"),
        pytest.param(TOP, 3, BOTTOM, 9.3, False, id="not his turn"),
        pytest.param(TOP, 1, BOTTOM, 9.3, False, id="who has just discarded"),
        pytest.param(TOP, 2, NEXT, 9.3, False, id="one tile too far"),
        pytest.param(BOTTOM, 2, Slot(0, 6, "bottom"), 9.3, False, id="the lower one first"),
        pytest.param(BOTTOM, 2, Slot(0, 7, "top"), 9.3, False, id="one stack too far"),
        pytest.param(TOP, 2, Slot(1, 18, "top"), 9.3, False, id="from the other end"),
    ],
)
def test_whose_draw_is_due(front: Slot, seat: Seat, slot: Slot, since: float, is_due: bool) -> None:
    assert due(playing(front=front).follower._table, seat, slot, since) is is_due


def test_of_three_players_the_one_beyond_the_empty_side_is_next() -> None:
    table = playing("riichi-xjtu-2025-sanma").follower._table
    empty = next(side for side in SEATS if not table.walls.heights(side))
    table.discarded_at.clear()
    before = SEATS[(empty + 3) % 4]
    after = SEATS[(empty + 1) % 4]
    table.discarded_at[before] = 9.0
    assert due(table, after, BOTTOM, 9.3)
    assert not due(table, empty, BOTTOM, 9.3)


def test_a_discard_that_was_claimed_or_drawn_past_makes_no_draw_due() -> None:
    claimed = playing().follower._table
    claimed.claims.append(ClaimNote(3, Tile("5p"), 1, 9.2))
    drawn = playing().follower._table
    drawn.drawn_at[3] = 9.2
    unknown = playing().follower._table
    unknown.front = None
    for table in (claimed, drawn, unknown):
        assert not due(table, 2, BOTTOM, 9.3)


def test_a_replacement_leaves_the_front_where_it_is() -> None:
    walls = playing().follower._table.walls
    assert front_after(walls, [BOTTOM], TOP) == BOTTOM
    assert front_after(walls, [Slot(1, 18, "top")], TOP) == TOP
    # A draw in between was overlooked.
    assert front_after(walls, [NEXT], TOP) == NEXT


@pytest.mark.parametrize(
    ("seat", "slot", "laid", "is_due"),
    [
        pytest.param(1, Slot(3, 18, "top"), 10.0, True, id="after his kong, from the end"),
        pytest.param(1, Slot(3, 18, "bottom"), 10.0, False, id="the lower one first"),
        pytest.param(1, Slot(3, 17, "top"), 10.0, False, id="a stack before the last one"),
        pytest.param(1, BOTTOM, 10.0, False, id="the next tile of the wall"),
        pytest.param(2, Slot(3, 18, "top"), 10.0, False, id="another's kong"),
        pytest.param(1, Slot(3, 18, "top"), 7.0, False, id="of an earlier turn"),
    ],
)
def test_whose_replacement_is_due(seat: Seat, slot: Slot, laid: float, is_due: bool) -> None:
    table = playing().follower._table
    table.drawn_at.clear()
    table.replaces_at[1] = laid
    # The end of the wall lies before the tiles that were drawn first.
    ring = table.walls.ring()
    at = next(n for n, stack in enumerate(ring) if (stack.side, stack.number) == (3, 18))
    for stack in ring[at + 1 :]:
        if (stack.side, stack.number) == TOP[:2]:
            break
        stack.height = 0
    assert replaces_in_turn(table, seat, slot, 10.4) is is_due


@pytest.mark.parametrize(("seat", "stages"), [(2, []), (3, ["touched"])])
def test_a_short_stop_at_the_tile_that_is_due_touches_nothing(
    seat: Seat, stages: list[str]
) -> None:
    """He drew it, unseen: that he had touched it was told before."""
    table = slow_in_turn()
    point = table.point(Slot(0, 1, "bottom"))
    table.look(4, reach=(seat, point))
    table.look(6, reach=(seat, home(table, seat)))
    table.look(20)
    assert [h.stage for h in table.told("tile_drawn") if isinstance(h, TileDrawn)] == stages


@pytest.mark.parametrize(
    ("apart", "looks", "stages"),
    [
        pytest.param(0.1, 6, ["touched"], id="all looks"),
        pytest.param(0.2, 4, ["touched"], id="every other one"),
        pytest.param(0.3, 4, [], id="three a second"),
    ],
)
def test_a_stop_between_looks_far_apart_touches_nothing(
    apart: float, looks: int, stages: list[str]
) -> None:
    """A hand that drew the tile beside seemed to stay: four pictures a second were looked at."""
    table = slow_in_turn()
    point = table.point(Slot(0, 1, "bottom"))
    for _ in range(looks):
        table.look(1, reach=(3, point))
        table.t += apart - 0.1
    table.look(6, reach=(3, home(table, 3)))
    table.look(20)
    assert [h.stage for h in table.told("tile_drawn") if isinstance(h, TileDrawn)] == stages


@pytest.mark.parametrize(("seat", "stages"), [(2, ["taken"]), (3, ["touched", "lifted", "taken"])])
def test_who_is_slow_in_turn_just_draws(seat: Seat, stages: list[str]) -> None:
    """At four fifths of the usual pace a hand that rested on its tile had touched it."""
    table = slow_in_turn()
    slot = Slot(0, 1, "bottom")
    table.look(6, reach=(seat, table.point(slot)))
    table.heights[slot[:2]] = 0
    table.feel()
    table.look(4, reach=(seat, table.point(slot)))
    table.look(6, reach=(seat, home(table, seat)))
    table.look(20)
    assert [h.stage for h in table.told("tile_drawn") if isinstance(h, TileDrawn)] == stages


def slow_in_turn() -> Table:
    """The lower tile of the first stack is due to seat 2."""
    table = Table(RIICHI, felt=True)
    inner = table.follower._table
    table.lying = [*table.standing(2, 13), *table.standing(3, 13)]
    first = Slot(0, 1, "top")
    table.take(0, first)
    table.look(20)
    table.found.clear()
    inner.dealt, inner.front = True, first
    inner.drawn_at.clear()
    inner.discarded_at[1] = table.t
    return table


@pytest.mark.parametrize(
    ("gone", "lower", "leaving", "front"),
    [
        pytest.param(range(1, 6), (), (), Slot(0, 5, "bottom"), id="whole stacks are gone"),
        pytest.param(range(1, 6), (6,), (), Slot(0, 6, "top"), id="and an upper tile"),
        pytest.param(range(1, 6), (6,), (Slot(0, 6, "top"),), Slot(0, 5, "bottom"), id="just now"),
        pytest.param((1, 2, 3, 9), (), (), None, id="the wall has two gaps"),
        pytest.param((), (), (), None, id="it has none"),
    ],
)
def test_where_the_deal_ended(
    gone: Sequence[int], lower: Sequence[int], leaving: Sequence[Slot], front: Slot | None
) -> None:
    """The first draw of a hand, if it was slow, was told as a touch: nothing had been drawn yet."""
    walls = Table().follower._table.walls
    for height, stacks in ((0, gone), (1, lower)):
        for stack in stacks:
            walls.stacks[0, stack].height = height
    assert front_of_deal(walls, leaving) == front
