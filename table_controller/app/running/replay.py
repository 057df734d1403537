"""A recording through the same pipeline as life: the same input gives the same lines, bit for bit.

Frames and sensor lines are merged by their times; nothing here looks at a clock.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from firmware_bridge import readings as wire
from table_controller.app.errors import RunError
from table_controller.app.evidence.overlays import OverlayPictures
from table_controller.app.running.asked import check_times, limits
from table_controller.app.table.assemble import Rooms
from table_controller.app.table.core import Listener, TableController
from table_controller.app.table.listeners import Collector, Quiet
from table_controller.domain.codec import to_object as happening_object
from table_controller.domain.happenings import Happening
from table_controller.domain.output_codec import to_object as output_object
from table_controller.domain.outputs import Output
from table_controller.record.recording import (
    SENSORS,
    Header,
    RecordingError,
    TimedLine,
    read_header,
    timed_lines,
)
from vision.apart.ahead import looked_ahead
from vision.apart.looker import Look
from vision.cameras.recorded import open_recording
from vision.cameras.sources import Frame, OnEvent, SourceEvent, SourceState, merged


class LineWriter(Quiet):
    """Writes every happening and output as a line of JSON (contract, section 3)."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def happening(self, happening: Happening) -> None:
        """Write it."""
        body = {**happening_object(happening), "confidence": round(happening.confidence, 4)}
        self._write({"t": happening.t, "type": "happening", **body})

    def output(self, output: Output, key: str | None) -> None:  # noqa: ARG002
        """Write it."""
        self._write(output_object(output))

    def _write(self, line: dict[str, Any]) -> None:
        self._out.write(json.dumps(line, ensure_ascii=False) + "\n")


def inputs(
    folder: Path,
    start: float | None,
    end: float | None,
    tell: OnEvent = lambda _: None,
    *,
    decodes: bool = True,
) -> Iterator[Frame | wire.Reading]:
    """Frames and readings of a recording in the order of their times, the readings first.

    ``tell`` is told what is wrong with a camera; of the sensors by no camera's name. ``decodes``:
    frames are decoded here, and damaged ones left out; else by who looks at them.

    Raises:
        RecordingError: a sensor line is no reading.
    """
    cameras = open_recording(folder, tell)
    for camera in cameras:
        camera.source.decodes = decodes
    sensors = _readings(folder, tell)
    waiting = next(sensors, None)
    low, high = limits(start, end)
    for frame in merged([camera.source for camera in cameras]):
        while waiting is not None and waiting.t <= frame.t:
            # The machine's state before the start still counts: what stands in the walls does
            # not say so again.
            if waiting.t <= high:
                yield waiting
            waiting = next(sensors, None)
        if frame.t > high:
            return
        if frame.t >= low:
            yield frame
    while waiting is not None and waiting.t <= high:
        yield waiting
        waiting = next(sensors, None)


def told_lines(path: Path, tell: OnEvent) -> Iterator[TimedLine]:
    """The lines of a file beside the pictures; one that was cut short is told, of no camera.

    Raises:
        RecordingError: naming a line that cannot be read.
    """
    last = 0.0

    def cut_short(text: str) -> None:
        tell(SourceEvent(last, "", SourceState.CUT_SHORT, text))

    for line in timed_lines(path, cut_short):
        last = line.data["t"]
        yield line


def _readings(folder: Path, tell: OnEvent) -> Iterator[wire.Reading]:
    path = folder / SENSORS
    for line in told_lines(path, tell):
        try:
            yield wire.from_json(line.data)
        except ValueError as error:
            raise RecordingError(f"{path}:{line.number}: {error}") from None


def follow(
    folder: Path,
    header: Header,
    rooms: Rooms,
    controller: TableController,
    *,
    start: float | None = None,
    end: float | None = None,
    tell: OnEvent = lambda _: None,
    clock: Callable[[float], None] = lambda _: None,
    apart: bool = False,
) -> None:
    """Feed a recording to a controller, to its end.

    Args:
        folder: the recording.
        header: its header.
        rooms: those that the controller joins.
        controller: takes the frames and readings.
        start: first time to look at, s; earlier sensor lines still count.
        end: last time.
        tell: told what is wrong with the recording or its cameras.
        clock: told the time of every frame and reading before it is taken.
        apart: each camera is looked through in a process of its own; the same is said, sooner.
    """
    handed = header.handed_over
    items = inputs(folder, start, end, tell, decodes=not apart)
    looks = looked_ahead(items, rooms.parts) if apart else _looked(items, rooms)
    for item in looks:
        at = item.frame.t if isinstance(item, Look) else item.t
        if handed is not None:
            controller.judge([handed.happening(at if start is None else max(start, at))])
            handed = None
        clock(at)
        if not isinstance(item, Look):
            controller.reading(item)
            continue
        for camera in item.moved:
            rooms.moved(camera)
        if item.sighting is not None:
            controller.seen(item.frame, item.sighting)
        for event in item.events:
            tell(event)
    controller.finish()


def _looked(items: Iterable[Frame | wire.Reading], rooms: Rooms) -> Iterator[Look | wire.Reading]:
    """Frames looked at in this process; the rooms hear of knocked cameras by themselves."""
    for item in items:
        if isinstance(item, Frame):
            eye = rooms.eyes[item.camera]
            yield Look(item, eye.look(item), tuple(eye.told()))
        else:
            yield item


def replay_recording(
    folder: Path,
    out: TextIO,
    *,
    start: float | None = None,
    end: float | None = None,
    draw: Path | None = None,
    at: Sequence[float] = (),
    tell: OnEvent = lambda _: None,
    more: Sequence[Callable[[TableController], Listener]] = (),
    apart: bool = False,
) -> Collector:
    """Run a recording through the pipeline and write what it says.

    Args:
        folder: the recording.
        out: where the lines go.
        start: first time to look at, s; earlier sensor lines still count.
        end: last time.
        draw: folder for pictures of what was seen, at every alert and hand.
        at: further moments for pictures.
        tell: told what is wrong with the recording or its cameras.
        more: makers of further listeners.
        apart: as in :func:`follow`.

    Returns:
        Everything that was said, for comparisons.
    """
    header = read_header(folder)
    rooms = Rooms.of_recording(folder, header)
    collected = Collector()
    listeners: list[Listener] = [collected, LineWriter(out)]
    pictures = None
    if draw is not None:
        sticks = rooms.ruleset.family == "riichi"
        pictures = OverlayPictures(rooms.cameras, draw, at, sticks=sticks)
        listeners.append(pictures)
    controller = TableController(rooms.follower, rooms.engine, None, listeners)
    for make in more:
        controller.add_listener(make(controller))
    follow(folder, header, rooms, controller, start=start, end=end, tell=tell, apart=apart)
    if pictures is not None:
        pictures.write_due()
    return collected


def run_replay(
    folder: Path,
    out: Path | None,
    *,
    start: float | None,
    end: float | None,
    draw: Path | None,
    at: Sequence[float],
    tell: OnEvent,
) -> int:
    """``paiguan replay``: as :func:`replay_recording`, onto standard output or into a file.

    Returns:
        The exit code.

    Raises:
        RunError: what is asked for cannot be answered by this recording.
    """
    if at and draw is None:
        raise RunError("--at: name the folder of the pictures with --draw")
    read_header(folder)
    check_times(folder, start, end, at)
    with _lines_into(out) as lines:
        replay_recording(
            folder, lines, start=start, end=end, draw=draw, at=at, tell=tell, apart=True
        )
    return 0


@contextlib.contextmanager
def _lines_into(out: Path | None) -> Iterator[TextIO]:
    """Where the lines go; a file that was there stays as it was until all of them are written."""
    if out is None:
        yield sys.stdout
        return
    if out.exists() and not out.is_file():
        # A device or a pipe: nothing can take its place.
        with out.open("w", encoding="utf-8") as file:
            yield file
        return
    target = out.resolve()
    beside = target.with_name(f".{os.getpid()}.part")
    try:
        file = beside.open("w", encoding="utf-8")
    except OSError as error:
        raise RunError(f"{out}: {error.strerror}") from None
    try:
        with file:
            yield file
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
