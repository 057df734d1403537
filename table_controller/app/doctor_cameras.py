"""``paiguan doctor``, the cameras: calibration, pictures, light, clock, and how each hangs.

All cameras are looked at at once, for a second and a half: so long a frozen picture needs to be
told from a still table. Everything is said within two seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np

from firmware_bridge.doctor import Check
from table_controller.app.assemble import camera_of, kept_picture, picture_beside
from table_controller.app.errors import RunError
from table_controller.config import CameraSection, Config
from vision.calibration import CameraModel
from vision.errors import VisionInputError
from vision.geometry import TableGeometry
from vision.picture import PictureError
from vision.sources import Frame, SourceEvent, SourceState, open_source
from vision.watch import Kept, how_it_hangs

_DARK: Final = 40.0
_BRIGHT: Final = 225.0
_CLOCK_S: Final = 0.05
_LATE_S: Final = 1.0
_LEAST_FPS: Final = 5.0
_FIRST_S: Final = 1.5
"""A camera that gives no picture for so long is away."""
_LOOK_S: Final = 1.6
"""Longer than a picture may stay the same (:data:`vision.sources_live.FROZEN_S`)."""
_AWAY: Final = "check cable, address and power"


@dataclass(frozen=True, slots=True)
class _Looked:
    """What came of one camera: pictures with their age on arrival, what it told, or why none."""

    frames: tuple[tuple[Frame, float], ...] = ()
    told: tuple[SourceEvent, ...] = ()
    seconds: float = 0.0
    live: bool = False
    error: str | None = None


def check_calibrations(config: Config) -> Iterator[Check]:
    """Has every camera a calibration, and the picture by which a wrong hang is noticed?"""
    for section in config.camera:
        what = f"calibration {section.name}"
        try:
            camera = camera_of(section)
        except (VisionInputError, RunError) as error:
            yield Check(what, False, str(error), "calibrate it: paiguan calibrate")
            continue
        if section.calibration is None:
            yield Check(what, True, "stands in the configuration")
            continue
        path = picture_beside(section.calibration, section.name)
        try:
            kept = kept_picture(section.calibration, camera)
        except PictureError as error:
            yield Check(what, False, str(error), "calibrate it again")
            continue
        yield Check(
            what,
            kept is not None,
            f"{path.name} missing in {path.parent}" if kept is None else f"{path.name} kept",
            "without it a camera upside down or swapped is not noticed: calibrate it again, or "
            "copy the picture of the sheet on the table there",
        )


def check_cameras(config: Config) -> Iterator[Check]:
    """Does every camera give fresh pictures of the right size, and of what it should show?"""
    kept = _kept(config)
    with ThreadPoolExecutor(max(len(config.camera), 1)) as pool:
        looked = list(pool.map(_look, config.camera))
    for section, found in zip(config.camera, looked, strict=True):
        yield from _pictures(section, found)
        yield from _hang(config, section, found, kept)


def _kept(config: Config) -> dict[str, Kept]:
    """The pictures kept at calibration, of the cameras whose calibration can be used."""
    kept: dict[str, Kept] = {}
    for section in config.camera:
        if section.calibration is None:
            continue
        try:
            one = kept_picture(section.calibration, camera_of(section))
        except (VisionInputError, RunError, PictureError):
            continue
        if one is not None:
            kept[section.name] = one
    return kept


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


def _pictures(section: CameraSection, looked: _Looked) -> Iterator[Check]:
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
    size = _calibrated(section)
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


def _calibrated(section: CameraSection) -> tuple[int, int] | None:
    camera = _camera(section)
    return None if camera is None else camera.size


def _camera(section: CameraSection) -> CameraModel | None:
    try:
        return camera_of(section)
    except (VisionInputError, RunError):
        return None  # said by the check of the calibrations


def _hang(
    config: Config, section: CameraSection, looked: _Looked, kept: Mapping[str, Kept]
) -> Iterator[Check]:
    """Upside down, swapped with another, moved since."""
    mine = kept.get(section.name)
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
