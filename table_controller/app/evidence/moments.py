"""A camera picture for every moment of the timeline, small, in a folder a hand."""

from __future__ import annotations

import bisect
import logging
import queue
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from table_controller.app.table.listeners import Quiet
from table_controller.domain.happenings import Happening, NotLooked
from table_controller.domain.outputs import HandRecord, Output
from table_controller.record.evidence import EvidenceStore, FrameRing, Kept

logger = logging.getLogger(__name__)

WIDTH: Final = 960
QUALITY: Final = 72
NEAR_S: Final = 1.6
"""A picture further off than this does not show the moment, s."""
SAME_S: Final = 0.3
"""Things that happen this close together share a picture, s."""
_AFTER_S: Final = 0.25


def folder_of(hand: int) -> str:
    """The folder of one hand's pictures."""
    return f"moments-{hand:03d}"


class MomentKeeper(Quiet):
    """Keeps a picture of each happening; written in a thread of its own.

    Args:
        store: where they go.
        ring: of recent frames.
    """

    def __init__(self, store: EvidenceStore, ring: FrameRing) -> None:
        self._store = store
        self._ring = ring
        self._hands = 0
        self._due: list[tuple[float, int]] = []
        self._newest = float("-inf")
        self._queue: queue.Queue[tuple[str, Kept] | None] = queue.Queue(64)
        self._thread = threading.Thread(target=self._work, name="moments", daemon=True)
        self._thread.start()

    def happening(self, happening: Happening) -> None:
        """Wants its picture, once the frame after it has come."""
        if not isinstance(happening, NotLooked):
            self._due.append((happening.t, self._hands + 1))

    def output(self, output: Output, key: str | None) -> None:
        """Count the hands: each has its folder."""
        if isinstance(output, HandRecord) and key is not None:
            self._hands = max(self._hands, int(key.rpartition("-")[2]))

    def take(self, t: float) -> None:
        """Frames up to ``t`` are in the ring: keep the pictures that are due."""
        ready = [due for due in self._due if due[0] + _AFTER_S <= t]
        if not ready:
            return
        self._due = [due for due in self._due if due[0] + _AFTER_S > t]
        for at, hand in ready:
            found = self._ring.between(at - NEAR_S, at + NEAR_S)
            if not found:
                continue
            kept = min(found, key=lambda kept: (abs(kept.t - at - 0.1), kept.camera))
            if abs(kept.t - self._newest) < SAME_S:
                continue  # several things at once: one picture shows them all
            self._newest = kept.t
            try:
                self._queue.put_nowait((folder_of(hand), kept))
            except queue.Full:
                logger.warning("a picture of a moment was not kept: too many at once")

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            folder, kept = item
            content = smaller(kept.jpeg)
            if content and self._store.keep(folder, f"{round(kept.t * 1000)}.jpg", content):
                self._store.wrote()

    def close(self) -> None:
        """Write what is queued and stop."""
        self.take(float("inf"))
        self._queue.put(None)
        self._thread.join(20)


def smaller(jpeg: bytes) -> bytes:
    """A picture scaled down to :data:`WIDTH`; empty where it cannot be read."""
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1)
    if image is None:
        return b""
    height, width = image.shape[:2]
    if width > WIDTH:
        size = (WIDTH, round(height * WIDTH / width))
        image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return data.tobytes() if ok else b""


class Pictures:
    """Finds the picture of a moment among those that were kept.

    Args:
        root: folder of all evidence.
    """

    def __init__(self, root: Path) -> None:
        files: list[tuple[float, str]] = []
        for folder in sorted(root.glob("moments-*")):
            files += [
                (int(path.stem) / 1000, f"{folder.name}/{path.name}")
                for path in folder.glob("*.jpg")
                if path.stem.isdecimal()
            ]
        files.sort()
        self._times = [t for t, _ in files]
        self._names = [name for _, name in files]

    def at(self, t: float) -> str | None:
        """The file that shows this time best, relative to the root; None where none is near."""
        place = bisect.bisect(self._times, t)
        near: Iterable[int] = (n for n in (place - 1, place) if 0 <= n < len(self._times))
        best = min(near, key=lambda n: abs(self._times[n] - t), default=None)
        if best is None or abs(self._times[best] - t) > NEAR_S:
            return None
        return self._names[best]
