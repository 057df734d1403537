"""A live table whose cables are pulled: shown at once, mended by itself, nothing lost."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.camera.recording import RecordingWriter
from hardware.virtual_table.camera.renderer import Renderer, random_scene
from hardware.virtual_table.camera.stream import MjpegServer
from hardware.virtual_table.machine.virtual import VirtualMachine
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from table_controller.app.errors import RunError
from table_controller.app.running.live import LiveRun
from table_controller.app.running.replay import replay_recording
from table_controller.config import Config
from table_controller.record.journal import EntryKind, Journal

pytestmark = pytest.mark.clocked

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


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path)
    yield bench
    bench.close()


def notes(run: LiveRun) -> list[str]:
    return [entry.body["text"] for entry in run.journal.entries([EntryKind.NOTE])]


def calls(run: LiveRun) -> list[tuple[int, str]]:
    return [(h.seat, h.call) for h in run.collected.happenings if h.kind == "call"]


def until(run: LiveRun, what: Callable[[], bool], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, (notes(run), calls(run))
        run.step()


def test_a_pulled_machine_cable_loses_no_key(bench: Bench) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: any("machine connected" in text for text in notes(run)))
        bench.machine.press_key(2, "win")
        until(run, lambda: calls(run) == [(2, "win")])
        bench.machine.unplug()
        until(run, lambda: any("machine lost" in text for text in notes(run)), 3.0)
        bench.machine.press_key(1, "kong")
        for _ in range(3):
            run.step()
        assert calls(run) == [(2, "win")]
        bench.machine.plug()
        until(run, lambda: calls(run) == [(2, "win"), (1, "kong")])
    finally:
        run.close()


def test_a_lost_camera_is_named_and_comes_back(bench: Bench) -> None:
    run = LiveRun(bench.config(), title="test", live=False)
    try:
        until(run, lambda: run.controller.counters.frames > 3)
        bench.camera.unplug()
        until(run, lambda: any("camera top lost" in text for text in notes(run)), 5.0)
        bench.machine.press_key(3, "referee")
        until(run, lambda: calls(run) == [(3, "referee")])
        # A camera that is back within 1.2 s has missed nothing that would be told.
        gone = time.monotonic()
        until(run, lambda: time.monotonic() > gone + 2.0)
        seen = run.controller.counters.frames
        bench.camera.plug()
        until(run, lambda: run.controller.counters.frames > seen + 2)
        assert sum("camera top connected" in text for text in notes(run)) >= 2
        until(run, lambda: any(h.kind == "not_looked" for h in run.collected.happenings))
    finally:
        run.close()


def test_what_a_run_records_can_be_replayed(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    run = LiveRun(bench.config(), title="test", live=False, record=folder)
    try:
        until(run, lambda: run.controller.counters.frames > 3)
    finally:
        run.close()
    lines = io.StringIO()
    replay_recording(folder, lines)
    assert len(list((folder / "top").iterdir())) > 3


def test_a_session_goes_on_only_as_it_began(bench: Bench) -> None:
    with Journal.open(bench.folder / "session" / "journal.db") as journal:
        journal.append([(1.0, EntryKind.SESSION, {"ruleset": "mcr-2006-du", "east": 0})])
    with pytest.raises(RunError, match="ruleset 'mcr-2006-du', not 'mcr-1998'"):
        LiveRun(bench.config(), title="test", live=False)
