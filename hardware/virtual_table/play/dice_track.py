"""Two dice through one hand: thrown, rolling, at rest, picked up."""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from hardware.virtual_table.scene import DieBody

_TUMBLE: Final = 0.07
"""How long one face is on top while a die rolls, s."""


@dataclass(frozen=True, slots=True)
class _Roll:
    """From ``t0`` on; ``t1 == t0`` is a rest. ``path`` are points passed at even parts."""

    t0: float
    t1: float
    path: tuple[tuple[float, float], ...]
    angle0: float
    angle1: float
    faces: tuple[int, ...]
    value: int
    cocked: bool = False
    hidden: bool = False

    def body(self, t: float) -> DieBody | None:
        if self.hidden:
            return None
        x, y = self.path[-1]
        if t >= self.t1:
            return DieBody(x, y, self.angle1, self.value, 0.0, self.cocked)
        u = (t - self.t0) / (self.t1 - self.t0)
        s = _slowing(u)
        px, py = _along(self.path, s)
        qx, qy = _along(self.path, _slowing(min(1.0, u + 0.01)))
        speed = math.hypot(qx - px, qy - py) / (0.01 * (self.t1 - self.t0))
        face = self.faces[min(len(self.faces) - 1, int((t - self.t0) / _TUMBLE))]
        value = self.value if u > 0.88 else face
        return DieBody(px, py, self.angle0 + (self.angle1 - self.angle0) * s, value, speed)


def _slowing(u: float) -> float:
    return 1.0 - math.pow(1.0 - u, 2.2)


def _along(path: tuple[tuple[float, float], ...], s: float) -> tuple[float, float]:
    part = s * (len(path) - 1)
    index = min(len(path) - 2, int(part))
    f = part - index
    (ax, ay), (bx, by) = path[index], path[index + 1]
    return ax + (bx - ax) * f, ay + (by - ay) * f


class DieTrack:
    """One die."""

    def __init__(self, t: float, x: float, y: float, value: int, angle: float) -> None:
        self._rolls = [_Roll(t, t, ((x, y),), angle, angle, (), value)]
        self._starts = [t]

    def body(self, t: float) -> DieBody | None:
        """The die at ``t``; None while it is in somebody's hand."""
        return self._rolls[max(0, bisect_right(self._starts, t) - 1)].body(t)

    def _add(self, roll: _Roll) -> None:
        self._rolls.append(roll)
        self._starts.append(roll.t0)

    def hide(self, t: float) -> None:
        """Picked up."""
        last = self._rolls[-1]
        self._add(_Roll(t, t, last.path[-1:], 0.0, 0.0, (), last.value, hidden=True))

    def lay(self, t: float, x: float, y: float, angle: float) -> None:
        """Laid down somewhere, same face up."""
        self._add(_Roll(t, t, ((x, y),), angle, angle, (), self._rolls[-1].value))

    def roll(
        self,
        t0: float,
        t1: float,
        start: tuple[float, float],
        end: tuple[float, float],
        value: int,
        rng: random.Random,
        *,
        cocked: bool = False,
    ) -> None:
        """Thrown at ``t0`` from ``start``; bounces once and comes to rest at ``end``."""
        bounce = (
            start[0] + (end[0] - start[0]) * 0.6 + rng.uniform(-28, 28),
            start[1] + (end[1] - start[1]) * 0.6 + rng.uniform(-28, 28),
        )
        angle1 = rng.uniform(0, 360)
        faces = tuple(rng.randint(1, 6) for _ in range(int((t1 - t0) / _TUMBLE) + 1))
        spin = rng.choice((-1, 1)) * rng.uniform(200, 600)
        self._add(_Roll(t0, t1, (start, bounce, end), angle1 - spin, angle1, faces, value, cocked))
