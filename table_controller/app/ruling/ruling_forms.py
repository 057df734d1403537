"""From what a referee fills in to a ruling, and rulings out of the journal."""

from __future__ import annotations

from dataclasses import replace
from math import gcd
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
        shares = _shares(form, seat, seats, proposed)
        payments = _divided(form.points, cast("Seat", seat), shares)
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
        extra=_extra(form, proposed),
    )


def _extra(form: RulingForm, proposed: Ruling) -> dict[str, Any]:
    """What else was proposed, without what belongs to a warning or tiles that are not ordered."""
    gone = set() if form.warning else {"warnings", "warning_number", "warning_deduction"}
    if form.penalty_tile not in proposed.extra.get("penalty_tiles", ()):
        gone.add("penalty_tiles")
    return {name: value for name, value in proposed.extra.items() if name not in gone}


def _shares(
    form: RulingForm, seat: int, seats: tuple[int, ...], proposed: Ruling
) -> dict[Seat | None, int]:
    """Who receives points, and in which proportion (None: nobody)."""
    others = [cast("Seat", other) for other in seats if other != seat]
    shares: dict[Seat | None, int] = {}
    if form.pay == "each":
        shares.update(dict.fromkeys(others, 1))
    elif form.pay == "proposed" and form.shares is not None:
        shares.update({other: form.shares[other] for other in others if form.shares[other]})
    elif form.pay == "proposed":
        shares.update({one.to: one.points for one in proposed.payments if one.points})
    return shares or {None: 1}


def _divided(points: int, seat: Seat, shares: dict[Seat | None, int]) -> tuple[Payment, ...]:
    """The points in these proportions; what is proposed comes out as it was proposed."""
    unit = gcd(*shares.values())
    parts = sum(shares.values()) // unit  # of a limit hand (4000 and twice 2000): four
    if points % parts:
        raise RulingError(
            f"{points} points cannot be divided among {len(shares)} players: "
            f"give a multiple of {parts}",
            "indivisible",
            points=points,
            players=len(shares),
            parts=parts,
        )
    return tuple(
        Payment(from_=seat, to=to, points=share // unit * (points // parts))
        for to, share in shares.items()
    )
