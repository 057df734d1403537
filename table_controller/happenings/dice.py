"""The dice: thrown, at rest, taken away."""

from __future__ import annotations

from dataclasses import dataclass

from table_controller.domain.happenings import DiceRemoved, DiceRolled, Seat
from table_controller.happenings.looks.looking import Look
from table_controller.happenings.looks.places import distance
from table_controller.happenings.table import Table
from vision.sightings import DieSighting, Point

_LEAST, _GLIMPSED = 0.8, 0.4
"""Confidence of a die that lies in play, and of one that only lies about."""
_BESIDE = 0.5
"""Confidence of a die that lies in play beside a certain one."""
_LEANS, _LIES = 0.85, 0.97
"""A die that is read less surely than the one, in the mean, beside one that is more surely than the
other, leans by so little that it still seems to show a value: dice of one pair are alike."""
_MARK_MM, _OVER_MARK = 7.0, 0.95
"""So near to a lamp or a printed mark that looks like a die only a certain one is believed."""
_STILL_MM = 5.0
_STILL_S = 0.3
_NEXT_S = 0.45
"""Between two looks, some of which may have been lost."""
_LOOKS = 3
_UNREADABLE_S = 1.0
_DOUBTED = 0.7
"""How surely dice were found that were gone before their throw was told."""
_LONELY_S = 2.0
_REMOVED_S = 0.6
_THROW_S = 4.0
_MIDDLE_MM = 160.0
_AWAY_S = 3.0
_LAIN_S = 3.0
"""Nobody throws dice so long before the walls stand: those that lie since then were thrown before
the last hand, and lie under a dome or were forgotten."""
_MOVED_LOOKS, _FADED_LOOKS = 10, 50
"""A die that so many looks on end miss where it lay was moved; what so many miss between two hands
was no lamp."""

_Throw = tuple[tuple[Point, int | None], ...]


@dataclass(frozen=True, slots=True)
class _Shown:
    """What one die showed in all looks since it lies.

    Attributes:
        reads: in how many of them a value.
        at_first: whether one at the first.
        sureness: how surely it was found in each, added up.
    """

    reads: int
    at_first: bool
    sureness: float

    def and_now(self, die: DieSighting) -> _Shown:
        """With one look more."""
        reads = self.reads + (die.value is not None)
        return _Shown(reads, self.at_first, self.sureness + die.confidence)


@dataclass(slots=True)
class _Still:
    """What looks like a die and does not move.

    Attributes:
        point: where it lies, mm.
        since: the first look that saw it there, s.
        misses: how many looks have not since it was last seen.
    """

    point: Point
    since: float
    misses: int = 0

    def looked(self, dice: list[DieSighting], look: Look, within: float) -> None:
        """One look; what hides its place says nothing."""
        if any(distance((die.x, die.y), self.point) <= within for die in dice):
            self.misses = 0
        elif look.looked(*self.point):
            self.misses += 1


class Dice:
    """Two dice on one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._candidate: _Throw = ()
        self._since = 0.0
        self._looks = 0
        self._shown: tuple[_Shown, ...] = ()
        self._told: _Throw = ()
        self._seen, self._stirred = -1e9, -1e9
        self._gone: float | None = None
        self._gone_looks = 0
        self._marks: list[_Still] = []
        self._lain: list[_Still] = []
        """What lay there before the walls came up and was not moved since."""

    def clear(self) -> None:
        """A new hand begins."""
        self._candidate, self._told, self._gone = (), (), None

    @property
    def lying(self) -> tuple[tuple[Point, int | None], ...]:
        """The dice as they were told last, while they lie there."""
        return self._told

    def update(self, look: Look) -> None:
        """One look."""
        seen = [die for die in look.sighting.dice if die.confidence >= _GLIMPSED]
        parked_at = self._table.places.parked
        inner = [die for die in seen if max(abs(die.x), abs(die.y)) < parked_at]
        parked = [die for die in seen if die not in inner and not die.moving]
        self._stay(inner, look)
        if not self._table.playing or len(parked) >= 2:
            # Nobody throws dice before the walls stand, nor dice that lie beside a hand.
            self._learn(inner, look)
        if not self._table.playing:
            self.clear()
            return
        dice = [die for die in inner if self._believed(die)]
        if len(dice) == 1 and dice[0].confidence >= _OVER_MARK:
            # Dice come in pairs: one that leans on something is found less surely.
            dice += [
                die
                for die in inner
                if die not in dice and self._is_other(die) and not self._marked(die)
            ]
        # There are two: what else looks like one, less surely, is none.
        dice = sorted(dice, key=lambda die: -die.confidence)[:2]
        t = look.t
        if len(dice) < 2 or any(die.moving for die in dice):
            self._taken_up()
        if not dice:
            self._candidate = ()
            if self._told and not any(look.covered(*point) for point, _ in self._told):
                self._missing(t, parked=len(parked) == 2)
            return
        self._gone = None
        if any(die.moving for die in dice):
            self._candidate, self._stirred = (), t
            return
        throw: _Throw = tuple(((die.x, die.y), die.value) for die in dice)
        if len(throw) == 2 and not self._same(throw, self._candidate):
            # The order in which an eye lists the dice means nothing.
            throw, dice = throw[::-1], dice[::-1]
        if not self._same(throw, self._candidate):
            # A look that shows what the one before it showed: they have lain still since that one.
            since = self._stirred if t - self._stirred <= _NEXT_S else t
            self._candidate, self._since, self._looks = throw, since, 1
            self._shown = tuple(_Shown(0, die.value is not None, 0.0).and_now(die) for die in dice)
            return
        self._shown = tuple(
            shown.and_now(die) for shown, die in zip(self._shown, dice, strict=True)
        )
        self._candidate = self._merged(throw)
        self._looks += 1
        self._seen = t
        self._judge(dice, t)

    def _learn(self, dice: list[DieSighting], look: Look) -> None:
        """Lamps and marks of the table that look like dice stay where they are."""
        for die in dice:
            if not die.moving and not self._marked(die):
                self._marks.append(_Still((die.x, die.y), look.t))

    def _stay(self, dice: list[DieSighting], look: Look) -> None:
        """What lies still between two hands is no new throw, and what is missed then no lamp."""
        for one in self._lain:
            one.looked(dice, look, _STILL_MM)
        moving = [(die.x, die.y) for die in dice if die.moving]
        self._lain = [
            one
            for one in self._lain
            if one.misses < _MOVED_LOOKS
            and not any(distance(point, one.point) <= _STILL_MM for point in moving)
        ]
        if self._table.playing:
            return
        for mark in self._marks:
            mark.looked(dice, look, _MARK_MM)
        self._marks = [mark for mark in self._marks if mark.misses < _FADED_LOOKS]
        for die in dice:
            point = die.x, die.y
            if not die.moving and not self._lying_near(point):
                self._lain.append(_Still(point, look.t))

    def _lying_near(self, point: Point) -> list[_Still]:
        return [one for one in self._lain if distance(point, one.point) <= _STILL_MM]

    def _has_lain(self, point: Point) -> bool:
        """Whether a die lies where one lay long before the walls stood, and ever since."""
        thrown = self._table.raised_at - _LAIN_S
        return any(one.since <= thrown for one in self._lying_near(point))

    def _marked(self, die: DieSighting) -> bool:
        return any(distance((die.x, die.y), mark.point) <= _MARK_MM for mark in self._marks)

    def _believed(self, die: DieSighting) -> bool:
        return die.confidence >= (_OVER_MARK if self._marked(die) else _LEAST)

    def _is_other(self, die: DieSighting) -> bool:
        """Whether that is the other one of a pair; where it was one it need not be so sure."""
        known = any(distance((die.x, die.y), point) <= _STILL_MM for point, _ in self._candidate)
        return known or die.confidence >= _BESIDE

    @staticmethod
    def _same(a: _Throw, b: _Throw) -> bool:
        return len(a) == len(b) and all(
            distance(p, q) <= _STILL_MM and (v == w or v is None or w is None)
            for (p, v), (q, w) in zip(a, b, strict=True)
        )

    def _merged(self, throw: _Throw) -> _Throw:
        return tuple(
            (point, value if value is not None else old)
            for (point, value), (_, old) in zip(throw, self._candidate, strict=True)
        )

    def _taken_up(self) -> None:
        """Dice that lay still are moved: if one showed no value all the time, that was a throw.

        Such dice are thrown again at once.
        """
        lay = self._lay_still(self._seen)
        if len(self._candidate) == 2 and self._unread() and lay and not self._is_told():
            self._forget_unread()
            self._tell(_DOUBTED)

    def _lay_still(self, until: float) -> bool:
        """Whether they lay still in enough looks, and for long enough, by then."""
        return self._looks >= _LOOKS and until - self._since >= _STILL_S - 1e-6

    def _unread(self) -> set[int]:
        """Which of the dice show no value.

        One that was read at the very first look and never since was caught before it tipped over:
        it leans on something.
        """
        return {
            index
            for index, ((_, value), shown) in enumerate(
                zip(self._candidate, self._shown, strict=True)
            )
            if value is None
            or (shown.at_first and shown.reads == 1 < self._looks)
            or self._leans(index)
        }

    def _leans(self, index: int) -> bool:
        """Whether a die is read so much less surely than the other that it does not lie flat."""
        if len(self._candidate) < 2:
            return False
        mine, other = (self._shown[n].sureness / self._looks for n in (index, 1 - index))
        return mine < _LEANS and other >= _LIES

    def _forget_unread(self) -> None:
        """What was read of dice that show no value is none."""
        unread = self._unread()
        self._candidate = tuple(
            (point, None if index in unread else value)
            for index, (point, value) in enumerate(self._candidate)
        )

    def _is_told(self) -> bool:
        turned = self._candidate[::-1]
        again = bool(self._told) and (
            self._same(self._candidate, self._told) or self._same(turned, self._told)
        )
        return again or all(self._has_lain(point) for point, _ in self._candidate)

    def _judge(self, dice: list[DieSighting], t: float) -> None:
        if not self._lay_still(t):
            return
        if self._is_told():
            return
        if self._told and len(self._candidate) < len(self._told) and self._subset():
            return
        if len(self._candidate) < 2 and (t - self._since < _LONELY_S or self._thrower() is None):
            return
        readable = len(self._candidate) == 2 and not self._unread()
        if not readable:
            if t - self._since < _UNREADABLE_S:
                return
            self._forget_unread()
        self._tell(min((die.confidence for die in dice), default=0.5))

    def _tell(self, seen: float) -> None:
        """Tell the throw that lies there; ``seen`` is how surely its dice were found in a look."""
        values = tuple(value for _, value in self._candidate if value is not None)
        half = self._table.places.geometry.dice.half + 12.0
        on_place = all(max(abs(x), abs(y)) <= half for (x, y), _ in self._candidate)
        self._told = self._candidate
        # Each was found in several looks: that there is none is less likely than one look says.
        confidence = 1.0 - (1.0 - seen) / _LOOKS
        self._table.emit(
            DiceRolled(
                t=self._since,
                values=values,
                seat=self._thrower(),
                valid=len(values) == 2 and on_place,
                confidence=round(confidence, 3),
            )
        )

    def _subset(self) -> bool:
        """Whether only some of the dice that lay there were taken away so far."""
        return all(
            any(distance(point, old) <= _STILL_MM for old, _ in self._told)
            for point, _ in self._candidate
        )

    def _thrower(self) -> Seat | None:
        visits = self._table.arms.visits(
            (0.0, 0.0), self._since - _THROW_S, self._since, _MIDDLE_MM
        )
        return max(visits, key=lambda visit: visit.left).seat if visits else None

    def _missing(self, t: float, parked: bool) -> None:
        """The dice are not where they lay: taken away, or up for the next throw."""
        if self._gone is None:
            self._gone, self._gone_looks = t, 0
        self._gone_looks += 1
        # Who takes tiles waits for no other throw.
        sure = parked or self._table.walls.changed > self._gone
        if self._gone_looks < _LOOKS or t - self._gone < (_REMOVED_S if sure else _AWAY_S):
            return
        visits = self._table.arms.visits((0.0, 0.0), self._seen, self._gone, _MIDDLE_MM)
        when = min(visits[0].left, self._gone) if visits else self._gone
        self._told, self._gone = (), None
        self._table.emit(
            DiceRemoved(t=when, seat=visits[0].seat if visits else None, confidence=0.95)
        )
