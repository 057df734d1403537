"""Evidence for alerts of virtual tables: the scene before and after, rendered."""

from __future__ import annotations

import logging
import queue
import threading
from typing import Any, Final

import cv2

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.renderer import Renderer
from hardware.virtual_table.play.director import Director
from table_controller.record.journal import EntryKind, JournalError
from table_controller.venue.table.told import ToldTable

logger = logging.getLogger(__name__)

BEFORE_S: Final = 1.2
_SIZE: Final = (960, 540)


class Pictures:
    """Renders in a thread of its own, one alert after another."""

    def __init__(self) -> None:
        self._due: queue.Queue[tuple[ToldTable, str, Director, float] | None] = queue.Queue(50)
        self._renderer: Renderer | None = None
        self._thread = threading.Thread(target=self._work, name="pictures", daemon=True)
        self._thread.start()

    def want(self, table: ToldTable, key: str, director: Director, t: float) -> None:
        """The pictures of an alert; left out where too many are wanted.

        Args:
            table: that raised it.
            key: of the alert.
            director: of the hand.
            t: time in the hand's own story, s.
        """
        try:
            self._due.put_nowait((table, key, director, t))
        except queue.Full:
            logger.info("%s: no pictures of %s: too many are wanted", table.name, key)

    def _work(self) -> None:
        while (item := self._due.get()) is not None:
            try:
                self._render(*item)
            except (OSError, JournalError) as error:
                logger.warning("evidence: %s", error)

    def _render(self, table: ToldTable, key: str, director: Director, t: float) -> None:
        if self._renderer is None:
            layout = director.layout
            camera = overhead(_SIZE, name="top", across_mm=layout.surface + 130)
            self._renderer = Renderer(camera, layout, seed=1)
        journal, folder = table.journal, table.evidence
        (folder / key).mkdir(parents=True, exist_ok=True)
        files: list[str] = []
        for name, at in (("before", max(0.0, t - BEFORE_S)), ("after", t)):
            image: Any = self._renderer.render(director.scene(at))
            made, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])
            if made:
                (folder / key / f"{name}.jpg").write_bytes(data.tobytes())
                files.append(f"{key}/{name}.jpg")
        journal.append([(table.t, EntryKind.EVIDENCE, {"alert": key, "files": files})])

    def close(self) -> None:
        """End, after what is under way."""
        self._due.put(None)
        self._thread.join(5)
