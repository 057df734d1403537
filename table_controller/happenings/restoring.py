"""Taking up a hand again after the program was ended in the middle of it.

The journal says what had been told. A follower that starts anew sees the tiles lying there as if
they had just come, and tells them; what it tells of things that were told before is recognised
here and kept back, once each. What happened while nobody looked is left, and is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from table_controller.domain.happenings import (
    DiceRemoved,
    DiceRolled,
    FlowerShown,
    HandHidden,
    HandShown,
    Happening,
    IndicatorTurned,
    Machine,
    MeldExtended,
    MeldShown,
    NorthShown,
    NotLooked,
    Slot,
    StickPlaced,
    TileClaimed,
    TileCovered,
    TileDiscarded,
    TileDrawn,
    TileExposed,
    TileRetracted,
    TileReturned,
    WallDisturbed,
    WallRaised,
)
from table_controller.domain.tiles import Tile, sort_tiles
from table_controller.happenings.wall.breaking import broken_at, ring_of
from table_controller.happenings.wall.stacks import Key

RECOGNISE_S: Final = 10.0
"""So long after the first look things are recognised that were told before, s."""

_CLEARING: Final = ("hatch_open", "shuffling", "raising")

Fact = tuple[Any, ...]


@dataclass(slots=True)
class Resumed:
    """What the journal says of the running hand.

    Attributes:
        playing: walls stand and the hand is going on.
        raised_at: when the walls were complete.
        machine: the last state that the machine reported.
        clears: it says when it clears the table.
        heights: tiles in each stack, by side and number.
        ring: the stacks that came up, in the order in which they are taken.
        broken: the first of them that was taken, as its place in the ring.
        turned: the indicators that lie open.
        facts: what lies on the table and was told, each with how often.
        until: time of the latest happening, or later, if it was looked at until then.
        unlooked: what was told not to be looked at, of which no end was told.
    """

    playing: bool = False
    raised_at: float = 0.0
    machine: Any = None
    clears: bool = False
    heights: dict[tuple[int, int], int] = field(default_factory=dict)
    ring: list[Key] = field(default_factory=list)
    broken: int | None = None
    turned: dict[Slot, Tile] = field(default_factory=dict)
    facts: Counter[Fact] = field(default_factory=Counter)
    until: float | None = None
    unlooked: set[NotLooked] = field(default_factory=set)
    first_look: float | None = None

    @classmethod
    def of(cls, happenings: Iterable[Happening]) -> Resumed:
        """Fold the happenings of a session."""
        resumed = cls()
        for happening in happenings:
            resumed._take(happening)
        return resumed

    def sets(self) -> list[tuple[Any, tuple[Tile, ...]]]:
        """The sets that lie in front of the seats."""
        return [
            (fact[1], fact[2])
            for fact, count in self.facts.items()
            if fact[0] == "meld"
            for _ in range(count)
        ]

    @property
    def first_taken(self) -> Key | None:
        """The stack at which the walls were broken, if one was taken."""
        return None if self.broken is None else self.ring[self.broken]

    def looked(self, t: float) -> None:
        """The table was looked at; what the machine says shows nothing of what lies on it."""
        if self.first_look is None:
            self.first_look = t

    def known(self, happening: Happening, now: float) -> bool:
        """Whether this was told before the program ended; each fact is recognised once.

        Args:
            happening: what the follower would tell.
            now: time of the newest input.
        """
        if self.first_look is not None and now > self.first_look + RECOGNISE_S:
            self.facts.clear()
            return False
        for fact in _candidates(happening):
            if self.facts[fact] > 0:
                self.facts[fact] -= 1
                return True
        return False

    # -- the fold ---------------------------------------------------------------------------

    def _take(self, happening: Happening) -> None:
        self.until = happening.t if self.until is None else max(self.until, happening.t)
        match happening:
            case NotLooked(until=None):
                self.unlooked.add(happening)
            case NotLooked():
                self.unlooked.discard(replace(happening, until=None))
            case Machine():
                self.machine = happening.state
                if happening.state in _CLEARING:
                    self.playing, self.clears = False, True
                    self.heights.clear()
                    self.facts.clear()
            case WallRaised():
                self.playing, self.raised_at = True, happening.t
                self.facts.clear()
                self.heights = {
                    (side, number): 2
                    for side, count in enumerate(happening.stacks)
                    for number in range(1, count + 1)
                }
                self.ring, self.broken = ring_of(happening.stacks), None
                self.turned.clear()
            case TileDrawn(stage="lifted" | "seen" | "taken"):
                self._height(happening.slots, taken=True)
                self.broken = broken_at(self.ring, self._left, self.broken)
            case TileReturned():
                self._height(happening.slots, taken=False)
            case TileClaimed():
                self._forget("discard", happening.from_, happening.tile)
            case TileRetracted():
                self._forget("discard", happening.seat, happening.tile)
            case MeldExtended():
                self._extend(happening)
            case HandHidden():
                self._drop(lambda fact: fact[:2] == ("hand", happening.seat))
            case TileCovered():
                if happening.slot is not None:
                    self.turned.pop(happening.slot, None)
                self._forget("exposed", happening.where, happening.seat, happening.tile)
            case DiceRemoved():
                self._drop(lambda fact: fact[0] == "dice")
            case _:
                self._learn(happening)

    def _learn(self, happening: Happening) -> None:
        fact = _fact(happening)
        if fact is None:
            return
        if fact[0] == "dice":
            self._drop(lambda other: other[0] == "dice")
        if isinstance(happening, MeldShown):
            self._complete(happening)
        if isinstance(happening, IndicatorTurned) and happening.slot is not None:
            self.turned[happening.slot] = happening.tile
        self.facts[fact] += 1

    def _left(self, key: Key) -> int:
        return self.heights.get(key, 0)

    def _height(self, slots: Iterable[Any], *, taken: bool) -> None:
        # Several stages of one draw name the same slot: a height says which layer is the top.
        for slot in slots:
            key = (slot.side, slot.stack)
            layer = 2 if slot.layer == "top" else 1
            height = self.heights.get(key, 0)
            self.heights[key] = min(height, layer - 1) if taken else max(height, layer)

    def _extend(self, happening: MeldExtended) -> None:
        for fact in list(self.facts):
            if fact[:2] != ("meld", happening.seat) or self.facts[fact] <= 0:
                continue
            tiles: tuple[Tile, ...] = fact[2]
            alike = sum(tile.same_kind(happening.tile) for tile in tiles)
            # It may have joined a set of which one tile is wrong.
            if len(tiles) == 3 and 2 * alike > len(tiles):
                self.facts[fact] -= 1
                whole = tuple(sort_tiles([*tiles, happening.tile]))
                self.facts["meld", happening.seat, whole] += 1
                return

    def _complete(self, happening: MeldShown) -> None:
        """Two tiles that were told without the discard lie in the set that it was laid in."""
        for fact in list(self.facts):
            if fact[:2] != ("meld", happening.seat):
                continue
            tiles: tuple[Tile, ...] = fact[2]
            if len(tiles) == 2 and not Counter(tiles) - Counter(happening.tiles):
                del self.facts[fact]

    def _forget(self, *fact: Any) -> None:
        if self.facts[fact] > 0:
            self.facts[fact] -= 1

    def _drop(self, which: Any) -> None:
        for fact in list(self.facts):
            if which(fact):
                del self.facts[fact]


def _fact(happening: Happening) -> Fact | None:
    """What stays on the table of a happening, in a form that is the same when seen again."""
    match happening:
        case TileDiscarded():
            return ("discard", happening.seat, happening.tile)
        case MeldShown():
            return ("meld", happening.seat, tuple(sort_tiles(happening.tiles)))
        case FlowerShown():
            return ("flower", happening.seat, happening.tile)
        case NorthShown():
            return ("north", happening.seat)
        case HandShown():
            open_ = [*happening.tiles, *([happening.apart] if happening.apart else [])]
            return ("hand", happening.seat, tuple(sort_tiles(open_)))
        case TileExposed():
            return ("exposed", happening.where, happening.seat, happening.tile)
        case WallDisturbed():
            return ("wall", happening.side, happening.stacks)
        case IndicatorTurned():
            return ("indicator", happening.tile)
        case StickPlaced():
            return ("stick", happening.seat)
        case DiceRolled():
            return ("dice", tuple(sorted(happening.values)))
        case WallRaised():
            return ("raised",)
    return None


def _candidates(happening: Happening) -> list[Fact]:
    """The facts that a happening may be telling again.

    A face that cannot be read now may have been read before, and the other way round.
    """
    fact = _fact(happening)
    if fact is None:
        return []
    facts = [fact]
    match happening:
        case TileDiscarded(tile=Tile.UNKNOWN):
            facts += [("discard", happening.seat, tile) for tile in Tile]
        case TileDiscarded():
            facts.append(("discard", happening.seat, Tile.UNKNOWN))
        case FlowerShown(tile=Tile.UNKNOWN):
            facts += [("flower", happening.seat, tile) for tile in Tile]
    return facts
