"""Recordings written by a run are read back by vision."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
import pytest

from table_controller.record.recording import (
    RecordingError,
    RecordingWriter,
    read_header,
    read_sensors,
)
from vision.cameras.recorded import open_recording

HEADER = """
ruleset = "mcr-1998"
east = 2
[table]
surface_mm = 820
tile_mm = [26, 36, 20]
stacks_per_side = 18
[[camera]]
name = "overhead"
file = "overhead"
times = "overhead.csv"
size = [64, 48]
K = [[50, 0, 32], [0, 50, 24], [0, 0, 1]]
dist = []
R = [[1, 0, 0], [0, -1, 0], [0, 0, -1]]
t = [0, 0, 1200]
"""


def test_what_a_run_writes_is_read_back(tmp_path: Path) -> None:
    folder = tmp_path / "recording"
    writer = RecordingWriter(folder, HEADER, ["overhead"])
    for number in range(5):
        writer.frame(10 + number * 0.1, "overhead", np.full((48, 64, 3), 40 * number, np.uint8))
        writer.sensor({"t": 10 + number * 0.1, "kind": "vibration", "milli_g": number})
    writer.close()
    header = read_header(folder)
    assert (header.ruleset, header.east, header.table.stacks_per_side) == ("mcr-1998", 2, 18)
    [camera] = open_recording(folder)
    frames = list(camera.source)
    assert [frame.t for frame in frames] == [10 + n * 0.1 for n in range(5)]
    assert [round(float(frame.image.mean()) / 40) for frame in frames] == [0, 1, 2, 3, 4]
    assert [line["milli_g"] for line in read_sensors(folder)] == [0, 1, 2, 3, 4]
    assert (writer.lost, writer.error) == (0, None)


def test_what_was_taken_is_on_the_disk_before_the_end(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, HEADER, ["overhead"])
    writer.sensor({"t": 1.0, "kind": "vibration", "milli_g": 1})
    for number in range(3):
        writer.frame(float(number), "overhead", np.zeros((48, 64, 3), np.uint8))
    assert [line["milli_g"] for line in read_sensors(tmp_path)] == [1]
    end = time.monotonic() + 10.0
    while len((tmp_path / "overhead.csv").read_text().splitlines()) < 4:
        assert time.monotonic() < end
        time.sleep(0.01)
    writer.close()


class Full:
    """A file on a disk that is full for one line, which is written with the next one."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._held: str | None = None

    def write(self, line: str) -> None:
        if self._held is None:
            self._held = line
            raise OSError(28, "No space left on device")
        self._file.write(self._held + line)
        self._held = ""

    def close(self) -> None:
        self._file.close()


def test_what_a_full_disk_cost_is_counted_and_the_rest_is_read_back(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path, HEADER, ["overhead"])
    writer._times["overhead"] = cast("TextIO", Full(writer._times["overhead"]))
    for number in range(3):
        writer.frame(float(number), "overhead", np.zeros((48, 64, 3), np.uint8))
    writer.close()
    assert (writer.lost, "No space left on device" in (writer.error or "")) == (1, True)
    [camera] = open_recording(tmp_path)
    assert [frame.t for frame in camera.source] == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "state",
    [
        {"round_wind": "S", "dealer": 2, "hand": 7, "scores": [8, -8, 16, -16], "phase": "wall"},
        {"dealer": 1, "hand": 2, "honba": 3, "sticks": 2, "scores": [25000, 25000, 25000, 25000]},
    ],
)
def test_the_state_with_which_a_game_goes_on_stands_in_the_header(
    tmp_path: Path, state: dict[str, Any]
) -> None:
    writer = RecordingWriter(tmp_path, HEADER, ["overhead"])
    assert read_header(tmp_path).handed_over is None
    writer.hand_over(state)
    writer.close()
    handed = read_header(tmp_path).handed_over
    assert handed is not None
    told = handed.happening(1.0)
    assert {key: getattr(told, key) for key in state if key not in ("phase", "scores")} == {
        key: value for key, value in state.items() if key not in ("phase", "scores")
    }
    assert told.scores == tuple(state["scores"])


def test_the_picture_kept_with_a_calibration_lies_beside_the_header(tmp_path: Path) -> None:
    (tmp_path / "top.jpg").write_bytes(b"as it was")
    header = HEADER + 'kept = "overhead-kept.jpg"\n'
    kept = {"overhead": tmp_path / "top.jpg"}
    RecordingWriter(tmp_path / "r", header, ["overhead"], kept=kept).close()
    (camera,) = read_header(tmp_path / "r").camera
    assert camera.kept is not None
    assert (tmp_path / "r" / camera.kept).read_bytes() == b"as it was"


def test_a_recording_is_not_written_over(tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "r", HEADER, ["overhead"]).close()
    with pytest.raises(RecordingError, match="already holds a recording"):
        RecordingWriter(tmp_path / "r", HEADER, ["overhead"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file"),
        ("ruleset = ", "not TOML"),
        ("east = 1", "ruleset"),
        ('ruleset = "mcr-1998"\neast = 4', "east"),
        ('ruleset = "mcr-1998"\n[table]\ncolour = "red"', "table.colour"),
    ],
)
def test_a_bad_header_is_named(tmp_path: Path, text: str | None, said: str) -> None:
    if text is not None:
        (tmp_path / "recording.toml").write_text(text)
    with pytest.raises(RecordingError, match=said) as caught:
        read_header(tmp_path)
    assert "recording.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line", [b"{", b"[1]", b'{"kind": "vibration"}', b'{"t": 2, "kind": "\xff"}', b"[" * 100_000]
)
def test_a_bad_sensor_line_is_named(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "sensors.jsonl").write_bytes(b'{"t": 1, "kind": "x"}\n' + line + b"\n")
    with pytest.raises(RecordingError, match=r"sensors\.jsonl:2"):
        list(read_sensors(tmp_path))
