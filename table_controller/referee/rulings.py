"""From an infraction to the proposed ruling of the ruleset in force."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from table_controller.domain.happenings import Seat
from table_controller.domain.outputs import Alert, Clause, Payment, Ruling
from table_controller.domain.tiles import Tile
from table_controller.rulesets.model import AlertRule, Pay, Ruleset, RulingEntry

Counts = dict[tuple[str, int | None, str], int]
"""Occurrences: (alert id, seat, counter) to number; session counters outlive the hand."""

WARNINGS = "*warnings"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a ruling depends on beside the id and the seat.

    Attributes:
        stage: how far it went (the ruleset's stages), or what kind it was.
        victims: seats that were harmed.
        tiles: the tiles concerned.
        until: source time until which it may be raised, where it is known.
        occurrence: the count where it is not the number of earlier alerts (go-arounds of dice).
        dealer: where what is paid depends on who deals.
        seats: who plays (three players leave one seat empty).
    """

    stage: str | None = None
    victims: tuple[Seat, ...] = ()
    tiles: tuple[Tile, ...] = ()
    until: float | None = None
    occurrence: int | None = None
    dealer: Seat | None = None
    seats: tuple[Seat, ...] = (0, 1, 2, 3)

    def counted(
        self, counts: Counts, rule: AlertRule, alert: str, seat: Seat | None, ruling: Ruling
    ) -> Counts:
        """The counts with this occurrence in them."""
        key = _counter(rule, alert, seat, self.stage)
        more = {**counts, key: counts.get(key, 0) + 1}
        if ruling.warning:
            warned = (WARNINGS, seat, "session")
            more[warned] = more.get(warned, 0) + int(ruling.extra.get("warnings", 1))
        return more


def _counter(
    rule: AlertRule, alert: str, seat: Seat | None, stage: str | None
) -> tuple[str, int | None, str]:
    by = f":{stage}" if rule.count_by == "stage" else ""
    return (alert, seat, rule.scope + by)


def forget_hand(counts: Counts) -> Counts:
    """The counts at the start of the next hand."""
    return {key: value for key, value in counts.items() if not key[2].startswith("hand")}


def _pick(rule: AlertRule, stage: str | None, count: int) -> tuple[RulingEntry, int]:
    """The entry for a stage and occurrence, and how often its step is added."""
    entries = [entry for entry in rule.rulings if entry.stage == stage]
    if not entries:
        entries = [entry for entry in rule.rulings if entry.stage is None]
    if not entries:
        entries = [entry for entry in rule.rulings if entry.stage == rule.rulings[-1].stage]
    counted = [entry for entry in entries if entry.count is not None]
    if not counted:
        return entries[0], count - 1
    last = counted[-1]
    assert last.count is not None
    if count >= last.count:
        return last, count - last.count
    return next(entry for entry in counted if entry.count == count), 0


def propose(
    ruleset: Ruleset, alert: str, seat: Seat | None, facts: Facts, counts: Counts
) -> tuple[int | None, tuple[Clause, Ruling]]:
    """The ruling for this occurrence.

    Returns:
        The occurrence's number (null where no seat is answerable) and the clause and ruling.
    """
    rule = ruleset.alerts[alert]
    earlier = counts.get(_counter(rule, alert, seat, facts.stage), 0)
    count = facts.occurrence or earlier + 1
    entry, further = _pick(rule, facts.stage, count)
    points, payments = _payments(entry, further, seat, facts)
    window = entry.until or rule.until
    clause = Clause(ruleset=ruleset.name, clause=entry.clause or rule.clause)
    extra: dict[str, Any] = {"window": window.value}
    if entry.points_max:
        extra["points_max"] = entry.points_max + further * entry.step
    if entry.pay is not Pay.NOBODY:
        extra["pay"] = entry.pay.value
    if entry.penalty_tiles and facts.tiles:
        extra["penalty_tiles"] = [tile.value for tile in facts.tiles]
    if entry.void:
        extra["void"] = True
    if entry.warning and entry.warnings > 1:
        extra["warnings"] = entry.warnings
    if entry.disqualify:
        extra["disqualify"] = "the referee decides"
    if entry.remedy_zh:
        extra["remedy_zh"] = entry.remedy_zh
    if entry.warning and seat is not None and ruleset.warnings.ladder:
        number = counts.get((WARNINGS, seat, "session"), 0) + 1
        ladder = ruleset.warnings.ladder
        extra["warning_number"] = number
        extra["warning_deduction"] = (
            ladder[number - 1]
            if number <= len(ladder)
            else ladder[-1] + (number - len(ladder)) * ruleset.warnings.step
        )
    ruling = Ruling(
        summary=entry.summary,
        summary_zh=entry.summary_zh,
        points=points,
        payments=payments,
        stop_win=entry.stop_win,
        play_along=entry.play_along,
        warning=entry.warning,
        penalty_tile=facts.tiles[0] if entry.penalty_tiles and facts.tiles else None,
        remedy=entry.remedy,
        until=facts.until,
        until_text=window.text,
        extra=extra,
    )
    return (None if seat is None else count), (clause, ruling)


def paid_by(alerts: Iterable[Alert]) -> tuple[int, ...]:
    """What the rulings of alerts cost and bring, points by seat 0..3."""
    paid = [0, 0, 0, 0]
    for alert in alerts:
        for payment in alert.ruling.payments:
            paid[payment.from_] -= payment.points
            if payment.to is not None:
                paid[payment.to] += payment.points
    return tuple(paid)


def _payments(
    entry: RulingEntry, further: int, seat: Seat | None, facts: Facts
) -> tuple[int, tuple[Payment, ...]]:
    if entry.pay is Pay.MANGAN and seat is not None:
        return _mangan(seat, facts)
    amount = entry.points + further * entry.step
    if entry.per_tile:
        amount *= max(1, len(facts.tiles))
    if seat is None or not amount:
        return 0, ()
    if entry.pay is Pay.EACH:
        payees = [other for other in facts.seats if other != seat]
    elif entry.pay is Pay.VICTIM:
        payees = [other for other in facts.victims if other != seat]
    else:
        return amount, (Payment(from_=seat, to=None, points=amount),)
    payments = tuple(Payment(from_=seat, to=to, points=amount) for to in payees)
    return amount * len(payments), payments


def _mangan(seat: Seat, facts: Facts) -> tuple[int, tuple[Payment, ...]]:
    """赔满贯 (002, 9.1.1): a dealer pays 4000 to all, others 4000 to the dealer, else 2000."""
    payments = tuple(
        Payment(from_=seat, to=other, points=4000 if facts.dealer in (seat, other) else 2000)
        for other in facts.seats
        if other != seat
    )
    return sum(payment.points for payment in payments), payments
