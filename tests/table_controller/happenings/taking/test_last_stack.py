"""The last stack of a wall: which of its tiles was drawn is known by who draws it."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Call, FlowerShown, Seat, Slot
from table_controller.domain.tiles import Tile
from table_controller.happenings.table import ClaimNote
from table_controller.happenings.table import Table as Shared
from table_controller.happenings.taking.last_stack import LastStack
from tests.table_controller.happenings.scenes import RIICHI, Table

UPPER, LOWER = Slot(1, 9, "top"), Slot(1, 9, "bottom")


def shared(ruleset: str = "mcr-1998", *, others: int = 0) -> Shared:
    """Seat 1 has discarded at 9 s; one stack stands yet, and so many others."""
    table = Table(ruleset).follower._table
    for (side, number), stack in table.walls.stacks.items():
        stack.height = 2 if side == 1 and 9 <= number <= 9 + others else 0
    table.dealt = True
    table.discarded_at[1] = 9.0
    return table


def flower(table: Shared) -> None:
    table.emit(FlowerShown(t=9.6, seat=2, tile=Tile("1f")))


def drawn(table: Shared) -> None:
    table.drawn_at[2] = 9.5


def called(table: Shared) -> None:
    table.called[2] = Call(t=8.9, seat=2, call="kong")


def fetched(table: Shared) -> None:
    table.claims.append(ClaimNote(2, Tile("5p"), 1, 9.4))


def nothing(_table: Shared) -> None:
    pass


@pytest.mark.parametrize(
    ("before", "seat", "slot"),
    [
        pytest.param(nothing, 2, UPPER, id="drawn in turn"),
        pytest.param(flower, 2, LOWER, id="for a flower"),
        pytest.param(flower, 3, UPPER, id="for a flower of somebody else"),
        pytest.param(drawn, 2, LOWER, id="for what he laid out after his draw, and is not told"),
        pytest.param(called, 2, LOWER, id="for a kong that was called"),
        pytest.param(fetched, 2, LOWER, id="for a kong with the discard that he fetched"),
        pytest.param(nothing, None, UPPER, id="nobody knows by whom"),
    ],
)
def test_a_replacement_is_the_lower_tile(before, seat: Seat | None, slot: Slot) -> None:  # type: ignore[no-untyped-def]
    """A legal hand had an alert: its last replacement was told as the upper one (003 Q68)."""
    table = shared()
    before(table)
    assert LastStack(table).named(UPPER, seat, 10.0, taken=True) == slot


def test_what_is_left_of_it_is_the_upper_one_that_came_down() -> None:
    table = shared()
    flower(table)
    last = LastStack(table)
    assert last.named(UPPER, 2, 10.0, taken=True) == LOWER
    assert last.named(LOWER, 3, 12.0, taken=True) == UPPER
    last.clear()
    assert last.named(LOWER, 3, 12.0, taken=True) == LOWER


def test_with_more_stacks_and_with_a_dead_wall_the_upper_tile_goes_first() -> None:
    for table in (shared(others=1), shared(RIICHI)):
        flower(table)
        assert LastStack(table).named(UPPER, 2, 10.0, taken=True) == UPPER
