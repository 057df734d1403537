"""Every observable infraction of riichi put into played games: that alert comes, and no other."""

from __future__ import annotations

import random

import pytest

from table_controller.domain.happenings import Happening, TableSet
from table_controller.domain.outputs import Alert
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.riichi.injections import INJECTIONS
from tests.table_controller.game.riichi.logs import PLAYED
from tests.table_controller.game.riichi.mjlog import hands, players_of
from tests.table_controller.game.riichi.more_injections import MORE

ALL = {**INJECTIONS, **MORE}


def _pool(logs: int) -> list[list[Happening]]:
    found: list[list[Happening]] = []
    for _, text in PLAYED:
        if players_of(text) == 4 and logs:
            found += [hand.happenings for hand in hands(text)]
            logs -= 1
    return found


def _check(name: str, pool: list[list[Happening]], number: int, seed: int) -> int:
    rng = random.Random(seed)
    order = rng.sample(range(len(pool)), len(pool))
    done = 0
    for at in order * 4:
        injected = ALL[name](pool[at], rng)
        if injected is None:
            continue
        happenings, expected = injected
        first = happenings[0]
        assert isinstance(first, TableSet)
        engine = Engine(load("tenhou"), first.dealer)
        outputs = [out for happening in happenings for out in engine.step(happening)]
        outputs += engine.flush(happenings[-1].t + 6)
        alerts = [(out.id, out.seat, out.stage) for out in outputs if isinstance(out, Alert)]
        wanted = [expected]
        if name == "win-while-barred":
            wanted = [("false-win", expected[1], None), expected]
        assert alerts == wanted, f"hand {at}"
        done += 1
        if done == number:
            break
    return done


@pytest.fixture(scope="module")
def small() -> list[list[Happening]]:
    return _pool(14)


@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
@pytest.mark.parametrize("name", ALL)
def test_the_right_alert_and_no_other(name: str, small: list[list[Happening]]) -> None:
    assert _check(name, small, 4, seed=1) >= 2


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.skipif(not PLAYED, reason="the logs are not at hand")
@pytest.mark.parametrize("name", ALL)
def test_fifty_times_each(name: str) -> None:
    assert _check(name, _pool(100), 50, seed=2) == 50
