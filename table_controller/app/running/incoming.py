"""What the machine says, on its way from the link to the controller."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from typing import Protocol

from firmware_bridge.readings import Reading


class Confirms(Protocol):
    """The link, as far as it tells the board what it may forget."""

    def confirm(self, reading: Reading) -> None:
        """This event and all before it were dealt with."""


class Incoming:
    """Readings wait here for the pictures of their time, and then for the journal.

    The board says nothing new while too much of what it said is not confirmed. What the journal
    could not take in is therefore confirmed as soon as it can, and not only with the next event.
    """

    def __init__(self) -> None:
        self._came: queue.SimpleQueue[Reading] = queue.SimpleQueue()
        self._held: list[Reading] = []
        self._last: Reading | None = None

    def put(self, reading: Reading) -> None:
        """One more; from the link's thread."""
        self._came.put(reading)

    def until(self, t: float) -> Iterator[Reading]:
        """Those of up to ``t``, in the order of their times; each is dealt with before the next."""
        while not self._came.empty():
            self._held.append(self._came.get())
        self._held.sort(key=lambda reading: reading.t)
        while self._held and self._held[0].t <= t:
            reading = self._held.pop(0)
            yield reading
            if reading.number is not None and not self._before(reading.boot, reading.number):
                self._last = reading

    def confirm(self, link: Confirms) -> None:
        """All that was dealt with stands in the journal: the board may forget it."""
        if self._last is not None:
            link.confirm(self._last)
            self._last = None

    def _before(self, boot: int, number: int) -> bool:
        """Whether a later event was dealt with already: times may step back a little."""
        last = self._last
        return last is not None and last.boot == boot and number < (last.number or 0)
