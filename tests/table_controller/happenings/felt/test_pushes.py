"""A sleeve pushes discards of a pool out of order, and they are laid right again."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import MeldShown, PoolDisturbed, TileClaimed, TileDiscarded
from tests.table_controller.happenings.ideal_eye import Flaws
from tests.table_controller.happenings.play import follow
from tests.table_controller.happenings.scenes import Table, laid


def spot_of(table: Table, place: int, off: float = 0.0) -> tuple[float, float]:
    return table.geometry.to_table(2, 26.0 * place - 60.0 + off, 104.0)


@pytest.mark.parametrize("seed", [1, 3, 4, 6, 7, 12, 14, 18, 29, 36])
def test_a_pushed_pool_is_one_disturbance_and_nothing_is_claimed_or_discarded_by_it(
    seed: int,
) -> None:
    wish = HandWish(discards=16, claims=0.0)
    wanted = ((Wanted("pool-disturbed", at=9),),)
    director = Director(Scenario(seed=seed, wishes=(wish,), wanted=wanted))
    (infraction,) = director.infractions()
    played = follow(director, seed, Flaws(), until=infraction.evident + 6.0)
    # What lies between the last discard before the push and the end of it all.
    for kind in (TileClaimed, TileDiscarded):
        true = [(h.seat, h.tile) for h in played.truth if isinstance(h, kind)]
        found = [(h.seat, h.tile) for h in played.found if isinstance(h, kind)]
        assert found == true[: len(found)]
        assert len(true) - len(found) <= 1
    (told,) = [h for h in played.found if isinstance(h, PoolDisturbed)]
    assert (told.seat, told.by) == (infraction.detail["pool"], infraction.seat)
    assert told.t == pytest.approx(infraction.t, abs=1.0)


def test_who_has_just_laid_one_of_the_pushed_tiles_did_not_push_them() -> None:
    """The pool's owner had let go of the last one a second before a sleeve moved it first."""
    table = Table()
    spots = [spot_of(table, k) for k in range(3)]
    laid(table, 2, *(table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(spots[:2])))
    table.look(2, reach=(2, spots[2]))
    table.lying.append(table.face(*spots[2], "3z", 180.0))
    table.look(7)
    sleeve = (spots[1][0] - 40.0, spots[1][1] + 60.0)
    for part in (8.0, 16.0):
        pushed = [(x - part, y - 3.0) for x, y in spots]
        table.lying = [table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(pushed)]
        table.look(1, reach=(1, sleeve))
    table.look(20)
    (told,) = [h for h in table.found if isinstance(h, PoolDisturbed)]
    assert (told.seat, told.by) == (2, 1)


@pytest.mark.parametrize(
    ("far", "near", "told"),
    [
        pytest.param(40.0, 8.0, 1, id="one far, its neighbour a little"),
        pytest.param(40.0, 3.5, 0, id="its neighbour lies where it lay, but for how it is found"),
        pytest.param(8.0, 8.0, 0, id="both a little: a hand brushed them"),
    ],
)
def test_a_tile_pushed_far_with_others_that_moved_a_little(
    far: float, near: float, told: int
) -> None:
    """Three tiles were swept out of order, one by 49 mm and two by 9 mm: nothing was told."""
    table = Table()
    spots = [spot_of(table, k) for k in range(3)]
    laid(table, 2, *(table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(spots)))
    table.look(10)
    sleeve = (spots[2][0] - 30.0, spots[2][1] - 40.0)
    ends = [(spots[0], 0.0), (spots[1], near), (spots[2], far)]
    for part in (0.5, 1.0):
        pushed = [(x - 0.6 * part * by, y - 0.8 * part * by) for (x, y), by in ends]
        table.lying = [table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(pushed)]
        table.look(2, reach=(1, sleeve))
    table.look(20)
    assert len([h for h in table.found if isinstance(h, PoolDisturbed)]) == told


def test_a_tile_found_twice_as_it_comes_to_rest_was_pushed_by_the_hand_that_was_there() -> None:
    """Nobody had: the hand was looked for after the last look that showed the tile as before."""
    table = Table()
    spot = spot_of(table, 0)
    laid(table, 2, table.face(*spot, "1z", 180.0))
    table.look(20)
    table.look(3, reach=(0, (spot[0] + 40.0, spot[1])))
    table.look(4)
    pushes = table.follower._pools._pushes
    (discard,) = pushes.discards
    lies = copy(discard.rest)
    lies.x, lies.since = lies.x - 30.0, table.t - 0.5
    assert discard.rest.seen == pytest.approx(table.t, abs=0.11)
    pushes.slide(discard, lies)
    assert pushes._pushed[2].by == 0


@pytest.mark.parametrize(("hidden", "told"), [(2, 1), (1, 0)])
def test_a_pool_swept_into_a_heap_shows_hardly_any_of_its_tiles(hidden: int, told: int) -> None:
    """One slid in sight, one moved a little and was misread under those that lay on it then.

    Of a claim that pushes one other only one tile is gone.
    """
    table = Table()
    spots = [spot_of(table, k) for k in range(4)]
    laid(table, 2, *(table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(spots)))
    table.found.clear()
    x, y = spots[3]
    rest = spots[hidden:3]
    table.lying = [table.face(*spot, f"{hidden + k + 1}z", 180.0) for k, spot in enumerate(rest)]
    table.lying.append(table.face(x + 50.0, y - 28.0, "4z", 146.0))
    table.look(2, reach=(2, spots[1]))
    table.look(10)
    assert len([h for h in table.found if isinstance(h, PoolDisturbed)]) == told


@pytest.mark.parametrize(
    ("gone", "kinds"),
    [
        pytest.param((0, 2), ["pool_disturbed"], id="two that were there for long"),
        pytest.param((3,), ["tile_claimed"], id="the latest"),
        pytest.param((1,), ["tile_claimed"], id="one: somebody may take it"),
    ],
)
def test_nobody_claims_two_that_others_have_gone_past(
    gone: tuple[int, ...], kinds: list[str]
) -> None:
    """They were slid under others unseen; told as claimed, their return was three discards."""
    table = Table()
    spots = [spot_of(table, k) for k in range(4)]
    laid(table, 2, *(table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(spots)))
    table.found.clear()
    table.look(3, reach=(1, spots[gone[0]]))
    lay = list(table.lying)
    table.lying = [tile for k, tile in enumerate(lay) if k not in gone]
    table.look(2, reach=(1, spots[gone[0]]))
    table.look(25)
    assert [h.kind for h in table.told()] == kinds
    if len(gone) > 1:
        (told,) = [h for h in table.found if isinstance(h, PoolDisturbed)]
        assert (told.seat, told.by) == (2, 1)
        table.look(3, reach=(1, spots[0]))
        table.lying = lay
        table.look(15)
        assert [h.kind for h in table.told()] == kinds


def test_a_tile_laid_back_is_no_new_discard_though_the_next_one_passes_for_it() -> None:
    """The eye took the tile that was just taken up beside for the one that had lain there."""
    table = Table()
    spots = [spot_of(table, k) for k in range(3)]
    laid(table, 2, *(table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(spots)))
    assert [h.kind for h in table.told()] == ["tile_discarded"] * 3
    middle = spots[1]
    table.look(3, reach=(1, middle))
    shifted = [(x - 27.0, y + 8.0) for x, y in spots]
    table.lying = [table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(shifted)]
    table.look(2, reach=(1, middle))
    table.look(20)
    assert [h.kind for h in table.told()] == ["tile_discarded"] * 3 + ["pool_disturbed"]
    # The first is brought home; where it had been pushed to, its ghost is still seen.
    table.look(3, reach=(2, shifted[0]))
    table.lying.append(table.face(*spots[0], "1z", 180.0))
    table.look(2, reach=(2, spots[0]))
    table.look(12)
    assert [h.kind for h in table.told()] == ["tile_discarded"] * 3 + ["pool_disturbed"]


def test_a_tile_pushed_in_sight_is_laid_back_under_the_hand_that_stays() -> None:
    """Where it had been pushed to, the next one passed for it under the hand: told as discarded."""
    table = Table()
    spots = [spot_of(table, k) for k in range(3)]
    laid(table, 2, *(table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(spots)))
    for part in (8.0, 16.0):
        pushed = [(x + part, y - 3.0) for x, y in spots]
        table.lying = [table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(pushed)]
        table.look(1, reach=(1, (spots[1][0], spots[1][1] + 60.0)))
    table.look(20)
    assert [h.kind for h in table.told()] == ["tile_discarded"] * 3 + ["pool_disturbed"]
    where = pushed[1]
    table.look(3, reach=(2, where))
    table.lying[1] = table.face(*spots[1], "2z", 180.0)
    ghost = replace(table.face(*where, "2z", 180.0), visible=0.7)
    table.look(4, reach=(2, where), under=(table.lying[1],))
    table.look(3, reach=(2, where), under=(table.lying[1], ghost))
    table.look(12)
    assert [h.kind for h in table.told()] == ["tile_discarded"] * 3 + ["pool_disturbed"]


@pytest.mark.parametrize(
    ("by", "clear", "stays"),
    [
        pytest.param(1, 2, 2, id="seen twice"),
        pytest.param(1, 1, 8, id="seen once, the arm stays"),
        pytest.param(2, 1, 2, id="by its own player"),
    ],
)
def test_a_discard_that_is_pushed_at_once_lay_in_its_place(by: int, clear: int, stays: int) -> None:
    """Seen for a look or two before a sleeve pushed it with the one before it.

    Where it was pushed to it passed for a discard out of its place.
    """
    table = Table()
    lain = [table.face(*spot_of(table, k), f"{k + 1}z", 180.0) for k in range(2)]
    for tile in lain:
        laid(table, 2, tile)
    first, fresh = lain[0], table.face(*spot_of(table, 2), "7z", 180.0)
    table.look(2, reach=(2, spot_of(table, 2)))
    begun = table.t
    table.lying.append(fresh)
    table.look(clear, reach=(by, spot_of(table, 4)))
    table.look(stays, reach=(by, spot_of(table, 2)))
    pushed = [(x, y + 30.0) for x, y in (spot_of(table, 1, -20.0), spot_of(table, 2, -20.0))]
    table.lying = [
        first,
        *(table.face(x, y, f, 180.0) for (x, y), f in zip(pushed, ("2z", "7z"), strict=True)),
    ]
    table.look(2, reach=(by, spot_of(table, 3)))
    table.look(25)
    told = table.told()[2:]
    assert [h.kind for h in told] == ["tile_discarded", "pool_disturbed"]
    discard, push = told
    assert isinstance(discard, TileDiscarded)
    assert (discard.seat, discard.tile.value, discard.place) == (2, "7z", (0, 2))
    assert discard.t == pytest.approx(begun, abs=0.3)
    assert isinstance(push, PoolDisturbed)
    assert push.by == by


@pytest.mark.parametrize(
    ("right", "offset"),
    [
        pytest.param(-120.0, 130.0, id="before the beginning of the rows"),
        pytest.param(110.0, 150.0, id="behind the end of one"),
    ],
)
def test_what_lies_apart_from_the_rows_takes_no_place_before_a_discard_that_is_pushed_at_once(
    right: float, offset: float
) -> None:
    """It was told one place too far, where the next one was laid: a false alert."""
    table = Table()
    lain = [table.face(*spot_of(table, k), f"{k + 1}z", 180.0) for k in range(2)]
    astray = table.face(*table.geometry.to_table(2, right, offset), "5p", 180.0)
    for tile in (*lain, astray):
        laid(table, 2, tile)
    table.look(20)
    table.found.clear()
    here = spot_of(table, 2)
    table.look(2, reach=(2, here))
    fresh = table.face(*here, "7z", 180.0)
    pushed = [replace(tile, x=tile.x + 20.0, y=tile.y - 26.0) for tile in (*lain, fresh)]
    table.lying = [*pushed, astray]
    table.look(3, reach=(2, here))
    table.look(25)
    (told,) = table.told("tile_discarded")
    assert isinstance(told, TileDiscarded)
    assert (told.seat, told.tile.value, told.place) == (2, "7z", (0, 2))


def test_a_discard_pushed_under_another_is_read_when_it_is_laid_straight() -> None:
    """Nobody can read it there: it was told as unknown, and as a second discard afterwards."""
    table = Table()
    lain = [table.face(*spot_of(table, k), f"{k + 1}z", 180.0) for k in range(2)]
    for tile in lain:
        laid(table, 2, tile)
    here = spot_of(table, 2)
    table.look(6, reach=(2, here))
    unread = replace(
        table.face(*spot_of(table, 2, 6.0), "?", 175.0), faces=(("?", 0.99), ("3s", 0.01))
    )
    table.lying = [
        table.face(x - 14.0, y - 16.0, f"{k + 1}z", 160.0)
        for k, (x, y) in enumerate(spot_of(table, k) for k in range(2))
    ] + [unread]
    table.look(1, reach=(2, here))
    table.look(16)
    assert [h.kind for h in table.told()[2:]] == ["pool_disturbed"]
    table.look(8, reach=(2, here))
    table.lying = [*lain, table.face(*here, "3z", 180.0)]
    table.look(1, reach=(2, here))
    table.look(12)
    told = table.told()[2:]
    assert [h.kind for h in told] == ["pool_disturbed", "tile_discarded"]
    assert isinstance(told[1], TileDiscarded)
    assert (told[1].tile.value, told[1].place) == ("3z", (0, 2))


@pytest.mark.parametrize("unread", [True, False])
def test_what_is_pushed_to_where_a_discard_lay_does_not_pass_for_it(unread: bool) -> None:
    """The discard was told as another in a wrong place, and as taken back when it was laid home.

    Where a face like it is read there, it lies there still.
    """
    table = Table()
    lain = [table.face(*spot_of(table, k), f"{k + 1}z", 180.0) for k in range(3)]
    for tile in lain:
        laid(table, 2, tile)
    last = lain[2]
    other = table.face(last.x - 6.0, last.y - 7.0, "?" if unread else "3z", 195.0)
    slid = table.face(last.x - 48.0, last.y - 8.0, "3z", 195.0)
    table.look(3, reach=(2, (last.x + 20.0, last.y)))
    table.lying = [slid]
    table.look(2, other, reach=(2, (last.x - 20.0, last.y + 20.0)))
    table.look(18, other)
    told = [h.kind for h in table.told()[3:]]
    assert told == (["pool_disturbed"] if unread else ["tile_discarded", "pool_disturbed"])
    table.look(4, reach=(2, (last.x, last.y)))
    table.lying = [*lain, *([] if unread else [slid])]
    table.look(1, reach=(2, (last.x, last.y)))
    table.look(25)
    assert [h.kind for h in table.told()[3:]] == told


def buried() -> Table:
    """Three discards of player 2, of which a push has slid the last one, 3z, under the others."""
    table = Table()
    spots = [spot_of(table, k) for k in range(3)]
    laid(table, 2, *(table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(spots)))
    sleeve = (spots[1][0], spots[1][1] + 60.0)
    for part in (8.0, 16.0):
        pushed = [(x + part, y - 3.0) for x, y in spots[:2]]
        table.lying = [table.face(x, y, f"{k + 1}z", 180.0) for k, (x, y) in enumerate(pushed)]
        table.look(1, reach=(1, sleeve))
    table.look(35)
    assert [h.kind for h in table.told()] == ["tile_discarded"] * 3 + ["pool_disturbed"]
    table.found.clear()
    return table


@pytest.mark.parametrize(
    ("looks", "told"),
    [
        pytest.param(20, [], id="it comes to light"),
        pytest.param(160, ["3z"], id="another one like it is discarded"),
    ],
)
def test_a_buried_discard_is_waited_for_a_quarter_of_a_minute(looks: int, told: list[str]) -> None:
    """As long as the hand went on the next tile of its kind was never told."""
    table = buried()
    table.look(looks)
    laid(table, 2, table.face(*spot_of(table, 2), "3z", 180.0))
    assert [h.tile.value for h in table.told() if isinstance(h, TileDiscarded)] == told


def test_a_buried_discard_that_lies_in_anothers_set_was_claimed() -> None:
    table = buried()
    g = table.geometry
    step = g.tile_width + 0.3
    places = [g.to_table(3, g.meld.right - step * n, g.meld.offset) for n in range(3)]
    laid(table, 3, *(table.face(x, y, "3z", 270.0) for x, y in places))
    table.look(20)
    (claimed,) = table.told("tile_claimed")
    assert isinstance(claimed, TileClaimed)
    assert (claimed.seat, claimed.tile.value, claimed.from_) == (3, "3z", 2)
    (shown,) = table.told("meld_shown")
    assert isinstance(shown, MeldShown)
    assert shown.claimed is not None
