"""The state of a riichi match, and what it can take next.

Draws, claims, melds and exposures are physically the same as in the Chinese official game, so the
readings of :mod:`table_controller.game.mcr` are used for them; what riichi adds hangs on the moves
they report: riichi and its stick, dora indicators, furiten, swap calls, liability, several
winners, draws and aborts, counters, and the match (source 002, chapters 3 to 8).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from table_controller.domain.happenings import (
    Happening,
    IndicatorTurned,
    MeldShown,
    Seat,
    TileDrawn,
)
from table_controller.domain.outputs import Alert, MoveKind, Ruling
from table_controller.domain.tiles import Tile
from table_controller.game.base import Chance
from table_controller.game.mcr import dealing, discards, kongs, melding, playing, unseen
from table_controller.game.mcr.state import Winds
from table_controller.game.mcr.table import ChineseTable
from table_controller.game.riichi import (
    capturing,
    declaring,
    ending,
    handlers,
    indicators,
    sets,
)
from table_controller.game.riichi.deadwall import DeadWall
from table_controller.game.riichi.rules import RiichiRules, rules_of
from table_controller.game.wall import Wall
from table_controller.referee.decisions import Verdicts
from table_controller.referee.rulings import Facts
from table_controller.rulesets.model import Ruleset

Reading = tuple[float, Callable[[Any], None]]

_SURE = 0.9
"""From this confidence on a face is believed although the set does not have it."""

_BY_NUMBER = frozenset({"own-tile-exposed", "wall-tile-exposed"})
"""Three tiles or more at once count as two warnings (9.13)."""


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
    """

    t: float
    double: bool
    index: int
    stick: bool = False
    paid: bool = False
    ippatsu: bool = True
    evidence: tuple[Happening, ...] = ()


class RiichiTable(ChineseTable):
    """One reading of a riichi match."""

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
        self.riichi_dead: tuple[bool, ...] = (False,) * 4
        self.playing_along: tuple[bool, ...] = (False,) * 4
        self.uninterrupted = True
        self.open_chance: Chance | None = None
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
        self.ready: tuple[tuple[Seat, bool], ...] = ()
        self.stick_seen: tuple[Seat, ...] = ()
        self.discards_since_stick = 0
        self.nine_called: tuple[Seat, ...] = ()
        self.abort_due: tuple[str, float] | None = None
        self.settled = False

    # -- the seats ----------------------------------------------------------------------------

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

    def more(self) -> dict[str, Any]:
        """Riichi, indicators, counters and the match, as plain data."""
        return {
            "honba": self.honba,
            "sticks": self.sticks,
            "live_left": self.left,
            "dora_indicators": [tile.value for tile in self.dora],
            "riichi": [
                None if riichi is None else {"t": riichi.t, "double": riichi.double}
                for riichi in self.riichi
            ],
            "norths": list(self.norths),
            "wins": ending.under_check(self),
            "match_over": self.match_over,
            "result": list(self.result),
        }

    @property
    def left(self) -> int:
        """Tiles that can still be drawn."""
        return self.wall.left if self.wall is not None else 0

    def new_wall(self, start: int) -> Wall:
        """The wall, broken at this ring position."""
        return DeadWall(self.ring, start, self.rules.dead_wall, self.rules.replacements)

    # -- what the engine asks -----------------------------------------------------------------

    def accept(self, happening: Happening) -> bool:
        """See :meth:`Table.accept`."""
        if self.players == 3 and not self._plays(happening):
            # Nobody sits there: what seemed to happen was no player's act.
            return True
        return super().accept(happening)

    def taking(self, kind: str) -> Callable[[Any, Any], bool] | None:
        """See :meth:`ChineseTable.taking`."""
        return handlers.ACCEPT.get(kind)

    def _plays(self, happening: Happening) -> bool:
        acting = (getattr(happening, "seat", None), getattr(happening, "from_", None))
        return all(seat is None or seat in self.order for seat in acting)

    def readings(self, happening: Happening) -> list[Reading]:
        """See :meth:`Table.readings`."""
        reader = handlers.READ.get(happening.kind)
        return reader(self, happening) if reader else []

    def silent(self, happening: Happening) -> list[Reading]:
        """See :meth:`Table.silent`."""
        if self.phase == "check":
            return [(1.0, ending.close)]
        if self.phase == "over":
            if happening.kind in ("dice_rolled", "tile_drawn", "wall_raised"):
                return [(0.5, lambda r: r.next_hand())]
            return []
        if self.phase == "play":
            if self.left == 0 and self.need == "draw" and not any(self.owed):
                return [(1.0, lambda r: ending.exhaust(r, happening.t))]
            return self._unseen(happening) + playing.silent(self, handlers.without_reds(happening))
        return dealing.silent(self)

    def _unseen(self, happening: Happening) -> list[Reading]:
        """A replacement tile that nobody seemed to owe: a north may have been set aside."""
        wall = self.wall
        if isinstance(happening, IndicatorTurned):
            return self._unseen_kong(happening)
        if self.players != 3 or not isinstance(happening, TileDrawn) or wall is None:
            return []
        seat = self.turn
        if self.need != "discard" or self.owed[seat] or happening.seat not in (None, seat):
            return []
        if wall.back() not in [wall.index(slot) for slot in happening.slots]:
            return []
        cost = self.missed("meld", seat) - 1.0 + unseen.reaching(happening)
        return [(cost, lambda r: sets.unseen_north(r, seat))]

    def _unseen_kong(self, happening: IndicatorTurned) -> list[Reading]:
        """One more indicator than kongs are known: one of them was not seen."""
        if not isinstance(self.wall, DeadWall) or happening.slot is None:
            return []
        where = self.wall.indicator_number(happening.slot)
        if where is None or where[1] or where[0] != len(self.dora):
            return []
        if len(self.dora) < self.dora_due + self.dora_later:
            return []
        cost = self.missed("meld", self.turn) + 0.5
        if self.claimer is not None:
            return [(cost, lambda r: melding.unseen_meld(r, happening, kong=True))]
        if self.need == "discard" and not self.owed[self.turn] and self.after == "draw":
            return [(cost, lambda r: kongs.unseen_kong(r, r.turn))]
        return []

    def saw(self, happening: Happening, *tiles: Tile) -> None:
        """Faces that now lie open; one that the set does not have is an alert."""
        for tile in tiles:
            if tile.known and self._strange(tile) and happening.confidence >= _SURE:
                self.flag("foreign-tile", None, happening, cause=("foreign", tile))
            else:
                super().saw(happening, tile)

    def _strange(self, tile: Tile) -> bool:
        """Flowers, and with three players the characters from two to eight (2.1)."""
        middle = tile.is_suited and not tile.is_terminal and tile.value[-1] == "m"
        return tile.is_flower or (self.players == 3 and middle)

    def tick(self, t: float) -> None:
        """See :meth:`Table.tick`."""
        from table_controller.game.mcr import early_draws, exposure

        early_draws.give_up(self, t)
        if self.exposed and t > self.exposed[-1].t + exposure.SETTLE_S:
            exposure.settle(self)
        melding.tick(self, t)
        discards.check_slow(self, t)
        if self.phase == "play":
            due = self.abort_due
            if due is not None and t > due[1] + ending.WAIT_S:
                ending.abort(self, due[1], due[0])
        elif self.phase == "check" and t > self.win_t + ending.SETTLE_S:
            ending.close(self)

    def finish(self, t: float) -> None:
        """See :meth:`Table.finish`."""
        from table_controller.game.mcr import exposure

        self.now = max(self.now, t)
        if self.exposed:
            exposure.settle(self)
        if self.early is not None:
            playing.resolve_early(self)
        if self.phase == "check":
            ending.close(self)
        elif self.phase == "play":
            if self.abort_due is not None:
                ending.abort(self, self.abort_due[1], self.abort_due[0])
            elif self.left == 0 and self.need == "draw" and not any(self.owed):
                ending.exhaust(self, t)

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

    # -- saying things ------------------------------------------------------------------------

    def flag(
        self,
        alert: str,
        seat: Seat | None,
        *evidence: Happening,
        t: float | None = None,
        facts: Facts | None = None,
        cause: tuple[object, ...] | None = None,
        cost: float = 0.0,
    ) -> Ruling | None:
        """See :meth:`Table.flag`; what is paid depends on the dealer."""
        facts = replace(facts or Facts(), dealer=self.dealer, seats=self.order)
        if alert in _BY_NUMBER and len(facts.tiles) >= 3:
            facts = replace(facts, stage="several")
        return super().flag(alert, seat, *evidence, t=t, facts=facts, cause=cause, cost=cost)

    def enforce(self, alert: Alert, facts: Facts) -> None:
        """See :meth:`Table.enforce`; who plays along may not call any more (9.1.3)."""
        super().enforce(alert, facts)
        if alert.seat is not None and alert.ruling.play_along:
            self.playing_along = (
                *self.playing_along[: alert.seat],
                True,
                *self.playing_along[alert.seat + 1 :],
            )

    def say(
        self,
        move: MoveKind,
        seat: Seat | None = None,
        *,
        inferred: bool = False,
        **more: object,
    ) -> None:
        """A legal step was taken: what follows from it in riichi follows here."""
        super().say(move, seat, inferred=inferred, **more)
        if move == "draw" and seat is not None:
            declaring.after_draw(self)
        elif move == "discard" and seat is not None:
            declaring.after_discard(self, seat, inferred=inferred)
        elif move in ("chow", "pung", "kong") and seat is not None:
            sets.after_meld(self, move, seat, more)
        elif move == "deal":
            indicators.after_deal(self)
