"""How high a stack is, by its side: a camera sees one band of it for every tile.

A wall rises two tiles high, and the side that faces the camera shows it: back and body of the upper
tile, and below them those of the lower one. When the upper tile is taken, the felt lies where the
band of the lower tile was, seen from the upper edge of what is left. That holds however far the
lower tile lies off its place, which the parallax of the upper edge alone does not
(:mod:`vision.heights.layers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.geometry import Side, TableGeometry
from vision.heights.placing import Detection
from vision.image import Image
from vision.sightings import Posture

Array = NDArray[np.float64]

_STEP = 0.25
"""Samples lie so far apart on the way down, in thicknesses of a tile."""
_DOWN = np.arange(-0.5, 3.25, _STEP)
"""Where samples lie, in thicknesses below the upper edge (above zero: on the upper side)."""
_ALONG = np.linspace(0.15, 0.85, 9)
"""Where samples lie along the edge, as shares of it; what is kept is the median of them."""
_FIRST, _COUNT = 2, 9
"""The samples that are compared: from the edge to where the lower tile stands."""
_ONE = round(1 / _STEP)
"""Samples in one thickness."""
_OWN = 5
"""The band of the uppermost tile itself: up to this sample it is alike for one layer and two."""
_OFF = (-2, -1, 0, 1, 2)
"""An edge is found so many samples off."""
_NUDGED, _NUDGE = (-2, -1, 1, 2), 2.5
"""A hand moved the upper tile on the lower one by so many samples, outwards or inwards, and how
much better that must explain what is seen than that no hand did."""
_AROUND, _ENOUGH = 3, 3
"""Stacks on either side that look alike, and how many of them say what is usual."""
_DIMMER, _BRIGHTER = 0.65, 1.5
"""Light changes by no more than these factors."""
_LEAST_PX = 1.5
"""A band that is narrower, in pixels, says nothing."""
_NOISE = 3.0
"""Mean squared difference, in grey levels, that is none."""
_LEFT = ((_OWN, _ONE), (_OWN + 1, _ONE), (_OWN, _ONE - 1))
"""What is left without the lower tile: up to which sample the uppermost one's own band reaches, and
how many of those below are gone. A lower tile whose own upper edge comes to light shows more of its
body than the edge of the two together did."""
_SLOPE, _EVEN, _MOST, _LEAST = 5.0, 0.5, 4.0, -8.0
"""Log-odds of two layers: slope over the logarithm of how much better two layers explain what is
seen than one, where that is even, and the bounds. From 44,433 looks at stacks two high and 219 at
those one high, in five games."""
_MOST_IN_SHADOW = 2.5
"""Beside a hand its shadow makes everything else; what looks as before is still as before."""
_EXPLAINS = 0.5
"""What differs by more, as a share of the picture's own variance, is not explained: something
stands in front of it, or the stack was built anew and its two tiles lie otherwise on each other."""
_SHARE, _WHOLE, _SURE, _LEVEL = 0.8, 0.9, 0.68, 5.0
"""What must be seen of a tile for its side to say something, to be learned, and how surely the
finder and the level must tell it for that."""
_NEW = 0.2
"""Share of the last look in what is remembered: the light of a hall drifts."""


class StackSide(NamedTuple):
    """The side of one stack as it was seen.

    ``place``: line, stack, posture of the upper tile; ``profile``: (N, 3) colours on the
    way down.
    """

    place: tuple[Side, int, Posture]
    profile: Array


class StackSides:
    """What the stacks of a table's walls looked like from the side while they were two high.

    Args:
        camera: lens and pose.
        geometry: where walls lie and how thick tiles are.
    """

    def __init__(self, camera: CameraModel, geometry: TableGeometry) -> None:
        self._camera = camera
        self._geometry = geometry
        self._two_high: dict[tuple[Side, int, Posture], Array] = {}

    def forget(self, side: Side | None = None) -> None:
        """New walls are coming, or the one of this side is."""
        if side is None:
            self._two_high.clear()
        else:
            self._two_high = {k: v for k, v in self._two_high.items() if k[0] != side}

    def look(
        self,
        image: Image,
        tiles: Sequence[Detection],
        lines: Sequence[Side],
        shifts: Sequence[float],
    ) -> list[StackSide | None]:
        """The sides of stacks in a picture.

        Args:
            image: the picture the tiles were found in.
            tiles: their uppermost tiles.
            lines: the side of the table whose wall each is in.
            shifts: how far each of these walls lies to the right of its nominal place, mm.

        Returns:
            For each its side, or None where the camera sees too little of it.
        """
        if not tiles:
            return []
        camera, geometry = self._camera, self._geometry
        quads = np.array([tile.quad for tile in tiles])
        top, foot = geometry.flat_z, geometry.flat_z - geometry.tile_mm[2]
        corners = camera.to_table(quads.reshape(-1, 2), top).reshape(-1, 4, 2)
        middles = (corners + np.roll(corners, -1, axis=1)) / 2
        towards = np.array([self._towards_camera(side) for side in lines])
        edge = np.einsum("nkc,nc->nk", middles, towards).argmax(axis=1)
        rows = np.arange(len(tiles))
        a, b, middle = quads[rows, edge], quads[rows, (edge + 1) % 4], middles[rows, edge]
        z = np.ones((len(tiles), 1))
        above = camera.project(np.hstack((middle, top * z)))
        down = camera.project(np.hstack((middle, foot * z))) - above
        points = (
            a[:, None, None]
            + (b - a)[:, None, None] * _ALONG[None, None, :, None]
            + down[:, None, None] * _DOWN[None, :, None, None]
        )
        maps = points.reshape(-1, len(_ALONG), 2).astype(np.float32)
        seen = cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
        seen = seen.reshape(len(tiles), len(_DOWN), len(_ALONG), 3)
        profiles = np.median(seen, axis=2).astype(np.float64)
        height, width = image.shape[:2]
        inside = ((points >= 0.0) & (points <= (width - 1, height - 1))).all(axis=(1, 2, 3))
        across = np.abs(down[:, 0] * (b - a)[:, 1] - down[:, 1] * (b - a)[:, 0])
        wide = across >= _LEAST_PX * np.linalg.norm(b - a, axis=1)
        return [
            StackSide((line, self._number(tile, line, shift), tile.posture), profile)
            if ok
            else None
            for tile, line, shift, profile, ok in zip(
                tiles, lines, shifts, profiles, inside & wide, strict=True
            )
        ]

    def favours(self, seen: Sequence[StackSide | None], tiles: Sequence[Detection]) -> Array:
        """(N,) log-odds of two layers; 0 where nothing is known or nothing can be said.

        What was known of a place is forgotten where a tile lies that did not lie there before: a
        stack that was built anew looks otherwise.

        Args:
            seen: as :meth:`look` gave them.
            tiles: their uppermost tiles.
        """
        favours = np.zeros(len(seen))
        for side, tile in zip(seen, tiles, strict=True):
            if side is not None and tile.before is None:
                for posture in Posture:
                    self._two_high.pop((*side.place[:2], posture), None)
        known = [
            (k, side)
            for k, side in enumerate(seen)
            if side is not None and side.place in self._two_high and tiles[k].visible >= _SHARE
        ]
        if not known:
            return favours
        now = np.stack([side.profile for _, side in known])
        kept = np.stack([self._two_high[side.place] for _, side in known])
        usual = np.stack([self._usual(side.place) for _, side in known])
        one = _without_one(now, usual)
        two = _as_before(now, kept)
        better = _better(one, two)
        as_two = (better > _EVEN) & _explained(two, kept)
        as_one = (better < 0.0) & _explained(one, kept)
        odds = _SLOPE * (np.where(as_two, better - _EVEN, 0.0) + np.where(as_one, better, 0.0))
        for (k, _), value in zip(known, np.clip(odds, _LEAST, _MOST), strict=True):
            favours[k] = min(max(value, 0.0), _MOST_IN_SHADOW) if tiles[k].shadowed else value
        return favours

    def learn(
        self,
        seen: Sequence[StackSide | None],
        tiles: Sequence[Detection],
        favours: Sequence[float],
    ) -> None:
        """Remember the sides of stacks that are surely two high.

        What looks otherwise than before is not learned: something stands in front of it. If it
        looks like the stacks around it, something stood there when it was first seen.

        Args:
            seen: their sides.
            tiles: their uppermost tiles, with the level that was decided.
            favours: what their sides said of them.
        """
        clear = [
            side
            for side, tile, favour in zip(seen, tiles, favours, strict=True)
            if side is not None
            and tile.visible >= _WHOLE
            and not tile.shadowed
            and tile.confidence >= _SURE
            and tile.level > _LEVEL
            and favour >= 0.0
        ]
        known = [side for side in clear if side.place in self._two_high]
        for side in clear:
            self._two_high.setdefault(side.place, side.profile)
        if not known:
            return
        now = np.stack([side.profile for side in known])
        kept = np.stack([self._two_high[side.place] for side in known])
        share = np.where(_explained(_as_before(now, kept), kept), _NEW, 0.0)
        for k in np.flatnonzero(share == 0.0):
            share[k] = 1.0 if self._as_those_around(known[k]) else 0.0
        learned = kept + share[:, None, None] * (now - kept)
        self._two_high.update(zip([side.place for side in known], learned, strict=True))

    def _as_those_around(self, side: StackSide) -> bool:
        """Whether a stack looks as those around it do while they are two high."""
        usual = self._usual(side.place)
        if usual is self._two_high[side.place]:
            return False
        now, usual = side.profile[None], usual[None]
        two = _misfit(now, usual)
        as_two = (_better(_without_one(now, usual), two) > _EVEN) & _explained(two, usual)
        return bool(as_two[0])

    def _usual(self, place: tuple[Side, int, Posture]) -> Array:
        """(M, 3) what stacks around a place look like, one lying a little off on the other or not.

        An upper tile that juts out hides what a thickness takes away from the others.
        """
        side, number, posture = place
        near = range(number - _AROUND, number + _AROUND + 1)
        around = [
            self._two_high[one] for n in near if (one := (side, n, posture)) in self._two_high
        ]
        if len(around) < _ENOUGH:
            return self._two_high[place]
        return np.asarray(np.median(around, axis=0), dtype=np.float64)

    def _number(self, tile: Detection, line: Side, shift: float) -> int:
        """Which stack of its line it lies on; beyond its ends, too, which walls may reach."""
        right, _ = self._geometry.to_player(line, tile.x, tile.y)
        return round(self._geometry.stack_place(right - shift))

    def _towards_camera(self, line: Side) -> tuple[float, float]:
        """The direction (2,) in which the side of this wall that the camera sees faces."""
        geometry = self._geometry
        x, y, _ = (float(value) for value in self._camera.position)
        inwards = geometry.to_player(line, x, y)[1] < geometry.wall.offset
        return geometry.to_table(line, 0.0, -1.0 if inwards else 1.0)


def _without(kept: Array, own: int, steps: int) -> Array:
    """Profiles (N, M, 3) that end their own band after so many samples, less so many below it."""
    return np.concatenate((kept[:, :own], kept[:, own + steps :]), axis=1)


def _without_one(now: Array, usual: Array) -> Array:
    """(N,) how badly these profiles are explained by others of which the lower tile is left."""
    gone = [_misfit(now, _without(usual, *each)) for each in _LEFT]
    return np.asarray(np.min(gone, axis=0), dtype=np.float64)


def _moved(kept: Array, steps: int) -> Array:
    """Profiles (N, M, 3) with what lies below the uppermost tile's own band so many samples higher.

    Where it lies lower, there is more of the own band.
    """
    if steps < 0:
        return np.concatenate(
            (kept[:, :_OWN], np.repeat(kept[:, _OWN - 1 : _OWN], -steps, axis=1), kept[:, _OWN:]),
            axis=1,
        )
    return _without(kept, _OWN, steps)


def _as_before(now: Array, kept: Array) -> Array:
    """(N,) how badly the same profiles explain these, with the upper tile nudged at a price."""
    nudged = [_NUDGE * _misfit(now, _moved(kept, step)) for step in _NUDGED]
    return np.asarray(np.min([_misfit(now, kept), *nudged], axis=0), dtype=np.float64)


def _better(one: Array, two: Array) -> Array:
    """(N,) log of how much better two layers explain profiles than one, from their misfits."""
    return np.asarray(np.log((one + _NOISE) / (two + _NOISE)), dtype=np.float64)


def _explained(misfit: Array, kept: Array) -> NDArray[np.bool_]:
    """(N,) whether what differs is little beside how much such sides differ in themselves."""
    contrast = kept[:, _FIRST + 2 : _FIRST + 2 + 2 * _ONE].var(axis=1).mean(axis=1)
    return np.asarray(misfit <= _EXPLAINS * contrast, dtype=bool)


def _misfit(now: Array, kept: Array) -> Array:
    """(N,) mean squared differences of profiles (N, M, 3) from others, whatever the light."""
    part = now[:, _FIRST : _FIRST + _COUNT]
    padded = np.concatenate((kept, np.repeat(kept[:, -1:], _COUNT, axis=1)), axis=1)
    best = np.full(len(now), np.inf)
    for off in _OFF:
        other = padded[:, _FIRST + off : _FIRST + off + _COUNT]
        light = (part * other).sum(axis=(1, 2)) / np.maximum((other**2).sum(axis=(1, 2)), 1.0)
        light = np.clip(light, _DIMMER, _BRIGHTER)[:, None, None]
        best = np.minimum(best, ((part / light - other) ** 2).mean(axis=(1, 2)))
    return best
