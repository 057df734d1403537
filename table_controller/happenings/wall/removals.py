"""Tiles that left the wall and are not given to a hand yet, and which of them left together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from table_controller.domain.happenings import Slot
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.wall.stacks import Stack

FELT_S = 0.06
"""Sensors that miss two stacks within this time feel one lift."""
_AT_ONCE_S = 0.3
"""Neighbours that left within this time may have left in one reach."""


@dataclass(frozen=True, slots=True)
class Removal:
    """One tile that left its slot between two looks; ``emptied`` when the sensor missed it."""

    slot: Slot
    since: float
    until: float
    noticed: float
    t: float
    emptied: float | None = None


Near = Mapping[Removal, Sequence[Dwell]]
"""The stops of hands at the wall that may have taken each tile."""

Group = tuple[list[Removal], list[Dwell]]
"""Tiles that left, and the stops of hands at the wall that may have taken them."""


def felt_together(one: Removal, other: Removal) -> bool:
    """Whether the sensors missed two stacks at the same moment."""
    return (
        one.emptied is not None
        and other.emptied is not None
        and abs(one.emptied - other.emptied) <= FELT_S
    )


def stack_felt(removal: Removal, removals: Sequence[Removal]) -> float | None:
    """When the sensors missed the stack of a tile that went with it, if they did."""
    times = (
        one.emptied
        for one in removals
        if one.emptied is not None
        and one.slot[:2] == removal.slot[:2]
        and removal.until >= one.emptied - FELT_S
    )
    return next(times, None)


def first_felt(removals: Iterable[Removal]) -> float | None:
    """When the sensors first missed one of these."""
    times = [removal.emptied for removal in removals if removal.emptied is not None]
    return min(times, default=None)


def half_felt(removals: Sequence[Removal], stacks: Iterable[Stack]) -> bool:
    """Whether the sensors missed another stack at the same moment that is not seen gone yet."""
    times = [removal.emptied for removal in removals if removal.emptied is not None]
    return any(
        stack.height
        and stack.missed
        and any(abs(stack.present_since - time) <= FELT_S for time in times)
        for stack in stacks
    )


def sharing(near: Mapping[Removal, list[Dwell]]) -> list[Group]:
    """Removals that share reaches, with those reaches in order of time."""
    groups: list[Group] = []
    for removal, dwells in near.items():
        joined = [
            group
            for group in groups
            if any(dwell in group[1] for dwell in dwells)
            or any(
                felt_together(removal, other) or removal.slot[:2] == other.slot[:2]
                for other in group[0]
            )
        ]
        merged = ([removal], list(dwells))
        for group in joined:
            groups.remove(group)
            merged[0].extend(group[0])
            merged[1].extend(dwell for dwell in group[1] if dwell not in merged[1])
        groups.append(merged)
    for _, dwells in groups:
        dwells.sort(key=lambda dwell: dwell.came)
    return groups


def lonely_together(groups: Iterable[Group]) -> list[Group]:
    """Neighbours that left at once with nobody seen to stop there were one reach."""
    joined: list[Group] = []
    for removals, dwells in groups:
        lonely = next(
            (
                others
                for others, seen in joined
                if not dwells
                and not seen
                and any(_beside(one, other) for one in removals for other in others)
            ),
            None,
        )
        if lonely is None:
            joined.append((removals, dwells))
        else:
            lonely.extend(removals)
    return joined


def all_lonely(groups: Iterable[Group]) -> list[Group]:
    """Tiles near which nobody was seen to stop are one group: who took one did not take another."""
    groups = list(groups)
    lonely = [removal for removals, dwells in groups if not dwells for removal in removals]
    seen = [group for group in groups if group[1]]
    return [*seen, (lonely, [])] if lonely else seen


def _beside(one: Removal, other: Removal) -> bool:
    """Whether two tiles lay in the same or neighbouring stacks and left at about the same time."""
    return (
        one.slot.side == other.slot.side
        and abs(one.slot.stack - other.slot.stack) <= 1
        and abs(one.until - other.until) <= _AT_ONCE_S
    )
