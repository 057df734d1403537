"""What a running table costs: times of looks, how far behind life, processor, memory."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vision.apart.said import Usage
from vision.apart.usage import usage

_KEPT: Final = 36_000
"""Times of so many looks are kept for the figures: an hour's."""


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
        self._look_ms: deque[float] = deque(maxlen=_KEPT)
        self._behind: deque[float] = deque(maxlen=_KEPT)
        self._recent: deque[tuple[float, float, float]] = deque(maxlen=_KEPT)
        self._last: dict[str, float] = {}
        self._gap = 0.0

    def looked(self, camera: str, t: float, took_s: float, came: float | None = None) -> None:
        """A picture taken at ``t`` that came then (wall clock, s) was looked at just now."""
        now = time.time()
        behind = now - t
        self._look_ms.append(took_s * 1e3)
        self._behind.append(behind)
        self._recent.append((took_s * 1e3, behind, behind if came is None else now - came))
        self._gap = max(self._gap, t - self._last.get(camera, t))
        self._last[camera] = t

    def _usage(self) -> Usage:
        """Of all processes of the table."""
        return usage() + self._eyes()

    def window(self) -> Window:
        """What it cost since the last call."""
        now, used = time.monotonic(), self._usage()
        seconds = max(now - self._window_at, 1e-6)
        looks = [ms for ms, _, _ in self._recent]
        window = Window(
            seconds=seconds,
            looks=len(looks),
            cpu=(used.cpu_s - self._window_cpu) / seconds,
            look_ms=at_share(looks, 0.5),
            behind_s=max((late for _, late, _ in self._recent), default=0.0),
            lag_s=max((lag for _, _, lag in self._recent), default=0.0),
            gap_s=self._gap,
            memory_mb=used.memory_mb,
        )
        self._window_at, self._window_cpu = now, used.cpu_s
        self._recent.clear()
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
        return {
            "frames": frames,
            "seconds": wall,
            "fps": frames / wall,
            "look_ms_median": at_share(self._look_ms, 0.5),
            "look_ms_p95": at_share(self._look_ms, 0.95),
            "behind_s_median": at_share(self._behind, 0.5),
            "behind_s_p95": at_share(self._behind, 0.95),
            "alert_s_median": at_share(raised, 0.5),
            "alert_s_p95": at_share(raised, 0.95),
            "cpu": (used.cpu_s - self._cpu) / wall,
            "memory_mb": used.peak_mb,
        }


def at_share(values: Sequence[float], share: float) -> float:
    """The value below which a share of them lies; 0 where there are none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else 0.0
