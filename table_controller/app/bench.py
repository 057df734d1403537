"""``paiguan bench``: the project's own measurements, as figures beside their limits.

Every room measures itself; here the figures are collected and printed. A figure with a limit is
shown as a ratio to it, so that a noisy machine can be told from a slow program.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from table_controller.app.errors import RunError

Rows = Iterable[Mapping[str, Any]]
"""Each with ``what``, ``value``, ``unit`` and, where there is one, ``limit`` and ``note``."""

_ROOMS: Final[dict[str, str]] = {
    "vision": "vision.bench",
    "look": "vision.pipeline_bench",
    "rules": "table_controller.game.bench",
    "score": "table_controller.scoring.bench",
    "link": "firmware_bridge.bench",
    "render": "hardware.virtual_table.bench",
    "console": "table_controller.console.bench",
}


def _room(module: str) -> Callable[[int], Rows]:
    def measure(_seeds: int) -> Rows:
        rows: Rows = importlib.import_module(module).run()
        return rows

    return measure


def _demo(seeds: int) -> Rows:
    from table_controller.app.bench_demo import measure

    return measure(seeds)


def run_bench(what: str, *, as_json: bool = False, seeds: int = 3) -> int:
    """Measure one thing, or ``all``.

    Raises:
        RunError: there is no such measurement.
    """
    benches: dict[str, Callable[[int], Rows]] = {
        **{name: _room(module) for name, module in _ROOMS.items()},
        "demo": _demo,
    }
    if what != "all" and what not in benches:
        raise RunError(f"bench: no measurement {what!r}; there are {', '.join(benches)}, all")
    names = list(benches) if what == "all" else [what]
    result: dict[str, list[dict[str, Any]]] = {}
    console = Console(highlight=False, stderr=as_json)
    for name in names:
        result[name] = [dict(row) for row in benches[name](seeds)]
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
