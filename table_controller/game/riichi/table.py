"""What a riichi match can take next.

Draws, claims, melds and exposures are physically the same as in the Chinese official game, so the
readings of :mod:`table_controller.game.mcr` are used for them; what riichi adds hangs on the moves
they report: riichi and its stick, dora indicators, furiten, swap calls, liability, several
winners, draws and aborts, counters, and the match (source 002, chapters 3 to 8).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from table_controller.domain.happenings import (
    Happening,
    IndicatorTurned,
    Seat,
    TileDrawn,
)
from table_controller.domain.outputs import Alert, MoveKind, Ruling
from table_controller.domain.tiles import Tile
from table_controller.game.mcr import dealing, kongs, melding, playing, unseen
from table_controller.game.riichi import (
    declaring,
    ending,
    handlers,
    indicators,
    sets,
    settlement,
)
from table_controller.game.riichi.deadwall import DeadWall
from table_controller.game.riichi.state import RiichiHand
from table_controller.referee.rulings import Facts

Reading = tuple[float, Callable[[Any], None]]

_SURE = 0.9
"""From this confidence on a face is believed although the set does not have it."""

_BY_NUMBER = frozenset({"own-tile-exposed", "wall-tile-exposed"})
"""Three tiles or more at once count as two warnings (9.13)."""


class RiichiTable(RiichiHand):
    """One reading of a riichi match."""

    def more(self) -> dict[str, Any]:
        """Riichi, indicators, counters and the match, as plain data."""
        return {
            "honba": self.honba,
            "sticks": self.sticks,
            "live_left": self.left,
            "dora_indicators": [tile.value for tile in self.dora],
            "riichi": [
                None if riichi is None or riichi.void else {"t": riichi.t, "double": riichi.double}
                for riichi in self.riichi
            ],
            "norths": list(self.norths),
            "wins": settlement.under_check(self),
            "at_the_end": ending.at_the_end(self),
            "match_over": self.match_over,
            "result": list(self.result),
        }

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
            if ending.at_the_end(self):
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
        return tile.is_flower or (self.players == 3 and tile.is_middle_character)

    def tick(self, t: float) -> None:
        """See :meth:`Table.tick`."""
        self.ripen(t)
        ending.tick(self, t)

    def finish(self, t: float) -> None:
        """See :meth:`Table.finish`."""
        self.settle(t)
        ending.finish(self, t)

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
        """See :meth:`Table.flag`; what is paid depends on the dealer, and on the tile."""
        facts = replace(facts or Facts(), dealer=self.dealer, seats=self.order)
        facts = replace(facts, stage=self._stage(alert, facts, evidence))
        return super().flag(alert, seat, *evidence, t=t, facts=facts, cause=cause, cost=cost)

    def _stage(self, alert: str, facts: Facts, evidence: tuple[Happening, ...]) -> str | None:
        """What a ruling tells apart: how many tiles, or which one (9.11.1, 9.11.2, 9.13)."""
        if alert in _BY_NUMBER and len(facts.tiles) >= 3:
            return "several"
        if alert == "wrong-replacement" and facts.stage in ("seen", "taken"):
            return "live" if indicators.drawn_live(self, *evidence) else facts.stage
        if alert == "missed-draw" and facts.stage is None and self.left == 1:
            return "last"
        return facts.stage

    def enforce(self, alert: Alert, facts: Facts) -> None:
        """See :meth:`Table.enforce`; who plays along may not call any more (9.1.3)."""
        super().enforce(alert, facts)
        if alert.seat is not None and alert.ruling.play_along:
            self.playing_along = (
                *self.playing_along[: alert.seat],
                True,
                *self.playing_along[alert.seat + 1 :],
            )

    def melds_cut(self, seat: Seat) -> None:
        """See :meth:`ChineseTable.melds_cut`."""
        sets.melds_cut(self, seat)

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
