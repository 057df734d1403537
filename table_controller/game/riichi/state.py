"""The state of a riichi hand and its match: who sits where, what is declared, owed and known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from table_controller.domain.happenings import Happening, MeldShown, Seat
from table_controller.domain.tiles import Tile
from table_controller.game.base import Chance
from table_controller.game.mcr.state import Winds
from table_controller.game.mcr.table import ChineseTable
from table_controller.game.riichi import capturing
from table_controller.game.riichi.deadwall import DeadWall
from table_controller.game.riichi.rules import RiichiRules, rules_of
from table_controller.game.wall import Wall
from table_controller.referee.decisions import Verdicts
from table_controller.rulesets.model import Ruleset


@dataclass(frozen=True, slots=True)
class Riichi:
    """A seat's riichi.

    Attributes:
        t: when it was declared.
        double: before any call, with the seat's first discard.
        stick: whether the stick was seen; the points are paid when nobody wins on the tile.
        paid: whether the points have been paid.
        index: position of the declaration tile in the pool; a later one where it was claimed.
        ippatsu: still within the go-around.
        evidence: what showed it.
        void: a ruling in force says that it is none.
        due: whether the points are paid at all; not where it was void for want of points or tiles.
    """

    t: float
    double: bool
    index: int
    stick: bool = False
    paid: bool = False
    ippatsu: bool = True
    evidence: tuple[Happening, ...] = ()
    void: bool = False
    due: bool = True


@dataclass(frozen=True, slots=True)
class LetPass:
    """What follows from nobody winning on the latest discard, as it was before or after that.

    Attributes:
        latest: the discard.
        open_chance: the same while it could be won on; null after that.
        passed: by seat, the tiles it has let pass since its own last discard.
        passed_riichi: by seat, those it has let pass in riichi.
        ippatsu: by seat, whether its riichi was within the go-around.
        uninterrupted: no call yet.
        paid: whether the riichi of that discard was paid.
    """

    latest: Chance
    open_chance: Chance | None
    passed: tuple[tuple[Tile, ...], ...]
    passed_riichi: tuple[tuple[Tile, ...], ...]
    ippatsu: tuple[bool, ...]
    uninterrupted: bool
    paid: bool


class RiichiHand(ChineseTable):
    """The state of one reading of a riichi match, and plain questions to it."""

    def __init__(self, ruleset: Ruleset, east: Seat, verdicts: Verdicts) -> None:
        self.rules: RiichiRules = rules_of(ruleset)
        self.players = ruleset.equipment.players
        self.honba = 0
        self.sticks = 0
        self.match_over = False
        self.dealer_chosen = False
        self.result: tuple[dict[str, Any], ...] = ()
        self.stays = False
        empty = (east + 3) % 4
        self.order: tuple[Seat, ...] = tuple(
            seat  # type: ignore[misc]
            for seat in ((east + n) % 4 for n in range(4))
            if self.players == 4 or seat != empty
        )
        super().__init__(ruleset, east, verdicts)
        start = self.rules.start_points
        self.scores = tuple(start if seat in self.order else 0 for seat in range(4))

    def fresh_hand(self) -> None:
        """Everything of one hand back to its start."""
        super().fresh_hand()
        self.riichi: tuple[Riichi | None, ...] = (None,) * 4
        self.declaring: tuple[tuple[Seat, float, Happening], ...] = ()
        self.playing_along: tuple[bool, ...] = (False,) * 4
        self.uninterrupted = True
        self.open_chance: Chance | None = None
        self.let_pass: LetPass | None = None
        """What the latest discard's passing has changed, until the next one."""
        self.passed: tuple[tuple[Tile, ...], ...] = ((),) * 4
        self.passed_orphans: tuple[tuple[Tile, ...], ...] = ((),) * 4
        self.passed_riichi: tuple[tuple[Tile, ...], ...] = ((),) * 4
        self.forbidden: tuple[Tile, ...] = ()
        self.kongs: tuple[Seat, ...] = ()
        self.kong_tile: Chance | None = None
        self.hidden: tuple[MeldShown, ...] = ()
        self.norths: tuple[int, ...] = (0,) * 4
        self.reds: tuple[tuple[tuple[int, Tile], ...], ...] = ((),) * 4
        self.dora: tuple[Tile, ...] = ()
        self.ura: tuple[Tile, ...] = ()
        self.ura_at: tuple[int, ...] = ()
        """Below which indicators these lie, 0 the first, where that was seen."""
        self.dora_due = 0
        self.dora_later = 0
        self.dora_by: tuple[Seat, ...] = ()
        self.dora_since = 0.0
        self.dora_said = 0
        self.liable: tuple[tuple[Seat, str] | None, ...] = (None,) * 4
        self.winners: tuple[capturing.RiichiWin, ...] = ()
        self.win_t = 0.0
        """When a hand was last laid open, or stood up again."""
        self.ready: tuple[tuple[Seat, bool], ...] = ()
        self.stick_seen: tuple[Seat, ...] = ()
        self.nine_called: tuple[Seat, ...] = ()
        self.abort_due: tuple[str, float] | None = None
        self.settled = False

    # -- the seats ----------------------------------------------------------------------------

    def in_riichi(self, seat: int) -> bool:
        """Whether the seat has declared riichi and no ruling in force makes it void."""
        riichi = self.riichi[seat]
        return riichi is not None and not riichi.void

    @property
    def first_win(self) -> float | None:
        """Seconds when the first win under check was declared."""
        return self.winners[0].t if self.winners else None

    @property
    def round_wind(self) -> str:
        """The prevalent wind."""
        return Winds[((self.hand - 1) // self.players) % 4]

    def wind_of(self, seat: int) -> str:
        """A seat's own wind in this hand."""
        if seat not in self.order:
            return "N"
        at = self.order.index(seat)
        return Winds[(at - self.order.index(self.dealer)) % self.players]

    def next_of(self, seat: int) -> Seat:
        """The next seat counter-clockwise that plays."""
        following: Seat = (seat + 1) % 4  # type: ignore[assignment]
        return following if following in self.order else (following + 1) % 4  # type: ignore[return-value]

    def others(self, seat: int) -> tuple[Seat, ...]:
        """The other seats that play, counter-clockwise from this one."""
        found = [self.next_of(seat)]
        while len(found) < self.players - 1:
            found.append(self.next_of(found[-1]))
        return tuple(found)

    def steps(self, seat: int, other: int) -> int:
        """How many seats counter-clockwise from ``seat`` the other one sits."""
        others = self.others(seat)
        return 1 + others.index(other) if other in others else (other - seat) % 4

    def before(self, seat: int) -> Seat:
        """The seat that plays before this one."""
        return self.others(seat)[-1]

    def way(self, seat: int, other: int) -> int:
        """Where the other seat is seen from: 1 right, 2 across, 3 left."""
        steps = self.steps(seat, other)
        return 3 if self.players == 3 and steps == 2 else steps

    def counted_seat(self, total: int) -> Seat:
        """The seat that a throw counts to (4.5; three players: appendix 2, contract section 8)."""
        ahead = (total - 1) % self.players
        if self.players == 3 and total == 11:
            ahead = 0
        seat = self.dealer
        for _ in range(ahead):
            seat = self.next_of(seat)
        return seat

    @property
    def stacks_due(self) -> tuple[int, int, int, int]:
        """Stacks that have to stand on the sides 0..3."""
        per_side = self.ruleset.equipment.stacks_per_side
        return tuple(per_side if seat in self.order else 0 for seat in range(4))  # type: ignore[return-value]

    @property
    def deal_steps(self) -> int:
        """Steps of the deal: three rounds of four tiles, the jump draw and the last tiles."""
        return 4 * self.players

    def deal_step(self, step: int) -> tuple[int, tuple[int, ...]]:
        """Who takes what in a step of the deal (4.6)."""
        blocks = 3 * self.players
        if step < blocks:
            first = 4 * step
            return step % self.players, (first, first + 1, first + 2, first + 3)
        first, ahead = 4 * blocks, step - blocks
        return ahead, ((first, first + 4) if ahead == 0 else (first + ahead,))

    @property
    def left(self) -> int:
        """Tiles that can still be drawn."""
        return self.wall.left if self.wall is not None else 0

    def new_wall(self, start: int) -> Wall:
        """The wall, broken at this ring position."""
        return DeadWall(self.ring, start, self.rules.dead_wall, self.rules.replacements)

    def signature(self) -> tuple[object, ...]:
        """See :meth:`Table.signature`."""
        return (
            *super().signature(),
            self.riichi,
            self.declaring,
            self.dora,
            self.dora_due,
            self.kongs,
            self.norths,
            self.passed,
            self.passed_riichi,
            self.forbidden,
            self.ready,
            self.winners,
            self.sticks,
            self.honba,
        )

    def next_hand(self) -> None:
        """The next deal: the dealer stays, or the deal passes (6.9)."""
        if not self.stays:
            self.hand += 1
            self.dealer = self.next_of(self.dealer)
        self.fresh_hand()
