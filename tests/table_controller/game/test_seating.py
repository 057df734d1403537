"""Changing seats between rounds: the tables that 000 Q24(9) prints."""

from __future__ import annotations

import pytest

from table_controller.domain.outputs import HandRecord
from table_controller.game import seating
from table_controller.game.mcr.table import ChineseTable
from table_controller.referee.decisions import Verdicts
from table_controller.rulesets import load

PLACES = "东南西北"

PRINTED = {
    # 图一
    "every_round": ["东南西北", "南东北西", "西北东南", "北西南东"],
    # 图二: the first two rounds alike, the third and fourth differ.
    "every_round_2": ["东南西北", "南东北西", "西北南东", "北西东南"],
    # ②: after the second round East with South, West with North.
    "after_round_2": ["东南西北", "东南西北", "南东北西", "南东北西"],
}


@pytest.mark.parametrize("scheme", PRINTED)
def test_printed_tables(scheme: str) -> None:
    for round_, row in enumerate(PRINTED[scheme]):
        assert "".join(PLACES[seating.place(scheme, round_, n)] for n in range(4)) == row


@pytest.mark.parametrize("scheme", seating.TABLES)
@pytest.mark.parametrize("east", range(4))
def test_nobody_shares_a_place_and_moves_lead_there(scheme: str, east: int) -> None:
    for round_ in range(1, 4):
        moved = seating.moves(scheme, round_ - 1, round_, east)
        assert sorted(moved) == [0, 1, 2, 3]
        for began in range(4):
            before = seating.side_of(scheme, round_ - 1, began, east)
            assert moved[before] == seating.side_of(scheme, round_, began, east)


@pytest.mark.parametrize("scheme", ["every_round", "every_round_2"])
def test_everybody_sits_everywhere_once(scheme: str) -> None:
    for began in range(4):
        assert {seating.place(scheme, n, began) for n in range(4)} == {0, 1, 2, 3}


def _hand(number: int, payments: tuple[int, ...]) -> HandRecord:
    return HandRecord(
        t=0.0, hand=number, round_wind="E", dealer=0, honba=0, result="win", reason=None, wins=(),
        payments=payments, penalties=(0, -5, 0, 0), scores=payments,
    )  # fmt: skip


def test_points_stay_with_the_player() -> None:
    hands = [_hand(1, (30, -10, -10, -10)), _hand(5, (30, -10, -10, -10))]
    assert seating.totals(hands, "none", 0) == (60, -30, -20, -20)
    # Who began at side 1 sits at side 0 in the second round.
    assert seating.totals(hands, "every_round", 0) == (15, 15, -20, -20)


def test_warnings_of_the_session_go_with_the_player() -> None:
    base = load("mcr-2002-tianjin")
    session = base.session.model_copy(update={"seat_change": "every_round"})
    table = ChineseTable(base.model_copy(update={"session": session}), 2, Verdicts())
    table.counts = {("wall-crooked", 2, "session"): 1, ("*warnings", 3, "session"): 2}
    for _ in range(4):
        table.next_hand()
    assert table.counts == {("wall-crooked", 3, "session"): 1, ("*warnings", 2, "session"): 2}
