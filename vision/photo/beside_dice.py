"""Dice beside tiles: what passes for the other, and what a die's size says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.nets.evidence import UNKNOWN
from vision.photo.plausible import SURELY, UNFIT, WITNESS, faces_told
from vision.photo.readings import ReadDie, ReadTile

_LARGER, _DIE, _NEVER = 1.3, 0.95, 2.0
"""A die as wide as so many tiles beside it must be found so surely, and none is twice as wide: a
tile seen with its side and its dots is larger and less sure (0.77 to 0.82), real dice are 0.7 to 1
tile wide (above 0.96)."""
_FACES, _NEAR = 5, 3
"""Faces of a picture from which on the tiles nearest to a die tell what size it may have."""


def no_dice(tiles: list[ReadTile], dice: Sequence[ReadDie]) -> list[ReadTile]:
    """Tell no face where all that is told in a picture are dice, found more surely than tiles.

    Dots look like pips, so a tile rules out a die that is seen on it; but among dice on a lid one
    beside its rim has passed for a tile. Tiles pushed together have passed for a die.
    """
    told = faces_told(tiles)
    real = [die for die in dice if not _block(die, told)]
    if not told or not all(any(_is_die(t, die) for die in real) for t in told):
        return tiles
    return [replace(t, tile=UNKNOWN) if any(t is one for one in told) else t for t in tiles]


def _covers(die: ReadDie, tile: ReadTile) -> bool:
    """Whether a tile's middle lies in a die's box."""
    x0, y0, x1, y1 = die.box
    x, y = (float(v) for v in tile.centre)
    return x0 <= x <= x1 and y0 <= y <= y1


def _block(die: ReadDie, faces: Sequence[ReadTile]) -> bool:
    """Whether several sure tiles lie in what was taken for a die: their faces were its pips."""
    sure = (t for t in faces if t.found >= WITNESS and t.confidence >= SURELY)
    return sum(_covers(die, tile) for tile in sure) > 1


def _is_die(tile: ReadTile, die: ReadDie) -> bool:
    """Whether a die that is no smaller than a tile, and found more surely, covers its middle."""
    x0, y0, x1, y1 = die.box
    surer = die.value is not None and die.found > tile.found
    return surer and _covers(die, tile) and min(x1 - x0, y1 - y0) >= tile.short


def dice_sized(dice: Sequence[ReadDie], tiles: Sequence[ReadTile]) -> tuple[ReadDie, ...]:
    """Drop what is larger than any die beside tiles can be, unless it surely is one."""
    told = faces_told(tiles)
    dice = tuple(die for die in dice if not _block(die, told))
    if len(told) < _FACES:
        return dice
    middles = np.array([t.centre for t in told], np.float64)
    shorts = np.array([t.short for t in told], np.float64)

    def fits(die: ReadDie) -> bool:
        x0, y0, x1, y1 = die.box
        apart = np.linalg.norm(middles - ((x0 + x1) / 2, (y0 + y1) / 2), axis=1)
        beside = float(np.median(shorts[np.argsort(apart, kind="stable")[:_NEAR]]))
        size = min(x1 - x0, y1 - y0) / beside
        return size <= (_NEVER if die.found >= _DIE else _LARGER)

    return tuple(die for die in dice if fits(die))


def unread(dice: Sequence[ReadDie]) -> tuple[ReadDie, ...]:
    """The same of dice: those that may be read wrongly show no value."""
    return tuple(
        replace(die, value=None) if die.value is not None and die.confidence < UNFIT else die
        for die in dice
    )
