"""A program that was ended and is begun again: nothing is told twice, nothing taken back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firmware_bridge import EventMark
from firmware_bridge.messages import (
    EventMessage,
    Fault,
    Key,
    KeyPressed,
    MachineChanged,
    MachineState,
    TileSet,
)
from firmware_bridge.readings import Reading
from table_controller.app.table.core import TableController
from table_controller.app.table.listeners import Collector
from table_controller.console.forms import Decision
from table_controller.domain.happenings import Call, Machine, Place, TileDiscarded, WallRaised
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.happenings.follower import Follower
from table_controller.happenings.restoring import RECOGNISE_S, Resumed
from table_controller.happenings.setup import Setup
from table_controller.record.journal import EntryKind, Journal
from table_controller.rulesets import load
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene
from tests.table_controller.happenings.play import GEOMETRY
from vision.cameras.sources import Frame
from vision.geometry import TableGeometry
from vision.sightings import Outcome, Sighting

WALLS = WallRaised(t=60.0, stacks=(18, 18, 18, 18))
PICTURE = np.zeros((2, 2, 3), np.uint8)


class Table:
    """A table over the journal in ``root`` whose machine tells something."""

    def __init__(self, root: Path) -> None:
        self.journal = Journal.open(root / "journal.db")
        self.heard = Collector()
        self.follower = Follower(TableGeometry.load(GEOMETRY), Setup())
        rules = Engine(load("mcr-1998"), 0)
        self.controller = TableController(self.follower, rules, self.journal, [self.heard])
        self.controller.resume()

    def says(self, t: float, what: EventMessage, number: int = 1) -> None:
        self.controller.reading(Reading(t, what, boot=7, number=number))

    def looks(self, since: float, until: float) -> None:
        for n in range(round((until - since) / 0.1)):
            t = since + 0.1 * n
            seen = Sighting(t, "top", Outcome.LOOKED, reach=(None,) * 4)
            self.controller.seen(Frame(t, "top", PICTURE, n), seen)

    @property
    def calls(self) -> list[tuple[float, int, str]]:
        return [(h.t, h.seat, h.call) for h in self.heard.happenings if isinstance(h, Call)]


@pytest.mark.parametrize("told", [False, True], ids=["not told yet", "told already"])
def test_the_key_that_was_pressed_last_is_told_once(tmp_path: Path, told: bool) -> None:
    before = Table(tmp_path)
    before.looks(50.0, 61.0)
    before.controller.judge([WALLS])
    before.says(61.0, KeyPressed(2, Key.REFEREE))
    if told:
        before.looks(61.0, 61.8)
    assert before.calls == ([(61.0, 2, "referee")] if told else [])
    before.journal.close()

    again = Table(tmp_path)
    assert again.calls == [(61.0, 2, "referee")]
    again.looks(64.0, 66.0)
    assert again.calls == [(61.0, 2, "referee")]
    # Should the board say it once more: what stands in the journal was taken.
    assert again.controller.mark == EventMark(7, 1)
    written = [entry.body for entry in again.journal.entries([EntryKind.HAPPENING])]
    assert sum(body["kind"] == "call" for body in written) == 1
    again.journal.close()


def test_things_are_recognised_from_the_first_look_on_not_from_the_last_key() -> None:
    lying = TileDiscarded(t=70.0, seat=1, tile=Tile("5p"), place=Place(0, 0))
    resumed = Resumed.of([WALLS, lying])
    looked = 71.0 + 3 * RECOGNISE_S
    assert not resumed.known(Call(t=71.0, seat=0, call="pass"), 71.0)
    resumed.looked(looked)
    assert resumed.known(lying, looked + 0.5)
    assert not resumed.known(lying, looked + 0.5)


def test_what_lies_there_is_not_told_again_because_a_key_was_pressed(tmp_path: Path) -> None:
    before = Table(tmp_path)
    before.controller.judge([WALLS, TileDiscarded(t=70.0, seat=1, tile=Tile("5p"))])
    before.says(70.5, KeyPressed(0, Key.PASS))
    before.journal.close()
    again = Table(tmp_path)
    resumed = again.follower._resumed
    assert resumed is not None
    first_look = [resumed.first_look]
    again.looks(90.0, 90.5)
    first_look.append(resumed.first_look)
    assert first_look == [None, 90.0]
    assert resumed.facts["discard", 1, Tile("5p")] == 1
    again.journal.close()


def test_walls_that_stand_are_not_cleared_by_how_they_came_up(tmp_path: Path) -> None:
    def state(what: MachineState) -> MachineChanged:
        return MachineChanged(what, Fault.NONE, 144, 4, TileSet.A)

    before = Table(tmp_path)
    before.looks(50.0, 58.0)
    before.says(58.5, state(MachineState.RAISING))
    before.looks(58.5, 59.0)
    before.says(59.2, state(MachineState.READY), 2)
    before.looks(59.2, 60.0)
    before.controller.judge([WALLS])
    before.journal.close()
    machine = [h.state for h in before.heard.happenings if isinstance(h, Machine)]
    assert machine == ["raising", "ready"]

    again = Table(tmp_path)
    assert again.follower.view().playing
    assert again.follower.view().machine == "ready"
    assert [h.state for h in again.heard.happenings if isinstance(h, Machine)] == machine
    again.journal.close()


# -- what the rules say because time passes --------------------------------------------------------


def test_an_alert_of_time_alone_stands_after_a_restart(tmp_path: Path) -> None:
    table = Running(tmp_path)
    table.tell(Scene().start().play().draw().said)
    table.controller.t += 20.0
    table.controller.judge([])
    assert [alert["id"] for alert in table.alerts.values()] == ["discard-slow"]
    table.desk.decide("alert-0001", Decision(by="Li", action="accept"), "referee")
    table.settle()
    table.desk.decide("alert-0001", Decision(by="Li", action="undo"), "referee")
    table.settle()
    table.journal.close()

    again = Running(tmp_path)
    [alert] = again.alerts.values()
    assert (alert["id"], alert.get("withdrawn", False)) == ("discard-slow", False)
    assert len(list(again.journal.entries([EntryKind.ALERT]))) == 1
    again.journal.close()


def test_a_hand_that_ended_because_nothing_happened_any_more_stays_as_it_was(
    tmp_path: Path,
) -> None:
    table = Running(tmp_path)
    scene = Scene().start().play()
    while scene.wall.front() is not None:
        scene.draw().play("?")
    table.tell(scene.said)
    assert table.hands == []
    table.controller.t += 11.0
    table.controller.judge([])
    ended = table.hands
    assert [(hand["result"], hand["confirmed"]) for hand in ended] == [("exhausted", True)]
    table.journal.close()

    again = Running(tmp_path)
    assert again.hands == ended
    assert len(list(again.journal.entries([EntryKind.HAND]))) == 1
    again.journal.close()
