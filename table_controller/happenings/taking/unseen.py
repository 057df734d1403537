"""Draws that nobody saw, told by the hand that is as large after its discard as it was before.

The eye may go on taking the lower tile of a stack for the upper one, where that lay a little aside:
then the stack seems as high as before. Whose row has one tile more than it can have otherwise, and
whose hand was at the tile that was due to him, has drawn that. So has he whose row is complete in
the end of the deal, where only his last tile was not seen to leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev

from table_controller.domain.happenings import Seat, Slot
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.looks.visits import Visit
from table_controller.happenings.table import Table
from table_controller.happenings.taking.overlooked import Owed
from table_controller.happenings.taking.stages import Stages, Taking
from table_controller.happenings.taking.turns import (
    front_of_deal,
    last_of,
    next_of,
    players,
    replaces,
)
from table_controller.happenings.wall.stacks import LAYERS, Stack

_MOST_S = 1.5
"""So long a row that is too large waits for draws that are not told yet."""
_ASIDE_MM = 1.2
"""The tile below is seen so far from where the upper one was, taken for the upper one."""
_SHIFTED_MM, _CLEARLY, _CLEAR_LOOKS = 0.5, 4.0, 3
"""Or so far, where that is so many times what so many looks of it before and after differ."""
_LOWER_LOOKS = 2
"""Or so many looks show it lower, whatever the others say."""
_DEALT_TILES = 13
"""So many tiles everybody has after the deal but the dealer; the last one is dealt alone."""
_STANDS_LOOKS = 4
"""So many looks on end that show a stack as high as before go on to show it so."""


class Unseen:
    """Tells such draws when the row is counted."""

    def __init__(self, table: Table, stages: Stages, owed: Owed) -> None:
        self._table = table
        self._stages = stages
        self._owed = owed
        self._since: dict[Seat, float] = {}

    def clear(self) -> None:
        """A new hand begins."""
        self._since.clear()

    def tick(self, t: float, waiting: bool) -> None:
        """After a look; ``waiting``: it is not known yet who took some of the tiles that left."""
        for seat in SEATS:
            if self._table.sizes.surplus(seat) == 1:
                self._since[seat] = t
        busy = {taking.seat for taking in self._stages.open}
        for seat, since in list(self._since.items()):
            if t - since > _MOST_S:
                del self._since[seat]
            elif not waiting and seat not in busy:
                del self._since[seat]
                self._drawn(seat, t)
        if not (self._table.dealt or waiting or self._stages.open):
            self._dealt(t)

    def _drawn(self, seat: Seat, t: float) -> None:
        table = self._table
        discarded = table.discarded_at.get(seat)
        if discarded is None or table.front is None:
            return
        others = [at for other, at in table.discarded_at.items() if other != seat]
        since = max((at for at in others if at < discarded), default=table.raised_at)
        end = last_of if replaces(table, seat, discarded) else next_of
        slot = end(table.walls, table.front)
        if slot is None or slot.layer == "bottom":
            # A lower tile that is gone leaves a gap, which is seen.
            return
        stack = table.walls.stacks[slot[:2]]
        came = self._came(seat, stack, since, discarded)
        if came is None or not _another(stack, came):
            return
        home = table.home(seat, came.left)
        self._tell(seat, slot, came, came.left if home is None else min(home, discarded), t)

    def _dealt(self, t: float) -> None:
        """Tell the last tile that somebody was dealt, once all rows were counted since.

        All others have what they were seen to take. Where the stack lies says less: it is seen
        elsewhere as well when its neighbours are gone.
        """
        table, seats = self._table, players(self._table)
        for seat in seats:
            if self._stages.taken_by(seat) != _DEALT_TILES - 1:
                continue
            front = front_of_deal(table.walls, ())
            slot = None if front is None else next_of(table.walls, front)
            if slot is None or slot.layer == "bottom":
                return
            stack = table.walls.stacks[slot[:2]]
            came = self._came(seat, stack, table.drawn_at.get(seat, table.raised_at), t)
            home = None if came is None else table.home(seat, came.left)
            if came is None or home is None or not _stands(stack, came.left):
                continue
            if all(self._owed(each, home) == int(each == seat) for each in seats):
                self._tell(seat, slot, came, home, t)
                return

    def _came(self, seat: Seat, stack: Stack, since: float, until: float) -> Visit | None:
        """When a seat's hand was first at a stack in a time, however fast."""
        near = self._table.setup.patience.near_mm
        visits = self._table.arms.visits(stack.point, since, until, near, slow=False)
        return next((visit for visit in visits if visit.seat == seat), None)

    def _tell(self, seat: Seat, slot: Slot, came: Visit, at: float, t: float) -> None:
        """Tell a draw of the upper tile of a stack that seems as high as before."""
        table = self._table
        table.walls.presume_taken(table.walls.stacks[slot[:2]])
        self._stages.tell(Taking(seat, [slot], at, came.came, t), "taken", at)
        table.drawn_at[seat] = max(at, table.drawn_at.get(seat, at))


def _another(stack: Stack, visit: Visit) -> bool:
    """Whether what shows of a stack since a hand was there lies elsewhere than before, or lower."""
    clear = [one for one in stack.glances if one.height == len(LAYERS) and not one.hidden]
    before = [one.across for one in clear if one.t < visit.came]
    after = [one.across for one in clear if one.t > visit.left]
    aside = bool(before and after) and _apart(before, after)
    lower = [one for one in stack.glances if one.height == 1 and not one.hidden]
    return aside or sum(one.t > visit.left for one in lower) >= _LOWER_LOOKS


def _apart(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether looks at a tile and at the one below it show two places."""
    shift = abs(fmean(after) - fmean(before))
    clear = min(len(before), len(after)) >= _CLEAR_LOOKS
    noise = max(pstdev(before), pstdev(after))
    return shift >= _ASIDE_MM or (clear and shift >= max(_SHIFTED_MM, _CLEARLY * noise))


def _stands(stack: Stack, since: float) -> bool:
    """Whether the latest looks, all since a time and with no arm over it, show a stack as high."""
    latest = list(stack.glances)[-_STANDS_LOOKS:]
    return (
        len(latest) == _STANDS_LOOKS
        and stack.present is not False
        and all(g.t > since and g.height == stack.height and not g.hidden for g in latest)
    )
