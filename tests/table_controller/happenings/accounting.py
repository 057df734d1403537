"""Which infractions are told, by alert id: recall, precision and delay over many short hands.

``python -m tests.table_controller.happenings.accounting --ids wrong-draw,dice-left --cases 30``
plays short hands of the virtual table with one infraction each (and ``--legal N`` hands without
one), looks at them with an eye that has the flaws measured on rendered pictures, follows and judges
them. A case takes about a second of processor time; ``--jobs 2`` uses two processors. ``--ids all``
takes every id that the players of the ruleset can commit. ``-v`` names every case that went wrong.

``--ruleset all`` deals the cases of every id to all rulesets in turn and sums over them;
``--store FILE`` keeps every verdict as it comes, so that a run that was stopped goes on where it
was (verdicts of other code are not taken).

The same happenings without any flaw are judged too: what the rules do not say to the truth itself
is not the follower's fault and is counted apart, and so is the time that the rules take. With
``--truth`` only they are judged, with no eye and no follower, in a tenth of the time: where the
rules say something else to them than the virtual table, one of both is wrong.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.fate import NoTileLeftError
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import Wanted, registry_of
from hardware.virtual_table.play.plan import HandWish
from hardware.virtual_table.play.scenario import Scenario
from table_controller.app.measuring.games import BARRED, BARRED_AT
from table_controller.app.virtual.compare import Comparison, Infraction, compare
from table_controller.domain.happenings import Happening, MeldExtended, TileClaimed, TileDiscarded
from table_controller.domain.outputs import Alert, HandRecord
from table_controller.game.engine import Engine
from table_controller.rulesets import load
from tests.table_controller.happenings.accounting_store import Store
from tests.table_controller.happenings.ideal_eye import PIXELS, Flaws
from tests.table_controller.happenings.play import Played, follow

AFTER_S = 9.0
"""A case is watched so long after its infraction could be known."""

ANEW = 1_000_000
"""Between the seeds of a case that is dealt anew."""

AGAIN = 100
"""So many hands are tried for a case summed over all rulesets."""

NEEDS: dict[str, dict[str, Any]] = {
    "riichi-noten": {"win_by": "none"},
    "indicator-not-turned ura": {"riichi": True},
    "riichi-illegal tiles": {"win_by": "none", "ready": 1, "riichi": False, "claims": 0.1},
}
"""What the hand must be like for an id or one of its stages, whatever chance would make it."""

ROBBED = HandWish(win_by="rob", claims=0.3, discards=12)
"""A hand that is won on the tile added to a kong, if the deal leaves room for it."""

FIRST = {name: Wanted(first, at=BARRED_AT) for name, first in BARRED.items()}
"""What has to happen before: somebody must have been barred."""


@dataclass(frozen=True)
class Case:
    """One hand to be played; ``name`` is None for a legal one."""

    name: str | None
    seed: int
    ruleset: str
    flaws: dict[str, Any]
    whole: bool = False
    robbed: bool = False
    """Whether a legal hand is to be won on a robbed kong."""
    truth: bool = False
    """Whether what truly happened is judged, not what an eye sees of it."""
    stages: bool = False
    """Whether one stage after another is asked for; else it is what the hand of its seed was."""


@dataclass
class Verdict:
    """What came of one case."""

    case: Case
    committed: bool = True
    happenings: tuple[int, int, int] = (0, 0, 0)
    wrong: tuple[str, ...] = ()
    right: bool = False
    by_rules: bool = True
    delay: float | None = None
    rules_delay: float | None = None
    invented: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    discards: list[float] = field(default_factory=list)
    hand: bool | None = None
    """Whether the finished hand was captured as the truth gives it; None where none ended."""


def scenario(case: Case) -> Scenario:
    """A short hand for an infraction, a hand of any kind without one."""
    if case.robbed:
        return Scenario(ruleset=case.ruleset, seed=case.seed, wishes=(ROBBED,))
    rng = random.Random(case.seed)
    name = case.name
    options: dict[str, Any] = {}
    if name is not None and case.stages:
        options = asked(name, case.ruleset, case.seed)
    wants = []
    if name is not None:
        wants.append(
            Wanted(name, at=BARRED_AT if name in FIRST else rng.randint(1, 4), options=options)
        )
    if name in FIRST:
        wants.append(FIRST[name])
    needs = {**NEEDS.get(name or "", {}), **NEEDS.get(f"{name} {options.get('stage')}", {})}
    wish = HandWish(
        win_by=rng.choice(("self", "discard", "discard") if name else ("self", "discard", "none")),
        kongs=rng.choice(((), ("exposed",), ("concealed",), ("added",))),
        flowers=rng.randint(0, 4),
        claims=rng.choice((0.1, 0.3, 0.6)),
        discards=rng.randint(9, 14) if name else rng.randint(12, 44),
    )
    return Scenario(
        ruleset=case.ruleset,
        seed=case.seed + 500,
        wishes=(dataclasses.replace(wish, **needs),),
        pace=rng.choice((0.8, 1.0, 1.0, 1.3)),
        east=rng.choice((0, 1, 2, 3)),
        wanted=(tuple(wants),),
    )


def asked(name: str, ruleset: str, seed: int) -> dict[str, Any]:
    """Which of its stages, and what else it can be, is asked of an infraction.

    It hangs on the seed alone, one stage as likely as another, and stays where a case is dealt
    anew (:data:`ANEW`). The rulesets come in turn: were the stages to, each would get its own.
    """
    game = GAMES[ruleset]
    options = registry_of(game)[name].options_of(game).values()
    kinds = [option for option in options if option.words]
    variants = list(product(*(option.words for option in kinds)))
    chosen = random.Random(f"{name} {seed % ANEW}").choice(variants)
    return {option.name: word for option, word in zip(kinds, chosen, strict=True)}


def judge_until_fit(case: Case) -> Verdict:
    """Judge a case; one whose hand leaves no room for the infraction is dealt anew."""
    for again in range(AGAIN):
        seed = case.seed + ANEW * again
        verdict = judge(dataclasses.replace(case, seed=seed))
        if verdict.committed:
            break
    return verdict


def judge(case: Case) -> Verdict:
    """Play, look, follow and judge one case."""
    try:
        director = Director(scenario(case))
    except NoTileLeftError:
        return Verdict(case, committed=False)
    committed = [each for each in director.infractions() if each.id == case.name]
    if (case.name is not None and not committed) or (case.robbed and not robs(director)):
        return Verdict(case, committed=False)
    until = None
    if case.name is not None and not case.whole:
        until = min(director.duration, max(each.evident for each in committed) + AFTER_S)
    truth = truly(director, until)
    played = truth
    if not case.truth:
        played = follow(director, case.seed, Flaws(**case.flaws), until=until)
    infractions = [Infraction(i.t, i.id, i.seat, i.evident) for i in played.infractions]
    compared = compare(played.found, played.alerts, played.truth, infractions)
    total = Comparison.total(compared.happenings)
    told = [a for a in played.alerts if a.id == case.name]
    verdict = Verdict(
        case,
        happenings=(total.true, total.matched, total.invented),
        wrong=tuple(
            text for text in (*compared.missed, *compared.invented) if text.startswith("happening")
        ),
        missed=tuple(text for text in compared.missed if text.startswith("alert")),
        invented=tuple(text for text in compared.invented if text.startswith("alert")),
        discards=discard_delays(played),
        hand=None if not truth.hands else captured(truth.hands, played.hands),
    )
    if committed:
        first = committed[0]
        verdict.right = not any(text.startswith(f"alert {case.name} ") for text in verdict.missed)
        right = [a for a in told if a.seat == first.seat]
        verdict.delay = right[0].t_raised - first.evident if right else None
        ruled = [a for a in truth.alerts if (a.id, a.seat) == (first.id, first.seat)]
        verdict.by_rules = bool(ruled)
        verdict.rules_delay = ruled[0].t_raised - first.evident if ruled else None
    return verdict


def robs(director: Director) -> bool:
    """Whether a tile that was added to a set is fetched by somebody else."""
    story = director.truth(t1=director.duration)
    added = {(h.seat, h.tile) for h in story if isinstance(h, MeldExtended)}
    return any((h.from_, h.tile) in added for h in story if isinstance(h, TileClaimed))


def truly(director: Director, until: float | None = None) -> Played:
    """What truly happened, told as it happened, and what the rules say to it."""
    engine = Engine(load(director.scenario.ruleset), director.scenario.east)
    said: list[Any] = []
    end = director.duration if until is None else until
    story = director.truth(t1=end)
    at, t = 0, 0.0
    while t < end:
        while at < len(story) and story[at].t <= t:
            said += engine.step(story[at])
            at += 1
        said += engine.pass_time(t)
        t += 0.1
    said += engine.flush(end)
    return Played(
        truth=story,
        infractions=director.infractions(t1=until),
        found=story,
        released=[h.t for h in story],
        alerts=[a for a in said if isinstance(a, Alert)],
        hands=[h for h in said if isinstance(h, HandRecord)],
        duration=end,
    )


def captured(true: Sequence[HandRecord], found: Sequence[HandRecord]) -> bool:
    """Whether hands are the same in everything but their times."""

    def plain(record: HandRecord) -> HandRecord:
        return dataclasses.replace(record, t=0.0)

    return [plain(h) for h in true] == [plain(h) for h in found]


def discard_delays(played: Played) -> list[float]:
    """From the rest of each discard to its telling, s."""
    open_ = [(h, at) for h, at in zip(played.found, played.released, strict=True) if _is_discard(h)]
    delays = []
    for true in played.truth:
        if not isinstance(true, TileDiscarded):
            continue
        for index, (h, at) in enumerate(open_):
            same = isinstance(h, TileDiscarded) and (h.seat, h.tile) == (true.seat, true.tile)
            if same and abs(h.t - true.t) < 2.0:
                delays.append(at - true.t)
                del open_[index]
                break
    return delays


def _is_discard(happening: Happening) -> bool:
    return isinstance(happening, TileDiscarded)


def cases(
    names: Sequence[str], count: int, legal: int, ruleset: str, flaws: dict[str, Any], first: int
) -> Iterator[Case]:
    """Enough seeds for so many cases of every id; some do not fit and fall away."""
    for seed in range(first, first + legal):
        yield Case(None, seed, ruleset, flaws)
    for name in names:
        for seed in range(first, first + count):
            yield Case(name, seed, ruleset, flaws, stages=True)


def dealt(
    given: str, count: int, legal: int, flaws: dict[str, Any], first: int, robbed: int = 0
) -> Iterator[Case]:
    """So many cases of every id given, and legal hands, over all rulesets in turn.

    ``robbed``: so many more legal hands that are won on a robbed kong.

    One case of every id comes before the second of any: a run that is stopped early says
    something of all of them.
    """
    knowing: dict[str, list[str]] = defaultdict(list)
    for ruleset, game in GAMES.items():
        for name in registry_of(game):
            knowing[name].append(ruleset)
    names = sorted(knowing) if given == "all" else [name for name in given.split(",") if name]
    everywhere = list(GAMES)
    for index in range(robbed):
        yield Case(None, first + index, everywhere[index % len(everywhere)], flaws, robbed=True)
    for index in range(max(count, legal)):
        if index < legal:
            yield Case(None, first + index, everywhere[index % len(everywhere)], flaws)
        for place, name in enumerate(names if index < count else ()):
            # Every id begins with another ruleset.
            ruleset = knowing[name][(index + place) % len(knowing[name])]
            yield Case(name, first + index, ruleset, flaws, stages=True)


def show(verdicts: Sequence[Verdict], verbose: bool) -> dict[str, Any]:
    """Print the tables; the same as plain values."""
    invented = Counter(text.split()[1] for v in verdicts for text in v.invented)
    by: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.committed:
            by[verdict.case.name or "legal"].append(verdict)
    rows = {}
    print(f"{'id':26}{'cases':>6}{'right':>6}{'recall':>8}{'prec.':>7}{'not ruled':>10}"
          f"{'delay p50':>10}{'p95':>6}{'rules p95':>10}")  # fmt: skip
    for name in sorted(by):
        if name == "legal":
            continue
        some = by[name]
        right = sum(v.right for v in some)
        false = invented[name]
        delays = [v.delay for v in some if v.delay is not None]
        ruled = [v.rules_delay for v in some if v.rules_delay is not None]
        row = rows[name] = {
            "cases": len(some),
            "right": right,
            "invented": false,
            "recall": right / len(some),
            "precision": right / (right + false) if right + false else None,
            "not_ruled": sum(not v.by_rules for v in some),
            "delay_p50": at(delays, 0.5),
            "delay_p95": at(delays, 0.95),
            "rules_p95": at(ruled, 0.95),
        }
        precision = "-" if row["precision"] is None else f"{100 * row['precision']:.1f}"
        print(f"{name:26}{len(some):6}{right:6}{100 * right / len(some):8.1f}{precision:>7}"
              f"{row['not_ruled']:10}{row['delay_p50']:10.2f}{row['delay_p95']:6.2f}"
              f"{row['rules_p95']:10.2f}")  # fmt: skip
    other = {name: n for name, n in invented.items() if name not in rows}
    print("invented beside:", other or "none", "; in legal hands:",
          sum(len(v.invented) for v in by["legal"]), "in", len(by["legal"]))  # fmt: skip
    true, matched, false = (sum(v.happenings[i] for v in verdicts) for i in range(3))
    discards = [delay for v in verdicts for delay in v.discards]
    whole = [v for v in by["legal"] if v.committed]
    exact = sum(not v.wrong for v in whole)
    hands = [v.hand for v in whole if v.hand is not None]
    print(f"happenings {true}: recall {100 * matched / max(1, true):.2f}, "
          f"precision {100 * matched / max(1, matched + false):.2f}")  # fmt: skip
    print(f"legal hands {len(whole)}: exact {exact}, captured {sum(hands)} of {len(hands)}")
    print(f"discards told after p50 {at(discards, 0.5):.2f} s, p95 {at(discards, 0.95):.2f} s")
    delays = [v.delay for v in verdicts if v.delay is not None]
    print(f"alerts told after p50 {at(delays, 0.5):.2f} s, p95 {at(delays, 0.95):.2f} s")
    if verbose:
        for v in verdicts:
            if v.committed and (v.missed or v.invented or v.wrong or v.hand is False):
                print(
                    f"-- {v.case.name or 'legal'} seed {v.case.seed} {v.case.ruleset} hand {v.hand}"
                )
                for text in (*v.missed, *(f"invented {t}" for t in v.invented), *v.wrong):
                    print("     ", text)
    return rows


def at(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies; nan of none."""
    return sorted(values)[int(share * (len(values) - 1))] if values else float("nan")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ids", default="", help="alert ids, comma-separated, or all")
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--legal", type=int, default=0)
    parser.add_argument("--robbed", type=int, default=0, help="won on a robbed kong (with all)")
    parser.add_argument("--ruleset", default="mcr-1998")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--flaws", default="{}", help="JSON, overrides of the measured ones")
    parser.add_argument("--store", type=Path, help="keep verdicts there, take those that fit")
    parser.add_argument("--truth", action="store_true", help="judge what truly happened")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("-v", "--verbose", action="store_true")
    given = parser.parse_args(arguments)
    if given.ruleset not in ("all", *GAMES):
        parser.error(f"--ruleset {given.ruleset!r}: there are all, {', '.join(GAMES)}")
    games = list(GAMES.values()) if given.ruleset == "all" else [GAMES[given.ruleset]]
    possible = {"all", *(name for game in games for name in registry_of(game))}
    unknown = [name for name in given.ids.split(",") if name and name not in possible]
    if unknown:
        parser.error(f"--ids: nobody can commit {', '.join(unknown)} in {given.ruleset}")
    flaws = {**dataclasses.asdict(PIXELS), **json.loads(given.flaws)}
    if given.ruleset == "all":
        listed = list(dealt(given.ids, given.cases, given.legal, flaws, given.first, given.robbed))
        judging = judge_until_fit
    else:
        known = sorted(registry_of(GAMES[given.ruleset]))
        names = known if given.ids == "all" else [name for name in given.ids.split(",") if name]
        listed = list(cases(names, given.cases, given.legal, given.ruleset, flaws, given.first))
        judging = judge
    listed = [dataclasses.replace(case, truth=given.truth) for case in listed]
    store = Store(given.store, Case, Verdict)
    verdicts = [kept for case in listed if (kept := store.verdict(case)) is not None]
    with ProcessPoolExecutor(given.jobs) as pool:
        open_ = [case for case in listed if store.verdict(case) is None]
        for case, verdict in zip(open_, pool.map(judging, open_), strict=True):
            verdicts.append(verdict)
            store.keep(case, verdict)
            # A long run is worth watching: what went wrong so far is said at once.
            for text in (*verdict.missed, *(f"invented {t}" for t in verdict.invented)):
                print(
                    f"{verdict.case.name or 'legal'} {verdict.case.seed}"
                    f" {verdict.case.ruleset}: {text}",
                    file=sys.stderr,
                    flush=True,
                )
    rows = show(verdicts, given.verbose)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
