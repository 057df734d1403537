"""A table with its referee, told happening by happening: no cameras, no machine."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from table_controller.app.ruling.desk import TableDesk
from table_controller.app.ruling.ruled import RuledTable
from table_controller.app.table.core import TableController
from table_controller.app.table.listeners import ConsoleFeed
from table_controller.console.drawing import scoreboard
from table_controller.console.hub import Hub
from table_controller.domain.happenings import Happening
from table_controller.game.engine import Engine
from table_controller.record.journal import EntryKind, Journal
from table_controller.rulesets import load
from vision.sightings import Sighting


class NoFollower:
    """Nothing is seen: the happenings are told."""

    def sighting(self, sighting: Sighting) -> list[Happening]:
        return []

    def reading(self, reading: Any) -> list[Happening]:
        return []

    def flush(self) -> list[Happening]:
        return []

    def watched(self, t: float) -> float:
        return t

    def restore(self, happenings: Iterable[Happening], until: float | None = None) -> None:
        pass


class Running:
    """One table; the journal lies in ``root``."""

    def __init__(
        self, root: Path, ruleset: str = "mcr-1998", names: list[str] | None = None
    ) -> None:
        self.rules = load(ruleset)
        self.journal = Journal.open(root / "journal.db")
        if not list(self.journal.entries([EntryKind.SESSION])):
            header = {"ruleset": ruleset, "east": 0, **({"players": names} if names else {})}
            self.journal.append([(1.0, EntryKind.SESSION, header)])
        self.hub = Hub()
        self.ruled = RuledTable(self.journal, self.hub, lambda v: Engine(self.rules, 0, v))
        feed = ConsoleFeed(self.hub, dict, dict)
        self.controller = TableController(NoFollower(), Engine(self.rules, 0), self.journal, [feed])
        self.ruled.attach(self.controller)
        facts = {"surface_mm": 820, "tile_mm": [26, 36, 20], "ruleset": ruleset, "start": 0}
        self.hub.publish("table", facts)
        self.folded = self.ruled.resume()
        self.settle()
        self.desk: TableDesk = self.ruled.desk(root / "evidence")

    def tell(self, happenings: Iterable[Happening]) -> None:
        """What happens now."""
        for happening in happenings:
            self.controller.t = max(self.controller.t, happening.t)
            self.controller.judge([happening])
        self.show()

    def settle(self) -> None:
        """What the controller's thread does when something was decided."""
        if self.ruled.due.is_set():
            self.ruled.judge_again()
        self.show()

    def settle_if_due(self) -> None:
        """For a thread that stands for the controller's."""
        if self.ruled.due.is_set():
            self.settle()

    def show(self) -> None:
        timers = self.rules.timers
        game = scoreboard(self.controller.state, timers, self.rules.session.minutes)
        self.hub.publish("game", game)

    @property
    def alerts(self) -> dict[str, dict[str, Any]]:
        """By key."""
        return {alert["key"]: alert for alert in self.hub.snapshot()["alerts"]}

    @property
    def hands(self) -> list[dict[str, Any]]:
        hands: list[dict[str, Any]] = self.hub.snapshot()["hands"]
        return hands
