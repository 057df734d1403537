"""All faults at full size; `make venue-test` runs these beside the small proofs."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from table_controller.venue.access import bus
from table_controller.venue.errors import VenueError
from table_controller.venue.names import JOURNAL_STREAM
from table_controller.venue.servers.admin import backup, restore
from table_controller.venue.servers.local import LocalPostgres
from table_controller.venue.virtual.compare import compare, journals_of
from table_controller.venue.virtual.tables import VirtualTables
from tests.table_controller.venue.conftest import a_world, missing, run
from tests.table_controller.venue.leading import leader_of
from tests.table_controller.venue.world import World, wait

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def world(folder: Path) -> Iterator[World]:
    with a_world(folder / "faults") as made:
        made.venue.start_hub(2)
        yield made


def under(world: World, tables: int, fault: Callable[[], None], more: int = 150) -> None:
    """Tables play, something fails meanwhile; at the end all is whole."""
    names = world.names(tables)
    play = world.tables(names, mix=2, hands=MANY)
    wait(lambda: told(play) > 60)
    fault()
    before = told(play)
    wait(lambda: told(play) > before + more, 120)
    world.whole(play, world.root(names), 180)
    play.close()


MANY = 400
"""Hands of a session: a slow machine must not be through with them before a fault is over."""


def told(play: VirtualTables) -> int:
    return sum(one.told for one in play.plays.values())


@pytest.mark.parametrize("name", ["n1", "n2", "n3"])
def test_each_server_killed_in_turn(world: World, name: str) -> None:
    def fault() -> None:
        world.venue.nats.kill(name)
        time.sleep(8)
        world.venue.nats.start(name)

    under(world, 6, fault)


def test_the_leader_is_cut_off(world: World) -> None:
    """It neither hears nor answers, and does not know that it leads no longer."""

    def fault() -> None:
        leader = leader_of(world)
        world.venue.nats.freeze(leader)
        time.sleep(20)
        world.venue.nats.freeze(leader, on=False)

    under(world, 6, fault)


@pytest.mark.parametrize("at_once", [False, True])
def test_the_database_is_restarted(world: World, at_once: bool) -> None:
    def fault() -> None:
        world.venue.postgres.stop(at_once=at_once)
        time.sleep(6)
        world.venue.postgres.start()

    under(world, 6, fault)


def test_both_hubs_are_killed_again_and_again(world: World) -> None:
    def fault() -> None:
        for turn in (1, 2, 1):
            hub = world.venue.hubs.pop(0)
            hub.stop(kill=True)
            world.venue.start_hub(turn)

    under(world, 6, fault)


def test_all_of_it_at_once(world: World) -> None:
    def fault() -> None:
        world.venue.nats.kill("n2")
        world.venue.postgres.stop(at_once=True)
        world.venue.hubs.pop(0).stop(kill=True)
        time.sleep(5)
        world.venue.postgres.start()
        world.venue.nats.start("n2")
        world.venue.start_hub(1)

    under(world, 8, fault)


def test_what_the_servers_lost_the_tables_bring_again(world: World) -> None:
    """The stream was emptied before a hub had seen it: the gap is noticed and filled."""

    async def purge() -> None:
        ring = world.venue.ring
        credentials = bus.load_credentials(ring.folder / "hub" / "hub.creds", ring.venue)
        authority = ring.folder / "tls" / "ca.pem"
        client = await bus.connect(world.venue.nats.urls, credentials, authority, "hub-test")
        await client.jetstream(timeout=15).purge_stream(JOURNAL_STREAM)
        await client.close()

    def fault() -> None:
        for hub in world.venue.hubs:
            hub.stop()
        world.venue.hubs.clear()
        time.sleep(3)
        run(purge())
        world.venue.start_hub(1)

    under(world, 4, fault)
    assert world.rows("SELECT * FROM incident WHERE kind = 'gap'")


def test_a_full_disk_under_the_database(world: World, folder: Path) -> None:
    """Nothing is acknowledged that is not stored; with room again all of it arrives."""
    small = folder / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", str(small)], check=False
    )
    if mounted.returncode != 0:
        missing("this user may not mount a small disk")
    try:
        # The server's files move onto the small disk; the rest of it is filled up.
        world.venue.postgres.stop()
        data = world.venue.postgres.data
        subprocess.run(["cp", "-a", f"{data}/.", str(small)], check=True)
        subprocess.run(["chown", "--reference", str(data), str(small)], check=True)
        small.chmod(0o700)
        world.venue.postgres.data = small
        world.venue.postgres.start(max_wal_size="32MB", min_wal_size="32MB")

        def fault() -> None:
            filler = small / "filler"
            with filler.open("wb") as file:
                try:
                    while True:
                        file.write(bytes(1_000_000))
                        file.flush()
                except OSError:
                    pass
            time.sleep(15)
            filler.unlink()
            time.sleep(2)
            # A server that gave up for want of room is started again, as systemd would.
            world.venue.postgres.stop()
            world.venue.postgres.start(max_wal_size="32MB", min_wal_size="32MB")

        under(world, 6, fault)
        world.venue.postgres.stop()
        subprocess.run(["cp", "-a", f"{small}/.", str(data)], check=True)
        world.venue.postgres.data = data
        world.venue.postgres.start()
    finally:
        subprocess.run(["umount", "-l", str(small)], check=False)


def test_a_backup_is_restored_and_the_rest_comes_by_itself(world: World, folder: Path) -> None:
    names = world.names(4)
    play = world.tables(names, hands=MANY)
    wait(lambda: told(play) > 100)
    config = world.venue.config()
    file = folder / "venue.backup"
    backup(config, file)
    with pytest.raises(VenueError, match="is there already; nothing was changed"):
        backup(config, file)
    before = told(play)
    wait(lambda: told(play) > before + 150)
    for hub in world.venue.hubs:
        hub.stop()
    with pytest.raises(VenueError, match="not empty: create a new one; nothing was changed"):
        restore(config, file)
    # The disk is lost: a new server, an empty database.
    world.venue.postgres.stop(at_once=True)
    world.venue.postgres = LocalPostgres(folder / "new-postgres")
    world.venue.postgres.start()
    restore(world.venue.config(), file)
    world.venue.hubs.clear()
    world.venue.start_hub(1)
    play.stop_playing()
    journals = journals_of(world.root(names))

    async def whole() -> bool:
        connection = await asyncpg.connect(world.venue.postgres.dsn)
        try:
            return (await compare(connection, journals)).equal
        finally:
            await connection.close()

    wait(lambda: run(whole()), 120)
    play.close()
    world._db = None
    assert asyncio.run(whole())
