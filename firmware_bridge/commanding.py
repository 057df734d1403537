"""Commands on their way to the board: one at a time, repeated until answered, executed once.

The board executes number n only after n-1, and answers a repeated number with the answer it gave
before. After a new connection the welcome says which number was executed last. After a reset of
the board nobody knows whether the command under way was executed; it is given back as lost, never
repeated.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge import messages as m
from firmware_bridge.wire import MODULUS, ahead, to_frame

REPEAT_MIN: Final = m.REPEAT_MIN_MS / 1000
REPEAT_MAX: Final = m.REPEAT_MAX_MS / 1000


@dataclass(slots=True)
class Command:
    """One command: its number once it was sent, how often that was, and when it is due again."""

    ticket: int
    message: m.CommandMessage
    seq: int = 0
    sent: int = 0
    due: float = 0.0
    rest: float = REPEAT_MIN


class Commands:
    """The commands of one session, in order.

    Attributes:
        repeats: frames sent again.
    """

    def __init__(self) -> None:
        self._queue: deque[Command] = deque()
        self._next = 1
        self._tickets = 0
        self.repeats = 0

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, message: m.CommandMessage) -> int:
        """Queue a command; returns its ticket."""
        to_frame(message)  # refuses fields out of range before anything is queued
        self._tickets += 1
        self._queue.append(Command(self._tickets, message))
        return self._tickets

    def withdraw(self, ticket: int) -> bool:
        """Take back a command that was never sent; False if it was."""
        for command in self._queue:
            if command.ticket == ticket and not command.sent:
                self._queue.remove(command)
                return True
        return False

    def align(self, before: m.Welcome | None, welcome: m.Welcome) -> int | None:
        """Numbers go on where the board is; the ticket of a command lost with a reset, if any."""
        self._next = (welcome.last_command + 1) % MODULUS
        if not self._queue or not self._queue[0].sent:
            return None
        command = self._queue[0]
        same = before is not None and before.boot == welcome.boot
        if same and ahead(welcome.last_command, command.seq) in (-1, 0):
            command.due, command.rest = 0.0, REPEAT_MIN
            self._next = (command.seq + 1) % MODULUS
            return None
        return self._queue.popleft().ticket

    def answered(self, seq: int) -> int | None:
        """The command under way has this number: it is done; its ticket."""
        if self._queue and self._queue[0].sent and self._queue[0].seq == seq:
            return self._queue.popleft().ticket
        return None

    def due(self, now: float) -> Command | None:
        """The command that is to be sent or repeated now; it counts as sent."""
        if not self._queue:
            return None
        command = self._queue[0]
        if command.sent == 0:
            command.seq = self._next
            self._next = (self._next + 1) % MODULUS
        elif now < command.due:
            return None
        else:
            self.repeats += 1
        command.sent += 1
        command.due = now + command.rest
        command.rest = min(2 * command.rest, REPEAT_MAX)
        return command
