"""The board's side of the session, without input and output (the twin of the firmware's session.c).

Times are ticks of the board's clock (TICK_US). Events wait in a bounded store until the host
acknowledges them; a window of them is under way, and the oldest is sent again when the host
reports a gap or stays silent. A command is executed when its number follows the last one; a
repeated number gets the stored answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple, cast

from firmware_bridge import messages as m
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

_MS: Final = 1000 // m.TICK_US
_REPEAT_MIN: Final = m.REPEAT_MIN_MS * _MS
_REPEAT_MAX: Final = m.REPEAT_MAX_MS * _MS
_SILENT: Final = m.HOST_SILENT_MS * _MS
_COMMAND_RANGE: Final = range(0x20, 0x40)
_WRAP: Final = 1 << 32


class Kept(NamedTuple):
    """An event in the store."""

    message: m.EventMessage
    tick: int


class BoardSession:
    """Board side of the session.

    Args:
        boot: boot id, another one after each reset.
        execute: carries a command out and gives the answer; called once for each command.
        serial, firmware: shown in the welcome.
    """

    def __init__(
        self,
        boot: int,
        execute: Callable[[m.CommandMessage, int], m.Result],
        *,
        serial: int,
        firmware: str,
    ) -> None:
        self.boot = boot
        self.schema_hash = m.SCHEMA_HASH
        """May be set to another value to play an older board."""
        self.stamp_offset = 0
        """Ticks added to every tick that is told to the host (fault: the clock jumps)."""
        self.execute = execute
        """Carries a command out; called once for each."""
        self._serial = serial
        self._firmware = firmware
        self._decoder = FrameDecoder()
        self._out = bytearray()
        self._open = False
        self._heard_at: int | None = None
        self._store: deque[Kept] = deque()
        self._first = 1
        self._under_way = 0
        self._due = 0
        self._rest = _REPEAT_MIN
        self._overrun = 0
        self._last_command = 0
        self._last_result = m.Result(m.Outcome.DONE, m.Block(0))

    # ---------------------------------------------------------------- what it is

    @property
    def open(self) -> bool:
        """Whether a host with the same schema has greeted since the reset."""
        return self._open

    @property
    def queued(self) -> int:
        """Events in the store."""
        return len(self._store)

    @property
    def room_for_levels(self) -> bool:
        """Whether level events may go into the store now."""
        return len(self._store) < m.EVENT_STORE_LEVEL

    def host_silent(self, now: int) -> bool:
        """Whether the host has not been heard for HOST_SILENT_MS."""
        return not self._open or self._heard_at is None or now - self._heard_at > _SILENT

    # ---------------------------------------------------------------- what it is told

    def event(self, message: m.EventMessage, tick: int) -> None:
        """Number and keep an event; counted as lost if the store is full."""
        if self._overrun and len(self._store) < m.EVENT_STORE - 1:
            self._store.append(Kept(m.Overrun(min(self._overrun, 0xFFFF)), tick))
            self._overrun = 0
        if len(self._store) >= m.EVENT_STORE or self._overrun:
            self._overrun += 1
        else:
            self._store.append(Kept(message, tick))

    def sample(self, message: m.SampleMessage, tick: int) -> None:
        """Send a value that need not arrive."""
        if self._open:
            self._send(message, tick=tick)

    def log(self, level: m.LogLevel, text: str) -> None:
        """Send a line of the board's log."""
        if self._open:
            room = m.PAYLOAD_MAX - 1
            self._send(m.Log(level, text.encode()[:room].decode(errors="ignore")))

    def receive(self, data: bytes, now: int) -> None:
        """Take bytes in."""
        for frame in self._decoder.feed(data):
            self._handle(frame, now)

    def poll(self, now: int) -> bytes:
        """Send what is due; gives the bytes for the line and forgets them."""
        if self._open:
            if self._overrun and len(self._store) < m.EVENT_STORE_LEVEL:
                self._store.append(Kept(m.Overrun(min(self._overrun, 0xFFFF)), now))
                self._overrun = 0
            if self._under_way and now >= self._due:
                self._rest = min(2 * self._rest, _REPEAT_MAX)
                self._repeat_oldest(now)
            while self._under_way < min(len(self._store), m.EVENT_WINDOW):
                kept = self._store[self._under_way]
                self._send(kept.message, self._first + self._under_way, kept.tick)
                self._under_way += 1
                self._due = now + self._rest
        data = bytes(self._out)
        self._out.clear()
        return data

    # ---------------------------------------------------------------- within

    def _send(self, message: m.Message, seq: int = 0, tick: int | None = None) -> None:
        if tick is not None:
            tick = (tick + self.stamp_offset) % _WRAP
        self._out += encode(to_frame(message, seq % MODULUS, self._last_command, tick))

    def _handle(self, frame: Frame, now: int) -> None:
        try:
            message, _ = from_frame(frame)
        except BadFrameError:
            if self._open and frame.version == m.PROTOCOL and frame.type in _COMMAND_RANGE:
                self._heard(frame, now)
                known = frame.type in m.COMMAND_IDS
                self._on_command(frame, None, now, known=known)
            else:
                self._decoder.errors += 1
            return
        if isinstance(message, m.Hello):
            self._on_hello(message, now)
        elif isinstance(message, m.Ping):
            self._on_ping(message, frame, now)
        elif self._open:
            self._heard(frame, now)
            if isinstance(message, m.Nak) and self._under_way:
                self._repeat_oldest(now)
            elif frame.type in m.COMMAND_IDS:
                self._on_command(frame, cast("m.CommandMessage", message), now)

    def _repeat_oldest(self, now: int) -> None:
        """The host keeps those after it, so one frame closes the gap."""
        kept = self._store[0]
        self._send(kept.message, self._first, kept.tick)
        self._due = now + self._rest

    def _heard(self, frame: Frame, now: int) -> None:
        """Any good frame of an open session shows that the host lives, and acknowledges."""
        self._heard_at = now
        done = ahead(frame.ack, self._first % MODULUS) + 1
        if 0 < done <= self._under_way:
            for _ in range(done):
                self._store.popleft()
            self._first += done
            self._under_way -= done
            self._rest = _REPEAT_MIN
            self._due = now + self._rest

    def _on_hello(self, hello: m.Hello, now: int) -> None:
        self._open = hello.protocol == m.PROTOCOL and hello.schema == self.schema_hash
        self._under_way = 0
        self._rest = _REPEAT_MIN
        if self._open:
            self._heard_at = now
        self._send(
            m.Welcome(
                m.PROTOCOL,
                self.schema_hash,
                hello.nonce,
                self.boot,
                now % _WRAP,
                self._last_command,
                self._first % MODULUS,
                self._serial,
                self._firmware,
            )
        )

    def _on_ping(self, ping: m.Ping, frame: Frame, now: int) -> None:
        """Answered without a session too: the boot id in it tells the host of a reset."""
        if self._open:
            self._heard(frame, now)
        stamp = (now + self.stamp_offset) % _WRAP
        errors = self._decoder.errors & 0xFFFF
        self._send(m.Pong(ping.token, stamp, self.boot, len(self._store), errors))

    def _on_command(
        self, frame: Frame, message: m.CommandMessage | None, now: int, *, known: bool = True
    ) -> None:
        step = ahead(frame.seq, self._last_command)
        if step == 1:
            self._last_command = frame.seq
            if message is None:
                outcome = m.Outcome.BAD_ARGUMENT if known else m.Outcome.UNKNOWN
                self._last_result = m.Result(outcome, m.Block(0))
            else:
                self._last_result = self.execute(message, now)
        elif step != 0:
            return
        self._send(self._last_result, frame.seq)
