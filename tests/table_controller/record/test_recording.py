"""Recordings written by a run are read back by vision."""

from __future__ import annotations

from pathlib import Path

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


@pytest.mark.parametrize("line", ["{", "[1]", '{"kind": "vibration"}'])
def test_a_bad_sensor_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "sensors.jsonl").write_text('{"t": 1, "kind": "x"}\n' + line + "\n")
    with pytest.raises(RecordingError, match=r"sensors\.jsonl:2"):
        list(read_sensors(tmp_path))
