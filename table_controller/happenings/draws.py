"""Tiles that leave the wall and come back to it: the stages of a draw."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.domain.happenings import Seat, Slot, TileDrawn, TileReturned
from table_controller.happenings.places import SEATS, distance
from table_controller.happenings.table import Table
from table_controller.happenings.walls import StackChanged

_TOGETHER_S = 0.6
_ORDINARY_S = 1.3
"""A tile that is not with the others so long after it left the wall is being looked at."""
_TOUCH_MM = 26.0
_TOUCH_S = 0.5
_SPILL_MM = 90.0
_LOST_S = 6.0


@dataclass(slots=True)
class Taking:
    """Tiles that left the wall in one reach and have not arrived anywhere yet."""

    seat: Seat | None
    slots: list[Slot] = field(default_factory=list)
    t: float = 0.0
    since: float = 0.0
    noticed: float = 0.0
    told: bool = False


@dataclass(slots=True)
class Touch:
    """Fingertips that rest on a wall tile."""

    slot: Slot
    since: float
    told: bool = False


class Draws:
    """Follows tiles from the wall into the hands."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._open: list[Taking] = []
        self._touches: dict[Seat, Touch] = {}
        self.taken: dict[Seat, float] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._open.clear()
        self._touches.clear()
        self.taken.clear()

    def pending(self) -> float | None:
        """Time of the earliest draw that is not told yet."""
        return min((taking.t for taking in self._open if not taking.told), default=None)

    def lower(self, change: StackChanged, t: float) -> None:
        """Tiles left a stack."""
        seat = change.by if change.by is not None else self._likely(change)
        for taking in self._open:
            if taking.seat == seat and abs(taking.t - change.t) <= _TOGETHER_S and not taking.told:
                taking.slots.extend(change.slots)
                taking.t = max(taking.t, change.t)
                taking.noticed = t
                return
        self._open.append(Taking(seat, list(change.slots), change.t, change.since, t))

    def higher(self, change: StackChanged) -> None:
        """Tiles came back to a stack."""
        for slot in change.slots:
            self._table.spilled.pop(slot, None)
        for taking in list(self._open):
            back = [slot for slot in change.slots if slot in taking.slots]
            if not back:
                continue
            if taking.told:
                self._return(change.by if change.by is not None else taking.seat, back, change.t)
            for slot in back:
                taking.slots.remove(slot)
            if not taking.slots:
                self._open.remove(taking)
            return
        self._return(change.by, list(change.slots), change.t)

    def _return(self, seat: Seat | None, slots: list[Slot], t: float) -> None:
        self._table.emit(TileReturned(t=t, seat=seat, slots=tuple(slots), confidence=0.9))

    def _likely(self, change: StackChanged) -> Seat | None:
        """The seat when several arms were near: the one that has since gone home with it."""
        table = self._table
        point = table.places.slot_point(change.slots[0])
        visits = table.arms.visits(point, change.since, change.until, table.setup.patience.near_mm)
        return visits[0].seat if visits else None

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        for taking in list(self._open):
            self._follow(taking, t)
        self._touching(t)

    def _follow(self, taking: Taking, t: float) -> None:
        table = self._table
        if taking.slots and self._spilled(taking, t):
            self._open.remove(taking)
            return
        if (
            t - taking.noticed < 0.25
            or any(
                table.walls.pending(slot.side, slot.stack + step)
                for slot in taking.slots
                for step in (-1, 0, 1)
            )
        ) and t - taking.noticed < 1.0:
            return
        home = None if taking.seat is None else table.home(taking.seat, taking.t)
        if taking.seat is None and t - taking.t > _ORDINARY_S:
            home = taking.t + 0.5
        if home is not None and t - home >= 0.2:
            self._tell(taking, "taken", home)
            self._open.remove(taking)
            if taking.seat is not None:
                self.taken[taking.seat] = home
        elif not taking.told and t - taking.t > _ORDINARY_S:
            taking.told = True
            self._tell(taking, "lifted", taking.t)
        elif t - taking.t > _LOST_S:
            self._tell(taking, "taken", taking.t)
            self._open.remove(taking)

    def _tell(self, taking: Taking, stage: str, t: float) -> None:
        slots = tuple(sorted(taking.slots, key=_counting_order))
        confidence = 0.6 if taking.seat is None else 0.95
        if stage == "lifted":
            happening = TileDrawn(
                t=t, seat=taking.seat, slots=slots, stage="lifted", confidence=confidence
            )
        else:
            happening = TileDrawn(t=t, seat=taking.seat, slots=slots, confidence=confidence)
        self._table.emit(happening)

    def _spilled(self, taking: Taking, t: float) -> bool:
        """Whether the tiles did not go far: they lie on the felt beside the wall."""
        table = self._table
        for slot in taking.slots:
            point = table.places.slot_point(slot)
            for rest in table.book.all():
                if (
                    rest.since >= taking.since - 0.1
                    and rest.flat
                    and t - rest.seen < 0.3
                    and rest.looks >= 2
                    and distance(rest.point, point) <= _SPILL_MM
                    and table.places.near_wall(rest.x, rest.y)
                ):
                    table.spilled.update(dict.fromkeys(taking.slots, rest.number))
                    return True
        return False

    # -- touching -----------------------------------------------------------------------

    def _touching(self, t: float) -> None:
        table = self._table
        for seat in SEATS:
            tip = table.arms.tip(seat)
            slot = None if tip is None else table.walls.under(tip, _TOUCH_MM)
            touch = self._touches.get(seat)
            if slot is None:
                self._touches.pop(seat, None)
                continue
            if touch is None or (touch.slot.side, touch.slot.stack) != (slot.side, slot.stack):
                self._touches[seat] = Touch(slot, t)
                continue
            if not touch.told and t - touch.since >= _TOUCH_S:
                touch.told = True
                table.emit(
                    TileDrawn(
                        t=touch.since,
                        seat=seat,
                        slots=(touch.slot,),
                        stage="touched",
                        confidence=0.7,
                    )
                )


def _counting_order(slot: Slot) -> tuple[int, int, int]:
    return slot.side, slot.stack, 0 if slot.layer == "top" else 1
