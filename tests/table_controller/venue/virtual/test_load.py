"""What the measurements rest on: prepared sessions, what does not wait, what is counted."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import asyncpg
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from table_controller.record.journal import EntryKind, Journal, chain
from table_controller.venue.access.pulling import Puller
from table_controller.venue.hall import queries
from table_controller.venue.handing.outbox import Outbox, unfinished
from table_controller.venue.hub.store import Store
from table_controller.venue.messages import URGENT_HEADER, Line, is_urgent
from table_controller.venue.table.told import ToldTable
from table_controller.venue.virtual import load
from table_controller.venue.virtual.compare import missing
from table_controller.venue.virtual.load import Meter
from table_controller.venue.virtual.prepared import (
    PreparedPlay,
    Session,
    play_session,
    read_sessions,
    write_sessions,
)
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.lines import HEADER, Stream, made

pytestmark = pytest.mark.clocked


@pytest.fixture(scope="module")
def sessions(folder: Path) -> list[Session]:
    """One session of two hands, kept in a file and read again."""
    file = folder / "sessions.json"
    write_sessions(file, 1, 2, hands=2)
    assert file.stat().st_size > 10_000
    return read_sessions(file)


def test_a_session_is_played_once_and_read_as_it_was_written(sessions: list[Session]) -> None:
    assert sessions == [play_session(0, 2, hands=2)]
    kinds = [kind for step in sessions[0] for kind, _ in step.entries]
    assert kinds.count("hand") == 2
    assert kinds.count("alert") >= 2
    assert 0 < kinds.count("decision") <= kinds.count("alert")
    times = [step.at for step in sessions[0]]
    assert times == sorted(times)
    assert {kind for step in sessions[0] for kind, _ in step.shown} >= {"game", "alert", "hand"}


def test_every_table_chains_a_journal_of_its_own(folder: Path, sessions: list[Session]) -> None:
    plays = [
        PreparedPlay(ToldTable(folder / name, name), sessions, 100.0, random.Random(name))
        for name in ("P1", "P2")
    ]
    heads: set[bytes] = set()
    for play in plays:
        first = play.table.session
        now = time.time()
        while play.table.session == first:
            now = max(play.step(now), now)
        play.step(now)
        paths = sorted((folder / play.table.name).glob("*/journal.db"))
        assert len(paths) == 2  # the next session has begun
        with Journal.open(folder / play.table.name / first / "journal.db", read_only=True) as old:
            assert old.verify() is None
            held = list(old.entries())
            heads.add(old.head[1])
        wanted = [entry for step in sessions[0] for entry in step.entries]
        assert [entry.kind.value for entry in held[1:]] == [kind for kind, _ in wanted]
        # Times are those of this session: a hundred times as fast, from its own beginning on.
        offsets = [body["t"] for _, body in wanted]
        written = [entry.body["t"] for entry in held[1:]]
        assert written[-1] - written[0] == pytest.approx((offsets[-1] - offsets[0]) / 100, abs=1e-5)
        alerts = {e.body["key"] for e in held if e.kind == EntryKind.ALERT}
        assert {key.split()[1] for key in play.raised if key.startswith(first)} == alerts
        play.table.close()
    assert len(heads) == 2


def test_writing_that_lags_behind_is_seen(folder: Path, sessions: list[Session]) -> None:
    play = PreparedPlay(ToldTable(folder / "late", "late"), sessions, 10.0, random.Random(1))
    now = time.time()
    due = play.step(now)
    assert due <= now + 0.2
    later = now + 30
    assert play.step(later) < later - 20
    play.table.close()


@pytest.mark.parametrize(
    ("kind", "body", "urgent"),
    [
        ("alert", {"key": "alert-0001"}, True),
        ("decision", {}, True),
        ("order", {}, True),
        ("happening", {"kind": "call", "call": "referee", "seat": 1}, True),
        ("happening", {"kind": "call", "call": "chow", "seat": 1}, False),
        ("happening", {"kind": "tile_discarded"}, False),
        ("hand", {}, False),
        ("evidence", {"alert": "alert-0001"}, False),
    ],
)
def test_what_somebody_waits_for_does_not_wait(
    kind: str, body: dict[str, Any], urgent: bool
) -> None:
    assert is_urgent(kind, body) is urgent
    assert made([(kind, body)])[0].urgent is urgent
    assert isinstance(made([(kind, body)])[0], Line)


class _Wire:
    """A subscription and a client, as far as a puller needs them: messages come at given times."""

    def __init__(self, messages: Iterable[tuple[float, bool]]) -> None:
        self.queue: asyncio.Queue[Msg] = asyncio.Queue()
        self.asked = 0
        self._loop = asyncio.get_running_loop()
        for at, urgent in messages:
            headers = {URGENT_HEADER: "1"} if urgent else None
            message = Msg(cast("Client", self), subject="j", data=b"", headers=headers)
            self._loop.call_later(at, self.queue.put_nowait, message)

    @property
    def pending_msgs(self) -> int:
        return self.queue.qsize()

    def new_inbox(self) -> str:
        return "inbox"

    async def subscribe(self, *_: Any, **__: Any) -> _Wire:
        return self

    async def publish(self, *_: Any, **__: Any) -> None:
        self.asked += 1

    async def next_msg(self, timeout: float) -> Msg:
        return await asyncio.wait_for(self.queue.get(), timeout)


@pytest.mark.parametrize(
    ("messages", "most", "count", "least", "longest"),
    [
        ([(0.0, False)], 9, 1, 0.3, 0.5),  # it waits for company, in vain
        ([(0.0, True), (0.1, False)], 9, 1, 0.0, 0.1),  # urgent: at once
        ([(0.0, False), (0.05, False), (0.1, True), (0.2, False)], 9, 3, 0.09, 0.25),
        ([(0.0, False), (0.0, False), (0.0, False)], 2, 2, 0.0, 0.1),  # no more than asked for
    ],
)
def test_messages_wait_for_company_unless_one_is_urgent(
    messages: list[tuple[float, bool]], most: int, count: int, least: float, longest: float
) -> None:
    async def work() -> tuple[int, float]:
        wire = _Wire(messages)
        puller = Puller(cast("Client", wire), "S", "c", batch=10)
        await puller.start()
        began = time.monotonic()
        found = await puller.messages(2.0, most, 0.3)
        return len(found), time.monotonic() - began

    found, took = run(work())
    assert found == count
    assert least <= took < longest + 0.3  # the machine may be busy


def test_journals_that_were_handed_over_are_not_opened_again(tmp_path: Path) -> None:
    paths = [tmp_path / name / "journal.db" for name in ("a", "b", "c")]
    for path in paths:
        with Journal.open(path) as journal:
            journal.append([(1.0, EntryKind.NOTE, {"text": "x"})])
    whole: set[Path] = set()
    assert unfinished(tmp_path, paths[2], whole) == paths[:2]
    with Outbox(paths[0]) as outbox:
        outbox.acknowledged(1, 1)
    assert unfinished(tmp_path, paths[2], whole) == paths[1:2]
    assert whole == {paths[0]}
    paths[0].unlink()
    assert unfinished(tmp_path, paths[2], whole) == paths[1:2]


def alerts_of(session: str, started: float) -> list[Line]:
    body = {"key": "alert-0001", "id": "false-win", "seat": 1, "t": started + 5}
    lines = made([("session", HEADER | {"session": session}), ("alert", body)])
    previous = bytes(32)
    told: list[Line] = []
    for line in lines:
        moved = Line(line.seq, started + line.seq, line.kind, line.body, b"")
        value = chain(previous, moved.seq, moved.t, moved.kind, moved.body)
        told.append(Line(moved.seq, moved.t, moved.kind, moved.body, value))
        previous = value
    return told


def test_a_table_that_was_away_brings_its_newest_session_first(database: Any) -> None:
    """The session that runs is the one that began last, in whatever order they come."""

    async def work() -> None:
        async with database() as db:
            stream, store = Stream(), Store(db, 0)
            for session, started in (("r2", 2000.0), ("r1", 1000.0)):
                lines = alerts_of(session, started)
                await store.take(stream.all(lines, lines[0].hash.hex()[:16]))
            rows = await queries.open_alerts(cast("asyncpg.Pool", db))
            assert [queries.alert_body(row)["session"] for row in rows] == ["r2"]

    run(work())


def test_more_undecided_alerts_than_the_queue_shows_hide_none(database: Any) -> None:
    """Alerts left by sessions that are over do not take the places of those that wait."""

    async def work() -> None:
        async with database() as db:
            stream, store = Stream(), Store(db, 0)
            old, new = alerts_of("r1", 1000.0), alerts_of("r2", 2000.0)
            for lines in (old, new):
                await store.take(stream.all(lines, lines[0].hash.hex()[:16]))
            await db.execute(
                "INSERT INTO alert (chain, key, seq, t, id, hand, body, received) "
                "SELECT chain, 'x' || n, seq, t, id, hand, body, received - interval '1 hour' "
                "FROM alert, generate_series(1, 1200) AS n "
                "WHERE chain = (SELECT min(chain) FROM alert)"
            )
            rows = await queries.open_alerts(cast("asyncpg.Pool", db))
            assert [queries.alert_body(row)["session"] for row in rows] == ["r2"]

    run(work())


def test_what_has_not_come_yet_is_counted(database: Any, tmp_path: Path) -> None:
    async def work() -> None:
        async with database() as db:
            path = tmp_path / "T01" / "s" / "journal.db"
            with Journal.open(path) as journal:
                journal.append([(float(n), EntryKind.NOTE, {"n": n}) for n in range(7)])
                first = journal.hashes(1)[1]
                assert len(journal.hashes()) == 7
            journals = [("T01", path)]
            assert await missing(db, journals) == 7
            await db.execute("INSERT INTO hall_table (name) VALUES ('T01')")
            await db.execute(
                "INSERT INTO chain (table_name, name, head, head_hash) VALUES ('T01', $1, 5, $2)",
                first.hex()[:16], first,
            )  # fmt: skip
            assert await missing(db, journals) == 2

    run(work())


def test_processor_time_is_counted_across_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = {1: 5.0}
    running = [1]
    monkeypatch.setattr(load, "family", lambda pid: [pid])
    monkeypatch.setattr(load, "processor_s", lambda pids: sum(spent.get(pid, 0.0) for pid in pids))
    meter = Meter({"hub": lambda: running})
    spent[1] = 7.0
    assert meter.look() == {"hub": 2.0}
    running, spent = [2], {2: 0.5}
    assert meter.look() == {"hub": 2.5}
    spent[2] = 1.5
    assert meter.look() == {"hub": 3.5}


def test_sessions_that_have_not_changed_are_not_asked_for_again(database: Any) -> None:
    def hand(number: int, points: int) -> tuple[str, dict[str, Any]]:
        scores = [points, -points, 0, 0]
        body = {
            "key": f"hand-{number:03}", "t": float(number), "hand": number, "round_wind": "E",
            "dealer": 0, "result": "win", "payments": scores, "penalties": [0] * 4,
            "scores": scores,
        }  # fmt: skip
        return "hand", body

    async def work() -> None:
        async with database() as db:
            pool = cast("asyncpg.Pool", db)
            await db.execute("INSERT INTO round (number, state) VALUES (1, 'running')")
            stream, store = Stream(), Store(db, 0)
            lines = made([("session", HEADER), hand(1, 8), hand(2, 16)])
            await store.take(stream.all(lines, lines[0].hash.hex()[:16]))
            kept: queries.Kept = {}
            first = await queries.sessions(pool, None, kept)
            assert [len(one.bodies) for one in first] == [2]
            assert await queries.hands_played(pool, 1) == {"T01": 2}
            again = await queries.sessions(pool, None, kept)
            assert again[0] is first[0]
            # A hand that was settled anew counts as it is now, also where none was added.
            more = made([hand(2, 24)], lines[-1].hash, 4)
            message = stream.message(more, lines[0].hash.hex()[:16], lines[-1].hash)
            await store.take([message])
            changed = await queries.sessions(pool, None, kept)
            assert [body["scores"][0] for body in changed[0].bodies] == [8, 24]
            # What is finished later than asked for is not there.
            assert len((await queries.sessions(pool, 2.5, {}))[0].bodies) == 1

    run(work())
