"""The port, kept open: bytes between the board and the session, again after every failure."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from firmware_bridge.delivery import Delivery
from firmware_bridge.errors import LinkError
from firmware_bridge.notices import Notice, Stranger
from firmware_bridge.port import BOOT_AGAIN_S, BOOT_S, BROKEN, Opener, Spy, boots
from firmware_bridge.readings import LinkState
from firmware_bridge.refusals import no_answer
from firmware_bridge.session import Session, State

_log = logging.getLogger("firmware_bridge")
_RETRY_MIN: Final = 0.1
_RETRY_MAX: Final = 1.0
_ANSWER: Final = 3.0
"""Seconds without an answer to the hello after which the device is taken for a wrong one."""
_STRANGER_REST: Final = 5.0
"""Seconds for which the port of another machine's board is left to the program that it belongs to.
Many boards are reset when their port is opened."""


class PortKeeper:
    """Opens the port, serves it until it fails, and opens it again.

    Args:
        url: path, pyserial URL, or ``auto``.
        baud: of the line.
        session: takes what came and says what is to be sent.
        lock: held while the session or the port is used.
        delivery: told what is wrong with the port.
        notice: called with what the session tells, in its order, without the lock.
        spy: log of raw bytes.
        opener: opens a port in another way than :class:`.port.Opener`.

    Attributes:
        port_name: of the port in use; before there is one, as it was asked for.
    """

    def __init__(
        self,
        url: str,
        baud: int,
        session: Session,
        lock: threading.RLock,
        delivery: Delivery,
        notice: Callable[[Notice], None],
        *,
        spy: Spy | None = None,
        opener: Callable[[str, int], Any] | None = None,
    ) -> None:
        self._url = url
        self._baud = baud
        self._session = session
        self._lock = lock
        self._delivery = delivery
        self._notice = notice
        self._spy = spy
        self._finder = Opener()
        self._open_port = opener or self._finder
        self._port: Any = None
        self._asked = 0.0
        self._unanswered: str | None = None
        self.port_name = url

    def run(self, stop: threading.Event) -> None:
        """Keep the port until ``stop`` is set."""
        rest = _RETRY_MIN
        while not stop.is_set():
            try:
                port = self._open_port(self._url, self._baud)
            except LinkError as error:
                self._delivery.refuse(error)
                stop.wait(rest)
                rest = min(2 * rest, _RETRY_MAX)
                continue
            rest = _RETRY_MIN
            stop.wait(self._serve(port, stop))

    def flush(self) -> None:
        """Send what the session has to say; the lock is held."""
        data = self._session.output()
        if self._port is None or not data:
            return
        if self._spy is not None:
            self._spy.note(">", data)
        try:
            self._port.write(data)
        except BROKEN:
            _log.debug("write failed; the reader will notice", exc_info=True)

    def _serve(self, port: Any, stop: threading.Event) -> float:
        """Use an open port until it fails or the link is closed.

        Returns:
            Seconds for which it is to be left alone then.
        """
        try:
            self.port_name = str(port.name or self._url)
            booting = BOOT_AGAIN_S if self._unanswered == self.port_name else BOOT_S
            if boots(self.port_name) and stop.wait(booting):
                return 0.0
            now = time.monotonic()
            with self._lock:
                self._port = port
                self._asked = now
                port.reset_input_buffer()  # what lies there is from before
                self._session.connect(now)
                self.flush()
            while not stop.is_set():
                data = port.read(max(1, port.in_waiting))
                if (rest := self._turn(data)) is not None:
                    return rest
        except BROKEN:
            _log.debug("the port failed", exc_info=True)
            self._delivery.change(
                LinkState.LOST, f"{self.port_name}: gone; cable pulled, or the board lost power?"
            )
        finally:
            with self._lock:
                self._session.disconnect()
                self._port = None
            try:
                port.close()
            except BROKEN:
                _log.debug("closing a port that is gone", exc_info=True)
        return 0.0

    def _turn(self, data: bytes) -> float | None:
        """Deal with what was read; a number: leave the port, and open none for so many seconds."""
        now = time.monotonic()
        with self._lock:
            if self._spy is not None:
                self._spy.note("<", data)
            if data:
                self._session.receive(data, now)
            self._session.tick(now)
            self.flush()
            notices = list(self._session.notices())
        for notice in notices:
            self._notice(notice)
        if any(isinstance(notice, Stranger) for notice in notices):
            self._finder.reject(self.port_name)
            return _STRANGER_REST
        if self._session.state is State.OPEN:
            self._asked, self._unanswered = now, None
        elif self._session.state is State.OPENING and now - self._asked > _ANSWER:
            self._unanswered = self.port_name
            self._delivery.refuse(no_answer(self.port_name))
            self._finder.reject(self.port_name)
            return 0.0  # open the port anew: some USB bridges hang until then
        return None
