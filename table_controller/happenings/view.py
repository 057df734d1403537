"""What is believed to lie where, for people and for the console. Plain values."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from vision.sightings import Polygon


@dataclass(frozen=True, slots=True)
class TileView:
    """One tile: mm and degrees in the table frame; ``tile`` is the notation.

    ``place`` says where it belongs: ``wall``, ``pool``, ``meld``, ``flower``, ``hand`` or
    ``table``; ``seat`` whose; ``slot``, ``cell`` and ``meld`` which place exactly.
    """

    x: float
    y: float
    z: float
    angle: float
    posture: str
    tile: str
    confidence: float
    place: str
    seat: int
    since: float
    slot: tuple[int, int, str] | None = None
    cell: tuple[int, int] | None = None
    meld: int | None = None
    faces: tuple[tuple[str, float], ...] = ()
    """What the face may be, with the share of the evidence for each, best first."""


@dataclass(frozen=True, slots=True)
class DieView:
    """One die at rest."""

    x: float
    y: float
    value: int | None


@dataclass(frozen=True, slots=True)
class TableView:
    """The whole table as it is believed to be.

    Attributes:
        t: time of the newest input.
        playing: the walls stand and the hand is not over.
        machine: the state of the machine, if it has said one.
        tiles: every tile that is believed to lie still.
        wall_tiles: tiles left in the walls.
        hands: standing tiles by seat, as last counted at rest; None before the first count.
        shown: whether each seat's hand lies open.
        dice, sticks: as last seen at rest.
        covered: what the cameras do not see at the moment, mm.
        reach: the fingertips of each side, mm.
        blind_since: since when nothing at all has been seen, or None.
    """

    t: float
    playing: bool
    machine: str | None
    tiles: tuple[TileView, ...]
    wall_tiles: int
    hands: tuple[int | None, ...]
    shown: tuple[bool, ...]
    dice: tuple[DieView, ...]
    sticks: tuple[int, ...]
    covered: tuple[Polygon, ...]
    reach: tuple[tuple[float, float] | None, ...]
    blind_since: float | None = None

    def to_object(self) -> dict[str, Any]:
        """For JSON: the same names, tuples as lists."""
        return dataclasses.asdict(self)
