"""What a controller and the process of an eye say to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vision.calibration.camera import CameraModel
from vision.cameras.sources import Frame, SourceEvent
from vision.image import Image
from vision.sightings import Sighting, TileSighting


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """To the eye: look at this.

    ``data`` is a JPEG or (H, W, 3) BGR; None: it lies in the memory of both
    (:mod:`vision.apart.shared`).
    """

    t: float
    camera: str
    seq: int
    data: bytes | Image | None

    def frame(self, shared: Image) -> Frame:
        """The same to look at.

        Args:
            shared: the memory of both.

        Raises:
            ValueError: it is no JPEG.
        """
        if isinstance(self.data, bytes):
            return Frame(self.t, self.camera, None, self.seq, jpeg=self.data)
        # The next picture comes into the same memory; what is looked at must not change.
        image = shared.copy() if self.data is None else self.data
        return Frame(self.t, self.camera, image, self.seq)


@dataclass(frozen=True, slots=True)
class Ready:
    """From the eye: it can look; with these versions of the models."""

    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Failed:
    """From the eye: it cannot be made."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has cost: processor time in s, memory now and at most in MB."""

    cpu_s: float = 0.0
    memory_mb: float = 0.0
    peak_mb: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Of both processes together."""
        return Usage(
            self.cpu_s + other.cpu_s,
            self.memory_mb + other.memory_mb,
            self.peak_mb + other.peak_mb,
        )


@dataclass(frozen=True, slots=True)
class LogLine:
    """What the eye's process logged; the controller's log holds it."""

    logger: str
    level: int
    text: str


Brief = tuple[TileSighting | int, ...]
"""Tiles; in the place of one that is seen just as before stands the number of its track."""


class News:
    """Tells tiles of which most are just as they were; each end of the line has one.

    What is the same stays the same object there, too: who follows asks for that.
    """

    def __init__(self) -> None:
        self._last: dict[int, TileSighting] = {}

    def brief(self, tiles: Sequence[TileSighting]) -> Brief:
        """What is to be said of these tiles."""
        last, self._last = self._last, {tile.track: tile for tile in tiles}
        return tuple(tile.track if last.get(tile.track) is tile else tile for tile in tiles)

    def whole(self, brief: Brief) -> tuple[TileSighting, ...]:
        """The tiles of which that was said."""
        tiles = tuple(self._last[one] if isinstance(one, int) else one for one in brief)
        self._last = {tile.track: tile for tile in tiles}
        return tiles


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """From the eye: what it saw in the picture.

    Attributes:
        sighting: of the picture, without its tiles; None: it is damaged.
        tiles: of the sighting (:class:`News`).
        events: noticed about the camera.
        moved: its pose where it was knocked and corrected.
        took_s: seconds from the picture's arrival there to this answer.
        usage: of the process.
        log: what it logged meanwhile.
    """

    sighting: Sighting | None
    tiles: Brief
    events: tuple[SourceEvent, ...]
    moved: tuple[CameraModel, ...]
    took_s: float
    usage: Usage
    log: tuple[LogLine, ...]
