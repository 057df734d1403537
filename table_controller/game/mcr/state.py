"""The state of a hand of Chinese official rules: what lies where, whose turn it is, what is due."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from table_controller.domain.happenings import (
    CallKind,
    HandShown,
    Happening,
    MeldShown,
    NotLooked,
    Seat,
    Slot,
)
from table_controller.domain.tiles import Tile
from table_controller.game import costs, seating
from table_controller.game.base import Chance, Doubt, SeatState, Table
from table_controller.game.mcr.blind import left_open
from table_controller.game.mcr.census import Census
from table_controller.game.wall import DEAL_STEPS, Ring, Wall, deal_step
from table_controller.referee.decisions import Verdicts
from table_controller.referee.rulings import forget_hand
from table_controller.rulesets.model import Ruleset

Phase = Literal["idle", "wall", "dice", "deal", "play", "check", "over"]
Need = Literal["draw", "discard"]
After = Literal["deal", "draw", "flower", "kong", "kong_flower", "chow", "pung"]
Called = tuple[Seat, CallKind, float, Happening]
"""A button: whose, which, when."""
Winds = ("E", "S", "W", "N")


@dataclass(frozen=True, slots=True)
class Early:
    """A draw in progress that the rules do not allow (yet), by how far it went."""

    alert: str
    seat: Seat
    index: int
    stage: str
    t: float
    evidence: tuple[Happening, ...]
    rested: str | None = None
    """How far it had gone when the discard it should have waited for came to rest."""
    known: float | None = None
    """Since when the last stage has been known."""
    doubted: bool = False
    """Whether it is out of order only by what may have gone unseen: then nothing is said."""


@dataclass(frozen=True, slots=True)
class Roll:
    """One throw; ``total`` null where it was not seen, ``due`` who had to throw it."""

    seat: Seat | None
    total: int | None
    due: Seat
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Misdealt:
    """Tiles held at the break or in the deal that were not to be taken.

    Attributes:
        alert: what it is, of ``seat``.
        stage: ``seen`` or ``unseen``, as far as it has gone.
        t: when it began; ``last`` its last stage.
        slots: the tiles.
        cause: names it, so that it is told once.
    """

    alert: str
    seat: Seat
    stage: str
    t: float
    last: float
    slots: tuple[Slot, ...]
    evidence: tuple[Happening, ...]
    cause: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Win:
    """A declared win under check."""

    seat: Seat
    from_: Seat | None
    tile: Tile
    tiles: tuple[Tile, ...]
    score: dict[str, Any]
    t: float
    shown: HandShown
    chance: Chance | None
    clear: bool
    """Whether all sets were known when it was declared; else it is judged again at the end."""


class ChineseHand(Table):
    """The state of one reading of a session, and plain questions to it."""

    def __init__(self, ruleset: Ruleset, east: Seat, verdicts: Verdicts) -> None:
        super().__init__(ruleset, east, verdicts)
        self.session_from: float | None = None
        self.paused_at: float | None = None
        self.paused_s = 0.0
        self.time_up = False
        self.hands_done = 0
        self.ring = Ring((18, 18, 18, 18))
        self.unlooked: tuple[NotLooked, ...] = ()
        self.fresh_hand()

    def fresh_hand(self) -> None:
        """Everything of one hand back to its start."""
        self.phase: Phase = "idle"
        self.redeal = False
        self.wall: Wall | None = None
        self.raised = False
        self.rolls: tuple[Roll, ...] = ()
        self.dice_in = False
        self.dice_t = 0.0
        self.thrown: tuple[Happening, ...] = ()
        self.dice_late = 0
        self.break_guessed = False
        self.back_behind = False
        """Nobody looked for a time, and no replacement since has shown which one is next."""
        self.undrawn: Doubt | None = None
        """When nobody looked last, while no draw since has shown where the wall is."""
        self.deal_at = 0
        self.deal_left: tuple[int, ...] = ()
        self.deal_t = 0.0
        self.misdealt: Misdealt | None = None
        self.turn: Seat = self.dealer
        self.need: Need = "draw"
        self.latest = None
        self.resumed_t = 0.0
        self.pauses: tuple[tuple[float, float], ...] = ()
        self.after: After = "deal"
        self.owed: tuple[int, int, int, int] = (0, 0, 0, 0)
        self.flower_turn = 0
        self.flower_first: Seat = self.dealer
        self.flower_late: tuple[Seat, ...] = ()
        self.flowers_t = 0.0
        self.chance: Chance | None = None
        """The latest discard, also when it is covered already; see :attr:`open_discard`."""
        self.robbing: Chance | None = None
        self.claim: Chance | None = None
        self.claimer: Seat | None = None
        self.early: Early | None = None
        self.calls: tuple[Called, ...] = ()
        self.overtaken: tuple[Called, ...] = ()
        """Calls on the latest discard that a draw or a set has overtaken."""
        self.late_calls: tuple[Called, ...] = ()
        """Of those the ones that may still be carried out."""
        self.discards = 0
        self.last_draw: tuple[Seat, tuple[int, ...], float] | None = None
        self.draw_t = 0.0
        self.lying: tuple[Seat, Seat, MeldShown] | None = None
        self.unfetched: tuple[Seat, MeldShown] | None = None
        """Whose tiles were shown for a set while the discard stays in the pool."""
        self.reached: tuple[tuple[Seat, float], ...] = ()
        self.handled: frozenset[int] = frozenset()
        self.untold: frozenset[int] = frozenset()
        self.wins: tuple[Win, ...] = ()
        self.rejected: tuple[Seat, ...] = ()
        self.refusing: Seat | None = None
        self.reopened = False
        """A win that stood was taken back; should play go on, that is odd."""
        self.shown: tuple[tuple[Seat, Happening], ...] = ()
        # What nobody looks at goes on so, whichever hand it is.
        self.unlooked = tuple(gap for gap in self.unlooked if gap.until is None)
        self.pools_behind, self.uncounted = left_open(*self.unlooked)
        self.by_pools: frozenset[int] = frozenset()
        """Whose hands are in doubt for nothing but pools that were covered."""
        self.exposed: tuple[Any, ...] = ()
        self.told_exposed: tuple[tuple[tuple[str, int | None, int | None], float], ...] = ()
        self.disturbed: tuple[tuple[int, float], ...] = ()
        self.census = Census()
        self.seats = [SeatState() for _ in range(4)]
        self.causes = frozenset()
        self.unseen = self.unseen_before = 0
        self.counts = forget_hand(self.counts)

    def next_hand(self) -> None:
        """The deal passes: every player deals once a round, whoever won."""
        if self.redeal:
            self.fresh_hand()
            return
        self.hand += 1
        self.dealer = (self.dealer + 1) % 4  # type: ignore[assignment]
        if self.hand % 4 == 1:
            self._change_seats()
        self.fresh_hand()

    def _change_seats(self) -> None:
        """A new round: what is counted over the session goes with the player to the new side."""
        scheme = self.ruleset.session.seat_change
        rounds = (self.hand - 1) // 4
        moved = seating.moves(scheme, rounds - 1, rounds, self.first_dealer)
        self.counts = {
            (alert, None if seat is None else moved[seat], scope): number
            for (alert, seat, scope), number in self.counts.items()
        }

    def copy(self) -> Self:
        """An independent copy."""
        other = super().copy()
        other.wall = self.wall.copy() if self.wall is not None else None
        other.census = self.census.copy()
        return other

    # -- questions ------------------------------------------------------------------------

    @property
    def round_wind(self) -> str:
        """The prevalent wind."""
        return Winds[((self.hand - 1) // 4) % 4]

    def wind_of(self, seat: int) -> str:
        """A seat's own wind in this hand."""
        return Winds[(seat - self.dealer) % 4]

    def next_of(self, seat: int) -> Seat:
        """The next seat counter-clockwise."""
        return (seat + 1) % 4  # type: ignore[return-value]

    def before(self, seat: int) -> Seat:
        """The seat that plays before this one."""
        return (seat - 1) % 4  # type: ignore[return-value]

    def steps(self, seat: int, other: int) -> int:
        """How many playing seats counter-clockwise from ``seat`` the other one sits."""
        return (other - seat) % 4

    def way(self, seat: int, other: int) -> int:
        """Where the other seat is seen from: 1 right, 2 across, 3 left."""
        return (other - seat) % 4

    def counted_seat(self, total: int) -> Seat:
        """The seat that a throw of the dealer counts to."""
        return (self.dealer + total - 1) % 4  # type: ignore[return-value]

    def more(self) -> dict[str, Any]:
        """What another family of rules adds to the snapshot, as plain data."""
        return {}

    @property
    def stacks_due(self) -> tuple[int, int, int, int]:
        """Stacks that have to stand on the sides 0..3."""
        per_side = self.ruleset.equipment.stacks_per_side
        return (per_side, per_side, per_side, per_side)

    def new_wall(self, start: int) -> Wall:
        """The wall, broken at this ring position."""
        return Wall(self.ring, start)

    @property
    def deal_steps(self) -> int:
        """Steps of the deal."""
        return DEAL_STEPS

    def deal_step(self, step: int) -> tuple[int, tuple[int, ...]]:
        """Who takes what in a step of the deal: seats after the dealer, indices from the break."""
        return deal_step(step)

    def back_index(self) -> int | None:
        """Index of the next replacement tile."""
        assert self.wall is not None
        rules = self.ruleset.wall
        return self.wall.back(
            upper_first=rules.upper_first, last_stack_lower=rules.last_stack_lower
        )

    def looked(self, where: str, seat: int | None, since: float) -> bool:
        """Whether nothing is known to have covered that place since then."""
        return self.looked_since(where, seat) < since

    def looked_since(self, where: str, seat: int | None) -> float:
        """Since when that place is looked at without a gap; infinite where it is not."""
        return max(
            (
                math.inf if gap.until is None else gap.until
                for gap in self.unlooked
                if gap.where in (where, "all")
                and (gap.seat is None or seat is None or gap.seat == seat)
            ),
            default=-math.inf,
        )

    @property
    def open_discard(self) -> Chance | None:
        """The latest discard, as long as no draw and no set covers it."""
        return self.chance if self.need == "draw" else None

    def unpaused(self, since: float) -> float:
        """From when on the time since then is counted: the referee's pauses are left out."""
        return since + sum(max(0.0, end - max(begin, since)) for begin, end in self.pauses)

    def watched_from(self, t: float) -> float:
        """From when on what did not happen after ``t`` would have been seen; infinite: not yet."""
        return t if self.doubt is None else max(t, self.doubt.until)

    def watched_to_the_end(self, seat: int | None = None) -> bool:
        """Whether no hand (not that seat's) can have been laid open unseen on the last discard."""
        last = self.now if self.open_discard is None else self.open_discard.t
        return self.doubt is None and self.looked("hand", seat, last)

    def missed(self, where: str, seat: int | None) -> float:
        """Cost of something unseen there."""
        seen = self.doubt is None and self.looked(where, seat, self.now - 2.0)
        return costs.MISSED if seen else costs.MISSED_UNLOOKED

    @property
    def first_win(self) -> float | None:
        """Seconds when the win under check was declared."""
        return self.wins[0].t if self.wins else None

    @property
    def session_end(self) -> float | None:
        """When the session's time is up, as far as the pauses until now tell; null: no limit."""
        minutes = self.ruleset.session.minutes
        if minutes is None or self.session_from is None:
            return None
        waiting = 0.0 if self.paused_at is None else max(0.0, self.now - self.paused_at)
        return self.session_from + self.paused_s + waiting + 60.0 * minutes

    def signature(self) -> tuple[object, ...]:
        """See :meth:`Table.signature`."""
        return (
            self.hand,
            self.phase,
            self.wall.mask if self.wall else None,
            self.wall.start if self.wall else None,
            self.rolls,
            self.deal_left,
            self.deal_at,
            self.turn,
            self.need,
            self.after,
            self.owed,
            self.handled,
            None if self.open_discard is None else (self.open_discard.seat, self.open_discard.tile),
            None if self.robbing is None else (self.robbing.seat, self.robbing.tile),
            self.claimer,
            None if self.early is None else (self.early.alert, self.early.seat, self.early.stage),
            None if self.misdealt is None else (self.misdealt.cause, self.misdealt.stage),
            tuple((w.seat, w.from_, w.tile) for w in self.wins),
            self.scores,
            tuple(
                (
                    s.standing,
                    tuple((m.kind, m.tiles, m.from_, m.valid) for m in s.melds),
                    s.flowers,
                    tuple((d.tile, d.gone) for d in s.pool),
                    s.stop_win,
                    s.dead,
                    s.penalty,
                )
                for s in self.seats
            ),
        )

    # -- common steps -----------------------------------------------------------------------

    def owe(self, seat: int, by: int) -> None:
        """A seat has to draw ``by`` more replacement tiles."""
        owed = list(self.owed)
        owed[seat] = max(0, owed[seat] + by)
        self.owed = tuple(owed)  # type: ignore[assignment]

    def put_in_pool(self, seat: int, index: int, **changes: Any) -> None:
        """Change one tile of a pool."""
        pool = self.seats[seat].pool
        self.seats[seat].pool = (
            *pool[:index],
            replace(pool[index], **changes),
            *pool[index + 1 :],
        )

    def full(self, tile: Tile) -> bool:
        """Whether every copy of a face is known to lie open.

        Where steps went unseen, a tile may have been counted twice: what lies there decides.
        """
        if not self.census.full(tile):
            return False
        if self.unseen:
            self.census.correct(tile, self._lying(tile))
        return self.census.full(tile)

    def _lying(self, tile: Tile) -> int:
        """Copies of a face in pools and sets, and among the flowers."""
        return sum(
            sum(not each.gone and each.tile.known and each.tile.plain is tile for each in s.pool)
            + sum(meld.tiles.count(tile) for meld in s.melds)
            + s.flowers.count(tile)
            for s in self.seats
        )
