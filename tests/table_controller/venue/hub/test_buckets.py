"""Buckets for the tables' evidence: made while there is room, and said when there is none."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from table_controller.venue.access import bus, room
from table_controller.venue.access.keyring import Keyring
from table_controller.venue.errors import RefusedOrderError
from table_controller.venue.handing.uploading import Uploading
from table_controller.venue.hub.buckets import Buckets
from table_controller.venue.messages import BUCKET_READY, NO_ROOM
from table_controller.venue.names import Subjects
from table_controller.venue.servers.local import LocalNats, nats_program
from tests.table_controller.venue.conftest import need, run
from tests.table_controller.venue.pools import OnePool

SUBJECTS = Subjects("spring-open")


@pytest.fixture(params=[1, 3], ids=["one-server", "a-cluster"])
def servers(
    request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LocalNats]:
    """Servers that may store one gigabyte each."""
    need(nats_program)
    monkeypatch.setattr(room, "store_gb", lambda _: 1)
    place = folder / f"buckets-{secrets.token_hex(3)}"
    made = LocalNats(Keyring.make(place / "keys", "spring-open"), place / "nats", request.param)
    made.start()
    yield made
    made.stop()


@asynccontextmanager
async def answering(servers: LocalNats, pool: Any, evidence_gb: float) -> AsyncIterator[Any]:
    """A connection on which tables' requests for their buckets are answered."""
    keys = servers.folder.parent / "keys"
    credentials = bus.load_credentials(keys / "hub" / "hub.creds", "spring-open")
    client = await bus.connect(servers.urls, credentials, keys / "tls" / "ca.pem", "hub")
    section: Any = SimpleNamespace(replicas=len(servers.nodes), evidence_gb=evidence_gb)
    buckets = Buckets(section, lambda: client, lambda: pool)
    await client.subscribe(SUBJECTS.request("*", "bucket"), cb=buckets.asked)
    try:
        yield client
    finally:
        await client.close()


async def asked(client: Any, table: str) -> bytes:
    """The answer; servers that have just started give none."""
    for _ in range(20):
        try:
            answer = await client.request(SUBJECTS.request(table, "bucket"), b"", timeout=3)
        except TimeoutError:
            continue
        return bytes(answer.data)
    raise AssertionError("no answer")


def test_a_table_for_which_there_is_no_room_is_told_so(servers: LocalNats, database: Any) -> None:
    async def work() -> None:
        async with database() as db, answering(servers, OnePool(db), 0.45) as client:
            answers = [await asked(client, f"T{n}") for n in (1, 2, 3, 3, 1)]
            assert answers == [BUCKET_READY, BUCKET_READY, NO_ROOM, NO_ROOM, BUCKET_READY]
            rows = await db.fetch("SELECT table_name, kind, code FROM incident")
            assert [tuple(row) for row in rows] == [("T3", "room", "no_room")]

    run(work())


def test_pictures_that_find_no_room_are_refused_and_shown(
    servers: LocalNats, tmp_path: Path
) -> None:
    """A bucket that is full, then one that cannot be made."""
    (tmp_path / "alert-0001").mkdir()
    (tmp_path / "alert-0001" / "before.jpg").write_bytes(bytes(700_000))

    async def work() -> None:
        async with answering(servers, None, 0.001) as client:
            await asked(client, "T1")
            uploading = Uploading("T1", SUBJECTS)
            kept = ("0011223344556677", tmp_path)
            assert await uploading.upload(client, kept, "alert-0001") == 1
            assert not uploading.no_room
            with pytest.raises(RefusedOrderError) as error:
                await uploading.upload(client, ("8899aabbccddeeff", tmp_path), "alert-0001")
            assert error.value.code == "no_room"
            assert uploading.no_room

    run(work())
