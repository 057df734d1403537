"""Time that nobody looks at is no time in which nothing happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from firmware_bridge.messages import Key, KeyPressed, WallPresence
from firmware_bridge.readings import Reading
from table_controller.app.table.core import TableController
from table_controller.app.table.listeners import Collector
from table_controller.app.table.many_cameras import ManyEyed
from table_controller.domain.happenings import Clock, NotLooked
from table_controller.game.engine import Engine
from table_controller.happenings.follower import Follower
from table_controller.happenings.setup import Setup
from table_controller.happenings.steadfast import Steadfast
from table_controller.record.journal import Journal
from table_controller.rulesets import load
from tests.table_controller.game.scenes import Scene
from tests.table_controller.happenings.play import GEOMETRY
from tests.vision.merging.test_one_view import CAMERAS, TABLE
from vision.cameras.sources import Frame
from vision.geometry import TableGeometry
from vision.merging.one_view import OneView
from vision.sightings import Outcome, Sighting

RULES = load("mcr-1998")
PICTURE = np.zeros((2, 2, 3), np.uint8)


class Watched:
    """A table whose rules were told a scene; then it is looked at, or not."""

    def __init__(
        self,
        scene: Scene,
        follower: Follower | ManyEyed | None = None,
        journal: Journal | None = None,
    ) -> None:
        self.heard = Collector()
        self.t = scene.t
        self.controller = TableController(
            follower or Follower(TableGeometry.load(GEOMETRY), Setup()),
            Engine(RULES, 0),
            journal,
            [self.heard],
        )
        if self.controller.resume() == 0:
            self.controller.judge(scene.said)

    def look(self, outcome: Outcome = Outcome.LOOKED, camera: str = "top") -> None:
        seen = Sighting(self.t, camera, outcome, reach=(None,) * 4)
        self.controller.seen(Frame(self.t, camera, PICTURE, 1), seen)

    def for_s(self, seconds: float, what: Callable[[int], None]) -> None:
        for number in range(round(seconds / 0.1)):
            self.t = round(self.t + 0.1, 3)
            what(number)

    def refused(self, _: int) -> None:
        """The picture is too dark to be looked at."""
        self.look(Outcome.FAILED)

    def unplugged(self, number: int) -> None:
        """No picture comes, but the machine goes on telling; a player calls the referee."""
        if number % 10 == 0:
            self.controller.reading(Reading(self.t, WallPresence((0, 0, 0, number))))
        if number == 170:
            self.controller.reading(Reading(self.t, KeyPressed(1, Key.REFEREE)))

    @property
    def ids(self) -> list[str]:
        return [alert.id for alert in self.heard.alerts]

    @property
    def gaps(self) -> list[tuple[float, float | None]]:
        return [
            (h.t, h.until)
            for h in self.heard.happenings
            if isinstance(h, NotLooked) and h.where == "all"
        ]


def thinking() -> Scene:
    """A seat that has drawn and not discarded yet; it has 15 s."""
    scene = Scene()
    scene.say(Clock, 0.0, event="session_started")
    return scene.start().play().rounds(3).draw()


DARK = {"refused": Watched.refused, "unplugged": Watched.unplugged}


def test_who_is_seen_to_think_for_too_long_is_slow() -> None:
    table = Watched(thinking())
    table.for_s(20.0, lambda _: table.look())
    assert table.ids == ["discard-slow"]


@pytest.mark.parametrize("dark", DARK.values(), ids=DARK)
def test_nobody_is_slow_in_the_dark(dark: Callable[[Watched, int], None]) -> None:
    table = Watched(thinking())
    table.for_s(5.0, lambda _: table.look())
    since = table.t
    table.for_s(20.0, lambda number: dark(table, number))
    assert table.ids == []
    # Said as soon as it is more than a short pause, and with its end.
    assert table.gaps == [(since, None)]
    table.for_s(0.1, lambda _: table.look())
    assert table.gaps == [(since, None), (since, table.t)]
    table.for_s(8.0, lambda _: table.look())
    assert table.ids == []


def test_a_moment_without_looks_is_not_counted_before_it_is_known_what_it_is() -> None:
    table = Watched(thinking())
    # The last discard lies 2 s before the draw; a discard is told 0.8 s after it came to rest.
    table.for_s(13.7, lambda _: table.look())
    table.for_s(0.6, lambda number: table.refused(number))
    assert (table.ids, table.gaps) == ([], [])
    table.for_s(0.1, lambda _: table.look())
    assert table.ids == ["discard-slow"]


@pytest.mark.parametrize("dark", DARK.values(), ids=DARK)
def test_the_session_ends_in_the_dark_as_well(dark: Callable[[Watched, int], None]) -> None:
    scene = thinking()
    assert RULES.session.minutes is not None
    began = scene.t + 8.0 - 60.0 * RULES.session.minutes
    scene.said[0] = Clock(t=began, event="session_started")
    table = Watched(scene)
    table.for_s(2.0, lambda _: table.look())
    table.for_s(12.0, lambda number: dark(table, number))
    assert table.ids == ["session-time-up"]
    [alert] = table.heard.alerts
    assert alert.t_raised == pytest.approx(scene.t + 8.0, abs=1.1)


@pytest.mark.parametrize("dark", DARK.values(), ids=DARK)
def test_a_hand_does_not_end_in_the_dark(dark: Callable[[Watched, int], None]) -> None:
    scene = Scene().start().play()
    while scene.wall.front() is not None:
        scene.draw().play("?")
    table = Watched(scene)
    table.for_s(1.0, lambda _: table.look())
    table.for_s(20.0, lambda number: dark(table, number))
    assert table.heard.hands == []
    table.for_s(12.0, lambda _: table.look())
    assert [hand.result for hand in table.heard.hands] == ["exhausted"]


def test_the_first_picture_after_a_restart_is_no_look_yet(tmp_path: Path) -> None:
    """Of two cameras: what they saw at one moment is put together first."""
    scene = thinking()
    with Journal.open(tmp_path / "journal.db") as journal:
        before = Watched(scene, journal=journal)
    with Journal.open(tmp_path / "journal.db") as journal:
        follower = ManyEyed(Steadfast(TABLE, Setup()), OneView(CAMERAS, TABLE))
        table = Watched(scene, follower, journal)
        table.t += 40.0
        table.look(camera="left")
        assert (table.ids, table.gaps) == ([], [])
        table.t += 0.05
        table.look(camera="right")
        assert table.gaps == [(max(h.t for h in before.heard.happenings), table.t)]
        assert table.ids == []
