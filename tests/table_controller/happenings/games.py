"""Whole games past the ideal eye: the plan of ``paiguan bench happenings`` without its pictures.

``python -m tests.table_controller.happenings.games --first 800000 --mixed 20 --legal 5`` plays the
games that the bench would film from that seed on, looks at them with an eye that has the flaws
measured on rendered pictures, follows and judges them. A game takes some three seconds of
processor time instead of fifty, so that many more can be tried; what goes wrong is named as it
comes, by ruleset, seed and infractions. ``--only`` names games, ``RULESET:SEED:ID,ID:varied``, with
nothing behind the second colon for a legal one; without ``:varied`` its play is what the seed alone
makes of it (a line of ``mixed_games``), not what the bench asks of that seed. ``--truth`` judges
what truly happened instead, with no eye and no follower, in half a second: where the rules say
something else to it than the virtual table, one of both is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.games import GAMES
from hardware.virtual_table.play.incidents import registry_of
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from hardware.virtual_table.play.scenario import parse_scenario
from table_controller.app.measuring.games import (
    RULESETS,
    Game,
    ids_of,
    kind_of_play,
    planned,
    with_infractions,
)
from table_controller.app.virtual.compare import Comparison, Infraction, compare
from tests.table_controller.happenings.accounting import at, truly
from tests.table_controller.happenings.ideal_eye import PIXELS, Flaws
from tests.table_controller.happenings.play import Played, follow

_TOLD_S: Final = 6.0
"""So much longer a game is followed for what happened up to a time to be told."""

VARIED: Final = "varied"
FORM: Final = f"RULESET:SEED:ID,ID or RULESET:SEED:ID,ID:{VARIED}"
"""How a game is named."""


@dataclass(frozen=True)
class Outcome:
    """What came of one game.

    Attributes:
        happenings, alerts: true, matched and invented ones.
        faults: what was missed and what was invented, in words.
        delays: from the evidence of each infraction to its alert, s, where one came.
    """

    name: str
    group: str
    happenings: tuple[int, int, int] = (0, 0, 0)
    alerts: tuple[int, int, int] = (0, 0, 0)
    faults: tuple[str, ...] = ()
    delays: tuple[tuple[str, float], ...] = field(default=())


def name_of(game: Game) -> str:
    """What ``--only`` takes."""
    name = f"{game.ruleset}:{game.seed}:{','.join(ids_of(game.scenario))}"
    return f"{name}:{VARIED}" if "hand" in game.scenario else name


def named(text: str) -> Game:
    """The game that a name stands for.

    Raises:
        ValueError: for a name that stands for none; says which, and what is wrong with it.
    """
    parts = text.split(":")
    if len(parts) != 3 and parts[3:] != [VARIED]:
        raise ValueError(f"{text!r}: not of the form {FORM}")
    ruleset, seed, ids = parts[:3]
    if ruleset not in GAMES:
        raise ValueError(f"{text!r}: no ruleset {ruleset!r} (there are {', '.join(GAMES)})")
    if not seed.isdecimal():
        raise ValueError(f"{text!r}: the seed {seed!r} is no number")
    pair = tuple(name for name in ids.split(",") if name)
    # What it cannot commit a game would leave out, and commit something else instead.
    unknown = [name for name in pair if name not in registry_of(GAMES[ruleset])]
    if unknown:
        raise ValueError(f"{text!r}: nobody can commit {', '.join(unknown)} in {ruleset}")
    scenario: dict[str, Any] = {"mix": len(pair), "mix_ids": list(pair)} if pair else {}
    if len(parts) > 3:
        kind = kind_of_play(ruleset, int(seed))
        scenario = with_infractions(pair, kind) if pair else kind
    group = "infractions" if pair else "legal"
    return Game(group=group, ruleset=ruleset, seed=int(seed), scenario=scenario)


def directed(game: Game) -> Director:
    """One game, played."""
    values = {"ruleset": game.ruleset, "seed": game.seed, **game.scenario}
    if "hand" in values:
        values["hand"] = [values["hand"]]
    layout = Layout.load(packaged_geometry(GAMES[game.ruleset].geometry))
    return Director(parse_scenario(values), layout)


def played(game: Game, flaws: Flaws = PIXELS, until: float | None = None) -> Played:
    """One game, played, looked at and followed, up to a time or to its end.

    What happened up to then is told a little later.
    """
    if until is None:
        return follow(directed(game), game.seed, flaws)
    one = follow(directed(game), game.seed, flaws, until=until + _TOLD_S)
    return replace(
        one,
        truth=[each for each in one.truth if each.t <= until],
        infractions=[each for each in one.infractions if each.t <= until],
        found=[each for each in one.found if each.t <= until],
        alerts=[each for each in one.alerts if each.t <= until],
    )


def compared(one: Played) -> Comparison:
    """What was told of a game beside what truly happened."""
    infractions = [Infraction(i.t, i.id, i.seat, i.evident) for i in one.infractions]
    return compare(one.found, one.alerts, one.truth, infractions)


def known_truth(game: Game) -> Outcome:
    """Judge what truly happened in one game."""
    return _outcome(game, truly(directed(game)))


def outcome(game: Game, until: float | None = None, flaws: Flaws = PIXELS) -> Outcome:
    """Play, follow and compare one game, or what happens in it up to a time."""
    return _outcome(game, played(game, flaws, until))


def _outcome(game: Game, one: Played) -> Outcome:
    result = compared(one)
    happenings, alerts = (
        Comparison.total(tallies) for tallies in (result.happenings, result.alerts)
    )
    delays = []
    for each in one.infractions:
        same = [a for a in one.alerts if (a.id, a.seat) == (each.id, each.seat)]
        if same:
            nearest = min(same, key=lambda a: abs(a.t - each.t))
            delays.append((each.id, round(nearest.t_raised - each.evident, 2)))
    return Outcome(
        name_of(game),
        game.group,
        (happenings.true, happenings.matched, happenings.invented),
        (alerts.true, alerts.matched, alerts.invented),
        (
            *(f"missed {text}" for text in result.missed),
            *(f"invented {text}" for text in result.invented),
        ),
        tuple(delays),
    )


def in_turn(
    games: Sequence[Game], jobs: int, work: Callable[[Game], Outcome] = outcome
) -> Iterator[Outcome]:
    """The outcomes, in the order of the games."""
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, games)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--mixed", type=int, default=10, help="with two infractions, a ruleset")
    parser.add_argument("--legal", type=int, default=0, help="without any, a ruleset")
    parser.add_argument("--only", nargs="*", default=(), help=FORM)
    parser.add_argument("--truth", action="store_true", help="judge what truly happened")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args(arguments)
    try:
        games = [named(text) for text in given.only]
    except ValueError as error:
        parser.error(f"--only {error}")
    games = games or list(
        planned(RULESETS, legal=given.legal, mixed=given.mixed, changed=0, first=given.first)
    )
    outcomes: list[Outcome] = []
    for one in in_turn(games, given.jobs, known_truth if given.truth else outcome):
        outcomes.append(one)
        if one.faults:
            print(f"-- {one.name} (number {len(outcomes)})")
            for text in one.faults:
                print("    ", text)
            sys.stdout.flush()
    for group in ("legal", "infractions"):
        some = [one for one in outcomes if one.group == group]
        if some:
            clean = sum(not one.faults for one in some)
            print(f"{group}: {clean} of {len(some)} without any fault")
    for what in ("happenings", "alerts"):
        true, matched, invented = (sum(getattr(o, what)[k] for o in outcomes) for k in range(3))
        print(f"{what}: {matched} of {true}, {invented} invented")
    delays = [delay for one in outcomes for _, delay in one.delays]
    print(f"alerts told after p50 {at(delays, 0.5):.2f} s, p95 {at(delays, 0.95):.2f} s")
    late = sorted(((d, i, o.name) for o in outcomes for i, d in o.delays), reverse=True)
    for delay, name, game in late[: len(late) // 20]:
        print(f"     {delay:.2f} s {name} in {game}")


if __name__ == "__main__":
    main()
