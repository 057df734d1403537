"""What a table says of itself to the hall, gathered from what its console is told."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from table_controller.console.hub import Hub
from table_controller.domain.happenings import Clock, Happening, TableSet

RUNNING = frozenset({"deal", "play", "check"})
"""Phases of the game in which a hand is being played."""


class Reporter:
    """Listens to a console's hub; :meth:`report` may be called from any thread.

    Args:
        hub: of the table's console.
        session: name of the running session.
        happenings: of it so far: what the hall caused holds also after a restart.
    """

    def __init__(self, hub: Hub, session: str, happenings: Iterable[Happening] = ()) -> None:
        self.session = session
        self.paused = False
        self.ended = False
        self._lock = threading.Lock()
        self._game: dict[str, Any] = {}
        self._health: dict[str, Any] = {}
        self._undecided: set[str] = set()
        self._withdrawn: set[str] = set()
        self._last: dict[str, Any] = {}
        self._hands = 0
        snapshot = hub.snapshot()
        for kind in ("game", "health"):
            if snapshot[kind]:
                self._take(kind, snapshot[kind])
        for alert in snapshot["alerts"]:
            self._take("alert", alert)
        self._hands = len(snapshot["hands"])
        for kind, part in (("move", "moves"), ("hand", "hands")):
            for body in snapshot[part][-1:]:
                self._take(kind, body)
        self.happened(*(one for one in happenings if isinstance(one, Clock)))
        hub.tap(self._take)

    def _take(self, kind: str, body: dict[str, Any]) -> None:
        with self._lock:
            match kind:
                case "game":
                    self._game = body
                case "health":
                    self._health = body
                case "alert":
                    decision = body.get("decision")
                    self._decided(body["key"], decision)
                    if body.get("withdrawn"):
                        self._withdrawn.add(body["key"])
                    else:
                        self._withdrawn.discard(body["key"])
                    self._last = {"what": body["id"], "t": body.get("t_raised", body["t"])}
                case "decision":
                    self._decided(body["key"], body["decision"])
                case "refold":
                    # All of them: what is not in it any more stands again.
                    self._withdrawn = set(body["withdrawn"])
                case "move":
                    self._last = {"what": body["move"], "t": body["t"], "seat": body.get("seat")}
                case "hand":
                    self._hands += 1
                    self._last = {"what": body["result"], "t": body["t"]}

    def _decided(self, key: str, decision: dict[str, Any] | None) -> None:
        if decision is None or decision["action"] == "undo":
            self._undecided.add(key)
        else:
            self._undecided.discard(key)

    def happened(self, *happenings: Clock | TableSet) -> None:
        """What the hall caused at the table."""
        for one in happenings:
            match one:
                case Clock(event="paused" | "resumed"):
                    self.paused = one.event == "paused"
                case Clock(event="session_started" | "session_ended"):
                    self.ended = one.event == "session_ended"

    @property
    def hand_running(self) -> bool:
        """Whether a hand is being played."""
        with self._lock:
            return self._game.get("phase") in RUNNING

    @property
    def under_way(self) -> bool:
        """Whether the session has begun to be played, and goes on."""
        with self._lock:
            over = self.ended or bool((self._game.get("session") or {}).get("over"))
            return self._game.get("phase") in RUNNING or (self._hands > 0 and not over)

    def report(self) -> dict[str, Any]:
        """Fields of :class:`table_controller.venue.messages.Status`."""
        with self._lock:
            game, health, last = self._game, self._health, self._last
            open_alerts = len(self._undecided - self._withdrawn)
        phase = game.get("phase") or ""
        faults = [f"camera {name}" for name, ok in health.get("cameras", {}).items() if not ok]
        if health.get("machine") is False:
            faults.append("machine")
        seat = last.get("seat")
        what = str(last.get("what", ""))
        return {
            "session": self.session,
            "state": "paused" if self.paused else "playing" if phase in RUNNING else "idle",
            "phase": phase,
            "hand": game.get("hand") or 0,
            "round_wind": game.get("round_wind"),
            "scores": tuple(game.get("scores") or ()),
            "timers": tuple(game.get("timers") or ()),
            "faults": tuple(faults),
            "last": what if seat is None else f"{what} {seat}",
            "last_t": last.get("t"),
            "open_alerts": open_alerts,
        }
