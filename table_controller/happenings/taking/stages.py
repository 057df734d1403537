"""How far every draw went, and what is told of it: touched, lifted, seen, taken."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from table_controller.domain.happenings import DrawStage, Seat, Slot, TileDrawn
from table_controller.happenings.looks.dwells import Dwell
from table_controller.happenings.table import Table
from table_controller.happenings.taking.in_place import Handled
from table_controller.happenings.taking.last_stack import LastStack
from table_controller.happenings.taking.staying import (
    ALONG_S,
    SETTLED_S,
    lingered,
    paused,
    rests,
    stay,
    stay_about,
)
from table_controller.happenings.taking.touching import SAME_S, Touching
from table_controller.happenings.taking.turns import due, front_after, replaces_in_turn

LIFT_S = 0.1
"""A tile has been lifted so long after its sensor missed it, or before the hand went away."""
IN_PLACE = 0.9
"""How sure a tile is that was lifted and put back where it stood."""
_ORDINARY_S = 1.6
"""A tile that is not with the others so long after it left the wall is being looked at."""
_SURE, _TAKEN_SURE, _PLAIN_SURE = 0.99, 0.998, 0.9995
"""Of 2,900 draws on pictures ten were told wrong, most of them by a mistaken layer; of 3,254
single tiles told as taken in play since then three were another, or not taken for good; of the
grabs of the deal that left no doubt none was another."""
_LATELY = 12
"""So many tiles are known of which a stage was told lately."""
_REGRETTED_S = 4.0
"""So long after it was taken a tile is brought back by somebody who should not have drawn."""


@dataclass(slots=True)
class Taking:
    """Tiles that left the wall in one reach and have not arrived anywhere yet.

    ``together`` with others, one after the other, by a hand that was not home between: how long it
    was there says nothing of any of them. ``looked`` is when its player was told to look at it.
    ``due``: it is the next tile of the wall, and was its player's when the hand came.
    """

    seat: Seat | None
    slots: list[Slot] = field(default_factory=list)
    t: float = 0.0
    since: float = 0.0
    noticed: float = 0.0
    told: set[DrawStage] = field(default_factory=set)
    dwell: Dwell | None = None
    emptied: float | None = None
    plain: bool = False
    together: bool = False
    looked: float | None = None
    due: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """A tile that has left the wall between two times, and whose it is, if that is known."""

    slot: Slot
    since: float
    t: float
    seat: Seat | None


class Stages:
    """Tells the stages of draws, and knows which go on and which were told lately.

    Attributes:
        open: tiles that left the wall and have not arrived anywhere yet.
        touching: what is told of hands at the wall before they take.
        taken: how many tiles of this hand were told as taken.
        gone: those that were a moment ago; their ``t`` is when they were home.
    """

    def __init__(self, table: Table, touching: Touching) -> None:
        self._table = table
        self.touching = touching
        self._last = LastStack(table)
        self.open: list[Taking] = []
        self._lately: dict[DrawStage, deque[tuple[Slot, float]]] = {
            stage: deque(maxlen=_LATELY) for stage in ("lifted", "taken")
        }
        self._taken: Counter[Seat | None] = Counter()
        self._handled: deque[tuple[Seat | None, Slot, float]] = deque(maxlen=_LATELY)
        """What hands touched, lifted or looked at, and when, as it was told."""
        self.gone: list[Gone] = []

    def clear(self) -> None:
        """A new hand begins."""
        self._last.clear()
        self.open.clear()
        self._taken.clear()
        self._handled.clear()
        self.gone.clear()

    @property
    def taken(self) -> int:
        """How many tiles were told as taken in this hand."""
        return self._taken.total()

    def handled(self, seat: Seat, since: float, but: Slot) -> bool:
        """Whether it was told that a hand touched, lifted or saw a tile of another stack."""
        return any(
            by == seat and at >= since - SAME_S and slot[:2] != but[:2]
            for by, slot, at in self._handled
        )

    def taken_by(self, seat: Seat) -> int:
        """How many of them by one player."""
        return self._taken[seat]

    def brought_back(self, slots: Collection[Slot]) -> None:
        """Tiles are on the wall again: those that were told as taken are nobody's."""
        self._taken.subtract(gone.seat for gone in self.gone if gone.slot in slots)
        self.gone = [gone for gone in self.gone if gone.slot not in slots]

    def tick(self, t: float) -> None:
        """Time went on: who took a tile long ago does not bring it back."""
        self.gone = [gone for gone in self.gone if t - gone.t <= _REGRETTED_S]

    def told(self, stage: DrawStage, slots: Sequence[Slot], since: float) -> bool:
        """Whether it was told that one of these tiles was lifted, or taken, since a time."""
        return any(since <= at for slot, at in self._lately[stage] if slot in slots)

    def follow(self, taking: Taking, home: float | None, t: float, *, held: bool = False) -> None:
        """Tell the stages of a draw that was no plain taking: `held`, then put back, or slow."""
        seat = taking.seat
        touch = self.touching.of(seat, taking.slots)
        slow = touch is not None or held or self._lingered(taking)
        if seat is not None and slow and not taking.together:
            dwell = taking.dwell
            came, left = taking.since, taking.t
            if touch is not None:
                came, left = touch.since, touch.last
            elif dwell is not None:
                came, left = stay(self._table, dwell, taking.slots[0])
                if not taking.told and not self._touch_known(seat, taking, came, left):
                    self.tell(taking, "touched", came)
            if "lifted" not in taking.told:
                lifted = left - LIFT_S if taking.emptied is None else taking.emptied + LIFT_S
                self.tell(taking, "lifted", max(came, lifted))
            # At one's own wall the hand that looks at its tile has hardly left the place.
            went = left if taking.emptied is None else min(left, taking.emptied + LIFT_S)
            until = t if home is None else min(t, home + ALONG_S)
            seen = paused(self._table, seat, taking.slots[0], went, until, held=held)
            if seen is not None and "seen" not in taking.told:
                self.tell(taking, "seen", seen)
        elif (
            home is None
            and seat is not None
            and not taking.told
            and t - taking.t > _ORDINARY_S
            and not rests(self._table, seat, t)
            and self._table.brought_home(seat, taking.t) is None
        ):
            self.tell(taking, "lifted", taking.t)

    def fetched_since(self, taking: Taking) -> list[float]:
        """When its hand came for tiles that it took after this one and that are not told yet."""
        return [
            other.dwell.came
            for other in self.open
            if other.seat == taking.seat and other.dwell is not None and other.dwell.came > taking.t
        ]

    def taken_home(self, taking: Taking, until: float) -> None:
        """A tile comes back to the wall: whoever had it at his row before that has seen it."""
        if taking.seat is None or not taking.told or "seen" in taking.told:
            return
        home = self._table.home(taking.seat, taking.t)
        if home is not None and home < until:
            self.tell(taking, "seen", home)

    def tell(self, taking: Taking, stage: DrawStage, t: float) -> None:
        """Tell one stage of a draw."""
        taking.told.add(stage)
        if stage == "seen":
            taking.looked = t
        if stage == "touched":
            self.touching.came_for(taking.seat, taking.slots, t)
        self.touching.took(taking.seat, taking.slots)
        if stage == "taken":
            self._taken[taking.seat] += len(taking.slots)
            self.gone += [Gone(slot, taking.since, t, taking.seat) for slot in taking.slots]
            table = self._table
            if table.dealt:
                table.front = front_after(table.walls, taking.slots, table.front)
        if stage in self._lately:
            self._lately[stage].extend((slot, t) for slot in taking.slots)
        if stage != "taken":
            self._handled.extend((taking.seat, slot, t) for slot in taking.slots)
        self._table.emit(
            TileDrawn(
                t=t,
                seat=taking.seat,
                slots=self._slots(taking, stage),
                stage=stage,
                confidence=self._sure(taking, stage),
            )
        )

    def in_place(self, handled: Handled) -> None:
        """Tell that a tile was lifted where it stands; that it was put back comes after this."""
        told = self.touching.known(handled.seat, handled.slot, handled.came, handled.came)
        stages: list[tuple[DrawStage, float]] = [("lifted", handled.lifted)]
        if not told:
            stages.insert(0, ("touched", handled.came))
        # Of the one that the fingers were seen to rest on it is as sure as that they did.
        sure = _SURE if told else IN_PLACE
        for stage, t in stages:
            self._table.emit(
                TileDrawn(
                    t=t, seat=handled.seat, slots=(handled.slot,), stage=stage, confidence=sure
                )
            )
        self._lately["lifted"].append((handled.slot, handled.lifted))
        self._handled.append((handled.seat, handled.slot, handled.lifted))

    def _touch_known(self, seat: Seat, taking: Taking, came: float, left: float) -> bool:
        """Whether its touch was told already: while the hand was about it in that stop or before.

        Where it is held to be looked at the hand stops once more.
        """
        first, _ = stay_about(self._table, seat, taking.slots[0], taking.since)
        return self.touching.known(seat, taking.slots[0], min(came, first), left)

    def _lingered(self, taking: Taking) -> bool:
        """Whether the hand stayed on a tile longer than it takes to take it."""
        dwell = taking.dwell
        if dwell is None or len(taking.slots) != 1:
            return False
        if dwell.came - self.touching.returned(dwell.seat) <= SETTLED_S:
            return False
        drawn = (self._table, dwell.seat, taking.slots[0], dwell.came)
        if due(*drawn) or replaces_in_turn(*drawn):
            return False
        return lingered(self._table, dwell, taking.slots[0])

    def _slots(self, taking: Taking, stage: DrawStage) -> tuple[Slot, ...]:
        """Where these tiles stood, as they are told."""
        if len(taking.slots) != 1:
            return tuple(sorted(taking.slots, key=_counting_order))
        (slot,) = taking.slots
        return (self._last.named(slot, taking.seat, taking.t, taken=stage == "taken"),)

    def _sure(self, taking: Taking, stage: DrawStage) -> float:
        """How sure it is that these tiles went there."""
        if taking.seat is None:
            return 0.6
        if taking.plain:
            return _PLAIN_SURE
        single = stage == "taken" and len(taking.slots) == 1 and self._table.dealt
        return _TAKEN_SURE if single else _SURE


def _counting_order(slot: Slot) -> tuple[int, int, int]:
    return slot.side, slot.stack, 0 if slot.layer == "top" else 1
