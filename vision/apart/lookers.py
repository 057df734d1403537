"""All cameras of a table at once: each looked through in its own process, told in one order."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Final

from vision.apart.in_turn import InTurn
from vision.apart.looker import Look, Looker
from vision.apart.said import Usage
from vision.cameras.sources import Source

_AHEAD: Final = 2
"""Looks of a camera that are under way or wait: the next begins while one is followed."""
_PAUSE_S: Final = 0.25
"""Longest wait before it is looked whether all is over."""


class Lookers:
    """Takes pictures from sources, hands out looks.

    Args:
        pairs: each camera's pictures (not decoded) and the eye that looks at them, ready to look.
    """

    def __init__(self, pairs: Sequence[tuple[Source, Looker]]) -> None:
        self._pairs = tuple(pairs)
        self._turns = InTurn()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self._error: BaseException | None = None
        self._room = [threading.Semaphore(_AHEAD) for _ in pairs]
        self._threads = [
            threading.Thread(
                target=self._work, args=(number,), name=f"eye {source.camera}", daemon=True
            )
            for number, (source, _) in enumerate(self._pairs)
        ]
        for thread in self._threads:
            thread.start()

    def next(self, timeout: float) -> Look | None:
        """The next look in the order of their pictures' times; None when none is due in time.

        Args:
            timeout: longest wait, s.
        """
        end = time.monotonic() + timeout
        with self._changed:
            while (due := self._turns.next()) is None:
                if self._error is not None:
                    raise self._error
                left = end - time.monotonic()
                if left <= 0 or self._over():
                    return None
                self._changed.wait(left)
        camera, look = due
        self._room[camera].release()
        return look

    @property
    def ended(self) -> bool:
        """Whether nothing will come any more (recorded sources only)."""
        with self._changed:
            return self._over()

    def _over(self) -> bool:
        return self._turns.empty and not any(thread.is_alive() for thread in self._threads)

    @property
    def lookers(self) -> tuple[Looker, ...]:
        """The eyes, in the order of their cameras."""
        return tuple(looker for _, looker in self._pairs)

    @property
    def usage(self) -> Usage:
        """What all eyes have cost together."""
        return sum((looker.usage for _, looker in self._pairs), Usage())

    # -- one camera -------------------------------------------------------------------------

    def _work(self, number: int) -> None:
        try:
            self._look_on(number)
        except BaseException as error:  # noqa: BLE001 - the controller's own thread raises it
            if not self._closing.is_set():
                self._error = error
        finally:
            with self._changed:
                self._changed.notify_all()

    def _look_on(self, number: int) -> None:
        source, looker = self._pairs[number]
        while not self._closing.is_set():
            if not self._room[number].acquire(timeout=_PAUSE_S):
                continue
            frame = None
            while frame is None:
                if self._closing.is_set() or source.ended:
                    return
                # Pictures that come while a process begins anew are not looked at late.
                if looker.stand(time.time()):
                    frame = source.next(timeout=_PAUSE_S)
                else:
                    self._closing.wait(_PAUSE_S)
            with self._changed:
                self._turns.begin(number, frame.t)
            look = looker.look(frame)
            with self._changed:
                self._turns.done(number, look)
                self._changed.notify_all()

    def close(self) -> None:
        """Close the sources and end the processes."""
        self._closing.set()
        for source, looker in self._pairs:
            source.close()
            looker.close()
        for (_, looker), thread in zip(self._pairs, self._threads, strict=True):
            thread.join(5.0)
            looker.close()  # where it was just beginning anew
