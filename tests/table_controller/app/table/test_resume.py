"""Killed in the middle of a hand and started again: the same hand goes on, nothing is lost."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.readings import Reading
from hardware.virtual_table.play.director import Director
from hardware.virtual_table.play.scenario import demo_scenario, load_scenario
from table_controller.app.table.core import TableController
from table_controller.app.table.listeners import Collector
from table_controller.app.virtual.compare import Comparison, compare
from table_controller.domain.happenings import NotLooked
from table_controller.game.engine import Engine
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from table_controller.record.journal import EntryKind, Journal
from table_controller.rulesets import load
from tests.table_controller.happenings.ideal_eye import IdealEye
from tests.table_controller.happenings.play import GEOMETRY, inputs
from vision.cameras.sources import Frame
from vision.geometry import TableGeometry
from vision.sightings import Outcome, Sighting

pytestmark = pytest.mark.long

_NOTHING = np.zeros((2, 2, 3), np.uint8)


@lru_cache(maxsize=1)
def demo() -> tuple[Director, list[Sighting | Reading]]:
    director = Director(load_scenario(demo_scenario()))
    eye = IdealEye(TableGeometry.load(GEOMETRY), 0)
    return director, list(inputs(director, eye, 0))


def table(journal: Journal | None) -> tuple[TableController, Collector]:
    collected = Collector()
    geometry = TableGeometry.load(GEOMETRY)
    controller = TableController(
        Follower(geometry, Setup()),
        Engine(load("mcr-1998"), 0),
        journal,
        [collected],
    )
    return controller, collected


def feed(
    controller: TableController,
    given: list[Sighting | Reading],
    sightings: list[Sighting],
    number: int,
) -> int:
    for one in given:
        if isinstance(one, Sighting):
            controller.seen(Frame(one.t, one.camera, _NOTHING, number), one)
            number += 1
        else:
            controller.reading(one)
    assert number <= len(sightings)
    return number


@lru_cache(maxsize=1)
def whole_run() -> Collector:
    _, given = demo()
    sightings = [one for one in given if isinstance(one, Sighting)]
    controller, collected = table(None)
    feed(controller, given, sightings, 0)
    controller.finish()
    return collected


def killed(folder: Path, cut: int) -> tuple[Collector, int]:
    """What a controller told of so many inputs, and how many were sightings.

    Nothing is closed or flushed; only what stands in the journal is left.
    """
    _, given = demo()
    sightings = [one for one in given if isinstance(one, Sighting)]
    with Journal.open(folder / "journal.db") as journal:
        controller, told = table(journal)
        return told, feed(controller, given[:cut], sightings, 0)


@pytest.mark.parametrize("share", [0.12, 0.5, 0.97])
def test_a_killed_controller_goes_on_with_the_same_hand(tmp_path: Path, share: float) -> None:
    director, given = demo()
    sightings = [one for one in given if isinstance(one, Sighting)]
    cut = int(share * len(given))

    undisturbed = whole_run()
    _, number = killed(tmp_path, cut)

    with Journal.open(tmp_path / "journal.db") as journal:
        again, collected = table(journal)
        again.resume()
        feed(again, given[cut:], sightings, number)
        again.finish()
        assert journal.verify() is None
        raised = [entry.body["id"] for entry in journal.entries([EntryKind.ALERT])]
        hands = list(journal.entries([EntryKind.HAND]))

    assert [hand.payments for hand in collected.hands] == [
        hand.payments for hand in undisturbed.hands
    ]
    assert [hand.wins for hand in collected.hands] == [hand.wins for hand in undisturbed.hands]
    assert len(hands) == len(undisturbed.hands) == 1
    assert sorted(raised) == sorted(alert.id for alert in undisturbed.alerts)
    found = compare(collected.happenings, collected.alerts, director.truth(), [])
    before = compare(undisturbed.happenings, undisturbed.alerts, director.truth(), [])
    # What was just happening when it was killed was not told yet, and nobody saw by whom: in
    # the deal the grab that was under way and the one before it, which is told a moment later.
    lost = set(found.missed) - set(before.missed)
    assert len(lost) <= 2, lost
    told = Comparison.total(found.happenings).invented
    # It may be told slot by slot then: a grab in the deal is four.
    assert told <= Comparison.total(before.happenings).invented + 4 * len(lost), found.invented


@pytest.mark.parametrize(("share", "off"), [(0.3, 4.0), (0.5, 9.0), (0.6, 20.0), (0.8, 6.0)])
def test_what_happened_while_it_was_ended_was_not_looked_at(
    tmp_path: Path, share: float, off: float
) -> None:
    _, given = demo()
    sightings = [one for one in given if isinstance(one, Sighting)]
    cut = int(share * len(given))
    back = next(n for n, one in enumerate(given) if one.t >= given[cut].t + off)
    told, number = killed(tmp_path, cut)

    with Journal.open(tmp_path / "journal.db") as journal:
        again, collected = table(journal)
        again.resume()
        feed(again, given[back:], sightings, number)
        again.finish()

    looked = next(one.t for one in given[back:] if isinstance(one, Sighting))
    gaps = {h.until: h.t for h in collected.happenings if isinstance(h, NotLooked)}
    known_until = [h.t for h in told.happenings] + [alert.t_raised for alert in told.alerts]
    assert gaps[looked] == max(known_until)
    # Nothing may be concluded from what is missing; what is seen before and after stays.
    known = {(alert.id, alert.seat) for alert in whole_run().alerts}
    assert {(alert.id, alert.seat) for alert in collected.alerts} <= known


def test_a_gap_of_which_the_end_was_not_told_ends_when_it_is_looked_at_again() -> None:
    told = NotLooked(t=5.0, where="hand", seat=2)
    over = NotLooked(t=3.0, where="pool", seat=1)
    follower = Follower(TableGeometry.load(GEOMETRY), Setup())
    follower.restore([over, told, replace(over, until=5.5)])
    said = []
    for n in range(8):
        sighting = Sighting(5.8 + n * 0.1, "top", Outcome.LOOKED, reach=(None,) * 4)
        said += follower.sighting(sighting)
    assert [h for h in said if isinstance(h, NotLooked)] == [replace(told, until=5.8)]
