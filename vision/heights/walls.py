"""Which tiles of a wall lie on another one: decided for a whole line together.

The picture of a line of tiles at twice a thickness is larger than that of one at a single
thickness and lies further outwards: by 2.5 to 5 mm at the edge of the table. One tile alone
would not say which is which; all tiles of the line, how the line lay before, what each place
showed before, and neighbours that are mostly equally high, do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.calibration.camera import CameraModel
from vision.geometry import SIDES, Side, TableGeometry
from vision.heights.layers import CERTAIN, WallLayers, light_of
from vision.heights.line import LOOSE, OUTLIER, Line, LineSolver
from vision.heights.placing import Detection, place, skew
from vision.heights.stack_sides import StackSide, StackSides
from vision.image import Image
from vision.sightings import Posture

Array = NDArray[np.float64]

_KNOWN = np.array([0.6, 0.6, 0.0015])
"""How far a wall that nobody pushed lies from where it lay at the look before: mm, mm, radians."""
_PUSHED = 3.0
"""Mean cost of a tile from which on the wall must have been pushed since the last look."""
_LINE = 6
"""A line of so many tiles can be judged by itself."""
_NEWS = 0.4
"""How much of what the line says of a tile is kept: looks at a still tile hardly differ."""
_WHOLE, _AT_REST_MM, _ON_END = 12, 0.45, 3
"""A line of so many tiles that rises moves further from look to look, so many times on end; once or
twice it only seems to, in the shadow of an arm."""
_ANEW = 3.0
"""Log-odds of a height that a whole line says by itself."""


@dataclass(frozen=True, slots=True)
class LineFit:
    """How a wall lies relative to its nominal line: mm to the right, mm outwards, radians.

    ``tiles`` is how many tiles it rests on.
    """

    right: float = 0.0
    outward: float = 0.0
    turn: float = 0.0
    tiles: int = 0


@dataclass(slots=True, eq=False)
class _Rise:
    """What is remembered of a line to know when it has come up.

    Attributes:
        lay: (N, 2) where its tiles lay at the look before, mm.
        most: how many tiles it had at most.
        moving: at how many looks on end it moved.
    """

    lay: Array | None = None
    most: int = 0
    moving: int = 0

    def ends(self, places: Array) -> bool:
        """Whether the line moved before this look, and is whole, and lies still now.

        Args:
            places: (N, 2) of its tiles, mm.
        """
        before, self.lay = self.lay, places
        self.most = max(self.most, len(places))
        if before is None or min(len(places), len(before)) < _WHOLE:
            return False
        steps = places[:, None] - before[None]
        nearest = np.linalg.norm(steps, axis=2).argmin(axis=1)
        step = np.median(steps[np.arange(len(places)), nearest], axis=0)
        if np.linalg.norm(step) > _AT_REST_MM:
            self.moving += 1
            return False
        moved, self.moving = self.moving, 0
        return moved >= _ON_END and len(places) >= self.most - 1


def _weight(tile: Detection) -> float:
    """How well a tile is seen: its place is only as good as the finder's certainty."""
    return min(max((tile.confidence - 0.25) / 0.35, 0.1), 1.0) * min(tile.visible, 1.0) ** 2


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
        self._layers = WallLayers(camera, geometry)
        self._sides = StackSides(camera, geometry)
        self._solver = LineSolver(geometry)
        self._rises = {side: _Rise() for side in SIDES}

    def forget(self) -> None:
        """New walls are coming."""
        self.fits.clear()
        self._sides.forget()
        self._rises = {side: _Rise() for side in SIDES}

    def decide(
        self,
        tiles: Sequence[Detection],
        others: Sequence[Detection] = (),
        image: Image | None = None,
    ) -> list[Detection]:
        """Correct heights and places of tiles that lie on walls.

        Args:
            tiles: those found in this picture.
            others: those known from before and not looked at now; they help to say where the
                walls lie and are not changed.
            image: the picture they were found in, where what their sides show is to help.
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
        light = light_of([tiles[index] for index in flat])
        favours = np.array(
            [self._layers.favour(tiles[index], light) for index in flat]
            + [tile.level for tile in known]
        )
        shown = self._show(image, tiles, flat, owners)
        from_side = self._sides.favours(shown, [tiles[index] for index in flat])
        favours[: len(flat)] += from_side
        weights = np.array([_weight(tile) for tile in members])
        upper: list[int] = []
        for side in SIDES:
            line = [k for k, owner in enumerate(owners) if owner == side]
            if len(line) < _LINE:
                self._rises[side].most = 0
            if not any(k < len(flat) for k in line):
                continue
            anew = self._rises[side].ends(low[line])
            if anew:
                # What was seen while it rose says nothing of how it lies now, but an arm may only
                # have pushed it: then its sides still look as they did.
                for k in line:
                    favours[k] = from_side[k] if k < len(flat) else 0.0
                self.fits.pop(side, None)
                self._sides.forget(side)
            stacked, says = self._solve(side, low[line], high[line], favours[line], weights[line])
            for k, on_top, word in zip(line, stacked, says, strict=True):
                if k >= len(flat):
                    continue
                level = float(favours[k] + _NEWS * word)
                level = max(level, 0.3) if on_top else min(level, -0.3)
                level = min(max(level, -CERTAIN), CERTAIN)
                if anew:
                    level = _ANEW if on_top else -_ANEW
                out[flat[k]] = replace(members[k], level=level, anew=anew)
                if on_top:
                    x, y = high[k]
                    out[flat[k]] = replace(
                        out[flat[k]], x=float(x), y=float(y), z=self.geometry.stacked_z
                    )
                    if not anew:
                        upper.append(k)
        self._sides.learn(
            [shown[k] for k in upper], [out[flat[k]] for k in upper], [from_side[k] for k in upper]
        )
        return out

    def _show(
        self,
        image: Image | None,
        tiles: Sequence[Detection],
        flat: Sequence[int],
        owners: Sequence[Side | None],
    ) -> list[StackSide | None]:
        """The sides of the stacks that tiles of lines lie on."""
        shown: list[StackSide | None] = [None] * len(flat)
        if image is None:
            return shown
        lines = [(k, side) for k, side in enumerate(owners[: len(flat)]) if side is not None]
        seen = self._sides.look(
            image,
            [tiles[flat[k]] for k, _ in lines],
            [side for _, side in lines],
            [self.fits.get(side, LineFit()).right for _, side in lines],
        )
        for (k, _), side in zip(lines, seen, strict=True):
            shown[k] = side
        return shown

    def _may_be_wall(self, tile: Detection) -> bool:
        geometry = self.geometry
        reach = geometry.tile_height / 2 + 14.0
        for side in SIDES:
            right, offset = geometry.to_player(side, tile.x, tile.y)
            half = geometry.stacks_per_side * geometry.wall.pitch / 2 + 20.0
            if abs(offset - geometry.wall.offset) < reach and (
                abs(right - geometry.wall.centre) < half
            ):
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
                aslant = skew(angle, 90.0 * side)
                distance = min(
                    abs(
                        geometry.to_player(side, float(point[0]), float(point[1]))[1]
                        - geometry.wall.offset
                        - fit.outward
                    )
                    for point in (low[index], high[index])
                )
                if aslant < 15.0 and distance < depth and (best is None or distance < best[0]):
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
        line = Line(places, favour, weight)
        if known is None:
            stacked, fit, _ = self._solver.afresh(line)
        else:
            mean = np.array([known.right, known.outward, known.turn])
            stacked, fit, cost = self._solver.refine(line, favour > 0, mean, _KNOWN)
            if len(low) >= _LINE and cost > _PUSHED * float(weight.sum()):
                pushed = self._solver.refine(line, favour > 0, mean, LOOSE)
                if pushed[2] < cost:
                    stacked, fit, _ = pushed
            if len(low) >= _LINE and self._solver.mistaken(line, stacked, fit):
                stacked, fit, _ = self._solver.afresh(replace(line, favour=np.zeros(len(low))))
        if float(weight.sum()) >= 2.5:
            self.fits[side] = LineFit(float(fit[0]), float(fit[1]), float(fit[2]), len(low))
        errors = np.stack([self._solver.residual(layer, fit) for layer in places])
        says = 0.5 * weight * (np.minimum(errors[0], OUTLIER) - np.minimum(errors[1], OUTLIER))
        return stacked, np.clip(says, -4.0, 4.0)
