"""Where dice are looked for in a picture: where something changed, or they may have rolled.

A place that looks as it did when nothing new was found there, twice, is not looked at again
(:mod:`vision.changes.nothing_new`): what is left to look at after an arm has passed is little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from vision.changes.coverage import without_specks
from vision.changes.motion import CELL, Box, Mask, boxes_around, dilated
from vision.changes.nothing_new import NothingNew
from vision.dice.die import Die
from vision.dice.view import DiceView, cells_of
from vision.geometry import TableGeometry, Zone
from vision.image import Image

_LOOKS = 4
"""A die that lies still is read so often; the votes decide."""
_GLIMPSED = 0.4
"""Confidence from which a die is looked at until it was read so often."""
_IN_PLAY = 15
"""So many pictures after a die rolled, dice are looked for wherever something moves."""
_RIM = 2.0
"""A box reaches so many dice beyond what is looked at."""
_PARTS = 6
"""A whole table is gone over in 6×6 parts, one a picture: only dice in the middle are urgent."""
_IDLE = 3
"""While no die rolls or is new, every third picture is enough."""
_LARGEST = 0.12
"""Boxes that take more of the table wait."""
_AT_ONCE = 0.16
"""Other boxes wait where together they take more of it and no die rolls: when a hand is over,
everything is new at once, and a look that takes too long makes all that follows late."""
_SPECK = 4
"""A die covers at least so many cells."""


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What happened in a picture, in cells; see :meth:`DiceWatch.look`."""

    changed: Mask
    moving: Mask
    covered: Mask
    looked: Mask
    whole: bool
    resting: bool


class DiceSearch:
    """Says where to look for dice next.

    Args:
        view: the picture.
        geometry: where dice come to rest.
    """

    def __init__(self, view: DiceView, geometry: TableGeometry) -> None:
        self._view = view
        corners = np.array(geometry.outline(Zone.DICE))
        self._middle_box = view.box_of(corners * (1 + 40.0 / geometry.dice.half))
        self._middle = view.mask_of(self._middle_box)
        table = view.box_of(np.array(geometry.outline(Zone.FELT)))
        self._table, self._table_area = view.mask_of(table), table.area
        self._parts = [
            view.mask_of(Box(int(x0), int(y0), int(x1), int(y1)))
            for y0, y1 in _steps(table.y0, table.y1)
            for x0, x1 in _steps(table.x0, table.x1)
        ]
        self.reset()

    def reset(self) -> None:
        """Forget what was looked at."""
        self._in_play = 0
        self._known = NothingNew(self._view.cells)
        self._due: list[Mask] = []
        self._pending: Mask = np.zeros(self._view.cells, dtype=bool)
        self._waited = _IDLE

    def places(
        self,
        dice: Sequence[Die],
        changes: Changes,
        *,
        level: Image,
        noise: float,
    ) -> list[Box]:
        """The boxes to look at in a picture, given the dice known; see :meth:`DiceWatch.look`."""
        covered = changes.covered
        self._pending |= self._wanted(dice, changes)
        self._waited += 1
        if not self._in_play and self._waited < _IDLE and not _unsettled(dice):
            return []
        wanted = self._pending & ~covered
        new = without_specks(wanted & ~self._known.explains(level, wanted, noise), _SPECK)
        for die in dice:
            # Bare felt is nothing new, but where a die lay it says that the die is gone.
            cells = cells_of(self._view.around(die, 1.0))
            if wanted[cells].any():
                new[cells] = True
        self._pending &= covered
        self._waited = 0
        urgent, others = self._places(dice, new)
        return urgent + self._at_once(others, new)

    def learn(
        self,
        dice: Sequence[Die],
        places: Sequence[Box],
        level: Image,
        noise: float,
        hidden: Mask,
    ) -> None:
        """What these places look like with the dice that are known, or with none."""
        free = np.zeros(self._view.cells, dtype=bool)
        rim = round(self._view.rim) + 1
        width, height = self._view.size
        for box in places:
            x0, y0 = (box.x0 + rim if box.x0 else 0), (box.y0 + rim if box.y0 else 0)
            x1 = box.x1 - rim if box.x1 < width else width
            y1 = box.y1 - rim if box.y1 < height else height
            free[-(-y0 // CELL) : y1 // CELL, -(-x0 // CELL) : x1 // CELL] = True
        for die in dice:
            if die.looks < _LOOKS or die.moving:
                free[cells_of(self._view.around(die, 1.5))] = False
        self._known.learn(level, free & ~hidden, noise)

    def played(self, *, rolls: bool) -> None:
        """After a look: whether a die rolls now."""
        self._in_play = _IN_PLAY if rolls else max(self._in_play - 1, 0)

    def in_middle(self, die: Die) -> bool:
        """Whether a die is where dice are thrown."""
        return self._view.inside(die, [self._middle_box])

    def _wanted(self, dice: Sequence[Die], changes: Changes) -> Mask:
        """Cells in which a die may be that is not known yet."""
        if changes.whole:
            self._due = list(self._parts)
        changed, looked, covered = changes.changed, changes.looked, changes.covered
        wanted = changed & self._middle
        for die in dice:
            # Where a die lies, hands take it away also while none is in play.
            around = cells_of(self._view.around(die, 1.0))
            wanted[around] |= changed[around]
        if self._in_play:
            # Dice that roll may roll anywhere.
            wanted |= looked & self._table
        elif changes.resting:
            # Hands put dice anywhere; what still moves is a hand.
            wanted |= looked & self._table & ~dilated(covered | changes.moving, 2)
        if self._due:
            wanted |= self._due.pop(0)
        return wanted & ~covered

    def _at_once(self, boxes: Sequence[Box], wanted: Mask) -> list[Box]:
        """As many of the boxes around the cells wanted as one look has time for."""
        if self._in_play:
            return list(boxes)
        now: list[Box] = []
        left = _AT_ONCE * self._table_area
        for box in boxes:
            left -= box.area
            if left < 0.0:
                self._pending |= self._view.mask_of(box) & wanted
                self._waited = _IDLE
            else:
                now.append(box)
        return now

    def _places(self, dice: Sequence[Die], wanted: Mask) -> tuple[list[Box], list[Box]]:
        """Boxes around known dice that want another look, and those around the cells wanted.

        The middle is always looked at as a whole: lamps that look like dice look less so with
        all that is around them, and alike each time.
        """
        wanted, lying = wanted.copy(), np.zeros(self._view.cells, dtype=bool)
        for die in dice:
            cells = cells_of(self._view.around(die, 1.0))
            if die.looks < _LOOKS or die.moving or wanted[cells].any():
                lying[cells] = True
        places = []
        if ((wanted | lying) & self._middle).any():
            places.append(self._middle_box)
            wanted &= ~self._middle
            lying &= ~self._middle
        # Whether a die still lies there is asked however much is new around it.
        places += self._boxes(lying)
        boxes = self._boxes(wanted & ~lying)
        # Where that much is new hands are at work, and what they leave is looked at then.
        return places, [box for box in boxes if box.area < _LARGEST * self._table_area]

    def _boxes(self, cells: Mask) -> list[Box]:
        margin = round(_RIM * self._view.die_px)
        return boxes_around(cells, self._view.size, margin=margin, step=2 * CELL, waste=0.1)


def _unsettled(dice: Sequence[Die]) -> bool:
    return any((die.looks < _LOOKS or die.moving) and die.confidence >= _GLIMPSED for die in dice)


def _steps(low: int, high: int) -> list[tuple[int, int]]:
    edges = np.linspace(low, high, _PARTS + 1).astype(int)
    return [(int(a), int(b)) for a, b in pairwise(edges)]
