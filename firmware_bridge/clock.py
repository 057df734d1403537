"""The board's clock on the host's.

Every ping gives a bracket: the board's tick lies between the sending of the ping and the arrival of
the pong. The map is a line fitted through the middles of the tighter half of the recent brackets
(as in Klipper's clock synchronisation). At each bracket the line is wrong by no more than half the
bracket's width plus its distance from the middle; away from it by what the rate may be wrong. The
bound is the best of these. A bracket that the line misses by more cannot come from the same two
clocks: one of them was set, and the map starts anew.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge.messages import TICK_US

TICK: Final = TICK_US * 1e-6
_WRAP: Final = 1 << 32
_WINDOW: Final = 64
_RATE_SPAN: Final = 1.0
"""Seconds the brackets must span before a rate is fitted."""
_RATE_MAX: Final = 0.01
"""A ceramic resonator is off by 0.5 % at worst."""
_JUMP_SLACK: Final = 0.005


@dataclass(frozen=True, slots=True)
class Bracket:
    """Host times (s) before and after the moment at which the board's clock showed ``tick``."""

    before: float
    after: float
    tick: int

    @property
    def width(self) -> float:
        """Seconds."""
        return self.after - self.before

    @property
    def middle(self) -> float:
        """Host time in the middle, s."""
        return (self.before + self.after) / 2


class ClockMap:
    """Maps ticks of one boot to host seconds."""

    def __init__(self) -> None:
        self._brackets: deque[Bracket] = deque(maxlen=_WINDOW)
        self._last = 0
        self._origin_tick = 0
        self._origin = 0.0
        self._rate = 1.0
        self._rate_error = _RATE_MAX
        self._error = float("inf")

    @property
    def ready(self) -> bool:
        """Whether there is a map at all."""
        return bool(self._brackets)

    @property
    def error(self) -> float:
        """Bound of the error at the newest bracket, s; infinite before the first one."""
        return self._error

    @property
    def rate(self) -> float:
        """Host seconds per board second."""
        return self._rate

    def unwrap(self, tick: int) -> int:
        """The full count of a 32-bit tick, taken as within 2.5 days of the newest bracket."""
        return self._last + ((tick - self._last + _WRAP // 2) % _WRAP) - _WRAP // 2

    def error_at(self, tick: int) -> float:
        """Bound of the error of :meth:`host_time` there, s; grows away from the newest bracket."""
        return self._error + self._rate_error * abs(self.unwrap(tick) - self._last) * TICK

    def host_time(self, tick: int) -> float:
        """Host seconds at which the board's clock showed the 32-bit ``tick``."""
        return self._origin + (self.unwrap(tick) - self._origin_tick) * TICK * self._rate

    def add(self, before: float, after: float, tick: int) -> float | None:
        """Take a bracket in.

        Returns:
            Seconds by which the clocks jumped against each other if this bracket shows that they
            did (the map was started anew), else None.
        """
        jump = None
        if self._brackets:
            expected = self.host_time(tick)
            slack = _JUMP_SLACK + self.error_at(tick)
            if expected < before - slack or expected > after + slack:
                jump = (before + after) / 2 - expected
                self._brackets.clear()
                self._rate = 1.0
            full = self.unwrap(tick)
        else:
            full = tick
        self._last = full
        self._brackets.append(Bracket(before, after, full))
        self._fit()
        return jump

    def _fit(self) -> None:
        best = sorted(self._brackets, key=lambda b: b.width)
        best = best[: max(1, (len(best) + 1) // 2)]
        base_tick = best[0].tick
        base = best[0].middle
        xs = [(b.tick - base_tick) * TICK for b in best]
        ys = [b.middle - base for b in best]
        n = len(best)
        x_mean, y_mean = sum(xs) / n, sum(ys) / n
        rate = self._rate
        if max(xs) - min(xs) >= _RATE_SPAN:
            sxx = sum((x - x_mean) ** 2 for x in xs)
            sxy = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
            rate = min(1 + _RATE_MAX, max(1 - _RATE_MAX, sxy / sxx))
        self._rate = rate
        offset = y_mean - rate * x_mean
        self._origin_tick = base_tick
        self._origin = base + offset
        margins = [
            (x, b.width / 2 + abs(y - offset - rate * x))
            for b, x, y in zip(best, xs, ys, strict=True)
        ]
        self._rate_error = _rate_error(margins)
        newest = (self._last - base_tick) * TICK
        self._error = TICK + min(
            margin + self._rate_error * abs(newest - x) for x, margin in margins
        )


def _rate_error(margins: list[tuple[float, float]]) -> float:
    """What the rate may be wrong by: two brackets far apart, each missed by its margin at most."""
    if len(margins) < 2:
        return _RATE_MAX
    ordered = sorted(margins)
    part = max(1, len(ordered) // 3)
    early = min(ordered[:part], key=lambda m: m[1])
    late = min(ordered[-part:], key=lambda m: m[1])
    span = late[0] - early[0]
    return min(_RATE_MAX, (early[1] + late[1]) / span) if span > 0 else _RATE_MAX
