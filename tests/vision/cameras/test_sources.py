"""Camera sources: recordings frame by frame, live streams against a small server."""

from __future__ import annotations

import io
import itertools
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.cameras.mjpeg import MultipartReader, StreamError, boundary_of
from vision.cameras.recorded import open_recording
from vision.cameras.sources import (
    Frame,
    Source,
    SourceEvent,
    SourceState,
    merged,
    open_source,
    without_secrets,
)
from vision.cameras.steady import SteadyClock
from vision.errors import VisionInputError

pytestmark = pytest.mark.clocked


def picture(number: int, size: tuple[int, int] = (64, 48)) -> np.ndarray:
    image = np.full((size[1], size[0], 3), 10 + number, np.uint8)
    image[5:9, (3 * number) % 50 : (3 * number) % 50 + 5] = 255
    return image


def jpeg(number: int, size: tuple[int, int] = (64, 48)) -> bytes:
    return bytes(cv2.imencode(".jpg", picture(number, size))[1])


# -- recordings -----------------------------------------------------------------------------


def folder_with(path: Path, numbers: list[int], rows: list[tuple[int, float]]) -> Path:
    path.mkdir(parents=True)
    for number in numbers:
        cv2.imwrite(str(path / f"{number:06d}.png"), picture(number))
    lines = ["frame,t", *(f"{number},{t}" for number, t in rows)]
    (path / "times.csv").write_text("\n".join(lines) + "\n")
    return path


def test_folder_gives_every_frame_with_its_time(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "a", [0, 1, 2], [(0, 5.0), (1, 5.1), (2, 5.25)])
    for _ in range(2):  # the same each time
        with open_source(folder, camera="top") as source:
            frames = list(source)
        assert [(frame.seq, frame.t, frame.camera) for frame in frames] == [
            (0, 5.0, "top"),
            (1, 5.1, "top"),
            (2, 5.25, "top"),
        ]
        assert all((frame.image == picture(frame.seq)).all() for frame in frames)


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no memory is mounted as a folder")
def test_a_folder_in_memory_is_no_device() -> None:
    """A recording under /dev/shm was opened as a camera: "cannot be opened"."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = folder_with(Path(name) / "a", [0, 1], [(0, 5.0), (1, 5.1)])
        with open_source(folder, camera="top") as source:
            assert [frame.seq for frame in source] == [0, 1]


@pytest.mark.parametrize(
    ("numbers", "rows", "expected", "state"),
    [
        ([0, 1], [(0, 0.0), (1, 0.1), (2, 0.2)], [0, 1], SourceState.CUT_SHORT),
        ([0, 2], [(0, 0.0), (1, 0.1), (2, 0.2)], [0, 2], SourceState.CUT_SHORT),
        ([0, 1, 2], [(0, 0.0), (1, 0.4), (2, 0.2)], [0, 1], SourceState.TIMES_BACKWARDS),
        ([0, 1, 2], [(0, 0.0), (1, 0.0), (2, 0.2)], [0, 2], SourceState.TIMES_BACKWARDS),
    ],
)
def test_faulty_recordings_are_told(
    tmp_path: Path,
    numbers: list[int],
    rows: list[tuple[int, float]],
    expected: list[int],
    state: SourceState,
) -> None:
    events: list[SourceEvent] = []
    source = open_source(folder_with(tmp_path / "a", numbers, rows), on_event=events.append)
    assert [frame.seq for frame in source] == expected
    assert [event.state for event in events] == [state, SourceState.ENDED]


def test_pictures_of_another_size_are_not_handed_out(tmp_path: Path) -> None:
    events: list[SourceEvent] = []
    folder = folder_with(tmp_path / "a", [0, 1], [(0, 0.0), (1, 0.1)])
    source = open_source(folder, size=(640, 480), on_event=events.append)
    assert list(source) == []
    assert events[0].state is SourceState.WRONG_SIZE
    assert "64x48, expected 640x480" in events[0].detail


def test_video_with_times_and_without(tmp_path: Path) -> None:
    path = tmp_path / "top.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for number in range(5):
        writer.write(picture(number))
    writer.release()
    assert [round(frame.t, 3) for frame in open_source(path)] == [0.0, 0.1, 0.2, 0.3, 0.4]
    path.with_suffix(".csv").write_text("frame,t\n1,7.0\n2,7.5\n3,8\n4,9\n5,10\n6,11\n")
    events: list[SourceEvent] = []
    frames = list(open_source(path, on_event=events.append))
    assert [(frame.seq, frame.t) for frame in frames][:2] == [(1, 7.0), (2, 7.5)]
    assert "ends 1 pictures early" in events[0].detail


def test_recording_with_two_cameras(tmp_path: Path) -> None:
    folder_with(tmp_path / "rec" / "a", [0, 1], [(0, 0.0), (1, 0.2)])
    folder_with(tmp_path / "rec" / "b", [0, 1], [(0, 0.1), (1, 0.2)])
    camera = (
        "size = [64, 48]\nK = [[60, 0, 32], [0, 60, 24], [0, 0, 1]]\ndist = [-0.1, 0, 0, 0]\n"
        "R = [[1, 0, 0], [0, -1, 0], [0, 0, -1]]\nt = [0, 0, 1200]\n"
    )
    text = "".join(
        f'[[camera]]\nname = "{name}"\nfile = "{name}"\ntimes = "{name}/times.csv"\n{camera}'
        for name in "ab"
    )
    path = tmp_path / "rec" / "recording.toml"
    path.write_text('ruleset = "mcr-1998"\neast = 0\n' + text)
    cameras = open_recording(tmp_path / "rec")
    assert [camera.model.name for camera in cameras] == ["a", "b"]
    order = [(frame.t, frame.camera) for frame in merged([camera.source for camera in cameras])]
    assert order == [(0.0, "a"), (0.1, "b"), (0.2, "a"), (0.2, "b")]
    path.write_text(text.replace("size = [64, 48]", "size = [64]", 1))
    with pytest.raises(VisionInputError, match=r"recording\.toml: camera\.0: size\.1: missing"):
        open_recording(tmp_path / "rec")


@pytest.mark.parametrize(
    ("csv", "message"),
    [
        ("t,frame\n", "line 1: the header must be frame,t"),
        ("frame,t\n0,zero\n", "line 2: not a frame number"),
        ("frame,t\n0,1\n0,2\n", "line 3: frame 0 twice"),
        ("frame,t\n", "no frames in it"),
    ],
)
def test_wrong_times_name_the_line(tmp_path: Path, csv: str, message: str) -> None:
    folder = folder_with(tmp_path / "a", [0], [(0, 0.0)])
    (folder / "times.csv").write_text(csv)
    with pytest.raises(VisionInputError, match=message) as error:
        open_source(folder)
    assert "times.csv" in str(error.value)


@pytest.mark.parametrize("film", [False, True])
@pytest.mark.parametrize(
    ("end", "expected", "told"),
    [
        ("2,1764000000.2", [0, 1, 2], False),
        ("2,1764000000.15", [0, 1, 2], False),
        ("2,1764000000.", [0, 1], True),
        ("2,17640000", [0, 1], True),
        ("2,", [0, 1], True),
        ("2", [0, 1], True),
        ("2,1764000000.2\0\0\0", [0, 1], True),
    ],
)
def test_a_last_time_that_was_cut_short_is_left_out(
    tmp_path: Path, end: str, expected: list[int], told: bool, film: bool
) -> None:
    folder = folder_with(tmp_path / "a", [0, 1, 2], [])
    path = folder / "times.csv"
    path.write_text(f"frame,t\n0,1764000000.0\n1,1764000000.1\n{end}")
    spec: Path = folder
    if film:
        spec, path = tmp_path / "top.avi", path.rename(tmp_path / "top.csv")
        writer = cv2.VideoWriter(str(spec), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
        for number in range(3):
            writer.write(picture(number))
        writer.release()
    events: list[SourceEvent] = []
    source = open_source(spec, times=path, on_event=events.append)
    assert [frame.seq for frame in source] == expected
    assert [e.state for e in events] == [SourceState.CUT_SHORT] * told + [SourceState.ENDED]
    assert not told or events[0].detail == f"{path}: line 4 is cut short and left out"


def test_only_the_last_line_may_be_cut_short(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "a", [0], [])
    (folder / "times.csv").write_text("frame,t\n0,1\n1,\n2,3")
    with pytest.raises(VisionInputError, match=r"times\.csv: line 3: not a frame number"):
        open_source(folder)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("/dev/video97", "no such device"),
        ("nowhere", "neither an address, a device number nor a file"),
        ("nowhere/film.mp4", "no such file or folder"),
        ("http:///stream", "no host"),
        (__file__, "is no video file"),
        (str(Path(__file__).parent), "no numbered JPEG or PNG"),
        ("http://user:secret@127.0.0.1:9/stream", "Connection refused"),
    ],
)
def test_unknown_cameras_get_one_line(spec: str, message: str) -> None:
    with pytest.raises(VisionInputError, match=message) as error:
        open_source(spec, camera="top", wait_s=0.3)
    assert "\n" not in str(error.value)
    assert "secret" not in str(error.value)


def test_addresses_are_shown_without_secrets() -> None:
    assert without_secrets("rtsp://a:b@host:554/x?y=1") == "rtsp://host:554/x?y=1"


# -- the stream format ----------------------------------------------------------------------


def multipart(bodies: list[bytes], *, length: bool, end: bytes = b"") -> io.BytesIO:
    out = b"preamble\r\n"
    for body in bodies:
        head = f"Content-Length: {len(body)}\r\n".encode() if length else b""
        out += b"--x\r\nContent-Type: image/jpeg\r\nX-Timestamp: 3.5\r\n" + head
        out += b"\r\n" + body + b"\r\n"
    return io.BytesIO(out + end)


@pytest.mark.parametrize("length", [True, False])
def test_parts_with_and_without_length(length: bool) -> None:
    bodies = [b"a\nb\r\n--\r\n", b"", b"c" * 20000]
    parts = list(MultipartReader(multipart(bodies, length=length, end=b"--x--\r\n"), b"x"))
    assert [body for _, body in parts] == [bodies[0], bodies[2]]
    assert all(fields["x-timestamp"] == "3.5" for fields, _ in parts)


@pytest.mark.parametrize(
    "data",
    [
        b"--x\r\nContent-Length: 10\r\n\r\nabc",
        b"--x\r\nContent-Length: -4\r\n\r\nabc",
        b"--x\r\nContent-Length: 99999999999\r\n\r\nabc",
        b"--x\r\nno colon\r\n\r\nabc",
        b"--x\r\nA: b",
        b"--x\r\n\r\nnever ends",
    ],
)
def test_broken_streams_are_refused(data: bytes) -> None:
    with pytest.raises(StreamError):
        list(MultipartReader(io.BytesIO(data), b"x"))


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/x-mixed-replace; boundary=frame", b"frame"),
        ('Multipart/x-mixed-replace;boundary="a b"', b"a b"),
        ("multipart/x-mixed-replace; boundary=--myboundary; charset=x", b"myboundary"),
    ],
)
def test_boundaries(content_type: str, boundary: bytes) -> None:
    assert boundary_of(content_type) == boundary
    with pytest.raises(StreamError, match="text/html"):
        boundary_of("text/html; charset=utf-8")


# -- live -----------------------------------------------------------------------------------

Part = tuple[float, bytes, float]
"""Seconds to wait before it, the picture, its time stamp."""


class Camera:
    """An MJPEG server on a free port that plays one script per connection."""

    def __init__(self, *scripts: Iterator[Part], port: int = 0) -> None:
        waiting = iter(scripts)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=b")
                self.end_headers()
                for pause, body, stamp in next(waiting, iter(())):
                    time.sleep(pause)
                    head = f"--b\r\nContent-Length: {len(body)}\r\nX-Timestamp: {stamp}\r\n\r\n"
                    try:
                        self.wfile.write(head.encode() + body + b"\r\n")
                    except OSError:
                        return

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/stream"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


Opened = Callable[..., tuple[Source, list[SourceEvent]]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    monkeypatch.setattr("vision.cameras.live.SILENCE_S", 0.3)
    monkeypatch.setattr("vision.cameras.live.FROZEN_S", 0.3)
    monkeypatch.setattr("vision.cameras.stamps.SUSTAINED_S", 0.3)
    monkeypatch.setattr("vision.cameras.live._FIRST_RETRY_S", 0.05)
    things: list[Camera | Source] = []

    def open_(*scripts: Iterator[Part], **options: object) -> tuple[Source, list[SourceEvent]]:
        camera = Camera(*scripts)
        events: list[SourceEvent] = []
        source = open_source(camera.url, on_event=events.append, **options)  # type: ignore[arg-type]
        things.extend((source, camera))
        return source, events

    yield open_
    for thing in things:
        thing.close()


def steady(
    start: float = 100.0, pause: float = 0.02, size: tuple[int, int] = (64, 48)
) -> Iterator[Part]:
    for number in itertools.count():
        yield pause, jpeg(number % 200, size), start + number * pause


def handed_out(source: Source, wait: float = 2.0) -> Frame:
    frame = source.next(timeout=wait)
    assert frame is not None
    return frame


def until(events: list[SourceEvent], state: SourceState, source: Source, wait: float = 3.0) -> int:
    """Consume frames until an event of that state came; how many frames were handed out."""
    deadline = time.monotonic() + wait
    count = 0
    while time.monotonic() < deadline:
        count += source.next(timeout=0.05) is not None
        if any(event.state is state for event in events):
            return count
    raise AssertionError(f"no {state} in {events}")


def test_a_slow_consumer_gets_the_newest_and_counts_drops(opened: Opened) -> None:
    source, events = opened(steady())
    first = handed_out(source)
    time.sleep(0.5)
    second = handed_out(source)
    third = handed_out(source)
    assert second.seq - first.seq > 10
    assert third.seq - second.seq <= 2
    assert second.t == pytest.approx(100 + (second.seq - 1) * 0.02)
    assert source.stats.dropped >= second.seq - first.seq - 1
    assert [event.state for event in events] == [SourceState.CONNECTED]


def test_lost_and_reconnected(opened: Opened) -> None:
    source, events = opened(itertools.islice(steady(), 5), steady(200.0))
    until(events, SourceState.LOST, source)
    assert events[1].detail == "the stream ended"
    events.clear()
    until(events, SourceState.CONNECTED, source)
    assert handed_out(source, 1).t >= 200
    assert source.stats.reconnects == 1


def test_a_silent_camera_is_lost_though_the_line_is_open(opened: Opened) -> None:
    silent = itertools.chain(itertools.islice(steady(), 3), [(30.0, b"x", 0.0)])
    source, events = opened(silent, steady(300.0))
    begun = time.monotonic()
    until(events, SourceState.LOST, source)
    assert time.monotonic() - begun < 1.0
    assert "no picture for" in events[1].detail
    until(events, SourceState.CONNECTED, source)


FROZEN = jpeg(240)


def frozen(start: float) -> Iterator[Part]:
    """The same picture for 0.8 s, with times that go on."""
    return ((0.02, FROZEN, start + n * 0.02) for n in range(40))


def test_a_frozen_picture_is_told_and_so_is_its_end(opened: Opened) -> None:
    source, events = opened(itertools.chain(frozen(100.0), steady(200.0)))
    until(events, SourceState.FROZEN, source)
    until(events, SourceState.ALIVE, source)


def test_a_camera_known_to_be_frozen_hands_out_nothing(opened: Opened) -> None:
    source, events = opened(itertools.chain(frozen(100.0), frozen(100.8), steady(200.0)))
    until(events, SourceState.FROZEN, source)
    shown: list[Frame] = []
    while not shown or shown[-1].t < 200.2:
        shown.append(handed_out(source))
    assert all(frame.jpeg != FROZEN for frame in shown)
    states = [event.state for event in events]
    assert states == [SourceState.CONNECTED, SourceState.FROZEN, SourceState.ALIVE]


def test_still_frozen_after_it_was_lost_is_told_again(opened: Opened) -> None:
    source, events = opened(frozen(100.0), frozen(110.0), steady(200.0))
    until(events, SourceState.FROZEN, source)
    shown: list[Frame] = []
    while not shown:
        frame = source.next(timeout=0.05)
        shown += [] if frame is None else [frame]
    assert shown[0].jpeg != FROZEN
    told = [SourceState.CONNECTED, SourceState.FROZEN, SourceState.LOST]
    assert [event.state for event in events] == [*told, *told, SourceState.CONNECTED]


def test_wrong_size_is_told_once_and_not_handed_out(opened: Opened) -> None:
    wrong = itertools.islice(steady(size=(32, 24)), 20)
    source, events = opened(itertools.chain(wrong, steady(200.0)), size=(64, 48))
    assert until(events, SourceState.WRONG_SIZE, source) == 0
    assert handed_out(source).image.shape == (48, 64, 3)
    states = [event.state for event in events]
    assert states.count(SourceState.WRONG_SIZE) == 1


def test_the_wrong_size_again_after_it_was_lost_is_told_again(opened: Opened) -> None:
    wrong = itertools.islice(steady(size=(32, 24)), 10)
    source, events = opened(wrong, steady(200.0, size=(32, 24)), size=(64, 48))
    until(events, SourceState.LOST, source)
    deadline = time.monotonic() + 3
    states: list[SourceState] = []
    while states.count(SourceState.WRONG_SIZE) < 2 and time.monotonic() < deadline:
        assert source.next(timeout=0.05) is None
        states = [event.state for event in events]
    told = [SourceState.CONNECTED, SourceState.WRONG_SIZE]
    assert states == [*told, SourceState.LOST, *told]


@pytest.mark.parametrize("off", [3600.0, -3600.0])
def test_a_camera_whose_clock_is_wrong_is_dated_by_the_clock_that_is_given(
    opened: Opened, off: float
) -> None:
    clock = SteadyClock()
    source, events = opened(steady(time.time() + off), clock=clock)
    frame = handed_out(source, 3)
    assert frame.t == pytest.approx(clock.now(), abs=0.5)
    states = [event.state for event in events]
    assert states == [SourceState.CONNECTED, SourceState.TIMES_IMPOSSIBLE, SourceState.CLOCK_SET]


def test_without_a_clock_stamps_are_handed_out_as_they_come(opened: Opened) -> None:
    """So the doctor sees how wrong a camera's clock is."""
    stamped = time.time() + 3600
    source, _ = opened(steady(stamped))
    assert stamped <= handed_out(source).t < stamped + 2


def test_that_the_hosts_clock_was_set_is_told_once_for_all_cameras(opened: Opened) -> None:
    set_by = 0.0
    clock = SteadyClock(wall=lambda: time.time() + set_by)
    cameras = [opened(steady(time.time()), clock=clock) for _ in range(2)]
    set_by = -50.0
    deadline = time.monotonic() + 3
    told: list[SourceEvent] = []
    while not told and time.monotonic() < deadline:
        assert all(handed_out(source, 1).t > time.time() - 5 for source, _ in cameras)
        told = [e for _, events in cameras for e in events if e.state is SourceState.HOST_CLOCK_SET]
    time.sleep(0.3)
    states = [event.state for _, events in cameras for event in events]
    assert states.count(SourceState.HOST_CLOCK_SET) == 1
    assert "set by -50.000 s" in told[0].detail


def test_times_going_backwards_are_told_and_carried_on(opened: Opened) -> None:
    source, events = opened(itertools.chain(itertools.islice(steady(500.0), 10), steady(100.0)))
    times: list[float] = []
    deadline = time.monotonic() + 3
    while len(times) < 15 and time.monotonic() < deadline:
        frame = source.next(timeout=0.1)
        if frame is not None:
            times.append(frame.t)
    assert times == sorted(times)
    assert len(times) == 15
    states = [event.state for event in events]
    assert SourceState.TIMES_BACKWARDS in states
    assert SourceState.CLOCK_SET in states


def test_a_broken_picture_is_told_and_skipped(opened: Opened) -> None:
    broken = itertools.repeat((0.02, b"no jpeg", 100.0), 8)
    source, events = opened(itertools.chain(broken, steady(200.0)))
    until(events, SourceState.BROKEN_PICTURE, source)
    assert source.next(timeout=2) is not None
    assert source.stats.broken >= 1


def test_closing_ends_iteration(opened: Opened) -> None:
    source, _ = opened(steady())
    threading.Timer(0.2, source.close).start()
    assert len(list(source)) > 2
    assert source.ended
