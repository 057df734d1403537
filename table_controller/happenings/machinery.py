"""Readings of the machine as happenings, and what they say about the walls."""

from __future__ import annotations

from typing import Final

from firmware_bridge.messages import (
    Fault,
    Key,
    KeyPressed,
    MachineChanged,
    SticksChanged,
    WallPresence,
)
from firmware_bridge.readings import Phase, Reading, phase
from table_controller.domain.happenings import Call, CallKind, Machine
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.sticks import Sticks
from table_controller.happenings.table import Table

_CALLS: Final[dict[Key, CallKind]] = {
    Key.CHOW: "chow",
    Key.PUNG: "pung",
    Key.KONG: "kong",
    Key.WIN: "win",
    Key.RIICHI: "riichi",
    Key.FLOWER: "flower",
    Key.NINE_TERMINALS: "nine_terminals",
    Key.PASS: "pass",
    Key.REFEREE: "referee",
}


class Machinery:
    """What the machine last said."""

    def __init__(self, table: Table, sticks: Sticks) -> None:
        self._table = table
        self._sticks = sticks
        self.state: Phase | None = None

    def reading(self, reading: Reading) -> None:
        """One reading; what it means for the walls is handed on."""
        what, t = reading.what, reading.t
        match what:
            case KeyPressed():
                if what.seat in SEATS:
                    seat = SEATS[what.seat]
                    call = self._table.called[seat] = Call(t=t, seat=seat, call=_CALLS[what.key])
                    self._table.emit(call)
            case MachineChanged():
                self._state(phase(what), what.fault, t)
            case WallPresence():
                for side, bits in zip(SEATS, what.stacks, strict=True):
                    for number in range(1, self._table.places.geometry.stacks_per_side + 1):
                        self._table.walls.sensor(side, number, bool(bits >> (number - 1) & 1), t)
            case SticksChanged():
                self._sticks.felt({seat for seat in SEATS if what.present >> seat & 1}, t)
            case _:
                pass

    def _state(self, state: Phase, fault: Fault, t: float) -> None:
        if state == self.state:
            return
        self.state = state
        name = None if fault is Fault.NONE else fault.name.lower()
        self._table.emit(Machine(t=t, state=state, fault=name))
