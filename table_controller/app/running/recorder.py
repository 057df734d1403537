"""The recording of a live run: what it begins with, and that it goes on without loss."""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path

from firmware_bridge import readings as wire
from table_controller.app.table.assemble import Rooms, header_of, kept_pictures
from table_controller.app.table.core import TableController
from table_controller.app.table.terminal import Screen
from table_controller.config import Config
from table_controller.record.recording import RecordingWriter
from vision.cameras.sources import Frame


def begin_recording(folder: Path, config: Config, rooms: Rooms) -> RecordingWriter:
    """The writer of a run's recording, with all that is copied beside it.

    Args:
        folder: of the recording; in a venue, where a run follows the other, of all of them, each
            named after its session.
        config: of the run.
        rooms: of the table, before its cameras were looked through.

    Raises:
        RecordingError: the folder holds a recording already.
    """
    return RecordingWriter(
        folder if config.venue is None else _next_in(folder, config.record.dir.name),
        header_of(config, rooms),
        [camera.name for camera in config.camera],
        config.table.geometry,
        config.tiles.enrolled,
        kept_pictures(config),
    )


def _next_in(folder: Path, session: str) -> Path:
    """A session that is begun again, with other models, has several recordings."""
    names = (session if number == 1 else f"{session}-{number}" for number in count(1))
    return next(path for name in names if not (path := folder / name).exists())


class Recorder:
    """Feeds the writer; what it loses is said once, and counted at the end.

    Args:
        writer: of the recording.
        controller: of the table; writes notes down.
        screen: the terminal.
        goes_on: the run goes on with a session: the state of the game is handed over.
    """

    def __init__(
        self,
        writer: RecordingWriter,
        controller: TableController,
        screen: Screen,
        *,
        goes_on: bool,
    ) -> None:
        self._writer = writer
        self._controller = controller
        self._screen = screen
        self._hands_over = goes_on
        self._said = False

    def frame(self, frame: Frame) -> None:
        """Take a picture that was looked at."""
        self._writer.frame(frame.t, frame.camera, frame.as_it_came)

    def reading(self, reading: wire.Reading) -> None:
        """Take what the machine said."""
        self._writer.sensor(wire.to_json(reading))

    def step(self) -> None:
        """Hand the game over once a hand is on; say it when something is lost for the first time.

        Between hands the state is still that of the hand before.
        """
        if self._hands_over and (state := self._controller.state)["phase"] != "over":
            self._hands_over = False
            self._writer.hand_over(state)
        if not self._said and (self._writer.lost or self._writer.error is not None):
            self._said = True
            why = self._writer.error or "the disk is too slow"
            self._note(f"recording: not all of it can be written: {why}")

    def close(self) -> None:
        """Write what is queued, and say how much is missing."""
        self._writer.close()
        if self._writer.lost or self._writer.error is not None:
            why = "" if self._writer.error is None else f" ({self._writer.error})"
            self._note(f"recording: {self._writer.lost} pictures are missing in it{why}")

    def _note(self, text: str) -> None:
        self._screen.note(text, bad=True)
        self._controller.note(time.time(), text)
