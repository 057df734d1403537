"""Whose draw is due, and of which tile: that one is ordinary, however slow its hand is.

An ordinary draw is told when it is over (contract, section 2); how far it went counts where it is
none. Players who think rest on the tile that is theirs, and lift it slowly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.table import Table
from table_controller.happenings.wall.stacks import Stack
from table_controller.happenings.wall.walls import Walls

_AHEAD = 2
"""So many stacks farther along the wall a draw from its front is, at most."""


def players(table: Table) -> list[Seat]:
    """Who plays: three players sit where walls came up, whichever side stays empty."""
    sides = Counter(stack.side for stack in table.walls.ring())
    return sorted(sorted(SEATS, key=lambda seat: -sides[seat])[: table.setup.players])


def due(table: Table, seat: Seat, slot: Slot, since: float) -> bool:
    """Whether a hand that came to a tile then draws it in turn.

    It is the next player's after the latest discard, which nobody has claimed, and the next tile
    of the wall. False also where that is not known: the first draw after a deal is none of these.

    Args:
        table: what is known of the table.
        seat: whose hand.
        slot: the tile.
        since: when the hand came to it.
    """
    at = max(table.discarded_at.values(), default=None)
    if at is None or table.front is None or since < at:
        return False
    by = next(each for each, t in table.discarded_at.items() if t == at)
    acted = [*table.drawn_at.values(), *(note.t for note in table.claims)]
    if any(t > at for t in acted):
        return False
    sides = players(table)
    after = sides[(sides.index(by) + 1) % len(sides)] if by in sides else None
    return seat == after and follows(table.walls, slot, table.front)


def follows(walls: Walls, slot: Slot, front: Slot) -> bool:
    """Whether a tile is the next one of the wall after another, taken or not."""
    if front.layer == "top":
        return slot == Slot(front.side, front.stack, "bottom")
    for stack in _beyond(walls, front):
        if (stack.side, stack.number) == slot[:2]:
            return slot.layer == "top" or walls.empty(Slot(slot.side, slot.stack, "top"))
        if stack.height:
            return False
    return False


def front_after(walls: Walls, slots: Sequence[Slot], front: Slot | None) -> Slot | None:
    """The last tile taken from the wall's front, after these were taken.

    Replacements come from the other end; where a draw was overlooked the front is a little farther.
    """
    if len(slots) != 1:
        return front
    (slot,) = slots
    if front is None or slot[:2] == front[:2]:
        return slot
    near = [(stack.side, stack.number) for stack in _beyond(walls, front)[:_AHEAD]]
    return slot if slot[:2] in near else front


def _beyond(walls: Walls, front: Slot) -> list[Stack]:
    """The stacks in the order in which they are taken after this one."""
    ring = walls.ring()
    at = [(stack.side, stack.number) for stack in ring].index(front[:2])
    return [*ring[at + 1 :], *ring[:at]]
