"""The host's side of the session, without input and output.

Bytes and the host's monotonic time go in (:meth:`Session.receive`, :meth:`Session.tick`); bytes for
the line and notices come out (:meth:`Session.output`, :meth:`Session.notices`). The session greets
the board, keeps the heartbeat and maps the board's clock. Commands wait for their answers in
:mod:`firmware_bridge.commanding`, events for those before them in
:mod:`firmware_bridge.receiving`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final

from firmware_bridge import messages as m
from firmware_bridge.clock import ClockMap
from firmware_bridge.commanding import REPEAT_MAX, REPEAT_MIN, Commands
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
from firmware_bridge.receiving import Events
from firmware_bridge.wire import (
    MODULUS,
    BadFrameError,
    Frame,
    FrameDecoder,
    encode,
    from_frame,
    to_frame,
    versions,
)

_PING: Final = m.PING_MS / 1000
_SILENT: Final = m.BOARD_SILENT_MS / 1000
_OWN: Final = (m.PROTOCOL, m.SCHEMA_HASH)
_FIRST_PINGS: Final = 4
"""Pings sent back to back after the welcome, for a first map of the clock."""


class State(Enum):
    """Where the session is."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"
    REFUSED = "refused"


class Session:
    """Host side of one board.

    Args:
        nonce: gives a fresh 32-bit number for each hello.
        resume: the last event that was dealt with by an earlier program, if known.
        confirm: events are acknowledged only once :meth:`confirm` says so (after the journal was
            flushed); otherwise as soon as they were taken in.
    """

    def __init__(
        self,
        nonce: Callable[[], int],
        resume: EventMark | None = None,
        *,
        confirm: bool = False,
    ) -> None:
        self._nonce = nonce
        self._events = Events(resume, confirm=confirm)
        self._commands = Commands()
        self._decoder = FrameDecoder()
        self._out = bytearray()
        self._notices: deque[Notice] = deque()
        self._state = State.CLOSED
        self._greeting = 0
        self._hello_due = 0.0
        self._hello_rest = REPEAT_MIN
        self._welcome: m.Welcome | None = None
        self._serial: int | None = None
        self._heard_at = 0.0
        self._ping_due = 0.0
        self._pings: dict[int, float] = {}
        self._token = 0
        self._burst = 0
        self.clock = ClockMap()
        self.round_trip = 0.0
        """Seconds from the last ping to its pong."""

    # ---------------------------------------------------------------- what it is

    @property
    def state(self) -> State:
        """Where the session is."""
        return self._state

    @property
    def welcome(self) -> m.Welcome | None:
        """The board's latest welcome."""
        return self._welcome

    @property
    def errors(self) -> int:
        """Frames thrown away."""
        return self._decoder.errors

    @property
    def repeats(self) -> int:
        """Command frames sent again."""
        return self._commands.repeats

    @property
    def idle(self) -> bool:
        """Whether no command is under way."""
        return len(self._commands) == 0

    # ---------------------------------------------------------------- what it is told

    def connect(self, now: float) -> None:
        """A port was opened: greet whoever is there."""
        self._decoder = FrameDecoder()
        self._out.clear()
        self._out += b"\0"  # ends whatever garbage stands before the first frame
        self._open(now)

    def disconnect(self) -> None:
        """The port went away; what is under way waits for the next one."""
        self._state = State.CLOSED
        self._out.clear()
        self._pings.clear()

    def command(self, message: m.CommandMessage, now: float) -> int:
        """Queue a command; its answer comes as :class:`Answered` with the ticket returned."""
        ticket = self._commands.add(message)
        self._pump(now)
        return ticket

    def withdraw(self, ticket: int) -> bool:
        """Take back a command that was never sent; False if it was."""
        return self._commands.withdraw(ticket)

    def confirm(self, mark: EventMark) -> None:
        """Events up to this one were dealt with (with ``confirm=True``)."""
        if self._welcome is not None and mark.boot == self._welcome.boot:
            self._events.confirm(mark.number)

    def receive(self, data: bytes, now: float) -> None:
        """Take in bytes that were read at ``now``."""
        for frame in self._decoder.feed(data):
            try:
                message, tick = from_frame(frame)
            except BadFrameError:
                if not self._on_other_welcome(frame):
                    self._decoder.errors += 1
                continue
            self._handle(frame, message, tick, now)
        self._flush_ack()

    def tick(self, now: float) -> None:
        """Do what is due by now: repetitions, heartbeat, silence."""
        if self._state in (State.OPENING, State.REFUSED) and now >= self._hello_due:
            self._greet(now)
        if self._state is not State.OPEN:
            return
        if now - self._heard_at > _SILENT:
            self._notices.append(Silent())
            self._open(now)
            return
        if now >= self._ping_due:
            self._ping(now)
        self._pump(now)
        self._flush_ack()

    # ---------------------------------------------------------------- what it says

    def output(self) -> bytes:
        """Bytes to write to the line; they are forgotten here."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def notices(self) -> Iterator[Notice]:
        """What happened since the last call."""
        while self._notices:
            yield self._notices.popleft()

    # ---------------------------------------------------------------- within

    def _send(self, message: m.Message, seq: int = 0) -> None:
        self._out += encode(to_frame(message, seq, self._events.acked))

    def _open(self, now: float) -> None:
        self._state = State.OPENING
        self._hello_rest = REPEAT_MIN
        # The same number for all repetitions, so that an answer later than they counts too.
        self._greeting = self._nonce() & 0xFFFFFFFF
        self._greet(now)

    def _greet(self, now: float) -> None:
        self._send(m.Hello(m.PROTOCOL, m.SCHEMA_HASH, self._greeting))
        self._hello_due = now + self._hello_rest
        self._hello_rest = min(2 * self._hello_rest, REPEAT_MAX)

    def _handle(self, frame: Frame, message: m.Message, tick: int | None, now: float) -> None:
        if isinstance(message, m.Welcome):
            if message.nonce == self._greeting:
                self._on_welcome(message, now)
            else:
                self._on_other_welcome(frame)
            return
        if self._state is not State.OPEN:
            return
        self._heard_at = now
        if isinstance(message, m.Pong):
            self._on_pong(message, now)
        elif isinstance(message, m.Result):
            self._on_result(frame.seq, message, now)
        elif isinstance(message, m.Log):
            self._notices.append(message)
        elif isinstance(message, m.EventMessage) and tick is not None:
            self._events.arrived(frame.seq, message, tick)
            self._deliver(now)
        elif isinstance(message, m.SampleMessage) and tick is not None and self.clock.ready:
            self._heard(message, tick, None)

    def _on_welcome(self, welcome: m.Welcome, now: float) -> None:
        if self._state in (State.OPEN, State.CLOSED):
            return
        if self._serial is not None and welcome.serial != self._serial:
            # Commands that wait here are for the other one: they must not move this machine.
            if self._state is not State.REFUSED:
                self._notices.append(Stranger(welcome))
            self._state = State.REFUSED
            return
        before, self._welcome = self._welcome, welcome
        if (welcome.protocol, welcome.schema) != _OWN:
            self._refuse(Refused(welcome.protocol, welcome.schema, welcome))
            return
        reset = before is not None and before.boot != welcome.boot
        lost = self._events.align(before, welcome)
        given_back = self._commands.align(before, welcome)
        if given_back is not None:
            self._notices.append(Answered(given_back, None))
        if before is None or reset:
            self.clock = ClockMap()
        self._state = State.OPEN
        self._serial = welcome.serial
        self._heard_at = now
        self._notices.append(Opened(welcome, reset, lost))
        self._pings.clear()
        self._burst = _FIRST_PINGS - 1
        self._ping(now)
        self._pump(now)

    def _on_other_welcome(self, frame: Frame) -> bool:
        """Refuse the board if this is a welcome of another version, of which little can be read."""
        speaks = versions(frame)
        if frame.type != m.Welcome.ID or speaks is None or speaks == _OWN:
            return False
        if self._state is State.OPENING:
            self._refuse(Refused(*speaks))
        return True

    def _refuse(self, refused: Refused) -> None:
        if self._state is not State.REFUSED:
            self._notices.append(refused)
        self._state = State.REFUSED

    def _on_pong(self, pong: m.Pong, now: float) -> None:
        if self._welcome is not None and pong.boot != self._welcome.boot:
            self._open(now)
            return
        sent = self._pings.pop(pong.token, None)
        if sent is None:
            return
        self.round_trip = now - sent
        jump = self.clock.add(sent, now, pong.tick)
        if jump is not None:
            self._notices.append(Jumped(jump))
            self._burst = _FIRST_PINGS
        if self._burst > 0:
            self._burst -= 1
            self._ping(now)
        self._deliver(now)

    def _ping(self, now: float) -> None:
        self._token = (self._token + 1) % MODULUS
        self._pings[self._token] = now
        while len(self._pings) > 16:
            del self._pings[next(iter(self._pings))]
        self._send(m.Ping(self._token))
        self._ping_due = now + _PING

    def _deliver(self, now: float) -> None:
        """Give on what is complete, once there is a clock to tell its time by."""
        if not self.clock.ready:
            return
        for message, tick, number in self._events.complete():
            self._heard(message, tick, number)
        if self._events.gap(now):
            self._send(m.Nak())

    def _heard(
        self, message: m.EventMessage | m.SampleMessage, tick: int, number: int | None
    ) -> None:
        boot = self._welcome.boot if self._welcome is not None else 0
        t = self.clock.host_time(tick)
        error = self.clock.error_at(tick)
        self._notices.append(Heard(t, error, message, boot, number))

    def _flush_ack(self) -> None:
        if self._state is State.OPEN and self._events.ack_due():
            self._send(m.Ack())

    def _on_result(self, seq: int, result: m.Result, now: float) -> None:
        ticket = self._commands.answered(seq)
        if ticket is not None:
            self._notices.append(Answered(ticket, result))
            self._pump(now)

    def _pump(self, now: float) -> None:
        """Send or repeat the command whose turn it is."""
        if self._state is State.OPEN and (command := self._commands.due(now)) is not None:
            self._send(command.message, command.seq)
