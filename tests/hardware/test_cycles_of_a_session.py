"""What becomes of a cycle of the machine that failed, in the hand after it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from firmware_bridge.messages import MachineState
from hardware.virtual_table import sensors
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import Wanted
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from hardware.virtual_table.playback import Live


class Machine:
    """What a session asks of the machine."""

    def __init__(self, state: MachineState) -> None:
        self.state = state
        self.plant = SimpleNamespace(missing=0)
        self.starts = 0

    def press_start(self) -> None:
        self.starts += 1

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def test_a_lost_stack_is_found_before_the_next_hand() -> None:
    """It stayed lost on the live machine, while the hand after it was told with whole walls."""
    director = Director(Scenario(seed=1, hands=3, wanted=((Wanted("missing-tile"),), (), ())))
    machine = Machine(MachineState.READY)
    found = []
    ends = [hand.ends for hand in director.hands]
    for felt in director.machine_inputs():
        sensors.apply(machine, felt)  # type: ignore[arg-type]
        if felt.kind == "lost":
            found.append((felt.t, machine.plant.missing > 0))
    # Once lost, once found; nothing is said of it where nothing was lost.
    assert [lost for _, lost in found] == [True, False]
    assert found[0][0] == pytest.approx(0.0, abs=1.0)
    assert found[1][0] == pytest.approx(ends[0])
    assert machine.plant.missing == 0


def test_every_cycle_waits_for_the_machine_anew() -> None:
    """Once it had gone on without a machine that was stuck, a session never waited again."""
    director = Director(Scenario(seed=3, hands=2, pace=3.0, wishes=(HandWish(discards=6),)))
    machine = Machine(MachineState.IDLE)
    writer = SimpleNamespace(truth=lambda _: None)
    live = Live(
        director, machine, [], [], writer, speed=1.0, fps=1.0, autostart=0.0,  # type: ignore[arg-type]
    )  # fmt: skip
    start = live.clock.wall()
    opened = [
        each.t
        for each in director.machine_inputs()
        if each.kind == "state" and each.data["state"] == "hatch_open"
    ]
    stood = set()
    for tenth in range(int(10 * (director.duration + 60.0))):
        now = start + tenth / 10
        live._turn(now)
        if live.clock.standing:
            stood.add(live.clock.table(now))
    # Both times for its patience and twenty seconds, and not again in the same cycle.
    assert sorted(stood) == opened
    assert len(opened) == 2
    assert machine.starts > 10
