"""A console with a running table behind it, for tests in a browser."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from table_controller.console.access import Access, Role
from table_controller.console.public import PublicFeed
from table_controller.console.server import ConsoleServer, build_app
from table_controller.domain.happenings import HandShown
from table_controller.record.journal import EntryKind
from tests.table_controller.console.running import Running
from tests.table_controller.game.scenes import Scene, tiles

TOKENS = {role: f"token-of-the-{role.value}" for role in Role}
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIEW: dict[str, Any] = {
    "t": 151.0,
    "tiles": [
        {"id": "a", "x": 0, "y": -120, "z": 20, "angle": 0, "posture": "face_up", "face": "5m"},
        {"id": "b", "x": 30, "y": -120, "z": 20, "angle": 0, "posture": "face_up", "face": "?"},
        {
            "id": "c",
            "x": 0,
            "y": 256,
            "z": 40,
            "angle": 180,
            "posture": "face_down",
            "face": "back",
        },
    ],
    "dice": [{"x": 4, "y": 4, "value": 5}],
    "covered": [[[0, 0], [50, 0], [50, 50]]],
}


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait for what the page causes."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(50)
    pytest.fail("it did not come")


def premature() -> Scene:
    """Seat 1 takes its tile into the hand before the dealer has discarded."""
    scene = Scene().start()
    scene.take(1, scene.front(), 0.5)
    scene.play(wait=1.5)
    return scene.play()


class Served:
    """A console of a running table with one alert."""

    def __init__(self, root: Path, port: int = 0) -> None:
        self.running = Running(root, "mcr-2006-du")
        self.hub = self.running.hub
        self.public = PublicFeed(self.hub, 0.0)
        facts = {"surface_mm": 820, "tile_mm": [26, 36, 20], "ruleset": "mcr-2006-du"}
        self.hub.publish("table", {**facts, "start": 100})
        self.hub.publish("view", VIEW)
        self.scene = premature()
        if not self.running.folded:
            self.running.tell(self.scene.said)
        app = build_app(self.hub, self.public.hub, Access(TOKENS), self.running.desk)
        self.server = ConsoleServer(app, "127.0.0.1", port, TOKENS[Role.REFEREE])
        self.server.start()
        self.public.start()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._settle, daemon=True)
        self._thread.start()

    def _settle(self) -> None:
        while not self._ended.wait(0.05):
            self.running.settle_if_due()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()
        self.public.stop()
        self.server.stop()
        self.running.journal.close()

    def win(self) -> None:
        """Seat 3 lays its hand open on a discarded 3s."""
        scene, told = self.scene, len(self.scene.said)
        while scene.turn != 1:
            scene.draw().play()
        scene.draw().play("3s")
        scene.say(HandShown, seat=3, tiles=tiles("123456789m 11p 45s"))
        self.running.tell(scene.said[told:])

    def decided(self) -> list[str]:
        return [e.body["action"] for e in self.running.journal.entries([EntryKind.DECISION])]
