"""Dice over time: looked at where they lie or where something changed, at rest or moving.

A place that looks as it did when nothing new was found there, twice, is not looked at again
(:mod:`vision.nothing_new`): what is left to look at after an arm has passed is little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.coverage import without_specks
from vision.dice_outline import leans
from vision.geometry import TableGeometry, Zone
from vision.motion import CELL, Box, Mask, boxes_around, dilated
from vision.nothing_new import NothingNew
from vision.sightings import DieSighting
from vision.sources import Image

DIE_MM = 16.0
_STILL_MM = 2.5
_STIRRED = 0.25
"""Share of a die's cells that change while it rolls, or while an arm's shadow passes over it."""
_LEAST, _GLIMPSED = 0.2, 0.4
_LOOKS = 4
"""A die that lies still is read so often; the votes decide."""
_MAJORITY = 0.6
_IN_PLAY = 15
"""So many pictures after a die rolled, dice are looked for wherever something moves."""
_ROLLS = 0.5
"""Confidence from which what moves is a die and not a hand that looks like one."""
_RIM = 2.0
"""A box reaches so many dice beyond what is looked at."""
_CUT = 0.7
"""A die whose middle lies nearer to the edge of a box is cut by it."""
_PARTS = 6
"""A whole table is gone over in 6×6 parts, one a picture: only dice in the middle are urgent."""
_IDLE = 3
"""While no die rolls or is new, every third picture is enough."""
_LARGEST = 0.12
"""Boxes that take more of the table wait."""
_SPECK = 4
"""A die covers at least so many cells."""


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
        self._cells = -(-camera.size[1] // CELL), -(-camera.size[0] // CELL)
        self._middle_box = self._box_of(corners * (1 + 40.0 / geometry.dice.half))
        self._middle = self._mask_of(self._middle_box)
        table = self._box_of(np.array(geometry.outline(Zone.FELT)))
        self._table, self._table_area = self._mask_of(table), table.area
        self._parts = [
            self._mask_of(Box(int(x0), int(y0), int(x1), int(y1)))
            for y0, y1 in _steps(table.y0, table.y1)
            for x0, x1 in _steps(table.x0, table.x1)
        ]
        self.reset()

    def reset(self) -> None:
        """Forget the dice."""
        self._dice: list[_Die] = []
        self._in_play = 0
        self._known = NothingNew(self._cells)
        self._due: list[Mask] = []
        self._pending: Mask = np.zeros(self._cells, dtype=bool)
        self._waited = _IDLE

    def look(
        self,
        image: Image,
        changed: Mask,
        moving: Mask,
        covered: Mask,
        looked: Mask,
        *,
        level: Image,
        noise: float,
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
            looked: cells of the boxes in which the picture was looked at.
            level: the picture at a quarter of its size with its light evened out.
            noise: difference between two pictures of a still table, 0..255.
            tiles: quads of tiles: what looks like a die on one of them is its face.
            whole: look everywhere, also where no die belongs.
            resting: something came to rest in the boxes; a die may have been put there.
        """
        if self._reader is None:
            return ()
        self._pending |= self._wanted(
            changed, moving, covered, looked, whole=whole, resting=resting
        )
        places: list[Box] = []
        self._waited += 1
        if self._in_play or self._waited >= _IDLE or self._unsettled():
            wanted = self._pending & ~covered
            new = without_specks(wanted & ~self._known.explains(level, wanted, noise), _SPECK)
            for die in self._dice:
                # Bare felt is nothing new, but where a die lay it says that the die is gone.
                cells = _cells(self._around(die, 1.0))
                if wanted[cells].any():
                    new[cells] = True
            places = self._places(new)
            self._pending &= covered
            self._waited = 0
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
                die = self._die(found, part, box, moving, before)
                if die.confidence < _LEAST or _near(die, seen, DIE_MM / 2):
                    continue
                if not self._cut(die, box) and not self._on_tile(die, tiles):
                    seen.append(die)
        self._dice = seen + [die for die in hidden if not _near(die, seen, DIE_MM)]
        self._learn(places, level, noise, dilated(covered | moving, 2))
        stirs = any(
            die.moving
            and die.confidence >= _ROLLS
            and self._inside(die, [self._middle_box])
            and not self._under(die, covered)
            for die in seen
        )
        self._in_play = _IN_PLAY if stirs else max(self._in_play - 1, 0)
        return tuple(die.sighting() for die in seen if not self._under(die, covered))

    @property
    def known(self) -> list[_Die]:
        """The dice followed now, in mm."""
        return self._dice

    @known.setter
    def known(self, dice: list[_Die]) -> None:
        self._dice = dice

    def lies_at(self, px: NDArray[np.float64]) -> bool:
        """Whether a known die lies within its own size of a picture point (2,)."""
        return any(
            float(np.linalg.norm(self._camera.project([[die.x, die.y, DIE_MM / 2]])[0] - px))
            < self._die_px
            for die in self._dice
        )

    def _unsettled(self) -> bool:
        return any(
            (die.looks < _LOOKS or die.moving) and die.confidence >= _GLIMPSED for die in self._dice
        )

    def _wanted(
        self,
        changed: Mask,
        moving: Mask,
        covered: Mask,
        looked: Mask,
        *,
        whole: bool,
        resting: bool,
    ) -> Mask:
        """Cells in which a die may be that is not known yet."""
        if whole:
            self._due = list(self._parts)
        wanted = changed & self._middle
        for die in self._dice:
            # Where a die lies, hands take it away also while none is in play.
            around = _cells(self._around(die, 1.0))
            wanted[around] |= changed[around]
        if self._in_play:
            # Dice that roll may roll anywhere.
            wanted |= looked & self._table
        elif resting:
            # Hands put dice anywhere; what still moves is a hand.
            wanted |= looked & self._table & ~dilated(covered | moving, 2)
        if self._due:
            wanted |= self._due.pop(0)
        return wanted & ~covered

    def _places(self, wanted: Mask) -> list[Box]:
        """Boxes around the cells wanted, and around known dice that want another look.

        The middle is always looked at as a whole: lamps that look like dice look less so with
        all that is around them, and alike each time.
        """
        wanted, dice = wanted.copy(), np.zeros(self._cells, dtype=bool)
        for die in self._dice:
            cells = _cells(self._around(die, 1.0))
            if die.looks < _LOOKS or die.moving or wanted[cells].any():
                dice[cells] = True
        places = []
        if ((wanted | dice) & self._middle).any():
            places.append(self._middle_box)
            wanted &= ~self._middle
            dice &= ~self._middle
        # Whether a die still lies there is asked however much is new around it.
        places += self._boxes(dice)
        boxes = self._boxes(wanted & ~dice)
        # Where that much is new hands are at work, and what they leave is looked at then.
        return places + [box for box in boxes if box.area < _LARGEST * self._table_area]

    def _boxes(self, cells: Mask) -> list[Box]:
        margin = round(_RIM * self._die_px)
        return boxes_around(cells, self._camera.size, margin=margin, step=2 * CELL, waste=0.1)

    def _learn(self, places: Sequence[Box], level: Image, noise: float, hidden: Mask) -> None:
        """What these places look like with the dice that are known, or with none."""
        free = np.zeros(self._cells, dtype=bool)
        rim = round(_CUT * self._die_px) + 1
        width, height = self._camera.size
        for box in places:
            x0, y0 = (box.x0 + rim if box.x0 else 0), (box.y0 + rim if box.y0 else 0)
            x1 = box.x1 - rim if box.x1 < width else width
            y1 = box.y1 - rim if box.y1 < height else height
            free[-(-y0 // CELL) : y1 // CELL, -(-x0 // CELL) : x1 // CELL] = True
        for die in self._dice:
            if die.looks < _LOOKS or die.moving:
                free[_cells(self._around(die, 1.5))] = False
        self._known.learn(level, free & ~hidden, noise)

    def _cut(self, die: _Die, box: Box) -> bool:
        """Whether the edge of the box, not of the picture, may cut a die."""
        x, y = self._camera.project([[die.x, die.y, DIE_MM / 2]])[0]
        rim = _CUT * self._die_px
        width, height = self._camera.size
        return bool(
            (box.x0 and x < box.x0 + rim)
            or (box.y0 and y < box.y0 + rim)
            or (box.x1 < width and x > box.x1 - rim)
            or (box.y1 < height and y > box.y1 - rim)
        )

    def _around(self, die: _Die, dice: float) -> Box:
        """A box that reaches so many dice to every side."""
        x, y = self._camera.project([[die.x, die.y, DIE_MM]])[0]
        reach = dice * self._die_px
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

    def _mask_of(self, box: Box) -> Mask:
        cells = np.zeros(self._cells, dtype=bool)
        cells[_cells(box)] = True
        return cells

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

    def _die(
        self, found: FoundDie, part: Image, place: Box, moving: Mask, before: Sequence[_Die]
    ) -> _Die:
        x0, y0, x1, y1 = (float(value) for value in found.box)
        box = Box(
            int(x0) + place.x0, int(y0) + place.y0, int(x1) + place.x0 + 1, int(y1) + place.y0 + 1
        )
        middle = np.array([[(x0 + x1) / 2 + place.x0, (y0 + y1) / 2 + place.y0]])
        x, y = (float(value) for value in self._camera.to_table(middle, DIE_MM / 2)[0])
        stirred = moving[_cells(box)]
        stayed = next((d for d in before if np.hypot(x - d.x, y - d.y) < _STILL_MM), None)
        # A die spins on the spot before it lies: what turns up other pixels shows no value yet.
        rolls = bool(stirred.size) and float(stirred.mean()) > _STIRRED
        die = _Die(x, y, float(found.confidence), rolls)
        if stayed is not None and not stayed.moving and not rolls:
            die.votes, die.looks = stayed.votes, stayed.looks + 1
        if found.value is not None and not rolls and not self._leans(found, part, x, y):
            weight = die.votes.get(found.value, 0.0) + float(found.confidence)
            die.votes[found.value] = weight
        return die

    def _leans(self, found: FoundDie, part: Image, x: float, y: float) -> bool:
        """Whether a die shows two of its faces; where it lies, and aslant from where, is known."""
        above = self._camera.position
        slant = float(np.hypot(x - above[0], y - above[1]) / (above[2] - DIE_MM))
        return leans(part, found.box, self._die_px, slant)


def _cells(box: Box) -> tuple[slice, slice]:
    return (
        slice(max(box.y0, 0) // CELL, -(-box.y1 // CELL)),
        slice(max(box.x0, 0) // CELL, -(-box.x1 // CELL)),
    )


def _steps(low: int, high: int) -> list[tuple[int, int]]:
    edges = np.linspace(low, high, _PARTS + 1).astype(int)
    return [(int(a), int(b)) for a, b in pairwise(edges)]


def _near(die: _Die, others: Sequence[_Die], reach: float) -> bool:
    return any(np.hypot(die.x - other.x, die.y - other.y) < reach for other in others)
