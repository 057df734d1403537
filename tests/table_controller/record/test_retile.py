"""Which happening a correction of one tile of a captured hand changes."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import HandShown, MeldShown, TileDiscarded
from table_controller.domain.outputs import HandRecord, WinRecord
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.record.fold import Fold, Step
from table_controller.record.retile import retiled
from table_controller.rulesets import load
from tests.table_controller.game.scenes import tiles

BACK = Tile.BACK


def captured(laid: tuple[Tile, ...], recorded: str) -> Fold:
    """Seat 1 wins on 3s of seat 0, with one set before it."""
    standing = tiles("123m 456p 11z 45s")
    win = WinRecord(
        winner=1, from_=0, score={}, tiles=standing, win_tile=Tile.S3, flowers=(),
        melds=({"tiles": [each.value for each in tiles(recorded)]},),
    )  # fmt: skip
    hand = HandRecord(
        t=4.0, hand=1, round_wind="E", dealer=0, honba=0, result="win", reason=None, wins=(win,),
        payments=(0,) * 4, penalties=(0,) * 4, scores=(0,) * 4, confirmed=True,
    )  # fmt: skip
    return Fold(
        (
            Step(0, MeldShown(t=1.0, seat=1, tiles=laid), (), 1),
            Step(1, TileDiscarded(t=2.0, seat=0, tile=Tile.S3), (), 1),
            Step(2, HandShown(t=3.0, seat=1, tiles=standing), (hand,), 1),
        ),
        Engine(load("riichi-xjtu-2025"), 0),
    )


@pytest.mark.parametrize(
    ("laid", "recorded", "index", "face", "right"),
    [
        # A concealed kong lies with two tiles turned down; all four are of one kind.
        ((BACK, Tile.P6, Tile.P6, BACK), "6666p", 0, "9p", (BACK, Tile.P9, Tile.P9, BACK)),
        ((BACK, Tile.RED_P5, Tile.P5, BACK), "0555p", 2, "6p", (BACK, Tile.P6, Tile.P6, BACK)),
        ((BACK, Tile.P6, Tile.P6, BACK), "6666p", 0, "0p", (BACK, Tile.RED_P5, Tile.P5, BACK)),
        ((BACK, Tile.RED_P5, Tile.P5, BACK), "0555p", 0, "5p", (BACK, Tile.P5, Tile.P5, BACK)),
        (tiles("678p"), "678p", 1, "7s", (Tile.P6, Tile.S7, Tile.P8)),
    ],
)
def test_a_tile_of_a_set(
    laid: tuple[Tile, ...], recorded: str, index: int, face: str, right: tuple[Tile, ...]
) -> None:
    found = retiled(captured(laid, recorded), "hand-001", "meld", 0, 0, index, Tile(face))
    assert found is not None
    assert found.was == tiles(recorded)[index]
    [(at, changed)] = found.replacements
    assert isinstance(changed, MeldShown)
    assert (at, changed.tiles) == (0, right)
