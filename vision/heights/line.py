"""Where a line of wall tiles lies, and how high each of them, estimated together.

Hard expectation-maximisation: heights for a place of the line, a place for the heights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import TableGeometry

Array = NDArray[np.float64]

LOOSE = np.array([8.0, 8.0, 0.02])
"""How far a wall may lie from its nominal line before it was seen: mm, mm, radians."""
OUTLIER = 12.5
"""Squared residual (in sigmas) beyond which a tile says nothing about its line."""
_SIGMA = 0.8
"""How exactly a tile of a wall is found and lies in its line, mm."""
_NEIGHBOURS = 1.0
"""Log-odds that a stack is as high as the one beside it (walls are taken from their ends)."""
_RAISED = 1.2
"""Log-odds that a tile of a wall of which nothing is known yet lies on another one.

Machines raise two layers and players take the upper tile first, so at most a stack or two are one
high. What a whole line of small tiles shows by itself is worth only four or five.
"""
_DOUBT = 6.0
"""How much better a judgement of the line by itself must fit than what is believed."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
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


class LineSolver:
    """Estimates lines of one table's walls.

    Args:
        geometry: where slots lie along a line.
    """

    def __init__(self, geometry: TableGeometry) -> None:
        self._geometry = geometry

    def afresh(self, line: Line) -> tuple[NDArray[np.bool_], Array, float]:
        """The likeliest heights and place of a line of which nothing is known."""
        count = len(line.favour)
        starts = [np.ones(count, bool), np.zeros(count, bool)]
        if line.favour.any():
            starts.append(line.favour > 0)
        found = [self.refine(line, start, np.zeros(3), LOOSE) for start in starts]
        return min(found, key=lambda one: one[2])

    def mistaken(self, line: Line, stacked: NDArray[np.bool_], fit: Array) -> bool:
        """What is believed fits clearly worse than what a first look would say.

        Beliefs are carried from look to look; a wall that rises while it is watched, or is
        lowered, would otherwise be followed with the height at which it was first seen.
        """
        errors = self.residual(line.chosen(stacked), fit)
        cost = 0.5 * float((line.weight * np.minimum(errors, OUTLIER)).sum())
        cost += 0.5 * float(((fit / LOOSE) ** 2).sum())
        if cost <= _DOUBT:
            return False  # nothing costs less than nothing
        return self.afresh(replace(line, favour=np.zeros(len(stacked))))[2] + _DOUBT < cost

    def refine(
        self, line: Line, stacked: NDArray[np.bool_], mean: Array, spread: Array
    ) -> tuple[NDArray[np.bool_], Array, float]:
        """The likeliest heights and place, from where they are looked for, and what they cost.

        Args:
            line: the tiles.
            stacked: (N,) those that are taken to be on top at first.
            mean: where the line is expected: mm to the right, mm outwards, radians.
            spread: how surely.
        """
        fit = mean.copy()
        if len(stacked) >= 3:
            fit = self._line_of(line.chosen(stacked), line.weight, mean, spread)
        best, best_fit, cost = stacked, fit, math.inf
        for _ in range(8):
            errors = np.stack([self.residual(layer, fit) for layer in line.places])
            costs = 0.5 * line.weight * np.minimum(errors, OUTLIER)
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
        bound = np.where(np.diff(along) < 1.6 * self._geometry.wall.pitch, _NEIGHBOURS, 0.0)
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
        pitch = self._geometry.wall.pitch
        from_slot = along - self._geometry.stack_phase
        return np.asarray((from_slot + pitch / 2) % pitch - pitch / 2, dtype=np.float64)

    def _local(self, places: Array, fit: Array) -> Array:
        """Places relative to the line: along it to the nearest slot, and across it."""
        along = places[:, 0] - fit[0] + fit[2] * places[:, 1]
        across = places[:, 1] - fit[1] - fit[2] * places[:, 0]
        return np.stack((self._phase(along), across), axis=1)

    def residual(self, places: Array, fit: Array) -> Array:
        """How far each place is off its slot in the line, in squared sigmas."""
        return np.asarray(((self._local(places, fit) / _SIGMA) ** 2).sum(axis=1))

    def _line_of(self, places: Array, trust: Array, mean: Array, spread: Array) -> Array:
        """Where the line lies best for these places (weighted least squares, robust)."""
        fit = mean.copy()
        along, across = np.zeros((len(places), 3)), np.zeros((len(places), 3))
        along[:, 0], along[:, 2] = 1.0, -places[:, 1]
        across[:, 1], across[:, 2] = 1.0, places[:, 0]
        for _ in range(3):
            local = self._local(places, fit)
            weight = trust / (1 + ((local / _SIGMA) ** 2).sum(axis=1) / 4) / _SIGMA**2
            normal = np.diag(1 / spread**2)
            target = (mean - fit) / spread**2
            for rows, values in ((along, local[:, 0]), (across, local[:, 1])):
                normal += rows.T @ (rows * weight[:, None])
                target += rows.T @ (values * weight)
            fit = fit + np.asarray(np.linalg.solve(normal, target), dtype=np.float64)
        return fit
