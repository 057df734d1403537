"""When a live camera's pictures were taken: by its stamps, carried on where its clock was set."""

from __future__ import annotations

import math
from dataclasses import dataclass

from vision.cameras.sources import SourceState

SUSTAINED_S = 2.0
"""Stamps that are wrong for so long mean that the camera's clock was set."""
AHEAD_S = 2.0
"""A stamp so much later than its picture came is wrong. No more than ``SUSTAINED_S``: then no time
that was given lies in the future any more when a clock is found to be set."""
BEHIND_S = 5.0
"""A stamp so much earlier than its picture came is wrong: no network keeps pictures so long."""
_SAME_S = 1e-6
"""Stamps are told to the microsecond, and carrying them on rounds."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A picture's time, s, or None where it may not be used; what is to be told of its camera."""

    t: float | None
    state: SourceState | None = None
    detail: str = ""


class Stamps:
    """Dates the pictures of one camera. Times only go forward.

    Args:
        held_to_arrival: stamps that cannot be true, by when the picture came, are not believed;
            else only those that go backwards are not.
    """

    def __init__(self, *, held_to_arrival: bool) -> None:
        self._held = held_to_arrival
        self._last = -math.inf
        self._shift = 0.0
        self._wrong_since: float | None = None
        self._slack = 1.0

    def date(self, stamp: float | None, arrival: float) -> Dated:
        """The next picture's time.

        Args:
            stamp: its time by the camera's clock, s; None: it has none, and its arrival counts.
            arrival: when it came, s on a clock that never jumps.
        """
        t = arrival if stamp is None else stamp + self._shift
        off = t - arrival
        if abs(t - self._last) <= _SAME_S:
            return Dated(None)  # the server repeats its last picture
        backwards = t < self._last
        possible = not self._held or -BEHIND_S * self._slack <= off <= AHEAD_S * self._slack
        if possible and not backwards:
            self._wrong_since, self._slack, self._last = None, 1.0, t
            return Dated(t)
        if self._wrong_since is None:
            self._wrong_since = arrival
            if backwards:
                text = f"a picture is stamped {self._last - t:.3f} s before the last one"
                return Dated(None, SourceState.TIMES_BACKWARDS, text)
            # A clock that slowly runs out of what is possible would come and go at its edge.
            self._slack = 0.5
            side = "after" if off > 0 else "before"
            text = f"a picture is stamped {abs(off):.3f} s {side} it came"
            return Dated(None, SourceState.TIMES_IMPOSSIBLE, text)
        if arrival - self._wrong_since < SUSTAINED_S:
            return Dated(None)
        self._wrong_since, self._slack = None, 1.0
        # From what was given last times go on as the stamps do, so that the next is later again.
        self._last = max(arrival, self._last + 2 * _SAME_S)
        if stamp is not None:
            self._shift = self._last - stamp
        text = f"its clock was set, or is wrong, by {off:+.3f} s"
        return Dated(self._last, SourceState.CLOCK_SET, text)
