"""Rounds begin whole or not at all, and again at a table whose computer was replaced."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from table_controller.console.desk import NotThereError
from table_controller.venue.hall.rounds import Rounds
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.pools import OnePool

SEATS = "round,table,east,south,west,north\n1,T01,a,b,c,d\n1,T02,e,f,g,h\n"


@asynccontextmanager
async def seated(database: Callable[[], Any]) -> AsyncIterator[tuple[Any, Rounds]]:
    """Two tables with their players, a round that is planned."""
    async with database() as db:
        section = SimpleNamespace(ruleset="mcr-1998")
        hearing = SimpleNamespace(faults_of=lambda _: [])
        hub: Any = SimpleNamespace(
            pool=OnePool(db), config=SimpleNamespace(hub=section), hearing=hearing
        )
        rounds = Rounds(hub)
        await db.execute("INSERT INTO hall_table (name) VALUES ('T01'), ('T02')")
        await rounds.players("name\n" + "\n".join("abcdefgh"), "players")
        await rounds.seats(SEATS, "seats")
        yield db, rounds


async def ordered(db: Any) -> list[tuple[str, str]]:
    rows = await db.fetch("SELECT table_name, kind FROM hall_order ORDER BY table_name, kind")
    return [(row["table_name"], row["kind"]) for row in rows]


async def told_to_begin(db: Any) -> tuple[dict[str, Any], float]:
    """The plan and the clock that were ordered."""
    rows = {
        row["kind"]: json.loads(row["body"]) for row in await db.fetch("SELECT * FROM hall_order")
    }
    return rows["session_start"], rows["round_clock"]["ends"]


def test_a_round_runs_with_all_its_orders_or_not_at_all(database: Any) -> None:
    async def work() -> None:
        async with seated(database) as (db, rounds):
            await db.execute("UPDATE hall_table SET retired = true WHERE name = 'T02'")
            with pytest.raises(NotThereError, match="no table T02; nothing was ordered"):
                await rounds.start(1, 90, "Li")
            assert await db.fetchval("SELECT state FROM round") == "planned"
            assert await ordered(db) == []
            await db.execute("UPDATE hall_table SET retired = false")
            await rounds.start(1, 90, "Li")
            assert await db.fetchval("SELECT state FROM round") == "running"
            both = ["round_clock", "session_start"]
            assert await ordered(db) == [(table, kind) for table in ("T01", "T02") for kind in both]

    run(work())


def test_one_table_begins_a_running_round_again(database: Any) -> None:
    async def work() -> None:
        async with seated(database) as (db, rounds):
            with pytest.raises(NotThereError) as error:
                await rounds.start(1, None, "Li", ["T02"])
            assert error.value.code == "round_not_running"
            await rounds.start(1, 90, "Li")
            ends = await db.fetchval("SELECT ends FROM round")
            await db.execute("DELETE FROM hall_order")
            with pytest.raises(NotThereError) as error:
                await rounds.start(1, None, "Li", ["T02", "T09"])
            assert (error.value.code, error.value.facts) == ("no_table", {"table": "T09"})
            await rounds.start(1, None, "Li", ["T02"])
            assert await ordered(db) == [("T02", "round_clock"), ("T02", "session_start")]
            plan, clock = await told_to_begin(db)
            assert (plan["session"], plan["players"]) == ("r1-T02", list("efgh"))
            # The others' clock runs on.
            assert clock == ends == await db.fetchval("SELECT ends FROM round")

    run(work())
