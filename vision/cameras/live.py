"""Live camera sources: MJPEG over HTTP, and whatever OpenCV can capture from.

A reader thread takes every picture off the wire and keeps only the newest; a watch thread
tells within two seconds when pictures stop, freeze or come back. Pictures of a camera that is
frozen are not handed out: they show nothing of what happens meanwhile. Waiting times double from
a quarter of a second to five seconds while a camera stays away.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import math
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

import cv2
import numpy as np

from vision.cameras.mjpeg import MAX_PART, MultipartReader, StreamError, boundary_of
from vision.cameras.sources import (
    Frame,
    OnEvent,
    Source,
    SourceState,
    SourceStats,
    without_secrets,
)
from vision.cameras.stamps import Stamps
from vision.cameras.steady import SteadyClock
from vision.errors import VisionInputError
from vision.image import Image

SILENCE_S = 1.2
"""Pictures that stay away longer mean that the camera is lost."""
FROZEN_S = 1.2
"""The same picture for longer means that it is frozen (sensor noise never repeats)."""
_FIRST_RETRY_S, _LAST_RETRY_S = 0.25, 5.0


@dataclass(frozen=True, slots=True)
class _Raw:
    """A picture off the wire, not decoded yet when ``data`` is bytes."""

    data: bytes | Image
    stamp: float | None
    arrival: float
    print: int


class LiveSource(Source):
    """A camera that goes on by itself; subclasses connect and read.

    Raises:
        VisionInputError: on construction, when there is no picture within ``wait_s``.
    """

    live = True

    def __init__(
        self,
        spec: str,
        camera: str,
        size: tuple[int, int] | None,
        wait_s: float,
        on_event: OnEvent | None,
        clock: SteadyClock | None = None,
    ) -> None:
        super().__init__(camera, on_event)
        self.spec = spec
        self._size = size
        self._lock = threading.Condition()
        self._newest: tuple[int, _Raw] | None = None
        self._stats = SourceStats()
        self._closing = threading.Event()
        self._connected = False
        self._frozen = False
        self._wrong_size = False
        self._error = "no answer"
        self._seq = 0
        self._stamps = Stamps(held_to_arrival=clock is not None)
        # Arrival times must not jump when somebody sets the host's clock.
        self._clock = clock or SteadyClock()
        self._seen = self._changed = self._clock.now()
        self._print: int | None = None
        self._stuck: int | None = None
        """The picture on which it froze: not handed out until another comes, also when the camera
        was lost meanwhile."""
        self._reader = threading.Thread(target=self._run, name=f"camera {camera}", daemon=True)
        self._watcher = threading.Thread(target=self._watch, name=f"watch {camera}", daemon=True)
        self._reader.start()
        with self._lock:
            there = self._lock.wait_for(lambda: self._newest is not None, wait_s)
        if not there:
            self.close()
            raise VisionInputError(f"camera {camera}: {without_secrets(spec)}: {self._error}")
        self._watcher.start()

    # -- for subclasses -----------------------------------------------------------------

    def _pictures(self) -> Iterator[tuple[bytes | Image, float | None]]:
        """Connect and give pictures with their time stamps until something breaks."""
        raise NotImplementedError

    def _hang_up(self) -> None:
        """Make a blocked read return."""

    # -- threads ------------------------------------------------------------------------
    # Changes are told under the lock: told the wrong way round the last word would be wrong.

    def _run(self) -> None:
        pause = _FIRST_RETRY_S
        while not self._closing.is_set():
            try:
                for data, stamp in self._pictures():
                    if self._closing.is_set():
                        return
                    self._take(data, stamp)
                    pause = _FIRST_RETRY_S
                reason = "the stream ended"
            except (OSError, StreamError, http.client.HTTPException, ValueError) as error:
                said = error.strerror if isinstance(error, OSError) else None
                reason = said or str(error) or type(error).__name__
            if self._closing.is_set():
                return
            self._lost(reason)
            self._closing.wait(pause)
            pause = min(2 * pause, _LAST_RETRY_S)

    def _take(self, data: bytes | Image, stamp: float | None) -> None:
        now = self._clock.now()
        # Of a raw picture every 16th line is enough to tell it from the one before.
        sample = data if isinstance(data, bytes) else data[::16].tobytes()
        raw = _Raw(data, stamp, now, zlib.crc32(sample))
        with self._lock:
            self._seq += 1
            self._seen = now
            if not self._connected:
                self._connected = True
                # What was told of it before is over, or is told again.
                self._frozen = self._wrong_size = False
                self._changed = now
                self._tell(now, SourceState.CONNECTED, without_secrets(self.spec))
            if raw.print != self._print:
                self._print, self._stuck = raw.print, None
                self._changed = now
                if self._frozen:
                    self._frozen = False
                    self._tell(now, SourceState.ALIVE, "the picture changes again")
            self._count(now, stamp)
            if raw.print != self._stuck:
                self._newest = (self._seq, raw)
                self._lock.notify_all()

    def _count(self, now: float, stamp: float | None) -> None:
        stats = self._stats
        offset = stats.clock_offset
        if stamp is not None:
            offset = now - stamp if offset is None else min(offset, now - stamp)
        self._stats = replace(
            stats,
            received=stats.received + 1,
            dropped=stats.dropped + (self._newest is not None),
            clock_offset=offset,
        )

    def _lost(self, reason: str) -> None:
        with self._lock:
            was, self._connected = self._connected, False
            self._error = reason
            if was:
                self._stats = replace(self._stats, reconnects=self._stats.reconnects + 1)
                self._tell(self._clock.now(), SourceState.LOST, reason)

    def _watch(self) -> None:
        while not self._closing.wait(0.1):
            now = self._clock.now()
            with self._lock:
                silent = self._connected and now - self._seen > SILENCE_S
                same_for = self._seen - self._changed if self._connected else 0.0
                if not silent and not self._frozen and same_for > FROZEN_S:
                    self._frozen = True
                    self._stuck, self._newest = self._print, None
                    self._tell(now, SourceState.FROZEN, f"the same picture for {FROZEN_S:g} s")
            if silent:
                self._lost(f"no picture for {SILENCE_S:g} s")
                self._hang_up()
            step = self._clock.step()
            if step is not None:
                text = f"this computer's clock was set by {step:+.3f} s; times go on as before"
                self._tell(now, SourceState.HOST_CLOCK_SET, text)

    # -- for the consumer ---------------------------------------------------------------

    def next(self, timeout: float | None = None) -> Frame | None:
        """The newest picture not handed out yet; None when none came within ``timeout`` s."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._closing.is_set():
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            with self._lock:
                self._lock.wait_for(
                    lambda: self._newest is not None or self._closing.is_set(), left
                )
                item, self._newest = self._newest, None
            if item is None:
                return None
            frame = self._frame(*item)
            if frame is not None:
                with self._lock:
                    self._stats = replace(self._stats, delivered=self._stats.delivered + 1)
                return frame
        return None

    def _frame(self, seq: int, raw: _Raw) -> Frame | None:
        try:
            if isinstance(raw.data, bytes):
                frame = Frame(0.0, self.camera, None, seq, jpeg=raw.data)
            else:
                frame = Frame(0.0, self.camera, raw.data, seq)
            if self.decodes:
                frame.decode()
        except ValueError:
            with self._lock:
                self._stats = replace(self._stats, broken=self._stats.broken + 1)
            self._tell(raw.arrival, SourceState.BROKEN_PICTURE, f"picture {seq}: no JPEG")
            return None
        dated = self._stamps.date(raw.stamp, raw.arrival)
        if dated.state is not None:
            self._tell(raw.arrival, dated.state, dated.detail)
        if dated.t is None:
            return None
        frame.t, frame.came = dated.t, raw.arrival
        return frame if self._right_size(frame) else None

    def _right_size(self, frame: Frame) -> bool:
        wrong = self._size is not None and frame.size != self._size
        with self._lock:
            was, self._wrong_size = self._wrong_size, wrong
            if was is wrong:
                return not wrong
            text = f"pictures are {frame.size[0]}x{frame.size[1]}"
            if self._size is not None and wrong:
                text += f", expected {self._size[0]}x{self._size[1]}"
                self._tell(frame.t, SourceState.WRONG_SIZE, text)
            else:
                self._tell(frame.t, SourceState.CONNECTED, f"{text} again")
        return not wrong

    @property
    def ended(self) -> bool:
        """True after closing."""
        return self._closing.is_set()

    @property
    def stats(self) -> SourceStats:
        """Counts since opening."""
        with self._lock:
            return self._stats

    def close(self) -> None:
        """Stop both threads and let go of the camera."""
        if self._closing.is_set():
            return
        self._closing.set()
        with self._lock:
            self._lock.notify_all()
        self._hang_up()
        for thread in (self._reader, self._watcher):
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(timeout=2.0)


class MjpegSource(LiveSource):
    """``multipart/x-mixed-replace`` over HTTP; a part's ``X-Timestamp`` is its time."""

    _line: socket.socket | None = None

    def _pictures(self) -> Iterator[tuple[bytes | Image, float | None]]:
        parts = urlsplit(self.spec)
        host = parts.hostname or ""
        connection: http.client.HTTPConnection
        if parts.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, parts.port, timeout=3, context=context)
        else:
            connection = http.client.HTTPConnection(host, parts.port, timeout=3)
        headers = {"Accept": "multipart/x-mixed-replace, image/jpeg"}
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.connect()
            # The response takes the socket over; keep it to be able to hang up.
            self._line = connection.sock
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            if response.status != http.client.OK:
                raise StreamError(f"the camera answers {response.status} {response.reason}")
            boundary = boundary_of(response.getheader("Content-Type", ""))
            for fields, body in MultipartReader(response, boundary, MAX_PART):
                yield body, _stamp(fields.get("x-timestamp"))
        finally:
            connection.close()

    def _hang_up(self) -> None:
        line = self._line
        if line is not None:
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


def _stamp(text: str | None) -> float | None:
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


class CaptureSource(LiveSource):
    """A device or stream read by OpenCV; a picture's time is its arrival."""

    def _pictures(self) -> Iterator[tuple[bytes | Image, float | None]]:
        number = int(self.spec) if self.spec.isdigit() else None
        capture = cv2.VideoCapture(self.spec) if number is None else cv2.VideoCapture(number)
        try:
            if not capture.isOpened():
                raise StreamError("cannot be opened")
            capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
            if self._size is not None:
                capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
                capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
            while not self._closing.is_set():
                ok, image = capture.read()
                if not ok:
                    raise StreamError("no more pictures")
                yield np.asarray(image, dtype=np.uint8), None
        finally:
            capture.release()
