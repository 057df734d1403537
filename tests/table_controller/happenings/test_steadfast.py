"""Whatever fails in a look: it is told, and the game goes on."""

from __future__ import annotations

import logging

import pytest

from firmware_bridge.messages import WallPresence
from firmware_bridge.readings import Reading
from table_controller.domain.happenings import HandCounted, NotLooked
from table_controller.happenings.hand.hands import Hands
from table_controller.happenings.machinery import Machinery
from table_controller.happenings.steadfast import Steadfast
from tests.table_controller.happenings.scenes import Table

Log = pytest.LogCaptureFixture


class FaultError(Exception):
    """Of the program."""


def steadfast() -> Table:
    table = Table()
    table.follower = Steadfast(table.geometry, table.setup)
    return table


def test_looks_that_cannot_be_followed_are_told_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: Log
) -> None:
    table = steadfast()
    table.look(5)
    fails = table.t

    def fault(_hands: Hands, _t: float) -> None:
        raise FaultError("of the program")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(Hands, "tick", fault)
        table.look(25)
        while_it_fails = [h for h in table.found if isinstance(h, NotLooked)]
    over = table.t
    table.lying = table.standing(0, 13)
    table.look(30)
    gaps = [h for h in table.found if isinstance(h, NotLooked)]
    assert while_it_fails == gaps[:1], "told while it goes on"
    assert [(h.where, h.until is None) for h in gaps] == [("all", True), ("all", False)]
    assert gaps[0].t == pytest.approx(fails + 0.1, abs=0.11)
    assert gaps[1].until == pytest.approx(over + 0.1, abs=0.11)
    assert [h.count for h in table.found if isinstance(h, HandCounted)] == [13]
    (said,) = [record.getMessage() for record in caplog.records]
    assert said == f"look of top at {gaps[0].t:.3f} s not followed: FaultError: of the program"


def test_a_reading_that_cannot_be_followed_is_told_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: Log
) -> None:
    table = steadfast()

    def fault(_machinery: Machinery, _reading: Reading) -> None:
        raise FaultError("of the program")

    monkeypatch.setattr(Machinery, "reading", fault)
    with caplog.at_level(logging.ERROR):
        assert table.follower.reading(Reading(1.5, WallPresence((0, 0, 0, 0)))) == []
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("reading WallPresence at ")
    assert said.endswith("s not followed: FaultError: of the program")
