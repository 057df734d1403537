"""What a referee enters between two hands is settled with the next one, or at the end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from table_controller.console.forms import OffenceForm, RulingForm
from table_controller.record.journal import EntryKind
from table_controller.venue.messages import OrderKind
from table_controller.venue.virtual.tables import story
from tests.table_controller.venue.half_games import AtRelay
from tests.table_controller.venue.ordered import AtTable

LATE = RulingForm(points=30, pay="nobody")


def enter(at: AtTable, seat: int, ruling: RulingForm) -> None:
    form = OffenceForm(by="Li", request="offence-1", seat=seat, about="late", ruling=ruling)
    at.table.ruled.desk(at.table.evidence).enter(form, "referee")
    at.table.settle()


def play(at: AtTable, number: int) -> None:
    """One hand as it is seen: nobody hands the state over."""
    for one in story(number, 3, 0).happenings:
        if one.kind != "table_set":
            at.table.tell(replace(one, t=at._t + 2000 * number + one.t))
    at.table.controller.t += 60.0
    at.table.controller.judge([])


def settled(at: AtTable) -> list[dict[str, Any]]:
    found = {e.body["key"]: e.body for e in at.table.journal.entries([EntryKind.HAND])}
    return [found[key] for key in sorted(found)]


@pytest.mark.parametrize("before", [0, 1])
def test_an_offence_before_a_hand_is_settled_with_it(tmp_path: Path, before: int) -> None:
    at = AtTable(tmp_path)
    for number in (0, 1):
        if number == before:
            enter(at, 1, LATE)
        play(at, number)
    penalties = [hand["penalties"] for hand in settled(at)]
    assert penalties == [[0, -30 if before == n else 0, 0, 0] for n in (0, 1)]
    assert sum(settled(at)[-1]["scores"]) == -30
    at.table.close()


def test_an_offence_after_the_last_hand_is_settled_at_the_end(tmp_path: Path) -> None:
    at = AtRelay(tmp_path)
    at.begin(1, "abcd")
    at.hand()
    before = at.points()
    enter(at, 2, RulingForm(points=3000, pay="each"))
    assert settled(at)[0]["penalties"] == [0, 0, 0, 0]
    at.give(OrderKind.SESSION_END)
    assert at.points() == [p - 3000 if seat == 2 else p + 1000 for seat, p in enumerate(before)]
    at.table.close()
