"""The dealer's last two tiles of the deal, where only one was seen to leave the wall.

They are the upper tiles of the stack at the open end and of the next but one. Layers are told
apart by a few pixels and the next hand is already on its way there; how many tiles stand in front
of the dealer is told by whole tiles. If that row grew by two while one tile left, the other one
left with it, though it seems to have gone later or still to be there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.taking.assigning import HANDFUL
from table_controller.happenings.wall.removals import Group, Removal
from table_controller.happenings.wall.stacks import Stack
from table_controller.happenings.wall.walls import Walls

_BEYOND = 2
"""The other tile of a jump is that of the next stack but one."""


def jump(
    walls: Walls,
    order: Sequence[Removal],
    visits: Sequence[Sequence[Dwell]],
    grown: Sequence[int | None],
    chosen: dict[Removal, Dwell],
    elsewhere: Iterable[Removal] = (),
) -> tuple[Dwell, Slot] | None:
    """Find the other tile of a jump of which one tile was seen to be gone.

    Args:
        walls: the walls as they are believed to stand now.
        order: the tiles that left in these reaches.
        visits: the stops at the wall by reach of one hand.
        grown: by how many standing tiles each of these hands grew.
        chosen: which stop took which tile. A tile of the jump that seemed to leave later is given
            to the dealer's stop here.
        elsewhere: tiles that left in other reaches: they may lie between the two.

    Returns:
        The stop that took it and the tile, if that one still seems to lie there.
    """
    for visit, more in zip(visits, grown, strict=True):
        mine = [removal for removal, dwell in chosen.items() if dwell in visit]
        if more not in (2, None) or len(mine) != 1 or mine[0].slot.layer != "top":
            continue
        stop = chosen[mine[0]]
        later = [
            each
            for each in order
            if each.until > stop.left and (each not in chosen or chosen[each].came > stop.came)
        ]
        since = [each for each in elsewhere if each not in order and each.until > stop.left]
        other = _other(walls, mine[0].slot, [*later, *since])
        if other is None:
            continue
        seen = next((each for each in later if each.slot == _top(other)), None)
        if seen is not None:
            # Where his row was not counted he has what nobody else can have taken.
            taker = chosen.get(seen)
            if more == 2 or taker is None or _has_too_many(taker, visits, grown, chosen):
                chosen[seen] = stop
        elif more == 2 and other.height == 2:
            walls.presume_taken(other)
            return stop, _top(other)
    return None


def _has_too_many(
    taker: Dwell,
    visits: Sequence[Sequence[Dwell]],
    grown: Sequence[int | None],
    chosen: dict[Removal, Dwell],
) -> bool:
    """Whether the row of who made this stop grew by fewer tiles than it is given.

    Two grabs between which it was not counted have one number, of both together.
    """
    theirs = [
        (by, sum(stop in visit for stop in chosen.values()), taker in visit)
        for visit, by in zip(visits, grown, strict=True)
        if visit[0].seat == taker.seat
    ]
    by = next((by for by, _, here in theirs if here), None)
    if by is None:
        return False
    return by < sum(count for other, count, here in theirs if here or other == by > HANDFUL)


def crossed(walls: Walls, visits: Sequence[Sequence[Dwell]], chosen: dict[Removal, Dwell]) -> None:
    """Put right a jump of which the next hand seems to have taken the far tile.

    Whoever takes a whole stack, or the upper tiles of two side by side, leaves the next one to
    those who follow: nobody takes the upper tile of the one beyond. Both hands are there within a
    tenth of a second. Nor does a hand take a tile that was gone before it came.

    Args:
        walls: the walls.
        visits: the stops at the wall by reach of one hand.
        chosen: which stop took which tile; those of the two hands are put right.
    """
    ring = [(stack.side, stack.number) for stack in walls.ring()]
    takes = [[one for one, stop in chosen.items() if stop in visit] for visit in visits]
    single = [mine[0] for mine in takes if len(mine) == 1]
    for upper, other in itertools.permutations(single, 2):
        if _upper(ring, upper.slot, _BEYOND) == other.slot and other.until < chosen[other].came:
            chosen[other] = chosen[upper]
    for two in (mine for mine in takes if len(mine) == 2):
        for first, near in (two, two[::-1]):
            wrong = near.slot in ((*first.slot[:2], "bottom"), _upper(ring, first.slot, 1))
            far = next(
                (one for one in single if one.slot == _upper(ring, first.slot, _BEYOND)), None
            )
            if wrong and far is not None:
                if chosen[far].left < chosen[first].came:
                    # Who jumped had gone before the other one came for what was left.
                    chosen[first] = chosen[far]
                else:
                    chosen[near], chosen[far] = chosen[far], chosen[near]
                single.remove(far)
                break


def left_out(walls: Walls, order: Sequence[Removal]) -> dict[Removal, Removal]:
    """The upper tiles of stacks that a jump left out, where they seemed to go with it.

    The arm that reached for the far tile lay over them. Of those who follow each takes one, so
    that the upper one lay there until the sensor missed the stack.

    Args:
        walls: the walls.
        order: the tiles that left in these reaches.

    Returns:
        Each of these tiles, and the same one with the times between which it left.
    """
    ring = [(stack.side, stack.number) for stack in walls.ring()]
    tiles: dict[Slot | None, Removal] = {one.slot: one for one in order}
    later = {}
    for first in order:
        beside, far = (tiles.get(_upper(ring, first.slot, n)) for n in (1, _BEYOND))
        if beside is None or far is None or far.slot._replace(layer="bottom") in tiles:
            continue
        lower = tiles.get(beside.slot._replace(layer="bottom"))
        if lower is not None and beside.until < lower.until:
            since = max(beside.since, min(far.until, lower.until))
            later[beside] = replace(beside, since=since, until=lower.until)
    return later


def _upper(ring: Sequence[tuple[Seat, int]], slot: Slot, on: int) -> Slot | None:
    """The upper tile of the stack that is so many further on than that of an upper tile.

    A wall that is too long has a stack more, which no count goes by.
    """
    if slot.layer != "top" or slot[:2] not in ring:
        return None
    return Slot(*ring[(ring.index(slot[:2]) + on) % len(ring)], "top")


def half(walls: Walls, removals: Sequence[Removal]) -> bool:
    """Whether this one tile that left may be one of a jump whose other one still seems to lie."""
    other = _missing_half(walls, removals, ())
    return other is not None and other.height == 2


def odd_grab(slots: Sequence[Slot]) -> bool:
    """Whether no single hand of a deal takes these: three, a stack alone, or more than two."""
    stacks = {slot[:2] for slot in slots}
    return len(slots) == 3 or len(slots) > HANDFUL or (len(slots) == 2 and len(stacks) == 1)


def with_the_next(walls: Walls, groups: Sequence[Group]) -> list[Group]:
    """Join one tile that may be half of a jump with the tiles that left the other stack since.

    The next hand takes the lower tile there. If the dealer's stop was made out too far from that
    stack, both reaches seem to have nothing to do with each other.
    """
    joined = list(groups)
    for group in groups:
        later = [removal for other in groups if other is not group for removal in other[0]]
        stack = _missing_half(walls, group[0], later)
        if stack is None:
            continue
        for other in joined:
            if other is not group and any(removal.slot == _top(stack) for removal in other[0]):
                group[0].extend(other[0])
                group[1].extend(stop for stop in other[1] if stop not in group[1])
                group[1].sort(key=lambda stop: stop.came)
                joined.remove(other)
                break
    return joined


def _missing_half(
    walls: Walls, removals: Sequence[Removal], later: Sequence[Removal]
) -> Stack | None:
    """The other stack of the jump that this one tile may be half of."""
    if len(removals) != 1 or removals[0].slot.layer != "top":
        return None
    return _other(walls, removals[0].slot, later)


def _top(stack: Stack) -> Slot:
    return Slot(stack.side, stack.number, "top")


def _other(walls: Walls, slot: Slot, later: Sequence[Removal]) -> Stack | None:
    """The other stack of the jump: the next but one, or the one that was at the open end."""
    ring = walls.ring()
    here = next((n for n, stack in enumerate(ring) if _top(stack) == slot), None)
    if here is None:
        return None
    gone, end, between, beyond = (ring[(here + step) % len(ring)] for step in (-3, -2, -1, 2))

    def stood(stack: Stack) -> int:
        return stack.height + sum(each.slot[:2] == (stack.side, stack.number) for each in later)

    if not stood(between):
        return beyond if stood(beyond) == 2 else None
    return end if not stood(gone) and stood(end) == stood(between) == 2 else None
