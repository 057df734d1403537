"""The rim of the guided calibration: the camera, the keys, the files.

Works over a plain terminal. Pictures to look at are written beside the calibration file, their
names are said, and they are gone when the guide ends; the calibration file is written at the very
end, whole, or not at all.
"""

from __future__ import annotations

import os
import select
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from table_controller.app.technician.calibrate import outlined
from table_controller.app.technician.guide import (
    Said,
    Setup,
    State,
    Step,
    answered,
    asked,
    pictured,
)
from table_controller.app.technician.guide_setup import Job
from table_controller.app.technician.keeping import add_camera, check_picture, jpeg, place_for
from table_controller.app.technician.raised import RaisedWalls, wall_cells
from vision.calibration.board import CalibrationRefusedError, find_board
from vision.calibration.fit import corners_of
from vision.calibration.showing import HeldStill, alike
from vision.cameras.sources import Source, SourceEvent, open_source
from vision.image import Image

_WAIT_S: Final = 5.0
"""A camera that shows nothing for so long is said to."""
_EXPLAIN_S: Final = 3.0
"""How often is looked for what else is held before the camera."""
_BELL: Final = "\a"
"""Whoever holds the sheet does not look at the screen."""


class Keys(Protocol):
    """Lines that somebody types."""

    def line(self, timeout: float) -> str | None:
        """The next line; None when none came within ``timeout`` seconds.

        Raises:
            EOFError: there will be none any more.
        """


class TerminalKeys:
    """Lines from a terminal, looked for beside the camera's pictures."""

    def __init__(self, fd: int | None = None) -> None:
        """``fd``: where they come from; standard input by default."""
        self._fd = sys.stdin.fileno() if fd is None else fd
        self._rest = b""

    def line(self, timeout: float) -> str | None:
        """See :class:`Keys`."""
        while b"\n" not in self._rest:
            # Read without a thread: one that waits here would keep the program from ending.
            if not select.select([self._fd], [], [], timeout)[0]:
                return None
            if not (more := os.read(self._fd, 4096)):
                raise EOFError
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("utf-8", "replace").strip()


@dataclass(slots=True)
class _Look:
    """The file with the picture to look at."""

    path: Path
    there: bool = False

    def show(self, picture: Image) -> None:
        self.path.write_bytes(jpeg(picture))
        self.there = True

    def remove(self) -> None:
        if self.there:
            with suppress(OSError):
                self.path.unlink()


def run_guide(job: Job, keys: Keys | None = None) -> int:
    """Guide one person through the calibration of one camera.

    Args:
        job: which, and where it is written.
        keys: what is typed; the terminal by default.

    Returns:
        0 calibrated and written; 1 stopped before, and nothing was written.

    Raises:
        RunError: the camera cannot be added to the file.
        VisionInputError: the camera cannot be opened, or the file holds something else.
    """
    place_for(job.name, job.out)
    setup = Setup(
        job.name,
        job.surface_mm,
        lambda image, camera: RaisedWalls(image, job.zones, "the walls").seen_by(camera),
    )
    look = _Look(check_picture(job.out, job.name).with_name(f"{job.out.stem}-{job.name}-look.jpg"))
    try:
        with open_source(job.source, camera=job.name, times=job.times, on_event=_event) as source:
            _say(f"camera {job.name}: {job.out} will hold its calibration")
            _say("the sheet: paiguan calibrate --sheet sheet.pdf, printed at 100 %, glued flat")
            if source.live:
                _say("the sheet held still before the camera is taken by itself, with a beep")
            state = _Rim(setup, source, keys or TerminalKeys(), look).go()
    except (KeyboardInterrupt, EOFError):
        state = State(Step.STOPPED)
    finally:
        look.remove()
    if state.step is not Step.DONE or state.fitted is None or state.image is None:
        _say(f"stopped: nothing was written to {job.out}")
        return 1
    camera = state.fitted.camera
    add_camera(job.out, camera, jpeg(state.image), outlined(state.image, camera, setup.board))
    for line in _summary(state, job):
        _say(line)
    return 0


class _Rim:
    """Pictures and lines to the guide, what it says to the terminal."""

    def __init__(self, setup: Setup, source: Source, keys: Keys, look: _Look) -> None:
        self._setup, self._source, self._keys, self._look = setup, source, keys, look
        self._still, self._explained, self._hint = HeldStill(), 0.0, ""

    def go(self) -> State:
        """Until it is done or stopped."""
        state, ask = State(), True
        while state.step not in (Step.DONE, Step.STOPPED):
            if ask:
                _say(asked(state))
            by_itself, before = state.step is Step.HELD and self._source.live, state.step
            text = self._keys.line(0.02 if by_itself else 0.5)
            if text:
                state, said = answered(self._setup, state, text)
            else:
                image = self._picture(state, text, by_itself=by_itself)
                ask = text is not None and not state.takes_pictures
                if image is None:
                    continue
                state, said = pictured(self._setup, state, image)
            self._tell(said)
            ask = state.step is not before or not state.takes_pictures
        return state

    def _picture(self, state: State, text: str | None, *, by_itself: bool) -> Image | None:
        """The picture that Enter asks for, or that can be taken by itself; else None."""
        if text is not None:
            return self._newest() if state.takes_pictures else None
        image = self._held(state) if by_itself else None
        if image is not None:
            sys.stdout.write(_BELL)
        return image

    def _tell(self, said: Said) -> None:
        for line in said.lines:
            _say(line)
        if said.look is not None:
            self._look.show(said.look)
            _say(f"look at {self._look.path}")

    def _newest(self) -> Image | None:
        """A picture taken from now on; None where none comes."""
        end = time.monotonic() + _WAIT_S
        if self._source.live:
            self._source.next(timeout=0.0)
        while time.monotonic() < end and not self._source.ended:
            frame = self._source.next(timeout=0.5)
            if frame is not None:
                return frame.image
        _say(f"camera {self._setup.name}: no picture comes: check cable, address and power")
        if self._source.ended:
            raise EOFError
        return None

    def _held(self, state: State) -> Image | None:
        """A picture of the sheet that was held still, elsewhere than before; else None."""
        frame = self._source.next(timeout=0.2)
        if frame is None:
            return None
        explain = time.monotonic() - self._explained > _EXPLAIN_S
        try:
            view = find_board(frame.image, self._setup.board, "the picture", explain=explain)
            self._hint = ""
        except CalibrationRefusedError as problem:
            view = None
            if explain:
                self._explained = time.monotonic()
                if "another board" in str(problem) or "mirrored" in str(problem):
                    self._hint = self._new(str(problem))
        self._still = self._still.then(view, frame.t)
        if view is None or not self._still.long_enough(frame.t) or alike(view, state.views):
            return None
        return frame.image

    def _new(self, hint: str) -> str:
        if hint != self._hint:
            _say(hint)
        return hint


def _summary(state: State, job: Job) -> list[str]:
    """What a calibration rests on, and what is to be done with it."""
    assert state.fitted is not None
    assert state.lens is not None
    lens, fitted = state.lens.error_px, state.fitted.error_px
    bounds = ", ".join(f"{v:.1f}" for v in state.fitted.bounds_mm(corners_of(job.surface_mm)))
    lines = [
        f"reprojection error: lens {lens:.2f} px, pose {fitted:.2f} px",
        f"corners of the table known within {bounds} mm (95 %)",
    ]
    if state.walls is None:
        lines.append("walls: not checked")
    else:
        seen = [(wall_cells(wall)[0], wall.off_mm) for wall in state.walls.walls if wall.seen]
        lines.append("walls: " + ", ".join(f"{side} {off:.1f} mm off" for side, off in seen))
    lines.append(
        f"camera {job.name} written to {job.out}; look at {check_picture(job.out, job.name)}"
    )
    if not job.named:
        lines.append(f'name it in the configuration: calibration = "{job.out}"')
    return lines


def _event(event: SourceEvent) -> None:
    if event.state.value not in ("connected", "ended"):
        _say(f"camera {event.camera} {event.state.value}: {event.detail}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
