"""What the riichi players know of their own hands: waits, yaku, furiten, what may be called.

Legal play needs the rules; here they are only asked about one's own hand. Whether a move was
legal is judged elsewhere, from what was seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from hardware.virtual_table.play.games import Game
from hardware.virtual_table.play.riichi.model import RiichiModel
from hardware.virtual_table.play.steps import Token
from hardware.virtual_table.play.table_state import WINDS
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import Tile
from table_controller.scoring.answer import ScoreAnswer
from table_controller.scoring.hand import BadHandError, ScoringHand
from table_controller.scoring.hand import Meld as ScoredMeld
from table_controller.scoring.riichi import load_options, score, waits

Wind = Literal["E", "S", "W", "N"]
Chance = Literal["discard", "added_kong", "north"]
"""What another seat's tile is when somebody wins on it."""

_SIDES: Final[dict[int, Literal["left", "across", "right"]]] = {1: "right", 2: "across", 3: "left"}
_WIND_TILES: Final = (Tile.EAST, Tile.SOUTH, Tile.WEST, Tile.NORTH)
_DRAGONS: Final = (Tile.WHITE, Tile.GREEN, Tile.RED)


def swap_tiles(own: Sequence[Tile]) -> frozenset[Tile]:
    """What may not be discarded after a claim: what makes a set with the two tiles shown (5.10)."""
    if len(own) != 2:
        return frozenset()
    first, second = sorted((tile.plain for tile in own), key=lambda tile: tile.value)
    if first is second:
        return frozenset({first})
    if not first.is_suited or first.suit is not second.suit:
        return frozenset()
    low, high = sorted((first.rank, second.rank))
    ranks = {1: [low - 1, high + 1], 2: [low + 1]}.get(high - low, [])
    return frozenset(Tile(f"{rank}{first.suit.value}") for rank in ranks if 1 <= rank <= 9)


@dataclass
class Judge:
    """What each seat can declare with its hand.

    Attributes:
        passed: by seat, tiles it could have won on since its last discard (6.4.2), and all
            since its riichi.
        liable: by seat, who answers for its big dragons or winds.
    """

    game: Game
    table: RiichiModel
    round_wind: Wind
    passed: dict[Seat, set[Tile]] = field(default_factory=dict)
    liable: dict[Seat, Seat] = field(default_factory=dict)

    # -- the hand -----------------------------------------------------------------------------

    def wind_of(self, seat: Seat) -> Wind:
        """A seat's own wind."""
        order = self.table.order
        return WINDS[(order.index(seat) - order.index(self.table.dealer)) % len(order)]

    def melds(self, seat: Seat) -> tuple[ScoredMeld, ...]:
        """The sets of a seat as the scorer takes them."""
        found = []
        for meld in self.table.melds[seat]:
            tiles = tuple(self.table.face(token) for token in meld.tokens)
            found.append(
                ScoredMeld(kind=meld.kind, tiles=tiles, concealed=meld.concealed, added=meld.added)
            )
        return tuple(found)

    def waits(self, seat: Seat, *, but: Token | None = None) -> frozenset[Tile]:
        """What completes the standing tiles, those without ``but``."""
        tiles = [self.table.kind(token) for token in self.table.hands[seat] if token != but]
        return frozenset(waits(tiles, self.melds(seat)))

    def waits_with_kong(self, seat: Seat, four: Sequence[Token]) -> frozenset[Tile]:
        """What completes the standing tiles once these four of them are a concealed kong."""
        table = self.table
        tiles = [table.kind(token) for token in table.hands[seat] if token not in four]
        faces = tuple(table.face(token) for token in four)
        kong = ScoredMeld(kind="kong", tiles=faces, concealed=True)
        return frozenset(waits(tiles, (*self.melds(seat), kong)))

    def concealed(self, seat: Seat) -> bool:
        """Whether nothing has been claimed (门清)."""
        return all(meld.concealed for meld in self.table.melds[seat])

    def ready_discards(self, seat: Seat) -> dict[Token, frozenset[Tile]]:
        """Standing tiles after which the hand is ready, and for what; one token of each kind."""
        found: dict[Token, frozenset[Tile]] = {}
        tried: set[Tile] = set()
        for token in reversed(self.table.hands[seat]):
            kind = self.table.kind(token)
            if kind not in tried:
                tried.add(kind)
                if waiting := self.waits(seat, but=token):
                    found[token] = waiting
        return found

    def may_riichi(self, seat: Seat, points: int) -> bool:
        """Concealed, not declared, tiles and points left (5.12.1, 6.5.1, 8.2)."""
        enough = points >= 1000 or not self.game.riichi_needs_points
        left = len(self.table.wall) >= self.game.riichi_tiles
        return seat not in self.table.riichi and self.concealed(seat) and enough and left

    # -- wins ---------------------------------------------------------------------------------

    def hand(
        self,
        seat: Seat,
        win: Tile,
        *,
        drawn: Token | None = None,
        source: Seat | None = None,
        chance: Chance = "discard",
        replaced: bool = False,
        ura: Sequence[Tile] = (),
        honba: int = 0,
        sticks: int = 0,
    ) -> ScoringHand:
        """The hand won on ``win``, with its circumstances; ``drawn`` its token on a self-draw."""
        table = self.table
        declared = table.riichi.get(seat)
        standing = tuple(table.face(token) for token in table.hands[seat] if token != drawn)
        untouched = table.uninterrupted and not table.discarded[seat] and not table.melds[seat]
        liable = self.liable.get(seat)
        return ScoringHand(
            hand=standing,
            win_tile=win,
            melds=self.melds(seat),
            self_drawn=source is None,
            from_=None if source is None else self.side(seat, source),
            seat_wind=self.wind_of(seat),
            round_wind=self.round_wind,
            last_tile=not table.wall and not replaced and chance == "discard",
            after_kong=source is None and replaced,
            robbing_kong=source is not None and chance == "added_kong",
            riichi=0 if declared is None else 2 if declared.double else 1,
            ippatsu=declared is not None and declared.ippatsu,
            first_turn=untouched,
            dora_indicators=tuple(table.face(token) for token in table.indicators),
            ura_indicators=tuple(ura) if declared is not None else (),
            norths=len(table.norths[seat]),
            honba=honba,
            sticks=sticks,
            liable=None if liable is None else self.side(seat, liable),
        )

    def answer(self, hand: ScoringHand) -> ScoreAnswer | None:
        """What the hand is worth; None where it is no legal win."""
        try:
            answer = score(hand, load_options(self.game.scoring))
        except BadHandError:
            return None
        return answer if answer.legal else None

    def can_win(
        self,
        seat: Seat,
        win: Tile,
        *,
        drawn: Token | None = None,
        source: Seat | None = None,
        chance: Chance = "discard",
        replaced: bool = False,
    ) -> bool:
        """Whether the seat may declare a win on this tile."""
        if win.plain not in self.waits(seat, but=drawn):
            return False
        if source is not None and self.furiten(seat):
            return False
        hand = self.hand(seat, win, drawn=drawn, source=source, chance=chance, replaced=replaced)
        return self.answer(hand) is not None

    def furiten(self, seat: Seat) -> bool:
        """Whether the seat may not win on a discard (6.4)."""
        waiting = self.waits(seat)
        own = {self.table.kind(token) for token in self.table.discarded[seat]}
        return bool(waiting & own or waiting & self.passed.get(seat, set()))

    def let_pass(self, tile: Tile, source: Seat) -> None:
        """Nobody won on this tile."""
        for seat in self.table.order:
            if seat != source:
                self.passed.setdefault(seat, set()).add(tile.plain)

    def has_discarded(self, seat: Seat) -> None:
        """Furiten of the go-around ends with the own discard, that in riichi never."""
        if seat not in self.table.riichi:
            self.passed[seat] = set()

    # -- who sits where -----------------------------------------------------------------------

    def way(self, seat: Seat, other: Seat) -> int:
        """Where the other seat is: 1 right, 2 across, 3 left (three players have none across)."""
        order = self.table.order
        steps = (order.index(other) - order.index(seat)) % len(order)
        return 3 if len(order) == 3 and steps == 2 else steps

    def side(self, seat: Seat, other: Seat) -> Literal["left", "across", "right"]:
        """The same as the scorer names it."""
        return _SIDES[self.way(seat, other)]

    def note_liability(self, seat: Seat, source: Seat) -> None:
        """7.11: the third set of dragons or the fourth of winds was claimed from this player."""
        laid = [
            self.table.kind(meld.tokens[0])
            for meld in self.table.melds[seat]
            if meld.kind != "chow" and not meld.concealed
        ]
        for kinds in (_DRAGONS, _WIND_TILES):
            if laid and laid[-1] in kinds and sum(tile in kinds for tile in laid) == len(kinds):
                self.liable[seat] = source
