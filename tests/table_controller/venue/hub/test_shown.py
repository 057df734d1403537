"""What the hall is shown follows what the tables write later: of alerts, calls and sessions."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from table_controller.console.desk import DecisionRefusedError
from table_controller.console.forms import Decision
from table_controller.domain.happenings import call_key
from table_controller.record.journal import chain
from table_controller.venue.hall import queries
from table_controller.venue.hall.claims import Claims
from table_controller.venue.hall.desk import HallDesk
from table_controller.venue.hall.feed import left
from table_controller.venue.hub.store import Store
from table_controller.venue.messages import Line
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.lines import HEADER, Stream, made, plain
from tests.table_controller.venue.pools import OnePool

if TYPE_CHECKING:
    from table_controller.console.access import Session
    from table_controller.venue.hub.hub import Hub

NAME = "00112233aabbccdd"
ALERT = {"key": "alert-0001", "id": "premature-draw", "t": 3.0, "seat": 1}


def test_a_withdrawn_alert_is_in_the_queue_no_longer(database: Any) -> None:
    """Nobody is sent to it, nor stays on the way; where it stands again it is there again."""
    withdrawn = {**ALERT, "count": 2, "withdrawn": True}

    async def work() -> None:
        async with database() as db:
            pool: Any = OnePool(db)
            other = {**ALERT, "key": "alert-0002"}
            decision = {"alert": "alert-0002", "action": "accept", "number": 1, "by": "Li"}
            lines = made(
                [("session", HEADER), ("alert", ALERT), ("alert", other), ("decision", decision)]
            )
            more = made([("alert", withdrawn), ("alert", {**other, "withdrawn": True})],
                        lines[-1].hash, 5)  # fmt: skip
            last = made([("alert", {**withdrawn, "withdrawn": False})], more[-1].hash, 7)
            stream, store = Stream(), Store(db, 0)
            await store.take([stream.message(lines, NAME)])
            desk = HallDesk(cast("Hub", SimpleNamespace(pool=pool)))
            await desk.claims.claim(1, "alert-0001", "Li", "nonce")

            async def queue() -> list[str]:
                return [row["key"] for row in await queries.open_alerts(pool)]

            assert await queue() == ["alert-0001", "alert-0002"]
            await store.take([stream.message(more, NAME, lines[-1].hash)])
            assert await queue() == []
            assert all(left(row) for row in await queries.alerts(pool, [(1, "alert-0001")]))
            assert await db.fetchval("SELECT count(*) FROM claim") == 0
            form = Decision(action="accept", by="Li")
            with pytest.raises(DecisionRefusedError) as error:
                await desk.decide(1, "alert-0001", form, cast("Session", None))
            assert error.value.code == "withdrawn"
            await store.take([stream.message(last, NAME, more[-1].hash)])
            assert await queue() == ["alert-0001"]
            assert (
                json.loads(await db.fetchval("SELECT body FROM alert WHERE key = 'alert-0001'"))[
                    "count"
                ]
                == 2
            )

    run(work())


def test_an_alert_is_found_once_in_its_own_hand_as_it_holds_now(database: Any) -> None:
    """Two hands later the table says it anew, with the same name."""

    async def work() -> None:
        async with database() as db:
            pool: Any = OnePool(db)
            other = {**ALERT, "key": "alert-0002", "count": 2}
            lines = made([("session", HEADER), ("alert", ALERT), ("hand", {"key": "hand-001"}),
                          ("alert", other), ("hand", {"key": "hand-002"}),
                          ("alert", {**ALERT, "withdrawn": True}),
                          ("alert", {**other, "count": 1})])  # fmt: skip
            await Store(db, 0).take([Stream().message(lines, NAME)])
            nothing: dict[str, Any] = dict.fromkeys(
                ("table", "text", "kind", "since", "until", "hand")
            )

            async def found(**wanted: Any) -> list[tuple[Any, ...]]:
                rows = await queries.search(pool, **{**nothing, **wanted})
                return [
                    (row["body"]["key"], row["hand"], row["seq"], row["hand_id"][-8:])
                    for row in rows
                    if row["kind"] == "alert"
                ]

            first, second = ("alert-0001", 1, 2, "hand-001"), ("alert-0002", 2, 4, "hand-002")
            assert await found() == [second, first]
            for hand, there in ((1, [first]), (2, [second]), (3, [])):
                assert await found(hand=hand) == there
            assert await found(text="withdrawn") == [first]
            assert await found(text='"count": 1') == [second]
            assert await found(text='"count": 2') == []
            assert await found(since=2.0, until=2.0) == [first]

    run(work())


CALLED_AT = 1764170000.1234567


def call_lines() -> list[Line]:
    """Two calls of a session, as the table wrote them."""
    lines: list[Line] = []
    previous, calls = bytes(32), [1, 2]
    bodies: list[tuple[float, str, dict[str, Any]]] = [(1.0, "session", HEADER)]
    for seat in calls:
        body = {"t": CALLED_AT + seat, "kind": "call", "seat": seat, "call": "referee"}
        bodies.append((CALLED_AT + seat, "happening", body))
    for seq, (t, kind, body) in enumerate(bodies, start=1):
        text = json.dumps(body)
        value = chain(previous, seq, t, kind, text)
        lines.append(Line(seq, t, kind, text, value))
        previous = value
    return lines


def test_a_call_that_was_answered_at_the_table_is_answered_in_the_hall(database: Any) -> None:
    async def work() -> None:
        async with database() as db:
            pool: Any = OnePool(db)
            lines, stream, store = call_lines(), Stream(), Store(db, 0)
            await store.take([stream.message(lines, NAME)])
            claims = Claims(cast("Hub", SimpleNamespace(pool=pool)))
            for seq in (2, 3):
                await claims.claim(1, f"call-{seq}", "Li", "nonce")
            told: list[Any] = []
            await db.add_listener("hall", lambda *given: told.extend(json.loads(given[-1])))
            note = {"text": "call answered by Wu", "call": call_key(CALLED_AT + 1, 1), "name": "Wu"}
            more = made([("note", note)], lines[-1].hash, 4)
            await store.take([stream.message(more, NAME, lines[-1].hash)])
            rows = await db.fetch("SELECT seq, answered FROM call ORDER BY seq")
            assert [tuple(row) for row in rows] == [(2, "Wu"), (3, None)]
            assert [row["seq"] for row in await queries.calls(pool)] == [3]
            assert await db.fetchval("SELECT what FROM claim") == "call-3"
            await db.fetchval("SELECT 1")
            assert {"what": "call", "chain": 1, "seq": 2} in told
            # The other way round: the table is told, and its own word on it changes nothing.
            await claims.answer(1, 3, "Li", "nonce", "referee")
            order = await db.fetchrow("SELECT * FROM hall_order")
            key = call_key(CALLED_AT + 2, 2)
            assert (order["kind"], order["table_name"], order["by"]) == ("answer", "T01", "Li")
            assert json.loads(order["body"]) == {
                "call": key, "session": "r1-T01", "role": "referee"
            }  # fmt: skip
            again = made([("note", {**note, "call": key})], more[-1].hash, 5)
            await store.take([stream.message(again, NAME, more[-1].hash)])
            assert await db.fetchval("SELECT answered FROM call WHERE seq = 3") == "Li"

    run(work())


def test_who_called_in_a_session_that_is_over_calls_no_longer(database: Any) -> None:
    async def work() -> None:
        async with database() as db:
            pool: Any = OnePool(db)
            lines, stream, store = call_lines(), Stream(), Store(db, 0)
            await store.take([stream.message(lines, NAME)])
            assert len(await queries.calls(pool)) == 2
            later = {**HEADER, "session": "r2-T01"}
            text = json.dumps(later)
            value = chain(bytes(32), 1, 9e9, "session", text)
            await store.take(
                [stream.message([Line(1, 9e9, "session", text, value)], value.hex()[:16])]
            )
            assert await queries.calls(pool) == []
            assert all(row["over"] for row in await queries.calls(pool, [(1, 2), (1, 3)]))

    run(work())


@pytest.mark.parametrize("answer", ["done", "refused"])
@pytest.mark.parametrize("first", ["waiting", "answer"])
def test_an_order_that_was_answered_waits_no_longer_whichever_journal_comes_first(
    database: Any, first: str, answer: str
) -> None:
    """That it waits is in the journal of one session, the answer in that of the next."""

    async def work() -> None:
        async with database() as db:
            stream, store = Stream(), Store(db, 0)
            await store.take([stream.message(plain(1), NAME)])
            await db.execute(
                "INSERT INTO hall_order (id, table_name, kind, body, by, at) "
                "VALUES ('o1', 'T01', 'session_start', '{}', 'Li', 1)"
            )
            said = {"order": "o1", "kind": "session_start", "by": "Li", "code": "", "facts": {}}
            waits = {**said, "state": "waiting", "reason": "a hand is being played"}
            told = made([("session", HEADER), ("order", waits)])
            before = stream.message(told[1:], NAME, told[0].hash)
            later = {**HEADER, "session": "r2-T01"}
            lines = made([("session", later), ("order", {**said, "state": answer, "reason": "r"})])
            after = stream.message(lines, lines[0].hash.hex()[:16])
            for message in [before, after] if first == "waiting" else [after, before]:
                await store.take([message])
            row = await db.fetchrow("SELECT state, reason FROM hall_order")
            assert tuple(row) == (answer, "r")

    run(work())


def test_a_second_machine_of_a_table_does_not_count_until_somebody_says_so(
    database: Any,
) -> None:
    """The first one died in the round; the spare has its key and an empty disk."""

    async def work() -> None:
        async with database() as db:
            pool: Any = OnePool(db)
            first = plain(3)
            spare = made([("session", {**HEADER, "spare": True})])
            stream, store = Stream(), Store(db, 0)
            names = [lines[0].hash.hex()[:16] for lines in (first, spare)]
            await store.take([stream.message(first, names[0])])
            assert await db.fetch("SELECT * FROM incident") == []
            await store.take([stream.message(spare, names[1])])

            async def counting() -> list[bool]:
                return [row["counts"] for row in await db.fetch("SELECT * FROM chain ORDER BY id")]

            assert await counting() == [True, False]
            said = await db.fetchval("SELECT text FROM incident")
            assert said.startswith(f"session r1-T01 has a second journal, {names[1]}")
            (pair,) = await queries.branches(pool)
            assert (pair["id"], pair["of_id"], pair["twice"]) == (2, 1, True)
            assert (pair["session"], pair["forked_at"]) == ("r1-T01", None)
            desk = HallDesk(cast("Hub", SimpleNamespace(pool=pool)))
            for chosen in (2, 1):
                await desk.choose(chosen, "Li")
                assert await counting() == [chosen == 1, chosen == 2]
            # The same at another table, and another session here, are no second ones.
            await store.take([Stream("T02").message(first, names[0])])
            later = made([("session", {**HEADER, "session": "r2-T01"})])
            await store.take([stream.message(later, later[0].hash.hex()[:16])])
            assert (await counting())[2:] == [True, True]

    run(work())
