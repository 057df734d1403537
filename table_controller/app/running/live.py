"""A live table: cameras and machine run by themselves, the controller follows.

One thread does the thinking: it takes the newest look at a frame, first everything the machine said
before that frame was taken, and hands both to the controller. Each camera is looked through in a
process of its own. Cameras and link have threads of their own and never wait for it.
"""

from __future__ import annotations

import queue
import time
from pathlib import Path
from typing import Any, Final

from firmware_bridge import readings as wire
from firmware_bridge.messages import StartCycle, TileSet
from table_controller.app.evidence.captures import HandCapture
from table_controller.app.evidence.moments import MomentKeeper
from table_controller.app.ruling.ruled import RuledTable
from table_controller.app.running.closing import Closing
from table_controller.app.running.first_walls import FirstWalls
from table_controller.app.running.incoming import Incoming
from table_controller.app.running.opening import begin_eyes, look_on, open_link, open_sources
from table_controller.app.running.recorder import Recorder, begin_recording
from table_controller.app.table.assemble import Rooms
from table_controller.app.table.core import TableController
from table_controller.app.table.cost import Cost
from table_controller.app.table.driving import Driver
from table_controller.app.table.health import Health
from table_controller.app.table.listeners import ConsoleFeed, EvidenceKeeper, Results, ScreenFeed
from table_controller.app.table.next_wall import NextWall
from table_controller.app.table.serving import serve_console
from table_controller.app.table.terminal import open_screen
from table_controller.config import Config
from table_controller.console.drawing import drawing, scoreboard
from table_controller.console.hub import Hub
from table_controller.console.public import PublicFeed
from table_controller.console.server import ConsoleServer
from table_controller.record.evidence import EvidenceStore, FrameRing
from table_controller.record.journal import EntryKind, Journal
from vision.apart.freed import Tidying, give_pictures_back, settle
from vision.apart.looker import Look
from vision.cameras.sources import SourceEvent
from vision.cameras.steady import SteadyClock

WAIT_S: Final = 0.25
"""Longest wait for a look before the machine's readings are taken without one."""
DRIVE_EVERY_S: Final = 0.3
"""How often it is looked whether the machine can go on."""


class LiveRun:
    """Everything that a running table consists of; made from its configuration.

    Args:
        config: of the table.
        title: shown in the terminal.
        live: live view or plain lines; None decides by the terminal.
        record: folder of a recording to write, if any.
        start_machine: ask the machine for the first walls.
    """

    def __init__(
        self,
        config: Config,
        *,
        title: str,
        live: bool | None = None,
        record: Path | None = None,
        start_machine: bool = False,
    ) -> None:
        self.config = config
        self.results = Results()
        self._clock = SteadyClock()
        self._tidying = Tidying()
        self._closing = Closing()
        self._readings = Incoming()
        self._changes: queue.SimpleQueue[SourceEvent] = queue.SimpleQueue()
        self._drive_at = 0.0
        try:
            self._build(title, live, record)
            # A hand that goes on needs no new walls.
            wanted = start_machine and not self.controller.counters.happenings
            self._first_walls = FirstWalls(self._cycle, self.screen, wanted=wanted)
        except BaseException:
            self.close()
            raise
        settle()

    # -- building ---------------------------------------------------------------------------

    def _build(self, title: str, live: bool | None, record: Path | None) -> None:
        config = self.config
        self._rooms = rooms = Rooms.of(config)
        lookers = begin_eyes(rooms, self._closing)
        self.ruleset = rooms.ruleset
        equipment = rooms.ruleset.equipment
        self._cycle = StartCycle(
            tiles=equipment.tiles, players=equipment.players, tile_set=TileSet.NEXT
        )
        folder = config.record.dir
        self.journal = Journal.open(folder / "journal.db", reserve=True)
        self._closing.add(self.journal.close)
        self.hub = Hub()
        give_pictures_back()
        ring = FrameRing()
        store = EvidenceStore(
            folder / "evidence",
            ring,
            limit_bytes=int(config.record.evidence_limit_mb * 1e6),
            held=self._needed,
            keep_s=config.record.evidence_days * 86_400,
        )
        self.ruled = RuledTable(self.journal, self.hub, rooms.engine_with)
        self.decisions = self.ruled.decisions
        ruleset = rooms.ruleset
        keeper = EvidenceKeeper(store, ring, self.journal, self._saved)
        feed = ConsoleFeed(
            self.hub,
            lambda: drawing(rooms.follower.view()),
            lambda: scoreboard(self.controller.state, ruleset.timers, ruleset.session.minutes),
        )
        capture = HandCapture(
            store,
            rooms.cameras,
            rooms.follower.view,
            rooms.geometry.tile_mm,
            lambda body: self.hub.publish("crops", body),
        )
        self._moments = MomentKeeper(store, ring)
        writer = None if record is None else begin_recording(record, config, rooms)
        if writer is not None:
            self._closing.add(writer.close)
        self.controller = TableController(
            rooms.follower,
            rooms.engine,
            self.journal,
            [self.results, feed, keeper, capture, self._moments],
        )
        self.ruled.attach(self.controller)
        self._closing.add(capture.close)
        self._closing.add(self._moments.close)
        self._follower = rooms.follower
        self._driver = self._new_driver(rooms)
        self.controller.add_listener(self._driver)
        self.public = PublicFeed(self.hub, config.console.viewer_delay_s)
        folded = self._resume(rooms, title)
        self.server: ConsoleServer | None = None
        if config.console.enabled:
            has_machine = config.machine.port is not None
            self.desk = self.ruled.desk(store.root, self._driver.order if has_machine else None)
            self.server = serve_console(config, self.hub, self.public, self.desk)
            self.server.start()
            self._closing.add(self.server.stop)
            self.public.start()
            self._closing.add(self.public.stop)
        self.screen = open_screen(lambda: self._start, title, live=live)
        self._closing.add(self.screen.close)
        self.controller.add_listener(ScreenFeed(self.screen))
        self._recorder: Recorder | None = None
        if writer is not None:
            self._recorder = Recorder(writer, self.controller, self.screen, goes_on=folded > 0)
            self._closing.add(self._recorder.close)
        self._closing.add(keeper.close)
        self._health = Health(
            self.controller,
            self.journal,
            store,
            self.hub,
            self.screen,
            machine=config.machine.port is not None,
            phase=lambda: rooms.follower.view().machine,
        )
        if self.server is not None:
            self.screen.note(f"console: {self.server.url}")
        if folded:
            self.screen.note(f"goes on with the session of {folder}: {folded} happenings folded")
        changes, clock, closing = self._changes.put, self._clock, self._closing
        self._sources = open_sources(config, rooms, changes, clock, closing)
        for camera in config.camera:
            self._health.watch(camera.name)
        readings, mark = self._readings.put, self.controller.mark
        self._link = open_link(config.machine, readings, mark, clock, closing)
        self.eyes = look_on(self._sources, lookers, closing)
        self.cost = Cost(lambda: self.eyes.usage)

    def _new_driver(self, rooms: Rooms) -> Driver:
        def over() -> bool:
            state = self.controller.state
            session = state.get("session") or {}
            return bool(session.get("over") or state.get("match_over"))

        return Driver(
            self.journal,
            self.hub,
            self.ruled.now,
            NextWall(self.config.machine.next_wall),
            self._cycle,
            rooms.geometry.dice.half,
            self.ruled.protests.about,
            over,
        )

    def _resume(self, rooms: Rooms, title: str) -> int:
        entries = list(self.journal.entries([EntryKind.SESSION]))
        header = {"ruleset": self.config.ruleset, "east": self.config.east}
        if entries:
            self._start = entries[0].t
            rooms.check_same_session(entries[0].body, header, self.journal.path)
        else:
            self._start = time.time()
            self.journal.append([(self._start, EntryKind.SESSION, header)])
        facts = {"start": self._start, "east": self.config.east, "name": title}
        self.hub.publish("table", {**rooms.table_facts(), **facts})
        folded = self.ruled.resume()
        for entry in self.journal.entries([EntryKind.EVIDENCE]):
            self._saved(entry.body["alert"], tuple(entry.body["files"]))
        self._driver.load()
        return folded

    # -- running ----------------------------------------------------------------------------

    def step(self) -> None:
        """Take what has come: decisions, a look, the readings before it, changes."""
        self._take_changes()
        self._first_walls.step(self._link)
        if self.ruled.due.is_set():
            self.ruled.judge_again()
        look = self.eyes.next(WAIT_S)
        if look is None:
            self._take_readings(until=float("inf"))
        else:
            self._take_look(look)
        if time.monotonic() >= self._drive_at and not self._first_walls.wanted:
            self._drive_at = time.monotonic() + DRIVE_EVERY_S
            self._driver.step(self._link, self._follower.view())
        self._health.status(self._sources, self._start)
        if self._recorder is not None:
            self._recorder.step()
        self._tidying.step()

    def _take_look(self, look: Look) -> None:
        frame = look.frame
        for event in look.events:
            self._changes.put(event)
        # Also where nothing could be seen: a camera that sends damaged pictures silences no key.
        self._take_readings(until=frame.t)
        if look.sighting is None:
            return
        before = time.perf_counter()
        for camera in look.moved:
            self._rooms.moved(camera)
        self.controller.seen(frame, look.sighting)
        took_s = look.took_s + time.perf_counter() - before
        self.cost.looked(frame.camera, frame.t, took_s, frame.came)
        self._moments.take(frame.t)
        if self._recorder is not None:
            self._recorder.frame(frame)

    @property
    def started(self) -> float:
        """Source time at which the session began."""
        return self._start

    @property
    def ended(self) -> bool:
        """Whether no frame will come any more (recorded sources only)."""
        return self.eyes.ended

    def _take_readings(self, until: float) -> None:
        for reading in self._readings.until(until):
            if isinstance(reading.what, wire.LinkChanged):
                self._health.link(reading.what)
                if reading.what.state is wire.LinkState.CONNECTED:
                    self._driver.reconnected()
            if self._recorder is not None:
                self._recorder.reading(reading)
            self.controller.reading(reading)
        # What waits in memory for a full disk must stay on the board too.
        if self._link is not None and not self.journal.waiting:
            self._readings.confirm(self._link)

    def _take_changes(self) -> None:
        while not self._changes.empty():
            self._health.camera(self._changes.get())

    def _saved(self, key: str, files: tuple[str, ...]) -> None:
        alert = self.hub.alert(key)
        if alert is not None:
            self.hub.publish("alert", {**alert, "files": list(files)})

    def _needed(self, name: str) -> bool:
        return self.ruled.held(name)

    def figures(self) -> dict[str, Any]:
        """What the run cost: frames, times, processor, memory."""
        raised = [alert.t_raised - alert.t for alert in self.results.alerts]
        return self.cost.figures(self.controller.counters.frames, raised)

    def finish(self) -> None:
        """The session is over: say what was still held back."""
        self._take_readings(until=float("inf"))
        self.controller.finish()

    def close(self) -> None:
        """Close everything, the last opened first; what was accepted is in the journal."""
        self._closing.close()
