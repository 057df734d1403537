"""When walls stand and play may begin, and when the table is cleared."""

from __future__ import annotations

from table_controller.domain.happenings import WallRaised
from table_controller.happenings.looks.places import SEATS, Area
from table_controller.happenings.machinery import Machinery
from table_controller.happenings.table import Table
from table_controller.happenings.wall.sweeping import Sweep

_SETTLED_S = 0.6
_READY_S = 0.4
"""The machine that says that it is ready moves nothing any more."""
_AGREE_S = 2.0
_BLIND_S = 2.5
"""Machine and sensors are believed alone when the eye had no calm look for so long."""
_CLEARING = ("hatch_open", "shuffling", "raising")
_USED_UP = 0.25
"""Walls of which no more than this share of the set is left do not stand full again in one hand."""
_CLEARED_TILES, _CLEARED_S = 8, 1.0
"""A table is cleared that has so few tiles at most in its walls, and before all players, so long.
At the end of a hand that used up the walls the hands are still there."""


class Raising:
    """Tells the raised walls once a hand."""

    def __init__(self, table: Table, machinery: Machinery) -> None:
        self._table = table
        self._machinery = machinery
        self._full: tuple[float, tuple[int, int, int, int]] | None = None
        self._clears = False
        """The machine says when it clears the table: it has said so before."""
        self._sweep = Sweep()
        self._used_up = False
        self._bare_since: float | None = None

    def restore(self, *, clears: bool) -> None:
        """Take up what an earlier run knew: whether the machine says when it clears the table."""
        self._clears = clears

    def machine(self) -> bool:
        """After a reading; returns whether the table was cleared just now."""
        if self._machinery.state != "ready":
            self._full = None
        if self._machinery.state in _CLEARING:
            self._clears = True
            if self._table.playing:
                self._clear()
                return True
        return False

    def tick(self, t: float) -> bool:
        """After a look; returns whether the walls are complete just now, or the table cleared."""
        table, state = self._table, self._machinery.state
        if table.setup.machine and state is not None and state != "ready":
            return False
        if table.playing:
            return self._swept(t)
        if self._felt(t):
            return True
        heights = [table.walls.heights(seat) for seat in SEATS]
        if not self._complete(heights):
            return False
        settled = _READY_S if state == "ready" else _SETTLED_S
        if table.walls.unsettled(t - settled):
            return False
        if any(stack.covered > t - 0.2 for stack in table.walls.stacks.values() if stack.height):
            return False
        if t - table.walls.changed < _AGREE_S and table.walls.disagree():
            # Eye and sensors do not agree yet: how long the walls are is told only once.
            return False
        # A stack that its sensor feels stands, though it came up between crooked ones.
        full = table.places.geometry.stacks_per_side
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

    def _complete(self, heights: list[int]) -> bool:
        """Whether as many walls as there are stand from end to end; ``heights``: stacks by side."""
        full = self._table.places.geometry.stacks_per_side
        standing = sum(1 for height in heights if height >= full - 2)
        # Walls of three players may leave one side empty.
        return standing >= (4 if self._table.setup.players == 4 else 3)

    def _clear(self) -> None:
        """Nothing of the hand is left on the table."""
        self._table.playing = self._used_up = False
        self._bare_since, self._full = None, None
        self._sweep.clear()
        self._table.walls.clear()
        self._table.book.clear()

    def _swept(self, t: float) -> bool:
        """Whether the table was cleared, or new walls stand on it, that no machine tells of."""
        if self._clears and self._table.setup.machine:
            return False
        over = self._sweep.look(t, self._lying()) or self._bare(t) or self._stand_again(t)
        if over:
            self._clear()
        return over

    def _lying(self) -> int:
        """How many tiles lie there or are hidden, as far as the last look says."""
        stacks, rests = self._table.walls.stacks.values(), self._table.book.believed()
        walls = sum(stack.height for stack in stacks if stack.other != 0)
        return walls + sum(rest.missing is None for rest in rests)

    def _bare(self, t: float) -> bool:
        """Whether walls and hands are gone for good, however slowly."""
        hands = self._table.book.believed(Area.HAND)
        if max(self._table.walls.tiles, len(hands)) > _CLEARED_TILES:
            self._bare_since = None
            return False
        if self._bare_since is None:
            self._bare_since = t
        return t - self._bare_since >= _CLEARED_S

    def _stand_again(self, t: float) -> bool:
        """Whether walls that were used up stand full, whatever lies about: others were built."""
        walls = self._table.walls
        if walls.tiles <= _USED_UP * self._table.setup.tiles:
            self._used_up = True
            return False
        full = self._used_up and self._complete([walls.heights(seat) for seat in SEATS])
        return full and not walls.unsettled(t - _SETTLED_S)

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
