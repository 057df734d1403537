"""How well the moves come out when happenings are missing or faces unread.

Run as ``python -m tests.table_controller.game.measure [--drop 0.05] [--blind 0.01]``: plays real
and simulated hands, removes happenings at random, and compares moves and alerts with those of
the whole story.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.domain.happenings import Happening, MeldShown
from table_controller.domain.outputs import Alert, HandRecord, Move, Output
from table_controller.domain.tiles import Tile
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.game.recorded import GAMES, botzone_games, happenings, human_games

NOT_INFERABLE = frozenset({"table_set", "wall_raised", "hand_shown", "hand_closed", "dice_rolled"})
"""Without them what follows them cannot be told: who won, how the dice fell."""

ABSENCES = frozenset({"dice-left", "concealed-kong-hidden"})
"""Alerts that say that the removed thing itself is missing."""


@dataclass
class Tally:
    """What was found."""

    hands: int = 0
    inferable: int = 0
    right: int = 0
    ambiguous: int = 0
    alerts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def stories(hands: int) -> Iterator[tuple[str, list[Happening]]]:
    """Legal hands: real ones where the data lie beside the project, and simulated ones."""
    count = 0
    if GAMES.is_dir():
        for source in (human_games, botzone_games):
            for number, hand in enumerate(source()):
                yield f"real {hand.name}", happenings(hand, number)
                count += 1
    seed = 0
    while count < hands:
        seed += 1
        wish = HandWish(
            win_by=("discard", "self", "none")[seed % 3],
            claims=0.3,
            kongs=(("exposed", "added", "concealed")[seed % 3],),
            discards=40,
        )
        try:
            told = Director(Scenario(seed=seed, east=seed % 4, wishes=(wish,))).truth()  # type: ignore[arg-type]
        except LookupError:
            continue
        yield f"simulated {seed}", list(told)
        count += 1


def judged(story: Sequence[Happening], ruleset: str = "mcr-1998") -> list[Output]:
    """Everything the rules say about it."""
    engine = Engine(load(ruleset))
    said: list[Output] = []
    for happening in story:
        said += engine.step(happening)
    return said + engine.flush(story[-1].t)


def spoiled(
    story: Sequence[Happening], rng: random.Random, drop: float, blind: float
) -> tuple[list[Happening], list[Happening]]:
    """The story with happenings removed and faces unread, and what was removed."""
    kept: list[Happening] = []
    removed: list[Happening] = []
    for happening in story:
        if rng.random() < drop:
            removed.append(happening)
        else:
            kept.append(_blinded(happening, rng, blind))
    return kept, removed


def _blinded(happening: Happening, rng: random.Random, share: float) -> Happening:
    changes: dict[str, object] = {}
    for item in fields(happening):
        value = getattr(happening, item.name)
        if isinstance(value, Tile) and value.known and rng.random() < share:
            changes[item.name] = Tile.UNKNOWN
        elif item.name == "tiles":
            changes["tiles"] = tuple(
                Tile.UNKNOWN if tile.known and rng.random() < share else tile for tile in value
            )
    return replace(happening, **changes) if changes else happening  # type: ignore[arg-type]


def moves(said: Sequence[Output]) -> list[Move]:
    """The moves of play, in order; flowers laid one after another stand before their draws."""
    played = [o for o in said if isinstance(o, Move) and o.move not in ("dice", "break", "deal")]
    for _ in range(8):
        for at in range(1, len(played)):
            one, other = played[at - 1], played[at]
            if one.move == "draw" and other.move == "flower" and one.seat == other.seat:
                played[at - 1], played[at] = other, one
    return played


def agree(true: Sequence[Move], found: Sequence[Move]) -> str | None:
    """Where two lists of moves differ; an unread face agrees with any."""
    for at, (one, other) in enumerate(zip(true, found, strict=False)):
        if (one.move, one.seat) != (other.move, other.seat):
            return f"move {at}: {one.move} {one.seat} {one.tile} / {other.move} {other.seat}"
        known = one.tile and other.tile and one.tile.known and other.tile.known
        if known and one.tile is not other.tile:
            return f"move {at}: {one.move} {one.seat} {one.tile} / {other.tile}"
    if len(true) != len(found):
        return f"{len(true)} moves / {len(found)}"
    return None


def measure(hands: int, drop: float, blind: float, seed: int = 1) -> Tally:
    """The whole measurement."""
    rng = random.Random(seed)
    tally = Tally()
    for name, story in stories(hands):
        true = judged(story)
        told, removed = spoiled(story, rng, drop, blind)
        said = judged(told)
        tally.hands += 1
        if any(h.kind in NOT_INFERABLE for h in removed) or _last_touched(story, removed):
            continue
        if _ambiguous(story, removed):
            tally.ambiguous += 1
            continue
        tally.inferable += 1
        expected = Counter(a.id for a in true if isinstance(a, Alert))
        extra = Counter(a.id for a in said if isinstance(a, Alert)) - expected
        extra = Counter({k: v for k, v in extra.items() if k not in ABSENCES})
        difference = agree(moves(true), moves(said))
        if difference is None:
            tally.right += 1
        else:
            tally.wrong.append(f"{name}: {difference}; removed {[h.kind for h in removed]}")
        tally.alerts += extra
        if extra:
            tally.wrong.append(f"{name}: alerts {dict(extra)}; removed {_told(removed)}")
        records = [o for o in said if isinstance(o, HandRecord)]
        if len(records) != sum(isinstance(o, HandRecord) for o in true):
            tally.wrong.append(f"{name}: {len(records)} hands recorded")
    return tally


def _ambiguous(story: Sequence[Happening], removed: Sequence[Happening]) -> bool:
    """Whether a replacement tile is left without anything that says what it was for.

    A flower, an added kong and (where hands are not counted) a concealed kong look alike from
    the tile drawn behind; a flower lost with its replacement leaves no trace at all.
    """
    counted = any(h.kind == "hand_counted" for h in story)
    for h in removed:
        if h.kind in ("flower_shown", "meld_extended"):
            return True
        if isinstance(h, MeldShown) and h.claimed is None and not counted:
            return True
    return False


def _told(removed: Sequence[Happening]) -> list[str]:
    return [f"{h.kind}@{h.t:.1f}" for h in removed]


def _last_touched(story: Sequence[Happening], removed: Sequence[Happening]) -> bool:
    """Whether the last discard or draw before the end was removed: nothing after it tells."""
    ends = [h for h in story if h.kind in ("tile_drawn", "tile_discarded", "tile_claimed")][-2:]
    return any(h in removed for h in ends)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drop", type=float, default=0.05)
    parser.add_argument("--blind", type=float, default=0.01)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    tally = measure(args.hands, args.drop, args.blind, args.seed)
    for line in tally.wrong[: args.show]:
        print(line)
    share = tally.right / max(tally.inferable, 1)
    print(
        f"{tally.hands} hands, {tally.ambiguous} ambiguous, {tally.inferable} inferable, "
        f"{tally.right} right ({share:.1%}), "
        f"{sum(tally.alerts.values())} alerts too many {dict(tally.alerts)}"
    )


if __name__ == "__main__":
    main()
