"""Looks through an eye in another process, and begins that process anew when it ends."""

from __future__ import annotations

import contextlib
import logging
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Final

import numpy as np

from vision.apart.parts import EyeParts
from vision.apart.said import Answer, Failed, News, Picture, Ready, Usage
from vision.apart.shared import SharedPicture
from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame, SourceEvent, SourceState
from vision.errors import VisionInputError
from vision.image import Image
from vision.sightings import Outcome, Sighting

log = logging.getLogger(__name__)

START_S: Final = 30.0
"""A process that is not ready after so long never will be."""
LOOK_S: Final = 10.0
"""A look that takes longer never ends."""
_END_S = 2.0
"""A process that is told to end has so long for it."""
_FIRST_RETRY_S, _LAST_RETRY_S = 0.25, 5.0


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A picture that was looked at.

    Attributes:
        frame: the picture.
        sighting: what was seen; None: the picture is damaged, as if it had not come.
        events: noticed about its camera.
        moved: the camera's pose where it was knocked and corrected.
        took_s: how long the look took, s.
    """

    frame: Frame
    sighting: Sighting | None
    events: tuple[SourceEvent, ...] = ()
    moved: tuple[CameraModel, ...] = ()
    took_s: float = 0.0


class Looker:
    """One eye apart; all but :meth:`close` and :attr:`usage` is called from one thread.

    Args:
        parts: of the eye.
    """

    def __init__(self, parts: EyeParts) -> None:
        self._parts = parts
        self._before = self._now = Usage()
        self._closing = False
        self._retry_s, self._again_at = _FIRST_RETRY_S, 0.0
        self._events: list[SourceEvent] = []
        self.versions: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection | None = None
        self._picture = SharedPicture(parts.camera.size)
        self._begin()

    @property
    def camera(self) -> str:
        """Its camera's name."""
        return self._parts.camera.name

    @property
    def usage(self) -> Usage:
        """What its processes have cost."""
        before, now = self._before, self._now
        return replace(
            now, cpu_s=before.cpu_s + now.cpu_s, peak_mb=max(before.peak_mb, now.peak_mb)
        )

    @property
    def pid(self) -> int | None:
        """Of its process; None while there is none."""
        return None if self._process is None else self._process.pid

    # -- the process ------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin the process; it says itself when it is ready."""
        self._news = News()
        mine, its = Pipe()
        fds = [its.fileno(), self._picture.fd]
        # -P: what lies in the working directory is not this program, whatever its name.
        command = [sys.executable, "-P", "-m", "vision.apart.worker", *map(str, fds)]
        # Blocked here, the signal is blocked there until that process ignores it.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                command, stdin=subprocess.DEVNULL, pass_fds=fds
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            its.close()
        self._line = mine

        def tell() -> None:
            # Where it is gone already that is said when it should be ready.
            with contextlib.suppress(OSError):
                mine.send(self._parts)

        # Pictures that were kept with calibrations are more than a pipe holds: it reads them once
        # it has begun, and meanwhile the other eyes are begun and the rest is built.
        threading.Thread(target=tell, name=f"parts {self.camera}", daemon=True).start()

    def wait_ready(self) -> None:
        """Wait until it can look.

        Raises:
            Exception: what keeps it from it, as the process met it.
            VisionInputError: it ended without a word, or says nothing.
        """
        line = self._line
        assert line is not None
        try:
            if not line.poll(START_S):
                raise TimeoutError
            said = line.recv()
        except (OSError, EOFError) as error:
            raise VisionInputError(f"camera {self.camera}: {self._end(error)}") from None
        if isinstance(said, Failed):
            self._end(EOFError())
            raise said.error
        assert isinstance(said, Ready)
        self.versions = dict(said.versions)

    def stand(self, t: float) -> bool:
        """Whether it can look; a process that ended is begun anew, after a while.

        Args:
            t: source time now, for what is said of it.
        """
        if self._closing:
            return False
        if self._line is not None:
            return True
        if time.monotonic() < self._again_at:
            return False
        self._again_at = time.monotonic() + self._retry_s
        self._retry_s = min(2 * self._retry_s, _LAST_RETRY_S)
        try:
            self._begin()
            self.wait_ready()
        except Exception as error:  # noqa: BLE001 - whatever it is: the other cameras go on
            log.warning("camera %s: its eye does not begin: %s", self.camera, error)
            return False
        text = "is looked through again"
        self._events.append(SourceEvent(t, self.camera, SourceState.STEADY, text))
        return True

    def _end(self, error: BaseException) -> str:
        """Let go of the process; says how it ended."""
        process, self._process = self._process, None
        line, self._line = self._line, None
        self._again_at = time.monotonic() + self._retry_s
        self._before, self._now = replace(self.usage, memory_mb=0.0), Usage()
        if line is not None:
            line.close()
        if process is None:
            return "the process that looks is not there"
        if isinstance(error, TimeoutError):
            process.kill()
            process.wait()
            return "the process that looks did not answer and was ended"
        code = _ended(process)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"the process that looks ended ({how})"

    # -- looking ----------------------------------------------------------------------------

    def look(self, frame: Frame) -> Look:
        """What is seen in a picture; FAILED where the process ends meanwhile."""
        came = frame.as_it_came
        data: bytes | Image | None = came
        if not isinstance(came, bytes) and self._picture.holds(came):
            np.copyto(self._picture.image, came)
            data = None
        try:
            if self._line is None:
                raise EOFError
            self._line.send(Picture(frame.t, frame.camera, frame.seq, data))
            if not self._line.poll(LOOK_S):
                raise TimeoutError
            answer = self._line.recv()
        except (OSError, EOFError) as error:
            return self._blind(frame, error)
        assert isinstance(answer, Answer)
        self._retry_s = _FIRST_RETRY_S
        self._now = answer.usage
        for line in answer.log:
            logging.getLogger(line.logger).log(line.level, "%s", line.text)
        if answer.moved:
            # An eye begun anew looks through the camera as it hangs now.
            self._parts = replace(self._parts, camera=answer.moved[-1])
        sighting = answer.sighting
        if sighting is not None:
            sighting = replace(sighting, tiles=self._news.whole(answer.tiles))
        return Look(frame, sighting, self._told() + answer.events, answer.moved, answer.took_s)

    def _told(self) -> tuple[SourceEvent, ...]:
        events, self._events = tuple(self._events), []
        return events

    def _blind(self, frame: Frame, error: BaseException) -> Look:
        how = self._end(error)
        if self._closing:
            how = "the table is closed"
        sighting = Sighting(frame.t, frame.camera, Outcome.FAILED, reason=how)
        event = SourceEvent(frame.t, frame.camera, SourceState.BLIND, how)
        return Look(frame, sighting, (*self._told(), event))

    def close(self) -> None:
        """End the process; a look that waits for it returns."""
        self._closing = True
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            _ended(process)
        self._picture.close()


def _ended(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that is ending, or is made to."""
    try:
        return process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
