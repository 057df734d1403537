"""Unix time that goes on evenly when somebody sets the host's clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

STEP_S: Final = 1.0
"""The host's clock was set when it is off by so much more than was told."""


class SteadyClock:
    """Unix time as it was when this was made, and what has passed since, in seconds.

    All that is dated together (cameras, machine) needs the same one: times of two clocks, of which
    one follows the host's when that is set, do not compare any more. On Linux both of the host's
    clocks run at one rate (NTP slews both), so what it was made with stays right but for steps.

    Args:
        wall: the host's clock, s since 1970.
        passed: seconds that never jump.
    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        passed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wall = wall
        self._passed = passed
        self._epoch = wall() - passed()
        self._told = 0.0
        self._lock = threading.Lock()

    def now(self) -> float:
        """Seconds since 1970."""
        return self._epoch + self._passed()

    def step(self) -> float | None:
        """Seconds by which the host's clock was set; told once, to whoever asks first."""
        with self._lock:
            off = self._wall() - self.now()
            if abs(off - self._told) < STEP_S:
                return None
            step, self._told = off - self._told, off
            return step
