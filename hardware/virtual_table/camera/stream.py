"""The camera's video: JPEG pictures over HTTP, as network cameras send them.

``multipart/x-mixed-replace`` with one JPEG a part; each part says in ``X-Timestamp`` when it was
taken (seconds since 1970). A client that does not keep up misses pictures, the others do not
wait for it. Faults that cameras have can be switched on while it runs.
"""

from __future__ import annotations

import contextlib
import random
import socket
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, Self

import cv2
import numpy as np

from hardware.virtual_table.camera.image import Image

BOUNDARY: Final = "paiguanframe"
_SEND_BUFFER: Final = 1 << 20
_SEND_TIMEOUT_S: Final = 10.0


def encode(image: Image, quality: int = 88) -> bytes:
    """A picture as JPEG."""
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not ok:
        raise ValueError(f"cannot encode a picture of shape {image.shape}")
    return data.tobytes()


@dataclass(slots=True)
class Faults:
    """What is wrong with the camera just now; all off is a sound camera.

    Attributes:
        freeze: the picture of the moment is sent on and on, with times that go on.
        stall: the connection stays, nothing is sent.
        drop: share of pictures that get lost, 0..1.
        gain: exposure changed by this factor.
        size: pictures come in another size (width, height).
        time_shift: seconds added to the times (a step back makes them run backwards).
        garbage: share of pictures whose JPEG is cut off, 0..1.
    """

    freeze: bool = False
    stall: bool = False
    drop: float = 0.0
    gain: float = 1.0
    size: tuple[int, int] | None = None
    time_shift: float = 0.0
    garbage: float = 0.0


class MjpegServer:
    """Serves the newest picture to any number of clients.

    ``GET /`` is the stream, ``GET /snapshot.jpg`` the newest picture alone.
    """

    def __init__(
        self, port: int = 0, host: str = "127.0.0.1", quality: int = 88, seed: int = 0
    ) -> None:
        """Listens at once.

        Args:
            port: 0 takes a free one.
            host: address to listen on.
            quality: of the JPEGs made from pushed pictures.
            seed: of the faults' randomness.
        """
        self.faults = Faults()
        self._quality = quality
        self._random = random.Random(seed)
        self._changed = threading.Condition()
        self._part: tuple[int, bytes, float] | None = None
        self._frozen: bytes | None = None
        self._count = 0
        self._plugged = True
        self._closed = False
        self._sockets: set[socket.socket] = set()
        self._server = ThreadingHTTPServer((host, port), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the stream is."""
        host, port = self._server.server_address[:2]
        name = host.decode() if isinstance(host, bytes | bytearray) else host
        return f"http://{name}:{port}/"

    @property
    def clients(self) -> int:
        """Clients that are connected."""
        with self._changed:
            return len(self._sockets)

    def push(self, frame: Image | bytes, t: float) -> bytes | None:
        """Hand over the next picture.

        Args:
            frame: a JPEG, or a BGR picture that is made into one.
            t: when it was taken, seconds since 1970.

        Returns:
            The JPEG as it is sent (for a recording), or None where a fault kept it back.
        """
        faults = self.faults
        if faults.stall or self._random.random() < faults.drop:
            return None
        if faults.freeze and self._frozen is not None:
            jpeg = self._frozen
        else:
            jpeg = self._jpeg(frame, faults)
            self._frozen = jpeg
        if self._random.random() < faults.garbage:
            jpeg = jpeg[: len(jpeg) // 3]
        with self._changed:
            self._count += 1
            self._part = (self._count, jpeg, t + faults.time_shift)
            self._changed.notify_all()
        return jpeg

    def _jpeg(self, frame: Image | bytes, faults: Faults) -> bytes:
        untouched = faults.gain == 1.0 and faults.size is None
        if isinstance(frame, bytes):
            if untouched:
                return frame
            decoded = cv2.imdecode(np.frombuffer(frame, np.uint8), cv2.IMREAD_COLOR)
            if decoded is None:
                raise ValueError("the pushed bytes are no picture")
            frame = np.asarray(decoded, np.uint8)
        if faults.gain != 1.0:
            frame = np.asarray(cv2.convertScaleAbs(frame, alpha=faults.gain), np.uint8)
        if faults.size is not None:
            frame = np.asarray(cv2.resize(frame, faults.size), np.uint8)
        return encode(frame, self._quality)

    def unplug(self) -> None:
        """Cut all connections and take no new ones until :meth:`plug` (a pulled cable)."""
        with self._changed:
            self._plugged = False
            sockets = list(self._sockets)
            self._changed.notify_all()
        for connection in sockets:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def plug(self) -> None:
        """Serve again after :meth:`unplug`."""
        with self._changed:
            self._plugged = True

    def close(self) -> None:
        """Stop for good."""
        if self._closed:
            return
        self._closed = True
        self.unplug()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- one client -------------------------------------------------------------------------

    def _next(self, last: int) -> tuple[int, bytes, float] | None:
        """The newest part after number ``last``; None when there is none within a while."""
        with self._changed:
            self._changed.wait_for(
                lambda: not self._plugged or (self._part is not None and self._part[0] > last),
                timeout=0.5,
            )
            if self._part is not None and self._part[0] > last:
                return self._part
            return None

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        connection = handler.connection
        with self._changed:
            if not self._plugged:
                handler.close_connection = True
                return
            self._sockets.add(connection)
        try:
            if handler.path.startswith("/snapshot"):
                self._snapshot(handler)
            else:
                self._stream(handler)
        except OSError:
            pass  # the client went away, or is too slow to be one
        finally:
            handler.close_connection = True
            with self._changed:
                self._sockets.discard(connection)

    def _snapshot(self, handler: BaseHTTPRequestHandler) -> None:
        part = self._next(0)
        if part is None:
            handler.send_error(503, "no picture yet")
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "image/jpeg")
        handler.send_header("Content-Length", str(len(part[1])))
        handler.send_header("X-Timestamp", f"{part[2]:.6f}")
        handler.end_headers()
        handler.wfile.write(part[1])

    def _stream(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
        handler.send_header("Cache-Control", "no-store")
        handler.send_header("Connection", "close")
        handler.end_headers()
        last = 0
        while True:
            with self._changed:
                if not self._plugged:
                    return
            part = self._next(last)
            if part is None:
                continue
            last, jpeg, t = part
            head = (
                f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n"
                f"X-Timestamp: {t:.6f}\r\n\r\n"
            )
            handler.wfile.write(head.encode() + jpeg + b"\r\n")

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """One connection."""

            def setup(self) -> None:
                # small buffers: a slow client is to miss pictures, not to get old ones
                self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
                self.request.settimeout(_SEND_TIMEOUT_S)
                super().setup()

            def do_GET(self) -> None:
                outer._serve(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        return Handler
