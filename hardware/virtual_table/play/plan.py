"""Who wins with what, which kongs come about, and what each seat is dealt for sure."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from hardware.virtual_table.play.fate import Deck, Need, NeedKind, Part, Target, choose_target
from hardware.virtual_table.play.games import Abort
from hardware.virtual_table.play.layout import SIDES
from table_controller.domain.happenings import Seat
from table_controller.domain.tiles import KINDS, Tile

WinBy = Literal["self", "discard", "rob", "several", "none"]
KongWish = Literal["exposed", "concealed", "added"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandWish:
    """What is wanted of a hand; everything left open is decided by the seed.

    ``discards`` is the number of discards at which the win should come; ``claims`` how likely
    players claim what they could; ``kongs`` how many kongs are arranged; ``flowers`` the
    least number of flowers dealt; ``fetch`` whether a winning discard is fetched; ``fetch_last``
    who lays the tiles of the hand before fetching the discard they are for. Riichi alone:
    ``ready`` how many others get a ready hand, ``several`` how many win on one discard, ``riichi``
    whether who can declare it does, ``abort`` how the hand ends early.
    """

    winner: Seat | None = None
    win_by: WinBy | None = None
    from_seat: Seat | None = None
    target: str | None = None
    discards: int = 28
    claims: float = 0.25
    kongs: tuple[KongWish, ...] = ()
    flowers: int = 0
    fetch: bool | None = None
    fetch_last: tuple[Seat, ...] = ()
    dice: tuple[tuple[int, int], ...] | None = None
    ready: int | None = None
    several: int = 2
    riichi: bool | None = None
    abort: Abort | None = None


@dataclass
class HandPlan:
    """What fate has in store.

    Attributes:
        winner: who is led to the win, with ``target``; None: the wall runs out.
        scripts: by seat, tiles that are to come, in their order.
        dealt: by seat, faces dealt for sure; ``keeps`` faces that a seat never throws away.
    """

    deck: Deck
    rng: random.Random
    wish: HandWish
    winner: Seat | None = None
    target: Target | None = None
    scripts: dict[Seat, list[Need]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    dealt: dict[Seat, list[Tile]] = field(default_factory=lambda: {seat: [] for seat in SIDES})
    keeps: dict[Seat, Counter[Tile]] = field(
        default_factory=lambda: {seat: Counter() for seat in SIDES}
    )

    def make(self) -> None:
        """Decide what the wish leaves open; incidents may add to the plan."""
        wish = self.wish
        if wish.win_by != "none":
            winner = wish.winner if wish.winner is not None else self.rng.choice(SIDES)
            self.winner = winner
            self.target = choose_target(self.rng, wish.target)
            self._lead(winner, self.target)
        for number, kong in enumerate(wish.kongs):
            self._arrange(number, kong)

    def promise(self, *needs: Need, first: bool = False) -> None:
        """These tiles are to come to their seats; they are set aside for it."""
        for need in needs:
            self.scripts[need.seat].insert(0 if first else len(self.scripts[need.seat]), need)
            self.deck.keep([need.tile])

    def _lead(self, winner: Seat, target: Target) -> None:
        rng, wish = self.rng, self.wish
        sets = [part for part in target.parts if part.kind in ("chow", "pung")]
        claimed: list[Part] = []
        if target.may_claim and sets:
            claimed = rng.sample(sets, min(len(sets) - 1, rng.choice((0, 1, 1, 2))))
        needs: list[Need] = []
        missing: list[Tile] = []
        for part in claimed:
            face = rng.choice(part.tiles)
            kind: NeedKind = "chow" if part.kind == "chow" else "pung"
            needs.append(Need(winner, kind, face, 0, part=part))
            missing.append(face)
        rest = [each for part in target.parts if part not in claimed for each in part.tiles]
        rng.shuffle(rest)
        by = wish.win_by or rng.choice(("self", "discard", "discard"))
        if by == "rob":
            # Only a tile of which the winner has no other can become somebody's kong.
            rest.sort(key=lambda face: target.tiles.count(face) > 1)
        for face in rest[: rng.randint(3, 4) - len(claimed) // 2]:
            needs.append(Need(winner, "draw", face, 0))
            missing.append(face)
        rng.shuffle(needs)
        # The last tile must not be one of a claimed set: it is won on.
        drawn = [index for index, need in enumerate(needs) if need.kind == "draw"]
        if by == "rob":
            drawn.sort(key=lambda index: target.tiles.count(needs[index].tile) == 1)
        final = needs.pop(drawn[-1])
        source = None
        if by in ("discard", "rob"):
            others = [seat for seat in SIDES if seat != winner]
            source = wish.from_seat if wish.from_seat in others else rng.choice(others)
        self.promise(*needs)
        self.deal(winner, list((Counter(target.tiles) - Counter(missing)).elements()))
        if by == "rob" and source is not None and target.tiles.count(final.tile) == 1:
            self.scripts[winner].append(Need(winner, "rob", final.tile, 0, from_seat=source))
            self.deal(source, [final.tile] * 2)
            self.promise(
                Need(source, "pung", final.tile, round(wish.discards * 0.4)),
                Need(source, "added_kong", final.tile, wish.discards),
            )
        else:
            self.promise(Need(winner, "win", final.tile, 0, from_seat=source))
        self.space(winner)

    def space(self, seat: Seat) -> None:
        """Spread what is to come to a seat evenly over the hand."""
        needs = self.scripts[seat]
        for index, need in enumerate(needs, start=1):
            need.due = max(1, round(self.wish.discards * index / len(needs)) - 2)

    def deal(self, seat: Seat, faces: list[Tile]) -> None:
        """These faces are among the first tiles of a seat."""
        self.dealt[seat].extend(faces)
        self.deck.keep(faces)

    def idle(self) -> list[Seat]:
        """Seats with which fate has nothing in mind yet."""
        return [
            seat
            for seat in SIDES
            if seat != self.winner and not self.scripts[seat] and not self.dealt[seat]
        ]

    def whole(self) -> list[Tile]:
        """Kinds of which all four tiles are free and nobody is led to one."""
        wanted = {need.tile for needs in self.scripts.values() for need in needs}
        if self.target is not None:
            wanted |= set(self.target.tiles)
        return [face for face in KINDS if self.deck.free[face] == 4 and face not in wanted]

    def _arrange(self, number: int, kong: KongWish) -> None:
        """Give somebody beside the winner three (or two) of a kind and the rest to come."""
        seats, faces = self.idle(), self.whole()
        if not seats or not faces:
            return
        seat, face = self.rng.choice(seats), self.rng.choice(faces)
        due = max(2, round(self.wish.discards * (0.3 + 0.2 * number)))
        if kong == "added":
            self.deal(seat, [face] * 2)
            self.promise(Need(seat, "pung", face, due), Need(seat, "added_kong", face, due + 5))
        else:
            self.deal(seat, [face] * 3)
            kind: NeedKind = "kong" if kong == "exposed" else "concealed_kong"
            self.promise(Need(seat, kind, face, due))
