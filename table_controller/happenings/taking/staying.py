"""How long a hand stayed at a wall tile, and where it stopped with it: no plain taking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import hypot
from statistics import fmean

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import offset_of
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import distance
from table_controller.happenings.looks.tips import Tip
from table_controller.happenings.table import Table
from vision.sightings import Point

TOUCH_MM = 26.0
TOUCH_S = 0.38
"""Fingers that rest on a tile so long do more than take it."""
SETTLED_S = 1.0
"""A hand that put a tile back may go on to take it: that is no touching."""
ABOUT_MM, _LINGER_S = 62.0, 0.66
"""The same for a place where fingertips are seen less exactly, coming and going included."""
_PAUSE_MM, _LOOKED_S = 12.0, 0.35
"""A hand that goes no farther from one look to the next has stopped; at its own row, where hands
stop anyway, so long."""
_SHORT_STOP_MM, _ASTRAY_MM = 16.0, 24.0
"""A hand that goes no farther in two looks has stopped, too, if the look between is no farther from
both: that of fingertips which rest errs by more than 12 mm one time in ten. One at its row that
brings its tile back may go as far from one look to the next."""
_WENT_ON_MM = 48.0
"""A hand that stopped at its row and went on along it so far had stopped to look: two stops so far
apart are two. A tile of the third stack is looked at 58 mm beside the end of a row of thirteen."""
ALONG_S, WAY_S = 0.45, 0.35
"""A hand that was slow is waited for so long at its row: it may have stopped there to look. If it
goes along the row then it is followed so much longer, to where it arrives."""
_AWAY_MM = 48.0
"""A hand that stops nearer to the tile's place than this has not left it yet, unless that lies bare
in plain sight: fingertips are seen up to 30 mm beside where they are."""
_CARRIED_MM, _CARRIED_S = 74.0, 0.15
"""Tiles that were lifted together are held over their places, 90 mm up, where they seem to be 60 mm
nearer to a player at his own wall; those that seem to be carried so far towards him and stop there,
so long, come to be looked at."""
_STILL_S = 0.8
_RAISED_MM = 26.0
"""So far outwards a hand seems to go that lifts a tile by 90 mm (:func:`raised`)."""


def stay_about(table: Table, seat: Seat, slot: Slot, t: float) -> tuple[float, float]:
    """From when to when fingertips were about a tile around a time."""
    return table.arms.stay(seat, table.places.slot_point(slot), ABOUT_MM, t)


def stay(table: Table, dwell: Dwell, slot: Slot) -> tuple[float, float]:
    """From when to when the fingertips were about a tile, single looks left out."""
    came, left = stay_about(table, dwell.seat, slot, dwell.left)
    came, left = min(came, dwell.came), max(left, dwell.left)
    path = table.arms.path(dwell.seat, came, left)
    for index, tip in enumerate(path):
        if not _at_row(table, dwell.seat, path, index):
            continue
        # It was home between two draws: that was no long one.
        if tip.t < dwell.came:
            came = tip.t
        elif tip.t > dwell.left:
            return came, tip.t
    return came, left


def _at_row(table: Table, seat: Seat, path: Sequence[Tip], index: int) -> bool:
    """Whether a hand was back at its row at a look, or turned round just before it.

    One look may err: who turned round there is outside of the wall in the looks beside it too, or
    near its row in one of them.
    """
    at = path[index].point
    if at is None or offset_of(seat, at) < table.near_row:
        return False
    if offset_of(seat, at) >= table.at_row:
        return True
    looks = [tip.point for tip in path[max(index - 1, 0) : index + 2] if tip.point is not None]
    if len(looks) < 3 or any(offset_of(seat, point) > offset_of(seat, at) for point in looks):
        return False
    before, _, after = looks
    return all(_outside(table, seat, point) for point in looks) or any(
        offset_of(seat, point) >= table.near_row for point in (before, after)
    )


def lingered(table: Table, dwell: Dwell, slot: Slot) -> bool:
    """Whether the hand stayed on a tile longer than it takes to take it."""
    came, left = stay(table, dwell, slot)
    begun = _turned(table, slot, came, left)
    return dwell.left - max(dwell.came, begun) >= TOUCH_S or left - begun >= _LINGER_S


def _turned(table: Table, slot: Slot, came: float, left: float) -> float:
    """When a hand that turned a tile over close by had done so: only then it drew."""
    place, far = table.places.slot_point, ABOUT_MM + TOUCH_MM
    turned = [(place(other), t) for other, t in table.turned_at.items()]
    turned += [(stack.point, stack.turned_down) for stack in table.walls.stacks.values()]
    times = [
        t
        for point, t in turned
        if came - SETTLED_S <= t <= left and distance(point, place(slot)) <= far
    ]
    return max([came, *times])


def falls_short(seat: Seat, side: Seat, across: float) -> bool:
    """Whether a hand stops between its own row and its own wall, so far outside of the wall, mm.

    Arms are seen to reach too far, not too little: it has not come to the wall yet.
    """
    return seat == side and across > TOUCH_MM


def raised(at: Point, tip: Point) -> bool:
    """Whether fingertips that were over a place are still there, only higher.

    The camera looks down from over the middle: what is lifted 90 mm seems to go outwards by 26;
    of that fingertips show what lies along their arm.
    """
    away = distance(at, tip)
    outwards = ((tip[0] - at[0]) * at[0] + (tip[1] - at[1]) * at[1]) / (hypot(*at) or 1.0)
    return away <= _RAISED_MM and outwards > 0.3 * away


def rests(table: Table, seat: Seat, t: float) -> bool:
    """Whether an arm has not moved for some time: what lies there is no hand on its way."""
    path = [tip.point for tip in table.arms.path(seat, t - _STILL_S, t)]
    points = [point for point in path if point is not None]
    return len(points) < 2 or all(distance(point, points[-1]) <= _PAUSE_MM / 2 for point in points)


def paused(
    table: Table, seat: Seat, slot: Slot, since: float, until: float, *, held: bool = False
) -> float | None:
    """When a hand that left the wall stopped on its way home, to look at what it holds.

    Who held a tile and then put it back may have stopped at home: at small tables that is near. So
    may who goes on along the row from there, to its end.
    """
    home = table.places.geometry.hand.offset - 25.0
    point = table.places.slot_point(slot)
    still = _SHORT_STOP_MM if held else _PAUSE_MM
    stopped: float | None = None
    path = table.arms.path(seat, since, until + WAY_S)
    for index, (here, there) in enumerate(pairwise(path)):
        if there.t > until:
            break
        if (
            here.point is None
            or there.point is None
            or not (
                distance(here.point, there.point) <= still
                or _stops(seat, home, path[index : index + 3])
            )
            or (
                distance(here.point, point) <= _AWAY_MM
                and not _lies_bare(table, slot, here.t, there.t)
            )
        ):
            stopped = None
            continue
        if offset_of(seat, here.point) < home:
            return here.t
        stopped = here.t if stopped is None else stopped
        if held and there.t - stopped >= _LOOKED_S:
            return stopped
        if not held and _went_on(table, seat, here.point, path[index + 2 :]):
            return stopped
    return None


def carried_to_look(
    table: Table, seat: Seat, slots: Sequence[Slot], since: float, until: float
) -> float | None:
    """When a hand that lifted several tiles at once stopped with them away from their places.

    Which of them its player looks at there cannot be seen.
    """
    middle = table.places.middle(slots)
    stop: list[tuple[float, Point]] = []
    for tip in table.arms.path(seat, since, until):
        if tip.point is None or (stop and distance(stop[-1][1], tip.point) > _PAUSE_MM):
            stop.clear()
        if tip.point is None:
            continue
        stop.append((tip.t, tip.point))
        out = fmean(offset_of(seat, point) for _, point in stop) - offset_of(seat, middle)
        if tip.t - stop[0][0] >= _CARRIED_S and out > _CARRIED_MM:
            return stop[0][0]
    return None


def _stops(seat: Seat, home: float, tips: Sequence[Tip]) -> bool:
    """Whether three looks show a hand stop: before its row in all of them, or at it.

    Who is short of it in the first one only is arriving.
    """
    points = [tip.point for tip in tips if tip.point is not None]
    if len(points) < 3:
        return False
    here, between, after = points
    if offset_of(seat, here) < home <= max(offset_of(seat, between), offset_of(seat, after)):
        return False
    return (
        distance(here, after) <= _SHORT_STOP_MM
        and max(distance(here, between), distance(between, after)) <= _ASTRAY_MM
    )


def _went_on(table: Table, seat: Seat, stop: Point, path: Iterable[Tip]) -> bool:
    """Whether a hand arrives farther on at its row, and has not gone in to the walls before.

    Drawn tiles are put at the row's end; who goes the other way takes one to discard it.
    """
    to_player = table.places.geometry.to_player
    for tip in path:
        if tip.point is None:
            continue
        if not _outside(table, seat, tip.point):
            return False
        on = to_player(seat, *tip.point)[0] - to_player(seat, *stop)[0]
        if on >= _WENT_ON_MM and offset_of(seat, tip.point) >= table.at_row:
            return True
    return False


def goes_along(table: Table, seat: Seat, home: float, t: float) -> bool:
    """Whether a hand that was back at its row moves on along it now."""
    points = [tip.point for tip in table.arms.path(seat, home, t)][-2:]
    before, now = points if len(points) == 2 else (None, None)
    if before is None or now is None:
        return False
    to_player = table.places.geometry.to_player
    on = to_player(seat, *now)[0] - to_player(seat, *before)[0]
    return on > _PAUSE_MM and _outside(table, seat, now)


def _outside(table: Table, seat: Seat, tip: Point) -> bool:
    """Whether fingertips are between a row and its wall, or beyond the row."""
    return offset_of(seat, tip) > table.places.geometry.wall.offset + TOUCH_MM


def _lies_bare(table: Table, slot: Slot, since: float, until: float) -> bool:
    """Whether all looks of a time show a stack without a tile of it, and no arm over it."""
    below = 1 if slot.layer == "top" else 0
    glances = [g for g in table.walls.stacks[slot[:2]].glances if since <= g.t <= until]
    return bool(glances) and all(g.height == below and not g.hidden for g in glances)
