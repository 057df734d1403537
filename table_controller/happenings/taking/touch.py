"""One stop of fingertips on a wall tile, and when it is known what it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean

from table_controller.domain.happenings import Seat, Slot
from vision.sightings import Point

OPENED_S = 0.35
"""So long it takes until a tile that was turned over beside it shows its face."""
_DOUBTED_S, _BESIDE_LOOKS = 0.65, 2
"""So long a touch waits to be told where the fingers were nearer to the stack beside it in so many
looks: whether that one's tile was lifted where it stands is known only then."""
_LONG_S, _LIFTED_THERE_S = 0.5, 1.0
"""A hand that was so long on a stack within the wall may have lifted its tile and put it back,
which is known so long after it has gone."""
_SHORT_MM = 16.0
"""Hands at their own wall are seen 10 mm inside of what they touch, and 30 mm outside of it where
they wait for their turn."""


@dataclass(slots=True)
class Touch:
    """Fingertips that rest on a wall tile; ``told`` when long enough, ``said`` when passed on.

    ``at`` is where they came to it, ``rests`` where they were ``last`` seen to rest on it, ``near``
    when they were last seen about there, ``seen`` and ``tip`` when and where at all.
    """

    slot: Slot
    at: Point
    since: float
    last: float
    near: float
    seen: float
    tip: Point
    rests: Point
    told: bool = False
    said: bool = False
    inner: bool = False
    """The stack stands between others: whether its tile was lifted there is known only later."""
    meant: Slot | None = None
    """The tile that they were on on average so far, as the stacks stood then, if another one."""
    between: bool = False
    """The fingers are on average about as near to the stack beside it."""
    beside: int = 0
    """In how many looks the fingers were nearer to another stack."""
    behind: list[float] = field(default_factory=list)
    """How far outside of the wall they seemed to be in each look until it was told, mm; without
    the one in which they were first seen on it."""

    @property
    def looks(self) -> int:
        """In how many looks the fingers were there until it was told."""
        return 1 + len(self.behind)

    @property
    def doubted(self) -> bool:
        """Whether the tile of the stack beside may be meant."""
        return self.beside >= _BESIDE_LOOKS

    @property
    def uncertain(self) -> bool:
        """Whether it may have been a tile that was lifted there, or beside it, and put back."""
        long = self.near - self.since >= _LONG_S
        return self.doubted or (long and (self.inner or self.between))

    def waits(self, t: float) -> bool:
        """Whether it is over and waits to be told or to be dropped."""
        return self.uncertain and self.told and not self.said and not self.over(t)

    def over(self, t: float) -> bool:
        """Whether it is over for certain; an uncertain one not before the hand goes elsewhere."""
        if self.uncertain:
            return t - self.near > (_LIFTED_THERE_S if self.inner else _DOUBTED_S)
        return t - self.last > OPENED_S


def stops_short(seat: Seat, touch: Touch) -> bool:
    """Whether a hand rests between its own row and its own wall, as players do who wait.

    Single looks err by a stack and more; their mean is nearer to the place where it rests.
    """
    return seat == touch.slot.side and fmean(touch.behind) > _SHORT_MM
