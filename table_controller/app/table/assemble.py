"""The rooms of one table, made from its configuration or from a recording's header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from table_controller.app.errors import RunError
from table_controller.app.table.many_cameras import ManyEyed
from table_controller.config import CameraSection, Config
from table_controller.domain.happenings import Seat
from table_controller.game.engine import Engine
from table_controller.game.riichi.rules import rules_of
from table_controller.happenings.setup import Setup
from table_controller.happenings.steadfast import Steadfast
from table_controller.record.recording import Header, RecordingError, kept_name
from table_controller.referee.decisions import Verdicts
from table_controller.rulesets.loader import load
from table_controller.rulesets.model import Ruleset
from vision.apart.parts import EyeParts, Nets, eye_of
from vision.calibration.camera import CameraModel, camera_from_mapping, camera_toml, load_cameras
from vision.checks.watch import Kept, WatchedEye
from vision.geometry import TableGeometry
from vision.merging.one_view import OneView
from vision.nets.enrolled import TileSet
from vision.photo.picture import load_picture


@dataclass(frozen=True)
class Rooms:
    """Eyes, follower and rules of one table.

    Attributes:
        cameras: as they hang now, by name.
        parts: of each camera's eye, by name.
        tiles: the venue's enrolled set, by which the eyes read.
    """

    ruleset: Ruleset
    east: Seat
    geometry: TableGeometry
    cameras: dict[str, CameraModel]
    parts: Mapping[str, EyeParts]
    follower: Steadfast | ManyEyed
    engine: Engine
    tiles: TileSet | None = None

    @cached_property
    def eyes(self) -> Mapping[str, WatchedEye]:
        """The eyes, in this process.

        Raises:
            ModelError: a model cannot be used.
        """
        nets = Nets.load(self.tiles)
        return {name: eye_of(parts, nets, self.moved) for name, parts in self.parts.items()}

    def moved(self, camera: CameraModel) -> None:
        """A camera was knocked and hangs so now."""
        self.cameras[camera.name] = camera
        if isinstance(self.follower, ManyEyed):
            self.follower.moved(camera)

    @classmethod
    def of(cls, config: Config) -> Self:
        """From a configuration."""
        cameras = {section.name: camera_of(section) for section in config.camera}
        kept = {
            name: Kept(cameras[name], load_picture(path))
            for name, path in kept_pictures(config).items()
        }
        geometry = geometry_of(config)
        return cls._made(
            config.ruleset,
            config.east,
            geometry,
            cameras,
            machine=config.machine.port,
            tiles=config.tiles.enrolled,
            kept=kept,
        )

    @classmethod
    def of_recording(cls, folder: Path, header: Header) -> Self:
        """From a recording; its table must have a geometry file or the usual zones."""
        if header.table.geometry is None:
            raise RecordingError(f"{folder / 'recording.toml'}: table.geometry: missing")
        geometry = TableGeometry.load(folder / header.table.geometry)
        _agrees(geometry, header.table.model_dump(exclude={"geometry"}), str(folder))
        cameras = load_cameras(folder / "recording.toml")
        sensors = (folder / "sensors.jsonl").is_file()
        machine = "sensors" if sensors else None
        enrolled = header.tiles.enrolled
        kept = {
            one.name: Kept(cameras[one.name], load_picture(folder / one.kept))
            for one in header.camera
            if one.kept is not None
        }
        return cls._made(
            header.ruleset,
            header.east,
            geometry,
            cameras,
            machine=machine,
            tiles=None if enrolled is None else folder / enrolled,
            kept=kept,
        )

    @classmethod
    def _made(
        cls,
        name: str,
        east: Seat,
        geometry: TableGeometry,
        cameras: Mapping[str, CameraModel],
        *,
        machine: str | None,
        tiles: Path | None,
        kept: Mapping[str, Kept] | None = None,
    ) -> Self:
        ruleset = load(name)
        enrolled = None if tiles is None else TileSet.load(tiles)
        riichi = ruleset.family == "riichi"
        setup = Setup(
            players=ruleset.equipment.players,
            tiles=ruleset.equipment.tiles,
            machine=machine is not None,
            wall_sensors=machine is not None,
            sticks=riichi,
            indicators=riichi,
            replacements=rules_of(ruleset).replacements if riichi else 0,
        )
        pictures = kept or {}
        parts = {
            name: EyeParts(
                camera,
                geometry,
                enrolled,
                pictures.get(name),
                {other: one for other, one in pictures.items() if other != name},
            )
            for name, camera in cameras.items()
        }
        return cls(
            ruleset=ruleset,
            east=east,
            geometry=geometry,
            cameras=dict(cameras),
            parts=parts,
            follower=_follower(Steadfast(geometry, setup), cameras, geometry),
            engine=Engine(ruleset, east=east),
            tiles=enrolled,
        )

    def engine_with(self, verdicts: Verdicts) -> Engine:
        """Fresh rules with the referee's decisions."""
        return Engine(self.ruleset, self.east, verdicts)

    def table_facts(self) -> dict[str, Any]:
        """What the console needs to know once."""
        return {
            "surface_mm": self.geometry.surface_mm,
            "tile_mm": list(self.geometry.tile_mm),
            "ruleset": self.ruleset.name,
            "ruleset_title": {"en": self.ruleset.title, "zh": self.ruleset.title_zh},
            "players": self.ruleset.equipment.players,
        }

    @staticmethod
    def check_same_session(stored: dict[str, Any], wanted: dict[str, Any], path: Path) -> None:
        """A journal goes on only under the ruleset and seats that it was begun with.

        Raises:
            RunError: naming what differs.
        """
        for key, value in wanted.items():
            if stored.get(key) != value:
                raise RunError(
                    f"{path}: holds a session with {key} {stored.get(key)!r}, not {value!r}: "
                    "give another record.dir to begin a new one"
                )


def geometry_of(config: Config) -> TableGeometry:
    """The table's zones as configured.

    Raises:
        VisionInputError: the file cannot be used.
        RunError: a value that is given in the configuration as well is another one there.
    """
    overrides = {
        "surface_mm": config.table.surface_mm,
        "tile_mm": config.table.tile_mm,
        "stacks_per_side": config.table.stacks_per_side,
    }
    geometry = TableGeometry.load(config.table.geometry)
    _agrees(geometry, overrides, str(config.table.geometry))
    return geometry


def picture_beside(calibration: Path, camera: str) -> Path:
    """Where the picture that a calibration rests on is kept."""
    return calibration.with_name(f"{calibration.stem}-{camera}.jpg")


def kept_pictures(config: Config) -> dict[str, Path]:
    """The pictures that the calibrations rest on, by camera, as far as they were kept."""
    beside = {
        section.name: picture_beside(section.calibration, section.name)
        for section in config.camera
        if section.calibration is not None
    }
    return {name: path for name, path in beside.items() if path.is_file()}


def kept_picture(calibration: Path, camera: CameraModel) -> Kept | None:
    """What a camera showed when it was calibrated, if that was kept."""
    path = picture_beside(calibration, camera.name)
    return Kept(camera, load_picture(path)) if path.is_file() else None


def _follower(
    follower: Steadfast, cameras: Mapping[str, CameraModel], geometry: TableGeometry
) -> Steadfast | ManyEyed:
    """Several cameras are one view; what a single one cannot see it says itself."""
    if len(cameras) == 1:
        return follower
    return ManyEyed(follower, OneView(cameras, geometry))


def camera_of(section: CameraSection) -> CameraModel:
    """Lens and pose of a configured camera.

    Raises:
        RunError: the calibration does not hold it.
        VisionInputError: the calibration cannot be used.
    """
    if section.calibration is None:
        return camera_from_mapping(section.model_dump(), f"camera {section.name}")
    cameras = load_cameras(section.calibration)
    if section.name not in cameras:
        known = ", ".join(cameras)
        raise RunError(f"{section.calibration}: no camera {section.name!r} in it (there: {known})")
    return cameras[section.name]


def _agrees(geometry: TableGeometry, given: Mapping[str, Any], where: str) -> None:
    """A value given twice must be the same twice."""
    for key, value in given.items():
        stands = getattr(geometry, key)
        same = value is None or (
            tuple(value) == tuple(stands) if isinstance(value, list | tuple) else value == stands
        )
        if not same:
            raise RunError(f"{where}: table.{key}: {value} here, {stands} in the geometry file")


def header_of(config: Config, rooms: Rooms) -> str:
    """The ``recording.toml`` of a run (contract, section 6).

    Geometry, enrolled tiles and the pictures kept with the calibrations are copied beside it.
    """
    lines = [
        f'ruleset = "{config.ruleset}"',
        f"east = {config.east}",
        "",
        "[table]",
        f"surface_mm = {rooms.geometry.surface_mm}",
        f"tile_mm = {list(rooms.geometry.tile_mm)}",
        f"stacks_per_side = {rooms.geometry.stacks_per_side}",
        'geometry = "geometry.toml"',
        "",
    ]
    if rooms.tiles is not None:
        lines += ["[tiles]", 'enrolled = "tiles.json"', ""]
    kept = kept_pictures(config)
    for name, camera in rooms.cameras.items():
        lines.append(camera_toml(camera) + f'file = "{name}"\ntimes = "{name}.csv"')
        if name in kept:
            lines.append(f'kept = "{kept_name(name)}"')
        lines.append("")
    return "\n".join(lines)
