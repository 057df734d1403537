"""The ring of the walls: how many stacks came up, and where a grab of the deal begins."""

from __future__ import annotations

import pytest

from table_controller.domain.happenings import Slot, WallRaised
from table_controller.domain.outputs import Alert
from table_controller.game.engine import Engine
from table_controller.game.wall import Ring
from table_controller.rulesets import load


@pytest.mark.parametrize(
    ("slots", "first"),
    [
        pytest.param([(0, 3), (0, 4)], (0, 3), id="in one wall"),
        pytest.param([(0, 4), (0, 3)], (0, 3), id="in whatever order they are named"),
        pytest.param([(1, 1), (2, 18)], (2, 18), id="around a corner"),
        pytest.param([(0, 1), (1, 18)], (1, 18), id="where the ring begins anew"),
        pytest.param([(1, 9)], (1, 9), id="one stack"),
        pytest.param([], None, id="none"),
        pytest.param([(1, 9), (1, 19)], None, id="one that was not raised"),
    ],
)
def test_the_first_stack_of_a_grab(
    slots: list[tuple[int, int]], first: tuple[int, int] | None
) -> None:
    """A wrong break around a corner began at the right stack, and was told as none."""
    ring = Ring((18, 18, 18, 18))
    found = ring.first(Slot(side, stack, "top") for side, stack in slots)  # type: ignore[arg-type]
    assert (None if found is None else ring.places[found]) == first


@pytest.mark.parametrize("ruleset", ["mcr-2006-du", "riichi-xjtu-2025", "riichi-xjtu-2025-sanma"])
def test_walls_that_come_up_wrong_once_more_are_told_once_more(ruleset: str) -> None:
    """The second alert of a hand was taken for the first: nobody looked at walls of 17 stacks."""
    rules = load(ruleset)
    full = rules.equipment.stacks_per_side
    fourth = full if rules.equipment.players == 4 else 0
    engine, told = Engine(rules), []
    for t, second in ((4.5, full - 1), (16.1, full - 1), (28.2, full)):
        told += engine.step(WallRaised(t=t, stacks=(full, second, full, fourth)))
    told += engine.flush(40.0)
    alerts = [each for each in told if isinstance(each, Alert)]
    assert [each.id for each in alerts] == ["wall-miscount"] * 2
    assert [each.t for each in alerts] == [4.5, 16.1]
