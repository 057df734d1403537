"""A table's cable is pulled: small enough for every run. All cables: ``test_cables.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from table_controller.venue.virtual.compare import journals_of
from tests.table_controller.venue.wired import WiredWorld, a_wired_world
from tests.table_controller.venue.world import wait

pytestmark = pytest.mark.long


@pytest.fixture
def wired(folder: Path) -> Iterator[WiredWorld]:
    with a_wired_world(folder / "cable", nodes=1) as made:
        yield made


def test_a_table_without_its_cable_plays_on_and_all_arrives_later(wired: WiredWorld) -> None:
    names = wired.names(2)
    root = wired.root(names)
    tables = wired.tables(names)
    wired.heard(names)
    wait(lambda: wired.rows("SELECT 1 FROM entry HAVING count(*) > 40"))
    wired.wires.cable("t1", plugged=False)
    told = sum(one.told for one in tables.plays.values())
    wait(lambda: sum(one.told for one in tables.plays.values()) > told + 60)
    # They played on as fast as before; what they wrote is on their disks alone.
    assert tables.late_s < 5.0
    assert wired.compare(journals_of(root)).lost > 0
    wired.wires.cable("t1", plugged=True)
    found = wired.whole(tables, root)
    assert found.journals == 2
    tables.close()
