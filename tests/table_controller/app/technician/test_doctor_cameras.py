"""What the doctor says of cameras that are not as they should be: one clear line, soon."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from firmware_bridge.doctor import Check
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.camera.renderer import Renderer, random_scene
from hardware.virtual_table.camera.stream import MjpegServer
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from table_controller.app.technician.doctor_cameras import (
    Calibration,
    check_calibration,
    check_cameras,
)
from table_controller.config import Config, ConfigError

SIZE = (960, 540)
FPS = 8.0
"""What arrives in a second is compared with what is wanted: those tests are ``clocked``."""
WORK_S = 1.0
"""Processor time that naming the faults takes at most, the cameras of the test included; the rest
of the time is waiting for pictures, and how long that is depends on who else works."""

Picture = np.ndarray


def as_it_is(picture: Picture) -> Picture:
    return picture


def calibrations(config: Config) -> list[Check]:
    return [check_calibration(Calibration.of(section)) for section in config.camera]


class Table:
    """Two cameras over a table, each with a calibration and the picture kept with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        layout = Layout.load(packaged_geometry("mcr"))
        scene = random_scene(np.random.default_rng(1), layout)
        cameras = [
            overhead(SIZE, name=name, across_mm=layout.surface + 130, at_mm=(x, 0.0))
            for name, x in (("left", -160.0), ("right", 160.0))
        ]
        with RecordingWriter(
            folder, ruleset="mcr-1998", geometry=packaged_geometry("mcr"), cameras=cameras
        ):
            pass
        self.pictures: dict[str, Picture] = {}
        self.servers: dict[str, MjpegServer] = {}
        for seed, camera in enumerate(cameras):
            picture = Renderer(camera, layout, seed=seed).render(scene).copy()
            self.pictures[camera.name] = picture
            cv2.imwrite(str(folder / f"recording-{camera.name}.jpg"), picture)
            self.servers[camera.name] = MjpegServer()
        self.shown: dict[str, str] = {"left": "left", "right": "right"}
        self.change: Callable[[Picture], Picture] = as_it_is
        self.noise = True
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._film, daemon=True)
        self._thread.start()

    def _film(self) -> None:
        rng = np.random.default_rng(0)
        while not self._stop.wait(1 / FPS):
            for name, server in self.servers.items():
                picture = self.pictures[self.shown[name]]
                if self.noise:
                    picture = picture.copy()
                    picture[:4] = rng.integers(0, 255, picture[:4].shape, dtype=np.uint8)
                if name == "left":
                    picture = self.change(picture)
                server.push(np.ascontiguousarray(picture), time.time())

    def config(self, **left: object) -> Config:
        cameras = [
            {"name": name, "source": server.url, "calibration": "recording.toml"}
            for name, server in self.servers.items()
        ]
        cameras[0].update(left)  # type: ignore[arg-type]
        return Config.check(
            {"ruleset": "mcr-1998", "table": {"geometry": "geometry.toml"}, "camera": cameras},
            origin="test",
            base=self.folder,
        )

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        for server in self.servers.values():
            server.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.close()


def found(config: Config) -> dict[str, Check]:
    began = time.process_time()
    checks = {check.what: check for check in check_cameras(config)}
    assert time.process_time() - began < WORK_S
    assert all("\n" not in check.found + check.remedy for check in checks.values())
    return checks


@pytest.mark.clocked
def test_all_is_well(table: Table) -> None:
    checks = found(table.config())
    assert all(check.good for check in checks.values()), checks
    assert set(checks) >= {"camera left", "camera right", "view left", "view right", "light left"}
    assert "hangs as it did" in checks["view right"].found


def smaller(picture: Picture) -> Picture:
    return cv2.resize(picture, (640, 360))


def upside_down(picture: Picture) -> Picture:
    return picture[::-1, ::-1]


def knocked(picture: Picture) -> Picture:
    return cv2.warpAffine(
        picture, np.array([[1, 0, 3.0], [0, 1, -2.0]]), SIZE, borderMode=cv2.BORDER_REPLICATE
    )


def covered(picture: Picture) -> Picture:
    return np.full_like(picture, 90) + (np.arange(SIZE[0]) % 9).astype(np.uint8)[:, None]


def dark(picture: Picture) -> Picture:
    return picture // 8


@pytest.mark.clocked
@pytest.mark.parametrize(
    ("change", "what", "good", "words"),
    [
        (smaller, "camera left", False, "pictures are 640x360, it was calibrated at 960x540"),
        (upside_down, "view left", False, "hangs upside down"),
        (knocked, "view left", True, "its picture moved by"),
        (covered, "view left", False, "moved too far, or its view is blocked"),
        (dark, "light left", False, "mean brightness"),
    ],
)
def test_what_one_camera_shows(
    table: Table, change: Callable[[Picture], Picture], what: str, good: bool, words: str
) -> None:
    table.change = change
    checks = found(table.config())
    assert words in checks[what].found
    assert checks[what].good is good
    assert good or checks[what].remedy
    right = [check for name, check in checks.items() if name.endswith("right")]
    assert all(check.good for check in right), right


@pytest.mark.clocked
def test_two_swapped_cameras(table: Table) -> None:
    table.shown = {"left": "right", "right": "left"}
    checks = found(table.config())
    for name, other in (("left", "right"), ("right", "left")):
        assert checks[f"view {name}"].found == f"shows what camera {other} showed"
        assert checks[f"view {name}"].remedy == "swap their cables or addresses"


@pytest.mark.clocked
def test_a_frozen_picture(table: Table) -> None:
    table.noise = False
    checks = found(table.config())
    assert not checks["camera left"].good
    assert "frozen: the same picture" in checks["camera left"].found


@pytest.mark.clocked
def test_a_camera_that_is_not_there(table: Table) -> None:
    checks = found(table.config(source="http://127.0.0.1:9/video"))
    assert not checks["camera left"].good
    assert checks["camera left"].found == "http://127.0.0.1:9/video: Connection refused"
    assert checks["camera left"].remedy == "check cable, address and power"
    assert checks["camera right"].good


@pytest.mark.clocked
def test_a_camera_whose_cable_is_pulled(table: Table) -> None:
    table.servers["left"].unplug()
    checks = found(table.config())
    assert not checks["camera left"].good
    assert checks["camera right"].good


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ({"calibration": "nothing.toml"}, r"calibration: no such file: .*nothing\.toml"),
        ({"calibration": None}, r"\(left\): not calibrated"),
    ],
)
def test_a_missing_calibration_is_named_before_anything_starts(
    table: Table, left: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        table.config(**left)


@pytest.mark.parametrize(
    ("left", "words"),
    [
        ({"name": "middle"}, "no camera 'middle' in it (there: left, right)"),
        ({"calibration": "geometry.toml"}, "camera: no [[camera]] in it"),
    ],
)
def test_calibrations_that_cannot_be_used(
    table: Table, left: dict[str, object], words: str
) -> None:
    first, second = calibrations(table.config(**left))
    assert not first.good
    assert words in first.found
    assert "paiguan calibrate" in first.remedy
    assert second.good


def test_the_picture_kept_at_calibration_is_asked_for(table: Table) -> None:
    kept = table.folder / "recording-left.jpg"
    kept.unlink()
    first, second = calibrations(table.config())
    assert not first.good
    assert "recording-left.jpg missing" in first.found
    assert second.good
    kept.write_bytes(b"a picture")
    first, _ = calibrations(table.config())
    assert not first.good
    assert "not a picture" in first.found
