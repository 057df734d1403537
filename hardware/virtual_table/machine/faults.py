"""A line with faults: corrupts, drops, doubles and delays bytes, at the pace of a baud rate."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

_BITS_A_BYTE = 10


@dataclass(slots=True)
class LineFaults:
    """Switches of one direction; probabilities are per byte, times in seconds.

    ``delay`` holds all bytes back so long, ``jitter`` adds up to so much more at random (order is
    kept, as on any serial line); ``baud`` 0 is as fast as the computer.
    """

    corrupt: float = 0.0
    drop: float = 0.0
    double: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0
    baud: int = 0

    def clear(self) -> None:
        """A good line again."""
        self.corrupt = self.drop = self.double = self.delay = self.jitter = 0.0


class FaultyLine:
    """One direction of a serial line; bytes go in with :meth:`push`, out with :meth:`pull`."""

    def __init__(self, faults: LineFaults, rng: random.Random) -> None:
        self.faults = faults
        self.bytes_hurt = 0
        self._rng = rng
        self._queue: deque[tuple[float, bytes]] = deque()
        self._last = 0.0

    def push(self, data: bytes, now: float) -> None:
        """Bytes are put on the line."""
        if not data:
            return
        f = self.faults
        data = self._hurt(data)
        due = now + f.delay + (self._rng.random() * f.jitter if f.jitter else 0.0)
        due = max(due, self._last)
        if f.baud:
            pace = _BITS_A_BYTE / f.baud
            for byte in data:
                due += pace
                self._queue.append((due, bytes((byte,))))
        else:
            self._queue.append((due, data))
        self._last = due

    def pull(self, now: float) -> bytes:
        """Bytes that have arrived by now."""
        parts = []
        while self._queue and self._queue[0][0] <= now:
            parts.append(self._queue.popleft()[1])
        return b"".join(parts)

    def next_due(self) -> float | None:
        """When the next byte arrives."""
        return self._queue[0][0] if self._queue else None

    def cut(self) -> None:
        """What is on the line is lost."""
        self._queue.clear()
        self._last = 0.0

    def _hurt(self, data: bytes) -> bytes:
        f, rng = self.faults, self._rng
        if not (f.corrupt or f.drop or f.double):
            return data
        out = bytearray()
        for byte in data:
            if f.drop and rng.random() < f.drop:
                self.bytes_hurt += 1
                continue
            corrupt = f.corrupt and rng.random() < f.corrupt
            self.bytes_hurt += bool(corrupt)
            out.append(byte ^ rng.randrange(1, 256) if corrupt else byte)
            if f.double and rng.random() < f.double:
                self.bytes_hurt += 1
                out.append(byte)
        return bytes(out)
