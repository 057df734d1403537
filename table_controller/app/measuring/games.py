"""The games that are measured: legal ones, ones with infractions, ones seen otherwise.

A game is a scenario of the virtual table and its switches. Nothing here plays it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from table_controller.app.errors import RunError
from table_controller.app.virtual.program import run_virtual_table
from table_controller.rulesets import load

_APART: Final = 1000
"""Between the seeds of two rulesets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game to be measured.

    Attributes:
        group: ``legal``, ``infractions``, or what was changed.
        scenario: the scenario's values besides ``ruleset`` and ``seed``, TOML values; ``hand`` is a
            table, the wish of all its hands.
        switches: of the virtual table's command line.
        after: from when on nothing disturbs the filming any more, or it goes on without what was
            lost; None: it is as it is all the time.
    """

    group: str
    ruleset: str
    seed: int
    scenario: Mapping[str, Any] = field(default_factory=dict)
    switches: tuple[str, ...] = ()
    after: float | None = None

    @property
    def key(self) -> str:
        """Names the game in the results."""
        ids = ids_of(self.scenario)
        return " ".join([self.group, self.ruleset, str(self.seed), *(ids if len(ids) == 1 else ())])

    @property
    def toml(self) -> str:
        """The scenario as the virtual table reads it."""
        return toml_of({"ruleset": self.ruleset, "seed": self.seed, **self.scenario})


BARRED: Final[Mapping[str, str]] = {
    "claim-while-barred": "false-win",
    "win-while-barred": "win-wrong-tile",
}
"""What bars a player from what he then does: it has to happen before."""
BARRED_AT: Final = 3
"""After so many discards, that the hand leaves room for both."""
_FLOWERS: Final[Mapping[str, int]] = dict.fromkeys(
    ("dice-left", "flower-mistaken", "flower-order"), 6
)
"""With fewer flowers dealt there may be none when it is to happen."""

RULESETS: Final = (
    "mcr-1998",
    "riichi-xjtu-2025",
    "mcr-2006-du",
    "riichi-xjtu-2025-sanma",
    "mcr-2002-tianjin",
    "riichi-xjtu-2025-qixing",
    "riichi-xjtu-2025-relay",
)
"""Whose games are measured where nobody says otherwise (contract, section 5)."""

CHANGES: Final[Mapping[str, tuple[str, ...]]] = {
    "another look": ("--look", "{seed}"),
    "camera 200 mm higher": ("--view", "height_mm=1500"),
    "smaller table": ("--view", "scale=0.85"),
    "two cameras": ("--cameras", "2"),
    "2160 lines": ("--size", "3840x2160"),
}
"""What is changed about the view, as switches of the virtual table."""


@dataclass(frozen=True, slots=True)
class Degraded:
    """What goes wrong with the filming.

    Attributes:
        switches: of the virtual table.
        over: second of the session at which it is over, or at which the rest goes on alone.
    """

    switches: tuple[str, ...]
    over: float | None = None


DEGRADED: Final[Mapping[str, Degraded]] = {
    "light flickers by 30 %": Degraded(("--degrade", "flicker=0.3")),
    "20 % of the frames lost": Degraded(("--degrade", "dropped=0.2")),
    "twice the motion blur": Degraded(("--degrade", "motion_blur=2")),
    "camera knocked by 5 mm": Degraded(("--degrade", "moved_at=20", "moved_mm=5"), 20.0),
    "one of two cameras lost": Degraded(("--cameras", "2", "--degrade", "lost_at=20"), 20.0),
    "an arm over a quarter for 5 s": Degraded(("--degrade", "arm_at=20", "arm_s=5"), 25.0),
}
RECOVERED_S: Final = 5.0
"""So long after it is over everything must be followed as before."""


def planned(
    rulesets: Sequence[str],
    *,
    legal: int,
    mixed: int,
    changed: int,
    first: int,
    degraded: int = 0,
    ids: Sequence[str] = (),
) -> Iterator[Game]:
    """Legal hands, hands with infractions and hands seen otherwise, of every ruleset in turn.

    Infractions go round the ids that the virtual table can commit, two in a hand, so that every
    id comes about as often as any other; of those named there is one in a hand.

    Args:
        rulesets: whose games.
        legal: hands of each without an infraction.
        mixed: hands of each with two infractions.
        changed: hands of each change of the view, without an infraction, spread over the rulesets.
        first: the first seed.
        degraded: hands of each thing that goes wrong with the filming, likewise.
        ids: these infractions only.

    Raises:
        RunError: an infraction that no player of these rulesets can commit.
    """
    known = {ruleset: _ids(ruleset, first) for ruleset in rulesets} if mixed else {}
    if strange := set(ids).difference(*known.values()) if mixed else set():
        raise RunError(f"no infraction that can be committed: {', '.join(sorted(strange))}")
    asked = {ruleset: [n for n in names if not ids or n in ids] for ruleset, names in known.items()}
    each = 1 if ids else 2
    for number in range(max(legal, mixed)):
        for place, ruleset in enumerate(rulesets):
            # Rulesets of one family play the same game of one seed.
            seed = first + _APART * place + number
            kind = kind_of_play(ruleset, seed)
            if number < legal:
                yield Game(group="legal", ruleset=ruleset, seed=seed, scenario=kind)
            if number < mixed and (names := asked[ruleset]):
                at = each * (number + place * mixed)
                chosen = sorted({names[(at + k) % len(names)] for k in range(each)})
                scenario = with_infractions(chosen, kind)
                yield Game(group="infractions", ruleset=ruleset, seed=seed, scenario=scenario)
    for number in range(changed):
        for place, (group, switches) in enumerate(CHANGES.items()):
            seed = first + _APART * len(RULESETS) + number
            ruleset = rulesets[(number + place) % len(rulesets)]
            filled = tuple(each.format(seed=seed) for each in switches)
            kind = kind_of_play(ruleset, seed)
            yield Game(group=group, ruleset=ruleset, seed=seed, scenario=kind, switches=filled)
    for number in range(degraded):
        for place, (group, what) in enumerate(DEGRADED.items()):
            seed = first + _APART * len(RULESETS) + number
            ruleset = rulesets[(number + place) % len(rulesets)]
            yield Game(
                group=group,
                ruleset=ruleset,
                seed=seed,
                scenario=kind_of_play(ruleset, seed),
                switches=what.switches,
                after=None if what.over is None else what.over + RECOVERED_S,
            )


def kind_of_play(ruleset: str, seed: int) -> dict[str, Any]:
    """How a game is played: what real hands have of everything, by its seed.

    Who deals, how fast, one hand or two, how it ends, kongs, flowers, how readily tiles are
    claimed, and whether a winning discard is fetched or left in its pool.

    Returns:
        Values of a scenario; ``hand`` is a table.
    """
    rng = random.Random(f"{ruleset} {seed}")
    rules = load(ruleset)
    hand: dict[str, Any] = {
        "win": rng.choice(("self", "self", "discard", "discard", "discard", "none")),
        "kongs": rng.choice(([], [], ["exposed"], ["concealed"], ["added"])),
        "claims": rng.choice((0.1, 0.25, 0.4, 0.6)),
        "discards": rng.randint(14, 40),
    }
    if rules.family == "mcr":
        hand |= {"flowers": rng.randint(0, 4), "fetch": rng.random() < 0.5}
    return {
        "east": rng.randrange(rules.equipment.players),
        "pace": rng.choice((0.8, 1.0, 1.0, 1.3)),
        "hands": rng.choice((1, 1, 1, 2)),
        "hand": hand,
    }


def with_infractions(chosen: Sequence[str], kind: Mapping[str, Any]) -> dict[str, Any]:
    """A game of some kind in which these infractions come about, at times and stages by chance."""
    hand = dict(kind["hand"])
    if "flowers" in hand:
        hand["flowers"] = max(hand["flowers"], *(_FLOWERS.get(name, 0) for name in chosen))
    barred = [name for name in chosen if name in BARRED]
    if barred:
        due = [each for name in barred for each in (BARRED[name], name)]
        hand["infraction"] = [{"id": each, "at": BARRED_AT} for each in due]
    mixed = [name for name in chosen if name not in barred]
    return {**kind, "mix": len(mixed), "mix_ids": mixed, "stages": True, "hand": hand}


def ids_of(scenario: Mapping[str, Any]) -> list[str]:
    """The infractions that were chosen for a game."""
    due = (each["id"] for each in scenario.get("hand", {}).get("infraction", ()))
    return sorted([*scenario.get("mix_ids", ()), *(each for each in due if each in BARRED)])


def _ids(ruleset: str, seed: int) -> list[str]:
    """What can be committed, in an order of its own for every measurement."""
    said = run_virtual_table("--list-infractions", "--json", "--ruleset", ruleset)
    names = sorted(json.loads(said)[ruleset])
    random.Random(seed).shuffle(names)
    return names


def toml_of(scenario: Mapping[str, Any]) -> str:
    """The text of a scenario whose ``hand`` is a table that may hold a list of infractions."""
    values = dict(scenario)
    hand = dict(values.pop("hand", {}))
    due = hand.pop("infraction", [])
    tables = [
        ("", values),
        ("[[hand]]\n", hand),
        *(("[[hand.infraction]]\n", each) for each in due),
    ]
    return "".join(
        head + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        for head, table in tables
    )
