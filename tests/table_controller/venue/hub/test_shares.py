"""Shares are locks in the venue's own database; the server may have others."""

from __future__ import annotations

from typing import Any

from table_controller.venue.hub.connecting import connected
from table_controller.venue.hub.share import held_shares, lock_share
from table_controller.venue.servers.local import LocalPostgres
from tests.table_controller.venue.conftest import run


def test_shares_of_another_venue_on_the_same_server_are_not_held_here(
    postgres: LocalPostgres, database: Any
) -> None:
    async def work() -> None:
        async with database() as db:
            await db.execute("DROP DATABASE IF EXISTS neighbour")
            await db.execute("CREATE DATABASE neighbour")
            dsn = postgres.dsn.rpartition("/")[0] + "/neighbour"
            there, here = await connected(dsn), await connected(postgres.dsn)
            try:
                assert await lock_share(there, 3)
                assert await held_shares(there) == {3}
                assert await held_shares(here) == set()
                assert await lock_share(here, 3)
                assert await lock_share(here, 5)
                assert await held_shares(here) == {3, 5}
            finally:
                await there.close()
                await here.close()
            await db.execute("DROP DATABASE neighbour")

    run(work())
