"""The wall as a ring of stacks: break, front, other end, replacement tiles.

Stacks are counted from a player's right end to the left, which runs clockwise seen from
above; after a wall's last stack the count goes on with the next wall clockwise, the one of
the seat before (sides are numbered counter-clockwise). Ordinary draws follow the same
direction; replacement tiles come from the other end, the upper tile of a stack before the
lower one, and with one stack left the lower one (Q68 of the Tianjin book; contract, 8).
"""

from __future__ import annotations

from collections.abc import Iterable

from table_controller.domain.happenings import Seat, Slot

_CLOCKWISE: tuple[Seat, ...] = (0, 3, 2, 1)


class Ring:
    """Where each stack stands; shared by all readings of a hand, never changed.

    Args:
        stacks: stacks on the sides 0..3.
    """

    __slots__ = ("_starts", "places", "stacks", "total")

    def __init__(self, stacks: tuple[int, int, int, int]) -> None:
        self.stacks = stacks
        self._starts: dict[int, int] = {}
        self.places: list[tuple[Seat, int]] = []
        for side in _CLOCKWISE:
            self._starts[side] = len(self.places)
            self.places.extend((side, number) for number in range(1, stacks[side] + 1))
        self.total = len(self.places)

    def position(self, side: int, stack: int) -> int | None:
        """Position of a stack on the ring, or None where no such stack was raised."""
        if not 1 <= stack <= self.stacks[side]:
            return None
        return self._starts[side] + stack - 1

    def first(self, slots: Iterable[Slot]) -> int | None:
        """Position of the stack from which on these slots follow each other, around a corner too.

        None where there are none, or no such stack was raised.
        """
        positions = {self.position(side, stack) for side, stack, _ in slots}
        known = {position for position in positions if position is not None}
        if not known or len(known) < len(positions):
            return None
        return min(known, key=lambda first: max((one - first) % self.total for one in known))

    def after(self, side: int, count: int) -> int:
        """Position of the stack that follows ``count`` stacks counted on ``side``'s wall."""
        return (self._starts[side] + count) % max(self.total, 1)


class Wall:
    """What still stands, seen from the break.

    Tile ``2 * k`` is the upper and ``2 * k + 1`` the lower tile of the k-th stack after the
    break; ``mask`` holds a bit for every tile that still stands.
    """

    __slots__ = ("full", "mask", "ring", "start")

    def __init__(self, ring: Ring, start: int) -> None:
        self.ring = ring
        self.start = start
        self.full = (1 << (2 * ring.total)) - 1
        self.mask = self.full

    def copy(self) -> Wall:
        """An independent copy."""
        other = Wall.__new__(Wall)
        other.ring, other.start, other.full, other.mask = (
            self.ring,
            self.start,
            self.full,
            self.mask,
        )
        return other

    def index(self, slot: Slot) -> int | None:
        """Index of a slot counted from the break; None where there is no such slot."""
        position = self.ring.position(slot[0], slot[1])
        if position is None:
            return None
        k = (position - self.start) % self.ring.total
        return 2 * k + (slot[2] == "bottom")

    def slot(self, index: int) -> Slot:
        """The slot of an index."""
        side, stack = self.ring.places[(self.start + index // 2) % self.ring.total]
        return Slot(side, stack, "bottom" if index & 1 else "top")

    @property
    def left(self) -> int:
        """Tiles that still stand."""
        return self.mask.bit_count()

    def stands(self, index: int) -> bool:
        """Whether that tile still stands."""
        return bool(self.mask >> index & 1)

    def front(self) -> int | None:
        """The next tile of an ordinary draw."""
        return (self.mask & -self.mask).bit_length() - 1 if self.mask else None

    def back(self, *, upper_first: bool = True, last_stack_lower: bool = True) -> int | None:
        """The next replacement tile."""
        if not self.mask:
            return None
        stack = (self.mask.bit_length() - 1) // 2
        upper, lower = 2 * stack, 2 * stack + 1
        if not self.stands(upper):
            return lower
        if not self.stands(lower):
            return upper
        alone = self.mask == 3 << upper
        if alone and last_stack_lower:
            return lower
        return upper if upper_first else lower

    def take(self, index: int) -> None:
        """A tile leaves the wall."""
        self.mask &= ~(1 << index)

    def put(self, index: int) -> None:
        """A tile comes back."""
        self.mask |= 1 << index


BLOCKS = 12
"""Blocks of two stacks that are dealt before the last step: three rounds of four seats."""

DEAL_STEPS = BLOCKS + 4
"""Twelve blocks, then the dealer's jump draw and one tile for each other seat."""


def deal_step(step: int) -> tuple[int, tuple[int, ...]]:
    """Who takes what in a step of the deal: seats after the dealer, indices from the break.

    Twelve blocks of four; then the dealer takes the upper tiles of the next stack and of the
    one after the next but one (jump draw), and South, West, North the tiles between.
    """
    if step < BLOCKS:
        first = 4 * step
        return step % 4, (first, first + 1, first + 2, first + 3)
    return step - BLOCKS, ((48, 52), (49,), (50,), (51,))[step - BLOCKS]
