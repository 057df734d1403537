"""What a recording's eyes see ahead of who follows it is told in the recording's order."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.vision.apart.test_looker import film, parts
from vision.apart import ahead
from vision.apart.ahead import looked_ahead
from vision.apart.looker import Look, Looker
from vision.apart.parts import EyeParts, Nets, eye_of
from vision.cameras.sources import Frame
from vision.errors import VisionInputError

pytestmark = pytest.mark.clocked


def two() -> dict[str, EyeParts]:
    one = parts()
    return {name: replace(one, camera=replace(one.camera, name=name)) for name in ("a", "b")}


def recording() -> Iterator[Frame | str]:
    """Two cameras that film the same, a word between the pictures, and one damaged picture."""
    for number, frame in enumerate(film(*[0.0] * 7)):
        for name in ("a", "b") if number != 4 else ("b",):
            jpeg = frame.jpeg or b""
            damaged = number == 5 and name == "a"
            yield Frame(frame.t, name, None, number, jpeg=jpeg[:300] if damaged else jpeg)
        yield f"after {number}"


def test_the_same_as_here_in_the_same_order() -> None:
    nets = Nets.load(None)
    here = {name: eye_of(one, nets) for name, one in two().items()}
    given = list(recording())
    seen = list(looked_ahead(recording(), two()))
    assert [one.frame.t if isinstance(one, Look) else one for one in seen] == [
        one.t if isinstance(one, Frame) else one for one in given
    ]
    for one in seen:
        if not isinstance(one, Look):
            continue
        camera = one.frame.camera
        if (one.frame.seq, camera) == (5, "a"):
            assert one.sighting is None
        else:
            assert one.sighting == here[camera].look(one.frame)


def test_a_process_that_ends_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Looker] = []

    class Noted(Looker):
        def __init__(self, parts: EyeParts) -> None:
            super().__init__(parts)
            begun.append(self)

    monkeypatch.setattr(ahead, "Looker", Noted)
    looks = looked_ahead(recording(), two())
    next(looks)
    os.kill(begun[1].pid or 0, signal.SIGKILL)
    with pytest.raises(VisionInputError, match=r"camera b at 0\.\d00 s: the process that looks"):
        list(looks)
    pid = begun[0].pid
    assert pid is None or not Path(f"/proc/{pid}").exists()


def test_a_recording_that_cannot_be_read_further_ends_the_processes() -> None:
    def broken() -> Iterator[Frame]:
        yield from film(0.0)
        raise VisionInputError("cut off")

    with pytest.raises(VisionInputError, match="cut off"):
        list(looked_ahead(broken(), {"top": parts()}))
