"""A machine and a camera on the bench, for tests of a live table."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.camera.renderer import Renderer, random_scene
from hardware.virtual_table.camera.stream import MjpegServer
from hardware.virtual_table.machine.virtual import VirtualMachine
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from table_controller.config import Config

FPS = 5.0


class Bench:
    """A machine and a camera over a table on which nothing moves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        layout = Layout.load(packaged_geometry("mcr"))
        camera = overhead((960, 540), name="top", across_mm=layout.surface + 130)
        with RecordingWriter(
            folder,
            ruleset="mcr-1998",
            geometry=packaged_geometry("mcr"),
            cameras=[camera],
            east=0,
        ):
            pass
        scene = random_scene(np.random.default_rng(1), layout)
        self.frame = Renderer(camera, layout, seed=1).render(scene).copy()
        self.camera = MjpegServer()
        self.machine = VirtualMachine(link_path=folder / "port", seed=1)
        self.machine.start()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._film, daemon=True)
        self._thread.start()

    def _film(self) -> None:
        rng = np.random.default_rng(0)
        while not self._stop.wait(1 / FPS):
            # Sensor noise: a picture that never changes at all would be a frozen camera.
            noisy = self.frame.copy()
            noisy[:8] = rng.integers(0, 255, noisy[:8].shape, dtype=np.uint8)
            self.camera.push(noisy, time.time())

    def config(self) -> Config:
        return Config.check(
            {
                "ruleset": "mcr-1998",
                "table": {"geometry": "geometry.toml"},
                "machine": {"port": self.machine.url},
                "camera": [
                    {"name": "top", "source": self.camera.url, "calibration": "recording.toml"}
                ],
                "record": {"dir": "session"},
                "console": {"enabled": False},
            },
            origin="test",
            base=self.folder,
        )

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.camera.close()
        self.machine.stop()
