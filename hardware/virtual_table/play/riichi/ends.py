"""How a riichi hand ends: wins and their settlement, the wall running out, aborts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.riichi.calls import Calling
from hardware.virtual_table.play.riichi.judge import Chance
from hardware.virtual_table.play.riichi.match import Outcome, Result, Won
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.scoring.hand import ScoringHand

_LOOK_S = 2.5
"""How long everybody looks at what ended the hand."""


@dataclass(frozen=True, slots=True)
class _Winning:
    """A win declared, to be settled."""

    seat: Seat
    source: Seat | None
    tile: Tile
    hand: ScoringHand


class Ending(Calling):
    """Wins, exhausted walls and aborts."""

    # -- wins ---------------------------------------------------------------------------------

    def wins_self(self, seat: Seat) -> bool:
        """The seat in turn wins on the tile it has drawn."""
        token = self.drawn_token
        if token is None or seat not in self.plan.winners or seat in self.barred:
            return False
        face = self.table.face(token)
        if not self.judge.can_win(seat, face, drawn=token, replaced=self.replaced):
            return False
        hand = self.judge.hand(seat, face, drawn=token, replaced=self.replaced)
        if not self.incidents.at("winning", self, seat):
            self.table.hands[seat].remove(token)
            self.table.step(do.ShowHand(seat=seat, apart=token, turn_kongs=False))
        self._settle([_Winning(seat, None, face, hand)])
        return True

    def who_wins_on(self, source: Seat, token: Token, chance: Chance = "discard") -> list[Seat]:
        """Who declares a win on this tile, the nearest to its owner first."""
        face = self.table.face(token)
        order = [self.after(source, turn) for turn in range(1, len(self.table.order))]
        return [
            seat
            for seat in order
            # On the last discard everybody wins who can: there is nothing to wait for.
            if (seat in self.plan.winners or not self.table.wall)
            and seat not in self.barred
            and self.judge.can_win(seat, face, source=source, chance=chance)
        ]

    def win_on(
        self, winners: Sequence[Seat], source: Seat, token: Token, chance: Chance = "discard"
    ) -> Result:
        """These seats lay their hands open on another's tile."""
        table, face = self.table, self.table.face(token)
        declared = [
            _Winning(seat, source, face, self.judge.hand(seat, face, source=source, chance=chance))
            for seat in winners
        ]
        fetch = self.wish.fetch if self.wish.fetch is not None else self.rng.random() < 0.4
        fetch = (fetch and len(winners) == 1) or chance != "discard"
        for seat in winners:
            self.incidents.at("winning", self, seat, token)
            if fetch and chance == "discard":
                table.pools[source] = [each for each in table.pools[source] if each.token != token]
            table.step(
                do.ShowHand(
                    seat=seat,
                    apart=token if fetch else None,
                    from_seat=source if fetch else None,
                    turn_kongs=False,
                )
            )
        if len(winners) == 3 and "three_rons" in self.game.aborts:
            return self.abort("three_rons")
        self._settle(declared)
        return "win"

    def _settle(self, declared: list[_Winning]) -> None:
        """Ura indicators, payments, and the referee closes the hand."""
        table = self.table
        riichi = [win.seat for win in declared if win.seat in table.riichi]
        if riichi and table.indicators and not self.incidents.at("ura", self, riichi[0]):
            self.turn_ura(riichi[0])
        payments = [0, 0, 0, 0]
        won: list[Won] = []
        ura = tuple(table.face(token) for token in table.ura)
        for number, win in enumerate(declared):
            hand = replace(
                win.hand,
                ura_indicators=ura if win.seat in table.riichi else (),
                honba=self.match.honba if number == 0 else 0,
                sticks=self.match.sticks + len(self.paid) if number == 0 else 0,
            )
            answer = self.judge.answer(hand)
            if answer is None:
                raise ValueError(f"seat {win.seat} has declared what is no win: {hand}")
            share = [0, 0, 0, 0]
            for turn, points in enumerate(answer.payments):
                share[self.after(win.seat, turn)] = points
            payments = [a + b for a, b in zip(payments, share, strict=True)]
            won.append(Won(win.seat, win.source, win.tile, tuple(share)))
        self.outcome = Outcome(
            result="win",
            wins=tuple(won),
            payments=tuple(payments),
            riichi=tuple(self.paid),
            stays=any(win.seat == table.dealer for win in declared),
        )
        for done in self.fault_after_check:
            done()
        self.incidents.at("checking", self, declared[0].seat)
        table.step(do.CloseHand(seat=declared[0].seat))
        for done in self.fault_after_close:
            done()

    def wins_too(self, seat: Seat) -> bool:
        """Whether the discard that was won on completes this hand as well (6.3.3)."""
        return any(
            seat == win.winner
            or (win.source is not None and win.tile.plain in self.judge.waits(seat))
            for win in self.outcome.wins
        )

    def turn_ura(self, seat: Seat) -> None:
        """The tiles under the open indicators are turned up (9.3.3)."""
        table = self.table
        uppers = tuple(table.indicators)
        lowers = tuple(token + 1 for token in uppers)
        for token in lowers:
            self.show_face(token)
            table.ura.append(token)
        table.step(do.TurnUra(seat=seat, uppers=uppers, lowers=lowers))

    # -- draws --------------------------------------------------------------------------------

    def exhausted(self) -> Result:
        """The wall has run out: who is ready shows it, the others cover their hands (6.6)."""
        table = self.table
        self.incidents.at("exhausted", self, table.dealer)
        ready: list[Seat] = []
        for turn in range(len(table.order)):
            seat = self.after(table.dealer, turn)
            if seat in self.shows_anyway:
                table.step(do.ShowHand(seat=seat, press=False, turn_kongs=False))
                self.shows_anyway[seat]()
            elif self.judge.waits(seat) and seat not in self.barred:
                ready.append(seat)
                table.step(do.ShowHand(seat=seat, press=False, turn_kongs=False))
            else:
                table.step(do.FoldHand(seat=seat))
        table.step(do.Pause(seconds=_LOOK_S))
        payments, reason = self._exhausted_payments(ready)
        self.outcome = Outcome(
            result="exhausted",
            reason=reason,
            payments=tuple(payments),
            riichi=tuple(self.paid),
            stays=table.dealer in ready,
        )
        return "exhausted"

    def _exhausted_payments(self, ready: list[Seat]) -> tuple[list[int], str | None]:
        order, game = self.table.order, self.game
        payments = [0, 0, 0, 0]
        for seat in order if game.nagashi else ():
            if not self._nagashi(seat):
                continue
            for other in order:
                if other != seat:
                    points = 4000 if self.table.dealer in (seat, other) else 2000
                    payments[seat] += points
                    payments[other] -= points
        if any(payments):
            return payments, "nagashi_mangan"
        if 0 < len(ready) < len(order):
            for seat in order:
                if seat in ready:
                    payments[seat] += game.noten_total // len(ready)
                else:
                    payments[seat] -= game.noten_total // (len(order) - len(ready))
        return payments, None

    def _nagashi(self, seat: Seat) -> bool:
        """6.7: only terminals and honours discarded, none of them claimed."""
        table = self.table
        kinds = [table.kind(token) for token in table.discarded[seat]]
        ends = all(kind.is_terminal or kind.is_honour for kind in kinds)
        return bool(kinds) and ends and not table.claimed & set(table.discarded[seat])

    def abort(self, reason: str) -> Result:
        """An abortive draw (6.8): the dealer stays."""
        self.table.step(do.Pause(seconds=_LOOK_S))
        self.outcome = Outcome(result="abort", reason=reason, riichi=tuple(self.paid), stays=True)
        return "abort"

    def nine_terminals(self, seat: Seat) -> bool:
        """九种九牌: declared where the wish wants it and the hand has it (6.8.4)."""
        table = self.table
        if self.wish.abort != "nine_terminals" or "nine_terminals" not in self.game.aborts:
            return False
        if not table.uninterrupted or table.discarded[seat] or table.melds[seat]:
            return False
        if seat not in self.plan.dealt or not self.plan.dealt[seat]:
            return False
        kinds = {kind for kind in table.held(seat) if kind.is_terminal or kind.is_honour}
        if len(kinds) < 9:
            return False
        table.step(do.Press(seat=seat, call="nine_terminals"))
        table.step(do.ShowHand(seat=seat, apart=self.drawn_token, press=False, turn_kongs=False))
        self.abort("nine_terminals")
        return True

    def aborted_by_discard(self) -> str | None:
        """Four equal winds, kongs or riichi: the hand ends unless somebody won on the tile."""
        table, aborts = self.table, self.game.aborts
        first = [table.discarded[seat] for seat in table.order]
        if "four_winds" in aborts and table.uninterrupted and all(len(d) == 1 for d in first):
            kinds = {table.kind(tokens[0]) for tokens in first}
            if len(kinds) == 1 and next(iter(kinds)).is_wind:
                return "four_winds"
        if "four_riichi" in aborts and len(table.riichi) == len(table.order) == 4:
            return "four_riichi"
        if "four_kongs" in aborts and len(self.kongs) == 4 and len(set(self.kongs)) > 1:
            return "four_kongs"
        return None
