"""Draws that nobody saw, told by the hand that is as large after its discard as it was before.

The eye may go on taking the lower tile of a stack for the upper one, where that lay a little aside:
then the stack seems as high as before. Whose row has one tile more than it can have otherwise, and
whose hand was at the tile that was due to him, has drawn that.
"""

from __future__ import annotations

from statistics import fmean

from table_controller.domain.happenings import Seat
from table_controller.happenings.looks.places import SEATS
from table_controller.happenings.looks.visits import Visit
from table_controller.happenings.table import Table
from table_controller.happenings.taking.stages import Stages, Taking
from table_controller.happenings.taking.turns import last_of, next_of, replaces
from table_controller.happenings.wall.stacks import LAYERS, Stack

_MOST_S = 1.5
"""So long a row that is too large waits for draws that are not told yet."""
_ASIDE_MM = 1.2
"""The tile below is seen so far from where the upper one was, taken for the upper one."""


class Unseen:
    """Tells such draws when the row is counted."""

    def __init__(self, table: Table, stages: Stages) -> None:
        self._table = table
        self._stages = stages
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
        stack, near = table.walls.stacks[slot[:2]], table.setup.patience.near_mm
        visits = table.arms.visits(stack.point, since, discarded, near, slow=False)
        came = next((visit for visit in visits if visit.seat == seat), None)
        if came is None or not _another(stack, came):
            return
        home = table.home(seat, came.left)
        at = came.left if home is None else min(home, discarded)
        taking = Taking(seat, [slot], at, came.came, t)
        table.walls.presume_taken(stack)
        self._stages.tell(taking, "taken", at)
        table.drawn_at[seat] = max(at, table.drawn_at.get(seat, at))


def _another(stack: Stack, visit: Visit) -> bool:
    """Whether what shows of a stack since a hand was there lies elsewhere than before."""
    clear = [one for one in stack.glances if one.height == len(LAYERS) and not one.hidden]
    before = [one.across for one in clear if one.t < visit.came]
    after = [one.across for one in clear if one.t > visit.left]
    return bool(before and after) and abs(fmean(after) - fmean(before)) >= _ASIDE_MM
