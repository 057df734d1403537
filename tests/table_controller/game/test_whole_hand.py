"""A hand that lies open is no illusion: what is wrong with it is said while it lies there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import HandShown
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.rulesets import load


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_false_win_is_told_at_once_by_an_eye_that_is_not_certain(
    seed: int, confidence: float
) -> None:
    director = Director(Scenario(seed=seed, wanted=((Wanted("false-win", at=4),),)))
    (infraction,) = director.infractions()
    engine = Engine(load("mcr-1998"), director.scenario.east)
    raised: list[tuple[str, int | None]] = []
    for happening in director.truth(t1=infraction.t + 1e-6):
        if isinstance(happening, HandShown):
            happening = replace(happening, confidence=confidence)
        outputs = engine.step(happening)
        raised += [(each.id, each.seat) for each in outputs if isinstance(each, Alert)]
    assert raised == [("false-win", infraction.seat)]


def test_a_kong_left_hidden_is_dated_to_the_hand_that_was_shown_without_it() -> None:
    wish = HandWish(target="all_pungs", kongs=("concealed",), discards=16)
    wanted = ((Wanted("concealed-kong-hidden", at=3),),)
    for seed in range(40, 60):
        director = Director(Scenario(seed=seed, wishes=(wish,), wanted=wanted))
        for infraction in director.infractions():
            engine = Engine(load("mcr-1998"), director.scenario.east)
            outputs = [each for h in director.truth() for each in engine.step(h)]
            (alert,) = [each for each in outputs if isinstance(each, Alert)]
            assert (alert.id, alert.seat) == (infraction.id, infraction.seat)
            assert alert.t == pytest.approx(infraction.t, abs=0.5)
            return
    pytest.fail("no seed gives the occasion")


@pytest.mark.parametrize("ruleset", ["mcr-1998", "riichi-xjtu-2025"])
def test_a_back_found_beside_a_hand_is_no_tile_of_it_and_the_record_is_not_confirmed(
    ruleset: str,
) -> None:
    """Its place was filled with a tile that nobody had, and written down as if it had been read."""
    wish = HandWish(win_by="discard", fetch=False)
    director = Director(Scenario(ruleset=ruleset, seed=3, wishes=(wish,)))
    found = []
    for stray in ((), (Tile.UNKNOWN,)):
        engine = Engine(load(ruleset), director.scenario.east)
        hands = []
        for happening in director.truth():
            if isinstance(happening, HandShown):
                happening = replace(happening, tiles=(*happening.tiles, *stray))
            hands += [each for each in engine.step(happening) if isinstance(each, HandRecord)]
        (hand,) = hands
        found.append((hand.wins[0].tiles, hand.wins[0].win_tile, hand.payments, hand.confirmed))
    assert found[0][:3] == found[1][:3]
    assert [each[3] for each in found] == [True, False]
