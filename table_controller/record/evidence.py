"""Evidence: the pictures an alert rests on.

A ring of recent frames is kept in memory, already compressed. When an alert is raised, the
picture before, the picture after and a short clip are written beside the journal, in a folder of
its own; what cannot be written (a full disk, for one) is said and never stops the game. The
store has a size limit: folders that nobody needs any more go first, oldest first; a folder that
is held (an open alert, a protest) is never dropped.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vision.image import Image

logger = logging.getLogger(__name__)


_CLIP_WIDTH: Final = 640
_SIZE_CHECK_EVERY: Final = 20


@dataclass(frozen=True, slots=True)
class Kept:
    """One compressed frame of the ring."""

    t: float
    camera: str
    jpeg: bytes


class FrameRing:
    """The last seconds of every camera, thinned out and scaled down.

    Args:
        seconds: how far back it reaches.
        every: at least so many seconds between two kept frames of a camera.
        width: kept frames are scaled down to this width, pixels.
        quality: JPEG quality, 1..100.
    """

    def __init__(
        self, *, seconds: float = 12.0, every: float = 0.2, width: int = 1280, quality: int = 80
    ) -> None:
        self._seconds = seconds
        self._every = every
        self._width = width
        self._quality = quality
        self._kept: deque[Kept] = deque()
        self._last: dict[str, float] = {}
        self._lock = threading.Lock()

    def add(self, t: float, camera: str, image: Image | bytes) -> None:
        """Keep a frame unless one of this camera was kept a moment ago.

        A picture that came as JPEG is kept as it came: that costs nothing and loses nothing.
        """
        last = self._last.get(camera)
        # Half a frame of tolerance: 10 frames/s with jitter must still keep every second one.
        if last is not None and t - last < self._every - 0.05 and t >= last:
            return
        self._last[camera] = t
        data = image if isinstance(image, bytes) else self._compressed(camera, image)
        if data is None:
            return
        with self._lock:
            self._kept.append(Kept(t, camera, data))
            while self._kept and self._kept[0].t < t - self._seconds:
                self._kept.popleft()

    def _compressed(self, camera: str, image: Image) -> bytes | None:
        height, width = image.shape[:2]
        if width > self._width:
            size = (self._width, round(height * self._width / width))
            image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
        ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, self._quality])
        if not ok:
            logger.warning("camera %s: a frame could not be compressed for evidence", camera)
            return None
        return bytes(data)

    def between(self, t0: float, t1: float, camera: str | None = None) -> list[Kept]:
        """Kept frames of that time, oldest first."""
        with self._lock:
            return [
                kept
                for kept in self._kept
                if t0 <= kept.t <= t1 and (camera is None or kept.camera == camera)
            ]

    def newest(self, camera: str | None = None) -> Kept | None:
        """The newest kept frame."""
        with self._lock:
            for kept in reversed(self._kept):
                if camera is None or kept.camera == camera:
                    return kept
        return None


def _small(jpeg: bytes) -> Image:
    """A kept frame at half its size (H, W, 3)."""
    return np.asarray(
        cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_REDUCED_COLOR_2), np.uint8
    )


class EvidenceStore:
    """Folders of evidence beside the journal, bounded in size.

    Args:
        root: the folder; made when first needed.
        ring: where the frames come from.
        limit_bytes: the size it is kept under, unless all of it is held.
        held: tells whether a folder (by name) must not be dropped.
        keep_s: how long what nobody holds is kept, s; None: only the size counts.
        clock: seconds since 1970, as files are dated.
    """

    def __init__(
        self,
        root: Path,
        ring: FrameRing,
        *,
        limit_bytes: int = 2_000_000_000,
        held: Callable[[str], bool] = lambda _: False,
        keep_s: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._root = root
        self._ring = ring
        self._limit = limit_bytes
        self._held = held
        self._keep = keep_s
        self._clock = clock
        self._saved = 0
        self._trimming = threading.Lock()

    @property
    def root(self) -> Path:
        """The folder of all evidence."""
        return self._root

    def save(self, name: str, *, before: float, after: float) -> tuple[str, ...]:
        """Write the pictures around an event.

        Args:
            name: of the folder, unique in the session.
            before: time of the last moment at which all was still well.
            after: time at which the evidence was complete.

        Returns:
            File names relative to :attr:`root`; empty where nothing could be kept.
        """
        frames = self._ring.between(before - 1.5, after + 0.5)
        if not frames:
            return ()
        folder = self._root / name
        first = max((kept for kept in frames if kept.t <= before), key=lambda k: k.t, default=None)
        last = min(frames, key=lambda kept: abs(kept.t - after))
        files: list[str] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for label, kept in (("before", first or frames[0]), ("after", last)):
                path = folder / f"{label}.jpg"
                path.write_bytes(kept.jpeg)
                files.append(f"{name}/{path.name}")
            clip = folder / "clip.mp4"
            if self._write_clip(clip, [kept for kept in frames if kept.camera == last.camera]):
                files.append(f"{name}/{clip.name}")
        except OSError as error:
            logger.error("evidence %s not written: %s", folder, error)
        self.wrote()
        return tuple(files)

    def keep(self, name: str, file: str, content: bytes) -> bool:
        """Write one file into a folder; false where it could not be written."""
        try:
            (self._root / name).mkdir(parents=True, exist_ok=True)
            (self._root / name / file).write_bytes(content)
        except OSError as error:
            logger.error("evidence %s not written: %s", self._root / name, error)
            return False
        return True

    def wrote(self) -> None:
        """Something was added: look after the size now and then."""
        self._saved += 1
        if self._saved % _SIZE_CHECK_EVERY == 0:
            self.trim()

    @staticmethod
    def _write_clip(path: Path, frames: list[Kept]) -> bool:
        if len(frames) < 2:
            return False
        # A small picture is enough to judge a movement by, and quick to encode; one at a time.
        height, width = _small(frames[0].jpeg).shape[:2]
        wide = min(width, _CLIP_WIDTH)
        size = (wide // 2 * 2, round(height * wide / width) // 2 * 2)
        pace = (len(frames) - 1) / max(frames[-1].t - frames[0].t, 1e-3)
        writer: Any = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"vp09"), pace, size)
        if not writer.isOpened():
            logger.warning("no encoder for clips: %s not written", path)
            return False
        for kept in frames:
            writer.write(cv2.resize(_small(kept.jpeg), size, interpolation=cv2.INTER_AREA))
        writer.release()
        return path.is_file() and path.stat().st_size > 0

    def size(self) -> int:
        """Bytes on the disk."""
        if not self._root.is_dir():
            return 0
        return sum(path.stat().st_size for path in self._root.rglob("*") if path.is_file())

    def trim(self, limit: int | None = None) -> list[str]:
        """Drop what is too old, then the oldest until the limit is kept; never what is held.

        Args:
            limit: bytes, where it is not the store's own.

        Returns:
            The names of the folders that were dropped.
        """
        with self._trimming:
            return self._trim(self._limit if limit is None else limit)

    def _trim(self, limit: int) -> list[str]:
        dropped: list[str] = []
        total = self.size()
        if not total or (total <= limit and self._keep is None):
            return dropped
        folders = sorted(
            (path for path in self._root.iterdir() if path.is_dir()),
            key=lambda path: (path.stat().st_mtime, path.name),
        )
        for folder in folders:
            old = self._keep is not None and self._clock() - folder.stat().st_mtime > self._keep
            if not old and total <= limit:
                break
            if self._held(folder.name):
                continue
            total -= sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            shutil.rmtree(folder, ignore_errors=True)
            dropped.append(folder.name)
        return dropped
