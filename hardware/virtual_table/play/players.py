"""Self-play of one hand of Chinese official rules.

Four players who keep pairs and neighbours and throw away what stands alone; one of them is led
by fate (:mod:`hardware.virtual_table.play.fate`) to a hand worth a win. The result is a script of
steps; illegal ones are put in by :mod:`hardware.virtual_table.play.incidents` at the moments that
:class:`HandPlay` offers.
"""

from __future__ import annotations

import random
from typing import Final, Literal

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.claiming import Claiming
from hardware.virtual_table.play.fate import Deck
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import Meld, TableModel, seat_after
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

_KEPT_KONG: Final = 0.6
"""How readily a kong is made of tiles none of which was just drawn."""


class HandPlay(Claiming):
    """One hand being played; :meth:`run` fills ``table.steps``."""

    def run(self) -> None:
        """Play the hand to its end."""
        table = self.table
        table.step(do.TableState(round_wind=self.round_wind, dealer=table.dealer, hand=self.hand))
        table.step(do.MachineCycle(dealer=table.dealer))
        self._throw()
        result: Literal["win", "exhausted", "abort"] = "abort"
        if not self._over():
            result = self._play()
        table.step(do.HandEnd(result=result))
        for token, face in zip(
            [token for token in range(8 * table.stacks) if token not in table.faces],
            table.deck.rest(),
            strict=True,
        ):
            table.faces[token] = face

    def _play(self) -> Literal["win", "exhausted", "abort"]:
        table = self.table
        self.plan.make()
        self.incidents.at("plan", self, table.dealer)
        if not self.incidents.at("opening", self, self.breaker):
            table.open_wall(self.breaker, self.break_sum)
        self.deal(self.plan.dealt)
        table.step(do.SortHands())
        if not self.incidents.at("flowers", self, table.dealer):
            for turn in range(4):
                self.first_flowers(seat_after(table.dealer, turn))
        self.incidents.at("dealt", self, table.dealer)
        return self._turns()

    def _throw(self) -> None:
        table = self.table
        wished = self.wish.dice
        first, second = self.throws = (
            (self._dice(), self._dice()) if wished is None else (wished[0], wished[-1])
        )
        self.breaker = seat_after(table.dealer, sum(first) - 1)
        self.break_sum = sum(first) + sum(second)
        if self.incidents.at("dice", self, table.dealer):
            return
        table.step(do.ThrowDice(seat=table.dealer, values=first))
        table.step(do.ThrowDice(seat=self.breaker, values=second))
        table.step(do.RemoveDice(seat=table.dealer))

    def _dice(self) -> tuple[int, int]:
        return self.rng.randint(1, 6), self.rng.randint(1, 6)

    def _turns(self) -> Literal["win", "exhausted", "abort"]:
        table = self.table
        self.turn, draws = table.dealer, False
        while True:
            seat = self.turn
            self.drawn_token, self.early_token = self.early_token, None
            if draws and not self.incidents.at("draw", self, seat) and not self._drew(seat):
                return "exhausted"
            if self._over():
                return "abort"
            if self._wins_self(seat):
                return "win"
            if not self._own_kongs(seat):
                return "exhausted"
            if self.robbed:
                return "win"
            if self._wins_self(seat):
                return "win"
            if self.incidents.at("drawn", self, seat):
                seat = self.turn
            if self._over():
                return "abort"
            token = self.choose_discard(seat)
            if not self.incidents.at("discard", self, seat, token):
                self.discard(seat, token)
            draws = True
            if self.turn_over:
                self.turn_over, self.turn = False, seat_after(seat)
                continue
            match self._reactions(seat, token):
                case "win":
                    return "win"
                case "kong":
                    draws = False
                    if not self._replaced(self.turn):
                        return "exhausted"
                    self.early_token = self.drawn_token
                case "claim":
                    draws = False
                case _:
                    self.turn = seat_after(seat)
                    self.incidents.at("discarded", self, seat, token)
                    draws = not self.holds_turn_tile
                    self.holds_turn_tile = False
                    if self._over():
                        return "abort"
                    if draws and not table.wall:
                        return "exhausted"

    def _over(self) -> bool:
        return self.aborted

    def _drew(self, seat: Seat) -> bool:
        """Draw the next tile; False where the hand ends for want of one."""
        there = bool(self.table.wall)
        return self.draw(seat) or (there and self._goes_on_without())

    def _replaced(self, seat: Seat) -> bool:
        """Replace a tile of a kong; False where the hand ends for want of one."""
        drawn = self.replacement(seat) is not None and self.all_flowers(seat)
        return drawn or self._goes_on_without()

    def _goes_on_without(self) -> bool:
        """Nothing is left to replace a flower or kong: whether its owner discards all the same."""
        self.drawn_token = None
        return GAMES[self.ruleset].last_tile_discards

    def _wins_self(self, seat: Seat) -> bool:
        need = self.due(seat)
        if need is None or need.kind != "win" or need.from_seat is not None:
            return False
        token = self.drawn_token
        if token is None or token == self.led_token or self.table.face(token) is not need.tile:
            return False
        if not self.incidents.at("winning", self, seat):
            self.table.hands[seat].remove(token)
            self.table.step(do.ShowHand(seat=seat, apart=token, turn_kongs=self.turn_kongs))
        self._check(seat)
        return True

    def _check(self, winner: Seat) -> None:
        for done in self.fault_after_check:
            done()
        self.incidents.at("checking", self, winner)
        self.table.step(do.CloseHand(seat=winner))
        for done in self.fault_after_close:
            done()

    def _own_kongs(self, seat: Seat) -> bool:
        """Concealed and added kongs of the seat in turn, not after a claim.

        Returns whether the hand goes on: not where nothing is left to replace a tile.
        """
        table = self.table
        while table.wall and (self.drawn_token is not None or not table.discards):
            token = self.drawn_token
            if token is not None and self.forced is not None and self.forced[0] == token:
                return True
            drawn = None if token is None else table.face(token)
            need = self.due(seat)
            planned = need is not None and need.tile is drawn and "kong" in need.kind
            if not planned and seat == self.winner:
                return True
            face = drawn if drawn is not None and self._makes_kong(seat, drawn) else None
            if face is None and (face := self._kept_kong(seat)) is None:
                return True
            if self._lay_kong(seat, face):
                return True
            if planned:
                self.scripts[seat].pop(0)
            if not self._replaced(seat):
                return False
        return True

    def _makes_kong(self, seat: Seat, face: Tile) -> bool:
        held = self.table.held(seat)[face]
        return held == 4 or (held > 0 and self.pung_of(seat, face) is not None)

    def _kept_kong(self, seat: Seat) -> Tile | None:
        """A kong that was dealt, or not made when it could have been: chance may make it now."""
        thrown = self.forced is not None and self.forced[0] in self.table.hands[seat]
        if thrown or not self.may_chance(seat):
            return None
        for face in self.table.held(seat):
            kept = self.plan.keeps[seat][face] > 0
            if not kept and self._makes_kong(seat, face) and self.chances.random() < _KEPT_KONG:
                return face
        return None

    def _lay_kong(self, seat: Seat, face: Tile) -> bool:
        """Lay four of the hand, or add the fourth to a pung; True where that ends the hand."""
        table = self.table
        four = [each for each in table.hands[seat] if table.face(each) is face]
        meld = self.pung_of(seat, face)
        if len(four) == 4 or meld is None:
            self.concealed_kong(seat, tuple(four))
            return False
        token = four[-1]
        table.hands[seat].remove(token)
        table.step(do.AddedKong(seat=seat, token=token, to=meld.tokens[0]))
        meld.tokens.append(token)
        meld.kind = "kong"
        return self._robs(seat, token, meld)

    def _robs(self, seat: Seat, token: Token, meld: Meld) -> bool:
        """The one who is led to the win may be waiting for just this tile."""
        need = None if self.winner is None else self.due(self.winner)
        if need is None or need.kind != "rob" or need.from_seat != seat:
            return False
        if need.tile is not self.table.face(token):
            return False
        meld.tokens.remove(token)
        self.robbed = True
        self.table.step(do.ShowHand(seat=need.seat, apart=token, from_seat=seat))
        self._check(need.seat)
        return True

    def _reactions(self, seat: Seat, token: Token) -> Literal["win", "kong", "claim", "none"]:
        if self.forced is not None and self.forced[0] == token:
            need = self.forced[1]
            self.forced = None
            if need.kind == "throw":
                self.scripts[need.seat].remove(need)
                if self.incidents.at("special", self, seat, token):
                    return "claim"
                return "none"
            if need.kind == "win":
                self._win_on(need.seat, seat, token)
                return "win"
            if self.claimed_by_plan(need, seat, token):
                return "kong" if need.kind == "kong" else "claim"
            return "none"
        quiet, self.quiet = self.quiet, False
        if not quiet and self.chance_kong(seat, token):
            return "kong"
        if quiet or not self.claims_by_chance():
            return "none"
        return "claim" if self.chance_claim(seat, token) else "none"

    def _win_on(self, winner: Seat, source: Seat, token: Token) -> None:
        table = self.table
        self.incidents.at("winning", self, winner, token)
        if self.fetches if self.wish.fetch is None else self.wish.fetch:
            table.pools[source] = [each for each in table.pools[source] if each.token != token]
            table.step(
                do.ShowHand(seat=winner, apart=token, from_seat=source, turn_kongs=self.turn_kongs)
            )
        else:
            table.step(do.ShowHand(seat=winner, turn_kongs=self.turn_kongs))
        self._check(winner)


def new_table(
    seed: int, dealer: Seat, ruleset: str = "mcr", stacks: int = 18
) -> tuple[TableModel, random.Random]:
    """A fresh table and the generator that decides everything on it."""
    rng = random.Random(seed)
    return TableModel(stacks, rng, Deck.full(rng, ruleset), dealer), rng
