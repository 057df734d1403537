"""Which layer of a wall a tile lies in, by what was seen in its place before."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.geometry import TableGeometry
from vision.heights.placing import Detection

Array = NDArray[np.float64]

CERTAIN = 7.0
"""Largest log-odds that what was seen before may give."""
_SAME_PX, _OTHER_MM = 0.45, 1.2
"""Deviation of a tile that nobody touched (pixels) and of the one below it (mm)."""
_TAKEN, _PUT_BACK = math.log(0.04), math.log(0.001)
"""How likely an upper tile is taken, or a tile put on a wall, between two looks."""
_TAKEN_UNSEEN, _PUT_BACK_UNSEEN = math.log(0.3), math.log(0.02)
"""The same where an arm was over the place between the two looks."""
_ELSEWHERE = -10.5
"""Log-density (per pixel²) of finding the tile anywhere else: it was moved.

Wall tiles do not slide by themselves, and a lower tile between two stacks that still stand is
partly hidden by one of them and found a little off its place.
"""
_NUDGED, _NUDGED_MM = math.log(0.05), 1.5
"""How likely a hand that took a neighbour moved a tile a little, and by how much, mm.

Of 181,619 looks at tiles of walls 72 told the wrong layer, 25 with it."""
_SAME_SHADE, _DARKER, _OF_ITSELF = 0.012, ((0.02, 0.02), (0.2, 0.15)), 0.007
"""How much darker (logarithm) an upper tile is from look to look (deviation), the tile below it
(mean and deviation, between stacks that stand and at an end of the wall), and how often a shadow
falls on a tile that nobody touched. Measured on 23,730 looks at tiles and the draws among them."""
_MOST_SHADE = 6.0
_ENOUGH = 4
"""So many tiles say by how much the light of all of them changed."""
_MOVED = 1.5
"""Largest log-odds that a tile brings along which was moved away from where it lay."""


def _density(apart: Array, sigma: float) -> float:
    """Log-density of a deviation in the picture (2,), pixels."""
    squared = float((apart**2).sum())
    return -squared / (2 * sigma**2) - math.log(2 * math.pi * sigma**2)


def _shaded(darker: float) -> float:
    """Log-odds that so much darker (logarithm) is the tile below and not the same one."""
    below = sum(0.5 * _normal(darker, mean, sigma) for mean, sigma in _DARKER)
    same = (1 - _OF_ITSELF) * _normal(darker, 0.0, _SAME_SHADE) + _OF_ITSELF
    odds = math.log(max(below, 1e-9)) - math.log(same)
    if darker < 0.0:
        # No lower tile is brighter; what had been half under a hand comes out so.
        odds = min(odds, _shaded(0.0))
    return min(max(odds, -_MOST_SHADE), _MOST_SHADE)


def _normal(value: float, mean: float, sigma: float) -> float:
    return math.exp(-((value - mean) ** 2) / (2 * sigma**2)) / (math.sqrt(2 * math.pi) * sigma)


def light_of(tiles: Sequence[Detection]) -> float:
    """By how much all tiles together became brighter (logarithm) since they were last seen."""
    steps = [
        math.log(tile.shade / tile.before.shade)
        for tile in tiles
        if tile.before is not None and tile.shade > 0 and tile.before.shade > 0
    ]
    return float(np.median(steps)) if len(steps) >= _ENOUGH else 0.0


class WallLayers:
    """What speaks for the upper layer in every tile by itself.

    Args:
        camera: lens and pose.
        geometry: how thick tiles are.
    """

    def __init__(self, camera: CameraModel, geometry: TableGeometry) -> None:
        self._camera = camera
        self._geometry = geometry
        scale = camera.px_per_mm(0.0, 0.0, geometry.stacked_z)
        self._wide = math.hypot(_OTHER_MM * scale, _SAME_PX)
        self._nudged = _NUDGED_MM * scale

    def favour(self, tile: Detection, light: float) -> float:
        """Log-odds for the upper layer from what was seen here before.

        A tile that stays has not moved in the picture and is as bright; when the upper tile is
        taken, the one below shows up shifted by the parallax of one thickness, in the shade of
        the stacks beside it (and the other way round).
        """
        if tile.before is None:
            return 0.0
        cx, cy, level, hidden, shade = tile.before
        taken, put_back = (_TAKEN_UNSEEN, _PUT_BACK_UNSEEN) if hidden else (_TAKEN, _PUT_BACK)
        now, here = tile.quad.mean(axis=0), np.array([[cx, cy]])
        flat_z, stacked_z = self._geometry.flat_z, self._geometry.stacked_z
        down = self._seen_at(here, stacked_z, flat_z)
        up = self._seen_at(here, flat_z, stacked_z)
        stays = np.logaddexp(_density(now - here[0], _SAME_PX), _ELSEWHERE)
        if hidden:
            stays = np.logaddexp(stays, _NUDGED + _density(now - here[0], self._nudged))
        falls, rises = _density(now - down, self._wide), _density(now - up, self._wide)
        if tile.shade > 0 and shade > 0:
            brighter = math.log(tile.shade / shade) - light
            # Beside a hand darkness says nothing; what is as bright as before still does.
            most = 0.0 if tile.shadowed else _MOST_SHADE
            falls += min(_shaded(-brighter), most)
            rises += min(_shaded(brighter), most)
        if max(stays, falls, rises) <= _ELSEWHERE + 0.7:
            # A wall that rises or is pushed: as it lies now says more than what it once was.
            return min(max(level, -_MOVED), _MOVED)
        was_high, was_low = -math.log1p(math.exp(-level)), -math.log1p(math.exp(level))
        is_high = np.logaddexp(was_high + stays, was_low + put_back + rises)
        is_low = np.logaddexp(was_low + stays, was_high + taken + falls)
        return float(min(max(is_high - is_low, -CERTAIN), CERTAIN))

    def _seen_at(self, px: Array, z: float, other: float) -> Array:
        """Where a point seen at height ``z`` would be seen at the ``other`` height."""
        x, y = self._camera.to_table(px, z)[0]
        return np.asarray(self._camera.project([[x, y, other]])[0], dtype=np.float64)
