"""What players throw away and what they claim."""

from __future__ import annotations

import random
from collections import Counter
from typing import Final, Literal

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import Meld, PoolTile, seat_after
from hardware.virtual_table.play.taking import Taking
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

_KONG_CLAIM: Final = 2.0
"""How much more readily a kong is made of a discard than another set."""


class Claiming(Taking):
    """Discards, claims and concealed kongs."""

    def concealed_kong(self, seat: Seat, four: tuple[Token, ...], *, press: bool = True) -> None:
        """Lay four tiles of a hand down."""
        for token in four:
            self.table.hands[seat].remove(token)
        self.table.melds[seat].append(Meld("kong", list(four), concealed=True))
        if press:
            self.table.step(do.Press(seat=seat, call="kong"))
        self.table.step(do.ConcealedKong(seat=seat, tokens=four))

    def choose_discard(self, seat: Seat) -> Token:
        """What a player throws away: what fate forces, else what is least use."""
        table = self.table
        if self.forced is not None and self.forced[0] in table.hands[seat]:
            return self.forced[0]
        spare, held = self._spare(seat), table.held(seat)
        worth = {token: self._worth(seat, token, spare, held) for token in table.hands[seat]}
        return min(worth, key=lambda token: (worth[token], token != self.drawn_token, token))

    def _spare(self, seat: Seat) -> Counter[Tile]:
        """How many of each kind the fate of this seat keeps from being thrown away."""
        wanted: Counter[Tile] = Counter(self.plan.keeps[seat])
        if seat == self.winner and self.plan.target is not None:
            wanted.update(tile.plain for tile in self.plan.target.tiles)
            for meld in self.table.melds[seat]:
                wanted.subtract(self.table.kind(token) for token in meld.tokens)
            # What is still to come comes as planned; an equal tile before that is of no use.
            wanted.subtract(need.tile.plain for need in self.scripts[seat])
        for need in self.scripts[seat]:
            if need.kind in ("pung", "kong", "concealed_kong"):
                wanted[need.tile.plain] = max(wanted[need.tile.plain], 4)
        return wanted

    def _worth(self, seat: Seat, token: Token, wanted: Counter[Tile], held: Counter[Tile]) -> float:
        """How unwillingly a tile is thrown away: what is wanted and what is held beside it."""
        table = self.table
        kind = table.kind(token)
        others = [each for each in table.hands[seat] if table.kind(each) is kind and each < token]
        worth = self.rng.random() * 0.8 + 4.0 * (held[kind] - 1)
        if wanted[kind] > len(others):
            worth += 100.0
        if kind.is_suited:
            near = {
                step: held[Tile(f"{kind.rank + step}{kind.suit.value}")]
                for step in (-2, -1, 1, 2)
                if 1 <= kind.rank + step <= 9
            }
            worth += 2.5 * sum(1 for step in (-1, 1) if near.get(step))
            worth += 1.0 * sum(1 for step in (-2, 2) if near.get(step))
            worth += 0.5 - 0.1 * abs(kind.rank - 5)
        return worth

    def discard(self, seat: Seat, token: Token) -> None:
        """A tile of the hand goes to the next place of the pool."""
        table = self.table
        place = table.next_place(seat)
        table.hands[seat].remove(token)
        table.pools[seat].append(PoolTile(token, place))
        table.discards += 1
        table.last_discard = token
        think = self.rng.choice((0.0, 0.0, 0.1, 0.2, 0.4))
        table.step(
            do.Discard(
                seat=seat,
                token=token,
                place=place,
                drawn=token == self.drawn_token,
                hold=self.hold,
                think=think,
            )
        )
        self.hold = 0.0
        done_now, self.fault_after_discard = self.fault_after_discard, []
        for done in done_now:
            done()
        if self.dice_until is not None and self.dice_until():
            self.dice_until = None
            table.step(do.RemoveDice(seat=table.dealer))

    def claimed_by_plan(self, need: Need, source: Seat, token: Token) -> bool:
        """Carry out a claim that fate has arranged; False where the seat cannot, or may not."""
        if not self.may_claim(need.seat):
            self.scripts[need.seat].remove(need)
            return False
        face = self.table.face(token)
        if need.kind == "chow" and need.part is not None:
            own = list(need.part.tiles)
            own.remove(face)
        else:
            own = [face] * (3 if need.kind == "kong" else 2)
        tokens = self.own_tokens(need.seat, own)
        self.scripts[need.seat].remove(need)
        if tokens is None:
            return False
        call: Literal["chow", "pung", "kong"] = (
            "chow" if need.kind == "chow" else "kong" if need.kind == "kong" else "pung"
        )
        self.claim(need.seat, source, token, tokens, call)
        return True

    def own_tokens(self, seat: Seat, faces: list[Tile]) -> tuple[Token, ...] | None:
        """Standing tiles with these faces, or None where one is lacking."""
        found: list[Token] = []
        for face in faces:
            token = self.table.find(seat, face, but=tuple(found))
            if token is None:
                return None
            found.append(token)
        return tuple(found)

    def may_claim(self, seat: Seat) -> bool:
        """Whether who keeps to the rules claims: not barred from winning, where that bars both."""
        barred = GAMES[self.ruleset].claims_barred and seat in self.barred
        return not barred and not self.gave_up(seat)

    def gave_up(self, seat: Seat) -> bool:
        """Whether the seat began to draw before the latest discard lay: it is his no more.

        To start the draw gives up every claim (000 Q155(2)); whoever claims after all has done
        what ``claim-after-draw`` is.
        """
        return self.hasty == (seat, self.table.last_discard)

    def may_chance(self, seat: Seat) -> bool:
        """Whether chance may have the seat claim: fate leads it nowhere, and it still may.

        Who has two sets already goes on only where nothing is arranged with his other tiles.
        """
        led = seat == self.winner or bool(self.scripts[seat]) or not self.may_claim(seat)
        return not led and (len(self.table.melds[seat]) < 2 or not self.plan.keeps[seat])

    def chance_of(self, seat: Seat) -> random.Random:
        """What decides about a claim of the seat."""
        rare = self.table.discards < 2 or len(self.table.melds[seat]) >= 2
        return self.chances if rare else self.rng

    def claims_by_chance(self) -> bool:
        """Whether the latest discard is claimed by whoever can."""
        rng = self.chances if self.table.discards < 2 else self.rng
        return rng.random() <= self.wish.claims

    def chance_kong(self, source: Seat, token: Token) -> bool:
        """Somebody who holds three like the discard makes a kong of it; False where nobody does."""
        table, face = self.table, self.table.face(token).plain
        if not table.wall:
            return False
        for seat in self.behind(source):
            free = self.may_chance(seat) and not self.plan.keeps[seat][face]
            if not free or table.held(seat)[face] < 3:
                continue
            own = self.own_tokens(seat, [face] * 3)
            if own is None or not self.may_call(seat, own, kong=True):
                continue
            if self.chances.random() < _KONG_CLAIM * self.wish.claims:
                self.claim(seat, source, token, own, "kong")
                return True
        return False

    def chance_claim(self, source: Seat, token: Token) -> bool:
        """Somebody pungs or chows the discard because he can; False where nobody does."""
        table = self.table
        face = table.face(token)
        order = [seat_after(source, turn) for turn in (1, 2, 3)]
        able = [seat for seat in order if self.may_chance(seat)]
        for seat in able:
            if table.held(seat)[face] >= 2:
                tokens = self.own_tokens(seat, [face, face])
                if tokens is not None:
                    self.claim(seat, source, token, tokens, "pung")
                    return True
        chows = order[0] in able and face.is_suited
        if chows and self.chance_of(order[0]).random() < 0.5:
            for first in (face.rank - 2, face.rank - 1, face.rank):
                ranks = [rank for rank in range(first, first + 3) if rank != face.rank]
                if first < 1 or first > 7:
                    continue
                tokens = self.own_tokens(
                    order[0], [Tile(f"{rank}{face.suit.value}") for rank in ranks]
                )
                if tokens is not None:
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
        """A discard leaves the pool and is laid with tiles of the hand; its owner is to play.

        ``misplaced``: where the claimed tile lies instead, and which tile lies sideways.
        """
        table = self.table
        table.pools[source] = [each for each in table.pools[source] if each.token != token]
        for each in own:
            table.hands[seat].remove(each)
        at = self.sideways_at(seat, source, len(own) + 1)
        sideways: int | None = at
        if misplaced is not None:
            at, sideways = misplaced
        laid = [*own[:at], token, *own[at:]]
        table.melds[seat].append(Meld(call, laid))
        table.step(
            do.Claim(
                seat=seat,
                call=call,
                from_seat=source,
                token=token,
                tokens=tuple(laid),
                claimed=at,
                sideways=sideways,
                fetch_last=seat in self.wish.fetch_last,
                press=press,
            )
        )
        self.turn = seat
        self.drawn_token = None

    def sideways_at(self, seat: Seat, source: Seat, count: int) -> int:
        """Which tile of a claimed set lies sideways."""
        return sideways_index(seat, source, count)


def sideways_index(seat: int, source: int, count: int) -> int:
    """Where the claimed tile lies: left end from the left, middle from across, right end."""
    match (source - seat) % 4:
        case 3:
            return 0
        case 2:
            return 1
        case _:
            return count - 1
