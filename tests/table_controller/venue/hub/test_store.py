"""The hub's side of the journals: each entry once, in order, whatever comes how often."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from table_controller.venue.errors import VenueError
from table_controller.venue.hub import schema
from table_controller.venue.hub.store import Store
from table_controller.venue.messages import Batch
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.lines import HEADER, Stream, changed, made, plain

Database = Callable[[], Any]
NAME = "00112233aabbccdd"


async def stored(db: asyncpg.Connection, name: str = NAME) -> list[tuple[int, bytes]]:
    rows = await db.fetch(
        "SELECT seq, hash FROM entry JOIN chain ON chain.id = chain WHERE name = $1 ORDER BY seq",
        name,
    )
    return [(row["seq"], bytes(row["hash"])) for row in rows]


async def incidents(db: asyncpg.Connection) -> list[str]:
    return [row["text"] for row in await db.fetch("SELECT text FROM incident ORDER BY id")]


def test_entries_are_stored_once_and_in_order(database: Database) -> None:
    async def work() -> None:
        async with database() as db:
            lines, stream, store = plain(10), Stream(), Store(db, 0)
            messages = stream.all(lines, NAME)
            taken = await store.take(messages)
            assert taken.entries == 10
            assert await stored(db) == [(line.seq, line.hash) for line in lines]
            assert await store.position() == 4
            # A hub that died before it acknowledged: all of it comes again, to a hub that knows
            # nothing but the database.
            again = await Store(db, 0).take(messages)
            assert (again.entries, again.again) == (0, 10)
            assert len(await stored(db)) == 10
            row = await db.fetchrow("SELECT * FROM chain")
            assert (row["head"], bytes(row["head_hash"])) == (10, lines[-1].hash)
            assert json.loads(row["header"]) == HEADER

    run(work())


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 19), st.integers(1, 6)), min_size=1, max_size=25))
def test_any_order_of_any_pieces_ends_whole(
    database: Database, pieces: list[tuple[int, int]]
) -> None:
    """Whatever comes, how often and in what order: after a last whole turn all stands."""

    async def work() -> None:
        async with database() as db:
            lines, stream, store = plain(20), Stream(), Store(db, 0)
            for start, size in pieces:
                previous = lines[start - 1].hash if start else bytes(32)
                part = lines[start : start + size]
                await store.take([stream.message(part, NAME, previous)])
                there = await stored(db)
                assert there == [(line.seq, line.hash) for line in lines[: len(there)]]
            await store.take(stream.all(lines, NAME, 4))
            assert await stored(db) == [(line.seq, line.hash) for line in lines]
            assert await db.fetchval("SELECT count(*) FROM chain") == 1

    run(work())


def test_a_gap_is_noticed_and_filled(database: Database) -> None:
    async def work() -> None:
        async with database() as db:
            lines, stream, store = plain(12), Stream(), Store(db, 0)
            messages = stream.all(lines, NAME)
            taken = await store.take([messages[0], messages[2], messages[3]])
            assert set(taken.gaps) == {("T01", NAME, 3)}
            assert len(await stored(db)) == 3
            assert await db.fetchval("SELECT gap_after FROM chain") == 3
            assert await incidents(db) == [f"entries 4 to 6 of chain {NAME} are missing"]
            taken = await store.take(messages[1:])
            assert taken.entries == 9
            assert await db.fetchval("SELECT gap_after FROM chain") is None
            assert await stored(db) == [(line.seq, line.hash) for line in lines]

    run(work())


def test_a_chain_that_forked_unknown_to_its_table_is_kept_apart(database: Database) -> None:
    async def work() -> None:
        async with database() as db:
            lines, stream, store = plain(9), Stream(), Store(db, 0)
            await store.take(stream.all(lines, NAME))
            # The same first five entries, then others.
            other = lines[:5] + made(
                [("happening", {"kind": "other", "n": n}) for n in range(6, 12)], lines[4].hash, 6
            )
            await store.take([stream.message(other[5:8], NAME, lines[4].hash)])
            await store.take([stream.message(other[8:], NAME, other[7].hash)])
            assert await stored(db) == [(line.seq, line.hash) for line in lines]
            branch = f"{NAME}_{other[5].hash.hex()[:8]}"
            assert await stored(db, branch) == [(line.seq, line.hash) for line in other[5:]]
            row = await db.fetchrow("SELECT * FROM chain WHERE name = $1", branch)
            assert (row["forked_at"], row["counts"]) == (6, False)
            assert "forked at entry 6" in (await incidents(db))[0]
            # A new hub finds the branch again.
            more = made([("happening", {"kind": "more"})], other[-1].hash, 12)
            await Store(db, 0).take([stream.message(more, NAME, other[-1].hash)])
            assert (await stored(db, branch))[-1] == (12, more[0].hash)
            assert await db.fetchval("SELECT count(*) FROM chain") == 2

    run(work())


def test_a_branch_that_its_table_declares_is_compared_with_its_chain(database: Database) -> None:
    async def work() -> None:
        async with database() as db:
            lines, stream, store = plain(9), Stream(), Store(db, 0)
            await store.take(stream.all(lines, NAME))
            other = lines[:5] + made([("happening", {"kind": "other"})], lines[4].hash, 6)
            branch = f"{NAME}_01234567"
            await store.take([stream.message(other, branch, of=NAME)])
            row = await db.fetchrow("SELECT * FROM chain WHERE name = $1", branch)
            assert (row["forked_at"], row["head"], row["counts"]) == (6, 6, False)
            assert len(await stored(db, branch)) == 6
            assert len(await stored(db)) == 9

    run(work())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda batch: b"{",
        lambda batch: batch.encode().replace(b'"v":1', b'"v":2'),
        lambda batch: Batch(
            (batch.lines[0], changed(batch.lines[1]), *batch.lines[2:]), bytes(32), 1.0
        ).encode(),
        lambda batch: Batch(batch.lines[::2], bytes(32), 1.0).encode(),
        lambda batch: Batch((), bytes(32), 1.0).encode(),
    ],
)
def test_a_message_that_cannot_be_is_set_apart(
    database: Database, spoil: Callable[[Batch], bytes]
) -> None:
    async def work() -> None:
        async with database() as db:
            lines, stream, store = plain(5), Stream(), Store(db, 0)
            good = stream.message(lines, NAME)
            bad = type(good)(good.subject, 7, spoil(Batch(tuple(lines), bytes(32), 1.0)))
            await store.take([bad, good])
            assert await db.fetchval("SELECT stream FROM quarantine") == 7
            assert len(await stored(db)) == 5

    run(work())


ALERT = {"key": "alert-0001", "id": "premature-draw", "t": 3.0, "seat": 1}


def test_what_the_hall_looks_at_follows_the_entries(database: Database) -> None:
    async def work() -> None:
        async with database() as db:
            decision = {"alert": "alert-0001", "action": "accept", "number": 1, "by": "Li"}
            hand = {"key": "hand-001", "hand": 1, "scores": [1, 2, 3, 4]}
            call = {"kind": "call", "call": "referee", "seat": 2}
            files = {"alert": "alert-0001", "files": ["alert-0001/before.jpg"]}
            lines = made(
                [
                    ("session", HEADER), ("happening", call), ("alert", ALERT),
                    ("evidence", files), ("hand", hand), ("decision", decision),
                    ("hand", {**hand, "scores": [9, 9, 9, 9]}), ("happening", {"kind": "x"}),
                    ("decision", {**decision, "action": "undo"}),
                ]
            )  # fmt: skip
            stream, store = Stream(), Store(db, 0)
            await store.take([stream.message(lines[:6], NAME)])
            row = await db.fetchrow("SELECT * FROM alert")
            assert json.loads(row["decision"])["by"] == "Li"
            assert json.loads(row["files"]) == ["alert-0001/before.jpg"]
            assert row["hand"] == 1
            assert await db.fetchval("SELECT seat FROM call WHERE answered IS NULL") == 2
            await store.take([stream.message(lines[6:], NAME, lines[5].hash)])
            assert await db.fetchval("SELECT decision FROM alert") is None
            assert json.loads(await db.fetchval("SELECT body FROM hand"))["scores"] == [9] * 4
            hands = await db.fetch("SELECT seq, hand FROM entry ORDER BY seq")
            assert [row["hand"] for row in hands] == [1, 1, 1, 1, 1, 2, 1, 2, 2]

    run(work())


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("alert", {"key": "alert-0001", "id": "false-win"}, None),  # no time
        ("alert", {"key": "alert-0001", "id": None, "t": 1.0}, None),  # no name
        ("hand", {"key": "hand-one"}, None),
        ("happening", {"kind": "call", "call": "referee", "seat": "east"}, None),
        ("decision", ["alert"], None),
        ("note", {"n": float("nan")}, {"unreadable": '{"n": NaN}'}),
    ],
)
def test_an_entry_that_is_not_as_entries_are_holds_up_nobody(
    database: Database, kind: str, body: Any, text: Any
) -> None:
    """The journal goes on whole, at its table and at the others; the log says what is left out."""

    async def work() -> None:
        async with database() as db:
            call = {"kind": "call", "call": "referee", "seat": 2}
            lines = made(
                [("session", HEADER), ("happening", call), (kind, body), ("happening", call)]
            )
            other = Stream("T02")
            stream, store = Stream(), Store(db, 0)
            there = other.message(made([("session", HEADER), ("alert", ALERT)]), "ff" * 8)
            message = stream.message(lines, NAME)
            there = type(there)(there.subject, 2, there.data)
            taken = await store.take([message, there])
            assert (taken.entries, await store.position()) == (6, 2)
            assert await stored(db) == [(line.seq, line.hash) for line in lines]
            kept = await db.fetchval("SELECT body FROM entry WHERE hash = $1", lines[2].hash)
            assert json.loads(kept) == (body if text is None else text)
            assert await db.fetchval("SELECT count(*) FROM call") == 2
            assert await db.fetchval("SELECT count(*) FROM alert") == 1
            assert await db.fetchval("SELECT stream FROM quarantine") == message.stream
            (said,) = await incidents(db)
            assert said.startswith(f"message {message.stream} set apart: entry 3: ")
            # It is known now: what comes again is not taken up again.
            again = await Store(db, 0).take([message, there])
            assert (again.entries, again.again, len(await incidents(db))) == (0, 6, 1)

    run(work())


def test_a_transaction_that_fails_leaves_nothing(database: Database) -> None:
    async def work() -> None:
        async with database() as db:
            lines, stream, store = plain(6), Stream(), Store(db, 0)
            await db.execute("ALTER TABLE entry ADD CONSTRAINT full_disk CHECK (seq < 5) NOT VALID")
            messages = stream.all(lines, NAME)
            with pytest.raises(asyncpg.PostgresError):
                await store.take(messages)
            assert await stored(db) == []
            assert await store.position() == 0
            await db.execute("ALTER TABLE entry DROP CONSTRAINT full_disk")
            await store.take(messages)
            assert len(await stored(db)) == 6

    run(work())


def test_only_this_programs_schema_is_used(database: Database) -> None:
    async def work() -> None:
        async with database() as db:
            await schema.check(db)
            assert await schema.migrate(db) == 0
            newest = len(schema.migrations())
            await db.execute("INSERT INTO schema_version VALUES ($1, 'later', 'x')", newest + 1)
            with pytest.raises(VenueError, match=r"newer than this program's.*nothing was changed"):
                await schema.check(db)
            await db.execute("DELETE FROM schema_version")
            with pytest.raises(VenueError, match=r"older than this program's.*nothing was changed"):
                await schema.check(db)
            await db.execute("INSERT INTO schema_version VALUES (1, 'start', 'other')")
            with pytest.raises(VenueError, match="step 1 is not this program's"):
                await schema.check(db)

    run(work())
