"""Self-play of one hand of riichi, with three or four players (source 002, chapters 4 to 6)."""

from __future__ import annotations

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.moments import Moment
from hardware.virtual_table.play.riichi.ends import Ending
from hardware.virtual_table.play.riichi.match import Result
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import Seat


class RiichiPlay(Ending):
    """One hand being played; :meth:`run` fills ``table.steps`` and sets ``outcome``."""

    def run(self) -> None:
        """Play the hand to its end."""
        table, match = self.table, self.match
        table.step(
            do.TableState(
                round_wind=match.round_wind,
                dealer=table.dealer,
                hand=match.hand,
                honba=match.honba,
                sticks=match.sticks,
                scores=match.scores,
            )
        )
        table.step(do.MachineCycle(dealer=table.dealer))
        self._throw()
        result: Result = "abort"
        if not self._over():
            result = self._hand()
        table.step(do.HandEnd(result=result))
        unseen = [token for token in table.ring(table.dealer) if token not in table.faces]
        for token, face in zip(sorted(unseen), table.deck.rest(), strict=True):
            table.faces[token] = face

    def _hand(self) -> Result:
        table = self.table
        self.plan.make()
        self.incidents.at("plan", self, table.dealer)
        if not self.incidents.at("opening", self, self.breaker):
            table.open_wall(self.breaker, self.break_sum)
        self.deal(self.plan.dealt)
        if not self.incidents.at("indicator", self, table.dealer):
            self.turn_indicator(table.dealer)
        table.step(do.SortHands())
        self.incidents.at("dealt", self, table.dealer)
        self.turn = table.dealer
        return self._course()

    def _course(self) -> Result:
        draws = called = False
        while True:
            seat = self.turn
            self.drawn_token, self.early_token = self.early_token, None
            self.replaced = False
            missed = draws and self.incidents.at("draw", self, seat)
            if draws and not missed and not self.draw(seat):
                return self.exhausted()
            if self._over():
                return "abort"
            ended = None if called or missed else self._own_options(seat)
            if ended is not None:
                return ended
            if not called and not missed and self._first_turn(seat):
                self.incidents.at("first", self, seat)
            if self.incidents.at("drawn", self, seat):
                seat = self.turn
            if self._over():
                return "abort"
            self.claimed_now = False
            token = self._discards(seat)
            if self.turn_over:
                self.turn_over, self.turn = False, self.after(seat)
                draws, called = True, False
                continue
            ended, called = self._answers(seat, token)
            called, self.claimed_now = called or self.claimed_now, False
            if ended is not None:
                return ended
            # After a kong the replacement comes in the claimer's own turn.
            draws = not called and not self.owes_replacement and not self.holds_turn_tile
            self.holds_turn_tile = False
            if draws and not self.table.wall:
                return self.exhausted()

    def _first_turn(self, seat: Seat) -> bool:
        table = self.table
        return table.uninterrupted and not table.discarded[seat] and not table.melds[seat]

    def _own_options(self, seat: Seat) -> Result | None:
        """Before the discard: replacements, a self-drawn win, norths, kongs."""
        while True:
            if self.owes_replacement:
                self.owes_replacement = False
                if not self.incidents.at("replacement", self, seat):
                    self.replacement(seat)
            if self.wins_self(seat):
                return "win"
            if self.nine_terminals(seat):
                return "abort"
            if self.sets_north(seat):
                continue
            if not self.own_kong(seat):
                return None
            if self.added_kong is not None:
                token, self.added_kong = self.added_kong, None
                if robbers := self.who_wins_on(seat, token, "added_kong"):
                    return self._robbed(seat, token, robbers)
                self.added_kong_stands(seat, token)

    def _robbed(self, seat: Seat, token: Token, robbers: list[Seat]) -> Result:
        meld = next(meld for meld in self.table.melds[seat] if token in meld.tokens)
        meld.tokens.remove(token)
        meld.kind, meld.added = "pung", False
        self.owes_replacement = False
        return self.win_on(robbers[:1], seat, token, "added_kong")

    def _discards(self, seat: Seat) -> Token:
        """The discard of the turn, to declare riichi where the hand is ready for it."""
        declares = self.riichi_discard(seat)
        token = self.choose_discard(seat) if declares is None else declares
        moment: Moment = "discard" if declares is None else "declare"
        if not self.incidents.at(moment, self, seat, token):
            self.discard(seat, token, riichi=declares is not None)
        last = self.table.discarded[seat]
        return last[-1] if last else token

    def _answers(self, seat: Seat, token: Token) -> tuple[Result | None, bool]:
        """What the others do about a discard; whether it was claimed for a chow or pung."""
        table = self.table
        need = None
        if self.forced is not None and self.forced[0] == token:
            need, self.forced = self.forced[1], None
        if winners := self.who_wins_on(seat, token):
            return self.win_on(winners, seat, token), False
        if need is not None and need.kind in ("win", "throw"):
            self.scripts[need.seat].remove(need)
        claimed = False
        if need is not None and need.kind == "throw":
            self.turn = self.after(seat)
            claimed = self.incidents.at("special", self, seat, token)
        self.judge.let_pass(table.face(token), seat)
        declared = table.riichi.get(seat)
        if declared is not None and declared.token == token:
            self._pays_stick(seat)
        if (reason := self.aborted_by_discard()) is not None:
            return self.abort(reason), False
        if need is not None and need.kind == "throw":
            return None, claimed
        claims = need is not None and need.kind in ("chow", "pung", "kong")
        if claims and need is not None and self.claimed_by_plan(need, seat, token):
            return None, need.kind != "kong"
        quiet, self.quiet = self.quiet, False
        by_chance = need is None and not quiet
        if by_chance and self.chance_kong(seat, token):
            return None, False
        if by_chance and self.claims_by_chance() and self.chance_claim(seat, token):
            return None, True
        self.turn = self.after(seat)
        self.incidents.at("discarded", self, seat, token)
        return ("abort" if self._over() else None), False

    def _pays_stick(self, seat: Seat) -> None:
        """The riichi stands: a stick into the groove (5.12.1)."""
        self.points[seat] -= 1000
        self.paid.append(seat)
        if not self.incidents.at("stick", self, seat):
            self.table.step(do.PlaceStick(seat=seat))
