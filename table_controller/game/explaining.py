"""All ways in which the readings of a game can explain a happening.

A reading that the rules let take it goes on as it is. The others are continued with unseen steps
before it, an infraction, a misreading, a repetition, an illusion, each at its cost (:mod:`.costs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from table_controller.domain.happenings import (
    FlowerShown,
    HandShown,
    Happening,
    MeldShown,
    TileDiscarded,
)
from table_controller.game import costs
from table_controller.game.base import Table

_DEPTH_PLAY = 5
_DEPTH_SETUP = 22

Step = tuple[float, Callable[[Any], None]]


class Continued(NamedTuple):
    """How readings go on.

    ``tables``: by their cost; ``expected``: all of them took the happening as it was.
    """

    tables: list[Table]
    expected: bool


def continued(beam: Iterable[Table], happening: Happening) -> Continued:
    """All continuations of some readings that are within reach of the cheapest one, by their cost.

    Args:
        beam: the readings that are alive; they stay as they are.
        happening: what is to be explained.
    """
    taking: set[int] = set()
    options: list[tuple[float, int, Table, tuple[Step, ...]]] = []
    order = 0
    for table in beam:
        trial = table.copy()
        if trial.accept(happening):
            options.append((table.cost + trial.surprise, order, trial, ()))
            taking.add(order)
            order += 1
            continue
        for cost, steps, base in _explain(table, happening):
            options.append((table.cost + cost, order, base, steps))
            order += 1
    options.sort(key=lambda option: option[:2])
    limit = options[0][0] + costs.PRUNE
    kept: list[Table] = []
    expected = True
    seen: dict[tuple[object, ...], Table] = {}
    for cost, number, base, steps in options:
        if cost > limit or len(kept) >= costs.BEAM:
            break
        table = base
        if steps:
            table = base.copy()
            for _, act in steps:
                act(table)
        table.cost = cost
        key = table.signature()
        if key in seen:
            continue
        seen[key] = table
        kept.append(table)
        expected &= number in taking
    lowest = kept[0].cost
    for table in kept:
        table.cost -= lowest
        table.surprise = 0.0
    return Continued(kept, expected)


def _explain(table: Table, happening: Happening) -> list[tuple[float, tuple[Step, ...], Table]]:
    """Ways to continue a reading that does not simply take the happening.

    Each is a cost, the steps still to be applied, and the table to apply them to.
    """
    found: list[tuple[float, tuple[Step, ...], Table]] = [
        (reading[0], (reading,), table) for reading in table.readings(happening)
    ]
    illusion = costs.disbelief(happening.confidence) + costs.ILLUSION
    if isinstance(happening, HandShown):
        illusion += costs.WHOLE_HAND
    elif _lies_open(table, happening):
        illusion += costs.LIES_OPEN
    found.append((illusion, ((illusion, _ignore),), table))
    best = min(cost for cost, _, _ in found)
    frontier: list[tuple[float, Table]] = [(0.0, table)]
    depth = 0
    limit = _DEPTH_SETUP if table.opening else _DEPTH_PLAY
    rushed = _rushed(table, happening)
    while frontier and depth < limit:
        depth += 1
        ahead: list[tuple[float, Table]] = []
        for cost, node in frontier:
            for step in node.silent(happening):
                total = cost + step[0] + (costs.RUSHED if depth == rushed else 0.0)
                if total > best + costs.PRUNE:
                    continue
                child = node.copy()
                step[1](child)
                taken = child.copy()
                if taken.accept(happening):
                    found.append((total + taken.surprise, (), taken))
                    best = min(best, total + taken.surprise)
                    continue
                if depth <= 2:
                    found.extend(
                        (total + reading[0] + costs.BOTH, (reading,), child)
                        for reading in child.readings(happening)
                        if total + reading[0] + costs.BOTH <= best + costs.PRUNE
                    )
                ahead.append((total, child))
        frontier = _distinct(ahead)
    return found


def _distinct(ahead: list[tuple[float, Table]]) -> list[tuple[float, Table]]:
    """Of states that are the same the cheapest one, and no more of them than readings are kept."""
    if len(ahead) < 2:
        return ahead
    found: dict[tuple[object, ...], tuple[float, Table]] = {}
    for each in sorted(ahead, key=lambda one: one[0]):
        found.setdefault(each[1].signature(), each)
        if len(found) == costs.BEAM:
            break
    return list(found.values())


def _rushed(table: Table, happening: Happening) -> int:
    """The unseen step for which there was no time since the last one that was seen; 0: none."""
    last = table.latest
    if last is None or table.opening or table.doubt is not None:
        return 0
    return max(2, 1 + int((happening.t - last.t) / costs.STEP_S))


def _lies_open(table: Table, happening: Happening) -> bool:
    """Whether what was told lies there to be seen again and again, if it is there at all.

    A discard that fits nothing may be one of a gap in which nobody looked, already counted.
    """
    if isinstance(happening, MeldShown):
        return len(happening.tiles) in (3, 4)
    if isinstance(happening, TileDiscarded):
        return table.doubt is None and happening.confidence >= costs.SURE_FACE
    return isinstance(happening, FlowerShown)


def _ignore(_table: Table) -> None:
    """The happening was an illusion."""
