"""Flowers, and what lies next to them and is none."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import FlowerShown, MeldShown, Seat
from table_controller.domain.tiles import Tile
from table_controller.happenings.table import ClaimNote
from tests.table_controller.happenings.scenes import Table, home

OWNER: Seat = 1


def shown(table: Table) -> list[tuple[str, ...]]:
    """What was told, with its tiles."""
    found = []
    for h in table.told("flower_shown", "meld_shown"):
        assert isinstance(h, FlowerShown | MeldShown)
        tiles = h.tiles if isinstance(h, MeldShown) else (h.tile,)
        found.append((h.kind, *(tile.value for tile in tiles)))
    return found


@pytest.mark.parametrize("flower", [True, False])
@pytest.mark.parametrize(
    ("faces", "claimed", "told"),
    [
        pytest.param(["3p"], None, [("flower_shown", "3p")], id="one tile mistaken for a flower"),
        pytest.param(["3p", "4p", "5p"], "4p", [("meld_shown", "3p", "4p", "5p")], id="chow"),
        pytest.param(["3p", "4p", "5p"], None, [("meld_shown", "3p", "4p", "5p")], id="unclaimed"),
        pytest.param(["4p"], "4p", [], id="the first of a set"),
        pytest.param(["2f"], "4p", [("flower_shown", "2f")], id="a flower all the same"),
    ],
)
def test_a_set_laid_next_to_the_flowers_is_none_of_them(
    flower: bool, faces: list[str], claimed: str | None, told: list[tuple[str, ...]]
) -> None:
    """Each of its tiles was told as a flower, and alerted (000 Q33)."""
    table = Table()
    table.deal(0, 1, 2, 3)
    g = table.geometry
    places = [
        g.to_table(OWNER, g.meld.flowers_left + n * (g.tile_width + 0.6), g.meld.offset)
        for n in range(4)
    ]
    if flower:
        table.look(2, reach=(OWNER, places[0]))
        table.lying.append(table.face(*places[0], "1f", 90.0 * OWNER))
        table.look(2, reach=(OWNER, home(table, OWNER)))
        table.look(10)
        table.told()
        table.found.clear()
    if claimed is not None:
        table.follower._table.claims.append(ClaimNote(OWNER, Tile(claimed), 0, table.t))
    table.look(2, reach=(OWNER, places[2]))
    table.lying += [
        table.face(*place, face, 90.0 * OWNER)
        for place, face in zip(places[flower:], faces, strict=False)
    ]
    table.look(2, reach=(OWNER, home(table, OWNER)))
    table.look(25)
    assert shown(table) == told
