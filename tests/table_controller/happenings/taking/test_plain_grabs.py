"""Grabs of the deal that leave no doubt are told before the hands around them are sorted out."""

from __future__ import annotations

from table_controller.domain.happenings import HandCounted, Slot, TileDrawn
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import Places
from table_controller.happenings.release import Outbox
from table_controller.happenings.rest.resting import RestBook
from table_controller.happenings.setup import Setup
from table_controller.happenings.table import Table as Shared
from table_controller.happenings.taking.plain_grabs import plain_grabs
from table_controller.happenings.wall.removals import Removal
from table_controller.happenings.wall.walls import Walls
from tests.table_controller.happenings.scenes import Table, four


def drawn(table: Table) -> list[tuple[int | None, tuple[Slot, ...]]]:
    return [(h.seat, h.slots) for h in table.found if isinstance(h, TileDrawn)]


def test_the_first_grab_is_told_while_the_next_hands_are_still_at_the_wall() -> None:
    """A wrong break was told up to nine seconds late: all hands of the deal were waited for."""
    table = Table(felt=True)
    table.take(0, *four(0, 1))
    table.look(2, reach=(0, table.geometry.to_table(0, 60.0, table.geometry.hand.offset + 10.0)))
    rests = table.point(Slot(0, 4, "top"))
    table.look(13, reach=(1, rests))
    assert drawn(table) == [(0, four(0, 1))]
    # A break at the stack beside was believed only with the next grab.
    assert table.found[-1].confidence > 0.999


def test_with_two_hands_there_it_is_not_plain_whose_grab_it_was() -> None:
    table = Table(felt=True)
    x, y = table.point(Slot(0, 1, "top"))
    between = (x - table.geometry.wall.pitch / 2, y)
    for seat in (0, 1):
        table.look(2, reach=(seat, between))
    for stack in (1, 2):
        table.heights[0, stack] = 0
    table.feel()
    for seat in (1, 0):
        table.look(1, reach=(seat, between))
    table.look(4, reach=(1, between))
    assert drawn(table) == []


def test_a_grab_around_a_corner_that_is_put_back_is_one() -> None:
    """It was told as two, one of each wall, and a tile held above them as a pushed wall."""
    table = Table("riichi-xjtu-2025", felt=True)
    last = table.geometry.stacks_per_side
    slots = [Slot(side, n, layer) for side, n in ((2, 1), (3, last)) for layer in ("top", "bottom")]  # type: ignore[arg-type]
    (ax, ay), (bx, by) = table.point(slots[0]), table.point(slots[2])
    middle = ((ax + bx) / 2, (ay + by) / 2)
    table.look(3, reach=(0, middle))
    for height in (0, 2):
        for side, n in ((2, 1), (3, last)):
            table.heights[side, n] = height
        table.feel()
        held = table.back(ax + 4.0, ay + 9.0, table.geometry.tile_thickness, 186.0)
        table.look(7, reach=(0, middle), under=(held,) if not height else ())
    table.look(20, reach=(0, table.geometry.to_table(0, 60.0, table.geometry.hand.offset + 10.0)))
    assert not table.told("wall_disturbed")
    told = [(h.kind, h.slots) for h in table.drawn_or_returned()]
    assert told == [("tile_drawn", tuple(slots)), ("tile_returned", tuple(slots))]


def test_a_row_that_grew_by_the_grab_before_has_not_got_the_next_one() -> None:
    """The dealer held four tiles over the wall and put them back: they were told as taken."""
    table = Table(felt=True)
    row = table.standing(0, 8)
    table.lying = row[:4]
    table.look(20)
    table.take(0, *four(0, 1))
    (ax, ay), (bx, by) = (table.point(Slot(0, n, "top")) for n in (3, 4))
    middle = ((ax + bx) / 2, (ay + by) / 2)
    table.lying = row
    for height in (0, 2):
        for stack in (3, 4):
            table.heights[0, stack] = height
        table.feel()
        table.look(3, reach=(0, middle))
        # Their places come in sight beside the hand.
        table.look(4, reach=(0, (middle[0] - 75.0, middle[1])))
        table.look(4, reach=(0, middle))
    table.look(20, reach=(0, table.geometry.to_table(0, 60.0, table.geometry.hand.offset + 10.0)))
    told = [(h.stage, h.slots) for h in table.told("tile_drawn") if isinstance(h, TileDrawn)]
    assert told == [("taken", four(0, 1)), ("lifted", four(0, 3))]


def test_a_grab_of_which_the_looks_were_lost_is_not_that_of_the_hand_that_came_after_it() -> None:
    """It was on its way there, and back, at the looks before and after; the next one took more."""
    table = Table(felt=True)
    table.take(0, *four(0, 1))
    (x, y), (bx, _) = (table.point(Slot(0, n, "top")) for n in (3, 6))
    table.look(1, reach=(1, (x + 130.0, y)))
    table.t += 0.1
    for stack in (3, 4):
        table.heights[0, stack] = 0
    table.feel()
    table.t += 0.1
    table.look(1, reach=(1, (x + 100.0, y + 110.0)))
    table.look(2, reach=(2, (bx + 10.0, y)))
    for stack in (5, 6):
        table.heights[0, stack] = 0
    table.feel()
    table.look(2, reach=(2, (bx + 10.0, y)))
    table.look(30)
    assert set(drawn(table)) == {(0, four(0, 1)), (1, four(0, 3)), (2, four(0, 5))}


def test_a_row_is_not_calm_because_its_looks_were_lost() -> None:
    """The dealer's two last tiles came to stand in lost looks; his row was counted without them."""
    table = Table()
    row = table.standing(0, 14)
    table.lying = row[:12]
    table.look(20)
    table.look(2, reach=(0, table.geometry.to_table(0, 60.0, table.geometry.hand.offset)))
    table.t += 0.3
    table.lying = row
    table.look(20)
    counts = [h.count for h in table.told("hand_counted") if isinstance(h, HandCounted)]
    assert counts == [12, 14]


def test_of_three_stacks_missed_in_a_row_the_middle_one_is_in_one_grab_only() -> None:
    """Each is within the sensors' time of the next: a grab was looked for twice in its tiles."""
    setup, places, arms = Setup(), Places(Table().geometry), Arms()
    book, walls = RestBook(places, arms, setup.patience), Walls(places, arms, setup.patience)
    stop = Dwell(0, places.slot_point(Slot(0, 2, "top")), 0.5, 1.5, 20.0)
    near = {
        Removal(slot, 0.9, missed, 1.2, missed, missed if slot.layer == "bottom" else None): [stop]
        for stack, missed in ((1, 1.0), (2, 1.05), (3, 1.1))
        for slot in four(0, stack)[:2]
    }
    shared = Shared(setup, places, arms, book, walls, Outbox(0.3, 0.6))
    grabs = list(plain_grabs(shared, near, 2.0))
    assert [{one.slot.stack for one in grab.removals} for grab in grabs] == [{1, 2}]


def test_a_grab_put_back_of_which_one_stack_was_believed_gone_is_one() -> None:
    """Its sensor had said so longer than the other's: told as two, and no wrong deal was known."""
    table = Table(felt=True)
    (ax, ay), (bx, _) = (table.point(Slot(0, n, "top")) for n in (3, 4))
    # Beside the hand the first of both comes in sight.
    middle, beside = ((ax + bx) / 2, ay), (bx + 0.8 * (bx - ax), ay)
    table.look(4, reach=(0, middle))
    for height in (0, 2):
        for stack in (3, 4):
            table.heights[0, stack] = height
        table.feel()
        table.look(1, reach=(0, middle))
        table.look(3, reach=(0, beside))
        table.look(3, reach=(0, middle))
    table.look(20, reach=(0, table.geometry.to_table(0, 60.0, table.geometry.hand.offset + 10.0)))
    told = [(h.kind, h.slots) for h in table.drawn_or_returned()]
    assert told == [("tile_drawn", four(0, 3)), ("tile_returned", four(0, 3))]
