"""``paiguan doctor``, the cameras: calibration, pictures, light, clock, and how each hangs.

All cameras are looked at at once, for a second and a half: so long a frozen picture needs to be
told from a still table. Everything is said within two seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from firmware_bridge.doctor import Check
from table_controller.app.errors import RunError
from table_controller.app.table.assemble import camera_of, kept_picture, picture_beside
from table_controller.config import CameraSection, Config
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame, SourceEvent, SourceState, open_source
from vision.checks.watch import Kept, how_it_hangs
from vision.errors import VisionInputError
from vision.geometry import TableGeometry
from vision.photo.picture import PictureError

_DARK: Final = 40.0
_BRIGHT: Final = 225.0
_CLOCK_S: Final = 0.05
_LATE_S: Final = 1.0
_LEAST_FPS: Final = 5.0
_FIRST_S: Final = 1.5
"""A camera that gives no picture for so long is away."""
_LOOK_S: Final = 1.6
"""Longer than a picture may stay the same (:data:`vision.cameras.live.FROZEN_S`)."""
_AWAY: Final = "check cable, address and power"


@dataclass(frozen=True, slots=True)
class _Looked:
    """What came of one camera: pictures with their age on arrival, what it told, or why none."""

    frames: tuple[tuple[Frame, float], ...] = ()
    told: tuple[SourceEvent, ...] = ()
    seconds: float = 0.0
    live: bool = False
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """What there is of a camera's calibration.

    Attributes:
        section: of the configuration.
        camera: lens and pose, if they can be read.
        kept: the picture kept with them, if there is one.
        error: why one of both cannot be read.
    """

    section: CameraSection
    camera: CameraModel | None = None
    kept: Kept | None = None
    error: str = ""

    @classmethod
    def of(cls, section: CameraSection) -> Self:
        """Read it."""
        try:
            camera = camera_of(section)
        except (VisionInputError, RunError) as error:
            return cls(section, error=str(error))
        if section.calibration is None:
            return cls(section, camera)
        try:
            return cls(section, camera, kept_picture(section.calibration, camera))
        except PictureError as error:
            return cls(section, camera, error=str(error))


def check_cameras(config: Config) -> Iterator[Check]:
    """Is every camera calibrated, and does it give fresh pictures of what it should show?"""
    calibrations = [Calibration.of(section) for section in config.camera]
    for calibration in calibrations:
        yield check_calibration(calibration)
    with ThreadPoolExecutor(max(len(config.camera), 1)) as pool:
        looked = list(pool.map(_look, config.camera))
    kept = {one.section.name: one.kept for one in calibrations if one.kept is not None}
    for calibration, found in zip(calibrations, looked, strict=True):
        yield from _pictures(calibration, found)
        yield from _hang(config, calibration, found, kept)


def check_calibration(calibration: Calibration) -> Check:
    """Has a camera a calibration, and the picture by which a wrong hang is noticed?"""
    section = calibration.section
    what = f"calibration {section.name}"
    if calibration.camera is None:
        return Check(what, False, calibration.error, "calibrate it: paiguan calibrate")
    if section.calibration is None:
        return Check(what, True, "stands in the configuration")
    if calibration.error:
        return Check(what, False, calibration.error, "calibrate it again")
    path, kept = picture_beside(section.calibration, section.name), calibration.kept is not None
    return Check(
        what,
        kept,
        f"{path.name} kept" if kept else f"{path.name} missing in {path.parent}",
        "without it a camera upside down or swapped is not noticed: calibrate it again, or "
        "copy the picture of the sheet on the table there",
    )


def _look(section: CameraSection) -> _Looked:
    told: list[SourceEvent] = []
    try:
        with open_source(
            section.source,
            camera=section.name,
            times=section.times,
            wait_s=_FIRST_S,
            on_event=told.append,
        ) as source:
            frames: list[tuple[Frame, float]] = []
            began = time.monotonic()
            while time.monotonic() - began < _LOOK_S and not source.ended:
                frame = source.next(timeout=0.2)
                if frame is not None:
                    frames.append((frame, time.time() - frame.t))
            seconds = time.monotonic() - began
            return _Looked(tuple(frames), tuple(told), seconds, source.live)
    except VisionInputError as error:
        return _Looked(error=str(error).removeprefix(f"camera {section.name}: "))


def _pictures(calibration: Calibration, looked: _Looked) -> Iterator[Check]:
    section = calibration.section
    what = f"camera {section.name}"
    wrong = [e for e in looked.told if e.state in (SourceState.FROZEN, SourceState.LOST)]
    if looked.error is not None or len(looked.frames) < 2:
        yield Check(what, False, looked.error or "no pictures", _AWAY)
        return
    if wrong:
        yield Check(what, False, f"{wrong[-1].state.value}: {wrong[-1].detail}", _AWAY)
        return
    frames = looked.frames
    width, height = frames[0][0].size
    size = None if calibration.camera is None else calibration.camera.size
    if size is not None and size != (width, height):
        yield Check(
            what,
            False,
            f"its pictures are {width}x{height}, it was calibrated at {size[0]}x{size[1]}",
            f"set it to {size[0]}x{size[1]}, or calibrate it again",
        )
        return
    rate = len(frames) / looked.seconds
    found = f"{width}x{height}, {rate:.0f} pictures a second"
    yield Check(what, rate >= _LEAST_FPS or not looked.live, found, "at least 10 wanted")
    light = float(np.median([frame.image.mean() for frame, _ in frames[:5]]))
    yield Check(
        f"light {section.name}",
        _DARK <= light <= _BRIGHT,
        f"mean brightness {light:.0f} of 255",
        "more light (100 lx or more), or a longer exposure" if light < _DARK else "less light",
    )
    if looked.live:
        delay = float(np.median([late for _, late in frames]))
        yield Check(
            f"clock {section.name}",
            -_CLOCK_S < delay < _LATE_S,
            f"pictures arrive {delay * 1e3:.0f} ms after they were taken",
            "set the camera's clock by the network (NTP)",
        )


def _hang(
    config: Config, calibration: Calibration, looked: _Looked, kept: Mapping[str, Kept]
) -> Iterator[Check]:
    """Upside down, swapped with another, moved since."""
    section, mine = calibration.section, calibration.kept
    if mine is None or not looked.frames:
        return
    image = looked.frames[-1][0].image
    size = (image.shape[1], image.shape[0])
    if size[0] * mine.camera.size[1] != size[1] * mine.camera.size[0]:
        return  # of another shape: said already
    try:
        geometry = TableGeometry.load(config.table.geometry)
    except VisionInputError:
        return
    others = {name: one for name, one in kept.items() if name != section.name}
    good, found = how_it_hangs(image, mine.at(size), geometry, others)
    text, _, remedy = found.partition(": ")
    yield Check(f"view {section.name}", good, text, remedy)
