"""A tile at rest, and what can become of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.faces import FaceEvidence
from table_controller.happenings.looks.places import Spot
from vision.sightings import Point, Posture

WHOLE = 0.9
"""Share of a tile from which it is seen as a whole."""


@dataclass(slots=True, eq=False)
class Rest:
    """A tile lying still, or a candidate that has not lain still for long enough.

    Attributes:
        spot: its place; refreshed when it moves.
        since: the first look that saw it still.
        arrived: the moment at which it came to rest, from the arm that put it there.
        seen, shown: the last look that saw it, and which share of it was in sight then.
        looks, whole, clear: looks that saw it so; those among them that saw it whole, and those
            of these that had nothing near it.
        missing: the first look that found its place empty, while it is not seen.
        unseen_from, left: set when it has left: the last look before, the moment of leaving.
        by: the side whose arm put it there, or took it away once it has left.
    """

    number: int
    x: float
    y: float
    z: float
    angle: float
    posture: Posture
    spot: Spot
    since: float
    seen: float
    shown: float = 1.0
    face: FaceEvidence = field(default_factory=FaceEvidence)
    looks: int = 1
    whole: int = 0
    clear: int = 0
    believed: bool = False
    arrived: float = 0.0
    by: Seat | None = None
    covered: float = -1e9
    missing: float | None = None
    misses: int = 0
    left: float | None = None
    stood: bool = False
    """It was turned over where it stood: what lies there is the row, no set."""
    # A changed place or posture that is not believed yet: value, since, looks.
    shift: tuple[float, float, float, float, int] | None = None
    turn: tuple[Posture, float, int] | None = None
    next_face: FaceEvidence | None = None

    @property
    def point(self) -> Point:
        """Centre of its upper side, mm."""
        return self.x, self.y

    @property
    def flat(self) -> bool:
        """Whether it lies on one of its faces."""
        return self.posture in (Posture.FACE_UP, Posture.FACE_DOWN)


@dataclass(frozen=True, slots=True)
class Arrived:
    """A tile is believed to have come to rest."""

    rest: Rest


@dataclass(frozen=True, slots=True)
class Left:
    """A tile is believed to have left its place."""

    rest: Rest


@dataclass(frozen=True, slots=True)
class Turned:
    """A tile turned over where it lies; ``t`` is when it was first seen so."""

    rest: Rest
    before: Posture
    t: float


@dataclass(frozen=True, slots=True)
class Moved:
    """A tile slid to a new place without ever being believed gone."""

    rest: Rest
    origin: Spot
    t: float


@dataclass(frozen=True, slots=True)
class Joined:
    """A flat tile that was taken for one of the hand belongs to the set that was laid beside it."""

    rest: Rest


Change = Arrived | Left | Turned | Moved | Joined
