"""Things taken back or exchanged on the felt: a discard, a tile of a set (Chinese rules)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    HandCounted,
    MeldShown,
    PoolDisturbed,
    TileRetracted,
)
from table_controller.domain.tiles import Tile
from tests.table_controller.happenings.scenes import Table, laid
from vision.sightings import TileSighting


def remembered(tile: TileSighting) -> TileSighting:
    """What the eye still tells in the look after the one that found a tile, not finding it."""
    return replace(tile, confidence=0.25 * tile.confidence)


def fetched(table: Table, seat: int, tile: TileSighting) -> None:
    """A hand takes a tile and goes home; the eye remembers the tile for one look more."""
    home = table.geometry.to_table(seat, -130.0, table.geometry.hand.offset + 10.0)
    table.look(2, reach=(seat, (tile.x, tile.y)))
    table.lying.remove(tile)
    table.look(1, reach=(seat, (tile.x, tile.y)))
    table.look(1, remembered(tile), reach=(seat, home))


def test_a_discard_taken_back_is_no_pushed_pool() -> None:
    """The eye remembered it for a look in which the hand was home already: nobody took it."""
    table = Table()
    x, y = table.geometry.to_table(2, 0.0, 101.0)
    tile = table.face(x, y, "7m", 180.0)
    laid(table, 2, tile)
    assert [h.kind for h in table.told()] == ["tile_discarded"]
    table.found.clear()
    fetched(table, 2, tile)
    table.look(9)
    assert [h.kind for h in table.found if isinstance(h, TileRetracted | PoolDisturbed)] == [
        "tile_retracted"
    ], "told within a second"


def test_a_tile_exchanged_in_a_set_is_told_as_the_set_that_lies_there_now() -> None:
    table = Table()
    width = table.geometry.tile_width
    places = [table.geometry.to_table(2, 220.0 + k * (width + 1), 320.0) for k in range(3)]
    tiles = [table.face(x, y, "2m", 180.0) for x, y in places]
    laid(table, 2, *tiles)
    table.look(20)
    assert [h.tiles for h in table.told() if isinstance(h, MeldShown)] == [(Tile.M2,) * 3]
    table.found.clear()
    fetched(table, 2, tiles[0])
    table.look(6)
    other = table.face(tiles[0].x + 1.5, tiles[0].y - 1.0, "7m", 180.0)
    laid(table, 2, other)
    shown = [h for h in table.told() if isinstance(h, MeldShown)]
    assert [sorted(h.tiles) for h in shown] == [[Tile.M2, Tile.M2, Tile.M7]]
    assert shown[0].confidence > 0.96


def test_a_tile_of_a_set_put_straight_is_not_told_again() -> None:
    table = Table()
    width = table.geometry.tile_width
    places = [table.geometry.to_table(2, 220.0 + k * (width + 1), 320.0) for k in range(3)]
    tiles = [table.face(x, y, "2m", 180.0) for x, y in places]
    laid(table, 2, *tiles)
    table.look(20)
    table.found.clear()
    fetched(table, 2, tiles[1])
    table.look(6)
    laid(table, 2, tiles[1])
    assert table.told() == []


def test_a_discard_that_a_push_hid_under_another_was_not_taken_back() -> None:
    """Two of three tiles were seen pushed; the third lay under them until all was put right."""
    table = Table()
    width = table.geometry.tile_width
    tiles = []
    for k, face in enumerate(("7p", "7s", "3m")):
        x, y = table.geometry.to_table(0, -65.0 + k * (width + 1), 101.0)
        tiles.append(table.face(x, y, face))
        laid(table, 0, tiles[-1])
    table.found.clear()
    home = table.geometry.to_table(0, 60.0, table.geometry.hand.offset + 10.0)
    sleeve = (tiles[0].x + 5, tiles[0].y)
    table.look(3, reach=(0, sleeve))
    pushed = [replace(tile, x=tile.x + 26, y=tile.y + 16) for tile in tiles[1:]]
    table.lying = pushed
    table.look(2, reach=(0, sleeve))
    table.look(14, reach=(0, home))
    table.look(4, reach=(0, sleeve))
    table.lying = tiles
    table.look(2, reach=(0, sleeve))
    table.look(25, reach=(0, home))
    assert [h.kind for h in table.told()] == ["pool_disturbed"]


@pytest.mark.parametrize("off", [8.0, 13.0])
def test_what_is_seen_to_stand_within_another_tile_is_not_counted(off: float) -> None:
    """While a hand was sorted a tile was seen half a width beside another: a long hand."""
    table = Table()
    row = table.standing(0, 13)
    table.lying = [*row, replace(row[3], x=row[3].x - off)]
    table.look(30)
    counts = [h.count for h in table.told("hand_counted") if isinstance(h, HandCounted)]
    assert counts == [13]


def test_a_set_whose_last_tile_a_hand_hides_is_told_when_it_lies_open() -> None:
    """A player held his hand over what he had laid while another put a tile back: a set of two."""
    table = Table()
    width = table.geometry.tile_width
    places = [table.geometry.to_table(2, 220.0 + k * (width + 1), 320.0) for k in range(3)]
    tiles = [table.face(x, y, "6z", 180.0) for x, y in places]
    over = (tiles[2].x, tiles[2].y)
    table.look(3, reach=(2, over))
    table.lying += tiles
    table.look(25, reach=(2, over))
    assert table.told() == []
    table.look(25, reach=(2, table.geometry.to_table(2, 0.0, table.geometry.hand.offset + 10.0)))
    assert [h.tiles for h in table.told() if isinstance(h, MeldShown)] == [(Tile("6z"),) * 3]


def test_two_sets_laid_at_once_are_two() -> None:
    """A pung and at once a hidden kong: seven tiles in a row were one set, and the hand short."""
    table = Table()
    width, row = table.geometry.tile_width, []
    for k in range(7):
        x, y = table.geometry.to_table(2, 120.0 + k * (width + 1) + 6.0 * (k > 3), 320.0)
        row.append(table.back(x, y, 20.0) if k < 4 else table.face(x, y, "6m", 180.0))
    middle = (row[3].x, row[3].y)
    table.look(3, reach=(2, middle))
    table.lying += row
    table.look(2, reach=(2, middle))
    table.look(25, reach=(2, table.geometry.to_table(2, -60.0, table.geometry.hand.offset + 10.0)))
    shown = [h.tiles for h in table.told() if isinstance(h, MeldShown)]
    assert sorted(shown, key=len) == [(Tile.M6,) * 3, (Tile.BACK,) * 4]


def test_three_of_a_concealed_kong_wait_for_the_fourth() -> None:
    """The fourth lay under the hand for a second more: a set with one tile face down was told."""
    table = Table("riichi-xjtu-2025")
    width = table.geometry.tile_width
    places = [table.geometry.to_table(2, 200.0 + k * (width + 1), 318.0) for k in range(4)]
    row = [
        table.back(x, y, 16.0, 180.0) if k in (0, 3) else table.face(x, y, "1m", 180.0)
        for k, (x, y) in enumerate(places)
    ]
    hand = (row[3].x - 32.0, row[3].y)
    table.look(3, reach=(2, hand))
    table.lying += row[:3]
    table.look(12, reach=(2, hand))
    table.lying.append(row[3])
    table.look(25, reach=(2, table.geometry.to_table(2, -60.0, table.geometry.hand.offset + 10.0)))
    shown = [h for h in table.told() if isinstance(h, MeldShown)]
    assert [sorted(h.tiles) for h in shown] == [sorted((Tile.BACK, Tile.M1, Tile.M1, Tile.BACK))]


def test_what_comes_to_light_behind_a_hand_was_laid_there() -> None:
    """The ends of a concealed kong lie an arm's length from the fingers: they waited 1.5 s more."""
    table = Table()
    x, y = table.geometry.to_table(2, 220.0, 320.0)
    hidden = ((x - 60, y - 60), (x + 60, y - 60), (x + 60, y + 60), (x - 60, y + 60))
    away = table.geometry.to_table(2, 20.0, 320.0)
    table.look(8, covered=(hidden,), reach=(2, away))
    table.lying.append(table.back(x, y, table.geometry.tile_thickness, 180.0))
    table.look(5)
    assert [rest.believed for rest in table.follower._table.book.all() if rest.x == x] == [True]
