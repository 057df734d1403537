"""Readings on their way from the link's thread to whoever follows them."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable

from firmware_bridge.errors import LinkError, NoBoardError, PortMissingError
from firmware_bridge.notices import Heard
from firmware_bridge.readings import LinkChanged, LinkState, Reading

_log = logging.getLogger("firmware_bridge")


def next_of(waiting: queue.Queue[Reading | None], timeout: float | None) -> Reading | None:
    """The next reading that waits; None when there was none in time, or after the last one."""
    try:
        reading = waiting.get(timeout=timeout)
    except queue.Empty:
        return None
    if reading is None:
        # Whoever asks again hears of the end as well.
        waiting.put(None)
    return reading


class Delivery:
    """Gives readings to a listener, or keeps them until they are asked for.

    Args:
        clock: host clock of the readings, s; asked once, time goes on evenly from there.
        on_reading: the listener, called where the reading comes from; None: they are queued.

    Attributes:
        trouble: what is wrong with the port or the board now.
    """

    def __init__(
        self, clock: Callable[[], float], on_reading: Callable[[Reading], None] | None
    ) -> None:
        # Taken once: readings and pictures are put in one order by their times, which must not
        # jump apart when somebody sets the host's clock. Both of the host's clocks run at one rate.
        self._epoch = clock() - time.monotonic()
        self._on_reading = on_reading
        self._queue: queue.Queue[Reading | None] = queue.Queue()
        self._first = threading.Event()
        self._state: LinkState | None = None
        self.trouble: LinkError | None = None

    # ---------------------------------------------------------------- from the link

    def heard(self, notice: Heard) -> None:
        """The board said something."""
        self._give(
            Reading(
                notice.t + self._epoch,
                notice.message,
                notice.error,
                notice.boot,
                notice.number,
            )
        )

    def change(self, state: LinkState, detail: str) -> None:
        """Something became of the link."""
        self._state = state
        _log.info("%s: %s", state, detail)
        self._give(Reading(self._epoch + time.monotonic(), LinkChanged(state, detail)))

    def connected(self, detail: str) -> None:
        """The session is open: nothing is wrong any more."""
        self.trouble = None
        self.change(LinkState.CONNECTED, detail)
        self._first.set()

    def refuse(self, error: LinkError) -> None:
        """Say what is wrong once, not at each try."""
        known = self.trouble is not None and str(self.trouble) == str(error)
        # That the port of a pulled cable is missing needs no saying.
        awaited = self._state is LinkState.LOST and isinstance(
            error, (PortMissingError, NoBoardError)
        )
        self.trouble = error
        if not known and not awaited:
            self.change(LinkState.REFUSED, str(error))
        self._first.set()

    def end(self) -> None:
        """Nothing more comes."""
        self._queue.put(None)

    def _give(self, reading: Reading) -> None:
        if self._on_reading is None:
            self._queue.put(reading)
            return
        try:
            self._on_reading(reading)
        except Exception:  # noqa: BLE001 - a fault of the listener must not end the link
            _log.exception("%s was not dealt with", reading.kind)

    # ---------------------------------------------------------------- to whoever follows

    def wait_first(self, timeout: float) -> None:
        """Wait until the board was connected or refused for the first time."""
        self._first.wait(timeout)

    def read(self, timeout: float | None) -> Reading | None:
        """The next reading; None when there was none in time or nothing more comes."""
        return next_of(self._queue, timeout)
