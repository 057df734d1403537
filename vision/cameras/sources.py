"""Camera sources: one way to open whatever gives pictures.

``open_source`` takes an HTTP MJPEG address, another stream address (``rtsp://…``), a device
(number or ``/dev/video*``), a video file, or a folder of numbered pictures, and gives a
:class:`Source`. Every frame carries the time it was taken (principle "source time").

A live source hands out only the newest picture, so a slow consumer loses frames but never
falls behind; it reconnects by itself and tells every change of state at once. A recorded
source hands out every frame, as fast as it is asked, the same each time.
"""

from __future__ import annotations

import re
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import merge
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit, urlunsplit

import cv2
import numpy as np

from vision.cameras.steady import SteadyClock
from vision.errors import VisionInputError
from vision.image import Image

_LARGE = 2600
"""Pictures of this width and more are decoded at half the size first."""


class Frame:
    """One picture; as JPEG where it came as one, decoded when somebody looks.

    Attributes:
        t: when it was taken, seconds on the source's clock (Unix time for live sources).
        camera: the camera's name.
        seq: counts what the source received; a gap means frames that were skipped.
        jpeg: the picture as it came, if it came so; kept as evidence it costs nothing.
        came: when it came from a live camera, Unix time; None: it is recorded.
        size: width and height, pixels.
    """

    __slots__ = ("_half", "_image", "came", "camera", "jpeg", "seq", "size", "t")

    def __init__(
        self, t: float, camera: str, image: Image | None, seq: int, jpeg: bytes | None = None
    ) -> None:
        """``image`` may be left out where there is a JPEG.

        Raises:
            ValueError: there is neither, or the JPEG's header cannot be read.
        """
        self.t = t
        self.camera = camera
        self.seq = seq
        self.jpeg = jpeg
        self._image = image
        self._half: Image | None = None
        self.came: float | None = None
        if image is not None:
            self.size = (int(image.shape[1]), int(image.shape[0]))
        elif jpeg is not None:
            self.size = jpeg_size(jpeg)
        else:
            raise ValueError("a frame without a picture")

    @property
    def as_it_came(self) -> bytes | Image:
        """The JPEG, or the picture where it was none."""
        return self.image if self.jpeg is None else self.jpeg

    @property
    def image(self) -> Image:
        """(height, width, 3) BGR.

        Raises:
            ValueError: the JPEG is damaged.
        """
        if self._image is None:
            self._image = _decoded(self.jpeg, cv2.IMREAD_COLOR)
        return self._image

    @property
    def half(self) -> Image:
        """The same at half the size (even sizes only); a JPEG gives it faster than the whole.

        Raises:
            ValueError: the JPEG is damaged.
        """
        if self._half is None:
            if self._image is None:
                self._half = _decoded(self.jpeg, cv2.IMREAD_REDUCED_COLOR_2)
            else:
                half = (self.size[0] // 2, self.size[1] // 2)
                self._half = np.asarray(
                    cv2.resize(self._image, half, interpolation=cv2.INTER_AREA), np.uint8
                )
        return self._half

    def decode(self) -> None:
        """Decode now what will be looked at: half the size of a large picture, else the whole.

        Raises:
            ValueError: the JPEG is damaged.
        """
        _ = self.half if self.size[0] >= _LARGE and self._image is None else self.image


def _decoded(jpeg: bytes | None, flags: int) -> Image:
    image = None if jpeg is None else cv2.imdecode(np.frombuffer(jpeg, np.uint8), flags)
    if image is None:
        raise ValueError("a picture that is no JPEG")
    return np.asarray(image, dtype=np.uint8)


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height that a JPEG's header tells.

    Raises:
        ValueError: this is no JPEG.
    """
    place = 2
    while data[:2] == b"\xff\xd8" and place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:  # fill byte
            place += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        else:
            place += 2 + int.from_bytes(data[place + 2 : place + 4])
    raise ValueError("a picture that is no JPEG")


class SourceState(StrEnum):
    """What a source can report about itself."""

    CONNECTED = "connected"
    LOST = "lost"
    FROZEN = "frozen"
    """Pictures arrive but are the same one again and again; they are not handed out."""
    ALIVE = "alive"
    """Pictures change again after ``FROZEN``."""
    WRONG_SIZE = "wrong_size"
    """Pictures of another size than the calibration's; they are not handed out."""
    TIMES_BACKWARDS = "times_backwards"
    """A picture claims to be older than the one before; it is not handed out."""
    TIMES_IMPOSSIBLE = "times_impossible"
    """A picture claims to be from later than it came, or from long before; it is not handed out."""
    CLOCK_SET = "clock_set"
    """The camera's clock was set, or is wrong; its times are carried on from those before."""
    HOST_CLOCK_SET = "host_clock_set"
    """This computer's clock was set; all times go on as if it had not been."""
    BROKEN_PICTURE = "broken_picture"
    CUT_SHORT = "cut_short"
    """A recording has fewer pictures than times, or a picture of it is missing."""
    ENDED = "ended"
    LIGHT = "light"
    """Too dark or too bright to see anything; nothing is looked at."""
    EXPOSURE = "exposure"
    """All of the picture became much brighter or darker."""
    MOVED = "moved"
    """Somebody knocked the camera; its pose was corrected."""
    ASTRAY = "astray"
    """It does not show what its calibration says; nothing is looked at."""
    STEADY = "steady"
    """After ``LIGHT``, ``ASTRAY`` or ``BLIND``: it is looked through again."""
    DRIFT_UNSEEN = "drift_unseen"
    """Around the table too little can be recognised to notice a knock."""
    BLIND = "blind"
    """The process that looks through it ended; nothing is looked at until it is begun anew."""


@dataclass(frozen=True, slots=True)
class SourceEvent:
    """A change of a source's state; ``t`` as in :class:`Frame`, ``detail`` for people."""

    t: float
    camera: str
    state: SourceState
    detail: str


@dataclass(frozen=True, slots=True)
class SourceStats:
    """Counts since opening. ``clock_offset`` is the smallest arrival minus stamp, seconds."""

    received: int = 0
    delivered: int = 0
    dropped: int = 0
    broken: int = 0
    reconnects: int = 0
    clock_offset: float | None = None


OnEvent = Callable[[SourceEvent], None]


class Source(ABC):
    """Gives frames until it is closed or, if recorded, at its end.

    Attributes:
        camera: the camera's name.
        live: whether time passes by itself.
    """

    def __init__(self, camera: str, on_event: OnEvent | None = None) -> None:
        """``on_event`` is called at once, for live sources from the reader's own thread."""
        self.camera = camera
        self._on_event = on_event

    live: bool = False
    decodes: bool = True
    """Whether JPEGs are decoded here, and damaged ones left out; else by who looks at them."""

    @abstractmethod
    def next(self, timeout: float | None = None) -> Frame | None:
        """The next (live: the newest unseen) frame; None at the end or after ``timeout`` s."""

    @property
    @abstractmethod
    def ended(self) -> bool:
        """True when no frame will come any more."""

    @property
    @abstractmethod
    def stats(self) -> SourceStats:
        """Counts since opening."""

    @abstractmethod
    def close(self) -> None:
        """Stop and release the camera; may be called twice."""

    def __iter__(self) -> Iterator[Frame]:
        """All frames until the end; blocks while a live source has none."""
        while not self.ended:
            frame = self.next(timeout=0.5)
            if frame is not None:
                yield frame

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _tell(self, t: float, state: SourceState, detail: str) -> None:
        if self._on_event is not None:
            self._on_event(SourceEvent(t, self.camera, state, detail))


def merged(sources: Sequence[Source]) -> Iterator[Frame]:
    """Frames of several recorded sources in the order of their times, then of the sources."""
    return merge(*sources, key=lambda frame: frame.t)


def without_secrets(spec: str) -> str:
    """An address as it may be shown: user name and password left out."""
    if "://" not in spec:
        return spec
    parts = urlsplit(spec)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


_VIDEO_SUFFIXES = {".mp4", ".mkv", ".avi", ".mov", ".webm", ".m4v", ".mjpeg", ".mjpg", ".ts"}


def open_source(
    spec: str | int | Path,
    *,
    camera: str = "camera",
    size: tuple[int, int] | None = None,
    times: Path | str | None = None,
    wait_s: float = 5.0,
    on_event: OnEvent | None = None,
    clock: SteadyClock | None = None,
) -> Source:
    """Open whatever ``spec`` names.

    Args:
        spec: see the module; a device may be a number.
        camera: name put on the frames.
        size: width and height that pictures must have (those of the calibration), if known.
        times: CSV ``frame,t`` of a video file or folder; default: ``times.csv`` beside or in
            it, or the video's own name with ``.csv``; a video without any uses its frame rate.
        wait_s: how long to try to get the first picture of a live source.
        on_event: told every change of state.
        clock: dates what comes from live sources, and stamps that cannot be true by it are not
            believed. None: a clock of its own, and stamps as they come unless they go backwards.

    Raises:
        VisionInputError: nothing of that kind is there; one line says what was tried.
    """
    from vision.cameras.live import CaptureSource, MjpegSource
    from vision.cameras.recorded import FolderSource, VideoSource

    text = str(spec).strip()
    # What lies in memory (/dev/shm) is a folder or a video as anywhere else.
    kept = Path(text).is_dir() or Path(text).is_file()
    if re.fullmatch(r"\d+", text) or (text.startswith("/dev/") and not kept):
        if text.startswith("/dev/") and not Path(text).exists():
            raise VisionInputError(f"camera {camera}: {text}: no such device")
        return CaptureSource(text, camera, size, wait_s, on_event, clock)
    if "://" in text:
        parts = urlsplit(text)
        if not parts.netloc:
            raise VisionInputError(f"camera {camera}: {without_secrets(text)}: no host in it")
        if parts.scheme in ("http", "https"):
            return MjpegSource(text, camera, size, wait_s, on_event, clock)
        return CaptureSource(text, camera, size, wait_s, on_event, clock)
    path = Path(text)
    if path.is_dir():
        return FolderSource(path, camera, size, _times_of(path, times), on_event)
    if path.is_file():
        if path.suffix.lower() not in _VIDEO_SUFFIXES:
            raise VisionInputError(f"camera {camera}: {text}: is no video file")
        return VideoSource(path, camera, size, _times_of(path, times), on_event)
    if path.suffix or "/" in text:
        raise VisionInputError(f"camera {camera}: {text}: no such file or folder")
    raise VisionInputError(
        f"camera {camera}: {text!r}: neither an address, a device number nor a file"
    )


def _times_of(path: Path, times: Path | str | None) -> Path | None:
    if times is not None:
        return Path(times)
    inside = [path / "times.csv"] if path.is_dir() else []
    for candidate in (*inside, path.with_suffix(".csv"), path.parent / "times.csv"):
        if candidate.is_file():
            return candidate
    return None
