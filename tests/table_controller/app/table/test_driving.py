"""The machine is driven: commands, orders, what the board says, and programs begun again."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firmware_bridge import messages as m
from firmware_bridge.errors import LinkLostError
from table_controller.app.ruling.ruled import RuledTable
from table_controller.app.table.core import TableController
from table_controller.app.table.driving import KNOWN_S, Driver
from table_controller.app.table.listeners import ConsoleFeed
from table_controller.app.table.next_wall import Mode, NextWall
from table_controller.console.forms import MachineForm, OffenceForm, RulingForm
from table_controller.console.hub import Hub
from table_controller.domain.happenings import HandClosed, HandShown, Happening, Machine, WallRaised
from table_controller.game.engine import Engine
from table_controller.happenings.view import TableView, TileView
from table_controller.record.journal import EntryKind, Journal
from table_controller.rulesets import load
from tests.table_controller.console.running import NoFollower
from tests.table_controller.game.scenes import READY, Scene, tiles
from vision.cameras.sources import Frame
from vision.sightings import Outcome, Sighting

START = m.StartCycle(tiles=144, players=4, tile_set=m.TileSet.NEXT)
MODE = m.Mode(tiles=144, players=4)


class Board:
    """A link whose board answers as it is told."""

    def __init__(self) -> None:
        self.connected = True
        self.got: list[m.CommandMessage] = []
        self.answers: list[m.Result | Exception] = []

    def post(self, command: m.CommandMessage) -> Future[m.Result]:
        self.got.append(command)
        done: Future[m.Result] = Future()
        answer = self.answers.pop(0) if self.answers else m.Result(m.Outcome.DONE, m.Block(0))
        if isinstance(answer, Exception):
            done.set_exception(answer)
        else:
            done.set_result(answer)
        return done


def view(machine: str, *tiles: tuple[float, float], covered: bool = False) -> TableView:
    lying = tuple(
        TileView(x, y, 20, 0, "face_down", "back", 1.0, "table", 0, 0.0) for x, y in tiles
    )
    poly = (((0.0, 0.0), (9.0, 0.0), (9.0, 9.0)),) if covered else ()
    return TableView(
        t=0.0, playing=False, machine=machine, tiles=lying, wall_tiles=0, hands=(None,) * 4,
        shown=(False,) * 4, dice=(), sticks=(0,) * 4, covered=poly, reach=(None,) * 4,
    )  # fmt: skip


def look(driver: Driver, t: float) -> None:
    picture = np.zeros((2, 2, 3), np.uint8)
    driver.frame(Frame(t, "top", picture, 1), Sighting(t, "top", Outcome.LOOKED))


class Rig:
    """A driver with a journal, a hub and a machine."""

    def __init__(self, root: Path) -> None:
        self.t = 10.0
        self.protests: set[str] = set()
        self.hub = Hub()
        self.journal = Journal.open(root / "journal.db")
        self.machine = Board()
        self.driver = self.new()
        self.hear(self.driver)
        self.hub.publish("hand", {"key": "hand-001", "t": self.t - 8.0, "confirmed": True})

    def new(self, mode: Mode = "auto") -> Driver:
        return Driver(
            self.journal, self.hub, lambda: self.t, NextWall(mode), START, 60.0,
            lambda: self.protests, lambda: False,
        )  # fmt: skip

    def hear(self, driver: Driver) -> None:
        """It has been looked for long enough, and the board was heard."""
        look(driver, self.t)
        driver.step(self.machine, view("ready"))
        self.t += KNOWN_S

    def step(self, seen: TableView) -> dict[str, Any]:
        self.t += 1.0
        self.driver.step(self.machine, seen)
        shown: dict[str, Any] = self.hub.snapshot()["machine"]
        return shown


def test_the_machine_is_driven_through_a_cycle(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    assert rig.step(view("ready", (0, 200)))["stage"] == "opening"
    shown = rig.step(view("hatch_open", (0, 200), (0, 10)))
    assert (shown["stage"], shown["why"]) == ("clearing", [{"code": "tiles", "count": 1}])
    for _ in range(4):
        rig.step(view("hatch_open", (0, 10)))
    assert rig.step(view("shuffling"))["stage"] == "done"
    assert [type(command) for command in rig.machine.got] == [m.StartCycle, m.Hatch]
    assert rig.machine.got[1] == m.Hatch(opening=False)


def test_a_refusal_of_the_board_is_shown_and_tried_again(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    blocked = m.Result(m.Outcome.BLOCKED, m.Block.HAND)
    rig.machine.answers = [blocked, LinkLostError("no answer")]
    rig.step(view("ready"))
    assert rig.step(view("ready"))["why"] == [{"code": "refused", "said": "hand"}]
    for _ in range(6):
        shown = rig.step(view("ready"))
    assert len(rig.machine.got) >= 3
    assert shown["stage"] == "opening"


def test_a_hatch_that_is_still_opening_is_closed_at_the_next_try(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.step(view("ready"))
    rig.machine.answers = [m.Result(m.Outcome.WRONG_STATE, m.Block(0))]
    shown = [rig.step(view("hatch_open")) for _ in range(6)]
    assert [one["why"] for one in shown] == [[]] * 6
    assert rig.machine.got[1:] == [m.Hatch(opening=False)] * 2


def test_orders_are_written_once_and_outlive_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    form = MachineForm(by="Li", action="hold", request="request-1")
    assert rig.driver.order(form, "referee") == rig.driver.order(form, "referee")
    assert rig.step(view("ready"))["why"] == [{"code": "hold"}]
    assert rig.machine.got == [m.Hold(on=True)]
    again = rig.new()
    again.load()
    rig.hear(again)
    again.step(rig.machine, view("ready"))
    assert rig.machine.got == [m.Hold(on=True), MODE, m.Hold(on=True)]
    assert again.order(form)["by"] == "Li"
    again.order(MachineForm(by="Li", action="release"))
    again.step(rig.machine, view("ready"))
    assert rig.machine.got[3:] == [m.Hold(on=False), START]
    written = [entry.body["machine"] for entry in rig.journal.entries([EntryKind.DECISION])]
    assert written == ["hold", "release"]


def test_a_fault_is_cleared_by_order_and_what_the_board_says_to_it_is_shown(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    fault = {"code": "machine_fault"}
    shown = rig.step(view("fault"))
    assert (shown["phase"], shown["why"]) == ("fault", [fault])
    rig.machine.answers = [m.Result(m.Outcome.BLOCKED, m.Block.STOP)]
    clear = MachineForm(by="Li", action="clear_fault")
    rig.driver.order(clear, "referee")
    rig.step(view("fault"))
    assert rig.step(view("fault"))["why"] == [fault, {"code": "refused", "said": "stop"}]
    rig.driver.order(clear, "referee")
    rig.step(view("fault"))
    shown = rig.step(view("idle"))
    assert (shown["phase"], shown["why"]) == ("idle", [{"code": "ask"}])
    assert rig.machine.got == [m.ClearFault()] * 2
    rig.driver.order(MachineForm(by="Li", action="next_wall"), "referee")
    rig.step(view("idle"))
    assert rig.machine.got[2:] == [START]


def test_a_fault_that_is_cleared_leaves_the_machine_held(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    for action in ("hold", "clear_fault"):
        rig.driver.order(MachineForm(by="Li", action=action), "referee")
    assert rig.step(view("idle"))["held"]
    again = rig.new()
    again.load()
    again.step(rig.machine, view("idle"))
    assert rig.machine.got == [m.Hold(on=True), m.ClearFault(), MODE, m.Hold(on=True)]


def test_a_board_that_answers_again_is_told_what_stands(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.driver.reconnected()
    rig.driver.order(MachineForm(by="Li", action="hold"))
    rig.step(view("ready"))
    rig.machine.got.clear()
    rig.driver.reconnected()
    rig.step(view("ready"))
    assert rig.machine.got == [MODE, m.Hold(on=True)]
    rig.driver.order(MachineForm(by="Li", action="release"))
    rig.driver.reconnected()
    rig.step(view("ready"))
    assert rig.machine.got[2:] == [m.Hold(on=False), MODE, START]


@pytest.mark.parametrize("mode", ["auto", "ask", "off"])
def test_a_board_is_told_which_walls_before_the_first_hand(tmp_path: Path, mode: Mode) -> None:
    """Players begin a session with the button on the table, which starts what the board knows."""
    rig = Rig(tmp_path)
    rig.hub = Hub()
    rig.driver = rig.new(mode)
    rig.driver.reconnected()
    rig.step(view("idle"))
    assert rig.machine.got == [MODE]


def test_an_alert_that_costs_and_nobody_decided_holds_it(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    alert = {"key": "alert-0001", "id": "false-win", "ruling": {"points": 30}, "decision": None}
    rig.hub.publish("alert", alert)
    assert rig.step(view("ready"))["why"] == [{"code": "undecided", "about": ["alert-0001"]}]
    rig.hub.publish("decision", {"key": "alert-0001", "decision": {"action": "accept"}})
    assert rig.step(view("ready"))["stage"] == "opening"


def test_nothing_is_opened_before_it_was_looked_at_and_the_board_was_heard(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.driver = rig.new()
    for _ in range(10):
        shown = rig.step(view("ready"))
    assert (shown["stage"], shown["why"]) == ("held", [{"code": "not_seen"}])
    look(rig.driver, rig.t)
    for _ in range(round(KNOWN_S)):
        rig.step(view("ready"))
    assert rig.machine.got == []
    # What the board kept while it was alone comes before anything is asked of it.
    rig.machine.connected = False
    rig.step(view("ready"))
    rig.machine.connected = True
    for _ in range(round(KNOWN_S)):
        rig.step(view("ready"))
    assert rig.machine.got == []
    rig.step(view("ready"))
    assert [type(command) for command in rig.machine.got] == [m.StartCycle]


# -- a program that is ended and begun again -------------------------------------------------------


class Run:
    """A table over the journal in ``root``: rules, referee, machine; told what happens."""

    def __init__(self, root: Path) -> None:
        self.t = 0.0
        self.journal = Journal.open(root / "journal.db")
        if not self.journal.head[0]:
            self.journal.append([(0.0, EntryKind.SESSION, {"ruleset": "mcr-1998", "east": 0})])
        self.hub, self.board = Hub(), Board()
        rules = load("mcr-1998")
        self.ruled = RuledTable(self.journal, self.hub, lambda v: Engine(rules, 0, v))
        feed = ConsoleFeed(self.hub, dict, dict)
        self.controller = TableController(NoFollower(), Engine(rules, 0), self.journal, [feed])
        self.ruled.attach(self.controller)
        self.driver = Driver(
            self.journal, self.hub, lambda: self.t, NextWall(), START, 60.0, set, lambda: False
        )
        self.controller.add_listener(self.driver)
        self.ruled.resume()
        self.driver.load()

    def tell(self, happenings: list[Happening]) -> None:
        for happening in happenings:
            self.controller.t = self.t = max(self.t, happening.t)
            self.controller.judge([happening])

    def drive(self, phase: str) -> list[m.CommandMessage]:
        """What the board is to do within half a minute in which the machine stays as it is."""
        self.t = self.controller.t + 10.0
        look(self.driver, self.t)
        for _ in range(30):
            self.t += 1.0
            self.driver.step(self.board, view(phase))
        assert self.board.got.pop(0) == MODE
        return self.board.got


def two_hands() -> list[Happening]:
    """A hand that is won and closed, a cycle of the machine, and some turns of the next hand."""
    first = Scene().start().play().rounds(2).draw().play("3s")
    first.say(HandShown, seat=(first.turn + 1) % 4, tiles=tiles(READY))
    first.say(HandClosed, 3.0, seat=(first.turn + 1) % 4)
    for state in ("hatch_open", "shuffling", "raising", "ready"):
        first.say(Machine, 9.0, state=state)
    second = Scene(2, dealer=1)
    second.t = first.t
    second.start().play().rounds(4)
    return first.said + second.said


def upto(kind: type[Happening], number: int = 1, **fields: str) -> list[Happening]:
    """Those up to the first (second …) of that kind."""
    story, left = two_hands(), number
    for at, happening in enumerate(story, start=1):
        fits = all(getattr(happening, name, None) == value for name, value in fields.items())
        left -= isinstance(happening, kind) and fits
        if not left:
            return story[:at]
    raise AssertionError(kind)


def then(told: list[Happening], *states: str) -> list[Happening]:
    """And the machine went through these."""
    t = told[-1].t
    return [*told, *(Machine(t=t + n, state=s) for n, s in enumerate(states, 1))]  # type: ignore[arg-type]


CUTS: dict[str, tuple[list[Happening], str, list[m.CommandMessage]]] = {
    "the next wall is due": (upto(HandClosed), "ready", [START]),
    "the hatch is open": (
        upto(Machine, state="hatch_open"),
        "hatch_open",
        [m.Hatch(opening=False)],
    ),
    "the tiles are shuffled": (upto(Machine, state="shuffling"), "ready", []),
    "the walls come up": (upto(Machine, state="raising"), "ready", []),
    "the walls stand": (upto(WallRaised, 2), "ready", []),
    "the next hand is played": (two_hands(), "ready", []),
    "a fault ended the shuffling": (
        then(upto(Machine, state="shuffling"), "fault"),
        "fault",
        [],
    ),
    "a fault ended the shuffling, and was cleared": (
        then(upto(Machine, state="raising"), "fault", "idle"),
        "idle",
        [START],
    ),
    "a power cut ended the shuffling": (
        then(upto(Machine, state="shuffling"), "idle"),
        "idle",
        [START],
    ),
    "the walls stand, and nobody has seen them yet, in a fault that was cleared": (
        then(upto(Machine, state="ready"), "fault", "ready"),
        "ready",
        [],
    ),
    "a fault while the next hand is played": (then(two_hands(), "fault"), "fault", []),
    "a fault while the next hand is played, and it was cleared": (
        then(two_hands(), "fault", "ready"),
        "ready",
        [],
    ),
}


@pytest.mark.parametrize(("told", "phase", "commands"), CUTS.values(), ids=CUTS)
def test_a_program_begun_again_asks_for_the_next_wall_only_where_it_is_due(
    tmp_path: Path, told: list[Happening], phase: str, commands: list[m.CommandMessage]
) -> None:
    before = Run(tmp_path)
    before.tell(told)
    before.journal.close()
    again = Run(tmp_path)
    [hand] = again.hub.snapshot()["hands"]
    assert (hand["key"], hand["confirmed"]) == ("hand-001", True)
    got = again.drive(phase)
    # An order is repeated while the machine does not follow it.
    assert got[: len(commands)] == commands
    assert set(map(repr, got)) == set(map(repr, commands))
    again.journal.close()


def test_what_the_referee_has_entered_himself_holds_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.tell(upto(HandClosed))
    ruling = RulingForm(points=9, pay="each")
    run.ruled.corrections.enter(OffenceForm(by="Li", seat=2, about="speech", ruling=ruling))
    run.ruled.judge_again()
    [alert] = run.hub.snapshot()["alerts"]
    assert (alert["ruling"]["points"], alert["decision"]) == (9, None)
    assert run.drive("ready")[:1] == [START]
    run.journal.close()


def test_a_hand_given_up_unseen_is_confirmed_while_the_next_one_is_played(tmp_path: Path) -> None:
    """It ends as the walls after it stand, which is told a moment after the machine is ready."""
    run = Run(tmp_path)
    scene = Scene().start().play().rounds(3)
    for state in ("hatch_open", "shuffling", "raising", "ready"):
        scene.say(Machine, 9.0, state=state)
    scene.said.append(WallRaised(t=scene.t - 1.0, stacks=(18, 18, 18, 18)))
    second = Scene(2)
    second.t = scene.t
    second.start().play().rounds(3)
    run.tell(scene.said + second.said[1:])
    [hand] = run.hub.snapshot()["hands"]
    assert (hand["result"], hand["confirmed"]) == ("abort", False)
    run.hub.publish("hand", {**hand, "confirmed": True})
    assert run.drive("ready") == []
    run.journal.close()
