"""Hands counted, buttons pressed, places not looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from table_controller.domain.happenings import Call, HandCounted, NotLooked, Seat
from table_controller.game import costs
from table_controller.game.mcr import blind, kongs, taking
from table_controller.game.mcr.unseen import not_discarded

if TYPE_CHECKING:
    from table_controller.game.mcr.table import ChineseTable, Reading


def _in_hand(g: ChineseTable, seat: Seat) -> int:
    return g.seats[seat].standing


def hand_counted(g: ChineseTable, h: HandCounted) -> bool:
    """A count that is as it should be; in the middle of a claim or draw it says nothing."""
    if g.phase in ("idle", "wall", "dice", "deal", "check", "over"):
        return True
    g.seats[h.seat].counted = (h.t, h.count)
    if g.claimer == h.seat or (g.early is not None and g.early.seat == h.seat):
        return True
    kongs.taken_back(g, h.seat, h.count)
    if g.owed[h.seat]:
        return True
    if any(s == h.seat for s, _ in g.reached):
        return True
    believed = _in_hand(g, h.seat)
    leaving = g.turn == h.seat and g.need == "discard" and h.count == believed - 1
    if leaving and g.doubt is None and h.seat not in g.uncounted:
        # The tile has left the row and is told when it rests in the pool.
        return True
    return blind.counted(g, h.seat, h.count) or h.count == believed


def read_hand_counted(g: ChineseTable, h: HandCounted) -> list[Reading]:
    """A wrong number of tiles whose cause was not seen, or a miscount."""
    seat = h.seat
    believed = _in_hand(g, seat)

    def wrong_number(r: ChineseTable) -> None:
        r.now = max(r.now, h.t)
        state = r.seats[seat]
        cause = ("count", seat, h.count - believed)
        if not state.dead:
            alert = "long-hand" if h.count > believed else "short-hand"
            r.spoil(alert, seat, h, t=h.t, cause=cause)
        state.standing = h.count

    readings: list[Reading] = [
        (costs.RARE + 2.0 * (abs(h.count - believed) - 1), wrong_number),
        (costs.disbelief(h.confidence) + 0.5, lambda _r: None),
    ]
    pool = g.seats[seat].pool
    unseen = next((at for at in range(len(pool) - 1, -1, -1) if pool[at].inferred), None)
    if h.count == believed + 1 and unseen is not None and not pool[unseen].tile.known:
        at = unseen

        def held(r: ChineseTable) -> None:
            r.now = max(r.now, h.t)
            not_discarded(r, seat, at, h)

        readings.append((costs.INFRACTION - costs.MISSED, held))
    return readings


def call(g: ChineseTable, h: Call) -> bool:
    """A seat button. What it means shows in what follows."""
    if g.phase == "play" and h.call in ("chow", "pung", "kong", "win"):
        if taking.is_late(g, h.seat, h.call, h.t):
            assert g.chance is not None
            g.flag("claim-late", h.seat, h, t=h.t, cause=("late", h.seat, g.chance.t))
        g.calls = (*g.calls, (h.seat, h.call, h.t, h))
    return True


def not_looked(g: ChineseTable, h: NotLooked) -> bool:
    """Nothing may be concluded from absence there."""
    kept = (gap for gap in g.unlooked if (gap.where, gap.seat) != (h.where, h.seat))
    g.unlooked = (*kept, h)  # the latest of each place tells how long it has been looked at since
    blind.begin(g, h)
    return True
