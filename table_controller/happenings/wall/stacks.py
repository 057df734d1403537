"""One stack of a wall, and what can become of it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from table_controller.domain.happenings import Layer, Seat, Slot
from table_controller.domain.tiles import Tile
from table_controller.happenings.looks.faces import FaceEvidence
from vision.sightings import Point

Key = tuple[Seat, int]
"""Side and number of a stack."""
LAYERS: Final[tuple[Layer, Layer]] = ("bottom", "top")


@dataclass(frozen=True, slots=True)
class Glance:
    """One look at a stack: height, confidence and distance from the line (mm) of its upper tile.

    A height of 0 where no tile was found, whatever hid it; ``hidden``: an arm was over the stack.
    """

    t: float
    height: int
    confidence: float
    across: float
    hidden: bool = False


@dataclass(slots=True)
class Stack:
    """One stack: believed height, and the height that the last looks speak for instead."""

    side: Seat
    number: int
    point: Point
    height: int = 0
    stood: bool = False
    """It was seen to stand since the walls came up."""
    presumed: bool = False
    """Its upper tile is in a hand that was counted, whatever the eye makes of its height."""
    seen: float = -1e9
    looked: float = -1e9
    covered: float = -1e9
    other: int | None = None
    other_since: float = 0.0
    other_looks: int = 0
    doubted: bool = False
    lower_since: float = 0.0
    lower_from: float = 0.0
    lower_seen: float = 0.0
    lower_looks: int = 0
    """First and last look at which only one of its two tiles was seen, how many those were, and the
    last look before them that saw both."""
    mixed_from: float = -1e9
    mixed_seen: float = -1e9
    """The last look that saw both before looks came now and then that saw only one, and the last
    of these."""
    present: bool | None = None
    present_since: float = -1e9
    emptied: float = -1e9
    lost: int = 0
    """How many tiles it had when it was emptied."""
    askew: float = -1e9
    in_line: bool = False
    face_up: FaceEvidence | None = None
    face_up_since: float = 0.0
    face_up_seen: float = 0.0
    face_down_since: float | None = None
    down_seen: float = -1e9
    """When its back was last seen."""
    exposed: bool = False
    turned_down: float = -1e9
    """When a face that showed was last hidden again."""
    open: Tile | None = None
    """The face that was told to show, where it was known."""
    lifted: Tile | None = None
    """That of the upper tile while it is away and the lower one is there."""
    bared: float = -1e9
    """When the tile below an open indicator was last seen face down: that one had been lifted."""
    glimpsed: float | None = None
    glimpses: int = 0
    """First look at a face on that tile since then, and how many those were."""
    unbared: deque[float] = field(default_factory=lambda: deque(maxlen=60))
    """Looks at a face on it before it was seen face down under the hand that is there now."""
    below: FaceEvidence = field(default_factory=FaceEvidence)
    """What was made out of it."""
    peeked: bool = False
    """It was told that somebody looked at it."""
    bare: list[float] = field(default_factory=list)
    """Looks that showed a back below an indicator that lies open: it was taken off."""
    backs: list[float] = field(default_factory=list)
    """The same at the height of the indicator: it was turned down, or that height is wrong."""
    off_line: float = 0.0
    skew: float = 0.0
    """How far a face that shows lies off its place, mm and degrees, on average."""
    glances: deque[Glance] = field(default_factory=lambda: deque(maxlen=60))
    """The last looks, oldest first."""

    @property
    def missed(self) -> bool:
        """Whether its sensor feels nothing, though it was not seen askew since."""
        return self.present is False and self.askew < self.present_since

    def showed(self, since: float) -> bool:
        """Whether its uppermost tile shows its face, or did after a time."""
        return self.exposed or self.turned_down >= since


@dataclass(frozen=True, slots=True)
class StackChanged:
    """A stack became lower or higher.

    ``since``..``until`` enclose the moment; ``t`` is the best estimate of it, ``by`` the
    side whose arm was there, if only one was.
    """

    slots: tuple[Slot, ...]
    taken: bool
    t: float
    since: float
    until: float
    by: Seat | None
    emptied: float | None = None
    """When the sensor said that the last tile left, if it did."""


@dataclass(frozen=True, slots=True)
class LiftedBack:
    """Stacks that the sensors missed for a moment under a hand: lifted and put back."""

    slots: tuple[Slot, ...]
    lifted: float
    back: float


@dataclass(frozen=True, slots=True)
class FaceSeen:
    """The uppermost tile of a stack shows its face, or hides it again.

    ``off_line`` and ``skew`` say how carelessly it lies: mm off its place, degrees out of line.
    """

    slot: Slot
    shown: bool
    face: FaceEvidence
    t: float
    by: Seat | None
    off_line: float = 0.0
    skew: float = 0.0
    peeked: bool = False
    """It was glimpsed under the hand that lifted the tile above it."""


@dataclass(frozen=True, slots=True)
class OutOfLine:
    """Stacks of a side that stand out of line, or do no longer."""

    side: Seat
    stacks: tuple[int, ...]
    t: float
    by: Seat | None


WallChange = StackChanged | LiftedBack | FaceSeen | OutOfLine
