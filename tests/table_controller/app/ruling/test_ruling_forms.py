"""Points as a referee orders them: who gets how many of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from table_controller.app.ruling.ruling_forms import RulingError, ordered_ruling
from table_controller.console.forms import OffenceForm, RulingForm
from table_controller.domain.happenings import Seat
from table_controller.domain.outputs import Payment, Ruling
from table_controller.rulesets import load
from table_controller.rulesets.loader import names
from table_controller.rulesets.model import AlertRule, EnteredRule, Pay
from tests.table_controller.console.running import Running


def proposal(shares: dict[Seat | None, int]) -> Ruling:
    """What seat 1 is to pay."""
    payments = tuple(Payment(from_=1, to=to, points=points) for to, points in shares.items())
    return Ruling(summary="", points=sum(shares.values()), payments=payments)


# 002, 9.1.1: who does not deal pays 4000 to the dealer and 2000 to each other.
LIMIT_HAND = proposal({0: 4000, 2: 2000, 3: 2000})
OF_THREE = proposal({0: 4000, 2: 2000})
TO_EACH = proposal({0: 10, 2: 10, 3: 10})
DEDUCTION = proposal({None: 10})
NONE = proposal({})


@pytest.mark.parametrize(
    ("proposed", "form", "expected"),
    [
        # Only another thing is changed: the points stay as they were proposed.
        (LIMIT_HAND, RulingForm(points=8000, warning=True), {0: 4000, 2: 2000, 3: 2000}),
        (OF_THREE, RulingForm(points=6000, warning=True), {0: 4000, 2: 2000}),
        (TO_EACH, RulingForm(points=30, warning=True), {0: 10, 2: 10, 3: 10}),
        (DEDUCTION, RulingForm(points=10, warning=True), {None: 10}),
        # Other points are divided as the proposed ones were.
        (LIMIT_HAND, RulingForm(points=4000), {0: 2000, 2: 1000, 3: 1000}),
        (LIMIT_HAND, RulingForm(points=4), {0: 2, 2: 1, 3: 1}),
        (OF_THREE, RulingForm(points=3000), {0: 2000, 2: 1000}),
        (TO_EACH, RulingForm(points=6), {0: 2, 2: 2, 3: 2}),
        (DEDUCTION, RulingForm(points=7), {None: 7}),
        (NONE, RulingForm(points=7), {None: 7}),
        (LIMIT_HAND, RulingForm(points=0), {}),
        # Or as the referee says.
        (LIMIT_HAND, RulingForm(points=9000, pay="each"), {0: 3000, 2: 3000, 3: 3000}),
        (OF_THREE, RulingForm(points=8000, pay="each"), {0: 4000, 2: 4000}),
        (LIMIT_HAND, RulingForm(points=8000, pay="nobody"), {None: 8000}),
        # An offence that is entered brings its proposal with it; the own share is nobody's.
        (NONE, RulingForm(points=8000, shares=(4000, 0, 2000, 2000)), {0: 4000, 2: 2000, 3: 2000}),
        (NONE, RulingForm(points=4000, shares=(4000, 0, 2000, 2000)), {0: 2000, 2: 1000, 3: 1000}),
        (NONE, RulingForm(points=6000, shares=(4000, 9, 2000, 0)), {0: 4000, 2: 2000}),
        (NONE, RulingForm(points=8000, pay="nobody", shares=(4000, 0, 2000, 2000)), {None: 8000}),
    ],
)
def test_who_gets_how_many(
    proposed: Ruling, form: RulingForm, expected: dict[int | None, int]
) -> None:
    seats = (0, 1, 2) if proposed is OF_THREE else (0, 1, 2, 3)
    ruling = ordered_ruling(form, 1, seats, proposed)
    assert {payment.to: payment.points for payment in ruling.payments} == expected
    assert {payment.from_ for payment in ruling.payments} <= {1}
    assert ruling.points == form.points == sum(expected.values())


@pytest.mark.parametrize(
    ("form", "multiple"),
    [
        (RulingForm(points=4001), 4),
        (RulingForm(points=6), 4),
        (RulingForm(points=8000, pay="each"), 3),
    ],
)
def test_what_does_not_come_out_whole_is_refused(form: RulingForm, multiple: int) -> None:
    with pytest.raises(RulingError, match=f"give a multiple of {multiple}$") as caught:
        ordered_ruling(form, 1, (0, 1, 2, 3), LIMIT_HAND)
    assert caught.value.facts == {"points": form.points, "players": 3, "parts": multiple}


EXTRA = {
    "window": "hand_end", "void": True, "warnings": 2, "warning_number": 3, "warning_deduction": 20,
    "penalty_tiles": ["3m", "4m"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("form", "gone"),
    [
        (RulingForm(warning=True, penalty_tile="3m"), set()),
        (RulingForm(penalty_tile="4m"), {"warnings", "warning_number", "warning_deduction"}),
        (RulingForm(warning=True, penalty_tile="5m"), {"penalty_tiles"}),
        (RulingForm(warning=True), {"penalty_tiles"}),
    ],
)
def test_what_is_not_ordered_goes_with_all_that_belongs_to_it(
    form: RulingForm, gone: set[str]
) -> None:
    proposed = Ruling(summary="", warning=True, extra=EXTRA)
    ruling = ordered_ruling(form, 1, (0, 1, 2, 3), proposed)
    assert ruling.extra == {name: value for name, value in EXTRA.items() if name not in gone}


def test_a_form_without_shares_says_nothing_of_them() -> None:
    # The hall sends forms to tables whose program may be older than its own.
    assert "shares" not in RulingForm(points=3).model_dump(mode="json")
    shares = (4000, 0, 2000, 2000)
    assert RulingForm(shares=shares).model_dump()["shares"] == shares


def filled(offered: dict[str, Any], seat: int) -> RulingForm:
    """The form as the page fills it in."""
    shares = offered.get("shares")
    if shares is not None:
        return RulingForm(points=sum(shares[seat]), pay="proposed", shares=shares[seat])
    pay: Literal["each", "nobody"] = "each" if offered["pay"] == "each" else "nobody"
    return RulingForm(points=offered["points"], pay=pay)


@pytest.mark.parametrize("name", names())
def test_what_is_offered_can_be_entered_as_the_rule_says(tmp_path: Path, name: str) -> None:
    table = Running(tmp_path, name)
    ruleset = load(name)
    rules: dict[str, AlertRule | EnteredRule] = {**ruleset.entered, **ruleset.alerts}
    table.hub.publish("table", {"players": ruleset.equipment.players, "east": 0})
    offered = [one for one in table.desk.offences() if one["rulings"]]
    assert [one["about"] for one in offered] == list(rules)
    assert table.controller.state["dealer"] == 0
    players = table.hub.players
    for one in offered:
        for entry, said in zip(rules[one["about"]].rulings, one["rulings"], strict=True):
            for seat in players:
                form = filled(said, seat)
                ruling = ordered_ruling(form, seat, players, Ruling(summary=""))
                got = {payment.to: payment.points for payment in ruling.payments}
                others = [other for other in players if other != seat]
                if entry.pay is Pay.EACH:
                    assert got == dict.fromkeys(others, entry.points)
                    assert said["step"] == entry.step * len(others)
                elif entry.pay is Pay.MANGAN:
                    assert got == {o: 4000 if 0 in (seat, o) else 2000 for o in others}
                else:
                    assert sum(got.values()) == entry.points
    table.journal.close()


def test_a_limit_hand_is_entered(tmp_path: Path) -> None:
    table = Running(tmp_path, "riichi-xjtu-2025")
    [said] = next(one for one in table.desk.offences() if one["id"] == "false-win")["rulings"]
    form = OffenceForm(by="Li", id="false-win", seat=1, about="false-win", ruling=filled(said, 1))
    table.desk.enter(form, "referee")
    table.settle()
    [alert] = table.alerts.values()
    assert (alert["id"], alert["ruling"]["points"]) == ("false-win", 8000)
    assert [(p["to"], p["points"]) for p in alert["ruling"]["payments"]] == [
        (0, 4000), (2, 2000), (3, 2000),
    ]  # fmt: skip
    table.journal.close()
