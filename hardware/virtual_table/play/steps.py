"""What the players do, step by step: the script that the choreography turns into motion.

A step says who does what with which physical tile (a *token*, numbered by the wall slot in
which it stood at the start of the hand); it knows no positions and no times. Illegal things
are steps like any other; a :class:`Fault` after a step says that it was an infraction.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hardware.virtual_table.play.rarer_steps import (
    AddTile,
    CoverIndicator,
    FoldHand,
    HideTile,
    PeekBelow,
    PlaceStick,
    PutBackDeal,
    SetNorth,
    StraightenWall,
    SwapTile,
    Token,
    TurnIndicator,
    TurnUra,
)
from table_controller.domain.happenings import CallKind, DrawStage, Place, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """What is handed over before a hand."""

    round_wind: Literal["E", "S", "W", "N"]
    dealer: Seat
    hand: int
    honba: int = 0
    sticks: int = 0
    scores: tuple[int, int, int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineCycle:
    """The machine swallows what lies on the table, shuffles and raises the walls."""

    dealer: Seat
    crooked: tuple[Seat, int] | None = None
    """A wall that comes up crooked: its side and how many stacks."""
    missing: tuple[Seat, int] | None = None
    """A wall that comes up short: its side and how many stacks are missing at its left end."""
    lost: int = 0
    """So many stacks cannot be built: the machine stops with a fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowDice:
    """Two dice thrown; ``flaw`` makes the throw invalid."""

    seat: Seat
    values: tuple[int, int]
    flaw: Literal["cocked", "off_zone"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDice:
    """The dice are taken out of the middle."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class DealTake:
    """Tiles taken together in the deal; ``lifted`` and ``seen`` ones are put back.

    ``looked`` are those that are looked at where they are ``seen``.
    """

    seat: Seat
    tokens: tuple[Token, ...]
    upto: Literal["lifted", "seen", "taken"] = "taken"
    looked: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SortHands:
    """Everybody puts the hand in order after the deal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidy:
    """A drawn tile is put among the others, and the arm goes home; ``wait`` until it is done."""

    seat: Seat
    wait: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """A tile leaves the wall.

    ``premature`` starts while the discard before it is still on its way; ``upto`` is how far
    it goes; ``staged`` draws so slowly that every stage can be told.
    """

    seat: Seat
    token: Token
    upto: DrawStage = "taken"
    premature: bool = False
    staged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """A tile held (or taken) goes back to its place on the wall."""

    seat: Seat
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Discard:
    """A tile goes to the pool. ``hold`` is how long it is held in the air (s)."""

    seat: Seat
    token: Token
    place: Place | None
    drawn: bool
    hold: float = 0.0
    think: float = 0.0
    rotated: bool = False
    astray: tuple[float, float] | None = None
    """Where it lies instead, (right, offset) mm in the seat's frame: outside the rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retract:
    """A discard goes back to its owner's hand."""

    seat: Seat
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The latest discard is taken and shown with tiles of the hand.

    ``tokens`` in the order in which they lie from left to right; ``sideways`` and ``claimed``
    are indices into it. ``leave`` leaves the discard in the pool (then ``tokens`` lack it);
    ``fetch_last``: the tiles of the hand are laid before it is fetched.
    """

    seat: Seat
    call: Literal["chow", "pung", "kong"]
    from_seat: Seat
    token: Token
    tokens: tuple[Token, ...]
    claimed: int | None
    sideways: int | None
    leave: bool = False
    fetch_last: bool = False
    press: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBackMeld:
    """A set just shown goes back: own tiles to the hand, the discard to its pool."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcealedKong:
    """Four tiles of the hand laid down; those of ``face_down`` (indices) hidden."""

    seat: Seat
    tokens: tuple[Token, ...]
    face_down: tuple[int, ...] = (0, 1, 2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedKong:
    """A fourth tile joins the pung that holds ``to``."""

    seat: Seat
    token: Token
    to: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowFlower:
    """A flower is laid out."""

    seat: Seat
    token: Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A seat button."""

    seat: Seat
    call: CallKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Nothing for a while (s)."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowHand:
    """A hand is laid open. ``apart`` lies beside it; a discard is fetched from the pool first."""

    seat: Seat
    apart: Token | None = None
    from_seat: Seat | None = None
    press: bool = True
    turn_kongs: bool = True
    """Turn the concealed kongs up with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HideHand:
    """An opened hand is stood up again, with the tile that lay apart."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseHand:
    """The referee turns one tile of the winning hand face down."""

    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposeHand:
    """Tiles of ``seat``'s hand fall over face up and are stood up again by their owner."""

    seat: Seat
    tokens: tuple[Token, ...]
    by: Seat
    lie: float = 1.6


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposeWall:
    """A wall tile is knocked over face up and put back."""

    token: Token
    by: Seat
    lie: float = 1.6
    where: Literal["wall", "dead_wall"] = "wall"


@dataclass(frozen=True, slots=True, kw_only=True)
class DisturbWall:
    """Stacks pushed out of line; ``fallen`` are top tiles that lie on the felt, face down.

    ``recoverable`` ones are put right again after ``lie`` seconds, others lie scattered.
    """

    by: Seat
    side: Seat
    tokens: tuple[Token, ...]
    fallen: tuple[Token, ...] = ()
    recoverable: bool = True
    lie: float = 1.8


@dataclass(frozen=True, slots=True, kw_only=True)
class DisturbPool:
    """A sleeve pushes tiles of a pool out of order; they are put right again."""

    by: Seat
    seat: Seat
    tokens: tuple[Token, ...]
    lie: float = 1.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The step before this one was (the evidence of) an infraction.

    Attributes:
        since: the kind of step with which the same seat began it, where that was earlier.
        discarded: the tile with whose discard it began, where that was earlier; ``at_once``: and
            was evident.
        counted: it is evident when the seat's standing tiles can be counted after the step.
    """

    id: str
    seat: Seat | None
    stage: str | None = None
    since: type | None = None
    discarded: Token | None = None
    at_once: bool = False
    counted: bool = False
    detail: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEnd:
    """The hand is over."""

    result: Literal["win", "exhausted", "abort"]


Step = (
    TableState
    | MachineCycle
    | ThrowDice
    | RemoveDice
    | DealTake
    | PutBackDeal
    | StraightenWall
    | SortHands
    | Tidy
    | Draw
    | PutBack
    | Discard
    | Retract
    | Claim
    | TakeBackMeld
    | ConcealedKong
    | AddedKong
    | ShowFlower
    | Press
    | Pause
    | ShowHand
    | HideHand
    | CloseHand
    | ExposeHand
    | ExposeWall
    | DisturbWall
    | DisturbPool
    | TurnIndicator
    | CoverIndicator
    | PeekBelow
    | SwapTile
    | HideTile
    | AddTile
    | TurnUra
    | PlaceStick
    | SetNorth
    | FoldHand
    | Fault
    | HandEnd
)

__all__ = [
    "AddTile",
    "AddedKong",
    "Claim",
    "CloseHand",
    "ConcealedKong",
    "CoverIndicator",
    "DealTake",
    "Discard",
    "DisturbPool",
    "DisturbWall",
    "Draw",
    "ExposeHand",
    "ExposeWall",
    "Fault",
    "FoldHand",
    "HandEnd",
    "HideHand",
    "HideTile",
    "MachineCycle",
    "Pause",
    "PeekBelow",
    "PlaceStick",
    "Press",
    "PutBack",
    "PutBackDeal",
    "RemoveDice",
    "Retract",
    "SetNorth",
    "ShowFlower",
    "ShowHand",
    "SortHands",
    "Step",
    "StraightenWall",
    "SwapTile",
    "TableState",
    "TakeBackMeld",
    "ThrowDice",
    "Tidy",
    "Token",
    "TurnIndicator",
    "TurnUra",
]
