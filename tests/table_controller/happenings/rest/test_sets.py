"""Sets that are laid down, under hands that stay or go on."""

from __future__ import annotations

import pytest

from tests.table_controller.happenings.scenes import Table, laid
from vision.geometry import PoolCell


@pytest.mark.parametrize(
    ("own", "away", "told"),
    [
        pytest.param(("2p", "4p"), 3, True, id="a chow is whole"),
        pytest.param(("3p", "3p"), 3, False, id="of three alike a fourth may come"),
        pytest.param(("3p", "3p"), 6, True, id="whoever laid them was home"),
    ],
)
def test_a_set_is_whole_although_the_next_hand_is_over_it(
    own: tuple[str, str], away: int, told: bool
) -> None:
    """A misplaced set was told 1.4 s after it lay: its player's sleeve lay over it again."""
    table = Table()
    g = table.geometry
    pool = table.geometry.pool_pose(PoolCell(3, 0, 0))
    table.look(2, reach=(3, (pool.x, pool.y)))
    table.lying = [table.face(pool.x, pool.y, "3p", 270.0)]
    table.look(12)
    spots = [g.to_table(0, 230.0 + 27.0 * n, g.meld.offset) for n in range(3)]
    table.look(2, reach=(0, (pool.x, pool.y)))
    table.lying = []
    table.look(2, reach=(0, spots[0]))
    table.lying = [
        table.face(*spot, face, 90.0 * (n == 0))
        for n, (spot, face) in enumerate(zip(spots, ("3p", *own), strict=True))
    ]
    table.look(2, reach=(0, spots[1]))
    table.look(away)
    table.look(6, reach=(0, spots[1]))
    assert ("meld_shown" in [h.kind for h in table.found]) == told
    table.look(20)
    assert "meld_shown" in [h.kind for h in table.found]


def test_two_own_tiles_are_told_when_their_player_goes_on_to_discard() -> None:
    """He passed close to them on his way from his row to the pool: a second and more."""
    table = Table()
    g = table.geometry
    spots = [g.to_table(0, 230.0 + 27.0 * n, g.meld.offset) for n in range(2)]
    table.look(2, reach=(0, spots[0]))
    table.lying = [table.face(*spot, "2z") for spot in spots]
    table.look(2, reach=(0, spots[0]))
    table.look(3, reach=(0, g.to_table(0, 155.0, g.hand.offset + 20.0)))
    pool = g.pool_pose(PoolCell(0, 0, 0))
    table.look(2, reach=(0, (pool.x, pool.y)))
    assert [h.kind for h in table.found] == ["meld_shown"]


def test_what_an_arm_laid_on_its_way_to_the_wall_lay_there_before_it_went_on() -> None:
    """The fourth tile of a pung came to light 2.4 s later, under the arm that drew for it."""
    table = Table()
    width, tall, _ = table.geometry.tile_mm
    step, lower = (width + tall) / 2 + 0.5, 320.0 + (tall - width) / 2
    spots = [(220.0, 320.0), (220.0 + step, lower), (220.0 + 2 * step, 320.0)]
    angles = (180.0, 90.0, 180.0)
    places = [table.geometry.to_table(2, *spot) for spot in spots]
    laid(
        table,
        2,
        *(table.face(x, y, "6z", angle) for (x, y), angle in zip(places, angles, strict=True)),
    )
    table.look(20)
    assert [h.kind for h in table.told()] == ["meld_shown"]
    x, y = table.geometry.to_table(2, 220.0 + step, lower - width - 0.5)
    begun = table.t
    table.look(4, reach=(2, (x, y)))
    wall = table.geometry.to_table(2, 220.0 + step, 120.0)
    sleeve = (
        (x - 45.0, y - 200.0),
        (x + 45.0, y - 200.0),
        (x + 45.0, y + 60.0),
        (x - 45.0, y + 60.0),
    )
    table.look(20, reach=(2, wall), covered=(sleeve,))
    table.lying.append(table.face(x, y, "6z", 90.0))
    table.look(12)
    (told,) = [h for h in table.told() if h.kind == "meld_extended"]
    assert told.t == pytest.approx(begun, abs=0.4)
