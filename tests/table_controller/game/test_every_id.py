"""Every infraction that the virtual table can play, under every ruleset: told what truly happened,
the rules raise that alert, no other, and as soon as its evidence is complete."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import Wanted, registry_of
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.app.measuring.matching import match_alerts
from table_controller.app.virtual.compare import Infraction
from table_controller.domain.outputs import Alert
from table_controller.game.engine import Engine
from table_controller.rulesets import load

LOOK_S = 0.1
SOON_S = 1.0 + LOOK_S
"""Alerts come within a second; the rules are asked ten times a second."""

BEFORE = {
    "claim-while-barred": Wanted("false-win", at=3),
    "win-while-barred": Wanted("win-wrong-tile", at=3),
}
"""What has to happen first: somebody must have been barred."""

CASES = [(ruleset, name) for ruleset, game in GAMES.items() for name in sorted(registry_of(game))]


def games(ruleset: str, name: str) -> Iterator[Director]:
    """Short hands in which it happens."""
    for seed in range(1, 60):
        rng = random.Random(seed)
        wish = HandWish(
            win_by="none" if name == "riichi-noten" else rng.choice(("self", "discard")),
            kongs=("concealed",)
            if name == "concealed-kong-hidden"
            else rng.choice(((), ("exposed",), ("concealed",), ("added",))),
            flowers=rng.randint(0, 4),
            claims=rng.choice((0.1, 0.3, 0.6)),
            discards=rng.randint(9, 14),
        )
        wants = [Wanted(name, at=3), *([BEFORE[name]] if name in BEFORE else [])]
        told = Scenario(ruleset=ruleset, seed=seed + 950, wishes=(wish,), wanted=(tuple(wants),))
        try:
            played = Director(told)
        except LookupError:
            continue
        if any(each.id == name for each in played.infractions()):
            yield played


def judged(played: Director) -> list[Alert]:
    """What the rules say to what happened, as time passes."""
    engine = Engine(load(played.scenario.ruleset), played.scenario.east)
    said = []
    t = 0.0
    for happening in played.truth():
        while t < happening.t:
            said += engine.pass_time(t)
            t += LOOK_S
        said += engine.step(happening)
    said += engine.flush(played.duration)
    return [each for each in said if isinstance(each, Alert)]


@pytest.mark.parametrize(("ruleset", "name"), CASES)
def test_it_is_raised_in_time_and_nothing_else_is(ruleset: str, name: str) -> None:
    played = next(games(ruleset, name))
    true = [Infraction(i.t, i.id, i.seat, i.evident) for i in played.infractions()]
    found = match_alerts(judged(played), true)
    bars_claims = "pung" in load(ruleset).stop_win.bars
    for alert, (committed, raised, invented) in found["ids"].items():
        assert raised == committed, (alert, found)
        # Players who are barred go on claiming here; where that is an offence it is told.
        assert not invented or (alert == "claim-while-barred" and bars_claims), (alert, found)
    assert max(found["delays"][name]) <= SOON_S, found


@pytest.mark.parametrize(
    "ruleset", ["riichi-xjtu-2025", "riichi-xjtu-2025-sanma", "riichi-xjtu-2025-qixing"]
)
def test_ura_indicators_that_stay_down_are_told_when_the_hand_is_closed(ruleset: str) -> None:
    """9.3.3; hands are closed three seconds after the win, five were waited for."""
    wanted = Wanted("indicator-not-turned", options={"stage": "ura"})
    played = Director(Scenario(ruleset=ruleset, seed=1, wanted=((wanted,),)))
    (infraction,) = played.infractions()
    assert infraction.stage == "ura"
    (alert,) = judged(played)
    assert (alert.id, alert.seat) == (infraction.id, infraction.seat)
    assert alert.t_raised - infraction.evident <= SOON_S


@pytest.mark.parametrize("seed", [6, 25])
def test_two_infractions_of_one_player_are_those_that_the_rules_see(seed: int) -> None:
    """Who had falsely called nine terminals and then laid his hand open was barred already."""
    names = ("false-win", "nine-terminals-false")
    scenario = Scenario(
        ruleset="riichi-xjtu-2025-relay", seed=seed, wanted=(tuple(map(Wanted, names)),)
    )
    played = Director(scenario)
    assert {alert.id for alert in judged(played)} == {each.id for each in played.infractions()}
