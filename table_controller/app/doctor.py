"""``paiguan doctor``: is everything there that the table needs, and well?

Each check says what it found and, where something is wrong, what to do about it.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from firmware_bridge.errors import LinkError
from firmware_bridge.link import Link
from table_controller.app.assemble import Rooms
from table_controller.config import Config
from vision.errors import VisionInputError
from vision.sources import Frame, open_source

_FREE_GB: Final = 2.0
_DARK: Final = 40.0
_BRIGHT: Final = 225.0
_CLOCK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: ``good``, what was found, and the remedy where it is not."""

    what: str
    good: bool
    found: str
    remedy: str = ""


def _models(config: Config) -> Iterator[Finding]:
    before = time.perf_counter()
    try:
        Rooms.of(config)
    except (VisionInputError, ValueError) as error:
        yield Finding("models", False, str(error), "install the program again")
        return
    took = time.perf_counter() - before
    yield Finding("models", True, f"loaded and checksums right in {took:.1f} s")


def _cameras(config: Config) -> Iterator[Finding]:
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
            yield Finding(what, False, str(error), "check cable, address and power")
            continue
        if len(frames) < 2:
            yield Finding(what, False, "no pictures", "check cable, address and power")
            continue
        height, width = frames[0][0].image.shape[:2]
        rate = len(frames) / took
        yield Finding(
            what, rate >= 5, f"{width}x{height}, {rate:.0f} pictures a second", "at least 10 wanted"
        )
        light = float(np.median([frame.image.mean() for frame, _ in frames]))
        yield Finding(
            f"light {camera.name}",
            _DARK <= light <= _BRIGHT,
            f"mean brightness {light:.0f} of 255",
            "more light (100 lx or more), or a longer exposure" if light < _DARK else "less light",
        )
        delay = float(np.median([late for _, late in frames]))
        if source.live:
            yield Finding(
                f"clock {camera.name}",
                -_CLOCK_S < delay < 1.0,
                f"pictures arrive {delay * 1e3:.0f} ms after they were taken",
                "set the camera's clock by the network (NTP)",
            )


def _machine(config: Config) -> Iterator[Finding]:
    port = config.machine.port
    if port is None:
        yield Finding("machine", True, "not configured: the table runs on cameras alone")
        return
    try:
        link = Link.open(port, baud=config.machine.baud)
    except LinkError as error:
        yield Finding("machine", False, str(error), "see the message")
        return
    try:
        time.sleep(1.0)  # a few round trips, so that the clock's error is known
        status = link.status
    finally:
        link.close()
    yield Finding(
        "machine",
        True,
        f"{status.port}: firmware {status.firmware}, serial number {status.serial}, round trip "
        f"{status.round_trip * 1e3:.1f} ms, {status.frame_errors} broken frames",
    )
    yield Finding(
        "machine clock",
        status.clock_error <= _CLOCK_S,
        f"known within {status.clock_error * 1e3:.1f} ms",
        "check the cable; another program may be loading this computer",
    )


def _disk(config: Config) -> Iterator[Finding]:
    folder = config.record.dir
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free / 1e9
    need = _FREE_GB + config.record.evidence_limit_mb / 1e3
    yield Finding(
        "disk", free >= need, f"{free:.1f} GB free in {folder}", f"free up to {need:.1f} GB"
    )


CHECKS: Final[tuple[Callable[[Config], Iterator[Finding]], ...]] = (
    _models,
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
            table.add_column(column)
        for finding in findings:
            mark = "[green]ok[/]" if finding.good else "[red]no[/]"
            remedy = "" if finding.good else finding.remedy
            table.add_row(mark, finding.what, finding.found, remedy)
        Console(highlight=False).print(table)
    return 0 if all(finding.good for finding in findings) else 1
