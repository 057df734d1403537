"""Games of which parts are not looked at: what the rules say, and what they must not say.

``python -m tests.table_controller.game.starved [--hands 15] [--ruleset R]`` takes legal hands of
the virtual table, leaves out 1 to 5 seconds now and then (or all the time), and counts the alerts:
all of them are false. What happened in a gap is lost, or told at its end, with the time of the end
or a guessed one in the gap, in the order of these times.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from hardware.virtual_table.play.director import Director
from table_controller.domain.happenings import Happening, NotLooked, Seat, TileDrawn
from table_controller.domain.outputs import Alert, HandRecord, Output
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.injected import game

RULESETS: Final = (
    "mcr-1998",
    "mcr-2002-tianjin",
    "riichi-xjtu-2025",
    "riichi-xjtu-2025-sanma",
)
How = Literal["lost", "end", "guess", "mixed"]
HOWS: Final[tuple[How, ...]] = ("lost", "end", "guess", "mixed")
HEARD: Final = frozenset({"call", "machine", "clock", "table_set"})
"""Told by buttons and machine, also while nobody looks."""
PASSING: Final = frozenset(
    {"tile_exposed", "tile_covered", "tile_returned", "tile_retracted", "dice_rolled"}
)
"""Mostly over when somebody looks again."""
LASTING: Final = frozenset({"indicator_turned", "stick_placed", "dice_removed"})
"""What is there to be seen afterwards, whenever it happened."""
LOOK_S: Final = 0.25

Gap = tuple[float, float]


@dataclass(frozen=True)
class Starving:
    """When nobody looks, and what becomes of what happens meanwhile.

    Attributes:
        how: see the module.
        looks: a picture every 1.3 to 5 s and nothing between, or gaps now and then.
        seed: of the chance in it.
    """

    how: How
    looks: Literal["seldom", "gaps"]
    seed: int

    def gaps(self, story: Sequence[Happening]) -> list[Gap]:
        """Times in which nobody looks."""
        rng = random.Random(self.seed)
        t, end = story[0].t, story[-1].t
        found: list[Gap] = []
        while True:
            t += rng.uniform(4.0, 18.0) if self.looks == "gaps" else 0.01
            wide = rng.uniform(1.3, 5.0)
            if t + wide >= end:
                return found
            found.append((t, t + wide))
            t += wide

    def told(self, story: Sequence[Happening], gaps: Sequence[Gap]) -> list[Happening]:
        """The story as an observer tells it who did not look in the gaps."""
        rng = random.Random(self.seed + 1)
        out: list[Happening] = []
        held: list[Happening] = []
        waiting = list(gaps)
        for happening in story:
            while waiting and happening.t >= waiting[0][1]:
                out += self._after(waiting.pop(0), held, rng)
                held = []
            inside = waiting and waiting[0][0] < happening.t
            if inside and happening.kind not in HEARD:
                held.append(happening)
            else:
                out.append(happening)
        for gap in waiting:
            out += self._after(gap, held, rng)
            held = []
        return out

    def _after(self, gap: Gap, held: list[Happening], rng: random.Random) -> list[Happening]:
        told: list[Happening] = []
        for happening in held:
            how = self.how if self.how != "mixed" else rng.choice(("lost", "end", "guess"))
            if isinstance(happening, TileDrawn) and happening.stage != "taken":
                continue
            if happening.kind in PASSING and rng.random() < 0.7:
                continue
            if how == "end" or happening.kind in LASTING:
                told.append(replace(happening, t=gap[1]))
            elif how == "guess":
                told.append(replace(happening, t=rng.uniform(*gap)))
        told.sort(key=lambda each: each.t)
        return [NotLooked(t=gap[0], where="all", until=gap[1]), *told]


def judged(story: Sequence[Happening], ruleset: str, east: Seat) -> list[Output]:
    """What the rules say, asked several times a second."""
    engine = Engine(load(ruleset), east)
    said: list[Output] = []
    t = story[0].t
    for happening in story:
        while t < happening.t:
            said += engine.pass_time(t)
            t += LOOK_S
        said += engine.step(happening)
    return said + engine.flush(story[-1].t + 1.0)


def legal(ruleset: str, seed: int) -> Director | None:
    """A legal hand; None where this seed gives none."""
    try:
        return game(None, seed, ruleset)
    except LookupError:
        return None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=15, help="of each ruleset")
    parser.add_argument("--ruleset", action="append", help="only this one; may be repeated")
    args = parser.parse_args()
    played = [
        (ruleset, seed, hand)
        for ruleset in args.ruleset or RULESETS
        for seed in range(args.hands)
        if (hand := legal(ruleset, seed)) is not None
    ]
    for looks in ("gaps", "seldom"):
        for how in HOWS:
            false: Counter[str] = Counter()
            ended: Counter[str] = Counter()
            spoiled = 0
            for ruleset, seed, hand in played:
                starving = Starving(how, looks, seed)
                story = hand.truth()
                told = starving.told(story, starving.gaps(story))
                said = judged(told, ruleset, hand.scenario.east)
                alerts = [each.id for each in said if isinstance(each, Alert)]
                false.update(alerts)
                spoiled += bool(alerts)
                ended.update(each.result for each in said if isinstance(each, HandRecord))
            print(
                f"{looks:7}{how:6} {len(played)} hands, {false.total()} false alerts in {spoiled}"
                f" {dict(false.most_common())}; ended {dict(ended)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
