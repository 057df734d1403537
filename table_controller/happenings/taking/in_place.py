"""Tiles that a hand lifts a little and puts back where they stood, without taking them.

The tile never leaves the wall, and its sensor feels the one below it. What shows is a hand that
stopped on one stack, a tile that was not found as it lies while it did, and the same height after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.arms import offset_of
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.looks.places import SEATS, Area, distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.seen_below import (
    AMISS_LOOKS,
    BEFORE_S,
    PLAIN,
    SURE,
    during,
    found_there,
    lies_open,
    shown_again,
    undisturbed,
    usually,
)
from table_controller.happenings.taking.staying import falls_short, raised
from table_controller.happenings.taking.stops import STOP_S, joined_stops
from table_controller.happenings.wall.stacks import Glance, Stack

_ALONG_MM, _BEYOND_MM, _ACROSS_MM = 15.0, 22.0, 45.0
"""Fingertips are seen so near to the stack they are on, mostly within 5 mm along the wall; across
it arms from afar seem to reach too far. Beyond an open end there is nothing else to stop on."""
_SHORT_MM = 30.0
"""So far short of where it is seen an arm along the wall may end, if it seems to be on a stack that
lies in plain sight: on pictures arms reach 10 mm too far, with a spread of 8 that hardly changes
during a stop."""
_BETWEEN_MM, _DOUBTFUL_MM, _LONGER = 3.0, 6.0, 2.0
"""Fingers whose ways to two stacks differ by no more are right between them; if a little more, the
farther one is meant if its tile was not found for so much longer."""
_WAIT_S = 0.35
"""After the hand has gone: what it took would be seen gone by then."""
_TURNED_S, _BESIDE_MM = 0.8, 80.0
"""An indicator that a hand turned up is told so long after it has gone, so near to where it was."""
_OFF_MM = 1.7
_LEAST_SURE = 0.6
"""So surely at least it was found before the hand came."""
_DOWN_MM, _UP_MM = 18.0, 12.0
"""A hand that puts a tile back seems to come in so far, and to go out and aside so far for the
next one."""
_REACT_S = 0.3
"""Fingers that close on a tile lift it so long after they came."""


@dataclass(frozen=True, slots=True)
class Handled:
    """A tile that was lifted and put back: by whom, which, when touched, lifted and let go."""

    seat: Seat
    slot: Slot
    came: float
    lifted: float
    back: float


class InPlace:
    """Watches hands that stop at the wall and take nothing there.

    Args:
        table: the shared state.
        reserved: whether a slot is one of the dead wall, where indicators are turned up.
        awaits: whether one may be turned up there now, or lies there.
    """

    def __init__(
        self,
        table: Table,
        reserved: Callable[[Slot], bool],
        awaits: Callable[[Slot], bool],
    ) -> None:
        self._table = table
        self._reserved = reserved
        self._awaits = awaits
        self._judged: dict[Seat, float] = dict.fromkeys(SEATS, -1e9)

    def tick(self, t: float, busy: Callable[[Slot, Dwell], bool]) -> list[Handled]:
        """What came to an end by now; ``busy``: a tile is known to have gone by a stop's end."""
        if not self._table.dealt:
            return []
        found = []
        waiting: set[Seat] = set()
        stops = joined_stops(self._table.arms, t - 4.0, t)
        for stop in (part for whole in stops for part in self._parts(whole)):
            if stop.left <= self._judged[stop.seat] or stop.seat in waiting:
                # Stops of a hand are judged in their order, also where the first one has to wait.
                continue
            slots = self._slots(stop)
            dead = {slot for slot in slots if self._reserved(slot)}
            # An indicator that was turned up there is not seen at once.
            soon = stop.left > t - (_TURNED_S if dead else _WAIT_S)
            # Or another hand is over it.
            if soon or not all(self._seen_since(slot, stop.left) for slot in slots):
                waiting.add(stop.seat)
                continue
            self._judged[stop.seat] = stop.left
            if any(busy(slot, stop) or self._turned_over(slot, stop) for slot in slots):
                continue
            handled = self._nearest(stop, slots)
            if handled is not None and not (
                handled.slot in dead and self._turned(handled.slot, stop)
            ):
                found.append(handled)
        return found

    def _parts(self, stop: Dwell) -> list[Dwell]:
        """A stop, or two: the tile stood there in between, with no arm over it.

        Who puts a tile back may come for it again at once, to draw it. A hand that lets go of it
        shows it between its fingers, in some looks on end, where it had hidden all of it.
        """
        places = self._table.places
        spot = places.spot(*stop.point)
        stack = self._table.walls.stacks.get((spot.seat, places.stack_of(spot)[0]))
        if stack is None:
            return [stop]
        for before, glance in pairwise(stack.glances):
            stood = not glance.hidden and found_there(glance, stack)
            if stood and before.t - stop.came >= STOP_S and glance.t < stop.left:
                return [replace(stop, left=before.t), replace(stop, came=glance.t)]
        shown = shown_again(stack, stop) or self._let_go_beside(stack, stop)
        if shown is not None:
            return [replace(stop, left=shown[0].t), replace(stop, came=shown[1].t)]
        return self._put_down(stop, spot.seat)

    def _let_go_beside(self, stack: Stack, stop: Dwell) -> tuple[Glance, Glance] | None:
        """The looks between which a stack was seen again, the one farther along the arm all along.

        A hand along the wall that lifts a tile seems to be on the next one, or between them, and
        does not hide that: it may be the one that it takes then.
        """
        if not _along_wall(stop, stack.side):
            return None
        numbers = (stack.number - 1, stack.number, stack.number + 1)
        found = (self._table.walls.stacks.get((stack.side, number)) for number in numbers)
        along = [each for each in found if each is not None]
        along.sort(key=lambda each: offset_of(stop.seat, each.point))
        for far, near in pairwise(along):
            shown = shown_again(near, stop, 1, SURE)
            if shown is not None and lies_open(far, replace(stop, left=shown[1].t)):
                return shown
        return None

    def _put_down(self, stop: Dwell, side: Seat) -> list[Dwell]:
        """A stop, or two: the hand came down to the wall in between, and rose beside it again.

        What is high up seems to be farther out. Where it came down it put its tile back: about as
        far in as it had come for it; a look that shows it farther in errs. One that shows it at
        another stack says when, not where.
        """
        to_player = self._table.places.geometry.to_player
        path = self._table.arms.path(stop.seat, stop.came, stop.left)
        tips = [(tip.t, tip.point) for tip in path if tip.point is not None]
        ways = [to_player(side, *point) for _, point in tips]
        rested = to_player(side, *stop.point)[0]
        for index, (t, point) in enumerate(tips):
            along, out = ways[index]
            before, after = ways[max(0, index - 3) : index], ways[index + 1 : index + 3]
            if (
                t - stop.came >= STOP_S
                and after
                and max(far for _, far in before) - out >= _DOWN_MM
                and min(far for _, far in ways[:index]) - out < _DOWN_MM
                and max(far for _, far in after) - out >= _UP_MM
                and all(abs(place - along) >= _UP_MM for place, _ in after)
            ):
                begun, beside = tips[index + 1]
                down = point if abs(along - rested) <= _ALONG_MM else stop.point
                return [
                    replace(stop, point=down, left=t),
                    replace(stop, point=beside, came=begun),
                ]
        return [stop]

    def _seen_since(self, slot: Slot, t: float) -> bool:
        """Whether a stack was in sight again, if only before the same hand came back for it."""
        stack = self._table.walls.stacks[slot[:2]]
        return stack.seen > t or any(
            glance.t > t and found_there(glance, stack) for glance in stack.glances
        )

    def _turned_over(self, slot: Slot, stop: Dwell) -> bool:
        """Whether the hand turned a tile face up, or back one that lay so."""
        return not self._awaits(slot) and self._table.walls.stacks[slot[:2]].showed(stop.came)

    def _turned(self, slot: Slot, stop: Dwell) -> bool:
        """Whether the hand came to turn an indicator up, there or close by."""
        point = self._table.places.slot_point
        return self._awaits(slot) or any(
            t >= stop.came - BEFORE_S
            and distance(point(other), point(slot)) <= _BESIDE_MM
            and not self._another_turned(other, t, stop)
            for other, t in self._table.turned_at.items()
        )

    def _another_turned(self, slot: Slot, t: float, stop: Dwell) -> bool:
        """Whether it was another hand that turned an indicator up, before this one came."""
        point, near = self._table.places.slot_point(slot), self._table.setup.patience.near_mm
        if t >= stop.came:
            return False
        return self._table.arms.who(point, t - _REACT_S, t, near) not in (None, stop.seat)

    def _slots(self, stop: Dwell) -> list[Slot]:
        """The uppermost tiles of the stacks that fingertips may have stopped on, nearest first."""
        places = self._table.places
        spot = places.spot(*stop.point)
        if stop.left - stop.came < STOP_S or spot.area is Area.HAND:
            return []
        nearest, along, across = places.stack_of(spot)
        if abs(across) > _ACROSS_MM or falls_short(stop.seat, spot.seat, across):
            return []
        pitch = places.geometry.wall.pitch
        over = self._table.walls.stacks.get((spot.seat, nearest))
        on_it = over is not None and over.height and not lies_open(over, stop)
        plain = over is not None and over.height > 0 and lies_open(over, stop, PLAIN)
        within = _ALONG_MM if on_it else _BEYOND_MM
        numbers = (nearest - 1, nearest, nearest + 1)
        away = {number: abs(along + (nearest - number) * pitch) for number in numbers}
        slots = []
        for number in sorted(away, key=away.__getitem__):
            stack = self._table.walls.stacks.get((spot.seat, number))
            if stack is None or not stack.height:
                continue
            far = _SHORT_MM if plain and _ends_before(stop, stack) else within
            if away[number] <= far or raised(stack.point, stop.point):
                slots.append(Slot(spot.seat, number, "top" if stack.height == 2 else "bottom"))
        return slots

    def _nearest(self, stop: Dwell, slots: list[Slot]) -> Handled | None:
        """What was lifted: the nearest tile that may have been, of two as near the one longer gone.

        Only an arm that comes across the wall hides both alike; along it the one behind is hidden.
        """
        found = [each for slot in slots if (each := self._handled(stop, slot)) is not None]
        if not found:
            return None
        side = found[0].slot.side
        if _along_wall(stop, side):
            return found[0]
        places = self._table.places
        to_player = places.geometry.to_player
        along = to_player(side, *stop.point)[0]
        away = [abs(to_player(side, *places.slot_point(each.slot))[0] - along) for each in found]
        gone = [each.back - each.lifted for each in found]
        near = [
            (time, each)
            for each, off, time in zip(found, away, gone, strict=True)
            if off - away[0] <= (_DOUBTFUL_MM if time > _LONGER * gone[0] else _BETWEEN_MM)
        ]
        return max(near, key=lambda pair: pair[0])[1]

    def _handled(self, stop: Dwell, slot: Slot) -> Handled | None:
        stack = self._table.walls.stacks[slot[:2]]
        if stack.present is False and stack.present_since >= stop.came:
            # All of it left its place under this hand and is not back: it was pushed, or taken.
            return None
        before = undisturbed(stack, stop.came)
        sure = usually(before, stack)
        if sure < _LEAST_SURE:
            return None
        usual = sorted(glance.across for glance in before)[len(before) // 2]
        run: list[Glance] = []
        best: list[Glance] = []
        for glance in during(stack, stop):
            amiss = not found_there(glance, stack, sure) or abs(glance.across - usual) > _OFF_MM
            run = [*run, glance] if amiss else []
            best = max(best, run, key=len)
        if len(best) < AMISS_LOOKS:
            return None
        return Handled(
            stop.seat,
            slot,
            stop.came,
            max(best[0].t, stop.came + _REACT_S),
            best[-1].t,
        )


def _along_wall(stop: Dwell, side: Seat) -> bool:
    """Whether an arm comes along the wall of a side, not across it."""
    return (stop.seat - side) % 2 == 1


def _ends_before(stop: Dwell, stack: Stack) -> bool:
    """Whether an arm along the wall comes to a stack before it comes to where it is seen."""
    comes_first = offset_of(stop.seat, stack.point) > offset_of(stop.seat, stop.point)
    return comes_first and _along_wall(stop, stack.side)
