"""Complete hands of many kinds, played, filmed, followed and compared with the truth.

Every game is recorded by the virtual table and replayed by the controller: the same pictures and
the same code as in life, as fast as the machine allows. A game's result is one line of a file, so
a long measurement can be stopped, taken up again and spread over evenings. What is compared
stands in :mod:`.matching`, what the lines amount to in :mod:`.happenings_report`; which games there
are in :mod:`.games`.
"""

from __future__ import annotations

import json
import multiprocessing
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import cv2

from table_controller.app.errors import RunError
from table_controller.app.measuring.games import Game
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

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
_TASKS_EACH: Final = 8
_RECORDING, _GAME = "recording", "game.json"
"""What lies in the folder of a game."""
SAID_S: Final = 1.0
"""Times of what was missed and of what was not looked at agree to this."""


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


def play(game: Game, keep: Path | None = None) -> dict[str, Any]:
    """Record, replay and compare one game.

    Args:
        game: which.
        keep: the recordings of games with faults stay there, to be followed :func:`again`.

    Returns:
        JSON values: what matched and what did not, delays, hands; ``kept``: where it stays.
    """
    # Where it may have to stay: it is moved there by its name alone, whole or not at all.
    with tempfile.TemporaryDirectory(prefix=".paiguan-bench-", dir=keep) as name:
        home = Path(name)
        scenario = home / "scenario.toml"
        scenario.write_text(game.toml, encoding="utf-8")
        said = run_virtual_table(
            "--scenario", str(scenario), "--record", str(home / _RECORDING), *game.switches
        )
        told = {"game": asdict(game), "not_played": not_played(said)}
        (home / _GAME).write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
        result = again(home)
        if keep is None or not faults(result):
            return result
        to = keep / game.key.replace(" ", "-")
        if to.exists():
            shutil.rmtree(to)
        home.rename(to)
        return {**result, "kept": str(to)}


def again(home: Path) -> dict[str, Any]:
    """Follow a game that was recorded and compare it with the truth.

    Args:
        home: its folder, as :func:`play` keeps it.

    Returns:
        What :func:`play` returns.

    Raises:
        RunError: there is no such game.
    """
    cv2.setNumThreads(1)
    game, missing = _read_game(home / _GAME)
    folder = home / _RECORDING
    header = read_header(folder)
    rooms = Rooms.of_recording(folder, header)
    timed = Timed()
    controller = TableController(rooms.follower, rooms.engine, None, [timed])
    follow(folder, header, rooms, controller, clock=timed.tick)
    true, infractions = read_truth(folder / "truth.jsonl")
    result = _result(game, header.east, timed, true, infractions)
    return {**result, "failed": rooms.follower.failed, **_wanted(game, missing, infractions)}


def faults(line: Mapping[str, Any]) -> int:
    """How many happenings and alerts of a game were missed or invented."""
    return len(line["missed"]) + len(line["invented"])


def _read_game(path: Path) -> tuple[Game, list[dict[str, Any]]]:
    """A game, and what of its wishes did not come about."""
    try:
        told = json.loads(path.read_bytes().decode())
        values = told["game"]
        game = Game(**{**values, "switches": tuple(values["switches"])})
        missing: list[dict[str, Any]] = told["not_played"]
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise RunError(f"{path}: not a game of this measurement") from None
    return game, missing


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
    games: Iterable[Game],
    store: Path,
    *,
    workers: int,
    keep: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> list[dict[str, Any]]:
    """Play the games that the store does not hold yet, and append each as it ends.

    Args:
        games: to be played.
        store: JSON Lines, made where it is missing.
        workers: processes.
        keep: the recordings of games with faults stay in this folder.
        say: called with one line a game.

    Returns:
        The lines of the store that belong to the games.

    Raises:
        RunError: the store cannot be written or holds a line that is none.
    """
    wanted = {game.key: game for game in games}
    done = read_store(store)
    todo = [game for key, game in wanted.items() if key not in done]
    for folder in (store.parent, *([] if keep is None else [keep])):
        folder.mkdir(parents=True, exist_ok=True)
    for line in in_children(partial(play, keep=keep), todo, workers):
        done[line["key"]] = line
        with store.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
        if say is not None:
            say(_in_words(line))
    return [done[key] for key in wanted if key in done]


def measure_again(
    kept: Path, *, workers: int, say: Callable[[str], None] | None = None
) -> list[dict[str, Any]]:
    """Follow the games that lie in a folder once more.

    Raises:
        RunError: there is none.
    """
    homes = sorted(path.parent for path in kept.glob(f"*/{_GAME}"))
    if not homes:
        raise RunError(f"{kept}: no game is kept there")
    lines = []
    for line in in_children(again, homes, workers):
        lines.append(line)
        if say is not None:
            say(_in_words(line))
    return lines


def _in_words(line: Mapping[str, Any]) -> str:
    """One line about one game."""
    count = faults(line)
    if not count:
        return f"{line['key']}: as played"
    kept = f", kept in {line['kept']}" if "kept" in line else ""
    return f"{line['key']}: {count} fault{'s' if count > 1 else ''}{kept}"


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
