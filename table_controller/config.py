"""Configuration of one table: a TOML file, checked before anything is opened.

An unknown key, a wrong value or a missing file is refused with one line that names the file and
the place in it.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from firmware_bridge.port import BAUD

Row3 = tuple[float, float, float]
Token = Annotated[str, Field(min_length=16, max_length=200)]


class ConfigError(Exception):
    """What is wrong with a configuration, in one line with the file and the place."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TableSection(_Section):
    """The table itself; ``geometry`` is the file with the zones."""

    surface_mm: Annotated[float, Field(gt=300, lt=2000)] | None = None
    tile_mm: Row3 | None = None
    stacks_per_side: Annotated[int, Field(ge=1, le=27)] | None = None
    geometry: Path


class MachineSection(_Section):
    """The serial link; without ``port`` the table runs on cameras alone."""

    port: str | None = None
    baud: Annotated[int, Field(gt=0)] = BAUD
    spy: Path | None = None
    """Where the raw bytes of the link are logged, for the technician."""
    next_wall: Literal["auto", "ask", "off"] = "auto"
    """Whether the machine is asked for the next wall by itself once the hand is confirmed and the
    table is clear, when the referee says so, or never."""


class CameraSection(_Section):
    """One overhead camera with its calibration (contract, section 6).

    Either ``calibration`` names the file that ``paiguan calibrate`` wrote, or ``size``, ``K``,
    ``dist``, ``R`` and ``t`` stand here.
    """

    name: str = "overhead"
    source: str
    """URL, device number or path, video file, or folder of pictures."""
    times: Path | None = None
    calibration: Path | None = None
    size: tuple[int, int] | None = None
    K: tuple[Row3, Row3, Row3] | None = None
    dist: tuple[float, ...] | None = None
    R: tuple[Row3, Row3, Row3] | None = None
    t: Row3 | None = None


class TilesSection(_Section):
    """The venue's tile set; written by ``paiguan calibrate tiles``."""

    enrolled: Path | None = None


class RecordSection(_Section):
    """Where the journal and the evidence of the session are kept."""

    dir: Path = Path("var/session")
    evidence_limit_mb: Annotated[float, Field(gt=0)] = 2000.0
    evidence_days: Annotated[float, Field(gt=0)] = 30.0
    """How long evidence is kept that no open alert, open hand or protest rests on."""


class ConsoleSection(_Section):
    """The web console; loopback unless told otherwise."""

    enabled: bool = True
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8377
    token: Token | None = None
    """The referee's access token; generated and printed at the start when not given."""
    tokens: dict[Literal["desk", "technician", "organiser", "viewer"], Token] = {}
    """The other roles' tokens; those not given are generated. All generated tokens are kept in
    ``console-tokens.json`` beside the journal, readable by its owner alone."""
    session_hours: Annotated[float, Field(gt=0, le=168)] = 12.0
    viewer_delay_s: Annotated[float, Field(ge=0, le=3600)] = 60.0
    """By how much what viewers see lags behind."""
    tls_cert: Path | None = None
    """Certificate (PEM); with ``tls_key`` the console speaks HTTPS."""
    tls_key: Path | None = None


class VenueSection(_Section):
    """The venue this table belongs to; without it the table is on its own.

    ``record.dir`` then holds a folder for each session.
    """

    name: str
    table: str
    servers: Annotated[tuple[str, ...], Field(min_length=1)]
    """``tls://host:port`` of the message servers; any of them will do."""
    credentials: Path
    """The table's key, made by ``paiguan venue add-table``."""
    ca: Path
    """The venue's root certificate, which came with it."""
    linger_s: Annotated[float, Field(ge=0, le=10)] = 2.0
    """What is not urgent waits so long for company before it is sent."""


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file, decoded.

    Raises:
        ConfigError: one line that names the file.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None


class Config(_Section):
    """The whole configuration of one table."""

    ruleset: str
    east: Literal[0, 1, 2, 3] = 0
    table: TableSection
    machine: MachineSection = MachineSection()
    camera: Annotated[tuple[CameraSection, ...], Field(min_length=1)]
    tiles: TilesSection = TilesSection()
    record: RecordSection = RecordSection()
    console: ConsoleSection = ConsoleSection()
    venue: VenueSection | None = None

    @classmethod
    def load(cls, path: Path) -> Config:
        """Read and check a file; paths in it are relative to its folder.

        Raises:
            ConfigError: one line that names the file and the key.
        """
        data = read_toml(path)
        return cls.check(data, origin=str(path), base=path.parent)

    @classmethod
    def check(cls, data: dict[str, Any], *, origin: str, base: Path) -> Config:
        """Check decoded TOML and resolve its paths against ``base``."""
        try:
            config = cls.model_validate(data)
        except ValidationError as error:
            raise ConfigError(f"{origin}: {_explain(error)}") from None
        config = _resolved(config, base)
        _check_files(config, origin)
        return config


def _resolved(config: Config, base: Path) -> Config:
    def at(path: Path | None) -> Path | None:
        return None if path is None else base / path

    cameras = tuple(
        camera.model_copy(
            update={
                "calibration": at(camera.calibration),
                "times": at(camera.times),
                "source": str(base / camera.source)
                if (base / camera.source).exists()
                else camera.source,
            }
        )
        for camera in config.camera
    )
    return config.model_copy(
        update={
            "table": config.table.model_copy(update={"geometry": base / config.table.geometry}),
            "camera": cameras,
            "tiles": config.tiles.model_copy(update={"enrolled": at(config.tiles.enrolled)}),
            "record": config.record.model_copy(update={"dir": base / config.record.dir}),
            "machine": config.machine.model_copy(update={"spy": at(config.machine.spy)}),
            "venue": config.venue
            and config.venue.model_copy(
                update={
                    "credentials": base / config.venue.credentials,
                    "ca": base / config.venue.ca,
                }
            ),
            "console": config.console.model_copy(
                update={
                    "tls_cert": at(config.console.tls_cert),
                    "tls_key": at(config.console.tls_key),
                }
            ),
        }
    )


def _check_files(config: Config, origin: str) -> None:
    if not config.table.geometry.is_file():
        raise ConfigError(f"{origin}: table.geometry: no such file: {config.table.geometry}")
    enrolled = config.tiles.enrolled
    if enrolled is not None and not enrolled.is_file():
        raise ConfigError(f"{origin}: tiles.enrolled: no such file: {enrolled}")
    for key in ("tls_cert", "tls_key"):
        given, other = getattr(config.console, key), "tls_key" if key == "tls_cert" else "tls_cert"
        if given is not None and not given.is_file():
            raise ConfigError(f"{origin}: console.{key}: no such file: {given}")
        if given is not None and getattr(config.console, other) is None:
            raise ConfigError(f"{origin}: console.{other}: missing")
    names = [camera.name for camera in config.camera]
    for number, camera in enumerate(config.camera):
        if names.count(camera.name) > 1:
            raise ConfigError(f"{origin}: camera.{number}.name: {camera.name!r} is used twice")
        inline = (camera.size, camera.K, camera.dist, camera.R, camera.t)
        if camera.calibration is None and None in inline:
            raise ConfigError(
                f"{origin}: camera.{number} ({camera.name}): not calibrated: give calibration, "
                "or size, K, dist, R and t"
            )
        if camera.calibration is not None and not camera.calibration.is_file():
            raise ConfigError(
                f"{origin}: camera.{number}.calibration: no such file: {camera.calibration}"
            )


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_url=False)
    # A misspelt key is both unknown and missing: the unknown one is what to look at.
    first = next((p for p in problems if p["type"] == "extra_forbidden"), problems[0])
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"{place}: unknown key"
    if first["type"] == "missing":
        return f"{place}: missing"
    message: str = first["msg"]
    return f"{place}: {message[0].lower()}{message[1:]}"
