"""What the program answers (contract, section 3): moves, alerts and finished hands.

These are plain values. How an alert is decided stands in :mod:`table_controller.referee`,
how a hand is scored in :mod:`table_controller.scoring`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from table_controller.domain.happenings import Happening, Seat, Slot
from table_controller.domain.tiles import Tile

MoveKind = Literal[
    "dice",
    "break",
    "deal",
    "draw",
    "flower",
    "north",
    "discard",
    "chow",
    "pung",
    "kong",
    "riichi",
    "indicator",
    "win",
    "exhausted",
    "abort",
]
KongKind = Literal["exposed", "added", "concealed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A legal step that the rule state took; ``inferred`` where it was not seen."""

    t: float
    move: MoveKind
    seat: Seat | None = None
    tile: Tile | None = None
    tiles: tuple[Tile, ...] | None = None
    from_: Seat | None = None
    kong: KongKind | None = None
    values: tuple[int, ...] | None = None
    slots: tuple[Slot, ...] | None = None
    inferred: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """Where a rule stands: the ruleset's name and the clause or question of its source."""

    ruleset: str
    clause: str
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """Points that pass from one seat to another; ``to`` null: a deduction nobody receives."""

    from_: Seat
    to: Seat | None
    points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What the ruleset proposes; the referee decides.

    Attributes:
        summary: one line for people, in English; ``summary_zh`` in Chinese.
        points: what the seat at fault loses in all (0: none).
        payments: who pays whom.
        stop_win: the seat may not win this hand (停和).
        play_along: and goes on drawing and discarding (陪打).
        warning: a warning is entered.
        penalty_tile: a tile that must be discarded by order (罚张).
        remedy: what is put right on the table.
        until: source time until which the alert may still be raised; null: end of the hand.
        until_text: the same in words of the rule ("before the next player has drawn").
    """

    summary: str
    summary_zh: str = ""
    points: int = 0
    payments: tuple[Payment, ...] = ()
    stop_win: bool = False
    play_along: bool = False
    warning: bool = False
    penalty_tile: Tile | None = None
    remedy: str | None = None
    until: float | None = None
    until_text: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One infraction for the referee. ``id`` is one of the contract's section 4."""

    t: float
    t_raised: float
    id: str
    seat: Seat | None
    rule: Clause
    ruling: Ruling
    stage: str | None = None
    count: int | None = None
    confidence: float = 1.0
    evidence: tuple[Happening, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRecord:
    """One winner of a finished hand, with the captured hand and the scorer's answer."""

    winner: Seat
    from_: Seat | None
    win_tile: Tile
    tiles: tuple[Tile, ...]
    melds: tuple[dict[str, Any], ...]
    flowers: tuple[Tile, ...]
    score: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRecord:
    """A finished hand; lists run by seat 0..3."""

    t: float
    hand: int
    round_wind: Literal["E", "S", "W", "N"]
    dealer: Seat
    honba: int
    result: Literal["win", "exhausted", "abort"]
    reason: str | None
    wins: tuple[WinRecord, ...]
    payments: tuple[int, ...]
    penalties: tuple[int, ...]
    scores: tuple[int, ...]
    confirmed: bool = False


Output = Move | Alert | HandRecord
