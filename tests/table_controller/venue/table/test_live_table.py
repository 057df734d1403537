"""A table with cameras and a machine in a venue: what it sees with, and what it shows the hall."""

from __future__ import annotations

import hashlib
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from table_controller.app.running.live import LiveRun
from table_controller.app.virtual.demo import DemoOptions, VirtualTable, config_of
from table_controller.config import Config, VenueSection
from table_controller.record.journal import EntryKind
from table_controller.venue.models.shelf import ModelShelf
from table_controller.venue.table.live import VenueTable
from tests.table_controller.app.bench import Bench
from tests.table_controller.venue.releases import made
from tests.table_controller.venue.updating import models_typed
from tests.table_controller.venue.world import World
from vision.nets import modelfile

pytestmark = pytest.mark.long


def joined(config: Config, world: World, name: str) -> Config:
    """The same table, in the venue."""
    folder = world.venue.ring.folder / "tables" / name
    section = VenueSection(
        name=world.venue.ring.venue,
        table=name,
        servers=tuple(world.venue.nats.urls),
        credentials=folder / f"{name}.creds",
        ca=folder / "ca.pem",
    )
    return config.model_copy(update={"venue": section})


class AtWork:
    """A real controller's loop over a table of a venue, as ``paiguan run`` has it."""

    def __init__(self, config: Config, start_machine: bool = False) -> None:
        self._start_machine = start_machine
        self.venue = VenueTable(config, self._made)

    def _made(self, config: Config) -> LiveRun:
        return LiveRun(config, title="test", live=False, start_machine=self._start_machine)

    def step(self) -> None:
        self.venue.step().step()

    def until(self, what: Callable[[], Any], seconds: float = 60.0) -> Any:
        end, asked = time.monotonic() + seconds, 0.0
        while True:
            self.step()
            # The hall is asked now and then: the table is to be looked at.
            if time.monotonic() - asked > 0.3:
                asked = time.monotonic()
                if answer := what():
                    return answer
                assert time.monotonic() < end, "nothing came of it"

    def close(self) -> None:
        self.venue.close()
        self.venue.run.close()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv(modelfile.FOLDER, "")  # set by the table; another test's is its own
    made_bench = Bench(tmp_path / "table")
    yield made_bench
    made_bench.close()


def version_in_use(run: LiveRun) -> str:
    """Of the reader that the running eyes read with."""
    (looker,) = run.eyes.lookers
    return looker.versions["reader"]


def test_a_real_table_sees_with_the_release_or_goes_back(
    world: World, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = str(world.venue.hub_file(9))
    (name,) = world.names(1)
    good = made(tmp_path / "good", "910")
    # Whole when it is compared with its list, and damaged when the eyes open it.
    bad = made(tmp_path / "bad", "911")
    use = ModelShelf.use

    def use_and_damage(shelf: ModelShelf, version: str) -> bool:
        used = use(shelf, version)
        if version == "bad":
            with (shelf.folder / version / "finder.onnx").open("ab") as file:
                file.write(b"\0")
        return used

    monkeypatch.setattr(ModelShelf, "use", use_and_damage)
    table = AtWork(joined(bench.config(), world, name))
    try:
        own = modelfile.read_manifest("reader", modelfile.own_dir()).version
        assert version_in_use(table.venue.run) == own
        table.until(lambda: name in world.state().get("tables", {}))

        def step(release: str) -> dict[str, Any]:
            there = world.ask("/api/models")[1]["tables"][name]["steps"]
            return dict(there.get(release, {"state": ""}))

        def order(release: str, what: str, state: str) -> dict[str, Any]:
            status, said = world.ask(
                f"/api/models/{release}/{what}", {"by": "Li", "tables": [name]}
            )
            assert status == 200, said
            table.until(lambda: step(release)["state"] == state)
            return step(release)

        for release, folder in (("good", good), ("bad", bad)):
            assert models_typed("put", hub, str(folder), "--version", release).returncode == 0
            order(release, "offer", "fetched")
        assert order("good", "use", "in use")["reason"] == "good is in use"
        assert version_in_use(table.venue.run) == "910"
        journal = table.venue.run.journal.path
        said = order("bad", "use", "refused")["reason"]
        assert said.startswith("bad: ")
        assert "finder.onnx: altered" in said
        assert said.endswith("; good in use again")
        assert version_in_use(table.venue.run) == "910"
        assert order("good", "back", "returned")["reason"] == "returned to the program's own models"
        assert version_in_use(table.venue.run) == own
        # The same session, the same journal: nothing began anew but the eyes.
        assert table.venue.run.journal.path == journal
    finally:
        table.close()


SCENARIO = """
seed = 31
hands = 1
[[hand]]
discards = 6
[[hand.infraction]]
id = "wall-crooked"
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_an_alert_of_a_real_table_comes_with_its_pictures(world: World, tmp_path: Path) -> None:
    """Cameras, machine and follower are the real ones; only what they look at is drawn."""
    (name,) = world.names(1)
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(SCENARIO)
    options = DemoOptions(scenario=scenario, console=False, live=False, speed=0.5)
    filmed = VirtualTable(options, tmp_path)
    config = joined(config_of(options, filmed.hello, tmp_path), world, name)
    table = AtWork(config, start_machine=True)
    try:

        def alerts() -> list[dict[str, Any]]:
            there = world.state().get("alerts", {}).values()
            return [one for one in there if one["table"] == name and one["files"]]

        (alert, *_) = table.until(alerts, 600)
        # What it was is the follower's affair: the hall has what the table has.
        own = {e.body["key"]: e.body for e in table.venue.journal.entries([EntryKind.ALERT])}
        assert alert["id"] == own[alert["key"]]["id"]
        shown = {Path(file).name for file in alert["files"]}
        assert {"before.jpg", "after.jpg"} <= shown
        for file in alert["files"]:
            content = fetched(world, table, f"/evidence/{file}")
            kept = config.record.dir / alert["session"] / "evidence" / Path(*Path(file).parts[2:])
            assert hashlib.sha256(content).digest() == hashlib.sha256(kept.read_bytes()).digest()
            if file.endswith(".jpg"):
                picture = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
                assert picture is not None
                assert min(picture.shape[:2]) > 100
        # The hall asks again: the table brings them again, and says so.
        asked = f"/api/alerts/{alert['chain']}/{alert['key']}/evidence"
        status, body = world.ask(asked, {"by": "Li"})
        assert status == 200
        (order,) = body["orders"]
        table.until(lambda: world.state()["orders"].get(order, {}).get("state") == "done", 120)
        assert "files" in world.state()["orders"][order]["reason"]
    finally:
        table.close()
        filmed.stop()


def fetched(world: World, table: AtWork, path: str) -> bytes:
    """A picture as the hall's page asks for it; the table goes on meanwhile."""

    def ask() -> bytes:
        request = urllib.request.Request(
            world.venue.hubs[0].base.rstrip("/") + path,
            headers={"Authorization": f"Bearer {world.venue.token}"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return bytes(answer.read())
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return b""

    return bytes(table.until(ask, 120))
