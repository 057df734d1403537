"""The link to the machine as the controller uses it: readings out, commands in.

    with Link.open("/dev/ttyACM0") as link:
        link.send(Buzzer(Buzz.SHORT))
        for reading in link.readings():
            ...

A thread reads the port and keeps the session; it opens the port again by itself when the cable was
pulled. Changes of the link are readings too. Board log text goes to the logger
``firmware_bridge.board``.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from firmware_bridge import messages as m
from firmware_bridge.delivery import Delivery
from firmware_bridge.errors import BoardResetError, LinkLostError
from firmware_bridge.keeping import PortKeeper
from firmware_bridge.notices import (
    Answered,
    EventMark,
    Heard,
    Jumped,
    Notice,
    Opened,
    Refused,
    Silent,
    Stranger,
)
from firmware_bridge.port import BAUD, Spy
from firmware_bridge.readings import LinkState, Reading
from firmware_bridge.refusals import no_answer, other_schema, stranger
from firmware_bridge.session import Session, State
from firmware_bridge.status import LinkStatus

_board_log = logging.getLogger("firmware_bridge.board")
_LEVELS: Final = {
    m.LogLevel.DEBUG: logging.DEBUG,
    m.LogLevel.INFO: logging.INFO,
    m.LogLevel.WARNING: logging.WARNING,
    m.LogLevel.ERROR: logging.ERROR,
}


@dataclass(slots=True)
class _Settings:
    url: str
    baud: int = BAUD
    resume: EventMark | None = None
    confirm: bool = False
    spy: Spy | None = None
    clock: Callable[[], float] = time.time
    opener: Callable[[str, int], Any] | None = None
    on_reading: Callable[[Reading], None] | None = None


class Link:
    """The link to one machine. Made by :meth:`open` or :meth:`start`."""

    def __init__(self, settings: _Settings) -> None:
        self._url = settings.url
        self._session = Session(
            lambda: secrets.randbits(32), settings.resume, confirm=settings.confirm
        )
        self._lock = threading.RLock()
        self._delivery = Delivery(settings.clock, settings.on_reading)
        self._keeper = PortKeeper(
            settings.url,
            settings.baud,
            self._session,
            self._lock,
            self._delivery,
            self._notice,
            spy=settings.spy,
            opener=settings.opener,
        )
        self._futures: dict[int, Future[m.Result]] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="link", daemon=True)

    # ---------------------------------------------------------------- life

    @classmethod
    def start(
        cls,
        url: str,
        *,
        baud: int = BAUD,
        resume: EventMark | None = None,
        confirm: bool = False,
        spy: Spy | None = None,
        on_reading: Callable[[Reading], None] | None = None,
        clock: Callable[[], float] = time.time,
        opener: Callable[[str, int], Any] | None = None,
    ) -> Self:
        """Begin without waiting; what is wrong with the port comes as readings.

        Args:
            url: path, pyserial URL, or ``auto``.
            baud: of the line.
            resume: the last event an earlier program dealt with, so that none comes twice.
            confirm: events leave the board only after :meth:`confirm`.
            spy: log of raw bytes.
            on_reading: called in the link's thread instead of queueing for :meth:`readings`.
            clock: host clock of the readings, s; asked once, time goes on evenly from there. Give
                that of the pictures where there are any.
            opener: opens a port in another way than :class:`.port.Opener`; for tests.
        """
        link = cls(_Settings(url, baud, resume, confirm, spy, clock, opener, on_reading))
        link._thread.start()
        return link

    @classmethod
    def open(cls, url: str, *, timeout: float = 5.0, **options: Any) -> Self:
        """As :meth:`start`, but wait for the first connection.

        Raises:
            LinkError: the port or the board is not usable; nothing goes on in the background.
        """
        link = cls.start(url, **options)
        link.wait_connected(timeout)
        return link

    def wait_connected(self, timeout: float) -> None:
        """Wait for the first connection.

        Raises:
            LinkError: there was none, and why; the link is closed then.
        """
        self._delivery.wait_first(timeout)
        if not self.connected:
            self.close()
            raise self._delivery.trouble or no_answer(self._url)

    def close(self) -> None:
        """End the thread and give the port back; commands under way fail."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(5)
        self._delivery.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # ---------------------------------------------------------------- readings

    @property
    def connected(self) -> bool:
        """Whether the session is open."""
        return self._session.state is State.OPEN

    @property
    def status(self) -> LinkStatus:
        """The link as it is now."""
        with self._lock:
            session, welcome = self._session, self._session.welcome
            return LinkStatus(
                connected=self.connected,
                port=self._keeper.port_name,
                firmware=welcome.firmware if welcome else "",
                serial=welcome.serial if welcome else 0,
                boot=welcome.boot if welcome else 0,
                round_trip=session.round_trip,
                clock_error=session.clock.error,
                clock_rate=session.clock.rate,
                frame_errors=session.errors,
                repeats=session.repeats,
            )

    def read(self, timeout: float | None = None) -> Reading | None:
        """The next reading; None when there was none in time or the link is closed."""
        return self._delivery.read(timeout)

    def readings(self) -> Iterator[Reading]:
        """All readings until the link is closed."""
        while (reading := self.read()) is not None:
            yield reading

    def confirm(self, reading: Reading) -> None:
        """This event and all before it were dealt with (with ``confirm=True``)."""
        if reading.number is None:
            return
        with self._lock:
            self._session.confirm(EventMark(reading.boot, reading.number))
            self._session.tick(time.monotonic())
            self._keeper.flush()

    # ---------------------------------------------------------------- commands

    def post(self, command: m.CommandMessage) -> Future[m.Result]:
        """Queue a command; the future gives the board's answer or raises a LinkError."""
        future: Future[m.Result] = Future()
        with self._lock:
            if self._stop.is_set():
                raise LinkLostError("the link is closed")
            ticket = self._session.command(command, time.monotonic())
            self._futures[ticket] = future
            self._keeper.flush()
        return future

    def send(self, command: m.CommandMessage, timeout: float = 2.0) -> m.Result:
        """Send a command and wait for the board's answer.

        Raises:
            LinkLostError: no answer in time; a command that never left is withdrawn, one that did
                may still be executed (once).
            BoardResetError: the board was reset; nobody knows whether it was executed.
        """
        if threading.current_thread() is self._thread:
            raise RuntimeError("send() would wait for itself in on_reading; use post()")
        future = self.post(command)
        try:
            return future.result(timeout)
        except TimeoutError:
            with self._lock:
                for ticket, known in list(self._futures.items()):
                    if known is future and self._session.withdraw(ticket):
                        del self._futures[ticket]
                        raise LinkLostError(f"{type(command).__name__}: not sent") from None
            raise LinkLostError(f"{type(command).__name__}: sent, no answer yet") from None

    # ---------------------------------------------------------------- the thread

    def _run(self) -> None:
        self._keeper.run(self._stop)
        with self._lock:
            for future in self._futures.values():
                if not future.done():
                    future.set_exception(LinkLostError("the link was closed"))
            self._futures.clear()

    def _notice(self, notice: Notice) -> None:
        if isinstance(notice, Heard):
            self._delivery.heard(notice)
        elif isinstance(notice, Answered):
            future = self._futures.pop(notice.ticket, None)
            if future is None or future.done():
                return
            if notice.result is None:
                text = "the board was reset; whether the command was executed is not known"
                future.set_exception(BoardResetError(text))
            else:
                future.set_result(notice.result)
        elif isinstance(notice, Opened):
            self._opened(notice)
        elif isinstance(notice, Refused):
            self._delivery.refuse(other_schema(notice))
        elif isinstance(notice, Stranger):
            self._delivery.refuse(stranger(self._keeper.port_name, notice.welcome))
        elif isinstance(notice, Silent):
            self._delivery.change(LinkState.SILENT, "the board says nothing; is it powered?")
        elif isinstance(notice, Jumped):
            self._delivery.change(
                LinkState.CLOCK_JUMP, f"the clocks jumped by {notice.seconds:+.3f} s"
            )
        else:
            _board_log.log(_LEVELS[notice.level], "%s", notice.text)

    def _opened(self, opened: Opened) -> None:
        welcome = opened.welcome
        if opened.reset:
            uptime = welcome.uptime * m.TICK_US * 1e-6
            self._delivery.change(LinkState.RESET, f"the board was reset {uptime:.1f} s ago")
        if opened.lost:
            self._delivery.change(
                LinkState.EVENTS_LOST, f"{opened.lost} events were acknowledged elsewhere"
            )
        self._delivery.connected(f"{self._keeper.port_name}: firmware {welcome.firmware}")
        with self._lock:
            self._session.command(m.Query(), time.monotonic())
            self._keeper.flush()
