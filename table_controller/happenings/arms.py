"""Who reached where: the fingertips of each side over the last seconds."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from table_controller.domain.happenings import Seat
from table_controller.happenings.places import SEATS, distance
from vision.sightings import Point

_KEPT_S = 12.0


@dataclass(frozen=True, slots=True)
class Visit:
    """How one side's fingertips came to a point: nearest distance and the time they left it."""

    seat: Seat
    nearest: float
    left: float


def _offset(seat: Seat, tip: Point) -> float:
    x, y = tip
    return (-y, x, y, -x)[seat]


class Arms:
    """Positions of the fingertips, with the questions that are asked of them."""

    def __init__(self) -> None:
        self._tips: dict[Seat, deque[tuple[float, Point | None]]] = {s: deque() for s in SEATS}
        self._blind = (-1e9, -1e9)

    def update(self, t: float, reach: tuple[Point | None, ...]) -> None:
        """One look's reach of the four sides."""
        for seat in SEATS:
            tips = self._tips[seat]
            tips.append((t, reach[seat]))
            while tips[0][0] < t - _KEPT_S:
                tips.popleft()

    def blind(self, since: float, until: float) -> None:
        """Nothing was seen in a time: anybody may have reached anywhere."""
        self._blind = (since, until)

    def unwatched(self, since: float, until: float) -> bool:
        """Whether part of a time was not looked at."""
        return self._blind[1] >= since and self._blind[0] <= until

    def tip(self, seat: Seat) -> Point | None:
        """Where that side's fingertips are now."""
        tips = self._tips[seat]
        return tips[-1][1] if tips else None

    def visits(self, point: Point, since: float, until: float, within: float) -> list[Visit]:
        """The sides whose fingertips came near a point in a time, nearest first."""
        found = []
        for seat in SEATS:
            nearest, left = float("inf"), 0.0
            near: list[tuple[float, float]] = []
            for t, tip in self._tips[seat]:
                if tip is None or t < since - 0.25 or t > until + 0.25:
                    continue
                away = distance(tip, point)
                nearest = min(nearest, away)
                near.append((t, away))
            if nearest <= within:
                # The moment of letting go or lifting: the last time they were about as near
                # as they ever came.
                left = max(t for t, away in near if away <= nearest + 12.0)
                found.append(Visit(seat, nearest, left))
        return sorted(found, key=lambda visit: (visit.nearest, visit.seat))

    def who(self, point: Point, since: float, until: float, within: float) -> Seat | None:
        """The side that handled a point, or None where nobody or more than one may have."""
        visits = self.visits(point, since, until, within)
        if not visits:
            return None
        if len(visits) > 1 and visits[1].nearest < visits[0].nearest + 15.0:
            return None
        return visits[0].seat

    def home(self, seat: Seat, since: float, back: float) -> float | None:
        """When, after a time, that side's fingertips were first back at their own edge.

        ``back`` is how far from the middle of the table that is, mm.
        """
        for t, tip in self._tips[seat]:
            if t > since and (tip is None or _offset(seat, tip) >= back):
                return t
        return None

    def present(self, seat: Seat, since: float) -> bool:
        """Whether that side's arm was over the table at or after a time."""
        return any(tip is not None and t >= since for t, tip in self._tips[seat])
