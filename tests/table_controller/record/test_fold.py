"""The session step by step: what the rules say late stands where it happened."""

from __future__ import annotations

from table_controller.domain.happenings import HandCounted
from table_controller.domain.outputs import Move
from table_controller.game.engine import Engine
from table_controller.record.fold import Fold, Step
from table_controller.rulesets import load


def test_a_move_that_was_decided_late_goes_back_to_its_time() -> None:
    times = (1.0, 2.0, 1.9, 3.0)  # source times may step back a little
    late = Move(t=2.05, move="draw", seat=1)
    early = Move(t=0.5, move="dice")
    own = Move(t=3.0, move="discard", seat=1)
    steps = tuple(
        Step(at, HandCounted(t=t, seat=0, count=13), (early, late, own) if at == 3 else (), 1)
        for at, t in enumerate(times)
    )
    told = Fold(steps, Engine(load("mcr-1998"), 0)).by_time()
    assert told == [[early], [], [late], [own]]
