"""What a live run writes down as its recording, and what it says of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.virtual_table.camera import recording as virtual
from hardware.virtual_table.camera.optics import overhead
from hardware.virtual_table.play.layout import packaged_geometry
from table_controller.app.running.recorder import Recorder, begin_recording
from table_controller.app.table.assemble import Rooms
from table_controller.config import Config
from table_controller.record.recording import HandedOver, RecordingWriter, read_header

SIZE = (640, 360)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Two cameras with one calibration; what one of them showed then was kept."""
    cameras = [overhead(SIZE, name=name) for name in ("left", "right")]
    folder = tmp_path / "table"
    with virtual.RecordingWriter(
        folder, ruleset="mcr-1998", geometry=packaged_geometry("mcr"), cameras=cameras
    ):
        pass
    picture = np.random.default_rng(1).integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8)
    assert cv2.imwrite(str(folder / "recording-left.jpg"), picture)
    return Config.check(
        {
            "ruleset": "mcr-1998",
            "table": {"geometry": "geometry.toml"},
            "camera": [
                {"name": name, "source": "frames", "calibration": "recording.toml"}
                for name in ("left", "right")
            ],
            "record": {"dir": "session-4"},
        },
        origin="test",
        base=folder,
    )


def test_a_recording_replays_with_the_pictures_kept_with_the_calibrations(
    config: Config, tmp_path: Path
) -> None:
    rooms = Rooms.of(config)
    begin_recording(tmp_path / "r", config, rooms).close()
    again = Rooms.of_recording(tmp_path / "r", read_header(tmp_path / "r"))
    live, replayed = rooms.parts["left"].kept, again.parts["left"].kept
    assert live is not None
    assert replayed is not None
    assert (replayed.image == live.image).all()
    assert replayed.camera is again.cameras["left"]
    assert again.parts["right"].kept is None
    assert set(again.parts["right"].others) == {"left"}


def test_each_session_of_a_venue_is_recorded_in_a_folder_of_its_own(
    config: Config, tmp_path: Path
) -> None:
    venue = config.model_copy(update={"venue": SimpleNamespace()})
    for _ in range(2):
        begin_recording(tmp_path / "r", venue, Rooms.of(config)).close()
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == ["session-4", "session-4-2"]


class Noting:
    """A controller and a screen: one has a state, both are told."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {"phase": "over", "hand": 3, "dealer": 2}
        self.noted: list[str] = []
        self.shown: list[tuple[str, bool]] = []

    @property
    def controller(self) -> Any:
        return SimpleNamespace(state=self.state, note=lambda _t, text: self.noted.append(text))

    @property
    def screen(self) -> Any:
        return SimpleNamespace(note=lambda text, *, bad=False: self.shown.append((text, bad)))


def recorder(writer: RecordingWriter, said: Noting, *, goes_on: bool = False) -> Recorder:
    return Recorder(writer, said.controller, said.screen, goes_on=goes_on)


HEADER = 'ruleset = "mcr-1998"\n'


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_recording_of_a_session_that_goes_on_begins_with_the_next_hand(
    tmp_path: Path, goes_on: bool
) -> None:
    said = Noting()
    writer = RecordingWriter(tmp_path, HEADER, [])
    mine = recorder(writer, said, goes_on=goes_on)
    mine.step()
    assert read_header(tmp_path).handed_over is None, "the hand before is over"
    said.state |= {"phase": "wall", "hand": 4, "dealer": 3}
    mine.step()
    said.state |= {"phase": "wall", "hand": 5, "dealer": 0}
    mine.step()
    mine.close()
    assert read_header(tmp_path).handed_over == (HandedOver(hand=4, dealer=3) if goes_on else None)
    assert said.noted == []


@pytest.mark.parametrize(
    ("lost", "error", "first", "last"),
    [
        (0, None, [], []),
        (1, None, ["not all of it can be written: the disk is too slow"], ["4 pictures"]),
        (
            1,
            "r: No space left on device",
            ["not all of it can be written: r: No space left on device"],
            ["4 pictures are missing in it (r: No space left on device)"],
        ),
        (0, "r: gone", ["not all of it can be written: r: gone"], ["0 pictures"]),
    ],
    ids=["nothing", "too slow", "full", "a line of the machine"],
)
def test_what_is_lost_is_said_once_and_counted_at_the_end(
    tmp_path: Path, lost: int, error: str | None, first: list[str], last: list[str]
) -> None:
    said = Noting()
    writer = RecordingWriter(tmp_path, HEADER, [])
    mine = recorder(writer, said)
    mine.step()
    assert said.noted == []
    writer.lost, writer.error = lost, error
    mine.step()
    writer.lost *= 4
    mine.step()
    assert len(said.noted) == len(first)
    mine.close()
    for words, text in zip([*first, *last], said.noted, strict=True):
        assert text.startswith("recording: ")
        assert words in text
    assert said.shown == [(text, True) for text in said.noted]
