"""A piece cut out of a recording holds the same bits and replays by itself."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.camera.renderer import Renderer, random_scene
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from table_controller.app.errors import RunError
from table_controller.app.running import cutting
from table_controller.app.running.cutting import Piece, cut, cut_alert
from table_controller.app.running.replay import replay_recording
from table_controller.app.table.listeners import Collector
from table_controller.record.recording import HandedOver, RecordingError, read_header
from vision.cameras.recorded import open_recording
from vision.cameras.sources import SourceEvent, SourceState


def pictures(folder: Path) -> list[tuple[float, int, bytes | None]]:
    (camera,) = open_recording(folder)
    return [(frame.t, frame.seq, frame.jpeg) for frame in camera.source]


@pytest.mark.parametrize(
    ("start", "end"), [(None, None), (0.25, 0.85), (None, 0.5), (0.5, None), (0.3, 0.3)]
)
def test_the_pictures_are_the_same_bits_at_the_same_times(
    recording: Path, tmp_path: Path, start: float | None, end: float | None
) -> None:
    piece = cut(recording, tmp_path / "piece", start, end)
    low, high = -1 if start is None else start, 99 if end is None else end
    wanted = [one for one in pictures(recording) if low <= one[0] <= high]
    assert pictures(piece.folder) == wanted
    assert (piece.frames, piece.start, piece.end) == (len(wanted), wanted[0][0], wanted[-1][0])
    assert read_header(piece.folder) == read_header(recording)


def test_earlier_sensor_lines_count_later_ones_do_not(recording: Path, tmp_path: Path) -> None:
    piece = cut(recording, tmp_path / "piece", 0.4, 0.8)
    sensors = (piece.folder / "sensors.jsonl").read_text().splitlines()
    truth = (piece.folder / "truth.jsonl").read_text().splitlines()
    assert [json.loads(line)["t"] for line in sensors] == [0.05, 0.55]
    assert [json.loads(line)["t"] for line in truth] == [0.55]


def test_a_later_hand_begins_with_the_state_handed_over(recording: Path, tmp_path: Path) -> None:
    state = {"round_wind": "S", "dealer": 2, "hand": 7, "scores": [8, -8, 16, -16]}
    piece = cut(recording, tmp_path / "piece", 0.4, 0.8, state)
    handed = read_header(piece.folder).handed_over
    assert handed is not None
    told = handed.happening(0.4)
    assert (told.round_wind, told.dealer, told.hand) == ("S", 2, 7)
    assert told.scores == (8, -8, 16, -16)
    sensors = (piece.folder / "sensors.jsonl").read_text().splitlines()
    assert [json.loads(line)["t"] for line in sensors] == [0.55], "earlier hands are not told"
    tomllib.loads((piece.folder / "recording.toml").read_text())


@pytest.mark.parametrize(
    ("start", "end", "words"),
    [
        (5.0, 9.0, r"no picture between 5 and 9 s: its own times run from 0 to 1\.1 s$"),
        (0.8, 0.2, "no picture"),
        (1764000000.25, 1764000300.0, r"between 1764000000\.25 and 1764000300 s"),
        (float("nan"), 1.0, "no picture between nan and 1 s"),
        (5.0, None, "no picture from 5 s on: "),
        (None, -1.0, "no picture up to -1 s: "),
    ],
)
def test_nothing_to_cut(
    recording: Path, tmp_path: Path, start: float | None, end: float | None, words: str
) -> None:
    with pytest.raises(RunError, match=words):
        cut(recording, tmp_path / "piece", start, end)
    assert not (tmp_path / "piece").exists()


def test_a_recording_is_never_overwritten(recording: Path) -> None:
    with pytest.raises(RunError, match="already holds a recording"):
        cut(recording, recording, None, None)


def foreign_file(folder: Path) -> Path:
    folder.mkdir()
    (folder / "other.txt").write_text("mine")
    return folder / "other.txt"


def hidden_file(folder: Path) -> Path:
    folder.mkdir()
    (folder / ".other").write_text("mine")
    return folder / ".other"


def no_folder(folder: Path) -> Path:
    folder.write_text("mine")
    return folder


@pytest.mark.parametrize("before", [foreign_file, hidden_file, no_folder])
@pytest.mark.parametrize("start", [0.2, 5.0])
def test_what_lies_in_the_folder_of_the_piece_stays(
    recording: Path, tmp_path: Path, before: Callable[[Path], Path], start: float
) -> None:
    other = before(tmp_path / "pieces")
    with pytest.raises(RunError, match="pieces: is no empty folder") as caught:
        cut(recording, tmp_path / "pieces", start, start + 0.2)
    assert "\n" not in str(caught.value)
    with pytest.raises(RunError, match="is no empty folder"):
        cut_alert(recording, tmp_path / "pieces", 1)
    assert other.read_text() == "mine"


def test_an_empty_folder_will_do(recording: Path, tmp_path: Path) -> None:
    (tmp_path / "piece").mkdir()
    assert cut(recording, tmp_path / "piece", 0.2, 0.4).frames == 3


@pytest.mark.parametrize("place", ["at the end", "before the cameras"])
def test_a_later_hand_of_a_piece_begins_with_its_own_state(
    recording: Path, tmp_path: Path, place: str
) -> None:
    header = recording / "recording.toml"
    text = header.read_text()
    table = "[handed_over]\ndealer = 1\nhand = 6\nscores = [8, -8, 16, -16]\n\n"
    if place == "at the end":
        header.write_text(f"{text}\n{table}")
    else:
        header.write_text(text.replace("[[camera]]", f"{table}[[camera]]"))
    same = cut(recording, tmp_path / "same", None, None)
    assert read_header(same.folder) == read_header(recording)
    later = cut(recording, tmp_path / "later", 0.4, 0.8, {"dealer": 2, "hand": 7})
    assert read_header(later.folder).handed_over == HandedOver(dealer=2, hand=7)
    assert len(pictures(later.folder)) == later.frames == 5


def test_there_is_no_such_alert(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "replay_recording", lambda *_, **__: Collector())
    with pytest.raises(RunError, match="0 alerts, no alert 3"):
        cut_alert(recording, tmp_path / "piece", 3)


def test_a_piece_replays_like_the_whole(recording: Path, tmp_path: Path) -> None:
    piece = cut(recording, tmp_path / "piece", None, 0.6)
    whole, alone = io.StringIO(), io.StringIO()
    replay_recording(recording, whole, end=0.6)
    replay_recording(piece.folder, alone)
    assert alone.getvalue() == whole.getvalue()
    assert replace(piece, same=True) == Piece(piece.folder, 0.0, 0.6, 7, same=True)


def test_a_camera_that_was_knocked_before_the_piece_is_corrected_in_it(tmp_path: Path) -> None:
    """By the picture kept with its calibration; the first one of the piece is as wrong as it."""
    layout = Layout.load(packaged_geometry("mcr"))
    camera = overhead((960, 540), name="top", across_mm=layout.surface + 130)
    scene = random_scene(np.random.default_rng(1), layout)
    shown = Renderer(camera, layout, seed=1).render(scene).copy()
    knocked = np.roll(shown, (4, 6), axis=(0, 1))
    folder = tmp_path / "whole"
    with RecordingWriter(
        folder, ruleset="mcr-1998", geometry=packaged_geometry("mcr"), cameras=[camera]
    ) as writer:
        for number in range(10):
            writer.frame("top", number / 10, knocked)
    header = folder / "recording.toml"
    header.write_text(header.read_text() + 'kept = "top-kept.jpg"\n')
    assert cv2.imwrite(str(folder / "top-kept.jpg"), shown)
    piece = cut(folder, tmp_path / "piece", 0.3, None)
    told: list[SourceEvent] = []
    replay_recording(piece.folder, io.StringIO(), tell=told.append)
    assert [event.state for event in told] == [SourceState.MOVED, SourceState.ENDED]


NOT_JSON = b'{"t": 0.25, "kind": "key_pr\n'
NO_TIME = b'{"kind": "key_pressed"}\n'


@pytest.mark.parametrize("name", ["sensors.jsonl", "truth.jsonl"])
@pytest.mark.parametrize("line", [NOT_JSON, NO_TIME, b"\xff\n"])
@pytest.mark.parametrize("was_there", [False, True])
def test_of_a_damaged_recording_no_half_a_piece_is_left(
    recording: Path, tmp_path: Path, name: str, line: bytes, was_there: bool
) -> None:
    first, *rest = (recording / name).read_bytes().splitlines(keepends=True)
    (recording / name).write_bytes(first + line + b"".join(rest))
    out = tmp_path / "piece"
    if was_there:
        out.mkdir()
    with pytest.raises(RecordingError, match=rf"{name}:2: ") as caught:
        cut(recording, out, None, None)
    assert "\n" not in str(caught.value)
    assert out.exists() == was_there
    assert not was_there or not list(out.iterdir())


def test_a_cut_that_is_killed_leaves_no_recording(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left when nothing more can be done is at least not taken for the whole piece."""
    begun: list[bool] = []
    lines = cutting._lines

    def noting(folder: Path, out: Path, *rest: Any) -> None:
        begun.append((out / "recording.toml").exists())
        lines(folder, out, *rest)

    monkeypatch.setattr(cutting, "_lines", noting)
    cut(recording, tmp_path / "piece", None, None)
    assert begun == [False, False]


@pytest.mark.parametrize("name", ["sensors.jsonl", "truth.jsonl"])
def test_a_last_line_that_was_cut_short_is_left_out_of_the_piece(
    recording: Path, tmp_path: Path, name: str
) -> None:
    (recording / name).write_bytes((recording / name).read_bytes()[:-10])
    told: list[SourceEvent] = []
    piece = cut(recording, tmp_path / "piece", None, None, tell=told.append)
    times = [json.loads(line)["t"] for line in (piece.folder / name).read_text().splitlines()]
    assert times == [0.05, 0.55]
    cut_short = [event for event in told if event.state is SourceState.CUT_SHORT]
    assert [f"{name}:3: the last line is cut short" in one.detail for one in cut_short] == [True]
