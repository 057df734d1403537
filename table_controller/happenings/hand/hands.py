"""The hands: how many tiles stand, what shows its face, hands laid open and closed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from table_controller.domain.happenings import (
    HandClosed,
    HandCounted,
    HandHidden,
    HandShown,
    Seat,
    TileCovered,
    TileExposed,
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.hand.drawn import Drawn
from table_controller.happenings.hand.laid_open import laid_open
from table_controller.happenings.looks.arms import LOST_S
from table_controller.happenings.looks.faces import all_sure
from table_controller.happenings.looks.places import SEATS, Area
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.standing import gaps
from table_controller.happenings.table import Table
from vision.sightings import Point, Posture

_CALM_S = 0.3
_COUNT_S = 0.35
_GAP_S = 1.2
_EXPOSED_S = 0.6
_OPENING_S = 1.6
_AT_ONCE_S = 0.25
_BROUGHT_S = 4.0
"""A claimed tile is brought home within so long."""
_CLOSED_S = 0.8
_RECENT_S = 4.0
_SEEN_S = 0.15
_COUNT_SURE, _COUNT_GAP = 0.9998, 0.98
"""Of 3,460 counts of closed rows on pictures none was wrong, of those with a hole one was."""
_COUNT_LACKS = 0.6
"""A row that lacks just one tile stands as if one of them were not seen. Or what stands beside it
was not counted."""
_TIGHT, _ONE_MORE = 1.04, 0.3
_HOLE = 1.5
"""In a closed row the next tile is nearer than so many widths."""
_FALLING_S, _SLEEVE_MM, _SLEEVE_LOOKS = 0.15, 125.0, 2
"""Another's sleeve knocks a tile over while his fingers are seen in its row in so many looks.

A neighbour's arm lies over all of the row from his own side to his fingers.
"""
_RIGHT, _LEFT = 1, 3
"""The players to the right and to the left, in seats from one's own."""
_OPEN = 4
"""So many tiles that show their faces are a hand that was laid open."""
_FETCHED_S = 0.3
"""What was fetched from a pool to win with is with the hand so long after its first tile lies."""

Fetched = Callable[[Seat, tuple[Tile, ...], float, bool], None]
"""A hand laid open, its tiles, by when one of them was fetched, whether it has one more than
stood in it: a discard, or a kong's fourth, that was taken before it was believed to lie."""


@dataclass(slots=True, eq=False)
class Exposure:
    """A tile of a hand that lies face up while others stand."""

    rest: Rest
    told: bool = False
    fetched: bool = False
    """It is the tile that was claimed to win with, laid before the row first."""


@dataclass(slots=True)
class _Hand:
    count: int | None = None
    busy: float = 0.0
    changed: float = 0.0
    counted: float = -1.0
    history: list[tuple[float, int]] = field(default_factory=list)
    exposures: list[Exposure] = field(default_factory=list)
    shown: list[Rest] | None = None
    turned: dict[int, float] = field(default_factory=dict)
    """When tiles of an open hand were turned down or stood up, by their numbers."""
    closed: bool = False


class Hands:
    """What stands and lies in front of the four players.

    Args:
        table: the shared state.
        drawn: which of the tiles that stand was drawn last.
        fetched: told of a hand that is laid open to win.
    """

    def __init__(self, table: Table, drawn: Drawn, fetched: Fetched) -> None:
        self._table = table
        self._drawn = drawn
        self._fetched = fetched
        self._hands: dict[Seat, _Hand] = {seat: _Hand() for seat in SEATS}
        self._looked, self._resumed = -1e9, -1e9
        """The last look, and the first one after looks that were lost."""

    def clear(self) -> None:
        """A new hand begins."""
        self._hands = {seat: _Hand() for seat in SEATS}
        self._drawn.clear()

    def count(self, seat: Seat) -> int | None:
        """The last count that was told."""
        return self._hands[seat].count

    def shown(self, seat: Seat) -> bool:
        """Whether the hand lies open."""
        return self._hands[seat].shown is not None

    def open(self) -> bool:
        """Whether a hand lies open, or is about to be told to."""
        return any(
            self.shown(seat)
            or sum(
                rest.posture is Posture.FACE_UP
                for rest in self._table.book.believed(Area.HAND, seat)
            )
            >= _OPEN
            for seat in SEATS
        )

    def growth(self, seat: Seat, before: float, after: float) -> int | None:
        """By how many standing tiles a hand grew, where it was at rest before and after."""
        history = self._hands[seat].history
        rests = self.rests(seat, before, after)
        if rests is not None:
            return rests[1][1] - rests[0][1]
        new = self.counted(seat, after)
        return new if new is not None and history[0][0] >= after else None

    def rests(
        self, seat: Seat, before: float, after: float
    ) -> tuple[tuple[float, int], tuple[float, int]] | None:
        """When a hand was last at rest before and first after, and how many tiles stood then."""
        history = self._hands[seat].history
        old = [entry for entry in history if before - _RECENT_S <= entry[0] <= before + 0.1]
        new = self._next_rest(seat, after)
        return None if not old or new is None else (old[-1], new)

    def counted(self, seat: Seat, after: float) -> int | None:
        """How many tiles stood in a hand when it was first at rest after a time."""
        rest = self._next_rest(seat, after)
        return None if rest is None else rest[1]

    def _next_rest(self, seat: Seat, after: float) -> tuple[float, int] | None:
        history = self._hands[seat].history
        return next((entry for entry in history if after <= entry[0] <= after + _RECENT_S), None)

    def joined(self, seat: Seat, before: float, after: float, count: int) -> float | None:
        """When at least so many tiles more stood in a hand than at rest before a time.

        What a hand in the way hides only makes the row look shorter.
        """
        old = [standing for t, standing in self._hands[seat].history if t <= before + 0.1]
        row = self._table.book.standing(seat)
        if not old or len(row) < old[-1] + count:
            return None
        arrived = [rest.arrived for rest in row if rest.since > after]
        if len(arrived) < count:
            # The row grew by what was taken before.
            return None
        return max([after, *arrived])

    def pending(self) -> float | None:
        """Time of the earliest undecided change here."""
        times = [
            exposure.rest.arrived
            for hand in self._hands.values()
            for exposure in hand.exposures
            if not exposure.told and not exposure.fetched
        ]
        return min(times, default=None)

    # -- changes ------------------------------------------------------------------------

    def arrived(self, rest: Rest) -> None:
        """A tile came to rest in a hand."""
        hand = self._hands[rest.spot.seat]
        self._touch(hand, rest.since)
        if rest.posture is Posture.FACE_UP and hand.shown is None:
            hand.exposures.append(Exposure(rest))

    def left(self, rest: Rest, t: float) -> None:
        """A tile left a hand."""
        hand = self._hands[rest.spot.seat]
        if rest.spot.area is Area.HAND:
            when = rest.left if rest.left is not None else t
            self._touch(hand, when)
            self._drawn.left(rest.spot.seat, rest, when)
        for exposure in list(hand.exposures):
            if exposure.rest is rest:
                when = rest.left if rest.left is not None else t
                self._hide(rest.spot.seat, exposure, when)
                hand.exposures.remove(exposure)

    def joined_set(self, rest: Rest) -> None:
        """A tile that lay among those of a hand belongs to a set."""
        hand = self._hands[rest.spot.seat]
        self._touch(hand, rest.since)
        hand.exposures = [each for each in hand.exposures if each.rest is not rest]

    def turned(self, rest: Rest, before: Posture, t: float) -> None:
        """A tile turned over where it lies."""
        hand = self._hands[rest.spot.seat]
        if hand.shown is not None and rest in hand.shown:
            if rest.posture is Posture.FACE_UP:
                hand.turned.pop(rest.number, None)
            else:
                hand.turned[rest.number] = t
        elif rest.posture is Posture.FACE_UP:
            rest.arrived = t
            self.arrived(rest)
        elif before is Posture.FACE_UP:
            self.left(rest, t)

    def _touch(self, hand: _Hand, t: float) -> None:
        """Something changed in a hand: it has to be counted again."""
        hand.changed = max(hand.changed, t)
        hand.busy = max(hand.busy, t)

    def _hide(self, seat: Seat, exposure: Exposure, t: float) -> None:
        """An exposed tile is hidden again; tell what was still waiting to be told."""
        rest = exposure.rest
        standing = self._table.book.standing(seat)
        if exposure.fetched:
            return
        if not exposure.told:
            if not standing or not rest.face.decided or rest.face.contradicted:
                return
            self._expose(seat, exposure)
        self._table.emit(TileCovered(t=t, where="hand", seat=seat, tile=rest.face.tile, by=rest.by))

    def _expose(self, seat: Seat, exposure: Exposure) -> None:
        rest = exposure.rest
        exposure.told = True
        self._table.emit(
            TileExposed(
                t=rest.arrived,
                where="hand",
                seat=seat,
                tile=rest.face.tile,
                by=self._overturned_by(seat, rest),
                confidence=round(min(0.98, max(0.3, rest.face.share)), 3),
            )
        )

    def _overturned_by(self, seat: Seat, rest: Rest) -> Seat | None:
        """Who made a tile of a row fall over.

        Nobody else's fingers have any business in a row: where they were there while the tile
        fell its owner's, which are always about, did not do it.
        """
        table = self._table
        strangers = [
            other
            for other in SEATS
            if other != seat
            and sum(
                tip.point is not None and self._reaches(other, seat, tip.point, rest.spot.right)
                for tip in table.arms.path(other, rest.arrived - _FALLING_S, rest.since)
            )
            >= _SLEEVE_LOOKS
        ]
        return strangers[0] if len(strangers) == 1 else rest.by

    def _reaches(self, other: Seat, seat: Seat, point: Point, right: float) -> bool:
        """Whether another's arm with its fingers at a point is at a tile so far to the right."""
        spot = self._table.places.spot(*point)
        if spot.area is not Area.HAND or spot.seat != seat:
            return False
        further = right - spot.right
        beside = (other - seat) % 4
        beneath = (beside == _RIGHT and further > 0) or (beside == _LEFT and further < 0)
        return beneath or abs(further) <= _SLEEVE_MM

    # -- deciding -----------------------------------------------------------------------

    def tick(self, t: float) -> None:
        """Decide what can be decided."""
        if t - self._looked >= LOST_S:
            # Nobody saw the rows calm between the looks that were lost.
            self._resumed = t
        self._looked = t
        for seat, hand in self._hands.items():
            standing = self._table.book.standing(seat)
            if hand.shown is not None:
                self._after_shown(seat, hand, standing, t)
            self._drawn.look(seat)
            if self._hidden_now(seat, t):
                hand.busy = t
                if hand.shown is None and self._others_stand(hand, standing, t):
                    self._faces(seat, hand, standing, t)
                continue
            if self._table.book.unsettled(Area.HAND, seat, t, _CALM_S):
                continue
            if self._calm(hand, t) >= _COUNT_S and not self._gap(standing):
                hand.history.append((t, len(standing)))
                del hand.history[:-60]
            if hand.exposures and hand.shown is None:
                self._faces(seat, hand, standing, t)
            if hand.shown is None and not hand.exposures and hand.busy > hand.counted:
                self._count(seat, hand, standing, t)

    @staticmethod
    def _others_stand(hand: _Hand, standing: list[Rest], t: float) -> bool:
        """Whether a tile or two show their faces while others are seen to stand.

        An arm that rests over a part of the row then hides no hand that is being laid open. A
        tile that lies beside the row may be the winning one, laid there first.
        """
        seen = sum(t - rest.seen < _SEEN_S and rest.turn is None for rest in standing)
        fresh = all(t - exposure.rest.seen < _SEEN_S for exposure in hand.exposures)
        end = max((rest.spot.right for rest in standing), default=0.0)
        within = all(exposure.rest.spot.right < end for exposure in hand.exposures)
        return 0 < len(hand.exposures) < 3 <= seen and fresh and within

    def _hidden_now(self, seat: Seat, t: float) -> bool:
        """Whether anything covers the row of tiles, or the space beside it."""
        table = self._table
        row = table.book.believed(Area.HAND, seat)
        if any(table.covered(rest.x, rest.y, t) for rest in row):
            return True
        # A drawn tile stands some way off to the right until it is decided upon.
        geometry = table.places.geometry
        step = geometry.tile_width / 2
        rights = [rest.spot.right for rest in row] or [0.0]
        first = max(min(rights) - 3 * step, geometry.hand.start)
        last = min(max(rights) + 8 * step, geometry.hand.end)
        return any(
            table.covered(*geometry.to_table(seat, first + n * step, geometry.hand.offset), t)
            for n in range(round((last - first) / step) + 1)
        )

    def _gap(self, standing: list[Rest], widths: float = 1.9) -> bool:
        """Whether a place inside the row is empty: a tile may be on its way there."""
        return bool(gaps(standing, widths * self._table.places.geometry.tile_width))

    def _calm(self, hand: _Hand, t: float) -> float:
        """How long a row has been watched with nothing changing in it, s."""
        return t - max(hand.busy, self._resumed)

    def _count(self, seat: Seat, hand: _Hand, standing: list[Rest], t: float) -> None:
        if not standing and not hand.count:
            return
        if self._calm(hand, t) < (_GAP_S if self._gap(standing) else _COUNT_S):
            return
        if any(rest.flat for rest in self._table.book.believed(Area.HAND, seat)):
            # A hand that is turned face down is not counted: its tiles do not stand.
            return
        hand.count, hand.counted = len(standing), t
        self._table.emit(
            HandCounted(
                t=min(max(hand.busy, hand.changed), t),
                seat=seat,
                count=len(standing),
                confidence=self._count_sure(seat, standing),
            )
        )

    def _count_sure(self, seat: Seat, standing: list[Rest]) -> float:
        """How sure a count is: a row is closed, or it has a hole, just where one tile belongs.

        What stands apart of it like dice that were parked there may be tiles all the same.
        """
        if self._table.book.parked(seat):
            return _COUNT_LACKS
        if not self._gap(standing, _HOLE):
            return _COUNT_SURE
        width = self._table.places.geometry.tile_width
        # What was drawn stands apart at an end of the row.
        apart = [b.spot.right - a.spot.right for a, b in itertools.pairwise(standing[1:-1])]
        room = sum(max(0.0, gap - _TIGHT * width) for gap in apart)
        return _COUNT_LACKS if abs(room - width) <= _ONE_MORE * width else _COUNT_GAP

    def _faces(self, seat: Seat, hand: _Hand, standing: list[Rest], t: float) -> None:
        rests = [exposure.rest for exposure in hand.exposures]
        waited = t - max(rest.since for rest in rests)
        patience = self._table.setup.patience
        if not all(rest.face.decided for rest in rests) and waited < patience.face_wait_s + 0.4:
            return
        if not standing:
            self._open(seat, hand, rests)
            return
        # A hand that is being laid open piece by piece is not a row of exposed tiles.
        if waited < (_OPENING_S if len(rests) >= 3 else _EXPOSED_S):
            return
        due = [each for each in hand.exposures if not each.told and each.rest.face.decided]
        for exposure in due:
            exposure.fetched = self._is_fetched(seat, exposure.rest)
        due = [each for each in due if not each.fetched]
        for exposure in due:
            # What came in sight at once fell at once, however long an arm had hid a part of it.
            since = exposure.rest.since
            fell = [each.rest for each in due if abs(each.rest.since - since) <= _AT_ONCE_S]
            exposure.rest.arrived = max(rest.arrived for rest in fell)
            self._expose(seat, exposure)

    def _is_fetched(self, seat: Seat, rest: Rest) -> bool:
        """Whether it is the tile that its owner has just claimed, and laid in no set yet.

        Arms mostly hide the row until it is laid open. Two cameras saw beneath them once.
        """
        return any(
            note.tile is rest.face.tile and rest.arrived - note.t >= -_AT_ONCE_S
            for note in self._table.unlaid(seat, rest.arrived - _BROUGHT_S)
        )

    def _open(self, seat: Seat, hand: _Hand, rests: list[Rest]) -> None:
        claimed = self._table.unlaid(seat, self._table.turn_of(seat))
        if len(rests) % 3 == 2 and not claimed:
            first = min(rest.arrived for rest in rests)
            tiles = tuple(rest.face.tile for rest in rests)
            one_more = hand.count == len(rests) - 1
            self._fetched(seat, tiles, first + _FETCHED_S, one_more)
        found = laid_open(self._table, seat, rests, hand.count)
        hand.shown, hand.exposures, hand.turned, hand.closed = found.row, [], {}, False
        self._table.emit(
            HandShown(
                t=max(rest.arrived for rest in found.row),
                seat=seat,
                tiles=found.tiles,
                apart=None if found.apart is None else found.apart.face.tile,
                confidence=all_sure(rest.face for rest in rests),
                foreign=any(rest.face.foreign for rest in rests),
            )
        )

    def _after_shown(self, seat: Seat, hand: _Hand, standing: list[Rest], t: float) -> None:
        assert hand.shown is not None
        lying = [rest for rest in hand.shown if rest in self._table.book.believed(Area.HAND, seat)]
        up = [rest for rest in lying if rest.posture is Posture.FACE_UP]
        if len(standing) + len(lying) - len(up) >= 2 and len(up) <= len(hand.shown) // 2:
            since = [rest.arrived for rest in standing] + list(hand.turned.values())
            self._table.emit(HandHidden(t=max(since, default=t), seat=seat, confidence=0.9))
            hand.shown, hand.turned, hand.count = None, {}, None
            return
        turned = [rest for rest in lying if rest.number in hand.turned]
        # Who stands it up tile by tile, because his win was refused, closes nothing.
        if len(turned) == 1 and turned[0].posture is Posture.FACE_DOWN and not hand.closed:
            since_down = hand.turned[turned[0].number]
            if t - since_down >= _CLOSED_S and len(up) >= 1:
                hand.closed = True
                self._table.emit(HandClosed(t=since_down, seat=seat, confidence=0.95))
