"""The host's side of the session, without input and output.

Bytes and the host's monotonic time go in (:meth:`Session.receive`, :meth:`Session.tick`); bytes for
the line and notices come out (:meth:`Session.output`, :meth:`Session.notices`). The session greets
the board, sends one command at a time and repeats it until it is answered, takes each event once
and in order, acknowledges it, keeps the heartbeat and maps the board's clock. Events that came
while one before them is missing wait here, so the board repeats only the missing one.

What makes a command run once: the board executes number n only after n-1, and answers a repeated
number with the answer it gave before. After a new connection the welcome says which number was
executed last. After a reset of the board nobody knows whether the command under way was executed;
it is given back as lost, never repeated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from firmware_bridge import messages as m
from firmware_bridge.clock import ClockMap
from firmware_bridge.wire import (
    MODULUS,
    BadFrameError,
    Frame,
    FrameDecoder,
    ahead,
    encode,
    from_frame,
    to_frame,
)

REPEAT_MIN: Final = m.REPEAT_MIN_MS / 1000
REPEAT_MAX: Final = m.REPEAT_MAX_MS / 1000
_PING: Final = m.PING_MS / 1000
_SILENT: Final = m.BOARD_SILENT_MS / 1000
_NAK_REST: Final = 0.01
"""A gap is not reported again within this time."""
_FIRST_PINGS: Final = 4
"""Pings sent back to back after the welcome, for a first map of the clock."""


class State(Enum):
    """Where the session is."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class EventMark:
    """The last event that was dealt with: boot id and number; kept by whoever wants no repeats."""

    boot: int
    number: int


@dataclass(frozen=True, slots=True)
class Opened:
    """The session is open; ``reset``: another boot than before, ``lost``: events gone unseen."""

    welcome: m.Welcome
    reset: bool
    lost: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The board speaks something else."""

    welcome: m.Welcome


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing was heard for BOARD_SILENT_MS; the session is being opened anew."""


@dataclass(frozen=True, slots=True)
class Jumped:
    """The clocks jumped against each other by so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Heard:
    """An event (numbered, once, in order) or a sample (``number`` None); host time and bound, s."""

    t: float
    error: float
    message: m.EventMessage | m.SampleMessage
    boot: int
    number: int | None


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to the command with this ticket; None: lost with a reset of the board."""

    ticket: int
    result: m.Result | None


Notice = Opened | Refused | Silent | Jumped | Heard | Answered | m.Log


@dataclass(slots=True)
class _Command:
    ticket: int
    message: m.CommandMessage
    seq: int = 0
    sent: int = 0
    due: float = 0.0
    rest: float = REPEAT_MIN


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
        self._mark = resume
        self._manual = confirm
        self._decoder = FrameDecoder()
        self._out = bytearray()
        self._notices: deque[Notice] = deque()
        self._state = State.CLOSED
        self._greeting = 0
        self._hello_due = 0.0
        self._hello_rest = REPEAT_MIN
        self._welcome: m.Welcome | None = None
        self._taken = 0
        self._confirmed = 0
        self._ack_due = False
        self._early: dict[int, tuple[m.EventMessage, int]] = {}
        self._gap = -1
        self._nak_at = 0.0
        self._heard_at = 0.0
        self._ping_due = 0.0
        self._pings: dict[int, float] = {}
        self._token = 0
        self._burst = 0
        self._commands: deque[_Command] = deque()
        self._next_command = 1
        self._tickets = 0
        self.clock = ClockMap()
        self.repeats = 0
        """Command frames sent again."""
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
    def idle(self) -> bool:
        """Whether no command is under way."""
        return not self._commands

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
        to_frame(message)  # refuses fields out of range before anything is queued
        self._tickets += 1
        self._commands.append(_Command(self._tickets, message))
        self._pump(now)
        return self._tickets

    def withdraw(self, ticket: int) -> bool:
        """Take back a command that was never sent; False if it was."""
        for command in self._commands:
            if command.ticket == ticket and not command.sent:
                self._commands.remove(command)
                return True
        return False

    def confirm(self, mark: EventMark) -> None:
        """Events up to this one were dealt with (with ``confirm=True``)."""
        if self._welcome is not None and mark.boot == self._welcome.boot:
            self._confirmed = max(self._confirmed, min(mark.number, self._taken))
            self._ack_due = True

    def receive(self, data: bytes, now: float) -> None:
        """Take in bytes that were read at ``now``."""
        for frame in self._decoder.feed(data):
            try:
                message, tick = from_frame(frame)
            except BadFrameError:
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
        self._out += encode(to_frame(message, seq, self._acked % MODULUS))

    @property
    def _acked(self) -> int:
        return self._confirmed if self._manual else self._taken

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
            self._on_welcome(message, now)
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
            self._on_event(frame.seq, message, tick, now)
        elif isinstance(message, m.SampleMessage) and tick is not None and self.clock.ready:
            self._heard(message, tick, None)

    def _on_welcome(self, welcome: m.Welcome, now: float) -> None:
        if welcome.nonce != self._greeting or self._state in (State.OPEN, State.CLOSED):
            return
        before, self._welcome = self._welcome, welcome
        if welcome.protocol != m.PROTOCOL or welcome.schema != m.SCHEMA_HASH:
            if self._state is not State.REFUSED:
                self._notices.append(Refused(welcome))
            self._state = State.REFUSED
            return
        reset = before is not None and before.boot != welcome.boot
        lost = self._align_events(before, welcome)
        self._align_commands(before, welcome)
        if before is None or reset:
            self.clock = ClockMap()
        self._state = State.OPEN
        self._heard_at = now
        self._notices.append(Opened(welcome, reset, lost))
        self._pings.clear()
        self._burst = _FIRST_PINGS - 1
        self._ping(now)
        self._pump(now)

    def _align_events(self, before: m.Welcome | None, welcome: m.Welcome) -> int:
        """Where events go on; gives how many were acknowledged by somebody else."""
        known = before is not None and before.boot == welcome.boot
        if not known and self._mark is not None and self._mark.boot == welcome.boot:
            self._taken = self._confirmed = self._mark.number
            known = True
        self._early.clear()
        if not known:
            self._taken = self._confirmed = (welcome.first_event - 1) % MODULUS
            return 0
        missed = ahead(welcome.first_event, (self._taken + 1) % MODULUS)
        if missed > 0:
            self._taken += missed
            self._confirmed = self._taken
        return max(0, missed)

    def _align_commands(self, before: m.Welcome | None, welcome: m.Welcome) -> None:
        """Numbers go on where the board is; a command lost with a reset is given back."""
        self._next_command = (welcome.last_command + 1) % MODULUS
        if not self._commands or not self._commands[0].sent:
            return
        command = self._commands[0]
        same = before is not None and before.boot == welcome.boot
        if same and ahead(welcome.last_command, command.seq) in (-1, 0):
            command.due, command.rest = 0.0, REPEAT_MIN
            self._next_command = (command.seq + 1) % MODULUS
        else:
            self._commands.popleft()
            self._notices.append(Answered(command.ticket, None))

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

    def _on_event(self, seq: int, message: m.EventMessage, tick: int, now: float) -> None:
        step = ahead(seq, self._taken % MODULUS)
        self._ack_due = True
        if 1 <= step <= m.EVENT_WINDOW:
            self._early[self._taken + step] = (message, tick)
        self._deliver(now)

    def _deliver(self, now: float) -> None:
        """Give on what is complete, once there is a clock to tell its time by."""
        if not self.clock.ready:
            return
        while (kept := self._early.pop(self._taken + 1, None)) is not None:
            self._taken += 1
            self._ack_due = True
            self._heard(*kept, self._taken)
        if self._early and (self._gap != self._taken or now - self._nak_at >= _NAK_REST):
            self._gap, self._nak_at = self._taken, now
            self._send(m.Nak())

    def _heard(
        self, message: m.EventMessage | m.SampleMessage, tick: int, number: int | None
    ) -> None:
        boot = self._welcome.boot if self._welcome is not None else 0
        t = self.clock.host_time(tick)
        error = self.clock.error_at(tick)
        self._notices.append(Heard(t, error, message, boot, number))

    def _flush_ack(self) -> None:
        if self._ack_due and self._state is State.OPEN:
            self._ack_due = False
            self._send(m.Ack())

    def _on_result(self, seq: int, result: m.Result, now: float) -> None:
        if self._commands and self._commands[0].sent and self._commands[0].seq == seq:
            self._notices.append(Answered(self._commands.popleft().ticket, result))
            self._pump(now)

    def _pump(self, now: float) -> None:
        """Send or repeat the command whose turn it is."""
        if self._state is not State.OPEN or not self._commands:
            return
        command = self._commands[0]
        if command.sent == 0:
            command.seq = self._next_command
            self._next_command = (self._next_command + 1) % MODULUS
        elif now < command.due:
            return
        else:
            self.repeats += 1
        self._send(command.message, command.seq)
        command.sent += 1
        command.due = now + command.rest
        command.rest = min(2 * command.rest, REPEAT_MAX)
