"""What is read from one picture: tiles, dice, and how fit the picture is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.photo.picture import Quality
from vision.sightings import Posture

Point = tuple[float, float]

COVERED = 0.75
"""Below this visible share a tile is reported as partly covered."""
_STATES = {
    Posture.FACE_UP: "face_up",
    Posture.FACE_DOWN: "face_down",
    Posture.STANDING: "standing",
    Posture.UNSURE: "unsure",
}


@dataclass(frozen=True, slots=True)
class ReadTile:
    """One tile of a photograph.

    Attributes:
        tile: notation, ``back``, or ``?`` where its face is not seen or not sure.
        confidence: calibrated probability of the face; for tiles that show none, that they
            lie there like that.
        quad: corners in pixels of the upright picture; of a face from its own top left.
        posture: how it lies.
        visible: share of its upper side that is not covered.
        foreign: shows a face that the enrolled set has not.
        found: how surely a tile lies there at all.
        likely: what the reader takes its face for, with probabilities, best first.
        turn: probability that the quad begins at the face's own top left, 0.5..1.
    """

    tile: str
    confidence: float
    quad: tuple[Point, Point, Point, Point]
    posture: Posture
    visible: float
    foreign: bool = False
    found: float = 1.0
    likely: tuple[tuple[str, float], ...] = ()
    turn: float = 1.0

    @property
    def centre(self) -> NDArray[np.float64]:
        """(2,) middle of the quad."""
        return np.asarray(np.mean(self.quad, axis=0), np.float64)

    @property
    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(2,) each: from the face's left side to its right one, from its bottom to its top."""
        a, b, c, d = np.array(self.quad, np.float64)
        return (b + c - a - d) / 2, (a + b - c - d) / 2

    @property
    def up(self) -> NDArray[np.float64]:
        """(2,) unit vector towards the top of the face."""
        _, way = self.axes
        return np.asarray(way / max(1e-9, float(np.linalg.norm(way))))

    def stretched(self, wider: float, higher: float) -> ReadTile:
        """The tile in its picture made so many times as wide and as high."""
        a, b, c, d = ((x * wider, y * higher) for x, y in self.quad)
        return replace(self, quad=(a, b, c, d))

    @property
    def short(self) -> float:
        """Length of the short side, pixels."""
        q = np.array(self.quad)
        return float(np.linalg.norm(q - np.roll(q, -1, axis=0), axis=1).min())

    @property
    def area(self) -> float:
        """Square pixels."""
        return float(cv2.contourArea(np.array(self.quad, np.float32)))

    def to_json(self) -> dict[str, Any]:
        """As in the contract, section 5, with the state beside it."""
        row: dict[str, Any] = {
            "tile": self.tile,
            "confidence": round(self.confidence, 4),
            "quad": [[round(x, 1), round(y, 1)] for x, y in self.quad],
            "state": _STATES[self.posture],
        }
        if self.visible < COVERED:
            row["visible"] = round(self.visible, 2)
        if self.foreign:
            row["foreign"] = True
        return row


@dataclass(frozen=True, slots=True)
class ReadDie:
    """One die.

    Attributes:
        value: pips of its upper face; None where it cannot be read.
        confidence: of the value, or of the die where it has none.
        box: x0, y0, x1, y1 in pixels.
        found: how surely a die lies there at all.
    """

    value: int | None
    confidence: float
    box: tuple[float, float, float, float]
    found: float = 1.0

    def to_json(self) -> dict[str, Any]:
        """As in the contract, section 5."""
        return {
            "value": self.value,
            "confidence": round(self.confidence, 4),
            "box": [round(v, 1) for v in self.box],
        }


@dataclass(frozen=True, slots=True)
class PictureReading:
    """Everything read from one picture; tiles in reading order."""

    image: str
    tiles: tuple[ReadTile, ...]
    dice: tuple[ReadDie, ...]
    quality: Quality

    def to_json(self) -> dict[str, Any]:
        """As in the contract, section 5; ``notes`` only where the picture is unfit."""
        row: dict[str, Any] = {
            "image": self.image,
            "tiles": [tile.to_json() for tile in self.tiles],
            "dice": [die.to_json() for die in self.dice],
        }
        if notes := self.quality.notes():
            row["notes"] = list(notes)
        return row
