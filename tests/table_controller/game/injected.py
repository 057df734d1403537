"""Infractions put into simulated games: the right alert, and nothing else.

``python -m tests.table_controller.game.injected [--games 50] [--ids a,b]`` plays hands
of the virtual table with one infraction each and judges what truly happened.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.incidents import REGISTRY, Wanted
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import Happening, Seat
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.retold import RETOLD

_PAGE = """# Infractions put into games of the Chinese rules

Made by `python -m tests.table_controller.game.injected --page docs/rules/injected-mcr.md`; do not
edit. A game is right when the alert comes with its id and seat, nothing else is raised, and the
hand is recorded once. "virtual table": simulated players commit it; "story": it is told into the
happenings of a legal hand, as its cause cannot be seen.

| alert | ruleset | how | games | right |
|---|---|---|---|---|
"""

BEFORE = {
    "claim-while-barred": Wanted("false-win", at=3),
    "win-while-barred": Wanted("win-wrong-tile", at=3),
}
"""What has to happen first: somebody must have been barred."""

LATER = {"claim-while-barred": 5, "win-while-barred": 12}
"""Discards before these happen; all others from the third discard on."""

RULED_BY = {"claim-while-barred": "mcr-2002-tianjin"}
"""Ids that the national rules do not know as an offence (000 Q153: only the win is barred)."""

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

    def add(self, seed: int, missing: Counter[Any], extra: Counter[Any], recorded: bool) -> None:
        """One more game."""
        self.games += 1
        if missing or extra or not recorded:
            self.wrong[f"seed {seed}: missing {dict(missing)} extra {dict(extra)}"] += 1
        else:
            self.right += 1


def ruled_by(name: str, ruleset: str) -> str:
    """The ruleset that the games with this infraction are played by."""
    bars_claims = "pung" in load(ruleset).stop_win.bars
    return RULED_BY.get(name, ruleset) if not bars_claims else ruleset


def game(name: str | None, seed: int, ruleset: str = "mcr-1998") -> Director:
    """One hand with this infraction wanted in it, or a legal one."""
    wish = HandWish(
        win_by=("discard", "self", "none")[seed % 3],
        claims=0.3,
        kongs=(("exposed", "added", "concealed")[seed % 3],),
        discards=30,
    )
    wants = [] if name is None else [Wanted(name, at=LATER.get(name, 3))]
    if name is not None and name in BEFORE:
        wants.append(BEFORE[name])
    wanted: Any = (tuple(wants),)
    east: Any = seed % 4
    told = Scenario(
        ruleset=ruleset, seed=seed + 1, hands=1, east=east, wishes=(wish,), wanted=wanted
    )
    return Director(told)


def judge(played: Director, ruleset: str) -> tuple[Counter[Any], Counter[Any], int]:
    """Alerts that are missing, alerts too many, and hands recorded."""
    true = Counter((i.id, i.seat) for i in played.infractions())
    return _compare(played.truth(), true, played.scenario.east, ruleset)


def _compare(
    story: Sequence[Happening], true: Counter[Any], east: Seat, ruleset: str
) -> tuple[Counter[Any], Counter[Any], int]:
    engine = Engine(load(ruleset), east)
    said = [output for happening in story for output in engine.step(happening)]
    said += engine.flush(story[-1].t)
    found = Counter((a.id, a.seat) for a in said if isinstance(a, Alert))
    hands = sum(isinstance(output, HandRecord) for output in said)
    return true - found, found - true, hands


def retold(name: str, seed: int, ruleset: str) -> tuple[Counter[Any], Counter[Any], int] | None:
    """The same for an infraction that is told into a legal hand; null where it does not fit."""
    try:
        played = game(None, seed, ruleset)
        found = RETOLD[name](played.truth(), random.Random(seed))
    except LookupError:
        return None
    if found is None:
        return None
    story, seat = found
    return _compare(story, Counter([(name, seat)]), played.scenario.east, ruleset)


def measure(names: Sequence[str], games: int, ruleset: str) -> dict[str, Tally]:
    """So many games with each infraction; those into which it did not fit do not count."""
    told: dict[str, Tally] = {}
    for name in names:
        tally = told[name] = Tally()
        rules = ruled_by(name, ruleset)
        allowed = FOLLOWS.get(rules, frozenset())
        seed = 0
        while tally.games < games and seed < 6 * games + 20:
            seed += 1
            if name in RETOLD:
                one = retold(name, seed, rules)
                if one is not None:
                    tally.add(seed, one[0], one[1], one[2] <= 1)
                continue
            try:
                played = game(name, seed, rules)
            except LookupError:
                continue
            if all(each.id != name for each in played.infractions()):
                continue
            missing, extra, hands = judge(played, rules)
            # Who was barred and has claimed once may claim again; nobody else may.
            who = {each.seat for each in played.infractions() if each.id == name}
            extra = Counter(
                {
                    key: n
                    for key, n in extra.items()
                    if key[0] not in allowed or (key[0] == name and key[1] not in who)
                }
            )
            played_out = any(h.kind == "hand_closed" for h in played.truth())
            tally.add(seed, missing, extra, not played_out or hands == 1)
    return told


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--ruleset", default="mcr-1998")
    parser.add_argument("--ids", default="")
    parser.add_argument("--page", help="write the result into this file, for people")
    args = parser.parse_args()
    names = args.ids.split(",") if args.ids else sorted({*REGISTRY, *RETOLD})
    games = right = 0
    rows: list[str] = []
    for name in names:
        tally = measure([name], args.games, args.ruleset)[name]
        games += tally.games
        right += tally.right
        print(f"{name:24} {tally.right}/{tally.games}", *list(tally.wrong)[:3], flush=True)
        how = "story" if name in RETOLD else "virtual table"
        rules = ruled_by(name, args.ruleset)
        rows.append(f"| `{name}` | `{rules}` | {how} | {tally.games} | {tally.right} |")
    print(f"{right} of {games} games right")
    if args.page:
        Path(args.page).write_text(_PAGE + "\n".join(rows) + f"\n\n{right} of {games} right.\n")


if __name__ == "__main__":
    main()
