"""Stacks that are pushed, tiles that fall off them or over, and walls that are put straight."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import (
    Slot,
    TileDrawn,
    TileExposed,
    WallDisturbed,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.happenings.scenes import RIICHI, Table, home, taken_up_to
from vision.sightings import Point


def _push_three(table: Table, sleeve: Point) -> None:
    """A sleeve pushes the first three stacks of side 1 off their sensors and out of line."""
    for stack, askew in ((1, 9.0), (2, -14.0), (3, 12.0)):
        table.heights[1, stack] = 0
        x, y = table.point(Slot(1, stack, "top"))
        for z in (20.0, 40.0):
            table.lying.append(table.back(x - 22.0, y, z, 90.0 + askew))
    table.feel()
    table.look(3, reach=(2, sleeve))


def test_a_stack_that_was_pushed_is_no_draw() -> None:
    """One of three pushed stacks was seen gone before the others were seen askew."""
    table = Table(felt=True)
    table.take(0, Slot(0, 1, "top"), Slot(0, 1, "bottom"))
    table.look(15)
    table.found.clear()
    sleeve = table.point(Slot(1, 9, "top"))
    table.look(3, reach=(2, sleeve))
    for stack in (8, 9, 10):
        table.heights[1, stack] = 0
    table.feel()
    for stack, askew in ((8, 9.0), (10, -14.0)):
        x, y = table.point(Slot(1, stack, "top"))
        for z in (20.0, 40.0):
            table.lying.append(table.back(x - 22.0, y, z, 90.0 + askew))
    table.look(3, reach=(2, sleeve))
    table.look(40)
    kinds = [h.kind for h in table.told()]
    assert "tile_drawn" not in kinds
    (pushed,) = [h for h in table.found if isinstance(h, WallDisturbed)]
    assert set(pushed.stacks) >= {8, 10}


def test_what_is_dealt_from_a_wall_that_was_put_straight_is_drawn() -> None:
    """A pushed wall was put straight; what was dealt from it seconds later was not told."""
    table = Table(felt=True)
    sleeve = table.point(Slot(1, 2, "top"))
    table.look(3, reach=(2, sleeve))
    _push_three(table, sleeve)
    table.look(20)
    table.look(3, reach=(2, sleeve))
    table.lying.clear()
    for stack in (1, 2, 3):
        table.heights[1, stack] = 2
    table.feel()
    table.look(3, reach=(2, sleeve))
    table.look(32)
    told = [h.kind for h in table.told() if getattr(h, "stage", None) != "touched"]
    assert told == ["wall_disturbed"], "neither lifted nor returned"
    table.found.clear()
    table.take(1, *(Slot(1, stack, layer) for stack in (1, 2) for layer in ("top", "bottom")))
    table.look(25)
    assert [(h.kind, getattr(h, "seat", None)) for h in table.told()] == [("tile_drawn", 1)]


def test_what_stands_straight_before_it_is_felt_again_was_not_brought_back() -> None:
    """Straight but a hair off its sensor: told as put back on the wall when it was felt."""
    table = Table(felt=True)
    table.deal(0)
    sleeve = table.point(Slot(1, 2, "top"))
    table.look(3, reach=(2, sleeve))
    _push_three(table, sleeve)
    table.look(12)
    table.look(32, reach=(2, sleeve))
    del table.lying[-6:]
    for stack in (1, 2, 3):
        table.heights[1, stack] = 2
    table.look(3, reach=(2, sleeve))
    table.look(3)
    table.feel()
    table.look(20)
    assert not table.told("tile_drawn", "tile_returned")
    assert table.told("wall_disturbed")


def test_a_stack_that_left_its_place_in_a_push_is_put_right_with_it() -> None:
    """Its tiles were not seen where they lay, and the hand that put the wall right hid it long.

    It was told as lifted and put back.
    """
    table = Table(felt=True)
    pushing = table.point(Slot(1, 4, "top"))
    table.look(3, reach=(2, pushing))
    table.heights[1, 4] = 0
    _push_three(table, pushing)
    table.look(10)
    table.lying.clear()
    for stack in (1, 2, 3, 4):
        table.look(9, reach=(2, table.point(Slot(1, stack, "top"))))
        table.heights[1, stack] = 2
        table.feel()
    table.look(3, reach=(2, table.point(Slot(1, 4, "top"))))
    table.look(20)
    told = [h.kind for h in table.told() if getattr(h, "stage", None) != "touched"]
    assert told == ["wall_disturbed"]


def test_what_a_push_moved_is_known_though_its_stacks_are_moved_again_to_be_put_right() -> None:
    """Eight tiles were told as lifted and put back: the wall seemed to be pushed anew."""
    pushes = Table(felt=True).follower._disturbances
    pushes.note(1, (3, 5, 6), 144.1, 0)
    pushes.tick(145.3)
    pushes.note(1, (5,), 149.8, 0)
    assert all(pushes.beside(1, stack, 144.2) for stack in (3, 4, 5, 6))
    assert not pushes.beside(1, 9, 144.2)
    assert not pushes.beside(1, 4, 147.0)


def test_a_push_of_which_only_what_fell_is_seen_can_still_be_put_right() -> None:
    """Upper tiles lay on the lower ones, which were not found: one stack, scattered for good."""
    table = Table(felt=True)
    near = table.point(Slot(1, 6, "top"))
    table.look(3, reach=(2, near))
    x, y = table.point(Slot(1, 5, "top"))
    fallen = 24.0 + table.geometry.tile_height + 3.0
    for stack in (5, 6):
        table.heights[1, stack] = 0
    table.feel()
    table.look(4, reach=(2, near))
    table.lying.append(table.back(x - fallen, y, table.geometry.tile_thickness, 104.0))
    table.look(25)
    (told,) = table.told("wall_disturbed", "tile_drawn")
    assert isinstance(told, WallDisturbed)
    assert (told.side, told.stacks, told.recoverable) == (1, (5, 6), True)


def knock_over(table: Table, slot: Slot, off: float, face: str, z: float) -> Point:
    """A hand comes to a stack; its upper tile lies face up, so far off its place and so high, mm.

    Returns:
        Where the hand is.
    """
    x, y = table.point(slot)
    table.look(3, reach=(3, (x, y)))
    table.faces[slot] = table.face(x, y + off, face, z=z)
    return x, y


def test_a_face_that_shows_on_two_tiles_is_the_upper_ones() -> None:
    """A tile knocked over lay 5 mm off its place, seen a layer too low: a draw and a return."""
    table = Table(RIICHI)
    table.deal(0)
    slot = Slot(0, 9, "top")
    hand = knock_over(table, slot, 5.0, "5z", z=0.0)
    table.look(3, reach=(3, hand))
    table.look(15)
    (told,) = table.told("tile_exposed", "tile_drawn", "tile_returned")
    assert isinstance(told, TileExposed)
    assert (told.slot, told.tile) == (slot, Tile("5z"))


def test_a_stack_on_which_its_neighbour_fell_is_not_taken() -> None:
    """The tile below it seemed to show: a draw from the dead wall, and its return."""
    table = Table(RIICHI)
    table.deal(0)
    fell = Slot(0, 9, "top")
    hand = knock_over(table, fell, 6.0, "9s", z=table.geometry.tile_thickness)
    table.look(2, reach=(3, hand))
    table.heights[0, 10] = 1
    table.look(25)
    del table.faces[fell]
    table.heights[0, 10] = 2
    table.look(2, reach=(3, hand))
    table.look(25)
    walls = table.told("tile_exposed", "tile_covered", "tile_drawn", "tile_returned")
    assert [h.kind for h in walls] == ["tile_exposed", "tile_covered"]


@pytest.mark.parametrize(
    ("by", "stages"), [(2, []), (0, ["touched"])], ids=["its own hand", "the next player's"]
)
def test_who_pushes_a_wall_has_not_touched_a_tile_of_it(by: int, stages: list[str]) -> None:
    """His fingers lay on it for six looks before it moved (sanma 1784021)."""
    table = taken_up_to(7)
    slot = Slot(1, 8, "top")
    table.look(6, reach=(2, table.point(slot)))
    for stack, askew in ((8, 9.0), (9, -14.0)):
        table.heights[1, stack] = 0
        x, y = table.point(Slot(1, stack, "top"))
        table.lying += [table.back(x - 22.0, y, z, 90.0 + askew) for z in (20.0, 40.0)]
    table.look(2, reach=(by, table.point(slot)))
    table.look(4, reach=(by, home(table, by)))
    table.look(30)
    (pushed,) = [h for h in table.told() if isinstance(h, WallDisturbed)]
    assert pushed.by == by
    assert [h.stage for h in table.found if isinstance(h, TileDrawn)] == stages
