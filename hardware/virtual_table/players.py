"""Self-play of one hand of Chinese official rules.

Four players who keep pairs and neighbours and throw away what stands alone; one of them is led
by fate (:mod:`hardware.virtual_table.fate`) to a hand worth a win. The result is a script of
steps; illegal ones are put in by :mod:`hardware.virtual_table.infractions` at the hooks that
:class:`HandPlay` offers.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from hardware.virtual_table import steps as do
from hardware.virtual_table.fate import Deck, Need, Part
from hardware.virtual_table.layout import SIDES
from hardware.virtual_table.plan import HandPlan, HandWish
from hardware.virtual_table.steps import Token
from hardware.virtual_table.table_state import Meld, PoolTile, TableModel, seat_after
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile

Moment = Literal[
    "plan",
    "dice",
    "opening",
    "flowers",
    "dealt",
    "draw",
    "drawn",
    "discard",
    "discarded",
    "special",
    "winning",
    "checking",
]
"""When something may go wrong: while fate decides; before the throws; before the wall is broken;
before the flowers are replaced; before play; ``seat`` about to draw; holding its tile and about to
discard; about to discard ``token``; after that discard, which nobody claims; after a discard that
was arranged for it; about to lay a winning hand open (``token`` the discard it is won on, or
None); while the win is checked."""


class Incidents(Protocol):
    """What goes wrong in a hand, asked at every moment where something could."""

    def at(self, moment: Moment, play: HandPlay, seat: Seat, token: Token | None = None) -> bool:
        """Let it happen now; True where it took the place of what was due."""
        ...


class NoIncidents:
    """A legal hand."""

    def at(self, *_: object) -> bool:
        """Nothing goes wrong."""
        return False


@dataclass
class HandPlay:
    """One hand being played; :meth:`run` fills ``table.steps``."""

    table: TableModel
    wish: HandWish
    incidents: Incidents
    rng: random.Random
    round_wind: Literal["E", "S", "W", "N"] = "E"
    hand: int = 1
    ruleset: str = "mcr-1998"
    plan: HandPlan = field(init=False)
    owed: dict[Seat, list[Tile]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    forced: tuple[Token, Need] | None = None
    break_sum: int = 0
    breaker: Seat = 0
    turn: Seat = 0
    drawn_token: Token | None = None
    hold: float = 0.0
    aborted: bool = False
    """Set by an incident after which the hand cannot go on."""
    turn_over: bool = False
    """Set by an incident in place of a discard: there was none that could be claimed."""
    robbed: bool = False
    """The kong just added has been robbed: the hand is won."""
    turn_kongs: bool = True
    """The winner turns the concealed kongs up."""
    holds_turn_tile: bool = False
    """Set by an incident after which the seat whose turn it is has its tile already."""
    early_token: Token | None = None
    """The tile it has."""
    after_first_deal: Callable[[], None] | None = None
    before_jump: Callable[[], None] | None = None
    fault_after_draw: Callable[[], None] | None = None
    fault_after_discard: Callable[[], None] | None = None
    """What an incident wants done at those points, once."""
    fault_after_check: Callable[[], None] | None = None
    arranged: dict[str, Seat] = field(default_factory=dict)
    race: dict[str, Part] = field(default_factory=dict)
    fifth: Tile | None = None
    """What incidents have arranged for themselves."""
    changed: list[tuple[Tile, Tile]] = field(default_factory=list)
    """Tiles of the set that have been exchanged: was, is."""
    dice_after: int | None = None
    """The dice lie in the middle until so many discards have been made."""
    throws: tuple[tuple[int, int], tuple[int, int]] = ((1, 1), (1, 1))
    quiet: bool = False
    """Set by an incident: nobody claims the next discard by chance."""
    barred: set[Seat] = field(default_factory=set)
    """Seats that an infraction has barred from winning."""

    def __post_init__(self) -> None:
        self.plan = HandPlan(self.table.deck, self.rng, self.wish)

    @property
    def winner(self) -> Seat | None:
        """Who is led to the win."""
        return self.plan.winner

    @property
    def scripts(self) -> dict[Seat, list[Need]]:
        """What is still to come to each seat."""
        return self.plan.scripts

    # -- the course of a hand -----------------------------------------------------------------

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
        self._deal(self.plan.dealt)
        table.step(do.SortHands())
        if not self.incidents.at("flowers", self, table.dealer):
            for turn in range(4):
                self.first_flowers(seat_after(table.dealer, turn))
        self.incidents.at("dealt", self, table.dealer)
        return self._turns()

    def change_set(self, was: Tile, now: Tile) -> None:
        """Somebody has exchanged one tile of the set."""
        self.table.deck.free[was] -= 1
        self.table.deck.free[now] += 1
        self.changed.append((was, now))

    def _throw(self) -> None:
        table = self.table
        first, second = self.throws = self.wish.dice or (self._dice(), self._dice())
        self.breaker = seat_after(table.dealer, sum(first) - 1)
        self.break_sum = sum(first) + sum(second)
        if self.incidents.at("dice", self, table.dealer):
            return
        table.step(do.ThrowDice(seat=table.dealer, values=first))
        table.step(do.ThrowDice(seat=self.breaker, values=second))
        table.step(do.RemoveDice(seat=table.dealer))

    def _dice(self) -> tuple[int, int]:
        return self.rng.randint(1, 6), self.rng.randint(1, 6)

    # -- deal and flowers ---------------------------------------------------------------------

    def _deal(self, dealt: dict[Seat, list[Tile]]) -> None:
        table = self.table
        order = [seat_after(table.dealer, turn) for turn in range(4)]
        faces = {seat: self._first_faces(seat, dealt[seat]) for seat in order}
        for turn in range(12):
            seat = order[turn % 4]
            self.take_deal(seat, tuple(table.wall[:4]), faces[seat])
            if turn == 0 and self.after_first_deal is not None:
                self.after_first_deal()
        if self.before_jump is not None:
            self.before_jump()
        first, second, third, fourth, jump = table.wall[:5]
        self.take_deal(order[0], (first, jump), faces[order[0]])
        for seat, token in zip(order[1:], (second, third, fourth), strict=True):
            self.take_deal(seat, (token,), faces[seat])

    def take_deal(self, seat: Seat, tokens: tuple[Token, ...], faces: list[Tile]) -> None:
        """One taking of the deal, with the faces that those tiles turn out to have."""
        table = self.table
        for token in tokens:
            table.wall.remove(token)
            table.faces[token] = faces.pop() if faces else table.deck.chance()
            table.hands[seat].append(token)
        table.step(do.DealTake(seat=seat, tokens=tokens))

    def _first_faces(self, seat: Seat, fixed: list[Tile]) -> list[Tile]:
        """The faces of a seat's first tiles; flowers among them put off the fixed ones."""
        deck = self.table.deck
        count = 14 if seat == self.table.dealer else 13
        faces = [deck.take(face) for face in fixed]
        while len(faces) < count:
            faces.append(deck.chance())
        have = sum(face.is_flower for face in faces)
        share = (self.wish.flowers + (seat_after(self.table.dealer, seat) % 4)) // 4
        for index, face in enumerate(faces):
            by_chance = index < len(fixed) and self.rng.random() < 8 / 144
            if not face.is_flower and (have < share or by_chance):
                flower = self.any_flower()
                if flower is not None:
                    self.owed[seat].append(face)
                    faces[index] = flower
                    have += 1
        self.rng.shuffle(faces)
        return faces

    def any_flower(self) -> Tile | None:
        """A flower that nobody has seen yet, taken from the deck."""
        deck = self.table.deck
        left = sorted(face for face in deck.free if face.is_flower and deck.free[face])
        return deck.take(self.rng.choice(left)) if left else None

    def all_flowers(self, seat: Seat) -> bool:
        """Lay out every flower of a hand and replace it; False when the wall is empty."""
        while (flower := self._flower_in(seat)) is not None:
            self.show_flower(seat, flower)
            if self.replacement(seat) is None:
                return False
        return True

    def first_flowers(self, seat: Seat) -> None:
        """The flowers that were dealt; then the hand is put in order."""
        if self._flower_in(seat) is not None:
            self.all_flowers(seat)
            self.table.step(do.Tidy(seat=seat))
            self.drawn_token = None

    def _flower_in(self, seat: Seat) -> Token | None:
        table = self.table
        return next((each for each in table.hands[seat] if table.face(each).is_flower), None)

    def show_flower(self, seat: Seat, token: Token) -> None:
        """Lay one flower out."""
        table = self.table
        table.hands[seat].remove(token)
        table.flowers[seat].append(token)
        table.step(do.ShowFlower(seat=seat, token=token))

    def replacement(self, seat: Seat) -> Token | None:
        """Draw a replacement tile from the tail of the wall; None when there is none."""
        token = self.table.tail()
        if token is None:
            return None
        face = self.table.faces.get(token)
        if face is None:
            face = self.owed[seat].pop() if self.owed[seat] else self.face_for(seat, token)
        self.draw_as(seat, token, face)
        return token

    # -- turns --------------------------------------------------------------------------------

    def _turns(self) -> Literal["win", "exhausted", "abort"]:
        table = self.table
        self.turn, draws = table.dealer, False
        while True:
            seat = self.turn
            self.drawn_token, self.early_token = self.early_token, None
            if draws and not self.incidents.at("draw", self, seat) and not self.draw(seat):
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
                    if self.replacement(self.turn) is None or not self.all_flowers(self.turn):
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

    def draw(self, seat: Seat) -> bool:
        """The next tile joins a hand, flowers are replaced; False when the wall is empty."""
        token = self.table.front()
        if token is None:
            return False
        known = self.table.faces.get(token)
        self.draw_as(seat, token, self.face_for(seat, token) if known is None else known)
        return self.all_flowers(seat)

    def draw_as(self, seat: Seat, token: Token, face: Tile, *, premature: bool = False) -> None:
        """A tile of the wall joins a hand and turns out to be ``face``."""
        table = self.table
        table.faces[token] = face
        table.wall.remove(token)
        table.hands[seat].append(token)
        self.drawn_token = token
        table.step(do.Draw(seat=seat, token=token, premature=premature))
        if self.fault_after_draw is not None:
            self.fault_after_draw()
            self.fault_after_draw = None

    def due(self, seat: Seat) -> Need | None:
        """What fate has in store for a seat now."""
        needs = self.scripts[seat]
        return needs[0] if needs and needs[0].due <= self.table.discards else None

    def face_for(self, seat: Seat, token: Token) -> Tile:
        """What a tile turns out to be when this seat draws it."""
        deck = self.table.deck
        need = self.due(seat)
        lost = need is not None and self._comes_by_drawing(need) and not deck.has(need.tile)
        if need is not None and (lost or ("_kong" in need.kind and not self._can_kong(seat, need))):
            self.scripts[seat].remove(need)
            deck.release(need.tile)
            need = None
        if need is not None and self._comes_by_drawing(need):
            if need.kind == "draw":
                self.scripts[seat].pop(0)
            if need.kind == "throw":
                self.forced = (token, need)
            return deck.take(need.tile)
        for other in SIDES:
            need = self.due(other)
            if need is not None and other != seat and self.forced is None:
                fits = {
                    "chow": seat_after(seat) == other,
                    "pung": True,
                    "kong": True,
                    "win": need.from_seat == seat,
                }.get(need.kind, False)
                if fits:
                    self.forced = (token, need)
                    return deck.take(need.tile)
        return deck.chance()

    @staticmethod
    def _comes_by_drawing(need: Need) -> bool:
        own = ("draw", "throw", "concealed_kong", "added_kong")
        return need.kind in own or (need.kind == "win" and need.from_seat is None)

    def _wins_self(self, seat: Seat) -> bool:
        need = self.due(seat)
        if need is None or need.kind != "win" or need.from_seat is not None:
            return False
        if self.drawn_token is None or self.table.face(self.drawn_token) is not need.tile:
            return False
        if not self.incidents.at("winning", self, seat):
            self.table.hands[seat].remove(self.drawn_token)
            self.table.step(
                do.ShowHand(seat=seat, apart=self.drawn_token, turn_kongs=self.turn_kongs)
            )
        self._check(seat)
        return True

    def _check(self, winner: Seat) -> None:
        if self.fault_after_check is not None:
            self.fault_after_check()
        self.incidents.at("checking", self, winner)
        self.table.step(do.CloseHand(seat=winner))

    def _own_kongs(self, seat: Seat) -> bool:
        """Concealed and added kongs of the tile just drawn; False when the wall is empty."""
        while (token := self.drawn_token) is not None and self.table.wall:
            if self.forced is not None and self.forced[0] == token:
                return True
            face = self.table.face(token)
            need = self.due(seat)
            planned = need is not None and need.tile is face and "kong" in need.kind
            if not planned and seat == self.winner:
                return True
            four = [each for each in self.table.hands[seat] if self.table.face(each) is face]
            if len(four) == 4:
                self.concealed_kong(seat, tuple(four))
            elif (meld := self._pung_of(seat, face)) is not None:
                self.table.hands[seat].remove(token)
                self.table.step(do.AddedKong(seat=seat, token=token, to=meld.tokens[0]))
                meld.tokens.append(token)
                meld.kind = "kong"
                if self._robs(seat, token, meld):
                    return True
            else:
                return True
            if planned:
                self.scripts[seat].pop(0)
            if self.replacement(seat) is None or not self.all_flowers(seat):
                return False
        return True

    def concealed_kong(self, seat: Seat, four: tuple[Token, ...], *, press: bool = True) -> None:
        """Lay four tiles of a hand down."""
        for token in four:
            self.table.hands[seat].remove(token)
        self.table.melds[seat].append(Meld("kong", list(four), concealed=True))
        if press:
            self.table.step(do.Press(seat=seat, call="kong"))
        self.table.step(do.ConcealedKong(seat=seat, tokens=four))

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

    def _can_kong(self, seat: Seat, need: Need) -> bool:
        if need.kind == "concealed_kong":
            return self.table.held(seat)[need.tile] == 3
        return self._pung_of(seat, need.tile) is not None

    def _pung_of(self, seat: Seat, face: Tile) -> Meld | None:
        for meld in self.table.melds[seat]:
            if meld.kind == "pung" and self.table.face(meld.tokens[0]) is face:
                return meld
        return None

    # -- discards -----------------------------------------------------------------------------

    def choose_discard(self, seat: Seat) -> Token:
        """What a player throws away: what fate forces, else what is least use."""
        table = self.table
        if self.forced is not None and self.forced[0] in table.hands[seat]:
            return self.forced[0]
        spare = self._spare(seat)
        worth = {token: self._worth(seat, token, spare) for token in table.hands[seat]}
        return min(worth, key=lambda token: (worth[token], token != self.drawn_token, token))

    def _spare(self, seat: Seat) -> Counter[Tile]:
        """How many of each face the fate of this seat keeps from being thrown away."""
        wanted: Counter[Tile] = Counter()
        wanted.update(self.plan.keeps[seat])
        if seat == self.winner and self.plan.target is not None:
            wanted.update(self.plan.target.tiles)
            for meld in self.table.melds[seat]:
                wanted.subtract(self.table.face(token) for token in meld.tokens)
            # What is still to come comes as planned; an equal tile before that is of no use.
            wanted.subtract(need.tile for need in self.scripts[seat])
        for need in self.scripts[seat]:
            if need.kind in ("pung", "kong", "concealed_kong"):
                wanted[need.tile] = max(wanted[need.tile], 4)
        return wanted

    def _worth(self, seat: Seat, token: Token, wanted: Counter[Tile]) -> float:
        table = self.table
        face = table.face(token)
        held = table.held(seat)
        others = [each for each in table.hands[seat] if table.face(each) is face and each < token]
        worth = self.rng.random() * 0.8
        if wanted[face] > len(others):
            worth += 100.0
        worth += 4.0 * (held[face] - 1)
        if face.is_suited:
            near = {
                step: held[Tile(f"{face.rank + step}{face.suit.value}")]
                for step in (-2, -1, 1, 2)
                if 1 <= face.rank + step <= 9
            }
            worth += 2.5 * sum(1 for step in (-1, 1) if near.get(step))
            worth += 1.0 * sum(1 for step in (-2, 2) if near.get(step))
            worth += 0.5 - 0.1 * abs(face.rank - 5)
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
        if self.fault_after_discard is not None:
            self.fault_after_discard()
            self.fault_after_discard = None
        if self.dice_after is not None and table.discards >= self.dice_after:
            self.dice_after = None
            table.step(do.RemoveDice(seat=table.dealer))

    # -- claims -------------------------------------------------------------------------------

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
        if quiet or self.table.discards < 2 or self.rng.random() > self.wish.claims:
            return "none"
        return "claim" if self._chance_claim(seat, token) else "none"

    def claimed_by_plan(self, need: Need, source: Seat, token: Token) -> bool:
        """Carry out a claim that fate has arranged; False where the hand cannot do it."""
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

    def _chance_claim(self, source: Seat, token: Token) -> bool:
        table = self.table
        face = table.face(token)
        order = [seat_after(source, turn) for turn in (1, 2, 3)]
        able = [seat for seat in order if not self.scripts[seat] and len(table.melds[seat]) < 2]
        able = [seat for seat in able if seat != self.winner]
        for seat in able:
            if table.held(seat)[face] >= 2:
                tokens = self.own_tokens(seat, [face, face])
                if tokens is not None:
                    self.claim(seat, source, token, tokens, "pung")
                    return True
        if order[0] in able and face.is_suited and self.rng.random() < 0.5:
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
        at = sideways_index(seat, source, len(own) + 1)
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
                press=press,
            )
        )
        self.turn = seat
        self.drawn_token = None

    def _win_on(self, winner: Seat, source: Seat, token: Token) -> None:
        table = self.table
        self.incidents.at("winning", self, winner, token)
        if self.wish.fetch:
            table.pools[source] = [each for each in table.pools[source] if each.token != token]
            table.step(
                do.ShowHand(seat=winner, apart=token, from_seat=source, turn_kongs=self.turn_kongs)
            )
        else:
            table.step(do.ShowHand(seat=winner, turn_kongs=self.turn_kongs))
        self._check(winner)


def sideways_index(seat: int, source: int, count: int) -> int:
    """Where the claimed tile lies: left end from the left, middle from across, right end."""
    match (source - seat) % 4:
        case 3:
            return 0
        case 2:
            return 1
        case _:
            return count - 1


def new_table(
    seed: int, dealer: Seat, ruleset: str = "mcr", stacks: int = 18
) -> tuple[TableModel, random.Random]:
    """A fresh table and the generator that decides everything on it."""
    rng = random.Random(seed)
    return TableModel(stacks, rng, Deck.full(rng, ruleset), dealer), rng
