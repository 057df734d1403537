"""A sleeve pushes discards of a pool out of order, and they are laid right again."""

from __future__ import annotations

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import PoolDisturbed, TileClaimed, TileDiscarded
from tests.table_controller.happenings.ideal_eye import Flaws
from tests.table_controller.happenings.play import follow


@pytest.mark.parametrize("seed", [1, 3, 4, 6, 7])
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
