"""Events on their way from the board: each taken once and in order, then acknowledged.

Events that came while one before them is missing wait here, so the board repeats only the missing
one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from firmware_bridge import messages as m
from firmware_bridge.notices import EventMark
from firmware_bridge.wire import MODULUS, ahead

_NAK_REST: Final = 0.01
"""A gap is not reported again within this time."""


class Events:
    """The events of one session.

    Args:
        resume: the last event that was dealt with by an earlier program, if known.
        confirm: events are acknowledged only once :meth:`confirm` says so; otherwise as soon as
            they were taken.
    """

    def __init__(self, resume: EventMark | None, *, confirm: bool) -> None:
        self._mark = resume
        self._manual = confirm
        self._taken = 0
        self._confirmed = 0
        self._early: dict[int, tuple[m.EventMessage, int]] = {}
        self._gap = -1
        self._nak_at = 0.0
        self._ack_due = False

    @property
    def acked(self) -> int:
        """The number up to which events are acknowledged, as it stands in every frame."""
        return (self._confirmed if self._manual else self._taken) % MODULUS

    def ack_due(self) -> bool:
        """Whether the board is to be told so now; asked once."""
        due, self._ack_due = self._ack_due, False
        return due

    def confirm(self, number: int) -> None:
        """Events up to this one were dealt with."""
        self._confirmed = max(self._confirmed, min(number, self._taken))
        self._ack_due = True

    def align(self, before: m.Welcome | None, welcome: m.Welcome) -> int:
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

    def arrived(self, seq: int, message: m.EventMessage, tick: int) -> None:
        """An event came with this number of the wire."""
        step = ahead(seq, self._taken % MODULUS)
        self._ack_due = True
        if 1 <= step <= m.EVENT_WINDOW:
            self._early[self._taken + step] = (message, tick)

    def complete(self) -> Iterator[tuple[m.EventMessage, int, int]]:
        """Take the events before which none is missing: message, tick, number."""
        while (kept := self._early.pop(self._taken + 1, None)) is not None:
            self._taken += 1
            self._ack_due = True
            yield *kept, self._taken

    def gap(self, now: float) -> bool:
        """Whether the board is to be told now that an event is missing."""
        if not self._early or (self._gap == self._taken and now - self._nak_at < _NAK_REST):
            return False
        self._gap, self._nak_at = self._taken, now
        return True
