"""Infractions put into simulated games: the right alert, and nothing else.

``python -m tests.table_controller.game.injected [--games 50] [--ids a,b]`` plays hands
of the virtual table with one infraction each and judges what truly happened.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hardware.virtual_table.director import Director
from hardware.virtual_table.incidents import REGISTRY, Wanted
from hardware.virtual_table.plan import HandWish
from hardware.virtual_table.scenario import Scenario
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load

FOLLOWS = {
    # Barred players go on claiming in these games: that is told too, where the ruleset bars it.
    "mcr-2002-tianjin": frozenset({"claim-while-barred", "dice-left"}),
}


@dataclass
class Tally:
    """One alert id's games."""

    games: int = 0
    right: int = 0
    wrong: Counter[str] = field(default_factory=Counter)


def game(name: str, seed: int, ruleset: str = "mcr-1998") -> Director:
    """One hand with this infraction wanted in it."""
    wish = HandWish(
        win_by=("discard", "self", "none")[seed % 3],  # type: ignore[arg-type]
        claims=0.3,
        kongs=(("exposed", "added", "concealed")[seed % 3],),  # type: ignore[arg-type]
        discards=30,
    )
    wanted: Any = ((Wanted(name, at=3),),)
    return Director(
        Scenario(
            ruleset=ruleset, seed=seed + 1, hands=1, east=seed % 4, wishes=(wish,), wanted=wanted
        )  # type: ignore[arg-type]
    )


def judge(played: Director, ruleset: str) -> tuple[Counter[Any], Counter[Any], int]:
    """Alerts that are missing, alerts too many, and hands recorded."""
    story = played.truth()
    engine = Engine(load(ruleset), played.scenario.east)
    said = [output for happening in story for output in engine.step(happening)]
    said += engine.flush(story[-1].t)
    true = Counter((i.id, i.seat) for i in played.infractions())
    found = Counter((a.id, a.seat) for a in said if isinstance(a, Alert))
    hands = sum(isinstance(output, HandRecord) for output in said)
    return true - found, found - true, hands


def measure(names: Sequence[str], games: int, ruleset: str) -> dict[str, Tally]:
    """So many games with each infraction; those into which it did not fit do not count."""
    told: dict[str, Tally] = {}
    allowed = FOLLOWS.get(ruleset, frozenset())
    for name in names:
        tally = told[name] = Tally()
        seed = 0
        while tally.games < games and seed < 3 * games + 10:
            seed += 1
            try:
                played = game(name, seed, ruleset)
            except LookupError:
                continue
            if not played.infractions():
                continue
            missing, extra, hands = judge(played, ruleset)
            extra = Counter({key: n for key, n in extra.items() if key[0] not in allowed})
            tally.games += 1
            played_out = any(h.kind == "hand_closed" for h in played.truth())
            if missing or extra or (played_out and hands != 1):
                tally.wrong[f"seed {seed}: missing {dict(missing)} extra {dict(extra)}"] += 1
            else:
                tally.right += 1
    return told


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--ruleset", default="mcr-1998")
    parser.add_argument("--ids", default="")
    args = parser.parse_args()
    names = args.ids.split(",") if args.ids else sorted(REGISTRY)
    games = right = 0
    for name in names:
        tally = measure([name], args.games, args.ruleset)[name]
        games += tally.games
        right += tally.right
        print(f"{name:24} {tally.right}/{tally.games}", *list(tally.wrong)[:3], flush=True)
    print(f"{right} of {games} games right")


if __name__ == "__main__":
    main()
