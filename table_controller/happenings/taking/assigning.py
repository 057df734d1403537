"""The cheapest way to give removed wall tiles to the hands that stopped at the wall.

What speaks for a pair of tile and stop is how near both are and how well their times agree; what
speaks for the whole is that every hand took as many tiles as its row grew by, that nobody took
more than a hand holds, and that what was taken together stood together. Tiles that the sensors
missed at one moment were lifted by one hand and stay together from the start.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Sequence

from table_controller.domain.happenings import Slot
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.wall.removals import FELT_S, Near, Removal
from vision.sightings import Point

_SURE_MM = 22.0
_MOST_STEPS = 20000
HANDFUL = 4
_BEFORE_S = 0.3
"""An upper tile that was gone so long before its stack was empty was taken by itself."""
_NOBODY, _MAYBE = 3.0, 1.0
"""What it costs a tile to say that none of these hands took it; the same where looks were lost as
the sensor missed it, and another hand may have been there."""
_FAR = 1.0
"""What it costs to give a tile to a stop that it does not lie near, with its neighbours."""


def assign(
    order: Sequence[Removal],
    near: Near,
    visits: Sequence[Sequence[Dwell]],
    grown: Sequence[int | None],
    point_of: Callable[[Slot], Point],
    most: int = HANDFUL,
    *,
    unseen: Container[Removal] = (),
) -> dict[Removal, Dwell]:
    """Search for the cheapest assignment.

    Args:
        order: removed tiles, an upper tile before the lower one of its stack.
        near: the stops that each may belong to.
        visits: the stops by reach of one hand.
        grown: by how many standing tiles each of these hands grew, where that was counted.
        point_of: where a slot lies, mm.
        most: so many tiles a hand hardly takes more than: four in the deal, then one.
        unseen: tiles that a hand may have taken which no look shows.
    """
    units = _units(order)
    best: dict[Removal, Dwell] = {}
    best_cost = float("inf")
    chosen: dict[Removal, Dwell | None] = {}
    steps = 0

    def finish(cost: float) -> float:
        for visit, expected in zip(visits, grown, strict=True):
            mine = [removal for removal, dwell in chosen.items() if dwell in visit]
            # A row that was not counted between two grabs grew by both.
            if expected is not None and 0 < expected <= HANDFUL:
                cost += 4.0 * abs(len(mine) - expected)
            elif not mine:
                # A hand that stopped exactly over a tile hardly did so for nothing.
                nearest = min(
                    distance(point_of(removal.slot), dwell.point)
                    for removal in order
                    for dwell in visit
                )
                cost += 2.5 if nearest <= _SURE_MM else 0.5
            else:
                cost += _handful(len(mine), most)
            cost += scattered([removal.slot for removal in mine])
        return cost

    def descend(index: int, cost: float) -> None:
        nonlocal best, best_cost, steps
        steps += 1
        if cost >= best_cost or steps > _MOST_STEPS:
            return
        if index == len(units):
            total = finish(cost)
            if total < best_cost:
                best = {removal: dwell for removal, dwell in chosen.items() if dwell is not None}
                best_cost = total
            return
        unit = units[index]
        above: Dwell | None = next(
            (
                chosen[other]
                for other in chosen
                if len(unit) == 1 and other.slot[:2] == unit[0].slot[:2]
            ),
            None,
        )
        nobody = sum(_MAYBE if removal in unseen else _NOBODY for removal in unit)
        options: list[tuple[float, Dwell | None]] = [(nobody, None)]
        for dwell in dict.fromkeys(dwell for removal in unit for dwell in near[removal]):
            if above is None or dwell.came >= above.came:
                each = sum(
                    _price(removal, dwell, point_of) + _FAR * (dwell not in near[removal])
                    for removal in unit
                )
                options.append((each, dwell))
        for each, taker in sorted(options, key=lambda option: option[0]):
            chosen.update(dict.fromkeys(unit, taker))
            descend(index + 1, cost + each)
            for taken in unit:
                del chosen[taken]

    descend(0, 0.0)
    return best


def scattered(slots: Sequence[Slot]) -> float:
    """The cost of a taking whose stacks are no neighbours (the jump draw leaves one out)."""
    stacks = sorted({(slot.side, slot.stack) for slot in slots})
    cost = 0.0
    for (side, stack), (other, following) in itertools.pairwise(stacks):
        apart = following - stack if side == other else 1
        cost += 0.0 if apart <= 1 else 0.3 if apart == 2 else 1.5
    return cost


def _units(order: Sequence[Removal]) -> list[list[Removal]]:
    """Tiles of two stacks that were lifted at one moment, and all other tiles singly."""
    lifts: list[list[Removal]] = []
    for removal in sorted(order, key=lambda each: (each.emptied or 0.0, each.slot)):
        if removal.emptied is None:
            continue
        first = None if not lifts else lifts[-1][0].emptied
        if first is not None and removal.emptied - first <= FELT_S:
            lifts[-1].append(removal)
        else:
            lifts.append([removal])
    units: list[list[Removal]] = []
    left = list(order)
    for lift in lifts:
        if len(lift) != 2:
            continue
        unit = [
            removal
            for removal in left
            if any(
                removal.slot[:2] == lower.slot[:2]
                and lower.emptied is not None
                and removal.until >= lower.emptied - _BEFORE_S
                for lower in lift
            )
        ]
        if len(unit) == 2 * len(lift):
            units.append(unit)
            left = [removal for removal in left if removal not in unit]
    return [*units, *([removal] for removal in left)]


def _price(removal: Removal, dwell: Dwell, point_of: Callable[[Slot], Point]) -> float:
    """How little a tile and a stop agree: in place, and in time."""
    away = distance(dwell.point, point_of(removal.slot)) / 20.0
    # By how much the stop was over before the tile left, or began after it, s.
    apart = max(0.0, removal.since - dwell.left, dwell.came - removal.until)
    # The sensors' times are nearly exact.
    return away + (min(1.5, 5.0 * apart) if removal.emptied is None else min(2.5, 8.0 * apart))


def _handful(count: int, most: int) -> float:
    """The cost of so many tiles in one taking: a hand holds two stacks, and hardly more.

    Where a hand takes one tile it is likelier that nobody was seen to take the other.
    """
    if count > most:
        return 1.0 + (1.5 if most > 1 else _NOBODY - 0.5) * (count - most)
    return 1.0 if count == 3 else 0.0
