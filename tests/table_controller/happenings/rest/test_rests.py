"""Tiles at rest: what is believed of them, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    Seat,
    TileDiscarded,
)
from tests.table_controller.happenings.scenes import Table
from vision.geometry import PoolCell
from vision.sightings import Point, Posture


@pytest.mark.parametrize("first", [0.0, 180.0])
def test_a_discard_seen_whole_twice_is_told_before_the_next_arm_hides_it(first: float) -> None:
    """Whichever end was up before its face was read: a winning tile taken at once was missed."""
    table = Table()
    pose = table.geometry.pool_pose(PoolCell(0, 0, 2))
    table.look(2, reach=(0, (pose.x, pose.y)))
    table.lying.append(table.face(pose.x, pose.y, "5z", first))
    table.look(1, reach=(0, (pose.x, pose.y)))
    rest = table.t
    table.look(1, reach=(0, (120.0, -330.0)))
    table.lying[-1] = table.face(pose.x, pose.y, "5z")
    table.look(1, reach=(0, (120.0, -330.0)))
    table.look(8, reach=(1, (pose.x + 10.0, pose.y)))
    (told,) = [h for h in table.found if h.kind == "tile_discarded"]
    assert told.t == pytest.approx(rest, abs=0.35)


@pytest.mark.parametrize(("gone", "told"), [(True, True), (False, False)])
def test_a_tile_that_topples_by_itself_is_told_when_its_place_is_seen_empty(
    gone: bool, told: bool
) -> None:
    """Without an arm near what appears is believed only after a time; two changes agree."""
    table = Table()
    table.lying = table.standing(0, 10)
    table.look(25)
    table.found.clear()
    fallen = table.lying[7]
    face = table.face(fallen.x, fallen.y + 23.0, "9p")
    if gone:
        table.lying[7] = face
    else:
        table.lying.append(face)
    table.look(12)
    assert ("tile_exposed" in [h.kind for h in table.found]) == told


@pytest.mark.parametrize(("who", "told"), [(1, True), (0, False)])
def test_a_sleeve_knocks_a_tile_over_that_is_farther_from_its_fingers(
    who: Seat, told: bool
) -> None:
    """The owner's own fingers so far away knock nothing over: that needs more looks."""
    table = Table()
    table.lying = table.standing(0, 9)
    table.look(25)
    table.found.clear()
    end = table.lying[-1]
    table.look(3, reach=(who, (end.x + 140.0, end.y)))
    table.lying.append(table.face(end.x + 26.5, end.y + 23.0, "9p"))
    table.look(3, reach=(who, (end.x + 140.0, end.y)))
    table.look(8)
    assert ("tile_exposed" in [h.kind for h in table.found]) == told


@pytest.mark.parametrize(("taken", "counted"), [(2, [9]), (0, [])])
def test_a_row_that_is_closed_up_stands_there_at_once(taken: int, counted: list[int]) -> None:
    """Fingers at one end push a row along: those at its other end have nobody near them."""
    table = Table()
    row = table.standing(0, 11)
    table.lying = row[:10]
    table.look(25)
    table.found.clear()
    table.lying = row[taken:]
    table.look(3, reach=(0, (row[0].x, row[0].y)))
    table.look(11)
    assert [h.count for h in table.found if h.kind == "hand_counted"] == counted


def discarded(face: str) -> tuple[Table, Point]:
    """A table with one discard, and where it lies; it was told."""
    table = Table()
    pose = table.geometry.pool_pose(PoolCell(0, 0, 1))
    point = pose.x, pose.y
    table.look(2, reach=(0, point))
    table.lying.append(table.face(*point, face))
    table.look(1, reach=(0, point))
    table.look(30)
    return table, point


@pytest.mark.parametrize("looks", [3, 9])
def test_half_a_tile_below_a_sleeve_is_no_other_tile(looks: int) -> None:
    """Half a 4p at the edge of a sleeve was a 2p that lay across: discarded once more, the pool
    disturbed, two wrong alerts."""
    table, (x, y) = discarded("4p")
    half = table.face(x + 4.0, y, "2p", 90.0)
    table.look(looks, reach=(1, (x + 10.0, y)), under=(half,))
    table.look(25)
    assert [h.kind for h in table.told()] == ["tile_discarded"]


@pytest.mark.parametrize(("stays", "told"), [(2, 1), (12, 2)])
def test_what_was_read_below_a_sleeve_may_stand_for_a_look_after_it(stays: int, told: int) -> None:
    """Half a 7s was read as a 6s, in its place, and once more as the sleeve went."""
    table, (x, y) = discarded("7s")
    seven, six = table.lying[-1], table.face(x + 2.0, y - 2.0, "6s")
    table.look(3, reach=(1, (x + 10.0, y)), under=(six,))
    table.lying[-1] = six
    table.look(stays)
    if stays < 3:
        table.lying[-1] = seven
    table.look(25)
    kinds = [h.kind for h in table.told()]
    assert kinds.count("tile_discarded") == told


def test_an_arm_that_comes_back_spoils_no_reading_of_a_tile_that_lies_still() -> None:
    """The 7s was found off its place below a sleeve, once as a standing tile and thrice as a 6s."""
    table = Table()
    x, y = table.geometry.to_table(0, -12.0, 104.0)
    seven, six = table.face(x, y, "7s"), table.face(x, y - 4.0, "6s")
    upright = replace(seven, y=y - 3.0, posture=Posture.STANDING, faces=())
    tip = (x + 20.0, y)
    table.look(1, reach=(0, tip))
    for under in (seven, seven, seven, upright, six, six):
        table.look(1, reach=(0, tip), under=(under,))
    table.look(1, replace(six, y=y))
    table.look(12, seven)
    told = [h.tile.value for h in table.told() if isinstance(h, TileDiscarded)]
    assert told == ["7s"]
