"""Pictures are those of the session that is asked for: every session has an alert no. 1."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from nats.aio.client import Client

from table_controller.record.journal import EntryKind, Journal
from table_controller.venue.access.nkeys import Credentials
from table_controller.venue.errors import RefusedOrderError
from table_controller.venue.handing.handing_over import HandingOver
from table_controller.venue.handing.outbox import Outbox
from table_controller.venue.handing.uploading import Uploading
from table_controller.venue.messages import BUCKET_READY, Order, OrderKind
from table_controller.venue.names import Subjects
from table_controller.venue.orders.taking import Orders
from table_controller.venue.said import Said
from table_controller.venue.table.station import Station, VenueLink
from tests.table_controller.venue.conftest import run


class Hall:
    """The connection and its object store, as far as pictures need them."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    async def request(self, *_: Any, **__: Any) -> SimpleNamespace:
        """A bucket is made."""
        return SimpleNamespace(data=BUCKET_READY)

    def jetstream(self) -> Hall:
        return self

    async def object_store(self, _: str) -> Hall:
        return self

    async def put(self, name: str, content: bytes) -> None:
        self.held[name] = content


@pytest.fixture
def sessions(tmp_path: Path) -> dict[str, str]:
    """Three sessions with pictures of their alert no. 1; the names of their chains."""
    chains: dict[str, str] = {}
    for session in ("r1", "r2", "r3"):
        with Journal.open(tmp_path / session / "journal.db") as journal:
            journal.append([(1.0, EntryKind.SESSION, {"session": session})])
        with Outbox(tmp_path / session / "journal.db") as outbox:
            chains[session] = str(outbox.name)
        folder = tmp_path / session / "evidence" / "alert-0001"
        folder.mkdir(parents=True)
        (folder / "before.jpg").write_bytes(session.encode())
    return chains


@pytest.fixture
def station(tmp_path: Path, sessions: dict[str, str]) -> Iterator[Station]:
    """In the third session."""
    assert len(set(sessions.values())) == 3
    path = tmp_path / "r3" / "journal.db"
    link = VenueLink("v", "T01", (), cast("Credentials", None), tmp_path)
    made = Station(link, lambda: path, cast("Orders", None), dict)
    made.journals.open(cast("Client", Hall()))
    yield made
    made.journals.close()


def asked(station: Station, body: dict[str, Any]) -> tuple[dict[str, bytes], Said]:
    hall = Hall()
    order = Order(id=secrets.token_hex(16), table="T01", kind=OrderKind.EVIDENCE, body=body,
                  by="Li", at=time.time())  # fmt: skip
    said = run(station.do_own(cast("Client", hall), order))
    return hall.held, said


@pytest.mark.parametrize("session", ["r1", "r2", "r3"])
def test_pictures_come_from_the_session_that_is_named(
    station: Station, sessions: dict[str, str], session: str
) -> None:
    chain = sessions[session]
    held, said = asked(station, {"alert": "alert-0001", "chain": chain})
    assert held == {f"{chain}/alert-0001/before.jpg": session.encode()}
    assert (said.code, said.facts) == ("pictures", {"alert": "alert-0001", "n": 1})


def test_without_a_name_it_is_the_running_one(station: Station, sessions: dict[str, str]) -> None:
    held, _ = asked(station, {"alert": "alert-0001"})
    assert held == {f"{sessions['r3']}/alert-0001/before.jpg": b"r3"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"alert": "alert-0009"}, "no_pictures"),
        ({"alert": "../../r1/evidence/alert-0001"}, "no_pictures"),
        ({"alert": "alert-0001", "chain": "0123456789abcdef"}, "no_journal"),
    ],
)
def test_what_is_not_there_is_refused(station: Station, body: dict[str, Any], code: str) -> None:
    with pytest.raises(RefusedOrderError) as error:
        asked(station, body)
    assert error.value.code == code


class Cut(Hall):
    """A hall whose cable breaks in the middle of a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.coming = asyncio.Event()

    async def put(self, name: str, content: bytes) -> None:
        self.coming.set()
        await asyncio.Event().wait()


def test_pictures_under_way_when_the_connection_breaks_come_with_the_next(
    tmp_path: Path, sessions: dict[str, str]
) -> None:
    async def work() -> dict[str, bytes]:
        uploading = Uploading("T01", Subjects("v"))
        uploading.begin()
        body = json.dumps({"alert": "alert-0001", "files": ["alert-0001/before.jpg"]})
        kept = (sessions["r1"], tmp_path / "r1" / "evidence")
        uploading.handed(kept, EntryKind.EVIDENCE, body)
        cut, hall = Cut(), Hall()
        first = asyncio.ensure_future(uploading.run(cast("Client", cut)))
        await cut.coming.wait()
        first.cancel()
        await asyncio.wait({first})
        second = asyncio.ensure_future(uploading.run(cast("Client", hall)))
        async with asyncio.timeout(10):
            while not hall.held:
                await asyncio.sleep(0.01)
        second.cancel()
        return hall.held

    assert run(work()) == {f"{sessions['r1']}/alert-0001/before.jpg": b"r1"}


class Taking(Hall):
    """A hall that takes entries as well."""

    async def request(self, subject: str, *_: Any, **__: Any) -> SimpleNamespace:
        if subject.startswith("$JS.API.DIRECT.GET"):
            return SimpleNamespace(headers={"Status": "404"}, data=b"")
        data = BUCKET_READY if subject.endswith("bucket") else b'{"seq": 1}'
        return SimpleNamespace(data=data, headers=None)


@pytest.mark.parametrize("asked", [False, True])
def test_pictures_of_an_earlier_session_follow_its_entries(
    tmp_path: Path, sessions: dict[str, str], asked: bool
) -> None:
    """It was played without the hall, or is sent again: its alerts come with their pictures."""
    with Journal.open(tmp_path / "r1" / "journal.db") as journal:
        body = {"alert": "alert-0001", "files": ["alert-0001/before.jpg"]}
        journal.append([(2.0, EntryKind.EVIDENCE, body)])

    async def work() -> dict[str, bytes]:
        hall = Taking()
        client = cast("Client", hall)
        path = tmp_path / "r3" / "journal.db"
        uploading = Uploading("T01", Subjects("v"))
        uploading.begin()
        journals = HandingOver("T01", Subjects("v"), lambda: path, uploading.handed)
        if asked:
            await journals.again(client, sessions["r1"], 0)
        else:
            await journals._older(client)
        sending = asyncio.ensure_future(uploading.run(client))
        async with asyncio.timeout(10):
            while not hall.held:
                await asyncio.sleep(0.01)
        sending.cancel()
        return hall.held

    assert run(work()) == {f"{sessions['r1']}/alert-0001/before.jpg": b"r1"}
