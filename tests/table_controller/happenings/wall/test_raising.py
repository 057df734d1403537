"""When walls count as raised, and what of them is out of line then."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from firmware_bridge.messages import Fault, MachineChanged, MachineState, TileSet, WallPresence
from firmware_bridge.readings import Reading
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import Happening, Slot, WallDisturbed, WallRaised
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from tests.table_controller.happenings.ideal_eye import Flaws, IdealEye
from tests.table_controller.happenings.play import GEOMETRY, inputs, table_of
from tests.table_controller.happenings.scenes import Table, laid
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


@pytest.mark.parametrize("arm", [False, True])
def test_a_wall_that_comes_up_crooked_is_told_at_once(arm: bool) -> None:
    """Its first stack lay so far off that it was taken for none, and felt: two seconds late.

    Nobody pushed it, whoever's arm lies there: told as pushed, it was a broken wall.
    """
    table = Table(felt=True, stands=False)
    for stack, off in ((1, 65.0), (2, 32.0), (3, 20.0), (4, 14.0)):
        x, y = table.point(Slot(1, stack, "top"))
        table.heights[1, stack] = 0
        table.lying += [table.back(x + off, y, z, 96.0) for z in (20.0, 40.0)]
    x, y = table.point(Slot(1, 6, "top"))
    table.look(16, reach=(1, (x + 60.0, y)) if arm else None)
    (raised,) = [one for one in table.found if isinstance(one, WallRaised)]
    assert raised.stacks == (18, 18, 18, 18)
    (crooked,) = [one for one in table.found if isinstance(one, WallDisturbed)]
    assert (crooked.side, crooked.by) == (1, None)
    assert set(crooked.stacks) >= {2, 3, 4}
    assert crooked.t >= raised.t, "not while the machine raises them"


def test_stacks_that_come_up_where_sets_lie_are_told_with_the_others() -> None:
    """The two farthest out were taken for tiles of sets, felt and not seen: told after 2.9 s."""
    table = Table(felt=True, stands=False)
    for stack, off, heights in (
        (1, 46.0, (20.0,)),
        (2, 39.0, (20.0,)),
        (3, 30.0, (20.0,)),
        (4, 20.0, (20.0, 40.0)),
        (5, 14.0, (20.0, 40.0)),
    ):
        x, y = table.point(Slot(1, stack, "top"))
        table.heights[1, stack] = 0
        table.lying += [table.back(x + off, y, z, 91.0) for z in heights]
    table.look(9)
    (crooked,) = [one for one in table.found if isinstance(one, WallDisturbed)]
    assert (crooked.side, crooked.stacks) == (1, (1, 2, 3, 4, 5))


def machine(table: Table, state: MachineState) -> None:
    """What a machine says."""
    changed = MachineChanged(state, Fault.NONE, 144, 4, TileSet.A)
    table.found += table.follower.reading(Reading(round(table.t, 3), changed))


def raised(board: MachineState | None) -> Table:
    """The walls of a first hand; ``board``: the one state that a machine ever reports, if any."""
    table = Table(stands=False)
    if board is not None:
        table.follower = Follower(table.geometry, Setup(wall_sensors=False))
        machine(table, board)
    table.look(25)
    assert [one.kind for one in table.found if one.kind != "machine"] == ["wall_raised"]
    table.deal(0, 1, 2, 3)
    return table


def used_up(table: Table, left: int = 0) -> None:
    """The walls become shorter stack by stack, until so many stacks are left of that of side 0."""
    for key in [key for key in table.heights if key[0] or key[1] > left]:
        table.heights[key] = 0
        table.look(2)
    table.look(20)


@pytest.mark.parametrize("board", [None, MachineState.READY])
@pytest.mark.parametrize("at_once", [True, False])
def test_without_a_machine_that_clears_the_table_hand_follows_hand(
    board: MachineState | None, at_once: bool
) -> None:
    """Only the first one was followed, and the sweeping of its tiles was told as claims."""
    table = raised(board)
    full = dict(table.heights)
    if at_once:
        table.heights = dict.fromkeys(full, 0)
        table.lying.clear()
        table.look(12)
    else:
        used_up(table)
        while table.lying:
            table.lying.pop()
            table.look(2)
        table.look(30)
        table.found.clear()
    assert not table.follower.view().playing
    table.heights = full
    table.look(30)
    assert table.follower.view().playing
    x, y = table.geometry.to_table(1, -60.0, table.geometry.pool.offset)
    laid(table, 1, table.face(x, y, "5p", 90.0))
    assert [one.kind for one in table.told()] == ["wall_raised", "tile_discarded"]


def test_walls_that_stand_full_again_are_those_of_the_next_hand() -> None:
    """Tiles that are mixed by hand lie about, also before the players: no table is ever bare."""
    table = raised(None)
    full = dict(table.heights)
    used_up(table)
    assert table.follower.view().playing
    table.heights = full
    table.look(60)
    again = [one for one in table.told() if isinstance(one, WallRaised)]
    assert [one.stacks for one in again] == [(18, 18, 18, 18)]


@pytest.mark.parametrize("left", [0, 4])
def test_walls_that_are_used_up_are_no_cleared_table(left: int) -> None:
    table = raised(None)
    used_up(table, left)
    table.look(40)
    assert table.follower.view().playing
    table.found.clear()
    x, y = table.geometry.to_table(1, -60.0, table.geometry.pool.offset)
    laid(table, 1, table.face(x, y, "5p", 90.0))
    assert [one.kind for one in table.told()] == ["tile_discarded"]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_machine_that_clears_the_table_is_waited_for(restarted: bool) -> None:
    table = Table(stands=False)
    table.follower = Follower(table.geometry, Setup(wall_sensors=False))
    for state in (MachineState.RAISING, MachineState.READY):
        machine(table, state)
    table.look(25)
    if restarted:
        table.follower = Follower(table.geometry, Setup(wall_sensors=False))
        table.follower.restore(table.found)
    table.heights = dict.fromkeys(table.heights, 0)
    table.look(40)
    assert table.follower.view().playing
    machine(table, MachineState.HATCH_OPEN)
    assert not table.follower.view().playing


@pytest.mark.parametrize(
    ("gone", "looks", "cleared"),
    [
        pytest.param(3, 12, False, id="three players push their hands in"),
        pytest.param(4, 12, True, id="all four do"),
        pytest.param(4, 4, False, id="four looks found none of them"),
    ],
)
def test_a_table_is_cleared_when_more_is_gone_at_once_than_three_hands(
    gone: int, looks: int, cleared: bool
) -> None:
    table = raised(None)
    lying = table.lying
    table.lying = lying[13 * gone :]
    table.look(looks)
    table.lying = lying
    table.look(30)
    # The walls still stand: they are told again as those of another hand.
    assert bool(table.told("wall_raised")) is cleared


def test_hands_of_the_virtual_table_without_a_machine_and_its_sensors() -> None:
    """What is swept together at the end of a hand was told as drawn, claimed and disturbed."""
    wishes = (HandWish(discards=10),)
    director = Director(Scenario(seed=11, hands=2, wishes=wishes))
    geometry, usual = table_of(director.scenario.ruleset)
    follower = Follower(geometry, replace(usual, machine=False, wall_sensors=False))
    found = []
    for given in inputs(director, IdealEye(geometry, 11, Flaws()), 11):
        if isinstance(given, Sighting):
            found += follower.sighting(given)
    found += follower.flush()
    unseen = ("call", "machine", "table_set", "hand_counted")
    true, told = (
        Counter(h.kind for h in each if h.kind not in unseen) for each in (director.truth(), found)
    )
    assert told == true
    assert true["wall_raised"] == 2
