"""What the console shows, and who is told when it changes.

The controller's thread publishes; any number of web clients subscribe from the server's event
loop. Every change has a number, so that a client that lost its connection catches up from the
last number it saw, or gets the whole state again when that is too long ago. Nothing here blocks
the controller: a client that does not read is dropped, not waited for.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

Message = dict[str, Any]

_BACKLOG: Final = 500
"""A client catches up with so many, some three hands; who was away for longer gets all anew."""
_QUEUE: Final = 500
_PASSING: Final = ("view", "health", "game", "machine")
"""Kinds that follow each other several times a second, each replacing the one before."""


@dataclass(slots=True)
class Subscription:
    """One client's queue; ``None`` in it says that the client was too slow and must reconnect."""

    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[str | None]
    dropped: bool = False


@dataclass(slots=True)
class ConsoleState:
    """Everything a client needs to draw the page; plain JSON values."""

    table: dict[str, Any] = field(default_factory=dict)
    """Set once: geometry, ruleset, table name."""
    view: dict[str, Any] = field(default_factory=dict)
    """What is believed to lie where, now."""
    game: dict[str, Any] = field(default_factory=dict)
    """The rule state: round, dealer, turn, scores, hands' sizes."""
    health: dict[str, Any] = field(default_factory=dict)
    """Cameras, machine, rates, latency."""
    alerts: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Alerts of the session by key, oldest first, each with its ``decision`` or null."""
    moves: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=600))
    hands: list[dict[str, Any]] = field(default_factory=list)
    orders: list[dict[str, Any]] = field(default_factory=list)
    """Corrections, entries and confirmations by the referee, oldest first."""
    crops: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    """Camera pictures of the tiles of each captured hand, by hand key and seat."""
    protests: list[dict[str, Any]] = field(default_factory=list)
    """Protests and what lifted them, oldest first."""
    calls: list[dict[str, Any]] = field(default_factory=list)
    """Calls for the referee, oldest first, each with who answered it, or null."""
    machine: dict[str, Any] = field(default_factory=dict)
    """How far the next wall has got, and what it waits for."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """What the hall orders and what waits for the hand's end, or for the table's referee."""
    notes: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=100))

    def apply(self, message: Message) -> None:
        """Take one message into the state."""
        body = message["body"]
        match message["type"]:
            case "table":
                self.table = body
            case "view":
                self.view = body
            case "game":
                self.game = body
            case "health":
                self.health = body
            case "alert":
                self.alerts[body["key"]] = body
            case "decision":
                alert = self.alerts.get(body["key"])
                if alert is not None:
                    self.alerts[body["key"]] = {**alert, "decision": body["decision"]}
            case "move":
                self.moves.append(body)
            case "hand":
                self.hands = [h for h in self.hands if h.get("key") != body.get("key")] + [body]
            case "passed":
                alert = self.alerts.get(body["key"])
                if alert is not None:
                    self.alerts[body["key"]] = {**alert, "passed": body["t"]}
            case "order":
                self.orders.append(body)
            case "protest":
                self.protests.append(body)
            case "machine":
                self.machine = body
            case "call":
                kept = [call for call in self.calls if call["key"] != body["key"]]
                self.calls = [*kept, body][-50:]
            case "crops":
                self.crops[body["key"], body["seat"]] = body
            case "refold":
                self.moves = deque(body["moves"], maxlen=600)
                self.hands = list(body["hands"])
                gone = set(body["withdrawn"])
                for key, known in self.alerts.items():
                    self.alerts[key] = {**known, "withdrawn": key in gone}
            case "asked":
                self.asked = list(body["orders"])
            case "note":
                self.notes.append(body)
            case other:
                raise ValueError(f"no such message: {other!r}")

    def snapshot(self) -> dict[str, Any]:
        """The whole state as JSON values."""
        return {
            "table": self.table,
            "view": self.view,
            "game": self.game,
            "health": self.health,
            "alerts": list(self.alerts.values()),
            "moves": list(self.moves),
            "hands": list(self.hands),
            "orders": list(self.orders),
            "crops": list(self.crops.values()),
            "protests": list(self.protests),
            "calls": list(self.calls),
            "machine": self.machine,
            "asked": list(self.asked),
            "notes": list(self.notes),
        }


class Hub:
    """Publishes numbered changes to subscribers and answers with the state as it is."""

    def __init__(self) -> None:
        self._state = ConsoleState()
        # Numbers go on from the clock's, ms: what a page saw of a process before this one is then
        # older than all that is kept here, and not taken for a part of it.
        self._first = self._number = time.time_ns() // 1_000_000
        self._backlog: deque[tuple[int, Message]] = deque(maxlen=_BACKLOG)
        self._subscribers: list[Subscription] = []
        self._taps: list[Callable[[str, dict[str, Any]], None]] = []
        self._lock = threading.Lock()

    def tap(self, told: Callable[[str, dict[str, Any]], None]) -> None:
        """Tell a function of every change, in the publishing thread; it must be quick."""
        self._taps.append(told)

    def publish(self, kind: str, body: dict[str, Any]) -> None:
        """Take a change and tell everybody; may be called from any thread."""
        with self._lock:
            self._number += 1
            message: Message = {"n": self._number, "type": kind, "body": body}
            self._state.apply(message)
            # A client that catches up gets only the newest of what passes quickly.
            if kind not in _PASSING:
                self._backlog.append((self._number, message))
            subscribers = list(self._subscribers)
            for told in self._taps:
                told(kind, body)
        if not subscribers:
            return
        # Written once, however many are listening.
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        for subscriber in subscribers:
            try:
                subscriber.loop.call_soon_threadsafe(_put, subscriber, text)
            except RuntimeError:  # its event loop was closed: the server stopped
                subscriber.dropped = True

    @property
    def players(self) -> tuple[int, ...]:
        """The seats that are taken: of three players, North's side is empty at the start."""
        with self._lock:
            table = self._state.table
        if table.get("players") == 3:
            empty = (table.get("east", 0) + 3) % 4
            return tuple(seat for seat in range(4) if seat != empty)
        return (0, 1, 2, 3)

    def snapshot(self) -> dict[str, Any]:
        """The state with the number of the last change taken into it."""
        with self._lock:
            return {"n": self._number, **self._state.snapshot()}

    def alert(self, key: str) -> dict[str, Any] | None:
        """One alert by its key."""
        with self._lock:
            return self._state.alerts.get(key)

    def since(self, number: int) -> list[Message] | None:
        """What changed after ``number``, or None where the whole state must be sent again."""
        with self._lock:
            if number > self._number:
                return None
            oldest = self._backlog[0][0] if len(self._backlog) == _BACKLOG else self._first
            if number < oldest:
                return None
            missed = [message for n, message in self._backlog if n > number]
            for kind, body in (
                ("view", self._state.view),
                ("game", self._state.game),
                ("health", self._state.health),
                ("machine", self._state.machine),
            ):
                if body:
                    missed.append({"n": self._number, "type": kind, "body": body})
            return missed

    def subscribe(self) -> Subscription:
        """A queue of all changes from now on, for the running event loop."""
        subscription = Subscription(asyncio.get_running_loop(), asyncio.Queue(_QUEUE))
        with self._lock:
            self._subscribers.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Forget a client."""
        with self._lock:
            if subscription in self._subscribers:
                self._subscribers.remove(subscription)


def _put(subscription: Subscription, message: str) -> None:
    if subscription.dropped:
        return
    if subscription.queue.qsize() >= _QUEUE - 1:
        subscription.dropped = True
        subscription.queue.put_nowait(None)
        return
    subscription.queue.put_nowait(message)
