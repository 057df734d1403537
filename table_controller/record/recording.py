"""Recordings (contract, section 6): what is known of one, and how a run writes one.

The pictures are read by :mod:`vision.cameras.recorded`; here stand the header, the sensor lines
and the writer.
"""

from __future__ import annotations

import json
import queue
import shutil
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TextIO

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from table_controller.domain.happenings import TableSet
from vision.errors import first_problem

SENSORS: Final = "sensors.jsonl"
"""What the machine and its sensors said."""
_QUEUE: Final = 60


class RecordingError(Exception):
    """A recording that cannot be read or written; one line names file and place."""


class TableHeader(BaseModel):
    """``[table]`` of a recording."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    surface_mm: float | None = None
    tile_mm: tuple[float, float, float] | None = None
    stacks_per_side: int | None = None
    geometry: str | None = None


class TilesHeader(BaseModel):
    """``[tiles]`` of a recording."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enrolled: str | None = None


class HandedOver(BaseModel):
    """``[handed_over]``: the state of the game where the recording begins, as ``table_set``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    round_wind: Literal["E", "S", "W", "N"] = "E"
    dealer: Literal[0, 1, 2, 3] = 0
    hand: int = 1
    honba: int = 0
    sticks: int = 0
    scores: tuple[int, ...] | None = None

    def happening(self, t: float) -> TableSet:
        """As it is told to the rules."""
        return TableSet(t=t, **self.model_dump())


class CameraHeader(BaseModel):
    """What a ``[[camera]]`` holds beside lens, pose and pictures."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    kept: str | None = None


class Header(BaseModel):
    """``recording.toml`` without the lenses, poses and pictures of its cameras."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    ruleset: str
    east: Literal[0, 1, 2, 3] = 0
    table: TableHeader = TableHeader()
    tiles: TilesHeader = TilesHeader()
    handed_over: HandedOver | None = None
    camera: tuple[CameraHeader, ...] = ()


def read_header(folder: Path) -> Header:
    """The header of a recording.

    Raises:
        RecordingError: there is none, or a key in it is wrong.
    """
    path = folder / "recording.toml"
    try:
        return Header.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecordingError(f"{path}: not TOML: {error}") from None
    except ValidationError as error:
        raise RecordingError(first_problem(path, error)) from None


@dataclass(frozen=True, slots=True)
class TimedLine:
    """A line of a recording that says what was at a time.

    Attributes:
        number: of the line, from 1.
        text: as it stands there, without its end.
        data: what it says, ``t`` among it.
    """

    number: int
    text: str
    data: dict[str, Any]


def timed_lines(path: Path, tell: Callable[[str], None] = lambda _: None) -> Iterator[TimedLine]:
    """The lines of a file of JSON objects with a time, in order; none where there is no file.

    A last line that was cut short, as by the end of a run that was killed, is left out.

    Args:
        path: of the file.
        tell: told, in a line of text, that the last line was left out.

    Raises:
        RecordingError: naming the line that is no JSON object with a time.
    """
    if not path.is_file():
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                text = line.decode()
                data = json.loads(text)
            except (ValueError, RecursionError) as error:
                if not line.endswith(b"\n"):
                    tell(f"{path}:{number}: the last line is cut short and left out")
                    return
                why = f"cannot be read: {error}"
                if isinstance(error, json.JSONDecodeError):
                    why = f"not JSON: {error.msg}"
                raise RecordingError(f"{path}:{number}: {why}") from None
            if not isinstance(data, dict) or not isinstance(data.get("t"), int | float):
                raise RecordingError(f"{path}:{number}: not an object with a time t")
            yield TimedLine(number, text.rstrip("\r\n"), data)


def read_sensors(
    folder: Path, tell: Callable[[str], None] = lambda _: None
) -> Iterator[dict[str, Any]]:
    """What the lines of ``sensors.jsonl`` say; see :func:`timed_lines`."""
    for line in timed_lines(folder / SENSORS, tell):
        yield line.data


def handed_over_toml(state: Mapping[str, Any]) -> str:
    """The table ``[handed_over]`` that says a state of the rules, given as plain data."""
    keys = [key for key in HandedOver.model_fields if key in state]
    return "\n".join(
        ["", "[handed_over]", *(f"{key} = {json.dumps(state[key])}" for key in keys), ""]
    )


def kept_name(camera: str) -> str:
    """Under what name the picture that a camera's calibration rests on lies beside the header."""
    return f"{camera}-kept.jpg"


def _compressed(image: NDArray[np.uint8]) -> bytes:
    ok, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])
    if not ok:
        raise OSError(0, "picture cannot be compressed")
    return bytes(data)


class RecordingWriter:
    """Writes a recording while the table runs; compressing and writing is done by a thread.

    A disk that is full or too slow loses frames of the recording, never of the game: what could
    not be written is counted in ``lost``, and ``error`` says why. Lines are written as they come:
    a run that is killed loses no more than the pictures still queued.

    Args:
        folder: made if it is not there; must not hold a recording already.
        header: text of ``recording.toml`` with one ``[[camera]]`` per camera whose ``file`` and
            ``times`` are ``<name>`` and ``<name>.csv``.
        cameras: their names.
        geometry: the file with the zones, copied beside the header as ``geometry.toml``.
        tiles: the enrolled tile set, copied beside the header as ``tiles.json``.
        kept: by camera, the picture that its calibration rests on; copied beside the header as
            ``<name>-kept.jpg``, which is to stand there as ``kept``.
    """

    def __init__(
        self,
        folder: Path,
        header: str,
        cameras: list[str],
        geometry: Path | None = None,
        tiles: Path | None = None,
        kept: Mapping[str, Path] | None = None,
    ) -> None:
        if (folder / "recording.toml").exists():
            raise RecordingError(f"{folder}: already holds a recording")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "recording.toml").write_text(header, encoding="utf-8")
        if geometry is not None:
            shutil.copyfile(geometry, folder / "geometry.toml")
        if tiles is not None:
            shutil.copyfile(tiles, folder / "tiles.json")
        for name, picture in (kept or {}).items():
            shutil.copyfile(picture, folder / kept_name(name))
        self._folder = folder
        self.lost = 0
        self.error: str | None = None
        self._sensors = (folder / "sensors.jsonl").open("w", encoding="utf-8", buffering=1)
        self._times: dict[str, TextIO] = {}
        self._count: dict[str, int] = {}
        for name in cameras:
            (folder / name).mkdir(exist_ok=True)
            self._times[name] = (folder / f"{name}.csv").open("w", encoding="utf-8", buffering=1)
            self._times[name].write("frame,t\n")
            self._count[name] = 0
        self._queue: queue.Queue[tuple[float, str, NDArray[np.uint8] | bytes] | None] = queue.Queue(
            _QUEUE
        )
        self._thread = threading.Thread(target=self._work, name="recording", daemon=True)
        self._thread.start()

    def frame(self, t: float, camera: str, image: NDArray[np.uint8] | bytes) -> None:
        """Take a frame, which must not be changed afterwards; a JPEG is written as it came."""
        try:
            self._queue.put_nowait((t, camera, image))
        except queue.Full:
            self.lost += 1

    def sensor(self, line: dict[str, Any]) -> None:
        """Take a sensor line (contract, section 6)."""
        try:
            self._sensors.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            self.error = f"{self._folder}: {error.strerror or error}"

    def hand_over(self, state: Mapping[str, Any]) -> None:
        """Write into the header with which state of the rules, as plain data, the game goes on."""
        path = self._folder / "recording.toml"
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(handed_over_toml(state))
        except OSError as error:
            self.error = f"{path}: {error.strerror or error}"

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            t, camera, image = item
            number = self._count[camera]
            # What failed keeps its number: its line may still be written, with the next one.
            self._count[camera] = number + 1
            path = self._folder / camera / f"{number:06d}.jpg"
            try:
                path.write_bytes(image if isinstance(image, bytes) else _compressed(image))
                self._times[camera].write(f"{number},{t!r}\n")
            except OSError as error:
                self.lost += 1
                self.error = f"{path}: {error.strerror or error}"

    def close(self) -> None:
        """Write what is queued and close the files."""
        self._queue.put(None)
        self._thread.join()
        for file in (*self._times.values(), self._sensors):
            try:
                file.close()
            except OSError as error:
                self.error = f"{self._folder}: {error.strerror or error}"
