"""Hands of the deal that took something, though no look shows them stopping at the wall.

Looks are lost when a processor is busy, and a quick hand is over the wall in one look or none. What
a row has more than its player is known to have taken was taken by him, however he got there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.looks.tips import LOST_S, STOP_MM_S, Tip
from table_controller.happenings.looks.visits import LUNGE_MM, QUICK_MM_S
from table_controller.happenings.table import Table
from table_controller.happenings.taking.assigning import HANDFUL
from table_controller.happenings.taking.plain_grabs import WITHIN_MM
from table_controller.happenings.taking.rows import Rows
from table_controller.happenings.wall.removals import Removal
from vision.sightings import Point

_QUICKER_S = 0.1
"""So much time a hand may save on both its ways."""
_AROUND_S, _ENTERS_S = 0.5, 0.15
"""Looks so long before and after count; from beyond the edge a quick hand is there so soon."""

Owed = Callable[[Seat, float], int | None]
"""How many tiles more stand in a row after a time than its player is known to have taken; None
while it was not counted since."""


def overlooked(
    table: Table,
    removals: Sequence[Removal],
    busy: Collection[Seat],
    rows: Rows,
    owed: Owed,
) -> tuple[dict[Dwell, int], bool]:
    """Find who else may have taken some of these tiles.

    Args:
        table: the shared state.
        removals: the tiles that left.
        busy: the seats whose stops are known already.
        rows: what stands in front of the players.
        owed: how many tiles each row has too many.

    Returns:
        A stop of each hand whose row has tiles that nobody saw it take, with their number; and
        whether the row of another one that may have been there is not counted yet.
    """
    found: dict[Dwell, int] = {}
    waits = False
    for seat in SEATS:
        if seat in busy:
            continue
        stop = _stop(table, removals, seat)
        if stop is None:
            continue
        home = table.home(seat, stop.left)
        more = None if home is None else owed(seat, home)
        if home is None or more is None:
            waits = True
        elif 0 < more <= HANDFUL and rows.growth(seat, stop.came, home) != 0:
            found[stop] = more
    return found, waits


def _stop(table: Table, removals: Sequence[Removal], seat: Seat) -> Dwell | None:
    """Where a hand may have taken one of these tiles, though it was not seen to stop there."""
    found = [
        stop
        for removal in removals
        for stop in (*_seen(table, removal, seat), *_between_looks(table, removal, seat))
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def _seen(table: Table, removal: Removal, seat: Seat) -> Iterator[tuple[float, Dwell]]:
    """A hand that passed by, and how near it came, mm."""
    arms, point = table.arms, table.places.slot_point(removal.slot)
    visits = [
        *arms.visits(point, removal.since, removal.until, WITHIN_MM, slow=False),
        *arms.lunges(point, removal.since, removal.until, LUNGE_MM),
    ]
    for visit in visits:
        if visit.seat == seat:
            path = arms.path(seat, visit.came, visit.left)
            tips = [tip.point for tip in path if tip.point is not None]
            near = min(tips, key=lambda tip: distance(tip, point), default=point)
            where = near if distance(near, point) <= WITHIN_MM else point
            yield visit.nearest, Dwell(seat, where, visit.came, visit.left, STOP_MM_S)


def _between_looks(table: Table, removal: Removal, seat: Seat) -> Iterator[tuple[float, Dwell]]:
    """A hand that had time to come and to go while no look was taken."""
    point = table.places.slot_point(removal.slot)
    path = table.arms.path(seat, removal.since - _AROUND_S, removal.until + _AROUND_S)
    for here, there in pairwise(path):
        lost = there.t - here.t >= LOST_S
        if not lost or here.t >= removal.until or there.t <= removal.since:
            continue
        came, left = here.t + _way(here, point), there.t - _way(there, point)
        if came <= left + _QUICKER_S:
            first, last = min(came, left), max(came, left)
            # Any hand that was seen near is likelier.
            yield WITHIN_MM + first - here.t, Dwell(seat, point, first, last, STOP_MM_S)


def _way(tip: Tip, point: Point) -> float:
    """How long a quick hand takes from where it was seen to a point, or from outside the table."""
    return _ENTERS_S if tip.point is None else distance(tip.point, point) / QUICK_MM_S
