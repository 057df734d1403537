"""What the pictures of the held sheet show so far, and what they still lack.

Told after every picture, so that whoever holds the sheet knows where and how to hold it next.
Whether they are enough is decided by :func:`vision.calibration.board.calibrate_lens` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.calibration.board import (
    LEAST_COVERED,
    LEAST_PICTURES,
    LEAST_SLANT_DEG,
    BoardView,
    covered_by,
    slant_of,
)

_PARTS: Final = (
    ("upper left", "top", "upper right"),
    ("left", "middle", "right"),
    ("lower left", "bottom", "lower right"),
)
_ALIKE: Final = 0.03
"""Views whose corners lie closer together than this share of the picture's width tell the same."""
_STILL: Final = 0.002
"""And so much closer the sheet was held still between two pictures."""
STILL_S: Final = 0.7
"""How long it has to be held still."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What pictures of the held sheet show.

    Attributes:
        pictures: how many.
        covered: share of the picture inside the hull of all that was seen, 0..1.
        slant_deg: by how much the slants of the sheet differ.
        bare: parts of the picture, by name, in which it was not seen.
    """

    pictures: int
    covered: float
    slant_deg: float
    bare: tuple[str, ...]

    @classmethod
    def by(cls, views: Sequence[BoardView]) -> Shown:
        """By the views taken so far, all of one size."""
        slants = [slant_of(view) for view in views] or [0.0]
        seen = {part for view in views for part in _parts(view)}
        bare = tuple(word for row in _PARTS for word in row if word not in seen)
        return cls(len(views), covered_by(views), max(slants) - min(slants), bare)

    @property
    def lacking(self) -> tuple[str, ...]:
        """What is still needed, in words; empty where it may be enough."""
        said = []
        if (more := LEAST_PICTURES - self.pictures) > 0:
            said.append(f"{more} more picture{'s' if more > 1 else ''}")
        if self.covered < LEAST_COVERED:
            where = f" ({', '.join(self.bare)})" if self.bare else ""
            said.append(
                f"nearer the edges{where}: {self.covered:.0%} of the picture shown, "
                f"{LEAST_COVERED:.0%} needed"
            )
        if self.slant_deg < LEAST_SLANT_DEG:
            said.append(
                f"other slants: they differ by {self.slant_deg:.0f}°, {LEAST_SLANT_DEG:.0f}° needed"
            )
        return tuple(said)


def _parts(view: BoardView) -> set[str]:
    """The parts of the picture in which a view has corners, by name."""
    thirds = np.clip(view.px * 3 / np.array(view.size), 0, 2).astype(int)
    return {_PARTS[row][column] for column, row in thirds}


def apart(one: BoardView, other: BoardView) -> float:
    """How far the sheet's corners lie apart in two views, as a share of the picture's width.

    1 where too few corners are seen in both to tell.
    """
    there = {tuple(corner): px for corner, px in zip(other.corners, other.px, strict=True)}
    both = [
        float(np.linalg.norm(px - there[key]))
        for corner, px in zip(one.corners, one.px, strict=True)
        if (key := tuple(corner)) in there
    ]
    return float(np.mean(both)) / one.size[0] if len(both) >= 4 else 1.0


def alike(view: BoardView, views: Sequence[BoardView]) -> str:
    """The name of the view that shows the sheet as this one does; ``""`` where none does."""
    return next((other.name for other in views if apart(view, other) < _ALIKE), "")


@dataclass(frozen=True, slots=True)
class HeldStill:
    """Since when the sheet has been held still.

    Attributes:
        view: in the picture before.
        since: when it came to rest, seconds on the pictures' clock.
    """

    view: BoardView | None = None
    since: float = 0.0

    def then(self, view: BoardView | None, t: float) -> HeldStill:
        """After another picture, at ``t``; None: the sheet is not in it."""
        rests = view is not None and self.view is not None and apart(view, self.view) < _STILL
        return HeldStill(view, self.since if rests else t)

    def long_enough(self, t: float) -> bool:
        """Whether a picture can be taken at ``t``."""
        return self.view is not None and t - self.since >= STILL_S
