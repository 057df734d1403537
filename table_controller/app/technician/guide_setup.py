"""Which camera the guide calibrates: from a configuration that has no calibration yet."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from table_controller.app.errors import RunError
from table_controller.config import Config, read_toml
from vision.calibration.camera import load_cameras
from vision.errors import VisionInputError
from vision.geometry import TableGeometry

_UNKNOWN: Final = {
    "size": [1, 1],
    "K": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "dist": [],
    "R": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "t": [0.0, 0.0, 0.0],
}
"""Stands for a calibration that is about to be made."""


@dataclass(frozen=True, slots=True)
class Job:
    """What the guide calibrates.

    Attributes:
        name: of the camera.
        source: its address, device or folder.
        times: of a recorded source.
        out: the calibration file.
        named: the configuration names that file.
        zones: the table's geometry.
        surface_mm: side of the playing surface.
    """

    name: str
    source: str
    times: Path | None
    out: Path
    named: bool
    zones: TableGeometry
    surface_mm: float


def job_of(
    path: Path, name: str | None = None, out: Path | None = None, surface_mm: float | None = None
) -> Job:
    """What is to be done for a table's configuration.

    Args:
        path: the configuration; it may name calibrations that are not there yet.
        name: of the camera; by default the first that is not calibrated yet.
        out: where to write; by default what the configuration names, else ``calibration.toml``
            beside it.
        surface_mm: side of the playing surface; by default as the configuration or the geometry
            says.

    Raises:
        ConfigError: the configuration cannot be used.
        VisionInputError: the geometry cannot.
        RunError: there is no such camera, or none that is not calibrated.
    """
    data = read_toml(path)
    files = {
        str(camera.get("name", "overhead")): path.parent / str(camera["calibration"])
        for camera in _cameras(data)
        if "calibration" in camera
    }
    config = Config.check(_without(data), origin=str(path), base=path.parent)
    zones = TableGeometry.load(config.table.geometry)
    names = [section.name for section in config.camera]
    if name is None:
        name = next((n for n in names if not _calibrated(n, files.get(n))), None)
        if name is None:
            raise RunError(
                f"{path}: all its cameras are calibrated: give --camera NAME (there: "
                f"{', '.join(names)}) after removing it from its calibration file"
            )
    if name not in names:
        raise RunError(f"{path}: no camera {name!r} in it (there: {', '.join(names)})")
    section = config.camera[names.index(name)]
    target = out or files.get(name) or path.parent / "calibration.toml"
    return Job(
        name,
        section.source,
        section.times,
        target,
        target == files.get(name),
        zones,
        surface_mm or config.table.surface_mm or zones.surface_mm,
    )


def _cameras(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The camera tables, as far as they are tables; what is wrong is said by the check."""
    tables = data.get("camera")
    return [t for t in tables if isinstance(t, dict)] if isinstance(tables, list) else []


def _without(data: dict[str, Any]) -> dict[str, Any]:
    """The same, every camera with something in the place of its calibration."""
    out = deepcopy(data)
    for camera in _cameras(out):
        camera.pop("calibration", None)
        camera.update(_UNKNOWN)
    return out


def _calibrated(name: str, file: Path | None) -> bool:
    """Whether a camera has a calibration that can be read."""
    try:
        return file is not None and name in load_cameras(file)
    except VisionInputError:
        return False
