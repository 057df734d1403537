"""What one frame looked at: where a missing tile means something, and where it does not."""

from __future__ import annotations

from table_controller.happenings.looks.places import edge_distance, inside
from vision.sightings import Polygon, Sighting

_MARGIN_MM = 14.0
"""A tile this near to an arm may be hidden by it, or be moved by it."""


class Look:
    """One frame's coverage, prepared for many questions."""

    __slots__ = ("_covered", "_view", "camera", "sighting", "t")

    def __init__(self, sighting: Sighting, view: Polygon | None) -> None:
        self.sighting = sighting
        self.t = sighting.t
        self.camera = sighting.camera
        self._view = view
        self._covered = []
        for polygon in sighting.covered:
            if len(polygon) < 3:
                continue
            xs = [x for x, _ in polygon]
            ys = [y for _, y in polygon]
            box = (
                min(xs) - _MARGIN_MM,
                max(xs) + _MARGIN_MM,
                min(ys) - _MARGIN_MM,
                max(ys) + _MARGIN_MM,
            )
            self._covered.append((box, polygon))

    def covered(self, x: float, y: float) -> bool:
        """Whether an arm or motion hides that point or its immediate surroundings."""
        for (left, right, low, high), polygon in self._covered:
            if (
                left <= x <= right
                and low <= y <= high
                and (inside(polygon, x, y) or edge_distance(polygon, x, y) <= _MARGIN_MM)
            ):
                return True
        return False

    def in_view(self, x: float, y: float) -> bool:
        """Whether the camera can see that point at all."""
        return self._view is None or inside(self._view, x, y)

    def looked(self, x: float, y: float) -> bool:
        """Whether a tile that lay there would have been seen."""
        return self.in_view(x, y) and not self.covered(x, y)
