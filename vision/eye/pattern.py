"""What a tile's face looked like while it lay still and clear."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from vision.changes.sampling import Array, Cells, level_points
from vision.eye.anchor import VERY_CLEAR
from vision.heights.placing import Detection
from vision.heights.touching import fits
from vision.image import Image
from vision.sightings import Posture

_RENEWED = 8
"""After so many looks at a still tile what it looks like is noted anew."""
_LIGHT, _ALIKE = 16.0, 7.0
"""Levels by which the light on a tile may change, and by which its pattern then differs: a felt
without it differs by 60 and more, another face by 20."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """What points of a tile looked like, to be compared with its place later.

    Attributes:
        lay: how the tile lay.
        places: 25 points of its face, rows and columns.
        colours: (25, 3), what they looked like.
    """

    lay: Detection
    places: Cells
    colours: Array

    @classmethod
    def of(cls, seen: Detection, level: Image) -> Self:
        """That of a tile in a picture at a quarter of its size."""
        places = level_points(seen.quad, level)
        return cls(seen, places, level[places].astype(np.float64))

    def is_unchanged(self, level: Image) -> bool:
        """Whether the place looks just as it did, in about the same light."""
        light, pattern = self._apart(level)
        return light <= _LIGHT and pattern <= _ALIKE

    def shows_the_same(self, level: Image) -> bool:
        """Whether the place shows the face that it showed, in whatever light."""
        return self._apart(level)[1] <= _ALIKE

    def _apart(self, level: Image) -> tuple[float, float]:
        """By how much the light on the place changed and its pattern differs; levels."""
        apart = level[self.places] - self.colours
        light = np.median(apart, axis=0)
        return float(np.abs(light).max()), float(np.abs(apart - light).mean())


def remembered(
    pattern: Pattern | None,
    seen: Detection,
    level: Image | None,
    *,
    visible: float,
    still: int,
    moving: bool,
    sure: bool,
) -> Pattern | None:
    """The pattern after another look at a tile.

    What has not the size of a tile, as one half below a sleeve, is not kept. A sure first look
    counts too, until the finder is surer of another: a face laid down among others was framed
    across the way it lay in the second look and in all that followed.

    Args:
        pattern: the one before it.
        seen: how the tile is seen.
        level: the picture at a quarter of its size, if it is kept.
        visible: share of it that is not covered.
        still: how often in a row it was found where it had been.
        moving: it is on its way.
        sure: the finder is sure of it.
    """
    if still == 0:
        pattern = None
    due = sure
    if still > 0:
        due = pattern is None or still % _RENEWED == 1
        if level is not None and pattern is not None and not due:
            # A hand's shadow lay on it, or still does: it has moved on since.
            due = not pattern.is_unchanged(level)
    if (
        level is not None
        and seen.posture is Posture.FACE_UP
        and visible >= VERY_CLEAR
        and due
        and fits(seen)
        and not moving
    ):
        return Pattern.of(seen, level)
    return pattern
