"""A die leaned so little that it was read: its player throws again, and that throw counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import DiceRolled
from table_controller.domain.outputs import Alert
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.told.setup import opened


@pytest.mark.parametrize(
    "ruleset", ["riichi-xjtu-2025", "riichi-xjtu-2025-sanma", "ema-riichi-2025"]
)
@pytest.mark.parametrize("seed", range(4))
def test_a_throw_that_is_repeated_was_none(ruleset: str, seed: int) -> None:
    """The break was told as a wrong one: it fits the throw that counts, not the one before."""
    wanted = Wanted("die-invalid", at=0, options={"flaw": "cocked"})
    director = Director(Scenario(ruleset=ruleset, seed=seed, wanted=((wanted,),)))
    engine, said, misread = Engine(load(ruleset)), [], 0
    for told in director.truth():
        happening = told
        if isinstance(told, DiceRolled) and not told.valid and not misread:
            misread = 1
            happening = replace(told, valid=True, values=(6, 2), confidence=0.99)
        said += engine.step(happening)
    said += engine.flush(happening.t + 5.0)
    assert misread
    assert [each.id for each in said if isinstance(each, Alert)] == ["die-invalid"]


def test_so_does_the_second_of_two_throwers() -> None:
    scene = opened((3, 4), (2, 2), by=2)
    scene.deal()
    told = scene.said
    second, threw = next(
        (n, each) for n, each in enumerate(told) if isinstance(each, DiceRolled) and each.seat
    )
    leaning = replace(threw, t=threw.t - 2.0, values=(6, 1))
    engine, said = Engine(load("mcr-1998")), []
    for happening in (*told[:second], leaning, *told[second:]):
        said += engine.step(happening)
    said += engine.flush(told[-1].t + 5.0)
    assert [each.id for each in said if isinstance(each, Alert)] == ["die-invalid"]
