"""A consumer that answers and brings nothing is noticed and made anew."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from table_controller.venue import names
from table_controller.venue.hub.hub import Hub
from table_controller.venue.hub.share import Share
from table_controller.venue.hub.store import Store
from table_controller.venue.names import partition_of
from table_controller.venue.servers import admin
from table_controller.venue.virtual.demo import LocalVenue
from table_controller.venue.virtual.tables import VirtualTables
from tests.table_controller.venue.conftest import need_servers, run

pytestmark = pytest.mark.long


def test_a_consumer_that_stands_still_is_made_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_servers()
    starts = 0

    async def work(venue: LocalVenue) -> int:
        config = venue.config()
        await admin.migrate(config)
        hub = Hub(config)
        await hub.open()
        tables = VirtualTables(
            venue.ring, folder / "stalled-tables", venue.nats.urls, ["S1"], speed=30
        )
        tables.start()

        async def no_gap(*_: Any) -> None:
            raise AssertionError("nothing is missing")

        share = Share(
            partition_of("S1"), hub.client, config.hub.venue, config.hub.database, hub.metrics,
            no_gap,
        )  # fmt: skip
        start = share._start

        async def started(store: Store) -> Any:
            nonlocal starts
            puller = await start(store)
            starts += 1
            if starts == 1:
                await stall(hub, share)
            return puller

        monkeypatch.setattr(share, "_start", started)
        task = asyncio.ensure_future(share.run())
        connection = await asyncpg.connect(venue.postgres.dsn)
        try:
            async with asyncio.timeout(90):
                while not (stored := await connection.fetchval("SELECT count(*) FROM entry")):
                    assert not task.done(), task.exception()
                    await asyncio.sleep(0.2)
        finally:
            await asyncio.to_thread(tables.close)
            share.give_up()
            await asyncio.wait_for(task, 10)
            await connection.close()
            await hub.close()
        return int(stored)

    with LocalVenue(folder / "stalled", ["S1"], hubs=0) as venue:
        assert run(work(venue)) > 0
    assert starts == 2


async def stall(hub: Hub, share: Share) -> None:
    """Put a consumer of the same name in its place that brings nothing: another share's."""
    js = hub.client.jetstream(timeout=10)
    subjects = names.Subjects(hub.config.hub.venue)
    await js.delete_consumer(names.JOURNAL_STREAM, share.consumer)
    await js.add_consumer(
        names.JOURNAL_STREAM,
        ConsumerConfig(
            durable_name=share.consumer,
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=1,
            ack_policy=AckPolicy.ALL,
            filter_subject=subjects.journals((share.number + 1) % names.PARTITIONS),
        ),
    )
