"""Riichi hands to be: what the winners are led to, and what else is arranged for a hand."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from hardware.virtual_table.play.fate import Deck, Need, NeedKind, Part, Target, chow, pair, pung
from hardware.virtual_table.play.games import Abort, Game
from hardware.virtual_table.play.plan import HandPlan
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import KINDS, Tile
from table_controller.scoring.hand import Meld
from table_controller.scoring.riichi import waits

_DRAGONS: Final = (Tile.WHITE, Tile.GREEN, Tile.RED)
_ENDS: Final = tuple(kind for kind in KINDS if kind.is_terminal or kind.is_honour)

Maker = Callable[[random.Random, str], list[Part]]


def _chows(rng: random.Random, suits: str, count: int, low: int = 1, high: int = 7) -> list[Part]:
    return [chow(rng.randint(low, high), rng.choice(suits)) for _ in range(count)]


def _kinds(suits: str, low: int = 1, high: int = 9) -> list[Tile]:
    return [Tile(f"{rank}{suit}") for suit in suits for rank in range(low, high + 1)]


def _pinfu(rng: random.Random, suits: str) -> list[Part]:
    return [*_chows(rng, suits, 4), pair(rng.choice(_kinds(suits)))]


def _menzen(rng: random.Random, suits: str) -> list[Part]:
    third = pung(rng.choice(_kinds(suits)))
    return [*_chows(rng, suits, 3), third, pair(rng.choice(KINDS[27:] if rng.random() < 0.4
                                                             else _kinds(suits)))]  # fmt: skip


def _tanyao(rng: random.Random, suits: str) -> list[Part]:
    sets = _chows(rng, suits, 3, 2, 6)
    last = pung(rng.choice(_kinds(suits, 2, 8))) if rng.random() < 0.4 else chow(3, suits[0])
    return [*sets, last, pair(rng.choice(_kinds(suits, 2, 8)))]


def _yakuhai(rng: random.Random, suits: str) -> list[Part]:
    return [
        pung(rng.choice(_DRAGONS)),
        *_chows(rng, suits, 2),
        pung(rng.choice(_kinds(suits))) if rng.random() < 0.4 else _chows(rng, suits, 1)[0],
        pair(rng.choice(_kinds(suits))),
    ]


def _toitoi(rng: random.Random, suits: str) -> list[Part]:
    kinds = rng.sample([*_kinds(suits), *KINDS[27:30], *KINDS[31:]], 5)
    return [*(pung(kind) for kind in kinds[:4]), pair(kinds[4])]


def _honitsu(rng: random.Random, suits: str) -> list[Part]:
    suit = rng.choice(suits)
    return [*_chows(rng, suit, 3), pung(rng.choice(_DRAGONS)), pair(rng.choice(_kinds(suit)))]


def _chinitsu(rng: random.Random, suits: str) -> list[Part]:
    suit = rng.choice(suits)
    kinds = _kinds(suit)
    return [*_chows(rng, suit, 3), pung(rng.choice(kinds)), pair(rng.choice(kinds))]


def _ittsu(rng: random.Random, suits: str) -> list[Part]:
    suit = rng.choice(suits)
    straight = [chow(1, suit), chow(4, suit), chow(7, suit)]
    return [*straight, *_chows(rng, suits, 1), pair(rng.choice(_kinds(suits)))]


def _chiitoi(rng: random.Random, suits: str) -> list[Part]:
    return [pair(kind) for kind in rng.sample([*_kinds(suits), *KINDS[27:30], *KINDS[31:]], 7)]


def _kokushi(rng: random.Random, suits: str) -> list[Part]:  # noqa: ARG001 - makers look alike
    eyes = rng.choice(_ENDS)
    return [*(Part("single", (kind,)) for kind in _ENDS if kind is not eyes), pair(eyes)]


@dataclass(frozen=True, slots=True)
class _Kind:
    make: Maker
    weight: float
    may_claim: bool
    sanma: bool = True


RIICHI_TARGETS: Final[dict[str, _Kind]] = {
    "pinfu": _Kind(_pinfu, 3.0, may_claim=False),
    "menzen": _Kind(_menzen, 3.0, may_claim=False),
    "tanyao": _Kind(_tanyao, 2.5, may_claim=True),
    "yakuhai": _Kind(_yakuhai, 3.0, may_claim=True),
    "toitoi": _Kind(_toitoi, 1.5, may_claim=True),
    "honitsu": _Kind(_honitsu, 1.5, may_claim=True),
    "chinitsu": _Kind(_chinitsu, 0.5, may_claim=True),
    "ittsu": _Kind(_ittsu, 1.0, may_claim=True),
    "chiitoi": _Kind(_chiitoi, 1.0, may_claim=False),
    "kokushi": _Kind(_kokushi, 0.2, may_claim=False, sanma=False),
}
"""Hands with a yaku however they are won, claimed sets included; closed ones with riichi."""


def choose_riichi_target(rng: random.Random, game: Game, name: str | None = None) -> Target:
    """A hand to be won; ``name`` one of :data:`RIICHI_TARGETS`, else by chance."""
    sanma = game.players == 3
    suits = "ps" if sanma else "mps"
    known = {key: kind for key, kind in RIICHI_TARGETS.items() if kind.sanma or not sanma}
    if name not in known:
        name = rng.choices(list(known), [kind.weight for kind in known.values()])[0]
    kind = known[name]
    while True:
        parts = kind.make(rng, suits)
        counts = Counter(each for part in parts for each in part.tiles)
        if max(counts.values()) <= 4 and (name != "chiitoi" or max(counts.values()) == 2):
            return Target(name, tuple(_redden(parts, rng, game)), kind.may_claim)


def _redden(parts: list[Part], rng: random.Random, game: Game) -> list[Part]:
    """Some fives of the hand are the red ones; of four fives one is."""
    if not game.reds:
        return parts
    for suit in "mps":
        five, red = Tile(f"5{suit}"), Tile(f"0{suit}")
        having = [at for at, part in enumerate(parts) if five in part.tiles]
        count = sum(part.tiles.count(five) for part in parts)
        if having and (count == 4 or rng.random() < 0.3):
            at = rng.choice(having)
            tiles = list(parts[at].tiles)
            tiles[tiles.index(five)] = red
            parts[at] = Part(parts[at].kind, tuple(tiles))
    return parts


@dataclass
class RiichiPlan(HandPlan):
    """What fate has in store in riichi.

    Attributes:
        game: the ruleset.
        avoid: by seat, kinds that it is not to get or lose by chance: what it will wait for.
        winners: who is led to the win; more than one on the same discard.
        ready: who is led to a ready hand that nobody completes.
    """

    game: Game = field(default_factory=lambda: Game(name="riichi"))
    order: tuple[Seat, ...] = ()
    avoid: dict[Seat, frozenset[Tile]] = field(default_factory=dict)
    winners: list[Seat] = field(default_factory=list)
    ready: list[Seat] = field(default_factory=list)
    by: str = "none"
    first_wind: Tile | None = None
    """Everybody's first discard."""
    eager: bool = False
    """Everybody who can declares riichi."""

    def make(self) -> None:
        """Decide what the wish leaves open; incidents may add to the plan."""
        wish, rng = self.wish, self.rng
        self.by = wish.win_by or rng.choices(("self", "discard", "none"), (0.37, 0.53, 0.10))[0]
        if wish.abort is not None:
            self._lead_to_abort(wish.abort)
        if self.by != "none":
            winner = wish.winner if wish.winner in self.order else rng.choice(self.order)
            self._lead_to_win(winner)
        for number, kong in enumerate(wish.kongs):
            self._arrange(number, kong)
        for _ in range(self._how_many_ready()):
            self._lead_to_ready()

    def _lead_to_abort(self, abort: Abort) -> None:
        """What makes the hand end early."""
        rng, wish = self.rng, self.wish
        self.by = "none"
        match abort:
            case "nine_terminals":
                seat = wish.winner if wish.winner in self.order else rng.choice(self.order)
                ends = [kind for kind in _ENDS if self.deck.free[kind]]
                self.deal(seat, rng.sample(ends, rng.randint(9, 11)))
            case "four_winds":
                wind = rng.choice(KINDS[27:31])
                for seat in self.order:
                    self.deal(seat, [wind])
                self.first_wind = wind
            case "four_kongs":
                for number in range(4):
                    self._arrange(0, ("exposed", "concealed", "exposed", "concealed")[number])
            case "three_rons":
                self.by = "several"
            case "four_riichi":
                self.eager = True
                for _ in self.order:
                    self._lead_to_ready()

    def _how_many_ready(self) -> int:
        if self.wish.abort is not None:
            return 0
        if self.wish.ready is not None:
            return self.wish.ready
        weights = (1, 3, 2, 0.5) if self.by == "none" else (5, 3, 1, 0)
        return self.rng.choices((0, 1, 2, 3), weights)[0]

    def idle(self) -> list[Seat]:
        """Seats with which fate has nothing in mind yet."""
        return [
            seat
            for seat in self.order
            if seat not in self.winners and not self.scripts[seat] and not self.dealt[seat]
        ]

    def fits(self, faces: Counter[Tile]) -> bool:
        """Whether all these faces are free."""
        return all(self.deck.free[face] >= count for face, count in faces.items())

    def _lead_to_win(self, winner: Seat) -> None:
        rng = self.rng
        others = [seat for seat in self.order if seat != winner]
        source: Seat | None = None
        if self.by in ("discard", "rob", "several"):
            wanted = self.wish.from_seat
            source = wanted if wanted in others else rng.choice(others)
        self.winner = winner
        self.winners = [winner]
        while True:
            target = choose_riichi_target(rng, self.game, self.wish.target)
            if self.fits(Counter(target.tiles)):
                break
        self.target = target
        final = self._lead_seat(winner, target, rob=self.by == "rob")
        if final is None:
            return
        single = sum(face.plain is final.plain for face in target.tiles) == 1
        if self.by == "rob" and source is not None and single and not final.is_red:
            self._rob(winner, source, final)
        else:
            self.promise(Need(winner, "win", final, 0, from_seat=source))
        self.space(winner)
        if self.by == "several" and source is not None:
            count = 3 if self.wish.abort == "three_rons" else self.wish.several
            for seat in [each for each in others if each != source][: count - 1]:
                self._join(seat, final)

    def _rob(self, winner: Seat, source: Seat, final: Tile) -> None:
        """The last tile is added to a pung by another seat."""
        self.scripts[winner].append(Need(winner, "rob", final, 0, from_seat=source))
        self.deal(source, [final] * 2)
        self.promise(
            Need(source, "pung", final, round(self.wish.discards * 0.4)),
            Need(source, "added_kong", final, self.wish.discards),
        )

    def _lead_seat(self, seat: Seat, target: Target, *, rob: bool = False) -> Tile | None:
        """Deal most of a hand and promise the rest; returns the tile that completes it."""
        rng, sanma = self.rng, self.game.players == 3
        sets = [
            part
            for part in target.parts
            if part.kind == "pung" or (part.kind == "chow" and not sanma)
        ]
        claimed: list[Part] = []
        if target.may_claim and sets:
            claimed = rng.sample(sets, min(len(sets) - 1, rng.choice((0, 1, 1, 2))))
        needs: list[Need] = []
        missing: list[Tile] = []
        for part in claimed:
            face = rng.choice(part.tiles)
            kind: NeedKind = "chow" if part.kind == "chow" else "pung"
            needs.append(Need(seat, kind, face, 0, part=part))
            missing.append(face)
        rest = [each for part in target.parts if part not in claimed for each in part.tiles]
        rng.shuffle(rest)
        if rob:
            alone = Counter(face.plain for face in target.tiles)
            rest.sort(key=lambda face: alone[face.plain] > 1 or face.is_red)
        count = rng.randint(2, 4) - len(claimed) // 2
        final, drawn = rest[0], rest[1 : max(2, count)]
        needs += [Need(seat, "draw", face, 0) for face in drawn]
        missing += drawn
        rng.shuffle(needs)
        standing = list((Counter(target.tiles) - Counter([*missing, final])).elements())
        self.deal(seat, standing)
        # 13 tiles wait: those that stand, those to be drawn, the claimed sets beside them.
        laid = Counter(face for part in claimed for face in part.tiles)
        wait = Counter(target.tiles) - laid
        wait[final] -= 1
        self.avoid[seat] = _waits(wait, len(claimed))
        self.promise(*needs)
        return final

    def _join(self, seat: Seat, final: Tile) -> None:
        """Another seat is led to wait for the same tile."""
        for _ in range(400):
            target = choose_riichi_target(self.rng, self.game)
            tiles = list(target.tiles)
            match = next((face for face in tiles if face.plain is final.plain), None)
            if match is None:
                continue
            tiles.remove(match)
            if not self.fits(Counter(tiles)):
                continue
            waiting = _waits(Counter(tiles), 0)
            if final.plain not in waiting or self.avoid_clash(seat, waiting):
                continue
            self.winners.append(seat)
            self._deal_ready(seat, tiles, waiting)
            return

    def avoid_clash(self, seat: Seat, waiting: frozenset[Tile]) -> bool:
        """Whether these waits would take what another seat is led to."""
        coming = {
            need.tile.plain
            for other, needs in self.scripts.items()
            for need in needs
            if other != seat and need.kind not in ("win", "rob")
        }
        return bool(waiting & coming)

    def _lead_to_ready(self) -> None:
        """A hand that gets ready and is not completed."""
        idle = self.idle()
        if not idle:
            return
        seat = self.rng.choice(idle)
        for _ in range(60):
            target = choose_riichi_target(self.rng, self.game)
            tiles = list(target.tiles)
            tiles.pop(self.rng.randrange(14))
            waiting = _waits(Counter(tiles), 0)
            if waiting and self.fits(Counter(tiles)) and not self.avoid_clash(seat, waiting):
                self.ready.append(seat)
                self._deal_ready(seat, tiles, waiting)
                return

    def _deal_ready(self, seat: Seat, tiles: list[Tile], waiting: frozenset[Tile]) -> None:
        self.rng.shuffle(tiles)
        count = self.rng.randint(1, 3)
        self.deal(seat, tiles[count:])
        self.keeps[seat].update(face.plain for face in tiles)
        self.avoid[seat] = waiting
        last = max(3, round(self.wish.discards * self.rng.uniform(0.4, 0.8)))
        for number, face in enumerate(tiles[:count], start=1):
            self.promise(Need(seat, "draw", face, max(1, last * number // count - 2)))

    def whole(self) -> list[Tile]:
        """Kinds of which all four tiles are free and nobody is led to one."""
        wanted = {need.tile.plain for needs in self.scripts.values() for need in needs}
        wanted |= {kind for kinds in self.avoid.values() for kind in kinds}
        if self.target is not None:
            wanted |= {face.plain for face in self.target.tiles}
        return [face for face in KINDS if self.deck.free[face] == 4 and face not in wanted]


def _waits(tiles: Counter[Tile], melds: int) -> frozenset[Tile]:
    """What these standing tiles wait for beside so many sets."""
    standing = [face.plain for face in tiles.elements()]
    if len(standing) != 13 - 3 * melds:
        return frozenset()
    return frozenset(waits(standing, [_LAID] * melds))


_LAID: Final = Meld(kind="pung", tiles=(Tile.WHITE,) * 3)
"""Stands for any set that has been laid out: only their number counts for waits."""


def full_deck(rng: random.Random, game: Game) -> Deck:
    """All tiles of the game's set."""
    deck = Deck.full(rng, "sanma" if game.players == 3 else "riichi")
    if not game.reds:
        for suit in "mps":
            red = Tile(f"0{suit}")
            deck.free[Tile(f"5{suit}")] += deck.free.pop(red, 0)
    return deck
