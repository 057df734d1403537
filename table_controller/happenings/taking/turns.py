"""Whose draw is due, and of which tile: that one is ordinary, however slow its hand is.

An ordinary draw is told when it is over (contract, section 2); how far it went counts where it is
none. Players who think rest on the tile that is theirs, and lift it slowly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.table import Table
from table_controller.happenings.wall.stacks import LAYERS, Stack
from table_controller.happenings.wall.walls import Walls

_CALLED_S = 0.3
"""A call may seem to come so long before the discard that it claims has come to rest."""
_LOOK_S = 0.15
"""What one look shows may have happened so long before it."""
_AHEAD = 2
"""So many stacks farther along the wall a draw from its front is, at most."""


def players(table: Table) -> list[Seat]:
    """Who plays: three players sit where walls came up, whichever side stays empty."""
    sides = Counter(stack.side for stack in table.walls.ring())
    return sorted(sorted(SEATS, key=lambda seat: -sides[seat])[: table.setup.players])


def due(table: Table, seat: Seat, slot: Slot, since: float) -> bool:
    """Whether a hand that came to a tile then draws it in turn.

    It is the next player's after the latest discard, which nobody has claimed, and the next tile
    of the wall. False also where that is not known.

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


def lays(table: Table, seat: Seat, since: float, until: float) -> bool:
    """Whether a hand laid its discard in this time: the last row of a pool may be at a wall."""
    at = table.discarded_at.get(seat, -math.inf)
    return since - _LOOK_S <= at <= until + _LOOK_S


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


def next_of(walls: Walls, front: Slot) -> Slot | None:
    """The tile of the wall that is drawn after another, by what is believed to stand."""
    if front.layer == "top":
        return Slot(front.side, front.stack, "bottom")
    return next(map(_upper, (stack for stack in _beyond(walls, front) if stack.height)), None)


def last_of(walls: Walls, front: Slot) -> Slot | None:
    """The tile at the other end of the wall, from which replacements are drawn."""
    behind = reversed(_beyond(walls, front))
    return next(map(_upper, (stack for stack in behind if stack.height)), None)


def _upper(stack: Stack) -> Slot:
    return Slot(stack.side, stack.number, "top" if stack.height == len(LAYERS) else "bottom")


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


def replaces(table: Table, seat: Seat, t: float) -> bool:
    """Whether a draw at a time replaces a flower, a north, or the fourth tile of a kong.

    What was laid out may be told after it: who has drawn in his turn already, or fetched or called
    the discard, does not draw the next tile.
    """
    since = max((at for at in table.discarded_at.values() if at < t), default=-1e9) - _CALLED_S
    call = table.called.get(seat)
    begun = [table.replaces_at.get(seat, -1e9), table.drawn_at.get(seat, -1e9)]
    begun += [call.t] if call is not None and call.call == "kong" else []
    begun += [note.t for note in table.claims if note.seat == seat]
    return any(since < at < t for at in begun)


def replaces_in_turn(table: Table, seat: Seat, slot: Slot, since: float) -> bool:
    """Whether a hand that came to a tile then draws what is due to it from the wall's end."""
    if table.front is None or not replaces(table, seat, since):
        return False
    beyond = _beyond(table.walls, table.front)
    behind = [stack for stack in beyond if (stack.side, stack.number) == slot[:2]]
    if not behind or any(stack.height for stack in beyond[beyond.index(behind[0]) + 1 :]):
        return False
    return slot.layer == "top" or table.walls.empty(Slot(slot.side, slot.stack, "top"))


def front_of_deal(walls: Walls, leaving: Collection[Slot]) -> Slot | None:
    """The last tile of a deal: before the one gap of the wall that ends where draws go on.

    None where the wall has no such gap, or several.

    Args:
        walls: as they are believed to stand.
        leaving: tiles that somebody takes, and that were not dealt.
    """
    ring = walls.ring()
    back = Counter((slot.side, slot.stack) for slot in leaving)
    heights = [stack.height + back[stack.side, stack.number] for stack in ring]
    ends = [index for index, height in enumerate(heights) if height and not heights[index - 1]]
    if len(ends) != 1:
        return None
    stack, before = ring[ends[0]], ring[ends[0] - 1]
    if heights[ends[0]] < len(LAYERS):
        return Slot(stack.side, stack.number, "top")
    return Slot(before.side, before.number, "bottom")


def _beyond(walls: Walls, front: Slot) -> list[Stack]:
    """The stacks in the order in which they are taken after this one."""
    ring = walls.ring()
    at = [(stack.side, stack.number) for stack in ring].index(front[:2])
    return [*ring[at + 1 :], *ring[:at]]
