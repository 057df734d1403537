"""``paiguan bench``: the project's own measurements, as figures beside their limits.

Every room measures itself; here the figures are collected and printed. A figure with a limit is
shown as a ratio to it, so that a noisy machine can be told from a slow program.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from table_controller.app.errors import RunError

Rows = Iterable[Mapping[str, Any]]
"""Each with ``what``, ``value``, ``unit`` and, where there is one, ``limit`` and ``note``."""

_ROOMS: Final[dict[str, str]] = {
    "vision": "table_controller.app.measuring.seeing",
    "look": "vision.bench.look",
    "rules": "table_controller.game.bench",
    "score": "table_controller.scoring.bench",
    "link": "firmware_bridge.bench",
    "render": "hardware.virtual_table.bench",
    "console": "table_controller.console.bench",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of the long measurements is asked for.

    Attributes:
        seeds: games of ``demo``.
        hands: of ``happenings``: legal hands of each ruleset.
        mixed: and hands with two infractions.
        ids: with one of these instead.
        changed: and hands of every change of light, table or camera.
        degraded: and hands of everything that goes wrong with the filming.
        rulesets: of these only; empty: all that the virtual table plays.
        first: first seed of ``happenings``.
        store: its results are kept there, and taken up again; the samples of ``endurance`` too.
        workers: its processes.
        tables: of ``venue``.
        speed: of ``venue``: how much faster than life.
        minutes: for how long: ``endurance`` an hour, ``venue`` half a minute unless told.
        cameras: over the table of ``endurance``.
        size: of its pictures, ``WxH``; None: as the virtual table has them.
    """

    seeds: int = 3
    hands: int = 1
    mixed: int = 1
    ids: tuple[str, ...] = ()
    changed: int = 0
    degraded: int = 0
    rulesets: tuple[str, ...] = ()
    first: int = 5000
    store: Path | None = None
    workers: int = 2
    tables: int = 20
    speed: float = 10.0
    minutes: float | None = None
    cameras: int = 1
    size: str | None = None
    keep: Path | None = None
    again: Path | None = None


def _room(module: str) -> Callable[[Plan], Rows]:
    def measure(_plan: Plan) -> Rows:
        rows: Rows = importlib.import_module(module).run()
        return rows

    return measure


def _demo(plan: Plan) -> Rows:
    from table_controller.app.measuring.demo import measure

    return measure(plan.seeds)


def _happenings(plan: Plan) -> Rows:
    from table_controller.app.measuring.games import RULESETS, planned
    from table_controller.app.measuring.happenings import measure_again, measure_games
    from table_controller.app.measuring.happenings_report import rows

    say = Console(stderr=True, highlight=False, soft_wrap=True).print
    if plan.again is not None:
        return rows(measure_again(plan.again, workers=plan.workers, say=say))
    games = planned(
        plan.rulesets or RULESETS,
        legal=plan.hands,
        mixed=plan.mixed,
        changed=plan.changed,
        first=plan.first,
        degraded=plan.degraded,
        ids=plan.ids,
    )
    with tempfile.TemporaryDirectory(prefix="paiguan-bench-") as folder:
        store = plan.store or Path(folder) / "results.jsonl"
        return rows(measure_games(games, store, workers=plan.workers, keep=plan.keep, say=say))


def _endurance(plan: Plan) -> Rows:
    from table_controller.app.measuring.endurance import endure, rows

    with tempfile.TemporaryDirectory(prefix="paiguan-bench-") as folder:
        store = plan.store or Path(folder) / "samples.jsonl"
        ruleset = plan.rulesets[0] if plan.rulesets else "mcr-1998"
        switches = ["--cameras", str(plan.cameras)]
        switches += [] if plan.size is None else ["--size", plan.size]
        return rows(endure(ruleset, plan.first, plan.minutes or 60.0, store, switches))


def _venue(plan: Plan) -> Rows:
    from table_controller.venue.virtual.bench import run

    return run(plan.tables, plan.speed, plan.minutes or 0.5)


def run_bench(what: str, plan: Plan | None = None, *, as_json: bool = False) -> int:
    """Measure one thing, or ``all`` but what takes an hour.

    Raises:
        RunError: there is no such measurement.
    """
    plan = plan or Plan()
    benches: dict[str, Callable[[Plan], Rows]] = {
        **{name: _room(module) for name, module in _ROOMS.items()},
        "demo": _demo,
        "happenings": _happenings,
        "venue": _venue,
        "endurance": _endurance,
    }
    if what != "all" and what not in benches:
        raise RunError(f"bench: no measurement {what!r}; there are {', '.join(benches)}, all")
    names = [name for name in benches if name != "endurance"] if what == "all" else [what]
    result: dict[str, list[dict[str, Any]]] = {}
    console = Console(highlight=False, stderr=as_json)
    for name in names:
        result[name] = [dict(row) for row in benches[name](plan)]
        if not as_json:
            console.print(_table(name, result[name]))
    if as_json:
        sys.stdout.write(json.dumps(result, ensure_ascii=False) + "\n")
    return 0


def _table(name: str, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=name, title_justify="left")
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("limit", justify="right")
    table.add_column("of the limit", justify="right")
    table.add_column("")
    for row in rows:
        value, limit = row["value"], row.get("limit")
        ratio = ""
        if isinstance(limit, int | float) and isinstance(value, int | float) and limit:
            ratio = f"{value / limit:.0%}"
        table.add_row(
            row["what"],
            _number(value),
            str(row.get("unit", "")),
            "" if limit is None else _number(limit),
            ratio,
            str(row.get("note", "")),
        )
    return table


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return str(value)
