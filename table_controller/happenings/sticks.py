"""Riichi sticks that lie in the grooves: felt by the machine, seen by the cameras, told once."""

from __future__ import annotations

from table_controller.domain.happenings import Seat, StickPlaced
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.table import Table

_NEAR_MM = 35.0
_STILL_S = 0.3
_GONE_S = 1.0


class Sticks:
    """One groove in front of each pool."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._since: dict[Seat, float] = {}
        self._seen: dict[Seat, float] = {}
        self._felt: set[Seat] = set()
        self.placed: set[Seat] = set()

    def clear(self) -> None:
        """A new hand begins; a stick that is still felt is no new one."""
        self._since.clear()
        self._seen.clear()
        self.placed = set(self._felt)

    def felt(self, present: set[Seat], t: float) -> None:
        """What the sensors of the grooves say."""
        for seat in sorted(present - self._felt):
            if self._table.setup.sticks and seat not in self.placed:
                self.placed.add(seat)
                self._table.emit(StickPlaced(t=t, seat=seat))
        for seat in self._felt - present:
            self._gone(seat)
        self._felt = set(present)

    def _gone(self, seat: Seat) -> None:
        self.placed.discard(seat)
        self._since.pop(seat, None)

    def update(self, look: Look) -> None:
        """One look."""
        if not self._table.setup.sticks:
            return
        geometry = self._table.places.geometry
        for stick in look.sighting.sticks:
            seat = geometry.facing_side(stick.x, stick.y)
            right, offset = geometry.to_player(seat, stick.x, stick.y)
            if abs(right) > _NEAR_MM or abs(offset - geometry.stick.offset) > _NEAR_MM:
                continue
            self._since.setdefault(seat, look.t)
            self._seen[seat] = look.t
        for seat in SEATS:
            point = geometry.to_table(seat, 0.0, geometry.stick.offset)
            if seat not in self._since:
                continue
            if self._seen[seat] < look.t and look.looked(*point):
                if look.t - self._seen[seat] >= _GONE_S:
                    del self._since[seat]
                    if seat not in self._felt:
                        self.placed.discard(seat)
            elif seat not in self.placed and look.t - self._since[seat] >= _STILL_S:
                self.placed.add(seat)
                self._table.emit(StickPlaced(t=self._since[seat], seat=seat, confidence=0.95))
