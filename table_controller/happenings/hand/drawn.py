"""The tile that a player has drawn: it stands apart from the others until it is decided upon."""

from __future__ import annotations

from dataclasses import dataclass, field

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.arms import offset_of
from table_controller.happenings.looks.places import SEATS, Area
from table_controller.happenings.rest.rests import Rest
from table_controller.happenings.table import Table
from vision.sightings import Posture

_REACH_MM = 26.0
_WITH_DRAW_S, _SORTED_S = 0.7, 1.5
_GONE_LOOKS, _STAYS_LOOKS = 2, 3
"""So many clear looks say that a tile still stands, or is gone; so many that it still stands
though none is seen to lack: the arm may hide the place of the one that was discarded."""
_NEAREST, _FARTHEST = 1.35, 3.0
"""So many tile widths from the last of the row a drawn tile stands."""
_PARTLY, _MOSTLY = 0.4, 0.7
"""Of a tile that stands beside an arm so much is seen."""


@dataclass(slots=True)
class _Apart:
    """What stands apart in one hand, and what left that hand lately."""

    rest: Rest | None = None
    clear: list[float] = field(default_factory=list)
    """When it was seen with nothing near it, or most of it beside an arm."""
    seen: list[float] = field(default_factory=list)
    """When enough of it was seen to be no other."""
    gone: list[tuple[float, Rest]] = field(default_factory=list)
    decided: float = -1e9
    """When the last discard of this hand came to rest, or the first one after the deal."""


class Drawn:
    """Watches the drawn tiles of the four hands."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._apart: dict[Seat, _Apart] = {seat: _Apart() for seat in SEATS}

    def clear(self) -> None:
        """A new hand begins."""
        self._apart = {seat: _Apart() for seat in SEATS}

    def left(self, seat: Seat, rest: Rest, t: float) -> None:
        """A tile left a hand."""
        self._apart[seat].gone = [*self._apart[seat].gone[-8:], (t, rest)]

    def look(self, seat: Seat) -> None:
        """Notice a tile that stands off to the right of the row."""
        known = self._apart[seat]
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
        while len(row) >= 2 and row[-1].spot.right - row[-2].spot.right > _FARTHEST * width:
            # A tile that a hand still holds, or what looks like one.
            row.pop()
        if len(row) >= 2 and row[-1].spot.right - row[-2].spot.right > _NEAREST * width:
            # The last of the row may have been taken out: then it is still the same tile.
            if known.rest is not row[-1]:
                known.clear.clear()
                known.seen.clear()
            known.rest = row[-1]
        apart = known.rest
        if apart is None or apart.seen != self._table.now:
            return
        if apart.shown >= _PARTLY:
            known.seen = [*known.seen[-20:], apart.seen]
        # Beside an arm a tile of which most is seen stands there all the same.
        if apart.seen > apart.covered or apart.shown >= _MOSTLY:
            known.clear = [*known.clear[-20:], apart.seen]

    def discarded(self, seat: Seat, t: float) -> bool | None:
        """Whether the tile that just left a hand is the one that had been drawn.

        A drawn tile stands apart until its player has decided. Right after a discard it either
        still stands there, or it is gone and the row is as it was. None where that was not seen.

        Args:
            seat: whose hand.
            t: when the tile came to rest elsewhere.
        """
        table = self._table
        apart = self._apart[seat].rest
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
        if came <= self._apart[seat].decided:
            # It claimed a tile: nothing was drawn since.
            return None
        if apart.since < came - _WITH_DRAW_S or apart.seen < picked - _WITH_DRAW_S:
            return None
        if apart.since > came + _SORTED_S:
            # Hands get sorted: what stands apart since then was not drawn.
            return None
        row = [rest for rest in table.book.standing(seat) if rest is not apart]
        whole = all(rest.missing is None and rest.seen > picked + 0.05 for rest in row)
        out = [
            rest
            for at, rest in self._apart[seat].gone
            if rest is not apart and at >= picked - _WITH_DRAW_S
        ]
        lost = not whole or bool(out)
        gone = apart.left is not None or apart.misses >= _GONE_LOOKS
        still = sum(at > picked + 0.05 for at in self._apart[seat].clear)
        if still >= _STAYS_LOOKS or (still >= _GONE_LOOKS and (gone or lost)):
            # It stood there when the hand had gone; it may have been put in since.
            return False
        in_part = sum(at > picked + 0.05 for at in self._apart[seat].seen)
        with_other = sum(at > t for at in self._apart[seat].seen)
        hole = bool(out) or any(rest.missing is not None for rest in row)
        if (hole or with_other) and not gone and still and in_part >= _STAYS_LOOKS:
            # Another's place is seen empty, or the other one lies in the pool; this one stood in
            # free sight, then beside a sleeve.
            return False
        if not gone and with_other >= _GONE_LOOKS:
            # The other one lay in the pool already, and it was seen in its place, if in part.
            return False
        sorted_since = any(rest.since > picked for rest in row)
        if whole and len(out) == 1 and not sorted_since and not gone and apart.seen > t:
            # All others stand where they stood, and it is seen too, if only in part.
            return False
        there = still > 0 or apart.seen > t
        if gone and not there and row and whole and not sorted_since:
            return True
        return None

    def decided(self, seat: Seat, t: float) -> None:
        """A seat has discarded: no tile stands apart any more.

        Args:
            seat: whose hand.
            t: when its tile came to rest.
        """
        for each in SEATS if not self._table.dealt else (seat,):
            self._apart[each].decided = t
        self._apart[seat].rest = None
        self._apart[seat].clear.clear()
        self._apart[seat].seen.clear()
        self._table.dealt = True
