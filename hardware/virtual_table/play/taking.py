"""One hand in progress: what is taken from the wall, by whom, and what it turns out to be."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.fate import Need, Part
from hardware.virtual_table.play.games import GAMES, Family
from hardware.virtual_table.play.layout import SIDES
from hardware.virtual_table.play.moments import Incidents
from hardware.virtual_table.play.plan import HandPlan, HandWish
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import Meld, TableModel, seat_after
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile


@dataclass
class Taking:
    """The state of a hand being played; deals, draws and flowers."""

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
    led_token: Token | None = None
    """The tile that last came to somebody on the way to his win, as the winning one may, too."""
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
    after_first_deal: list[Callable[[], None]] = field(default_factory=list)
    """What incidents want done when the dealer has his first four tiles."""
    before_jump: list[Callable[[], None]] = field(default_factory=list)
    fault_after_draw: list[Callable[[], None]] = field(default_factory=list)
    fault_after_discard: list[Callable[[], None]] = field(default_factory=list)
    """What incidents want done at those points, once: two may wait for the same one."""
    fault_after_check: list[Callable[[], None]] = field(default_factory=list)
    fault_after_close: list[Callable[[], None]] = field(default_factory=list)
    arranged: dict[str, Seat] = field(default_factory=dict)
    awaited: dict[str, Tile] = field(default_factory=dict)
    race: dict[str, Part] = field(default_factory=dict)
    fifth: Tile | None = None
    """What incidents have arranged for themselves."""
    changed: list[tuple[Tile, Tile]] = field(default_factory=list)
    """Tiles of the set that have been exchanged: was, is."""
    dice_until: Callable[[], bool] | None = None
    """The dice lie in the middle until this is true after a discard."""
    throws: tuple[tuple[int, int], tuple[int, int]] = ((1, 1), (1, 1))
    quiet: bool = False
    """Set by an incident: nobody claims the next discard by chance."""
    hasty: tuple[Seat, Token] | None = None
    """Who reached for the wall before a discard lay, and that discard."""
    barred: set[Seat] = field(default_factory=set)
    """Seats that an infraction has barred from winning."""
    refused: set[Seat] = field(default_factory=set)
    """Those among them whose declared win was none: every ruleset bars them."""
    fetches: bool = field(init=False)
    """Whether a winning discard is fetched, where the wish leaves that open."""
    chances: random.Random = field(init=False)
    """Decides what is rare, so that a hand without it is the same."""

    def __post_init__(self) -> None:
        self.plan = HandPlan(self.table.deck, self.rng, self.wish)
        self.fetches = stream_of(self.rng, "fetch").random() < 0.5
        self.chances = stream_of(self.rng, "chances")

    @property
    def winner(self) -> Seat | None:
        """Who is led to the win."""
        return self.plan.winner

    @property
    def scripts(self) -> dict[Seat, list[Need]]:
        """What is still to come to each seat."""
        return self.plan.scripts

    def change_set(self, was: Tile, now: Tile) -> None:
        """Somebody has exchanged one tile of the set."""
        self.table.deck.free[was] -= 1
        self.table.deck.free[now] += 1
        self.changed.append((was, now))

    def deal(self, dealt: dict[Seat, list[Tile]]) -> None:
        """Three rounds of two stacks, the dealer's jump draw and one tile for each other seat."""
        table = self.table
        order = [seat_after(table.dealer, turn) for turn in range(4)]
        faces = {seat: self._first_faces(seat, dealt[seat]) for seat in order}
        for turn in range(12):
            seat = order[turn % 4]
            self.take_deal(seat, tuple(table.wall[:4]), faces[seat])
            if turn == 0:
                for done in self.after_first_deal:
                    done()
        for done in self.before_jump:
            done()
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

    def draw(self, seat: Seat) -> bool:
        """The next tile joins a hand, flowers are replaced; False when the wall is empty."""
        token = self.table.front()
        if token is None:
            return False
        known = self.table.faces.get(token)
        self.draw_as(seat, token, self.face_for(seat, token) if known is None else known)
        return self.all_flowers(seat)

    def draw_as(self, seat: Seat, token: Token, face: Tile) -> None:
        """A tile of the wall joins a hand and turns out to be ``face``."""
        table = self.table
        table.faces[token] = face
        table.wall.remove(token)
        table.hands[seat].append(token)
        self.drawn_token = token
        table.step(do.Draw(seat=seat, token=token))
        done_now, self.fault_after_draw = self.fault_after_draw, []
        for done in done_now:
            done()

    def due(self, seat: Seat) -> Need | None:
        """What fate has in store for a seat now."""
        needs = self.scripts[seat]
        return needs[0] if needs and needs[0].due <= self.table.discards else None

    def face_for(self, seat: Seat, token: Token) -> Tile:
        """What a tile turns out to be when this seat draws it."""
        deck = self.table.deck
        need = self.due(seat)
        if need is not None and self.forced is not None and self.forced[1] is need:
            # It is in the hand already, to be thrown: a kong or a north came first.
            return self.chance_face(seat)
        lost = need is not None and self._comes_by_drawing(need) and not deck.has(need.tile)
        if need is not None and (lost or ("_kong" in need.kind and not self._can_kong(seat, need))):
            self.scripts[seat].remove(need)
            deck.release(need.tile)
            need = None
        if need is not None and self._comes_by_drawing(need):
            if need.kind == "draw":
                self.scripts[seat].pop(0)
                self.led_token = token
            if need.kind == "throw":
                self.forced = (token, need)
            return deck.take(need.tile)
        for other in SIDES:
            need = self.due(other)
            if need is not None and other != seat and self.forced is None:
                fits = {
                    "chow": self.after(seat) == other,
                    "pung": True,
                    "kong": True,
                    "win": need.from_seat == seat,
                }.get(need.kind, False)
                if fits:
                    self.forced = (token, need)
                    return deck.take(need.tile)
        return self.chance_face(seat)

    def chance_face(self, seat: Seat) -> Tile:  # noqa: ARG002 - some games care whose it is
        """What a tile turns out to be with which fate has nothing in mind."""
        return self.table.deck.chance()

    @property
    def game_family(self) -> Family:
        """Whose procedure is played."""
        return GAMES[self.ruleset].family

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that play."""
        return SIDES

    def behind(self, seat: Seat) -> list[Seat]:
        """The other seats in the order of their turns after this one."""
        return [self.after(seat, turn) for turn in range(1, len(self.seats))]

    def may_offend(self, seat: Seat) -> bool:
        """Whether fate leads this seat nowhere: it may be barred from winning."""
        return seat != self.winner

    def wins_too(self, seat: Seat) -> bool:  # noqa: ARG002
        """Whether a hand may be laid open beside the one that is checked: nobody's."""
        return False

    def may_call(self, seat: Seat, own: tuple[Token, ...], *, kong: bool = False) -> bool:  # noqa: ARG002
        """Whether the seat may show these tiles with a discard, beside that they fit."""
        return True

    def after(self, seat: Seat, steps: int = 1) -> Seat:
        """The seat whose turn it is so many turns later."""
        return seat_after(seat, steps)

    @staticmethod
    def _comes_by_drawing(need: Need) -> bool:
        own = ("draw", "throw", "concealed_kong", "added_kong")
        return need.kind in own or (need.kind == "win" and need.from_seat is None)

    def _can_kong(self, seat: Seat, need: Need) -> bool:
        if need.kind == "concealed_kong":
            return self.table.held(seat)[need.tile] == 3
        return self.pung_of(seat, need.tile) is not None

    def pung_of(self, seat: Seat, face: Tile) -> Meld | None:
        """The exposed pung of this kind that a seat has on the table.

        One that is invalid is none: nobody adds a fourth tile to it.
        """
        for meld in self.table.melds[seat]:
            kinds = {self.table.kind(each) for each in meld.tokens}
            if meld.kind == "pung" and kinds == {face.plain}:
                return meld
        return None


def stream_of(rng: random.Random, name: str) -> random.Random:
    """A generator of its own for one purpose: the one it comes from gives what it would have."""
    copy = random.Random()
    copy.setstate(rng.getstate())
    return random.Random(f"{copy.random()}:{name}")
