"""Is the table looked at often enough? Where it is not, what comes and goes is missed."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unwatched:
    """A time, in seconds of the source, in which nobody looked or too seldom.

    Attributes:
        since: the last look at which it was looked often enough, or the first of too few.
        until: None while that goes on.
    """

    since: float
    until: float | None


class Pace:
    """Counts the looks of all cameras.

    Args:
        gap_s: a time as long as this must be seen in ``few`` looks of one camera.
        few: so many.
    """

    def __init__(self, gap_s: float, few: int) -> None:
        self._gap_s = gap_s
        self._few = few
        self._looks: dict[str, deque[float]] = {}
        """The newest looks of each camera."""
        self.newest: float | None = None
        self._often = True
        self.dark_since: float | None = None
        """Since when nothing at all has been looked at, where that is no short pause."""
        self._told_until = 0.0
        self.seldom: float | None = None
        """Since when it is looked too seldom, where that was told and still goes on."""

    def resume(self, t: float) -> None:
        """What is known ends at ``t``: the program was ended then or later, and began again."""
        self.newest = self._told_until = t

    def dark(self, t: float) -> Unwatched | None:
        """Time went on until ``t`` without a look: told once, as soon as it is no short pause.

        Its end is told with the next look.
        """
        if self.newest is None or self.dark_since is not None or t - self.newest < self._gap_s:
            return None
        self.dark_since = self.newest
        return Unwatched(self.newest, None) if self.seldom is None else None

    def look(self, camera: str, t: float) -> Unwatched | None:
        """A camera was looked through; what is now known not to have been watched.

        A pause among many looks is told with its end. Few looks are told while that goes on,
        for what they show has no order either, and again with their end.
        """
        dark, self.dark_since = self.dark_since is not None, None
        before, self.newest = self.newest, t
        if before is None:
            self._told_until = t
        oldest = self._oldest(camera, t)
        was_often, self._often = self._often, t - oldest < self._gap_s
        if self.seldom is not None:
            return self._over(t) if self._often else None
        if self._often:
            return None
        if before is not None and (was_often or dark) and t - before >= self._gap_s:
            self._told_until = t
            return Unwatched(before, t)
        since = max(oldest, self._told_until)
        if t - since < self._gap_s:
            return None
        self.seldom = since
        return Unwatched(since, None)

    def _over(self, t: float) -> Unwatched:
        assert self.seldom is not None
        since, self.seldom, self._told_until = self.seldom, None, t
        return Unwatched(since, t)

    def _oldest(self, camera: str, t: float) -> float:
        """When the newest few looks began through that camera which looked most often."""
        self._looks.setdefault(camera, deque(maxlen=self._few)).append(t)
        return max(
            (times[0] for times in self._looks.values() if len(times) == self._few),
            default=-math.inf,
        )
