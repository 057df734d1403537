"""Recorded camera sources: every frame in order, the same each time (contract, section 6)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from vision.calibration.camera import CameraModel, camera_from_mapping
from vision.cameras.sources import (
    Frame,
    OnEvent,
    Source,
    SourceState,
    SourceStats,
    open_source,
)
from vision.errors import VisionInputError
from vision.image import Image
from vision.tomlfile import read_toml


def read_times(path: Path) -> dict[int, float]:
    """Frame numbers to times from a CSV with the header ``frame,t``.

    A last line that was cut short, as by the end of a run that was killed, is left out.

    Raises:
        VisionInputError: names the file and the line.
    """
    return _times_and_cut(path)[0]


def _times_and_cut(path: Path) -> tuple[dict[int, float], str | None]:
    """As :func:`read_times`, and what is to be told of a last line that was cut short."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise VisionInputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise VisionInputError(f"{path}: is no text file") from None
    times: dict[int, float] = {}
    cut: str | None = None
    rows = csv.reader(io.StringIO(text, newline=""))
    endless = None if text.endswith("\n") else text.count("\n") + 1
    if [cell.strip() for cell in next(rows, [])] != ["frame", "t"]:
        raise VisionInputError(f"{path}: line 1: the header must be frame,t")
    for row in rows:
        try:
            number, t = _row(row, times)
            # A time that was cut comes before its own moment: after the picture before it does
            # no harm, and other programs may leave the end of the last line away.
            if rows.line_num == endless and t <= max(times.values(), default=t - 1):
                raise ValueError("not after the time before it")
        except ValueError as error:
            if rows.line_num != endless:
                raise VisionInputError(f"{path}: line {rows.line_num}: {error}") from None
            cut = f"{path}: line {rows.line_num} is cut short and left out"
        else:
            times[number] = t
    if not times:
        raise VisionInputError(f"{path}: no frames in it")
    return times, cut


def _row(row: list[str], before: Mapping[int, float]) -> tuple[int, float]:
    """Number and time of a line.

    Raises:
        ValueError: says what is wrong with it.
    """
    try:
        number, t = int(row[0]), float(row[1])
    except (ValueError, IndexError):
        raise ValueError("not a frame number and a time") from None
    if not np.isfinite(t) or number in before:
        raise ValueError(f"frame {number} twice or without a time")
    return number, t


_Picture = Image | bytes
"""A picture, or a JPEG that is decoded when somebody looks."""


class _RecordedSource(Source):
    """Common part: checks sizes and times, counts, ends."""

    def __init__(
        self,
        camera: str,
        size: tuple[int, int] | None,
        on_event: OnEvent | None,
    ) -> None:
        super().__init__(camera, on_event)
        self._size = size
        self._stats = SourceStats()
        self._last: float | None = None
        self._wrong_size = False
        self._ended = False
        self._pictures: Iterator[tuple[int, float, _Picture | None]] | None = None
        self._cut: str | None = None

    def _open(self) -> Iterator[tuple[int, float, _Picture | None]]:
        """Frame number, time and picture (None: missing or broken) in order."""
        raise NotImplementedError

    def next(self, timeout: float | None = None) -> Frame | None:  # noqa: ARG002
        """The next frame, None at the end; never waits."""
        if self._pictures is None:
            self._pictures = self._open()
        while not self._ended:
            item = next(self._pictures, None)
            if item is None:
                self.close()
                self._tell(self._last or 0.0, SourceState.ENDED, "end of the recording")
                return None
            number, t, picture = item
            stats = self._stats
            self._stats = replace(stats, received=stats.received + 1)
            if picture is None:
                continue
            frame = self._frame(t, number, picture)
            if frame is not None and self._acceptable(t, frame.size):
                self._last = t
                self._stats = replace(self._stats, delivered=stats.delivered + 1)
                return frame
        return None

    def _frame(self, t: float, number: int, picture: _Picture) -> Frame | None:
        try:
            if isinstance(picture, bytes):
                if b"\xff\xd9" not in picture[-64:]:
                    raise ValueError("cut short")
                frame = Frame(t, self.camera, None, number, jpeg=picture)
            else:
                frame = Frame(t, self.camera, picture, number)
            if self.decodes:
                frame.decode()
        except ValueError:
            self._missing(t, f"{self._where}: picture {number} cannot be decoded")
            return None
        return frame

    _where: Path | str = ""

    def _acceptable(self, t: float, size: tuple[int, int]) -> bool:
        if self._last is not None and t <= self._last:
            self._tell(
                self._last,
                SourceState.TIMES_BACKWARDS,
                f"a picture of {t:.3f} s after one of {self._last:.3f} s was left out",
            )
            return False
        if self._size is not None and size != self._size:
            if not self._wrong_size:
                self._wrong_size = True
                self._tell(
                    t,
                    SourceState.WRONG_SIZE,
                    f"pictures are {size[0]}x{size[1]}, expected {self._size[0]}x{self._size[1]}",
                )
            return False
        self._wrong_size = False
        return True

    def _tell_cut(self, times: Mapping[int, float]) -> None:
        if self._cut is not None:
            self._missing(max(times.values()), self._cut)

    def _missing(self, t: float, detail: str) -> None:
        self._stats = replace(self._stats, broken=self._stats.broken + 1)
        self._tell(t, SourceState.CUT_SHORT, detail)

    @property
    def ended(self) -> bool:
        """True after the last frame."""
        return self._ended

    @property
    def stats(self) -> SourceStats:
        """Counts since opening."""
        return self._stats

    def close(self) -> None:
        """Stop; the recording is not read further."""
        self._ended = True
        if self._pictures is not None:
            self._pictures = iter(())


class FolderSource(_RecordedSource):
    """A folder of pictures whose names end in their frame number."""

    def __init__(
        self,
        folder: Path,
        camera: str,
        size: tuple[int, int] | None,
        times: Path | None,
        on_event: OnEvent | None = None,
    ) -> None:
        super().__init__(camera, size, on_event)
        self._files: dict[int, Path] = {}
        for path in sorted(folder.iterdir()):
            match = re.search(r"(\d+)$", path.stem)
            if match and path.suffix.lower() in {".jpg", ".jpeg", ".png"}:
                self._files[int(match[1])] = path
        if not self._files:
            raise VisionInputError(f"{folder}: no numbered JPEG or PNG pictures in it")
        if times is None:
            raise VisionInputError(f"{folder}: no times.csv for its pictures")
        self._times, self._cut = _times_and_cut(times)
        self._where = folder

    def _open(self) -> Iterator[tuple[int, float, _Picture | None]]:
        for number, t in sorted(self._times.items()):
            path = self._files.get(number)
            picture = None if path is None else _read(path)
            if picture is None:
                what = "is missing" if path is None else "cannot be decoded"
                self._missing(t, f"{self._where}: picture {number} {what}")
            yield number, t, picture
        self._tell_cut(self._times)


def _read(path: Path) -> _Picture | None:
    """The bytes of a JPEG, any other picture decoded; None where it cannot be."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if data[:2] == b"\xff\xd8":
        return data
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    return None if image is None else np.asarray(image, dtype=np.uint8)


class VideoSource(_RecordedSource):
    """A video file; times from a CSV (its rows are the pictures in order) or the frame rate."""

    def __init__(
        self,
        path: Path,
        camera: str,
        size: tuple[int, int] | None,
        times: Path | None,
        on_event: OnEvent | None = None,
    ) -> None:
        super().__init__(camera, size, on_event)
        self._path = path
        self._times: dict[int, float] | None = None
        if times is not None:
            self._times, self._cut = _times_and_cut(times)
        capture = cv2.VideoCapture(str(path))
        if not capture.isOpened():
            raise VisionInputError(f"{path}: cannot be opened as a video")
        self._fps = float(capture.get(cv2.CAP_PROP_FPS))
        self._capture = capture
        if self._times is None and not self._fps > 0:
            raise VisionInputError(f"{path}: neither times nor a frame rate")

    def _open(self) -> Iterator[tuple[int, float, _Picture | None]]:
        rows = None if self._times is None else sorted(self._times.items())
        index = 0
        while rows is None or index < len(rows):
            ok, image = self._capture.read()
            if not ok:
                break
            number, t = (index, index / self._fps) if rows is None else rows[index]
            yield number, t, np.asarray(image, dtype=np.uint8)
            index += 1
        if rows is not None and index < len(rows):
            self._missing(rows[index][1], f"{self._path}: ends {len(rows) - index} pictures early")
        self._tell_cut(self._times or {})

    def close(self) -> None:
        """Stop and let go of the file."""
        super().close()
        self._capture.release()


@dataclass(frozen=True, slots=True)
class RecordedCamera:
    """A camera of a recording: its model and its frames."""

    model: CameraModel
    source: Source


def open_recording(folder: Path | str, on_event: OnEvent | None = None) -> list[RecordedCamera]:
    """The cameras of a recording (contract, section 6) in the order of ``recording.toml``.

    Raises:
        VisionInputError: the folder or a key of its ``recording.toml`` cannot be used.
    """
    folder = Path(folder)
    path = folder / "recording.toml"
    tables = read_toml(path).get("camera")
    if not isinstance(tables, list) or not tables:
        raise VisionInputError(f"{path}: camera: no [[camera]] in it")
    cameras = []
    for index, table in enumerate(tables):
        place = f"{path}: camera.{index}"
        model = camera_from_mapping(table, place)
        file, times = table.get("file"), table.get("times")
        if not isinstance(file, str):
            raise VisionInputError(f"{place}.file: missing")
        if times is not None and not isinstance(times, str):
            raise VisionInputError(f"{place}.times: must be the name of a CSV file")
        source = open_source(
            folder / file,
            camera=model.name,
            size=model.size,
            times=None if times is None else folder / times,
            on_event=on_event,
        )
        cameras.append(RecordedCamera(model, source))
    return cameras
