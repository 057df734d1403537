"""What happened so far in a session, kept small."""

from __future__ import annotations

import pickle
import threading
import zlib
from collections.abc import Iterator, Sequence
from typing import Final, overload

from table_controller.domain.happenings import Happening

_TOGETHER: Final = 256
"""So many happenings are packed into one: a hand or two, 0.1 MB as they are, 5 kB packed."""


class Past(Sequence[Happening]):
    """The happenings of a session in order; all but the last few are packed.

    They are asked for again only when the referee decides or corrects, but kept as they are they
    would be most of what a table's memory grows by, hand after hand.
    """

    def __init__(self) -> None:
        self._packed: tuple[bytes, ...] = ()
        self._rest: list[Happening] = []
        self._lock = threading.Lock()

    def append(self, happening: Happening) -> None:
        """One more happened."""
        with self._lock:
            self._rest.append(happening)
            if len(self._rest) == _TOGETHER:
                self._packed += (zlib.compress(pickle.dumps(self._rest)),)
                self._rest = []

    def so_far(self) -> Past:
        """As it is now, whatever comes after; may be called from any thread."""
        now = Past()
        with self._lock:
            now._packed, now._rest = self._packed, self._rest.copy()
        return now

    def __len__(self) -> int:
        return len(self._packed) * _TOGETHER + len(self._rest)

    def __iter__(self) -> Iterator[Happening]:
        for block in range(len(self._packed) + 1):
            yield from self._block(block)

    @overload
    def __getitem__(self, at: int) -> Happening: ...
    @overload
    def __getitem__(self, at: slice) -> list[Happening]: ...
    def __getitem__(self, at: int | slice) -> Happening | list[Happening]:
        if isinstance(at, slice):
            return list(self)[at]
        block, place = divmod(range(len(self))[at], _TOGETHER)
        return self._block(block)[place]

    def _block(self, number: int) -> list[Happening]:
        if number == len(self._packed):
            return self._rest
        # Packed by this very object, never read from anywhere.
        block: list[Happening] = pickle.loads(zlib.decompress(self._packed[number]))  # noqa: S301
        return block
