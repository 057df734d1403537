"""Why a tile may lie otherwise than before: hands, arms that hid it, other tiles that fell.

Tiles do not move by themselves: what has a cause is believed soon, anything else needs far more
evidence. Causes also say when it happened.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.arms import Arms
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import Area, distance
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.setup import Patience
from vision.sightings import Posture

_HIDDEN_S = 0.25
"""A place of which the last look is older than this was hidden."""
_LOOKS_KEPT, _LEFT_KEPT = 40, 8
_TOPPLED_S, _TOPPLED_MM = 0.4, 45.0
"""A tile that fell over by itself lies so near to where it stood, so soon after."""
_SHOVED_S = 0.4
"""A row is closed up in one go: its tiles leave their places and stand in others so soon."""
SLEEVE_MM = 125.0
"""Another's sleeve knocks a tile of a row over so far from his fingers, as they are seen there."""
_LAYING_S, _HIDDEN_MOST_S = 1.5, 3.5
"""A tile is laid so long before it is seen at most, and where an arm hid its place."""
_ROW, _AT_ONCE_S = 3, 0.5
"""So many other tiles that turn so nearly at once are a row that is laid down."""


class Causes:
    """Looks for what moved a tile, and when."""

    def __init__(self, arms: Arms, patience: Patience) -> None:
        self._arms = arms
        self._patience = patience
        self._looks: deque[Look] = deque(maxlen=_LOOKS_KEPT)
        self._left: deque[Rest] = deque(maxlen=_LEFT_KEPT)

    def looked(self, look: Look) -> None:
        """A look is over."""
        self._looks.append(look)

    def left(self, rest: Rest) -> None:
        """A tile is believed to have left."""
        self._left.append(rest)

    # -- hands ------------------------------------------------------------------------------

    def prompted(self, rest: Rest, since: float) -> bool:
        """Whether an arm was near or something covered the place shortly before."""
        if rest.covered >= since - 1.5 or self._arms.unwatched(since - 1.0, since):
            return True
        near = self._patience.near_mm + 30.0
        return bool(self._arms.visits(rest.point, since - 1.0, since, near, slow=False))

    def knocked(self, rest: Rest) -> bool:
        """Whether a tile lies among those of a row that another's arm had been over just before."""
        if rest.spot.area is not Area.HAND or not rest.flat:
            return False
        visits = self._arms.visits(rest.point, rest.since - 1.0, rest.since, SLEEVE_MM, slow=False)
        return any(visit.seat != rest.spot.seat for visit in visits)

    def handled(self, rest: Rest, since: float, until: float, default: float) -> float:
        """When the arm that handled a tile let go of it."""
        handled = self._arms.handled(rest.point, since, until, self._patience.near_mm)
        return default if handled is None else handled

    def laid_by(self, rest: Rest) -> Seat | None:
        """The side that laid a tile where it lies."""
        # Whoever had gone while the place was still seen empty did not lay it there.
        near, begin = self._patience.near_mm, rest.since - _LAYING_S
        by = self._arms.who(rest.point, max(begin, self._empty(rest)), rest.since, near)
        return self._arms.who(rest.point, begin, rest.since, near) if by is None else by

    def arrival(self, rest: Rest) -> float:
        """When a tile was laid where it lies, by the hand that did and the last empty look."""
        empty = self._empty(rest)
        # Behind an arm that goes on to the wall it may lie for longer than a hand takes to lay it.
        begin = min(rest.since - _LAYING_S, max(empty, rest.since - _HIDDEN_MOST_S))
        laid = self._arms.laid(rest.point, begin, rest.since, self._patience.near_mm)
        arrived = rest.since if laid is None else min(laid, rest.since)
        return max(arrived, empty)

    def _empty(self, rest: Rest) -> float:
        """The last look, not long before a tile was first seen, that found its place empty."""
        for look in reversed(self._looks):
            if look.t < rest.since and look.looked(rest.x, rest.y):
                return look.t
        return -1e9

    def hidden(self, rest: Rest) -> bool:
        """Whether the place of a tile could not be seen just before it lay there."""
        return rest.since - self._empty(rest) > _HIDDEN_S

    # -- other tiles ------------------------------------------------------------------------

    def toppled(self, rest: Rest, rests: Iterable[Rest]) -> bool:
        """Whether a tile lies where one that stood beside it is missing since it came to lie."""
        return rest.flat and any(
            other.misses >= self._patience.gone_looks and _fell(other, rest)
            for other in (*rests, *self._left)
        )

    def shoved(self, rest: Rest, rests: Iterable[Rest]) -> bool:
        """Whether a tile stands in a row of which others are missing since: it was closed up."""
        row = rest.spot.area, rest.spot.seat
        if rest.posture is not Posture.STANDING or rest.spot.area is not Area.HAND:
            return False
        return any(
            other.posture is Posture.STANDING
            and (other.spot.area, other.spot.seat) == row
            and other.missing is not None
            and abs(other.missing - rest.since) <= _SHOVED_S
            for other in (*rests, *self._left)
        )

    def lies_beside(self, rest: Rest, rests: Iterable[Rest]) -> bool:
        """Whether a tile that stood lies beside its place now."""
        looks = self._patience.confirm_looks
        return any(other.flat and other.looks >= looks and _fell(rest, other) for other in rests)

    def turns_with_others(
        self, rest: Rest, posture: Posture, since: float, rests: Iterable[Rest]
    ) -> bool:
        """Whether a row of tiles turns at once under hands that are seen at some of them only.

        Two hands in the middle lay a whole row down: its ends are an arm's length from them.
        """
        row = [
            other
            for other in rests
            if other is not rest
            and other.believed
            and (other.spot.area, other.spot.seat) == (rest.spot.area, rest.spot.seat)
            and _lies_since(other, posture, since)
        ]
        return len(row) >= _ROW and any(self.prompted(other, since) for other in row)


def _fell(stood: Rest, lies: Rest) -> bool:
    """Whether a tile may lie there because it fell from where one stood."""
    return (
        stood.posture is Posture.STANDING
        and stood.missing is not None
        and abs(stood.missing - lies.since) <= _TOPPLED_S
        and distance(stood.point, lies.point) <= _TOPPLED_MM
    )


def _lies_since(rest: Rest, posture: Posture, t: float) -> bool:
    """Whether a tile came to lie so at about a time, or is seen so since and not believed yet."""
    if rest.turn is not None:
        return rest.turn[0] is posture and abs(rest.turn[1] - t) <= _AT_ONCE_S
    return rest.posture is posture and abs(rest.since - t) <= _AT_ONCE_S
