"""What a running table costs: times of looks, how far behind life, processor, memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.apart.said import Usage
from vision.apart.usage import usage

_KEPT: Final = 72_000
"""Times of so many looks are kept for the figures: an hour's of two cameras."""


@dataclass(frozen=True, slots=True)
class Window:
    """The cost of the time since the last one was asked for.

    Attributes:
        seconds: how long that was.
        looks: pictures looked at.
        cpu: processor time over the time that passed; 1 is one core.
        look_ms: median time of a look.
        behind_s: how much older than now the oldest picture was when its look was done.
        lag_s: longest time from when a picture came to when its look was done.
        gap_s: longest time between two pictures of one camera that were looked at.
        memory_mb: now.
    """

    seconds: float
    looks: int
    cpu: float
    look_ms: float
    behind_s: float
    lag_s: float
    gap_s: float
    memory_mb: float


class Cost:
    """Counts from when it is made, what the eyes' processes cost included.

    Args:
        eyes: what those have cost so far.
    """

    def __init__(self, eyes: Callable[[], Usage] = Usage) -> None:
        self._eyes = eyes
        self._since = self._window_at = time.monotonic()
        self._cpu = self._window_cpu = self._usage().cpu_s
        # Of each look: how long it took, ms; how far behind life and behind what came it was, s.
        self._looks = np.zeros((_KEPT, 3), np.float32)
        self._count = self._told = 0
        self._last: dict[str, float] = {}
        self._gap = 0.0

    def looked(self, camera: str, t: float, took_s: float, came: float | None = None) -> None:
        """A picture taken at ``t`` that came then (wall clock, s) was looked at just now."""
        now = time.time()
        behind = now - t
        lag = behind if came is None else now - came
        self._looks[self._count % _KEPT] = (took_s * 1e3, behind, lag)
        self._count += 1
        self._gap = max(self._gap, t - self._last.get(camera, t))
        self._last[camera] = t

    def _newest(self, looks: int) -> NDArray[np.float32]:
        """(n, 3) of the last looks, as far as they are kept."""
        return self._looks[np.arange(max(self._count - min(looks, _KEPT), 0), self._count) % _KEPT]

    def _usage(self) -> Usage:
        """Of all processes of the table."""
        return usage() + self._eyes()

    def window(self) -> Window:
        """What it cost since the last call."""
        now, used = time.monotonic(), self._usage()
        seconds = max(now - self._window_at, 1e-6)
        looks = self._newest(self._count - self._told)
        window = Window(
            seconds=seconds,
            looks=self._count - self._told,
            cpu=(used.cpu_s - self._window_cpu) / seconds,
            look_ms=at_share(looks[:, 0].tolist(), 0.5),
            behind_s=float(looks[:, 1].max(initial=0.0)),
            lag_s=float(looks[:, 2].max(initial=0.0)),
            gap_s=self._gap,
            memory_mb=used.memory_mb,
        )
        self._window_at, self._window_cpu = now, used.cpu_s
        self._told = self._count
        self._gap = 0.0
        return window

    def figures(self, frames: int, raised: Sequence[float]) -> dict[str, Any]:
        """The whole run.

        Args:
            frames: looked at.
            raised: seconds from a happening to its alert.
        """
        wall = max(time.monotonic() - self._since, 1e-6)
        used = self._usage()
        looks = self._newest(self._count)
        look_ms, behind = looks[:, 0].tolist(), looks[:, 1].tolist()
        return {
            "frames": frames,
            "seconds": wall,
            "fps": frames / wall,
            "look_ms_median": at_share(look_ms, 0.5),
            "look_ms_p95": at_share(look_ms, 0.95),
            "behind_s_median": at_share(behind, 0.5),
            "behind_s_p95": at_share(behind, 0.95),
            "alert_s_median": at_share(raised, 0.5),
            "alert_s_p95": at_share(raised, 0.95),
            "cpu": (used.cpu_s - self._cpu) / wall,
            "memory_mb": used.peak_mb,
        }


def at_share(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies; 0 where there are none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else 0.0
