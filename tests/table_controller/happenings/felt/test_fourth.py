"""The fourth tile added to a pung, under the hand that laid it; and who fetches it to win."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from table_controller.domain.happenings import (
    HandShown,
    MeldExtended,
    MeldShown,
    Seat,
    TileClaimed,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.table import ClaimNote
from tests.table_controller.happenings import accounting
from tests.table_controller.happenings.ideal_eye import UNSTEADY
from tests.table_controller.happenings.scenes import Table, home
from vision.sightings import TileSighting

OWNER: Seat = 1
WINNER: Seat = 3
NINE = Tile("9m")


class Kong(Table):
    """Two rows of thirteen and ten; the second player has a pung of nines, the first tile sideways.

    He has drawn, nobody has discarded since; ``winner`` has laid nothing and waits for a nine.
    ``first`` is what he laid for the first of the nines.
    """

    def __init__(self, first: str = "9m") -> None:
        super().__init__()
        g = self.geometry
        self.lying = self.standing(OWNER, 10) + self.standing(WINNER, 13)
        self.pung = [
            g.to_table(OWNER, g.meld.right - step * (g.tile_width + 1.0), g.meld.offset)
            for step in (0, 1, 2)
        ]
        angles = (90.0 * OWNER, 90.0 * OWNER, 90.0 * OWNER + 90.0)
        self.lying += [
            self.face(x, y, face, angle)
            for (x, y), face, angle in zip(self.pung, (first, "9m", "9m"), angles, strict=True)
        ]
        self.look(40)
        self.lying.append(self.face(0.0, -g.pool.offset, "1s"))
        self.look(25)
        self.follower._table.drawn_at.update({WINNER: self.t - 5.0, OWNER: self.t - 0.5})
        self.follower._table.discarded_at[WINNER] = self.t - 4.0
        self.found.clear()
        right, out = g.to_player(OWNER, *self.pung[2])
        self.place = g.to_table(OWNER, right, out - g.tile_width - 1.0)

    def fourth(self, face: str = "9m", aside: float = 0.0) -> TileSighting:
        """A tile on the inner side of the sideways one, or so far beside it, mm."""
        right, out = self.geometry.to_player(OWNER, *self.place)
        x, y = self.geometry.to_table(OWNER, right + aside, out)
        return self.face(x, y, face, 90.0 * OWNER + 90.0)

    def added(self, looks: int, tile: TileSighting | None = None) -> None:
        """The owner's hand brings it and stays over it; so many looks show it below."""
        under = (self.fourth() if tile is None else tile,)
        self.look(2, reach=(OWNER, self.place))
        self.look(looks, reach=(OWNER, self.place), under=under)

    def fetched(self) -> None:
        """The winner's hand comes for it, with the owner's still over it."""
        self.look(3, reach=(WINNER, self.place))

    def opened(self) -> None:
        """The winner lays all open, the nine beside."""
        row = self.standing(WINNER, 14)
        faces = ["1m", "2m", "3m", "4m", "5m", "6m", "7m", "8m", "1p", "1p", "1p", "2p", "2p", "9m"]
        gap = 12.0
        self.lying = [tile for tile in self.lying if not self._of_winner(tile)]
        for index, (tile, face) in enumerate(zip(row, faces, strict=True)):
            right, out = self.geometry.to_player(WINNER, tile.x, tile.y)
            x, y = self.geometry.to_table(WINNER, right + (gap if index == 13 else 0.0), out)
            self.lying.append(self.face(x, y, face, 90.0 * WINNER))
        self.look(30)

    def _of_winner(self, tile: TileSighting) -> bool:
        _, out = self.geometry.to_player(WINNER, tile.x, tile.y)
        return out > self.geometry.hand.offset - 20.0

    def read_once(self, face: str) -> None:
        """The fourth tile is laid; only one look of many reads a face, and that one."""
        self.look(2, reach=(OWNER, self.place))
        self.look(1, reach=(OWNER, home(self, OWNER)))
        for step in range(12):
            self.look(1, self.fourth(face if step == 3 else "?"))

    def sets(self) -> list[tuple[str, int, Tile]]:
        return [
            (h.kind, h.seat, h.tile)
            for h in self.told()
            if isinstance(h, MeldExtended | TileClaimed)
        ]


EXTENDED, CLAIMED = ("meld_extended", OWNER, NINE), ("tile_claimed", WINNER, NINE)


def test_a_fourth_tile_is_told_under_the_hand_that_laid_it() -> None:
    """It was told when the hand was gone, and its replacement drawn before."""
    table = Kong()
    table.added(6)
    assert table.sets() == [EXTENDED]
    table.lying.append(table.fourth())
    table.look(20)
    assert table.sets() == [EXTENDED], "and not again when it is in sight"


@pytest.mark.parametrize(
    ("face", "aside"),
    [
        pytest.param("8m", 0.0, id="another kind"),
        pytest.param("9m", 60.0, id="beside the set: it may be the first of another"),
    ],
)
def test_what_lies_otherwise_waits_until_it_is_in_sight(face: str, aside: float) -> None:
    table = Kong()
    table.added(6, table.fourth(face, aside))
    assert table.sets() == []


@pytest.mark.parametrize(
    ("aside", "told"),
    [
        pytest.param(0.0, [EXTENDED], id="where a fourth is added"),
        pytest.param(-30.0, [], id="beside them: it may be the first of another set"),
    ],
)
def test_a_fourth_tile_joins_three_of_which_one_is_wrong(
    aside: float, told: list[tuple[str, int, Tile]]
) -> None:
    """It was told as a set of one tile, six seconds later."""
    table = Kong(first="8m")
    assert [meld.told for meld in table.follower._melds.melds(OWNER)] == [(NINE, NINE, Tile("8m"))]
    table.added(4, table.fourth(aside=aside))
    table.lying.append(table.fourth(aside=aside))
    table.look(20)
    assert table.sets() == told


@pytest.mark.parametrize(
    ("face", "told"),
    [
        pytest.param("9m", NINE, id="their kind"),
        pytest.param("8m", Tile.UNKNOWN, id="another kind"),
        pytest.param("?", Tile.UNKNOWN, id="none"),
    ],
)
def test_a_fourth_tile_of_which_most_looks_make_nothing_out(face: str, told: Tile) -> None:
    """It was told with no face, although it lay at its set and was read as one of it."""
    table = Kong()
    table.read_once(face)
    assert table.sets() == [("meld_extended", OWNER, told)]


def test_the_nine_of_a_set_that_is_laid_for_a_claimed_eight_joins_no_pung() -> None:
    """A chow beside a pung: its nine was told as a kong, and a kong that is none was alerted."""
    table = Kong()
    table.follower._table.claims.append(ClaimNote(OWNER, Tile("8m"), 0, table.t))
    table.added(6)
    assert table.sets() == []
    right, out = table.geometry.to_player(OWNER, *table.place)
    for step, face in ((0, "9m"), (1, "8m"), (2, "7m")):
        x, y = table.geometry.to_table(OWNER, right - step * 27.0, out)
        table.lying.append(table.face(x, y, face, 90.0 * OWNER))
    table.look(25)
    (shown,) = table.told("meld_shown")
    assert isinstance(shown, MeldShown)
    assert sorted(tile.value for tile in shown.tiles) == ["7m", "8m", "9m"]


@pytest.mark.parametrize(
    "looks", [pytest.param(6, id="seen"), pytest.param(2, id="glimpsed"), pytest.param(0, id="not")]
)
def test_the_tile_that_is_won_on_was_fetched_from_the_kong(looks: int) -> None:
    """Of robbed kongs none was captured: the winner was said to have declared on nothing."""
    table = Kong()
    table.added(looks)
    table.look(3, reach=(OWNER, table.place))
    table.fetched()
    table.look(6, reach=(OWNER, table.place))
    table.opened()
    assert table.sets() == [EXTENDED, CLAIMED]
    (shown,) = table.told("hand_shown")
    assert isinstance(shown, HandShown)
    assert shown.apart is NINE
    (claimed,) = table.told("tile_claimed")
    assert isinstance(claimed, TileClaimed)
    assert claimed.from_ == OWNER
    assert claimed.t <= shown.t


def test_who_takes_it_in_sight_has_robbed_it() -> None:
    table = Kong()
    table.added(6)
    table.lying.append(table.fourth())
    table.look(5)
    table.lying.pop()
    table.fetched()
    table.look(12)
    assert table.sets() == [EXTENDED, CLAIMED]


def test_who_drew_last_himself_robs_nothing() -> None:
    """Its hand passed the set on its way to the wall, and there it drew the nine."""
    table = Kong()
    table.follower._table.drawn_at[WINNER] = table.t
    table.fetched()
    table.opened()
    assert table.sets() == []


@pytest.mark.parametrize(("ruleset", "seed"), [("riichi-xjtu-2025-sanma", 2), ("mcr-1998", 1)])
def test_a_hand_that_is_won_on_a_robbed_kong_is_captured(ruleset: str, seed: int) -> None:
    case = accounting.Case(None, seed, ruleset, asdict(UNSTEADY), robbed=True)
    verdict = accounting.judge(case)
    assert verdict.committed, "the hand that is dealt is such a one"
    assert verdict.hand
    assert not verdict.invented
    assert not verdict.wrong
