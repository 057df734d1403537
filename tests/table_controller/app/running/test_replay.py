"""``paiguan replay``: what it is asked for, what it goes on with, where its lines go."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from table_controller.app.errors import RunError
from table_controller.app.running.replay import replay_recording
from table_controller.cli import app
from table_controller.record.recording import RecordingError
from vision.cameras.sources import SourceEvent, SourceState


def asked(recording: Path, *words: str) -> str:
    """What the command prints."""
    done = CliRunner().invoke(app, ["replay", str(recording), *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


OWN = r"its own times run from 0 to 1\.1 s$"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--from 100 --to 90", rf"no picture between 100 and 90 s: {OWN}"),
        ("--from 100000", rf"no picture from 100000 s on: {OWN}"),
        ("--to -3", rf"no picture up to -3 s: {OWN}"),
        ("--from nan --to 3", rf"no picture between nan and 3 s: {OWN}"),
        ("--from 0.31 --to 0.39", "no picture between"),
        ("--at 999 --draw DRAWN", rf"no picture from 999 s on: {OWN}"),
        ("--at 0.5 --at 0.9 --to 0.7 --draw DRAWN", "no picture between 0.9 and 0.7 s"),
        ("--at nan --draw DRAWN", "no picture from nan s on"),
        ("--at 0.5", "--at: name the folder of the pictures with --draw"),
        ("--cut PIECE --out LINES", "--cut: nothing is replayed: leave --out, --draw and --at"),
        ("--cut PIECE --draw DRAWN", "--cut: nothing is replayed"),
        ("--cut PIECE --at 0.5", "--cut: nothing is replayed"),
        ("--cut PIECE --alert 1 --from 0.5", "--alert: finds its piece by itself"),
        ("--cut PIECE --from nan", "no picture from nan s on"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    recording: Path, tmp_path: Path, words: str, said: str
) -> None:
    paths = {"DRAWN": "drawn", "PIECE": "piece", "LINES": "lines.jsonl"}
    arguments = [str(tmp_path / paths[word]) if word in paths else word for word in words.split()]
    with pytest.raises(RunError, match=said) as caught:
        asked(recording, *arguments)
    assert "\n" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == [recording]


def test_a_video_without_times_is_asked_for_its_own(recording: Path) -> None:
    import cv2
    import numpy as np

    film = cv2.VideoWriter(
        str(recording / "top.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 10.0, (640, 360)
    )
    for _ in range(5):
        film.write(np.full((360, 640, 3), 90, np.uint8))
    film.release()
    header = recording / "recording.toml"
    lines = header.read_text().splitlines(keepends=True)
    lines = ['file = "top.avi"\n' if line.startswith("file") else line for line in lines]
    header.write_text("".join(line for line in lines if not line.startswith("times")))
    with pytest.raises(RunError, match=r"from 3 s on: its own times run from 0 to 0\.4 s"):
        asked(recording, "--from", "3")


def test_the_last_moments_are_answered(recording: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    asked(recording, "--from", "1.1", "--at", "0", "--at", "1.1", "--draw", str(drawn))
    assert [path.name for path in drawn.iterdir()] == ["00001.1-look.jpg"]


def goes_on(recording: Path) -> list[tuple[SourceState, str]]:
    """What is told while a recording is replayed to its end."""
    told: list[SourceEvent] = []
    replay_recording(recording, io.StringIO(), tell=told.append)
    return [(event.state, event.detail) for event in told]


@pytest.mark.parametrize(
    ("name", "lost", "said"),
    [
        # Without its end alone a line is whole: other programs write none.
        ("top.csv", 1, []),
        ("top.csv", 8, ["top.csv: line 13 is cut short and left out"]),
        ("top.csv", 10, ["top.csv: line 13 is cut short and left out"]),
        ("sensors.jsonl", 1, []),
        ("sensors.jsonl", 2, ["sensors.jsonl:3: the last line is cut short and left out"]),
        ("sensors.jsonl", 10, ["sensors.jsonl:3: the last line is cut short and left out"]),
    ],
)
def test_a_recording_whose_last_line_was_cut_goes_on_with_what_is_left(
    recording: Path, name: str, lost: int, said: list[str]
) -> None:
    whole = (recording / name).read_bytes()
    (recording / name).write_bytes(whole[:-lost])
    told = goes_on(recording)
    assert told[-1][0] is SourceState.ENDED
    details = [detail for state, detail in told if state is SourceState.CUT_SHORT]
    assert details == [f"{recording}/{one}" for one in said]


def test_what_is_wrong_with_the_sensors_is_no_cameras_fault(recording: Path) -> None:
    path = recording / "sensors.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    done = CliRunner().invoke(app, ["replay", str(recording)], catch_exceptions=False)
    assert done.exit_code == 0
    told = f"cut_short: {path}:3: the last line is cut short and left out"
    assert told in done.stderr.splitlines()


def test_a_bad_reading_is_named_by_its_line(recording: Path) -> None:
    (recording / "sensors.jsonl").write_text('\n{"t": 0.1, "kind": "nonsense"}\n')
    with pytest.raises(RecordingError, match=r"sensors\.jsonl:2: "):
        goes_on(recording)


def broken(recording: Path) -> Path:
    """It can be begun, but not ended."""
    with (recording / "sensors.jsonl").open("a") as lines:
        lines.write('{"t": 1.07\n')
    return recording


@pytest.mark.parametrize(
    "words", [["nothere"], ["RECORDING"], ["RECORDING", "--from", "99"]], ids=" ".join
)
def test_a_replay_that_fails_leaves_the_file_as_it_was(
    recording: Path, tmp_path: Path, words: Sequence[str]
) -> None:
    out = tmp_path / "keepme.jsonl"
    out.write_text("mine")
    folder = str(broken(recording))
    command = ["replay", *(folder if one == "RECORDING" else one for one in words)]
    with pytest.raises((RunError, RecordingError)):
        CliRunner().invoke(app, [*command, "--out", str(out)], catch_exceptions=False)
    assert out.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == [out, recording]


def test_the_file_holds_what_is_printed_otherwise(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "lines.jsonl"
    out.write_text("before")
    (tmp_path / "link.jsonl").symlink_to(out)
    assert asked(recording, "--out", str(tmp_path / "link.jsonl")) == ""
    assert (tmp_path / "link.jsonl").is_symlink()
    assert out.read_text() == asked(recording)
    for line in out.read_text().splitlines():
        json.loads(line)


def test_lines_may_go_into_a_device(recording: Path) -> None:
    asked(recording, "--out", os.devnull)
    assert Path(os.devnull).is_char_device()


def test_a_folder_that_is_not_there_is_named_before_the_work(
    recording: Path, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match=r"nodir/lines\.jsonl: No such file or directory"):
        asked(recording, "--out", str(tmp_path / "nodir" / "lines.jsonl"))
