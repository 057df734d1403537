"""What the hall's pages show, and who is told when it changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any, Final

from table_controller.console.hub import Hub, Subscription

_QUEUE: Final = 400


class HallHub(Hub):
    """Publishes changes of the hall to any number of pages.

    The state is small and is sent whole to a page that comes (again); after that only what has
    changed. ``parts`` are dictionaries by key: ``tables``, ``alerts``, ``calls``, ``orders``,
    ``chains``; ``facts`` are single values: ``round``, ``incidents``, ``venue``, ``board``.
    """

    def __init__(self) -> None:
        super().__init__()
        self._parts: dict[str, dict[str, dict[str, Any]]] = {}
        self._facts: dict[str, Any] = {}

    def put(self, part: str, items: Iterable[tuple[str, dict[str, Any] | None]]) -> None:
        """Change items of a part; None takes one away. What is as it was is not sent."""
        changed: dict[str, dict[str, Any] | None] = {}
        with self._lock:
            held = self._parts.setdefault(part, {})
            for key, body in items:
                if held.get(key) == body:
                    continue
                changed[key] = body
                if body is None:
                    held.pop(key, None)
                else:
                    held[key] = body
        if changed:
            self._send({"type": part, "body": changed})

    def fact(self, name: str, value: Any) -> None:
        """Change a single value."""
        with self._lock:
            if self._facts.get(name) == value:
                return
            self._facts[name] = value
        self._send({"type": "fact", "body": {name: value}})

    def item(self, part: str, key: str) -> dict[str, Any] | None:
        """One item as it is shown."""
        with self._lock:
            return self._parts.get(part, {}).get(key)

    def keys(self, part: str) -> list[str]:
        """The keys of a part."""
        with self._lock:
            return list(self._parts.get(part, {}))

    def snapshot(self) -> dict[str, Any]:
        """The whole state."""
        with self._lock:
            parts = {name: dict(held) for name, held in self._parts.items()}
            return {"n": self._number, **parts, **self._facts}

    def since(self, number: int) -> None:  # noqa: ARG002 - the state is small: it is sent whole
        """What was missed is not kept."""
        return

    def subscribe(self) -> Subscription:
        """A queue of all changes from now on, for the running event loop."""
        made = Subscription(asyncio.get_running_loop(), asyncio.Queue(_QUEUE + 1))
        with self._lock:
            self._subscribers.append(made)
        return made

    def _send(self, message: dict[str, Any]) -> None:
        with self._lock:
            self._number += 1
            message["n"] = self._number
            subscribers = list(self._subscribers)
        if not subscribers:
            return
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        for subscriber in subscribers:
            try:
                subscriber.loop.call_soon_threadsafe(_put, subscriber, text)
            except RuntimeError:  # its event loop was closed: the server stopped
                subscriber.dropped = True


def _put(subscription: Subscription, message: str) -> None:
    if subscription.dropped:
        return
    if subscription.queue.qsize() >= _QUEUE:
        subscription.dropped = True
        subscription.queue.put_nowait(None)
        return
    subscription.queue.put_nowait(message)
