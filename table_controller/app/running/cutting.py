"""Cuts a piece out of a recording that replays by itself: how a venue reports a wrong alert.

Pictures and sensor lines are copied as they are, with their times. A piece for an alert begins
before the walls of its hand rose, with the state of the game handed over, and is tried at once: if
it does not give the same alert, it begins earlier, at last where the recording does.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2

from table_controller.app.errors import RunError
from table_controller.app.running.asked import check_times, limits, no_picture
from table_controller.app.running.replay import replay_recording, told_lines
from table_controller.app.table.core import Listener, TableController
from table_controller.app.table.listeners import Quiet
from table_controller.domain.happenings import Happening, WallRaised
from table_controller.domain.output_codec import to_object
from table_controller.domain.outputs import Alert
from table_controller.record.recording import (
    SENSORS,
    HandedOver,
    Header,
    handed_over_toml,
    read_header,
)
from vision.cameras.recorded import open_recording
from vision.cameras.sources import OnEvent, Source

BEFORE_S: Final = 8.0
"""A piece begins so long before the walls stood: the eye wants to see them rise."""
AFTER_S: Final = 2.0
"""And ends so long after the alert was raised."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What was cut.

    Attributes:
        folder: where it lies.
        start, end: its times, s.
        frames: pictures in it.
        same: whether it gives the same alert by itself; None where none was asked for.
    """

    folder: Path
    start: float
    end: float
    frames: int
    same: bool | None = None


class _Starts(Quiet):
    """Notes when walls rose, and the state of the game with which their hand began."""

    def __init__(self, controller: TableController) -> None:
        self._controller = controller
        self._risen: float | None = None
        self.hands: list[tuple[float, dict[str, Any]]] = []

    def happening(self, happening: Happening) -> None:
        """Note the walls, and at what follows them the state that they began."""
        if self._risen is not None:
            state = self._controller.state
            handed = {key: state[key] for key in HandedOver.model_fields if key in state}
            self.hands.append((self._risen, handed))
        self._risen = happening.t if isinstance(happening, WallRaised) else None


def cut(
    folder: Path,
    out: Path,
    start: float | None,
    end: float | None,
    handed: dict[str, Any] | None = None,
    tell: OnEvent = lambda _: None,
) -> Piece:
    """Copy a piece of a recording.

    Args:
        folder: the recording.
        out: the piece's folder; must not be there, or be empty.
        start: its first time on the recording's own clock, s; None: from the beginning.
        end: its last time, s; None: to the end.
        handed: the state of the game at its start, where that is not the first hand's.
        tell: told what is wrong with the recording.

    Raises:
        RunError: something lies in the folder, or there is no picture in that time.
        RecordingError: the recording cannot be read.
    """
    _check_free(out)
    header = read_header(folder)
    check_times(folder, start, end)
    low, high = limits(start, end)
    cameras = open_recording(folder, tell)
    text = (folder / "recording.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)["camera"]
    times: list[float] = []
    with _whole_or_nothing(out):
        for camera, table in zip(cameras, tables, strict=True):
            kept = _pictures(camera.source, out, _inside(folder, table["file"]), low, high)
            times += [t for _, t in kept]
            text = _with_times(text, table, out, kept)
        if not times:
            raise no_picture(folder, low, high)
        if handed is not None:
            text = _nothing_handed_over(text) + handed_over_toml(handed)
        _beside(folder, out, header)
        # Earlier lines count, unless new walls are coming: what stands there is said only once.
        _lines(folder, out, SENSORS, low if handed is not None else float("-inf"), high, tell)
        _lines(folder, out, "truth.jsonl", low, high, tell)
        # Last: before it stands there nobody takes the folder for a recording.
        (out / "recording.toml").write_text(text, encoding="utf-8")
    return Piece(out, min(times), max(times), len(times))


def cut_alert(folder: Path, out: Path, number: int, tell: OnEvent = lambda _: None) -> Piece:
    """Cut the piece that gives an alert again, and try it.

    Args:
        folder: the recording.
        out: the piece's folder.
        number: of the alert, counted from 1 as its key counts.
        tell: told what is wrong with the recording.

    Raises:
        RunError: something lies in the folder, or the recording gives no such alert.
        RecordingError: the recording cannot be read.
    """
    _check_free(out)
    notes: list[_Starts] = []

    def noting(controller: TableController) -> Listener:
        notes.append(_Starts(controller))
        return notes[-1]

    said = replay_recording(folder, io.StringIO(), more=[noting], tell=tell)
    if not 1 <= number <= len(said.alerts):
        raise RunError(f"{folder}: {len(said.alerts)} alerts, no alert {number}")
    alert = said.alerts[number - 1]
    end = alert.t_raised + AFTER_S
    starts: list[tuple[float | None, dict[str, Any] | None]] = [
        (t - BEFORE_S, state if index else None)
        for index, (t, state) in enumerate(notes[0].hands)
        if t <= alert.t
    ]
    piece: Piece | None = None
    for begin, handed in (*reversed(starts), (None, None)):
        if piece is not None:
            shutil.rmtree(out)
        piece = cut(folder, out, begin, end, handed)
        if _gives(piece.folder, alert):
            return replace(piece, same=True)
    assert piece is not None
    return replace(piece, same=False)


def _check_free(out: Path) -> None:
    """A piece that came to nothing is removed with its folder: nothing else may lie there."""
    if (out / "recording.toml").exists():
        raise RunError(f"{out}: already holds a recording")
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise RunError(f"{out}: is no empty folder: name one that is not there yet")


@contextlib.contextmanager
def _whole_or_nothing(out: Path) -> Iterator[None]:
    """The folder of a piece, which is free; after a failure it is as it was, or empty."""
    was_there = out.exists()
    out.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for path in out.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if not was_there:
            out.rmdir()
        raise


def _gives(folder: Path, alert: Alert) -> bool:
    """Whether a piece gives the alert: the same, moment and evidence included."""
    said = replay_recording(folder, io.StringIO())
    return any(to_object(one) == to_object(alert) for one in said.alerts)


def _lines(folder: Path, out: Path, name: str, low: float, high: float, tell: OnEvent) -> None:
    """Copy the lines of that time, where the recording has such a file."""
    if not (folder / name).is_file():
        return

    with (out / name).open("w", encoding="utf-8") as copy:
        for line in told_lines(folder / name, tell):
            if low <= line.data["t"] <= high:
                copy.write(f"{line.text}\n")


def _inside(folder: Path, name: str) -> Path:
    path = Path(name)
    if path.is_absolute() or ".." in path.parts:
        raise RunError(f"{folder / 'recording.toml'}: {name}: lies outside the recording")
    return path


def _pictures(
    source: Source, out: Path, file: Path, low: float, high: float
) -> list[tuple[int, float]]:
    """Write the pictures of that time; their numbers and times."""
    target = out / file.with_suffix("")
    target.mkdir(parents=True, exist_ok=True)
    kept = []
    for frame in source:
        if frame.t > high:
            break
        if frame.t < low:
            continue
        if frame.jpeg is not None:
            (target / f"{frame.seq:06d}.jpg").write_bytes(frame.jpeg)
        else:
            cv2.imwrite(str(target / f"{frame.seq:06d}.png"), frame.image)
        kept.append((frame.seq, frame.t))
    source.close()
    return kept


def _with_times(
    text: str, table: dict[str, Any], out: Path, kept: Sequence[tuple[int, float]]
) -> str:
    """The header's text with the piece's files, and the times written beside them."""
    folder = str(Path(table["file"]).with_suffix(""))
    with (out / f"{folder}.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("frame", "t"))
        rows.writerows((number, repr(t)) for number, t in kept)
    if "times" in table:
        text = re.sub(
            rf'^times\s*=\s*"{re.escape(table["times"])}"\n', "", text, flags=re.MULTILINE
        )
    file_line = rf'^file\s*=\s*"{re.escape(table["file"])}"$'
    return re.sub(file_line, f'file = "{folder}"\ntimes = "{folder}.csv"', text, flags=re.MULTILINE)


def _nothing_handed_over(text: str) -> str:
    """A header's text without the table ``[handed_over]``."""
    table = r"^\[handed_over\][^\n]*\n(?:[^\[\n][^\n]*\n|\n)*"
    return re.sub(table, "", text.rstrip("\n") + "\n", flags=re.MULTILINE)


def _beside(folder: Path, out: Path, header: Header) -> None:
    for name in _files(header):
        path = _inside(folder, name)
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / path, out / path)


def _files(header: Header) -> Iterator[str]:
    if header.table.geometry is not None:
        yield header.table.geometry
    if header.tiles.enrolled is not None:
        yield header.tiles.enrolled
    for camera in header.camera:
        if camera.kept is not None:
            yield camera.kept


def run_cut(
    folder: Path,
    out: Path | None,
    start: float | None,
    end: float | None,
    alert: int | None,
    tell: OnEvent = lambda _: None,
) -> int:
    """``paiguan replay --cut``: cut, and say what came of it.

    Returns:
        The exit code: 1 where the piece does not give the alert by itself.

    Raises:
        RunError: no folder was named, or the piece cannot be cut.
    """
    if out is None:
        raise RunError("--alert: name the folder of the piece with --cut")
    if alert is None:
        piece = cut(folder, out, start, end, tell=tell)
    elif start is not None or end is not None:
        raise RunError("--alert: finds its piece by itself: leave --from and --to away")
    else:
        piece = cut_alert(folder, out, alert, tell)
    text = f"{out}: {piece.start:.1f} to {piece.end:.1f} s, {piece.frames} pictures"
    if piece.same is not None:
        text += "; gives the alert by itself" if piece.same else "; does NOT give the alert"
    sys.stdout.write(text + "\n")
    return 1 if piece.same is False else 0
