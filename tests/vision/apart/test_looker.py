"""An eye in a process of its own sees what it would see here, and its end is no end."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.processes import ends_with, runs
from tests.vision.checks.test_watch import picture
from tests.vision.eyes_scene import GEOMETRY
from vision.apart import looker as looker_module
from vision.apart.looker import Look, Looker
from vision.apart.parts import EyeParts, Nets, eye_of
from vision.cameras.sources import Frame, SourceState
from vision.errors import VisionInputError
from vision.geometry import TableGeometry
from vision.nets.modelfile import FOLDER, ModelError
from vision.sightings import Outcome, Sighting

pytestmark = pytest.mark.clocked

SIZE = (1280, 720)


def parts() -> EyeParts:
    return EyeParts(picture(0.0)[0], TableGeometry.load(GEOMETRY))


def film(*places: float, first: int = 0) -> list[Frame]:
    """JPEGs with a sensor's noise; each seen with the camera off by so many mm."""
    frames = []
    for number, x in enumerate(places, start=first):
        rng = np.random.default_rng(number)
        noise = rng.normal(0, 2, (SIZE[1], SIZE[0], 1))
        noisy = np.clip(picture(x)[1] + noise, 0, 255).astype(np.uint8)
        jpeg = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()
        frames.append(Frame(round(number * 0.1, 3), "top", None, number, jpeg=jpeg))
    return frames


@pytest.fixture
def apart() -> Iterator[Looker]:
    looker = Looker(parts())
    looker.wait_ready()
    yield looker
    looker.close()


def states(look: Look) -> list[SourceState]:
    return [event.state for event in look.events]


def sighting(look: Look) -> Sighting:
    assert look.sighting is not None
    return look.sighting


def test_the_working_directory_is_not_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lies where it is begun: its models are those of the program."""
    for name in ("models", "vision"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise ImportError('not the program')\n")
    monkeypatch.chdir(tmp_path)
    looker = Looker(parts())
    try:
        looker.wait_ready()
        assert looker.versions == Nets.load(None).versions
    finally:
        looker.close()


def test_it_sees_the_same_to_the_last_bit(apart: Looker) -> None:
    here = eye_of(parts(), Nets.load(None))
    frames = film(*[0.0] * 3)
    # What OpenCV captures is no JPEG; the second picture comes into the memory of the first.
    raw = [Frame(0.3 + t, "top", np.roll(picture(0.0)[1], t, axis=1), 3) for t in (0, 1)]
    other_size = Frame(1.5, "top", np.zeros((20, 30, 3), np.uint8), 5)
    for frame in (*frames, *raw, other_size, *film(0.0, first=20)):
        seen = apart.look(frame)
        assert seen.frame is frame
        assert seen.sighting == here.look(frame)
        assert seen.events == tuple(here.told())
    assert len(sighting(seen).tiles) > 100
    assert apart.versions == Nets.load(None).versions
    assert apart.usage.cpu_s > 0.1
    assert 50 < apart.usage.memory_mb <= apart.usage.peak_mb


def test_a_knock_comes_with_the_look_that_noticed_it(apart: Looker) -> None:
    looks = [apart.look(frame) for frame in film(*[0.0] * 3, *[5.0] * 12)]
    moved = [camera for look in looks for camera in look.moved]
    assert len(moved) == 1
    assert [SourceState.MOVED in states(look) for look in looks] == [
        bool(look.moved) for look in looks
    ]
    # An eye begun anew looks with the corrected pose, without being told of a knock again.
    os.kill(apart.pid or 0, signal.SIGKILL)
    assert sighting(apart.look(film(5.0, first=15)[0])).outcome is Outcome.FAILED
    stands(apart)
    looks = [apart.look(frame) for frame in film(*[5.0] * 4, first=16)]
    assert not any(look.moved for look in looks)
    assert all(sighting(look).outcome is Outcome.LOOKED for look in looks)


def stands(apart: Looker, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not apart.stand(2.0):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        (signal.SIGKILL, "the process that looks ended (signal 9)"),
        (signal.SIGSEGV, "the process that looks ended (signal 11)"),
        (signal.SIGSTOP, "the process that looks did not answer and was ended"),
    ],
)
def test_a_process_that_ends_is_said_and_begun_anew(
    apart: Looker, monkeypatch: pytest.MonkeyPatch, ends: signal.Signals, says: str
) -> None:
    frames = film(*[0.0] * 4)
    first = apart.look(frames[0])
    spent = apart.usage
    monkeypatch.setattr(looker_module, "LOOK_S", 1.0)
    os.kill(apart.pid or 0, ends)
    lost = apart.look(frames[1])
    assert sighting(lost).outcome is Outcome.FAILED
    assert sighting(lost).reason == says
    assert [event.detail for event in lost.events] == [says]
    assert states(lost) == [SourceState.BLIND]
    assert not apart.stand(2.0), "not at once: what ends it may end it again"
    monkeypatch.setattr(looker_module, "LOOK_S", 10.0)
    stands(apart)
    again = apart.look(frames[2])
    assert states(again) == [SourceState.STEADY]
    assert len(sighting(again).tiles) == len(sighting(first).tiles)
    assert apart.usage.cpu_s > spent.cpu_s
    assert states(apart.look(frames[3])) == []


def test_a_damaged_picture_is_said_and_the_next_one_looked_at(apart: Looker) -> None:
    whole = film(0.0, 0.0)
    jpeg = whole[0].jpeg or b""
    damaged = Frame(0.0, "top", None, 7, jpeg=jpeg[:400])
    look = apart.look(damaged)
    assert look.sighting is None
    assert [(event.state, event.detail) for event in look.events] == [
        (SourceState.BROKEN_PICTURE, "picture 7: no JPEG")
    ]
    assert sighting(apart.look(whole[1])).outcome is Outcome.LOOKED


def test_what_it_logs_is_logged_here(apart: Looker, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        look = apart.look(Frame(0.0, "top", np.zeros((20, 30, 3), np.uint8), 0))
    assert sighting(look).outcome is Outcome.FAILED
    assert "looking failed: picture of 30x20" in caplog.text


def test_models_that_cannot_be_used_are_named_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    looker = Looker(parts())
    with pytest.raises(ModelError, match=str(tmp_path)):
        looker.wait_ready()


def test_a_process_that_ends_before_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    looker = Looker(parts())
    with pytest.raises(VisionInputError, match=r"camera top: the process that looks ended"):
        looker.wait_ready()


def test_ctrl_c_is_for_the_controller(apart: Looker) -> None:
    os.kill(apart.pid or 0, signal.SIGINT)
    time.sleep(0.1)
    assert sighting(apart.look(film(0.0)[0])).outcome is Outcome.LOOKED


_HOLDER = """
import sys, time
from tests.vision.apart.test_looker import parts
from vision.apart.looker import Looker
looker = Looker(parts())
looker.wait_ready()
print(looker.pid, flush=True)
time.sleep(60)
"""


def test_it_does_not_outlive_its_controller() -> None:
    root = Path(__file__).parents[3]
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER], stdout=subprocess.PIPE, text=True, cwd=root
    )
    assert ends_with(holder)


def test_closing_ends_it(apart: Looker) -> None:
    pid = apart.pid or 0
    apart.close()
    assert not runs(pid)
    assert sighting(apart.look(film(0.0)[0])).reason == "the table is closed"
    assert not apart.stand(0.0)
