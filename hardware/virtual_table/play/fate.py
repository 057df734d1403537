"""What the tiles turn out to be: hands that are sure to be worth a win, and how they come about.

Faces of tiles that nobody has seen yet are not decided; each is chosen when somebody takes the
tile (:class:`Deck`), the rest at the end of the hand. So a hand can be led to a chosen win in a
chosen number of discards while every picture of it stays consistent.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Final, Literal

from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import FLOWERS, KIND_INDEX, KINDS, RED_FIVES, Tile

SetKind = Literal["chow", "pung", "pair", "single"]


@dataclass(frozen=True, slots=True)
class Part:
    """A set or pair of a hand to be; ``kind`` ``single`` is a tile that stands alone."""

    kind: SetKind
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A complete hand: its parts, its name for people, and whether sets may be claimed."""

    name: str
    parts: tuple[Part, ...]
    may_claim: bool = True

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """All fourteen tiles."""
        return tuple(tile for part in self.parts for tile in part.tiles)


def tile(rank: int, suit: str) -> Tile:
    """A tile by rank and suit letter."""
    return Tile(f"{rank}{suit}")


def chow(rank: int, suit: str) -> Part:
    """Three in a row from ``rank``."""
    return Part("chow", tuple(tile(rank + step, suit) for step in range(3)))


def pung(kind: Tile) -> Part:
    """Three of a kind."""
    return Part("pung", (kind,) * 3)


def pair(kind: Tile) -> Part:
    """Two of a kind."""
    return Part("pair", (kind,) * 2)


def _suits(rng: random.Random) -> list[str]:
    suits = list("mps")
    rng.shuffle(suits)
    return suits


def _free_set(rng: random.Random) -> Part:
    if rng.random() < 0.7:
        return chow(rng.randint(1, 7), rng.choice("mps"))
    return pung(rng.choice(KINDS))


def _free_pair(rng: random.Random) -> Part:
    return pair(rng.choice(KINDS))


def _mixed_straight(rng: random.Random) -> list[Part]:
    a, b, c = _suits(rng)
    return [chow(1, a), chow(4, b), chow(7, c), _free_set(rng), _free_pair(rng)]


def _pure_straight(rng: random.Random) -> list[Part]:
    suit = rng.choice("mps")
    return [chow(1, suit), chow(4, suit), chow(7, suit), _free_set(rng), _free_pair(rng)]


def _mixed_triple_chow(rng: random.Random) -> list[Part]:
    rank = rng.randint(1, 7)
    return [*(chow(rank, suit) for suit in "mps"), _free_set(rng), _free_pair(rng)]


def _pure_shifted_chows(rng: random.Random) -> list[Part]:
    step = rng.choice((1, 2))
    rank, suit = rng.randint(1, 7 - 2 * step), rng.choice("mps")
    parts = [chow(rank + step * index, suit) for index in range(3)]
    return [*parts, _free_set(rng), _free_pair(rng)]


def _mixed_shifted_pungs(rng: random.Random) -> list[Part]:
    rank = rng.randint(1, 7)
    parts = [pung(tile(rank + index, suit)) for index, suit in enumerate(_suits(rng))]
    return [*parts, _free_set(rng), _free_pair(rng)]


def _all_pungs_with_dragons(rng: random.Random) -> list[Part]:
    dragon = rng.choice((Tile.WHITE, Tile.GREEN, Tile.RED))
    others = rng.sample(KINDS[:31], 4)
    return [pung(dragon), *(pung(kind) for kind in others[:3]), pair(others[3])]


def _half_flush_with_dragons(rng: random.Random) -> list[Part]:
    suit = rng.choice("mps")
    dragon = rng.choice((Tile.WHITE, Tile.GREEN, Tile.RED))
    sets = [chow(rng.randint(1, 7), suit) for _ in range(2)]
    third = pung(tile(rng.randint(1, 9), suit)) if rng.random() < 0.5 else chow(3, suit)
    eyes = rng.choice([kind for kind in KINDS if kind.is_honour and kind is not dragon])
    return [*sets, third, pung(dragon), pair(eyes)]


def _full_flush(rng: random.Random) -> list[Part]:
    suit = rng.choice("mps")
    sets = [chow(rng.randint(1, 7), suit) for _ in range(3)]
    return [*sets, pung(tile(rng.randint(1, 9), suit)), pair(tile(rng.randint(1, 9), suit))]


def _seven_pairs(rng: random.Random) -> list[Part]:
    return [pair(kind) for kind in rng.sample(KINDS, 7)]


def _knitted_straight(rng: random.Random) -> list[Part]:
    knitted = [
        Part("single", (tile(start + step, suit),))
        for start, suit in zip((1, 2, 3), _suits(rng), strict=True)
        for step in (0, 3, 6)
    ]
    return [*knitted, _free_set(rng), _free_pair(rng)]


def _thirteen_orphans(rng: random.Random) -> list[Part]:
    kinds = [kind for kind in KINDS if kind.is_terminal or kind.is_honour]
    eyes = rng.choice(kinds)
    return [*(Part("single", (kind,)) for kind in kinds if kind is not eyes), pair(eyes)]


MCR_TARGETS: Final[dict[str, tuple[Callable[[random.Random], list[Part]], float, bool]]] = {
    "mixed_straight": (_mixed_straight, 3.0, True),
    "pure_straight": (_pure_straight, 2.0, True),
    "mixed_triple_chow": (_mixed_triple_chow, 3.0, True),
    "pure_shifted_chows": (_pure_shifted_chows, 2.0, True),
    "mixed_shifted_pungs": (_mixed_shifted_pungs, 2.0, True),
    "all_pungs": (_all_pungs_with_dragons, 3.0, True),
    "half_flush": (_half_flush_with_dragons, 3.0, True),
    "full_flush": (_full_flush, 1.0, True),
    "seven_pairs": (_seven_pairs, 2.0, False),
    "knitted_straight": (_knitted_straight, 1.0, True),
    "thirteen_orphans": (_thirteen_orphans, 0.3, False),
}
"""Hands worth 8 points or more however they are won: maker, how often, sets may be claimed."""


def choose_target(rng: random.Random, name: str | None = None) -> Target:
    """A hand to be won; ``name`` one of :data:`MCR_TARGETS`, else by chance."""
    if name is None:
        names = list(MCR_TARGETS)
        name = rng.choices(names, [MCR_TARGETS[each][1] for each in names])[0]
    maker, _, may_claim = MCR_TARGETS[name]
    while True:
        parts = maker(rng)
        counts = Counter(each for part in parts for each in part.tiles)
        if max(counts.values()) <= 4 and (name != "seven_pairs" or max(counts.values()) == 2):
            return Target(name, tuple(parts), may_claim)


NeedKind = Literal[
    "draw", "throw", "chow", "pung", "kong", "concealed_kong", "added_kong", "win", "rob"
]


@dataclass(slots=True)
class Need:
    """One tile that a seat is to get: at or after the ``due``-th discard of the hand.

    For ``chow``, ``pung``, ``kong`` another seat discards it; ``throw``: the seat itself does;
    ``win`` is the last one: drawn where ``from_seat`` is None, else discarded by that seat;
    ``rob``: the last one is added to a pung by that seat.
    """

    seat: Seat
    kind: NeedKind
    tile: Tile
    due: int
    from_seat: Seat | None = None
    part: Part | None = None


class NoTileLeftError(LookupError):
    """What is wanted of a hand leaves no room for it: all tiles of a kind are promised."""


@dataclass(slots=True)
class Deck:
    """The faces that are not decided yet."""

    rng: random.Random
    free: Counter[Tile] = field(default_factory=Counter)
    kept: Counter[Tile] = field(default_factory=Counter)
    """Faces set aside for what is to come."""

    @classmethod
    def full(cls, rng: random.Random, ruleset: str = "mcr") -> Deck:
        """All tiles of a ruleset's set: ``mcr`` 144, ``riichi`` 136, ``sanma`` 108."""
        free: Counter[Tile] = Counter(dict.fromkeys(KINDS, 4))
        if ruleset == "mcr":
            free.update(FLOWERS)
        else:
            if ruleset == "sanma":
                for rank in range(2, 9):
                    del free[tile(rank, "m")]
            for red in RED_FIVES:
                if free[red.plain]:
                    free[red.plain] -= 1
                    free[red] += 1
        return cls(rng, free)

    def left(self) -> int:
        """How many faces are free."""
        return self.free.total()

    def take(self, face: Tile) -> Tile:
        """One given face, from what was kept for it or from the free ones.

        Raises:
            NoTileLeftError: when there is none.
        """
        for pile in (self.kept, self.free):
            if pile[face] > 0:
                pile[face] -= 1
                return face
        raise NoTileLeftError(f"no {face} left")

    def has(self, face: Tile) -> bool:
        """Whether one more of this face could be drawn."""
        return self.kept[face] > 0 or self.free[face] > 0

    def keep(self, faces: Iterable[Tile]) -> None:
        """Set faces aside; those that are not free any more are left out."""
        for face in faces:
            if self.free[face] > 0:
                self.free[face] -= 1
                self.kept[face] += 1

    def release(self, face: Tile) -> None:
        """Give a kept face back to chance."""
        if self.kept[face] > 0:
            self.kept[face] -= 1
            self.free[face] += 1

    def put_back(self, face: Tile) -> None:
        """A face that was decided but not seen is free again."""
        self.free[face] += 1

    def chance(self, *, flowers: bool = True, avoid: Container[Tile] = ()) -> Tile:
        """Any face that is free, as likely as it is frequent; kept ones once nothing is free.

        Kinds to ``avoid`` only come when there is nothing else.
        """
        pile = self.free
        faces = [face for face in pile if pile[face] > 0 and (flowers or not face.is_flower)]
        faces = [face for face in faces if face.plain not in avoid] or faces
        if not faces:
            pile = self.kept
            faces = [face for face in pile if pile[face] > 0]
        faces.sort(key=_face_order)
        face = self.rng.choices(faces, [pile[each] for each in faces])[0]
        pile[face] -= 1
        return face

    def rest(self) -> list[Tile]:
        """What was never decided, shuffled."""
        faces = sorted((self.free + self.kept).elements(), key=_face_order)
        self.rng.shuffle(faces)
        return faces


def _face_order(face: Tile) -> tuple[int, str]:
    return KIND_INDEX.get(face, 99), face.value
