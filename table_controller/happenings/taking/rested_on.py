"""Which wall tile fingertips rest on: single looks err to the one beside, several together less."""

from __future__ import annotations

from typing import Final

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from table_controller.happenings.taking.fingers import Fingers
from table_controller.happenings.taking.staying import SETTLED_S, TOUCH_MM, TOUCH_S, raised
from table_controller.happenings.taking.touch import Touch
from vision.sightings import Point

AGAIN_S: Final = 0.35
"""Fingers that were not on a tile for so long come to it again."""
STILL_MM: Final = 12.0
_STILL_LOOKS: Final = 3
"""Fingertips that rest are seen so near to each other, in so many looks."""
_ALIKE_LOOKS: Final = 2
"""So many looks err alike at times."""
_RESTS_S: Final = 0.08
"""Two looks: fingers that pass over a tile are over it in one."""


class RestedOn:
    """Says which tile a hand is on, by a look and by those before it.

    Args:
        table: the shared state.
        fingers: which tile they are on in one look.
    """

    def __init__(self, table: Table, fingers: Fingers) -> None:
        self._table = table
        self._fingers = fingers
        self._returned: dict[Seat, float] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._returned.clear()

    def returned(self, seat: Seat) -> float:
        """When this side's hand last put a tile back."""
        return self._returned.get(seat, -1e9)

    def put_back(self, seat: Seat, t: float) -> None:
        """A hand put a tile back: it is still there."""
        self._returned[seat] = t

    def look(
        self, seat: Seat, tip: Point | None, touch: Touch | None, t: float
    ) -> tuple[Slot | None, float]:
        """One look at the fingertips of a seat.

        Args:
            seat: whose hand.
            tip: where its fingertips are, if they were seen.
            touch: the touch that goes on, if one does.
            t: when.

        Returns:
            The tile that they are on, and since when, as far as this look says more than others.
        """
        if touch is not None and tip is not None and t - touch.last < AGAIN_S:
            slot = self._stays(seat, tip, touch, t) or _lifts(tip, touch)
            slot = slot or self.slot(seat, tip, t)
            slot = slot or self.slot(seat, self._resting(seat, tip, touch, t), t)
        else:
            slot = self.slot(seat, tip, t)
        if touch is not None:
            return slot, t
        if slot is None:
            # Fingers that came to rest between two tiles, as single looks show them.
            still = self._still_since(seat, t)
            if still is None:
                return None, t
            return self.slot(seat, self._table.arms.middle(seat, still, t), t), still
        return slot, self._beside_since(seat, slot, t)

    def slot(self, seat: Seat, tip: Point | None, t: float) -> Slot | None:
        """The tile that fingers are on in one look; not of the hand that has put a tile back."""
        settles = t - self.returned(seat) < SETTLED_S
        return None if settles else self._fingers.slot(seat, tip, t)

    def near_since(self, seat: Seat, slot: Slot, since: float, t: float) -> float:
        """Since when, after a time, fingertips have been near a tile in every look."""
        place = self._table.places.slot_point(slot)
        came = t
        for tip in reversed(self._table.arms.path(seat, since, t)):
            if tip.point is None or distance(tip.point, place) > TOUCH_MM:
                break
            came = tip.t
        return came

    def _stays(self, seat: Seat, tip: Point, touch: Touch, t: float) -> Slot | None:
        """The tile that a hand rests on, where single looks err to the one beside."""
        path = self._table.arms.path(seat, touch.last, t)
        if len(path) > 1 + _ALIKE_LOOKS:
            # More looks than err alike say that they rest elsewhere.
            return None
        middle = self._table.arms.middle(seat, touch.since, t)
        return touch.slot if middle is not None and distance(tip, middle) <= STILL_MM else None

    def _resting(self, seat: Seat, tip: Point, touch: Touch, t: float) -> Point | None:
        """Where fingers rest on average that have come to a tile: single looks err beside it."""
        middle = self._table.arms.middle(seat, touch.since, t)
        if middle is None or touch.last - touch.since < _RESTS_S:
            return None
        return middle if distance(tip, middle) <= TOUCH_MM else None

    def _still_since(self, seat: Seat, t: float) -> float | None:
        """Since when fingertips have been still, if for three looks and more."""
        points: list[Point] = []
        since = t
        for tip in reversed(self._table.arms.path(seat, t - TOUCH_S, t)):
            if tip.point is None or any(distance(tip.point, at) > STILL_MM for at in points):
                break
            points.append(tip.point)
            since = tip.t
        return since if len(points) >= _STILL_LOOKS else None

    def _beside_since(self, seat: Seat, slot: Slot, t: float) -> float:
        """Since when fingers have been on a tile, or beside it, where hands come for another.

        Those looks count as long as all together show this tile rather than the other one.
        """
        if not self._fingers.reserved_beside(slot):
            return t
        since = self.near_since(seat, slot, self.returned(seat) + SETTLED_S, t)
        middle = self._table.arms.middle(seat, since, t)
        return t if middle is None or self._fingers.nearer_reserved(slot, middle) else since


def _lifts(tip: Point, touch: Touch) -> Slot | None:
    """The tile that a hand rested on, where it seems to go to the next one but lifts this."""
    rested = touch.last - touch.since >= _RESTS_S
    return touch.slot if rested and raised(touch.at, tip) else None
