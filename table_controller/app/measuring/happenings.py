"""Complete hands of many kinds, played, filmed, followed and compared with the truth.

Every game is recorded by the virtual table and replayed by the controller: the same pictures and
the same code as in life, as fast as the machine allows. A game's result is one line of a file, so
a long measurement can be stopped, taken up again and spread over evenings. What is compared
stands in :mod:`.matching`, what the lines amount to in :mod:`.happenings_report`.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import cv2

from table_controller.app.errors import RunError
from table_controller.app.measuring.matching import (
    discard_delays,
    match_alerts,
    match_hands,
    same_order,
    true_hands,
)
from table_controller.app.running.replay import follow
from table_controller.app.table.assemble import Rooms
from table_controller.app.table.core import TableController
from table_controller.app.table.listeners import Collector
from table_controller.app.virtual.compare import (
    UNCOUNTED,
    Comparison,
    Infraction,
    Tally,
    compare,
    read_truth,
)
from table_controller.app.virtual.program import not_played, run_virtual_table
from table_controller.domain.happenings import Happening, NotLooked, Seat
from table_controller.record.recording import read_header
from table_controller.rulesets import load

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
_TASKS_EACH: Final = 8
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
SAID_S: Final = 1.0
"""Times of what was missed and of what was not looked at agree to this."""


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


class Timed(Collector):
    """Keeps everything with the moment at which it was said, in source time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.said: list[tuple[float, Happening]] = []

    def tick(self, now: float) -> None:
        """What is said from here on is said at this moment."""
        self.now = now

    def happening(self, happening: Happening) -> None:
        """Keep it and when it was said."""
        super().happening(happening)
        self.said.append((self.now, happening))


def play(game: Game) -> dict[str, Any]:
    """Record, replay and compare one game.

    Returns:
        JSON values: what matched and what did not, delays, hands.
    """
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory(prefix="paiguan-bench-") as name:
        folder = Path(name) / "recording"
        scenario = Path(name) / "scenario.toml"
        values = {"ruleset": game.ruleset, "seed": game.seed, **game.scenario}
        scenario.write_text(toml_of(values), encoding="utf-8")
        said = run_virtual_table(
            "--scenario", str(scenario), "--record", str(folder), *game.switches
        )
        header = read_header(folder)
        rooms = Rooms.of_recording(folder, header)
        timed = Timed()
        controller = TableController(rooms.follower, rooms.engine, None, [timed])
        follow(folder, header, rooms, controller, clock=timed.tick)
        true, infractions = read_truth(folder / "truth.jsonl")
        result = _result(game, header.east, timed, true, infractions)
        return {**result, **_wanted(game, not_played(said), infractions)}


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


def _wanted(
    game: Game, missing: Sequence[Mapping[str, Any]], infractions: Sequence[Infraction]
) -> dict[str, Any]:
    """What was wanted of a game beside what came about.

    Returns:
        ``committed``: how many infractions came about; ``wanted``: ids, once for each time;
        ``not_played``: those of them that did not; ``not_wished``: wishes that did not come true.
    """
    hands = int(game.scenario.get("hands", 1))
    due = game.scenario.get("hand", {}).get("infraction", ())
    wanted = [*game.scenario.get("mix_ids", ()), *(each["id"] for each in due)]
    return {
        "committed": len(infractions),
        "wanted": sorted(wanted * hands),
        "not_played": sorted(each["infraction"] for each in missing if "infraction" in each),
        "not_wished": sorted(each["wish"] for each in missing if "wish" in each),
    }


def _result(
    game: Game, east: Seat, timed: Timed, true: list[Happening], infractions: list[Infraction]
) -> dict[str, Any]:
    compared = compare(timed.happenings, timed.alerts, true, infractions)
    alerts = match_alerts(timed.alerts, infractions)
    return {
        "key": game.key,
        "group": game.group,
        "ruleset": game.ruleset,
        "seed": game.seed,
        "happenings": {kind: _tally(tally) for kind, tally in compared.happenings.items()},
        "times": [round(e, 3) for t in compared.happenings.values() for e in t.errors],
        "missed": list(compared.missed),
        "invented": list(compared.invented),
        "unread": compared.unread,
        "held": compared.held,
        "alerts": alerts,
        "discards": discard_delays(timed.said, true),
        "order": same_order(timed.happenings, true),
        "hands": match_hands(timed.hands, true_hands(game.ruleset, east, true)),
        **disturbed(game, timed.happenings, true, compared),
    }


def disturbed(
    game: Game, seen: Sequence[Happening], true: Sequence[Happening], compared: Comparison
) -> dict[str, Any]:
    """What the observer said it did not see, what it missed besides, and how it went on after.

    Returns:
        ``not_looked``: seconds told as not looked at, somewhere; ``unsaid``: how many happenings
        were missed at other times; ``after``: true, missed and invented ones after it was over.
    """
    end = max((h.t for h in (*seen, *true)), default=0.0)
    # What is told while it goes on is told again with its end.
    last = {(h.where, h.seat, h.t): h.until for h in seen if isinstance(h, NotLooked)}
    gaps = [(since, end if until is None else until) for (_, _, since), until in last.items()]
    unsaid = sum(
        not any(since - SAID_S <= t <= until + SAID_S for since, until in gaps)
        for t in compared.missed_at
    )
    result: dict[str, Any] = {
        "not_looked": round(sum(until - since for since, until in gaps), 2),
        "unsaid": unsaid,
    }
    if game.after is not None:
        of = sum(h.t > game.after for h in true if h.kind not in UNCOUNTED)
        wrong = (compared.missed_at, compared.invented_at)
        result["after"] = [of, *(sum(t > game.after for t in times) for times in wrong)]
    return result


def _tally(tally: Tally) -> list[int]:
    return [tally.true, tally.matched, tally.invented]


def measure_games(
    games: Iterable[Game], store: Path, *, workers: int, say: Callable[[str], None] | None = None
) -> list[dict[str, Any]]:
    """Play the games that the store does not hold yet, and append each as it ends.

    Args:
        games: to be played.
        store: JSON Lines, made where it is missing.
        workers: processes.
        say: called with one line a game.

    Returns:
        The lines of the store that belong to the games.

    Raises:
        RunError: the store cannot be written or holds a line that is none.
    """
    wanted = {game.key: game for game in games}
    done = read_store(store)
    todo = [game for key, game in wanted.items() if key not in done]
    store.parent.mkdir(parents=True, exist_ok=True)
    for line in in_children(play, todo, workers):
        done[line["key"]] = line
        with store.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
        if say is not None:
            faults = len(line["missed"]) + len(line["invented"])
            say(f"{line['key']}: {'as played' if not faults else f'{faults} faults'}")
    return [done[key] for key in wanted if key in done]


def in_children(
    work: Callable[[_Task], _Result], tasks: Sequence[_Task], workers: int
) -> Iterator[_Result]:
    """What comes of tasks that other processes do, as it comes.

    Processes are replaced after some tasks each, so that none grows. The pool's own way of doing so
    (``max_tasks_per_child``) stops for good when all are due at once (CPython 3.11, gh-115634).
    """
    once = workers * _TASKS_EACH
    for start in range(0, len(tasks), once):
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            running = [pool.submit(work, task) for task in tasks[start : start + once]]
            for future in as_completed(running):
                yield future.result()


def read_store(store: Path) -> dict[str, dict[str, Any]]:
    """The results that a file holds, by key.

    Raises:
        RunError: naming file and line.
    """
    done: dict[str, dict[str, Any]] = {}
    if not store.exists():
        return done
    for number, text in enumerate(store.read_bytes().splitlines(), start=1):
        try:
            line = json.loads(text.decode())
            done[line["key"]] = line
        except (ValueError, KeyError, TypeError):
            raise RunError(f"{store}:{number}: not a result of this measurement") from None
    return done
