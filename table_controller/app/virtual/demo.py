"""The demo: a virtual table is started as a program of its own, and controlled like a real one.

This is the only place outside of the tests where the controller's side knows that there is a
virtual table; and all it knows is the program's name and the line that it prints.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from table_controller.app.errors import RunError
from table_controller.app.running.live import LiveRun
from table_controller.app.virtual.compare import Comparison, Tally, compare, read_truth
from table_controller.app.virtual.program import PROGRAM, why_ended
from table_controller.config import Config

_SESSION: Final = "session"
_START_S: Final = 60.0
_AFTER_S: Final = 3.0
"""How long the controller goes on looking after the virtual table has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """What the command was asked for."""

    ruleset: str = "mcr-1998"
    hands: int = 1
    scenario: Path | None = None
    seed: int | None = None
    speed: float = 1.0
    console: bool = True
    live: bool | None = None
    keep: Path | None = None
    switches: tuple[str, ...] = ()
    """More of the virtual table's own: cameras, size of the pictures."""


def ruleset_of(scenario: Path | None) -> str:
    """The ruleset that a scenario file asks for; the usual one where it names none.

    What else is wrong with the file is said by the virtual table.
    """
    usual = DemoOptions().ruleset
    if scenario is None:
        return usual
    try:
        named = tomllib.loads(scenario.read_text(encoding="utf-8")).get("ruleset", usual)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return usual
    return str(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoReport:
    """What came of it."""

    comparison: Comparison | None
    figures: dict[str, Any]
    interrupted: bool
    problem: str | None = None

    @property
    def exit_code(self) -> int:
        """0 when it ran to its end or was stopped by the user; 2 when the table failed."""
        return 0 if self.problem is None else 2

    def as_dict(self) -> dict[str, Any]:
        """For ``--json`` and the benchmarks."""
        return {
            "interrupted": self.interrupted,
            "problem": self.problem,
            "figures": self.figures,
            "happenings": _rows(self.comparison.happenings) if self.comparison else {},
            "alerts": _rows(self.comparison.alerts) if self.comparison else {},
            "missed": list(self.comparison.missed) if self.comparison else [],
            "invented": list(self.comparison.invented) if self.comparison else [],
        }


def _rows(tallies: dict[str, Tally]) -> dict[str, dict[str, int]]:
    return {
        kind: {"true": tally.true, "matched": tally.matched, "invented": tally.invented}
        for kind, tally in tallies.items()
    }


class VirtualTable:
    """The virtual table's process.

    Raises:
        RunError: it did not start; says what it printed.
    """

    def __init__(self, options: DemoOptions, folder: Path) -> None:
        command = [*PROGRAM, "--tied", "--out", str(folder)]
        command += ["--ruleset", options.ruleset, "--hands", str(options.hands)]
        command += ["--speed", str(options.speed)]
        if options.scenario is not None:
            if not options.scenario.is_file():
                raise RunError(f"{options.scenario}: no such scenario")
            command += ["--scenario", str(options.scenario)]
        if options.seed is not None:
            command += ["--seed", str(options.seed)]
        command += options.switches
        self._log = (folder / "virtual_table.log").open("w+", encoding="utf-8")
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            command,
            stdin=subprocess.PIPE,  # kept open for as long as this process lives
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            # Ctrl-C in the terminal is for the controller, which then ends the table itself.
            start_new_session=True,
        )
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._read, name="virtual table", daemon=True).start()
        self.hello = self._first()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with contextlib.suppress(json.JSONDecodeError):
                self._lines.put(json.loads(line))
        self._lines.put(None)

    def _first(self) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=_START_S)
        except queue.Empty:
            line = None
        if line is None:
            self.stop()
            said = self._written()
            raise why_ended(self.process.returncode, said, "the virtual table did not start")
        return line

    def said(self) -> str:
        """The last line it wrote to its log."""
        lines = [line.strip() for line in self._written().splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"

    def _written(self) -> str:
        self._log.flush()
        self._log.seek(0)
        return self._log.read()

    def events(self) -> Iterator[dict[str, Any]]:
        """What it has printed since the last call."""
        while True:
            try:
                line = self._lines.get_nowait()
            except queue.Empty:
                return
            if line is None:
                yield {"event": "gone"}
                return
            yield line

    def stop(self) -> None:
        """End it, gently first."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(5)
        if self.process.stdin is not None:
            self.process.stdin.close()


def config_of(options: DemoOptions, hello: dict[str, Any], folder: Path) -> Config:
    """The configuration of a virtual table, as ``paiguan run`` would read it from a file.

    Args:
        options: of the demo.
        hello: the first line that the virtual table printed.
        folder: where its files are and where the session is kept.
    """
    data = {
        "ruleset": options.ruleset,
        "east": hello.get("east", 0),
        "table": {"geometry": hello["geometry"]},
        "machine": {"port": hello["serial"]},
        "camera": [
            {"name": camera["name"], "source": camera["url"], "calibration": hello["recording"]}
            for camera in hello["cameras"]
        ],
        "record": {"dir": _SESSION},
        "console": {"enabled": options.console, "port": 0},
    }
    return Config.check(data, origin="virtual table", base=folder)


class Demo:
    """One run of ``paiguan demo``."""

    def __init__(self, options: DemoOptions) -> None:
        self._options = options

    def run(self) -> DemoReport:
        """Play, watch, compare.

        Raises:
            RunError: the virtual table did not start, or ``keep`` holds a session: going on with
                that, what was seen would be compared with another game.
        """
        keep = self._options.keep
        if keep is not None and (keep / _SESSION / "journal.db").exists():
            raise RunError(f"{keep}: holds a session already")
        folder = keep or Path(tempfile.mkdtemp(prefix="paiguan-demo-"))
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return self._run(folder)
        finally:
            if keep is None:
                shutil.rmtree(folder, ignore_errors=True)

    def _run(self, folder: Path) -> DemoReport:
        table = VirtualTable(self._options, folder)
        interrupted = False
        problem: str | None = None
        try:
            config = config_of(self._options, table.hello, folder)
            run = LiveRun(
                config,
                title=f"virtual table · {self._options.ruleset}",
                live=self._options.live,
                start_machine=True,
            )
            try:
                ended_at: float | None = None
                while ended_at is None or time.monotonic() - ended_at < _AFTER_S:
                    run.step()
                    for event in table.events():
                        if event.get("event") in ("ended", "gone") and ended_at is None:
                            ended_at = time.monotonic()
                        if event.get("event") == "gone" and table.process.poll() not in (0, None):
                            problem = f"the virtual table failed: {table.said()}"
                run.finish()
            except KeyboardInterrupt:
                interrupted = True
            finally:
                run.close()
        finally:
            table.stop()
        comparison = self._compare(run, table, folder, interrupted)
        report = DemoReport(
            comparison=comparison, figures=run.figures(), interrupted=interrupted, problem=problem
        )
        summary(report, Console(highlight=False), kept=self._options.keep)
        return report

    def _compare(
        self, run: LiveRun, table: VirtualTable, folder: Path, interrupted: bool
    ) -> Comparison | None:
        path = folder / "truth.jsonl"
        if not path.is_file():
            return None
        true, infractions = read_truth(path)
        if interrupted:
            true = [happening for happening in true if happening.t <= run.controller.t]
            infractions = [line for line in infractions if line.t <= run.controller.t]
        del table
        return compare(run.controller.happenings, run.results.alerts, true, infractions)


def summary(report: DemoReport, console: Console, *, kept: Path | None) -> None:
    """What was seen against what truly happened, for people."""
    if report.comparison is not None:
        rows = Table(title="seen against what truly happened", title_justify="left")
        rows.add_column("")
        for column in ("true", "seen", "missed", "invented", "median delay"):
            rows.add_column(column, justify="right")
        for label, tallies in (
            ("happening", report.comparison.happenings),
            ("alert", report.comparison.alerts),
        ):
            for kind, tally in tallies.items():
                errors = sorted(tally.errors)
                middle = f"{errors[len(errors) // 2]:+.2f} s" if errors else ""
                bad = "red" if tally.missed or tally.invented else None
                rows.add_row(
                    f"{label} {kind}",
                    str(tally.true),
                    str(tally.matched),
                    str(tally.missed or ""),
                    str(tally.invented or ""),
                    middle,
                    style=bad,
                )
        for label, tallies in (
            ("all happenings", report.comparison.happenings),
            ("all alerts", report.comparison.alerts),
        ):
            total = Comparison.total(tallies)
            rows.add_row(
                label,
                str(total.true),
                str(total.matched),
                str(total.missed or ""),
                str(total.invented or ""),
                f"recall {total.recall:.1%}, precision {total.precision:.1%}",
                style="bold",
            )
        console.print(rows)
        for text in report.comparison.missed:
            console.print(f"  missed    {text}", style="yellow")
        for text in report.comparison.invented:
            console.print(f"  invented  {text}", style="yellow")
    figures = report.figures
    console.print(
        f"{figures['frames']} frames, {figures['fps']:.1f} a second, "
        f"{figures['look_ms_median']:.0f} ms a look (95%: {figures['look_ms_p95']:.0f}), "
        f"controller {figures['cpu']:.0%} of one core, {figures['memory_mb']:.0f} MB"
    )
    if kept is not None:
        console.print(f"journal and evidence kept in {os.fspath(kept)}")
    if report.problem is not None:
        sys.stderr.write(f"paiguan: {report.problem}\n")
    if report.interrupted:
        console.print("stopped")
