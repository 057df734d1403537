"""Happenings: what physically happened on the table (contract, section 2).

One frozen dataclass per kind. They are observations, legal or not; nothing here knows the
rules. ``t`` is in seconds on the recording's own clock. ``confidence`` is the observer's own
(1.0 where somebody typed it in); it does not take part in equality of meaning. ``foreign`` is true
where a tile of it is surely of another set than the enrolled one (its face is then ``?``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from table_controller.domain.tiles import Tile

Seat = Literal[0, 1, 2, 3]
"""The player at that side of the table, counter-clockwise seen from above."""

Layer = Literal["top", "bottom"]


class Slot(NamedTuple):
    """A place in a wall: ``stack`` counts 1.. from that player's right end to the left."""

    side: Seat
    stack: int
    layer: Layer


class Place(NamedTuple):
    """A place in a pool: row 0 is nearest the centre, column 0 at the player's left."""

    row: int
    col: int


DrawStage = Literal["touched", "lifted", "seen", "taken"]
ExposedWhere = Literal["hand", "wall", "dead_wall", "table"]
NotLookedWhere = Literal["wall", "pool", "hand", "meld", "middle", "all"]
CallKind = Literal[
    "chow", "pung", "kong", "win", "riichi", "flower", "nine_terminals", "pass", "referee"
]
MachineState = Literal["idle", "hatch_open", "shuffling", "raising", "ready", "fault"]
ClockEvent = Literal["session_started", "session_ended", "paused", "resumed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    t: float
    confidence: float = 1.0
    foreign: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSet(_Base):
    """The state handed over before a hand (not observed)."""

    kind: Literal["table_set"] = "table_set"
    round_wind: Literal["E", "S", "W", "N"] = "E"
    dealer: Seat = 0
    hand: int = 1
    honba: int = 0
    sticks: int = 0
    scores: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WallRaised(_Base):
    """The walls stand on the table: stacks per side."""

    kind: Literal["wall_raised"] = "wall_raised"
    stacks: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRolled(_Base):
    """Dice at rest; ``valid`` is false when off the table, cocked or unreadable."""

    kind: Literal["dice_rolled"] = "dice_rolled"
    values: tuple[int, ...]
    seat: Seat | None = None
    valid: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRemoved(_Base):
    """The dice were taken out of the middle."""

    kind: Literal["dice_removed"] = "dice_removed"
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDrawn(_Base):
    """Tiles leave the wall; an ordinary draw sends ``taken`` alone."""

    kind: Literal["tile_drawn"] = "tile_drawn"
    seat: Seat | None
    slots: tuple[Slot, ...]
    stage: DrawStage = "taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class TileReturned(_Base):
    """Tiles were put back on the wall."""

    kind: Literal["tile_returned"] = "tile_returned"
    seat: Seat | None
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDiscarded(_Base):
    """A tile came to rest in that seat's pool; ``drawn`` where it was seen which tile left."""

    kind: Literal["tile_discarded"] = "tile_discarded"
    seat: Seat
    tile: Tile
    place: Place | None = None
    rotated: bool = False
    drawn: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileRetracted(_Base):
    """A discarded tile went back to its owner's hand."""

    kind: Literal["tile_retracted"] = "tile_retracted"
    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class TileClaimed(_Base):
    """The latest discard left the pool for another seat's meld area."""

    kind: Literal["tile_claimed"] = "tile_claimed"
    seat: Seat
    tile: Tile
    from_: Seat | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldShown(_Base):
    """A set came to rest in the meld area."""

    kind: Literal["meld_shown"] = "meld_shown"
    seat: Seat
    tiles: tuple[Tile, ...]
    claimed: int | None = None
    sideways: int | None = None
    face_down: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MeldExtended(_Base):
    """A fourth tile joined an exposed pung."""

    kind: Literal["meld_extended"] = "meld_extended"
    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowerShown(_Base):
    """A flower was laid out."""

    kind: Literal["flower_shown"] = "flower_shown"
    seat: Seat
    tile: Tile


@dataclass(frozen=True, slots=True, kw_only=True)
class NorthShown(_Base):
    """Three-player riichi: north set aside."""

    kind: Literal["north_shown"] = "north_shown"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class IndicatorTurned(_Base):
    """A dora indicator was turned up."""

    kind: Literal["indicator_turned"] = "indicator_turned"
    tile: Tile
    slot: Slot | None = None
    seat: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StickPlaced(_Base):
    """A riichi stick is in the groove."""

    kind: Literal["stick_placed"] = "stick_placed"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TileExposed(_Base):
    """A face that should be hidden can be seen."""

    kind: Literal["tile_exposed"] = "tile_exposed"
    where: ExposedWhere
    seat: Seat | None
    tile: Tile
    by: Seat | None = None
    slot: Slot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileCovered(_Base):
    """An exposed tile is hidden again."""

    kind: Literal["tile_covered"] = "tile_covered"
    where: ExposedWhere
    seat: Seat | None
    tile: Tile
    by: Seat | None = None
    slot: Slot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WallDisturbed(_Base):
    """Stacks were pushed out of line, toppled or scattered."""

    kind: Literal["wall_disturbed"] = "wall_disturbed"
    side: Seat
    stacks: tuple[int, ...]
    by: Seat | None = None
    recoverable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolDisturbed(_Base):
    """A pool was pushed out of order."""

    kind: Literal["pool_disturbed"] = "pool_disturbed"
    seat: Seat
    by: Seat | None = None
    recoverable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HandCounted(_Base):
    """Standing tiles counted, hand at rest."""

    kind: Literal["hand_counted"] = "hand_counted"
    seat: Seat
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown(_Base):
    """Standing tiles laid open together; ``apart`` is a winning tile lying beside them."""

    kind: Literal["hand_shown"] = "hand_shown"
    seat: Seat
    tiles: tuple[Tile, ...]
    apart: Tile | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandHidden(_Base):
    """An opened hand was stood up again or turned face down."""

    kind: Literal["hand_hidden"] = "hand_hidden"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class HandClosed(_Base):
    """The referee turned one tile of the winning hand face down: the hand is over."""

    kind: Literal["hand_closed"] = "hand_closed"
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class NotLooked(_Base):
    """Covered, lost or failed: nothing may be concluded from absence there.

    ``until`` is None while that goes on; it is told again when it is over.
    """

    kind: Literal["not_looked"] = "not_looked"
    where: NotLookedWhere
    seat: Seat | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(_Base):
    """A seat button."""

    kind: Literal["call"] = "call"
    seat: Seat
    call: CallKind


def call_key(t: float, seat: int) -> str:
    """A call's name at its table and in the hall: when it was, ms since 1970, and whose."""
    return f"call-{round(t * 1000)}-{seat}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine(_Base):
    """The automatic table reports its state."""

    kind: Literal["machine"] = "machine"
    state: MachineState
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock(_Base):
    """The referee's clock."""

    kind: Literal["clock"] = "clock"
    event: ClockEvent


Happening = (
    TableSet
    | WallRaised
    | DiceRolled
    | DiceRemoved
    | TileDrawn
    | TileReturned
    | TileDiscarded
    | TileRetracted
    | TileClaimed
    | MeldShown
    | MeldExtended
    | FlowerShown
    | NorthShown
    | IndicatorTurned
    | StickPlaced
    | TileExposed
    | TileCovered
    | WallDisturbed
    | PoolDisturbed
    | HandCounted
    | HandShown
    | HandHidden
    | HandClosed
    | NotLooked
    | Call
    | Machine
    | Clock
)
