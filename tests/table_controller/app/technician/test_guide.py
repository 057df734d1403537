"""One person calibrates a camera step by step: every step, and what may go wrong in it."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from hardware.virtual_table.camera.optics import Camera
from hardware.virtual_table.camera.renderer import Look
from hardware.virtual_table.camera.stream import MjpegServer
from hardware.virtual_table.play.layout import Layout, packaged_geometry
from hardware.virtual_table.scene import Scene
from table_controller import calibrate_cli
from table_controller.app.errors import RunError
from table_controller.app.technician import guided
from table_controller.app.technician.guide import Said, Setup, State, Step, answered, pictured
from table_controller.app.technician.guide_setup import Job, job_of
from table_controller.app.technician.guided import TerminalKeys, run_guide
from table_controller.app.technician.raised import RaisedWalls
from table_controller.cli import app
from table_controller.config import ConfigError
from tests.vision.calibration_scene import (
    held,
    held_poses,
    hung,
    model,
    on_felt,
    raised,
    seen,
    view_of,
)
from vision.calibration.board import Board, find_board
from vision.calibration.camera import load_cameras
from vision.calibration.fit import corners_of
from vision.calibration.showing import HeldStill, Shown
from vision.errors import VisionInputError
from vision.geometry import TableGeometry
from vision.image import Image

LAYOUT = Layout.load(packaged_geometry("mcr"))
ZONES = TableGeometry.load(packaged_geometry("mcr"))
CORNERS = corners_of(LAYOUT.surface)
LAID = (2.5, -3.0, 0.6)
EMPTY = Scene(0.0, ())


def camera() -> Camera:
    return hung(np.random.default_rng([0, 5]))


@pytest.fixture(scope="module")
def shots() -> list[Image]:
    """The sheet held as a person holds it."""
    return [held(camera(), pose, seed=k) for k, pose in enumerate(held_poses(9))]


@pytest.fixture(scope="module")
def flat() -> Image:
    return on_felt(camera(), Look(), (LAID,), layout=LAYOUT)


def walls(pushed: float = 0.0, sides: int = 4) -> Image:
    scene = raised(LAYOUT, pushed, sides=sides) if sides else EMPTY
    return seen(camera(), Look(), scene, LAYOUT)


SETUP = Setup(
    "top", LAYOUT.surface, lambda image, cam: RaisedWalls(image, ZONES, "walls").seen_by(cam)
)
Event = Image | str


def go(state: State, *events: Event) -> tuple[State, Said]:
    said = Said()
    for event in events:
        if isinstance(event, str):
            state, said = answered(SETUP, state, event)
        else:
            state, said = pictured(SETUP, state, event)
    return state, said


@pytest.fixture(scope="module")
def lens_known(shots: list[Image]) -> State:
    return go(State(), *shots[:8])[0]


@pytest.fixture(scope="module")
def fitted(lens_known: State, flat: Image) -> State:
    return go(lens_known, flat)[0]


def text(said: Said) -> str:
    return "\n".join(said.lines)


# --- the pictures of the held sheet ------------------------------------------------------------


def test_after_every_picture_is_said_what_is_still_lacking(shots: list[Image]) -> None:
    state, said = go(State(), shots[0])
    assert re.match(r"picture 1: usable, 5\d corners; still needed: 7 more pic", said.lines[0])
    assert "nearer the edges" in said.lines[0]
    assert "upper left" not in said.lines[0]  # it was seen there
    assert "differ by 0°, 12° needed" in said.lines[0]
    for count in range(2, 8):
        state, said = go(state, shots[count - 1])
        assert f"picture {count}: usable" in text(said)
        assert f"{8 - count} more picture" in text(said)
    state, said = go(state, shots[7])
    assert state.step is Step.FLAT
    assert re.search(r"lens known within 0\.\d\d px from 8 pictures", text(said))


def mirrored(image: Image) -> Image:
    return np.ascontiguousarray(image[:, ::-1])


def another(_: Image) -> Image:
    print_ = Board(dictionary="DICT_5X5_100").picture(4.0, 6.0)
    return held(camera(), held_poses(1)[0], print_)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda image: np.full_like(image, 90), "picture 3: no board in it: not used"),
        (mirrored, "picture 3: the board is mirrored"),
        (another, "picture 3: another board (its markers are of 5X5"),
        (lambda image: image[::2, ::2], "picture 3: the camera now gives another size: not used"),
        (lambda image: image, "picture 3: shows the sheet as picture 2 did: not used"),
    ],
    ids=["none", "mirrored", "another", "another size", "the same again"],
)
def test_a_picture_that_cannot_be_used(
    shots: list[Image], change: Callable[[Image], Image], says: str
) -> None:
    state, _ = go(State(), *shots[:2])
    after, said = go(state, np.ascontiguousarray(change(shots[1])))
    assert says in text(said)
    assert len(after.views) == 2
    assert after.step is Step.HELD
    assert go(after, shots[2])[0].views[-1].name == "picture 4"


def test_slants_and_edges_that_are_missing_are_told() -> None:
    # Held flat each time, always in the middle.
    flat_ones = [view_of(camera(), (0.0, 0.0, 40.0 * k, 0.0, 0.0, 640.0 + k)) for k in range(9)]
    shown = Shown.by(flat_ones)
    assert "lower right" in shown.bare
    edges, slants = shown.lacking
    assert edges.startswith("nearer the edges (upper left, ")
    assert slants.startswith("other slants: they differ by ")
    assert Shown.by([view_of(camera(), pose) for pose in held_poses(9)]).lacking == ()


def test_a_picture_that_contradicts_the_others_is_taken_out(shots: list[Image]) -> None:
    state, _ = go(State(), *shots[:7])
    bent = state.views[2]
    bad = replace(bent, px=bent.px + (bent.px - bent.px.mean(axis=0)) ** 2 * (6e-4, 0.0))
    state = replace(state, views=(*state.views[:2], bad, *state.views[3:]))
    after, said = go(state, shots[7])
    assert "most of all picture 3" in text(said)
    assert "it was taken out" in text(said)
    assert [view.name for view in after.views] == [f"picture {k}" for k in (1, 2, 4, 5, 6, 7, 8)]
    last, said = go(after, shots[8])
    assert last.step is Step.FLAT, text(said)


def test_held_still_is_still_for_a_while(shots: list[Image]) -> None:
    one, other = (find_board(shot, Board()) for shot in shots[:2])
    state = HeldStill()
    told = []
    moments = [(one, 0.0), (one, 0.4), (other, 0.8), (None, 1.0), (other, 1.2), (other, 1.6)]
    for view, t in [*moments, (other, 2.0)]:
        state = state.then(view, t)
        told.append(state.long_enough(t))
    assert told == [False] * 6 + [True]
    assert Shown.by([]).lacking[0] == "8 more pictures"


# --- the sheet on the felt, the rails, the corners ---------------------------------------------


def test_the_rails_found_are_shown_and_confirmed(fitted: State) -> None:
    assert fitted.step is Step.RAILS
    assert fitted.fitted is not None
    seen_at = fitted.fitted.camera.to_table(model(camera()).project(CORNERS), 0.0)
    assert np.linalg.norm(seen_at - CORNERS[:, :2], axis=1).max() < 1.6
    assert go(fitted, "y")[0].step is Step.WALLS
    assert go(fitted, "是")[0].step is Step.WALLS
    again = go(fitted, "n")[0]
    assert (again.step, again.flat, again.fitted) == (Step.FLAT, (), None)
    assert len(again.views) == 8
    assert go(fitted, "what")[1].lines == ("'what' is not understood here",)
    assert go(fitted, "q")[0].step is Step.STOPPED


def test_what_is_found_is_drawn_and_told_in_pixels(lens_known: State, flat: Image) -> None:
    _, said = go(lens_known, flat)
    assert said.look is not None
    assert said.look.shape == flat.shape
    (line,) = (line for line in said.lines if line.startswith("corners of the felt: "))
    told = [[float(v) for v in pair.split(",")] for pair in line.split(": ")[1].split()]
    assert np.abs(np.array(told) - model(camera()).project(CORNERS)).max() < 3.0
    assert "known within" in text(said)
    assert "upside down" not in text(said)


def covered(image: Image) -> Image:
    """Cloths over the rails."""
    mask = np.full(image.shape[:2], 255, np.uint8)
    cv2.fillPoly(mask, [np.round(model(camera()).project(corners_of(500.0))).astype(np.int32)], 0)
    out = image.copy()
    out[mask > 0] = 120
    return out


def test_corners_are_typed_where_the_rails_are_hidden(lens_known: State, flat: Image) -> None:
    state, said = go(lens_known, covered(flat))
    assert state.step is Step.RAILS
    assert "clear the rails" in text(said)
    assert said.look is not None  # enlarged corners, with the pixel numbers
    assert go(state, "y")[0].step is Step.RAILS  # there is nothing to say yes to
    assert go(state, "12,a 3,4 5,6 7,8")[1].lines[0].startswith("'12,a'")
    assert "all four" in text(go(state, "12,9 3,4")[1])
    _, said = go(state, "9,9 9,9 9,9 9,9")
    assert "a corner at 9,9 is" in text(said)
    typed = " ".join(f"{x:.1f},{y:.1f}" for x, y in model(camera()).project(CORNERS))
    state, said = go(state, typed)
    assert state.fitted is not None
    assert state.fitted.corners == 4
    assert go(state, "y")[0].step is Step.WALLS


def test_another_sheet_elsewhere_helps_as_well(fitted: State) -> None:
    state, _ = go(fitted, "m")
    assert state.step is Step.FLAT
    other = on_felt(camera(), Look(), ((-230.0, 190.0, 20.0),), layout=LAYOUT, seed=4)
    state, said = go(state, other)
    assert len(state.flat) == 2
    assert "sheet 2 lay at (-2" in text(said)


def test_a_camera_upside_down_is_said(lens_known: State, flat: Image) -> None:
    state, said = go(lens_known, np.ascontiguousarray(flat[::-1, ::-1]))
    assert "hangs upside down, or the sheet lay the wrong way round" in text(said)
    assert go(state, "n")[0].step is Step.FLAT


def test_no_sheet_on_the_felt(lens_known: State) -> None:
    state, said = go(lens_known, walls(sides=0))
    assert state.step is Step.FLAT
    assert "no board in it: take it again" in text(said)
    state, _ = go(lens_known, "b")
    assert (state.step, len(state.views)) == (Step.HELD, 8)


# --- the walls -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "step", "says"),
    [
        ({}, Step.DONE, "walls are where the machine raises them"),
        ({"pushed": 7.0}, Step.WALLS, "walls of side 0 are not where the machine raises them"),
        ({"sides": 1}, Step.WALLS, "one wall only was seen, 2 are needed"),
        ({"sides": 0}, Step.WALLS, "no wall was seen, 2 are needed"),
    ],
    ids=["right", "pushed", "one", "none"],
)
def test_raised_walls_judge(fitted: State, shown: dict[str, Any], step: Step, says: str) -> None:
    state, said = go(fitted, "y", walls(**shown))
    assert state.step is step
    assert says in text(said)
    # What was seen elsewhere cannot be waved through; what was not seen can.
    skipped = go(state, "s")[0].step
    if step is Step.WALLS:
        assert skipped is (Step.WALLS if "side 0 are not" in says else Step.DONE)
        assert go(state, "b")[0].step is Step.FLAT


def test_walls_not_seen_have_no_numbers(fitted: State) -> None:
    _, said = go(fitted, "y", walls(sides=0))
    assert said.lines[0] == "side 0: 0 tiles, not seen"
    assert "mm" not in "".join(said.lines[:4])


# --- the rim: camera, keys, files ----------------------------------------------------------------


class Typed:
    """Keys pressed one after the other."""

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)

    def line(self, timeout: float) -> str | None:
        if not self._lines:
            raise EOFError
        if self._lines[0] == "^C":
            raise KeyboardInterrupt
        return self._lines.pop(0)


def film(folder: Path, pictures: Sequence[Image]) -> Path:
    """A folder of numbered pictures as a camera."""
    frames = folder / "frames"
    frames.mkdir()
    for number, picture in enumerate(pictures):
        quality = [cv2.IMWRITE_JPEG_QUALITY, 97]
        cv2.imwrite(str(frames / f"{number:04d}.jpg"), picture, quality)
    rows = "".join(f"{number},{number}\n" for number in range(len(pictures)))
    (frames / "times.csv").write_text(f"frame,t\n{rows}")
    return frames


def config(folder: Path, source: object, calibration: str = "cameras.toml") -> Path:
    path = folder / "table.toml"
    path.write_text(
        f'ruleset = "mcr-1998"\n[table]\ngeometry = "{packaged_geometry("mcr")}"\n'
        f'[[camera]]\nname = "top"\nsource = "{source}"\n'
        + (f'calibration = "{calibration}"\n' if calibration else "")
    )
    return path


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "frames")


def test_from_an_uncalibrated_table_to_a_calibration(
    tmp_path: Path, shots: list[Image], flat: Image, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = np.full_like(flat, 90)
    path = config(tmp_path, film(tmp_path, [bad, *shots[:8], flat, walls()]))
    keys = Typed(*[""] * 9, "", "y", "")
    assert run_guide(job_of(path), keys) == 0
    out = capsys.readouterr().out
    for line in (
        "step 1 of 4: hold the sheet",
        "picture 1: no board in it: not used",
        "step 2 of 4: lay the sheet flat",
        "step 3 of 4: y: it is so",
        f"look at {tmp_path / 'cameras-top-look.jpg'}",
        "step 4 of 4: take the sheet away",
        "reprojection error: lens 0.",
        "walls: side 0 0.",
        f"camera top written to {tmp_path / 'cameras.toml'}",
    ):
        assert line in out, line
    found = load_cameras(tmp_path / "cameras.toml")["top"]
    off = found.to_table(model(camera()).project(CORNERS), 0.0) - CORNERS[:, :2]
    assert np.linalg.norm(off, axis=1).max() < 1.6
    written = ["cameras-top-check.jpg", "cameras-top.jpg", "cameras.toml", "table.toml"]
    assert files(tmp_path) == written
    with pytest.raises(RunError, match="all its cameras are calibrated"):
        job_of(path)
    with pytest.raises(RunError, match="'top' is there already"):
        run_guide(job_of(path, "top"), Typed())


@pytest.mark.parametrize(
    "keys",
    [
        [*[""] * 3],  # the terminal is closed
        [*[""] * 3, "^C"],
        [*[""] * 8, "", "^C"],
        [*[""] * 8, "", "y", "", "^C"],
        [*[""] * 8, "", "y", "", "q"],
    ],
    ids=["too few", "held", "rails", "walls off", "stopped"],
)
def test_nothing_is_half_written(
    tmp_path: Path,
    shots: list[Image],
    flat: Image,
    keys: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = config(tmp_path, film(tmp_path, [*shots[:8], flat, walls(7.0)]))
    (tmp_path / "cameras.toml").write_text("")
    assert run_guide(job_of(path), Typed(*keys)) == 1
    assert f"stopped: nothing was written to {tmp_path / 'cameras.toml'}" in capsys.readouterr().out
    assert files(tmp_path) == ["cameras.toml", "table.toml"]
    assert (tmp_path / "cameras.toml").read_text() == ""


def test_a_camera_that_shows_no_more_stops_it(
    tmp_path: Path, shots: list[Image], capsys: pytest.CaptureFixture[str]
) -> None:
    path = config(tmp_path, film(tmp_path, shots[:2]))
    assert run_guide(job_of(path), Typed(*[""] * 5)) == 1
    assert "no picture comes: check cable" in capsys.readouterr().out


def test_lines_are_read_while_the_camera_is_looked_at() -> None:
    out, into = os.pipe()
    keys = TerminalKeys(out)
    assert keys.line(0.0) is None
    os.write(into, b"y\n\n1,2 3")
    assert [keys.line(0.0) for _ in range(3)] == ["y", "", None]
    os.write(into, ",4 是\n".encode())
    assert keys.line(0.0) == "1,2 3,4 是"
    os.close(into)
    with pytest.raises(EOFError):
        keys.line(0.0)
    os.close(out)


def test_on_a_terminal_it_asks_for_the_table(
    tmp_path: Path, shots: list[Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config(tmp_path, film(tmp_path, shots[:1]))
    out, into = os.pipe()
    os.write(into, b"q\n")
    monkeypatch.setattr(calibrate_cli, "_at_terminal", lambda: True)
    monkeypatch.setattr(guided, "TerminalKeys", lambda: TerminalKeys(out))
    done = CliRunner().invoke(app, ["calibrate"], input=f"{path}\n", catch_exceptions=False)
    os.close(into)
    os.close(out)
    assert done.exit_code == 1
    assert "configuration of the table: " in done.output
    assert "step 1 of 4" in done.output
    done = CliRunner().invoke(app, ["calibrate", "camera", "--config", str(path), "--camera", "x"])
    assert "no camera 'x' in it" in str(done.exception)


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        (["--at", "0,0"], "no --at"),
        (["--turned", "90"], "no --turned"),
        (["--corner", "1,2", "--geometry", "g.toml"], "no --corner and no --geometry"),
    ],
)
def test_what_the_guide_would_not_look_at_is_refused(given: list[str], refused: str) -> None:
    """It was taken without a word, and the sheet was said to lie elsewhere."""
    call = ["calibrate", "camera", "--config", "table.toml", *given]
    done = CliRunner().invoke(app, call)
    assert f"--config asks for what it needs: give {refused} with it" in str(done.exception)


class Live:
    """A camera that films whoever holds the sheet: each pose for a moment, something between."""

    def __init__(self, shots: Sequence[Image]) -> None:
        self.server, self._shots = MjpegServer(), shots
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._film, daemon=True)
        self._thread.start()

    def _film(self) -> None:
        rng, began = np.random.default_rng(0), time.monotonic()
        while not self._stop.wait(0.1):
            shot = self._shots[int((time.monotonic() - began) / 2.0) % len(self._shots)].copy()
            # A picture that never changes at all would be a frozen camera.
            shot[:4] = rng.integers(0, 255, shot[:4].shape, dtype=np.uint8)
            self.server.push(shot, time.time())

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.server.close()


@pytest.fixture
def live(shots: list[Image]) -> Iterator[Live]:
    made = Live([np.asarray(cv2.resize(shot, (960, 540)), np.uint8) for shot in shots[:3]])
    yield made
    made.close()


def test_a_sheet_held_still_is_taken_by_itself(
    tmp_path: Path, live: Live, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Watching(Typed):
        def line(self, timeout: float) -> str | None:
            if "picture 3: usable" in shown():
                return "q"
            assert time.monotonic() < end
            return None

    said: list[str] = []
    monkeypatch.setattr(guided, "_say", said.append)

    def shown() -> str:
        return "\n".join(said)

    end = time.monotonic() + 60.0
    path = config(tmp_path, live.server.url)
    assert run_guide(job_of(path), Watching()) == 1
    assert "picture 1: usable" in shown()
    assert "not used" not in shown()  # no pose twice


# --- which camera ---------------------------------------------------------------------------------


def two(folder: Path) -> Path:
    path = config(folder, "/dev/video0")
    path.write_text(path.read_text() + '[[camera]]\nname = "left"\nsource = "1"\n')
    return path


def test_the_first_camera_without_a_calibration_is_meant(tmp_path: Path) -> None:
    path = two(tmp_path)
    job = job_of(path)
    assert (job.name, job.source, job.out) == ("top", "/dev/video0", tmp_path / "cameras.toml")
    assert (job.named, job.surface_mm) == (True, ZONES.surface_mm)
    job = job_of(path, "left", surface_mm=700.0)
    assert (job.out, job.named) == (tmp_path / "calibration.toml", False)
    assert job.surface_mm == 700.0


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda s: s.replace('source = "1"', 'sauce = "1"'), ConfigError, "camera.1.sauce: unknow"),
        (lambda s: s + "==", ConfigError, "not TOML"),
        (lambda s: s.replace("geometry-mcr", "nothere"), ConfigError, "table.geometry: no such"),
        (lambda s: s, RunError, "no camera 'right' in it .there: top, left"),
    ],
)
def test_a_configuration_that_cannot_be_used(
    tmp_path: Path, change: Callable[[str], str], error: type[Exception], says: str
) -> None:
    path = two(tmp_path)
    path.write_text(change(path.read_text()))
    with pytest.raises(error, match=says):
        job_of(path, "right")


def test_a_file_that_holds_something_else_is_said_before_anything_is_done(tmp_path: Path) -> None:
    path = config(tmp_path, "/dev/nothing")
    (tmp_path / "cameras.toml").write_text("garbage ===")
    with pytest.raises(VisionInputError, match=r"cameras\.toml: not TOML"):
        run_guide(job_of(path), Typed())
    assert isinstance(job_of(path), Job)
