"""``paiguan doctor``: is everything there that the table needs, and well?

Each check says what it found and, where something is wrong, what to do about it.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.table import Table

from firmware_bridge.doctor import ACTUATORS, Check, Panel, checks
from firmware_bridge.doctor import report as machine_report
from firmware_bridge.errors import LinkError
from firmware_bridge.link import Link
from firmware_bridge.messages import Outcome
from table_controller.app.assemble import Rooms, picture_beside
from table_controller.app.errors import RunError
from table_controller.config import Config, TilesSection
from vision.enrol_set import TileSet
from vision.errors import VisionInputError
from vision.modelfile import ModelError
from vision.reader import FaceReader
from vision.sources import Frame, open_source

_FREE_GB: Final = 2.0
_DARK: Final = 40.0
_BRIGHT: Final = 225.0
_CLOCK_S: Final = 0.05


def _models(config: Config) -> Iterator[Check]:
    before = time.perf_counter()
    try:
        Rooms.of(config.model_copy(update={"tiles": TilesSection()}))
    except (VisionInputError, ModelError, ValueError) as error:
        yield Check("models", False, str(error), "install the program again")
        return
    took = time.perf_counter() - before
    yield Check("models", True, f"loaded and checksums right in {took:.1f} s")


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
    wanted = Rooms.of(config).ruleset.equipment.tiles
    name = f" ({tiles.name})" if tiles.name else ""
    found = f"{tiles.tiles} tiles of {len(tiles.counts)} faces enrolled{name}"
    yield Check("tiles", tiles.tiles >= wanted, found, f"the ruleset plays with {wanted}: {remedy}")
    for note in tiles.notes:
        yield Check("tiles", False, note, "replace the tile, then enrol the set again")


def check_calibrations(config: Config) -> Iterator[Check]:
    """Has every calibrated camera the picture by which a wrong hang is noticed?"""
    for section in config.camera:
        if section.calibration is None:
            continue
        picture = picture_beside(section.calibration, section.name)
        yield Check(
            f"calibration {section.name}",
            picture.is_file(),
            f"{picture.name} kept" if picture.is_file() else f"{picture} is missing",
            "without it a camera upside down or swapped is not noticed: calibrate it again, or "
            "copy the picture of the sheet on the table there",
        )


def _cameras(config: Config) -> Iterator[Check]:
    for camera in config.camera:
        what = f"camera {camera.name}"
        try:
            with open_source(camera.source, camera=camera.name, times=camera.times) as source:
                frames: list[tuple[Frame, float]] = []
                began = time.monotonic()
                while len(frames) < 10 and time.monotonic() - began < 5 and not source.ended:
                    frame = source.next(timeout=0.5)
                    if frame is not None:
                        frames.append((frame, time.time() - frame.t))
                took = time.monotonic() - began
        except VisionInputError as error:
            yield Check(what, False, str(error), "check cable, address and power")
            continue
        if len(frames) < 2:
            yield Check(what, False, "no pictures", "check cable, address and power")
            continue
        height, width = frames[0][0].image.shape[:2]
        rate = len(frames) / took
        yield Check(
            what, rate >= 5, f"{width}x{height}, {rate:.0f} pictures a second", "at least 10 wanted"
        )
        light = float(np.median([frame.image.mean() for frame, _ in frames]))
        yield Check(
            f"light {camera.name}",
            _DARK <= light <= _BRIGHT,
            f"mean brightness {light:.0f} of 255",
            "more light (100 lx or more), or a longer exposure" if light < _DARK else "less light",
        )
        delay = float(np.median([late for _, late in frames]))
        if source.live:
            yield Check(
                f"clock {camera.name}",
                -_CLOCK_S < delay < 1.0,
                f"pictures arrive {delay * 1e3:.0f} ms after they were taken",
                "set the camera's clock by the network (NTP)",
            )


def _machine(config: Config) -> Iterator[Check]:
    port = config.machine.port
    if port is None:
        yield Check("machine", True, "not configured: the table runs on cameras alone")
        return
    try:
        with Link.open(port, baud=config.machine.baud) as link:
            time.sleep(1.0)  # a few round trips, so that the clock's error is known
            yield from checks(link)
    except LinkError as error:
        yield Check("machine", False, str(error), "see the message")


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
    with _link(config) as link:
        lines.append(machine_report(link))
    path.write_text("\n".join(lines), encoding="utf-8")
    sys.stdout.write(f"{path}: written\n")
    return 0


def _disk(config: Config) -> Iterator[Check]:
    folder = config.record.dir
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e9
    need = _FREE_GB + config.record.evidence_limit_mb / 1e3
    yield Check(
        "disk", free >= need, f"{free:.1f} GB free in {folder}", f"free up to {need:.1f} GB"
    )


CHECKS: Final[tuple[Callable[[Config], Iterator[Check]], ...]] = (
    _models,
    check_tiles,
    check_calibrations,
    _cameras,
    _machine,
    _disk,
)


def run_doctor(config: Config, *, as_json: bool = False) -> int:
    """Run all checks and print what was found.

    Returns:
        0 when all is well, 1 when something is not.
    """
    findings = [finding for check in CHECKS for finding in check(config)]
    if as_json:
        sys.stdout.write(json.dumps([asdict(f) for f in findings], ensure_ascii=False) + "\n")
    else:
        table = Table(box=None)
        for column in ("", "check", "found", "what to do"):
            table.add_column(column, overflow="fold")
        for finding in findings:
            mark = "[green]ok[/]" if finding.good else "[red]no[/]"
            remedy = "" if finding.good else finding.remedy
            table.add_row(mark, finding.what, finding.found, remedy)
        Console(highlight=False).print(table)
    return 0 if all(finding.good for finding in findings) else 1
