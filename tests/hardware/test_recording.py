from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from vision.cameras.recorded import open_recording

LEFT = overhead((320, 240), name="left", at_mm=(-200.0, 13.7), lean_deg=(1.0, 0.3))
RIGHT = overhead((320, 240), name="right", at_mm=(200.0, 0.0))


def write(directory: Path) -> None:
    with RecordingWriter(
        directory,
        ruleset="mcr-1998",
        geometry=packaged_geometry("mcr"),
        cameras=[LEFT, RIGHT],
        east=2,
    ) as recording:
        for i in range(3):
            level = np.full((240, 320, 3), 40 * i, np.uint8)
            recording.frame("left", i * 0.1, level)
            recording.frame("right", i * 0.1 + 0.05, level)
        recording.sensor({"t": 0.2, "kind": "keypad", "seat": 1})
        recording.truth({"t": 0.3, "kind": "call", "seat": 1, "call": "pung"})


def test_the_reader_of_recordings_understands_it(tmp_path: Path) -> None:
    write(tmp_path / "r")
    left, right = open_recording(tmp_path / "r")
    for mine, read in ((LEFT, left.model), (RIGHT, right.model)):
        assert read.name == mine.name
        assert read.size == mine.size
        for a, b in ((read.K, mine.K), (read.dist, mine.dist), (read.R, mine.R), (read.t, mine.t)):
            assert np.array_equal(np.asarray(a), b)
    frames = list(left.source)
    assert [frame.t for frame in frames] == [0.0, 0.1, 0.2]
    assert [round(frame.image.mean()) for frame in frames] == [0, 40, 80]
    assert [frame.t for frame in right.source] == [0.05, 0.15, 0.25]


def test_a_point_projects_the_same_way_for_the_reader(tmp_path: Path) -> None:
    write(tmp_path / "r")
    points = np.random.default_rng(0).uniform(-300, 300, (20, 3))
    for mine, read in zip((LEFT, RIGHT), open_recording(tmp_path / "r"), strict=True):
        assert np.allclose(read.model.project(points), mine.project(points), atol=1e-6)


def test_header_and_lines(tmp_path: Path) -> None:
    write(tmp_path)
    header = tomllib.loads((tmp_path / "recording.toml").read_text(encoding="utf-8"))
    assert (header["ruleset"], header["east"]) == ("mcr-1998", 2)
    assert header["table"] == {
        "surface_mm": 820,
        "tile_mm": [26, 36, 20],
        "stacks_per_side": 18,
        "geometry": "geometry.toml",
    }
    assert Layout.load(tmp_path / "geometry.toml") == Layout.named("mcr")
    (line,) = (tmp_path / "sensors.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {"t": 0.2, "kind": "keypad", "seat": 1}
    (line,) = (tmp_path / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["call"] == "pung"


def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(FileExistsError):
        write(tmp_path)


def test_a_line_needs_its_time(tmp_path: Path) -> None:
    with (
        RecordingWriter(
            tmp_path, ruleset="mcr-1998", geometry=packaged_geometry("mcr"), cameras=[LEFT]
        ) as recording,
        pytest.raises(ValueError, match="without its time"),
    ):
        recording.truth({"kind": "call"})
