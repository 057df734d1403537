"""Is all well at a running table? Cameras, machine, speed, disk: shown, published, written down."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from firmware_bridge import readings as wire
from table_controller.app.table.core import TableController
from table_controller.app.table.terminal import Screen
from table_controller.console.hub import Hub
from table_controller.record.evidence import EvidenceStore
from table_controller.record.journal import Journal
from vision.cameras.sources import Source, SourceEvent, SourceState

STATUS_EVERY_S: Final = 1.0
SLOW_S: Final = 3
SLOW_FPS: Final = 5.0
"""With fewer pictures a second looked at, movements are missed."""

_ENDS: Final = {
    # A source says again, after it was lost, what of the others still holds.
    SourceState.CONNECTED: {SourceState.LOST, SourceState.FROZEN, SourceState.WRONG_SIZE},
    SourceState.ALIVE: {SourceState.FROZEN},
    # An eye that refuses pictures goes on to do so, and does not say it again, after a source was
    # lost. It says once that it looks again, whatever it refused them for.
    SourceState.STEADY: {SourceState.LIGHT, SourceState.ASTRAY, SourceState.BLIND},
}
"""What a good word about a camera ends; each trouble stands until then."""
_TROUBLES: Final = frozenset().union(*_ENDS.values())
_LINK: Final = {
    wire.LinkState.CONNECTED: True,
    wire.LinkState.LOST: False,
    wire.LinkState.SILENT: False,
    wire.LinkState.REFUSED: False,
}
"""Whether the machine answers; other news of the link come while it does."""


class Health:
    """What is well and what is not; says every change once.

    Args:
        controller: counts, and writes notes down.
        journal: may wait for a full disk.
        store: of the evidence, which makes room then.
        hub: whom the console listens to.
        screen: the terminal.
        machine: whether a machine is configured.
        phase: what the machine is doing, as it is believed.
    """

    def __init__(
        self,
        controller: TableController,
        journal: Journal,
        store: EvidenceStore,
        hub: Hub,
        screen: Screen,
        *,
        machine: bool,
        phase: Callable[[], Any],
    ) -> None:
        self._controller = controller
        self._journal = journal
        self._store = store
        self._hub = hub
        self._screen = screen
        self._phase = phase
        self._troubles: dict[str, set[SourceState]] = {}
        self.machine: bool | None = False if machine else None
        self._fps = 0.0
        self._slow = 0
        self._was_slow = False
        self._status_at = time.monotonic()
        self._frames_then = 0

    def watch(self, camera: str) -> None:
        """A camera was opened, and is well until something is said of it."""
        self._troubles[camera] = set()

    @property
    def cameras(self) -> dict[str, bool]:
        """Whether nothing stands against each camera."""
        return {camera: not troubles for camera, troubles in self._troubles.items()}

    def camera(self, event: SourceEvent) -> None:
        """A camera, or the eye behind it, says something."""
        troubles = self._troubles.setdefault(event.camera, set())
        if event.state in _TROUBLES:
            troubles.add(event.state)
        troubles -= _ENDS.get(event.state, set())
        text = f"camera {event.camera} {event.state.value}: {event.detail}"
        self._screen.note(text, bad=event.state not in _ENDS)
        self._controller.note(event.t, text)
        self.publish()

    def link(self, change: wire.LinkChanged) -> None:
        """The machine was connected or lost."""
        self.machine = _LINK.get(change.state, self.machine)
        text = f"machine {change.state.value}" + (f": {change.detail}" if change.detail else "")
        self._screen.note(text, bad=change.state is not wire.LinkState.CONNECTED)
        self._controller.note(time.time(), text)
        self.publish()

    def status(self, sources: Iterable[Source], started: float) -> None:
        """Once a second: is this computer fast enough, is there room, and the status line.

        Args:
            sources: the cameras' pictures.
            started: source time at which the session began.
        """
        now = time.monotonic()
        if now - self._status_at < STATUS_EVERY_S:
            return
        span, self._status_at = now - self._status_at, now
        frames = self._controller.counters.frames
        self._fps = (frames - self._frames_then) / span
        self._frames_then = frames
        self._make_room()
        cameras = self.cameras
        self._overloaded([source for source in sources if cameras[source.camera]])
        self.publish()
        self._screen.status(
            {
                "time": f"{max(0.0, self._controller.t - started):.0f} s",
                **cameras,
                "machine": self.machine,
                "frames/s": f"{self._fps:.1f}",
                "happenings": self._controller.counters.happenings,
            }
        )

    def _overloaded(self, here: list[Source]) -> None:
        """Say so when this computer is too slow for its cameras, and when it no longer is."""
        fps = self._fps / max(len(here), 1)
        if not here or not any(source.live for source in here):
            return
        slow = fps < SLOW_FPS
        self._slow = self._slow + 1 if slow else 0
        if self._slow == SLOW_S:
            text = f"only {fps:.1f} pictures a second are looked at: too much else runs here"
            self._was_slow = True
        elif self._was_slow and not slow:
            text, self._was_slow = f"{fps:.1f} pictures a second are looked at again", False
        else:
            return
        self._screen.note(text, bad=self._was_slow)
        self._controller.note(time.time(), text)

    def _make_room(self) -> None:
        """A journal that cannot be written gets the room of evidence that nobody needs."""
        if self._journal.waiting:
            # Nothing new may come for long: the machine waits until its events are written down.
            self._journal.append((), patient=True)
        if not self._journal.waiting:
            self._journal.keep_reserve()
            return
        dropped = self._store.trim(limit=self._store.size() // 2)
        text = f"journal: {self._journal.waiting} entries wait for room on the disk"
        self._screen.note(f"{text}; {len(dropped)} folders of evidence dropped", bad=True)

    def publish(self) -> None:
        """Tell the console."""
        self._hub.publish(
            "health",
            {
                "cameras": self.cameras,
                "machine": self.machine,
                "phase": self._phase() if self.machine else None,
                "journal": self._journal.waiting == 0,
                "fps": self._fps,
            },
        )
