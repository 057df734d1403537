"""Who listens to a table: the console, the terminal, the keeper of evidence."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import Any, Final

from table_controller.app.table.core import VIEW_EVERY_S
from table_controller.app.table.serving import RESTATED
from table_controller.app.table.terminal import Screen
from table_controller.app.table.windows import Windows
from table_controller.console.hub import Hub
from table_controller.domain.alert_names import alert_title
from table_controller.domain.happenings import Call, Happening, call_key
from table_controller.domain.output_codec import to_object as output_object
from table_controller.domain.outputs import Alert, HandRecord, Move, Output
from table_controller.record.evidence import EvidenceStore, FrameRing
from table_controller.record.journal import EntryKind, Journal
from vision.cameras.sources import Frame
from vision.sightings import Sighting

logger = logging.getLogger(__name__)

CLIP_AFTER_S: Final = 0.8
"""The clip of an alert goes on this long after it was raised."""


class Quiet:
    """A listener that hears nothing; the others override what they need."""

    def happening(self, happening: Happening) -> None:
        """See :class:`table_controller.app.table.core.Listener`."""

    def output(self, output: Output, key: str | None) -> None:
        """See :class:`table_controller.app.table.core.Listener`."""

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:
        """See :class:`table_controller.app.table.core.Listener`."""


class Results(Quiet):
    """Keeps what came of a session: alerts and hands."""

    def __init__(self) -> None:
        self.alerts: list[Alert] = []
        self.hands: list[HandRecord] = []

    def output(self, output: Output, key: str | None) -> None:
        """Keep it; a hand that was settled anew replaces what it was before."""
        match output:
            case Alert():
                self.alerts.append(output)
            case HandRecord():
                number = int((key or "hand-000").rpartition("-")[2])
                self.hands = [*self.hands[: number - 1], output, *self.hands[number:]]


class Collector(Results):
    """Keeps everything, for summaries and measurements."""

    def __init__(self) -> None:
        super().__init__()
        self.happenings: list[Happening] = []
        self.moves: list[Move] = []

    def happening(self, happening: Happening) -> None:
        """Keep it."""
        self.happenings.append(happening)

    def output(self, output: Output, key: str | None) -> None:
        """Keep it."""
        super().output(output, key)
        if isinstance(output, Move):
            self.moves.append(output)


class ScreenFeed(Quiet):
    """Shows moves, alerts and hands in the terminal."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def output(self, output: Output, key: str | None) -> None:  # noqa: ARG002
        """Show it."""
        match output:
            case Move():
                self._screen.move(output)
            case Alert():
                self._screen.alert(output)
            case HandRecord():
                self._screen.hand(output)


class ConsoleFeed(Quiet):
    """Publishes to the console: outputs as they come, the table a few times a second.

    Args:
        hub: of the console.
        view: what is believed to lie where, as JSON values.
        game: the rule state, as JSON values.
    """

    def __init__(
        self,
        hub: Hub,
        view: Callable[[], dict[str, Any]],
        game: Callable[[], dict[str, Any]],
    ) -> None:
        self._hub = hub
        self._windows = Windows()
        self._view = view
        self._game = game
        self._shown = float("-inf")

    def happening(self, happening: Happening) -> None:
        """A seat's button that calls the referee stays shown until somebody answers."""
        if isinstance(happening, Call) and happening.call == "referee":
            key = call_key(happening.t, happening.seat)
            body = {"key": key, "seat": happening.seat, "t": happening.t, "answered": None}
            self._hub.publish("call", body)

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:  # noqa: ARG002
        """Publish the table when it is time again."""
        if 0 <= frame.t - self._shown < VIEW_EVERY_S - 0.02:
            return
        self._shown = frame.t
        self._hub.publish("view", self._view())
        self._hub.publish("game", self._game())

    def output(self, output: Output, key: str | None) -> None:
        """Publish it."""
        body = output_object(output)
        match output:
            case Move():
                self._hub.publish("move", body)
            case Alert():
                # What is known of it already stays: after a restart everything is told again.
                known = (self._hub.alert(key) if key else None) or {}
                names: tuple[str, ...] = ("decision", "files")
                if (known.get("decision") or {}).get("action") == "change":
                    # The rules say the referee's ruling: what he has changed goes on being shown.
                    body = {name: fact for name, fact in body.items() if name not in RESTATED}
                    names += RESTATED
                kept = {name: known[name] for name in names if name in known}
                more = {"key": key, "title": alert_title(output.id), "decision": None}
                self._hub.publish("alert", {**body, **more, **kept})
            case HandRecord():
                self._hub.publish("hand", {**body, "key": key})
        for passed, t in self._windows.take(output, key):
            self._hub.publish("passed", {"key": passed, "t": t})


class EvidenceKeeper(Quiet):
    """Keeps recent frames and writes the pictures of each alert, in a thread of its own.

    Args:
        store: where they go.
        ring: of recent frames, the one that the store reads.
        journal: told which files belong to which alert.
        on_saved: called with the alert's key and its files.
    """

    def __init__(
        self,
        store: EvidenceStore,
        ring: FrameRing,
        journal: Journal,
        on_saved: Callable[[str, tuple[str, ...]], None],
    ) -> None:
        self._store = store
        self._ring = ring
        self._journal = journal
        self._on_saved = on_saved
        self._due: list[tuple[float, str, Alert]] = []
        self._queue: queue.Queue[tuple[str, Alert] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="evidence", daemon=True)
        self._thread.start()

    def frame(self, frame: Frame, sighting: Sighting | None) -> None:  # noqa: ARG002
        """Keep the frame; write what waited for it."""
        self._ring.add(frame.t, frame.camera, frame.as_it_came)
        while self._due and self._due[0][0] <= frame.t:
            _, key, alert = self._due.pop(0)
            self._queue.put((key, alert))

    def output(self, output: Output, key: str | None) -> None:
        """Note that an alert wants its pictures."""
        if isinstance(output, Alert) and key is not None:
            self._due.append((output.t_raised + CLIP_AFTER_S, key, output))

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            key, alert = item
            times = [happening.t for happening in alert.evidence] or [alert.t]
            files = self._store.save(key, before=min(times) - 0.7, after=alert.t_raised)
            if not files:
                continue
            body = {"alert": key, "files": list(files)}
            self._journal.append([(alert.t_raised, EntryKind.EVIDENCE, body)], patient=True)
            self._on_saved(key, files)

    def close(self) -> None:
        """Write what is still due and stop."""
        for _, key, alert in self._due:
            self._queue.put((key, alert))
        self._due.clear()
        self._queue.put(None)
        self._thread.join(20)
