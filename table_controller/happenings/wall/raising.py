"""When walls stand and play may begin, and when the table is cleared."""

from __future__ import annotations

from table_controller.domain.happenings import WallRaised
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.machinery import Machinery
from table_controller.happenings.table import Table

_SETTLED_S = 0.6
_AGREE_S = 2.0
_BLIND_S = 2.5
"""Machine and sensors are believed alone when the eye had no calm look for so long."""
_CLEARING = ("hatch_open", "shuffling", "raising")


class Raising:
    """Tells the raised walls once a hand."""

    def __init__(self, table: Table, machinery: Machinery) -> None:
        self._table = table
        self._machinery = machinery
        self._full: tuple[float, tuple[int, int, int, int]] | None = None

    def machine(self) -> bool:
        """After a reading; returns whether the table was cleared just now."""
        if self._machinery.state != "ready":
            self._full = None
        if self._machinery.state in _CLEARING and self._table.playing:
            self._table.playing = False
            self._table.walls.clear()
            self._table.book.clear()
            return True
        return False

    def tick(self, t: float) -> bool:
        """After a look; returns whether the walls are complete just now."""
        table, state = self._table, self._machinery.state
        if table.playing or (table.setup.machine and state is not None and state != "ready"):
            return False
        if self._felt(t):
            return True
        heights = [table.walls.heights(seat) for seat in SEATS]
        full = table.places.geometry.stacks_per_side
        standing = sum(1 for height in heights if height >= full - 2)
        # Walls of three players may leave one side empty.
        if standing < (4 if table.setup.players == 4 else 3):
            return False
        if table.walls.unsettled(t - _SETTLED_S):
            return False
        if any(stack.covered > t - 0.2 for stack in table.walls.stacks.values() if stack.height):
            return False
        if t - table.walls.changed < _AGREE_S and table.walls.disagree():
            # Eye and sensors do not agree yet: how long the walls are is told only once.
            return False
        # A stack that its sensor feels stands, though it came up between crooked ones.
        for stack in table.walls.stacks.values():
            if stack.present and not stack.height and 1 <= stack.number <= full:
                heights[stack.side] += 1
        table.playing = True
        table.walls.stand()
        table.raised_at = table.walls.changed
        table.emit(
            WallRaised(
                t=table.raised_at,
                stacks=(heights[0], heights[1], heights[2], heights[3]),
                confidence=0.95,
            )
        )
        return True

    def _felt(self, t: float) -> bool:
        """Whether machine and sensors alone say that the walls stand, and are taken at that.

        The eye may have no calm look before the first hands come: a slow computer, sleeves. Better
        the sensors' word than a whole hand that is not followed.
        """
        table = self._table
        if self._machinery.state != "ready" or not table.setup.wall_sensors:
            return False
        present = [stack for stack in table.walls.stacks.values() if stack.present]
        a, b, c, d = (sum(stack.side == seat for stack in present) for seat in SEATS)
        if self._full is None:
            enough = table.places.geometry.stacks_per_side - 2
            if sum(count >= enough for count in (a, b, c, d)) >= table.setup.players:
                self._full = (t, (a, b, c, d))
            return False
        since, stacks = self._full
        if t - since < _BLIND_S:
            return False
        for stack in present:
            stack.height, stack.stood = max(stack.height, 2), True
        table.playing = True
        table.walls.stand()
        table.raised_at = since
        table.emit(WallRaised(t=since, stacks=stacks, confidence=0.8))
        return True
