"""The wall of riichi: the live part, replacement tiles, indicators (source 002, 4.7).

Indices count from the break as in :class:`table_controller.game.wall.Wall`. The last stacks are
the dead wall: replacement tiles at its end (the last stack's upper tile first), before them the
indicator stacks, the first one nearest to the end. Every replacement takes the last live tile
into the dead wall, so one tile less can be drawn.
"""

from __future__ import annotations

from table_controller.domain.happenings import Slot
from table_controller.game.wall import Ring, Wall

INDICATORS = 5
"""Indicator stacks: one at the start and one for each kong."""


class DeadWall(Wall):
    """A wall of which the end is set apart.

    Args:
        ring: where the stacks stand.
        start: ring position of the first stack to be dealt.
        dead: tiles of the dead wall.
        replacements: how many of them are replacement tiles.
    """

    __slots__ = ("dead", "replacements")

    def __init__(self, ring: Ring, start: int, dead: int, replacements: int) -> None:
        super().__init__(ring, start)
        self.dead = dead
        self.replacements = replacements

    def copy(self) -> DeadWall:
        """An independent copy."""
        other = DeadWall.__new__(DeadWall)
        for name in ("ring", "start", "full", "mask", "dead", "replacements"):
            setattr(other, name, getattr(self, name))
        return other

    @property
    def taken(self) -> int:
        """Replacement tiles that were drawn."""
        first = 2 * self.ring.total - self.replacements
        return self.replacements - (self.mask >> first).bit_count()

    @property
    def live_end(self) -> int:
        """Index after the last tile that can be drawn."""
        return 2 * self.ring.total - self.dead - self.taken

    @property
    def left(self) -> int:
        """Tiles that can still be drawn (剩余枚数, 6.5)."""
        return (self.mask & ((1 << max(self.live_end, 0)) - 1)).bit_count()

    def front(self) -> int | None:
        """The next tile of an ordinary draw."""
        index = super().front()
        return index if index is not None and index < self.live_end else None

    def back(self, *, upper_first: bool = True, last_stack_lower: bool = True) -> int | None:  # noqa: ARG002
        """The next replacement tile (4.7.2)."""
        last = 2 * self.ring.total
        for stack in range(1, self.replacements // 2 + 1):
            for index in (last - 2 * stack, last - 2 * stack + 1):
                if self.stands(index):
                    return index
        return None

    def is_replacement(self, index: int) -> bool:
        """Whether it is one of the replacement tiles (岭上牌)."""
        return index >= 2 * self.ring.total - self.replacements

    def is_dead(self, index: int) -> bool:
        """Whether it belongs to the dead wall."""
        return index >= self.live_end

    def indicator(self, number: int) -> int:
        """Index of the n-th dora indicator (0 first); the tile below is the ura indicator."""
        return 2 * self.ring.total - self.replacements - 2 * (number + 1)

    def indicator_number(self, slot: Slot) -> tuple[int, bool] | None:
        """Which indicator lies there, and whether it is the lower one; None where none does."""
        index = self.index(slot)
        if index is None:
            return None
        for number in range(INDICATORS):
            first = self.indicator(number)
            if index in (first, first + 1):
                return number, index == first + 1
        return None
