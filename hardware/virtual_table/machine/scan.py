"""Inputs to events: debouncing, edges, levels (the twin of the firmware's scan.c).

Every SCAN_MS all inputs are read; a bit is taken over once DEBOUNCE_SCANS readings agree, and its
event carries the tick of the first of them. A level is reported when it differs from what was
last reported and the store has room for levels, so a storm of changes cannot crowd out a key.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from firmware_bridge import messages as m
from hardware.virtual_table.machine.io import Inputs

MS: Final = 1000 // m.TICK_US
SCAN: Final = m.SCAN_MS * MS
DELAY: Final = (m.DEBOUNCE_SCANS - 1) * SCAN


class Debounced:
    """A word of bits, each taken over once DEBOUNCE_SCANS readings agree."""

    def __init__(self, value: int = 0) -> None:
        self.value = value
        self._seen: deque[int] = deque([value] * m.DEBOUNCE_SCANS, m.DEBOUNCE_SCANS)

    def scan(self, raw: int) -> int:
        """Take a reading in; gives the bits that rose with it."""
        self._seen.append(raw)
        ones = zeros = ~0
        for seen in self._seen:
            ones &= seen
            zeros &= ~seen
        before = self.value
        self.value = (before | ones) & ~zeros
        return self.value & ~before


class Scanner:
    """All debounced inputs of the board."""

    def __init__(self, raw: Inputs) -> None:
        self.ends = Debounced(raw.ends)
        self.walls = [Debounced(w) for w in raw.walls]
        self.keys = [Debounced(k) for k in raw.keys]
        self.start_key = Debounced(int(raw.start_key))
        self.dice_tray = Debounced(int(raw.dice_tray))
        self.sticks = Debounced(raw.sticks)
        self.push_heads = Debounced(raw.push_heads)
        self.platforms = Debounced(raw.platforms)
        self.stop = Debounced(int(raw.stop))
        self.hand = Debounced(int(raw.hand))
        self.stacks_pushed = [0] * m.SIDES
        """Rising edges of each push head since the last scan: 0 or 1."""
        self.start_pressed = False
        """Whether the start button went down with the last scan."""
        self._knock: tuple[int, int, int] | None = None  # begin, last above threshold, peak

    def scan(self, raw: Inputs, now: int, emit: Callable[[m.EventMessage, int], None]) -> None:
        """Read all inputs once and emit the events of keys, start button and vibration."""
        edge = now - DELAY
        self.ends.scan(raw.ends)
        if raw.chain_ok:  # what was read before is better than noise
            self._chain(raw, edge, emit)
        self.start_pressed = bool(self.start_key.scan(int(raw.start_key)))
        if self.start_pressed:
            emit(m.StartPressed(), edge)
        self.dice_tray.scan(int(raw.dice_tray))
        rose = self.push_heads.scan(raw.push_heads)
        self.stacks_pushed = [rose >> side & 1 for side in range(m.SIDES)]
        self.platforms.scan(raw.platforms)
        self.stop.scan(int(raw.stop))
        self.hand.scan(int(raw.hand))
        self._vibration(raw.vibration_mg, now, emit)

    def _chain(self, raw: Inputs, edge: int, emit: Callable[[m.EventMessage, int], None]) -> None:
        for wall, bits in zip(self.walls, raw.walls, strict=True):
            wall.scan(bits)
        for seat, (keypad, bits) in enumerate(zip(self.keys, raw.keys, strict=True)):
            pressed = keypad.scan(bits)
            for key in m.Key:
                if pressed >> key & 1:
                    emit(m.KeyPressed(seat, key), edge)
        self.sticks.scan(raw.sticks)

    def _vibration(self, mg: int, now: int, emit: Callable[[m.EventMessage, int], None]) -> None:
        if mg >= m.VIBRATION_MG:
            begin, _, peak = self._knock or (now, now, 0)
            self._knock = (begin, now, max(peak, mg))
        elif self._knock is not None:
            begin, last, peak = self._knock
            if now - last >= m.VIBRATION_QUIET_MS * MS:
                self._knock = None
                duration = min(0xFFFF, (last - begin) // MS)
                emit(m.Vibration(min(peak, 0xFFFF), duration), begin)


class Levels:
    """What was last reported of each level."""

    def __init__(self) -> None:
        self._reported: dict[int, m.EventMessage] = {}

    def forget(self) -> None:
        """Report all of them anew."""
        self._reported.clear()

    def report(
        self,
        current: list[tuple[m.EventMessage, int]],
        room: Callable[[], bool],
        emit: Callable[[m.EventMessage, int], None],
    ) -> None:
        """Emit those that differ from what was last reported, with their ticks, while room is."""
        for message, tick in current:
            if self._reported.get(message.ID) == message:
                continue
            if not room():
                return
            self._reported[message.ID] = message
            emit(message, tick)
