from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera.stream import BOUNDARY, MjpegServer, encode

pytestmark = pytest.mark.clocked


def image(level: int, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    return np.full((size[1], size[0], 3), level, np.uint8)


class Client:
    """A plain reader of the stream."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
        self.connection.request("GET", "/")
        self.response = self.connection.getresponse()

    def parts(self) -> Iterator[tuple[float, bytes]]:
        while True:
            line = self.response.readline()
            if not line:
                return
            if line.strip() != f"--{BOUNDARY}".encode():
                continue
            fields = {}
            while (row := self.response.readline().strip()) != b"":
                key, _, value = row.partition(b":")
                fields[key.strip().lower()] = value.strip()
            body = self.response.read(int(fields[b"content-length"]))
            yield float(fields[b"x-timestamp"]), body

    def close(self) -> None:
        self.response.close()
        self.connection.close()


@pytest.fixture
def server() -> Iterator[MjpegServer]:
    with MjpegServer() as running:
        yield running


def decoded(jpeg: bytes) -> np.ndarray:
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return picture


def test_parts_carry_their_time_and_length(server: MjpegServer) -> None:
    server.push(image(10), 1000.25)
    client = Client(server.url)
    assert client.response.getheader("Content-Type") == (
        f"multipart/x-mixed-replace; boundary={BOUNDARY}"
    )
    parts = client.parts()
    t, jpeg = next(parts)
    assert t == 1000.25
    assert decoded(jpeg).mean() == pytest.approx(10, abs=1)
    server.push(image(200), 1000.35)
    t, jpeg = next(parts)
    assert t == 1000.35
    assert decoded(jpeg).mean() == pytest.approx(200, abs=1)
    client.close()


def test_a_jpeg_is_passed_on_as_it_is(server: MjpegServer) -> None:
    jpeg = encode(image(77))
    assert server.push(jpeg, 1.0) == jpeg
    client = Client(server.url)
    assert next(client.parts())[1] == jpeg
    client.close()


def test_every_client_gets_every_picture_it_can_take(server: MjpegServer) -> None:
    server.push(image(0), 0.0)
    clients = [Client(server.url) for _ in range(3)]
    streams = [client.parts() for client in clients]
    assert [next(stream)[0] for stream in streams] == [0.0] * 3
    assert server.clients == 3
    for i in range(1, 6):
        server.push(image(i), float(i))
        assert [next(stream)[0] for stream in streams] == [float(i)] * 3
    for client in clients:
        client.close()


def test_a_slow_client_misses_pictures_and_holds_up_nobody(server: MjpegServer) -> None:
    noise = encode(np.random.default_rng(0).integers(0, 255, (1080, 1920, 3), np.uint8), 95)
    server.push(noise, 0.0)
    slow, quick = Client(server.url), Client(server.url)
    slow_parts, quick_parts = slow.parts(), quick.parts()
    assert next(slow_parts)[0] == next(quick_parts)[0] == 0.0
    for i in range(1, 16):
        start = time.monotonic()
        server.push(noise, float(i))
        assert time.monotonic() - start < 0.1
        assert next(quick_parts)[0] == float(i)
    seen: list[float] = []
    while not seen or seen[-1] < 15.0:
        seen.append(next(slow_parts)[0])
    assert seen == sorted(seen)
    assert len(seen) < 12  # a few lay in the buffers, the rest was never sent
    slow.close()
    quick.close()


def test_snapshot(server: MjpegServer) -> None:
    server.push(image(50), 5.5)
    with urllib.request.urlopen(server.url + "snapshot.jpg", timeout=5) as answer:
        assert answer.headers["X-Timestamp"] == "5.500000"
        assert decoded(answer.read()).mean() == pytest.approx(50, abs=1)


def test_a_client_that_leaves_is_forgotten(server: MjpegServer) -> None:
    server.push(image(1), 1.0)
    client = Client(server.url)
    next(client.parts())
    client.close()
    for i in range(40):
        server.push(image(1), 2.0 + i)
        time.sleep(0.02)
        if server.clients == 0:
            break
    assert server.clients == 0


def test_faults(server: MjpegServer) -> None:
    server.push(image(100), 1.0)
    client = Client(server.url)
    parts = client.parts()
    next(parts)
    server.faults.freeze = True
    server.push(image(200), 2.0)
    t, jpeg = next(parts)
    assert (t, round(decoded(jpeg).mean())) == (2.0, 100)
    server.faults.freeze = False
    server.faults.gain = 0.5
    server.push(image(200), 3.0)
    assert decoded(next(parts)[1]).mean() == pytest.approx(100, abs=1)
    server.faults.gain = 1.0
    server.faults.size = (32, 24)
    server.push(encode(image(200)), 4.0)
    assert decoded(next(parts)[1]).shape == (24, 32, 3)
    server.faults.size = None
    server.faults.time_shift = -10.0
    server.push(image(1), 5.0)
    assert next(parts)[0] == -5.0
    server.faults.time_shift = 0.0
    server.faults.stall = True
    assert server.push(image(1), 6.0) is None
    server.faults.stall = False
    server.faults.garbage = 1.0
    server.push(image(1), 7.0)
    t, jpeg = next(parts)
    assert t == 7.0
    assert not jpeg.endswith(b"\xff\xd9")
    client.close()


def test_dropped_frames(server: MjpegServer) -> None:
    server.faults.drop = 0.2
    sent = [server.push(image(1), float(i)) for i in range(500)]
    assert 0.7 < sum(jpeg is not None for jpeg in sent) / 500 < 0.9


def test_a_pulled_cable_and_back(server: MjpegServer) -> None:
    server.push(image(1), 1.0)
    client = Client(server.url)
    parts = client.parts()
    next(parts)
    server.unplug()
    with contextlib.suppress(OSError, http.client.HTTPException):
        assert len(list(parts)) <= 1  # the stream ends
    client.close()
    with pytest.raises((OSError, http.client.HTTPException)):
        Client(server.url)
    server.plug()
    server.push(image(2), 2.0)
    again = Client(server.url)
    assert next(again.parts())[0] == 2.0
    again.close()


def test_closing_ends_connections_and_frees_the_port() -> None:
    server = MjpegServer()
    port = urlsplit(server.url).port
    assert port is not None
    server.push(image(1), 1.0)
    client = Client(server.url)
    reader = threading.Thread(target=lambda: list(client.parts()), daemon=True)
    reader.start()
    server.close()
    reader.join(5)
    assert not reader.is_alive()
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=1)
    again = MjpegServer(port)
    assert urlsplit(again.url).port == port
    again.close()
