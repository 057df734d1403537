"""Dice over time: looked at where they lie or where something changed, at rest or moving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.geometry import TableGeometry, Zone
from vision.motion import CELL, Box, Mask
from vision.sightings import DieSighting
from vision.sources import Image

DIE_MM = 16.0
_STILL_MM = 2.5


class FoundDie(Protocol):
    """A die in a picture (:class:`vision.dice.FoundDie`)."""

    @property
    def box(self) -> Sequence[float]:
        """x0, y0, x1, y1 in pixels."""
        ...

    @property
    def value(self) -> int | None:
        """Pips of its upper face, None where they cannot be read."""
        ...

    @property
    def confidence(self) -> float:
        """0..1."""
        ...


class DiceFinder(Protocol):
    """Finds and reads dice (:class:`vision.dice.DiceReader`)."""

    def find(self, image: Image, die_px: float | None = None) -> Sequence[FoundDie]:
        """Dice of a picture; ``die_px`` is the edge of a die in pixels."""
        ...


class DiceWatch:
    """Keeps the dice of one camera.

    Args:
        camera: lens and pose.
        geometry: where dice come to rest.
        reader: the model, or None.
    """

    def __init__(
        self, camera: CameraModel, geometry: TableGeometry, reader: DiceFinder | None
    ) -> None:
        self._camera = camera
        self._reader = reader
        self._die_px = DIE_MM * camera.px_per_mm(0.0, 0.0, DIE_MM)
        corners = np.array(geometry.outline(Zone.DICE))
        corners = corners * (1 + 40.0 / geometry.dice.half)
        px = camera.project(np.column_stack((corners, np.full(4, DIE_MM))))
        low = np.floor(px.min(axis=0) / CELL).astype(int) * CELL
        high = np.ceil(px.max(axis=0) / CELL).astype(int) * CELL
        self._middle = Box(
            max(int(low[0]), 0),
            max(int(low[1]), 0),
            min(int(high[0]), camera.size[0]),
            min(int(high[1]), camera.size[1]),
        )
        self.reset()

    def reset(self) -> None:
        """Forget the dice."""
        self._dice: list[DieSighting] = []

    def look(
        self,
        image: Image,
        changed: Mask,
        moving: Mask,
        arms: Mask,
        boxes: Sequence[Box],
    ) -> tuple[DieSighting, ...]:
        """The dice seen now.

        Args:
            image: the picture.
            changed: cells looked at anew.
            moving: cells that differ from the picture before.
            arms: cells that an arm covers.
            boxes: where the picture was looked at.
        """
        if self._reader is None:
            return ()
        before = self._dice
        places = [box for box in self._places(changed, boxes) if box.area]
        if not places:
            # Nothing changed: what was in motion in the last picture lies still now.
            self._dice = [_at_rest(die) for die in before]
            return tuple(self._dice)
        seen = [die for die in before if not self._inside(die, places)]
        hidden = [die for die in before if self._hidden(die, arms)]
        for place in places:
            part = np.ascontiguousarray(image[place.y0 : place.y1, place.x0 : place.x1])
            for found in self._reader.find(part, self._die_px):
                x0, y0, x1, y1 = (float(value) for value in found.box)
                box = np.array([x0, y0, x1, y1]) + np.tile((place.x0, place.y0), 2)
                die = self._die(box, found, moving, before)
                if not any(np.hypot(die.x - o.x, die.y - o.y) < DIE_MM / 2 for o in seen):
                    seen.append(die)
        self._dice = [*seen, *(die for die in hidden if die not in seen and not _near(die, seen))]
        return tuple(die for die in seen)

    def _places(self, changed: Mask, boxes: Sequence[Box]) -> list[Box]:
        places = []
        middle = self._middle
        rows = slice(middle.y0 // CELL, middle.y1 // CELL)
        columns = slice(middle.x0 // CELL, middle.x1 // CELL)
        if changed[rows, columns].any():
            places.append(middle)
        for die in self._dice:
            box = self._around(die)
            if changed[box.y0 // CELL : box.y1 // CELL, box.x0 // CELL : box.x1 // CELL].any():
                outside = box.x0 < middle.x0 or box.y0 < middle.y0
                if outside or box.x1 > middle.x1 or box.y1 > middle.y1:
                    places.append(box)
        # A full look also finds dice that lie where they should not.
        places += [box for box in boxes if box.area >= self._camera.size[0] * self._camera.size[1]]
        return places

    def _around(self, die: DieSighting) -> Box:
        x, y = self._camera.project([[die.x, die.y, DIE_MM]])[0]
        reach = 3 * self._die_px
        width, height = self._camera.size
        return Box(
            max(int(x - reach), 0) // CELL * CELL,
            max(int(y - reach), 0) // CELL * CELL,
            min(int(x + reach), width),
            min(int(y + reach), height),
        )

    def _inside(self, die: DieSighting, places: Sequence[Box]) -> bool:
        x, y = self._camera.project([[die.x, die.y, DIE_MM]])[0]
        return any(box.x0 <= x < box.x1 and box.y0 <= y < box.y1 for box in places)

    def _hidden(self, die: DieSighting, arms: Mask) -> bool:
        x, y = self._camera.project([[die.x, die.y, DIE_MM]])[0]
        row = min(max(int(y) // CELL, 0), arms.shape[0] - 1)
        return bool(arms[row, min(max(int(x) // CELL, 0), arms.shape[1] - 1)])

    def _die(
        self,
        box: NDArray[np.float64],
        found: FoundDie,
        moving: Mask,
        before: Sequence[DieSighting],
    ) -> DieSighting:
        middle = (box[:2] + box[2:]) / 2
        x, y = (float(value) for value in self._camera.to_table(middle[None], DIE_MM / 2)[0])
        rows = slice(int(box[1]) // CELL, int(box[3]) // CELL + 1)
        columns = slice(int(box[0]) // CELL, int(box[2]) // CELL + 1)
        stirred = float(moving[rows, columns].mean()) > 0.25
        stayed = any(np.hypot(x - die.x, y - die.y) < _STILL_MM for die in before)
        rolls = stirred and not stayed
        value = None if rolls else found.value
        return DieSighting(
            round(x, 1), round(y, 1), value, round(float(found.confidence), 4), rolls
        )


def _at_rest(die: DieSighting) -> DieSighting:
    if not die.moving:
        return die
    return DieSighting(die.x, die.y, die.value, die.confidence, moving=False)


def _near(die: DieSighting, others: Sequence[DieSighting]) -> bool:
    return any(np.hypot(die.x - other.x, die.y - other.y) < DIE_MM for other in others)
