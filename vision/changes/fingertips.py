"""How far the arms over a table reach.

An arm runs from where it crosses its player's rail along its own direction, to wherever on the
table. What shows of it are cells of the picture that the finder takes for arm, hand or sleeve:
arms that touch each other are one part, and of a dark sleeve whole stretches may be missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.changes.motion import Mask
from vision.geometry import SIDES, Side, TableGeometry
from vision.sightings import Point

ARM = 0.5
"""Probability from which a cell counts as covered by an arm."""
_LEAST_CELLS = 3
_FADING_MM = 13.0
"""Fingertips lie so far beyond the last cell that shows them."""
_NO_WAY_MM = 1.0
"""Where the far ends of a part lie around its beginning, so near in the mean, it points nowhere."""
_ENTRY_MM = 35.0
"""Where an arm crosses its rail, so far in from the edge of the surface."""
_OUTSIDE_MM, _OUTSIDE_MM2 = 20.0, 400.0
"""Who reaches in covers so much beyond so far out. A hand that lies over a neighbour's row and the
edge behind it does not; of a dark sleeve over dark wood nothing may show either."""
_ARM_MM, _CROSSED_MM = 70.0, 45.0
"""An arm is so narrow to both sides of its line: what lies beside belongs to another. Nearer
where another one is known to touch it."""
_BELOW_MM = 30.0
"""Fingertips may lie so far below or over the hand that their arm touches."""
_HAND_CELLS = 40
"""A part as large as this, away from all rails, may be a hand."""
_BESIDE_MM, _GAP_MM = 45.0, 200.0
"""How far off the line of an arm, and beyond where it was last seen, its hand may be found."""
_FAR_MM, _STRAIGHT = 420.0, 0.97
"""Farther beyond where the sleeve that shows points there (cosine)."""
_NEXT_MM, _EXACTLY = 150.0, 0.998
"""Not so far where it lies over a rail, unless the sleeve points exactly there: it may be the hand
of who sits behind."""
_ALONE = 0.15
"""Where arms touch, such a share of each shows at its rail beside those that go farther in."""
_TURN_DEG, _MOST_DEG = 3.0, 66.0
_RAY_MM, _STEP_MM, _FILLED, _HOLE_MM = 30.0, 12.0, 0.5, 40.0
"""Directions are tried so fine and so far from straight on: a ray is so wide to both sides, and
goes on as long as this share of it shows an arm, over holes no longer than this."""

Reach = tuple[Point | None, Point | None, Point | None, Point | None]
_Vector = NDArray[np.float64]
_Sure = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Arm:
    """What shows of one arm, in its player's frame, mm."""

    side: Side
    cells: Mask
    start: _Vector
    along: _Vector
    tip: _Vector
    length: float


class Fingertips:
    """Looks for them in masks of cells.

    Args:
        x: where the middle of each cell is on the table, mm.
        y: the same.
        geometry: how large the surface is.
    """

    def __init__(self, x: _Vector, y: _Vector, geometry: TableGeometry) -> None:
        self._half = geometry.surface_mm / 2
        self._frames = [_player(side, x, y) for side in SIDES]
        right, offset = self._frames[0]
        step = np.hypot(np.diff(right, axis=1).mean(), np.diff(offset, axis=1).mean())
        self._ray_cells = max(1.0, 2.0 * _RAY_MM * _STEP_MM / float(step) ** 2)
        """How many cells of a ray are in one step along it."""
        self._outside_cells = _OUTSIDE_MM2 / float(step) ** 2

    def reach(self, arms: NDArray[np.float32] | Mask) -> Reach:
        """For each side the fingertips of the arm that comes over its rail, mm.

        ``arms`` are probabilities by cell (a mask counts as certain). Fingers are narrower than a
        cell and fade out in the probabilities, hence the extension.
        """
        sure = np.asarray(arms, dtype=np.float32)
        mask = cv2.morphologyEx(
            (sure >= ARM).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)
        )
        if not mask.any():
            return None, None, None, None
        count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
        loose: list[Mask] = []
        doubtful: list[tuple[Side, Mask]] = []
        best: dict[Side, _Arm] = {}
        for label in range(1, count):
            if stats[label, cv2.CC_STAT_AREA] < 2 * _LEAST_CELLS:
                continue
            part = labels == label
            sides = [side for side in SIDES if self._at_rail(side, part) >= _LEAST_CELLS]
            if len(sides) > 1:
                _keep_longest(best, self._touching(sides, part, sure))
            elif sides and self._comes_over(sides[0], part):
                _keep_longest(best, [self._arm(sides[0], part, sure)])
            elif sides:
                doubtful.append((sides[0], part))
            elif stats[label, cv2.CC_STAT_AREA] >= _HAND_CELLS:
                loose.append(part)
        for side, part in doubtful:
            others = {each: arm for each, arm in best.items() if each != side}
            hand = int(part.sum()) >= _HAND_CELLS
            if hand and self._give(part, others, sure, over_rail=True):
                best.update(others)
            else:
                _keep_longest(best, [self._arm(side, part, sure)])
        # What belongs to no arm as it is seen so far may lie beyond what another part adds to it.
        while loose:
            left = [part for part in loose if not self._give(part, best, sure)]
            if len(left) == len(loose):
                break
            loose = left
        tips: list[Point | None] = [None, None, None, None]
        for side, arm in best.items():
            tx, ty = TableGeometry.to_table(side, float(arm.tip[0]), float(arm.tip[1]))
            tips[side] = (round(tx, 1), round(ty, 1))
        return tips[0], tips[1], tips[2], tips[3]

    def _ways(self, side: int, part: Mask) -> _Vector:
        """Where cells are in a player's own frame: right and offset, mm."""
        right, offset = self._frames[side]
        return np.column_stack((right[part], offset[part]))

    def _entry(self, ways: _Vector) -> Mask:
        inside = np.abs(ways[:, 0]) < self._half
        return np.asarray((ways[:, 1] > self._half - _ENTRY_MM) & inside, dtype=bool)

    def _at_rail(self, side: int, part: Mask) -> int:
        """How many cells of a part lie over that side's rail."""
        return int(self._entry(self._ways(side, part)).sum())

    def _comes_over(self, side: Side, part: Mask) -> bool:
        """Whether a part shows beyond that side's rail, as who comes from there does."""
        ways = self._ways(side, part)
        outside = (ways[:, 1] > self._half + _OUTSIDE_MM) & (np.abs(ways[:, 0]) < self._half)
        return bool(outside.sum() >= self._outside_cells)

    def _touching(self, sides: list[Side], part: Mask, sure: _Sure) -> list[_Arm]:
        """The arms of a part that comes over several rails, which may be those of fewer players.

        Where two cross the one that goes farther in goes on.
        """
        none = np.zeros_like(part)
        sides = [side for side in sides if self._comes_over(side, part)] or sides
        found = [self._arm(side, part, sure, others=none) for side in sides]
        by_depth = sorted((arm for arm in found if arm is not None), key=_inwards, reverse=True)
        arms = by_depth[:1]
        for arm in by_depth[1:]:
            others = self._shown_by(arms)
            own = self._at_rail(arm.side, part & ~others)
            again = self._arm(arm.side, part, sure, others=others)
            # Otherwise another's hand or sleeve lies over this rail as well.
            if again is not None and own >= _ALONE * self._at_rail(arm.side, part):
                arms.append(again)
        if len(arms) > 1:
            # The first had all cells to choose from: its line may have bent towards another.
            first, others = arms[0], self._shown_by(arms[1:])
            arms[0] = self._arm(first.side, part, sure, others=others, below=True) or first
        return arms

    def _shown_by(self, arms: Sequence[_Arm]) -> Mask:
        """The cells that arms which touch others cover themselves."""
        shown = np.zeros(self._frames[0][0].shape, dtype=bool)
        for arm in arms:
            right, offset = self._frames[arm.side]
            ways = np.stack((right - arm.start[0], offset - arm.start[1]))
            depth = ways[0] * arm.along[0] + ways[1] * arm.along[1]
            off = np.abs(ways[0] * arm.along[1] - ways[1] * arm.along[0])
            shown |= (depth <= arm.length) & (off <= _CROSSED_MM)
        return shown

    def _arm(
        self,
        side: Side,
        part: Mask,
        sure: _Sure,
        *,
        others: Mask | None = None,
        below: bool = False,
    ) -> _Arm | None:
        """The arm of a part that comes over that side's rail, if it is long enough to be one.

        ``others``: cells of arms that come over other rails and touch it; ``below``: it may end
        among them.
        """
        places = self._ways(side, part)
        entry = self._entry(places)
        on_table = places[:, 1] < self._half + 5.0
        if int(entry.sum()) < _LEAST_CELLS or int(on_table.sum()) < 2 * _LEAST_CELLS:
            return None
        start = places[entry].mean(axis=0)
        ways = places[on_table] - start
        distances = np.hypot(ways[:, 0], ways[:, 1])
        if distances.max() < 35.0:
            return None
        free = np.ones(len(ways), bool)
        if others is None:
            far, most = ways[distances >= np.percentile(distances, 85.0)].mean(axis=0), np.inf
            norm = float(np.hypot(*far))
            if norm < _NO_WAY_MM:
                return None
            along = far / norm
        else:
            free = ~others[part][on_table]
            along, most = self._straight(ways, free)
            if not along.any():
                return None
            if below:
                free, most = np.ones(len(ways), bool), most + _BELOW_MM
        depths = ways @ along
        width = _ARM_MM if others is None else _CROSSED_MM
        own = (np.abs(_across(ways, along)) < width) & (depths <= most) & free
        if not own.any():
            return None
        length = float(depths[own].max())
        last = own & (depths > length - 15.0)
        end = ways[last].mean(axis=0)
        fading = 1.0 - float(sure[part][on_table][last].mean())
        beyond = length - float(end @ along) + 2.0 * fading * _FADING_MM
        return _Arm(side, part, start, along, start + end + along * beyond, length)

    def _straight(self, ways: _Vector, free: Mask) -> tuple[_Vector, float]:
        """The direction (length 1) in which most cells lie one behind the other, and how far.

        Both are 0 where none do.

        Cells that are not ``free`` belong to an arm that crosses: they may lie in between.
        """
        best: tuple[float, _Vector, float] = (0.0, np.zeros(2), 0.0)
        enough = _FILLED * self._ray_cells
        for angle in np.radians(np.arange(-_MOST_DEG, _MOST_DEG + 0.1, _TURN_DEG)):
            along = np.array([np.sin(angle), -np.cos(angle)])
            depths = ways @ along
            ray = (np.abs(_across(ways, along)) <= _RAY_MM) & (depths >= 0.0)
            steps = (depths / _STEP_MM).astype(int)
            most = int(steps[ray].max(initial=0)) + 1
            filled = np.bincount(steps[ray], minlength=most) >= enough
            own = np.bincount(steps[ray & free], minlength=most)
            last = _goes_on(filled, int(_HOLE_MM / _STEP_MM))
            ends = np.flatnonzero(own[:last] >= enough)
            if not len(ends):
                continue
            last = int(ends[-1]) + 1
            score = float(np.minimum(own[:last], self._ray_cells).sum())
            if score > best[0]:
                best = (score, along, last * _STEP_MM)
        return best[1], best[2]

    def _give(
        self, hand: Mask, arms: dict[Side, _Arm], sure: _Sure, *, over_rail: bool = False
    ) -> bool:
        """A part that comes over no rail is the hand of the arm in whose line it lies, if any.

        A dark sleeve is not always seen in its whole length. ``over_rail``: it may as well be that
        of who sits there. Returns whether it was given.
        """
        fitting: list[tuple[float, _Arm]] = []
        for arm in arms.values():
            joined = self._arm(arm.side, arm.cells | hand, sure)
            if joined is None:
                continue
            ways = self._ways(arm.side, hand) - arm.start
            off = float(np.median(np.abs(_across(ways, joined.along))))
            before = self._ways(arm.side, arm.cells) - arm.start
            # Its nearest cells may be those of its shadow.
            nearest = float(np.percentile(ways @ joined.along, 10.0))
            gap = nearest - float((before @ joined.along).max())
            straight = float(arm.along @ joined.along)
            if over_rail:
                far = _GAP_MM if straight >= _EXACTLY else _NEXT_MM
            else:
                far = _FAR_MM if straight >= _STRAIGHT else _GAP_MM
            if -20.0 <= gap <= far and off <= _BESIDE_MM:
                fitting.append((gap + off, joined))
        if fitting:
            arm = min(fitting, key=lambda each: each[0])[1]
            arms[arm.side] = arm
        return bool(fitting)


def _keep_longest(best: dict[Side, _Arm], found: Sequence[_Arm | None]) -> None:
    """Take in the arms that were found; of two of one side the one that goes farther counts."""
    for arm in found:
        if arm is not None and (arm.side not in best or arm.length > best[arm.side].length):
            best[arm.side] = arm


def _inwards(arm: _Arm) -> float:
    """How far an arm goes towards the other side of the table, mm."""
    return arm.length * -float(arm.along[1])


def _goes_on(filled: Mask, holes: int) -> int:
    """How many steps of a ray there are before a hole that is longer than allowed."""
    last = -1
    for step in np.flatnonzero(filled):
        if step - last - 1 > holes:
            break
        last = int(step)
    return last + 1


def _across(ways: _Vector, along: _Vector) -> _Vector:
    """How far off a line through the origin, mm."""
    return np.asarray(ways[:, 0] * along[1] - ways[:, 1] * along[0], dtype=np.float64)


def _player(side: int, x: _Vector, y: _Vector) -> tuple[_Vector, _Vector]:
    """Coordinates of the table in a player's own frame: right and offset, mm."""
    for _ in range(side):
        x, y = y, -x
    return x, -y
