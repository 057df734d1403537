"""A riichi hand being played: dice, deal, draws, the dead wall and its indicators."""

from __future__ import annotations

import random
from collections.abc import Callable

from hardware.virtual_table.play import steps as do
from hardware.virtual_table.play.moments import Incidents
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.players import HandPlay
from hardware.virtual_table.play.riichi.fate import RiichiPlan
from hardware.virtual_table.play.riichi.judge import Judge
from hardware.virtual_table.play.riichi.match import Match, Outcome
from hardware.virtual_table.play.riichi.model import RiichiModel
from hardware.virtual_table.play.steps import Token
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile


class Dealing(HandPlay):
    """The state of the hand, and everything that leaves the walls."""

    table: RiichiModel
    plan: RiichiPlan

    def __init__(
        self,
        table: RiichiModel,
        wish: HandWish,
        incidents: Incidents,
        rng: random.Random,
        match: Match,
    ) -> None:
        super().__init__(
            table,
            wish,
            incidents,
            rng,
            round_wind=match.round_wind,
            hand=match.hand,
            ruleset=match.game.name,
        )
        self.match = match
        self.game = match.game
        self.plan = RiichiPlan(table.deck, rng, wish, game=match.game, order=match.order)
        self.judge = Judge(match.game, table, match.round_wind)
        self.points = list(match.scores)
        self.outcome = Outcome(result="abort", reason="void", stays=True)
        self.waiting: dict[Seat, frozenset[Tile]] = {}
        """What the seats that fate leads wait for since their last discard."""
        self.forbidden: frozenset[Tile] = frozenset()
        """What the seat in turn may not discard after its claim."""
        self.replaced = False
        """The tile last drawn is a replacement."""
        self.owes_replacement = False
        self.turn_again: set[Seat] = set()
        """Riichi seats whose turned discard was claimed: the next one is turned."""
        self.wants: dict[Seat, bool] = {}
        self.kongs: list[Seat] = []
        self.late_indicators: list[Seat] = []
        """Kongs whose indicator is turned with the next act of their seat."""
        self.paid: list[Seat] = []
        """Who has paid a stick."""
        self.unturned = False
        """Set by an incident: the next declaration tile lies upright."""
        self.astray: tuple[float, float] | None = None
        """Set by an incident: where the next discard lies instead of in its row."""
        self.hides_kong: Callable[[Seat], None] | None = None
        """Set by an incident: the next concealed kong lies with all tiles face down."""
        self.shows_anyway: dict[Seat, Callable[[], None]] = {}
        """Who shows a hand that is not ready when the wall has run out, and what then."""
        self.later: list[tuple[Seat | None, int, Callable[[], None]]] = []
        """What is due after so many discards, those of one seat not counted."""

    def after(self, seat: Seat, steps: int = 1) -> Seat:
        """The seat whose turn it is so many turns later."""
        return self.table.after(seat, steps)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that play."""
        return tuple(sorted(self.table.order))

    def may_offend(self, seat: Seat) -> bool:
        """Whether fate leads this seat nowhere and it has not declared riichi."""
        led = seat in self.plan.winners or seat in self.plan.ready
        return not led and seat not in self.table.riichi

    def when(self, discards: int, then: Callable[[], None], *, but: Seat | None = None) -> None:
        """Do this after so many more discards, those of ``but`` not counted."""
        self.later.append((but, discards, then))

    def _count_down(self, seat: Seat) -> None:
        waiting, self.later = self.later, []
        for but, left, then in waiting:
            if seat == but:
                self.later.append((but, left, then))
            elif left > 1:
                self.later.append((but, left - 1, then))
            else:
                then()

    # -- opening ------------------------------------------------------------------------------

    def counted_seat(self, total: int) -> Seat:
        """The seat that a throw counts to (4.5; three players: appendix 2)."""
        players = self.game.players
        ahead = 0 if players == 3 and total == 11 else (total - 1) % players
        return self.table.after(self.table.dealer, ahead)

    def _throw(self) -> None:
        table = self.table
        first = self._dice() if self.wish.dice is None else self.wish.dice[0]
        self.throws = (first, first)
        self.break_sum = sum(first)
        self.breaker = self.counted_seat(self.break_sum)
        if self.incidents.at("dice", self, table.dealer):
            return
        table.step(do.ThrowDice(seat=table.dealer, values=first))
        table.step(do.RemoveDice(seat=table.dealer))

    def deal(self, dealt: dict[Seat, list[Tile]]) -> None:
        """Three rounds of two stacks, the dealer's jump draw and one tile for each other seat."""
        table = self.table
        order = [table.after(table.dealer, turn) for turn in range(len(table.order))]
        faces = {seat: self._first_faces(seat, dealt[seat]) for seat in order}
        for turn in range(3 * len(order)):
            seat = order[turn % len(order)]
            self.take_deal(seat, tuple(table.wall[:4]), faces[seat])
            if turn == 0:
                for done in self.after_first_deal:
                    done()
        for done in self.before_jump:
            done()
        rest = table.wall[:5]
        self.take_deal(order[0], (rest[0], rest[4]), faces[order[0]])
        for seat, token in zip(order[1:], rest[1:4], strict=False):
            self.take_deal(seat, (token,), faces[seat])

    def _first_faces(self, seat: Seat, fixed: list[Tile]) -> list[Tile]:
        deck = self.table.deck
        count = 14 if seat == self.table.dealer else 13
        avoid = self.plan.avoid.get(seat, frozenset())
        faces = [deck.take(face) if deck.has(face) else deck.chance(avoid=avoid) for face in fixed]
        while len(faces) < count:
            faces.append(deck.chance(avoid=avoid))
        self.rng.shuffle(faces)
        return faces

    # -- the walls ----------------------------------------------------------------------------

    def draw(self, seat: Seat) -> bool:
        """The next tile joins a hand; False when nothing can be drawn any more."""
        token = self.table.front()
        if token is None:
            return False
        known = self.table.faces.get(token)
        self.replaced = False
        self.draw_as(seat, token, self.face_for(seat, token) if known is None else known)
        return True

    def replacement(self, seat: Seat) -> Token | None:
        """Draw the next tile of the dead wall."""
        token = self.table.tail()
        if token is None:
            return None
        known = self.table.faces.get(token)
        self.replaced = True
        self.draw_as(seat, token, self.face_for(seat, token) if known is None else known)
        return token

    def draw_as(self, seat: Seat, token: Token, face: Tile) -> None:
        """A tile of the wall, live or dead, joins a hand and turns out to be ``face``."""
        table = self.table
        table.faces[token] = face
        if token in table.dead:
            table.take_replacement(token)
        else:
            table.wall.remove(token)
        table.hands[seat].append(token)
        self.drawn_token = token
        table.step(do.Draw(seat=seat, token=token))
        done_now, self.fault_after_draw = self.fault_after_draw, []
        for done in done_now:
            done()

    def all_flowers(self, seat: Seat) -> bool:  # noqa: ARG002 - the set has none
        """Nothing to lay out."""
        return True

    def chance_face(self, seat: Seat) -> Tile:
        """Nothing that would complete a hand by chance, or be thrown into one."""
        avoid = set(self.plan.avoid.get(seat, ()))
        if seat in self.table.riichi:
            avoid |= self.danger(seat)
        return self.table.deck.chance(avoid=avoid)

    def danger(self, seat: Seat) -> set[Tile]:
        """What others who are led wait for."""
        return {
            kind for other, waiting in self.waiting.items() if other != seat for kind in waiting
        }

    # -- indicators ---------------------------------------------------------------------------

    def turn_indicator(self, seat: Seat) -> None:
        """The next dora indicator is turned up."""
        table = self.table
        token = table.indicator(len(table.indicators))
        self.show_face(token)
        table.indicators.append(token)
        table.step(do.TurnIndicator(seat=seat, token=token))

    def turn_kong_indicator(self, seat: Seat) -> None:
        """That of a kong; who finds the first one closed turns it, too."""
        if not self.table.indicators:
            self.turn_indicator(seat)
        self.turn_indicator(seat)

    def turn_late_indicators(self) -> None:
        """Those of exposed and added kongs, with the act after them (5.8.5)."""
        for seat in self.late_indicators:
            self.turn_kong_indicator(seat)
        self.late_indicators.clear()

    def show_face(self, token: Token) -> Tile:
        """The face of a tile that somebody sees now."""
        table = self.table
        if token not in table.faces:
            table.faces[token] = table.deck.chance()
        return table.faces[token]
