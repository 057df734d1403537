"""Where one hand stopped at a wall: single looks at its fingertips err, and it stops once."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.taking.staying import raised

STOP_S: Final = 0.7
"""A hand that lifts a tile and puts it back stays on it so long."""
_JOINED_S, _JOINED_MM = 0.15, 14.0
_STRAYED_S, _STRAYED_MM = 0.45, 50.0
"""Single looks err about fingertips: so long, and so far, they may seem to leave a stop."""
_ONCE_S, _ONCE_MM = 0.25, 90.0
"""One look alone may err by more: nobody goes so far and is back at the next."""


def joined_stops(arms: Arms, since: float, until: float) -> list[Dwell]:
    """Stops of one hand that went on almost at the same place, as one."""
    stops: list[Dwell] = []
    dwells = arms.dwells(since, until)
    for seat in SEATS:
        mine = sorted((dwell for dwell in dwells if dwell.seat == seat), key=lambda d: d.came)
        if not mine:
            continue
        group = [mine[0]]
        for before, after in pairwise(mine):
            if not _goes_on(arms, before, after):
                stops.append(_joined(group))
                group = []
            group.append(after)
        stops.append(_joined(group))
    return stops


def _goes_on(arms: Arms, before: Dwell, after: Dwell) -> bool:
    gap = after.came - before.left
    if not (_same(before, after) or raised(before.point, after.point)) or gap > _STRAYED_S:
        return False
    far = _ONCE_MM if gap <= _ONCE_S else _STRAYED_MM
    return gap <= _JOINED_S or all(
        tip.point is not None and distance(tip.point, before.point) <= far
        for tip in arms.path(before.seat, before.left, after.came)
    )


def _same(one: Dwell, other: Dwell) -> bool:
    off = max(abs(a - b) for a, b in zip(one.point, other.point, strict=True))
    return off <= _JOINED_MM


def _joined(group: list[Dwell]) -> Dwell:
    # Where it stopped before it lifted anything.
    low = [dwell for dwell in group if _same(group[0], dwell)]
    longest = max(low, key=lambda dwell: dwell.left - dwell.came)
    return Dwell(longest.seat, longest.point, group[0].came, group[-1].left, longest.speed)
