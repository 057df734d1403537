"""Several cameras looked through at once; here both the cameras and the looks are made up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from vision.apart.looker import Look
from vision.apart.lookers import Lookers
from vision.apart.said import Usage
from vision.cameras.sources import Frame, Source, SourceStats
from vision.sightings import Outcome, Sighting

pytestmark = pytest.mark.clocked

_IMAGE = np.zeros((2, 2, 3), np.uint8)


class Pictures(Source):
    """Pictures of these times, as fast as they are asked for."""

    def __init__(self, camera: str, times: list[float]) -> None:
        super().__init__(camera)
        self._left = list(times)

    def next(self, timeout: float | None = None) -> Frame | None:
        return Frame(self._left.pop(0), self.camera, _IMAGE, 0) if self._left else None

    @property
    def ended(self) -> bool:
        return not self._left

    @property
    def stats(self) -> SourceStats:
        return SourceStats()

    def close(self) -> None:
        self._left.clear()


class Slow:
    """An eye that takes so long for each picture."""

    def __init__(self, takes_s: float, fails: type[Exception] | None = None) -> None:
        self.takes_s, self.fails = takes_s, fails
        self.looked: list[float] = []
        self.stands: Callable[[], bool] = lambda: True
        self.closed = threading.Event()
        self.usage = Usage(1.0, 100.0, 120.0)

    def stand(self, t: float) -> bool:
        return self.stands()

    def look(self, frame: Frame) -> Look:
        if self.fails is not None:
            raise self.fails("broken")
        time.sleep(self.takes_s)
        self.looked.append(frame.t)
        return Look(frame, Sighting(frame.t, frame.camera, Outcome.LOOKED))

    def close(self) -> None:
        self.closed.set()


def lookers(*pairs: tuple[Source, Slow]) -> Lookers:
    return Lookers(pairs)  # type: ignore[arg-type]


def all_of(eyes: Lookers) -> list[tuple[str, float]]:
    out = []
    while not eyes.ended:
        look = eyes.next(0.3)
        if look is not None:
            out.append((look.frame.camera, look.frame.t))
    return out


def test_each_camera_has_its_own_pace_and_all_are_told() -> None:
    quick, slow = Slow(0.001), Slow(0.03)
    times = [k / 10 for k in range(12)]
    eyes = lookers((Pictures("a", times), slow), (Pictures("b", times), quick))
    out = all_of(eyes)
    eyes.close()
    assert sorted(out) == [(name, t) for name in "ab" for t in times]
    for name in "ab":
        assert [t for camera, t in out if camera == name] == times


def test_both_are_looked_through_at_once() -> None:
    pairs = [(Pictures(name, [k / 10 for k in range(5)]), Slow(0.1)) for name in "ab"]
    began = time.monotonic()
    eyes = lookers(*pairs)
    assert len(all_of(eyes)) == 10
    eyes.close()
    assert time.monotonic() - began < 0.9


def test_no_eye_runs_ahead_of_who_follows_it() -> None:
    eye = Slow(0.0)
    eyes = lookers((Pictures("a", [k / 10 for k in range(50)]), eye))
    time.sleep(0.3)
    assert eye.looked == [0.0, 0.1]
    assert eyes.next(1.0) is not None
    time.sleep(0.2)
    assert eye.looked == [0.0, 0.1, 0.2]
    eyes.close()


def test_an_eye_that_does_not_stand_keeps_nobody_waiting() -> None:
    gone = Slow(0.0)
    gone.stands = lambda: False
    eyes = lookers((Pictures("a", [0.0]), gone), (Pictures("b", [0.1, 0.2]), Slow(0.0)))
    seen = [look.frame.t for _ in range(2) if (look := eyes.next(1.0)) is not None]
    assert seen == [0.1, 0.2]
    assert eyes.next(0.1) is None
    gone.stands = lambda: True
    look = eyes.next(2.0)
    assert look is not None
    assert look.frame.camera == "a"
    eyes.close()


def test_a_fault_of_ours_is_not_silent() -> None:
    eyes = lookers((Pictures("a", [0.0]), Slow(0.0, ZeroDivisionError)))
    with pytest.raises(ZeroDivisionError):
        eyes.next(2.0)
    eyes.close()


def test_closing_ends_everything_and_costs_are_added_up() -> None:
    pairs = [(Pictures(name, [k / 10 for k in range(99)]), Slow(0.0)) for name in "ab"]
    eyes = lookers(*pairs)
    assert eyes.usage == Usage(2.0, 200.0, 240.0)
    eyes.close()
    assert len(all_of(eyes)) <= 4
    assert all(eye.closed.is_set() for _, eye in pairs)
