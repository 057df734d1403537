"""The hall's clock as well as a table knows it: of some answers the quickest says most."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from nats.aio.client import Client
from nats.errors import Error as BusError

_EVERY_S: Final = 20.0
_AGAIN_S: Final = 3.0
_READINGS: Final = 5


@dataclass(frozen=True, slots=True)
class OffsetReading:
    """How far this clock is ahead of the hall's, s, and how sure that is."""

    offset: float
    error: float


class HallClock:
    """Knows how far this machine's clock is off.

    Args:
        own: this machine's clock, s since 1970.

    Attributes:
        newest: what was last read, if anything was.
    """

    def __init__(self, own: Callable[[], float] = time.time) -> None:
        self.own = own
        self.newest: OffsetReading | None = None

    def now(self) -> float:
        """The hall's time, s since 1970."""
        return self.own() - (self.newest.offset if self.newest is not None else 0.0)

    async def ask(self, client: Client, subject: str) -> None:
        """Ask for the time, for ever.

        Args:
            client: the connection.
            subject: on which the hall answers with its time.
        """
        while True:
            readings: list[OffsetReading] = []
            for _ in range(_READINGS):
                before = self.own()
                try:
                    answer = await client.request(subject, b"", timeout=2)
                    hall = float(answer.data)
                except (BusError, TimeoutError, ValueError):
                    break
                after = self.own()
                # The hall read its clock somewhere between: the middle, give or take the half.
                readings.append(OffsetReading((before + after) / 2 - hall, (after - before) / 2))
            if readings:
                self.newest = min(readings, key=lambda reading: reading.error)
            await asyncio.sleep(_EVERY_S if readings else _AGAIN_S)
