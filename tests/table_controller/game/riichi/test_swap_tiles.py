"""What may not be discarded after a claim (5.10), also where the set shown is none."""

import pytest

from table_controller.domain.tiles import Tile
from table_controller.game.riichi.sets import swap_tiles


@pytest.mark.parametrize(
    ("shown", "claimed", "barred"),
    [
        ("4m5m6m", "6m", "3m6m"),
        ("4m5m6m", "5m", "5m"),
        ("1p2p3p", "3p", "3p"),
        ("8s9s7s", "7s", "7s"),
        ("7z7z7z", "7z", "7z"),
        ("4m0m6m", "4m", "4m7m"),
        # No sets: a set that is none once crashed the rules (5z and 7z shown with a 7z).
        ("5z7z7z", "7z", ""),
        ("6z7z7z", "7z", ""),
        ("2m9m9m", "9m", ""),
        ("2m9p9m", "9m", ""),
    ],
)
def test_what_is_barred(shown: str, claimed: str, barred: str) -> None:
    tiles = tuple(Tile(shown[at : at + 2]) for at in range(0, 6, 2))
    wanted = [Tile(barred[at : at + 2]) for at in range(0, len(barred), 2)]
    assert sorted(swap_tiles(tiles, Tile(claimed))) == wanted
