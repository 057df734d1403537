"""How fast the rules are: hands a second, time for one happening, memory of a session.

The hands are played here by chance: true decks and walls, flowers, claims and kongs, one
happening in fifty removed in a second run so that several readings are alive.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from typing import Any, Final

from table_controller.domain.happenings import (
    DiceRemoved,
    DiceRolled,
    FlowerShown,
    HandCounted,
    Happening,
    MeldShown,
    Place,
    TileClaimed,
    TileDiscarded,
    TileDrawn,
    WallRaised,
)
from table_controller.domain.tiles import FLOWERS, KINDS, Tile
from table_controller.game.engine import Engine
from table_controller.game.wall import DEAL_STEPS, Ring, Wall, deal_step
from table_controller.rulesets import load

_SET: Final = tuple(kind for kind in KINDS for _ in range(4)) + FLOWERS


class _Played:
    """One hand played by chance up to the end of the wall."""

    def __init__(self, seed: int, dealer: int, start: float) -> None:
        self.random = random.Random(seed)
        self.t = start
        self.story: list[Happening] = []
        self.dealer = dealer
        self.deck = list(_SET)
        self.random.shuffle(self.deck)
        self.hands: list[list[Tile]] = [[], [], [], []]
        self.pools = [0, 0, 0, 0]
        self.ring = Ring((18, 18, 18, 18))
        self.wall = Wall(self.ring, 0)
        self._open()
        self._play()

    def say(self, kind: Any, wait: float, **fields: Any) -> None:
        self.t = round(self.t + wait, 3)
        self.story.append(kind(t=self.t, **fields))

    def _open(self) -> None:
        self.say(WallRaised, 5.0, stacks=(18, 18, 18, 18))
        throws = [(self.random.randint(1, 6), self.random.randint(1, 6)) for _ in range(2)]
        second = (self.dealer + sum(throws[0]) - 1) % 4
        self.say(DiceRolled, 3.0, values=throws[0], seat=self.dealer)
        self.say(DiceRolled, 3.0, values=throws[1], seat=second)
        self.say(DiceRemoved, 2.0, seat=self.dealer)
        self.wall = Wall(self.ring, self.ring.after(second, sum(map(sum, throws))))
        for step in range(DEAL_STEPS):
            who, indices = deal_step(step)
            self.take((self.dealer + who) % 4, indices, 0.7)
        for turn in range(4):
            self.flowers((self.dealer + turn) % 4)

    def take(self, seat: int, indices: tuple[int, ...], wait: float) -> None:
        for index in indices:
            self.wall.take(index)
            self.hands[seat].append(self.deck.pop())
        slots = tuple(self.wall.slot(index) for index in indices)
        self.say(TileDrawn, wait, seat=seat, slots=slots)

    def flowers(self, seat: int) -> bool:
        """Replace flowers; false where the wall ran out."""
        while True:
            flower = next((tile for tile in self.hands[seat] if tile.is_flower), None)
            if flower is None:
                return True
            self.hands[seat].remove(flower)
            self.say(FlowerShown, 0.8, seat=seat, tile=flower)
            back = self.wall.back()
            if back is None:
                return False
            self.take(seat, (back,), 0.9)

    def _play(self) -> None:
        seat = self.dealer
        while True:
            tile = self.hands[seat].pop(self.random.randrange(len(self.hands[seat])))
            at = self.pools[seat]
            self.pools[seat] += 1
            self.say(TileDiscarded, 1.2, seat=seat, tile=tile, place=Place(at // 6, at % 6))
            self.say(HandCounted, 0.3, seat=seat, count=len(self.hands[seat]))
            other = next((s for s in range(4) if self._pungs(s, seat, tile)), None)
            if other is not None:
                self._pung(other, seat, tile)
                seat = other
                continue
            seat = (seat + 1) % 4
            front = self.wall.front()
            if front is None:
                return
            self.take(seat, (front,), 0.8)
            if not self.flowers(seat):
                return

    def _pungs(self, seat: int, source: int, tile: Tile) -> bool:
        held = self.hands[seat].count(tile)
        return seat != source and held >= 2 and len(self.hands[seat]) > 4

    def _pung(self, seat: int, source: int, tile: Tile) -> None:
        for _ in range(2):
            self.hands[seat].remove(tile)
        self.say(TileClaimed, 0.7, seat=seat, tile=tile, from_=source)
        at = {3: 0, 2: 1, 1: 2}[(source - seat) % 4]
        self.say(MeldShown, 0.8, seat=seat, tiles=(tile,) * 3, claimed=at, sideways=at)


def session(hands: int, seed: int = 1) -> list[Happening]:
    """A session of so many hands, one after another."""
    story: list[Happening] = []
    for number in range(hands):
        start = story[-1].t + 20.0 if story else 0.0
        story += _Played(seed * 1000 + number, number % 4, start).story
    return story


def _fold(story: list[Happening], ruleset: str) -> tuple[float, list[float]]:
    engine = Engine(load(ruleset), 0)
    each: list[float] = []
    began = time.process_time()
    for happening in story:
        before = time.perf_counter()
        engine.step(happening)
        each.append(time.perf_counter() - before)
    engine.flush(story[-1].t)
    return time.process_time() - began, sorted(each)


def run(ruleset: str = "mcr-1998", hands: int = 32) -> list[dict[str, Any]]:
    """The figures beside their limits."""
    story = session(hands)
    whole, each = _fold(story, ruleset)
    rng = random.Random(3)
    holed = [happening for happening in story if rng.random() > 0.02]
    _, hard = _fold(holed, ruleset)
    tracemalloc.start()
    # As a session holds it: what was seen, what was said, and all readings alive.
    engine = Engine(load(ruleset), 0)
    told = [happening for happening in session(16) if rng.random() > 0.02]
    said = [engine.step(happening) for happening in told]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return [
        {
            "what": "hands replayed, processor time",
            "value": round(hands / whole, 1),
            "unit": "hands/s",
            "limit": 60,
            "note": f"{len(story) // hands} happenings each; the limit is a least value",
        },
        _row("one happening, 99th percentile", each, 0.99),
        _row("the same with one in fifty missing", hard, 0.99),
        {
            "what": "memory of a session of 16 hands",
            "value": round(peak / 1e6, 1),
            "unit": "MB",
            "limit": 150,
            "note": f"{len(told)} happenings and {sum(map(len, said))} answers kept",
        },
    ]


def _row(what: str, times: list[float], share: float) -> dict[str, Any]:
    value = times[int(len(times) * share)]
    return {"what": what, "value": round(1000 * value, 3), "unit": "ms", "limit": 2.0}
