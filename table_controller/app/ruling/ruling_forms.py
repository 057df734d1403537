"""From what a referee fills in to a ruling, and rulings out of the journal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from table_controller.console.forms import RulingForm
from table_controller.domain.happenings import Seat
from table_controller.domain.outputs import Payment, Ruling
from table_controller.domain.tiles import Tile


class RulingError(ValueError):
    """A ruling that cannot be carried out; one line says why, ``code`` names it for pages."""

    def __init__(self, message: str, code: str, **facts: Any) -> None:
        super().__init__(message)
        self.code = code
        self.facts = facts


def ordered_ruling(
    form: RulingForm,
    seat: int | None,
    seats: tuple[int, ...],
    proposed: Ruling,
    words: str = "",
) -> Ruling:
    """The ruling a referee orders.

    Args:
        form: what was filled in.
        seat: the seat at fault; None where no seat is answerable.
        seats: who plays.
        proposed: the ruling that it replaces.
        words: the reason, which then stands for the summary.

    Raises:
        RulingError: points without a seat that pays, or that cannot be divided.
    """
    payments: tuple[Payment, ...] = ()
    if form.points:
        if seat is None:
            raise RulingError(
                "no seat is answerable for this alert: it cannot cost points", "no_seat"
            )
        payees = _payees(form, seat, seats, proposed)
        if form.points % len(payees):
            raise RulingError(
                f"{form.points} points cannot be divided among {len(payees)} players: "
                f"give a multiple of {len(payees)}",
                "indivisible",
                points=form.points,
                players=len(payees),
            )
        share = form.points // len(payees)
        payments = tuple(Payment(from_=cast("Seat", seat), to=to, points=share) for to in payees)
    said = words.strip()
    return replace(
        proposed,
        summary=said or proposed.summary,
        summary_zh=said or proposed.summary_zh,
        points=form.points,
        payments=payments,
        stop_win=form.stop_win,
        play_along=form.play_along,
        warning=form.warning,
        penalty_tile=Tile(form.penalty_tile) if form.penalty_tile else None,
        remedy=form.remedy if form.remedy is not None else proposed.remedy,
    )


def _payees(
    form: RulingForm, seat: int, seats: tuple[int, ...], proposed: Ruling
) -> list[Seat | None]:
    if form.pay == "nobody":
        return [None]
    if form.pay == "each":
        return [cast("Seat", other) for other in seats if other != seat]
    return [payment.to for payment in proposed.payments] or [None]
