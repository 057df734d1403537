"""How well the table is followed: precision, recall and time error of every happening kind.

``python -m tests.table_controller.happenings.measure --seeds 0:50`` plays hands of the virtual
table, follows them through the ideal eye and compares with what truly happened.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from hardware.virtual_table.play.director import Director
from table_controller.domain import happenings as hp
from table_controller.domain.codec import to_object
from table_controller.domain.happenings import Happening
from tests.table_controller.happenings.ideal_eye import Flaws
from tests.table_controller.happenings.play import Played, follow

NEAR_S = 2.5
"""A found happening this far from a true one is another one."""

NOT_JUDGED = {"table_set", "not_looked", "clock"}
_SOFT = {"by", "drawn", "t", "confidence", "kind"}
"""Fields that are judged by themselves, or not at all."""


def key(happening: Happening) -> Hashable:
    """What has to be right about a happening."""
    values: dict[str, Any] = {
        name.name: getattr(happening, name.name)
        for name in fields(happening)
        if name.name not in _SOFT
    }
    if isinstance(happening, hp.DiceRolled):
        values["values"] = tuple(sorted(happening.values)) if happening.valid else ()
    if isinstance(happening, hp.TileDrawn | hp.TileReturned):
        values["slots"] = tuple(sorted(happening.slots))
    return (happening.kind, *sorted(values.items()))


@dataclass
class Tally:
    """One kind's counts."""

    true: int = 0
    found: int = 0
    right: int = 0
    errors: list[float] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)


@dataclass
class Judged:
    """One hand's comparison."""

    seed: int
    tallies: dict[str, Tally]
    wrong: list[tuple[str, dict[str, Any]]]
    drawn: tuple[int, int, int]
    counts: tuple[int, int]
    infractions: list[str]
    seconds: float


def match(truth: Sequence[Happening], found: Sequence[Happening]) -> dict[int, int]:
    """Indices of found happenings by index of the true ones they are, nearest in time first."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for index, happening in enumerate(found):
        places[key(happening)].append(index)
    pairs = sorted(
        (abs(found[j].t - true.t), i, j)
        for i, true in enumerate(truth)
        for j in places.get(key(true), ())
        if abs(found[j].t - true.t) <= NEAR_S
    )
    matched: dict[int, int] = {}
    used: set[int] = set()
    for _, i, j in pairs:
        if i not in matched and j not in used:
            matched[i] = j
            used.add(j)
    return matched


def judge(played: Played, seed: int, standing: Callable[[float, int], int]) -> Judged:
    """Compare one session."""
    truth = [h for h in played.truth if h.kind not in NOT_JUDGED]
    found = [h for h in played.found if h.kind not in NOT_JUDGED]
    delays = [
        released
        for h, released in zip(played.found, played.released, strict=True)
        if h.kind not in NOT_JUDGED
    ]
    matched = match(truth, found)
    tallies: dict[str, Tally] = defaultdict(Tally)
    wrong: list[tuple[str, dict[str, Any]]] = []
    drawn = [0, 0, 0]
    used = set(matched.values())
    for i, h in enumerate(truth):
        tally = tallies[h.kind]
        tally.true += 1
        if i in matched:
            j = matched[i]
            tally.right += 1
            tally.errors.append(found[j].t - h.t)
            tally.delays.append(delays[j] - h.t)
            other = found[j]
            if isinstance(h, hp.TileDiscarded) and isinstance(other, hp.TileDiscarded):
                drawn[2 if other.drawn is None else 0 if other.drawn == h.drawn else 1] += 1
        elif h.kind != "hand_counted":
            wrong.append(("missing", to_object(h)))
    counts = [0, 0]
    for j, h in enumerate(found):
        tallies[h.kind].found += 1
        if isinstance(h, hp.HandCounted):
            times = [h.t + step for step in (-0.5, -0.2, 0.0, 0.2, 0.4)]
            good = any(standing(t, h.seat) == h.count for t in times)
            counts[0 if good else 1] += 1
            if not good:
                wrong.append(("false", to_object(h)))
        elif j not in used:
            wrong.append(("false", to_object(h)))
    wrong.sort(key=lambda each: each[1]["t"])
    return Judged(
        seed,
        dict(tallies),
        wrong,
        (drawn[0], drawn[1], drawn[2]),
        (counts[0], counts[1]),
        [infraction.id for infraction in played.infractions],
        played.duration,
    )


def standing_of(director: Director) -> Callable[[float, int], int]:
    """How many tiles truly belong to a hand and stand at a time."""

    def count(t: float, seat: int) -> int:
        return sum(place == f"hand {seat}" for place in director.places(t).values())

    return count


def one(job: tuple[int, str, dict[str, Any]]) -> Judged:
    """Play, follow and judge one seed."""
    from tests.table_controller.happenings.stories import story

    seed, name, flaws = job
    director = Director(story(name, seed))
    played = follow(director, seed, Flaws(**flaws))
    return judge(played, seed, standing_of(director))


def show(judged: Sequence[Judged], verbose: bool) -> dict[str, Any]:
    """Print the table; returns the same as plain values."""
    total: dict[str, Tally] = defaultdict(Tally)
    for each in judged:
        for kind, tally in each.tallies.items():
            sums = total[kind]
            sums.true += tally.true
            sums.found += tally.found
            sums.right += tally.right
            sums.errors += tally.errors
            sums.delays += tally.delays
    print(f"{'kind':16}{'true':>7}{'found':>7}{'right':>7}{'recall':>8}{'prec.':>8}"
          f"{'|dt| p50':>10}{'p95':>7}{'max':>7}{'late p95':>10}")  # fmt: skip
    rows = {}
    for kind in sorted(total):
        tally = total[kind]
        errors = sorted(abs(error) for error in tally.errors) or [float("nan")]
        late = sorted(tally.delays) or [float("nan")]
        row = {
            "true": tally.true,
            "found": tally.found,
            "right": tally.right,
            "recall": tally.right / tally.true if tally.true else None,
            "precision": tally.right / tally.found if tally.found else None,
            "dt_p50": statistics.median(errors),
            "dt_p95": errors[int(0.95 * (len(errors) - 1))],
            "dt_max": errors[-1],
            "late_p95": late[int(0.95 * (len(late) - 1))],
        }
        rows[kind] = row
        recall = "-" if row["recall"] is None else f"{100 * row['recall']:.2f}"
        precision = "-" if row["precision"] is None else f"{100 * row['precision']:.2f}"
        print(
            f"{kind:16}{tally.true:7}{tally.found:7}{tally.right:7}{recall:>8}{precision:>8}"
            f"{row['dt_p50']:10.2f}{row['dt_p95']:7.2f}{row['dt_max']:7.2f}{row['late_p95']:10.2f}"
        )
    exact = sum(not each.wrong for each in judged)
    good = sum(each.counts[0] for each in judged)
    bad = sum(each.counts[1] for each in judged)
    drawn = [sum(each.drawn[index] for each in judged) for index in range(3)]
    print(f"hand counts right {good}, wrong {bad}")
    print(f"drawn right {drawn[0]}, wrong {drawn[1]}, not told {drawn[2]}")
    print(f"exact hands: {exact} of {len(judged)} ({100 * exact / max(1, len(judged)):.1f}%)")
    if verbose:
        for each in judged:
            if each.wrong:
                print(f"-- seed {each.seed} {each.infractions}")
                for what, fields_ in each.wrong:
                    shown = {name: value for name, value in fields_.items() if name != "t"}
                    print(f"   {fields_['t']:8.2f} {what:8} {json.dumps(shown)}")
    return {"kinds": rows, "exact": exact, "hands": len(judged)}


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:20", help="from:to")
    parser.add_argument("--story", default="legal", help="which scenario, see stories.py")
    parser.add_argument("--flaws", default="{}", help="JSON, overrides of Flaws")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args(arguments)
    first, last = (int(part) for part in given.seeds.split(":"))
    flaws = json.loads(given.flaws)
    jobs = [(seed, given.story, flaws) for seed in range(first, last)]
    if given.jobs == 1:
        judged = [one(job) for job in jobs]
    else:
        with ProcessPoolExecutor(given.jobs) as pool:
            judged = list(pool.map(one, jobs))
    rows = show(judged, given.verbose)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
