"""Fingertips that rest on a tile at an open end of a wall."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from statistics import fmean

from table_controller.domain.happenings import Seat, Slot, TileDrawn
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.looks.tips import STOP_MM_S
from table_controller.happenings.table import Table
from table_controller.happenings.taking.brief import BRIEF_S, BriefTouches, Left
from table_controller.happenings.taking.in_place import Handled
from table_controller.happenings.taking.staying import (
    ABOUT_MM,
    SETTLED_S,
    TOUCH_MM,
    TOUCH_S,
    falls_short,
    raised,
)
from table_controller.happenings.taking.turns import due
from vision.sightings import Point

_RESTED_S = 2.5
"""A hand that touched a tile for no longer and then goes has come for it; else it only rests."""
_TOUCH_SURE, _HELD_SURE = 0.7, 0.998
"""Of 6,000 draws on pictures none that began in time looked as if the tile had been held before."""
_NEXT_S = 0.15
"""Between two looks."""
_OPENED_S = 0.35
"""So long it takes until a tile that was turned over beside it shows its face."""
_OPENED_MM = 3 * TOUCH_MM
"""So near a hand seems to be to a stack that turns over the tile of another one."""
_DOUBTED_S, _BESIDE_LOOKS = 0.65, 2
"""So long a touch waits to be told where the fingers were nearer to the stack beside it in so many
looks: whether that one's tile was lifted where it stands is known only then."""
_AGAIN_S = 0.35
_RESTS_S = 0.08
"""Two looks: fingers that pass over a tile are over it in one."""
_LOST_S = 6.0
_MISSED_S, _MISSED_MM = 0.15, 80.0
"""One look may show the fingertips so far off: what begins again at the next one goes on."""
_LEAST_S = 0.01
"""Looks are at least so far apart."""
_SHORT_MM = 16.0
"""Hands at their own wall are seen 10 mm inside of what they touch, and 30 mm outside of it where
they wait for their turn."""
_SAME_S = 0.5
"""Two times of one touch differ by less."""


@dataclass(slots=True)
class Touch:
    """Fingertips that rest on a wall tile; ``told`` when long enough, ``said`` when passed on.

    ``at`` is where they came to it, ``near`` when they were last seen about there,
    ``seen`` and ``tip`` when and where they were last seen at all.
    """

    slot: Slot
    at: Point
    since: float
    last: float
    near: float
    seen: float
    tip: Point
    told: bool = False
    said: bool = False
    beside: int = 0
    """In how many looks the fingers were nearer to another stack."""
    behind: list[float] = field(default_factory=list)
    """How far outside of the wall they seemed to be in each look until it was told, mm."""

    @property
    def doubted(self) -> bool:
        """Whether the tile of the stack beside may be meant."""
        return self.beside >= _BESIDE_LOOKS

    def waits(self, t: float) -> bool:
        """Whether it is over and waits to be told or to be dropped."""
        return self.doubted and self.told and not self.said and not self.over(t)

    def over(self, t: float) -> bool:
        """Whether it is over for certain; a doubted one not before the hand goes elsewhere."""
        if self.doubted:
            return t - self.near > _DOUBTED_S
        return t - self.last > _OPENED_S


def _stops_short(seat: Seat, touch: Touch) -> bool:
    """Whether a hand rests between its own row and its own wall, as players do who wait.

    Single looks err by a stack and more; their mean is nearer to the place where it rests.
    """
    return seat == touch.slot.side and fmean(touch.behind) > _SHORT_MM


class Touching:
    """Watches fingertips over the walls.

    Args:
        table: the shared state.
        reserved: whether hands come to a slot for other reasons: indicators are turned there.
        rebuilding: whether a wall (its side, a time) is being put right.
    """

    def __init__(
        self,
        table: Table,
        reserved: Callable[[Slot], bool],
        rebuilding: Callable[[Seat, float], bool],
    ) -> None:
        self._table = table
        self._reserved = reserved
        self._rebuilding = rebuilding
        self._touches: dict[Seat, Touch] = {}
        self._touched: list[tuple[Seat, Slot, float]] = []
        self._returned: dict[Seat, float] = {}
        self._brief = BriefTouches(table)

    def clear(self) -> None:
        """A new hand begins."""
        self._touches.clear()
        self._brief.clear()
        self._returned.clear()

    def of(self, seat: Seat | None, slots: Collection[Slot]) -> Touch | None:
        """The touch of one of these tiles that goes on, if it is long enough to be one."""
        touch = None if seat is None else self._touches.get(seat)
        if touch is None or not touch.told or touch.slot not in slots:
            return None
        return None if self._opened(touch.at, touch.since) else touch

    def known(self, seat: Seat, slot: Slot, came: float, left: float) -> bool:
        """Whether the touch of a tile in this time has been told already."""
        return any(
            by == seat and touched == slot and came - _SAME_S <= at <= left + _SAME_S
            for by, touched, at in self._touched
        )

    def returned(self, seat: Seat) -> float:
        """When this side's hand last put a tile back."""
        return self._returned.get(seat, -1e9)

    def put_back(self, seat: Seat, t: float) -> None:
        """A hand put a tile back: what comes next is another touch, not the one that ended so."""
        self.took(seat)
        self._touches.pop(seat, None)
        self._returned[seat] = t

    def took(self, seat: Seat | None) -> None:
        """A stage of a draw is told: what the hand was on just before belongs to it."""
        self._brief.took(seat)
        self.say(seat)

    def came_for(self, seat: Seat | None, slots: Collection[Slot], came: float) -> None:
        """The hand came for these: it did not touch what it seemed to from the same look on."""
        touch = None if seat is None else self._touches.get(seat)
        if touch is None or touch.said or abs(touch.since - came) > _NEXT_S:
            return
        if seat is not None and touch.slot[:2] not in {slot[:2] for slot in slots}:
            del self._touches[seat]

    def lifted_beside(self, handled: Handled) -> None:
        """The hand had come for this tile: it did not touch that of another stack.

        Nor does it touch one with a tile that it holds.
        """
        touch = self._touches.get(handled.seat)
        self._brief.took(handled.seat)
        if touch is None or touch.said or touch.slot[:2] == handled.slot[:2]:
            return
        held = handled.lifted <= touch.since <= handled.back
        if held or (touch.since >= handled.came - _SAME_S and touch.doubted):
            del self._touches[handled.seat]

    def took_several(self, seat: Seat, slots: Collection[Slot]) -> None:
        """The hand took these in one reach: on none of them it rested."""
        touch = self._touches.get(seat)
        if touch is not None and not touch.said and touch.slot in slots:
            self._drop(touch, seat)

    def holds(self, seat: Seat | None, since: float) -> None:
        """The hand held a tile since then: where it stopped before it was home, it looked at it."""
        self._brief.took(seat)
        touch = None if seat is None else self._touches.get(seat)
        if seat is None or touch is None or touch.said or touch.since < since:
            return
        home = self._table.home(seat, since)
        if home is None or touch.since < home:
            self._drop(touch, seat)

    def _drop(self, touch: Touch, seat: Seat) -> None:
        """Nothing is told of a touch: who takes that tile in the end has touched it then."""
        del self._touches[seat]
        untold = seat, touch.slot, touch.since
        self._touched = [one for one in self._touched if one != untold]

    def tick(self, t: float, holding: Collection[Seat | None]) -> None:
        """One look; who is ``holding`` a tile looks at it, wherever the hand stops."""
        for seat in SEATS:
            if seat not in holding:
                tip = self._table.arms.tip(seat)
                slot = self._lifts(seat, t) or self._slot(seat, tip, t)
                self._follow(seat, slot or self._slot(seat, self._resting(seat, t), t), t)
        for left in self._brief.tick(t - _OPENED_S):
            if self._opened(left.at, left.since):
                continue
            self._touched = [*self._touched[-7:], (left.seat, left.slot, left.since)]
            self._tell(left.seat, left.slot, left.since, _HELD_SURE)

    def _lifts(self, seat: Seat, t: float) -> Slot | None:
        """The tile that a hand rested on, where it seems to go to the next one but lifts this."""
        touch, tip = self._touches.get(seat), self._table.arms.tip(seat)
        if touch is None or tip is None or t - touch.last >= _AGAIN_S:
            return None
        rested = touch.last - touch.since >= _RESTS_S
        return touch.slot if rested and raised(touch.at, tip) else None

    def _resting(self, seat: Seat, t: float) -> Point | None:
        """Where fingers rest on average that have come to a tile: single looks err beside it."""
        touch, tip = self._touches.get(seat), self._table.arms.tip(seat)
        if touch is None or tip is None or t - touch.last >= _AGAIN_S:
            return None
        middle = self._table.arms.middle(seat, touch.since, t)
        if middle is None or touch.last - touch.since < _RESTS_S:
            return None
        return middle if distance(tip, middle) <= TOUCH_MM else None

    def _slot(self, seat: Seat, tip: Point | None, t: float) -> Slot | None:
        slot = None if tip is None else self._table.walls.under(tip, TOUCH_MM, t)
        if tip is None or slot is None or self._rebuilding(slot.side, t) or self._reserved(slot):
            return None
        if falls_short(seat, slot.side, self._behind(tip)) or self._holds_beside(seat, slot, tip):
            return None
        # The hand that put a tile back is still there.
        return None if t - self.returned(seat) < SETTLED_S else slot

    def _holds_beside(self, seat: Seat, slot: Slot, tip: Point) -> bool:
        """Whether a hand holds the tile of another stack, whose gap it hides.

        The sensor feels nothing there, and nobody else's hand is nearer.
        """
        tips = [self._table.arms.tip(other) for other in SEATS if other != seat]
        others = [other for other in tips if other is not None]
        return any(
            (gap.side, gap.number) != slot[:2]
            and all(distance(tip, gap.point) <= distance(other, gap.point) for other in others)
            for gap in self._table.walls.missed_near(tip)
        )

    def _beside(self, seat: Seat, slot: Slot) -> bool:
        """Whether a hand is nearer to another stack than to the one whose tile is counted."""
        tip = self._table.arms.tip(seat)
        if tip is None:
            return False
        spot = self._table.places.spot(*tip)
        number = self._table.places.stack_of(spot)[0]
        other = self._table.walls.stacks.get((spot.seat, number))
        # Beyond the end of a wall there is nothing else to touch.
        return spot.seat == slot.side and number != slot.stack and bool(other and other.height)

    def _behind(self, tip: Point) -> float:
        """How far fingertips are from the line of the wall, on its owner's side, mm."""
        places = self._table.places
        return places.stack_of(places.spot(*tip))[2]

    def _follow(self, seat: Seat, slot: Slot | None, t: float) -> None:
        touch, tip = self._touches.get(seat), self._table.arms.tip(seat)
        unseen_s = 0.0 if touch is None else t - touch.near
        speed = 0.0 if touch is None or tip is None else self._seen_at(touch, tip, t)
        if slot is None or tip is None:
            if touch is not None and touch.over(t):
                self.say(seat, left=True)
            if touch is not None and t - touch.last > (
                _LOST_S if touch.told else self._gap(touch, seat)
            ):
                self._leave(seat, touch)
            return
        if touch is None or touch.slot[:2] != slot[:2] or t - touch.last >= _AGAIN_S:
            if (
                touch is not None
                and touch.waits(t)
                and (touch.slot[:2] != slot[:2] or unseen_s < _AGAIN_S)
            ):
                # Fingers between two stacks seem to go from one to the other, and back.
                return
            self.say(seat, left=True)
            if self._table.walls.felt(slot):
                if touch is not None:
                    self._leave(seat, touch)
                self._touches[seat] = Touch(slot, tip, t, t, t, t, tip)
            return
        if speed > STOP_MM_S:
            # They are still coming, or go again.
            return
        touch.last = t
        touch.beside += self._beside(seat, slot)
        if not touch.told:
            touch.behind.append(self._behind(tip))
            rested = t - touch.since >= TOUCH_S and not _stops_short(seat, touch)
            if rested and not due(self._table, seat, slot, touch.since):
                touch.told = True
                self._touched = [*self._touched[-7:], (seat, slot, touch.since)]
        if touch.told and t - touch.since > _RESTED_S:
            self.say(seat)

    def _leave(self, seat: Seat, touch: Touch) -> None:
        """The fingers are elsewhere: a stop that was too short is told if the tile stands yet."""
        del self._touches[seat]
        brief = touch.last - touch.since >= BRIEF_S and not touch.told
        if brief and not touch.doubted and not _stops_short(seat, touch):
            self._brief.leaves(Left(seat, touch.slot, touch.at, touch.since, touch.last))

    def _seen_at(self, touch: Touch, tip: Point, t: float) -> float:
        """Fingertips were seen there; returns how fast they came from where they were, mm/s."""
        speed = distance(tip, touch.tip) / max(t - touch.seen, _LEAST_S)
        touch.tip, touch.seen = tip, t
        about = distance(tip, self._table.places.slot_point(touch.slot)) <= ABOUT_MM
        # Who was away for so long and comes again has left it before.
        if about and t - touch.near < _AGAIN_S:
            touch.near = t
        return speed

    def _gap(self, touch: Touch, seat: Seat) -> float:
        """How long a touch may be interrupted, s: single looks err about fingertips."""
        tip = self._table.arms.tip(seat)
        away = tip is None or distance(tip, self._table.places.slot_point(touch.slot)) > _MISSED_MM
        return 0.0 if away else _MISSED_S

    def _opened(self, at: Point, since: float) -> bool:
        """Whether a hand had come to turn a tile over, or back, close by."""
        return any(
            max(stack.face_up_seen, stack.turned_down) >= since
            and distance(stack.point, at) < _OPENED_MM
            for stack in self._table.walls.stacks.values()
        )

    def say(self, seat: Seat | None, *, left: bool = False) -> None:
        """Tell a touch when it is over: how long it was says what it was.

        A hand that comes to a tile, stays and goes again has had hold of it; one that stays for
        good rests there.
        """
        touch = None if seat is None else self._touches.get(seat)
        if seat is None or touch is None or not touch.told or touch.said:
            return
        touch.said = True
        if self._opened(touch.at, touch.since):
            return
        held = left and touch.last - touch.since <= _RESTED_S
        self._tell(seat, touch.slot, touch.since, _HELD_SURE if held else _TOUCH_SURE)

    def _tell(self, seat: Seat, slot: Slot, t: float, sure: float) -> None:
        self._table.emit(TileDrawn(t=t, seat=seat, slots=(slot,), stage="touched", confidence=sure))
