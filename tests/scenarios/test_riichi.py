"""Riichi hands of the virtual table, judged: nothing illegal, and settled as the players do it."""

import pytest

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load

FOUR = ["riichi-xjtu-2025", "riichi-xjtu-2025-qixing", "riichi-xjtu-2025-relay", "ema-riichi-2025"]
ALL = [*FOUR, "riichi-xjtu-2025-sanma"]


def judged(director: Director) -> tuple[list[Alert], list[HandRecord]]:
    engine = Engine(load(director.scenario.ruleset), east=director.scenario.east)
    outputs = [out for happening in director.truth() for out in engine.step(happening)]
    outputs += engine.flush(director.duration)
    assert not [out for out in outputs if getattr(out, "inferred", False)]
    alerts = [out for out in outputs if isinstance(out, Alert)]
    return alerts, [out for out in outputs if isinstance(out, HandRecord)]


def assert_as_played(director: Director) -> None:
    """No alert, and every hand captured and paid as the players settled it."""
    alerts, records = judged(director)
    assert alerts == []
    assert len(records) == len(director.hands)
    for record, hand in zip(records, director.hands, strict=True):
        outcome = hand.outcome
        assert outcome is not None
        assert (record.result, record.reason) == (outcome.result, outcome.reason)
        assert record.payments == outcome.payments
        wins = [(win.winner, win.from_, win.win_tile) for win in record.wins]
        assert wins == [(win.winner, win.source, win.tile) for win in outcome.wins]
    assert records[-1].scores == director.match.scores


@pytest.mark.parametrize("ruleset", ALL)
@pytest.mark.parametrize("seed", range(500, 504))
def test_a_legal_session_raises_nothing_and_is_settled_alike(ruleset, seed):
    assert_as_played(Director(Scenario(ruleset=ruleset, seed=seed, hands=2)))


@pytest.mark.parametrize(
    "wish",
    [
        HandWish(win_by="self", riichi=True),
        HandWish(win_by="discard", fetch=False),
        HandWish(win_by="discard", fetch=True, riichi=False),
        HandWish(win_by="rob"),
        HandWish(win_by="several", several=2),
        HandWish(win_by="none", ready=2),
        HandWish(kongs=("exposed", "concealed", "added")),
        HandWish(abort="three_rons"),
        HandWish(abort="four_winds"),
        HandWish(abort="four_kongs"),
        HandWish(abort="four_riichi"),
        HandWish(abort="nine_terminals"),
    ],
    ids=lambda wish: wish.abort or wish.win_by or "kongs",
)
def test_every_end_of_a_hand_is_settled_alike(wish):
    for seed in range(3):
        assert_as_played(Director(Scenario(ruleset=FOUR[0], seed=seed, hands=2, wishes=(wish,))))
