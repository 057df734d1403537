"""Fingertips that rest on a tile at an open end of a wall."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

from table_controller.domain.happenings import Seat, Slot, TileDrawn
from table_controller.happenings.looks.places import SEATS, distance
from table_controller.happenings.looks.tips import STOP_MM_S
from table_controller.happenings.table import Table
from table_controller.happenings.taking.brief import BRIEF_LOOKS, BRIEF_S, BriefTouches, Left
from table_controller.happenings.taking.fingers import Fingers
from table_controller.happenings.taking.in_place import Handled
from table_controller.happenings.taking.rested_on import AGAIN_S, STILL_MM, RestedOn
from table_controller.happenings.taking.staying import ABOUT_MM, TOUCH_MM, TOUCH_S
from table_controller.happenings.taking.touch import OPENED_S, Touch, stops_short
from table_controller.happenings.taking.turns import due, lays
from vision.sightings import Point

_RESTED_S = 2.5
"""A hand that touched a tile for no longer and then goes has come for it; else it only rests."""
_TOUCH_SURE, _HELD_SURE = 0.7, 0.998
"""Of 6,000 draws on pictures none that began in time looked as if the tile had been held before."""
_HOME_S = 0.15
"""A hand that was home so long has left its tile there; at the second look after it, that is."""
_NEXT_S = 0.15
"""Between two looks."""
_LOST_S = 6.0
_MISSED_S, _MISSED_MM = 0.15, 80.0
"""One look may show the fingertips so far off: what begins again at the next one goes on."""
_ASTRAY_S = 0.25
"""Between the looks before and after such a one."""
_BEYOND_S = 0.25
"""The same where they rest beyond the end of a wall: there is nothing else to touch."""
_BLIND_S = 0.25
"""Between looks so far apart a hand may have left what it was on, and come again."""
_LEAST_S = 0.01
"""Looks are at least so far apart."""
SAME_S: Final = 0.5
"""Two times of one touch differ by less."""


class Touching:
    """Watches fingertips over the walls.

    Args:
        table: the shared state.
        fingers: which tile they are on.
    """

    def __init__(self, table: Table, fingers: Fingers) -> None:
        self._table = table
        self._fingers = fingers
        self._touches: dict[Seat, Touch] = {}
        self._touched: list[tuple[Seat, Slot, float]] = []
        self._drew: dict[Seat, Collection[Slot]] = {}
        self._has: dict[Seat, Collection[Slot]] = {}
        """What each side drew last, once it is known that it took that home."""
        self._rested_on = RestedOn(table, fingers)
        self._brief = BriefTouches(table)
        self._looked = -math.inf

    def clear(self) -> None:
        """A new hand begins."""
        self._touches.clear()
        self._drew.clear()
        self._has.clear()
        self._brief.clear()
        self._rested_on.clear()

    def of(self, seat: Seat | None, slots: Collection[Slot]) -> Touch | None:
        """The touch of one of these tiles that goes on, if it is long enough to be one."""
        touch = None if seat is None else self._touches.get(seat)
        if touch is None or not touch.told or touch.slot not in slots:
            return None
        return None if self._fingers.opened(touch.at, touch.since) else touch

    def pending(self) -> float | None:
        """Since when a hand was on a tile that it may have touched before it drew another one."""
        return self._brief.pending()

    def known(self, seat: Seat, slot: Slot, came: float, left: float) -> bool:
        """Whether the touch of a tile in this time has been told already."""
        return any(
            by == seat and touched == slot and came - SAME_S <= at <= left + SAME_S
            for by, touched, at in self._touched
        )

    def rested(self, seat: Seat, slot: Slot, since: float, *, took: Slot) -> None:
        """Where a hand took its tile says that it rested on another one before.

        It is told if no touch of this hand is but of the stack from which it ``took``.
        """
        touch = self._touches.get(seat)
        if touch is not None and touch.told and not touch.said and touch.slot == slot:
            # It waits, and may pass for one of the tile that was due.
            self._drop(touch, seat)
        if not any(
            by == seat and at >= since - SAME_S and touched[:2] != took[:2]
            for by, touched, at in self._touched
        ):
            self._brief.forget(seat, since - SAME_S)
            self._note(seat, slot, since)
            self._tell(seat, slot, since, _HELD_SURE)

    def returned(self, seat: Seat) -> float:
        """When this side's hand last put a tile back."""
        return self._rested_on.returned(seat)

    def put_back(self, seat: Seat, t: float) -> None:
        """A hand put a tile back: what comes next is another touch, not the one that ended so."""
        self.took(seat)
        self._touches.pop(seat, None)
        self._has.pop(seat, None)
        self._rested_on.put_back(seat, t)

    def took(self, seat: Seat | None, slots: Collection[Slot] = ()) -> None:
        """A stage of a draw is told: what the hand was on just before belongs to it.

        Who takes one of other ``slots`` has left the tile that he was on.
        """
        self._brief.took(seat, slots)
        for by, known in list(self._touches.items()):
            if by != seat and (known.meant or known.slot) in slots:
                # Somebody else has it: this hand has not lifted it.
                self.say(by, left=True)
        if seat is not None and slots:
            self._drew[seat] = tuple(slots)
        touch = None if seat is None else self._touches.get(seat)
        other = bool(slots) and touch is not None and touch.slot not in slots
        self.say(seat, left=other)

    def came_for(self, seat: Seat | None, slots: Collection[Slot], came: float) -> None:
        """The hand came for these: it did not touch what it seemed to from the same look on.

        Nor are two touches what first looked like one of a tile and then, as that was lifted, like
        one of the tile beside, though on average the first is meant.
        """
        touch = None if seat is None else self._touches.get(seat)
        if seat is None or touch is None or touch.said:
            return
        beside = touch.slot[:2] not in {slot[:2] for slot in slots}
        if beside and (
            abs(touch.since - came) <= _NEXT_S or (touch.meant in slots and touch.since > came)
        ):
            del self._touches[seat]

    def lifted_beside(self, handled: Handled) -> None:
        """The hand had come for this tile: it did not touch that of another stack.

        Nor does it touch one with a tile that it holds.
        """
        touch = self._touches.get(handled.seat)
        self._brief.forget(handled.seat)
        if touch is None or touch.said:
            return
        held = handled.lifted <= touch.since <= handled.back
        if touch.slot[:2] == handled.slot[:2]:
            if held:
                # The same touch, lost for some looks: what is told of it began with it.
                self._drop(touch, handled.seat)
            touch.inner = False
            return
        if held or (touch.since >= handled.came - SAME_S and touch.uncertain):
            del self._touches[handled.seat]

    def took_several(self, seat: Seat, slots: Collection[Slot]) -> None:
        """The hand took these in one reach: on none of them it rested."""
        touch = self._touches.get(seat)
        if touch is not None and not touch.said and touch.slot in slots:
            self._drop(touch, seat)

    def holds(self, seat: Seat | None, slots: Collection[Slot], since: float) -> None:
        """The hand held these since then: where it stopped before it was home, it looked at them.

        What it was on before it took them it may have touched.
        """
        self._brief.took(seat, slots, since)
        touch = None if seat is None else self._touches.get(seat)
        if seat is None or touch is None or touch.said or touch.since < since:
            return
        home = self._table.home(seat, since)
        if home is None or touch.since < home:
            self._drop(touch, seat)

    def _drop(self, touch: Touch, seat: Seat) -> None:
        """Nothing is told of a touch: who takes that tile in the end has touched it then."""
        del self._touches[seat]
        self._forget(touch, seat)

    def _note(self, seat: Seat, slot: Slot, since: float) -> None:
        """A touch is told, or will be."""
        self._touched = [*self._touched[-7:], (seat, slot, since)]

    def _forget(self, touch: Touch, seat: Seat) -> None:
        """Nothing was told of a touch."""
        untold = seat, touch.slot, touch.since
        self._touched = [one for one in self._touched if one != untold]

    def tick(
        self, t: float, holding: Collection[Seat | None], leaving: Collection[Slot] = ()
    ) -> None:
        """One look; who is ``holding`` a tile looks at it, wherever the hand stops.

        Of tiles that are ``leaving`` the wall it is not known yet who has them.
        """
        if t - self._looked > _BLIND_S:
            # A touch is told by how long a hand stayed; nobody saw that it did.
            self._touches = {seat: touch for seat, touch in self._touches.items() if touch.told}
        self._looked = t
        for seat in SEATS:
            if seat not in holding:
                self._look(seat, self._table.arms.tip(seat), t)
        for left in self._brief.tick(t - OPENED_S, leaving):
            other = self._came_for_other(left.seat, left)
            if other or due(self._table, left.seat, left.slot, left.since):
                continue
            self._note(left.seat, left.slot, left.since)
            self._tell(left.seat, left.slot, left.since, _HELD_SURE)

    def came_home(self, seat: Seat, home: float, until: float) -> None:
        """It is known that a hand had taken its tile home: what it was on since then it touched.

        Until then it might have come to put that tile back, or for that very tile; what it did from
        ``until`` on it did with its next one.
        """
        if any(by == seat and t > home for by, _, t in self._touched):
            return
        self._touches.pop(seat, None)
        self._brief.forget(seat, home)
        self._has[seat] = self._drew.get(seat, ())
        for tip in self._table.arms.path(seat, home + _HOME_S, until - 1e-6):
            self._look(seat, tip.point, tip.t)

    def _look(self, seat: Seat, tip: Point | None, t: float) -> None:
        """One look at the fingertips of a seat."""
        slot, since = self._rested_on.look(seat, tip, self._touches.get(seat), t)
        if slot is not None and slot in self._has.get(seat, ()):
            # One look more shows a tile that has just gone.
            slot = slot._replace(layer="bottom") if slot.layer == "top" else None
        self._follow(seat, tip, slot, t, since)

    def _follow(
        self, seat: Seat, tip: Point | None, slot: Slot | None, t: float, since: float
    ) -> None:
        touch = self._touches.get(seat)
        unseen_s = 0.0 if touch is None else t - touch.near
        speed = 0.0 if touch is None or tip is None else self._seen_at(touch, tip, t)
        if slot is None or tip is None:
            if touch is not None and touch.over(t):
                self.say(seat, left=True)
            if touch is not None and t - touch.last > (
                _LOST_S if touch.told else self._gap(touch, tip, speed)
            ):
                self._leave(seat, touch)
            return
        if touch is None or touch.slot[:2] != slot[:2] or t - touch.last >= AGAIN_S:
            if (
                touch is not None
                and touch.waits(t)
                and (touch.slot[:2] != slot[:2] or unseen_s < AGAIN_S)
            ):
                # Fingers between two stacks seem to go from one to the other, and back.
                return
            self.say(seat, left=True)
            if touch is not None and slot == touch.meant:
                # They seemed to be on the other one in single looks: on average they were not.
                since = min(since, self._rested_on.near_since(seat, slot, touch.since, t))
            if self._table.walls.felt(slot):
                if touch is not None:
                    self._leave(seat, touch)
                before = self._table.arms.path(seat, since, t - _LEAST_S)
                behind = [
                    self._fingers.behind(one.point) for one in before if one.point is not None
                ]
                inner = self._fingers.inner(slot)
                self._touches[seat] = Touch(
                    slot, tip, since, t, t, t, tip, tip, inner=inner, behind=behind
                )
            return
        if speed > STOP_MM_S or self._goes_with(touch.slot, tip):
            # They are still coming, or go again.
            return
        touch.last, touch.rests = t, tip
        touch.beside += self._fingers.beside(tip, slot)
        if touch.inner:
            self._on_average(seat, touch)
        else:
            middle = self._table.arms.middle(seat, touch.since, t)
            touch.between = middle is not None and self._fingers.between(middle, slot)
        if not touch.told:
            touch.behind.append(self._fingers.behind(tip))
            rested = t - touch.since >= TOUCH_S and not stops_short(seat, touch)
            if rested and not due(self._table, seat, slot, touch.since):
                touch.told = True
                self._note(seat, slot, touch.since)
        if touch.told and t - touch.since > _RESTED_S:
            self.say(seat)

    def _goes_with(self, slot: Slot, tip: Point) -> bool:
        """Whether fingers beside a tile hold it: its sensor misses it."""
        beside = distance(tip, self._table.places.slot_point(slot)) > TOUCH_MM
        return beside and not self._table.walls.felt(slot)

    def _leave(self, seat: Seat, touch: Touch) -> None:
        """The fingers are elsewhere: a stop that was too short is told if the tile stands yet."""
        del self._touches[seat]
        long_enough = touch.last - touch.since >= BRIEF_S and touch.looks >= BRIEF_LOOKS
        brief = long_enough and not touch.told
        # Within a wall the looks together say which tile was meant.
        doubted = touch.doubted and not touch.inner
        if brief and not doubted and not stops_short(seat, touch):
            slot = touch.meant or touch.slot
            self._brief.leaves(Left(seat, slot, touch.at, touch.since, touch.last, touch.inner))

    def _seen_at(self, touch: Touch, tip: Point, t: float) -> float:
        """Fingertips were seen there; returns how fast they came from where they were, mm/s.

        Or from where they rested before: one look in between may show them far off.
        """
        speed = distance(tip, touch.tip) / max(t - touch.seen, _LEAST_S)
        if t - touch.last <= _ASTRAY_S and distance(touch.tip, touch.rests) <= _MISSED_MM:
            speed = min(speed, distance(tip, touch.rests) / max(t - touch.last, _LEAST_S))
        touch.tip, touch.seen = tip, t
        about = distance(tip, self._table.places.slot_point(touch.slot)) <= ABOUT_MM
        # Who was away for so long and comes again has left it before.
        if about and t - touch.near < AGAIN_S:
            touch.near = t
        return speed

    def _gap(self, touch: Touch, tip: Point | None, speed: float) -> float:
        """How long a touch may be interrupted, s: single looks err about fingertips."""
        if tip is None or distance(tip, self._table.places.slot_point(touch.slot)) > _MISSED_MM:
            return 0.0
        rests = speed <= STOP_MM_S and self._fingers.beyond(tip, touch.slot)
        return _BEYOND_S if rests else _MISSED_S

    def say(self, seat: Seat | None, *, left: bool = False) -> None:
        """Tell a touch when it is over: how long it was says what it was.

        A hand that comes to a tile, stays and goes again has had hold of it; one that stays for
        good rests there.
        """
        touch = None if seat is None else self._touches.get(seat)
        if seat is None or touch is None or not touch.told or touch.said:
            return
        touch.said = True
        if self._came_for_other(seat, touch):
            return
        held = left and touch.last - touch.since <= _RESTED_S
        slot = touch.slot
        if touch.inner and touch.meant is not None:
            slot = touch.meant
            if due(self._table, seat, slot, touch.since):
                self._forget(touch, seat)
                return
        self._tell(seat, slot, touch.since, _HELD_SURE if held else _TOUCH_SURE)

    def _came_for_other(self, seat: Seat, stop: Touch | Left) -> bool:
        """Whether a hand turned a tile over there, laid one down or back, or pushed the wall."""
        return (
            self._fingers.opened(stop.at, stop.since)
            or self._lays_back(seat, stop)
            or self._fingers.pushed(seat, stop.slot, stop.last)
            or lays(self._table, seat, stop.since, stop.last)
        )

    def _lays_back(self, seat: Seat, stop: Touch | Left) -> bool:
        """Whether its stack looks higher already with the tile on it that this hand had drawn."""
        upper = stop.slot._replace(layer="top")
        return upper in self._drew.get(seat, ()) and self._fingers.higher(stop.slot, stop.since)

    def _on_average(self, seat: Seat, touch: Touch) -> None:
        """Which tile within a wall a hand rests on: the first look may have shown another.

        If they were still coming in that one, as far as it is from the others, it does not count.
        That is asked while it rests there: when it is told the tile may have been taken.
        """
        rested = self._table.arms.middle(seat, touch.since + _LEAST_S, touch.last)
        coming = rested is not None and distance(touch.at, rested) > STILL_MM
        middle = self._table.arms.middle(seat, touch.since, touch.last)
        slot = self._rested_on.slot(seat, rested if coming else middle, touch.last)
        if slot is not None and slot.side == touch.slot.side:
            touch.meant = slot if slot.stack != touch.slot.stack else None

    def _tell(self, seat: Seat, slot: Slot, t: float, sure: float) -> None:
        self._table.emit(TileDrawn(t=t, seat=seat, slots=(slot,), stage="touched", confidence=sure))
