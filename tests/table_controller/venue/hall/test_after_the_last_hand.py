"""Under Chinese rules what is entered after the last hand counts in the hall as at the table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from table_controller.console.forms import OffenceForm, RulingForm
from table_controller.record.session import SessionRecord
from table_controller.venue.hall import queries
from table_controller.venue.handing.outbox import Outbox
from table_controller.venue.hub.store import Store
from table_controller.venue.messages import OrderKind
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.lines import Stream
from tests.table_controller.venue.ordered import PLAN, AtTable


@pytest.fixture
def at(tmp_path: Path) -> Iterator[AtTable]:
    made = AtTable(tmp_path)
    yield made
    made.table.close()


def test_the_hall_counts_it_once_the_session_is_over(at: AtTable, database: Any) -> None:
    at.give(OrderKind.SESSION_START, PLAN)
    at.finish([])
    desk = at.table.ruled.desk(at.table.evidence)
    form = OffenceForm(by="Li", seat=2, about="speech", ruling=RulingForm(points=30, pay="each"))
    desk.enter(form, "referee")
    at.table.settle()

    async def hall() -> list[int]:
        async with database() as db:
            await db.execute("INSERT INTO round (number, state) VALUES (1, 'over')")
            with Outbox(at.table.journal.path) as outbox:
                lines = outbox.pending(100_000)
            await Store(db, 0).take(Stream().all(lines, lines[0].hash.hex()[:16]))
            (session,) = await queries.sessions(db)
            return list(session.scores)

    won = desk.sheet()["hands"][-1]["scores"]
    # Another hand would settle it.
    assert run(hall()) == won
    at.give(OrderKind.SESSION_END)
    after = [won[0] + 10, won[1] + 10, won[2] - 30, won[3] + 10]
    assert run(hall()) == after
    assert SessionRecord.of_journal(at.table.journal).scores == after
