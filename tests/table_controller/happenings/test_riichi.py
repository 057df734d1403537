"""What only riichi has on the table: dead wall, indicators, sticks, norths, sets in the corner."""

from __future__ import annotations

import dataclasses

import pytest

from table_controller.domain.happenings import (
    HandShown,
    IndicatorTurned,
    MeldShown,
    Place,
    Slot,
    StickPlaced,
    TileDiscarded,
    TileExposed,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.happenings.scenes import Table
from vision.geometry import PoolCell
from vision.sightings import Posture, StickSighting

RIICHI, SANMA = "riichi-xjtu-2025", "riichi-xjtu-2025-sanma"


def broken(ruleset: str = RIICHI) -> Table:
    """A table whose walls were broken after the seventh stack of side 0."""
    table = Table(ruleset)
    for stack, seat in ((8, 0), (10, 1)):
        slots = [Slot(0, n, layer) for n in (stack, stack + 1) for layer in ("top", "bottom")]
        table.take(seat, *slots)
        table.look(15)
    table.found.clear()
    return table


def turn(table: Table, seat: int, slot: Slot, face: str, askew: float = 0.0) -> None:
    """A hand turns a wall tile face up, neatly or not."""
    x, y = table.point(slot)
    z = 0.0 if slot.layer == "bottom" else table.geometry.tile_thickness
    table.look(2, reach=(seat, (x, y)))
    table.faces[slot] = table.face(x, y + askew, face, 90.0 * slot.side + 2 * askew, z)
    table.look(3, reach=(seat, (x, y)))
    table.look(15)


def begun(askew: float) -> Table:
    """Its first indicator was turned up, neatly or not, and a first discard lies."""
    table = broken()
    turn(table, 0, Slot(0, 5, "top"), "0p", askew)
    x, y = table.geometry.to_table(1, -60.0, table.geometry.pool.offset)
    table.look(2, reach=(1, (x, y)))
    table.lying.append(table.face(x, y, "9m", 90.0))
    table.look(15)
    table.found.clear()
    return table


def test_an_indicator_is_told_with_its_slot_and_who_turned_it() -> None:
    table = broken()
    # Four replacement tiles lie before the break: the third stack holds the indicator.
    turn(table, 0, Slot(0, 5, "top"), "0p")
    (found,) = table.told()
    assert isinstance(found, IndicatorTurned)
    assert (found.tile, found.slot, found.seat) == (Tile("0p"), Slot(0, 5, "top"), 0)


def test_an_indicator_that_the_next_hand_hides_at_once_was_not_turned_by_that_hand() -> None:
    table = broken()
    slot = Slot(0, 5, "top")
    x, y = table.point(slot)
    table.look(4, reach=(0, (x, y)))
    table.faces[slot] = table.face(x, y, "0p", 0.0, table.geometry.tile_thickness)
    table.look(2, reach=(0, table.geometry.to_table(0, 0.0, table.geometry.hand.offset)))
    table.look(8, reach=(1, (x + 5.0, y)))
    table.look(12)
    (found,) = table.told("indicator_turned")
    assert isinstance(found, IndicatorTurned)
    assert found.seat == 0


@pytest.mark.parametrize(
    ("slot", "askew", "kind", "where"),
    [
        (Slot(0, 6, "top"), 7.0, "tile_exposed", "dead_wall"),
        (Slot(0, 6, "top"), 0.0, "indicator_turned", None),
        (Slot(0, 5, "top"), 5.0, "indicator_turned", None),
        (Slot(2, 6, "top"), 7.0, "tile_exposed", "wall"),
    ],
)
def test_what_was_knocked_over_is_no_indicator(
    slot: Slot, askew: float, kind: str, where: str | None
) -> None:
    table = broken()
    turn(table, slot.side, slot, "3s", askew)
    (found,) = table.told()
    assert found.kind == kind
    if isinstance(found, TileExposed):
        assert (found.where, found.slot) == (where, slot)


def test_a_careless_turn_while_no_indicator_is_due_is_a_tile_that_fell_over() -> None:
    """A sleeve knocked the tile beside the indicator over; it passed for a wrong indicator."""
    table = begun(5.0)
    turn(table, 0, Slot(0, 3, "top"), "1p", 5.0)
    (found,) = table.told()
    assert isinstance(found, TileExposed)
    assert (found.slot, found.tile, found.where) == (Slot(0, 3, "top"), Tile("1p"), "dead_wall")


@pytest.mark.parametrize("off", [0.0, 5.0])
def test_a_replacement_tile_turned_up_while_no_indicator_is_due_is_exposed(off: float) -> None:
    """It lay as neatly as it had before, and passed for an indicator."""
    table = begun(0.0)
    turn(table, 0, Slot(0, 6, "top"), "1p", off)
    (found,) = table.told()
    assert isinstance(found, TileExposed)
    assert (found.slot, found.where) == (Slot(0, 6, "top"), "dead_wall")


@pytest.mark.parametrize("lower", ["7p", "5z"])
@pytest.mark.parametrize(("won", "high"), [(True, False), (True, True), (False, False)])
def test_what_lies_under_an_indicator_is_turned_after_a_win_and_peeked_at_before(
    won: bool, high: bool, lower: str
) -> None:
    """Turned over it may look as high as the one above did; that one lies close to the wall."""
    table = broken()
    if won:
        g = table.geometry
        middle = g.to_table(2, 0.0, g.hand.offset)
        table.look(2, reach=(2, middle))
        table.lying = [
            table.face(*g.to_table(2, 20.3 * n - 130, g.hand.offset), "9s", 180.0) for n in range(5)
        ]
        table.look(2, reach=(2, middle))
        table.look(25)
        assert [h.kind for h in table.told()] == ["hand_shown"]
    upper, below = Slot(0, 5, "top"), Slot(0, 5, "bottom")
    turn(table, 0, upper, "5z")
    table.found.clear()
    x, y = table.point(upper)
    aside = table.face(x, y + table.geometry.tile_height + 1.5, "5z")
    table.look(2, reach=(0, (x, y)))
    table.heights[0, 5] = 1
    del table.faces[upper]
    table.lying.append(aside)
    table.faces[below] = table.face(x, y, lower, z=table.geometry.tile_thickness * high)
    table.look(3, reach=(0, (x, y)))
    table.look(25)
    (found,) = table.told()
    assert isinstance(found, IndicatorTurned if won else TileExposed)
    assert (found.tile, found.slot) == (Tile(lower), below)
    if won:
        return
    # The tile below is turned down and the indicator put back: neither drawn nor turned again.
    table.found.clear()
    table.look(2, reach=(0, (x, y)))
    del table.faces[below]
    table.look(2, reach=(0, (x, y)))
    table.look(8)
    table.look(2, reach=(0, (x, y)))
    table.heights[0, 5] = 2
    table.lying.remove(aside)
    table.faces[upper] = table.face(x, y, "5z", z=table.geometry.tile_thickness)
    table.look(2, reach=(0, (x, y)))
    table.look(25)
    assert [h.kind for h in table.told()] == ["tile_covered"]


@pytest.mark.parametrize(("lain", "stays"), [(80, False), (80, True), (10, False)])
def test_a_look_below_an_indicator_that_is_hidden_with_all_of_it(lain: int, stays: bool) -> None:
    """The arm hid the indicator laid aside as well: it was told as turned down, and as turned up
    once more when it was back. One that is turned down soon after was the wrong one."""
    table = broken()
    upper, below = Slot(0, 5, "top"), Slot(0, 5, "bottom")
    turn(table, 0, upper, "8m")
    table.look(lain)
    table.found.clear()
    x, y = table.point(upper)
    # Under the arm the tile below seemed to lie as high as the indicator.
    bare = table.back(x, y, 2 * table.geometry.tile_thickness)
    open_one = table.faces.pop(upper)
    hand = (x, y + 45.0)
    table.look(3, reach=(2, (x, y)))
    table.look(20, bare, reach=(2, hand))
    if stays:
        table.look(25, bare)
    else:
        table.faces[upper] = open_one
        table.look(3, reach=(2, hand))
        table.look(25)
    told = [(h.kind, getattr(h, "slot", None)) for h in table.told()]
    if stays:
        assert ("tile_covered", upper) in told
    elif lain == 80:
        assert told == [("tile_exposed", below), ("tile_covered", below)]
    else:
        assert told[0] == ("tile_covered", upper)


def test_a_stick_is_told_once_whether_felt_or_seen_first() -> None:
    for seen_first in (False, True):
        table = Table(RIICHI)
        sighting = StickSighting(*table.geometry.to_table(1, 0.0, 54.0), 90.0, 0.95)

        def look(table: Table = table, stick: StickSighting = sighting) -> None:
            before = table.follower.sighting

            def with_stick(seen):  # type: ignore[no-untyped-def]
                return before(dataclasses.replace(seen, sticks=(stick,)))

            table.follower.sighting = with_stick  # type: ignore[method-assign]
            table.look(8)
            table.follower.sighting = before  # type: ignore[method-assign]

        if seen_first:
            look()
        table.sticks(1)
        look()
        (found,) = table.told()
        assert isinstance(found, StickPlaced)
        assert found.seat == 1
        table.sticks()
        table.look(5)
        table.sticks(1)
        table.look(8)
        assert len(table.told("stick_placed")) == 2


def test_sets_and_an_open_hand_in_one_row_are_told_apart() -> None:
    table = Table(RIICHI)
    g = table.geometry
    table.lying = table.standing(0, 10)
    table.look(10)
    table.found.clear()
    # A pung laid in the corner, its first tile sideways; the hand stands left of it.
    rights = (300 - 20 * 2 - 14, 300 - 30, 300 - 10)
    set_ = [
        table.face(
            *g.to_table(0, right, g.meld.offset + (4 if i == 0 else 0)), "6z", 90.0 * (i == 0)
        )
        for i, right in enumerate(rights)
    ]
    corner = g.to_table(0, rights[1], g.meld.offset)
    table.look(2, reach=(0, corner))
    table.lying += set_
    table.look(2, reach=(0, corner))
    table.look(30)
    (meld,) = table.told("meld_shown")
    assert isinstance(meld, MeldShown)
    assert meld.tiles == (Tile.GREEN,) * 3
    assert meld.sideways == 0
    table.found.clear()
    # The ten standing tiles are pushed open where they stood.
    middle = g.to_table(0, -40.0, g.hand.offset)
    table.look(2, reach=(0, middle))
    labels = ("1m", "2m", "3m", "4p", "5p", "6p", "7s", "8s", "9s", "9s")
    table.lying = [
        *set_,
        *(
            table.face(tile.x, tile.y, label)
            for tile, label in zip(table.lying, labels, strict=False)
        ),
    ]
    table.look(2, reach=(0, middle))
    table.look(25)
    (shown,) = table.told("hand_shown", "meld_shown", "tile_discarded")
    assert isinstance(shown, HandShown)
    assert [tile.value for tile in shown.tiles] == list(labels)


def test_a_hand_turned_face_down_is_not_counted_as_none() -> None:
    table = Table(RIICHI)
    table.lying = table.standing(0, 13)
    table.look(25)
    middle = table.geometry.to_table(0, 0.0, table.geometry.hand.offset)
    table.look(2, reach=(0, middle))
    thick = table.geometry.tile_thickness
    table.lying = [table.back(tile.x, tile.y, thick) for tile in table.lying]
    table.look(2, reach=(0, middle))
    table.look(25)
    assert [h.count for h in table.told("hand_counted")] == [13]  # type: ignore[union-attr]


def set_north_aside(table: Table, right: float) -> None:
    """A hand of side 0 lays a north in the row of its norths."""
    g = table.geometry
    spot = g.to_table(0, right, g.meld.offset - 1.7 * g.tile_height)
    table.look(2, reach=(0, spot))
    table.lying.append(table.face(*spot, "4z"))
    table.look(2, reach=(0, spot))
    table.look(15)


def test_a_north_laid_aside_is_told() -> None:
    table = Table(SANMA)
    set_north_aside(table, table.geometry.meld.right - 50.0)
    assert [(h.kind, h.seat) for h in table.told()] == [("north_shown", 0)]  # type: ignore[union-attr]


def test_a_sideways_discard_and_those_after_it_keep_their_columns() -> None:
    table = Table(RIICHI)
    g = table.geometry
    wide = g.tile_height - g.tile_width
    pushed = 0.0
    for col, sideways in enumerate((False, True, True, False)):
        pose = g.pool_pose(PoolCell(0, 0, col))
        x = pose.x + pushed + (wide / 2 if sideways else 0.0)
        pushed += wide * sideways
        table.look(2, reach=(0, (x, pose.y)))
        table.lying.append(table.face(x, pose.y, f"{col + 1}m", 90.0 * sideways))
        table.look(2, reach=(0, (x, pose.y)))
        table.look(10)
    found = [h for h in table.told() if isinstance(h, TileDiscarded)]
    assert [(h.place, h.rotated) for h in found] == [
        (Place(0, 0), False),
        (Place(0, 1), True),
        (Place(0, 2), True),
        (Place(0, 3), False),
    ]


def test_what_is_found_turned_with_nobody_there_does_not_lie_sideways() -> None:
    """The box around a discard was found a quarter turn off: the next one passed for misplaced."""
    table = Table(RIICHI)
    g = table.geometry
    poses = [g.pool_pose(PoolCell(0, 0, col)) for col in range(3)]
    for col, pose in enumerate(poses):
        if col == 2:
            upright = table.lying[-2:]
            table.lying[-2:] = [
                table.face(each.x, each.y, "9m", 88.0) for each in (poses[0], poses[1])
            ]
            table.look(6)
            table.lying[-2:] = upright
        table.look(2, reach=(0, (pose.x, pose.y)))
        table.lying.append(table.face(pose.x, pose.y, "9m"))
        table.look(2, reach=(0, (pose.x, pose.y)))
        table.look(4, reach=(1, (300.0, 0.0)))
        table.look(20 if col < 2 else 8)
    found = [h for h in table.told() if isinstance(h, TileDiscarded)]
    assert [(h.place, h.rotated) for h in found] == [(Place(0, col), False) for col in range(3)]


def test_norths_do_not_push_a_winning_tile_into_the_sets() -> None:
    table = Table(SANMA)
    g = table.geometry
    table.lying = table.standing(0, 13)
    for index in range(3):
        right = g.meld.right - 2.5 * g.tile_width - index * (g.tile_width + 0.8)
        set_north_aside(table, right)
    norths = table.lying[13:]
    rights = [20.3 * n - 130 for n in range(13)] + [20.3 * 14.2 - 130]
    middle = g.to_table(0, 0.0, g.hand.offset)
    table.look(2, reach=(0, middle))
    row = [table.face(*g.to_table(0, right, g.hand.offset), "9s") for right in rights]
    table.lying = [*norths, *row]
    table.look(2, reach=(0, middle))
    table.look(30)
    (shown,) = table.told("hand_shown", "meld_shown")
    assert isinstance(shown, HandShown)
    assert shown.apart is Tile.S9


def test_the_last_tile_of_a_kong_belongs_to_it_though_it_was_seen_before_the_middle_ones() -> None:
    """It lay among the standing tiles: a set of three was told, and three false alerts followed."""
    table = Table(RIICHI)
    g = table.geometry
    step = g.tile_width + 0.3
    pung = [g.to_table(1, g.meld.right - step * n, g.meld.offset) for n in range(3)]
    table.lying = [
        *table.standing(1, 10, -60.0),
        *(table.face(x, y, "2m", 90.0) for x, y in pung),
    ]
    table.look(20)
    places = [g.to_table(1, g.meld.right - step * (3.3 + n), g.meld.offset) for n in range(4)]
    table.lying = [each for each in table.lying if each.posture is not Posture.STANDING]
    table.lying += table.standing(1, 6, -60.0)
    table.lying += [table.back(*places[0], g.tile_thickness, 90.0)]
    table.lying += [table.back(*places[3], g.tile_thickness, 90.0)]
    table.look(4)
    table.lying += [table.face(x, y, "3z", 90.0) for x, y in places[1:3]]
    table.look(25)
    sets = [h for h in table.told("meld_shown") if isinstance(h, MeldShown)]
    assert [[tile.value for tile in each.tiles] for each in sets] == [
        ["2m", "2m", "2m"],
        ["back", "3z", "3z", "back"],
    ]


def test_half_a_kong_under_an_arm_is_no_set() -> None:
    """Two tiles of it were told as a set when the arm left, and the other two as another."""
    table = Table(RIICHI)
    g = table.geometry
    step = g.tile_width + 0.3
    places = [g.to_table(1, g.meld.right - step * n, g.meld.offset) for n in range(4)]
    table.lying = table.standing(1, 10, -160.0)
    table.look(20)
    sleeve = tuple(
        g.to_table(1, g.meld.right - step * along, g.meld.offset + across)
        for along, across in ((1.5, -40.0), (3.6, -40.0), (3.6, 40.0), (1.5, 40.0))
    )
    x, y = places[1]
    table.lying += [table.back(*places[0], g.tile_thickness, 90.0), table.face(x, y, "3z", 90.0)]
    x, y = places[2]
    table.lying += [table.face(x, y, "3z", 90.0), table.back(*places[3], g.tile_thickness, 90.0)]
    laid = table.t
    table.look(22, covered=(sleeve,))
    table.look(20)
    (kong,) = table.told("meld_shown")
    assert isinstance(kong, MeldShown)
    assert len(kong.tiles) == 4
    assert kong.t == pytest.approx(laid, abs=1.0)


def test_the_fourth_north_lies_nearer_to_the_hand_than_to_the_sets() -> None:
    """It passed for a tile of the hand that had fallen over, in a legal hand."""
    table = Table(SANMA)
    g = table.geometry
    table.lying = table.standing(0, 14, -131.0)
    table.look(10)
    for index in range(4):
        right = g.meld.right - 2.0 * g.tile_width - index * (g.tile_width + 0.4)
        set_north_aside(table, right)
    told = [h.kind for h in table.told("north_shown", "tile_exposed")]
    assert told == ["north_shown"] * 4
