"""Legal hands seen by a computer that cannot keep up: whatever the rules say to them is false.

``python -m tests.table_controller.happenings.slow_computer [--hands 5] [--first 1]`` plays legal
hands of every ruleset past the ideal eye, leaves out the looks that such a computer has no time
for, and counts the alerts and how much of the time was told as not looked at.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Final, Literal

from table_controller.app.measuring.games import RULESETS, Game
from table_controller.domain.happenings import NotLooked
from tests.table_controller.happenings.games import directed
from tests.table_controller.happenings.ideal_eye import PIXELS
from tests.table_controller.happenings.play import Played, follow

Kind = Literal["slow", "pauses", "seldom", "half", "fifth"]
KINDS: Final[dict[Kind, str]] = {
    "slow": "3 to 6 looks a second, now and then 0.5 to 1.15 s without any",
    "pauses": "pauses of 0.5 to 1.19 s every 1 to 5 s",
    "seldom": "2 to 4 looks a second",
    "half": "half of the looks lost by chance",
    "fifth": "a fifth of them",
}


class Slow:
    """At which times a computer has time for a picture; asked in the order of time, s."""

    def __init__(self, kind: Kind, seed: int) -> None:
        self._kind = kind
        self._rng = random.Random(f"{kind} {seed}")
        self._busy = 0.0
        self._pause = self._rng.uniform(1.0, 5.0)

    def __call__(self, t: float) -> bool:
        rng = self._rng
        if self._kind in ("half", "fifth"):
            return rng.random() >= (0.5 if self._kind == "half" else 0.2)
        if t < self._busy:
            return False
        if self._kind == "pauses":
            if t >= self._pause:
                self._busy = t + rng.uniform(0.5, 1.19)
                self._pause = self._busy + rng.uniform(1.0, 5.0)
        elif self._kind == "slow" and rng.random() < 0.08:
            self._busy = t + rng.uniform(0.5, 1.15)
        else:
            low, high = (0.15, 0.3) if self._kind == "slow" else (0.25, 0.45)
            self._busy = t + rng.uniform(low, high)
        return True


def seen_slowly(game: Game, kind: Kind, until: float | None = None) -> Played:
    """One game as such a computer follows it, up to a time or to its end."""
    return follow(directed(game), game.seed, PIXELS, until=until, looks=Slow(kind, game.seed))


def unlooked_s(played: Played) -> float:
    """For how long it was told that nobody looked, s."""
    ends = {
        h.t: played.duration if h.until is None else h.until
        for h in played.found
        if isinstance(h, NotLooked) and h.where == "all"
    }
    return sum(until - since for since, until in ends.items())


@dataclass(frozen=True)
class Outcome:
    """What came of one game."""

    name: str
    alerts: tuple[str, ...]
    unlooked_s: float
    duration: float


def outcome(game: Game, kind: Kind) -> Outcome:
    """Play one game and count."""
    played = seen_slowly(game, kind)
    alerts = tuple(f"{a.id} {a.seat} at {a.t:.1f}" for a in played.alerts)
    name = f"{game.ruleset} {game.seed}"
    return Outcome(name, alerts, unlooked_s(played), played.duration)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=5, help="of each ruleset")
    parser.add_argument("--first", type=int, default=1, help="seed")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    games = [
        Game(group="legal", ruleset=ruleset, seed=args.first + number, scenario={})
        for ruleset in RULESETS
        for number in range(args.hands)
    ]
    with ProcessPoolExecutor(args.jobs) as pool:
        for kind, what in KINDS.items():
            done = list(pool.map(outcome, games, [kind] * len(games)))
            for one in done:
                for alert in one.alerts:
                    print(f"  {one.name}: {alert}")
            spoiled = sum(bool(one.alerts) for one in done)
            alerts = sum(len(one.alerts) for one in done)
            share = sum(one.unlooked_s for one in done) / sum(one.duration for one in done)
            print(
                f"{what}: {len(done)} hands, {alerts} false alerts in {spoiled},"
                f" {100 * share:.0f}% of the time told as not looked at",
                flush=True,
            )


if __name__ == "__main__":
    main()
