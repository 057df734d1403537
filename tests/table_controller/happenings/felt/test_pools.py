"""When a discard is told: soon after it lies, whoever's arm comes over it then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import Place, Slot, TileDiscarded
from tests.table_controller.happenings.scenes import Table, around, home


def table_with_a_discard() -> tuple[Table, tuple[float, float]]:
    """Player 1 has just laid a tile in the pool; its hand is still there."""
    table = Table()
    table.deal(0, 1, 2, 3)
    place = table.geometry.to_table(1, -60.0, table.geometry.pool.offset)
    table.look(8)
    table.look(2, reach=(1, place))
    table.found.clear()
    return table, place


def discards(table: Table) -> list[str]:
    """What was told so far."""
    return [h.tile.value for h in table.found if isinstance(h, TileDiscarded)]


def beside(place: tuple[float, float], away: float) -> tuple[float, float]:
    """A point so far from a discard, towards the middle of the table."""
    x, y = place
    return (x - away, y)


@pytest.mark.parametrize(
    ("seat", "away", "told"),
    [
        pytest.param(2, 60.0, ["5p"], id="the next player's hand passes close by"),
        pytest.param(1, 60.0, [], id="the hand that laid it is still there: it may go on with it"),
    ],
)
def test_a_discard_seen_twice_before_an_arm_hides_it(
    seat: int, away: float, told: list[str]
) -> None:
    table, place = table_with_a_discard()
    lying = table.face(*place, "5p", 90.0)
    tips = beside(place, away)
    table.look(2, lying, reach=(seat, tips))
    table.look(6, reach=(seat, tips), covered=(around(place),))
    assert discards(table) == told


@pytest.mark.parametrize(("looks", "told"), [(5, []), (12, ["5p"])])
def test_a_discard_with_the_edge_of_an_arm_over_it(looks: int, told: list[str]) -> None:
    """A tenth of it is hidden in every look, and an arm near: many looks read it all the same."""
    table, place = table_with_a_discard()
    lying = replace(table.face(*place, "5p", 90.0), visible=0.88)
    tips = beside(place, 90.0)
    table.look(looks, reach=(2, tips), covered=(around(place),), under=(lying,))
    assert discards(table) == told


@pytest.mark.parametrize(
    ("ruleset", "soon"),
    [
        pytest.param("mcr-1998", ["3f"], id="a flower of the set"),
        pytest.param("riichi-xjtu-2025", [], id="none of the set: looked at until it is sure"),
    ],
)
def test_what_the_set_does_not_have_is_told_when_it_is_sure(ruleset: str, soon: list[str]) -> None:
    """After two looks that read nothing it was told at 0.73, and no `foreign-tile` (1722008)."""
    table = Table(ruleset)
    table.deal(0, 1, 2, 3)
    place = table.geometry.to_table(1, -60.0, table.geometry.pool.offset)
    table.look(8)
    table.look(2, reach=(1, place))
    table.found.clear()
    lying = replace(table.face(*place, "3f", 90.0), faces=(("3f", 0.99),))
    half = replace(lying, faces=(("?", 0.97), ("2f", 0.02)))
    table.look(2, half, reach=(1, beside(place, 90.0)))
    table.look(4, lying)
    assert discards(table) == soon
    table.look(16, lying)
    (told,) = (h for h in table.found if isinstance(h, TileDiscarded))
    assert (told.tile.value, told.confidence >= 0.9) == ("3f", not soon)


def test_a_face_on_the_winners_sleeve_is_no_discard() -> None:
    """His hand lay open; the pattern of his sleeve over his own pool was read as 2p for half a
    second."""
    table = Table()
    table.deal(0, 1, 2, 3)
    table.lying = table.standing(0, 13)
    table.look(25)
    row = table.lying
    table.look(2, reach=(0, (row[6].x, row[6].y)))
    table.lying = [table.face(tile.x, tile.y, "9p") for tile in row]
    table.look(20)
    table.found.clear()
    x, y = table.geometry.to_table(0, -60.0, table.geometry.pool.offset)
    fingers = table.geometry.to_table(0, -60.0, 20.0)
    table.look(2, reach=(0, fingers))
    table.look(6, reach=(0, fingers), under=(table.face(x, y, "2p"),))
    table.look(15)
    assert not table.told("tile_discarded", "pool_disturbed")


@pytest.mark.parametrize(
    ("backs", "flipped"),
    [
        pytest.param(4, False, id="a white dragon that looks like a back at first"),
        pytest.param(30, True, id="laid face down and turned up where it lies"),
    ],
)
def test_a_tile_that_lay_face_down_in_a_pool_is_discarded_when_it_shows_its_face(
    backs: int, flipped: bool
) -> None:
    """It was never told: the next discard passed for a second one in a row."""
    table, place = table_with_a_discard()
    laid_at = table.t
    table.look(backs, table.back(*place, table.geometry.tile_thickness, 90.0))
    assert discards(table) == []
    if flipped:
        table.look(2, reach=(1, place))
        laid_at = table.t
    table.lying.append(table.face(*place, "5z", 90.0))
    table.look(25)
    (found,) = [h for h in table.told() if isinstance(h, TileDiscarded)]
    assert (found.seat, found.tile.value, found.place) == (1, "5z", (0, 0))
    assert found.t == pytest.approx(laid_at, abs=0.25)


def test_a_wall_tile_that_fell_into_a_pool_is_no_discard_when_it_is_turned_up() -> None:
    """Its wall was pushed three seconds ago."""
    table, _ = table_with_a_discard()
    sleeve = table.point(Slot(1, 9, "top"))
    table.look(3, reach=(2, sleeve))
    for stack, askew in ((8, 9.0), (9, -14.0), (10, 12.0)):
        table.heights[1, stack] = 0
        x, y = table.point(Slot(1, stack, "top"))
        for z in (20.0, 40.0)[: 2 - (stack == 9)]:
            table.lying.append(table.back(x - 22.0, y, z, 90.0 + askew))
    fallen = table.geometry.to_table(1, 0.0, table.geometry.pool.offset + 74.0)
    back = table.back(*fallen, table.geometry.tile_thickness, 90.0)
    table.lying.append(back)
    table.look(3, reach=(2, sleeve))
    table.look(25)
    table.look(2, reach=(1, fallen))
    table.lying[-1] = table.face(*fallen, "5z", 90.0)
    table.look(20)
    assert table.told("wall_disturbed")
    assert not table.told("tile_discarded")


def test_a_discard_that_looks_like_a_back_for_a_while_is_discarded_once() -> None:
    table, place = table_with_a_discard()
    back = table.back(*place, table.geometry.tile_thickness, 90.0)
    for tile in (table.face(*place, "5z", 90.0), back, table.face(*place, "5z", 90.0)):
        table.look(20, tile)
    assert [h.kind for h in table.told()] == ["tile_discarded"]


@pytest.mark.parametrize(("off", "place"), [(0.0, Place(0, 0)), (18.0, None)])
def test_a_claimed_tile_that_goes_back_to_the_pool_is_claimed_no_more(
    off: float, place: Place | None
) -> None:
    """Another's pung comes first (riichi 9.5.4), or he thinks better of it."""
    table = Table()
    table.deal(0, 1, 2, 3)
    discard = table.lying[-1]
    x, y = discard.x, discard.y
    table.look(10)
    table.found.clear()
    table.look(3, reach=(3, (x, y)))
    table.lying.remove(discard)
    table.look(2, reach=(3, (x, y)))
    table.look(10, reach=(3, table.geometry.to_table(3, 100.0, table.geometry.meld.offset)))
    assert [h.kind for h in table.told("tile_claimed")] == ["tile_claimed"]
    table.look(2, reach=(3, (x, y + off)))
    table.lying.append(table.face(x, y + off, "9m", 180.0))
    table.look(2, reach=(3, (x, y + off)))
    table.look(2, reach=(3, home(table, 3)))
    table.look(12)
    (again,) = [h for h in table.told() if isinstance(h, TileDiscarded)]
    assert (again.seat, again.tile.value, again.place) == (2, "9m", place)
    assert not table.follower._table.claims


@pytest.mark.parametrize(
    ("sleeve", "told"),
    [
        pytest.param(False, [("tile_discarded", "9p")], id="his arm is gone"),
        pytest.param(True, [], id="it still lies over it"),
    ],
)
def test_whose_win_was_refused_discards_the_tiles_that_lie_open(
    sleeve: bool, told: list[tuple[str, str]]
) -> None:
    """Seven turns went untold, and then all at once (003 Q10)."""
    table = Table()
    table.deal(0, 1, 2, 3)
    row = table.lying[:13]
    table.look(2, reach=(0, (row[6].x, row[6].y)))
    table.lying = [table.face(tile.x, tile.y, "9p") for tile in row] + table.lying[13:]
    table.look(20)
    table.told()
    table.found.clear()
    x, y = table.geometry.to_table(0, -60.0, table.geometry.pool.offset)
    thrown = table.lying.pop(12)
    table.look(2, reach=(0, (thrown.x, thrown.y)))
    table.look(2, reach=(0, (x, y)))
    table.lying.append(table.face(x, y, "9p"))
    if sleeve:
        table.look(12, reach=(0, table.geometry.to_table(0, 30.0, 20.0)))
    else:
        table.look(3, reach=(0, home(table, 0)))
        table.look(3)
    found = [(h.kind, h.tile.value) for h in table.found if isinstance(h, TileDiscarded)]
    assert found == told
