"""The hands: how many tiles stand, what shows its face, hands laid open and closed."""

from __future__ import annotations

import itertools
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
from table_controller.happenings.arms import LOST_S, offset_of
from table_controller.happenings.faces import all_sure
from table_controller.happenings.places import SEATS, Area
from table_controller.happenings.rests import Rest
from table_controller.happenings.table import Table
from vision.sightings import Posture

_CALM_S = 0.3
_COUNT_S = 0.35
_GAP_S = 1.2
_EXPOSED_S = 0.6
_OPENING_S = 1.6
_CLOSED_S = 0.8
_RECENT_S = 4.0
_REACH_MM = 26.0
_WITH_DRAW_S, _SORTED_S = 0.7, 1.5
_SEEN_S = 0.15
_COUNT_SURE, _COUNT_GAP = 0.9998, 0.98
"""Of 3,460 counts of closed rows on pictures none was wrong, of those with a hole one was."""
_COUNT_LACKS = 0.6
"""A row that lacks just one tile stands as if one of them were not seen."""
_TIGHT, _ONE_MORE = 1.04, 0.3
_HOLE = 1.5
"""In a closed row the next tile is nearer than so many widths."""
_GONE_LOOKS, _STAYS_LOOKS = 2, 3
"""So many clear looks say that a tile still stands, or is gone; so many that it still stands
though none is seen to lack: the arm may hide the place of the one that was discarded."""
_OPEN = 4
"""So many tiles that show their faces are a hand that was laid open."""


@dataclass(slots=True, eq=False)
class Exposure:
    """A tile of a hand that lies face up while others stand."""

    rest: Rest
    told: bool = False


@dataclass(slots=True)
class _Hand:
    count: int | None = None
    busy: float = 0.0
    changed: float = 0.0
    counted: float = -1.0
    history: list[tuple[float, int]] = field(default_factory=list)
    apart: Rest | None = None
    apart_clear: list[float] = field(default_factory=list)
    """When the tile that stands apart was seen with nothing near it, or whole."""
    apart_whole: int = 0
    """In how many looks it had been seen whole at the last of them."""
    gone: list[tuple[float, Rest]] = field(default_factory=list)
    exposures: list[Exposure] = field(default_factory=list)
    shown: list[Rest] | None = None
    shown_at: float = 0.0
    downs: dict[int, float] = field(default_factory=dict)
    closed: bool = False


class Hands:
    """What stands and lies in front of the four players."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._hands: dict[Seat, _Hand] = {seat: _Hand() for seat in SEATS}
        self._looked, self._resumed = -1e9, -1e9
        """The last look, and the first one after looks that were lost."""

    def clear(self) -> None:
        """A new hand begins."""
        self._hands = {seat: _Hand() for seat in SEATS}

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
        old = [count for t, count in history if before - _RECENT_S <= t <= before + 0.1]
        new = [count for t, count in history if after <= t <= after + _RECENT_S]
        if not new:
            return None
        if not old:
            return new[0] if not history or history[0][0] >= after else None
        return new[0] - old[-1]

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

    def drawn(self, seat: Seat, t: float) -> bool | None:
        """Whether the tile that just left a hand is the one that had been drawn.

        A drawn tile stands apart until its player has decided. Right after a discard it either
        still stands there, or it is gone and the row is as it was. None where that was not seen.

        Args:
            seat: whose hand.
            t: when the tile came to rest elsewhere.
        """
        table = self._table
        apart = self._hands[seat].apart
        picked = max(
            (
                tip.t
                for tip in table.arms.path(seat, t - 2.0, t)
                if tip.point is not None
                and offset_of(seat, tip.point) >= table.places.geometry.hand.offset - _REACH_MM
            ),
            default=None,
        )
        came = table.drawn_at.get(seat)
        if not table.dealt:
            # The dealer took all fourteen in the deal.
            return None
        if apart is None or picked is None or came is None:
            return None
        if apart.since < came - _WITH_DRAW_S or apart.seen < picked - _WITH_DRAW_S:
            return None
        if apart.since > came + _SORTED_S:
            # Hands get sorted: what stands apart since then was not drawn.
            return None
        row = [rest for rest in table.book.standing(seat) if rest is not apart]
        whole = all(rest.missing is None and rest.seen > picked + 0.05 for rest in row)
        lost = not whole or any(
            rest is not apart and at >= picked - _WITH_DRAW_S for at, rest in self._hands[seat].gone
        )
        gone = apart.left is not None or apart.misses >= _GONE_LOOKS
        still = sum(at > picked + 0.05 for at in self._hands[seat].apart_clear)
        if still >= _STAYS_LOOKS or (still >= _GONE_LOOKS and (gone or lost)):
            # It stood there when the hand had gone; it may have been put in since.
            return False
        if gone and not still and row and whole and all(rest.since <= picked for rest in row):
            return True
        return None

    def decided(self, seat: Seat) -> None:
        """A seat has discarded: no tile stands apart any more."""
        self._hands[seat].apart = None
        self._hands[seat].apart_clear.clear()
        self._table.dealt = True

    def pending(self) -> float | None:
        """Time of the earliest undecided change here."""
        times = [
            exposure.rest.arrived
            for hand in self._hands.values()
            for exposure in hand.exposures
            if not exposure.told
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
            hand.gone = [*hand.gone[-8:], (when, rest)]
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
                hand.downs.pop(rest.number, None)
            else:
                hand.downs[rest.number] = t
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
        if not exposure.told:
            if not standing or not rest.face.decided:
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
                by=rest.by,
                confidence=round(min(0.98, max(0.3, rest.face.share)), 3),
            )
        )

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
            self._find_apart(seat, hand)
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

    def _find_apart(self, seat: Seat, hand: _Hand) -> None:
        """Notice a tile that stands off to the right of the row."""
        row = [
            rest
            for rest in self._table.book.all()
            if rest.spot.area is Area.HAND
            and rest.spot.seat == seat
            and rest.posture is Posture.STANDING
            and rest.left is None
            and (rest.believed or rest.looks >= 2)
        ]
        row.sort(key=lambda rest: rest.spot.right)
        width = self._table.places.geometry.tile_width
        if len(row) >= 2 and row[-1].spot.right - row[-2].spot.right > 1.35 * width:
            # The last of the row may have been taken out: then it is still the same tile.
            if hand.apart is not row[-1]:
                hand.apart_clear.clear()
            hand.apart = row[-1]
        apart = hand.apart
        if apart is not None and apart.seen == self._table.now:
            # Beside an arm a tile that is seen whole stands there all the same.
            if apart.seen > apart.covered or apart.whole > hand.apart_whole:
                hand.apart_clear = [*hand.apart_clear[-20:], apart.seen]
            hand.apart_whole = apart.whole

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
        return bool(self._gaps(standing, widths))

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
                confidence=self._count_sure(standing),
            )
        )

    def _count_sure(self, standing: list[Rest]) -> float:
        """How sure a count is: a row is closed, or it has a hole, just where one tile belongs."""
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
        for exposure in hand.exposures:
            if not exposure.told and exposure.rest.face.decided:
                self._expose(seat, exposure)

    def _open(self, seat: Seat, hand: _Hand, rests: list[Rest]) -> None:
        row = sorted([*rests, *self._blank(seat, rests)], key=lambda rest: rest.spot.right)
        gaps = self._gaps(row)
        hole = self._hole(row, gaps, hand.count)
        apart = self._apart(seat, row) if hole is None or len(gaps) > 1 else None
        tiles = tuple(rest.face.tile for rest in row if rest is not apart)
        if hole is not None:
            tiles = (*tiles[:hole], Tile.UNKNOWN, *tiles[hole:])
        hand.shown, hand.exposures, hand.downs = row, [], {}
        hand.shown_at = max(rest.arrived for rest in row)
        self._table.emit(
            HandShown(
                t=hand.shown_at,
                seat=seat,
                tiles=tiles,
                apart=None if apart is None else apart.face.tile,
                confidence=all_sure(rest.face for rest in rests),
                foreign=any(rest.face.foreign for rest in rests),
            )
        )

    def _blank(self, seat: Seat, rests: list[Rest]) -> list[Rest]:
        """Tiles of an open row whose face was not seen: a white dragon may pass for a back."""
        first, last = (end(rest.spot.right for rest in rests) for end in (min, max))
        return [
            rest
            for rest in self._table.book.believed(Area.HAND, seat)
            if rest.posture in (Posture.FACE_DOWN, Posture.UNSURE)
            and first < rest.spot.right < last
        ]

    def _gaps(self, row: list[Rest], widths: float = 1.7) -> list[int]:
        """Before which tiles of a row there is room for another, if they are so far apart."""
        least = widths * self._table.places.geometry.tile_width
        return [
            index
            for index, (a, b) in enumerate(itertools.pairwise(row), start=1)
            if b.spot.right - a.spot.right > least
        ]

    def _hole(self, row: list[Rest], gaps: list[int], count: int | None) -> int | None:
        """Where one tile of the row is not seen, if just one is not.

        Either fewer lie there than were counted, or the winning tile lies apart and with it a hand
        has not the two tiles more than its sets.
        """
        if len(gaps) == 2 and gaps[-1] == len(row) - 1 and len(row) % 3 == 1:
            return gaps[0]
        return gaps[0] if len(gaps) == 1 and count == len(row) + 1 else None

    def _apart(self, seat: Seat, row: list[Rest]) -> Rest | None:
        """The winning tile: it lies beside the others, or was fetched from a pool."""
        width = self._table.places.geometry.tile_width
        if len(row) < 2:
            return None
        gaps = [
            (b.spot.right - a.spot.right, index)
            for index, (a, b) in enumerate(itertools.pairwise(row))
        ]
        for end, index in ((row[-1], len(gaps) - 1), (row[0], 0)):
            rest = [other for other in row if other is not end]
            level = sum(other.spot.offset for other in rest) / len(rest)
            if gaps[index][0] > 1.4 * width or abs(end.spot.offset - level) > 0.6 * width:
                return end
        for note in reversed(self._table.claims):
            if not note.used and note.seat == seat:
                alike = [rest for rest in row if rest.face.tile is note.tile]
                if alike:
                    note.used = True
                    return max(alike, key=lambda rest: rest.arrived)
        return None

    def _after_shown(self, seat: Seat, hand: _Hand, standing: list[Rest], t: float) -> None:
        assert hand.shown is not None
        lying = [rest for rest in hand.shown if rest in self._table.book.believed(Area.HAND, seat)]
        up = [rest for rest in lying if rest.posture is Posture.FACE_UP]
        if len(standing) + len(lying) - len(up) >= 2 and len(up) <= len(hand.shown) // 2:
            since = [rest.arrived for rest in standing] + list(hand.downs.values())
            self._table.emit(HandHidden(t=max(since, default=t), seat=seat, confidence=0.9))
            hand.shown, hand.downs, hand.count = None, {}, None
            return
        if len(hand.downs) == 1 and not hand.closed:
            since_down = next(iter(hand.downs.values()))
            if t - since_down >= _CLOSED_S and len(up) >= 1:
                hand.closed = True
                self._table.emit(HandClosed(t=since_down, seat=seat, confidence=0.95))
