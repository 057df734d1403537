"""Walls that the eye had no calm look at: the machine's word counts."""

from __future__ import annotations

import pytest

from firmware_bridge.messages import Fault, MachineChanged, MachineState, TileSet, WallPresence
from firmware_bridge.readings import Reading
from table_controller.domain.happenings import Happening, WallRaised
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from tests.table_controller.happenings.play import GEOMETRY
from vision.geometry import TableGeometry
from vision.sightings import Outcome, Sighting

FULL = (1 << 18) - 1
EVERYTHING = ((-420.0, -420.0), (420.0, -420.0), (420.0, 420.0), (-420.0, 420.0))


def follow(stacks: tuple[int, int, int, int], state: MachineState, setup: Setup) -> list[Happening]:
    """Five seconds behind a sleeve that covers the whole table."""
    follower = Follower(TableGeometry.load(GEOMETRY), setup)
    said = follower.reading(Reading(1.0, WallPresence(stacks)))
    said += follower.reading(Reading(1.1, MachineChanged(state, Fault.NONE, 144, 4, TileSet.A)))
    for number in range(50):
        t = 1.2 + number / 10
        said += follower.sighting(Sighting(t, "top", Outcome.LOOKED, covered=(EVERYTHING,)))
    return said


def test_the_sensors_word_counts_when_nothing_was_seen() -> None:
    said = follow((FULL,) * 4, MachineState.READY, Setup())
    raised = [one for one in said if isinstance(one, WallRaised)]
    assert [one.stacks for one in raised] == [(18, 18, 18, 18)]
    assert raised[0].t == pytest.approx(1.2, abs=0.11)
    assert raised[0].confidence < 0.9


@pytest.mark.parametrize(
    ("stacks", "state", "setup"),
    [
        ((FULL,) * 4, MachineState.RAISING, Setup()),
        ((FULL, FULL, FULL, 0), MachineState.READY, Setup()),
        ((FULL,) * 4, MachineState.READY, Setup(wall_sensors=False)),
    ],
)
def test_nothing_is_raised_without_it(
    stacks: tuple[int, int, int, int], state: MachineState, setup: Setup
) -> None:
    assert not any(isinstance(one, WallRaised) for one in follow(stacks, state, setup))
