"""Hands: counted, tiles that show, laid open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from table_controller.domain.happenings import (
    Call,
    CallKind,
    HandCounted,
    HandShown,
    TileExposed,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.table import ClaimNote
from tests.table_controller.happenings.scenes import QUAD, Table
from vision.sightings import Point, Posture, TileSighting


@pytest.mark.parametrize(("hole", "sure"), [(False, 0.999), (True, 0.98)])
def test_a_count_of_a_row_with_a_hole_is_less_sure(hole: bool, sure: float) -> None:
    """A tile put back into the row was not seen for a while: twelve were counted."""
    table = Table()
    table.lying = table.standing(0, 13)
    if hole:
        del table.lying[6]
    table.look(30)
    (count,) = [h for h in table.found if isinstance(h, HandCounted)]
    assert count.count == len(table.lying)
    assert (count.confidence > sure) == (not hole)
    assert (count.confidence < 0.7) == hole, "just one tile may stand there unseen"


@pytest.mark.parametrize(("unseen", "counts"), [(9, [2, 1]), (25, [2, 0, 1])])
def test_the_only_tile_left_is_not_missed_while_it_is_moved(unseen: int, counts: list[int]) -> None:
    """Four sets were laid: the tile was moved along, none was counted, and the hand was short."""
    table = Table()
    table.lying = table.standing(0, 2, first=60.0)
    table.look(25)
    there = (table.lying[0].x, table.lying[0].y)
    table.look(2, reach=(0, there))
    table.lying = []
    table.look(2, reach=(0, there))
    # Its fingers are seen elsewhere while they push the tile.
    table.look(unseen)
    table.lying = table.standing(0, 1, first=-20.0)
    table.look(25)
    assert [h.count for h in table.found if isinstance(h, HandCounted)] == counts


def test_dice_parked_beside_the_row_are_no_tiles_of_it() -> None:
    """Two dice passed for standing tiles: a long hand, and a hand laid open was thirteen tiles."""
    table = Table("riichi-xjtu-2025")
    dice = []
    for right, out in ((-192.0, 20.0), (-172.0, 17.0)):
        x, y = table.geometry.to_table(0, right, table.geometry.hand.offset + out)
        dice.append(TileSighting(x, y, 28.0, 4.0, Posture.STANDING, (), 0.65, 1.0, QUAD))
    row = table.standing(0, 13)
    table.lying = [*dice, *row]
    table.look(25)
    assert [h.count for h in table.found if isinstance(h, HandCounted)] == [13]
    table.look(2, reach=(0, (row[6].x, row[6].y)))
    table.lying = [*dice, *(table.face(tile.x, tile.y, "9p") for tile in row)]
    table.look(25)
    assert [h.kind for h in table.told()] == ["hand_shown"]


def test_a_tile_that_shows_is_told_although_an_arm_rests_over_the_row() -> None:
    table = Table()
    table.lying = table.standing(0, 10)
    table.look(25)
    table.found.clear()
    fallen = table.lying[7]
    table.look(2, reach=(0, (fallen.x, fallen.y)))
    table.lying[7] = table.face(fallen.x, fallen.y + 23.0, "9p")
    sleeve = table.geometry.to_table(0, -120.0, table.geometry.hand.offset)
    table.look(14, reach=(0, sleeve))
    assert [h.kind for h in table.told()] == ["tile_exposed"]


@pytest.mark.parametrize(
    ("neighbour", "fingers", "by"),
    [
        (3, 60.0, 3),
        # From one end of the row his fingers were at the other: his forearm lay over the tile.
        (3, 240.0, 3),
        (1, -240.0, 1),
        # They did not come as far.
        (3, -140.0, 0),
        (1, 140.0, 0),
    ],
)
def test_a_tile_that_falls_under_a_neighbours_sleeve_was_knocked_over_by_him(
    neighbour: int, fingers: float, by: int
) -> None:
    """Its owner had just been at his row, nearer to it: he was blamed."""
    table = Table()
    table.lying = table.standing(0, 10)
    table.look(25)
    table.found.clear()
    g, fallen = table.geometry, table.lying[7]
    right, offset = g.to_player(0, fallen.x, fallen.y)
    table.look(4, reach=(0, (fallen.x, fallen.y)))
    table.lying[7] = table.face(fallen.x, fallen.y + 23.0, "9p")
    wide = ((-40.0, -420.0), (160.0, -420.0), (160.0, -330.0), (-40.0, -330.0))
    reach = (neighbour, g.to_table(0, right + fingers, offset + 15.0))
    table.look(4, reach=reach, covered=(wide,))
    table.look(15)
    (told,) = table.told()
    assert isinstance(told, TileExposed)
    assert (told.seat, told.by) == (0, by)


def test_what_fell_at_once_was_knocked_over_by_one_hand() -> None:
    """Of the tile farther from his fingers it was not seen who did it: a second alert was told."""
    table = Table()
    table.lying = table.standing(0, 10)
    table.look(25)
    table.found.clear()
    first, last = table.lying[1], table.lying[8]
    table.look(3, reach=(0, (first.x, first.y)))
    for at, tile in ((1, first), (8, last)):
        table.lying[at] = table.face(tile.x, tile.y + 23.0, "9p")
    table.look(15)
    told = [h for h in table.told() if isinstance(h, TileExposed)]
    assert [(h.seat, h.by) for h in told] == [(0, 0), (0, 0)]


def test_a_hand_laid_open_under_an_arm_exposes_no_tile() -> None:
    table = Table()
    table.lying = table.standing(0, 10)
    table.look(25)
    table.found.clear()
    sleeve = table.geometry.to_table(0, -60.0, table.geometry.hand.offset)
    wide = ((-160.0, -420.0), (40.0, -420.0), (40.0, -330.0), (-160.0, -330.0))
    table.look(2, reach=(0, sleeve), covered=(wide,))
    table.lying = [table.face(tile.x, tile.y, "9p") for tile in table.lying]
    table.look(14, reach=(0, sleeve), covered=(wide,))
    assert "tile_exposed" not in [h.kind for h in table.told()]
    table.look(25)
    assert [h.kind for h in table.told()] == ["hand_shown"]


def hand_beside_its_row() -> tuple[Table, Point, Point]:
    """A hand lays something beside the ten tiles of its row; where, and where its sleeve is."""
    table = Table()
    table.lying = table.standing(0, 10)
    table.look(25)
    table.found.clear()
    beside = table.geometry.to_table(0, 190.0, table.geometry.hand.offset)
    table.look(2, reach=(0, beside))
    return table, beside, table.geometry.to_table(0, -60.0, table.geometry.hand.offset)


def test_the_winning_tile_laid_beside_the_row_first_is_not_exposed() -> None:
    table, beside, sleeve = hand_beside_its_row()
    table.lying.append(table.face(*beside, "3s"))
    table.look(11, reach=(0, sleeve))
    assert "tile_exposed" not in [h.kind for h in table.told()]


@pytest.mark.parametrize(("called", "exposed"), [("win", False), (None, True)])
def test_who_has_called_a_win_turns_the_winning_tile_over_first(
    called: CallKind | None, exposed: bool
) -> None:
    """It lay for eight tenths of a second before the other tiles were laid open."""
    table, beside, home = hand_beside_its_row()
    if called is not None:
        table.follower._table.called[0] = Call(t=table.t, seat=0, call=called)
    table.lying.append(table.face(*beside, "3s"))
    table.look(1, reach=(0, beside))
    table.look(9)
    table.look(2, reach=(0, home))
    table.lying = [table.face(tile.x, tile.y, "3s") for tile in table.lying]
    table.look(25)
    assert ("tile_exposed" in [h.kind for h in table.told()]) == exposed
    assert [h.kind for h in table.told()][-1] == "hand_shown"


def test_what_seemed_to_show_before_the_others_of_a_won_hand_is_not_told_as_it_goes() -> None:
    """A claimed 5p was read as 8f on its way to the row; it was told when it was seen no more."""
    table, beside, home = hand_beside_its_row()
    table.follower._table.called[0] = Call(t=table.t, seat=0, call="win")
    carried = replace(table.face(*beside, "8f"), faces=(("8f", 0.92),))
    table.look(6, carried)
    table.look(2, reach=(0, home))
    table.lying = [table.face(tile.x, tile.y, "3s") for tile in table.lying]
    table.look(25)
    assert [h.kind for h in table.told()] == ["hand_shown"]


def test_a_face_that_was_read_below_fingers_and_turned_out_another_is_not_told() -> None:
    """A winning 3p was read as 5f while fingers let go of it: a tile of the hand seemed to show."""
    table, beside, sleeve = hand_beside_its_row()
    mistaken = replace(table.face(*beside, "5f"), faces=(("5f", 0.88),), visible=0.75)
    table.look(5, mistaken)
    table.lying.append(table.face(*beside, "3p"))
    table.look(1)
    table.look(3, reach=(0, beside))
    table.look(8, reach=(0, sleeve))
    assert [h.kind for h in table.told()] == []


@pytest.mark.parametrize("seen", ["as a back", "not at all"])
def test_a_blank_face_in_an_open_row_is_a_tile_that_was_not_read(seen: str) -> None:
    """A white dragon was seen as a back, or not: a hand of twelve tiles was no win."""
    table = Table("riichi-xjtu-2025")
    row = table.lying = table.standing(0, 13)
    table.look(25)
    faces = [f"{n}m" for n in (1, 2, 3, 4, 5, 6, 7, 8, 9)] + ["1z", "1z", "5z", "2z"]
    table.look(2, reach=(0, (row[6].x, row[6].y)))
    table.lying = [table.face(r.x, r.y, face) for r, face in zip(row, faces, strict=True)]
    blank = table.lying.pop(11)
    if seen == "as a back":
        table.lying.append(table.back(blank.x, blank.y, 16.0))
    table.look(25)
    (shown,) = [h for h in table.told() if isinstance(h, HandShown)]
    assert [tile.value for tile in shown.tiles] == [*faces[:11], "?", "2z"]
    assert shown.apart is None


def test_a_tile_of_an_open_hand_that_is_not_seen_is_unknown_though_the_winning_one_lies_apart() -> (
    None
):
    """Nobody had counted the drawn tile: ten of eleven were told as the whole, a false win."""
    table = Table()
    g = table.geometry
    step = g.tile_width + 0.4
    middle = g.to_table(2, 0.0, g.hand.offset)
    faces = ["3p", "4p", "5p", "5p", "5p", "7p", "8p", "9p", None, "9p", None, "5p"]
    table.look(3, reach=(2, middle))
    for n, face in enumerate(faces):
        if face is not None:
            x, y = g.to_table(2, step * n - 160.0, g.hand.offset)
            table.lying.append(table.face(x, y, face, 180.0))
    table.look(2, reach=(2, middle))
    table.look(25)
    (shown,) = table.told("hand_shown")
    assert isinstance(shown, HandShown)
    assert [tile.value for tile in shown.tiles].count("?") == 1
    assert (len(shown.tiles), shown.apart) == (10, Tile("5p"))


@pytest.mark.parametrize(
    ("tile", "looks", "by", "fetched"),
    [
        pytest.param("2m", 2, 3, True, id="glimpsed"),
        pytest.param("2m", 1, 3, True, id="in one look"),
        pytest.param("2m", 1, 1, False, id="in one look, and another hand came"),
        pytest.param("2m", 0, 3, False, id="never seen"),
        pytest.param("8s", 2, 3, False, id="another tile went from the pool"),
    ],
)
def test_a_discard_fetched_at_once_is_what_the_hand_was_won_with(
    tile: str, looks: int, by: int, fetched: bool
) -> None:
    """Every fourth look was lost: nobody had discarded what the hand was won with."""
    table = Table()
    row = table.standing(3, 13)
    table.lying = list(row)
    table.deal(0)
    pool = table.geometry.to_table(0, -60.0, table.geometry.pool.offset)
    home = table.geometry.to_table(3, 0.0, table.geometry.hand.offset)
    table.look(2, reach=(0, pool))
    discard = table.face(*pool, tile, 0.0)
    if looks > 1:
        table.look(1, replace(discard, visible=0.8))
    if looks:
        table.look(1, discard)
    table.look(3, reach=(by, pool))
    table.look(3, reach=(3, home))
    faces = ["3m"] * 4 + ["4m"] * 3 + ["5p"] * 3 + ["7z"] * 3
    opened = [table.face(one.x, one.y, face, 270.0) for one, face in zip(row, faces, strict=True)]
    x, y = table.geometry.to_table(3, 190.0, table.geometry.hand.offset)
    table.lying = [*table.lying[13:], *opened, table.face(x, y, "2m", 270.0)]
    table.look(25)
    told = [h for h in table.told() if h.t > 5.0]
    assert [h.kind for h in told] == ["tile_discarded", "tile_claimed"] * fetched + ["hand_shown"]
    assert isinstance(told[-1], HandShown)
    assert told[-1].apart is (Tile("2m") if fetched else None)


@pytest.mark.parametrize(
    ("brought", "told"),
    [
        pytest.param("9m", ["tile_claimed", "hand_shown"], id="the tile that was fetched"),
        pytest.param("3s", ["tile_claimed", "tile_exposed"], id="another tile"),
    ],
)
def test_who_lays_the_tile_he_won_on_before_his_row_exposes_none(
    brought: str, told: list[str]
) -> None:
    """With two cameras the row was in sight until it was laid open: an alert in a legal hand."""
    table = Table()
    table.deal(0, 1, 2, 3)
    row, discard = table.lying[13:26], table.lying[-1]
    home = table.geometry.to_table(1, 0.0, table.geometry.hand.offset)
    beside = table.geometry.to_table(1, 230.0, table.geometry.hand.offset)
    table.look(1, reach=(1, home))
    table.look(3, reach=(1, (discard.x, discard.y)))
    table.lying.remove(discard)
    table.look(1, reach=(1, (discard.x, discard.y)))
    table.look(3, reach=(1, beside))
    table.lying.append(table.face(*beside, brought, 90.0))
    table.look(1, reach=(1, beside))
    table.look(9)
    if brought == "9m":
        table.look(3, reach=(1, home))
        table.lying = [tile for tile in table.lying if tile not in row]
        table.lying += [table.face(tile.x, tile.y, "2p", 90.0) for tile in row]
        table.look(25)
    said = [h for h in table.told() if h.kind != "tile_discarded"]
    assert [h.kind for h in said] == told
    if brought == "9m":
        assert isinstance(said[-1], HandShown)
        assert said[-1].apart is Tile("9m")


def opened(table: Table, faces: list[str], seat: int = 0) -> list[TileSighting]:
    """A seat's row is laid open, one face for each of its tiles; they lie first in the table."""
    row = table.lying[: len(faces)]
    table.look(2, reach=(seat, (row[len(row) // 2].x, row[len(row) // 2].y)))
    laid = [table.face(one.x, one.y, face) for one, face in zip(row, faces, strict=True)]
    table.lying = [*laid, *table.lying[len(faces) :]]
    table.look(20)
    return laid


FACES = [f"{rank}p" for rank in range(1, 10)] + ["1z", "1z", "1z", "2z"]


@pytest.mark.parametrize(
    ("tiles", "down", "told"),
    [
        pytest.param(13, True, ["hand_closed"], id="turned down: the referee ended it"),
        pytest.param(13, False, [], id="stood up: his win was refused"),
        pytest.param(1, True, ["hand_closed"], id="the only tile of a hand with four sets"),
        pytest.param(1, False, ["hand_hidden"], id="that one stood up"),
    ],
)
def test_one_tile_of_an_open_hand_that_is_turned_down_closes_it(
    tiles: int, down: bool, told: list[str]
) -> None:
    """One that was stood up closed it too: a refused win was confirmed, or the hand aborted.

    That of a hand with four sets, won with its only tile, closed nothing (ema 5011055).
    """
    table = Table()
    table.lying = table.standing(0, tiles)
    table.look(25)
    laid = opened(table, FACES[:tiles])
    last = laid[-1]
    table.look(2, reach=(0, (last.x, last.y)))
    thickness = table.geometry.tile_thickness
    back = table.back(last.x, last.y, thickness)
    table.lying[-1] = back if down else replace(back, z=36.0, posture=Posture.STANDING)
    table.look(2, reach=(0, (last.x, last.y)))
    table.look(25)
    assert [h.kind for h in table.told()] == ["hand_shown", *told]


@pytest.mark.parametrize(
    ("clear", "told"),
    [
        pytest.param(4, ["hand_shown"], id="all its faces were read"),
        pytest.param(0, [], id="it was under the arm from the first look on"),
    ],
)
def test_an_open_hand_over_which_an_arm_stays_is_told_with_its_own_time(
    clear: int, told: list[str]
) -> None:
    """It turned the indicators: a thing in its sleeve was of the hand, told 2.4 s late."""
    table = Table()
    table.lying = table.standing(0, 13)
    table.look(25)
    row = table.lying
    table.look(2, reach=(0, (row[6].x, row[6].y)))
    table.lying = [table.face(one.x, one.y, face) for one, face in zip(row, FACES, strict=True)]
    lies = table.t
    table.look(clear)
    table.look(24, reach=(1, (row[6].x, row[6].y)))
    found = [h for h in table.told() if h.kind == "hand_shown"]
    assert [h.kind for h in found] == told
    assert all(abs(h.t - lies) < 0.2 for h in found)


def test_a_hand_of_no_tile_is_none_that_lies_open_under_an_arm() -> None:
    """Four sets, and the only other tile was lost: the program ended when an arm came (1991001)."""
    table = Table()
    table.lying = table.standing(0, 1, first=0.0)
    table.look(25)
    there = (table.lying[0].x, table.lying[0].y)
    table.look(2, reach=(0, there))
    table.lying = []
    table.look(30)
    table.look(10, reach=(1, there))
    assert [h.count for h in table.found if isinstance(h, HandCounted)] == [1, 0]
    assert not [h for h in table.told() if h.kind == "hand_shown"]


def test_a_hand_that_is_opened_again_can_be_closed_again() -> None:
    table = Table()
    standing = table.standing(0, 13)
    table.lying = list(standing)
    table.look(25)
    for _ in range(2):
        last = opened(table, FACES)[-1]
        table.look(2, reach=(0, (last.x, last.y)))
        table.lying[12] = table.back(last.x, last.y, table.geometry.tile_thickness)
        table.look(2, reach=(0, (last.x, last.y)))
        table.look(15)
        table.look(2, reach=(0, (last.x, last.y)))
        table.lying = list(standing)
        table.look(20)
    kinds = [h.kind for h in table.told()]
    assert kinds == ["hand_shown", "hand_closed", "hand_hidden"] * 2


@pytest.mark.parametrize(
    ("since", "apart"),
    [
        pytest.param(None, Tile("3p"), id="nothing: it is what he won on"),
        pytest.param("drawn_at", None, id="he drew: the claim is long void"),
        pytest.param("discarded_at", None, id="he discarded"),
    ],
)
def test_a_claim_is_what_a_hand_was_won_with_until_its_player_draws(
    since: str | None, apart: Tile | None
) -> None:
    """A tile that had gone back to the pool was taken for the winning one, all hand long."""
    table = Table()
    table.lying = table.standing(0, 13)
    table.look(25)
    shared = table.follower._table
    shared.claims.append(ClaimNote(0, Tile("3p"), 1, table.t - 1.0))
    if since is not None:
        getattr(shared, since)[0] = table.t
    opened(table, FACES)
    (shown,) = table.told("hand_shown")
    assert isinstance(shown, HandShown)
    assert shown.apart is apart


def test_tiles_kept_apart_like_parked_dice_make_a_count_unsure() -> None:
    """Two tiles a little back of the row were dice: a short hand, as sure as can be."""
    table = Table()
    row = table.standing(0, 13)
    for n, right in ((0, -230.0), (1, -203.0)):
        x, y = table.geometry.to_table(0, right, table.geometry.hand.offset + 15.0)
        row[n] = replace(row[n], x=x, y=y)
    table.lying = row
    table.look(30)
    (count,) = [h for h in table.found if isinstance(h, HandCounted)]
    assert count.confidence < 0.7
