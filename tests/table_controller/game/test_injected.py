"""Reduced here to one game for each infraction; ``injected.py`` is the whole measurement."""

from __future__ import annotations

import pytest

from hardware.virtual_table.play.incidents import REGISTRY
from table_controller.rulesets import load
from tests.table_controller.game.injected import measure
from tests.table_controller.game.retold import RETOLD


@pytest.mark.parametrize("name", sorted({*REGISTRY, *RETOLD}))
def test_the_right_alert_and_nothing_else(name: str) -> None:
    tally = measure([name], 1, "mcr-1998")[name]
    assert tally.games == 1
    assert tally.right == 1, list(tally.wrong)


def test_every_alert_can_be_put_into_a_game() -> None:
    assert {*REGISTRY, *RETOLD} >= set(load("mcr-1998").alerts)
