"""Hands of the virtual table, seen by the ideal eye and followed; no pictures, no threads."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.messages import (
    DiceChanged,
    DicePhase,
    Fault,
    Key,
    KeyPressed,
    MachineChanged,
    MachineState,
    SticksChanged,
    TileSet,
    Vibration,
    WallPresence,
)
from firmware_bridge.readings import Reading
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.stage import Infraction, MachineInput
from table_controller.domain.happenings import Happening
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.game.riichi.rules import rules_of
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from table_controller.rulesets import load
from tests.table_controller.happenings.ideal_eye import Flaws, IdealEye
from vision.geometry import TableGeometry
from vision.sightings import Sighting

DATA = Path(__file__).parents[3] / "hardware/virtual_table/data"
GEOMETRY = DATA / "geometry-mcr.toml"

_STATES = {
    "idle": MachineState.IDLE,
    "hatch_open": MachineState.HATCH_OPEN,
    "shuffling": MachineState.SHUFFLING,
    "raising": MachineState.RAISING,
    "ready": MachineState.READY,
    "fault": MachineState.FAULT,
}


class Sensors:
    """What the board would say about the virtual table's sensor inputs."""

    def __init__(self) -> None:
        self._walls = [0, 0, 0, 0]
        self._lost = False
        self._sticks = 0

    def reading(self, given: MachineInput) -> Reading | None:
        """The reading of one input, or None where the board says nothing."""
        data = given.data
        match given.kind:
            case "wall":
                bits = sum(1 << index for index, bit in enumerate(data["bits"]) if bit)
                if self._walls[data["side"]] == bits:
                    return None
                self._walls[data["side"]] = bits
                a, b, c, d = self._walls
                return Reading(given.t, WallPresence((a, b, c, d)))
            case "key":
                return Reading(given.t, KeyPressed(data["seat"], Key[data["call"].upper()]))
            case "lost":
                # The board notices when it has no tiles left to raise.
                self._lost = True
                return None
            case "state":
                state = _STATES[data["state"]]
                lacking = self._lost and state is MachineState.FAULT
                fault = Fault.MISSING_TILES if lacking else Fault.NONE
                changed = MachineChanged(state, fault, 144, 4, TileSet.A)
                return Reading(given.t, changed)
            case "dice":
                phase = DicePhase.IN_TRAY if data["tray"] else DicePhase.REMOVED
                return Reading(given.t, DiceChanged(phase))
            case "stick":
                bit = 1 << data["seat"]
                self._sticks = self._sticks | bit if data["present"] else self._sticks & ~bit
                return Reading(given.t, SticksChanged(self._sticks))
            case "vibration":
                return Reading(given.t, Vibration(int(1000 * data["strength"]), 200))


@dataclass(frozen=True)
class Played:
    """A session: what happened, what was followed, what the rules said to it."""

    truth: list[Happening]
    infractions: list[Infraction]
    found: list[Happening]
    released: list[float]
    """The input time at which each happening left the follower."""
    alerts: list[Alert]
    hands: list[HandRecord]
    duration: float


def inputs(
    director: Director,
    eye: IdealEye,
    seed: int,
    until: float | None = None,
    looks: Callable[[float], bool] | None = None,
) -> Iterator[Sighting | Reading]:
    """Everything the controller would be told, in order of time.

    ``looks`` says at which times the computer has time for a picture; None: for all.
    """
    rng = random.Random(seed)
    end = director.duration if until is None else until
    t = last = 0.0
    sensors = Sensors()
    while t < end:
        for given in director.machine_inputs(last - 1.0 if last == 0.0 else last, t):
            reading = sensors.reading(given)
            if reading is not None:
                yield reading
        looked = looks is None or looks(t)
        sighting = eye.look(director.scene(t)) if looked else None
        if sighting is not None:
            yield sighting
        last = t
        t += 0.1 + rng.uniform(-0.004, 0.004)


def table_of(ruleset: str) -> tuple[TableGeometry, Setup]:
    """The zones and the set-up of the virtual table for a ruleset."""
    rules = load(ruleset)
    riichi = rules.family == "riichi"
    equipment = rules.equipment
    zones = "sanma" if equipment.players == 3 else rules.family
    geometry = TableGeometry.load(DATA / f"geometry-{zones}.toml")
    setup = Setup(
        equipment.players,
        equipment.tiles,
        sticks=riichi,
        indicators=riichi,
        replacements=rules_of(rules).replacements if riichi else 0,
    )
    return geometry, setup


def follow(
    director: Director,
    seed: int = 0,
    flaws: Flaws | None = None,
    setup: Setup | None = None,
    until: float | None = None,
    looks: Callable[[float], bool] | None = None,
) -> Played:
    """A director's session followed and judged, up to a time or to its end.

    The rules hear each happening when it is told, and the time of every input, as in the
    controller: what an alert's ``t_raised`` says is when a referee would have seen it.
    """
    ruleset = director.scenario.ruleset
    geometry, usual = table_of(ruleset)
    follower = Follower(geometry, setup or usual)
    engine = Engine(load(ruleset), director.scenario.east)
    eye = IdealEye(geometry, seed, flaws)
    found: list[Happening] = []
    released: list[float] = []
    said: list[object] = []
    now = 0.0
    for given in inputs(director, eye, seed, until, looks):
        now = max(now, given.t)
        if isinstance(given, Sighting):
            news = follower.sighting(given)
        else:
            news = follower.reading(given)
        found += news
        released += [given.t] * len(news)
        for happening in news:
            said += engine.step(happening)
        said += engine.pass_time(follower.watched(now))
    rest = follower.flush()
    found += rest
    released += [now] * len(rest)
    for happening in rest:
        said += engine.step(happening)
    said += engine.flush(follower.watched(now))
    return Played(
        director.truth(t1=until),
        director.infractions(t1=until),
        found,
        released,
        [each for each in said if isinstance(each, Alert)],
        [each for each in said if isinstance(each, HandRecord)],
        director.duration if until is None else until,
    )
