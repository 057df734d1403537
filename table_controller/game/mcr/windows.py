"""When the window of an alert ended, or will end, as far as that is known when it is raised.

A ruling names its window in words. Where the thing that ends it has been seen already (an alert is
often raised after some patience), or is a time on the clock, the ruling carries the source time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import Seat
from table_controller.rulesets.model import Window

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable


def end(g: ChineseTable, window: Window, seat: Seat | None, t: float) -> float | None:
    """End of the window for what happened at ``t``, seconds of source time."""
    if window is Window.SESSION_END:
        return g.session_end
    discards = sorted(d.t for state in g.seats for d in state.pool if d.t > t)
    if window is Window.DEALER_FIRST_DISCARD:
        first = g.seats[g.dealer].pool[:1]
        return first[0].t if first and first[0].t >= t else None
    if window is Window.NEXT_DISCARD:
        return discards[0] if discards else None
    draws = sorted(state.drawn_at for state in g.seats if state.drawn_at > t)
    if window is Window.AT_ONCE:
        moves = sorted(discards[:1] + draws[:1])
        return moves[0] if moves else None
    if window is Window.GO_AROUND and seat is not None and g.seats[seat].drawn_at > t:
        return g.seats[seat].drawn_at
    return None
