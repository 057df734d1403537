"""Hands of the virtual table, seen by the ideal eye and followed; no pictures, no threads."""

from __future__ import annotations

import random
from collections.abc import Iterator
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
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from tests.table_controller.happenings.ideal_eye import Flaws, IdealEye
from vision.geometry import TableGeometry
from vision.sightings import Sighting

GEOMETRY = Path(__file__).parents[3] / "hardware/virtual_table/data/geometry-mcr.toml"

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
            case "state":
                changed = MachineChanged(_STATES[data["state"]], Fault.NONE, 144, 4, TileSet.A)
                return Reading(given.t, changed)
            case "dice":
                phase = DicePhase.IN_TRAY if data["tray"] else DicePhase.REMOVED
                return Reading(given.t, DiceChanged(phase))
            case "stick":
                self._sticks |= int(data["present"]) << data["seat"]
                return Reading(given.t, SticksChanged(self._sticks))
            case "vibration":
                return Reading(given.t, Vibration(int(1000 * data["strength"]), 200))


@dataclass(frozen=True)
class Played:
    """One hand: what happened, what was followed."""

    truth: list[Happening]
    infractions: list[Infraction]
    found: list[Happening]
    released: list[float]
    """The input time at which each happening left the follower."""
    duration: float


def inputs(
    director: Director, eye: IdealEye, seed: int, until: float | None = None
) -> Iterator[Sighting | Reading]:
    """Everything the controller would be told, in order of time."""
    rng = random.Random(seed)
    end = director.duration if until is None else until
    t = last = 0.0
    sensors = Sensors()
    while t < end:
        for given in director.machine_inputs(last - 1.0 if last == 0.0 else last, t):
            reading = sensors.reading(given)
            if reading is not None:
                yield reading
        sighting = eye.look(director.scene(t))
        if sighting is not None:
            yield sighting
        last = t
        t += 0.1 + rng.uniform(-0.004, 0.004)


def follow(
    director: Director,
    seed: int = 0,
    flaws: Flaws | None = None,
    setup: Setup | None = None,
) -> Played:
    """A director's whole session followed."""
    geometry = TableGeometry.load(GEOMETRY)
    follower = Follower(geometry, setup or Setup())
    eye = IdealEye(geometry, seed, flaws)
    found: list[Happening] = []
    released: list[float] = []
    for given in inputs(director, eye, seed):
        if isinstance(given, Sighting):
            news = follower.sighting(given)
        else:
            news = follower.reading(given)
        found += news
        released += [given.t] * len(news)
    rest = follower.flush()
    found += rest
    released += [director.duration] * len(rest)
    return Played(director.truth(), director.infractions(), found, released, director.duration)
