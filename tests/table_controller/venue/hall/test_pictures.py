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
            evidence = Evidence(hub)
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
