"""What a finder says of one tile, and how the finds of several looks become one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from vision.sightings import Posture


class FoundTile(Protocol):
    """What a finder says of one tile (:class:`vision.nets.finder.Found`)."""

    @property
    def quad(self) -> NDArray[np.float32]:
        """(4, 2) corners in picture pixels."""
        ...

    @property
    def posture(self) -> Posture:
        """How it lies."""
        ...

    @property
    def confidence(self) -> float:
        """0..1."""
        ...

    @property
    def visible(self) -> float:
        """Share that is not covered, 0..1."""
        ...


T = TypeVar("T", bound=FoundTile)


def without_doubles(found: Sequence[T], nearest: float) -> list[T]:
    """Tiles found in more than one look once: the more certain one.

    Args:
        found: by boxes or scales.
        nearest: pixels between the middles of two tiles, at least.
    """
    if len(found) < 2:
        return list(found)
    ranked = sorted(found, key=lambda tile: -tile.confidence)
    centres = np.array([tile.quad.mean(axis=0) for tile in ranked])
    kept: list[int] = []
    for index, centre in enumerate(centres):
        if not kept or float(np.linalg.norm(centres[kept] - centre, axis=1).min()) >= nearest:
            kept.append(index)
    return [ranked[index] for index in kept]
