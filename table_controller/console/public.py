"""What a public may see: built field by field from what lies open, and late.

Nothing is taken away from the referee's messages; a new message is made of the fields named here
alone, so that whatever is added to the referee's view later stays unseen by the public.
"""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from table_controller.console.hub import Hub

_OPEN_PLACES: Final = ("pool", "meld", "flower")
_TABLE: Final = (
    "surface_mm", "tile_mm", "ruleset", "ruleset_title", "players", "east", "start", "name",
)  # fmt: skip
_GAME: Final = (
    "round_wind", "hand", "dealer", "phase", "turn", "wall_left", "scores", "winds",
)  # fmt: skip
_HAND: Final = (
    "t", "type", "key", "hand", "round_wind", "dealer", "honba", "result", "reason", "wins",
    "payments", "penalties", "scores", "confirmed",
)  # fmt: skip
_MOVE: Final = ("t", "type", "move", "seat", "from", "kong", "values")
_MOVE_FACES: Final = frozenset({"flower", "discard", "chow", "pung", "indicator"})
"""Moves whose tiles lie open on the table."""


def _only(body: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: body[name] for name in names if name in body}


def public_view(view: dict[str, Any]) -> dict[str, Any]:
    """The table without faces that not every player sees, and without who holds what where."""
    tiles: list[dict[str, Any]] = []
    for tile in view.get("tiles", ()):
        open_ = tile.get("place") in _OPEN_PLACES and tile["posture"] == "face_up"
        standing = tile.get("place") == "hand"
        tiles.append(
            {
                "id": tile["id"],
                "x": tile["x"],
                "y": tile["y"],
                "z": tile["z"],
                "angle": tile["angle"],
                "posture": "face_up" if open_ else "standing" if standing else "face_down",
                "face": tile["face"] if open_ else "back",
            }
        )
    dice = [{"x": die["x"], "y": die["y"], "value": die["value"]} for die in view.get("dice", ())]
    return {"t": view.get("t"), "tiles": tiles, "dice": dice, "wall": view.get("wall")}


def public_move(move: dict[str, Any]) -> dict[str, Any]:
    """A move without tiles that were not laid open by it."""
    made = _only(move, _MOVE)
    open_ = move["move"] in _MOVE_FACES or (
        move["move"] == "kong" and move.get("kong") in ("exposed", "added")
    )
    if open_:
        made |= _only(move, ("tile", "tiles"))
    return made


def public_message(kind: str, body: dict[str, Any]) -> dict[str, Any] | None:
    """What becomes of a message for the public; None: nothing."""
    match kind:
        case "table":
            return _only(body, _TABLE)
        case "view":
            return public_view(body)
        case "game":
            return _only(body, _GAME)
        case "move":
            return public_move(body)
        case "hand":
            return _only(body, _HAND)
        case "refold":
            return {
                "moves": [public_move(move) for move in body["moves"]],
                "hands": [_only(hand, _HAND) for hand in body["hands"]],
                "withdrawn": [],
            }
    return None


class PublicFeed:
    """A hub for the public that lags behind the referee's.

    Args:
        hub: the referee's.
        delay_s: by how much it lags, s.
        clock: seconds, never going back.
    """

    def __init__(
        self, hub: Hub, delay_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.hub = Hub()
        self._delay = delay_s
        self._clock = clock
        self._due: deque[tuple[float, str, bytes]] = deque()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        hub.tap(self._take)

    def _take(self, kind: str, body: dict[str, Any]) -> None:
        made = public_message(kind, body)
        if made is not None:
            self._due.append((self._clock() + self._delay, kind, _packed(made)))

    def pump(self) -> None:
        """Publish what is due."""
        now = self._clock()
        while self._due and self._due[0][0] <= now:
            _, kind, packed = self._due.popleft()
            self.hub.publish(kind, json.loads(zlib.decompress(packed)))

    def start(self) -> None:
        """Publish in a thread of its own from now on."""
        self._thread = threading.Thread(target=self._run, name="public feed", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(0.2):
            self.pump()

    def stop(self) -> None:
        """Stop publishing."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(2)


def _packed(body: dict[str, Any]) -> bytes:
    """A message while it waits: five views a second are 70 kB each as they are, 2 kB so."""
    return zlib.compress(json.dumps(body, separators=(",", ":")).encode(), 1)
