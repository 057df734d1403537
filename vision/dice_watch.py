"""Dice over time: looked at where they lie or where something changed, at rest or moving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.geometry import TableGeometry, Zone
from vision.motion import CELL, Box, Mask
from vision.sightings import DieSighting
from vision.sources import Image

DIE_MM = 16.0
_STILL_MM = 2.5
_LEAST = 0.2
_LOOKS = 4
"""A die that lies still is read so often; the votes decide."""
_MAJORITY = 0.6
_IN_PLAY = 15
"""So many pictures after a die rolled, dice are looked for wherever something moves."""


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


@dataclass(slots=True)
class _Die:
    """One die followed: its place, whether it rolls, and the votes on its value."""

    x: float
    y: float
    confidence: float
    moving: bool
    looks: int = 1
    votes: dict[int, float] = field(default_factory=dict)

    def sighting(self) -> DieSighting:
        value = None
        if self.votes and not self.moving:
            value, weight = max(self.votes.items(), key=lambda item: (item[1], -item[0]))
            if weight < _MAJORITY * sum(self.votes.values()):
                value = None
        return DieSighting(
            round(self.x, 1), round(self.y, 1), value, round(self.confidence, 4), self.moving
        )


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
        self._middle = self._box_of(corners * (1 + 40.0 / geometry.dice.half))
        self._table = self._box_of(np.array(geometry.outline(Zone.FELT)))
        self.reset()

    def reset(self) -> None:
        """Forget the dice."""
        self._dice: list[_Die] = []
        self._in_play = 0

    def look(
        self,
        image: Image,
        changed: Mask,
        moving: Mask,
        covered: Mask,
        boxes: Sequence[Box],
        *,
        tiles: Sequence[NDArray[np.float64]] = (),
        whole: bool = False,
        resting: bool = False,
    ) -> tuple[DieSighting, ...]:
        """The dice seen now.

        Args:
            image: the picture.
            changed: cells looked at anew.
            moving: cells that differ from the picture before.
            covered: cells that an arm covers.
            boxes: where the picture was looked at.
            tiles: quads of tiles: what looks like a die on one of them is its face.
            whole: look everywhere, also where no die belongs.
            resting: something came to rest in the boxes; a die may have been put there.
        """
        if self._reader is None:
            return ()
        places = [self._table] if whole else self._places(changed, boxes, resting=resting)
        before = self._dice
        kept = [die for die in before if not self._inside(die, places)]
        hidden = [die for die in before if self._under(die, covered)]
        for die in kept:
            # Nothing changed there: what rolled in the last picture lies still now.
            die.moving = False
        seen = list(kept)
        for box in places:
            part = np.ascontiguousarray(image[box.y0 : box.y1, box.x0 : box.x1])
            for found in self._reader.find(part, self._die_px):
                die = self._die(found, box, moving, before)
                if die.confidence < _LEAST or _near(die, seen, DIE_MM / 2):
                    continue
                if not self._on_tile(die, tiles):
                    seen.append(die)
        self._dice = seen + [die for die in hidden if not _near(die, seen, DIE_MM)]
        stirs = any(die.moving for die in seen)
        self._in_play = _IN_PLAY if stirs else max(self._in_play - 1, 0)
        return tuple(die.sighting() for die in seen if not self._under(die, covered))

    def lies_at(self, px: NDArray[np.float64]) -> bool:
        """Whether a known die lies within its own size of a picture point (2,)."""
        return any(
            float(np.linalg.norm(self._camera.project([[die.x, die.y, DIE_MM / 2]])[0] - px))
            < self._die_px
            for die in self._dice
        )

    def _places(self, changed: Mask, boxes: Sequence[Box], *, resting: bool) -> list[Box]:
        places: list[Box] = []
        middle = self._middle
        if changed[_cells(middle)].any():
            places.append(middle)
        for die in self._dice:
            box = self._around(die)
            if _within(box, places):
                continue
            if die.looks < _LOOKS or die.moving or changed[_cells(box)].any():
                places.append(middle if _within(box, [middle]) else box)
        if self._in_play or resting:
            # Dice that roll may roll anywhere, and hands put them anywhere.
            places += [box for box in boxes if box.area < 0.2 * self._table.area]
        return places

    def _around(self, die: _Die) -> Box:
        x, y = self._camera.project([[die.x, die.y, DIE_MM]])[0]
        reach = 3 * self._die_px
        width, height = self._camera.size
        return Box(
            min(max(int(x - reach), 0), width - CELL) // CELL * CELL,
            min(max(int(y - reach), 0), height - CELL) // CELL * CELL,
            min(max(int(x + reach), CELL), width),
            min(max(int(y + reach), CELL), height),
        )

    def _box_of(self, corners: NDArray[np.float64]) -> Box:
        px = self._camera.project(np.column_stack((corners, np.full(len(corners), DIE_MM))))
        low = np.floor(px.min(axis=0) / CELL).astype(int) * CELL
        high = np.ceil(px.max(axis=0) / CELL).astype(int) * CELL
        width, height = self._camera.size
        return Box(
            max(int(low[0]), 0),
            max(int(low[1]), 0),
            min(int(high[0]), width),
            min(int(high[1]), height),
        )

    def _inside(self, die: _Die, places: Sequence[Box]) -> bool:
        x, y = self._camera.project([[die.x, die.y, DIE_MM / 2]])[0]
        return any(box.x0 <= x < box.x1 and box.y0 <= y < box.y1 for box in places)

    def _under(self, die: _Die, covered: Mask) -> bool:
        x, y = self._camera.project([[die.x, die.y, DIE_MM / 2]])[0]
        row = min(max(int(y) // CELL, 0), covered.shape[0] - 1)
        return bool(covered[row, min(max(int(x) // CELL, 0), covered.shape[1] - 1)])

    def _on_tile(self, die: _Die, tiles: Sequence[NDArray[np.float64]]) -> bool:
        x, y = (float(v) for v in self._camera.project([[die.x, die.y, DIE_MM / 2]])[0])
        return any(
            cv2.pointPolygonTest(quad.astype(np.float32), (x, y), measureDist=False) >= 0
            for quad in tiles
        )

    def _die(self, found: FoundDie, place: Box, moving: Mask, before: Sequence[_Die]) -> _Die:
        x0, y0, x1, y1 = (float(value) for value in found.box)
        box = Box(
            int(x0) + place.x0, int(y0) + place.y0, int(x1) + place.x0 + 1, int(y1) + place.y0 + 1
        )
        middle = np.array([[(x0 + x1) / 2 + place.x0, (y0 + y1) / 2 + place.y0]])
        x, y = (float(value) for value in self._camera.to_table(middle, DIE_MM / 2)[0])
        stirred = moving[_cells(box)]
        stayed = next((d for d in before if np.hypot(x - d.x, y - d.y) < _STILL_MM), None)
        rolls = stayed is None and bool(stirred.size) and float(stirred.mean()) > 0.25
        die = _Die(x, y, float(found.confidence), rolls)
        if stayed is not None and not stayed.moving:
            die.votes, die.looks = stayed.votes, stayed.looks + 1
        if found.value is not None and not rolls:
            weight = die.votes.get(found.value, 0.0) + float(found.confidence)
            die.votes[found.value] = weight
        return die


def _cells(box: Box) -> tuple[slice, slice]:
    return (
        slice(max(box.y0, 0) // CELL, -(-box.y1 // CELL)),
        slice(max(box.x0, 0) // CELL, -(-box.x1 // CELL)),
    )


def _within(box: Box, others: Sequence[Box]) -> bool:
    return any(
        o.x0 <= box.x0 and o.y0 <= box.y0 and box.x1 <= o.x1 and box.y1 <= o.y1 for o in others
    )


def _near(die: _Die, others: Sequence[_Die], reach: float) -> bool:
    return any(np.hypot(die.x - other.x, die.y - other.y) < reach for other in others)
