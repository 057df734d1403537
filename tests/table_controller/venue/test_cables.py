"""Cables are pulled in a running venue; servers, hubs, database and tables are machines each."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from table_controller.venue.access import bus
from table_controller.venue.errors import VenueError
from table_controller.venue.names import PARTITIONS
from table_controller.venue.servers.admin import push
from table_controller.venue.virtual.compare import journals_of
from table_controller.venue.virtual.tables import VirtualTables
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.leading import leader_of
from tests.table_controller.venue.wired import WiredWorld, a_wired_world
from tests.table_controller.venue.world import wait

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def world(folder: Path) -> Iterator[WiredWorld]:
    with a_wired_world(folder / "cables", hubs=2) as made:
        yield made


MANY = 400
"""Hands of a session: a slow machine must not be through with them before a fault is over."""


def told(play: VirtualTables) -> int:
    return sum(one.told for one in play.plays.values())


def stored(world: WiredWorld, names: list[str]) -> int:
    """How many entries of these tables the database holds."""
    return int(world.rows(
        "SELECT count(*) AS n FROM entry JOIN chain ON chain.id = entry.chain "
        "WHERE table_name = ANY($1)", names,
    )[0]["n"])  # fmt: skip


def under(
    world: WiredWorld, fault: Callable[[list[str]], None], tables: int = 4, more: int = 120
) -> None:
    """Tables play, cables are pulled meanwhile; at the end all is whole, once and in order."""
    names = world.names(tables)
    play = world.tables(names, mix=2, hands=MANY)
    wait(lambda: stored(world, names) > 40)
    fault(names)
    before = told(play)
    wait(lambda: told(play) > before + more, 120)
    world.whole(play, world.root(names), 180)
    play.close()


def grows(world: WiredWorld, names: list[str], by: int = 30, seconds: float = 60) -> None:
    """Wait until the hall gets entries again."""
    before = stored(world, names)
    wait(lambda: stored(world, names) > before + by, seconds)


def leader(world: WiredWorld) -> str:
    with world.wires.inside("db"):
        return leader_of(world)


@pytest.mark.parametrize("name", ["n1", "n2", "n3"])
def test_each_servers_cable_in_turn(world: WiredWorld, name: str) -> None:
    def fault(names: list[str]) -> None:
        world.wires.cable(name, plugged=False)
        # The hall goes on with the two that are left.
        grows(world, names)
        world.wires.cable(name, plugged=True)

    under(world, fault)


def test_the_leader_is_cut_off_from_everybody(world: WiredWorld) -> None:
    def fault(names: list[str]) -> None:
        first = leader(world)
        world.wires.cable(first, plugged=False)
        grows(world, names)
        assert leader(world) != first
        world.wires.cable(first, plugged=True)

    under(world, fault)


def test_the_leader_is_cut_off_from_the_other_servers_alone(world: WiredWorld) -> None:
    """Tables and hubs still reach it; what it takes it cannot keep, and does not acknowledge."""

    def fault(names: list[str]) -> None:
        first = leader(world)
        others = [name for name in world.venue.nats.nodes if name != first]
        for other in others:
            world.wires.deaf(first, other, on=True)
        grows(world, names)
        for other in others:
            world.wires.deaf(first, other, on=False)

    under(world, fault)


def test_the_servers_hear_each_other_no_longer(world: WiredWorld) -> None:
    """No two of three: nothing is acknowledged, everything arrives later."""

    def fault(names: list[str]) -> None:
        pairs = [("n1", "n2"), ("n2", "n3"), ("n1", "n3")]
        for one, other in pairs:
            world.wires.deaf(one, other, on=True)
        time.sleep(20)
        held = stored(world, names)
        time.sleep(8)
        assert stored(world, names) == held
        for one, other in pairs:
            world.wires.deaf(one, other, on=False)
        grows(world, names)

    under(world, fault)


def test_a_table_is_offline_for_long_while_the_others_play(world: WiredWorld) -> None:
    gone, there = world.names(1), world.names(2)
    away = world.tables(gone, at="t9", hands=MANY)
    here = world.tables(there, hands=MANY)
    world.heard([*gone, *there])
    wait(lambda: stored(world, gone) > 20)
    world.wires.cable("t9", plugged=False)
    wait(lambda: world.state()["tables"][gone[0]]["silent"])
    held = stored(world, gone)
    before = told(away)
    grows(world, there, 100)
    time.sleep(30)
    assert stored(world, gone) == held
    assert told(away) > before + 100
    assert away.late_s < 5.0
    world.wires.cable("t9", plugged=True)
    wait(lambda: not world.state()["tables"][gone[0]]["silent"])
    world.whole(away, world.root(gone), 120)
    world.whole(here, world.root(there), 120)
    away.close()
    here.close()


def shares(world: WiredWorld, hub: str) -> list[int]:
    """The shares a hub owns, as it says itself."""
    return list(health(world, hub)["shares"])


def test_a_hub_without_its_cable_is_replaced_by_the_other(world: WiredWorld) -> None:
    """Its locks die with its connection, also where no word of that comes through."""
    everything = list(range(PARTITIONS))
    wait(lambda: sorted(shares(world, "h1") + shares(world, "h2")) == everything)

    def fault(names: list[str]) -> None:
        world.hub = "h2"
        world.wires.cable("h1", plugged=False)
        wait(lambda: shares(world, "h2") == everything, 60)
        grows(world, names)
        wait(lambda: shares(world, "h1") == [] and not health(world, "h1")["ok"])
        world.wires.cable("h1", plugged=True)
        wait(lambda: sorted(shares(world, "h1") + shares(world, "h2")) == everything, 90)
        wait(lambda: shares(world, "h1") != [], 90)

    under(world, fault)
    world.hub = "h1"


def health(world: WiredWorld, hub: str) -> dict[str, Any]:
    number = [one.file.stem for one in world.venue.hubs].index(f"hub{hub[1:]}")
    address = world.venue.hubs[number].ops + "health"
    with world.wires.inside(hub):
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            return dict(json.loads(error.read()))


def test_the_databases_cable(world: WiredWorld) -> None:
    def fault(names: list[str]) -> None:
        world.wires.cable("db", plugged=False)
        time.sleep(25)
        assert not health(world, "h1")["database"]
        world.wires.cable("db", plugged=True)
        grows(world, names)

    under(world, fault)


def test_the_whole_network_fails(world: WiredWorld) -> None:
    def fault(names: list[str]) -> None:
        world.wires.power(on=False)
        time.sleep(25)
        world.wires.power(on=True)
        grows(world, names, seconds=120)

    under(world, fault)


def test_a_server_that_was_cut_off_learns_which_key_was_stolen(world: WiredWorld) -> None:
    (name,) = world.names(1)
    world.wires.machine("thief")
    ring = world.venue.ring
    folder = ring.folder / "tables" / name
    credentials = bus.load_credentials(folder / f"{name}.creds", ring.venue, name)
    server = world.venue.nats.urls[2]

    async def enter() -> str:
        try:
            client = await bus.connect(
                [server], credentials, folder / "ca.pem", name, patient=False
            )
        except VenueError as error:
            return str(error)
        await client.close()
        return "let in"

    def tried() -> str:
        with world.wires.inside("thief"):
            return run(enter())

    assert tried() == "let in"
    world.wires.cable("n3", plugged=False)
    ring.revoke(name)
    with world.wires.inside("db"):
        assert push(ring, world.venue.nats.urls[:2]) == 2
    world.wires.cable("n3", plugged=True)
    wait(lambda: "refused: wrong or revoked credentials" in tried(), 120)


def test_journals_of_every_table_are_whole_at_the_end(world: WiredWorld) -> None:
    """After all of it: every journal that was ever written here, entry by entry."""
    roots = sorted(world.folder.glob("tables-*"))
    journals = [one for root in roots for one in journals_of(root)]
    found = world.compare(journals)
    assert found.equal, found
    assert found.journals >= len(roots) > 0
