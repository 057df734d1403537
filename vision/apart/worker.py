"""The process of an eye: ``python -m vision.apart.worker LINE PICTURE`` (begun by :mod:`.looker`).

Both are file descriptors: the line to the controller, and the memory for pictures that are no
JPEGs. It is told the parts of its eye, says that it is ready, and answers picture by picture
until the controller's end of the line is gone, however that came.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import signal
import sys
import time
from dataclasses import replace
from multiprocessing.connection import Connection

import cv2

from vision.apart.freed import Tidying, settle
from vision.apart.parts import EyeParts, Nets, eye_of
from vision.apart.said import Answer, Brief, Failed, LogLine, News, Picture, Ready
from vision.apart.shared import SharedPicture
from vision.apart.usage import usage
from vision.calibration.camera import CameraModel
from vision.cameras.sources import SourceEvent, SourceState
from vision.checks.watch import WatchedEye
from vision.errors import VisionInputError
from vision.sightings import Sighting

_LEAST = logging.INFO


class _Kept(logging.Handler):
    """Keeps what is logged for the next answer."""

    def __init__(self) -> None:
        super().__init__(_LEAST)
        self._lines: list[LogLine] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep it."""
        self._lines.append(LogLine(record.name, record.levelno, self.format(record)))

    def taken(self) -> tuple[LogLine, ...]:
        """What was kept since the last call."""
        lines, self._lines = tuple(self._lines), []
        return lines


class _Worker:
    """Answers pictures."""

    def __init__(self, parts: EyeParts, picture: int, log: _Kept) -> None:
        self._shared = SharedPicture(parts.camera.size, picture)
        nets = Nets.load(parts.tiles)
        self.versions = nets.versions
        self._moved: list[CameraModel] = []
        self._eye: WatchedEye = eye_of(parts, nets, self._moved.append)
        self._log = log
        self._news = News()

    def answer(self, picture: Picture) -> Answer:
        """Look."""
        before = time.perf_counter()
        damaged: tuple[SourceEvent, ...] = ()
        sighting: Sighting | None = None
        try:
            frame = picture.frame(self._shared.image)
            frame.decode()
        except ValueError:
            text = f"picture {picture.seq}: no JPEG"
            damaged = (SourceEvent(picture.t, picture.camera, SourceState.BROKEN_PICTURE, text),)
        else:
            sighting = self._eye.look(frame)
        moved = tuple(self._moved)
        self._moved.clear()
        brief: Brief = ()
        if sighting is not None:
            brief = self._news.brief(sighting.tiles)
            sighting = replace(sighting, tiles=())
        return Answer(
            sighting,
            brief,
            damaged + tuple(self._eye.told()),
            moved,
            time.perf_counter() - before,
            usage(),
            self._log.taken(),
        )


def _sendable(error: Exception) -> Exception:
    """The error itself where it survives the way, else its words."""
    with contextlib.suppress(Exception):
        if isinstance(pickle.loads(pickle.dumps(error)), type(error)):  # noqa: S301 - our own
            return error
    return VisionInputError(f"{type(error).__name__}: {error}")


def serve(line: Connection, picture: int) -> None:
    """Make an eye out of the first message, then answer pictures until the line ends.

    Args:
        line: to the controller.
        picture: file descriptor of the memory for pictures.
    """
    log = _Kept()
    logging.basicConfig(level=_LEAST, handlers=[log], force=True)
    # One eye, one core: the other cores belong to the other eyes and to the controller.
    cv2.setNumThreads(1)
    try:
        parts: EyeParts = line.recv()
        try:
            worker = _Worker(parts, picture, log)
        except Exception as error:  # noqa: BLE001 - whatever it is, the controller says so
            line.send(Failed(_sendable(error)))
            return
        settle()
        tidying = Tidying()
        line.send(Ready(worker.versions))
        while True:
            line.send(worker.answer(line.recv()))
            tidying.step()
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


if __name__ == "__main__":
    # Ctrl-C in the terminal is for the controller, which ends its eyes itself; begun with the
    # signal blocked, this process never heard of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    serve(Connection(int(sys.argv[1])), int(sys.argv[2]))
