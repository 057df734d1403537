"""Happenings leave in the order of their times, although they are decided out of order."""

from __future__ import annotations

import heapq

from table_controller.domain.happenings import Happening


class Outbox:
    """Holds happenings for a moment, so that an earlier one decided later still goes first."""

    def __init__(self, hold_s: float, hold_most_s: float) -> None:
        self._hold_s = hold_s
        self._hold_most_s = hold_most_s
        self._heap: list[tuple[float, int, Happening]] = []
        self._number = 0

    def put(self, happening: Happening) -> None:
        """One decided happening."""
        heapq.heappush(self._heap, (happening.t, self._number, happening))
        self._number += 1

    def release(self, now: float, pending: float | None = None) -> list[Happening]:
        """What may leave at a time.

        Args:
            now: source time of the newest input.
            pending: time of the earliest change that is seen but not decided, if any; later
                happenings wait for it, but not for long.
        """
        until = now - self._hold_s
        if pending is not None:
            until = max(min(until, pending), now - self._hold_most_s)
        released = []
        while self._heap and self._heap[0][0] <= until:
            released.append(heapq.heappop(self._heap)[2])
        return released

    def flush(self) -> list[Happening]:
        """Everything that is still held, in order; after it the outbox is empty."""
        return [heapq.heappop(self._heap)[2] for _ in range(len(self._heap))]
