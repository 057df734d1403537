"""Sightings: what one camera saw in one frame, in table millimetres.

The table frame is the contract's: origin at the centre of the playing surface, x to the
right and y up in the rectified picture of the first camera, z up from the felt; angles in
degrees counter-clockwise, a tile at 0 stands upright for the player at side 0.

"Not looked at" and "failed" are values of their own, never an empty list of tiles: nothing
may be concluded from the absence of a tile in a region that was not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Point = tuple[float, float]
Polygon = tuple[Point, ...]


class Posture(StrEnum):
    """How a tile lies."""

    FACE_UP = "face_up"
    FACE_DOWN = "face_down"
    STANDING = "standing"
    UNSURE = "unsure"


class Outcome(StrEnum):
    """What became of looking at a frame."""

    LOOKED = "looked"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TileSighting:
    """One tile in one frame.

    Attributes:
        x, y: centre of its upper side, mm, at the height ``z``.
        z: height of its upper side over the felt, mm (flat on the felt: its thickness; top of
            a two-high wall: twice that; standing: its length).
        angle: degrees; for a face-up tile the direction of the face, otherwise modulo 180.
        posture: how it lies.
        faces: readings of the face with their calibrated probabilities, best first; empty for
            tiles that show none. Labels are the model's.
        confidence: that there is a tile of this posture here.
        visible: share of the upper side that is not covered, 0..1.
        quad: its four corners in picture pixels.
        track: identity over time given by the tracker; -1 before tracking.
    """

    x: float
    y: float
    z: float
    angle: float
    posture: Posture
    faces: tuple[tuple[str, float], ...]
    confidence: float
    visible: float
    quad: tuple[Point, Point, Point, Point]
    track: int = -1


@dataclass(frozen=True, slots=True)
class DieSighting:
    """One die in one frame; ``value`` is None where it is moving, cocked or unreadable."""

    x: float
    y: float
    value: int | None
    confidence: float
    moving: bool


@dataclass(frozen=True, slots=True)
class StickSighting:
    """A scoring stick lying flat, mm and degrees modulo 180."""

    x: float
    y: float
    angle: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Sighting:
    """Everything one camera saw in one frame.

    ``covered`` are regions (mm, on the felt) that an arm or a hand hides or that are in
    motion; ``tiles`` lists only what lies outside of them or is clear in spite of them.
    ``reach`` gives for each side 0..3 how far an arm from that side reaches towards the
    centre: the tip's position in mm, or None.
    """

    t: float
    camera: str
    outcome: Outcome
    tiles: tuple[TileSighting, ...] = ()
    dice: tuple[DieSighting, ...] = ()
    sticks: tuple[StickSighting, ...] = ()
    covered: tuple[Polygon, ...] = ()
    reach: tuple[Point | None, Point | None, Point | None, Point | None] = (
        None,
        None,
        None,
        None,
    )
    reason: str | None = None
