"""Recordings of the virtual table (contract, section 6)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import numpy as np
from numpy.typing import NDArray

from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.stream import encode
from hardware.virtual_table.play.layout import Layout


def _toml_numbers(values: NDArray[np.float64]) -> str:
    if values.ndim > 1:
        return "[" + ", ".join(_toml_numbers(row) for row in values) + "]"
    # repr keeps every digit: the pose read back is the pose the frames were made with
    return "[" + ", ".join(repr(float(v)) for v in values) + "]"


def camera_toml(camera: Camera, file: str, times: str) -> str:
    """A ``[[camera]]`` table of ``recording.toml``."""
    return (
        "[[camera]]\n"
        f"name = {json.dumps(camera.name)}\n"
        f"file = {json.dumps(file)}\n"
        f"times = {json.dumps(times)}\n"
        f"size = [{camera.size[0]}, {camera.size[1]}]\n"
        f"K = {_toml_numbers(camera.K)}\n"
        f"dist = {_toml_numbers(camera.dist)}\n"
        f"R = {_toml_numbers(camera.R)}\n"
        f"t = {_toml_numbers(camera.t)}\n"
    )


class RecordingWriter:
    """Writes one recording: pictures, sensors and the truth, each flushed as it comes."""

    def __init__(
        self,
        directory: Path | str,
        *,
        ruleset: str,
        geometry: Path | str,
        cameras: Sequence[Camera],
        east: int = 0,
        quality: int = 88,
    ) -> None:
        """Creates the directory and its ``recording.toml``.

        Args:
            directory: must not hold a recording yet.
            ruleset: its name.
            geometry: the file with the table's zones; copied into the recording.
            cameras: the cameras whose pictures will come.
            east: the side that is East.
            quality: of the JPEGs made from pictures.

        Raises:
            FileExistsError: the directory holds a recording already.
        """
        self.directory = Path(directory)
        header = self.directory / "recording.toml"
        if header.exists():
            raise FileExistsError(f"{header}: there is a recording already")
        layout = Layout.load(geometry)
        self.directory.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(geometry, self.directory / "geometry.toml")
        self._quality = quality
        self._numbers: dict[str, int] = {}
        self._times: dict[str, TextIO] = {}
        tables = []
        for camera in cameras:
            (self.directory / camera.name).mkdir(exist_ok=True)
            times = f"{camera.name}.csv"
            file = (self.directory / times).open("w", encoding="utf-8", newline="")
            file.write("frame,t\n")
            self._times[camera.name] = file
            self._numbers[camera.name] = 0
            tables.append(camera_toml(camera, camera.name, times))
        tile = ", ".join(f"{v:g}" for v in (layout.tile_w, layout.tile_h, layout.tile_d))
        header.write_text(
            f"ruleset = {json.dumps(ruleset)}\neast = {east}\n\n[table]\n"
            f"surface_mm = {layout.surface:g}\ntile_mm = [{tile}]\n"
            f'stacks_per_side = {layout.stacks_per_side}\ngeometry = "geometry.toml"\n\n'
            + "\n".join(tables),
            encoding="utf-8",
        )
        self._sensors = (self.directory / "sensors.jsonl").open("w", encoding="utf-8")
        self._truth = (self.directory / "truth.jsonl").open("w", encoding="utf-8")

    def frame(self, camera: str, t: float, picture: NDArray[np.uint8] | bytes) -> Path:
        """Keep a picture (BGR, or a JPEG as it is) taken at ``t``; returns its file."""
        number = self._numbers[camera] + 1
        self._numbers[camera] = number
        path = self.directory / camera / f"{number:06d}.jpg"
        data = picture if isinstance(picture, bytes) else encode(picture, self._quality)
        path.write_bytes(data)
        times = self._times[camera]
        times.write(f"{number},{t:.6f}\n")
        times.flush()
        return path

    def sensor(self, line: Mapping[str, Any]) -> None:
        """Keep a decoded reading; it carries its ``t``."""
        _write(self._sensors, line)

    def truth(self, line: Mapping[str, Any]) -> None:
        """Keep a true happening or ``{"t", "kind": "infraction", "id", "seat"}``."""
        _write(self._truth, line)

    def close(self) -> None:
        """Close all files."""
        for file in (*self._times.values(), self._sensors, self._truth):
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _write(file: TextIO, line: Mapping[str, Any]) -> None:
    if "t" not in line:
        raise ValueError(f"a line without its time: {dict(line)}")
    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    file.flush()
