"""The tiles that stand in front of a seat: without dice, without doubles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from table_controller.happenings.rest.rests import Rest
from vision.sightings import Posture

_THINNEST = 0.65
"""Standing tiles are at least so many tile widths apart."""
_APART, _PARKED_MM = 1.6, 12.0
"""Dice lie so many tiles off the row and so far behind it."""


def standing_row(rests: Iterable[Rest], width: float) -> list[Rest]:
    """The standing tiles of a hand, from its player's left to the right.

    Args:
        rests: what is believed to lie or stand there.
        width: that of a tile, mm.
    """
    row = sorted(rests, key=lambda rest: rest.spot.right)
    dice = parked(row, width)
    upright = [rest for rest in row if rest.posture is Posture.STANDING and rest not in dice]
    return _without_doubles(upright, width)


def _without_doubles(row: Iterable[Rest], width: float) -> list[Rest]:
    """The row without what stands where another stands already: one of both is none."""
    kept: list[Rest] = []
    for rest in row:
        if kept and rest.spot.right - kept[-1].spot.right < _THINNEST * width:
            if rest.number < kept[-1].number:
                kept[-1] = rest
            continue
        kept.append(rest)
    return kept


def parked(rests: Iterable[Rest], width: float) -> list[Rest]:
    """The one or two dice parked beside a row, which pass for standing tiles.

    Tiles that their player keeps apart and a little nearer to himself look the same.

    Args:
        rests: what is believed to lie or stand in a hand.
        width: that of a tile, mm.
    """
    groups: list[list[Rest]] = []
    for rest in sorted(rests, key=lambda rest: rest.spot.right):
        near = groups and rest.spot.right - groups[-1][-1].spot.right <= _APART * width
        if near:
            groups[-1].append(rest)
        else:
            groups.append([rest])
    if len(groups) < 2:
        return []
    line = median(rest.spot.offset for rest in max(groups, key=len))
    return [
        rest
        for group in groups
        if len(group) <= 2 and min(each.spot.offset for each in group) - line >= _PARKED_MM
        for rest in group
    ]


def gaps(row: Sequence[Rest], least: float) -> list[int]:
    """Before which tiles of a row there is room for another, if they are so far apart, mm."""
    return [
        index
        for index, (a, b) in enumerate(pairwise(row), start=1)
        if b.spot.right - a.spot.right > least
    ]
