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
)
from table_controller.domain.tiles import Tile
from table_controller.happenings.hand.drawn import Drawn
from table_controller.happenings.hand.exposures import Exposures
from table_controller.happenings.hand.laid_open import laid_open
from table_controller.happenings.hand.rows_at_rest import RowsAtRest
from table_controller.happenings.looks.faces import all_sure
from table_controller.happenings.looks.places import SEATS, Area
from table_controller.happenings.looks.tips import LOST_S
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.rest.standing import gaps
from table_controller.happenings.table import Table
from vision.sightings import Posture

_CALM_S = 0.3
_COUNT_S = 0.35
_GAP_S = 1.2
_EMPTY_S = 1.5
"""Who has laid four sets moves his only tile along, and nothing else stands there meanwhile."""
_EXPOSED_S = 0.6
_OPENING_S = 1.6
_CLOSED_S = 0.8
_COUNT_SURE, _COUNT_GAP = 0.9998, 0.98
"""Of 3,460 counts of closed rows on pictures none was wrong, of those with a hole one was."""
_COUNT_LACKS = 0.6
"""A row that lacks just one tile stands as if one of them were not seen. Or what stands beside it
was not counted."""
_TIGHT, _ONE_MORE = 1.04, 0.3
_HOLE = 1.5
"""In a closed row the next tile is nearer than so many widths."""
_OPEN = 4
"""So many tiles that show their faces are a hand that was laid open."""
_FETCHED_S = 0.3
"""What was fetched from a pool to win with is with the hand so long after its first tile lies."""

Fetched = Callable[[Seat, tuple[Tile, ...], float, bool], None]
"""A hand laid open, its tiles, by when one of them was fetched, whether it has one more than
stood in it: a discard, or a kong's fourth, that was taken before it was believed to lie."""


@dataclass(slots=True)
class _Hand:
    count: int | None = None
    busy: float = 0.0
    changed: float = 0.0
    counted: float = -1.0
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

    Attributes:
        rows: how many tiles stood in each while it was at rest.
    """

    def __init__(self, table: Table, drawn: Drawn, fetched: Fetched) -> None:
        self._table = table
        self._drawn = drawn
        self._fetched = fetched
        self.rows = RowsAtRest(table)
        self._exposures = Exposures(table)
        self._hands: dict[Seat, _Hand] = {seat: _Hand() for seat in SEATS}
        self._looked, self._resumed = -1e9, -1e9
        """The last look, and the first one after looks that were lost."""

    def clear(self) -> None:
        """A new hand begins."""
        self._hands = {seat: _Hand() for seat in SEATS}
        self.rows.clear()
        self._exposures.clear()
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

    def pending(self) -> float | None:
        """Time of the earliest undecided change here."""
        return self._exposures.pending()

    # -- changes ------------------------------------------------------------------------

    def arrived(self, rest: Rest) -> None:
        """A tile came to rest in a hand."""
        hand = self._hands[rest.spot.seat]
        self._touch(hand, rest.since)
        if rest.posture is Posture.FACE_UP and hand.shown is None:
            self._exposures.arrived(rest)

    def left(self, rest: Rest, t: float) -> None:
        """A tile left a hand."""
        hand = self._hands[rest.spot.seat]
        when = rest.left if rest.left is not None else t
        if rest.spot.area is Area.HAND:
            self._touch(hand, when)
            self._drawn.left(rest.spot.seat, rest, when)
        self._exposures.left(rest, when)

    def joined_set(self, rest: Rest) -> None:
        """A tile that lay among those of a hand belongs to a set."""
        hand = self._hands[rest.spot.seat]
        self._touch(hand, rest.since)
        self._exposures.joined_set(rest)

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
            exposed = self._exposures.of(seat)
            if self._hidden_now(seat, t):
                hand.busy = t
                if hand.shown is None and (
                    self._exposures.others_stand(seat, standing, t)
                    or _all_lie(hand, exposed, standing, t)
                ):
                    self._faces(seat, hand, exposed, standing, t)
                continue
            if self._table.book.unsettled(Area.HAND, seat, t, _CALM_S):
                continue
            known = standing or not hand.count
            if known and self._calm(hand, t) >= _COUNT_S and not self._gap(standing):
                self.rows.add(seat, t, len(standing))
            if exposed and hand.shown is None:
                self._faces(seat, hand, exposed, standing, t)
            if hand.shown is None and not exposed and hand.busy > hand.counted:
                self._count(seat, hand, standing, t)

    def _hidden_now(self, seat: Seat, t: float) -> bool:
        """Whether anything covers the row of tiles, or the space beside it."""
        table = self._table
        row = table.book.believed(Area.HAND, seat)
        if any(table.covered(rest.x, rest.y, t) for rest in row):
            return True
        # A drawn tile stands some way off to the right until it is decided upon.
        geometry = table.places.geometry
        step = geometry.tile_width / 2
        # Once tiles were counted there is one somewhere, and a hand that moves it hides it.
        anywhere = [geometry.hand.start, geometry.hand.end] if self._hands[seat].count else [0.0]
        rights = [rest.spot.right for rest in row] or anywhere
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
        if not standing and t - hand.changed < _EMPTY_S:
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

    def _faces(
        self, seat: Seat, hand: _Hand, exposed: list[Rest], standing: list[Rest], t: float
    ) -> None:
        waited = t - max(rest.since for rest in exposed)
        patience = self._table.setup.patience
        if not all(rest.face.decided for rest in exposed) and waited < patience.face_wait_s + 0.4:
            return
        if not standing:
            self._open(seat, hand, exposed)
            return
        # A hand that is being laid open piece by piece is not a row of exposed tiles.
        if waited >= (_OPENING_S if len(exposed) >= 3 else _EXPOSED_S):
            self._exposures.tell(seat)

    def _open(self, seat: Seat, hand: _Hand, rests: list[Rest]) -> None:
        claimed = self._table.unlaid(seat, self._table.turn_of(seat))
        if len(rests) % 3 == 2 and not claimed:
            first = min(rest.arrived for rest in rests)
            tiles = tuple(rest.face.tile for rest in rests)
            one_more = hand.count == len(rests) - 1
            self._fetched(seat, tiles, first + _FETCHED_S, one_more)
        found = laid_open(self._table, seat, rests, hand.count)
        hand.shown, hand.turned, hand.closed = found.row, {}, False
        self._exposures.opened(seat)
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
            # Four sets are laid, and one tile was all that stood there.
            alone = len(hand.shown) == 1
            if t - since_down >= _CLOSED_S and (up or alone):
                hand.closed = True
                self._table.emit(HandClosed(t=since_down, seat=seat, confidence=0.95))


def _all_lie(hand: _Hand, exposed: list[Rest], standing: list[Rest], t: float) -> bool:
    """Whether all of a hand was seen to lie open before an arm came over it, for good by now.

    One more than stood there may have been drawn or fetched to win with.
    """
    return (
        bool(exposed)
        and not standing
        and hand.count is not None
        and 0 <= len(exposed) - hand.count <= 1
        and all(rest.face.decided for rest in exposed)
        and t - max(rest.since for rest in exposed) >= _OPENING_S
    )
