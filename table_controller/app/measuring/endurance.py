"""Hand after hand for an hour, live: does memory stay flat, does the controller keep up?

A virtual table plays legal hands back to back as a program of its own; the controller follows them
through its serial port and video stream with everything on that runs in life: journal, evidence
buffers, console. Every few seconds a line with the cost of those seconds is written down.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from table_controller.app.errors import RunError
from table_controller.app.running.live import LiveRun
from table_controller.app.table.cost import Window, at_share
from table_controller.app.virtual.demo import DemoOptions, VirtualTable, config_of

SAMPLE_S: Final = 10.0
_HAND_S: Final = 30.0
"""No hand is over sooner."""
_WARM_MIN: Final = 2.0
"""Nets, caches and buffers fill in the first minutes; what grows after is growth."""
_ENDS_MIN: Final = 2.0
"""Start and end are medians over so long."""

Sample = Mapping[str, Any]


def endure(
    ruleset: str, seed: int, minutes: float, store: Path, switches: Sequence[str] = ()
) -> list[Sample]:
    """Follow hands live for so long and write down what each ten seconds cost.

    Args:
        ruleset: whose hands.
        seed: of the hands.
        minutes: for how long.
        store: JSON Lines; samples are appended, each with the time at which its run began.
        switches: of the virtual table: how many cameras, and the size of their pictures.

    Returns:
        The samples of this run.

    Raises:
        RunError: the virtual table failed.
    """
    store.parent.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="paiguan-endurance-") as name,
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        store.open("a", encoding="utf-8", buffering=1) as out,
    ):
        folder = Path(name)
        hands = math.ceil(minutes * 60 / _HAND_S) + 1
        scenario = folder / "scenario.toml"
        values = {"ruleset": ruleset, "seed": seed, "hands": hands}
        lines = (f"{key} = {json.dumps(value)}\n" for key, value in values.items())
        scenario.write_text("".join(lines), encoding="utf-8")
        options = DemoOptions(
            ruleset=ruleset, hands=hands, scenario=scenario, live=False, switches=tuple(switches)
        )
        table = VirtualTable(options, folder)
        try:
            config = config_of(options, table.hello, folder)
            run = LiveRun(config, title="endurance", live=False, start_machine=True)
            try:
                return _sampled(run, table, minutes, out.write)
            finally:
                run.close()
        finally:
            table.stop()


def _sampled(run: LiveRun, table: VirtualTable, minutes: float, write: Any) -> list[Sample]:
    began, name = time.monotonic(), time.strftime("%Y-%m-%dT%H:%M:%S")
    samples: list[Sample] = []
    due = began + SAMPLE_S
    while time.monotonic() < began + minutes * 60:
        run.step()
        if time.monotonic() < due:
            continue
        due += SAMPLE_S
        if any(event.get("event") == "gone" for event in table.events()):
            raise RunError(f"the virtual table ended: {table.said()}")
        minute = (time.monotonic() - began) / 60
        sample = _sample(name, minute, run.cost.window(), run)
        samples.append(sample)
        write(json.dumps(sample) + "\n")
    return samples


def _sample(name: str, minute: float, window: Window, run: LiveRun) -> Sample:
    cost = {key: round(value, 4) for key, value in asdict(window).items()}
    return {
        "run": name,
        "minute": round(minute, 3),
        **cost,
        "hands": len(run.results.hands),
        "happenings": run.controller.counters.happenings,
        "alerts": run.controller.counters.alerts,
        "raised": [alert.id for alert in run.results.alerts],
        "load": round(os.getloadavg()[0], 2),
    }


def rows(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Rows for ``paiguan bench endurance``.

    Args:
        samples: as :func:`endure` returns them.
    """
    if not samples:
        return [{"what": "samples", "value": 0, "unit": "", "note": "too short to measure"}]
    last = samples[-1]["minute"]
    warm = [s for s in samples if s["minute"] > _WARM_MIN] or list(samples)
    first = [s for s in warm if s["minute"] <= warm[0]["minute"] + _ENDS_MIN]
    final = [s for s in warm if s["minute"] > last - _ENDS_MIN]
    memory = [s["memory_mb"] for s in samples]
    grows = slope([(s["minute"] / 60, s["memory_mb"]) for s in warm])
    cores = os.cpu_count() or 1
    seconds = sum(s["seconds"] for s in warm)
    cpu = 100 * sum(s["cpu"] * s["seconds"] for s in warm) / seconds / cores
    behind, lag = ([s[key] for s in warm] for key in ("behind_s", "lag_s"))
    load = statistics.median(s["load"] for s in samples)
    hands = samples[-1]["hands"]

    def row(what: str, value: float, unit: str, limit: float | None, note: str) -> dict[str, Any]:
        return {"what": what, "value": value, "unit": unit, "limit": limit, "note": note}

    return [
        row("followed", last, "min", None, f"{hands} hands; load of the machine {load:.1f}"),
        row("memory at the start", _middle(first), "MB", 800.0, f"from minute {_WARM_MIN:g} on"),
        row("memory at the end", _middle(final), "MB", 800.0, ""),
        row("memory, peak", max(memory), "MB", 800.0, ""),
        row("memory grows by", grows, "MB/h", 20.0, "median slope; flat below the limit"),
        row("processor", cpu, "% of all cores", 60.0, "the controller alone"),
        row("pictures looked at", sum(s["looks"] for s in warm) / seconds, "1/s", None, ""),
        row("behind life, 95% of the samples", at_share(behind, 0.95), "s", 0.5, "worst of each"),
        row(
            "behind life, worst", max(behind), "s", 0.5, "what the virtual table is late with, too"
        ),
        row(
            "behind what comes, 95% of the samples", at_share(lag, 0.95), "s", 0.5, "worst of each"
        ),
        row("behind what comes, worst", max(lag), "s", 0.5, ""),
        row("between two pictures, worst", max(s["gap_s"] for s in warm), "s", 0.6, ""),
        row("alerts", samples[-1]["alerts"], "", 0, _raised(samples[-1].get("raised", ()))),
    ]


def _raised(ids: Sequence[str]) -> str:
    counted = Counter(ids).most_common()
    return "; ".join(["the hands are legal", *(f"{name} {count}" for name, count in counted)])


def _middle(samples: Sequence[Sample]) -> float:
    return float(statistics.median(s["memory_mb"] for s in samples))


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes between all pairs of points: single jumps do not move it.

    Source: Sen 1968. At most 400 points evenly chosen are used.
    """
    chosen = points[:: max(1, len(points) // 400)]
    slopes = [
        (b - a) / (later - t)
        for k, (t, a) in enumerate(chosen)
        for later, b in chosen[k + 1 :]
        if later > t
    ]
    return statistics.median(slopes) if slopes else 0.0
