"""The rules judge the true happenings of whole games: what was put in is raised, nothing else."""

from collections import Counter
from pathlib import Path

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish, KongWish, WinBy
from hardware.virtual_table.play.scenario import Scenario, demo_scenario, load_scenario
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load

FILES = [demo_scenario(), *sorted(Path(__file__).parent.glob("*.toml"))]


def judged(director: Director) -> tuple[list[Alert], list[HandRecord]]:
    engine = Engine(load(director.scenario.ruleset), east=director.scenario.east)
    outputs = [out for happening in director.truth() for out in engine.step(happening)]
    outputs += engine.flush(director.duration)
    alerts = [out for out in outputs if isinstance(out, Alert)]
    return alerts, [out for out in outputs if isinstance(out, HandRecord)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_was_put_in_is_raised_and_nothing_else(path: Path) -> None:
    director = Director(load_scenario(path))
    alerts, _ = judged(director)
    wanted = Counter((each.id, each.seat) for each in director.infractions())
    assert Counter((alert.id, alert.seat) for alert in alerts) == wanted


@pytest.mark.parametrize("ruleset", ["mcr-1998", "mcr-2006-du", "mcr-2002-tianjin"])
@pytest.mark.parametrize("seed", range(300, 308))
def test_a_legal_hand_raises_nothing_and_is_won(ruleset: str, seed: int) -> None:
    kongs: tuple[tuple[KongWish, ...], ...] = (("exposed", "added"), ("concealed",), ())
    wins: tuple[WinBy, ...] = ("self", "discard", "rob")
    wish = HandWish(kongs=kongs[seed % 3], flowers=seed % 5, win_by=wins[seed % 3])
    director = Director(Scenario(ruleset=ruleset, seed=seed, wishes=(wish,)))
    alerts, (record,) = judged(director)
    assert alerts == []
    play = director.hands[0].play
    (win_record,) = record.wins
    assert win_record.winner == play.winner
    # Flowers do not help towards the eight points.
    assert win_record.score["total"] - len(win_record.flowers) >= 8
    assert sum(record.payments) == 0


@pytest.mark.parametrize("seed", range(700, 720))
def test_infractions_by_chance_are_raised_with_their_seats(seed: int) -> None:
    director = Director(Scenario(seed=seed, mix=2))
    alerts, _ = judged(director)
    wanted = Counter((each.id, each.seat) for each in director.infractions())
    assert Counter((alert.id, alert.seat) for alert in alerts) == wanted
