"""Pictures that a table named and that never came are asked for once, by themselves."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from nats.errors import TimeoutError as BusTimeoutError
from nats.js.errors import BucketNotFoundError, ObjectNotFoundError

from table_controller.console.desk import NotThereError
from table_controller.venue.hall.evidence import Evidence
from table_controller.venue.hub.store import Store
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.lines import HEADER, Stream, made
from tests.table_controller.venue.pools import OnePool

NAME = "00112233aabbccdd"
FILES = ("alert-0001/before.jpg", "alert-0001/after.jpg")


class Bucket:
    """An object store without any picture."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def jetstream(self, **_: Any) -> Bucket:
        return self

    async def object_store(self, _: str) -> Bucket:
        if isinstance(self._error, BucketNotFoundError):
            raise self._error
        return self

    async def get(self, _: str) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "age", "key", "orders"),
    [
        (ObjectNotFoundError(), 100, "alert-0001", 1),
        (BucketNotFoundError(), 100, "alert-0001", 1),
        (ObjectNotFoundError(), 0, "alert-0001", 0),  # they may be on their way
        (ObjectNotFoundError(), 100, "alert-0009", 0),  # nobody raised it
        (BusTimeoutError(), 100, "alert-0001", 0),  # nobody knows whether they are there
    ],
)
def test_what_is_missing_is_ordered_once(
    database: Any, error: Exception, age: float, key: str, orders: int
) -> None:
    async def work() -> None:
        async with database() as db:
            alert = {"key": "alert-0001", "id": "false-win", "t": 3.0, "seat": 1}
            lines = made([("session", HEADER), ("alert", alert),
                          ("evidence", {"alert": "alert-0001", "files": list(FILES)})])  # fmt: skip
            await Store(db, 0).take([Stream().message(lines, NAME)])
            await db.execute(f"UPDATE alert SET received = now() - interval '{age} seconds'")
            hub: Any = SimpleNamespace(pool=OnePool(db), client=Bucket(error))
            # The hall's program is begun again between them.
            for evidence in (Evidence(hub), Evidence(hub)):
                for name in (*FILES, FILES[0]):
                    file = f"{key}/{name.partition('/')[2]}"
                    with pytest.raises(NotThereError, match="no such evidence here"):
                        await evidence.picture("T01", NAME, file)
            rows = await db.fetch("SELECT * FROM hall_order")
            assert len(rows) == orders
            for row in rows:
                assert (row["table_name"], row["kind"]) == ("T01", "evidence")
                assert json.loads(row["body"]) == {"alert": key, "chain": NAME}

    run(work())


DECISION = {"alert": "alert-0001", "action": "accept", "number": 1, "by": "Li"}
WITHDRAWN = {"key": "alert-0001", "id": "false-win", "t": 3.0, "seat": 1, "withdrawn": True}


@pytest.mark.parametrize(
    ("more", "later", "asked", "orders"),
    [
        pytest.param([], False, False, 1, id="it waits for a referee"),
        pytest.param([("decision", DECISION)], False, False, 0, id="decided"),
        pytest.param(
            [("decision", DECISION), ("decision", {**DECISION, "action": "undo"})],
            False, False, 1, id="the decision was taken back",
        ),
        pytest.param([("alert", WITHDRAWN)], False, False, 0, id="withdrawn"),
        pytest.param([], True, False, 0, id="its session is over"),
        pytest.param([], False, True, 1, id="somebody has asked"),
    ],
)  # fmt: skip
def test_who_looks_at_old_alerts_gives_no_orders(
    database: Any, more: list[tuple[str, Any]], later: bool, asked: bool, orders: int
) -> None:
    async def work() -> None:
        async with database() as db:
            alert = {"key": "alert-0001", "id": "false-win", "t": 3.0, "seat": 1}
            stream, store = Stream(), Store(db, 0)
            lines = made([("session", HEADER), ("alert", alert), *more])
            await store.take([stream.message(lines, NAME)])
            if later:
                next_one = made([("session", {**HEADER, "session": "r2-T01"}), ("note", {})])
                await store.take([stream.message(next_one, next_one[0].hash.hex()[:16])])
            await db.execute("UPDATE alert SET received = now() - interval '100 seconds'")
            hub: Any = SimpleNamespace(pool=OnePool(db), client=Bucket(ObjectNotFoundError()))
            if asked:
                await Evidence(hub).ask(1, "alert-0001", "Li")
            with pytest.raises(NotThereError, match="no such evidence here"):
                await Evidence(hub).picture("T01", NAME, FILES[0])
            assert await db.fetchval("SELECT count(*) FROM hall_order") == orders

    run(work())
