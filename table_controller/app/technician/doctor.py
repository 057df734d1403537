"""``paiguan doctor``: is everything there that the table needs, and well?

Each check says what it found and, where something is wrong, what to do about it.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from firmware_bridge.doctor import ACTUATORS, Check, Panel, checks
from firmware_bridge.doctor import report as machine_report
from firmware_bridge.errors import LinkError, PortMissingError
from firmware_bridge.link import Link
from firmware_bridge.messages import Outcome
from firmware_bridge.port import candidates
from table_controller.app.errors import RunError
from table_controller.app.table.assemble import geometry_of
from table_controller.app.technician.doctor_cameras import check_cameras
from table_controller.config import Config
from table_controller.rulesets.loader import BadRulesetError, load
from vision.dice.finding import DiceReader
from vision.errors import VisionInputError
from vision.nets.enrolled import TileSet
from vision.nets.finder import Finder
from vision.nets.modelfile import ModelError
from vision.nets.reader import FaceReader

_FREE_GB: Final = 2.0


def _models(_config: Config) -> Iterator[Check]:
    before = time.perf_counter()
    try:
        Finder()
        FaceReader()
        DiceReader()
    except ModelError as error:
        yield Check("models", False, str(error), "install the program again")
        return
    took = time.perf_counter() - before
    yield Check("models", True, f"loaded and checksums right in {took:.1f} s")


def _table(config: Config) -> Iterator[Check]:
    """Ruleset and geometry, and whether values that are given twice agree."""
    try:
        ruleset = load(config.ruleset)
        geometry = geometry_of(config)
    except (VisionInputError, BadRulesetError, RunError) as error:
        yield Check("table", False, str(error), "correct the configuration")
        return
    width, length, height = geometry.tile_mm
    size = f"{geometry.surface_mm:g} mm, tiles {width:g}x{length:g}x{height:g} mm"
    yield Check("table", True, f"{ruleset.name}, {size}")


def check_tiles(config: Config) -> Iterator[Check]:
    """The enrolled tile set: can it be used, is it whole, was anything wrong with it?"""
    path = config.tiles.enrolled
    if path is None:
        yield Check("tiles", True, "no set enrolled: any set is read, less surely")
        return
    remedy = "enrol them again: paiguan calibrate tiles"
    try:
        tiles = TileSet.load(path)
        FaceReader(tiles=tiles)
    except (VisionInputError, ModelError, ValueError) as error:
        yield Check("tiles", False, str(error), remedy)
        return
    try:
        wanted = load(config.ruleset).equipment.tiles
    except BadRulesetError:
        wanted = 0  # said with the table
    name = f" ({tiles.name})" if tiles.name else ""
    found = f"{tiles.tiles} tiles of {len(tiles.counts)} faces enrolled{name}"
    yield Check("tiles", tiles.tiles >= wanted, found, f"the ruleset plays with {wanted}: {remedy}")
    for note in tiles.notes:
        yield Check("tiles", False, note, "replace the tile, then enrol the set again")


def _machine(config: Config) -> Iterator[Check]:
    port = config.machine.port
    if port is None:
        yield Check("machine", True, "not configured: the table runs on cameras alone")
        return
    try:
        with Link.open(port, baud=config.machine.baud) as link:
            time.sleep(1.0)  # a few round trips, so that the clock's error is known
            yield from checks(link)
    except PortMissingError as error:
        # What else the error says is that this command lists the ports: so here they are.
        yield Check("machine", False, error.found, _ports())
    except LinkError as error:
        yield Check("machine", False, str(error))


def _ports() -> str:
    """The ports that may be the machine's, for who named another one."""
    there = ", ".join(f"{found.device} ({found.description})" for found in candidates())
    if not there:
        return "no port of a board is there: plug it in, and give it power"
    return f"name one of those that are there: {there}"


def _link(config: Config) -> Link:
    if config.machine.port is None:
        raise RunError("machine.port: not configured")
    return Link.open(config.machine.port, baud=config.machine.baud)


def show_sensors(config: Config) -> int:
    """Every sensor with its latest value, until Ctrl-C."""
    panel = Panel()
    with _link(config) as link, Live(refresh_per_second=8) as live:
        try:
            while True:
                reading = link.read(0.1)
                if reading is None:
                    continue
                panel.take(reading)
                table = Table("sensor", "value", box=None)
                for name, value in panel.rows():
                    table.add_row(name, value)
                live.update(table)
        except KeyboardInterrupt:
            return 0


def move_actuator(config: Config, name: str, *, confirmed: bool) -> int:
    """Move or light one thing of the machine, after its warning was confirmed.

    Raises:
        RunError: there is no such actuator, or nobody confirmed.
    """
    known = {actuator.name: actuator for actuator in ACTUATORS}
    if name == "list":
        sys.stdout.writelines(f"{each}\n" for each in known)
        return 0
    if name not in known:
        raise RunError(f"no actuator {name!r}; `--move list` names them")
    actuator = known[name]
    if actuator.warning and not confirmed:
        raise RunError(f"{name}: {actuator.warning}; add --yes when that is so")
    with _link(config) as link:
        result = actuator.move(link)
    sys.stdout.write(f"{name}: {result.outcome.name.lower()}\n")
    return 0 if result.outcome is Outcome.DONE else 1


def write_report(config: Config, path: Path) -> int:
    """Everything a technician elsewhere would ask for, as a text file."""
    lines = [
        f"[{'ok' if c.good else 'NO'}] {c.what}: {c.found}" + ("" if c.good else f" -> {c.remedy}")
        for check in CHECKS
        for c in check(config)
    ]
    lines += _machine_lines(config)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    sys.stdout.write(f"{path}: written\n")
    return 0


def _machine_lines(config: Config) -> list[str]:
    """What the machine says of itself; a link that fails is a finding, not the report's end."""
    if config.machine.port is None:
        return []
    try:
        with _link(config) as link:
            return machine_report(link).splitlines()
    except LinkError as error:
        return [
            f"[NO] link: {error}",
            *(f"port {found.device}: {found.description}" for found in candidates()),
        ]


def _disk(config: Config) -> Iterator[Check]:
    folder = config.record.dir
    try:
        # A link that leads nowhere cannot be made a folder either.
        while not (folder.exists() or folder.is_symlink()):
            folder = folder.parent
        with tempfile.TemporaryFile(dir=folder):
            pass
        free = shutil.disk_usage(folder).free / 1e9
    except OSError as error:
        remedy = "in [record] dir, name a folder that can be written"
        yield Check("disk", False, f"{folder}: {error.strerror}", remedy)
        return
    need = _FREE_GB + config.record.evidence_limit_mb / 1e3
    yield Check(
        "disk", free >= need, f"{free:.1f} GB free in {folder}", f"free up to {need:.1f} GB"
    )


CHECKS: Final[tuple[Callable[[Config], Iterator[Check]], ...]] = (
    _table,
    check_cameras,
    _machine,
    _disk,
    _models,
    check_tiles,
)
"""What a technician mends first stands first."""


def run_doctor(config: Config, *, as_json: bool = False) -> int:
    """Run all checks and print what each found as soon as it is found.

    Returns:
        0 when all is well, 1 when something is not.
    """
    console = Console(highlight=False, soft_wrap=True)
    findings = []
    for check in CHECKS:
        for finding in check(config):
            findings.append(finding)
            if not as_json:
                mark = "[green]ok[/]" if finding.good else "[red]NO[/]"
                remedy = "" if finding.good or not finding.remedy else f": {finding.remedy}"
                console.print(f"{mark}  {finding.what:16} {escape(finding.found + remedy)}")
    if as_json:
        sys.stdout.write(json.dumps([asdict(f) for f in findings], ensure_ascii=False) + "\n")
    return 0 if all(finding.good for finding in findings) else 1
