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
_DARKER, _HUE = 0.6, 0.08
"""What covers a face is darker than so much of it, and its colours have other shares than the
felt's, by more than this."""
_LEAST, _MOST = 0.25, 0.8
"""It covers so many of the points at least; so many are below it or look as before."""


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

    def lies_below(self, level: Image, ground: Image) -> bool:
        """Whether something covers the face, or a part of it, that is no tile nor the bare table.

        It is much darker than the face, and of another colour than the felt, in whatever shadow:
        a sleeve that was not made out. The rest looks as it did.

        Args:
            level: the picture at a quarter of its size.
            ground: the empty table, likewise; 0 where it was never seen.
        """
        now, bare = (one[self.places].astype(np.float64) for one in (level, ground))
        light = now.sum(axis=1)
        if not bare.sum(axis=1).all() or not light.all():
            return False
        other = np.abs(now / light[:, None] - bare / bare.sum(axis=1)[:, None]).max(axis=1) > _HUE
        covered = other & (light <= _DARKER * np.median(self.colours.sum(axis=1)))
        alike = np.abs(now - self.colours).max(axis=1) <= _LIGHT
        return float(covered.mean()) >= _LEAST and float((covered | alike).mean()) >= _MOST

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
