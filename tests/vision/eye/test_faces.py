"""Which faces are read in a picture, and which readings count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.tracked import ALL, NONE, region, step, tile
from vision.eye.faces import FaceWatch
from vision.eye.known_face import KnownFace
from vision.eye.track import Track
from vision.eye.tracking import Looked, Tracker
from vision.image import Image

PICTURE = np.zeros((360, 480, 3), np.uint8)
HERE = region(80, 80, 120, 120)


@dataclass(frozen=True)
class Said:
    faces: tuple[tuple[str, float], ...]
    turned: bool = False


class Reader:
    """Reads whatever it was told to, and counts how often it was asked."""

    def __init__(self) -> None:
        self.says = Said((("1s", 0.98), ("?", 0.01)))
        self.asked = 0

    def read(self, image: Image, quads: NDArray[np.float32]) -> list[Said]:
        self.asked += len(quads)
        return [self.says] * len(quads)


def look(watch: FaceWatch, tracker: Tracker, visible: float, times: int) -> Track:
    for _ in range(times):
        step(tracker, replace(tile(100, 100), visible=visible))
        due = watch.due(tracker.tracks, NONE, full=False)
        watch.read(PICTURE, due)
    (track,) = tracker.tracks
    return track


def test_a_sure_face_is_read_twice_and_no_more() -> None:
    reader = Reader()
    look(FaceWatch(reader, 1.0), Tracker(17), 1.0, 8)
    assert reader.asked == 2


@pytest.mark.parametrize(
    ("whole", "told", "asked"),
    [
        pytest.param("3s", "3s", 4, id="another face"),
        pytest.param("1s", "1s", 3, id="the same"),
        pytest.param("?", "1s", 10, id="glare"),
    ],
)
def test_what_was_read_of_a_part_counts_until_all_of_it_is_seen(
    whole: str, told: str, asked: int
) -> None:
    """Two readings of three quarters of a 3s: it stayed a 1s for the rest of the hand."""
    reader = Reader()
    watch, tracker = FaceWatch(reader, 1.0), Tracker(17)
    assert look(watch, tracker, 0.74, 4).face.evidence.best()[0] == "1s"
    assert reader.asked == 2
    reader.says = Said(((whole, 0.97), ("0p", 0.01)))
    assert look(watch, tracker, 0.96, 1).face.evidence.best()[0] == told
    look(watch, tracker, 0.96, 12)
    assert reader.asked == asked


def drawn(face: int | None) -> Image:
    """The table at a quarter of its size, with one of several faces where the tile lies."""
    table = np.full((90, 120, 3), 60, np.uint8)
    if face is not None:
        colours = np.array([60, 150, 240], np.uint8)
        table[20:31, 21:29] = np.random.default_rng(face).choice(colours, (11, 8, 3))
    return table


def under_an_arm(tracker: Tracker) -> None:
    step(tracker, covered=HERE, level=drawn(None))


def between_fingers(tracker: Tracker) -> None:
    step(tracker, replace(tile(100, 100), visible=0.6), level=drawn(None))


def seen_empty_once(tracker: Tracker) -> None:
    step(tracker, level=drawn(None))


@pytest.mark.parametrize("hidden", [under_an_arm, between_fingers, seen_empty_once])
@pytest.mark.parametrize(
    ("face", "read", "told", "asked"),
    [
        pytest.param(4, "3s", "3s", 6, id="exchanged"),
        pytest.param(4, "?", "1s", 10, id="in a glare"),
        pytest.param(3, "1s", "1s", 2, id="as it was"),
    ],
)
def test_a_tile_that_was_out_of_sight_may_be_another(
    hidden: Callable[[Tracker], None], face: int, read: str, told: str, asked: int
) -> None:
    """Swapped below a hand, or a row moved on by one tile: the old faces stayed for good."""
    reader = Reader()
    watch, tracker = FaceWatch(reader, 1.0), Tracker(17)

    def seen(level: Image, times: int) -> Track:
        for _ in range(times):
            step(tracker, tile(100, 100), level=level)
            watch.read(PICTURE, watch.due(tracker.tracks, NONE, full=False))
        (track,) = tracker.tracks
        return track

    assert seen(drawn(3), 4).face.evidence.best()[0] == "1s"
    hidden(tracker)
    reader.says = Said(((read, 0.98), ("0p", 0.01)))
    # Once or twice it may be a part of the old one, of which fingers hide the rest.
    assert seen(drawn(face), 2).face.evidence.best()[0] == "1s"
    assert seen(drawn(face), 1).face.evidence.best()[0] == told
    seen(drawn(face), 12)
    assert reader.asked == asked


class Seen:
    """One tile of the table, whatever face lies there and whatever is read of it."""

    def __init__(self) -> None:
        self.reader, self.tracker = Reader(), Tracker(17)
        self._watch = FaceWatch(self.reader, 1.0)

    def __call__(self, face: int, read: str, times: int) -> str:
        """The face it has after so many looks."""
        self.reader.says = Said(((read, 0.98), ("0p", 0.01)))
        for _ in range(times):
            step(self.tracker, tile(100, 100), level=drawn(face))
            self._watch.read(PICTURE, self._watch.due(self.tracker.tracks, NONE, full=False))
        (track,) = self.tracker.tracks
        return track.face.evidence.best()[0]


def test_a_tile_that_lies_in_a_shadow_at_first_is_read_when_it_is_gone() -> None:
    """Exchanged below a hand whose shadow was the last to leave: it keeps no old face."""
    seen = Seen()
    assert seen(3, "1s", 4) == "1s"
    for face, read, before in ((4, "3s", "1s"), (5, "2p", "3s")):
        under_an_arm(seen.tracker)
        assert seen(face, "?", 6) == before
        assert seen(face, read, 2) == before
        assert seen(face, read, 1) == read


def test_fingers_that_seem_to_cover_nothing_make_no_other_tile() -> None:
    """Half of a 7s was a sure 6s in two looks: a second discard in its place, told and alerted."""
    seen = Seen()
    assert seen(3, "7s", 4) == "7s"
    for _ in range(3):
        under_an_arm(seen.tracker)
        assert seen(4, "6s", 2) == "7s"
    under_an_arm(seen.tracker)
    assert seen(3, "7s", 4) == "7s"


@pytest.mark.parametrize(
    ("sure", "times", "face"),
    [(0.62, 1, "5m"), (0.95, 1, "5m"), (0.95, 2, "1s"), (0.98, 1, "1s")],
)
def test_what_was_read_unsurely_of_a_tile_that_came_to_lie_does_not_stand(
    sure: float, times: int, face: str
) -> None:
    """The 5m just laid down was a doubtful 1s for three looks: a discard too many, and two alerts.

    A face that was read surely gives way only to another in three looks; a 9p of which fingers
    seemed to cover nothing was a 6p with 0.95, once.
    """
    known = KnownFace()
    rest = (("?", 1.0 - sure),)
    for _ in range(times):
        known.take_in((("1s", sure), *rest), 1.0, whole=True, at=(0.0, 0.0))
    known.read_whole = False
    known.take_in((("5m", 0.97), ("?", 0.03)), 1.0, whole=True, at=(0.0, 0.0))
    assert known.evidence.best()[0] == face


class Framed(Reader):
    """Makes out a face only in a frame that lies one way."""

    def __init__(self, *, upright: bool, sure: float = 0.98) -> None:
        super().__init__()
        self._upright, self._sure = upright, sure

    def read(self, image: Image, quads: NDArray[np.float32]) -> list[Said]:
        extents = quads.max(axis=1) - quads.min(axis=1)
        as_it_lies = (extents[:, 1] > extents[:, 0]) == self._upright
        label = np.where(as_it_lies, "9p", "?")
        return [Said(((str(face), self._sure), ("6p", 0.01))) for face in label]


@pytest.mark.parametrize(
    ("upright", "sure", "beside", "told", "across"),
    [
        pytest.param(False, 0.98, None, "9p", True, id="found across the way it lies"),
        pytest.param(True, 0.98, None, "9p", False, id="found as it lies"),
        pytest.param(False, 0.9, None, "?", False, id="read unsurely either way"),
        # One that lies as it was found leaves no room: the face is of something else.
        pytest.param(False, 0.98, (129.0, 100.0), "?", False, id="another lies there"),
    ],
)
def test_a_face_that_is_never_made_out_is_read_across(
    upright: bool, sure: float, beside: tuple[float, float] | None, told: str, across: bool
) -> None:
    """The fourth tile of an added kong, beside the sideways one, stayed a tile without a face."""
    watch, tracker = FaceWatch(Framed(upright=upright, sure=sure), 1.0), Tracker(17)
    lying = [tile(100, 100), *([] if beside is None else [tile(*beside)])]
    for _ in range(12):
        step(tracker, *lying, level=drawn(3))
        due = [track for track in watch.due(tracker.tracks, NONE, full=False) if track.number == 0]
        watch.read(PICTURE, due)
        watch.read_across(PICTURE, due, tracker.tracks, Looked(ALL, ALL, NONE, drawn(3)))
    track = tracker.tracks[0]
    assert track.face.evidence.best()[0] == told
    # The finder says the same as before; it shows what it showed.
    assert (track.seen.angle % 180.0 == 90.0) is across
