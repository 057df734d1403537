"""From corners in the picture to a tile in millimetres: posture, height, place, direction.

A camera sees the upper side of a tile. Where that is on the table depends on how high it is:
flat on the felt, on top of another tile of a wall, or the upper end of a standing tile. Flat
and standing are told apart by the size of what is seen; one-high and two-high wall stacks
differ by a few pixels only, so they are decided for a whole line of the wall together
(:class:`WallHeights`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.calibration import CameraModel
from vision.geometry import SIDES, Side, TableGeometry
from vision.sightings import Posture

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """A tile found in a picture, placed on the table.

    Attributes:
        quad: (4, 2) corners in picture pixels, as the finder gives them.
        posture: how it lies.
        confidence: the finder's.
        x, y, z: middle of its upper side, mm.
        angle: degrees counter-clockwise; 0 upright for the player at side 0.
        width, length: measured extent along the quad's top edge and along its sides, mm.
        fit: how well that extent matches the posture: largest deviation as a share.
        before: where in the picture (its centre, pixels) and at which height (mm) a tile was
            last seen in this place.
        visible: share of the upper side that is not covered, by the finder, 0..1.
    """

    quad: Array
    posture: Posture
    confidence: float
    x: float
    y: float
    z: float
    angle: float
    width: float
    length: float
    fit: float
    before: tuple[float, float, float] | None = None
    visible: float = 1.0


def place(
    camera: CameraModel, quads: Array, heights: Array | float
) -> tuple[Array, Array, Array, Array]:
    """Quads (N, 4, 2) at heights (N,) mm: centres (N, 2), angles (N,), widths, lengths (N,)."""
    count = len(quads)
    z = np.repeat(np.broadcast_to(np.asarray(heights, dtype=np.float64), (count,)), 4)
    corners = camera.to_table(np.asarray(quads, dtype=np.float64).reshape(-1, 2), z)
    corners = corners.reshape(count, 4, 2)
    across = (corners[:, 1] - corners[:, 0] + corners[:, 2] - corners[:, 3]) / 2
    up = (corners[:, 0] - corners[:, 3] + corners[:, 1] - corners[:, 2]) / 2
    # Both edges say the direction; the longer one says it better.
    direction = up + np.column_stack((-across[:, 1], across[:, 0]))
    angles = np.degrees(np.arctan2(direction[:, 1], direction[:, 0])) - 90.0
    angles = (angles + 180.0) % 360.0 - 180.0
    return (
        corners.mean(axis=1),
        angles,
        np.asarray(np.linalg.norm(across, axis=1)),
        np.asarray(np.linalg.norm(up, axis=1)),
    )


def lift(
    camera: CameraModel,
    geometry: TableGeometry,
    quads: Array,
    postures: Sequence[Posture],
    confidences: Sequence[float],
) -> list[Detection]:
    """Place what the finder found, correcting postures that its size contradicts.

    Args:
        camera: lens and pose.
        geometry: gives the size of the tiles.
        quads: (N, 4, 2) picture pixels.
        postures: the finder's opinion for each.
        confidences: the finder's, for each.
    """
    if not len(quads):
        return []
    width, height, thickness = geometry.tile_mm
    flat = place(camera, quads, geometry.flat_z)
    standing = place(camera, quads, geometry.standing_z)
    found = []
    for index, (posture, confidence) in enumerate(zip(postures, confidences, strict=True)):
        lying_fit = _misfit(flat[2][index], flat[3][index], width, height)
        upright_fit = _misfit(standing[2][index], standing[3][index], width, thickness)
        upright = (said := posture) is Posture.STANDING
        # The finder's word counts unless what is seen fits the other posture clearly better.
        if upright and upright_fit > 0.3 and lying_fit < 0.5 * upright_fit:
            upright = False
            said = Posture.UNSURE
        elif not upright and lying_fit > 0.3 and upright_fit < 0.5 * lying_fit:
            upright = True
            said = Posture.STANDING
        centres, angles, widths, lengths = standing if upright else flat
        w, h = float(widths[index]), float(lengths[index])
        angle = float(angles[index])
        if (w > h) is not upright and abs(w - h) > 0.15 * max(w, h):
            # The first edge is the other one: turn by a quarter.
            angle = (angle + 90.0 + 180.0) % 360.0 - 180.0
            w, h = h, w
        found.append(
            Detection(
                np.asarray(quads[index], dtype=np.float64),
                said,
                float(confidence),
                float(centres[index, 0]),
                float(centres[index, 1]),
                geometry.standing_z if upright else geometry.flat_z,
                angle,
                w,
                h,
                upright_fit if upright else lying_fit,
            )
        )
    return found


def _misfit(first: float, second: float, short: float, long: float) -> float:
    """Largest deviation of two extents from two sizes, as a share, in the better order."""
    one = max(abs(first / short - 1), abs(second / long - 1))
    other = max(abs(second / short - 1), abs(first / long - 1))
    return float(min(one, other))


@dataclass(frozen=True, slots=True)
class LineFit:
    """How a wall lies relative to its nominal line: mm to the right, mm outwards, radians.

    ``tiles`` is how many tiles it rests on.
    """

    right: float = 0.0
    outward: float = 0.0
    turn: float = 0.0
    tiles: int = 0


_SIGMA = 1.6
"""How exactly a tile of a wall is found and lies in its line, mm."""
_LOOSE = np.array([8.0, 8.0, 0.02])
"""How far a wall may lie from its nominal line before it was seen: mm, mm, radians."""
_KNOWN = np.array([1.5, 1.5, 0.004])
"""The same between two looks at it."""
_OUTLIER = 12.5
"""Squared residual (in sigmas) beyond which a tile says nothing about its line."""
_SAME_PX, _OTHER_MM = 0.5, 1.3
"""Deviation of a tile that nobody touched (pixels) and of the one below it (mm)."""
_PUT_BACK = 3.0
"""Log-odds against a tile having been put on a wall."""
_NEIGHBOURS = 1.0
"""Log-odds that a stack is as high as the one beside it (walls are taken from their ends)."""
_CERTAIN = 7.0
"""Largest log-odds that what was seen before may give (a whole wall may have been pushed)."""


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
        favours = [self._favour(tiles[index]) for index in flat]
        favours += [
            _CERTAIN if tile.z > self.geometry.flat_z + 1.0 else -_CERTAIN for tile in known
        ]
        for side in SIDES:
            line = [k for k, owner in enumerate(owners) if owner == side]
            if not any(k < len(flat) for k in line):
                continue
            chosen = self._solve(side, low[line], high[line], np.array([favours[k] for k in line]))
            for k, stacked in zip(line, chosen, strict=True):
                if k < len(flat) and stacked:
                    x, y = high[k]
                    out[flat[k]] = replace(
                        members[k], x=float(x), y=float(y), z=self.geometry.stacked_z
                    )
        return out

    def _favour(self, tile: Detection) -> float:
        """Log-odds for the upper layer from what was seen here before.

        A tile that stays has not moved in the picture; when the upper tile is taken, the one
        below shows up shifted by the parallax of one thickness (and the other way round).
        """
        if tile.before is None:
            return 0.0
        geometry = self.geometry
        was_high = tile.before[2] > geometry.flat_z + 1.0
        here = np.array([tile.before[:2]])
        z0, z1 = geometry.flat_z, geometry.stacked_z
        if was_high:
            z0, z1 = z1, z0
        (x, y), now = self.camera.to_table(here, z0)[0], tile.quad.mean(axis=0)
        other = self.camera.project([[x, y, z1]])[0]
        scale = _OTHER_MM * self.camera.px_per_mm(float(x), float(y), z1)
        stay = float(((now - here[0]) ** 2).sum()) / (2 * _SAME_PX**2)
        change = float(((now - other) ** 2).sum()) / (2 * scale**2)
        if min(change, stay) > _OUTLIER:
            return 0.0  # neither: it was being moved
        # Putting a tile back on a wall is rare, taking one is what walls are for.
        change += 0.0 if was_high else _PUT_BACK
        odds = change - stay + 2 * math.log(scale / _SAME_PX)
        odds = min(max(odds, -_CERTAIN), _CERTAIN)
        return odds if was_high else -odds

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

    def _solve(self, side: Side, low: Array, high: Array, favour: Array) -> NDArray[np.bool_]:
        geometry = self.geometry
        places = np.empty((2, len(low), 2))
        for layer, points in enumerate((low, high)):
            for index, (x, y) in enumerate(points):
                right, offset = geometry.to_player(side, float(x), float(y))
                places[layer, index] = right - geometry.wall.centre, offset - geometry.wall.offset
        known = self.fits.get(side)
        mean = np.zeros(3) if known is None else np.array([known.right, known.outward, known.turn])
        spread = _LOOSE if known is None else _KNOWN
        starts = [favour > 0, np.ones(len(low), bool), np.zeros(len(low), bool)]
        best_cost, best, best_fit = math.inf, starts[0], mean
        for start in starts:
            stacked, fit, cost = self._refine(places, start, mean, spread, favour)
            if cost < best_cost - 1e-9:
                best_cost, best, best_fit = cost, stacked, fit
        if known is not None or len(low) >= 3:
            self.fits[side] = LineFit(
                float(best_fit[0]), float(best_fit[1]), float(best_fit[2]), len(low)
            )
        return best

    def _refine(
        self,
        places: Array,
        stacked: NDArray[np.bool_],
        mean: Array,
        spread: Array,
        favour: Array,
    ) -> tuple[NDArray[np.bool_], Array, float]:
        fit = mean.copy()
        if len(stacked) >= 3:
            fit = self._line_of(self._choose(places, stacked), mean, spread)
        cost = math.inf
        for _ in range(8):
            errors = np.stack([self._residual(layer, fit) for layer in places])
            costs = 0.5 * np.minimum(errors, _OUTLIER)
            costs[0] += np.maximum(favour, 0)
            costs[1] += np.maximum(-favour, 0)
            chosen, total = self._together(places, costs)
            total += 0.5 * float((((fit - mean) / spread) ** 2).sum())
            if total >= cost - 1e-9:
                break
            cost, stacked = total, chosen
            fit = self._line_of(self._choose(places, stacked), mean, spread)
        return stacked, fit, cost

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

    @staticmethod
    def _choose(places: Array, stacked: NDArray[np.bool_]) -> Array:
        return np.asarray(np.where(stacked[:, None], places[1], places[0]), dtype=np.float64)

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

    def _line_of(self, places: Array, mean: Array, spread: Array) -> Array:
        """Where the line lies best for these places (weighted least squares, robust)."""
        fit = mean.copy()
        for _ in range(3):
            local = self._local(places, fit)
            weight = 1 / (1 + ((local / _SIGMA) ** 2).sum(axis=1) / 4) / _SIGMA**2
            normal = np.diag(1 / spread**2)
            target = (mean - fit) / spread**2
            along = np.column_stack((np.ones(len(places)), np.zeros(len(places)), -places[:, 1]))
            across = np.column_stack((np.zeros(len(places)), np.ones(len(places)), places[:, 0]))
            for rows, values in ((along, local[:, 0]), (across, local[:, 1])):
                normal += rows.T @ (rows * weight[:, None])
                target += rows.T @ (values * weight)
            fit = fit + np.asarray(np.linalg.solve(normal, target), dtype=np.float64)
        return fit
