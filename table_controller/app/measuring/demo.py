"""The demo measured: rates and delays of a live run, precision and recall over many seeds.

The first seed is played live, as ``paiguan demo`` does it; the others are recorded and replayed
as fast as the machine allows, which gives the same happenings and takes less time.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Final

from table_controller.app.running.replay import replay_recording
from table_controller.app.virtual.compare import Comparison, Tally, compare, read_truth
from table_controller.app.virtual.demo import Demo, DemoOptions
from table_controller.app.virtual.program import run_virtual_table

_FRAMES: Final = 10.0


def measure(seeds: int, *, first: int = 1) -> list[Mapping[str, Any]]:
    """Rows for ``paiguan bench demo``: one live run, then ``seeds`` games in all.

    Raises:
        RunError: the virtual table could not be run.
    """
    with contextlib.redirect_stdout(io.StringIO()):
        report = Demo(DemoOptions(seed=first, console=False, live=False)).run()
    figures = report.figures
    cores = os.cpu_count() or 1
    rows: list[Mapping[str, Any]] = [
        _row("frames", figures["fps"], "1/s", note="live", limit=_FRAMES, least=True),
        _row("one look, median", figures["look_ms_median"], "ms", limit=100.0),
        _row("one look, 95%", figures["look_ms_p95"], "ms", limit=100.0),
        _row("behind life, 95%", figures["behind_s_p95"], "s", limit=0.5),
        _row("happening to alert, median", figures["alert_s_median"], "s"),
        _row("happening to alert, 95%", figures["alert_s_p95"], "s", limit=1.0),
        _row("processor", 100 * figures["cpu"] / cores, "% of all cores", limit=60.0),
        _row("memory, peak", figures["memory_mb"], "MB", limit=800.0),
    ]
    done = [report.comparison] if report.comparison is not None else []
    with ProcessPoolExecutor(max_workers=cores) as pool:
        done += list(pool.map(_played, range(first + 1, first + seeds)))
    return rows + _accuracy(done)


def _row(
    what: str,
    value: float,
    unit: str,
    *,
    limit: float | None = None,
    note: str = "",
    least: bool = False,
) -> dict[str, Any]:
    if least:
        note = f"{note}, at least the limit".strip(", ")
    return {"what": what, "value": value, "unit": unit, "limit": limit, "note": note}


def _played(seed: int) -> Comparison:
    """One game: recorded by the virtual table, replayed by the controller, compared."""
    with tempfile.TemporaryDirectory(prefix="paiguan-bench-") as name:
        folder = Path(name) / "recording"
        run_virtual_table("--seed", str(seed), "--record", str(folder))
        collected = replay_recording(folder, io.StringIO())
        true, infractions = read_truth(folder / "truth.jsonl")
        return compare(collected.happenings, collected.alerts, true, infractions)


def _accuracy(done: list[Comparison]) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for label, parts in (
        ("happenings", [one.happenings for one in done]),
        ("alerts", [one.alerts for one in done]),
    ):
        whole = Tally()
        by_kind: dict[str, Tally] = {}
        for part in parts:
            for kind, tally in part.items():
                for into in (whole, by_kind.setdefault(kind, Tally())):
                    into.true += tally.true
                    into.matched += tally.matched
                    into.invented += tally.invented
                    into.errors += tally.errors
        count = f"{whole.matched} of {whole.true}"
        rows.append(_row(f"{label}: recall", 100 * whole.recall, "%", note=count))
        said = f"{whole.invented} invented"
        rows.append(_row(f"{label}: precision", 100 * whole.precision, "%", note=said))
        for kind, tally in sorted(by_kind.items()):
            if tally.missed or tally.invented:
                note = f"{tally.missed} of {tally.true} missed, {tally.invented} invented"
                rows.append(_row(f"  {kind}: recall", 100 * tally.recall, "%", note=note))
    clean = sum(not one.missed and not one.invented for one in done)
    rows.append(
        _row(
            "games without a fault",
            100 * clean / max(1, len(done)),
            "%",
            note=f"{clean} of {len(done)}",
        )
    )
    return rows
