"""What an eye is made of, and the eye made of it: here or in another process, the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

from vision.calibration.camera import CameraModel
from vision.checks.watch import Kept, WatchedEye
from vision.dice.finding import DiceReader
from vision.eye.pipeline import Eye
from vision.geometry import TableGeometry
from vision.nets.enrolled import TileSet
from vision.nets.finder import Finder
from vision.nets.reader import FaceReader


@dataclass(frozen=True, slots=True, eq=False)
class EyeParts:
    """Everything but the nets.

    Attributes:
        camera: lens and pose.
        geometry: of the table.
        tiles: the venue's enrolled set, if there is one.
        kept: what the camera showed when it was calibrated, if that was kept.
        others: the same of the table's other cameras, to tell when two were swapped.
    """

    camera: CameraModel
    geometry: TableGeometry
    tiles: TileSet | None = None
    kept: Kept | None = None
    others: Mapping[str, Kept] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Nets:
    """What finds and reads; eyes of one process share it."""

    finder: Finder
    reader: FaceReader
    dice: DiceReader

    @classmethod
    def load(cls, tiles: TileSet | None) -> Self:
        """Open the models that are in use.

        Args:
            tiles: the venue's enrolled set, by which faces are read.

        Raises:
            ModelError: one is missing, altered or of no use.
        """
        return cls(Finder(), FaceReader(tiles=tiles), DiceReader())

    @property
    def versions(self) -> dict[str, str]:
        """Of the models, by their names."""
        return {**self.finder.versions, **self.reader.versions, **self.dice.versions}


def eye_of(
    parts: EyeParts, nets: Nets, on_moved: Callable[[CameraModel], None] = lambda _: None
) -> WatchedEye:
    """The eye of one camera.

    Args:
        parts: of it.
        nets: it looks with.
        on_moved: told the camera's pose when it was knocked and corrected.
    """
    eye = Eye(parts.camera, parts.geometry, nets.finder, nets.reader, nets.dice)
    return WatchedEye(eye, parts.kept, parts.others, on_moved)
