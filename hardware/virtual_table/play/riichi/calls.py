"""What riichi players throw away, claim, and set aside; when they declare riichi."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need
from hardware.virtual_table.play.riichi.dealing import Dealing
from hardware.virtual_table.play.riichi.judge import swap_tiles
from hardware.virtual_table.play.riichi.model import Declared
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import Meld, PoolTile
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

_MOST_KONGS = 2
"""Kongs by chance in one hand; a fourth one would end it."""
_RIICHI_KONG = 0.8
"""How readily who has declared riichi makes a kong that he may."""


class Calling(Dealing):
    """Discards, riichi, claims, kongs and norths."""

    added_kong: Token | None = None
    """The tile just added to a pung, which may be robbed."""
    claimed_now = False
    """A chow or pung has been laid: its owner discards without drawing."""

    # -- discards -----------------------------------------------------------------------------

    def choose_discard(self, seat: Seat) -> Token:
        """What a player throws away: what he must, what fate wants, else what is least use."""
        table = self.table
        if seat in table.riichi and self.drawn_token is not None:
            return self.drawn_token
        if self.forced is not None and self.forced[0] in table.hands[seat]:
            return self.forced[0]
        wind = self.plan.first_wind
        if wind is not None and not table.discarded[seat]:
            token = table.find(seat, wind)
            if token is not None:
                return token
        spare, held = self._spare(seat), table.held(seat)
        danger = self.danger(seat)
        worth = {
            token: self._worth(seat, token, spare, held)
            + (1.5 if table.face(token).is_red else 0.0)
            + (60.0 if table.kind(token) in danger else 0.0)
            + (1000.0 if table.kind(token) in self.forbidden else 0.0)
            for token in table.hands[seat]
        }
        return min(worth, key=lambda token: (worth[token], token != self.drawn_token, token))

    def riichi_discard(self, seat: Seat) -> Token | None:
        """The tile with which the seat declares riichi now; None where it does not."""
        led = seat in self.plan.winners or seat in self.plan.ready
        coming = [need for need in self.scripts[seat] if need.kind not in ("win", "rob")]
        if not led or coming or self.forced is not None:
            return None
        if not self.judge.may_riichi(seat, self.points[seat]):
            return None
        if not self.wants.setdefault(seat, self._wants_riichi(seat)):
            return None
        planned = self.plan.avoid.get(seat, frozenset())
        for token, waiting in self.judge.ready_discards(seat).items():
            if waiting == planned and self.table.kind(token) not in self.danger(seat):
                return token
        return None

    def _wants_riichi(self, seat: Seat) -> bool:
        if self.wish.riichi is not None:
            return self.wish.riichi
        likely = 0.95 if seat in self.plan.winners else 0.75
        return self.plan.eager or self.rng.random() < likely

    def discard(
        self, seat: Seat, token: Token, *, riichi: bool = False, turned: bool = False
    ) -> None:
        """A tile of the hand goes to the next place of the pool.

        Args:
            seat: whose.
            token: which.
            riichi: it declares riichi.
            turned: it is laid sideways although nothing asks for it.
        """
        table = self.table
        declared = table.riichi.get(seat)
        if declared is not None:
            declared.ippatsu = False
        if riichi:
            double = table.uninterrupted and not table.discarded[seat]
            table.riichi[seat] = Declared(token, double)
            self.judge.passed[seat] = set()
            table.step(do.Press(seat=seat, call="riichi"))
        rotated = riichi or seat in self.turn_again
        self.turn_again.discard(seat)
        self.judge.has_discarded(seat)
        astray, self.astray = self.astray, None
        place = None if astray is not None else table.next_place(seat)
        if token in table.hands[seat]:
            table.hands[seat].remove(token)
        table.pools[seat].append(PoolTile(token, place))
        table.discarded[seat].append(token)
        table.discards += 1
        table.last_discard = token
        self.forbidden = frozenset()
        table.step(
            do.Discard(
                seat=seat,
                token=token,
                place=place,
                drawn=token == self.drawn_token,
                hold=self.hold,
                think=self.rng.choice((0.0, 0.0, 0.1, 0.2, 0.4)),
                rotated=turned or (rotated and not self.unturned),
                astray=astray,
            )
        )
        self.unturned = self.unturned and not rotated
        self.hold = 0.0
        if seat in self.plan.winners or seat in self.plan.ready:
            self.waiting[seat] = self.judge.waits(seat)
        done_now, self.fault_after_discard = self.fault_after_discard, []
        for done in done_now:
            done()
        self.turn_late_indicators()
        self._count_down(seat)

    # -- claims -------------------------------------------------------------------------------

    def claimed_by_plan(self, need: Need, source: Seat, token: Token) -> bool:
        """Carry out a claim that fate has arranged; False where the hand cannot do it."""
        table = self.table
        kind = table.kind(token)
        if need.kind == "chow" and need.part is not None:
            own = [tile.plain for tile in need.part.tiles]
            own.remove(kind)
        else:
            own = [kind] * (3 if need.kind == "kong" else 2)
        tokens = self.own_tokens(need.seat, own)
        self.scripts[need.seat].remove(need)
        call: Literal["chow", "pung", "kong"] = (
            "chow" if need.kind == "chow" else "kong" if need.kind == "kong" else "pung"
        )
        if tokens is None or not self.may_call(need.seat, tokens, kong=call == "kong"):
            return False
        if call == "chow" and self.after(source) != need.seat:
            return False
        self.claim(need.seat, source, token, tokens, call)
        return True

    def may_call(self, seat: Seat, own: tuple[Token, ...], *, kong: bool = False) -> bool:
        """Whether these tiles of the hand may be shown with the discard (5.9, 5.10, 6.5.2)."""
        table = self.table
        if not table.wall or seat in table.riichi or seat in self.barred:
            return False
        if kong:
            return len(self.kongs) < 4 and table.tail() is not None
        barred = self._swaps(own)
        rest = [each for each in table.hands[seat] if each not in own]
        return any(table.kind(each) not in barred for each in rest)

    def may_chance(self, seat: Seat) -> bool:
        """Whether chance may have the seat claim: fate leads it nowhere."""
        led = seat in (*self.plan.winners, *self.plan.ready) or bool(self.scripts[seat])
        return not led and (len(self.table.melds[seat]) < 2 or not self.plan.keeps[seat])

    def claims_by_chance(self) -> bool:
        """Whether the latest discard is claimed by whoever can."""
        first = self.table.discards < 2
        return not (first and self.wish.abort is not None) and super().claims_by_chance()

    def chance_kong(self, source: Seat, token: Token) -> bool:
        """Somebody who holds three like the discard makes a kong of it; False where nobody does."""
        if self.wish.abort is not None or len(self.kongs) >= _MOST_KONGS:
            return False
        return super().chance_kong(source, token)

    def chance_claim(self, source: Seat, token: Token) -> bool:
        """Somebody pungs or chows the discard because he can; False where nobody does."""
        table, kind = self.table, self.table.kind(token)
        order = [self.after(source, turn) for turn in range(1, len(table.order))]
        able = [seat for seat in order if self.may_chance(seat)]
        for seat in able:
            if table.held(seat)[kind] >= 2:
                tokens = self.own_tokens(seat, [kind, kind])
                if tokens is not None and self.may_call(seat, tokens):
                    self.claim(seat, source, token, tokens, "pung")
                    return True
        chows = len(table.order) == 4 and order[0] in able and kind.is_suited
        if chows and self.chance_of(order[0]).random() < 0.5:
            for first in range(max(1, kind.rank - 2), min(7, kind.rank) + 1):
                ranks = [rank for rank in range(first, first + 3) if rank != kind.rank]
                tokens = self.own_tokens(
                    order[0], [Tile(f"{rank}{kind.suit.value}") for rank in ranks]
                )
                if tokens is not None and self.may_call(order[0], tokens):
                    self.claim(order[0], source, token, tokens, "chow")
                    return True
        return False

    def claim(
        self,
        seat: Seat,
        source: Seat,
        token: Token,
        own: tuple[Token, ...],
        call: Literal["chow", "pung", "kong"],
        *,
        misplaced: tuple[int, int | None] | None = None,
        press: bool = True,
    ) -> None:
        """A discard leaves the pool and is laid with tiles of the hand; its owner is to play."""
        table = self.table
        super().claim(seat, source, token, own, call, misplaced=misplaced, press=press)
        table.claimed.add(token)
        self.interrupt()
        declared = table.riichi.get(source)
        if declared is not None and table.discarded[source][-1] == token:
            turned = [each for each in table.discarded[source] if each not in table.claimed]
            if not any(each in turned for each in self._since(source, declared)):
                self.turn_again.add(source)
        if call == "kong":
            self.kongs.append(seat)
            self.turn_late_indicators()
            self.late_indicators.append(seat)
            self.owes_replacement = True
        else:
            self.set_laid(own)
        self.judge.note_liability(seat, source)

    def set_laid(self, own: Sequence[Token]) -> None:
        """A set was laid with these tiles of the hand; what comes next is its owner's discard."""
        self.forbidden = self._swaps(own)
        self.claimed_now = True

    def _swaps(self, own: Sequence[Token]) -> frozenset[Tile]:
        return swap_tiles([self.table.face(each) for each in own])

    def _since(self, seat: Seat, declared: Declared) -> list[Token]:
        """The discards of a seat from its declaration on."""
        found = self.table.discarded[seat]
        return found[found.index(declared.token) :]

    def sideways_at(self, seat: Seat, source: Seat, count: int) -> int:
        """Where the claimed tile lies: left end from the left, second from across, right end."""
        return {3: 0, 2: 1}.get(self.judge.way(seat, source), count - 1)

    def interrupt(self) -> None:
        """A call: no first turn and no 一发 any more."""
        self.table.uninterrupted = False
        for declared in self.table.riichi.values():
            declared.ippatsu = False

    # -- kongs and norths ---------------------------------------------------------------------

    def own_kong(self, seat: Seat) -> bool:
        """A concealed or added kong of the seat in turn; the replacement is owed."""
        table = self.table
        if not table.wall or table.tail() is None or len(self.kongs) >= 4:
            return False
        if seat in self.barred:
            return False
        if seat in table.riichi:
            return self._kong_in_riichi(seat)
        need = self.due(seat)
        planned = need is not None and "kong" in need.kind and need.kind != "kong"
        led = seat in self.plan.winners or seat in self.plan.ready
        for kind, count in table.held(seat).items():
            wanted = planned and need is not None and need.tile.plain is kind
            by_chance = not led and not self.scripts[seat] and len(self.kongs) < _MOST_KONGS
            if not wanted and not (by_chance and self.drawn_token is not None):
                continue
            if count == 4 and (wanted or self.plan.keeps[seat][kind] < 4):
                self._planned(seat, wanted)
                four = tuple(each for each in table.hands[seat] if table.kind(each) is kind)
                self.concealed_kong(seat, four)
                return True
            if (meld := self.pung_of(seat, kind)) is not None:
                self._planned(seat, wanted)
                self._added_kong(seat, meld, kind)
                return True
        return False

    def _kong_in_riichi(self, seat: Seat) -> bool:
        """A concealed kong with the tile just drawn that leaves the waits as they are (5.12.2)."""
        token = self.drawn_token
        if token is None or (self.forced is not None and self.forced[0] == token):
            return False
        if self.wish.abort is not None or len(self.kongs) >= _MOST_KONGS:
            return False
        kind = self.table.kind(token)
        four = tuple(each for each in self.table.hands[seat] if self.table.kind(each) is kind)
        before = self.judge.waits(seat, but=token)
        if len(four) < 4 or self.judge.waits_with_kong(seat, four) != before:
            return False
        if self.chances.random() >= _RIICHI_KONG:
            return False
        self.concealed_kong(seat, four)
        return True

    def _planned(self, seat: Seat, wanted: bool) -> None:
        if wanted:
            self.scripts[seat].pop(0)

    def concealed_kong(self, seat: Seat, four: tuple[Token, ...], *, press: bool = True) -> None:
        """Four tiles laid down, the outer two face down, a red five between them (5.8.3)."""
        table = self.table
        four = tuple(sorted(four, key=lambda token: (table.face(token).is_red, token)))
        four = (four[0], four[3], four[1], four[2])
        for token in four:
            table.hands[seat].remove(token)
        table.melds[seat].append(Meld("kong", list(four), concealed=True))
        if press:
            table.step(do.Press(seat=seat, call="kong"))
        hidden: tuple[int, ...] = (0, 3)
        if self.hides_kong is not None:
            hidden = (0, 1, 2, 3)
            self.hides_kong(seat)
            self.hides_kong = None
        table.step(do.ConcealedKong(seat=seat, tokens=four, face_down=hidden))
        self.interrupt()
        self.kongs.append(seat)
        self.turn_late_indicators()
        self.turn_kong_indicator(seat)
        self.owes_replacement = True

    def _added_kong(self, seat: Seat, meld: Meld, kind: Tile) -> None:
        table = self.table
        token = table.find(seat, kind)
        assert token is not None
        table.hands[seat].remove(token)
        table.step(do.AddedKong(seat=seat, token=token, to=meld.tokens[0]))
        self.added_kong = token
        meld.tokens.append(token)
        meld.kind, meld.added = "kong", True
        self.owes_replacement = True

    def added_kong_stands(self, seat: Seat, token: Token) -> None:
        """Nobody has robbed it."""
        self.judge.let_pass(self.table.face(token), seat)
        self.interrupt()
        self.kongs.append(seat)
        self.turn_late_indicators()
        self.late_indicators.append(seat)

    def sets_north(self, seat: Seat) -> bool:
        """拔北: a north is set aside; the replacement is owed."""
        table = self.table
        if len(table.order) == 4 or not table.wall or table.tail() is None:
            return False
        if seat in self.barred:
            return False
        token = table.find(seat, Tile.NORTH)
        if token is None or Tile.NORTH in self.danger(seat):
            return False
        if seat in table.riichi and token != self.drawn_token:
            return False
        if self.forced is not None and self.forced[0] == token:
            return False
        table.hands[seat].remove(token)
        table.norths[seat].append(token)
        table.step(do.SetNorth(seat=seat, token=token))
        self.judge.let_pass(Tile.NORTH, seat)
        self.interrupt()
        self.owes_replacement = True
        return True
