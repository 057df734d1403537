"""Sets of which the discard is fetched last, and single tiles that are no set."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.app.virtual.compare import Comparison, compare
from table_controller.domain.happenings import MeldShown, Seat, TileClaimed, TileExposed
from table_controller.domain.tiles import Tile
from table_controller.happenings.restoring import Resumed
from tests.table_controller.happenings.hand.test_hands import FACES, opened
from tests.table_controller.happenings.ideal_eye import PIXELS, Flaws
from tests.table_controller.happenings.play import follow
from tests.table_controller.happenings.scenes import Table, home
from vision.sightings import Point, TileSighting

CLAIMER: Seat = 3
NEXT: Seat = 0
"""Who claims the 9m that the second player has discarded, and the next one after him."""


class Claim(Table):
    """Thirteen tiles stand before everybody, and a 9m was discarded just now."""

    def __init__(self, ruleset: str = "mcr-1998") -> None:
        super().__init__(ruleset)
        self.deal(0, 1, 2, 3)
        self.discard = self.lying[-1]
        self.look(10)
        self.found.clear()

    def place(self, step: int) -> Point:
        """A place of a set, the right end first."""
        g = self.geometry
        right = g.meld.right - (step + 0.5) * (g.tile_width + 0.6)
        return g.to_table(CLAIMER, right, g.meld.offset)

    def lay(self, *faces: str, first: int = 0, goes: bool = True) -> list[TileSighting]:
        """The claimer lays tiles, the right one first, all at once, and goes home or does not."""
        width = self.geometry.tile_width
        tiles = [
            self.face(*self.place(first + step), face, 90.0 * CLAIMER)
            for step, face in enumerate(faces)
        ]
        x, y = self.place(first)
        own = [tile for tile in self.lying if tile.z > 1.2 * width and self._before(tile)]
        if len(faces) > 1:
            self.lying = [tile for tile in self.lying if tile not in own[-len(faces) :]]
        self.look(3, reach=(CLAIMER, (x, y)))
        self.lying += tiles
        self.look(1, reach=(CLAIMER, (x, y)))
        if goes:
            self.look(3, reach=(CLAIMER, home(self, CLAIMER)))
        return tiles

    def fetch(self) -> None:
        """His hand takes the discard out of the pool."""
        tip = (self.discard.x, self.discard.y)
        self.look(3, reach=(CLAIMER, tip))
        self.lying.remove(self.discard)
        self.look(2, reach=(CLAIMER, tip))
        x, y = self.place(3)
        self.look(2, reach=(CLAIMER, ((x + tip[0]) / 2, (y + tip[1]) / 2)))

    def sets(self) -> list[tuple[str, ...]]:
        """What was told of them, each from its player's left."""
        return [
            tuple(tile.value for tile in h.tiles) for h in self.told() if isinstance(h, MeldShown)
        ]

    def _before(self, tile: TileSighting) -> bool:
        return self.geometry.facing_side(tile.x, tile.y) == CLAIMER


@pytest.mark.parametrize("ruleset", ["mcr-1998", "riichi-xjtu-2025"])
@pytest.mark.parametrize("waits", [4, 25])
@pytest.mark.parametrize(
    "own",
    [
        pytest.param(("8m", "7m"), id="chow"),
        pytest.param(("9m", "9m"), id="pung"),
        pytest.param(("9m", "9m", "9m"), id="kong"),
    ],
)
def test_who_lays_his_own_tiles_before_he_fetches_the_discard_makes_a_set(
    ruleset: str, waits: int, own: tuple[str, ...]
) -> None:
    """The two were told as a set as soon as his hand was over the pool (003 Q8; 002 5.9.3)."""
    table = Claim(ruleset)
    table.lay(*own)
    table.look(waits)
    assert not table.told("meld_shown")
    table.fetch()
    table.lay("9m", first=len(own))
    table.look(20)
    assert [h.kind for h in table.told()] == ["tile_claimed", "meld_shown"]
    (shown,) = table.told("meld_shown")
    assert isinstance(shown, MeldShown)
    assert sorted(tile.value for tile in shown.tiles) == sorted([*own, "9m"])
    assert shown.claimed is not None
    assert shown.tiles[shown.claimed] is Tile("9m")


@pytest.mark.parametrize("stays", [4, 20])
def test_a_tile_half_hidden_by_the_fingers_that_laid_it_makes_no_odd_set(stays: int) -> None:
    """Of a 5m that was read as a 1s beside a hand an odd set was told, and then the true one."""
    table = Claim()
    table.fetch()
    x, y = table.place(2)
    nine, eight = (
        table.face(*table.place(n), face, 90.0 * CLAIMER) for n, face in enumerate(("9m", "8m"))
    )
    seven = table.face(x, y, "7m", nine.angle)
    table.look(2, reach=(CLAIMER, (x, y)))
    laid = table.t
    part = replace(seven, faces=(("1s", 0.97),), visible=0.8)
    table.look(stays, nine, eight, part, reach=(CLAIMER, (x - 35.0, y)))
    table.look(1, nine, eight, reach=(CLAIMER, (x, y)))
    table.lying += [nine, eight, seven]
    table.look(20)
    (shown,) = table.told("meld_shown")
    assert sorted(table.sets()[0]) == ["7m", "8m", "9m"]
    assert shown.t == pytest.approx(laid, abs=0.3)


def plays_on(table: Claim) -> None:
    """The claimer discards."""
    x, y = table.geometry.to_table(CLAIMER, -60.0, table.geometry.pool.offset)
    table.look(2, reach=(CLAIMER, (x, y)))
    table.lying.append(table.face(x, y, "1s", 90.0 * CLAIMER))
    table.look(2, reach=(CLAIMER, home(table, CLAIMER)))
    table.look(8)


def another_draws(table: Claim) -> None:
    table.follower._table.drawn_at[NEXT] = table.t
    table.look(8)


def nothing_follows(table: Claim) -> None:
    table.look(50)


@pytest.mark.parametrize("then", [plays_on, another_draws, nothing_follows])
def test_two_tiles_are_a_set_without_its_discard_when_nobody_fetches_that(then) -> None:  # type: ignore[no-untyped-def]
    table = Claim()
    table.lay("8m", "7m")
    laid = table.t
    then(table)
    (shown,) = [h for h in table.told("meld_shown") if isinstance(h, MeldShown)]
    assert [tile.value for tile in shown.tiles] == ["7m", "8m"]
    assert shown.t == pytest.approx(laid, abs=1.0)
    kinds = [h.kind for h in table.told("meld_shown", "tile_discarded")]
    assert kinds[0] == "meld_shown"


def test_the_claimed_tile_of_a_kong_is_half_seen_below_the_arm_that_lays_the_others() -> None:
    """The three beside it were told as a set, and it as added later (mcr-2006-du 1783024)."""
    table = Claim()
    table.fetch()
    claimed = table.face(*table.place(3), "9m", 90.0 * CLAIMER)
    half = replace(claimed, visible=0.3)
    x, y = claimed.x, claimed.y
    below = (((x - 9, y - 9), (x + 9, y - 9), (x + 9, y + 9), (x - 9, y + 9)),)
    table.look(2, reach=(CLAIMER, table.place(3)))
    table.look(1, reach=(CLAIMER, home(table, CLAIMER)), under=(claimed,))
    table.look(2, reach=(CLAIMER, home(table, CLAIMER)), covered=below, under=(half,))
    own = [table.face(*table.place(step), "9m", 90.0 * CLAIMER) for step in range(3)]
    table.look(2, reach=(CLAIMER, table.place(0)), covered=below, under=(half,))
    table.lying += own
    table.look(8, reach=(CLAIMER, home(table, CLAIMER)), covered=below, under=(half,))
    table.look(4, covered=below, under=(half,))
    table.lying.append(claimed)
    table.look(20)
    assert table.sets() == [("9m",) * 4]


def test_of_a_kong_that_hides_two_of_its_tiles_nobody_discarded_any() -> None:
    """A face that was glimpsed in a pool was said to have been discarded, and claimed for it."""
    table = Claim()
    x, y = table.geometry.to_table(NEXT, -60.0, table.geometry.pool.offset)
    table.look(2, table.face(x, y, "1s"))
    table.lay("1s", "1s", "1s", "1s", goes=False)
    for at in (0, 3):
        shown = table.lying[at - 4]
        table.lying[at - 4] = table.back(shown.x, shown.y, shown.z, shown.angle)
    table.look(3, reach=(CLAIMER, home(table, CLAIMER)))
    table.look(25)
    assert [h.kind for h in table.told()] == ["meld_shown"]


def test_a_discard_that_was_left_is_fetched_and_the_set_is_whole() -> None:
    """It lay there alone, and a fourth tile that was added later was never told."""
    table = Claim()
    table.lay("9m", "9m")
    table.look(60)
    assert table.sets() == [("9m", "9m")]
    table.fetch()
    table.lay("9m", first=2)
    table.look(20)
    assert table.sets() == [("9m", "9m"), ("9m", "9m", "9m")]
    whole = [(CLAIMER, (Tile("9m"),) * 3)]
    assert Resumed.of(table.found).sets() == whole, "who takes the hand up again sees one set"
    table.follower._table.drawn_at[CLAIMER] = table.t
    table.look(30)
    x, y = table.place(1)
    right, out = table.geometry.to_player(CLAIMER, x, y)
    spot = table.geometry.to_table(CLAIMER, right, out - table.geometry.tile_width - 1.0)
    table.look(2, reach=(CLAIMER, spot))
    table.lying.append(table.face(*spot, "9m", 90.0 * CLAIMER))
    table.look(2, reach=(CLAIMER, home(table, CLAIMER)))
    table.look(15)
    assert [h.kind for h in table.told("meld_extended")] == ["meld_extended"]


def lays_of_which_two_are_seen(table: Claim, gone: int) -> TileSighting:
    """A set of three, of which the eye loses one; so many are gone from the row when he goes on."""
    table.fetch()
    table.lay("9m")
    lost = table.lay("9m", "9m", first=1)[-1]
    table.lying.remove(lost)
    row = table.standing(CLAIMER, 13)
    table.lying = [tile for tile in table.lying if tile not in row] + row[: 13 - gone]
    plays_on(table)
    return lost


def test_a_third_tile_that_the_eye_does_not_find_is_waited_for() -> None:
    """Two and, six seconds later, one were told as sets; of his row two lay there, as it showed."""
    table = Claim("riichi-xjtu-2025")
    begun = table.t
    lost = lays_of_which_two_are_seen(table, gone=3)
    table.look(40)
    assert table.sets() == []
    table.lying.append(lost)
    table.look(25)
    assert table.sets() == [("9m", "9m", "9m")]
    (shown,) = table.told("meld_shown")
    assert begun < shown.t < begun + 3.0, "nobody was at it since"


def test_two_tiles_with_the_discard_are_told_where_the_row_lacks_one_for_them() -> None:
    table = Claim("riichi-xjtu-2025")
    lays_of_which_two_are_seen(table, gone=2)
    table.look(10)
    assert table.sets() == [("9m", "9m")]


@pytest.mark.parametrize(
    ("ruleset", "seed"), [("mcr-1998", 3), ("mcr-2002-tianjin", 4), ("riichi-xjtu-2025", 5)]
)
def test_players_who_fetch_the_discard_last_play_legal_hands(ruleset: str, seed: int) -> None:
    wish = HandWish(claims=0.9, kongs=("exposed",), discards=24, fetch_last=(0, 1, 2, 3))
    director = Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,)))
    played = follow(director, seed, Flaws(**asdict(PIXELS)))
    assert [h for h in played.truth if isinstance(h, TileClaimed)], "somebody claims"
    compared = compare(played.found, played.alerts, played.truth, [])
    assert not played.alerts
    sets = {kind: compared.happenings[kind] for kind in ("meld_shown", "tile_claimed")}
    total = Comparison.total(sets)
    assert (total.matched, total.invented) == (total.true, 0)


class Own(Table):
    """The second player (or another one) has drawn: fourteen tiles stand before him."""

    def __init__(self, claimable: bool = False, drawer: Seat = 1) -> None:
        super().__init__()
        self.deal(0, 1, 2, 3)
        self.row = self.lying[13:26]
        self.drawn = self.standing(1, 15)[14]
        self.lying.append(self.drawn)
        self.look(20)
        if not claimable:
            self.follower._table.drawn_at[drawer] = self.t - 1.0
        self.found.clear()

    def drops(self, face: str, lies: int, *, right: float = 40.0) -> TileSighting:
        """A tile of his row falls before it, face up, and lies there for so many looks."""
        g = self.geometry
        spot = g.to_table(1, right, g.meld.offset)
        self.look(2, reach=(1, home(self, 1)))
        self.lying.remove(self.row[-1])
        tile = self.face(*spot, face, 90.0)
        self.lying.append(tile)
        self.look(1, reach=(1, home(self, 1)))
        self.look(lies)
        return tile

    def picks_up(self, tile: TileSighting, *, keeps: bool = True) -> None:
        """He takes it up again and puts it back into his row, or into his pool."""
        self.look(2, reach=(1, (tile.x, tile.y)))
        self.lying.remove(tile)
        self.look(1, reach=(1, (tile.x, tile.y)))
        if keeps:
            self.lying.append(self.row[-1])
        else:
            x, y = self.geometry.to_table(1, -60.0, self.geometry.pool.offset)
            self.look(2, reach=(1, (x, y)))
            self.lying.append(self.face(x, y, tile.faces[0][0], 90.0))
        self.look(2, reach=(1, home(self, 1)))
        self.look(30)

    def exposed(self) -> list[tuple[str, str, str]]:
        """What was told of tiles that show, and of sets."""
        return [
            (h.kind, h.where, h.tile.value) if isinstance(h, TileExposed) else (h.kind, "", "")
            for h in self.told("tile_exposed", "tile_covered", "meld_shown")
        ]


SHOWN = [("tile_exposed", "table", "3p"), ("tile_covered", "", "")]


def test_a_tile_dropped_before_the_row_and_picked_up_was_exposed() -> None:
    """It was no set, and so nothing (003 Q22)."""
    table = Own()
    dropped = table.t
    table.picks_up(table.drops("3p", 15))
    assert table.exposed() == SHOWN
    (told,) = table.told("tile_exposed")
    assert isinstance(told, TileExposed)
    assert (told.seat, told.by) == (1, 1)
    assert told.t == pytest.approx(dropped, abs=0.6)


@pytest.mark.parametrize(
    ("face", "looks", "keeps", "claimable"),
    [
        pytest.param("3p", 4, True, False, id="seen for a moment"),
        pytest.param("3p", 15, False, False, id="it is discarded"),
        pytest.param("3p", 15, True, True, id="a discard may be claimed: it was to be of a set"),
    ],
)
def test_not_every_tile_that_lies_before_a_row_for_a_while_was_dropped(
    face: str, looks: int, keeps: bool, claimable: bool
) -> None:
    table = Own(claimable)
    table.picks_up(table.drops(face, looks), keeps=keeps)
    assert table.exposed() == []


def test_a_dropped_tile_that_stays_is_no_set() -> None:
    """After six seconds it was told as a set of one tile."""
    table = Own(drawer=0)
    tile = table.drops("3p", 75)
    assert table.exposed() == SHOWN[:1]
    table.picks_up(tile)
    assert table.exposed() == SHOWN


def test_who_has_drawn_may_be_about_to_win_with_the_tile_that_stays() -> None:
    """He has exposed it where he plays on, or takes it up again."""
    table = Own()
    tile = table.drops("3p", 75)
    assert table.exposed() == []
    table.picks_up(tile)
    assert table.exposed() == SHOWN
    played_on = Own()
    played_on.drops("3p", 75)
    played_on.follower._table.discarded_at[1] = played_on.t
    played_on.look(2)
    assert played_on.exposed() == SHOWN[:1]


def test_who_wins_with_the_tile_that_stays_has_exposed_nothing() -> None:
    table = Own()
    table.drops("3p", 75)
    standing = [*table.row[:-1], table.drawn]
    table.lying = [*standing, *(tile for tile in table.lying if tile not in standing)]
    opened(table, FACES, 1)
    table.follower._table.discarded_at[1] = table.t
    table.look(20)
    assert [h.kind for h in table.told("hand_shown")] == ["hand_shown"]
    assert table.exposed() == []
