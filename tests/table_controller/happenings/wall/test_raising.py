"""When walls count as raised, and what of them is out of line then."""

from __future__ import annotations

import pytest

from firmware_bridge.messages import Fault, MachineChanged, MachineState, TileSet, WallPresence
from firmware_bridge.readings import Reading
from table_controller.domain.happenings import Happening, Slot, WallDisturbed, WallRaised
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from tests.table_controller.happenings.play import GEOMETRY
from tests.table_controller.happenings.scenes import Table
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


def test_a_wall_that_comes_up_crooked_is_told_at_once() -> None:
    """Its first stack lay so far off that it was taken for none, and felt: two seconds late."""
    table = Table(felt=True, stands=False)
    for stack, off in ((1, 65.0), (2, 32.0), (3, 20.0), (4, 14.0)):
        x, y = table.point(Slot(1, stack, "top"))
        table.heights[1, stack] = 0
        table.lying += [table.back(x + off, y, z, 96.0) for z in (20.0, 40.0)]
    table.look(16)
    (raised,) = [one for one in table.found if isinstance(one, WallRaised)]
    assert raised.stacks == (18, 18, 18, 18)
    (crooked,) = [one for one in table.found if isinstance(one, WallDisturbed)]
    assert crooked.side == 1
    assert set(crooked.stacks) >= {2, 3, 4}
    assert crooked.t >= raised.t, "not while the machine raises them"
