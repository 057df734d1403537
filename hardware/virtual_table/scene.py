"""A moment of the physical scene: what lies where, in table millimetres.

The director (:mod:`hardware.virtual_table.play.director`) says what the scene is at a time; the
renderer (:mod:`hardware.virtual_table.camera.renderer`) turns it into a frame. Neither knows the
other; this is all that passes between them. Table frame and angles as in the contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Pose(StrEnum):
    """Which way up a tile is."""

    FACE_UP = "face_up"
    FACE_DOWN = "face_down"
    STANDING = "standing"
    """On its short edge, face towards the rail of ``angle``'s player: angle 0 faces side 0."""


@dataclass(frozen=True, slots=True)
class TileBody:
    """One of the physical tiles.

    ``key`` numbers the tile for the whole session (0..143); ``face`` is its notation; ``x``,
    ``y`` are the centre of its footprint, ``z`` the height of its underside, mm; ``angle`` is in
    degrees counter-clockwise, 0 upright for the player at side 0; ``tilt`` leans it towards
    its own top by so many degrees (a tile being turned over or peeked at); ``speed`` is mm/s
    along ``heading`` degrees, for motion blur.
    """

    key: int
    face: str
    x: float
    y: float
    z: float
    angle: float
    pose: Pose
    tilt: float = 0.0
    speed: float = 0.0
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class DieBody:
    """One die; ``value`` is its upper face; ``speed`` > 0 while it rolls; ``cocked`` leans."""

    x: float
    y: float
    angle: float
    value: int
    speed: float = 0.0
    cocked: bool = False


@dataclass(frozen=True, slots=True)
class StickBody:
    """A scoring stick (riichi stick) on the felt."""

    x: float
    y: float
    angle: float


@dataclass(frozen=True, slots=True)
class ArmBody:
    """A sleeve and a hand from ``side``'s rail to the fingertips at x, y, z mm.

    ``elbow`` is where the forearm crosses the rail (x, y); ``grip`` 0 open .. 1 closed;
    ``speed`` is mm/s of the fingertips along ``heading`` degrees, for motion blur.
    """

    side: int
    x: float
    y: float
    z: float
    elbow: tuple[float, float]
    grip: float = 0.0
    speed: float = 0.0
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class Scene:
    """The whole table at one time."""

    t: float
    tiles: tuple[TileBody, ...]
    dice: tuple[DieBody, ...] = ()
    sticks: tuple[StickBody, ...] = ()
    arms: tuple[ArmBody, ...] = ()
