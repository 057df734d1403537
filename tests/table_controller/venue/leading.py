"""Which of the servers leads."""

from __future__ import annotations

import asyncio

from table_controller.venue.access import bus
from table_controller.venue.names import JOURNAL_STREAM
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.world import World


def leader_of(world: World) -> str:
    """The server that leads the journals' stream."""

    async def ask() -> str:
        ring = world.venue.ring
        credentials = bus.load_credentials(ring.folder / "hub" / "hub.creds", ring.venue)
        authority = ring.folder / "tls" / "ca.pem"
        client = await bus.connect(world.venue.nats.urls, credentials, authority, "hub-test")
        leader = None
        for _ in range(60):
            # Between two leaders there is none.
            info = await client.jetstream(timeout=15).stream_info(JOURNAL_STREAM)
            leader = None if info.cluster is None else info.cluster.leader
            if leader is not None:
                break
            await asyncio.sleep(0.5)
        await client.close()
        assert leader is not None
        return str(leader)

    return run(ask())
