"""A whole venue: what the tables write arrives once and in order, whoever dies meanwhile."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
import urllib.request

import pytest
from nats.errors import Error as BusError
from websockets.sync.client import connect

from table_controller.config import ConfigError
from table_controller.venue.access import bus
from table_controller.venue.access.keyring import Keyring
from table_controller.venue.errors import VenueError
from table_controller.venue.hub.config import HubConfig
from table_controller.venue.names import JOURNAL_STREAM, PARTITIONS, Subjects
from table_controller.venue.virtual.compare import journals_of
from tests.table_controller.venue.conftest import run
from tests.table_controller.venue.leading import leader_of
from tests.table_controller.venue.typed import typed
from tests.table_controller.venue.world import World, wait


def test_nothing_is_lost_doubled_or_out_of_order(world: World) -> None:
    names = world.names(6)
    tables = world.tables(names, mix=2)
    wait(lambda: sum(len(one.raised) for one in tables.plays.values()) >= 3)
    found = world.whole(tables, world.root(names))
    assert found.journals == 6
    raised = sum(len(one.raised) for one in tables.plays.values())
    rows = world.rows(
        "SELECT count(*) AS n FROM alert JOIN chain ON chain.id = alert.chain "
        "WHERE table_name = ANY($1)",
        names,
    )
    assert rows[0]["n"] == raised
    shown = wait(lambda: len(fed(world, names)) == raised)
    assert shown
    tables.close()


def fed(world: World, names: list[str]) -> list[str]:
    """The alerts of some tables as the feed brings them to a page that has just come."""
    url = world.venue.hubs[0].base.replace("http", "ws", 1) + "api/feed"
    headers = {"Authorization": f"Bearer {world.venue.token}"}
    with connect(url, additional_headers=headers, max_size=2**26) as feed:
        message = json.loads(feed.recv(20))
    assert message["type"] == "state"
    alerts = message["body"]["alerts"].values()
    return [one["key"] for one in alerts if one["table"] in names]


def test_a_hub_that_is_killed_is_replaced_without_a_gap(world: World) -> None:
    names = world.names(4)
    tables = world.tables(names)
    wait(lambda: sum(one.told for one in tables.plays.values()) > 60)
    other = world.venue.start_hub(2)
    wait(lambda: len(world.rows("SELECT id FROM hub_instance WHERE beat > now() - "
                                "interval '8 seconds'")) >= 2)  # fmt: skip
    # Both work: every share is somebody's, and neither has them all.
    wait(lambda: sorted(shares(world, 0) + shares(world, 1)) == list(range(PARTITIONS)))
    wait(lambda: len(shares(world, 0)) == len(shares(world, 1)))
    world.venue.hubs[0].stop(kill=True)
    told = sum(one.told for one in tables.plays.values())
    wait(lambda: sum(one.told for one in tables.plays.values()) > told + 60)
    world.whole(tables, world.root(names))
    tables.close()
    assert other.process.poll() is None
    wait(lambda: shares(world, 1) == list(range(PARTITIONS)))


def shares(world: World, hub: int) -> list[int]:
    """The shares a hub owns, as its health page says."""
    with urllib.request.urlopen(world.venue.hubs[hub].ops + "health", timeout=10) as answer:
        return list(json.load(answer)["shares"])


def test_the_leader_among_the_servers_is_killed(world: World) -> None:
    names = world.names(3)
    tables = world.tables(names)
    wait(lambda: sum(one.told for one in tables.plays.values()) > 40)
    leader = leader_of(world)
    world.venue.nats.kill(leader)
    told = sum(one.told for one in tables.plays.values())
    wait(lambda: sum(one.told for one in tables.plays.values()) > told + 60)
    found = world.whole(tables, world.root(names))
    assert found.entries > 100
    world.venue.nats.start(leader)
    tables.close()


def test_a_table_without_its_venue_plays_on_and_all_arrives_later(world: World) -> None:
    names = world.names(2)
    root = world.root(names)
    alone = world.tables(names, servers=["tls://127.0.0.1:9"])
    wait(lambda: sum(one.told for one in alone.plays.values()) > 80)
    late = alone.late_s
    alone.close()
    assert world.rows("SELECT * FROM chain WHERE table_name = ANY($1)", names) == []
    again = world.tables(names, root)
    world.whole(again, root)
    again.close()
    # Not held up by the venue that is not there (the machine itself may be busy).
    assert late < 5.0


def test_a_table_restored_from_a_backup_is_named_and_not_merged(world: World) -> None:
    names = world.names(1)
    root = world.root(names)
    tables = world.tables(names)
    wait(lambda: tables.plays[names[0]].told > 30)
    world.whole(tables, root)
    tables.close()
    backup = world.folder / "backup"
    shutil.copytree(root, backup)
    tables = world.tables(names, root)
    wait(lambda: tables.plays[names[0]].told > 30)
    world.whole(tables, root)
    tables.close()
    played = world.folder / "played"
    shutil.move(root, played)
    shutil.move(backup, root)
    tables = world.tables(names, root)
    wait(lambda: tables.plays[names[0]].told > 20)
    wait(lambda: "forked" in world.faults(names[0]))
    tables.stop_playing()
    rows = wait(lambda: world.rows(
        "SELECT * FROM chain WHERE table_name = $1 AND forked_at IS NOT NULL", names[0]
    ))  # fmt: skip
    branch = rows[0]["name"].partition("_")[2]
    restored = journals_of(root)
    wait(lambda: world.compare(restored, branch).lost == 0)
    # Both are whole: the one that was lost at the table as well as the one that goes on.
    assert world.compare(journals_of(played)).equal
    assert world.compare(restored, branch).equal
    assert not rows[0]["counts"]
    texts = [row["text"] for row in world.rows("SELECT text FROM incident WHERE kind = 'fork'")]
    assert any(f"forked at entry {rows[0]['forked_at']}" in text for text in texts)
    status, _ = world.ask(f"/api/chains/{rows[0]['id']}/counts", {"by": "Li"})
    assert status == 200
    counts = world.rows("SELECT counts FROM chain WHERE table_name = $1 ORDER BY id", names[0])
    assert [row["counts"] for row in counts] == [False, True]
    tables.close()


@pytest.mark.clocked
def test_a_clock_off_by_five_minutes_is_shown_and_begins_no_round(world: World) -> None:
    names = world.names(4)
    # Hands are short: a round begins at a table when its hand is over.
    right = world.tables(names[:3], speed=150)
    wrong = world.tables(names[3:], speed=150, clock=lambda: time.time() + 300)
    wait(lambda: "clock" in world.faults(names[3]))
    world.heard(names[:3])
    table = world.state()["tables"][names[3]]
    assert table["offset"] == pytest.approx(300, abs=2)
    assert not any("clock" in world.faults(name) for name in names[:3])
    people = "name\n" + "\n".join(f"p{n}" for n in range(16))
    assert world.ask("/api/players", {"by": "Li", "text": people})[0] == 200
    drawn = {"by": "Li", "seed": "s", "rounds": 2, "tables": names}
    assert world.ask("/api/seating/draw", drawn)[0] == 200
    status, body = world.ask("/api/rounds/1/start", {"by": "Li"})
    assert (status, body["detail"]) == (409, f"the clock of table {names[3]} is off: set it first")
    wrong.close()
    # Set right, the round begins everywhere, is acknowledged, and ends.
    wrong = world.tables(names[3:], speed=150)
    wait(lambda: "clock" not in world.faults(names[3]))
    status, body = world.ask("/api/rounds/1/start", {"by": "Li", "minutes": 60})
    assert status == 200

    def waiting() -> list[object]:
        state = world.state()
        orders = [state["orders"].get(one, {}) for one in body["orders"]]
        return [(one, state["tables"]) for one in orders if one.get("state") != "done"]

    wait(lambda: not waiting(), left=waiting)
    sessions = {row["s"] for row in world.rows("SELECT header->>'session' AS s FROM chain")}
    assert {f"r1-{name}" for name in names} <= sessions
    # What a table says of itself is of the session that runs now.
    wait(lambda: all(world.state()["tables"][n].get("session") == f"r1-{n}" for n in names))
    status, bad = world.ask("/api/seating/draw", drawn)
    assert (status, bad["detail"]) == (409, "round 1 has begun; nothing was changed")
    assert world.ask("/api/rounds/1/end", {"by": "Li"})[0] == 200
    lines = wait(lambda: world.ask("/api/standings")[1])
    assert {line["player"] for line in lines} == {f"p{n}" for n in range(16)}
    right.close()
    wrong.close()


def test_a_key_opens_its_own_subjects_alone_until_it_is_revoked(world: World) -> None:
    mine, other = world.names(2)
    ring = world.venue.ring
    subjects = Subjects(ring.venue)
    folder = ring.folder / "tables" / mine

    async def work() -> None:
        credentials = bus.load_credentials(folder / f"{mine}.creds", ring.venue, mine)
        servers, authority = world.venue.nats.urls, folder / "ca.pem"
        client = await bus.connect(servers, credentials, authority, mine, patient=False)
        assert float((await client.request(subjects.request(mine, "time"), b"", 10)).data) > 0
        for foreign in (
            subjects.journal(other, "00"),
            subjects.orders(mine),
            f"$JS.API.STREAM.DELETE.{JOURNAL_STREAM}",
            f"$JS.API.STREAM.INFO.{JOURNAL_STREAM}",
        ):
            with pytest.raises((TimeoutError, BusError)):
                await client.request(foreign, b"{}", timeout=0.3)
        said = [str(error) for error in [client.last_error] if error]
        assert any("permissions violation" in text.lower() for text in said)
        done = await asyncio.to_thread(typed, "venue", "revoke", str(ring.folder), mine)
        assert done.returncode == 0, done.stderr
        assert f"table {mine}: revoked" in done.stdout
        deadline = time.monotonic() + 10
        while client.is_connected and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        assert not client.is_connected
        with pytest.raises(VenueError, match="refused: wrong or revoked credentials"):
            await bus.connect(servers, credentials, authority, mine, patient=False)
        await client.close()

    run(work())
    world.venue.ring = Keyring.open(ring.folder)
    assert world.rows("SELECT * FROM entry JOIN chain ON chain.id = chain "
                      "WHERE table_name = $1", other) == []  # fmt: skip


def test_one_referee_at_a_time_decides_and_a_viewer_never(world: World) -> None:
    names = world.names(1)
    tables = world.tables(names, mix=4)
    tokens = json.loads((world.folder / "hub-state" / "hall-tokens.json").read_text())
    alert = wait(lambda: next(
        (one for one in world.state()["alerts"].values()
         if one["table"] == names[0] and not one["decision"]), None))  # fmt: skip
    where = f"{alert['chain']}/{alert['key']}"
    claim = f"/api/claims/{where}"
    accept = {"by": "Li", "action": "accept", "request": "request-one"}
    status, body = world.ask(claim, {"by": "Eve"}, tokens["viewer"])
    assert (status, body["detail"]) == (403, "a viewer may not do this")
    assert world.ask(f"/api/alerts/{where}/decision", accept, tokens["viewer"])[0] == 403
    assert world.ask("/api/search", token=tokens["viewer"])[0] == 403
    public = world.ask("/api/state", token=tokens["viewer"])[1]
    assert set(public) <= {"n", "board"}
    refused = wait(lambda: world.rows(
        "SELECT body FROM audit WHERE body->>'audit' = 'refused' AND body->>'path' = $1", claim
    ))  # fmt: skip
    assert json.loads(refused[0]["body"])["role"] == "viewer"
    status, body = world.ask(f"/api/alerts/{where}/decision", accept)
    assert (status, body["detail"]) == (409, "claim it first: one referee at a time")
    assert world.ask(claim, {"by": "Li"})[0] == 200
    status, body = world.ask(f"/api/alerts/{where}/decision", accept)
    assert (status, body["state"]) == (200, "done"), body
    # The same request played back is the same order; with another content it is refused.
    assert world.ask(f"/api/alerts/{where}/decision", accept)[1] == body
    status, body = world.ask(
        f"/api/alerts/{where}/decision", {**accept, "action": "dismiss", "reason": "x"}
    )
    assert (status, body["detail"]) == (409, "this request was used for another decision")
    again = world.rows("SELECT body FROM audit WHERE body->>'audit' = 'decision sent again'")
    assert len(again) == 2
    decisions = wait(lambda: world.rows(
        "SELECT body FROM entry WHERE chain = $1 AND kind = 'decision'", alert["chain"]
    ))  # fmt: skip
    assert [json.loads(row["body"])["by"] for row in decisions] == ["Li"]
    tables.close()


def test_a_name_that_is_used_twice_is_shown(world: World) -> None:
    names = world.names(1)
    one = world.tables(names, world.folder / "first")
    two = world.tables(names, world.folder / "second")
    wait(lambda: "name_twice" in world.faults(names[0]))
    # What each has written is whole: two journals, two chains.
    world.whole(one, world.folder / "first")
    world.whole(two, world.folder / "second")
    one.close()
    two.close()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('venue = "demo-hall"', 'venue = "other-hall"', "made for venue 'demo-hall'"),
        ("hub.creds", "none.creds", "cannot be read"),
        ("keys/hub/hub.creds", "keys/tables/W000/W000.creds", "made for table"),
        ("database = ", "databse = ", "hub.databse"),
        ("hub/ca.pem", "hub/none.pem", "no such file"),
    ],
)
def test_a_configuration_is_refused_in_one_line(
    world: World, old: str, new: str, said: str
) -> None:
    good = world.venue.hub_file(9).read_text()
    assert old in good
    file = world.folder / "bad.toml"
    file.write_text(good.replace(old, new))
    with pytest.raises(ConfigError) as error:
        HubConfig.load(file)
    assert str(error.value).startswith(str(file))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_hub_that_cannot_have_its_database_says_so_and_ends(world: World) -> None:
    file = world.folder / "bad.toml"
    good = world.venue.hub_file(9).read_text()
    file.write_text(good.replace("local-only-password", "wrong"))
    done = typed("hub", str(file))
    assert done.returncode == 2
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("paiguan: database: password authentication failed")
    assert "Traceback" not in done.stderr
