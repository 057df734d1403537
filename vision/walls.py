"""Which tiles of a wall lie on another one: decided for a whole line together.

The picture of a line of tiles at twice a thickness is larger than that of one at a single
thickness and lies further outwards: by 2.5 to 5 mm at the edge of the table. One tile alone
would not say which is which; all tiles of the line, how the line lay before, what each place
showed before, and neighbours that are mostly equally high, do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.geometry import SIDES, Side, TableGeometry
from vision.heights import Detection, place
from vision.sightings import Posture

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LineFit:
    """How a wall lies relative to its nominal line: mm to the right, mm outwards, radians.

    ``tiles`` is how many tiles it rests on.
    """

    right: float = 0.0
    outward: float = 0.0
    turn: float = 0.0
    tiles: int = 0


_SIGMA = 0.8
"""How exactly a tile of a wall is found and lies in its line, mm."""
_LOOSE = np.array([8.0, 8.0, 0.02])
"""How far a wall may lie from its nominal line before it was seen: mm, mm, radians."""
_KNOWN = np.array([0.6, 0.6, 0.0015])
"""The same between two looks at a wall that nobody pushed."""
_PUSHED = 3.0
"""Mean cost of a tile from which on the wall must have been pushed since the last look."""
_LINE, _DOUBT = 6, 6.0
"""A line of so many tiles can be judged by itself; how much better that judgement must fit."""
_OUTLIER = 12.5
"""Squared residual (in sigmas) beyond which a tile says nothing about its line."""
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
_NEIGHBOURS = 1.0
"""Log-odds that a stack is as high as the one beside it (walls are taken from their ends)."""
_RAISED = 1.2
"""Log-odds that a tile of a wall of which nothing is known yet lies on another one.

Machines raise two layers and players take the upper tile first, so at most a stack or two are one
high. What a whole line of small tiles shows by itself is worth only four or five.
"""
_MOVED = 1.5
"""Largest log-odds that a tile brings along which was moved away from where it lay."""
_CERTAIN = 7.0
"""Largest log-odds that what was seen before may give."""
_NEWS = 0.4
"""How much of what the line says of a tile is kept: looks at a still tile hardly differ."""


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """The tiles of one line.

    ``places`` (2, N, 2) at either height; ``favour`` is what speaks for the upper layer
    (log-odds), ``weight`` how well each is seen (0..1).
    """

    places: Array
    favour: Array
    weight: Array

    def chosen(self, stacked: NDArray[np.bool_]) -> Array:
        """(N, 2) places at the heights chosen."""
        return np.asarray(np.where(stacked[:, None], self.places[1], self.places[0]))


def _weight(tile: Detection) -> float:
    """How well a tile is seen: its place is only as good as the finder's certainty."""
    return min(max((tile.confidence - 0.25) / 0.35, 0.1), 1.0) * min(tile.visible, 1.0) ** 2


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


def _light(tiles: Sequence[Detection]) -> float:
    """By how much all tiles together became brighter (logarithm) since they were last seen."""
    steps = [
        math.log(tile.shade / tile.before.shade)
        for tile in tiles
        if tile.before is not None and tile.shade > 0 and tile.before.shade > 0
    ]
    return float(np.median(steps)) if len(steps) >= _ENOUGH else 0.0


class WallHeights:
    """Decides which wall tiles lie on another one, line by line.

    The picture of a line of tiles at 40 mm is larger than that of one at 20 mm and lies
    further outwards: all tiles of the line together, with how the line lay before, say which
    is which even where a single tile could not. Both heights of every tile and the place of
    the line are estimated together (hard expectation-maximisation from several starts).

    Args:
        camera: lens and pose.
        geometry: the wall's nominal place.
    """

    def __init__(self, camera: CameraModel, geometry: TableGeometry) -> None:
        self.camera = camera
        self.geometry = geometry
        self.fits: dict[Side, LineFit] = {}

    def forget(self) -> None:
        """New walls are coming."""
        self.fits.clear()

    def decide(
        self, tiles: Sequence[Detection], others: Sequence[Detection] = ()
    ) -> list[Detection]:
        """Correct heights and places of tiles that lie on walls.

        Args:
            tiles: those found in this picture.
            others: those known from before and not looked at now; they help to say where the
                walls lie and are not changed.
        """
        out = list(tiles)
        flat = [
            index
            for index, tile in enumerate(tiles)
            if tile.posture is not Posture.STANDING and self._may_be_wall(tile)
        ]
        if not flat:
            return out
        known = [
            tile
            for tile in others
            if tile.posture is not Posture.STANDING and self._may_be_wall(tile)
        ]
        members = [tiles[index] for index in flat] + known
        quads = np.array([tile.quad for tile in members])
        low = place(self.camera, quads, self.geometry.flat_z)[0]
        high = place(self.camera, quads, self.geometry.stacked_z)[0]
        owners = self._lines(low, high, [tile.angle for tile in members])
        light = _light([tiles[index] for index in flat])
        favours = np.array(
            [self._favour(tiles[index], light) for index in flat] + [tile.level for tile in known]
        )
        weights = np.array([_weight(tile) for tile in members])
        for side in SIDES:
            line = [k for k, owner in enumerate(owners) if owner == side]
            if not any(k < len(flat) for k in line):
                continue
            stacked, says = self._solve(side, low[line], high[line], favours[line], weights[line])
            for k, on_top, word in zip(line, stacked, says, strict=True):
                if k >= len(flat):
                    continue
                level = float(favours[k] + _NEWS * word)
                level = max(level, 0.3) if on_top else min(level, -0.3)
                level = min(max(level, -_CERTAIN), _CERTAIN)
                out[flat[k]] = replace(members[k], level=level)
                if on_top:
                    x, y = high[k]
                    out[flat[k]] = replace(
                        out[flat[k]], x=float(x), y=float(y), z=self.geometry.stacked_z
                    )
        return out

    def _favour(self, tile: Detection, light: float) -> float:
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
        flat_z, stacked_z = self.geometry.flat_z, self.geometry.stacked_z
        down = self._seen_at(here, stacked_z, flat_z)
        up = self._seen_at(here, flat_z, stacked_z)
        wide = math.hypot(_OTHER_MM * self.camera.px_per_mm(0.0, 0.0, stacked_z), _SAME_PX)
        stays = np.logaddexp(_density(now - here[0], _SAME_PX), _ELSEWHERE)
        if hidden:
            nudged = _NUDGED_MM * self.camera.px_per_mm(0.0, 0.0, stacked_z)
            stays = np.logaddexp(stays, _NUDGED + _density(now - here[0], nudged))
        falls, rises = _density(now - down, wide), _density(now - up, wide)
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
        return float(min(max(is_high - is_low, -_CERTAIN), _CERTAIN))

    def _seen_at(self, px: Array, z: float, other: float) -> Array:
        """Where a point seen at height ``z`` would be seen at the ``other`` height."""
        x, y = self.camera.to_table(px, z)[0]
        return np.asarray(self.camera.project([[x, y, other]])[0], dtype=np.float64)

    def _may_be_wall(self, tile: Detection) -> bool:
        geometry = self.geometry
        reach = geometry.tile_height / 2 + 14.0
        for side in SIDES:
            right, offset = geometry.to_player(side, tile.x, tile.y)
            half = geometry.stacks_per_side * geometry.wall.pitch / 2 + 20.0
            if abs(offset - geometry.wall.offset) < reach and abs(right) < half:
                return True
        return False

    def _lines(self, low: Array, high: Array, angles: Sequence[float]) -> list[Side | None]:
        """The line each tile belongs to: near it at either height, and parallel to it."""
        geometry = self.geometry
        depth = geometry.tile_height / 2 + 6.0
        owners: list[Side | None] = []
        for index, angle in enumerate(angles):
            best: tuple[float, Side] | None = None
            for side in SIDES:
                fit = self.fits.get(side, LineFit())
                skew = abs((angle - 90.0 * side + 90.0) % 180.0 - 90.0)
                distance = min(
                    abs(
                        geometry.to_player(side, float(point[0]), float(point[1]))[1]
                        - geometry.wall.offset
                        - fit.outward
                    )
                    for point in (low[index], high[index])
                )
                if skew < 15.0 and distance < depth and (best is None or distance < best[0]):
                    best = (distance, side)
            owners.append(None if best is None else best[1])
        return owners

    def _solve(
        self, side: Side, low: Array, high: Array, favour: Array, weight: Array
    ) -> tuple[NDArray[np.bool_], Array]:
        """Which tiles of a line are on top, and what the line alone says of each (log-odds)."""
        geometry = self.geometry
        places = np.empty((2, len(low), 2))
        for layer, points in enumerate((low, high)):
            for index, (x, y) in enumerate(points):
                right, offset = geometry.to_player(side, float(x), float(y))
                places[layer, index] = right - geometry.wall.centre, offset - geometry.wall.offset
        known = self.fits.get(side)
        line = _Line(places, favour, weight)
        if known is None:
            stacked, fit, _ = self._afresh(line)
        else:
            mean = np.array([known.right, known.outward, known.turn])
            stacked, fit, cost = self._refine(line, favour > 0, mean, _KNOWN)
            if len(low) >= _LINE and cost > _PUSHED * float(weight.sum()):
                pushed = self._refine(line, favour > 0, mean, _LOOSE)
                if pushed[2] < cost:
                    stacked, fit, _ = pushed
            if len(low) >= _LINE and self._mistaken(line, stacked, fit):
                stacked, fit, _ = self._afresh(replace(line, favour=np.zeros(len(low))))
        if float(weight.sum()) >= 2.5:
            self.fits[side] = LineFit(float(fit[0]), float(fit[1]), float(fit[2]), len(low))
        errors = np.stack([self._residual(layer, fit) for layer in places])
        says = 0.5 * weight * (np.minimum(errors[0], _OUTLIER) - np.minimum(errors[1], _OUTLIER))
        return stacked, np.clip(says, -4.0, 4.0)

    def _afresh(self, line: _Line) -> tuple[NDArray[np.bool_], Array, float]:
        """The likeliest heights and place of a line of which nothing is known."""
        count = len(line.favour)
        starts = [np.ones(count, bool), np.zeros(count, bool)]
        if line.favour.any():
            starts.append(line.favour > 0)
        found = [self._refine(line, start, np.zeros(3), _LOOSE) for start in starts]
        return min(found, key=lambda one: one[2])

    def _mistaken(self, line: _Line, stacked: NDArray[np.bool_], fit: Array) -> bool:
        """What is believed fits clearly worse than what a first look would say.

        Beliefs are carried from look to look; a wall that rises while it is watched, or is
        lowered, would otherwise be followed with the height at which it was first seen.
        """
        neutral = replace(line, favour=np.zeros(len(stacked)))
        fresh = self._afresh(neutral)
        errors = self._residual(line.chosen(stacked), fit)
        cost = 0.5 * float((line.weight * np.minimum(errors, _OUTLIER)).sum())
        cost += 0.5 * float(((fit / _LOOSE) ** 2).sum())
        return fresh[2] + _DOUBT < cost

    def _refine(
        self, line: _Line, stacked: NDArray[np.bool_], mean: Array, spread: Array
    ) -> tuple[NDArray[np.bool_], Array, float]:
        fit = mean.copy()
        if len(stacked) >= 3:
            fit = self._line_of(line.chosen(stacked), line.weight, mean, spread)
        best, best_fit, cost = stacked, fit, math.inf
        for _ in range(8):
            errors = np.stack([self._residual(layer, fit) for layer in line.places])
            costs = 0.5 * line.weight * np.minimum(errors, _OUTLIER)
            costs[0] += np.maximum(line.favour, 0) + _RAISED * (line.favour == 0.0)
            costs[1] += np.maximum(-line.favour, 0)
            chosen, total = self._together(line.places, costs)
            total += 0.5 * float((((fit - mean) / spread) ** 2).sum())
            if total >= cost - 1e-9:
                break
            best, best_fit, cost = chosen, fit, total
            fit = self._line_of(line.chosen(chosen), line.weight, mean, spread)
        return best, best_fit, cost

    def _together(self, places: Array, costs: Array) -> tuple[NDArray[np.bool_], float]:
        """The cheapest heights along the line, neighbours preferring to be equally high.

        Args:
            places: (2, N, 2) of the tiles at either height, along and across the line.
            costs: (2, N) of every tile being low or high.
        """
        order = np.argsort(places[0, :, 0], kind="stable")
        along = places[0, order, 0]
        bound = np.where(np.diff(along) < 1.6 * self.geometry.wall.pitch, _NEIGHBOURS, 0.0)
        low, high = (float(value) for value in costs[:, order[0]])
        steps: list[tuple[bool, bool]] = []
        for place_, tie in zip(order[1:], bound, strict=True):
            # For either height of this tile: was the one before it high?
            from_high = (high + tie < low, high <= low + tie)
            low, high = (
                min(low, high + tie) + float(costs[0, place_]),
                min(high, low + tie) + float(costs[1, place_]),
            )
            steps.append(from_high)
        chosen = np.empty(len(order), dtype=bool)
        state = high < low
        chosen[order[-1]] = state
        for place_, step in zip(order[-2::-1], reversed(steps), strict=True):
            state = step[int(state)]
            chosen[place_] = state
        return chosen, min(low, high)

    def _phase(self, along: Array) -> Array:
        """Distance to the nearest slot along the line."""
        pitch = self.geometry.wall.pitch
        start = (self.geometry.stacks_per_side + 1) % 2 * pitch / 2
        return np.asarray((along - start + pitch / 2) % pitch - pitch / 2, dtype=np.float64)

    def _local(self, places: Array, fit: Array) -> Array:
        """Places relative to the line: along it to the nearest slot, and across it."""
        along = places[:, 0] - fit[0] + fit[2] * places[:, 1]
        across = places[:, 1] - fit[1] - fit[2] * places[:, 0]
        return np.column_stack((self._phase(along), across))

    def _residual(self, places: Array, fit: Array) -> Array:
        return np.asarray(((self._local(places, fit) / _SIGMA) ** 2).sum(axis=1))

    def _line_of(self, places: Array, trust: Array, mean: Array, spread: Array) -> Array:
        """Where the line lies best for these places (weighted least squares, robust)."""
        fit = mean.copy()
        for _ in range(3):
            local = self._local(places, fit)
            weight = trust / (1 + ((local / _SIGMA) ** 2).sum(axis=1) / 4) / _SIGMA**2
            normal = np.diag(1 / spread**2)
            target = (mean - fit) / spread**2
            along = np.column_stack((np.ones(len(places)), np.zeros(len(places)), -places[:, 1]))
            across = np.column_stack((np.zeros(len(places)), np.ones(len(places)), places[:, 0]))
            for rows, values in ((along, local[:, 0]), (across, local[:, 1])):
                normal += rows.T @ (rows * weight[:, None])
                target += rows.T @ (values * weight)
            fit = fit + np.asarray(np.linalg.solve(normal, target), dtype=np.float64)
        return fit
