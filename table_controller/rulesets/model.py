"""What a ruleset declares: values, alerts it knows, what each costs, and its sources.

Rulesets are data. The classes here say what can be declared; the mechanisms that read it
stand in :mod:`table_controller.game` and :mod:`table_controller.referee`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Window(StrEnum):
    """Until when an alert may be raised or put right."""

    AT_ONCE = "at_once"
    GO_AROUND = "go_around"
    NEXT_DISCARD = "next_discard"
    DEALER_FIRST_DISCARD = "dealer_first_discard"
    HAND_END = "hand_end"
    HAND_CLOSED = "hand_closed"
    NEXT_SHUFFLE = "next_shuffle"
    SESSION_END = "session_end"

    @property
    def text(self) -> str:
        """The window in words."""
        return _WINDOW_TEXT[self]


_WINDOW_TEXT = {
    Window.AT_ONCE: "at once, before play goes on",
    Window.GO_AROUND: "before the player's own next draw (本巡)",
    Window.NEXT_DISCARD: "before the next discard",
    Window.DEALER_FIRST_DISCARD: "before the dealer's first discard",
    Window.HAND_END: "until the hand ends",
    Window.HAND_CLOSED: "until one tile of the winning hand is turned face down",
    Window.NEXT_SHUFFLE: "until the next shuffle begins",
    Window.SESSION_END: "until the session ends",
}


class Pay(StrEnum):
    """Who receives the points of a ruling."""

    NOBODY = "nobody"
    """Deducted from the offender's session score; nobody gains (扣分)."""
    EACH = "each"
    """To each opponent (赔分)."""
    VICTIM = "victim"
    """To the seats that were harmed."""
    SHARES = "shares"
    """The shares of all three losers, when the hand is won by another seat."""
    MANGAN = "mangan"
    """A limit hand's worth to the others, as after a self-draw: 4000 from or to the dealer,
    2000 to each other (赔满贯)."""


class RulingEntry(_Data):
    """What one occurrence costs.

    Attributes:
        stage: the stage it applies to; null: any.
        count: the occurrence it applies to (1: the first); null: any. The last counted
            entry of a stage also stands for all later occurrences, with ``step`` added each.
        points: for ``pay`` each/victim: to each of them; else in all.
        points_max: where the source gives a range, its upper end.
        per_tile: points are for each tile.
        penalty_tiles: the tiles concerned become penalty tiles (罚张).
        void: the hand is void.
        remedy: what is put right on the table.
    """

    stage: str | None = None
    count: int | None = Field(default=None, ge=1)
    points: int = Field(default=0, ge=0)
    points_max: int | None = None
    step: int = Field(default=0, ge=0)
    pay: Pay = Pay.NOBODY
    per_tile: bool = False
    warning: bool = False
    warnings: int = Field(default=1, ge=1)
    """How many warnings one occurrence counts as."""
    stop_win: bool = False
    play_along: bool = False
    penalty_tiles: bool = False
    void: bool = False
    disqualify: bool = False
    clause: str | None = None
    until: Window | None = None
    summary: str
    summary_zh: str
    remedy: str | None = None
    remedy_zh: str | None = None


class AlertRule(_Data):
    """One alert id in this ruleset.

    Attributes:
        scope: what its occurrences are counted over.
        count_by: whether stages share one counter (``id``) or each has its own.
        answers: who is answerable where the happening itself does not say
            (``dealer``/``second_thrower`` for a wrong break).
    """

    clause: str
    scope: Literal["hand", "session"] = "hand"
    count_by: Literal["id", "stage"] = "id"
    until: Window = Window.HAND_END
    answers: Literal["dealer", "second_thrower"] | None = None
    rulings: tuple[RulingEntry, ...] = Field(min_length=1)


class EnteredRule(_Data):
    """An offence that no camera or sensor can see, entered by the referee.

    Attributes:
        group: what it is about, for the referee's list.
        scope: what its occurrences are counted over, as for alerts.
    """

    group: Literal["speech", "lateness", "conduct"]
    title: str
    title_zh: str
    title_ja: str
    clause: str
    scope: Literal["hand", "session"] = "hand"
    rulings: tuple[RulingEntry, ...] = Field(min_length=1)


class Equipment(_Data):
    """The set and the walls."""

    tiles: int
    flowers: int
    red_fives: int = 0
    stacks_per_side: int
    players: Literal[3, 4] = 4


class Opening(_Data):
    """Dice, break, deal."""

    throws: Literal[1, 2]
    dice_removed: Literal["before_break", "before_first_discard", "not_required"]
    dice_grace_go_arounds: int = 0
    flower_order: Literal["each_to_end", "by_generation", "none"] = "each_to_end"


class WallRules(_Data):
    """Replacement tiles and the end of the wall."""

    upper_first: bool = True
    last_stack_lower: bool = True
    last_tile_without_replacement: Literal["hand_ends", "must_discard"]


class Timers(_Data):
    """Limits in seconds; null: the ruleset sets none."""

    first_discard_s: float | None = None
    first_discard_from: Literal["deal", "flowers"]
    discard_s: float | None = None
    discard_from: Literal["previous_discard", "draw"]
    pung_s: float | None = None
    self_draw_win_s: float | None = None


class StopWin(_Data):
    """What a seat under stop-win (停和) may not do any more."""

    bars: tuple[Literal["win", "chow", "pung", "kong_exposed"], ...]


class Settlement(_Data):
    """Points of a won hand."""

    base: int
    minimum: int
    winners: Literal["nearest", "all", "two_at_most"] = "nearest"
    next_after_false: bool
    """Whether the next seat in order may win after a nearer one's false declaration."""
    kong_bloom_after_flower: bool
    """Whether 杠上开花 survives flowers drawn between the kong and the winning tile."""


class FalseWin(_Data):
    """How a rejected win is told apart."""

    shown_tiles_penalty: bool
    """The opened tiles must be discarded."""


class Warnings(_Data):
    """Deductions that the n-th warning of a session itself carries; null: none."""

    ladder: tuple[int, ...] = ()
    step: int = 0


class Session(_Data):
    """Length of a session and what follows it.

    Attributes:
        notice_minutes: how long before the end the players are told of it.
        seat_change: which of the printed orders of changing seats is followed
            (:mod:`table_controller.game.seating`).
    """

    hands: int
    minutes: float | None = None
    running_hand_counts: bool
    notice_minutes: float | None = None
    seat_change: Literal["none", "after_round_2", "every_round", "every_round_2"] = "none"


class Tournament(_Data):
    """Standard points and ranking."""

    standard_points: tuple[int, ...]
    tie_breaks: tuple[str, ...]
    start_points: int


class Claims(_Data):
    """What may be taken back, and when."""

    correct_within_go_around: bool
    retractions_per_hand: int
    draw_gives_up_claims: bool


class Ruleset(_Data):
    """A whole ruleset. ``clauses`` gives the source of each value by its path."""

    name: str
    family: Literal["mcr", "riichi"]
    title: str
    title_zh: str
    source: str
    equipment: Equipment
    opening: Opening
    wall: WallRules
    timers: Timers
    claims: Claims
    stop_win: StopWin
    settlement: Settlement
    false_win: FalseWin
    warnings: Warnings
    session: Session
    tournament: Tournament
    scoring: dict[str, Any] = Field(default_factory=dict)
    """``like``: the ruleset whose fan values are used, where it is another one."""
    riichi: dict[str, Any] | None = None
    clauses: dict[str, str]
    entered: dict[Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*$")], EnteredRule] = Field(
        default_factory=dict
    )
    """Offences that the referee enters, by name."""
    alerts: dict[Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*$")], AlertRule]

    def knows(self, alert: str) -> bool:
        """Whether the ruleset has a ruling for this alert id."""
        return alert in self.alerts
