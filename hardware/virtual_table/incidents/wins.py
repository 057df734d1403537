"""Wins that are none."""

from __future__ import annotations

from hardware.virtual_table import steps as do
from hardware.virtual_table.incidents.base import Occasion, Outcome, incident
from table_controller.domain.happenings import Seat


@incident("false-win", "drawn", "discarded")
def false_win(occasion: Occasion) -> Outcome:
    """A hand that is no win is laid open, refused, and stood up again.

    ``on``: ``draw`` or ``discard`` (which then stays in its pool).
    """
    play, table = occasion.play, occasion.play.table
    wanted = occasion.want.options.get("on")
    apart = None
    if occasion.moment == "drawn":
        seat: Seat | None = occasion.offender(occasion.seat)
        apart = play.drawn_token
        if apart is None or wanted == "discard":
            return Outcome.NOT_NOW
    else:
        seat = occasion.offender(*occasion.others(occasion.seat))
        if wanted == "draw":
            return Outcome.NOT_NOW
    if seat is None or len(table.hands[seat]) < 8:
        return Outcome.NOT_NOW
    occasion.step(do.ShowHand(seat=seat, apart=apart, turn_kongs=False))
    occasion.fault(seat)
    occasion.step(do.Pause(seconds=1.5))
    occasion.step(do.HideHand(seat=seat))
    play.barred.add(seat)
    return Outcome.BESIDE
