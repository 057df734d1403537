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
import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from firmware_bridge import messages as m
from firmware_bridge.errors import (
    BoardResetError,
    LinkError,
    LinkLostError,
    NoBoardError,
    OtherSchemaError,
    PortMissingError,
    WrongDeviceError,
)
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
from firmware_bridge.port import BAUD, BOOT_AGAIN_S, BOOT_S, BROKEN, Opener, Spy, boots
from firmware_bridge.readings import LinkChanged, LinkState, Reading
from firmware_bridge.session import Session, State

_log = logging.getLogger("firmware_bridge")
_board_log = logging.getLogger("firmware_bridge.board")
_LEVELS: Final = {
    m.LogLevel.DEBUG: logging.DEBUG,
    m.LogLevel.INFO: logging.INFO,
    m.LogLevel.WARNING: logging.WARNING,
    m.LogLevel.ERROR: logging.ERROR,
}
_RETRY_MIN: Final = 0.1
_RETRY_MAX: Final = 1.0
_ANSWER: Final = 3.0
"""Seconds without an answer to the hello after which the device is taken for a wrong one."""
_STRANGER_REST: Final = 5.0
"""Seconds for which the port of another machine's board is left to the program that it belongs to.
Many boards are reset when their port is opened."""


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """The link at a moment, for doctor and console.

    Times in seconds; ``clock_error`` is the bound of the clock map's error, ``clock_rate`` host
    seconds per board second; ``queued`` events wait on the board.
    """

    connected: bool
    port: str
    firmware: str = ""
    serial: int = 0
    boot: int = 0
    round_trip: float = 0.0
    clock_error: float = float("inf")
    clock_rate: float = 1.0
    frame_errors: int = 0
    repeats: int = 0


@dataclass(slots=True)
class _Settings:
    url: str
    baud: int = BAUD
    resume: EventMark | None = None
    confirm: bool = False
    spy: Spy | None = None
    clock: Callable[[], float] = time.time
    opener: Callable[[str, int], Any] | None = None
    on_reading: Callable[[Reading], None] | None = field(default=None)


class Link:
    """The link to one machine. Made by :meth:`open` or :meth:`start`."""

    def __init__(self, settings: _Settings) -> None:
        self._set = settings
        self._finder = Opener()
        self._open_port = settings.opener or self._finder
        self._session = Session(
            lambda: secrets.randbits(32), settings.resume, confirm=settings.confirm
        )
        self._lock = threading.RLock()
        self._port: Any = None
        self._port_name = settings.url
        self._queue: queue.Queue[Reading | None] = queue.Queue()
        self._futures: dict[int, Future[m.Result]] = {}
        self._stop = threading.Event()
        self._first = threading.Event()
        self._trouble: LinkError | None = None
        self._state: LinkState | None = None
        self._asked = 0.0
        self._unanswered: str | None = None
        # Taken once: readings and pictures are put in one order by their times, which must not
        # jump apart when somebody sets the host's clock. Both of the host's clocks run at one rate.
        self._epoch = settings.clock() - time.monotonic()
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
        self._first.wait(timeout)
        if not self.connected:
            self.close()
            raise self._trouble or WrongDeviceError(_no_answer(self._set.url))

    def close(self) -> None:
        """End the thread and give the port back; commands under way fail."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(5)
        self._queue.put(None)

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
                port=self._port_name,
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
        try:
            reading = self._queue.get(timeout=timeout)
        except queue.Empty:
            return None
        if reading is None:
            self._queue.put(None)
        return reading

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
            self._flush()

    # ---------------------------------------------------------------- commands

    def post(self, command: m.CommandMessage) -> Future[m.Result]:
        """Queue a command; the future gives the board's answer or raises a LinkError."""
        future: Future[m.Result] = Future()
        with self._lock:
            if self._stop.is_set():
                raise LinkLostError("the link is closed")
            ticket = self._session.command(command, time.monotonic())
            self._futures[ticket] = future
            self._flush()
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
        rest = _RETRY_MIN
        while not self._stop.is_set():
            try:
                port = self._open_port(self._set.url, self._set.baud)
            except LinkError as error:
                self._refuse(error)
                self._stop.wait(rest)
                rest = min(2 * rest, _RETRY_MAX)
                continue
            rest = _RETRY_MIN
            self._stop.wait(self._serve(port))
        with self._lock:
            for future in self._futures.values():
                if not future.done():
                    future.set_exception(LinkLostError("the link was closed"))
            self._futures.clear()

    def _serve(self, port: Any) -> float:
        """Use an open port until it fails or the link is closed.

        Returns:
            Seconds for which it is to be left alone then.
        """
        try:
            self._port_name = str(port.name or self._set.url)
            booting = BOOT_AGAIN_S if self._unanswered == self._port_name else BOOT_S
            if boots(self._port_name) and self._stop.wait(booting):
                return 0.0
            now = time.monotonic()
            with self._lock:
                self._port = port
                self._asked = now
                port.reset_input_buffer()  # what lies there is from before
                self._session.connect(now)
                self._flush()
            while not self._stop.is_set():
                data = port.read(max(1, port.in_waiting))
                if (rest := self._turn(data)) is not None:
                    return rest
        except BROKEN:
            _log.debug("the port failed", exc_info=True)
            self._change(
                LinkState.LOST, f"{self._port_name}: gone; cable pulled, or the board lost power?"
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
            if self._set.spy is not None:
                self._set.spy.note("<", data)
            if data:
                self._session.receive(data, now)
            self._session.tick(now)
            self._flush()
            notices = list(self._session.notices())
        for notice in notices:
            self._notice(notice)
        if any(isinstance(notice, Stranger) for notice in notices):
            self._finder.reject(self._port_name)
            return _STRANGER_REST
        if self.connected:
            self._asked, self._unanswered = now, None
        elif self._session.state is State.OPENING and now - self._asked > _ANSWER:
            self._unanswered = self._port_name
            self._refuse(WrongDeviceError(_no_answer(self._port_name)))
            self._finder.reject(self._port_name)
            return 0.0  # open the port anew: some USB bridges hang until then
        return None

    def _flush(self) -> None:
        data = self._session.output()
        if self._port is None or not data:
            return
        if self._set.spy is not None:
            self._set.spy.note(">", data)
        try:
            self._port.write(data)
        except BROKEN:
            _log.debug("write failed; the reader will notice", exc_info=True)

    def _notice(self, notice: Notice) -> None:
        if isinstance(notice, Heard):
            self._give(
                Reading(
                    notice.t + self._epoch,
                    notice.message,
                    notice.error,
                    notice.boot,
                    notice.number,
                )
            )
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
            self._refuse(OtherSchemaError(_other_schema(notice)))
        elif isinstance(notice, Stranger):
            self._refuse(WrongDeviceError(_stranger(self._port_name, notice.welcome)))
        elif isinstance(notice, Silent):
            self._change(LinkState.SILENT, "the board says nothing; is it powered?")
        elif isinstance(notice, Jumped):
            self._change(LinkState.CLOCK_JUMP, f"the clocks jumped by {notice.seconds:+.3f} s")
        else:
            _board_log.log(_LEVELS[notice.level], "%s", notice.text)

    def _opened(self, opened: Opened) -> None:
        welcome = opened.welcome
        if opened.reset:
            uptime = welcome.uptime * m.TICK_US * 1e-6
            self._change(LinkState.RESET, f"the board was reset {uptime:.1f} s ago")
        if opened.lost:
            self._change(LinkState.EVENTS_LOST, f"{opened.lost} events were acknowledged elsewhere")
        self._trouble = None
        self._change(LinkState.CONNECTED, f"{self._port_name}: firmware {welcome.firmware}")
        self._first.set()
        with self._lock:
            self._session.command(m.Query(), time.monotonic())
            self._flush()

    def _refuse(self, error: LinkError) -> None:
        """Say what is wrong once, not at each try."""
        known = self._trouble is not None and str(self._trouble) == str(error)
        # That the port of a pulled cable is missing needs no saying.
        awaited = self._state is LinkState.LOST and isinstance(
            error, (PortMissingError, NoBoardError)
        )
        self._trouble = error
        if not known and not awaited:
            self._change(LinkState.REFUSED, str(error))
        self._first.set()

    def _change(self, state: LinkState, detail: str) -> None:
        self._state = state
        _log.info("%s: %s", state, detail)
        self._give(Reading(self._epoch + time.monotonic(), LinkChanged(state, detail)))

    def _give(self, reading: Reading) -> None:
        if self._set.on_reading is None:
            self._queue.put(reading)
            return
        try:
            self._set.on_reading(reading)
        except Exception:  # noqa: BLE001 - a fault of the listener must not end the link
            _log.exception("%s was not dealt with", reading.kind)


def _no_answer(url: str) -> str:
    return f"{url}: no answer to the hello; is this the machine's board, and is it powered?"


def _stranger(url: str, welcome: m.Welcome) -> str:
    return (
        f"{url}: the board of another machine answers (number {welcome.serial}): plug this table's "
        "own in again; if its board was exchanged, end this program and start it again"
    )


def _other_schema(refused: Refused) -> str:
    who, welcome = "the board", refused.welcome
    if welcome is not None:
        who = f"board {welcome.serial} with firmware {welcome.firmware}"
    return (
        f"{who} speaks protocol "
        f"{refused.protocol}/{refused.schema:08x}, this program {m.PROTOCOL}/{m.SCHEMA_HASH:08x}: "
        "flash the firmware that came with it"
    )
